"""Jobs about one history, spread over processes or machines; nothing is lost when one of them dies.

>>> import podium
>>> history = podium.History.from_matches(["ann", "bob"], ["bob", "cat"])
>>> def count(history, player):
...     return int((history.player == player).sum())
>>> with spread(history, jobs=1) as workers:
...     dict(workers.results(count, [(0,), (1,)]))
{0: 1, 1: 2}
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import wait as wait_for
from typing import Any

from podium.cluster.shared_histories import Handle, NotHereError, shared
from podium.errors import ParameterError, PodiumError
from podium.history import History
from podium.numerics.compiler_notice import announce, listen

RETRIES = 3
"""How often a job is given to others after the process that had it died."""
PATIENCE = 10.0
"""Seconds to wait for a cluster to answer, and for processes to end."""
ATTENTION = 0.2
"""Seconds until an interrupt is looked for at the latest."""

UNGUARDED = 86
"""What a process ends with that would begin others while it imports the script it belongs to."""

Job = tuple[Any, ...]
_imported: list[str] = []


def also_import(module: str) -> None:
    """Let worker processes import a module first, such as one that registers a system."""
    _imported.append(module)


class LostWorkersError(PodiumError):
    """Processes that had a job died again and again."""


class Workers:
    """Those who do jobs: `function(history, *job)` for each job, or `function(*job)` without a history.

    This one does them itself, one after another.
    """

    count = 1

    def __init__(self, history: History | None) -> None:
        self.history = history

    def results(self, function: Callable[..., Any], jobs: Sequence[Job]) -> Iterator[tuple[int, Any]]:
        """The number and the result of each job, as they are done."""
        for index, job in enumerate(jobs):
            yield index, _call(self.history, function, job, None)


class Spread(Workers):
    """Jobs handed to an executor, some ahead of those at work."""

    def __init__(self, executor: Executor, count: int, source: Any, history: History | None) -> None:
        super().__init__(history)
        self.count = count
        self.executor = executor
        self.source = source
        self.threads: int | None = None

    def results(self, function: Callable[..., Any], jobs: Sequence[Job]) -> Iterator[tuple[int, Any]]:
        """The number and the result of each job, in the order they are done.

        A job whose process dies is given to another, `RETRIES` times.
        """
        waiting = deque(range(len(jobs)))
        running: dict[Future[Any], int] = {}
        deaths = [0] * len(jobs)
        try:
            while waiting or running:
                done, lost, failure = self._step(function, jobs, waiting, running)
                yield from done  # first: what is raised below must not take with it what was done
                if failure is not None:
                    raise failure
                for index in lost:
                    deaths[index] += 1
                    if deaths[index] > RETRIES:
                        raise _lost(deaths[index])
                if lost:
                    self.restart()
                    waiting.extendleft(sorted(lost, reverse=True))
        finally:
            for future in running:
                future.cancel()

    def _step(
        self,
        function: Callable[..., Any],
        jobs: Sequence[Job],
        waiting: deque[int],
        running: dict[Future[Any], int],
    ) -> tuple[list[tuple[int, Any]], list[int], Exception | None]:
        """Hand out jobs, wait for some: what is done, which were lost with a process, what one raised."""
        done: list[tuple[int, Any]] = []
        lost: list[int] = []
        failure: Exception | None = None
        try:
            while waiting and len(running) < 2 * self.count:
                future = self.submit(function, jobs[waiting[0]])
                running[future] = waiting.popleft()
        except BrokenExecutor:
            lost.append(waiting.popleft())
        for future in self._some_done(running):
            index = running.pop(future)
            try:
                done.append((index, future.result()))
            except NotHereError:  # the executor's processes are on another machine: send the history along
                self.source = self.history
                waiting.appendleft(index)
            except (BrokenExecutor, CancelledError):
                lost.append(index)
            except Exception as error:
                if self.is_loss(error):
                    lost.append(index)
                else:
                    failure = error
        if lost:  # who was beside them has lost what they did too
            lost += running.values()
            running.clear()
        return done, lost, failure

    def _some_done(self, running: Collection[Future[Any]]) -> Collection[Future[Any]]:
        """Wait for some to be done; not for long at a time, as a wait may keep an interrupt unseen."""
        done: Collection[Future[Any]] = ()
        while running and not done:
            done = wait(running, ATTENTION, return_when=FIRST_COMPLETED).done
            self.attend()
        return done

    def attend(self) -> None:
        """Called again and again while jobs are at work."""

    def submit(self, function: Callable[..., Any], job: Job) -> Future[Any]:
        """Hand out one job."""
        return self.executor.submit(_call, self.source, function, job, self.threads)

    def is_loss(self, error: Exception) -> bool:
        """Whether an error means that a process died, and not that the job is wrong."""
        return False

    def restart(self) -> None:
        """Go on after a process died; an executor of somebody else's is theirs to make anew."""
        raise LostWorkersError(
            "the executor broke: one of its processes died", hint="without executor= podium makes it anew"
        )


