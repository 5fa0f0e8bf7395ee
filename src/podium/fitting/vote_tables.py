"""From a table of votes to `Votes`: which column means what, and what each cell means."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from podium.arrays import Bools, Floats, Ints, Longs
from podium.errors import InputError
from podium.files.kinds import Given
from podium.fitting.vote_files import file_frame, flat
from podium.fitting.vote_words import (
    COUNTS,
    IDENTITIES,
    LOSERS,
    OUTCOMES,
    TALLIES,
    TIMES,
    VOTERS,
    WINNERS,
    find_column,
    find_pair,
    outcome_of,
    outcomes_of_numbers,
    unusual_pair,
)
from podium.fitting.votes import Rankings, Votes, votes_of_history
from podium.history.history import Frame, History, is_frame
from podium.tables.dataframes import in_polars
from podium.tables.forms.date_formats import read_dates
from podium.tables.history_files import read_history
from podium.tables.rows.cells import flags
from podium.text import counted, did_you_mean, listed, shorten

ROLES = ("model_a", "model_b", "winner", "loser", "score_a", "score_b", "weight", "count", "time")
"""podium's names of the columns of votes."""
FLAGS = ("winner_model_a", "winner_tie", "winner_model_b")
"""Columns of which one is set, in the order of outcomes."""
MISSING = ("", "na", "n/a", "nan", "null")
"""Cells that hold nothing."""
MOST_VOTES = 100_000_000
"""Votes that rows with counts may stand for: more need more memory than a computer has."""


def read_votes(
    given: Given | Frame,
    *,
    covariates: Sequence[str] = (),
    judges: str | bool | None = None,
    cluster: str | None = None,
    columns: Mapping[str, str | None] | None = None,
) -> Votes | Rankings:
    """The votes of a table: a file (CSV, Parquet, JSON lines, a spreadsheet) or any dataframe.

    A table of results, such as contests with ranks, is read as `read_history` reads it, with its names of
    columns.
    """
    if {"player", "rank"} & (columns or {}).keys():  # columns of results, not of votes
        if any((covariates, judges, cluster)):
            raise InputError("rankings have no covariates, judges or clusters of columns")
        return _results(read_history(given, columns=dict(columns or {})), None)
    frame, source = (in_polars(given), None) if is_frame(given) else file_frame(given)
    asked = any((covariates, judges, cluster, columns))
    table = None if frame is None else _Table(flat(frame), source, dict(columns or {}))
    if table is None or not (asked or table.has_votes()):
        found = _votes_of_results(given, source)
        if found is not None:
            return found
        if table is None:
            raise InputError("this is not a table of votes or results", source=source, hint="use podium rate")
    return table.votes(covariates, judges, cluster)


def _votes_of_results(given: Given | Frame, source: str | None) -> Votes | Rankings | None:
    """The votes or rankings of a table of results; None if it is none, or can be read only once."""
    if not (is_frame(given) or isinstance(given, (str, os.PathLike))):
        return None
    try:
        history = read_history(given)
    except InputError:
        return None
    return _results(history, source)


def _results(history: History, source: str | None) -> Votes | Rankings:
    """The votes or rankings of results, with a note."""
    said = (
        f"{source + ': ' if source else ''}{counted(len(history), 'event')}, read as podium rate reads them."
    )
    votes = votes_of_history(history)
    return replace(votes, notes=(said, *votes.notes))


@dataclass(frozen=True)
class _Telling:
    """The columns that tell who won.

    Attributes:
        kind: "word", "score" (of the first side), "lost" (the score of the second side), "scores", "flags" or
            "tallies".
        columns: Their names.
        words: How they tell it.
    """

    kind: str
    columns: tuple[str, ...]
    words: str


