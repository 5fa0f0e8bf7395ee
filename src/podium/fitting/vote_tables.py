"""From a table of votes to `Votes`: which column means what, and what each cell means."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from podium.arrays import Floats, Ints, Longs
from podium.errors import InputError
from podium.files.kinds import Given
from podium.fitting.vote_words import OUTCOMES, TIMES, find_column, find_pair, find_sides, outcome_of
from podium.fitting.votes import Rankings, Votes, votes_of_history
from podium.history.history import Frame, is_frame
from podium.tables.columns.shapes import ROW, ReadOptions
from podium.tables.dataframes import in_polars
from podium.tables.forms.date_formats import read_dates
from podium.tables.history_files import read_history
from podium.tables.reading_notes import ReadingNotes
from podium.tables.sources.given_files import readable
from podium.tables.sources.table_files import table_in
from podium.text import counted, did_you_mean, listed, shorten

ROLES = ("model_a", "model_b", "winner", "loser", "score_a", "score_b", "weight", "time")
"""podium's names of the columns of votes."""


def read_votes(
    given: Given | Frame,
    *,
    covariates: Sequence[str] = (),
    judges: str | bool | None = None,
    cluster: str | None = None,
    columns: Mapping[str, str | None] | None = None,
) -> Votes | Rankings:
    """The votes of a table: a file (CSV, Parquet, JSON lines, a spreadsheet) or any dataframe.

    A table of results, such as contests with ranks, is read as `read_history` reads it.
    """
    frame, source = (in_polars(given), None) if is_frame(given) else _file_frame(given)
    asked = any((covariates, judges, cluster, columns))
    table = None if frame is None else _Table(_flat(frame), source, dict(columns or {}))
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
    said = (
        f"{source + ': ' if source else ''}{counted(len(history), 'event')}, read as podium rate reads them."
    )
    return replace(votes_of_history(history), notes=(said,))


