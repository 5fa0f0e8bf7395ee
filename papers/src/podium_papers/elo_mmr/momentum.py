"""Sections 4.2 and 5.2: 1/ρ as momentum, the weights a settled player has, and the limits of Theorem 5.7."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from podium import charts
from podium.arrays import NO_TIME, Floats
from podium.charts import Axis
from podium.systems.contract.state import State
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium_papers.elo_mmr.published import (
    CAP_FOR_CONSISTENT,
    LIMITS,
    MOMENTUM,
    STEADY_STATE,
    VANISHES,
)
from podium_papers.elo_mmr.told_performances import new_players, show
from podium_papers.items import Number, Result, Setting, seeds_named
from podium_papers.printed import held, named, rho_named

if TYPE_CHECKING:
    import altair as alt

RHOS = (0.0, 0.1, 0.5, 1.0, 2.0, 10.0, math.inf)
SETTLING_CONTESTS, QUICK_SETTLING_CONTESTS = 150, 60
"""Contests before the surprises; by then, weights have reached their limits."""
SURPRISES = 8
SURPRISE_POINTS = 1000.0
"""How far the surprising performances are above the rating."""
INFINITE_FROM = 1e6
"""A limit above this number of points is called infinite."""


class Weights(NamedTuple):
    """Weights of a player who has always played: of the normal factor, and of the logistic factors."""

    normal: float
    logistic: float

    @property
    def share(self) -> float:
        """Share of the total weight that is remembered as single performances."""
        return self.logistic / (self.normal + self.logistic)


def momentum_by_rho(setting: Setting) -> Result:
    """Compute the response to a run of surprises by ρ; weights and limits, derived and measured."""
    settled = QUICK_SETTLING_CONTESTS if setting.quick else SETTLING_CONTESTS
    systems = {rho: EloMMR(rho=rho) for rho in RHOS}
    noise = np.random.default_rng(setting.seed).normal(0.0, systems[1.0].beta, settled)
    players = {"steady": np.full(settled, 1500.0), "wild": 1500.0 + 3.0 * noise, "usual": 1500.0 + noise}
    rows, limits, weights = [], [], []
    for rho, system in systems.items():
        for kind, shown in players.items():
            _, ratings = perform(system, [*shown, *[SURPRISE_POINTS + 1500.0] * SURPRISES])
            before, _ = perform(system, shown)
            for number in range(SURPRISES + 1):
                gained = float(ratings[settled + number - 1] - ratings[settled - 1])
                rows.append((rho_named(rho), kind, number, gained))
            shares = system.shares(before, 0, NO_TIME)
            least, most = shares.bounds
            limits.append((named(rho), kind, least, shares.fall, shares.rise, _or_infinite(most)))
        weights.append((named(rho), *_compared(system, before)))
    response = pl.DataFrame(rows, schema=["rho", "player", "surprises", "gain"], orient="row")
    bounds = pl.DataFrame(
        limits, schema=["ρ", "player", "least by 5.7", "most down", "most up", "most by 5.7"], orient="row"
    ).with_columns(pl.selectors.float().round(2))
    bounds = _infinite_named(bounds, "most by 5.7")
    settled_weights = pl.DataFrame(
        weights,
        schema=["ρ", "remembered, derived", "remembered, in the system", "remembered : normal", "1/ρ"],
        orient="row",
    ).with_columns(pl.selectors.float().round(4))
    settled_weights = _infinite_named(settled_weights, "remembered : normal", "1/ρ")
    return Result(
        _words(setting, settled),
        numbers=_numbers(systems, response, weights, limits, seeds_named([setting.seed])),
        tables={
            f"Points gained by performances of {SURPRISE_POINTS:.0f} above the rating, in a row": _wide(
                response
            ),
            "The weight of remembered performances in the total, of who always played": settled_weights,
            "What the next contest can change at most, and the bounds of Theorem 5.7": bounds,
        },
        pictures={"momentum": _picture(response)},
    )


def perform(system: EloMMR, performances: Floats | list[float]) -> tuple[State, Floats]:
    """Let a player perform exactly as told, contest after contest; the state, and the rating after each."""
    state = new_players(system, 1)
    shown = np.array(performances, np.float64)
    return state, show(system, state, np.zeros(len(shown), np.int32), shown)


def steady_weights(system: EloMMR) -> Weights:
    """The limits of the weights right after a contest, derived from Algorithm 2.

    Each contest multiplies the total weight W by κ = 1/(1 + γ²W) and adds 1/β², so that κ = 1 − 1/(β²W); a
    performance a contests old has kept κ^((1 + ρ)a), and a geometric sum is left.
    """
    total = 1.0 / system.sigma_limit**2
    new = 1.0 / system.beta**2
    kappa = 1.0 - new / total
    kept = 0.0 if math.isinf(system.rho) else kappa ** (1.0 + system.rho)
    logistic = new / (1.0 - kept)
    return Weights(total - logistic, logistic)


def weights_of(system: EloMMR, state: State) -> Weights:
    """The weights of player 0 in a state."""
    _, normals, memory = system.columns(state)
    own = slice(int(memory.start[0]), int(memory.start[0] + memory.length[0]))
    return Weights(float(normals.w0[0]), float(memory.w[own].sum()))


def _compared(system: EloMMR, state: State) -> tuple[float, float, float, float]:
    derived, real = steady_weights(system), weights_of(system, state)
    ratio = _or_infinite(real.logistic / real.normal)
    return derived.share, real.share, ratio, 1.0 / system.rho if system.rho > 0.0 else math.inf


def _or_infinite(value: float) -> float:
    """A value too large for any rating becomes infinite: with ρ = 0 the normal weight dies out."""
    return value if value < INFINITE_FROM else math.inf


def _infinite_named(table: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Write columns with infinite values as text."""
    return table.with_columns(pl.col(columns).map_elements(named, return_dtype=pl.String))


