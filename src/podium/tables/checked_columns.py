"""The columns of a table, parsed and checked cell by cell; bad rows are noted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from podium.arrays import Bools, Floats, Ints, Longs
from podium.errors import InputError
from podium.history.events import LARGEST_WEIGHT, SMALLEST_WEIGHT
from podium.history.times import TIME_HINT
from podium.tables import cells
from podium.tables.aliases import Aliases
from podium.tables.defects import Defects, Source
from podium.tables.reading_notes import ReadingNotes
from podium.tables.shapes import ROW, ReadOptions
from podium.tables.tidy_names import tidy_name
from podium.text import shorten

TIMES_HINT = "give every event a time, or leave times out: columns={'time': None} or --column time="


class CheckedColumns:
    """Reads the columns of a table one by one; cells that cannot be read are collected in `defects`."""

    def __init__(
        self, frame: pl.DataFrame, source: Source, options: ReadOptions, notes: ReadingNotes
    ) -> None:
        self.frame = frame
        self.source = source
        self.options = options
        self.notes = notes
        self.aliases = Aliases.of(options.aliases)
        self.rows: Longs = frame[ROW].to_numpy().astype(np.int64)
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
        """A column parsed by one of the functions of `cells`."""
        try:
            return parse(self.frame[name])
        except InputError as error:
            raise self.source.error(error.reason) from error

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

    def players(self, *columns: str) -> tuple[Ints, list[str]]:
        """Columns in which every row needs a player, by name or alias; numbered as by `cells.factorize`."""
        codes, names = self.player_labels(*columns)
        self._check_given(codes, columns)
        return codes, names

    def _check_given(self, codes: Ints, columns: tuple[str, ...]) -> None:
        for i, column in enumerate(columns):
            self.check(codes[i :: len(columns)] < 0, partial(self._no_name, column))

    def _no_name(self, column: str, position: int) -> str:
        given = self.raw(column, position)
        return f"{column} is empty" if given is None else f"{column} is {given}, not a name"

    def labels(self, *columns: str) -> tuple[Ints, list[str]]:
        """Columns of optional names, numbered as by `cells.factorize`: −1 for an empty cell."""
        series = [self.parsed(name, cells.names) for name in columns]
        return cells.factorize(*series, tidy=not self.source.is_python)

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

    def numbers(self, name: str, where: Bools | None = None) -> Floats:
        """A column of numbers, NaN for an empty cell; others are defects in the rows of `where`."""
        parsed = self.parsed(name, cells.numbers)
        if parsed.null_count():
            unreadable = (parsed.is_null() & self._given(name)).to_numpy()
            unreadable = unreadable if where is None else unreadable & where
            self.check(unreadable, lambda p: f"{name} is {self.raw(name, p)!r}, not a number")
        return parsed.fill_null(np.nan).to_numpy()

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
            self.check(
                wrong.to_numpy(),
                lambda p: f"{name} is {self.shown(name, p)}, not yes or no",
                "write yes or no, true or false, 1 or 0",
            )
        return parsed.fill_null(value=bool(empty)).to_numpy().astype(np.bool_)

    # ------------------------------------------------------------------ columns of events

    def times(self) -> Longs | None:
        """The column time in microseconds since 1970 UTC; None if no row has a time."""
        if "time" not in self or self.frame["time"].null_count() == len(self):
            return None
        parsed = self.parsed("time", cells.times)
        if parsed.null_count():
            given = self._given("time").to_numpy()
            if not given.any():
                return None
            unread = parsed.is_null().to_numpy()
            self.check(unread & given, lambda p: f"{self.shown('time', p)} is not a time", TIME_HINT)
            self.check(~given, "time is empty, though other rows have one", TIMES_HINT)
        times: Longs = parsed.fill_null(0).to_numpy()
        return times

    def weights(self) -> Floats | None:
        """The column weight; an empty cell means 1."""
        if "weight" not in self:
            return None
        weight = self.numbers("weight")
        weight = np.where(np.isnan(weight), 1.0, weight)
        self.check(
            ~((weight >= SMALLEST_WEIGHT) & (weight <= LARGEST_WEIGHT)),
            lambda p: f"weight is {weight[p]:g}; it must be from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}",
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


def unless_all(values: Any, default: float | bool) -> Any:
    """The column, or None if all its values are the default."""
    return None if values is None or np.all(values == default) else values
