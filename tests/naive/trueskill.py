"""TrueSkill: skills, performances and a ranking as a factor graph, messages passed until none changes.

[TS] Herbrich, Minka and Graepel, "TrueSkill: a Bayesian skill rating system", NIPS 2006. One convention:

18. The margin is Phi^-1((p + 1) / 2) sqrt(n1 + n2) beta; tau^2 is added before every event, to those in it.
    An event of weight omega has beta^2 / omega for beta^2, in performances and in margins.

Inside a tie of three or more [TS] depends on the order of the rows. Here a side hears three things instead:
from the tie above its own, from the tie below, and from the others of its own tie. Each is one opponent: a
mixture of those who stand above or below, without what they heard from this side's tie; and in the same tie
the product of what the others were before the event, as all of them are (nearly) at one place.

Moments of truncated normal distributions are integrals, and taken as such.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple

from .events import Event, Outcome, Row, days_between
from .newcomers import Newcomers, performance, told_by_others

# ---------------------------------------------------------------------------------------------------------
# Truncated normal distributions


def tanh_sinh(step: float) -> list[tuple[float, float]]:
    """Nodes and weights of an integral from 0 to 1: x = 1 / (1 + exp(-pi sinh u)), in equal steps of u."""
    nodes = []
    for k in range(-math.floor(3.2 / step), math.floor(3.2 / step) + 1):
        u = k * step
        x = 1 / (1 + math.exp(-math.pi * math.sinh(u)))
        nodes.append((x, step * math.pi * math.cosh(u) * x / (1 + math.exp(math.pi * math.sinh(u)))))
    return nodes


NODES = tanh_sinh(1 / 16)
FAR = 80.0  # twice the exponent at which a density is nothing beside its peak


def truncated(low: float, high: float) -> tuple[float, float]:
    """Mean and variance of a standard normal number between two bounds.

    The density is integrated on both sides of its peak, which is at 0 or at the bound nearest to it, by the
    distance t from there: beside its value at the peak p, it is exp(-t (2 p + t) / 2).
    """
    peak = min(max(0.0, low), high)
    if low == high:
        return peak, 0.0
    reach = FAR / (math.sqrt(peak**2 + FAR) + abs(peak))
    points = []  # of the density: distances from the peak, and weights
    for width in (max(low - peak, -reach), min(high - peak, reach)):
        for x, weight in NODES:
            t = width * x
            points.append((t, abs(width) * weight * math.exp(-t * (2 * peak + t) / 2)))
    mass = math.fsum(weight for _, weight in points)
    mean = math.fsum(weight * t for t, weight in points) / mass
    return peak + mean, math.fsum(weight * (t - mean) ** 2 for t, weight in points) / mass


# ---------------------------------------------------------------------------------------------------------
# Messages


class Normal(NamedTuple):
    """A normal distribution of a performance."""

    mean: float
    variance: float


class Message(NamedTuple):
    """A factor exp(-precision (x - mean)^2 / 2), of which precision and precision times mean are kept."""

    precision: float = 0.0
    weighted: float = 0.0


@dataclass(frozen=True)
class Side:
    """Who performs."""

    prior: Normal
    size: float  # number of members


@dataclass(frozen=True)
class Comparison:
    """A side hears how it stands to an opponent, who may be any of several."""

    listener: int
    source: str  # of the message: a new one replaces the old
    result: str  # of the listener: "won", "lost" or "tied"
    opponents: list[int]
    without: tuple[str, ...]  # sources of opponents that are left out of what they are


SOURCES = ("above", "below", "beside")


def product(prior: Normal, messages: list[Message]) -> Normal:
    """A prior with messages."""
    variance = 1 / (1 / prior.variance + sum(message.precision for message in messages))
    return Normal(
        variance * (prior.mean / prior.variance + sum(message.weighted for message in messages)), variance
    )


def mixture(normals: list[Normal]) -> Normal:
    """Mean and variance of any one of them."""
    mean = math.fsum(normal.mean for normal in normals) / len(normals)
    inner = math.fsum(normal.variance for normal in normals) / len(normals)
    return Normal(mean, inner + math.fsum((normal.mean - mean) ** 2 for normal in normals) / len(normals))


def together(normals: list[Normal]) -> Normal:
    """All of them at one place: the product of their densities."""
    precision = math.fsum(1 / normal.variance for normal in normals)
    origin = normals[0].mean
    shift = math.fsum((normal.mean - origin) / normal.variance for normal in normals) / precision
    return Normal(origin + shift, 1 / precision)


def heard(me: Normal, other: Normal, margin: float, result: str) -> Message:
    """What the result of a comparison says about me.

    The difference d = me - other is normal; the result leaves a part of it. The message about d is the normal
    distribution N(m, s) by which its prior is multiplied to have the mean and variance of that part; about me
    it is N(other's mean + m, other's variance + s).
    """
    mean, variance = me.mean - other.mean, me.variance + other.variance
    deviation = math.sqrt(variance)
    low = {"won": margin, "lost": -math.inf, "tied": -margin}[result]
    high = {"won": math.inf, "lost": -margin, "tied": margin}[result]
    centre, left = truncated((low - mean) / deviation, (high - mean) / deviation)
    if left >= 1:  # nothing was left out
        return Message()
    # 1 / (left variance) = 1 / variance + 1 / s, and the same of the precisions times the means
    s = variance * left / (1 - left)
    m = mean + deviation * centre / (1 - left)
    return Message(1 / (other.variance + s), (other.mean + m) / (other.variance + s))


def settle(sides: list[Side], comparisons: list[Comparison], margin: float) -> list[list[Message]]:
    """Pass messages until none changes; what each side has heard. The margin is that of one member.

    Where they go round in circles they become cautious: a mean of the old message and the new one.
    """
    messages = [dict.fromkeys(SOURCES, Message()) for _ in sides]

    def without(i: int, sources: tuple[str, ...]) -> Normal:
        return product(
            sides[i].prior, [message for source, message in messages[i].items() if source not in sources]
        )

    for number in range(2000):
        part = max(0.5 ** (number // 40), 0.125)
        before = [without(i, ()) for i in range(len(sides))]
        for comparison in comparisons:
            i, opponents = comparison.listener, comparison.opponents
            size = sum(sides[j].size for j in opponents) / len(opponents)
            those = [without(j, comparison.without) for j in opponents]
            new = heard(
                without(i, (comparison.source,)),
                together(those) if comparison.source == "beside" else mixture(those),
                margin * math.sqrt(sides[i].size + size),
                comparison.result,
            )
            old = messages[i][comparison.source]
            messages[i][comparison.source] = Message(
                part * new.precision + (1 - part) * old.precision,
                part * new.weighted + (1 - part) * old.weighted,
            )
        after = [without(i, ()) for i in range(len(sides))]
        if all(
            abs(now.mean - was.mean) <= part * 1e-13 * (math.sqrt(now.variance) + abs(now.mean))
            and abs(now.variance - was.variance) <= part * 1e-13 * now.variance
            for was, now in zip(before, after, strict=True)
        ):
            return [list(each.values()) for each in messages]
    raise ArithmeticError("messages do not settle")


def ranking(ranks: list[int]) -> list[Comparison]:
    """Every side with the tie above it, with the tie below it, and with the others of its own."""
    ties = [[i for i in range(len(ranks)) if ranks[i] == rank] for rank in sorted(set(ranks))]
    comparisons = []
    for upper, lower in pairwise(ties):
        comparisons += [Comparison(i, "above", "lost", upper, ("below",)) for i in lower]
    for upper, lower in reversed(list(pairwise(ties))):
        comparisons += [Comparison(i, "below", "won", lower, ("above",)) for i in upper]
    for tie in ties:
        for i in tie if len(tie) > 1 else []:
            others = [j for j in tie if j != i]
            comparisons.append(Comparison(i, "beside", "tied", others, SOURCES))
    return comparisons


def chain(order: list[int], ranks: list[int]) -> list[Comparison]:
    """[TS] as published: every side with its neighbours in an order that agrees with the ranks."""
    comparisons = []
    for upper, lower in pairwise(order):
        result = "tied" if ranks[upper] == ranks[lower] else "lost"
        comparisons.append(Comparison(lower, "above", result, [upper], ("below",)))
    for upper, lower in reversed(list(pairwise(order))):
        result = "tied" if ranks[upper] == ranks[lower] else "won"
        comparisons.append(Comparison(upper, "below", result, [lower], ("above",)))
    return comparisons


# ---------------------------------------------------------------------------------------------------------
# The system


class Belief(NamedTuple):
    """A normal distribution of a skill."""

    mu: float
    sigma: float


@dataclass(frozen=True, kw_only=True)
class TrueSkill:
    """TrueSkill(beta, tau)."""

    mu: float = 25.0  # of newcomers
    sigma: float = 25 / 3  # of newcomers
    beta: float = 25 / 6
    tau: float = 25 / 300
    drift_per_day: float = 0.0
    home_advantage: float = 0.0
    draw_rate: float = 0.0
    newcomer_start: str = "fixed"

    def rate(self, events: list[Event], start: Mapping[str, tuple[float, float]]) -> Outcome:
        """Walk through the events.

        The trace shows what an event finds: a belief that has drifted for days, without the tau of the event
        itself. A held player drifts for the comparison only, and stays the same.
        """
        beliefs = {name: Belief(*given) for name, given in start.items()}
        newcomers = Newcomers(self.mu, self.newcomer_start == "adaptive")
        last = {}  # name -> the last event with a time in which the player was rated
        trace = []
        for event in events:
            found, performances = {}, []
            new = [name for name in event.players() if name not in beliefs]
            for name in event.players():
                belief = beliefs.get(name, Belief(newcomers.start(), self.sigma))
                days = days_between(last[name], event) if name in last else 0.0
                found[name] = Belief(belief.mu, math.sqrt(belief.sigma**2 + self.drift_per_day * days))
            told = self.told(event, found)
            for name in event.players():
                after = found[name]
                if name not in event.held:
                    after = beliefs[name] = told[name]
                    if name in new:
                        before = found[name].sigma ** 2 + self.tau**2
                        performances.append(performance(found[name].mu, before, after.mu, after.sigma**2))
                    if event.time is not None:
                        last[name] = event
                trace.append(Row(name, *found[name], *after))
            newcomers.learn(told_by_others(event.players(), new, performances))
        return Outcome(ratings={name: tuple(belief) for name, belief in beliefs.items()}, trace=trace)

    def told(self, event: Event, found: dict[str, Belief]) -> dict[str, Belief]:
        """The beliefs after an event."""
        if event.share is not None:
            raise ValueError("an event of this system is won, lost or tied")
        beta = self.beta / math.sqrt(event.weight)
        played = {name: event.play.get(name, 1.0) for name in found}
        variance = {name: belief.sigma**2 + self.tau**2 for name, belief in found.items()}
        sides = []
        for i, members in enumerate(event.sides):
            mean = sum(played[name] * found[name].mu for name in members)
            scatter = sum(played[name] ** 2 * (variance[name] + beta**2) for name in members)
            at_home = self.home_advantage if event.home == i else 0.0
            sides.append(Side(Normal(mean + at_home, scatter), len(members)))
        margin = NormalDist().inv_cdf((self.draw_rate + 1) / 2) * beta
        messages = settle(sides, ranking(event.ranks), margin)
        told = {}
        for i, members in enumerate(event.sides):
            for name in members:
                others = [other for other in members if other != name]
                rest = Normal(
                    sum(played[other] * found[other].mu for other in others)
                    + (self.home_advantage if event.home == i else 0.0),
                    sum(played[other] ** 2 * (variance[other] + beta**2) for other in others)
                    + played[name] ** 2 * beta**2,
                )
                told[name] = skill(Normal(found[name].mu, variance[name]), played[name], rest, messages[i])
        return told


def skill(prior: Normal, play: float, rest: Normal, messages: list[Message]) -> Belief:
    """A member's belief, from what the side has heard of its performance.

    performance = play * skill + rest, so the message N(m, s) about the performance is one about the skill:
    N((m - rest's mean) / play, (s + rest's variance) / play^2).
    """
    precision = sum(message.precision for message in messages)
    if precision == 0:
        return Belief(prior.mean, math.sqrt(prior.variance))
    m, s = sum(message.weighted for message in messages) / precision, 1 / precision
    scatter = s + rest.variance
    after = product(prior, [Message(play**2 / scatter, play * (m - rest.mean) / scatter)])
    return Belief(after.mean, math.sqrt(after.variance))


def rate(events: list[Event], start: Mapping[str, tuple[float, float]] = {}, **parameters) -> Outcome:
    """Rate the players of events, some of them seeded. See `TrueSkill.rate`."""
    return TrueSkill(**parameters).rate(events, start)
