"""JSON files that hold one contest each, alone or in a folder, as histories."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl

from podium.errors import InputError
from podium.files.kinds import open_binary
from podium.files.text_encoding import ENCODING_HINT
from podium.history import History, Names, Reading
from podium.tables.columns.shapes import ReadOptions
from podium.tables.names.player_numbers import tidy_names
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows.defects import Source
from podium.tables.sources.codeforces_api import codeforces_table, is_codeforces
from podium.tables.sources.contest_json import contest_table, is_contest
from podium.tables.sources.given_files import ReadableFile, readable
from podium.tables.sources.strict_json import AMBIGUOUS_HINT, AmbiguousJSONError, strict_json
from podium.tables.table_reader import FindNamesakes, TableReader, Watch
from podium.text import shorten


def read_contests(
    files: Sequence[Path | ReadableFile],
    rows: int | None,
    options: ReadOptions,
    notes: ReadingNotes,
    watch: Watch | None = None,
) -> Iterator[History]:
    """Read contests in time order, whole or in pieces; files with equal times keep the order given.

    What is found out about all of them goes to `notes`.
    """
    kept = {file: _contest(file, options) for file in files} if rows is None else {}

    def contest(file: Path | ReadableFile) -> _Contest:
        return kept[file] if file in kept else _contest(file, options)

    def namesakes() -> set[str]:
        reader = TableReader(options, Source(), notes)
        made = (reader.made(_rows([contest(file).table])) for file in files)
        return {name for frame, shape in made for name in reader.namesakes([frame], shape)}

    reader = _ContestReader(options, notes, None if rows is None else namesakes, watch)
    batch: list[_Contest] = []
    for file in sorted(files, key=lambda file: _time(contest(file).table)):
        batch.append(contest(file))
        if rows is not None and sum(len(contest.table) for contest in batch) >= rows:
            yield reader.read(batch)
            batch = []
    if batch:
        yield reader.read(batch)
    reader.reader.finish()


@dataclass(frozen=True)
class _Contest:
    """The table in a file, and what is to be said of the file by itself."""

    file: str
    table: pl.DataFrame
    readings: tuple[Reading, ...] = ()


class _ContestReader:
    """Tables of several files as one history; errors name the file."""

    def __init__(
        self, options: ReadOptions, notes: ReadingNotes, look: FindNamesakes | None, watch: Watch | None
    ) -> None:
        self._batch: list[_Contest] = []
        self._starts: list[int] = []
        self._used = Names()
        self.reader = TableReader(options, Source(None, self._locate), notes, look, watch)

    def read(self, batch: list[_Contest]) -> History:
        self._batch = [replace(contest, table=self._distinct(contest)) for contest in batch]
        self._starts = list(accumulate((len(contest.table) for contest in batch), initial=0))
        history = self.reader.read_made(_rows([contest.table for contest in self._batch]))
        readings = (reading for contest in batch for reading in contest.readings)
        return replace(history, readings=(*history.readings, *readings))

    def _locate(self, row: int) -> dict[str, Any]:
        number = bisect_right(self._starts, row) - 1
        contest = self._batch[number]
        return {
            "source": contest.file,
            "row": int(contest.table["position"][row - self._starts[number]]) + 1,
        }

    def _distinct(self, contest: _Contest) -> pl.DataFrame:
        """Two contests of one name stay two events: the later gets the name of its file behind its own."""
        table = contest.table.with_columns(tidy_names(contest.table["event"]))
        for name in table["event"].unique(maintain_order=True):
            fresh = (
                name if name not in self._used else f"{name} ({Path(contest.file).name.partition('.')[0]})"
            )
            if fresh in self._used:
                raise InputError(f"there are two contests {shorten(fresh)!r}", source=contest.file)
            self._used.add(fresh)
            if fresh != name:
                table = table.with_columns(pl.col("event").replace(name, fresh))
        return table


def _rows(tables: list[pl.DataFrame]) -> pl.DataFrame:
    """The rows of several contests as one table of results."""
    table = pl.concat(tables, how="diagonal")
    table = table.drop("position").with_columns(pl.col("time").cast(pl.Datetime("us")))
    if "rated" in table.columns:  # only Codeforces says who is not
        table = table.with_columns(pl.col("rated").fill_null(value=True))
    return table


def _contest(file: Path | ReadableFile, options: ReadOptions) -> _Contest:
    if isinstance(file, ReadableFile):  # what is to be said of it, the caller notes
        return _Contest(file.name, _json_table(file))
    with readable(file, options) as ready:
        return _Contest(ready.name, _json_table(ready), ready.notes().take())


def _json_table(file: ReadableFile) -> pl.DataFrame:
    """The table in one JSON file."""
    with open_binary(file.path, file.kind, file.name) as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8-sig")
        document = strict_json(text)
    except AmbiguousJSONError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(
            f"the JSON holds {error}", source=file.name, line=line, hint=AMBIGUOUS_HINT
        ) from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("the line is not UTF-8", source=file.name, line=line, hint=ENCODING_HINT) from error
    except ValueError as error:
        raise InputError(f"the file is not JSON: {error}", source=file.name) from error
    except RecursionError as error:
        raise InputError("the JSON is nested too deeply", source=file.name) from error
    if is_contest(document):
        return contest_table(document, file.name)
    if is_codeforces(document):
        return codeforces_table(document, file.name)
    raise InputError(
        "neither a contest of the Elo-MMR program nor an answer of the Codeforces API",
        source=file.name,
        hint="if the file has one JSON object per line, name it .ndjson",
    )


def _time(table: pl.DataFrame) -> int:
    """When the first contest of a file was; one without a time is refused later."""
    first = table["time"].min()
    return first if isinstance(first, int) else 0
