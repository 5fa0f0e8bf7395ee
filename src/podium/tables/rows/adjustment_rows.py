"""Rows of a table that are adjustments: told from results, read, and placed among the events around them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from podium.arrays import DAY, NO_TIME, Longs
from podium.errors import InputError
from podium.history.adjustments import COLUMNS as ADJUSTMENT_COLUMNS
from podium.history.adjustments import Placed, make_adjustment
from podium.history.history import Skipped
from podium.history.names import tidy_name
from podium.tables.columns.shapes import ROW, ReadOptions, Shape
from podium.tables.forms.cell_forms import CellForms
from podium.tables.forms.date_formats import read_clocks
from podium.tables.names.aliases import Aliases
from podium.tables.rows.checked_columns import CLOCK_HINT, no_time, parsed_column, time_hint
from podium.tables.rows.defects import Source, TablePart
from podium.text import shorten


@dataclass(frozen=True)
class AdjustmentRows:
    """The adjustments of a table with the rows they stand on, and the bad rows among them."""

    found: list[tuple[int, Placed]]
    skipped: list[tuple[int, Skipped]]

    def placed_in(self, part: TablePart, latest: int) -> TablePart:
        """Add the adjustments to the part made from the results of the same table.

        One without a time happened when the latest event before it did, in this part of the table or, at
        `latest`, in an earlier one.
        """
        placed = []
        times = np.maximum.accumulate(part.history.time)
        for row, item in self.found:
            before = int(np.searchsorted(part.first_rows, row, "left"))
            time = item.time
            if time == NO_TIME:
                time = max(latest, int(times[before - 1]) if before else NO_TIME)
            placed.append(replace(item, before=before, time=time))
            placed[-1].register(part.history.players)
        history = replace(part.history, adjustments=tuple(placed))
        return replace(
            part,
            history=history,
            skipped=[*self.skipped, *part.skipped],
            adjustment_rows=tuple(row for row, _ in self.found),
        )


def split_adjustments(
    frame: pl.DataFrame, shape: Shape, source: Source, options: ReadOptions, forms: CellForms
) -> tuple[pl.DataFrame, AdjustmentRows]:
    """Split a table into the rows that are results and the adjustments among them."""
    kind = frame["adjustment"].cast(pl.String).str.strip_chars().str.to_lowercase()
    marked = (kind != "").fill_null(value=False)
    if shape == "adjustments":
        marked = marked | True
    rows = frame.with_columns(kind.fill_null("").alias("adjustment")).filter(marked)
    found: list[tuple[int, Placed]] = []
    skipped: list[tuple[int, Skipped]] = []
    aliases = Aliases.of(options.aliases)
    moments = _moments(frame, source, options, forms).filter(marked).to_list()
    clocks = _clocks(rows)
    numbers = _numbers(rows, source, options, forms).rows(named=True)
    for row, given, time, clock in zip(rows.rows(named=True), numbers, moments, clocks, strict=True):
        try:
            placed = replace(_placed(row, given, time, options, aliases), where=source.where(row[ROW]))
            found.append((row[ROW], placed if clock == 0 else _at_clock(placed, row, clock)))
        except InputError as error:
            if not options.skip:
                raise source.error(error.reason, row=row[ROW], hint=error.hint) from error
            skipped.append((row[ROW], source.skipped(row[ROW], error.reason)))
    return frame.filter(~marked), AdjustmentRows(found, skipped)


def _moments(frame: pl.DataFrame, source: Source, options: ReadOptions, forms: CellForms) -> pl.Series:
    """The times of all rows: results and adjustments together tell how dates are written."""
    if "time" not in frame.columns:
        return pl.Series([None], dtype=pl.Int64).new_from_index(0, len(frame))
    return parsed_column(
        frame["time"], lambda column: forms.times(column, options.time_format), _row_numbers(frame), source
    )


def _clocks(rows: pl.DataFrame) -> list[int | None]:
    """The times of day in microseconds: 0 where a cell is empty, None where it holds something else."""
    if "clock" not in rows.columns:
        return [0] * len(rows)
    clocks = read_clocks(rows["clock"]).to_list()
    return [0 if _name(cell) is None else clock for cell, clock in zip(rows["clock"], clocks, strict=True)]


def _at_clock(placed: Placed, row: dict[str, Any], clock: int | None) -> Placed:
    """The adjustment at this time of day."""
    if clock is None:
        raise InputError(f"{shorten(str(row['clock']))!r} is not a time of day", hint=CLOCK_HINT)
    if placed.time == NO_TIME or placed.time % DAY:
        reason = "no day" if placed.time == NO_TIME else "another time of day"
        raise InputError(
            f"there is {reason} in addition to the time of day {row['clock']!r}", hint=CLOCK_HINT
        )
    return replace(placed, time=placed.time + clock)


def _numbers(rows: pl.DataFrame, source: Source, options: ReadOptions, forms: CellForms) -> pl.DataFrame:
    """The numbers that belong to adjustments, null where a cell holds none."""

    def read(column: pl.Series) -> pl.Series:
        return forms.numbers(column.name, column, options.decimal)

    names = [name for name in ADJUSTMENT_COLUMNS if name != "into" and name in rows.columns]
    return rows.select(ROW, *(parsed_column(rows[name], read, _row_numbers(rows), source) for name in names))


def _row_numbers(frame: pl.DataFrame) -> Longs:
    return frame[ROW].to_numpy().astype(np.int64)


def _placed(
    row: dict[str, Any],
    numbers: dict[str, Any],
    time: int | None,
    options: ReadOptions,
    aliases: Aliases | None,
) -> Placed:
    """The adjustment on a row, its place still open; what is no number stays text, to be refused by name."""
    values: dict[str, Any] = {}
    for name in ("player", *ADJUSTMENT_COLUMNS):
        if name in ("player", "into") and name in row:
            values[name] = _player(row[name], aliases)
        elif name in row:
            number = numbers.get(name)
            values[name] = _name(row[name]) if number is None else number
    adjustment = make_adjustment(row["adjustment"], values)
    if time is None and _name(row.get("time")) is not None:
        cell = str(row["time"])
        reason = no_time(repr(shorten(cell)), options.time_format)
        raise InputError(reason, hint=time_hint(cell, options.time_format))
    return Placed(0, NO_TIME if time is None else time, adjustment)


def _player(value: Any, aliases: Aliases | None) -> str | None:
    """The player a cell names, None where it is empty."""
    name = _name(value)
    if name is None:
        return None
    tidied = tidy_name(name)
    return tidied if aliases is None else aliases.applied([tidied])[0]


def _name(value: Any) -> str | None:
    """The text of a cell, None where it is empty."""
    if value is None or value != value or str(value).strip() == "":
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
