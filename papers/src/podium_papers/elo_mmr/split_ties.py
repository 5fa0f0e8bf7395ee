"""Footnote 3: ties that count as parts of a win and of a loss, in Lemma 3.1 and in section 5."""

from __future__ import annotations

import numpy as np
import polars as pl

from podium_papers.elo_mmr.performance_models import LOG_CONCAVE, PerformanceModel
from podium_papers.elo_mmr.published import SECTION_5_STAYS, SPLIT_TIES
from podium_papers.elo_mmr.theorems import SYSTEMS, better_off, draw, in_order, one_more, ties_broken
from podium_papers.items import Result, Setting, seeds_named
from podium_papers.printed import held

PARTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Parts of a win and of a loss that a tie may count as."""
CONTESTS, QUICK_CONTESTS = 500, 30
POINTS = 401
ROUNDING = 1e-9


def split(kind: PerformanceModel, lost: float, won: float) -> PerformanceModel:
    """A model in which a tie counts as these parts of a loss and of a win."""
    return kind._replace(draw=lambda z: lost * kind.loss(z) + won * kind.victory(z))


def strictly(kind: PerformanceModel) -> bool:
    """Whether l < d < v and d falls, by more than rounding, where none of them is next to its limit."""
    z = np.linspace(-3.0, 2.0, POINTS)
    l, d, v = kind.loss(z), kind.draw(z), kind.victory(z)  # noqa: E741 (the paper's names)
    return bool(np.all(d - l > ROUNDING) and np.all(v - d > ROUNDING) and np.all(np.diff(d) < -ROUNDING))


def footnote_3(setting: Setting) -> Result:
    """Try all parts on Lemma 3.1, and halves on the statements of section 5."""
    rows = []
    for lost in PARTS:
        for won in PARTS:
            holds = [strictly(split(kind, lost, won)) for kind in LOG_CONCAVE.values()]
            rows.append((lost, won, abs(lost - won) < 1.0, all(holds)))
    table = pl.DataFrame(
        rows,
        schema=["part of a loss", "part of a win", "allowed by the footnote", "lemma holds"],
        orient="row",
    )
    allowed = table.filter("allowed by the footnote")
    against = allowed.filter(~pl.col("lemma holds"))
    said = " and ".join(f"{row[0]:g} and {row[1]:g}" for row in against.rows())
    source, contests = seeds_named([setting.seed]), QUICK_CONTESTS if setting.quick else CONTESTS
    drawn = draw(contests, setting.seed)
    numbers = [
        SPLIT_TIES.beside(
            "parts for which Lemma 3.1 holds, of those allowed",
            f"{allowed.height - against.height} of {allowed.height}",
            "exact",
            f"not for {said}" if said else held(True),
        )
    ]
    for name, system in SYSTEMS.items():
        half = system.changed(ties="half")
        found = [
            one_more(half, drawn, setting.seed),
            ties_broken(half, drawn),
            in_order(half, drawn),
            better_off(half, drawn, setting.seed),
        ]
        tried, failed = (sum(counts) for counts in zip(*found, strict=True))
        numbers.append(
            SECTION_5_STAYS.beside(
                f"{name}, ties half and half: against 5.1 to 5.3, of {tried:,} tries",
                f"{failed:,}",
                source,
                held(failed == 0),
            )
        )
    return Result(
        f"""
        The footnote allows a tie to count as any parts of a loss and of a win that differ by less than 1.
        Lemma 3.1 is tried at {POINTS} points with {", ".join(LOG_CONCAVE)} performances. With a tie that
        counts as nothing, 0 and 0, the draw term is 0 everywhere: it lies between the others, but it is not
        decreasing, as the lemma says. The footnote would need one part above 0. Where the parts differ by 1,
        a tie is a win or a loss, and the lemma's inequality is not strict.

        The statements of section 5 are tried with ties half and half, in {contests} contests.
        """,
        numbers=numbers,
        tables={"Lemma 3.1 by what a tie counts as": table},
    )
