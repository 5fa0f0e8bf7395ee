"""Files of every kind as histories, whole or in pieces."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Unpack

import numpy as np
import polars as pl

from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError
from podium.files.kinds import FileKind, check_content, kind_of, open_binary
from podium.history import History, Skipped
from podium.history.hash_sets import HashSet
from podium.history.times import to_iso
from podium.tables import cells
from podium.tables.aliases import reading_aliases
from podium.tables.contest_folders import contest_files, read_contests
from podium.tables.defects import Source
from podium.tables.pgn import pgn_batches
from podium.tables.reading_notes import warn_of
from podium.tables.shapes import ROW, ReadKeywords, ReadOptions, table_columns
from podium.tables.table_files import TableFile, write_frames
from podium.tables.table_reader import TableReader
from podium.tables.tidy_names import tidy_names
from podium.text import counted

PathLike = str | os.PathLike[str]
ROWS_PER_CHUNK = 1_000_000


def read_history(path: PathLike, **options: Unpack[ReadKeywords]) -> History:
    """Read a history from a file or a folder.

    CSV, TSV and NDJSON (also .gz and .zst), Parquet, PGN, contest JSON of the Elo-MMR program (a file or a
    folder) and saved answers of the Codeforces API. Options:

    - ``columns={"player": "handle"}``: podium's name of a column and the table's; None leaves one out
    - ``lower_is_better=True``: scores are times
    - ``unrated="opponent"`` (default) or ``"drop"``: what to do with rows marked ``rated=no``
    - ``unfinished="last"`` (default) or ``"drop"``: what to do with rows marked ``finished=no``
    - ``on_bad_row="error"`` (default) or ``"skip"``: skipped rows are listed in ``History.skipped``
    - ``teams="members"`` (default), ``"players"`` or ``"rosters"``: a team, or each line-up, is one player
    - ``aliases={"17": "Ann"}``, or a file with the columns alias and player: whom names and ids mean

    Names lose the blanks around them and are written in NFC.
    """
    (history,) = _histories(Path(path), None, ReadOptions(**options))
    warn_of(history.readings, stacklevel=2)
    return history


def read_chunks(
    path: PathLike, rows: int = ROWS_PER_CHUNK, **options: Unpack[ReadKeywords]
) -> Iterator[History]:
    """Read a history in pieces of whole events with about `rows` rows each, which share their names.

    The file must be in time order and keep each event's rows together; whatever is not is refused.
    """
    if rows < 1:
        raise ParameterError(f"a piece has at least one row, not {rows}")
    last = NO_TIME
    for history in _histories(Path(path), rows, ReadOptions(**options)):
        times = [int(time) for time in history.time[[0, -1][: 2 * len(history)]]]
        times += [placed.time for placed in history.adjustments]
        if times and min(times) < last:
            event = history.event_name(0) if len(history) else None
            raise InputError(
                f"{to_iso(min(times))} comes after {to_iso(last)}",
                source=str(path),
                event=event,
                hint="sort the file by time, or read it whole",
            )
        last = max([last, *times])
        warn_of(history.readings, stacklevel=2)
        yield history


def write_history(history: History, path: PathLike, shape: Literal["results", "matches"] = "results") -> None:
    """Write a history as a table that podium reads back: CSV, TSV, NDJSON (or .gz, .zst), Parquet."""
    write_frames([history.to_frame(shape)], path)


def _histories(path: Path, rows: int | None, options: ReadOptions) -> Iterator[History]:
    """One history, or pieces of about `rows` rows."""
    with reading_aliases(options) as wanted:
        yield from _of_kind(path, rows, wanted)


def _of_kind(path: Path, rows: int | None, options: ReadOptions) -> Iterator[History]:
    if not path.exists():
        raise InputError("there is no such file or folder", source=str(path))
    kind = kind_of(path)
    if kind.format == "contests":
        return read_contests(contest_files(path), rows, options)
    if kind.format == "json":
        return read_contests([path], rows, options)
    if kind.format == "pgn":
        return _from_pgn(path, kind, rows, options)
    return _from_table(path, kind, rows, options)


def _from_table(path: Path, kind: FileKind, rows: int | None, options: ReadOptions) -> Iterator[History]:
    """File → columns → history: what is in the file, what it means, and the history it makes."""
    table = TableFile(path, kind, skip_bad=options.skip)
    source = Source(str(path), table.locate)
    columns = table_columns(table.columns, options, source)
    frames = table.frames(columns.theirs, rows)
    if columns.shape == "results" and "event" not in columns.theirs:  # one event, called after the file
        name = pl.lit(path.name.partition(".")[0]).alias("event")
        frames = (frame.with_columns(name) for frame in frames)
    if rows is not None and columns.shape == "results":
        frames = _whole_events(frames, str(path))
    reader = TableReader(options, source)
    reader.notes.use(columns)
    for frame in frames:
        reader.note(table.take_skipped())
        yield reader.read(frame, columns.shape)
    reader.note(table.take_skipped())
    reader.finish()


def _whole_events(frames: Iterator[pl.DataFrame], source: str) -> Iterator[pl.DataFrame]:
    """The same rows cut where events end; an event whose rows are not together is refused."""
    seen = _SeenNames()
    pending = next(frames, None)
    if pending is None:
        return
    for frame in frames:
        run = tidy_names(cells.names(pending["event"]).cast(pl.String)).rle_id()
        closed = pending.filter(run != run[-1])  # the last event may go on in the next frame
        if len(closed):
            seen.check(closed, source)
            yield closed
        pending = pl.concat([pending.filter(run == run[-1]), frame])
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


def _from_pgn(path: Path, kind: FileKind, rows: int | None, options: ReadOptions) -> Iterator[History]:
    check_content(path, kind)
    reader = TableReader(options, Source(str(path), lambda line: {"line": line}))
    byes = 0
    with open_binary(path, kind) as stream:
        for games in pgn_batches(stream, str(path), 10**12 if rows is None else max(rows // 2, 1)):
            if games.problems and not options.skip:
                raise InputError(games.problems[0].reason, source=str(path), line=games.problems[0].line)
            reader.note(Skipped(f"{path}, line {problem.line}", problem.reason) for problem in games.problems)
            if games.byes:
                byes += games.byes
                reader.notes.guess(f"{counted(byes, 'game')} against BYE left out")
            frame = games.frame.with_columns(pl.col("time").cast(pl.Datetime("us"))).rename({"line": ROW})
            yield reader.read_table(frame)
    reader.finish()