class _Table:
    """A table of votes, with the columns that were found."""

    def __init__(self, frame: pl.DataFrame, source: str | None, given: dict[str, str | None]) -> None:
        self.frame, self.source, self.columns = frame, source, frame.columns
        self.row = np.arange(1, len(frame) + 1)
        if unknown := [role for role in given if role not in ROLES]:
            hint = did_you_mean(unknown[0], ROLES) or f"columns of votes are {listed(ROLES)}"
            raise InputError(f"{unknown[0]!r} is not a column of votes", source=source, hint=hint)
        self.given = {role: self.named(name) for role, name in given.items() if name is not None}
        self.left_out = {role for role, name in given.items() if name is None}

    def named(self, name: str) -> str:
        """A column of the table by its name."""
        found = name if name in self.columns else find_column(self.columns, (name,))
        if found is None:
            hint = did_you_mean(name, self.columns) or f"the columns are {listed(self.columns[:12])}"
            raise InputError(f"there is no column {name!r}", source=self.source, hint=hint)
        return found

    def found(self, role: str, names: tuple[str, ...]) -> str | None:
        """The column with a role, by what it was said to be called or by what people call it."""
        if role in self.left_out:
            return None
        return self.given.get(role) or find_column(self.columns, names)

    def has_votes(self) -> bool:
        """Whether there are columns of two sides, or of winner and loser."""
        pair = {"model_a", "model_b"} <= self.given.keys() or find_pair(self.columns) is not None
        return pair or (self.found("loser", LOSERS) is not None)

    def votes(self, covariates: Sequence[str], judges: str | bool | None, cluster: str | None) -> Votes:
        """The votes."""
        if not len(self.frame):
            raise InputError("there are no votes", source=self.source)
        loser = self.found("loser", LOSERS)
        winner = self.found("winner", WINNERS if loser else OUTCOMES)
        telling = None
        if loser is not None and winner is not None:
            first, second, said = winner, loser, f"{winner} and {loser}"
        else:
            first, second = self._sides()
            telling = self._telling(winner)
            said = f"{first} against {second}, {telling.words}"
        judge_column = self._judge_column(judges)
        cluster_column = None if cluster is None else self.named(cluster)
        weight, count = self.found("weight", ("weight",)), self.found("count", COUNTS)
        time, explaining = self.found("time", TIMES), self._explaining(covariates)
        needed = [first, second, *(telling.columns if telling else ()), weight, count, judge_column]
        needed += [cluster_column, *(column for pair in explaining.values() for column in pair)]
        notes = [self._left_out([name for name in needed if name is not None], first, second)]
        notes.append(self._repeated(time))
        outcome = np.zeros(len(self.frame), np.int32)
        if telling is not None:
            outcome = self._outcomes(telling, first, second)
        outcome = self._counted(telling, count, outcome)
        numbers, players = self._numbers(first, second)
        matrix, names = self._covariates(explaining)
        judge, judge_names = self._groups(judge_column)
        group, group_names = self._groups(cluster_column)
        used = [weight, count, time, judge_column, cluster_column]
        said += "".join(f", {name}" for name in dict.fromkeys(used) if name is not None)
        notes.insert(0, f"{self.source + ': ' if self.source else ''}votes; {said}.")
        if judge is None and group is None:
            notes.append(self._voters())
        return Votes(
            players,
            numbers[0],
            numbers[1],
            outcome,
            None if weight is None else self._weights(weight),
            matrix,
            names,
            judge,
            judge_names,
            group,
            group_names,
            None if time is None else self._times(time),
            tuple(note for note in notes if note),
        )

    # ------------------------------------------------------------------ columns

    def _sides(self) -> tuple[str, str]:
        if "model_a" in self.given and "model_b" in self.given:
            return self.given["model_a"], self.given["model_b"]
        if (found := find_pair(self.columns)) is not None:
            return found
        texts = [name for name in self.columns if not self._is_number(name)]
        return unusual_pair(self.columns, texts, self.source)

    def _telling(self, winner: str | None) -> _Telling:
        """The columns that tell who won."""
        a, b = self.found("score_a", ("score_a", "score_1")), self.found("score_b", ("score_b", "score_2"))
        single = [role for role in ("score_a", "score_b") if role in self.given]
        if len(single) == 1 and "winner" not in self.given:
            role, column = single[0], self.given[single[0]]
            side = "first" if role == "score_a" else "second"
            kind = "score" if role == "score_a" else "lost"
            return _Telling(kind, (column,), f"{column} is the score of the {side} side")
        if winner is not None and not (single and "winner" not in self.given):
            return _Telling("word", (winner,), f"{winner} names the winner")
        if a is not None and b is not None:
            return _Telling("scores", (a, b), f"the higher of {a} and {b} won")
        if a is not None:
            return _Telling("score", (a,), f"{a} is the score of the first side")
        marked = [find_column(self.columns, (name,)) for name in FLAGS]
        set_flags = tuple(name for name in marked if name is not None)
        if len(set_flags) == len(FLAGS):
            return _Telling("flags", set_flags, f"{listed(set_flags)} name the winner")
        won, tied, lost = (find_column(self.columns, names) for names in TALLIES)
        if won is not None and lost is not None:
            columns = (won, lost) if tied is None else (won, tied, lost)
            return _Telling("tallies", columns, f"{listed(columns)} count the votes")
        raise InputError(
            f"no column names the winner. The columns are {listed(self.columns[:12])}",
            source=self.source,
            hint="name it: columns={'winner': …}, or --column winner=…",
        )

    def _judge_column(self, judges: str | bool | None) -> str | None:
        if judges is not True:
            return self.named(judges) if isinstance(judges, str) else None
        found = find_column(self.columns, VOTERS)
        if found is None:
            raise InputError("no column names the judges", source=self.source, hint="judges='column'")
        return found

    # ------------------------------------------------------------------ rows

    def _take(self, rows: Longs) -> None:
        self.frame, self.row = self.frame[rows], self.row[rows]

    def _left_out(self, needed: list[str], first: str, second: str) -> str:
        """Leave out the rows that lack something or compare a player with itself; why, in a sentence."""
        reasons, kept = [], np.ones(len(self.frame), bool)
        for column in dict.fromkeys(needed):
            is_name = column in (first, second)  # a player may be called NA
            empty = (
                (self._text(column).fill_null("") == "").to_numpy() if is_name else self._is_missing(column)
            )
            empty = empty & kept
            if empty.any():
                reasons.append(f"{counted(int(empty.sum()), 'row')} without {column}")
            kept &= ~empty
        same = (self._text(first) == self._text(second)).fill_null(False).to_numpy() & kept
        if same.any():
            verb = "compare" if same.sum() > 1 else "compares"
            reasons.append(f"{counted(int(same.sum()), 'row')} that {verb} a player with itself")
        kept &= ~same
        if (rated := find_column(self.columns, ("rated", "is_rated"))) is not None:
            unrated = (~flags(self.frame[rated])).fill_null(False).to_numpy() & kept
            if unrated.any():
                verb = "were" if unrated.sum() > 1 else "was"
                reasons.append(f"{counted(int(unrated.sum()), 'row')} that {verb} not rated")
            kept &= ~unrated
        if not reasons:
            return ""
        if not kept.any():
            raise InputError(f"there are no votes, but {listed(reasons)}", source=self.source)
        self._take(np.flatnonzero(kept))
        return f"Left out: {listed(reasons)}."

    def _repeated(self, time: str | None) -> str:
        """Whether rows repeat others although something tells votes apart, in a sentence."""
        if time is None and find_column(self.columns, IDENTITIES) is None:
            return ""
        repeated = len(self.frame) - self.frame.n_unique()
        if not repeated:
            return ""
        verb = "repeats an earlier row" if repeated == 1 else "repeat earlier rows"
        return f"{counted(repeated, 'row')} {verb} in every column. They count as votes."

    def _voters(self) -> str:
        """The column that may name voters, in a sentence."""
        column = find_column(self.columns, VOTERS)
        if column is None or not 1 < self.frame[column].n_unique() < len(self.frame):
            return ""
        return (
            f"Votes of the same {column} may depend on each other. Intervals allow for that with "
            f"cluster={column!r} (--cluster {column})."
        )

    def _counted(self, telling: _Telling | None, count: str | None, outcome: Ints) -> Ints:
        """Repeat each row as many times as it stands for votes, with the outcomes of these votes."""
        rows, times = np.arange(len(self.frame)), None
        if telling is not None and telling.kind == "tallies":
            kinds = (0, 2) if len(telling.columns) == 2 else (0, 1, 2)
            times = np.concatenate([self._counts(column) for column in telling.columns])
            outcome = np.repeat(np.array(kinds, np.int32), len(rows))
            rows = np.tile(rows, len(kinds))
        elif count is not None:
            times = self._counts(count)
        if times is None:
            return outcome
        if (total := int(times.sum())) > MOST_VOTES:
            raise InputError(f"{total:,} votes are too many to count (at most {MOST_VOTES:,})")
        self._take(np.repeat(rows, times))
        return np.repeat(outcome, times)

    def _counts(self, column: str) -> Longs:
        counts = self._floats(column)
        bad = np.flatnonzero((counts < 0.0) | (counts != np.floor(counts)))
        if len(bad):
            raise self._row_error(
                int(bad[0]), f"{column} is {counts[bad[0]]:g}, which is not a number of votes"
            )
        return counts.astype(np.int64)

    # ------------------------------------------------------------------ who won

    def _outcomes(self, telling: _Telling, first: str, second: str) -> Ints:
        """Who won each vote."""
        columns = telling.columns
        if telling.kind == "word":
            return self._told(first, second, columns[0])
        if telling.kind == "scores":
            return np.asarray(np.sign(self._floats(columns[1]) - self._floats(columns[0])) + 1, np.int32)
        if telling.kind in ("score", "lost"):
            score = self._floats(columns[0])
            if score.min() < 0.0:  # such as −1, 0 and 1
                score = 0.5 + 0.5 * np.sign(score)
            if score.max() > 1.0:
                row = int(np.argmax(score))
                raise self._row_error(row, f"{columns[0]} is {score[row]:g}, and a score is at most 1")
            lost = np.sign(0.5 - score) if telling.kind == "score" else np.sign(score - 0.5)
            return np.asarray(lost + 1, np.int32)
        if telling.kind == "flags":
            marks = np.array([self._floats(name) for name in columns])
            wrong = np.flatnonzero((marks != 0).sum(axis=0) != 1)
            if len(wrong):
                raise self._row_error(int(wrong[0]), f"not exactly one of {listed(columns)} is set")
            return np.asarray(np.argmax(marks, axis=0), np.int32)
        return np.zeros(len(self.frame), np.int32)  # tallies are counted

    def _told(self, first: str, second: str, winner: str) -> Ints:
        """Outcomes by the word, the number or the name in a column."""
        said = self._text(winner)
        by_name = pl.when(said == self._text(first)).then(0).when(said == self._text(second)).then(2)
        named = pl.select(by_name.cast(pl.Int32)).to_series()
        words = said.filter(named.is_null()).unique().to_list()
        numbers = {word: number for word in words if (number := _number(word)) is not None}
        of_numbers = outcomes_of_numbers(set(numbers.values()))
        if of_numbers is None and len(numbers) < len(words) and len(numbers) == 1:
            of_numbers = dict.fromkeys(numbers.values(), 1)  # such as A, B and 0
        if of_numbers is None:
            shown = listed([f"{number:g}" for number in sorted(numbers.values())[:6]])
            raise InputError(
                f"{winner} is {shown}, which may mean several things",
                source=self.source,
                hint=f"--column score_a={winner} if more is better for the first side, --column "
                f"score_b={winner} if for the second",
            )
        meaning = {word: of_numbers[number] for word, number in numbers.items()}
        meaning |= {
            word: found for word in words if word not in meaning and (found := outcome_of(word)) is not None
        }
        codes = pl.select(
            pl.coalesce(named, said.replace_strict(meaning, default=None, return_dtype=pl.Int32))
        ).to_series()
        unknown = codes.is_null().arg_true()
        if len(unknown):
            raise self._row_error(
                int(unknown[0]),
                f"{winner} is {shorten(said[int(unknown[0])])!r}, which names no side",
                "it may be model_a, model_b, tie, tie (bothbad), or the name of one of the two",
            )
        return codes.to_numpy().astype(np.int32)

    # ------------------------------------------------------------------ cells

    def _text(self, column: str) -> pl.Series:
        return self.frame[column].cast(pl.String).str.strip_chars()

    def _is_missing(self, column: str, words: tuple[str, ...] = MISSING) -> Bools:
        text = self._text(column)
        return (text.is_null() | text.str.to_lowercase().is_in(words)).fill_null(True).to_numpy()

    def _numbers(self, first: str, second: str) -> tuple[tuple[Ints, Ints], tuple[str, ...]]:
        """The numbers of the sides, and the names."""
        both = pl.concat([self._text(first).alias("name"), self._text(second).alias("name")])
        names = both.unique(maintain_order=True)
        codes = both.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32)
        return (codes[: len(self.frame)], codes[len(self.frame) :]), tuple(names.to_list())

    def _floats(self, column: str) -> Floats:
        numbers = self.frame[column].cast(pl.Float64, strict=False)
        bad = (~numbers.is_finite()).fill_null(True).arg_true()
        if len(bad):
            cell = self.frame[column][int(bad[0])]
            raise self._row_error(int(bad[0]), f"{column} is {shorten(str(cell))!r}, which is not a number")
        return numbers.to_numpy().astype(np.float64)

    def _weights(self, column: str) -> Floats:
        weights = self._floats(column)
        if len(bad := np.flatnonzero(weights < 0.0)):
            raise self._row_error(
                int(bad[0]), f"{column} is {weights[bad[0]]:g}, and weights are not negative"
            )
        return weights

    def _times(self, column: str) -> Longs | None:
        """Times in microseconds; None where they cannot be read, which only the time check needs."""
        cells = self.frame[column]
        if cells.dtype.is_temporal():
            return cells.cast(pl.Datetime("us")).to_physical().fill_null(0).to_numpy().astype(np.int64)
        numbers = cells.cast(pl.Float64, strict=False)
        if numbers.null_count() == 0:
            unit = 1e6 if float(np.abs(numbers.to_numpy()).max()) < 1e11 else 1e3  # seconds, or milliseconds
            return np.asarray(numbers.to_numpy() * unit, np.int64)
        try:
            values = read_dates(cells.cast(pl.String), None).micros
        except InputError:
            return None
        return None if values.null_count() else values.to_numpy().astype(np.int64)

    def _groups(self, column: str | None) -> tuple[Ints | None, tuple[str, ...]]:
        if column is None:
            return None, ()
        text = self._text(column)
        names = text.unique(maintain_order=True)
        return text.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32), tuple(names.to_list())

    def _explaining(self, wanted: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The column of each covariate, or its two columns."""
        found: dict[str, tuple[str, ...]] = {}
        for name in wanted:
            if (single := find_column(self.columns, (name,))) is not None:
                if not self._is_number(single):
                    raise InputError(
                        f"{name} is text, and the same for both sides",
                        source=self.source,
                        hint="give a number, or one column for each side, such as language_a and language_b",
                    )
                found[name] = (single,)
                continue
            for ends in (("a", "b"), ("1", "2")):
                one, two = (self._of_side(name, end) for end in ends)
                if one is not None and two is not None:
                    found[name] = (one, two)
                    break
            else:
                self.named(name)  # refuses it
        return found

    def _of_side(self, name: str, end: str) -> str | None:
        """The column of a covariate for one side: the side is named at the end, or after any word."""
        if (found := find_column(self.columns, (f"{name}_{end}",))) is not None:
            return found
        breaks = [place.start() for place in re.finditer(r"[_.]", name)]
        return find_column(self.columns, tuple(f"{name[:at]}_{end}{name[at:]}" for at in reversed(breaks)))

    def _covariates(self, explaining: Mapping[str, tuple[str, ...]]) -> tuple[Floats | None, tuple[str, ...]]:
        """The numbers that may explain votes, and their names."""
        made: dict[str, Floats] = {}
        for name, columns in explaining.items():
            if len(columns) == 1:
                made[name] = self._floats(columns[0])
                continue
            one, two = columns
            if self._is_number(one) and self._is_number(two):
                made[name] = self._floats(one) - self._floats(two)
                continue
            left, right = self._text(one).alias("name"), self._text(two).alias("name")
            kinds = pl.concat([left, right]).value_counts(sort=True)["name"].to_list()
            for kind in kinds[1:]:  # the most common one is what others are compared with
                made[f"{name}={kind}"] = (left == kind).to_numpy().astype(float) - (right == kind).to_numpy()
        if not made:
            return None, ()
        return np.column_stack(list(made.values())), tuple(made)

    def _is_number(self, column: str) -> bool:
        cells = self.frame[column]
        if not self._is_missing(column).all() and cells.dtype == pl.String:
            cells = cells.filter(~pl.Series(self._is_missing(column)))
        return cells.cast(pl.Float64, strict=False).null_count() == cells.null_count()

    def _row_error(self, row: int, reason: str, hint: str | None = None) -> InputError:
        return InputError(reason, source=self.source, row=int(self.row[row]), hint=hint)


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None
