"""Section 6.3: how ratings answer a sustained deviation in performance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podium import charts
from podium.arrays import Floats
from podium.charts import Axis
from podium.systems.elo_mmr.contest_system import ContestSystem
from podium.systems.elo_mmr.elo_mmx import EloMMX
from podium.systems.elo_mmr.elo_r import EloR
from podium_papers.elo_r import published
from podium_papers.elo_r.told_beliefs import (
    METHODS,
    SETTLING_CONTESTS,
    Method,
    ratings_after,
    settled,
)
from podium_papers.items import Number, Result, Setting
from podium_papers.printed import compared, held

if TYPE_CHECKING:
    import polars as pl

CONTESTS_AT_HIGH = 30
"""Number of contests at 3000."""
LOW, HIGH = 1000.0, 3000.0
BLUE: Method = "all"
ORANGE = "normal performances"
NAMES = {BLUE: "Elo-R, noise on all τ (blue)", ORANGE: "normal, not logistic (orange)"}
NAMES |= {"fancy": "Elo-R, fancy", "leading": "Elo-R, leading τ", "normal": "Elo-R, normal belief"}


def responses() -> dict[str, Floats]:
    """Ratings from the last contest at 1000 on, for each method and without robustness."""
    told = np.repeat([LOW, HIGH], [SETTLING_CONTESTS, CONTESTS_AT_HIGH])
    eta = EloR().contest_drift ** 0.5
    systems: dict[str, ContestSystem] = {method: EloR(noise=method) for method in METHODS}
    systems[ORANGE] = EloMMX(beta=EloR().beta, gamma=eta)
    return {name: ratings_after(system, told)[0, SETTLING_CONTESTS - 1 :] for name, system in systems.items()}


def response(setting: Setting) -> Result:
    """Draw the curves, and check every number that the text gives about them."""
    import polars as pl

    found = responses()
    order = (BLUE, ORANGE, "fancy", "leading", "normal")
    frame = pl.concat(
        pl.DataFrame({"system": NAMES[name], "match": np.arange(CONTESTS_AT_HIGH + 1), "rating": found[name]})
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
        adds it by the fancy method: of the five things that the text tells of the first seven matches,
        {_told(found[BLUE])} come out with noise on all τ, {_told(found["fancy"])} with the fancy method,
        {_told(found["leading"])} with noise on the leading τ and {_told(found["normal"])} with a normal
        belief. That it rises by "over 100 points in each of the third and following matches" is so from the
        {_ordinal(_first_over(found[BLUE]))} match on with noise on all τ, and from the
        {_ordinal(_first_over(found["fancy"]))} on with the fancy method. From the
        {_ordinal(_settling(found[BLUE]))} on the blue curve's steps are below 100 again: its rating is
        {found[BLUE][_settling(found[BLUE])]:.0f} by then.

        The orange curve is Elo-MMχ with the same γ and η, in which performances are normal: each match moves
        the rating by σ*²/γ² of the way, whatever came before. Elo-R with a normal belief forgets too: its
        first step is {_steps(found["normal"])[0]:.1f} points and its tenth {_steps(found["normal"])[9]:.1f}.
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
    told, memoryless = "exact", _steps(found["normal"])[:10]
    others = ", ".join(f"{m} {largest[m]:.1f}" for m in METHODS if m != BLUE)
    values = (
        (published.FIRST_STEP, "blue curve, first match", float(steps[0]), ""),
        (published.LARGEST_STEP, "the most that a match can give", largest[BLUE], f"; {others}"),
        (
            published.MEMORYLESS,
            "the same without memory (normal belief), each of ten matches",
            float(memoryless.mean()),
            f"; from {memoryless.min():.1f} to {memoryless.max():.1f}",
        ),
        (published.SECOND_STEP, "blue curve, second match", float(steps[1]), ""),
        (published.AFTER_SIX, "blue curve after six matches", float(blue[6]), ""),
        (published.SEVENTH_STEP, "blue curve, seventh match", float(steps[6]), ""),
        (
            published.PART_OF_THE_WAY,
            "orange curve: part of the way to 3000, each match, in %",
            100.0 * float(part.mean()),
            f"; from {100 * part.min():.2f} to {100 * part.max():.2f}",
        ),
        (published.FIRST_NORMAL_STEP, "orange curve, first match", float(_steps(orange)[0]), ""),
    )
    numbers = [
        printed.beside(what, f"{value:.2f}", told, compared(value, printed.value) + more)
        for printed, what, value, more in values
    ]
    from_third = f"over 100 from the {_ordinal(_first_over(blue))} on"
    ours = ", ".join(f"{step:.1f}" for step in steps[2:7])
    numbers += [
        published.THIRD_STEP.beside("blue curve, third to seventh match", ours, told, from_third),
        published.OVERTAKES.beside(
            "blue is above orange from match",
            f"{ahead}",
            told,
            held(bool(np.all(blue[ahead:] > orange[ahead:]))),
        ),
    ]
    numbers.append(_uncertainty())
    for method in METHODS:
        if method != BLUE:
            first = ", ".join(f"{step:.1f}" for step in _steps(found[method])[:7])
            numbers.append(Number(f"steps of the method {method}, first to seventh match", first, told))
    return numbers


def _uncertainty() -> Number:
    """σ before and after the first six matches at 3000."""
    belief = settled(BLUE, LOW)
    before = belief.variance
    belief.perform(*[HIGH] * 6)
    return published.UNCHANGED.beside(
        "blue curve, σ before the first and after the sixth match",
        f"{before**0.5:.4f}, {belief.variance**0.5:.4f}",
        "exact",
        held(abs(belief.variance / before - 1.0) < 1e-6),
    )


def _told(path: Floats) -> int:
    """How many of the five statements about the first seven matches hold on a curve."""
    steps = _steps(path)
    said = (published.FIRST_STEP, published.SECOND_STEP, published.AFTER_SIX, published.SEVENTH_STEP)
    found = (steps[0], steps[1], path[6], steps[6])
    same = [compared(float(x), printed.value) == "as printed" for printed, x in zip(said, found, strict=True)]
    return sum(same) + bool(np.all(steps[2:7] > 100.0))


def _largest_step(method: Method) -> float:
    """The most that one more match can give a player who has always performed at 1000."""
    far = np.append(np.full(SETTLING_CONTESTS, LOW), 1e8)
    after = ratings_after(EloR(noise=method), far)[0]
    return float(after[-1] - after[-2])


def _table(found: dict[str, Floats], order: tuple[str, ...]) -> pl.DataFrame:
    import polars as pl

    columns = {NAMES[name]: found[name][:16].round(1) for name in order}
    return pl.DataFrame({"match": np.arange(16), **columns})


def _steps(ratings: Floats) -> Floats:
    return np.diff(ratings)


def _first_over(ratings: Floats) -> int:
    """The first match with a step above 100."""
    return int(np.flatnonzero(_steps(ratings) > 100.0)[0]) + 1


def _settling(ratings: Floats) -> int:
    """The first match after the last step above 100."""
    return int(np.flatnonzero(_steps(ratings) > 100.0)[-1]) + 2


def _ordinal(number: int) -> str:
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    return words[number - 1] if number <= len(words) else f"{number}th"
