"""Jobs about one history, done here or handed to an executor; one whose process dies is given to another."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from typing import Any

from threadpoolctl import threadpool_limits

from podium.cluster.shared_histories import Handle, NotHereError
from podium.errors import PodiumError
from podium.history import History

RETRIES = 3
"""How often a job is given to others after the process that had it died."""
ATTENTION = 0.2
"""Seconds until an interrupt is looked for at the latest."""

Job = tuple[Any, ...]


class LostWorkersError(PodiumError):
    """Raised when worker processes die repeatedly while doing a job."""


class Workers:
    """Does jobs: calls `function(history, *job)` for each, or `function(*job)` without a history.

    This one does them itself, one after another.
    """

    count = 1

    def __init__(self, history: History | None) -> None:
        self.history = history

    def results(self, function: Callable[..., Any], jobs: Sequence[Job]) -> Iterator[tuple[int, Any]]:
        """Yield the number and the result of each job as soon as it is done."""
        for index, job in enumerate(jobs):
            yield index, _call(self.history, function, job, None)


class Spread(Workers):
    """Does jobs in an executor; always keeps a few jobs queued so that no worker is idle.

    If `takes_part` is set, this process does jobs too.
    """

    def __init__(
        self,
        executor: Executor,
        count: int,
        source: Any,
        history: History | None,
        *,
        takes_part: bool = False,
    ) -> None:
        super().__init__(history)
        self.takes_part = takes_part
        self.count = count
        self.executor = executor
        self.source = source
        self.threads: int | None = None

    def results(self, function: Callable[..., Any], jobs: Sequence[Job]) -> Iterator[tuple[int, Any]]:
        """Yield the number and the result of each job, in the order they are done.

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
        busy = self.takes_part and bool(waiting)
        if busy:  # from the end: the others have what stands first
            index = waiting.pop()
            done.append((index, _call(self.history, function, jobs[index], None)))
        for future in self._some_done(running, 0.0 if busy else math.inf):
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

    def _some_done(self, running: Collection[Future[Any]], seconds: float) -> Collection[Future[Any]]:
        """Wait for some to be done; not for long at a time, as a wait may keep an interrupt unseen."""
        until = time.monotonic() + seconds
        while running:
            done = wait(running, min(seconds, ATTENTION), return_when=FIRST_COMPLETED).done
            self.attend()
            if done or time.monotonic() >= until:
                return done
        return ()

    def attend(self) -> None:
        """Called repeatedly while this process waits for jobs; a subclass may override it."""

    def submit(self, function: Callable[..., Any], job: Job) -> Future[Any]:
        """Give one job to the executor."""
        return self.executor.submit(_call, self.source, function, job, self.threads)

    def is_loss(self, error: Exception) -> bool:
        """Whether an error means that a worker died, rather than that the job failed."""
        return False

    def restart(self) -> None:
        """Recover after a process died. An executor passed in by the caller cannot be replaced: raises."""
        raise LostWorkersError(
            "the executor broke: one of its processes died", hint="without executor=, podium starts a new one"
        )


def _call(source: Any, function: Callable[..., Any], job: Job, threads: int | None) -> Any:
    """Do one job, with at most `threads` threads."""
    if threads is not None:
        import numba

        config: Any = numba.config
        numba.set_num_threads(min(threads, config.NUMBA_NUM_THREADS))
    history = source.load() if isinstance(source, Handle) else source
    with threadpool_limits(threads):  # of BLAS: once NumPy is loaded, environment variables are too late
        return function(*job) if history is None else function(history, *job)


def _lost(times: int) -> LostWorkersError:
    return LostWorkersError(
        f"processes died {times} times with the same job",
        hint="is there enough memory for so many processes? Use jobs=1, which works in this process. "
        'In a script, spread work below if __name__ == "__main__": and put your own functions in a module',
    )
