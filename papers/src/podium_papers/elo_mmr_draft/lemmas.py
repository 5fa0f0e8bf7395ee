"""Lemma 3.1 and Theorem 3.2 of the draft, whose proofs are its appendix, checked with numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from podium.arrays import Floats
from podium.systems.elo_mmr.beliefs import DRIFT_TRANSFER, drifted
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium_papers.elo_mmr.performance_models import (
    HEAVY_TAILED,
    LOG_CONCAVE,
    PerformanceModel,
    lemma_holds,
)
from podium_papers.elo_mmr_draft.published import LEMMA, LIMIT, UNIQUE_ZERO
from podium_papers.items import Number, Result, Setting, seeds_named
from podium_papers.printed import held

CONTESTS, QUICK_CONTESTS = 200, 20
PLAYERS = 12


def lemmas(setting: Setting) -> Result:
    """Check the order of l, d and v and the number of zeros of Q, and show a misprint."""
    z = np.linspace(-8.0, 8.0, 1601)
    contests = QUICK_CONTESTS if setting.quick else CONTESTS
    source = seeds_named([setting.seed])
    numbers, rows = [], []
    for name, kind in {**LOG_CONCAVE, "Cauchy (not log-concave)": HEAVY_TAILED}.items():
        holds = lemma_holds(kind, z)
        zeros = [most_zeros(kind, contest) for contest in random_contests(contests, setting.seed)]
        assumed = name in LOG_CONCAVE
        numbers.append(
            Number(
                f"{name}: l < d < v, all decreasing, at points from −8 to 8",
                f"{100.0 * holds:.1f}%",
                "exact",
                *(LEMMA if assumed else ("", "")),
                held(holds == 1.0) if assumed else "",
            )
        )
        numbers.append(
            Number(
                f"{name}: contests of {contests} in which Q of somebody has more than one zero",
                str(sum(most > 1 for most in zeros)),
                source,
                *(UNIQUE_ZERO if assumed else ("", "")),
                held(max(zeros) == min(zeros) == 1) if assumed else _needed(max(zeros)),
            )
        )
        rows.append((name, 100.0 * holds, min(zeros), max(zeros)))
    numbers.append(_zero_uncertainty())
    table = pl.DataFrame(
        rows, schema=["performances", "lemma holds, %", "fewest zeros", "most"], orient="row"
    )
    return Result(
        f"""
        For log-concave densities the draft proves l < d < v, each decreasing, and from that a single zero of
        Q, the performance. Both are looked at where numbers can be: at 1,601 points, and for everybody in
        {contests} contests of {PLAYERS} players drawn at random, with ties. The Cauchy distribution is not
        log-concave: its d rises again far out, and Q may have several zeros. Then a performance would be one
        of several.

        The proof of Theorem 4.1 says of a player about whom everything was known: "{LIMIT.value}". It
        decays to 1/γ².
        """,
        numbers=numbers,
        tables={"Distributions of performances": table},
    )


def _needed(zeros: int) -> str:
    return "the assumption is needed" if zeros > 1 else "none found without the assumption either"


class Contest(NamedTuple):
    """Ratings, deviations and ranks of one contest."""

    mu: Floats
    delta: Floats
    rank: Floats


def random_contests(number: int, seed: int) -> list[Contest]:
    """Random contests of players of any strength and certainty, with ties."""
    chance = np.random.default_rng([seed, 32])
    return [
        Contest(
            1500.0 + 400.0 * chance.standard_normal(PLAYERS),
            np.exp(chance.uniform(np.log(50.0), np.log(500.0), PLAYERS)),
            chance.integers(1, PLAYERS, PLAYERS).astype(np.float64),
        )
        for _ in range(number)
    ]


def most_zeros(kind: PerformanceModel, contest: Contest) -> int:
    """The largest number of zeros of anybody's Q, by its sign changes on a fine grid."""
    x = np.linspace(-3000.0, 6000.0, 1801)[:, None]
    z = (x - contest.mu) / contest.delta
    lost, drawn, won = (function(z) / contest.delta for function in kind)
    most = 0
    for place in np.unique(contest.rank):
        q = np.where(contest.rank < place, lost, np.where(contest.rank > place, won, drawn)).sum(axis=1)
        most = max(most, int(np.count_nonzero(np.diff(np.sign(q)) != 0.0)))
    return most


def _zero_uncertainty() -> Number:
    system = EloMMR(rho=1.0)
    added = system.gamma**2
    none = np.empty(0)
    _, weight, _ = drifted(1e-12, added, 1.0, DRIFT_TRANSFER, 1500.0, 1500.0, 1e12, 0, 0, none, none, none)
    return Number(
        "total weight, times γ², after a drift from certainty",
        f"{weight * added:.6f}",
        "exact",
        *LIMIT,
        "a misprint, there and in the paper: to 1/γ²",
    )
