"""Tables as histories: the columns podium knows, the shape they make, chunk after chunk.

Three shapes are recognised by their columns: *results* (event, player, rank or score), the same with a team
(*teams*), and *matches* (player_a, player_b, score_a; or winner, loser). Every check runs over whole columns.
A bad row is refused with its place and the reason; with ``on_bad_row="skip"`` bad rows are left out and
listed in ``History.skipped``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Longs
from podium.errors import InputError, ParameterError
from podium.history.adjustments import COLUMNS as ADJUSTMENT_COLUMNS
from podium.history.adjustments import Placed, make_adjustment
from podium.history.history import History, Skipped
from podium.history.names import Names
from podium.history.times import TIME_HINT
from podium.tables import cells
from podium.tables.defects import Source
from podium.tables.match_rows import matches_draft, matches_frame
from podium.tables.result_rows import results_draft
from podium.tables.row_cells import ROW, TIMES_HINT, Draft
from podium.tables.shapes import ReadOptions, chosen_columns, shape_of
from podium.text import shorten


def history_from_frame(frame: Any, **options: Any) -> History:
    """A history from any dataframe Narwhals knows."""
    return TableReader(ReadOptions(**options), Source()).read(in_polars(frame))


def in_polars(frame: Any) -> pl.DataFrame:
    """Any dataframe Narwhals knows, as one of Polars."""
    import narwhals.stable.v2 as nw

    try:
        known = nw.from_native(frame, pass_through=True)
        if isinstance(known, nw.LazyFrame):
            return known.collect().to_polars()
        if isinstance(known, nw.DataFrame):
            return known.to_polars()
    except (TypeError, ValueError, nw.exceptions.NarwhalsError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"the table cannot be read: {error}", hint="each column needs one type and a name of its own"
        ) from error
    raise ParameterError(
        f"{type(frame).__name__} is not a dataframe", hint="give a Polars, pandas, PyArrow or DuckDB table"
    )


def history_from_match_columns(
    player_a: Any,
    player_b: Any,
    score_a: Any,
    *,
    time: Any,
    weight: Any,
    home: Literal["a", "b"] | None,
) -> History:
    """A history of matches from columns: the same checks as for a table."""
    frame = matches_frame(player_a, player_b, score_a, time=time, weight=weight, home=home)
    return TableReader(ReadOptions(), Source()).read(frame)


class TableReader:
    """Turns frames into histories that share one set of names; `read_chunk` may be called again and again."""

    def __init__(self, options: ReadOptions, source: Source, names: Names | None = None) -> None:
        self.options = options
        self.source = source
        self.names = Names() if names is None else names
        self._events = 0
        self._adjustments = 0
        self._latest = NO_TIME
        self._noted: list[Skipped] = []
        self._first_skipped: Skipped | None = None

    def choose(self, columns: list[str]) -> dict[str, str]:
        """podium's name of every column to read -> the table's."""
        try:
            return chosen_columns(columns, self.options)
        except InputError as error:
            raise self.source.error(error.reason, hint=error.hint) from error

    def read(self, frame: pl.DataFrame) -> History:
        """The history a frame holds, refused if it is none."""
        history = self.read_part(frame)
        self.finish()
        return history

    def read_part(self, frame: pl.DataFrame) -> History:
        """The next part of a history, from a frame with the table's own columns."""
        chosen = self.choose([name for name in frame.columns if name != ROW])
        frame = frame if ROW in frame.columns else frame.with_row_index(ROW)
        return self.read_chunk(
            frame.select(ROW, *(pl.col(theirs).alias(name) for name, theirs in chosen.items()))
        )

    def note(self, skipped: Iterable[Skipped]) -> None:
        """Rows that were left out before they came here; they go into the next history."""
        self._noted.extend(skipped)
        if self._noted and self._first_skipped is None:
            self._first_skipped = self._noted[0]

    def finish(self) -> None:
        """Refuse a table, now read, that held nothing."""
        if self._events or self._adjustments:
            return
        if self._first_skipped is None:
            raise self.source.error("there are no rows to rate", hint="a header alone is not a history")
        first = self._first_skipped
        raise self.source.error(f"every row was skipped, the first because: {first.where}: {first.reason}")

    def read_chunk(self, frame: pl.DataFrame) -> History:
        """The next part of a history, from a frame with podium's columns and `ROW`; it may be empty."""
        frame, placed, skipped = self._split(frame)
        draft = self._drafted(frame)
        skipped += draft.skipped
        history = _empty(self.names) if draft.history is None else draft.history.with_players(self.names)
        history = self._with_adjustments(history, draft.first_rows, placed)
        self.note(item for _, item in sorted(skipped, key=lambda item: item[0]))
        history = replace(history, first_number=self._events + 1, skipped=tuple(self._noted))
        self._noted = []
        self._check_times(history)
        self._events += len(history)
        self._adjustments += len(placed)
        if len(history):
            self._latest = max(self._latest, int(history.time.max()))
        return history.in_time_order()

    def _drafted(self, frame: pl.DataFrame) -> Draft:
        if not len(frame):
            return Draft(None, np.zeros(0, np.int64), [])
        if shape_of(frame.columns) == "matches":
            return matches_draft(frame, self.source, self.options, self._events + 1)
        return results_draft(frame, self.source, self.options)

    def _check_times(self, history: History) -> None:
        """Either all parts of a table have times or none."""
        if self._events and len(history) and (self._latest == NO_TIME) != bool(history.time[0] == NO_TIME):
            raise self.source.error(
                "some events have a time and some have none",
                event=history.event_name(0),
                hint=TIMES_HINT,
            )

    # ------------------------------------------------------------------ adjustments

    def _split(
        self, frame: pl.DataFrame
    ) -> tuple[pl.DataFrame, list[tuple[int, Placed]], list[tuple[int, Skipped]]]:
        """The rows that are results, the adjustments with their rows, and bad ones of these."""
        if "adjustment" not in frame.columns:
            return frame, [], []
        kind = frame["adjustment"].cast(pl.String).str.strip_chars().str.to_lowercase()
        marked = (kind != "").fill_null(value=False)
        if shape_of(frame.columns) == "adjustments":
            marked = marked | True
        rows = frame.with_columns(kind.fill_null("").alias("adjustment")).filter(marked)
        placed: list[tuple[int, Placed]] = []
        skipped: list[tuple[int, Skipped]] = []
        moments = cells.times(rows["time"]).to_list() if "time" in rows.columns else [None] * len(rows)
        for row, time in zip(rows.iter_rows(named=True), moments, strict=True):
            try:
                placed.append((row[ROW], _placed(row, time)))
            except InputError as error:
                if not self.options.skip:
                    raise self.source.error(error.reason, row=row[ROW], hint=error.hint) from error
                skipped.append((row[ROW], self.source.skipped(row[ROW], error.reason)))
        return frame.filter(~marked), placed, skipped

    def _with_adjustments(
        self, history: History, first_rows: Longs, found: list[tuple[int, Placed]]
    ) -> History:
        """The history with adjustments that so far know only the row of the table they stand on."""
        placed = []
        latest = np.maximum.accumulate(history.time)
        for row, item in found:
            before = int(np.searchsorted(first_rows, row, "left"))
            time = item.time
            if time == NO_TIME:  # it happened when the latest event before it did
                time = max(self._latest, int(latest[before - 1]) if before else NO_TIME)
            placed.append(Placed(before, time, item.adjustment))
            placed[-1].register(history.players)
        return replace(history, adjustments=tuple(placed)) if placed else history


def _placed(row: dict[str, Any], time: int | None) -> Placed:
    """The adjustment on a row, its place still open."""
    values: dict[str, Any] = {}
    for name in ("player", *ADJUSTMENT_COLUMNS):
        if name in row:
            values[name] = _name(row[name]) if name in ("player", "into") else _number(row[name])
    adjustment = make_adjustment(row["adjustment"], values)
    if time is None and _name(row.get("time")) is not None:
        raise InputError(f"{shorten(str(row['time']))!r} is not a time", hint=TIME_HINT)
    return Placed(0, NO_TIME if time is None else time, adjustment)


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


def _empty(names: Names) -> History:
    ints = np.zeros(0, np.int32)
    return History(
        players=names, offsets=np.zeros(1, np.int64), player=ints, rank=ints, time=np.zeros(0, np.int64)
    )
