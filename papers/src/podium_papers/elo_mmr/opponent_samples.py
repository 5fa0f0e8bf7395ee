"""Section 5.3: performances from some of the opponents only, as proposed for very large contests."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from podium.arrays import NO_TIME, Floats, Longs
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium.systems.elo_mmr.performance_distributions import solve_decreasing
from podium_papers.elo_mmr.told_performances import new_players, show

BUCKET_WIDTH = 25.0
"""Width of a bucket of ratings and of deviations, in points."""


class Participants(NamedTuple):
    """Participants of a contest, or those of them whose performance is computed."""

    mu: Floats
    scale: Floats
    """Scale of their logistic performances, drift included."""
    rank: Floats
    who: Longs
    """Their index among all participants."""


Choose = Callable[[Participants, Participants, int, int], Longs]
"""A way to choose opponents. Arguments: the players to compute, all participants, a number of opponents, a
seed. Result: indices of opponents, −1 for none.
"""


def at_random(own: Participants, field: Participants, number: int, seed: int) -> Longs:
    """Random opponents for each player; the same for the same seed, whatever the ratings."""
    keys = np.random.default_rng(seed).random((len(field.mu), len(field.mu)))
    np.fill_diagonal(keys, 2.0)
    return np.argpartition(keys, number - 1, axis=1)[own.who, :number]


def same_for_all(own: Participants, field: Participants, number: int, seed: int) -> Longs:
    """The same random opponents for everybody."""
    drawn = np.random.default_rng(seed).choice(len(field.mu), number, replace=False)
    chosen = np.tile(drawn, (len(own.mu), 1))
    chosen[chosen == own.who[:, None]] = -1
    return chosen


def nearest(own: Participants, field: Participants, number: int, seed: int) -> Longs:
    """The opponents with the nearest ratings; equally near ones at random."""
    away = np.abs(own.mu[:, None] - field.mu)
    away += 1e-6 * np.random.default_rng(seed).random((len(field.mu), len(field.mu)))[own.who]
    away[np.arange(len(own.mu)), own.who] = np.inf
    return np.argpartition(away, number - 1, axis=1)[:, :number]


def in_buckets(own: Participants, field: Participants, number: int, seed: int) -> Longs:
    """All opponents in the nearest buckets that together hold at least `number`."""
    away = np.abs(np.rint(own.mu / BUCKET_WIDTH)[:, None] - np.rint(field.mu / BUCKET_WIDTH))
    away[np.arange(len(own.mu)), own.who] = np.inf
    last = np.partition(away, number - 1, axis=1)[:, number - 1 : number]
    within = away <= last
    order = np.argsort(~within, axis=1, kind="stable")[:, : within.sum(axis=1).max()]
    return np.where(np.take_along_axis(within, order, axis=1), order, -1)


def everybody(own: Participants, field: Participants, number: int, seed: int) -> Longs:
    """All opponents: the exact system, computed in the same way as the samples."""
    chosen = np.tile(np.arange(len(field.mu)), (len(own.mu), 1))
    chosen[np.arange(len(own.mu)), own.who] = -1
    return chosen


WAYS: dict[str, Choose] = {
    "random": at_random,
    "same for all": same_for_all,
    "nearest": nearest,
    "buckets": in_buckets,
}


def estimate(own: Participants, field: Participants, chosen: Longs, bucketed: bool = False) -> Floats:
    """Performances: the zeros of Q (Theorem 3.2) over the chosen opponents and the player."""
    mu, scale = field.mu, field.scale
    if bucketed:  # who is in a bucket is taken for its middle
        mu, scale = (np.rint(column / BUCKET_WIDTH) * BUCKET_WIDTH for column in (mu, scale))
        scale = np.maximum(scale, BUCKET_WIDTH)
    mean, width, rank = mu[chosen], scale[chosen], field.rank[chosen]
    weight = np.where(chosen >= 0, 1.0 / width, 0.0)
    # Wins and ties pull up, losses and ties down; F(x) = (1 + tanh(x/2))/2.
    gain = np.where(rank >= own.rank[:, None], weight, 0.0).sum(axis=1) + 1.0 / own.scale
    times = weight * (1.0 + (rank == own.rank[:, None]))

    def surplus(x: Floats) -> Floats:
        beaten = 0.5 * times * (1.0 + np.tanh((x[:, None] - mean) / (2.0 * width)))
        oneself = (1.0 + np.tanh((x - own.mu) / (2.0 * own.scale))) / own.scale
        return np.asarray(gain - beaten.sum(axis=1) - oneself)

    margin = float(scale.max()) * (10.0 + math.log(len(field.mu)))
    low = np.full(len(own.mu), min(mu.min(), own.mu.min()) - margin)
    high = np.full(len(own.mu), max(mu.max(), own.mu.max()) + margin)
    return solve_decreasing(surplus, low, high)


class Learner:
    """Elo-MMR's second phase, for players whose performances are computed elsewhere."""

    def __init__(self, system: EloMMR, players: int) -> None:
        self.system, self.players = system, players
        self.state = new_players(system, players)

    def rows(self, rank: Floats, who: Longs) -> Participants:
        """The players as participants of a contest, with their present ratings."""
        mu, sigma = self.system.view(self.state, slice(0, self.players), NO_TIME)
        spread = self.system.scale_in_deviations * self.system.performance_deviation(sigma)
        return Participants(mu, spread, rank, who)

    def learn(self, performance: Floats) -> Floats:
        """Update everybody with these performances; return the ratings after."""
        return show(self.system, self.state, np.arange(self.players, dtype=np.int32), performance)


