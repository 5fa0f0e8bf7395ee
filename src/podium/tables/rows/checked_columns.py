"""The columns of a table, parsed and checked cell by cell; bad rows are noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from podium.arrays import DAY, Bools, Floats, Ints, Longs
from podium.errors import InputError
from podium.history.events import LARGEST_WEIGHT, SMALLEST_WEIGHT
from podium.history.names import Names, tidy_name
from podium.history.times import TIME_HINT
from podium.tables.columns.shapes import ROW, ReadOptions
from podium.tables.forms.date_formats import read_clocks
from podium.tables.forms.number_formats import FINISHED, NO_MARK, Marks, UnclearCellError, read_marks
from podium.tables.names.aliases import Aliases
from podium.tables.names.player_numbers import PlayerNumbers, UnsettledNamesError, of_nobody
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows import cells
from podium.tables.rows.defects import Defects, RowNumbers, Source
from podium.text import joined_sentences, shorten

TIMES_HINT = "give every event a time, or leave times out: columns={'time': None} or --column time="

UNPLAYED = (
    *("na", "n/a", "#n/a", "null", "none", "nan", "-", "–", "—", "--", "-:-", "- : -", "?", "vs"),
    *("postponed", "postp", "postp.", "ppd", "p-p", "a-a", "cancelled", "canceled", "canc", "canc."),
    *("abandoned", "abd", "suspended", "delayed", "void", "walkover", "w/o", "wo", "bye", "tbd", "tba"),
    *("unplayed", "not played", "scheduled", "verlegt", "abgesagt", "ausgefallen", "aplazado", "reporté"),
)
"""What stands where the result of a match would, in small letters, if there is none."""
_FINISHED_HINT = "write yes or no, true or false, 1 or 0, or a mark such as DNF, DSQ or DNS"
CLOCK_HINT = (
    "a column date and a column time are the day and the time of day, such as 20:00. Name the column of the "
    "events' times: --column time=date (columns={'time': 'date'} in Python)"
)


class CheckedColumns:
    """Reads the columns of a table one by one; cells that cannot be read are collected in `defects`."""

    def __init__(
        self,
        frame: pl.DataFrame,
        source: Source,
        options: ReadOptions,
        notes: ReadingNotes,
        numbers: PlayerNumbers | None = None,
    ) -> None:
        self.frame = frame
        self.source = source
        self.options = options
        self.notes = notes
        self.aliases = Aliases.of(options.aliases)
        self._numbers = numbers
        self.rows: RowNumbers = frame[ROW].to_numpy()
        self.defects = Defects(self.rows, source, skip=options.skip)
        self.event_at: Callable[[int], str | None] | None = None
        """The name of the event a row belongs to, for messages, once it is known."""

    def __len__(self) -> int:
        return len(self.frame)

    def __contains__(self, column: str) -> bool:
        return column in self.frame.columns

    def check(self, bad: Bools, reason: str | Callable[[int], str], hint: str | None = None) -> None:
        """Record the rows marked in `bad` as defects; `reason` and `hint` go into the error."""
        self.defects.check(bad, reason, hint=hint, event=self.event_at)

    def parsed(self, name: str, parse: Callable[[pl.Series], pl.Series]) -> pl.Series:
        """A column read by one of the functions of `cells` or methods of `CellForms`."""
        return parsed_column(self.frame[name], parse, self.rows, self.source, self.event_at)

    def raw(self, name: str, position: int) -> str | None:
        """The content of a cell as text for a message; None if it is empty."""
        value = self.frame[name][position]
        if value is None or value != value or (isinstance(value, str) and not value.strip()):
            return None
        return shorten(str(value))

    def shown(self, name: str, position: int) -> str:
        """The content of a cell in quotes for a message, or the word "empty"."""
        value = self.raw(name, position)
        return "empty" if value is None else repr(value)

    # ------------------------------------------------------------------ kinds of columns

    def names(self, *columns: str) -> tuple[Ints, list[str]]:
        """Columns in which every row needs a name, numbered as by `cells.factorize`."""
        codes, names = self.labels(*columns)
        self._check_given(codes, columns)
        return codes, names

    def players(self, *columns: str) -> tuple[Ints, Sequence[str]]:
        """Columns in which every row needs a player, by name or alias; numbered as by `cells.factorize`.

        The names are those of `PlayerNumbers` if it could number the cells, with players of earlier pieces
        among them.
        """
        if self._numbers is not None:
            series = [self.parsed(name, cells.names) for name in columns]
            if (found := self._numbers.of(series)) is not None:
                return found, self._numbers.names
        codes, names = self.player_labels(*columns)
        self._check_given(codes, columns)
        return codes, names

    def may_be_nobody(self, codes: Ints, names: Sequence[str]) -> Bools:
        """For each code of a player, whether the name may mean nobody, such as BYE; in Python none does."""
        if self.source.is_python or isinstance(names, Names):
            return np.zeros(len(codes), np.bool_)
        return of_nobody(codes, names, () if self.aliases is None else self.aliases.own_names)

    def nobody(self, codes: Ints, names: Sequence[str]) -> Bools:
        """For each code of a player, whether the name is none in this table."""
        found = self.may_be_nobody(codes, names)
        if not found.any():
            return found
        if self.notes.namesakes is None:
            raise UnsettledNamesError
        return found & of_nobody(codes, names, self.notes.namesakes)

    def _check_given(self, codes: Ints, columns: tuple[str, ...]) -> None:
        for i, column in enumerate(columns):
            self.check(codes[i :: len(columns)] < 0, partial(self._no_name, column))

    def _no_name(self, column: str, position: int) -> str:
        given = self.raw(column, position)
        return f"{column} is empty" if given is None else f"{column} is {given}, not a name"

    def labels(self, *columns: str) -> tuple[Ints, list[str]]:
        """Columns of optional names, numbered as by `cells.factorize`: −1 for an empty cell."""
        series = [self.parsed(name, cells.names) for name in columns]
        return cells.factorize(*series)

    def player_labels(self, *columns: str) -> tuple[Ints, list[str]]:
        """Columns of optional players, by name or alias; numbered as by `cells.factorize`."""
        codes, names = self.labels(*columns)
        return (codes, names) if self.aliases is None else cells.merge(codes, self.aliases.applied(names))

    def spelling(self, column: str, row: int, name: str) -> str:
        """How the cell of a row writes a player's name, for a message."""
        text = str(self.frame[column][int(np.flatnonzero(self.rows == row)[0])])
        return text if self.player_meant(text) == name else name

    def player_meant(self, text: str) -> str:
        """The player whom a name or an alias in a cell means."""
        name = tidy_name(text)
        return name if self.aliases is None else self.aliases.player(name)

    def numbers(self, name: str, unplayed: str | None = None) -> Floats:
        """A column of numbers, NaN for an empty cell; others are defects.

        `unplayed` is the hint for cells that say in words that there is no number.
        """
        options, forms = self.options, self.notes.forms
        parsed = self.parsed(name, lambda column: forms.numbers(name, column, options.decimal))
        values: Floats = parsed.fill_null(np.nan).to_numpy()
        unread = self._unread(name, values)
        if unplayed is not None and unread.any():
            words = self.frame[name].cast(pl.String).str.strip_chars().str.to_lowercase()
            self.check(
                unread & words.is_in(UNPLAYED).fill_null(value=False).to_numpy(),
                lambda p: f"{name} is {self.raw(name, p)!r}",
                unplayed,
            )
        self.check_numbers(name, values)
        return values

    def leave_out_hint(self, name: str) -> str | None:
        """How to leave a column out that is called like one of podium's, and may be something else."""
        if self.notes.columns is None or name in self.options.columns:
            return None
        theirs = shorten(self.notes.columns.theirs.get(name, name))
        return f"if {theirs!r} is something else, leave it out: --column {name}= (columns={{{name!r}: None}})"

    def check_numbers(self, name: str, values: Floats, where: Bools | None = None) -> None:
        """Cells that hold something, but no number, are defects in the rows of `where`."""
        unread = self._unread(name, values)
        may_be_other = name == "weight" or (name == "rank" and self.notes.is_guessed(name))
        self.check(
            unread if where is None else unread & where,
            lambda p: f"{name} is {self.raw(name, p)!r}, not a number",
            self.leave_out_hint(name) if may_be_other else None,
        )

    def _unread(self, name: str, values: Floats) -> Bools:
        """The cells that hold something, but not what was read from the column."""
        empty = np.isnan(values)
        return empty & self._given(name).to_numpy() if empty.any() else empty

    def ranks(self) -> Floats:
        """The column rank, NaN where a cell holds none."""
        values: Floats = self.parsed("rank", cells.ranks).fill_null(np.nan).to_numpy()
        return values

    def scores(self, finished: Bools) -> Floats:
        """The column score, NaN where a cell holds none; durations are seconds."""
        decimal, forms, counted = self.options.decimal, self.notes.forms, pl.Series(finished)
        parsed = self.parsed("score", lambda column: forms.scores(column, decimal, counted))
        values: Floats = parsed.fill_null(np.nan).to_numpy()
        return values

    def marks(self, name: str, values: Floats) -> Marks:
        """The marks, such as DNF, in the cells of a column in which nothing else could be read."""
        marks = np.full(len(self), NO_MARK, np.int8)
        odd = np.flatnonzero(self._unread(name, values))
        if len(odd) and cells.is_text(self.frame[name]):
            marks[odd] = read_marks(self.frame[name].gather(odd).cast(pl.String))
        return marks

    def empty(self, name: str) -> Bools:
        """The rows in which nothing stands in a column."""
        return ~self._given(name).to_numpy()

    def _given(self, name: str) -> pl.Series:
        """For each cell, whether it is not empty."""
        column = self.frame[name]
        if column.dtype == pl.String:
            return (column.str.strip_chars() != "").fill_null(value=False)
        return (column.is_not_nan() if column.dtype.is_float() else column.is_not_null()).fill_null(
            value=False
        )

    def flags(self, name: str, *, default: bool, empty: bool | None) -> Bools:
        """A column of yes or no; an empty cell means `empty`, or is a defect if that is None."""
        if name not in self:
            return np.full(len(self), default)
        parsed = self.parsed(name, cells.flags)
        if parsed.null_count():
            wrong = parsed.is_null() if empty is None else parsed.is_null() & self._given(name)
            self._check_flags(name, wrong.to_numpy(), "write yes or no, true or false, 1 or 0")
        return parsed.fill_null(value=bool(empty)).to_numpy().astype(np.bool_)

    def _check_flags(self, name: str, wrong: Bools, hint: str) -> None:
        if (otherwise := self.leave_out_hint(name)) is not None:
            hint = joined_sentences([hint, otherwise])
        self.check(wrong, lambda p: f"{name} is {self.shown(name, p)}, not yes or no", hint)

    def finished(self) -> tuple[Bools, Marks]:
        """The column finished: yes or no, or a mark such as DNF; everybody finished where there is none."""
        if "finished" not in self:
            return np.ones(len(self), np.bool_), np.full(len(self), NO_MARK, np.int8)
        parsed = self.parsed("finished", partial(cells.flags, yes=FINISHED))
        values: Floats = parsed.cast(pl.Float64).fill_null(np.nan).to_numpy()
        marks = self.marks("finished", values)
        self._check_flags("finished", np.isnan(values) & (marks == NO_MARK), _FINISHED_HINT)
        return values == 1.0, marks

    # ------------------------------------------------------------------ columns of events

    def times(self) -> Longs | None:
        """The column time in microseconds since 1970 UTC; None if no row has a time."""
        if "time" not in self or self.frame["time"].null_count() == len(self):
            return None
        forms, time_format = self.notes.forms, self.options.time_format
        parsed = self.parsed("time", lambda column: forms.times(column, time_format))
        if parsed.null_count():
            given = self._given("time").to_numpy()
            if not given.any():
                return None
            unread = parsed.is_null().to_numpy() & given
            if unread.any():
                first = str(self.frame["time"][int(np.argmax(unread))])
                self.check(
                    unread,
                    lambda p: no_time(self.shown("time", p), time_format),
                    time_hint(first, time_format),
                )
            hint = f"write the date in each row, or {TIMES_HINT}"
            self.check(~given, "time is empty, though other rows have one", hint)
        times: Longs = parsed.fill_null(0).to_numpy()
        return times if "clock" not in self else times + self._clocks(times)

    def _clocks(self, times: Longs) -> Longs:
        """The column clock, the time of day, in microseconds since midnight; an empty cell is midnight."""
        parsed = self.parsed("clock", read_clocks)
        given = self._given("clock").to_numpy()
        self.check(
            parsed.is_null().to_numpy() & given,
            lambda p: f"{self.shown('clock', p)} is not a time of day",
            CLOCK_HINT,
        )
        self.check(
            given & (times % DAY != 0),
            lambda p: f"there are two times of day, {self.shown('time', p)} and {self.shown('clock', p)}",
            CLOCK_HINT,
        )
        clocks: Longs = parsed.fill_null(0).to_numpy()
        return clocks

    def look_at_events(self) -> None:
        """Find out how the columns that belong to events are written."""
        self.times(), self.weights(), self.ceilings()

    def weights(self) -> Floats | None:
        """The column weight; an empty cell means 1, which is said."""
        if "weight" not in self:
            return None
        weight = self.numbers("weight")
        empty = np.isnan(weight)
        if empty.any():
            self.notes.guess("an empty weight counts as 1")
        weight = np.where(empty, 1.0, weight)
        self.check(
            ~((weight >= SMALLEST_WEIGHT) & (weight <= LARGEST_WEIGHT)),
            lambda p: f"weight is {weight[p]:g}, and must be from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}",
            self.leave_out_hint("weight"),
        )
        return weight

    def ceilings(self) -> Floats | None:
        """The column ceiling; an empty cell means no ceiling, which is infinite."""
        if "ceiling" not in self:
            return None
        ceiling = self.numbers("ceiling")
        ceiling = np.where(np.isnan(ceiling), np.inf, ceiling)
        self.check(ceiling == -np.inf, "ceiling is −∞: no performance can be shown")
        return ceiling


