"""Section 5: its lemmas and theorems about performances and incentives, tried on contests drawn at random."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Floats, Ints
from podium.history import History, Names
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium.systems.elo_mmr.elo_mmx import EloMMX
from podium_papers.elo_mmr.momentum import perform
from podium_papers.elo_mmr.properties import search
from podium_papers.elo_mmr.published import (
    COMPATIBLE,
    HIGHER_PERFORMS_HIGHER,
    MEMORYLESS,
    MEMORYLESS_CHANGE,
    MEMORYLESS_SIGMA,
    MONOTONIC_IN_PAST,
    PERFORMANCE,
    TERMS_MOVE_ZERO,
    TIES_REPLACED,
)
from podium_papers.items import Result, Setting, seeds_named
from podium_papers.printed import held

SYSTEMS: dict[str, EloMMR | EloMMX] = {
    "Elo-MMχ": EloMMX(),
    "Elo-MMR(0)": EloMMR(rho=0.0),
    "Elo-MMR(0.5)": EloMMR(rho=0.5),
    "Elo-MMR(1)": EloMMR(),
    "Elo-MMR(∞)": EloMMR(rho=math.inf),
}
MEMORYLESS_SYSTEMS = ("Elo-MMχ", "Elo-MMR(∞)")
"""The systems to which Theorem 5.6 applies."""
CONTESTS, QUICK_CONTESTS = 2_000, 100
PLAYERS = 12
ROUNDS = 20
"""Contests that the same players play one after another, for Theorem 5.6."""
PAST_CONTESTS = 15
ROUNDING = 1e-7
"""Points that may be lost to rounding."""


class Drawn(NamedTuple):
    """Random contests of players of any strength and certainty; arrays are contests by players."""

    mu: Floats
    sigma: Floats
    shown: Floats
    """Results: a higher number finishes before a lower one, equal numbers tie."""


class Rated(NamedTuple):
    """Performances and beliefs after the contests; arrays are contests by players."""

    performance: Floats
    mu: Floats
    sigma: Floats


class Tried(NamedTuple):
    """How often a statement was tried, and how often it failed."""

    number: int
    failed: int


def section_5(setting: Setting) -> Result:
    """Try each statement with each system; count the tries and the counterexamples."""
    contests = QUICK_CONTESTS if setting.quick else CONTESTS
    drawn = draw(contests, setting.seed)
    rows, numbers = [], []
    for name, system in SYSTEMS.items():
        tried = {
            TERMS_MOVE_ZERO: one_more(system, drawn, setting.seed),
            TIES_REPLACED: ties_broken(system, drawn),
            HIGHER_PERFORMS_HIGHER: in_order(system, drawn),
            PERFORMANCE: better_off(system, drawn, setting.seed),
            COMPATIBLE: Tried(contests, search(system, contests, setting.seed)[0]),
        }
        if isinstance(system, EloMMR):
            tried[MONOTONIC_IN_PAST] = better_past(system, contests // 10, setting.seed)
        memoryless = seasons(system, max(contests // 100, 2), setting.seed)
        about = (MEMORYLESS_SIGMA, MEMORYLESS, MEMORYLESS_CHANGE)
        for printed, found in [*tried.items(), *zip(about, memoryless, strict=True)]:
            assumed = printed not in about or name in MEMORYLESS_SYSTEMS
            rows.append((name, printed.place, printed.value, found.number, found.failed, assumed))
            if assumed:
                what, ours = f"{name}: against it, of {found.number:,} tries", f"{found.failed:,}"
                source = seeds_named([setting.seed])
                numbers.append(printed.beside(what, ours, source, held(found.failed == 0)))
    table = pl.DataFrame(
        rows, schema=["system", "of", "statement", "tries", "against it", "claimed"], orient="row"
    )
    return Result(_words(contests, table), numbers=numbers, tables={"All that was tried": table})


def draw(contests: int, seed: int) -> Drawn:
    """Draw random ratings, deviations and results, with ties."""
    chance = np.random.default_rng([seed, 51])
    shape = (contests, PLAYERS)
    mu = 1500.0 + 400.0 * chance.standard_normal(shape)
    sigma = np.exp(chance.uniform(np.log(40.0), np.log(400.0), shape))
    return Drawn(mu, sigma, np.rint((mu + 300.0 * chance.standard_normal(shape)) / 150.0))


def ranks_of(shown: Floats) -> Ints:
    """Ranks; tied players share the best rank."""
    return np.asarray(1 + (shown[:, None, :] > shown[:, :, None]).sum(axis=2), np.int32)


def rated(system: EloMMR | EloMMX, drawn: Drawn) -> Rated:
    """Rate every contest by itself, with the drawn beliefs before it."""
    contests, players = drawn.shown.shape
    rows = contests * players
    history = _history(np.arange(rows, dtype=np.int32).reshape(contests, players), drawn.shown, rows)
    state = system.new_state(rows)
    system.set_belief(state, np.arange(rows), drawn.mu.ravel(), drawn.sigma.ravel())
    trace = system.update(state, history)
    return Rated(
        *(column.reshape(contests, players) for column in (trace.performance, trace.mu, trace.sigma))
    )


def _history(player: Ints, shown: Floats, players: int) -> History:
    contests, size = shown.shape
    return History(
        players=Names(map(str, range(players))),
        offsets=size * np.arange(contests + 1),
        player=player.ravel(),
        rank=ranks_of(shown).ravel(),
        time=np.full(contests, NO_TIME),
    )


def one_more(system: EloMMR | EloMMX, drawn: Drawn, seed: int) -> Tried:
    """Lemma 5.1: one more player in last place adds a win to everybody's Q, one in first place a loss."""
    chance = np.random.default_rng([seed, 511])
    before = rated(system, drawn).performance
    failed = 0
    for sign in (1.0, -1.0):
        added = Drawn(
            1500.0 + 400.0 * chance.standard_normal(len(before)),
            np.full(len(before), 100.0),
            np.full(len(before), -sign * 1e6),
        )
        larger = Drawn(*(np.column_stack(columns) for columns in zip(drawn, added, strict=True)))
        after = rated(system, larger).performance[:, :PLAYERS]
        failed += int(np.count_nonzero(sign * (after - before) < -ROUNDING))
    return Tried(2 * before.size, failed)


