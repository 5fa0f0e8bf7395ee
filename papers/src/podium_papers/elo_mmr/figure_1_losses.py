"""Figure 1: what an outlier costs under a normal and under a logistic distribution of performances."""

from __future__ import annotations

import numpy as np

from podium import charts
from podium.charts import Axis
from podium_papers.elo_mmr.published import EXTREMITIES
from podium_papers.items import Number, Result, Setting


def figure_1(setting: Setting) -> Result:
    """Draw L₂(x) = x²/2 and L_R(x) = 2 ln cosh(πx/√12) of section 3.2, and the densities behind them."""
    import polars as pl

    x = np.linspace(-4.0, 4.0, 321)
    scaled = np.pi * x / np.sqrt(12.0)
    curves = {
        ("loss", "normal (L2)"): 0.5 * x**2,
        ("loss", "logistic (LR)"): 2.0 * np.log(np.cosh(scaled)),
        ("density", "normal (L2)"): np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi),
        ("density", "logistic (LR)"): np.pi / np.sqrt(48.0) / np.cosh(scaled) ** 2,
    }
    frame = pl.concat(
        pl.DataFrame({"what": what, "distribution": name, "x": x, "y": y})
        for (what, name), y in curves.items()
    )
    picture = charts.curves(
        frame,
        Axis("x", "distance from the rating (standard deviations)"),
        Axis("y", "loss, or density"),
        colour="distribution",
        panel="what",
        title="What an outlier costs",
        subtitle="left: the penalty of a performance · right: how likely it is · both with deviation 1",
    )
    slope = np.pi / np.sqrt(3.0)
    return Result(
        """
        Near the rating both penalties are quadratic; far away that of the logistic distribution is a straight
        line, so that a single performance, however far off, pulls with a force that has a bound. The figure
        in the paper shows the same curves without numbers.
        """,
        numbers=[
            Number("L_R at 4 deviations", f"{curves['loss', 'logistic (LR)'][-1]:.3f}", "exact"),
            Number("L₂ at 4 deviations", f"{curves['loss', 'normal (L2)'][-1]:.3f}", "exact"),
            Number("the steepest L_R gets, π/√3", f"{slope:.4f}", "exact", *EXTREMITIES),
        ],
        pictures={"figure-1": picture},
    )
