"""The table in a file of votes, with fields inside fields as columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from podium.errors import InputError
from podium.tables.columns.shapes import ROW, ReadOptions
from podium.tables.reading_notes import ReadingNotes
from podium.tables.sources.given_files import readable
from podium.tables.sources.table_files import table_in


def file_frame(given: Any) -> tuple[pl.DataFrame | None, str]:
    """The table in a file, and the file's name; no table if it is JSON or PGN."""
    options = ReadOptions()
    with readable(given, options) as file:
        if file.kind.format == "pgn":
            return None, file.name
        if file.kind.format == "json":
            return _array_frame(file.path), file.name
        table = table_in(file, options, ReadingNotes(file.name), lambda cells: len(cells) > 1)
        if file.kind.format == "ndjson":  # fields inside fields are columns too
            try:
                return pl.read_ndjson(file.path, infer_schema_length=None), file.name
            except pl.exceptions.PolarsError as error:
                reason = str(error).partition("\n")[0]
                raise InputError(f"not readable as JSON lines: {reason}", source=file.name) from error
        names = list(table.columns)
        frames = [frame.drop(ROW, strict=False) for frame in table.frames({name: name for name in names})]
        if not frames:
            raise InputError("there are no votes", source=file.name)
        return pl.concat(frames), file.name


def _array_frame(path: Path) -> pl.DataFrame | None:
    """The table in a JSON file that is one array of objects; None if it is something else."""
    try:
        return pl.read_json(path, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        return None


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Fields inside fields as columns such as `judge.language`; lists are left out."""
    while nested := [name for name, kind in frame.schema.items() if isinstance(kind, pl.Struct)]:
        for name in nested:
            inner = frame[name].struct.unnest()
            inner = inner.rename({field: f"{name}.{field}" for field in inner.columns})
            frame = frame.drop(name).hstack(inner)
    return frame.select(
        name for name, kind in frame.schema.items() if not isinstance(kind, (pl.List, pl.Array))
    )