def ties_broken(system: EloMMR | EloMMX, drawn: Drawn) -> Tried:
    """Lemma 5.1, ties: one of those who tie with a player finishes right behind, or right before.

    Results are whole numbers, so half a place more or less changes nothing between the player and others.
    """
    before = rated(system, drawn).performance
    tied = (drawn.shown[:, :, None] == drawn.shown[:, None, :]) & ~np.eye(PLAYERS, dtype=np.bool_)
    number = failed = 0
    for player in range(PLAYERS):
        contests = np.flatnonzero(tied[:, player].any(axis=1))
        other = tied[contests, player].argmax(axis=1)
        for sign in (1.0, -1.0):
            shown = drawn.shown.copy()
            shown[contests, other] -= 0.5 * sign
            after = rated(system, drawn._replace(shown=shown)).performance
            moved = sign * (after - before)[contests, player]
            number += len(contests)
            failed += int(np.count_nonzero(moved < -ROUNDING))
    return Tried(number, failed)


def in_order(system: EloMMR | EloMMX, drawn: Drawn) -> Tried:
    """Theorem 5.2: a player who finishes higher has performed higher."""
    performance = rated(system, drawn).performance
    beats = drawn.shown[:, :, None] > drawn.shown[:, None, :]
    lower = performance[:, :, None] <= performance[:, None, :]
    return Tried(int(beats.sum()), int((beats & lower).sum()))