class Course(NamedTuple):
    """Contests that everybody played; arrays are contests by players."""

    field: list[Participants]
    """The participants before each contest."""
    performance: Floats
    rating: Floats
    """Ratings after each contest."""


def follow(system: EloMMR, ranks: Floats, way: str, number: int, seed: int) -> Course:
    """Rate contests that everybody played, with `number` opponents chosen in this way."""
    choose = WAYS.get(way, everybody)
    learner = Learner(system, ranks.shape[1])
    fields, performances, ratings = [], [], []
    for contest, rank in enumerate(ranks):
        field = learner.rows(rank, np.arange(len(rank)))
        chosen = choose(field, field, number, seed + contest)
        performances.append(estimate(field, field, chosen, way == "buckets"))
        ratings.append(learner.learn(performances[-1]))
        fields.append(field)
    return Course(fields, np.array(performances), np.array(ratings))


class Throws(NamedTuple):
    """What finishing lower in one contest did, with everybody else unchanged."""

    gained: int
    """Number of players who at some later time had a higher rating than with the better place."""
    most: float
    """The most that such a player gained, in points."""


def better_places(
    system: EloMMR, course: Course, ranks: Floats, way: str, number: int, seed: int, tries: int
) -> Throws:
    """Check Theorem 5.5: let some players finish higher in one contest, and count who ends up lower."""
    choose = WAYS.get(way, everybody)
    chance = np.random.default_rng([seed, 55])
    who = chance.integers(0, ranks.shape[1], tries)
    when = chance.integers(0, len(ranks) - 1, tries)
    place = ranks[when, who]
    higher = np.maximum(np.floor(place * chance.random(tries) ** 0.3), 0.0) + 0.5
    learner = Learner(system, tries)
    lost = np.zeros(tries)
    for contest, rank in enumerate(ranks):
        shown = course.performance[contest][who]
        own = learner.rows(np.where(contest == when, np.minimum(higher, place), rank[who]), who)
        changed = np.flatnonzero(contest >= when)
        if len(changed):
            some = Participants(own.mu[changed], own.scale[changed], own.rank[changed], own.who[changed])
            chosen = choose(some, course.field[contest], number, seed + contest)
            shown[changed] = estimate(some, course.field[contest], chosen, way == "buckets")
        after = learner.learn(shown)
        lost = np.maximum(lost, course.rating[contest][who] - after)
    return Throws(int(np.count_nonzero(lost > 1e-6)), float(lost.max()))
