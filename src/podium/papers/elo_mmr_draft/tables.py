"""Tables 1 to 3 of the draft: printed as in the paper, over another description of the synthetic set."""

from __future__ import annotations

import math

import polars as pl

from podium.papers.elo_mmr.accuracies import (
    TRUTH,
    counted_in,
    numbers_beside,
    score_rows,
    synthetic_scores,
)
from podium.papers.elo_mmr.data import Reading, synthetic
from podium.papers.elo_mmr.published import SECONDS, SYSTEMS, TABLE_1
from podium.papers.elo_mmr.speed import DEFAULTS, REPEATS, seconds
from podium.papers.elo_mmr_draft.published import SAME, VARIANCES
from podium.papers.items import Number, Result, Setting, seeds_named

SCALE = 20.0
"""Ranks do not change if all deviations are so many times larger, and ratings then have the usual size."""
AS_DEVIATIONS = Reading(300.0)
ALL_ROUNDS = Reading(300.0, players=2_500)
AS_VARIANCES = Reading(
    SCALE * math.sqrt(300.0),
    players=2_500,
    noise=SCALE * math.sqrt(200.0),
    drift=SCALE * math.sqrt(35.0),
)
READINGS = {
    "300, 200 and 35 are deviations, 2,500 of 10,000 play": AS_DEVIATIONS,
    "300, 200 and 35 are deviations, 2,500 play in all rounds": ALL_ROUNDS,
    "300, 200 and 35 are variances, 2,500 play in all rounds": AS_VARIANCES,
}


def table_1(setting: Setting) -> Result:
    """The sizes, and what 300 is."""
    history, skill = synthetic(setting, setting.seed, AS_DEVIATIONS)
    source = seeds_named([setting.seed])
    contests, participants = TABLE_1["Synthetic"]
    first = skill[: history.sizes[0]]
    numbers = [
        Number("contests", str(len(history)), source, str(contests), "Table 1, Synthetic", SAME),
        Number(
            "participants a contest",
            f"{history.sizes.mean():,.0f}",
            source,
            f"{participants:,}",
            "Table 1, Synthetic",
            SAME,
        ),
        Number(
            "variance of skills, read as a deviation of 300",
            f"{first.var():,.0f}",
            source,
            "300",
            VARIANCES.place,
            "the paper has 350²; 300 alone is no variance of ratings",
        ),
    ]
    return Result(
        f"""
        All rows are those of the paper. The draft describes the synthetic set with {VARIANCES.text}, where
        the paper has 350², 200² and 35². As variances these would be ratings that differ by 17 points; they
        are read as deviations, and Table 2 shows what the other reading would give.
        """,
        numbers=numbers,
    )


def table_2(setting: Setting) -> Result:
    """Accuracies with the draft's numbers as deviations and as variances."""
    found = {name: synthetic_scores(setting, reading) for name, reading in READINGS.items()}
    seeds = setting.seeds(len(found[next(iter(found))][TRUTH]))
    fits = list(READINGS)[1]
    return Result(
        """
        All numbers are those of the paper. Ours are of the draft's own description, read as deviations, with
        2,500 players who all compete in all rounds: that agrees with the text but for its 10K players, and
        with Table 1. (With 10,000 players they come as near or nearer: see the paper's Table 2.) It is what
        the printed numbers fit, so that the row seems to have been made with a deviation of 300 and printed
        in both texts. Even TrueSkill's is within what a search on five contests makes of it from seed to
        seed. Taken as variances, skills drift further between rounds and the numbers are others.
        """,
        numbers=numbers_beside(found[fits], "Synthetic", seeds_named(seeds), "Synthetic"),
        tables={
            "By reading, in percent (mean of seeds)": pl.concat(
                score_rows(name, scores, counted_in(READINGS[name])) for name, scores in found.items()
            )
        },
    )


def table_3(setting: Setting) -> Result:
    """Seconds on the draft's synthetic set."""
    history = synthetic(setting, setting.seed, AS_DEVIATIONS).history
    numbers = [
        Number(
            f"Synthetic: {name}",
            f"{seconds(history, DEFAULTS[name], REPEATS):.3f} s",
            seeds_named([setting.seed]),
            f"{printed} s",
            f"Table 3, Synthetic, {name}",
            "one thread here, 24 cores there",
        )
        for name, printed in zip(SYSTEMS, SECONDS["Synthetic"], strict=True)
    ]
    return Result(
        """
        All numbers are those of the paper, whose Table 3 has ours beside them for a file too, and how time
        grows. Here is the synthetic set with the draft's deviation of 300: it makes no difference to time.
        """,
        numbers=numbers,
    )
