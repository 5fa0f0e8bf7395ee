"""How many requests a caller may make: a bucket for each, which fills again with time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from threading import Lock

from podium.server.problems import TooManyRequestsError

BURST_SECONDS = 2.0
"""How many seconds' worth of requests a caller may make at once."""
MOST_CALLERS = 50_000
"""Buckets that are kept; full ones are dropped first, as they say nothing."""


class RequestLimits:
    """Buckets of tokens by caller, in the memory of one worker."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}
        """How many tokens a caller had left, and when that was."""
        self._lock = Lock()

    def take(self, caller: str, per_second: float) -> None:
        """Count a request; refused if there were too many lately. No limit if `per_second` is 0.

        >>> limits = RequestLimits(clock=lambda: 0.0)
        >>> for _ in range(3): limits.take("ann", per_second=1.0)
        Traceback (most recent call last):
        podium.server.problems.TooManyRequestsError: more than 1 requests a second
          hint: wait as long as Retry-After says
        """
        if not per_second:
            return
        now, most = self._clock(), max(1.0, per_second * BURST_SECONDS)
        with self._lock:
            left, since = self._buckets.get(caller, (most, now))
            left = min(most, left + (now - since) * per_second)
            if left < 1.0:
                seconds = math.ceil((1.0 - left) / per_second)
                raise TooManyRequestsError(f"more than {per_second:g} requests a second", seconds=seconds)
            if caller not in self._buckets and len(self._buckets) >= MOST_CALLERS:
                self._forget(now)
            self._buckets[caller] = left - 1.0, now

    def _forget(self, now: float) -> None:
        """Drop buckets that are full again by now, or the oldest half if none is."""
        lately = {who: had for who, had in self._buckets.items() if now - had[1] < BURST_SECONDS}
        if len(lately) >= MOST_CALLERS:
            lately = dict(list(lately.items())[MOST_CALLERS // 2 :])
        self._buckets = lately
