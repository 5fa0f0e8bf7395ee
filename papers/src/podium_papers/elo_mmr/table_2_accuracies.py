"""Table 2: how well each system predicts, with parameters chosen on the first tenth of the contests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from podium.evaluation.order_accuracy import Ties
from podium.history import History
from podium_papers.elo_mmr.contest_data import (
    NO_FILE,
    NO_OTHERS,
    READINGS,
    Reading,
    given_contests,
    in_place_of,
    remarked,
    synthetic,
)
from podium_papers.elo_mmr.protocol import (
    GRIDS,
    WHO,
    Scores,
    Who,
    grid_in_words,
    measure,
    ratings_before,
    true_scores,
    tune_and_test,
)
from podium_papers.elo_mmr.published import EXCLUDED, METRICS, NEWCOMERS, SIMILARLY, SYSTEMS, TABLES
from podium_papers.elo_mmr.table_3_speed import DEFAULTS
from podium_papers.items import Number, Result, Setting, seeds_named, spread_of
from podium_papers.printed import held, signed

SEEDS, SEEDS_OF_10_000 = 4, 2
"""Number of seeds; fewer if 10,000 play in all rounds, which is four times the work."""
MAIN_READING: Who = "five before"
"""The reading of "competed in less than 5 total contests" that serves its purpose: newcomers are left out."""
TRUTH = "the true skills"
LABELS: Mapping[Who, str] = {
    "five in all": "five contests in all",
    "five before": "five contests before",
    "everyone": "everyone",
}
TIES_IN_WORDS: Mapping[Ties, str] = {"fair": "counted half", "authors": "counted as right"}
OF_OTHER_AUTHORS = SYSTEMS[:3]
"""The systems of other authors."""

Found = Mapping[str, Sequence[Scores]]
"""The scores of each system, one per seed."""


class Way(NamedTuple):
    """One way to read how the synthetic row was made, and its distance to the printed row."""

    reading: Reading
    who: Who
    ties: Ties
    apart: tuple[float, ...]
    """Distances to the printed row in percentage points: both metrics of all systems but TrueSkill."""

    @property
    def distance(self) -> float:
        """Mean distance to the printed row."""
        return sum(map(abs, self.apart)) / len(self.apart)


def table_2(setting: Setting) -> Result:
    """Measure both metrics on the synthetic set in six readings, and on the given file."""
    history = given_contests(setting)
    found = {reading: synthetic_scores(setting, reading) for reading in READINGS}
    main = found[READINGS[0]]
    ways, first = ways_to_read(found), READINGS[0].sized(setting.quick)
    numbers = _synthetic_numbers(setting, READINGS[0], main)
    if not setting.quick and ways[0].reading != READINGS[0]:
        nearest = ways[0]
        numbers += _synthetic_numbers(setting, nearest.reading, found[nearest.reading], *nearest[1:3])
    numbers += _newcomers(main, setting, seeds_named(_seeds(setting, READINGS[0])), str(first))
    tables = {
        f"Table 2 as printed{NO_OTHERS}": TABLES["Table 2"],
        "On the synthetic set, in percent, by how it is read and whom the metrics count (mean of seeds)": (
            pl.concat(
                score_rows(str(reading.sized(setting.quick)), scores, counted_in(reading))
                for reading, scores in found.items()
            )
        ),
        "What counting equal ratings as right adds to the percentages above (first reading)": leak(main),
    }
    said = NO_FILE
    if history is not None and setting.contests is not None:
        file = setting.contests.name
        theirs = {name: [tune_and_test(history, name, setting.quick)] for name in SYSTEMS}
        defaults = _untuned(history)
        numbers += numbers_beside(theirs, "Codeforces", file, file, setting)
        numbers += _newcomers(theirs, setting, file, file)
        tables[f"{file}, in percent"] = score_rows(file, theirs, WHO)
        tables[f"{file} without a search, counting {LABELS[MAIN_READING]}"] = defaults
        tables["What counting equal ratings as right adds on the file"] = leak(theirs)
        tables["Parameters chosen on the first tenth of the file"] = _chosen(theirs)
        said = _file_words(theirs, defaults)
    tables["Parameters chosen, first seed"] = _chosen(
        {name: scores[:1] for name, scores in main.items() if name != TRUTH}
    )
    return Result(_words(setting, found, ways, said), numbers=numbers, tables=tables)


def _synthetic_numbers(
    setting: Setting, reading: Reading, scores: Found, who: Who = MAIN_READING, ties: Ties = "fair"
) -> list[Number]:
    """The row of one reading next to the printed one, and the metrics of the true skills."""
    source, label = seeds_named(_seeds(setting, reading)), str(reading.sized(setting.quick))
    numbers = numbers_beside(scores, "Synthetic", source, label, setting, who, ties)
    numbers += [
        Number(
            f"{label}: {TRUTH}, {metric}",
            spread_of(_values(scores[TRUTH], metric, who, ties), 2, "%"),
            source,
            remark="nobody can do better but by luck",
        )
        for metric in METRICS
    ]
    printed = METRICS["pairs right"]["Synthetic"]
    means = [_mean(scores[name], "pairs right", who, ties) for name in SYSTEMS]
    apart = f"{max(printed) - min(printed):.1f} in the printed row"
    numbers.append(
        SIMILARLY.beside(
            f"{label}: pairs right, from the last system to the first",
            f"{max(means) - min(means):.2f} percentage points",
            source,
            remarked(setting, apart),
        )
    )
    return numbers


def _newcomers(found: Found, setting: Setting, source: str, label: str) -> list[Number]:
    """Check whether leaving newcomers out costs Elo-MMR some of its lead."""
    numbers = []
    for metric in METRICS:
        ahead = {who: _lead(found, metric, who) for who in WHO}
        said = ", ".join(f"{signed(ahead[who], 2)} {LABELS[who]}" for who in reversed(WHO))
        less = held(ahead["everyone"] > ahead[MAIN_READING])
        numbers.append(
            NEWCOMERS.beside(
                f"{label}: Elo-MMR(ρ) ahead of {', '.join(OF_OTHER_AUTHORS)} (mean), {metric}, by who is "
                "counted",
                said,
                source,
                remarked(setting, f"{less}, counting {LABELS[MAIN_READING]}"),
            )
        )
    return numbers


def _lead(found: Found, metric: str, who: Who) -> float:
    """Percentage points by which Elo-MMR(ρ) is better than the mean of the others."""
    others = sum(_mean(found[name], metric, who) for name in OF_OTHER_AUTHORS) / len(OF_OTHER_AUTHORS)
    ahead = _mean(found["Elo-MMR(ρ)"], metric, who) - others
    return ahead if metric == "pairs right" else -ahead


def synthetic_scores(setting: Setting, reading: Reading) -> dict[str, list[Scores]]:
    """Scores of each system and of the true skills, on one reading of the synthetic set."""
    found: dict[str, list[Scores]] = {name: [] for name in (*SYSTEMS, TRUTH)}
    for seed in _seeds(setting, reading):
        history, skill = synthetic(setting, seed, reading)
        for name in SYSTEMS:
            found[name].append(tune_and_test(history, name, setting.quick))
        found[TRUTH].append(true_scores(history, skill))
    return found


def _seeds(setting: Setting, reading: Reading) -> range:
    if setting.quick:
        return setting.seeds(1)
    return setting.seeds(SEEDS_OF_10_000 if reading.each > 2_500 else SEEDS)


def _values(scores: Sequence[Scores], metric: str, who: Who, ties: Ties = "fair") -> list[float]:
    return [getattr(one, metric.replace(" ", "_"))[who, ties] for one in scores]


def numbers_beside(
    found: Found,
    row: str,
    source: str,
    label: str,
    setting: Setting,
    who: Who = MAIN_READING,
    ties: Ties = "fair",
) -> list[Number]:
    """Our numbers next to a row of Table 2; those of a file next to a row of the authors' data."""
    numbers = []
    for column, name in enumerate(SYSTEMS):
        for metric, printed in METRICS.items():
            values = _values(found[name], metric, who, ties)
            published = printed[row][column]
            away = sum(values) / len(values) - published
            remark = "as printed" if abs(away) < 0.05 else signed(away, 1)
            numbers.append(
                Number(
                    f"{label}: {name}, {metric}",
                    spread_of(values, 2, "%"),
                    source,
                    f"{published}%",
                    f"Table 2, {row}, {name}, {metric}",
                    remarked(setting, remark if row == "Synthetic" else in_place_of(row)),
                )
            )
    return numbers


