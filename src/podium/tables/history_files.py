"""Files of every kind and folders of them as histories, whole or in pieces."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack

import polars as pl

from podium.arrays import NO_TIME, Longs
from podium.errors import InputError, ParameterError
from podium.files.database_addresses import is_database
from podium.files.kinds import FORMATS, SHEETS, Format, Given, PathLike, kind_of, name_of, open_binary
from podium.history import History, Names, Reading, Skipped
from podium.history.history import Frame, is_frame
from podium.history.times import to_iso
from podium.tables.columns.shapes import (
    ROW,
    ReadKeywords,
    ReadOptions,
)
from podium.tables.dataframes import history_of_database, history_of_frame
from podium.tables.names.aliases import Aliases, reading_aliases
from podium.tables.names.near_names import NearFiles
from podium.tables.opened_tables import OpenTable
from podium.tables.reading_notes import ReadingNotes, warn_of
from podium.tables.rows.checked_columns import TIMES_HINT
from podium.tables.rows.defects import Source, TablePart
from podium.tables.sources.contest_folders import read_contests
from podium.tables.sources.given_files import ReadableFile, existing_path, readable
from podium.tables.sources.pgn import PgnGames, pgn_batches
from podium.tables.sources.sample_files import PREFIX
from podium.tables.sources.sheet_choice import sheets_to_read
from podium.tables.sources.spreadsheets import SheetOfFile
from podium.tables.suspicions import RepeatedMatches, suspicions
from podium.tables.table_reader import FindNamesakes, TableReader, Watch
from podium.tables.written_tables import write_frames
from podium.text import counted, shorten

_NO_RESULTS = (".", "~$")
"""How names begin that belong to the system, or to Excel while it has a workbook open."""


def files_of_folder(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files to read, ordered as people do, and the others.

    File 2 comes before file 10. A .txt file is read only where there is nothing else: beside tables it is
    most likely a note.
    """
    visible = [file for file in folder.iterdir() if file.is_file() and not file.name.startswith(_NO_RESULTS)]
    visible.sort(key=_natural)
    formats = {file: format for file in visible if (format := _format(file)) is not None}
    files = [file for file, format in formats.items() if format != "txt"] or list(formats)
    if not files:
        raise InputError(
            "the folder holds no files of results",
            source=str(folder),
            hint=f"podium reads {', '.join(FORMATS)}",
        )
    return files, [file for file in visible if file not in files]


def _format(file: Path) -> Format | None:
    try:
        return kind_of(file).format
    except InputError:
        return None


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """A name in parts that compare as people do: digits by their value, and before letters."""
    return [
        (0, int(part), part) if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", path.name)
    ]


ROWS_PER_CHUNK = 1_000_000


def read_history(source: Given | Frame, **options: Unpack[ReadKeywords]) -> History:
    """Read a history from a file, a folder of files, a file that is open, a database, or any dataframe.

    It reads CSV, TSV, .txt and NDJSON (also .gz and .zst), Parquet, .xlsx and .ods (with podium[sheets]), and
    PGN. It also reads contest JSON of the Elo-MMR program and saved answers of the Codeforces API. The first
    bytes of an open file decide its format. A table of a database is ``sqlite:///season.db#matches``, as
    SQLAlchemy writes URLs, or ``duckdb:season.db#matches`` (with podium[sql]). ``sample:formula-1`` and
    ``sample:football`` come with podium.

    ``History.readings`` describes how podium read the file. Doubts are a `ReadingWarning`. Blanks around
    names are removed, and names are written in NFC.

    Args:
        source: The file, folder, open file, table or URL.
        options: Options from this list:

    - ``columns={"player": "handle"}``: podium's name of a column and the table's. None leaves one out
    - ``lower_is_better=True`` or ``False``: which scores are better. By default lower only for durations
    - ``unrated="opponent"`` (default) or ``"drop"``: what to do with rows marked ``rated=no``
    - ``unfinished="last"`` (default) or ``"drop"``: what to do with rows marked ``finished=no`` or DNF
    - ``disqualified="drop"`` (default) or ``"last"``: what to do with rows marked DSQ
    - ``on_bad_row="error"`` (default) or ``"skip"``: skipped rows are listed in ``History.skipped``
    - ``teams="members"`` (default), ``"players"`` or ``"rosters"``: a team, or each line-up, is one player
    - ``teams_split="&"``: the text between members of a team in one cell. ``"none"``: cells are names
    - ``aliases={"17": "Ann"}``, or a file with the columns alias and player: other names and ids of players
    - ``time_format="%d/%m/%Y"``, ``decimal=","``: how times and numbers are written. By default podium
      decides by their look
    - ``separator=";"``, ``encoding="latin-1"``: how a text file is written. By default podium decides by its
      look
    - ``sheets=["May"]``: the sheets of a workbook (default: all with results)
    - ``max_ratio=1000``: above a gigabyte, how many times its own size a compressed file may hold

    Returns:
        The history.

    Raises:
        InputError: The file cannot be read. The error names the line.

    >>> import podium
    >>> import polars as pl
    >>> table = pl.DataFrame({"event": ["cup", "cup"], "player": ["ann", "bob"], "rank": [1, 2]})
    >>> podium.read_history(table)
    <History: 1 event, 2 players, 2 rows (2.0 an event, at most 2), 0.0% tied>
    """
    if is_frame(source):
        history = history_of_frame(source, ReadOptions(**options))
    elif is_database(source):
        history = history_of_database(source, ReadOptions(**options))
    else:
        history = _with_suspicions(_joined(_histories(source, None, ReadOptions(**options))))
    warn_of(history.readings)
    return history


