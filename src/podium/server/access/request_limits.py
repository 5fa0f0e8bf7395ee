"""How much a caller may ask for: a bucket for each, which fills again with time.

A plain request takes 1 out of the bucket, and a large one as much as it costs. Whoever has something left may
ask for more than that: the bucket then owes the rest, and nothing more is answered before it is paid back.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from podium.server import machine
from podium.server.problems import TooManyRequestsError

BURST_SECONDS = 2.0
"""How many seconds' worth of requests a caller may make at once."""
MOST_CALLERS = 50_000
"""Buckets that are kept; full ones are dropped first, as they say nothing."""
ROUNDING = 1e-9
"""What sums of seconds may be wrong by."""


class RequestLimits:
    """Buckets by caller, in the memory of one worker."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or machine.monotonic
        self._full_at: dict[str, float] = {}
        """When the bucket of each caller is full again."""
        self._lock = machine.Lock()

    def take(
        self, caller: str, per_second: float, setting: str, cost: float = 1.0, paid: float = 0.0
    ) -> None:
        """Count a request, or what more it costs than what is `paid` for it; refused if there was too much
        lately.

        There is no limit if `per_second`, the value of a setting, is 0.

        >>> limits = RequestLimits(clock=lambda: 0.0)
        >>> for _ in range(3): limits.take("ann", 1.0, "rate")
        Traceback (most recent call last):
        podium.server.problems.TooManyRequestsError: more than 1 requests a second, the setting rate
          hint: wait as long as Retry-After says; a large request counts as several
        """
        if not per_second:
            return
        now, most = self._clock(), max(1.0, per_second * BURST_SECONDS)
        with self._lock:
            full_at = max(now, self._full_at.get(caller, now))
            missing = full_at - now + (min(1.0, cost) - most - paid) / per_second
            if missing > ROUNDING:
                raise TooManyRequestsError(
                    f"more than {per_second:g} requests a second, the setting {setting}",
                    hint="wait as long as Retry-After says; a large request counts as several",
                    seconds=math.ceil(missing),
                )
            if caller not in self._full_at and len(self._full_at) >= MOST_CALLERS:
                self._forget(now)
            self._full_at[caller] = full_at + cost / per_second

    def _forget(self, now: float) -> None:
        """Drop buckets that are full again by now, or the oldest half if none is."""
        lately = {who: full_at for who, full_at in self._full_at.items() if full_at > now}
        if len(lately) >= MOST_CALLERS:
            lately = dict(list(lately.items())[MOST_CALLERS // 2 :])
        self._full_at = lately
