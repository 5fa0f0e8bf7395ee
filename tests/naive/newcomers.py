"""Where newcomers start in systems of matches, fixed or adaptive; no paper describes the latter.

The adaptive start has a running mean m of first performances over the latest 3,000 newcomers, starting at
the fixed mean as if that were 30 of them. A newcomer starts at a quarter of the fixed mean and three quarters
of m.

A result that takes a newcomer from N(mu0, s0^2) to N(mu1, s1^2) is worth one performance with the precision
1/v = 1/s1^2 - 1/s0^2, at mu0 + (mu1 - mu0) s0^2 / (s0^2 - s1^2). First performances scatter by s0^2 + v, so a
performance counts for s0^2 / (s0^2 + v) newcomers, and less by the part of the others in its event who are
newcomers too. None is farther than 4 s0 from the start; one that would be counts there, for so many newcomers
(at most one) that its change of the mean is the same.
"""

import math
from dataclasses import dataclass, field


def performance(mu0: float, variance0: float, mu1: float, variance1: float) -> tuple[float, float]:
    """The newcomers that a first result counts for, and the performance it is worth."""
    farthest = 4 * math.sqrt(variance0)
    counts = max((variance0 - variance1) / variance0, abs(mu1 - mu0) / farthest)  # s0^2 / (s0^2 + v)
    if counts == 0:
        return 0.0, mu0
    away = (mu1 - mu0) / min(counts, 1.0)
    return min(counts, 1.0), mu0 + max(-farthest, min(away, farthest))


@dataclass
class Newcomers:
    """What earlier newcomers taught, for a start at `fixed`, which is all there is unless it is adaptive."""

    fixed: float
    adaptive: bool
    m: float = field(init=False)
    seen: float = 0.0

    def __post_init__(self) -> None:
        self.m = self.fixed

    def start(self) -> float:
        return 0.25 * self.fixed + 0.75 * self.m if self.adaptive else self.fixed

    def learn(self, shown: list[tuple[float, float]]) -> None:
        """Learn from newcomers of one event or period, each counting so much with such a performance."""
        total = sum(counts for counts, _ in shown)
        if total > 0:
            self.seen = min(self.seen + total, 3000)
            new = min(total / (30 + self.seen), 1.0)
            self.m = (1 - new) * self.m + new * sum(counts * p for counts, p in shown) / total


def told_by_others(players: list[str], newcomers: list[str], shown: list[tuple[float, float]]):
    """What an event's newcomers show, each counting only by the part of the others who are none."""
    others = (len(players) - len(newcomers)) / (len(players) - 1)
    return [(others * counts, p) for counts, p in shown]
