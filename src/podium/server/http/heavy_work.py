"""Heavy requests: few at once, in threads apart from those of others, which give way to the others quickly.

Reports need the interpreter at every answer of the database. A thread that computes hands it over after 5 ms
if Python is left alone; a report would wait for that some ten times. So as long as something heavy runs,
threads change places after a tenth of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from podium.numerics.threads import half_of_threads
from podium.server import machine
from podium.server.access.request_costs import charge
from podium.server.access.rights import ANYBODY
from podium.server.problems import TooManyRequestsError

HEAVY_COST = 20.0
"""From how many times the cost of a plain request on a request is a heavy one."""
SWITCH_SECONDS = 0.0005
"""How long one thread computes while another waits and something heavy runs."""
MOST_WAITING, MOST_WAITING_WITHOUT_KEY = 32, 4
"""Heavy requests that may wait in a worker: whoever has no key must not keep others out."""
RETRY_SECONDS = 2

Made = TypeVar("Made")


class HeavyWork:
    """The heavy requests of a worker."""

    def __init__(self, at_once: int) -> None:
        self._limiter, self._at_once = CapacityLimiter(at_once), at_once
        self._inside = 0
        """How many run or wait. The limiter counts a request only some steps after it was let in."""
        self._running = 0
        self._usual = sys.getswitchinterval()
        self._lock = machine.Lock()

    @contextmanager
    def place(self, *, has_key: bool) -> Iterator[None]:
        """A block that runs or waits; refused if too many wait already."""
        most = MOST_WAITING if has_key else MOST_WAITING_WITHOUT_KEY
        if self._inside >= self._at_once + most:
            raise TooManyRequestsError("too many heavy requests are waiting", seconds=RETRY_SECONDS)
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    async def run(self, work: Callable[[], Made]) -> Made:
        """What `work` makes, when it is its turn."""
        return await to_thread.run_sync(self._done, work, limiter=self._limiter)

    def _done(self, work: Callable[[], Made]) -> Made:
        with self.giving_way(), half_of_threads():
            return work()

    @contextmanager
    def giving_way(self) -> Iterator[None]:
        """A block that is heavy: other threads need not wait long for the interpreter."""
        with self._lock:
            self._running += 1
            if self._running == 1:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(SWITCH_SECONDS, self._usual))
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                if not self._running:
                    sys.setswitchinterval(self._usual)


async def charged(
    request: Request,
    cost: float,
    work: Callable[[], Made],
    *,
    heavy: bool = False,
    is_stored: bool = False,
) -> Made:
    """What `work` makes, in a thread, after it was charged for; with other heavy requests if it is one."""
    if not heavy and request.state.cost + cost < HEAVY_COST:
        charge(request, cost)
        return await run_in_threadpool(work)
    lane: HeavyWork = request.app.state.service.heavy
    with lane.place(has_key=request.state.access is not ANYBODY):
        charge(request, cost, is_stored=is_stored)
        return await lane.run(work)
