"""Rows of a table that are adjustments: told from results, read, and placed among the events around them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.history.adjustments import COLUMNS as ADJUSTMENT_COLUMNS
from podium.history.adjustments import Placed, make_adjustment
from podium.history.history import Skipped
from podium.history.times import TIME_HINT
from podium.tables import cells
from podium.tables.aliases import Aliases
from podium.tables.defects import Source
from podium.tables.shapes import ROW, ReadOptions, Shape
from podium.tables.table_part import TablePart
from podium.tables.tidy_names import tidy_name
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
            placed.append(Placed(before, time, item.adjustment))
            placed[-1].register(part.history.players)
        history = replace(part.history, adjustments=tuple(placed))
        return TablePart(history, part.first_rows, [*self.skipped, *part.skipped])


def split_adjustments(
    frame: pl.DataFrame, shape: Shape, source: Source, options: ReadOptions
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
    moments = cells.times(rows["time"]).to_list() if "time" in rows.columns else [None] * len(rows)
    for row, time in zip(rows.iter_rows(named=True), moments, strict=True):
        try:
            found.append((row[ROW], _placed(row, time, aliases)))
        except InputError as error:
            if not options.skip:
                raise source.error(error.reason, row=row[ROW], hint=error.hint) from error
            skipped.append((row[ROW], source.skipped(row[ROW], error.reason)))
    return frame.filter(~marked), AdjustmentRows(found, skipped)


def _placed(row: dict[str, Any], time: int | None, aliases: Aliases | None) -> Placed:
    """The adjustment on a row, its place still open."""
    values: dict[str, Any] = {}
    for name in ("player", *ADJUSTMENT_COLUMNS):
        if name in row:
            values[name] = _player(row[name], aliases) if name in ("player", "into") else _number(row[name])
    adjustment = make_adjustment(row["adjustment"], values)
    if time is None and _name(row.get("time")) is not None:
        raise InputError(f"{shorten(str(row['time']))!r} is not a time", hint=TIME_HINT)
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


def _number(value: Any) -> Any:
    """A number of an adjustment; what cannot be read stays, to be refused by name."""
    if _name(value) is None:
        return None
    try:
        return float(value)
    except ValueError:
        return value