def _file_frame(given: Any) -> tuple[pl.DataFrame | None, str]:
    """The table in a file, and the file's name; no table if it is JSON or PGN."""
    options = ReadOptions()
    with readable(given, options) as file:
        if file.kind.format in ("json", "pgn"):
            return None, file.name
        table = table_in(file, options, ReadingNotes(file.name), lambda cells: len(cells) > 1)
        if file.kind.format == "ndjson":  # fields inside fields are columns too
            try:
                return pl.read_ndjson(file.path, infer_schema_length=None), file.name
            except pl.exceptions.PolarsError as error:
                reason = str(error).partition("\n")[0]
                raise InputError(f"not readable as JSON lines: {reason}", source=file.name) from error
        names = list(table.columns)
        frames = [frame.drop(ROW, strict=False) for frame in table.frames({name: name for name in names})]
        if not frames:
            raise InputError("there are no votes", source=file.name)
        return pl.concat(frames), file.name


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Fields inside fields as columns such as `judge.language`; lists are left out."""
    while nested := [name for name, kind in frame.schema.items() if isinstance(kind, pl.Struct)]:
        for name in nested:
            inner = frame[name].struct.unnest()
            inner = inner.rename({field: f"{name}.{field}" for field in inner.columns})
            frame = frame.drop(name).hstack(inner)
    return frame.select(
        name for name, kind in frame.schema.items() if not isinstance(kind, (pl.List, pl.Array))
    )


class _Table:
    """A table of votes, with the columns that were found."""

    def __init__(self, frame: pl.DataFrame, source: str | None, given: dict[str, str | None]) -> None:
        self.frame, self.source, self.columns = frame, source, frame.columns
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
        return pair or (self.found("loser", ("loser",)) is not None)

    def votes(self, covariates: Sequence[str], judges: str | bool | None, cluster: str | None) -> Votes:
        """The votes."""
        if not len(self.frame):
            raise InputError("there are no votes", source=self.source)
        loser = self.found("loser", ("loser",))
        winner = self.found("winner", ("winner", "winner_name") if loser else OUTCOMES)
        if loser is not None and winner is not None:
            first, second, outcome = winner, loser, np.zeros(len(self.frame), np.int32)
            said = f"{winner} and {loser}"
        else:
            first, second = self._sides()
            outcome, said = self._outcomes(first, second, winner)
            said = f"{first} against {second}, {said}"
        numbers, players = self._numbers(first, second)
        same = np.flatnonzero(numbers[0] == numbers[1])
        if len(same):
            raise self._row_error(int(same[0]), f"{players[numbers[0][same[0]]]!r} is compared with itself")
        matrix, names = self._covariates(covariates)
        judge_column = self.named(judges) if isinstance(judges, str) else None
        if judges is True:
            judge_column = find_column(
                self.columns, ("judge", "judge_id", "rater", "annotator", "user", "voter")
            )
            if judge_column is None:
                raise InputError("no column names the judges", source=self.source, hint="judges='column'")
        judge, judge_names = self._groups(judge_column)
        group, group_names = self._groups(None if cluster is None else self.named(cluster))
        weight_column, time_column = self.found("weight", ("weight",)), self.found("time", TIMES)
        used = [weight_column, time_column, judge_column, *([] if cluster is None else [cluster])]
        said += "".join(f", {name}" for name in used if name is not None)
        note = f"{self.source + ': ' if self.source else ''}votes; {said}."
        return Votes(
            players,
            numbers[0],
            numbers[1],
            outcome,
            None if weight_column is None else self._weights(weight_column),
            matrix,
            names,
            judge,
            judge_names,
            group,
            group_names,
            None if time_column is None else self._times(time_column),
            (note,),
        )

    def _sides(self) -> tuple[str, str]:
        if "model_a" in self.given and "model_b" in self.given:
            return self.given["model_a"], self.given["model_b"]
        return find_sides(self.columns, self.source)

    def _numbers(self, first: str, second: str) -> tuple[tuple[Ints, Ints], tuple[str, ...]]:
        """The numbers of the sides, and the names."""
        both = pl.concat([self._names(first), self._names(second)])
        names = both.unique(maintain_order=True)
        codes = both.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32)
        return (codes[: len(self.frame)], codes[len(self.frame) :]), tuple(names.to_list())

    def _names(self, column: str) -> pl.Series:
        text = self.frame[column].cast(pl.String).str.strip_chars()
        empty = (text.is_null() | (text == "")).arg_true()
        if len(empty):
            raise self._row_error(int(empty[0]), f"{column} is empty")
        return text.alias("name")

    def _outcomes(self, first: str, second: str, winner: str | None) -> tuple[Ints, str]:
        """Who won each vote, and the words for how that was told."""
        a, b = self.found("score_a", ("score_a", "score_1")), self.found("score_b", ("score_b", "score_2"))
        if winner is not None:
            return self._told(first, second, winner), f"{winner} names the winner"
        if a is not None and b is not None:
            difference = self._floats(b) - self._floats(a)
            return (np.sign(difference) + 1).astype(np.int32), f"the higher of {a} and {b} won"
        flags = [
            find_column(self.columns, (name,)) for name in ("winner_model_a", "winner_tie", "winner_model_b")
        ]
        if None not in flags:
            marks = np.array([self._floats(str(name)) for name in flags])
            wrong = np.flatnonzero((marks != 0).sum(axis=0) != 1)
            if len(wrong):
                raise self._row_error(
                    int(wrong[0]), f"not exactly one of {listed([str(f) for f in flags])} is set"
                )
            return np.argmax(marks, axis=0).astype(
                np.int32
            ), f"{listed([str(f) for f in flags])} name the winner"
        raise InputError(
            f"no column names the winner. The columns are {listed(self.columns[:12])}",
            source=self.source,
            hint="name it: columns={'winner': …}, or --column winner=…",
        )

    def _told(self, first: str, second: str, winner: str) -> Ints:
        """Outcomes by the word or the name in a column."""
        said = self.frame[winner].cast(pl.String)
        words = [word for word in said.unique().to_list() if word is not None]
        meaning = {word: found for word in words if (found := outcome_of(word)) is not None}
        codes = said.replace_strict(meaning, default=None, return_dtype=pl.Int32)
        stripped = said.str.strip_chars()
        by_name = (
            pl.when(stripped == self._names(first)).then(0).when(stripped == self._names(second)).then(2)
        )
        codes = pl.select(pl.coalesce(by_name, codes).cast(pl.Int32)).to_series()
        unknown = codes.is_null().arg_true()
        if len(unknown):
            word = said[int(unknown[0])]
            raise self._row_error(
                int(unknown[0]),
                f"{winner} is empty"
                if word is None
                else f"{winner} is {shorten(word)!r}, which names no side",
                "it may be model_a, model_b, tie, tie (bothbad), or the name of one of the two",
            )
        return codes.to_numpy().astype(np.int32)

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
        text = self.frame[column].cast(pl.String)
        if text.null_count():
            raise self._row_error(int(text.is_null().arg_true()[0]), f"{column} is empty")
        names = text.unique(maintain_order=True)
        return text.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int32), tuple(names.to_list())

    def _covariates(self, wanted: Sequence[str]) -> tuple[Floats | None, tuple[str, ...]]:
        """The numbers that may explain votes, and their names."""
        made: dict[str, Floats] = {}
        for name in wanted:
            if (single := find_column(self.columns, (name,))) is not None:
                if self.frame[single].dtype == pl.String and single == name and not self._is_number(single):
                    raise InputError(
                        f"{name} is text, and the same for both sides",
                        source=self.source,
                        hint="give a number, or one column for each side, such as language_a and language_b",
                    )
                made[name] = self._floats(single)
                continue
            pair = [
                (find_column(self.columns, (f"{name}_{a}",)), find_column(self.columns, (f"{name}_{b}",)))
                for a, b in (("a", "b"), ("1", "2"))
            ]
            one, two = next(((a, b) for a, b in pair if a and b), (None, None))
            if one is None or two is None:
                self.named(name)
                raise AssertionError  # `named` refuses it
            if self._is_number(one) and self._is_number(two):
                made[name] = self._floats(one) - self._floats(two)
                continue
            left, right = self._names(one), self._names(two)
            kinds = pl.concat([left, right]).value_counts(sort=True)["name"].to_list()
            for kind in kinds[1:]:  # the most common one is what others are compared with
                made[f"{name}={kind}"] = (left == kind).to_numpy().astype(float) - (right == kind).to_numpy()
        if not made:
            return None, ()
        return np.column_stack(list(made.values())), tuple(made)

    def _is_number(self, column: str) -> bool:
        return (
            self.frame[column].cast(pl.Float64, strict=False).null_count() == self.frame[column].null_count()
        )

    def _row_error(self, row: int, reason: str, hint: str | None = None) -> InputError:
        return InputError(reason, source=self.source, row=row + 1, hint=hint)