def ways_to_read(found: Mapping[Reading, Found]) -> list[Way]:
    """All readings of the synthetic row that give different numbers, the nearest first."""
    ways: dict[tuple[Reading, tuple[float, ...]], Way] = {}
    for reading, scores in found.items():
        for who in WHO:
            for ties in TIES_IN_WORDS:
                apart = tuple(
                    _mean(scores[name], metric, who, ties) - printed["Synthetic"][column]
                    for column, name in enumerate(SYSTEMS)
                    if name != "TrueSkill"
                    for metric, printed in METRICS.items()
                )
                ways.setdefault((reading, apart), Way(reading, who, ties, apart))
    return sorted(ways.values(), key=lambda way: way.distance)


def counted_in(reading: Reading) -> Sequence[Who]:
    """Who is counted in a reading. If all play in all rounds, everybody has five contests by then."""
    return WHO[:1] if reading.each == reading.players else WHO


def score_rows(label: str, found: Found, who: Sequence[Who]) -> pl.DataFrame:
    """Means over seeds, one row per metric and group of players."""
    rows = [
        {"set": label, "counted": LABELS[counted], "metric": metric}
        | {name: _mean(scores, metric, counted) for name, scores in found.items()}
        for counted in who
        for metric in METRICS
    ]
    return pl.DataFrame(rows)


def _mean(scores: Sequence[Scores], metric: str, who: Who, ties: Ties = "fair") -> float:
    values = _values(scores, metric, who, ties)
    return round(sum(values) / len(values), 2)


