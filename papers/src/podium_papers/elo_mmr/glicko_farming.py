"""Sections 1 and 5.1: volatility farming on Glicko-2, in contests, in matches and in long rating periods."""

from __future__ import annotations

import numpy as np
import polars as pl

from podium.studies.attacks import (
    Farming,
    SimulatedContests,
    SimulatedMatches,
    attack_history,
    search_patterns,
)
from podium.studies.attacks.attack_verdicts import Gains, points
from podium.systems.glicko.glicko import Glicko2
from podium_papers.elo_mmr.contest_data import remarked
from podium_papers.elo_mmr.published import EXPLOITED, INFLATED
from podium_papers.items import Result, Setting, seeds_named

TAUS = (0.3, 0.5, 0.8, 1.2)
"""The system's author suggests values between 0.3 and 1.2; podium's default is 0.5."""
SEEDS, QUICK_SEEDS = 8, 2
PLAYERS, QUICK_PLAYERS = 100, 30
GAMES_PER_WEEK, HONEST_WEEKS, ATTACKED_WEEKS = 20, 8, 3
"""Games per week, honest weeks, and weeks after them of which each is thrown or not."""
LEAGUE = SimulatedMatches(
    players=20,
    rounds=GAMES_PER_WEEK * (HONEST_WEEKS + ATTACKED_WEEKS),
    per_week=GAMES_PER_WEEK,
    quantile=1.0,
    shuffle=300.0,
)
SEVERAL_HUNDRED = 200.0
"""Points from which on a gain is called several hundred."""


def glicko_farmed(setting: Setting) -> Result:
    """Try the paper's farming with every event rated at once, and every pattern of thrown weeks."""
    seeds = setting.seeds(QUICK_SEEDS if setting.quick else SEEDS)
    players = QUICK_PLAYERS if setting.quick else PLAYERS
    worlds: dict[str, SimulatedContests | SimulatedMatches] = {
        "contests": SimulatedContests(players),
        "matches": SimulatedMatches(players),
    }
    rows, numbers, source = [], [], seeds_named(seeds)
    for tau in TAUS:
        for kind, world in worlds.items():
            found = [_farmed(world, seed, tau) for seed in seeds]
            rows.append(_row(f"{kind}, each rated at once", tau, found, "farming"))
            numbers.append(
                EXPLOITED.beside(
                    f"τ = {tau:g}, {kind} rated one by one: points gained by farming at the end",
                    _said(found),
                    source,
                    remarked(setting, _verdict(found)),
                )
            )
        patterns = [searched(seed, tau) for seed in seeds]
        gains = [gain for _, gain in patterns]
        shown = ", ".join(dict.fromkeys(pattern for pattern, _ in patterns))
        rows.append(_row(f"matches, {GAMES_PER_WEEK} in a period", tau, gains, shown))
        numbers.append(
            INFLATED.beside(
                f"τ = {tau:g}, {GAMES_PER_WEEK} matches in a rating period: points gained by the best "
                "pattern of thrown weeks, median (most)",
                f"{points(float(np.median(gains)))} ({points(max(gains))})",
                source,
                remarked(
                    setting, f"{SEVERAL_HUNDRED:.0f} or more in {_several(gains)} of {len(gains)} seeds"
                ),
            )
        )
    table = pl.DataFrame(rows)
    return Result(
        _words(setting, players, table), numbers=numbers, tables={"Points above the honest rating": table}
    )


def _farmed(world: SimulatedContests | SimulatedMatches, seed: int, tau: float) -> float:
    """Gain of the strategy of Figure 2, guided by Glicko-2's own rating."""
    history, player = world.make(seed)
    return attack_history(history, player, Glicko2(tau=tau), Farming()).gain


def searched(seed: int, tau: float) -> tuple[str, float]:
    """The best pattern of thrown weeks, and its gain at the end."""
    found = search_patterns(
        *LEAGUE.make(seed),
        Glicko2(period="7d", tau=tau),
        events=ATTACKED_WEEKS,
        block=GAMES_PER_WEEK,
        after=GAMES_PER_WEEK * HONEST_WEEKS,
    )
    return found.pattern, found.gain


def _several(gains: list[float]) -> int:
    return sum(gain >= SEVERAL_HUNDRED for gain in gains)


def _said(gains: list[float]) -> str:
    return f"{points(float(np.mean(gains)))} ({points(min(gains))} to {points(max(gains))})"


def _verdict(gains: list[float]) -> str:
    return Gains(np.array(gains)).verdict("seeds")


def _row(world: str, tau: float, gains: list[float], how: str) -> dict[str, str | float | int]:
    return {
        "events": world,
        "τ": tau,
        "how": how,
        "median": points(float(np.median(gains))),
        "least": points(min(gains)),
        "most": points(max(gains)),
        "seeds in which it pays": sum(gain > 0.05 for gain in gains),
        "of": len(gains),
    }


def _words(setting: Setting, players: int, table: pl.DataFrame) -> str:
    pays = table.filter(pl.col("seeds in which it pays") == pl.col("of"))
    where = "; ".join(f"{row['events']}, τ = {row['τ']:g}" for row in pays.to_dicts())
    return f"""
    The paper says of Glicko-2 that farming its volatility can lift a rating by "{INFLATED.value}", and that
    it was done in a game; it has no numbers for it. Here the strategy of Figure 2 is tried with Glicko-2's
    own rating as its guide, in contests of {players} players that all play, of whom the best cheats, and in
    matches between neighbours in true skill. Each event is then a rating period, as podium has it by default.

    The system's author has periods of ten to fifteen matches or more in mind. So a week of {GAMES_PER_WEEK}
    matches is one in the third kind: after {HONEST_WEEKS} honest weeks each of the next {ATTACKED_WEEKS} is
    thrown as a whole or not, in all {2**ATTACKED_WEEKS} ways ("x" is thrown), and the ratings at the end are
    compared. Opponents do not follow from ratings, and stay what they were.

    It pays in every seed tried: {where or "nowhere"}.
    """