def sample(name: str) -> History:
    """Real results that come with podium.

    Args:
        name: "formula-1" (races) or "football" (matches of national teams).

    Returns:
        The history.

    >>> sample("formula-1").event(0).name
    'Great Britain 1950'
    """
    return read_history(f"{PREFIX}{name}")


def read_chunks(
    path: Given, rows: int = ROWS_PER_CHUNK, **options: Unpack[ReadKeywords]
) -> Iterator[History]:
    """Read a history in pieces of whole events, which share their names.

    The file must be in time order and keep each event's rows together. Of a folder each file is a piece or
    several, and so files must follow each other in time.

    Args:
        path: A file, a folder of files, or an open file.
        rows: About how many rows a piece has.
        options: Options of `read_history`.

    Yields:
        Histories in time order.

    Raises:
        InputError: The rows are not in time order.

    >>> import podium
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "season.csv"
    ...     podium.write_history(podium.History.from_matches(["ann", "bob"], ["bob", "cat"]), path)
    ...     run = podium.rate(podium.read_chunks(path, rows=1000), "elo")
    >>> run.ladder.n_events
    2
    """
    if rows < 1:
        raise ParameterError(f"a piece must have at least one row, not {rows}")
    for history in _in_order(_histories(path, rows, ReadOptions(**options)), name_of(path)):
        warn_of(history.readings)
        yield history
        del history  # or two pieces are in memory while the next one is read


def read_by_size(
    given: Given, rows: int, whole_up_to: int, **options: Unpack[ReadKeywords]
) -> History | Iterator[History]:
    """A history whole if its file holds at most `whole_up_to` bytes, decompressed; or else in pieces.

    Pieces are those of `read_chunks`, and a folder is read whole. The file is gone through once to learn both
    its size and how its letters are written. What was understood of it is left to who calls this to say.
    """
    if is_database(given):
        return history_of_database(given, ReadOptions(**options))
    if isinstance(given, (str, os.PathLike)) and existing_path(given).is_dir():
        return _with_suspicions(_joined(_histories(given, None, ReadOptions(**options))))
    with ExitStack() as stack:
        wanted = stack.enter_context(reading_aliases(ReadOptions(**options)))
        file = stack.enter_context(readable(given, wanted))
        if file.size <= whole_up_to:
            return _with_suspicions(_joined(_from_readable(file, None, wanted)))
        return _closing(stack.pop_all(), _in_order(_from_readable(file, rows, wanted), file.name))


def _closing(stack: ExitStack, histories: Iterator[History]) -> Iterator[History]:
    """The same pieces; what they are read from is closed after the last."""
    with stack:
        yield from histories


class WantedEntry(NamedTuple):
    """What of a file's history is looked for in the file: an adjustment, or a player in an event."""

    event: int = 0
    place: int = 0
    adjustment: int | None = None


def place_in_file(path: PathLike, wanted: WantedEntry, **options: Unpack[ReadKeywords]) -> dict[str, Any]:
    """Where people find a part of a file's history, as `InputError` takes it; the file is read once more."""
    found: dict[str, Any] = {}

    def watch(source: Source, part: TablePart, order: Longs) -> None:
        if wanted.adjustment is None:
            row = part.row_of(int(order[wanted.event]), wanted.place)
        else:
            times = [placed.time for placed in part.history.adjustments]
            row = part.adjustment_rows[sorted(range(len(times)), key=times.__getitem__)[wanted.adjustment]]
        found.update({"source": source.name} | source.locate(row))

    with reading_aliases(ReadOptions(**options)) as given, readable(path, given) as file:
        for _ in _from_readable(file, None, given, watch=watch):
            pass
    return found