def leak(found: Found) -> pl.DataFrame:
    """By how much the metrics improve if equal ratings count as right instead of half."""
    rows = []
    for counted in WHO:
        for metric in METRICS:
            row: dict[str, str | float] = {"counted": LABELS[counted], "metric": metric}
            for name, scores in found.items():
                fair, authors = (
                    _values(scores, metric, counted, "fair"),
                    _values(scores, metric, counted, "authors"),
                )
                row[name] = round((sum(authors) - sum(fair)) / len(fair), 3)
            rows.append(row)
    return pl.DataFrame(rows)


def _untuned(history: History) -> pl.DataFrame:
    """Scores with default parameters, without TrueSkill, whose defaults are on another scale."""
    found = {
        name: measure(history, ratings_before(DEFAULTS[name], history), MAIN_READING)
        for name in ("Codeforces", "Topcoder", "Elo-MMR(ρ)")
    }
    rows = [
        {"metric": metric}
        | {name: round(getattr(one, metric.replace(" ", "_")), 2) for name, one in found.items()}
        for metric in METRICS
    ]
    return pl.DataFrame(rows)


def _chosen(found: Found) -> pl.DataFrame:
    rows = []
    for name, scores in found.items():
        for metric, system in zip(METRICS, scores[0].chosen, strict=True):
            given = ", ".join(f"{parameter} {getattr(system, parameter):g}" for parameter in GRIDS[name])
            rows.append((name, metric, given))
    return pl.DataFrame(rows, schema=["system", "chosen for", "parameters"], orient="row")


def _words(setting: Setting, found: Mapping[Reading, Found], ways: Sequence[Way], file: str) -> str:
    first, nearest = READINGS[0].sized(setting.quick), ways[0]
    read = f"""
    The printed synthetic row can be read in {len(ways)} ways that give different numbers: {len(READINGS)}
    readings of the set, {len(WHO)} of who is counted, and equal ratings counted half or as right, where these
    differ. {_nearness(nearest)} The farthest is {ways[-1].distance:.2f} away. (The nearest of many is nearer
    than a single guess would be: it says how the row may have been made, and confirms nothing.)
    """
    small = f"""
    The quick form has {first} in place of the paper's set, so that nothing here stands for its row.
    """
    leaks = leak(found[READINGS[0]])
    given_away = {
        label: max(abs(value) for row in part.drop("counted", "metric").rows() for value in row)
        for label in LABELS.values()
        for part in [leaks.filter(pl.col("counted") == label)]
    }
    return f"""
    As in the paper: for each system, set and metric the parameters are those of a grid that did best on the
    first 10% of the contests, and the number is that of the other 90%. The paper does not give its grid. Ours
    is small: {grid_in_words(setting.quick)}. Everybody starts at 1500, with a deviation of 350 where the
    system has one that is not in the grid. In the first tenth everybody is counted.

    Left out are "players who had {EXCLUDED.value}": of all contests of the set, or of those before the one
    predicted. The numbers take the latter, which leaves out newcomers, as the paper wants; the tables have
    both, and everyone. Where all play in all rounds, nobody has fewer than five contests after the first
    tenth, and these are one.
    {small if setting.quick else read}

    No system can beat the true skills but by luck: their column is what is left to gain. The authors' own
    TrueSkill has two defects (a factor √2 in its truncated moments, and messages that share one place), and
    nothing says whether the column was made with it.

    Equal ratings count half here. The authors' program counts them as right and lists them in the order of
    the standings; what that gives away on the first reading is in a table of its own: in
    percentage points at most {", ".join(f"{v:.3f} counting {who}" for who, v in given_away.items())}.

    {file}
    """


def _nearness(way: Way) -> str:
    """How well the nearest reading fits, in words."""
    right = sum(abs(apart) < 0.05 for apart in way.apart)
    return (
        f"The nearest to it, TrueSkill left out, is {way.reading}, counting {LABELS[way.who]}, with equal "
        f"ratings {TIES_IN_WORDS[way.ties]}: {way.distance:.2f} percentage points away on average and "
        f"{max(map(abs, way.apart)):.2f} at most, with {right} of {len(way.apart)} numbers as printed."
    )


def _file_words(theirs: Found, defaults: pl.DataFrame) -> str:
    """In words: who is ahead on the file, for each group of players, and what the search is worth."""
    said = []
    for who in WHO:
        order = sorted(theirs, key=lambda name: -_mean(theirs[name], "pairs right", who))
        said.append(f"counting {LABELS[who]}, {order[0]} is first and {order[-1]} last in pairs right")
    pairs = defaults.row(by_predicate=pl.col("metric") == "pairs right", named=True)
    better = [
        name
        for name in defaults.columns
        if name in theirs and pairs[name] > _mean(theirs[name], "pairs right", MAIN_READING)
    ]
    found = f"does worse later than the defaults do for {', '.join(better)}" if better else "is worth it"
    return (
        f"On the file, {'; '.join(said)}. Counting {LABELS[MAIN_READING]}, what was chosen on the first "
        f"tenth {found} (the defaults are in a table of their own)."
    )
