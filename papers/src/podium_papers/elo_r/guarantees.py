"""Section 6: what is promised of past performances and of places in a contest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from podium.arrays import NO_TIME, Floats, Longs
from podium.history import History, Names
from podium.systems.elo_mmr.elo_r import EloR
from podium_papers.elo_r import published
from podium_papers.elo_r.told_beliefs import METHODS, Method, ratings_after
from podium_papers.items import Number, Result, Setting, seeds_named
from podium_papers.printed import held

Ties = Literal["whole", "half"]

CONTESTS_OF_HISTORY = 5
ROUNDING = 1e-6
"""Smaller losses, in points, are rounding."""
TIES: dict[Ties, str] = {"whole": "as printed", "half": "half and half"}
SEARCH_ROUNDS, KEPT_HISTORIES = 12, 40
"""Rounds of the search, and number of the worst histories that each round keeps."""


def worst_loss(system: EloR, trials: int, seed: int) -> tuple[float, float]:
    """The most by which a rating falls as a past performance rises, and in which share of random histories.

    The search starts with random histories of newcomers; then the worst of them are changed a little, again
    and again.
    """
    chance = np.random.default_rng(seed)
    histories = chance.uniform(-1000.0, 4000.0, (trials, CONTESTS_OF_HISTORY))
    which, rise = chance.integers(0, CONTESTS_OF_HISTORY, trials), chance.uniform(0.0, 3000.0, trials)
    gain = _gain(system, histories, which, rise)
    falls = float(np.mean(gain < -ROUNDING))
    if not falls:
        return 0.0, 0.0
    for _ in range(SEARCH_ROUNDS):
        best = np.argsort(gain)[:KEPT_HISTORIES]
        again = np.tile(best, 10)
        changed = histories[again] + chance.normal(0.0, 150.0, (len(again), CONTESTS_OF_HISTORY))
        further = np.abs(rise[again] + chance.normal(0.0, 300.0, len(again)))
        histories = np.concatenate((histories[best], changed))
        which, rise = np.concatenate((which[best], which[again])), np.concatenate((rise[best], further))
        gain = _gain(system, histories, which, rise)
    return float(-gain.min()), falls


def _gain(system: EloR, histories: Floats, which: Longs, rise: Floats) -> Floats:
    raised = histories.copy()
    raised[np.arange(len(raised)), which] += rise
    both = ratings_after(system, np.concatenate((histories, raised)))[:, -1]
    gain: Floats = both[len(histories) :] - both[: len(histories)]
    return gain


def swapped(system: EloR, trials: int, seed: int, sigma: float) -> tuple[float, float]:
    """How often, and by how much, moving the better of two performances to a later time lowers a rating."""
    chance = np.random.default_rng(seed)
    histories = chance.uniform(-1000.0, 4000.0, (trials, CONTESTS_OF_HISTORY))
    rows = np.arange(trials)
    first = chance.integers(0, CONTESTS_OF_HISTORY - 1, trials)
    second = first + 1 + (chance.random(trials) * (CONTESTS_OF_HISTORY - 1 - first)).astype(np.int64)
    one, other = histories[rows, first], histories[rows, second]
    rising, falling = histories.copy(), histories.copy()
    rising[rows, first], rising[rows, second] = np.minimum(one, other), np.maximum(one, other)
    falling[rows, first], falling[rows, second] = np.maximum(one, other), np.minimum(one, other)
    both = ratings_after(system, np.concatenate((rising, falling)), sigma=sigma)[:, -1]
    gain = both[:trials] - both[trials:]
    return float(np.mean(gain < -ROUNDING)), float(max(0.0, -gain.min()))


def places(ties: Ties, contests: int, seed: int, *, equal: bool) -> tuple[float, float]:
    """Share of pairs in which the higher rank performed higher, and of ties in which the higher rated did.

    Players are known equally well, or with deviations from σ* to that of a newcomer.
    """
    chance, size = np.random.default_rng(seed), 20
    rank = np.sort(chance.integers(1, 8, (contests, size)), axis=1)
    rank = np.stack([np.searchsorted(row, row) + 1 for row in rank])
    history = History(
        players=Names(map(str, range(contests * size))),
        offsets=np.arange(contests + 1) * size,
        player=np.arange(contests * size, dtype=np.int32),
        rank=rank.ravel().astype(np.int32),
        time=np.full(contests, NO_TIME),
    )
    system = EloR(ties=ties)
    state = system.new_state(contests * size)
    mu = chance.normal(1500.0, 350.0, contests * size)
    sigma = np.full(len(mu), system.sigma_limit)
    if not equal:
        sigma = chance.uniform(system.sigma_limit, system.sigma, len(mu))
    system.set_belief(state, np.arange(len(mu)), mu, sigma)
    shown = system.update(state, history).performance.reshape(contests, size)
    rated = mu.reshape(contests, size)
    i, j = np.triu_indices(size, 1)
    above, tied = rank[:, i] < rank[:, j], rank[:, i] == rank[:, j]
    higher = (shown[:, i] - shown[:, j]) * np.sign(rated[:, i] - rated[:, j]) > 1e-9
    return float((shown[:, i] > shown[:, j])[above].mean()), float(higher[tied].mean())


def guarantees(setting: Setting) -> Result:
    """Check each of the three points, for each way to add noise."""
    trials, contests = (100, 20) if setting.quick else (10_000, 500)
    monotone, never_falls = _monotone(trials, setting)
    moved, never_costs = _moved(trials, setting)
    ranked, always = _ranked(contests, setting)
    return Result(
        f"""
        Section 6 promises three things. That ratings are monotonic in past performances: nothing was found
        against it with these ways to add noise: {_named(never_falls)}; section 6.2.4 says itself that it
        fails with the fancy method.

        That the better of two performances is worth more when it is the later one "follows from the fact that
        newer performances have smaller uncertainty, since uncertainties don't depend on the value of any
        performance". Nothing was found against it with: {_named(never_costs)}. What can go against it:
        with a normal belief a newcomer's first contest moves the rating most, and what comes in between sees
        another rating; with noise on all τ an older outlier has a wider τ and pulls harder for its weight;
        with the fancy method uncertainties do depend on performances.

        That who ranks higher performs higher held in {"every pair" if always else "not every pair"}. The
        order of those who tie needs ties to be half a win and half a loss, as section 3 has them; with a
        whole win plus a whole loss, as the algorithms print them, the equation is the same for all who tie,
        and they perform alike.
        """,
        numbers=[*monotone, *moved, *ranked],
    )


def _named(methods: Sequence[str]) -> str:
    return ", ".join(methods) if methods else "none of the four"


def _written(falls: float, worst: float) -> str:
    return (
        "never"
        if worst == 0.0
        else f"in {100 * falls:.1f}%, by {worst:{'.1f' if worst >= 0.1 else '.0e'}} at most"
    )


def _monotone(trials: int, setting: Setting) -> tuple[list[Number], list[Method]]:
    """The first point, and the ways to add noise for which nothing contradicts it."""
    numbers: list[Number] = []
    never: list[Method] = []
    for method in METHODS:
        worst, falls = worst_loss(EloR(noise=method), trials, setting.seed)
        said = held(worst == 0.0) + ("; section 6.2.4 says the same" if method == "fancy" and worst else "")
        what = f"a better past performance lowers a rating: {method}"
        numbers.append(published.MONOTONE.beside(what, _written(falls, worst), _from(trials, setting), said))
        never += [method] * (worst == 0.0)
    return numbers, never


def _moved(trials: int, setting: Setting) -> tuple[list[Number], list[Method]]:
    """The second point, for newcomers and for settled players."""
    numbers, costs = [], set()
    for sigma, who in ((350.0, "newcomers"), (100.0, "settled players")):
        for method in METHODS:
            falls, worst = swapped(EloR(noise=method), trials, setting.seed, sigma)
            what = f"the better of two moved forward lowers a rating: {method}, {who}"
            said = held(falls == 0.0)
            numbers.append(
                published.SWAPPED.beside(what, _written(falls, worst), _from(trials, setting), said)
            )
            if falls:
                costs.add(method)
    return numbers, [method for method in METHODS if method not in costs]


def _ranked(contests: int, setting: Setting) -> tuple[list[Number], bool]:
    """The third point, and whether a higher rank always means a higher performance."""
    source, numbers, always = f"{contests} contests of 20, {seeds_named(setting.seeds(1))}", [], True
    for ties, name in TIES.items():
        for equal in (True, False):
            ordered, higher = places(ties, contests, setting.seed, equal=equal)
            always &= ordered == 1.0
            who = f"ties {name}, players known {'equally' if equal else 'more or less'} well"
            points = (
                (published.ORDERED, "who ranks higher performs higher", ordered, "pairs"),
                (published.TIED, "of two who tie, the higher rated performs higher", higher, "ties"),
            )
            for printed, what, part, of in points:
                ours = f"{100 * part:.1f}% of {of}"
                numbers.append(printed.beside(f"{what}: {who}", ours, source, held(part == 1.0)))
    return numbers, always


def _from(trials: int, setting: Setting) -> str:
    return f"{trials:,} random histories, {seeds_named(setting.seeds(1))}"
