"""A file that holds a table, opened: which columns mean what, and its rows in pieces of whole events."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import polars as pl

from podium.errors import InputError
from podium.files.kinds import open_binary
from podium.history.key_numbers import HashSet
from podium.tables.columns.column_contents import note_moments
from podium.tables.columns.shapes import ReadOptions, TableColumns, is_table_of, table_columns
from podium.tables.layouts.chat_exports import CHAT_HINT, chat_as_matches, is_chat
from podium.tables.layouts.grids import MOST_GRID_BYTES, Grid, Laid, LaidTable
from podium.tables.layouts.layout_choice import laid_out, may_have_layout
from podium.tables.names.aliases import Aliases
from podium.tables.names.player_numbers import tidy_names
from podium.tables.rows import cells
from podium.tables.rows.defects import Source
from podium.tables.sources.given_files import ReadableFile
from podium.tables.sources.separators import BY_FORMAT
from podium.tables.sources.spreadsheets import SheetFile
from podium.tables.sources.table_files import TableFile, table_in

LONGEST_CHAT_LINE = 100_000
"""Bytes of a line of a chat that are looked at."""


class OpenTable:
    """A file that holds a table: which columns mean what, and its rows."""

    def __init__(self, file: ReadableFile, rows: int | None, options: ReadOptions) -> None:
        self.notes = file.notes()
        is_table = is_table_of(options)
        self.table: TableFile | SheetFile | LaidTable
        lines = chat_lines(file)
        if lines is not None:
            aliases = Aliases.of(options.aliases)
            laid = chat_as_matches(lines, [] if aliases is None else {*aliases, *aliases.values()})
            if not laid.rows:
                raise Source(file.name).error(
                    ". ".join(["no line of this chat is a result", *laid.warnings]), hint=CHAT_HINT
                )
            self._lay(laid, lines)
        else:
            self.table = table_in(file, options, self.notes, is_table)
            is_plain = is_table_of(options, refused=False)
            again = self.table.has_header_again()
            if again or may_have_layout(self.table.columns, self.table.sample, is_plain):
                grid = self.table.grid()
                if grid is not None and (found := laid_out(grid, options, is_plain)) is not None:
                    self._lay(found, grid)
        self.source = Source(file.name, self.table.locate)
        self.columns = table_columns(self.table.columns, options, self.source, self.table.sample)
        self._check_unnamed()
        self.frames = with_event_column(self.table.frames(self.columns.wanted, rows), self.columns, file)
        if rows is not None and self.columns.shape == "results":
            self.frames = whole_events(self.frames, file.name)
        self.notes.use(self.columns)
        note_moments(self.notes, self.table.sample, self.columns, options)

    def _check_unnamed(self) -> None:
        """Refuse a column without a name behind each player: it may have partners, who would not be rated."""
        names, theirs = self.table.columns, self.columns.theirs
        if self.columns.shape != "matches" or "partner_a" in theirs:
            return
        sides = [theirs[name] for name in ("player_a", "player_b", "winner", "loser") if name in theirs][:2]
        behind = [names.index(side) + 1 for side in sides]
        if len(sides) < 2 or any(place >= len(names) or names[place].strip() for place in behind):
            return
        grid = None if isinstance(self.table, LaidTable) else self.table.grid()
        rows = [] if grid is None else [cells for cells in grid.rows if len(cells) > max(behind)]
        if any(all(re.search(r"[^\W\d_]", cells[place]) for place in behind) for cells in rows):
            raise self.source.error(
                f"the columns after {sides[0]!r} and {sides[1]!r} have no names",
                hint="if they have the partners of doubles, call them Partner 1 and Partner 2",
            )

    def _lay(self, laid: Laid, grid: Grid) -> None:
        """Read a table of another layout."""
        self.table = LaidTable(laid, grid)
        for guess in laid.guesses:
            self.notes.guess(guess)
        for warning in laid.warnings:
            self.notes.warn(warning)
        for row, reason in laid.left_out:
            self.notes.list_row(Source(None, grid.locate).place(grid.numbers[row]), reason)


def chat_lines(file: ReadableFile) -> Grid | None:
    """The lines of an exported chat, each as one cell; None for any other file."""
    if file.kind.format not in BY_FORMAT:
        return None
    with open_binary(file.path, file.kind, file.name) as stream:
        first = [stream.readline(LONGEST_CHAT_LINE).decode("utf-8", "replace") for _ in range(20)]
        if not is_chat(first):
            return None
        text = "".join(first) + stream.read(MOST_GRID_BYTES).decode("utf-8", "replace")
    lines = [[line.strip()] for line in text.splitlines()]
    return Grid(lines, list(range(len(lines))), lambda line: {"line": line + 1})


def with_event_column(
    frames: Iterator[pl.DataFrame], columns: TableColumns, file: ReadableFile
) -> Iterator[pl.DataFrame]:
    """A table of results without a column of events is one event, named after the file."""
    if columns.shape != "results" or "event" in columns.theirs:
        return frames

    def with_event(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(pl.lit(file.stem).alias("event"))

    return map(with_event, frames)


def whole_events(frames: Iterator[pl.DataFrame], source: str) -> Iterator[pl.DataFrame]:
    """The same rows cut where events end; an event whose rows are not together is refused."""
    seen = _SeenNames()
    pending = next(frames, None)
    if pending is None:
        return
    for frame in frames:
        run = tidy_names(cells.names(pending["event"]).cast(pl.String)).rle_id()
        closed = pending.filter(run != run[-1])  # the last event may go on in the next frame
        pending = pl.concat([pending.filter(run == run[-1]), frame])
        del frame, run
        if len(closed):
            seen.check(closed, source)
            yield closed
        del closed
    seen.check(pending, source)
    yield pending


class _SeenNames:
    """The events met in earlier pieces, by hashes of their names: there may be hundreds of millions."""

    def __init__(self) -> None:
        self._seen = HashSet()

    def check(self, frame: pl.DataFrame, source: str) -> None:
        """Refuse an event that has been met; remember the others."""
        names = (
            tidy_names(cells.names(frame["event"]).cast(pl.String)).drop_nulls().unique(maintain_order=True)
        )
        hashes = names.hash().to_numpy()
        again = self._seen.has(hashes)
        if again.any():
            raise InputError(
                "the event's rows are not together",
                source=source,
                event=str(names[int(np.argmax(again))]),
                hint="sort the file by time and event, or read it whole",
            )
        self._seen.add_all(hashes)
