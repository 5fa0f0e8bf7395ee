"""Section 2: how many participants it takes to know a performance, where the paper and its draft differ."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Floats
from podium.history import History, Names
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium_papers.elo_mmr.published import PARTICIPANTS, PARTICIPANTS_IN_DRAFT, TYPICAL_ERROR
from podium_papers.items import Result, Setting, seeds_named

SIZES, QUICK_SIZES = (25, 50, 100, 200, 400, 800), (25, 100)
"""Numbers of opponents."""
CONTESTS, QUICK_CONTESTS = 8_000, 400
PERFORMANCE = 1600.0
"""What the player performs at, every time; rated 1500."""
FIELD_SIGMA = 300.0
"""Deviation of the opponents' ratings, which are known."""
CHANCES = (0.3, 0.1, 0.03, 0.01, 0.003)
"""δ: chances of an error larger than ε."""


def errors(opponents: int, contests: int, seed: int) -> Floats:
    """Errors of the performance that podium estimates from the standings, one for each contest.

    A player of 1500 performs at `PERFORMANCE`, opponents of known ratings perform as the model has it.
    """
    chance = np.random.default_rng([seed, 2, opponents])
    system = EloMMR()
    scale = math.sqrt(3.0) / math.pi * system.beta
    field = 1500.0 + FIELD_SIGMA * chance.standard_normal(opponents)
    shown = np.column_stack(
        (np.full(contests, PERFORMANCE), chance.logistic(field, scale, (contests, opponents)))
    )
    size = opponents + 1
    history = History(
        players=Names(map(str, range(size))),
        offsets=size * np.arange(contests + 1),
        player=np.tile(np.arange(size, dtype=np.int32), contests),
        rank=(np.argsort(np.argsort(-shown, axis=1), axis=1) + 1).astype(np.int32).ravel(),
        time=np.full(contests, NO_TIME),
        unrated=np.ones(contests * size, np.bool_),  # nobody learns anything: the same belief every time
    )
    state = system.new_state(size)
    system.set_belief(state, np.arange(size), np.append(1500.0, field), np.ones(size))
    return system.update(state, history).performance[::size] - PERFORMANCE


def participants_needed(setting: Setting) -> Result:
    """Measure errors by the number of opponents, and how large errors get with what chance."""
    sizes, contests = (QUICK_SIZES, QUICK_CONTESTS) if setting.quick else (SIZES, CONTESTS)
    found = {size: np.abs(errors(size, contests, setting.seed)) for size in sizes}
    source = seeds_named([setting.seed])
    typical = {size: float(np.sqrt(np.mean(error**2))) for size, error in found.items()}
    power = float(np.polyfit(np.log(sizes), np.log(list(typical.values())), 1)[0])
    most = sizes[-1]
    # Normal errors exceed ε with a chance of at most exp(−ε²/2s²), and s² is in proportion to 1/participants:
    # ε²/2s² is how many times more of them are needed for δ than for 1/e.
    needed = np.quantile(found[most], 1.0 - np.array(CHANCES)) ** 2 / (2.0 * typical[most] ** 2)
    logs = np.log(1.0 / np.array(CHANCES))
    numbers = [
        TYPICAL_ERROR.beside(
            "the typical error goes with the opponents to the power",
            f"{power:.2f}".replace("-", "−"),
            source,
            f"−0.5 would be 1/ε²; {typical[most]:.0f} points with {most} opponents",
        )
    ]
    for printed, by, formula in (
        (PARTICIPANTS, "log 1/δ", logs),
        (PARTICIPANTS_IN_DRAFT, "√(log 1/δ)", np.sqrt(logs)),
    ):
        ratio = needed / formula
        enough = bool(np.all(ratio < 1.0))
        numbers.append(
            printed.beside(
                f"participants needed in parts of (2s²/ε²) {by}, δ from {CHANCES[0]:g} to {CHANCES[-1]:g}",
                ", ".join(f"{value:.2f}" for value in ratio),
                source,
                "it suffices" if enough else "it does not suffice: the smaller δ, the more it lacks",
            )
        )
    table = pl.DataFrame(
        [
            {"opponents": size, "typical error": round(typical[size], 1)}
            | {f"δ = {d:g}": round(float(np.quantile(found[size], 1.0 - d)), 1) for d in CHANCES}
            for size in sizes
        ]
    )
    return Result(
        f"""
        The two texts differ: to be within ε with a chance of 1 − δ the paper asks for a number of
        participants in proportion to log 1/δ, its draft to the root of that. Here a player of 1500 performs
        at {PERFORMANCE:.0f}, against opponents of known ratings, 1500 ± {FIELD_SIGMA:.0f}, and podium
        estimates that from the standings, {contests:,} times for each number of opponents. Errors that are
        normal with the deviation s, as the posterior is in the limit, exceed ε with a chance δ of at most
        exp(−ε²/2s²), and s² is in proportion to one over the participants: solved for them, that is the
        paper's formula. The remarks say of both formulas whether they suffice for each δ tried, with {most}
        opponents. Another constant would not help a formula whose part goes on growing.
        """,
        numbers=numbers,
        tables={"Errors in points: typical (root mean square), and those exceeded with a chance of δ": table},
    )