def parsed_column(
    column: pl.Series,
    parse: Callable[[pl.Series], pl.Series],
    rows: RowNumbers,
    source: Source,
    event_at: Callable[[int], str | None] | None = None,
) -> pl.Series:
    """A column read by `parse`; if that refuses it, the error says where."""
    try:
        return parse(column)
    except UnclearCellError as error:
        place = "" if error.other is None else source.place(int(rows[error.other]))
        raise source.error(
            error.reason.replace("{other}", place),
            row=int(rows[error.position]),
            event=None if event_at is None else event_at(error.position),
            hint=error.hint,
        ) from error
    except InputError as error:
        raise source.error(error.reason) from error


def no_time(shown: str, time_format: str | None) -> str:
    """What is wrong with a cell that is no time."""
    return f"{shown} is not a time" if time_format is None else f"{shown} is not a time like {time_format}"


def time_hint(cell: str, time_format: str | None) -> str:
    """What to do about a cell that is no time."""
    if time_format is not None:
        return "write all times in that format, or give another: --time-format (time_format= in Python)"
    if re.fullmatch(r"\s*(18|19|20|21)\d\d(\.0)?\s*", cell):
        return f"{TIME_HINT}. If these are years: --time-format %Y (time_format='%Y' in Python)"
    return f"{TIME_HINT}, or give the format of times: --time-format %d/%m/%Y (time_format= in Python)"


def unless_all(values: Any, default: float | bool) -> Any:
    """The column, or None if all its values are the default."""
    return None if values is None or np.all(values == default) else values
