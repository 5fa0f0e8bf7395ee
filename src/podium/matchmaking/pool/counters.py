"""What a pool has done so far, counted for a metrics page.

Counts only grow. A histogram has a count, a sum and a range for each of its buckets, from which means and
quantiles can be had. Counters are a value: whatever changes them makes new ones.

>>> waits = Histogram.empty(WAIT_BOUNDS).add(np.array([3.0, 4.0, 50.0, 9000.0]))
>>> waits.count, waits.total, waits.quantile(0.5)
(4, 9057.0, 5.0)
>>> PoolCounters().numbers()["tickets_joined"]
0
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats
from podium.errors import InputError
from podium.text import brief_repr

WAIT_BOUNDS = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)
"""Seconds up to which waits are counted together."""
COST_BOUNDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""The same for costs of matches and distances of chances from the wanted ones."""
TICK_BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""The same for the seconds that ticks took."""
LARGEST_SUM = 1e300
"""Larger numbers and sums count as this: a clock may show anything finite, and a saved pool must be read."""
FEW = 8
"""Numbers that are counted one by one."""
REFUSALS = "refusals:"
"""How the numbers of refusals begin, before the name of the term."""


@dataclass(frozen=True)
class Histogram:
    """Numbers counted by size."""

    bounds: tuple[float, ...]
    """The largest number of each bucket; the last bucket, which has none, is for all that are larger."""
    counts: tuple[int, ...]
    sums: tuple[float, ...]
    ranges: tuple[tuple[float, float] | None, ...]
    """The least and the greatest number of each bucket; None if it is empty, or was saved without them."""

    @classmethod
    def empty(cls, bounds: tuple[float, ...]) -> Histogram:
        """A histogram without numbers."""
        buckets = len(bounds) + 1
        return cls(bounds, (0,) * buckets, (0.0,) * buckets, (None,) * buckets)

    def add(self, values: Floats) -> Histogram:
        """The histogram with these numbers too."""
        if not len(values):
            return self
        values = np.clip(values, -LARGEST_SUM, LARGEST_SUM)
        if len(values) <= FEW:  # most ticks of a small pool: for them arrays take longer
            return self._with_few(values.tolist())
        bucket = np.searchsorted(self.bounds, values)
        buckets = len(self.counts)
        counts = np.bincount(bucket, minlength=buckets).tolist()
        sums = np.bincount(bucket, values, minlength=buckets).tolist()
        return Histogram(
            self.bounds,
            tuple(a + b for a, b in zip(self.counts, counts, strict=True)),
            tuple(min(a + b, LARGEST_SUM) for a, b in zip(self.sums, sums, strict=True)),
            tuple(self._range_with(i, values[bucket == i].tolist()) for i in range(buckets)),
        )

    def _with_few(self, values: list[float]) -> Histogram:
        """The same for a few numbers, one bucket after another."""
        counts, sums, ranges = list(self.counts), list(self.sums), list(self.ranges)
        found: dict[int, list[float]] = {}
        for value in values:
            found.setdefault(bisect_left(self.bounds, value), []).append(value)
        for bucket, inside in found.items():
            ranges[bucket] = self._range_with(bucket, inside)
            counts[bucket] += len(inside)
            sums[bucket] = min(sums[bucket] + sum(inside), LARGEST_SUM)
        return Histogram(self.bounds, tuple(counts), tuple(sums), tuple(ranges))

    def _range_with(self, bucket: int, values: list[float]) -> tuple[float, float] | None:
        """The range of a bucket that gets these numbers; None if that of the old ones is not known."""
        known = self.ranges[bucket]
        if not values or (known is None and self.counts[bucket]):
            return known
        low, high = min(values), max(values)
        return (low, high) if known is None else (min(known[0], low), max(known[1], high))

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return sum(self.counts)

    @property
    def total(self) -> float:
        """Their sum."""
        return math.fsum(self.sums)

    def quantile(self, share: float) -> float | None:
        """The bound of the bucket in which this share of all numbers is reached.

        None if there are no numbers. Of the last bucket, which has no bound, it is the greatest number, or
        the mean if that is not known.
        """
        if not self.count:
            return None
        reached = next(i for i, n in enumerate(accumulate(self.counts)) if n >= share * self.count and n)
        if reached < len(self.bounds):
            return self.bounds[reached]
        last = self.ranges[-1]
        return self.sums[-1] / self.counts[-1] if last is None else last[1]

    def mean_excess(self, value: float) -> float | None:
        """How much greater than a value those numbers are on average that are not less; None without any.

        Of the one bucket whose range has the value inside, its least and its greatest number are counted for
        what they are, and the others as if they were spread evenly around their mean.
        """
        tails = [self._tail(bucket, value) for bucket, count in enumerate(self.counts) if count]
        count = math.fsum(tail.number for tail in tails)
        return max(0.0, math.fsum(tail.excess for tail in tails) / count) if count else None

    def _tail(self, bucket: int, value: float) -> Tail:
        """The numbers of a bucket that are not less than a value."""
        count, total, known = self.counts[bucket], self.sums[bucket], self.ranges[bucket]
        if known is None:  # numbers from 0 are counted
            low, high = (0.0, *self.bounds)[bucket], (*self.bounds, math.inf)[bucket]
            return _even_tail(count, total, low, high, value)
        low, high = known
        if value <= low:
            return Tail(count, total - count * value)
        if value > high:
            return Tail(0.0, 0.0)
        between = _even_tail(count - 2, total - low - high, low, high, value)
        return Tail(between.number + 1.0, between.excess + high - value)


class Tail(NamedTuple):
    """The numbers that are not less than a value."""

    number: float
    excess: float
    """The sum of what they are greater than it."""


def _even_tail(count: int, total: float, low: float, high: float, value: float) -> Tail:
    """The tail of numbers of which the sum is known, spread around their mean as far as a range allows."""
    if count <= 0:
        return Tail(0.0, 0.0)
    mean = min(max(total / count, low), high)
    reach = min(mean - low, high - mean)
    if value <= mean - reach:
        return Tail(count, count * (mean - value))
    if value > mean + reach:
        return Tail(0.0, 0.0)
    part = count * (mean + reach - value) / (2.0 * reach)
    return Tail(part, part * (mean + reach - value) / 2.0)


@dataclass(frozen=True, repr=False)
class PoolCounters:
    """What a pool has done since it was made; players of running matches that ask for more have no part."""

    __repr__ = brief_repr

    tickets_joined: int = 0
    tickets_left: int = 0
    """Tickets that left, also by cancelling a match."""
    tickets_expired: int = 0
    tickets_matched: int = 0
    """Tickets whose match has started."""
    matches_proposed: int = 0
    matches_started: int = 0
    matches_cancelled: int = 0
    """Proposals that ended because somebody cancelled or left."""
    matches_finished: int = 0
    waits: Histogram = field(default_factory=lambda: Histogram.empty(WAIT_BOUNDS))
    """Seconds between joining and the start of the match, of each ticket that was matched."""
    costs: Histogram = field(default_factory=lambda: Histogram.empty(COST_BOUNDS))
    """The cost of each match that was proposed."""
    gaps: Histogram = field(default_factory=lambda: Histogram.empty(COST_BOUNDS))
    """The mean distance of its sides' chances from the wanted ones, of each match that was proposed."""
    ticks: Histogram = field(default_factory=lambda: Histogram.empty(TICK_BOUNDS))
    """The seconds that each tick took."""
    refusals: Mapping[str, int] = field(default_factory=dict)
    """By the term that forbade them: the meetings that ticks looked at.

    A tick looks at few of all meetings, may look at one more than once, and often at one for two kinds of
    tickets, so this says which terms stand in the way, and not how many people they keep apart.
    """

    def joined(self, tickets: int) -> PoolCounters:
        """Tickets have joined."""
        return replace(self, tickets_joined=self.tickets_joined + tickets)

    def left(self, tickets: int) -> PoolCounters:
        """Tickets have left."""
        return replace(self, tickets_left=self.tickets_left + tickets)

    def ticked(
        self, seconds: float, expired: int, costs: Floats, gaps: Floats, refusals: Mapping[str, int]
    ) -> PoolCounters:
        """A tick has ended."""
        more = {name: self.refusals.get(name, 0) + count for name, count in refusals.items()}
        return replace(
            self,
            tickets_expired=self.tickets_expired + expired,
            matches_proposed=self.matches_proposed + len(costs),
            costs=self.costs.add(costs),
            gaps=self.gaps.add(gaps),
            ticks=self.ticks.add(np.array([seconds])),
            refusals={**self.refusals, **more},
        )

    def started(self, matches: int, waits: Floats) -> PoolCounters:
        """Matches have started whose tickets waited for so many seconds."""
        return replace(
            self,
            matches_started=self.matches_started + matches,
            tickets_matched=self.tickets_matched + len(waits),
            waits=self.waits.add(waits),
        )

    def cancelled(self, matches: int) -> PoolCounters:
        """Proposals have ended without a match."""
        return replace(self, matches_cancelled=self.matches_cancelled + matches)

    def finished(self, matches: int) -> PoolCounters:
        """Matches have finished."""
        return replace(self, matches_finished=self.matches_finished + matches)

    def numbers(self) -> dict[str, float]:
        """All counters as numbers by name, for saving: what `from_numbers` takes."""
        found: dict[str, float] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, Histogram):
                for i, (count, total) in enumerate(zip(value.counts, value.sums, strict=True)):
                    found[f"{one.name}:count:{i}"], found[f"{one.name}:sum:{i}"] = count, total
                for i, known in enumerate(value.ranges):
                    if known is not None:
                        found[f"{one.name}:least:{i}"], found[f"{one.name}:greatest:{i}"] = known
            elif one.name == "refusals":
                found |= {f"{REFUSALS}{name}": count for name, count in value.items()}
            else:
                found[one.name] = value
        return found

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, float]) -> PoolCounters:
        """Counters from `numbers`; what is missing is 0, and what is no counter is refused."""
        given = dict(numbers)
        made: dict[str, object] = {}
        for name, default in ((one.name, getattr(cls(), one.name)) for one in fields(cls)):
            if isinstance(default, Histogram):
                buckets = range(len(default.counts))
                counts = tuple(_whole(name, given.pop(f"{name}:count:{i}", 0)) for i in buckets)
                sums = tuple(_finite(name, given.pop(f"{name}:sum:{i}", 0.0)) for i in buckets)
                ranges = tuple(_range(name, given, i) if counts[i] else None for i in buckets)
                made[name] = Histogram(default.bounds, counts, sums, ranges)
            elif name != "refusals":
                made[name] = _whole(name, given.pop(name, 0))
        refusals = [name for name in given if name.startswith(REFUSALS)]
        made["refusals"] = {name.removeprefix(REFUSALS): _whole(name, given.pop(name)) for name in refusals}
        if given:
            raise InputError(f"a pool has no counter {next(iter(given))!r}")
        return cls(**made)  # type: ignore[arg-type]


def _range(name: str, given: dict[str, float], bucket: int) -> tuple[float, float] | None:
    """The range of a bucket, taken out of the numbers given; None if they are of a pool saved without it."""
    keys = f"{name}:least:{bucket}", f"{name}:greatest:{bucket}"
    if not any(key in given for key in keys):
        return None
    least, greatest = (_finite(name, given.pop(key, None)) for key in keys)
    if least > greatest:
        raise InputError(f"the counter {name} has numbers from {least!r} to {greatest!r}")
    return least, greatest


def _finite(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(f"the counter {name} is {value!r}", hint="a finite number")
    return float(value)


def _whole(name: str, value: object) -> int:
    number = _finite(name, value)
    if number < 0 or not number.is_integer():
        raise InputError(f"the counter {name} is {value!r}", hint="a whole number from 0")
    return int(number)