def _with_suspicions(history: History) -> History:
    """The history with what looks wrong in the whole of it."""
    source = history.readings[0].source if history.readings else None
    if not (said := suspicions(history)):
        return history
    return replace(history, readings=(*history.readings, Reading(source, warnings=tuple(said))))


def _joined(histories: Iterator[History]) -> History:
    parts = list(histories)
    return parts[0] if len(parts) == 1 else History.concat(parts)


def _in_order(histories: Iterator[History], name: str) -> Iterator[History]:
    """The same pieces; one whose time is before that of the piece before it is refused."""
    last = NO_TIME
    for history in histories:
        times = [int(time) for time in history.time[[0, -1][: 2 * len(history)]]]
        times += [placed.time for placed in history.adjustments]
        if times and min(times) < last:
            event = history.event_name(0) if len(history) else None
            raise InputError(
                f"{to_iso(min(times))} comes after {to_iso(last)}",
                source=history.readings[-1].source if history.readings else name,
                event=event,
                hint="sort the file by time (files of a folder by their names), or read it whole",
            )
        last = max([last, *times])
        yield history
        del history  # or two pieces are in memory while the next one is read


def write_history(history: History, path: PathLike, shape: Literal["results", "matches"] = "results") -> None:
    """Write a history as a table that podium reads back: CSV, TSV, NDJSON (or .gz, .zst), Parquet.

    Args:
        history: The history.
        path: The file. Its ending decides the format.
        shape: One row per player and event ("results"), or one row per match ("matches").

    >>> import podium
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "season.csv"
    ...     podium.write_history(podium.History.from_matches(["ann"], ["bob"]), path)
    ...     print(path.read_text())
    event,player,rank
    1,ann,1
    1,bob,2
    """
    if not isinstance(history, History):
        raise ParameterError(
            f"write_history takes a history, not {type(history).__name__}",
            hint="podium.read_history(frame) for a dataframe",
        )
    write_frames([history.to_frame(shape)], path, table=shape)


def _histories(given: Given, rows: int | None, options: ReadOptions) -> Iterator[History]:
    """One history, or pieces of about `rows` rows; of a folder, a history or several of each file."""
    with reading_aliases(options) as wanted:
        if isinstance(given, (str, os.PathLike)) and existing_path(given).is_dir():
            yield from _from_folder(Path(given), rows, wanted)
        else:
            yield from _from_file(given, rows, wanted)


def _from_file(
    given: Given, rows: int | None, options: ReadOptions, look: FindNamesakes | None = None
) -> Iterator[History]:
    with readable(given, options) as file:
        yield from _from_readable(file, rows, options, look)


def _from_readable(
    file: ReadableFile,
    rows: int | None,
    options: ReadOptions,
    look: FindNamesakes | None = None,
    watch: Watch | None = None,
) -> Iterator[History]:
    """The histories in a file; `look` goes through all files that belong together."""
    if look is None and rows is not None:
        look = partial(_namesakes_in, file, rows, options)
    if file.kind.format == "json":
        return read_contests([file], rows, options, file.notes(), watch)
    if file.kind.format == "pgn":
        return _from_pgn(file, rows, options, look, watch)
    if file.kind.format in SHEETS and not isinstance(file, SheetOfFile):
        return _from_workbook(file, rows, options, look, watch)
    return _from_table(file, rows, options, look, watch)


def _namesakes_of(files: Sequence[Path], rows: int | None, options: ReadOptions) -> set[str]:
    """The names in some files that usually mean nobody, and are players' names there."""
    found: set[str] = set()
    for path in files:
        with readable(path, options) as file:
            found |= _namesakes_in(file, rows, options)
    return found


def _namesakes_in(file: ReadableFile, rows: int | None, options: ReadOptions) -> set[str]:
    """The same of one file, which is gone through once more."""
    if file.kind.format == "pgn":
        reader = TableReader(options, Source(file.name))
        return reader.namesakes((frame for frame, _ in _games(file, rows)), "matches")
    if file.kind.format in SHEETS and not isinstance(file, SheetOfFile):
        sheets = sheets_to_read(file, options)
        return set().union(*(_namesakes_in(sheet, rows, options) for sheet in sheets))
    opened = OpenTable(file, rows, options)
    return TableReader(options, opened.source, opened.notes).namesakes(opened.frames, opened.columns.shape)


