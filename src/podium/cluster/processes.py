"""Processes of this machine: few threads each, made anew when one dies, ended with whoever began them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.connection import wait as wait_for
from typing import Any

from podium.cluster.executors import Job, Spread
from podium.cluster.shared_histories import Handle
from podium.errors import ParameterError
from podium.history import History
from podium.numerics.compiler_choice import announce, listen

PROCESS_END_SECONDS = 10.0
"""Seconds to wait for processes to end."""
UNGUARDED = 86
"""What a process ends with that would begin others while it imports the script it belongs to."""

_imported: list[str] = []


def also_import(module: str) -> None:
    """Make worker processes import a module when they start, such as one that registers a system."""
    _imported.append(module)


def imported_modules() -> list[str]:
    """The modules that worker processes import when they start."""
    return list(_imported)


def cores() -> int:
    """The number of CPU cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool(Spread):
    """Worker processes on this machine, started again when one of them dies."""

    def __init__(
        self, count: int, source: Handle | None, history: History | None, *, takes_part: bool = False
    ) -> None:
        self.threads_each = max(1, cores() // (count + takes_part))
        self.begun: dict[int, Any] = {}
        super().__init__(self._made(count), count, source, history, takes_part=takes_part)
        self.threads = self.threads_each

    def _made(self, count: int) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")  # Polars survives no fork
        self.compiling = context.RawValue("b", 0)  # without a lock: a process may die with it
        return ProcessPoolExecutor(
            count, context, _begin, (self.threads_each, tuple(_imported), self.compiling)
        )

    def attend(self) -> None:
        """Announce in this process that a worker has begun to compile kernels."""
        if self.compiling.value:
            announce()

    def submit(self, function: Callable[..., Any], job: Job) -> Future[Any]:
        """Give one job to the processes; those started here do not receive Ctrl-C."""
        assert isinstance(self.executor, ProcessPoolExecutor)
        with _blocked_interrupts():
            future = super().submit(function, job)
            self.begun |= self.executor._processes or {}
            return future

    def results(self, function: Callable[..., Any], jobs: Sequence[Job]) -> Iterator[tuple[int, Any]]:
        """Yield the number and the result of each job, in the order they are done."""
        check_sendable(function, "a job")
        for part in jobs[0] if jobs else ():
            check_sendable(part, "a job")
        return super().results(function, jobs)

    def restart(self) -> None:
        """Start new processes; refused where the script itself starts processes on import."""
        self.stop()
        if any(process.exitcode == UNGUARDED for process in self.begun.values()):
            raise ParameterError(
                "the script starts processes while they import it",
                hint='put the script\'s work below: if __name__ == "__main__": — or give jobs=1',
            )
        self.begun.clear()
        self.executor = self._made(self.count)

    def stop(self) -> None:
        """End the processes now, even in the middle of a job."""
        assert isinstance(self.executor, ProcessPoolExecutor)
        processes = list((self.executor._processes or {}).values())
        manager: Any = self.executor._executor_manager_thread
        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(PROCESS_END_SECONDS)
            if process.is_alive():
                process.kill()
        if manager is not None:  # or Python, when it ends, writes to a pipe that this thread is closing
            manager.join(PROCESS_END_SECONDS)


def check_sendable(what: Any, called: str) -> None:
    """Refuse a value that cannot be sent to another process, such as a lambda."""
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


# ---------------------------------------------------------------------- in the processes


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


# ---------------------------------------------------------------------- beginning them


_STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Ctrl-C waits until the block is over; a process that is begun meanwhile never sees one.

    The mask is what such a process inherits. It does not keep the signal from the other threads of this
    process, and Python would have the main thread raise what they got: a process just begun, cut off in the
    middle of what it is told first, would complain with a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    with _late_signals():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _late_signals() -> Iterator[None]:
    """Signals that end a program are handled at the end of the block; only the main thread handles any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in _STOPPING}
    late = {number: handler for number, handler in before.items() if callable(handler)}
    try:
        for number in late:
            signal.signal(number, lambda number, frame: came.append(number))
        yield
    finally:
        for number, handler in late.items():
            signal.signal(number, handler)
        if came:
            late[came[0]](came[0], None)


def refuse_unguarded_script() -> None:
    """A spawned process imports the script it belongs to, which must not spawn again.

    It ends without a word, as there are many of them; the one that began it says why, once.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        sys.exit(UNGUARDED)
