"""What all twins share: events, strengths of sides, scores of pairs of sides, and the walk through periods.

A twin is a `System`: its parameters, and four answers that the walk (`System.rate`) asks for - what a
newcomer is believed to be, how a belief grows vague in absence, what evidence an event gives to each of its
sides, and what a belief becomes when a period closes on all the evidence collected in it.
"""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .newcomers import Newcomers, performance, told_by_others


@dataclass(frozen=True)
class Event:
    """A game, race or match between two or more sides."""

    sides: list[list[str]]  # names of the members of every side
    ranks: list[int]  # one per side: 1 is best, equal ranks are a tie
    time: float | None = None  # days since 1970-01-01T00:00Z
    weight: float = 1.0
    home: int | None = None  # index of the side at home
    share: float | None = None  # two sides only: score of sides[0] in [0, 1], instead of win, draw or loss
    held: frozenset[str] = frozenset()  # players seen by the others, but not touched themselves
    ceiling: float | None = None  # the highest performance that the event can show
    play: Mapping[str, float] = field(default_factory=dict)  # part of the event, of players not there for all
    scores: list[float] | None = None  # one per side

    def players(self) -> list[str]:
        """Everybody in the event, held or not, in the order of sides and members."""
        return [name for side in self.sides for name in side]


class Belief(NamedTuple):
    """What a system believes about one player; what the system does not know of is None."""

    mu: float
    sigma: float | None = None
    volatility: float | None = None


class Row(NamedTuple):
    """One player in one event: the provisional belief as the event begins, and after it."""

    player: str
    mu_before: float
    sigma_before: float | None
    mu: float
    sigma: float | None
    performance: float | None = None  # of the systems that estimate one


@dataclass(frozen=True)
class Outcome:
    """All that `rate` finds out.

    `ratings` (and `volatilities`, of Glicko-2 only) hold all who were seeded or played without being held.
    """

    ratings: dict[str, tuple[float, float | None]]
    trace: list[Row]
    volatilities: dict[str, float] = field(default_factory=dict)


# ---------------------------------------------------------------------------------------------------------
# Sides and pairs of sides


