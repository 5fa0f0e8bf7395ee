"""Figure 3.1: what a win over 2000 does to a rating, with and without a constant in Λ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from podium import charts
from podium.arrays import NO_TIME, Floats
from podium.charts import Axis
from podium.history import History, Names
from podium.numerics.win_chances import LN10
from podium.systems.luck.luck import Luck
from podium_papers.cowan import published
from podium_papers.items import Number, Result, Setting

if TYPE_CHECKING:
    import altair as alt

BETAS = (0.8, 0.99, 1.0)
SIGMAS = (50.0, 100.0, 150.0, 200.0)
"""The paper says "various σ"; these are ours."""
OPPONENT_RATING = 2000.0


def by_grid(beta: float, sigma: float, means: Floats, points: int) -> Floats:
    """m' − m computed by the system itself, on a grid from −2000 to 6000, without growth."""
    system = Luck(beta=beta, mu=OPPONENT_RATING, reach=4000.0, points=points, sigma=200.0, growth=(0.0,))
    n = len(means)
    state = system.new_state(2 * n)
    both = np.concatenate((means, np.full(n, OPPONENT_RATING)))
    known = np.repeat([sigma, 1e-3], n)
    system.set_belief(state, np.arange(2 * n), both, known)
    history = History(
        players=Names(map(str, range(2 * n))),
        offsets=np.arange(0, 2 * n + 1, 2),
        player=np.arange(2 * n, dtype=np.int32).reshape(2, n).T.ravel(),
        rank=np.tile(np.array([1, 2], np.int32), n),
        time=np.full(n, NO_TIME),
    )
    gained: Floats = system.update(state, history).mu[::2] - means
    return gained


def by_quadrature(beta: float, sigma: float, means: Floats) -> Floats:
    """m' − m computed by Equation (4), with the trapezoid rule over nine deviations to each side."""
    z = np.linspace(-9.0, 9.0, 1801)
    weight = np.exp(-0.5 * z * z)
    x = means[:, None] + sigma * z
    # 10^t written as e^(t ln 10), cut off where it is nothing or everything
    chance = 1.0 / (1.0 + np.exp(np.clip((OPPONENT_RATING - x) * LN10 / 400.0, -700.0, 700.0)))
    luck = (1.0 - beta) / 2.0 + beta * chance
    gained: Floats = (luck * x) @ weight / (luck @ weight) - means
    return gained


Curves = dict[tuple[float, float], Floats]
"""m' − m by β and σ."""


def figure_3_1(setting: Setting) -> Result:
    """Draw three panels, one line per σ, and compute the maximum of each."""
    means = np.linspace(0.0, 4000.0, 81 if setting.quick else 401)
    points = 1001 if setting.quick else 2001
    curves = {(beta, sigma): by_grid(beta, sigma, means, points) for beta in BETAS for sigma in SIGMAS}
    return Result(
        """
        The belief about a player is normal, with mean m and deviation σ; the player beats somebody of 2000.
        Without a coin in the game (β = 1) the gain does not fall as the win becomes a miracle: it goes
        to σ² ln 10 / 400. With a coin, however seldom it decides, it goes to nothing. The paper does not say
        which σ its lines have; these are ours. The curves are those of the system's own grid, and Equation
        (4), integrated numerically, stands beside them.
        """,
        numbers=_numbers(curves, means),
        pictures={"figure-3-1": _picture(curves, means)},
    )


def _numbers(curves: Curves, means: Floats) -> list[Number]:
    off = max(float(np.abs(gained - by_quadrature(*key, means)).max()) for key, gained in curves.items())
    numbers = [
        Number(
            f"highest with β = {beta:g}, σ = {sigma:g}",
            f"{gained.max():.1f} at m = {means[gained.argmax()]:.0f}",
            "exact",
            place="Figure 3.1, highlighted",
            remark="the figure prints no number",
        )
        for (beta, sigma), gained in curves.items()
    ]
    far, limit = by_quadrature(1.0, 200.0, np.array([-20_000.0]))[0], 200.0**2 * math.log(10.0) / 400.0
    agrees = "" if abs(far - limit) < 1e-6 else ", not the same"
    first, second = (
        max(float(np.abs(curves[a, s] - curves[b, s]).max()) for s in SIGMAS)
        for a, b in ((1.0, 0.99), (0.99, 0.8))
    )
    return [
        *numbers,
        published.LIMIT.beside(
            "m' − m with β = 1, σ = 200 at m = −20,000",
            f"{far:.4f}",
            "exact",
            f"the formula gives {limit:.4f}{agrees}",
        ),
        published.CHANGES_MUCH_MORE.beside(
            "curves move by up to, as β goes from 1 to 0.99, and from 0.99 to 0.8",
            f"{first:.0f} and {second:.0f} points",
            "exact",
            f"{first / second:.1f} times as far",
        ),
        Number("the system's grid and Equation (4) differ by at most", f"{off:.0e} points", "exact"),
    ]


def _picture(curves: Curves, means: Floats) -> alt.ChartType:
    import polars as pl

    parts = [
        pl.DataFrame(
            {
                "β": f"β = {beta:g}",
                "σ": f"σ = {sigma:g}",
                "mean": means,
                "gained": gained,
                "highest": np.arange(len(means)) == gained.argmax(),
            }
        )
        for (beta, sigma), gained in curves.items()
    ]
    return charts.curves(
        pl.concat(parts),
        Axis("mean", "m (points)"),
        Axis("gained", "m' − m (points)", domain=(0.0, 240.0)),
        colour="σ",
        panel="β",
        highlight="highest",
        columns=3,
        width=240,
        legend_columns=4,
        title="What a win over 2000 does",
        subtitle="mean of the belief after the win minus m, where it was m ± σ · dots: the highest",
    )