class Pool(Spread):
    """Processes of this machine, made anew when one of them dies."""

    def __init__(self, count: int, source: Handle | None, history: History | None) -> None:
        self.threads_each = max(1, cores() // count)
        self.begun: dict[int, Any] = {}
        super().__init__(self._made(count), count, source, history)
        self.threads = self.threads_each

    def _made(self, count: int) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")  # Polars survives no fork
        self.compiling = context.RawValue("b", 0)  # without a lock: a process may die with it
        return ProcessPoolExecutor(
            count, context, _begin, (self.threads_each, tuple(_imported), self.compiling)
        )

    def attend(self) -> None:
        """Say here that a process began to compile, for whoever waits here."""
        if self.compiling.value:
            announce()

    def submit(self, function: Callable[..., Any], job: Job) -> Future[Any]:
        """Hand out one job; processes begin here, and are not interrupted with whoever began them."""
        assert isinstance(self.executor, ProcessPoolExecutor)
        with _blocked_interrupts():
            future = super().submit(function, job)
            self.begun |= self.executor._processes or {}
            return future

    def results(self, function: Callable[..., Any], jobs: Sequence[Job]) -> Iterator[tuple[int, Any]]:
        """The number and the result of each job, in the order they are done."""
        check_sendable(function, "a job")
        for part in jobs[0] if jobs else ():
            check_sendable(part, "a job")
        return super().results(function, jobs)

    def restart(self) -> None:
        """Make the processes anew, unless they can never begin."""
        self.stop()
        if any(process.exitcode == UNGUARDED for process in self.begun.values()):
            raise ParameterError(
                "the script begins processes while they import it",
                hint='put what it does below: if __name__ == "__main__": — or give jobs=1',
            )
        self.begun.clear()
        self.executor = self._made(self.count)

    def stop(self) -> None:
        """End the processes now, whatever they do."""
        assert isinstance(self.executor, ProcessPoolExecutor)
        processes = list((self.executor._processes or {}).values())
        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(PATIENCE)
            if process.is_alive():
                process.kill()
        self.executor.shutdown(wait=True)


class Cluster(Spread):
    """The workers of a Dask cluster, each of which is sent the history once."""

    def __init__(self, client: Any, history: History | None) -> None:
        self.client = client
        count = sum(client.nthreads().values())
        if not count:
            raise ParameterError("the Dask cluster has no workers", hint="dask worker ADDRESS starts one")
        super().__init__(client.get_executor(pure=False), count, self._sent(history), history)
        self.threads = 1

    def _sent(self, history: History | None) -> Any:
        return None if history is None else self.client.scatter(history, broadcast=True, hash=False)

    def is_loss(self, error: Exception) -> bool:
        """Workers that died one after another, or with the only copy of the history."""
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker

        return isinstance(error, (KilledWorker, FutureCancelledError))

    def restart(self) -> None:
        """Send the history again to those who are left."""
        self.source = self._sent(self.history)


@contextmanager
def spread(
    history: History | None = None,
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
) -> Iterator[Workers]:
    """Workers for jobs about a history, as long as the block lasts.

    By default they are as many processes as there are cores, which map the history and copy nothing; `jobs`
    says how many, and 1 makes none. An `executor` is used as it is and stays open; `dask` is the address of a
    cluster's scheduler. Whatever ends the block, Ctrl-C too, no process of its own is left.
    """
    if sum(given is not None for given in (jobs, executor, dask)) > 1:
        raise ParameterError("jobs, executor and dask are three ways to spread work", hint="give one of them")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise ParameterError(f"jobs is {jobs!r}", hint="a number of processes, from 1")
    with ExitStack() as stack:
        if dask is not None:
            yield Cluster(stack.enter_context(_client(dask)), history)
            return
        count = cores() if jobs is None else jobs
        if executor is None and count == 1:
            yield Workers(history)
            return
        handle = None if history is None else stack.enter_context(shared(history))
        if executor is not None:
            yield Spread(executor, getattr(executor, "_max_workers", None) or cores(), handle, history)
            return
        _refuse_unguarded_script()
        pool = Pool(count, handle, history)
        stack.callback(pool.stop)
        yield pool


def check_sendable(what: Any, called: str) -> None:
    """Refuse what another process of this machine cannot be sent, such as a lambda."""
    main = sys.modules.get("__main__")
    if getattr(what, "__module__", None) == "__main__" and not hasattr(main, "__file__"):
        reason = "it was typed in"
    else:
        try:
            pickle.dumps(what)
            return
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            reason = str(error)
    raise ParameterError(
        f"{called} cannot be sent to another process: {reason}",
        hint="give a function of a module, or jobs=1",
    )


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ---------------------------------------------------------------------- in the processes


def _call(source: Any, function: Callable[..., Any], job: Job, threads: int | None) -> Any:
    """Do a job, with so many threads."""
    if threads is not None:
        import numba

        config: Any = numba.config
        numba.set_num_threads(min(threads, config.NUMBA_NUM_THREADS))
    history = source.load() if isinstance(source, Handle) else source
    return function(*job) if history is None else function(history, *job)


def _begin(threads: int, modules: Sequence[str], compiling: Any) -> None:
    """What a process of a pool does first: few threads, no interrupts, and not to outlive who began it."""
    for library in ("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[library] = str(threads)
    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    listen(lambda: setattr(compiling, "value", 1))
    for module in modules:
        import_module(module)


def _end_with(sentinel: int) -> None:
    wait_for([sentinel])
    os._exit(1)


# ---------------------------------------------------------------------- beginning and ending


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Ctrl-C waits until the block is over; a process that is begun meanwhile never sees one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _refuse_unguarded_script() -> None:
    """A spawned process imports the script it belongs to, which must not spawn again.

    It ends without a word, as there are many of them; the one that began it says why, once.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        sys.exit(UNGUARDED)


def _lost(times: int) -> LostWorkersError:
    return LostWorkersError(
        f"processes died {times} times with the same job",
        hint="is there enough memory for as many? jobs=1 does all in this one; a script spreads work below "
        'if __name__ == "__main__": and a function of your own stands in a module',
    )


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A Dask cluster by the address of its scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise ParameterError(
            "a Dask cluster needs the package distributed", hint="pip install 'podium[dask]'"
        ) from None
    connect: Any = Client
    try:
        client = connect(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ParameterError(
            f"there is no Dask cluster at {address}: {error}", hint="the scheduler's address: tcp://host:8786"
        ) from None
    try:
        yield client
    finally:
        with suppress(Exception):  # a scheduler that is gone cannot be left any more
            client.close(timeout=PATIENCE)
