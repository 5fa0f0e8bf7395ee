"""The threads that append to logs: whatever was reported while one transaction ran is in the next.

So a burst of reports costs few commits, and a single report waits for nobody.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from podium.errors import PodiumError
from podium.server import machine
from podium.server.log.appending import Appender
from podium.server.log.submissions import Submission
from podium.server.operations.service_logs import LOGGER
from podium.server.problems import UnavailableError
from podium.server.storage.ladder_rows import LadderRow

MOST_REPORTS_AT_ONCE = 500
"""Reports of different callers in one transaction; one caller's bulk may be larger."""
MOST_WAITING = 50_000
"""Reports that may wait; more are refused, as their callers would give up before it was their turn."""

GATHER_SECONDS = 0.004
"""How long a transaction waits for reports that are about to come. Under load the callers of the last one
send again at once: together they cost one commit, and one by one many."""

Done = Callable[[LadderRow], None]
Measured = Callable[[float, Sequence[Submission]], None]
"""Called with how many seconds a transaction took, and what it has appended."""


class Waiting(NamedTuple):
    """A submission, and who is told when it is committed."""

    submission: Submission
    future: Future[LadderRow]


class Hold(NamedTuple):
    """Somebody who writes to the ladder otherwise, while what is behind in the queue waits."""

    seconds: float
    """For how long at most."""
    future: Future[None]
    """Done when it begins."""


class Committer:
    """A queue for each ladder, and threads that empty them."""

    def __init__(
        self,
        appender: Appender,
        *,
        threads: int,
        committed: Done | None = None,
        measured: Measured | None = None,
    ) -> None:
        self._appender = appender
        self._committed = committed or (lambda row: None)
        self._measured = measured or (lambda seconds, submissions: None)
        self._condition = machine.Condition()
        self._queues: dict[str, deque[Waiting | Hold]] = {}
        """What waits for each ladder; one without anything waiting is not here."""
        self._last_size: dict[str, int] = {}
        """How many submissions the last transaction of each ladder had."""
        self._busy: set[str] = set()
        self._held: dict[str, float] = {}
        """The busy ladders that are held, and until when."""
        self._waiting = 0
        self._closed = False
        self._threads = [
            machine.Thread(target=self._work, name=f"commit-{n}", daemon=True) for n in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, slug: str, submission: Submission) -> Future[LadderRow]:
        """Append a submission soon; the future is done when it is committed, or fails if it could not be."""
        future: Future[LadderRow] = Future()
        with self._condition:
            if self._closed:
                raise UnavailableError(
                    "the service is shutting down", hint="send the same report again in a few seconds"
                )
            if self._waiting > MOST_WAITING:
                raise UnavailableError(
                    f"more than {MOST_WAITING:,} reports are waiting", hint="send the same report again later"
                )
            self._waiting += len(submission.reports)
            self._queues.setdefault(slug, deque()).append(Waiting(submission, future))
            self._condition.notify_all()
        return future

    def hold(self, slug: str, seconds: float) -> None:
        """Wait for the turn to write to a ladder, and have it until `release`, for so long at most."""
        hold = Hold(seconds, Future())
        with self._condition:
            if self._closed:
                raise UnavailableError("the service is shutting down")
            self._queues.setdefault(slug, deque()).append(hold)
            self._condition.notify_all()
        hold.future.result()

    def release(self, slug: str) -> None:
        """Let what waits for a ladder that was held be appended."""
        with self._condition:
            if self._held.pop(slug, None) is not None:
                self._busy.discard(slug)
                self._condition.notify_all()

    def close(self) -> None:
        """Append what is waiting, then end."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (found := self._next()) is not None:
            slug, batch = found
            try:
                # Who has gone meanwhile is left out; from here on nobody can cancel.
                wanted = [one for one in batch if one[1].set_running_or_notify_cancel()]
                if wanted:
                    self._append(slug, wanted)
            finally:
                with self._condition:
                    self._busy.discard(slug)
                    self._waiting -= sum(len(submission.reports) for submission, _ in batch)
                    self._condition.notify_all()

    def _append(self, slug: str, batch: list[Waiting]) -> None:
        submissions, began = [submission for submission, _ in batch], machine.perf_counter()
        try:
            row = self._appender.append(slug, submissions)
        except BaseException as error:
            if len(batch) > 1 and not isinstance(error, PodiumError):
                for one in batch:  # whatever is wrong with one caller's reports, the others get an answer
                    self._append(slug, [one])
                return
            for _, future in batch:
                future.set_exception(error)
            return
        for _, future in batch:
            future.set_result(row)
        try:
            self._measured(machine.perf_counter() - began, submissions)
            self._committed(row)
        except Exception:  # what was committed is answered already; this thread has more to do
            LOGGER.exception("after a commit to %r", slug)

    def _next(self) -> tuple[str, list[Waiting]] | None:
        """The next ladder that nobody works on, and what to append to it; None at the end."""
        with self._condition:
            while True:
                next_end = self._end_holds()
                slug = next((slug for slug in self._queues if slug not in self._busy), None)
                if slug is not None:
                    self._busy.add(slug)
                    if self._begins_hold(slug):
                        continue
                    self._gather(slug)
                    return slug, self._taken(slug)
                if self._closed and not self._queues:
                    return None
                self._condition.wait(next_end)

    def _begins_hold(self, slug: str) -> bool:
        """Let whoever is first in a ladder's queue hold it, if that is what they want."""
        queue = self._queues[slug]
        if not isinstance(first := queue[0], Hold):
            return False
        queue.popleft()
        if not queue:
            del self._queues[slug]
        self._held[slug] = machine.monotonic() + first.seconds
        first.future.set_result(None)
        return True

    def _end_holds(self) -> float | None:
        """End the holds that have lasted too long; in how many seconds the next one has."""
        now = machine.monotonic()
        for slug in [slug for slug, end in self._held.items() if end <= now]:
            self.release(slug)
        return None if not self._held else min(self._held.values()) - now

    def _gather(self, slug: str) -> None:
        """Wait a moment for as many reports as there were last time: their callers send again now."""
        end = machine.monotonic() + GATHER_SECONDS
        while len(self._queues[slug]) < self._last_size.get(slug, 1) and not self._closed:
            left = end - machine.monotonic()
            if left <= 0:
                return
            self._condition.wait(left)

    def _taken(self, slug: str) -> list[Waiting]:
        """Take what fits into one transaction off a ladder's queue, up to a hold."""
        queue, batch, reports = self._queues.pop(slug), list[Waiting](), 0
        while queue and not isinstance(first := queue[0], Hold):
            reports += len(first.submission.reports)
            if batch and reports > MOST_REPORTS_AT_ONCE:
                break
            batch.append(first)
            queue.popleft()
        if queue:  # behind all others, so that a busy ladder does not keep them waiting
            self._queues[slug] = queue
        self._last_size.pop(slug, None)
        if len(batch) > 1:  # others than this caller are about to report again
            self._last_size[slug] = len(batch)
        return batch
