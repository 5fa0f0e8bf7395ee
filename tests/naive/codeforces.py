"""Codeforces: half of the way to the rating whose expected place is the place deserved.

[MMR] The comparisons of Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions"
(2021), section 6, and the program they were made with: `variant="experiments"`.

[CF] Mirzayanov, "Open Codeforces Rating System", codeforces.com/blog/entry/20762 (2015): `variant="site"`.
The site's real changes differ from it in two points, and so does this: players are not among their own
opponents, and of equal ratings at the end of the leading players the better placed come first.

The place deserved is the geometric mean of the place reached and of the place expected, the seed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from .events import Event, Outcome, Row, logistic
from .performances import split

BETA = 400 * (math.pi / math.sqrt(3)) / math.log(10)  # 400 points are odds of ten to one


def whole(x: float) -> int:
    """Integer division of Java, and casts: towards zero."""
    return math.trunc(x)


@dataclass(frozen=True, kw_only=True)
class Codeforces:
    """Codeforces(beta, weight)."""

    mu: float = 1500.0  # of newcomers
    beta: float = BETA
    weight: float = 1.0
    variant: str = "experiments"

    def beats(self, x: float, y: float, event_weight: float) -> float:
        """The chance of somebody rated x against somebody rated y."""
        deviation = self.beta / math.sqrt(event_weight)
        return logistic(math.pi / math.sqrt(3) * (x - y) / deviation)

    # ------------------------------------------------------------------ [MMR]

    def performance(self, i: int, mus: list[float], ranks: list[int], omega: float) -> float:
        """At which rating would the deserved place be the expected one?

        The middle of the tie is the place reached. Oneself is an opponent, of chance one half, in both sums.
        """
        better, tied = sum(r < ranks[i] for r in ranks), sum(r == ranks[i] for r in ranks)
        rank = better + tied / 2 + 1 / 2
        deserved = math.sqrt(rank * self.expected(mus[i], mus, omega))
        # Where two far clusters leave a whole interval of equals, its middle; equality is to 14 digits.
        margin = self.beta / math.sqrt(omega) * (3 + math.log(len(mus)))
        ends = [
            split(lambda x, t=t: self.expected(x, mus, omega) > t, min(mus) - margin, max(mus) + margin)[1]
            for t in (deserved * (1 + 1e-14), deserved * (1 - 1e-14))
        ]
        return sum(ends) / 2

    def expected(self, x: float, mus: list[float], omega: float) -> float:
        """The place to expect of somebody rated x."""
        return math.fsum([1 / 2, *(self.beats(mu, x, omega) for mu in mus)])

    # ------------------------------------------------------------------ [CF]

    def need_rating(self, i: int, mus: list[float], ranks: list[int]) -> int:
        """The whole rating whose seed is the deserved place, by the published bisection.

        Everybody in a tie has its last place. "Below" is below by more than a trillionth.
        """
        others = [mu for j, mu in enumerate(mus) if j != i]

        def seed(x: float) -> float:
            return math.fsum([1, *(self.beats(mu, x, 1.0) for mu in others)])

        deserved = math.sqrt(sum(r <= ranks[i] for r in ranks) * seed(mus[i]))
        left, right = 1, 8000
        while right - left > 1:
            middle = (left + right) // 2
            if seed(middle) < deserved * (1 - 1e-12):
                right = middle
            else:
                left = middle
        return left

    def deltas(self, needed: list[float], mus: list[float], ranks: list[int], omega: float) -> list[int]:
        """The changes of rating of those who are rated, corrected for inflation.

        The leading players are the first of a list sorted by rating, and by place where ratings are equal.
        """
        weight = omega * self.weight
        deltas = [whole((x - mu) * weight / (1 + weight)) for x, mu in zip(needed, mus, strict=True)]
        n = len(deltas)
        if n == 0:
            return []
        first = whole(-sum(deltas) / n) - 1
        deltas = [delta + first for delta in deltas]
        leading = sorted(range(n), key=lambda i: (-mus[i], ranks[i]))[: 4 * round_half_up(math.sqrt(n))]
        second = min(max(whole(-sum(deltas[i] for i in leading) / len(leading)), -10), 0)
        return [delta + second for delta in deltas]

    # ------------------------------------------------------------------ both

    def rate(self, events: list[Event], start: Mapping[str, tuple[float, None]]) -> Outcome:
        """Walk through the events; a held player is an opponent like any other, and stays the same."""
        ratings = {name: mu for name, (mu, _) in start.items()}
        trace = []
        for event in events:
            players = event.players()
            mus = [ratings.get(name, self.mu) for name in players]
            rated = [i for i, name in enumerate(players) if name not in event.held]
            everyone = range(len(players))
            if self.variant == "site":
                performances = [self.need_rating(i, mus, event.ranks) for i in everyone]
            else:
                performances = [self.performance(i, mus, event.ranks, event.weight) for i in everyone]
            if event.ceiling is not None:
                performances = [min(p, event.ceiling) for p in performances]
            after = list(mus)
            if self.variant == "site":
                needed, came = [performances[i] for i in rated], [mus[i] for i in rated]
                deltas = self.deltas(needed, came, [event.ranks[i] for i in rated], event.weight)
                for i, delta in zip(rated, deltas, strict=True):
                    after[i] = mus[i] + delta
            else:
                weight = event.weight * self.weight
                for i in rated:
                    after[i] = (mus[i] + weight * performances[i]) / (1 + weight)
            for i, name in enumerate(players):
                if i in rated:
                    ratings[name] = after[i]
                trace.append(Row(name, mus[i], None, after[i], None, performances[i]))
        return Outcome(ratings={name: (mu, None) for name, mu in ratings.items()}, trace=trace)


def round_half_up(x: float) -> int:
    """Math.round of Java."""
    return math.floor(x + 1 / 2)


def rate(events: list[Event], start: Mapping[str, tuple[float, None]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded. See `Codeforces.rate`."""
    return Codeforces(**parameters).rate(events, start)
