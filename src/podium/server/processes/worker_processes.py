"""Several workers on one port: processes that share a listening socket, and one that looks after them.

The first worker starts alone: if kernels have to be compiled, it compiles them, and the others load them from
disk. A worker that dies is replaced. Each hears from its keeper through its standard input, which ends when
the keeper does, however that ends; then the worker ends too.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from prometheus_client.multiprocess import mark_process_dead

from podium.cluster.processes import cores, imported_modules
from podium.errors import InputError, PodiumError
from podium.server import machine
from podium.server.http.http_server import handled_signals
from podium.server.operations.service_logs import LOGGER, logging_to_stderr
from podium.server.operations.service_metrics import METRICS_FOLDER_VARIABLE
from podium.server.settings import LOADING_LADDERS, ServerSettings, Told

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 30.0
"""How long to wait before a worker that never became ready is started again; twice as long each time."""
PROGRAM = "from podium.server.processes.worker_processes import work; work()"


class News(NamedTuple):
    """What the keeper of workers hears: of a worker by its place, or of a signal."""

    kind: str
    """``told``, ``ready``, ``failed``, ``ended``, ``start`` or ``signal``."""
    place: int
    said: Any = None


class Worker:
    """A worker process, and the thread that listens to it."""

    def __init__(
        self,
        place: int,
        settings: ServerSettings,
        listener: socket.socket,
        news: machine.SimpleQueue[News],
        metrics_folder: str,
    ) -> None:
        self.place = place
        self.is_ready = False
        searched = [folder for folder in sys.path if isinstance(folder, str) and folder]
        threads = str(max(1, cores() // settings.workers))
        environment = {"NUMBA_NUM_THREADS": threads, "POLARS_MAX_THREADS": threads} | os.environ
        environment[METRICS_FOLDER_VARIABLE] = metrics_folder
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment | {"PYTHONPATH": os.pathsep.join(searched)},
            pass_fds=[listener.fileno()],
            process_group=0,  # Ctrl-C at a terminal reaches the keeper alone
        )
        start = {
            "settings": asdict(settings),
            "socket": listener.fileno(),
            "modules": imported_modules(),
        }
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it died already, as will be heard
            print(json.dumps(start), file=self.process.stdin, flush=True)
        machine.Thread(target=self._listen, args=(news,), name=f"worker {place}", daemon=True).start()

    def _listen(self, news: machine.SimpleQueue[News]) -> None:
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        for line in self.process.stdout:
            with suppress(ValueError):  # a line that was cut off with the process
                kind, *said = json.loads(line)
                news.put(News(kind, self.place, said))
        status = self.process.wait()
        self.process.stdout.close()
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        news.put(News("ended", self.place, status))

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Send a signal to the process, if it is still there."""
        self.process.send_signal(number)