def logistic(x: float) -> float:
    """1 / (1 + e^-x), for any x: only exponentials of negative numbers are ever taken."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(x) / (1 + math.exp(x))


def score(event: Event, i: int, j: int) -> float:
    """s_ij: what side i scored against side j."""
    if event.share is not None:
        return event.share if i == 0 else 1 - event.share
    if event.ranks[i] == event.ranks[j]:
        return 0.5
    return 1.0 if event.ranks[i] < event.ranks[j] else 0.0


def home_sign(event: Event, i: int, j: int) -> int:
    """home_i - home_j: +1 if side i is at home, -1 if side j is, 0 if neither."""
    return (event.home == i) - (event.home == j)


def strength(mus: list[float], team: str, initial: float) -> float:
    """The strength of a side: the mean of its members, or the sum of what they are above a newcomer."""
    if team == "mean":
        return sum(mus) / len(mus)
    if team == "sum":
        return initial + sum(mu - initial for mu in mus)
    raise ValueError(f"team is 'mean' or 'sum', not {team!r}")


def deviation(sigmas: list[float], team: str) -> float:
    """The standard deviation of `strength`, its members being independent."""
    variance = sum(sigma**2 for sigma in sigmas)
    if team == "mean":
        return math.sqrt(variance / len(sigmas) ** 2)
    if team == "sum":
        return math.sqrt(variance)
    raise ValueError(f"team is 'mean' or 'sum', not {team!r}")


def as_one_match(pieces: list[tuple[float, float]], pairs: str, even: float) -> list[tuple[float, float]]:
    """(information, surprise) of every side over all its pairs, where these count as one match.

    "mean": a match with the average opponent. "one-match", of the Elo-MMR authors' program: the mean over all
    sides, oneself included (who brings no surprise), with the information `even` of a match with E = 1/2
    against somebody known exactly. There an event of weight omega is one of weight 1 with sqrt(omega) q for q
    (which is pi / sqrt(3) / beta, and weights divide beta). "sum": a match with each of them.
    """
    n = len(pieces)
    if pairs == "mean":
        return [(information / (n - 1), surprise / (n - 1)) for information, surprise in pieces]
    if pairs == "one-match":
        return [(even, surprise / n) for _, surprise in pieces]
    return pieces


# ---------------------------------------------------------------------------------------------------------
# Time


def period_number(time: float | None, period: float) -> int:
    """The number of the period of so many days around a time; weeks start on Monday, 1970-01-05."""
    if time is None:
        raise ValueError("periods of days need the time of every event")
    return math.floor((time - 4) / period)


def periods(events: list[Event], period: str | float) -> list[list[Event]]:
    """Events by period: each on its own with period="event", else those with the same period number."""
    if period == "event":
        return [[event] for event in events]
    numbers = [period_number(event.time, period) for event in events]
    if numbers != sorted(numbers):
        raise ValueError("events are not in the order of their periods")
    return [
        [event for event, its_number in zip(events, numbers, strict=True) if its_number == number]
        for number in sorted(set(numbers))
    ]


def periods_between(last: Event, event: Event, period: float) -> int:
    """How many periods of days later than the period of `last` that of `event` is."""
    return period_number(event.time, period) - period_number(last.time, period)


def days_between(last: Event, event: Event) -> float:
    """Days from one event to a later one; 0 if the time of either is unknown."""
    if last.time is None or event.time is None:
        return 0.0
    if event.time < last.time:
        raise ValueError("a player's events are not in the order of time")
    return event.time - last.time


# ---------------------------------------------------------------------------------------------------------
# The walk through the periods


@dataclass(frozen=True, kw_only=True)
class System:
    """The parameters that all systems have, the questions that each answers, and the walk that asks them."""

    mu: float = 1500.0
    scale: float = 400.0
    home_advantage: float = 0.0
    team: str = "mean"
    period: str | float = "event"  # "event", or a number of days
    newcomer_start: str = "fixed"  # or adaptive: see `newcomers`

    def newcomer(self) -> Belief:
        """The belief about a player never seen before."""
        raise NotImplementedError

    def grown(self, belief: Belief, last: Event, event: Event) -> Belief:
        """The belief at the opening of the period of `event`, after an absence since `last` was played."""
        raise NotImplementedError

    def found(self, belief: Belief, last: Event, event: Event) -> Belief:
        """The belief as `event` finds it: grown by the absence since `last`, but not by its own period."""
        return self.grown(belief, last, event)

    def evidence(self, event: Event, beliefs: dict[str, Belief]) -> list[Any]:
        """What an event tells each of its sides, one piece of evidence per side."""
        raise NotImplementedError

    def closed(self, belief: Belief, evidence: list[Any], played: int) -> Belief:
        """The belief after a period: that at its opening, updated by the evidence of one event or more.

        `played` is the number of events that the player had played before the period.
        """
        raise NotImplementedError

    def first_performance(
        self, event: Event, mine: int, opening: dict[str, Belief], before: Belief, after: Belief
    ) -> tuple[float, float]:
        """What a newcomer of side `mine` shows in a first event, which leads from `before` to `after`."""
        return performance(before.mu, before.sigma**2, after.mu, after.sigma**2)

    def seeded(self, mu: float, sigma: float | None) -> Belief:
        """A belief given from outside: a newcomer's as far as it says nothing else."""
        newcomer = self.newcomer()
        if newcomer.sigma is None or sigma is None:
            return newcomer._replace(mu=mu)
        return newcomer._replace(mu=mu, sigma=sigma)

    def difference(self, event: Event, i: int, j: int, strengths: list[float]) -> float:
        """d_ij: how much stronger side i is than side j on the day."""
        return strengths[i] - strengths[j] + self.home_advantage * home_sign(event, i, j)

    def rate(self, events: list[Event], start: Mapping[str, tuple[float, float | None]]) -> Outcome:
        """Walk through the events, period by period.

        The events of a period are simultaneous: everybody is seen in all of them as at the opening of the
        period, that is, with the period of their own last event closed first and the growth of their absence
        since then added next (no growth before the first event of a life, seeded or not).

        The trace shows provisional beliefs: those that would hold if the period closed right now, on the
        evidence collected in it so far. Without any evidence so far that is the belief as `found`.

        A held player collects no evidence, and so has not played: neither belief, count of events nor time of
        the last event change. What the others see of them is the opening belief as for everybody else:

        - in a period in which the held player has not played (yet), the one closed after the last period
          played and grown up to this event; the row of the trace shows just this;
        - in a period in which they have played already, still the one at its opening (simultaneity), while
          the row of the trace shows the provisional one, with the evidence of their events so far.

        Either way the row's before and after are equal.
        """
        beliefs = {name: self.seeded(*given) for name, given in start.items()}  # as the last period closed
        newcomers = Newcomers(self.mu, self.newcomer_start == "adaptive")
        history = defaultdict(list)  # name -> events played before this period
        trace = []

        for batch in periods(events, self.period):
            opening, shown = {}, {}  # name -> belief at the opening, and the provisional one
            for name in {name for event in batch for name in event.players()}:
                opening[name] = beliefs.get(name, self.newcomer()._replace(mu=newcomers.start()))
                shown[name] = opening[name]
                if history[name]:
                    last = history[name][-1]
                    shown[name] = self.found(opening[name], last, batch[0])
                    opening[name] = self.grown(opening[name], last, batch[0])

            collected = {name: [] for name in opening}  # name -> evidence of this period, one piece per event
            firsts = []  # performances of those who are rated for the first time

            for event in batch:
                before = dict(shown)
                new = [name for name in event.players() if name not in beliefs and not collected[name]]
                performances = []
                for i, (side, piece) in enumerate(
                    zip(event.sides, self.evidence(event, opening), strict=True)
                ):
                    for name in side:
                        if name not in event.held:
                            collected[name].append(piece)
                            shown[name] = self.closed(opening[name], collected[name], len(history[name]))
                            if name in new:
                                given = (opening, opening[name], shown[name])
                                performances.append(self.first_performance(event, i, *given))
                firsts += told_by_others(event.players(), new, performances)
                for name in event.players():
                    trace.append(Row(name, *before[name][:2], *shown[name][:2]))  # mu and sigma of each

            newcomers.learn(firsts)
            for name in opening:
                if collected[name]:
                    beliefs[name] = shown[name]
            for event in batch:
                for name in event.players():
                    if name not in event.held:
                        history[name].append(event)

        return Outcome(
            ratings={name: (belief.mu, belief.sigma) for name, belief in beliefs.items()},
            trace=trace,
            volatilities={
                name: belief.volatility for name, belief in beliefs.items() if belief.volatility is not None
            },
        )