def _numbers(
    systems: dict[float, EloMMR],
    response: pl.DataFrame,
    weights: list[tuple[str, float, float, float, float]],
    limits: list[tuple[str, str, float, float, float, float]],
    source: str,
) -> list[Number]:
    numbers = []
    for rho in (0.1, 1.0, math.inf):
        gained = response.filter((pl.col("rho") == rho_named(rho)) & (pl.col("player") == "steady"))["gain"]
        numbers.append(
            Number(
                f"{rho_named(rho)}: points gained by the 1st, 2nd, 3rd, 4th and 5th surprise",
                ", ".join(f"{step:.0f}" for step in np.diff(gained.to_numpy())[:5]),
                "exact",
                *MOMENTUM,
                _course(np.diff(gained.to_numpy())[:5]),
            )
        )
    derived = max(abs(row[1] - row[2]) for row in weights)
    numbers.append(
        Number(
            "remembered part of the weight: farthest of the derived one from the system's",
            f"{derived:.1e}",
            source,
            *STEADY_STATE,
            "derived here, as the extended version is not at hand",
        )
    )
    inside = sum(row[2] - 1e-9 <= min(row[3:5]) and max(row[3:5]) <= row[5] + 1e-9 for row in limits)
    numbers.append(
        Number(
            "limits of a change within the bounds of Theorem 5.7",
            f"{inside} of {len(limits)}",
            source,
            *LIMITS,
            held(inside == len(limits)),
        )
    )
    most = {row[1]: row for row in limits if row[0] == "0.1"}
    for kind in ("steady", "wild"):
        row = most[kind]
        numbers.append(
            Number(
                f"ρ = 0.1, a {kind} player: largest change up, and its bounds",
                f"{row[4]:.1f} ({row[2]:.1f} to {row[5]:.1f})",
                source,
                *CAP_FOR_CONSISTENT,
                held(most["steady"][4] < most["wild"][4]),
            )
        )
    none = {row[1]: row[4] for row in limits if row[0] == "0"}
    numbers.append(
        VANISHES.beside(
            "ρ = 0: largest change up, of the steady, the usual and the wild player",
            ", ".join(f"{none[kind]:.0f}" for kind in ("steady", "usual", "wild")),
            source,
            held(none["steady"] < none["usual"] < none["wild"]),
        )
    )
    return numbers


def _course(steps: Floats) -> str:
    """In words, how the gain changes from one surprise to the next."""
    if np.ptp(steps) < 0.01 * steps[0]:
        return "each the same within 1%"
    if np.all(np.diff(steps) > 0.0):
        return f"grows from one to the next, {steps.max() / steps[0]:.1f} times in all"
    largest = int(steps.argmax())
    most = "falls from the first on" if largest == 0 else f"grows until number {largest + 1}, and falls"
    return f"{most}; the largest is {steps.max() / steps[0]:.2f} of the first"


def _wide(response: pl.DataFrame) -> pl.DataFrame:
    return (
        response.filter(pl.col("player") == "steady")
        .with_columns(pl.col("gain").round(1))
        .pivot("rho", index="surprises", values="gain")
    )


def _picture(response: pl.DataFrame) -> alt.ChartType:
    named = {
        "steady": "(a) after performances that were all alike",
        "usual": "(b) after performances ± β",
        "wild": "(c) after performances ± 3β",
    }
    frame = pl.concat(
        response.filter(pl.col("player") == kind).with_columns(panel=pl.lit(title))
        for kind, title in named.items()
    )
    return charts.curves(
        frame,
        Axis("surprises", "surprising performances in a row", format="d"),
        Axis("gain", "rating gained (points)", domain=(0.0, SURPRISE_POINTS)),
        colour="rho",
        panel="panel",
        dots=True,
        columns=3,
        width=230,
        title="1/ρ as momentum",
        subtitle=f"a settled player performs {SURPRISE_POINTS:.0f} points above the rating, again and again",
        legend_columns=7,
    )


def _words(setting: Setting, settled: int) -> str:
    return f"""
    A player performs {settled} times around 1500, until all weights have settled, and then
    {SURPRISE_POINTS:.0f} points above that in every contest. With ρ = ∞ nothing is remembered but a mean.
    With a small ρ surprises are remembered one by one, and confirm each other: where each is worth more than
    the one before, that is the momentum. The steady player always performs at 1500, the usual one ± β around
    it, the wild one ± 3β.

    The paper refers to its extended version for a steady state of the weights; the earlier text that podium
    has does not contain it, so it is derived here from Algorithm 2. With the total weight W = 1/σ² at rest, a
    contest multiplies it by κ = 1 − 1/(β²W), and a performance that is a contests old keeps the part
    κ^((1 + ρ)a) of its weight. The remembered performances hold (1 − κ)/(1 − κ^(1 + ρ)) of the total: all of
    it for ρ = 0, next to 1/(1 + ρ) where drift is slow. Remembered and normal weight are then as 1 to ρ, and
    their ratio, which the paper's remark on the bounds of Theorem 5.7 is about, is 1/ρ. The table has the
    derived part beside that of the system, and the ratio beside 1/ρ; they differ as κ is not 1.

    Theorem 5.7 bounds what one contest can change, for a performance that goes to infinity. For ρ = ∞ both
    bounds are one.
    """
