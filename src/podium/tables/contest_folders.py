"""JSON files that hold one contest each, alone or in a folder, as histories."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl

from podium.errors import InputError
from podium.files.kinds import check_content, kind_of, open_binary
from podium.history import History, Names
from podium.tables.codeforces_api import codeforces_table, is_codeforces
from podium.tables.contest_json import contest_table, is_contest
from podium.tables.defects import Source
from podium.tables.shapes import ReadOptions
from podium.tables.table_reader import TableReader
from podium.tables.tidy_names import tidy_names
from podium.text import shorten


def contest_files(folder: Path) -> list[Path]:
    """The JSON files in a folder, ordered by number: contest 2 before contest 10."""
    endings = (".json", ".json.gz", ".json.zst")
    files = [file for file in folder.iterdir() if file.name.lower().endswith(endings) and file.is_file()]
    if not files:
        raise InputError("the folder holds no .json files", source=str(folder))
    return sorted(files, key=_natural)


def read_contests(files: list[Path], rows: int | None, options: ReadOptions) -> Iterator[History]:
    """Read contests in time order, whole or in pieces; files with equal times keep the order given."""
    tables = {file: read_contest(file) for file in files} if rows is None else {}

    def table(file: Path) -> pl.DataFrame:
        return tables[file] if file in tables else read_contest(file)

    files = sorted(files, key=lambda file: _time(table(file)))
    reader = _ContestReader(options)
    batch: list[tuple[Path, pl.DataFrame]] = []
    for file in files:
        batch.append((file, table(file)))
        if rows is not None and sum(len(frame) for _, frame in batch) >= rows:
            yield reader.read(batch)
            batch = []
    if batch:
        yield reader.read(batch)
    reader.reader.finish()


class _ContestReader:
    """Tables of several files as one history; errors name the file."""

    def __init__(self, options: ReadOptions) -> None:
        self._batch: list[tuple[Path, pl.DataFrame]] = []
        self._starts: list[int] = []
        self._used = Names()
        self.reader = TableReader(options, Source(None, self._locate))

    def read(self, batch: list[tuple[Path, pl.DataFrame]]) -> History:
        self._batch = [(file, self._distinct(frame, file)) for file, frame in batch]
        self._starts = list(accumulate((len(frame) for _, frame in batch), initial=0))
        table = pl.concat([frame for _, frame in self._batch], how="diagonal")
        table = table.drop("position").with_columns(pl.col("time").cast(pl.Datetime("us")))
        if "rated" in table.columns:  # only Codeforces says who is not
            table = table.with_columns(pl.col("rated").fill_null(value=True))
        return self.reader.read_table(table)

    def _locate(self, row: int) -> dict[str, Any]:
        number = bisect_right(self._starts, row) - 1
        file, frame = self._batch[number]
        return {"source": str(file), "row": int(frame["position"][row - self._starts[number]]) + 1}

    def _distinct(self, frame: pl.DataFrame, file: Path) -> pl.DataFrame:
        """Two contests of one name stay two events: the later gets the name of its file behind its own."""
        frame = frame.with_columns(tidy_names(frame["event"]))
        for name in frame["event"].unique(maintain_order=True):
            fresh = name if name not in self._used else f"{name} ({file.name.partition('.')[0]})"
            if fresh in self._used:
                raise InputError(f"there are two contests {shorten(fresh)!r}", source=str(file))
            self._used.add(fresh)
            if fresh != name:
                frame = frame.with_columns(pl.col("event").replace(name, fresh))
        return frame


def read_contest(file: Path) -> pl.DataFrame:
    """The table in one JSON file."""
    kind = kind_of(file)
    check_content(file, kind)
    with open_binary(file, kind) as stream:
        content = stream.read()
    try:
        document = json.loads(content.decode("utf-8-sig"))
        if b"\\u" in content:  # an escape may stand for half a character, which is no text
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"the JSON holds half a character, {error.object[error.start]!r}", source=str(file)
        ) from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            "the line is not UTF-8", source=str(file), line=line, hint="save the file as UTF-8"
        ) from error
    except ValueError as error:
        raise InputError(f"the file is not JSON: {error}", source=str(file)) from error
    except RecursionError as error:
        raise InputError("the JSON is nested too deeply", source=str(file)) from error
    if is_contest(document):
        return contest_table(document, str(file))
    if is_codeforces(document):
        return codeforces_table(document, str(file))
    raise InputError(
        "neither a contest of the Elo-MMR program nor an answer of the Codeforces API",
        source=str(file),
        hint="a table of JSON objects, one a line, is .ndjson",
    )


def _time(table: pl.DataFrame) -> int:
    """When the first contest of a file was; one without a time is refused later."""
    first = table["time"].min()
    return first if isinstance(first, int) else 0


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """A name in parts that compare as people do: digits by their value, and before letters."""
    return [
        (0, int(part), part) if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", path.name)
    ]
