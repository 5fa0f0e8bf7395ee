"""What a pool has done so far, counted for a metrics page.

Counts only grow. A histogram has a count and a sum for each of its buckets, from which means and quantiles
can be had. Counters are a value: whatever changes them makes new ones.

>>> waits = Histogram.empty(WAIT_BOUNDS).add(np.array([3.0, 4.0, 50.0, 9000.0]))
>>> waits.count, waits.total, waits.quantile(0.5)
(4, 9057.0, 5.0)
>>> PoolCounters().numbers()["tickets_joined"]
0
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate

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
REFUSALS = "refusals:"
"""How the numbers of refusals begin, before the name of the term."""


@dataclass(frozen=True)
class Histogram:
    """Numbers counted by size."""

    bounds: tuple[float, ...]
    """The largest number of each bucket; the last bucket, which has none, is for all that are larger."""
    counts: tuple[int, ...]
    sums: tuple[float, ...]

    @classmethod
    def empty(cls, bounds: tuple[float, ...]) -> Histogram:
        """A histogram without numbers."""
        return cls(bounds, (0,) * (len(bounds) + 1), (0.0,) * (len(bounds) + 1))

    def add(self, values: Floats) -> Histogram:
        """The histogram with these numbers too."""
        bucket = np.searchsorted(self.bounds, values)
        buckets = len(self.counts)
        counts = np.bincount(bucket, minlength=buckets).tolist()
        sums = np.bincount(bucket, values, minlength=buckets).tolist()
        return Histogram(
            self.bounds,
            tuple(a + b for a, b in zip(self.counts, counts, strict=True)),
            tuple(a + b for a, b in zip(self.sums, sums, strict=True)),
        )

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

        None if there are no numbers. Of the last bucket, which has no bound, it is the mean.
        """
        if not self.count:
            return None
        reached = next(i for i, n in enumerate(accumulate(self.counts)) if n >= share * self.count and n)
        return self.bounds[reached] if reached < len(self.bounds) else self.sums[-1] / self.counts[-1]

    def mean_beyond(self, value: float) -> float | None:
        """The mean of the numbers in the buckets that reach beyond a value; None if there are none."""
        start = int(np.searchsorted(self.bounds, value, side="right"))
        count = sum(self.counts[start:])
        return math.fsum(self.sums[start:]) / count if count else None


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
                made[name] = Histogram(default.bounds, counts, sums)
            elif name != "refusals":
                made[name] = _whole(name, given.pop(name, 0))
        refusals = [name for name in given if name.startswith(REFUSALS)]
        made["refusals"] = {name.removeprefix(REFUSALS): _whole(name, given.pop(name)) for name in refusals}
        if given:
            raise InputError(f"a pool has no counter {next(iter(given))!r}")
        return cls(**made)  # type: ignore[arg-type]


def _finite(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(f"the counter {name} is {value!r}", hint="a finite number")
    return float(value)


def _whole(name: str, value: object) -> int:
    number = _finite(name, value)
    if number < 0 or not number.is_integer():
        raise InputError(f"the counter {name} is {value!r}", hint="a whole number from 0")
    return int(number)
