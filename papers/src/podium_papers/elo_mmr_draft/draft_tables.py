"""Tables 1 to 3 of the draft: printed as in the paper, over another description of the synthetic set."""

from __future__ import annotations

import math

import polars as pl

from podium_papers.elo_mmr.contest_data import Reading, remarked, synthetic
from podium_papers.elo_mmr.published import SECONDS, SYSTEMS, TABLE_1
from podium_papers.elo_mmr.table_2_accuracies import (
    TRUTH,
    counted_in,
    numbers_beside,
    score_rows,
    synthetic_scores,
    ways_to_read,
)
from podium_papers.elo_mmr.table_3_speed import DEFAULTS, REPEATS, cores_named, seconds
from podium_papers.elo_mmr_draft.published import SAME_AS_PAPER, VARIANCES
from podium_papers.items import Number, Result, Setting, seeds_named

SCALE_FACTOR = 20.0
"""All deviations times this give the same ranks, and ratings of the usual size."""
AS_DEVIATIONS = Reading(300.0)
ALL_ROUNDS = Reading(300.0, players=2_500)
AS_VARIANCES = Reading(
    SCALE_FACTOR * math.sqrt(300.0),
    players=2_500,
    noise=SCALE_FACTOR * math.sqrt(200.0),
    drift=SCALE_FACTOR * math.sqrt(35.0),
)
READINGS = {AS_DEVIATIONS: "deviations", ALL_ROUNDS: "deviations", AS_VARIANCES: "variances"}
"""What the draft's 300, 200 and 35 are read as."""


def table_1(setting: Setting) -> Result:
    """Compare the sizes, and check what the draft's 300 means."""
    history, skill = synthetic(setting, setting.seed, AS_DEVIATIONS)
    source = seeds_named([setting.seed])
    contests, participants = TABLE_1["Synthetic"]
    first = skill[: history.sizes[0]]
    numbers = [
        Number("contests", str(len(history)), source, str(contests), "Table 1, Synthetic", SAME_AS_PAPER),
        Number(
            "participants a contest",
            f"{history.sizes.mean():,.0f}",
            source,
            str(participants),
            "Table 1, Synthetic",
            remarked(setting, SAME_AS_PAPER),
        ),
        Number(
            "variance of skills, read as a deviation of 300",
            f"{first.var():,.0f}",
            source,
            *VARIANCES,
            remarked(setting, "the paper has 350²; 300 alone is no variance of ratings"),
        ),
    ]
    return Result(
        f"""
        All rows are those of the paper. The draft describes the synthetic set with "{VARIANCES.value}", where
        the paper has 350², 200² and 35². As variances these would be ratings that differ by 17 points; they
        are read as deviations, and Table 2 shows what the other reading would give.
        """,
        numbers=numbers,
    )


def table_2(setting: Setting) -> Result:
    """Measure accuracies with the draft's numbers read as deviations and as variances."""
    found = {reading: synthetic_scores(setting, reading) for reading in READINGS}
    labels = {reading: _label(reading, setting) for reading in READINGS}
    seeds = setting.seeds(len(found[ALL_ROUNDS][TRUTH]))
    numbers = numbers_beside(found[ALL_ROUNDS], "Synthetic", seeds_named(seeds), labels[ALL_ROUNDS], setting)
    ways = ways_to_read(found)
    distances = {reading: min(way.distance for way in ways if way.reading == reading) for reading in READINGS}
    nearness = "; ".join(f"{labels[reading]}: {away:.2f}" for reading, away in distances.items())
    right = sum(number.remark == "as printed" for number in numbers)
    fits = f"""
    Of these {len(numbers)} numbers {right} are as printed, the others are as far off as is remarked. How far
    the readings are from the printed row on average, TrueSkill left out, in percentage points: {nearness}.
    (The paper's Table 2 has more of them, with 10,000 players in all rounds.)
    """
    return Result(
        f"""
        All numbers of the draft are those of the paper. Ours are of the draft's own description with players
        who all compete in all rounds; 300, 200 and 35 are read as deviations. With 2,500 players that agrees
        with the text but for its 10K players, and with Table 1. The authors' own TrueSkill has two defects,
        and nothing says whether its column was made with it.
        {"The quick form has too few players to stand for any of that." if setting.quick else fits}
        """,
        numbers=numbers,
        tables={
            "By reading, in percent (mean of seeds)": pl.concat(
                score_rows(labels[reading], scores, counted_in(reading)) for reading, scores in found.items()
            )
        },
    )


def _label(reading: Reading, setting: Setting) -> str:
    made = reading.sized(setting.quick)
    who = f"all {made.players:,}" if made.each == made.players else f"{made.each:,} of {made.players:,}"
    return f"300, 200 and 35 as {READINGS[reading]}, {who} in each round"


def table_3(setting: Setting) -> Result:
    """Time the draft's synthetic set."""
    history = synthetic(setting, setting.seed, AS_DEVIATIONS).history
    numbers = [
        Number(
            f"Synthetic: {name}",
            f"{seconds(history, DEFAULTS[name], REPEATS):.3f} s",
            seeds_named([setting.seed]),
            f"{printed} s",
            f"Table 3, Synthetic, {name}",
            remarked(setting, cores_named(name)),
        )
        for name, printed in zip(SYSTEMS, SECONDS["Synthetic"], strict=True)
    ]
    return Result(
        """
        All numbers are those of the paper, whose Table 3 has ours beside them for a file too, and how time
        grows. Here is the synthetic set with the draft's deviation of 300.
        """,
        numbers=numbers,
    )