def better_off(system: EloMMR | EloMMX, drawn: Drawn, seed: int) -> Tried:
    """Lemma 5.3: give the first player a higher rating before, or a better place."""
    chance = np.random.default_rng([seed, 53])
    before = rated(system, drawn).performance[:, 0]
    mu, shown = drawn.mu.copy(), drawn.shown.copy()
    mu[:, 0] += 500.0 * chance.random(len(mu))
    shown[:, 0] += chance.integers(1, 6, len(mu))
    failed = 0
    for changed in (drawn._replace(mu=mu), drawn._replace(shown=shown)):
        failed += int(np.count_nonzero(rated(system, changed).performance[:, 0] < before - ROUNDING))
    return Tried(2 * len(before), failed)


def better_past(system: EloMMR, tries: int, seed: int) -> Tried:
    """Lemma 5.4: raise one past performance, and compare all ratings since."""
    chance = np.random.default_rng([seed, 54])
    failed = 0
    for _ in range(tries):
        shown = 1500.0 + 400.0 * chance.standard_t(3, PAST_CONTESTS)
        higher = shown.copy()
        higher[chance.integers(0, PAST_CONTESTS)] += 500.0 * chance.exponential()
        failed += bool(np.any(perform(system, higher)[1] < perform(system, shown)[1] - ROUNDING))
    return Tried(tries, failed)


def seasons(system: EloMMR | EloMMX, number: int, seed: int) -> tuple[Tried, Tried, Tried]:
    """Theorem 5.6 in every contest of seasons that the same players play from the first contest on."""
    chance = np.random.default_rng([seed, 56])
    skill = 1500.0 + 350.0 * chance.standard_normal((number, 1, PLAYERS))
    shown = skill + 250.0 * chance.standard_t(3, (number, ROUNDS, PLAYERS))
    player = np.arange(number * PLAYERS, dtype=np.int32).reshape(number, 1, PLAYERS)
    every = np.broadcast_to(player, shown.shape).reshape(-1, PLAYERS)
    history = _history(every, shown.reshape(-1, PLAYERS), number * PLAYERS)
    trace = system.update(system.new_state(number * PLAYERS), history)
    mu, before, sigma = (column.reshape(-1, PLAYERS) for column in (trace.mu, trace.mu_before, trace.sigma))
    places = shown.reshape(-1, PLAYERS)

    def pairs(column: Floats) -> Floats:
        return column[:, :, None] - column[:, None, :]  # of i less that of j

    higher = (pairs(before) >= 0.0) & ~np.eye(PLAYERS, dtype=np.bool_)
    stays = higher & (pairs(places) > 0.0)
    overtaken = higher & (pairs(places) < 0.0)
    return (
        Tried(int(higher.sum()), int((higher & (np.abs(pairs(sigma)) > ROUNDING)).sum())),
        Tried(int(stays.sum()), int((stays & (pairs(mu) <= 0.0)).sum())),
        Tried(int(overtaken.sum()), int((overtaken & (pairs(mu - before) >= 0.0)).sum())),
    )


def _words(contests: int, table: pl.DataFrame) -> str:
    beyond = table.filter(~pl.col("claimed") & (pl.col("against it") > 0))
    fails = sorted(set(beyond["system"].to_list()))
    return f"""
    Proofs need no numbers, programs do: each statement is tried on podium's systems, in {contests:,} contests
    of {PLAYERS} players of any rating and deviation, with ties. Lemma 5.1: one more player who finishes last,
    or first; one of those who tie with a player finishes right behind, or right before. Theorem 5.2: all
    pairs. Lemma 5.3: the first player with a higher rating before, and with a better place. Lemma 5.4: one of
    {PAST_CONTESTS} performances raised. Theorem 5.5: the search of the item properties. Theorem 5.6: all
    pairs in seasons of {ROUNDS} contests that the same players play, so that all deviations are equal. Less
    than {ROUNDING:g} points is rounding. Theorem 5.7 is in the item momentum.

    Theorem 5.6 is about systems without a memory. Others were tried too, which the table has:
    {"it does not hold for " + ", ".join(fails) if fails else "nothing spoke against it there either"}.
    """
