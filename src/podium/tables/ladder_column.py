"""Several histories in one table: a column says which ladder a row belongs to."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

import numpy as np
import polars as pl

from podium.errors import InputError
from podium.files.kinds import TABLE_FORMATS, Given
from podium.history import History
from podium.history.history import Frame, is_frame
from podium.tables.columns.column_contents import note_moments
from podium.tables.columns.shapes import (
    ROW,
    ReadKeywords,
    ReadOptions,
    TableColumns,
    is_table_of,
    table_columns,
)
from podium.tables.dataframes import in_polars
from podium.tables.names.aliases import reading_aliases
from podium.tables.opened_tables import with_event_column
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows.defects import Defects, Source
from podium.tables.sources.given_files import readable
from podium.tables.sources.table_files import table_in
from podium.tables.table_reader import TableReader
from podium.text import shorten

LADDER = "podium:ladder"


def read_ladders(source: Given | Frame, by: str, **options: Unpack[ReadKeywords]) -> dict[str, History]:
    """Read the history of each ladder in a file or a dataframe, in order of first appearance.

    The column `by` names the ladder of each row; `options` are those of `read_history`. Each history is that
    of the ladder's rows alone; how dates, numbers and scores are written, the whole table tells.
    """
    with reading_aliases(ReadOptions(**options)) as wanted:
        if not is_frame(source):
            return _from_file(source, by, wanted)
        frame = in_polars(source)
        columns = _ladder_columns(frame.columns, by, wanted, Source())
        return _divided(columns.select(frame), columns, by, wanted, Source(), ReadingNotes(None))


def _from_file(given: Given, by: str, options: ReadOptions) -> dict[str, History]:
    with readable(given, options) as file:
        if file.kind.format not in TABLE_FORMATS:
            raise InputError(
                "only a table can have a column of ladders", source=file.name, hint=", ".join(TABLE_FORMATS)
            )
        notes = file.notes()
        table = table_in(file, options, notes, is_table_of(options))
        source = Source(file.name, table.locate)

        columns = _ladder_columns(table.columns, by, options, source)
        note_moments(notes, table.sample, columns, options)
        frames = list(with_event_column(table.frames(columns.wanted), columns, file))
        if not frames:
            raise source.error("there are no rows to rate", hint="add rows below the header")
        histories = _divided(pl.concat(frames), columns, by, options, source, notes)
        if unread := table.take_skipped():  # lines that belong to nobody go with the first
            first = next(iter(histories))
            joined = (*unread, *histories[first].skipped)
            histories[first] = replace(histories[first], skipped=joined)
        return histories


def _ladder_columns(columns: list[str], by: str, options: ReadOptions, source: Source) -> TableColumns:
    """The columns of a table and, as `LADDER`, the one that names ladders."""
    if by not in columns:
        alike = [name for name in columns if name.strip().lower() == by.strip().lower()]
        if len(alike) == 1:
            return _ladder_columns(columns, alike[0], options, source)
        raise source.error(
            f"there is no column {by!r} to name ladders",
            hint="its columns are " + ", ".join(repr(shorten(c, 30)) for c in columns[:30]),
        )
    known = table_columns(columns, options, source)
    unused = tuple(name for name in known.unused if name != by)
    return replace(known, theirs={**known.theirs, LADDER: by}, unused=unused)


def _divided(
    frame: pl.DataFrame,
    columns: TableColumns,
    by: str,
    options: ReadOptions,
    source: Source,
    notes: ReadingNotes,
) -> dict[str, History]:
    """A history of the rows of each ladder; `notes` go with the first."""
    names = frame[LADDER].cast(pl.String)
    frame = frame.with_columns(names.alias(LADDER))
    defects = Defects(frame[ROW].to_numpy().astype(np.int64), source, skip=options.skip)
    empty = (names.is_null() | (names.str.strip_chars() == "")).to_numpy()
    defects.check(
        empty,
        f"{by} is empty",
        hint='every row needs a ladder. To leave such rows out: --on-bad-row skip (on_bad_row="skip")',
    )
    keep = defects.settle()
    if keep is not None:
        frame = frame.filter(pl.Series(keep))
    notes.use(replace(columns, theirs={"ladder" if n == LADDER else n: c for n, c in columns.theirs.items()}))
    reader = TableReader(options, source, notes)
    reader.look_at(frame.drop(LADDER), columns.shape)
    notes.settle_namesakes(reader.namesakes([frame.drop(LADDER)], columns.shape))
    histories: dict[str, History] = {}
    for rows in frame.partition_by(LADDER, maintain_order=True):
        reader = TableReader(options, source, notes.of_part(without="ladder"))
        history = reader.read(rows.drop(LADDER), columns.shape)
        notes.add(reader.notes)
        reader.finish()
        histories[rows[LADDER][0]] = replace(history, readings=())
    if not histories:
        raise source.error("there are no rows to rate")
    first = next(iter(histories))
    left = tuple(skipped for _, skipped in sorted(defects.skipped, key=lambda item: item[0]))
    histories[first] = replace(
        histories[first], skipped=(*left, *histories[first].skipped), readings=notes.take()
    )
    return histories