def _from_folder(folder: Path, rows: int | None, options: ReadOptions) -> Iterator[History]:
    """The histories in the files of a folder, in the order of their names; they share their players."""
    files, others = files_of_folder(folder)
    notes = ReadingNotes(str(folder))
    if others:
        notes.guess("not read: " + shorten(", ".join(file.name for file in others), 200))
    if all(kind_of(file).format == "json" for file in files):
        yield from read_contests(files, rows, options, notes)
        return
    if len(files) > 1:
        notes.guess(f"{counted(len(files), 'file')}, one after another")
    look = cache(partial(_namesakes_of, files, rows, options))
    yield from _together(
        ((str(file), file.name, _from_file(file, rows, options, look)) for file in files), notes, options
    )


def _from_workbook(
    file: ReadableFile,
    rows: int | None,
    options: ReadOptions,
    look: FindNamesakes | None,
    watch: Watch | None,
) -> Iterator[History]:
    """The histories in the sheets of a workbook, one after another; they share their players."""
    sheets = sheets_to_read(file, options)
    if len(sheets) == 1:
        yield from _from_table(sheets[0], rows, options, look, watch)
        return
    look = look or cache(partial(_namesakes_in, file, rows, options))
    parts = (
        (f"{file.name}, sheet {sheet.sheet!r}", sheet.sheet, _from_table(sheet, rows, options, look, watch))
        for sheet in sheets
    )
    yield from _together(parts, ReadingNotes(file.name), options)


def _together(
    parts: Iterable[tuple[str, str, Iterator[History]]], notes: ReadingNotes, options: ReadOptions
) -> Iterator[History]:
    """The histories of several files or sheets, each with its place and its name, with shared players."""
    names, near, repeated = Names(), NearFiles(Aliases.of(options.aliases)), RepeatedMatches()
    events = 0
    first: tuple[str, bool] | None = None
    for place, name, histories in parts:
        before = events
        for history in histories:
            if len(history):
                timed = bool(history.time[0] != NO_TIME)
                first = first or (name, timed)
                if timed != first[1]:
                    here, there = ("times", "none") if timed else ("no times", "some")
                    raise InputError(
                        f"its events have {here}, and those of {first[0]} have {there}",
                        source=place,
                        hint=TIMES_HINT,
                    )
            events += len(history)
            if (warning := repeated.warning([history], name)) is not None:
                notes.warn(warning)
            known = len(names)
            history = history.with_players(names)
            if (warning := near.warning(names[known:])) is not None:
                notes.warn(warning)
            yield replace(
                history,
                first_number=before + history.first_number,
                readings=(*notes.take(), *history.readings),
            )


def _from_table(
    file: ReadableFile,
    rows: int | None,
    options: ReadOptions,
    look: FindNamesakes | None,
    watch: Watch | None,
) -> Iterator[History]:
    """File → columns → history: what is in the file, what it means, and the history it makes."""
    opened = OpenTable(file, rows, options)
    table, columns = opened.table, opened.columns
    reader = TableReader(options, opened.source, opened.notes, look, watch)

    def read(frame: pl.DataFrame) -> History:
        reader.note(table.take_skipped())
        return reader.read(frame, columns.shape)

    yield from map(read, opened.frames)  # which holds no frame while the next one is read
    reader.note(table.take_skipped())
    reader.finish()


def _from_pgn(
    file: ReadableFile,
    rows: int | None,
    options: ReadOptions,
    look: FindNamesakes | None,
    watch: Watch | None,
) -> Iterator[History]:
    source = Source(file.name, lambda line: {"line": line})
    reader = TableReader(options, source, file.notes(), look, watch)
    reader.notes.has_dates_of_games = True
    for frame, games in _games(file, rows):
        if games.problems and not options.skip:
            raise InputError(games.problems[0].reason, source=file.name, line=games.problems[0].line)
        left_out = sorted(games.problems + games.unfinished, key=lambda problem: problem.line)
        reader.note(Skipped(f"{file.name}, line {problem.line}", problem.reason) for problem in left_out)
        if unfinished := len(games.unfinished):
            reader.notes.leave_out_rows({"unfinished games": unfinished}, "match")
        if games.byes:
            reader.notes.leave_out_rows(games.byes, "match")
        made, shape = reader.made(frame)
        if games.partly_dated and "time" in made.columns:
            first = games.partly_dated[0]
            reader.notes.date_partly(len(games.partly_dated), f"{first.reason} on line {first.line}")
        yield reader.read(made, shape)
    reader.finish()


def _games(file: ReadableFile, rows: int | None) -> Iterator[tuple[pl.DataFrame, PgnGames]]:
    """The games of a PGN file as tables of matches, and what else is in it."""
    with open_binary(file.path, file.kind, file.name) as stream:
        for games in pgn_batches(stream, file.name, 10**12 if rows is None else max(rows // 2, 1)):
            moments = games.frame.with_columns(pl.col("time").cast(pl.Datetime("us")))
            yield moments.rename({"line": ROW}), games
