"""Section 6.3: how ratings answer a sustained deviation in performance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podium import charts
from podium.charts import Axis
from podium.history.core import Floats
from podium.papers.elo_r import published
from podium.papers.elo_r.performing import LONG, METHODS, Method, ratings_after
from podium.papers.items import Number, Result, Setting
from podium.systems.contests import ContestSystem
from podium.systems.elo_mmx import EloMMX
from podium.systems.elo_r import EloR

if TYPE_CHECKING:
    import polars as pl

AFTER = 30
"""Contests at 3000."""
LOW, HIGH = 1000.0, 3000.0
BLUE, ORANGE = "all", "normal performances"
NAMES = {BLUE: "Elo-R, noise on all τ (blue)", ORANGE: "normal, not logistic (orange)"}
NAMES |= {"fancy": "Elo-R, fancy", "leading": "Elo-R, leading τ", "normal": "Elo-R, normal belief"}


def responses() -> dict[str, Floats]:
    """Ratings from the last contest at 1000 on, for each method and without robustness."""
    told = np.repeat([LOW, HIGH], [LONG, AFTER])
    eta = EloR().contest_drift ** 0.5
    systems: dict[str, ContestSystem] = {method: EloR(noise=method) for method in METHODS}
    systems[ORANGE] = EloMMX(beta=EloR().beta, gamma=eta)
    return {name: ratings_after(system, told)[0, LONG - 1 :] for name, system in systems.items()}


def response(setting: Setting) -> Result:
    """The curves, and every number that the text tells of them."""
    import polars as pl

    found = responses()
    order = (BLUE, ORANGE, "fancy", "leading", "normal")
    frame = pl.concat(
        pl.DataFrame({"system": NAMES[name], "match": np.arange(AFTER + 1), "rating": found[name]})
        for name in order
    )
    picture = charts.curves(
        frame.filter(pl.col("match") <= 20),
        Axis("match", "matches with a performance of 3000", format="d"),
        Axis("rating", "rating (points)"),
        colour="system",
        dashed=[NAMES[name] for name in order[2:]],
        dots=True,
        legend_columns=2,
        title="Response to a sustained deviation in performance",
        subtitle=[
            "200 matches at 1000, then 3000 every time",
            "solid: the two curves of the paper; dashed: the other ways to add noise",
        ],
    )
    return Result(
        f"""
        A player performs at 1000 until nothing moves any more, and then at 3000 every time. The blue curve
        of the paper is Elo-R with noise on all τ (section 6.2.3), although the algorithm that is printed
        adds it by the fancy method: with noise on all τ the first, second, sixth and seventh matches are as
        told. The third is not: "over 100 points in each of the third and following matches" is so from the
        fourth match on with this method, and from the {_ordinal(_first_over(found["fancy"]))} on with the
        fancy one. From the {_ordinal(_settling(found[BLUE]))} on steps are below 100 again, as the rating
        is near 3000 by then.

        The orange curve is Elo-MMχ with the same γ and η, in which performances are normal: each match moves
        the rating by σ*²/γ² of the way, whatever came before. Elo-R with a normal belief forgets too, and
        moves by the same {_steps(found["normal"])[0]:.1f} points each time, as the text says of outlier
        reduction without memory.
        """,
        numbers=_numbers(found),
        tables={"Ratings after each match at 3000": _table(found, order)},
        pictures={"response": picture},
    )


def _numbers(found: dict[str, Floats]) -> list[Number]:
    blue, orange = found[BLUE], found[ORANGE]
    steps, part = _steps(blue), _steps(orange) / (HIGH - orange[:-1])
    ahead = int(np.flatnonzero(blue > orange)[0])
    largest: dict[str, float] = {method: _largest_step(method) for method in METHODS}
    told = "exact"
    numbers = [
        published.FIRST.beside("blue curve, first match", f"{steps[0]:.2f}", told, "as printed"),
        published.LARGEST.beside(
            "the most that a match can give",
            f"{largest[BLUE]:.1f}",
            told,
            "as printed; " + ", ".join(f"{m} {largest[m]:.1f}" for m in METHODS if m != BLUE),
        ),
        published.MEMORYLESS.beside(
            "the same without memory (normal belief), each match",
            f"{_steps(found['normal'])[:10].mean():.1f}",
            told,
            "as printed",
        ),
        published.SECOND.beside("blue curve, second match", f"{steps[1]:.2f}", told, "as printed"),
        published.THIRD.beside(
            "blue curve, third to seventh match",
            ", ".join(f"{step:.1f}" for step in steps[2:7]),
            told,
            "the third is below 100",
        ),
        published.AFTER_SIX.beside("blue curve after six matches", f"{blue[6]:.1f}", told, "as printed"),
        published.SEVENTH.beside("blue curve, seventh match", f"{steps[6]:.1f}", told, "as printed"),
        published.PART.beside(
            "orange curve: part of the way to 3000, each match",
            f"{100 * part.min():.2f}% to {100 * part.max():.2f}%",
            told,
            "as printed: σ*²/γ²",
        ),
        published.FIRST_NORMAL.beside(
            "orange curve, first match", f"{_steps(orange)[0]:.1f}", told, "as printed"
        ),
        published.OVERTAKES.beside(
            "blue is above orange from match", f"{ahead}", told, "so it is; the paper names no match"
        ),
    ]
    for method in METHODS:
        if method != BLUE:
            first = ", ".join(f"{step:.1f}" for step in _steps(found[method])[:7])
            numbers.append(Number(f"steps of the method {method}, first to seventh match", first, told))
    return numbers


def _largest_step(method: Method) -> float:
    """The most that one more match can give somebody who has always performed at 1000."""
    far = np.append(np.full(LONG, LOW), 1e8)
    after = ratings_after(EloR(noise=method), far)[0]
    return float(after[-1] - after[-2])


def _table(found: dict[str, Floats], order: tuple[str, ...]) -> pl.DataFrame:
    import polars as pl

    columns = {NAMES[name]: found[name][:16].round(1) for name in order}
    return pl.DataFrame({"match": np.arange(16), **columns})


def _steps(ratings: Floats) -> Floats:
    return np.diff(ratings)


def _first_over(ratings: Floats) -> int:
    """The match from which on steps are above 100."""
    return int(np.flatnonzero(_steps(ratings) > 100.0)[0]) + 1


def _settling(ratings: Floats) -> int:
    """The first match after those whose step is below 100 again."""
    return int(np.flatnonzero(_steps(ratings) > 100.0)[-1]) + 2


def _ordinal(number: int) -> str:
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    return words[number - 1] if number <= len(words) else f"{number}th"