class WorkerProcesses:
    """The keeper of workers: starts them, replaces those that die, and ends them all when it is told to."""

    def __init__(
        self,
        settings: ServerSettings,
        listener: socket.socket,
        told: Told,
        ready: Callable[[str, int], None],
    ) -> None:
        self._settings, self._listener, self._told, self._ready = settings, listener, told, ready
        self._news: machine.SimpleQueue[News] = machine.SimpleQueue()
        self._workers: dict[int, Worker] = {}
        self._failures = [0] * settings.workers
        self._was_ready, self._is_ending = False, False
        self._reason: PodiumError | None = None
        self._metrics_folder = ""

    def run(self) -> None:
        """Keep workers until a signal comes; raises why, if none can be started."""
        with self._heard_signals(), TemporaryDirectory(prefix="podium-metrics-") as self._metrics_folder:
            self._start(0)
            try:
                while self._workers or not self._is_ending:
                    self._hear(self._news.get())
            finally:
                for worker in self._workers.values():
                    worker.stop(signal.SIGKILL)
        if self._reason is not None:
            raise self._reason

    def _start(self, place: int) -> None:
        if not self._is_ending:
            listener, folder = self._listener, self._metrics_folder
            self._workers[place] = Worker(place, self._settings, listener, self._news, folder)

    def _hear(self, news: News) -> None:
        """Do what a piece of news calls for."""
        worker = self._workers.get(news.place)
        if news.kind == "signal":
            self._end(at_once=self._is_ending and news.said in (signal.SIGINT, signal.SIGTERM))
        elif news.kind == "start":
            self._start(news.place)
        elif worker is None:
            return
        elif news.kind == "told":
            if news.place == 0 and not self._was_ready:
                self._told(*news.said)
            if news.said[0] == LOADING_LADDERS:
                self._start_others()  # all kernels are on disk
        elif news.kind == "ready":
            worker.is_ready = True
            self._failures[news.place] = 0
            if not self._was_ready:
                self._was_ready = True
                self._ready(self._settings.address, news.said[0])
            self._start_others()
            if all(one.is_ready for one in self._workers.values()):
                _say(f"all {self._settings.workers} workers are ready")
        elif news.kind == "failed":
            self._fail(InputError(news.said[0], hint=news.said[1]))
        elif news.kind == "ended":
            self._replace(worker, news.said)

    def _start_others(self) -> None:
        for place in range(1, self._settings.workers):
            if place not in self._workers and not self._failures[place]:
                self._start(place)

    def _replace(self, worker: Worker, status: int) -> None:
        """Start another worker in the place of one that has ended."""
        del self._workers[worker.place]
        mark_process_dead(worker.process.pid, self._metrics_folder)  # type: ignore[no-untyped-call]
        if self._is_ending:
            return
        how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        if not self._was_ready:
            self._fail(InputError(f"the first worker ended {how} before it was ready"))
            return
        who = f"worker {worker.place + 1} (process {worker.process.pid})"
        LOGGER.error("%s ended %s. Starting another worker", who, how)
        if worker.is_ready:
            self._start(worker.place)
            return
        pause = min(FIRST_PAUSE_SECONDS * 2 ** self._failures[worker.place], LONGEST_PAUSE_SECONDS)
        self._failures[worker.place] += 1
        later = machine.Timer(pause, self._news.put, (News("start", worker.place),))
        later.daemon = True
        later.start()

    def _fail(self, reason: PodiumError) -> None:
        """A worker could not start: that is the end if none ever could, and else worth a word."""
        if self._was_ready:
            LOGGER.error("%s", reason)
        elif not self._is_ending:
            self._reason = reason
            self._end(at_once=True)

    def _end(self, *, at_once: bool) -> None:
        """Tell all workers to end: in order, or at once."""
        self._is_ending = True
        self._listener.close()
        for worker in self._workers.values():
            worker.stop(signal.SIGKILL if at_once else signal.SIGTERM)

    @contextmanager
    def _heard_signals(self) -> Iterator[None]:
        """Signals become news while the block runs."""

        def hear(number: int, _: object) -> None:
            self._news.put(News("signal", -1, number))

        with handled_signals(hear):
            yield


def _say(words: str) -> None:
    """Print something if anybody still reads it: a closed pipe does not end a service."""
    with suppress(OSError):
        print(words, flush=True)


# ---------------------------------------------------------------------- what a worker does


def work() -> None:
    """What a worker process does: serve what its keeper says, and tell it how that goes."""
    start = json.loads(sys.stdin.readline())
    mouth = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed is for people
    for module in start["modules"]:
        import_module(module)

    def tell(*said: Any) -> None:
        with suppress(BrokenPipeError):
            print(json.dumps(said), file=mouth, flush=True)

    lifeline, settings = _Lifeline(), ServerSettings(**start["settings"])
    from podium.server.http.http_server import HttpServer, opened_service

    with logging_to_stderr(settings):
        try:
            service = opened_service(settings, lambda *stage: tell("told", *stage))
        except PodiumError as error:
            tell("failed", error.reason, error.hint)
            sys.exit(1)
        server = HttpServer(service, lambda: tell("ready", service.ladder_count()), is_kept=True)
        lifeline.end = server.end
        server.run([machine.socket(fileno=start["socket"])])


class _Lifeline:
    """Waits in a thread until the keeper is gone, and then ends this worker: at once, or as `end` does."""

    def __init__(self) -> None:
        self.end: Callable[[], None] = lambda: os._exit(1)
        machine.Thread(target=self._wait, name="lifeline", daemon=True).start()

    def _wait(self) -> None:
        sys.stdin.read()
        self.end()
