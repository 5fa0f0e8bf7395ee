"""The process that does jobs, beside those that answer.

Its keeper starts it when there is something to do, and it ends when there was nothing for a while. It hears
from its keeper through its standard input, which ends when the keeper does; then it ends too, at once: a job
may be interrupted at any moment.

On SQLite only the server writes. There the process sends functions and their arguments through its standard
output, and gets back what they answered: each a frame, eight bytes of length and a pickle. Both ends are
podium, on one machine, parent and child.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from importlib import import_module
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, TYPE_CHECKING, Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podium.server.jobs.job_kinds import Writer
from podium.server.jobs.job_runner import JobRunner
from podium.server.problems import UnavailableError
from podium.server.settings import ServerSettings
from podium.server.storage.database import Database, refusal

if TYPE_CHECKING:
    from podium.server.service import Service

PROGRAM = "from podium.server.jobs.job_process import work; work()"
LOOK_SECONDS = 0.5
"""How often to look for jobs."""
IDLE_SECONDS = 600.0
"""How long the process waits for a job before it ends."""
CLEAN_SECONDS = 60.0
"""How often what nobody needs is removed, while there is no job."""
NICENESS = 5
"""Whoever answers comes first."""
LENGTH_BYTES = 8


# ---------------------------------------------------------------------- frames


def send_frame(stream: IO[bytes], content: Any) -> None:
    """Send an object to the other process."""
    pickled = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
    stream.write(len(pickled).to_bytes(LENGTH_BYTES, "little"))
    stream.write(pickled)
    stream.flush()


def receive_frame(stream: IO[bytes]) -> Any:
    """The next object from the other process; raises `EOFError` when it is gone."""
    length = int.from_bytes(_exactly(stream, LENGTH_BYTES), "little")
    return pickle.loads(_exactly(stream, length))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found


def answered(service: Service, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
    """Call a function for the job process: True and its answer, or False and the error to raise there."""
    try:
        return True, function(service, *args)
    except DBAPIError as error:
        return False, refusal(error) or RuntimeError(str(error))
    except Exception as error:
        return False, _sendable(error)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever it is that some error cannot be pickled with
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


class ServerWriter:
    """Lets the server, which alone writes to SQLite, call functions."""

    def __init__(self, mouth: IO[bytes], ear: IO[bytes]) -> None:
        self._mouth, self._ear = mouth, ear
        self._answers: SimpleQueue[tuple[bool, Any]] = SimpleQueue()
        self._lock = Lock()
        Thread(target=self._listen, name="lifeline", daemon=True).start()

    def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """What the function answers there."""
        with self._lock:
            send_frame(self._mouth, (function, args))
            succeeded, answer = self._answers.get()
        if succeeded:
            return answer
        raise answer

    def _listen(self) -> None:
        try:
            while True:
                self._answers.put(receive_frame(self._ear))
        except (EOFError, OSError):
            os._exit(1)


class OwnWriter:
    """Calls functions in this process, which has a service of its own on PostgreSQL."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._service: Service | None = None
        self._lock = Lock()

    def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """What the function answers."""
        return function(self.service, *args)

    @property
    def service(self) -> Service:
        """The service of this process, made when it is first needed."""
        with self._lock:
            if self._service is None:
                from podium.server.service import Service

                self._service = Service(self._settings)
            return self._service


# ---------------------------------------------------------------------- the process


def start_words(settings: ServerSettings, keeper: str, number: int, modules: list[str]) -> dict[str, Any]:
    """What a job process is told first."""
    return {"settings": asdict(settings), "keeper": keeper, "number": number, "modules": modules}


def work() -> None:
    """What the job process does: jobs, until its keeper is gone or there was none for a while."""
    ear = os.fdopen(os.dup(0), "rb")
    mouth = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is for people
    start = receive_frame(ear)
    os.nice(NICENESS)
    for module in start["modules"]:
        import_module(module)
    settings = ServerSettings(**start["settings"])
    database = Database(settings.database, read_only=True)
    writer: Writer
    if database.kind == "sqlite":
        writer = ServerWriter(mouth, ear)
    else:
        writer = OwnWriter(settings)
        Thread(target=partial(_end_with, ear), name="lifeline", daemon=True).start()
    do_jobs(JobRunner(database, writer, start["keeper"], start["number"]))
    os._exit(0)  # without waiting for threads that have nothing to finish


def _end_with(ear: IO[bytes]) -> None:
    """End this process when the keeper is gone."""
    ear.read()
    os._exit(1)


def do_jobs(runner: JobRunner) -> None:
    """Run jobs as they come, until there was none for a while."""
    last_job, last_clean = time.monotonic(), 0.0
    while True:
        try:
            if runner.run_next():
                last_job = time.monotonic()
                continue
            if time.monotonic() - last_clean > CLEAN_SECONDS:
                last_clean = time.monotonic()
                runner.clean()
        except (UnavailableError, PoolTimeoutError) as error:
            print(f"podium: jobs wait: {error}", file=sys.stderr)
        if time.monotonic() - last_job > IDLE_SECONDS:
            return
        time.sleep(LOOK_SECONDS)
