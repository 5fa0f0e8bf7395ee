"""Table 1: how large the sets of contests are."""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.simulation.populations import Population
from podium_papers.elo_mmr.contest_data import (
    NO_FILE,
    NO_OTHERS,
    READINGS,
    contests_of_each,
    given_contests,
    in_place_of,
    remarked,
    synthetic,
)
from podium_papers.elo_mmr.published import ALL_IN_ALL_ROUNDS, DEVIATION, TABLE_1, TABLES
from podium_papers.items import Number, Result, Setting, seeds_named


def table_1(setting: Setting) -> Result:
    """Count contests and participants of the synthetic set and of the given file."""
    import polars as pl

    history = given_contests(setting)
    seed = setting.seeds(1)
    made = {reading: synthetic(setting, seed[0], reading) for reading in READINGS}
    first = made[READINGS[0]]
    contests, participants = TABLE_1["Synthetic"]
    source = seeds_named(seed)
    numbers = [
        Number("Synthetic: contests", str(len(first.history)), source, str(contests), "Table 1, Synthetic"),
        Number(
            "Synthetic: participants a contest",
            _participants(first),
            source,
            str(participants),
            "Table 1, Synthetic",
            remarked(setting, "the text's 10,000 in all rounds contradict it"),
        ),
        Number(
            "Synthetic: deviation of skills",
            f"{_first_skills(first).std():.0f}",
            source,
            *DEVIATION,
            "the draft has 300: both are computed",
        ),
        Number(
            "Synthetic: participants a contest, as in the text",
            _participants(made[READINGS[4]]),
            source,
            *ALL_IN_ALL_ROUNDS,
            remarked(setting, "Table 1 has 2,500: both are computed"),
        ),
    ]
    if history is not None and setting.contests is not None:
        sizes = {"contests": f"{len(history):,}", "participants a contest": f"{history.sizes.mean():,.0f}"}
        for (what, ours), published in zip(sizes.items(), TABLE_1["Codeforces"], strict=True):
            label = f"{setting.contests.name}: {what}"
            place = "Table 1, Codeforces"
            numbers.append(
                Number(
                    label,
                    ours,
                    setting.contests.name,
                    f"{published:,}",
                    place,
                    in_place_of("Codeforces"),
                )
            )
    rows = [(str(reading.sized(setting.quick)), *_row(one)) for reading, one in made.items()]
    columns = ["set", "contests", "participants", "players", "contests a player", "first skills ±"]
    table = pl.DataFrame(rows, schema=columns, orient="row")
    return Result(
        f"""
        The sites' contests are the authors'; podium has none of them. The synthetic set is made anew from a
        seed, by the description in section 6.1. That description contradicts Table 1: with 10,000 players
        who compete in all rounds a contest has 10,000 participants, not 2,500. (Both would be right if there
        were 2,500 players.) And it contradicts the earlier text, which says variance 300 where this one says
        350². Unless something else is said, a contest here is as in the first row of the second table; Table
        2 is computed for all {len(READINGS)}.

        {"" if setting.contests is not None else NO_FILE}
        """,
        numbers=numbers,
        tables={
            f"Table 1 as printed{NO_OTHERS}": TABLES["Table 1"],
            "The synthetic set, as its descriptions can be read": table,
        },
    )


def _participants(population: Population) -> str:
    return f"{population.history.sizes.mean():,.0f}"


def _first_skills(population: Population) -> Floats:
    """Skills in the first contest, before any drift."""
    return population.skill[: population.history.sizes[0]]


def _row(population: Population) -> tuple[int, float, int, float, float]:
    played = contests_of_each(population.history)
    return (
        len(population.history),
        float(population.history.sizes.mean()),
        int(np.count_nonzero(played)),
        round(float(played[played > 0].mean()), 1),
        round(float(_first_skills(population).std()), 1),
    )
