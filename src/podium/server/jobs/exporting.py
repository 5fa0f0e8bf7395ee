"""A ladder with everything that is known of it as one file: a zip of tables and a description.

- ``ladder.json``: the rating system, settings, how far the log has come, and what computed it
- ``log``: every entry of the log as it is stored: numbers, keys, times, who reported it, players by number;
  and when it is rated now
- ``players``: the name of each number; none if the account was merged into another one
- ``changes``: what each entry did to each player, as the ladder's current generation has it
- ``ratings``: everybody's rating now

Tables are CSV or Parquet. Such a file can be imported into an empty ladder, which is then equal to this one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import polars as pl
from sqlalchemy import BigInteger, Boolean, Connection, Double, Integer, LargeBinary, Table, select

import podium
from podium.documents.plain_data import plain_parameters
from podium.server.jobs.job_kinds import JobContext
from podium.server.ladders.followed_ladder import FollowedLadder, load_ladder
from podium.server.ladders.numbered_ladder import ChangeRow
from podium.server.log.log_entries import Account
from podium.server.log.log_reading import changes_of_entries
from podium.server.log.rated_times import COUNTED_TIME, counted_time
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow, ladder_of_number
from podium.tables.written_tables import write_frames

ExportFormat = Literal["parquet", "csv"]
EXPORT_FORMATS: dict[ExportFormat, int] = {"parquet": 1, "csv": 2}
"""Version of the layout of an export; from 2 on, texts of CSV that look like formulas are marked."""
DESCRIPTION_FILE = "ladder.json"
ENTRIES_PER_PIECE = 20_000
"""Entries of the log that are read together, with what they changed."""
LOG_COLUMNS = [column.name for column in tables.event.columns if column.name != "ladder"]


def export_ladder(context: JobContext) -> dict[str, Any]:
    """Write everything that is known of a ladder into the file `output` of the job."""
    chosen: ExportFormat = context.job.arguments["format"]
    assert context.job.ladder is not None
    with TemporaryDirectory(prefix="podium-export-") as folder, context.database.reading() as connection:
        row = ladder_of_number(connection, context.job.ladder)
        found = _Export(context, connection, row, Path(folder), chosen)
        size = found.write()
        return {
            "name": f"{row.slug}-{row.head}.zip",
            "bytes": size,
            "entries": row.head,
            "players": row.players,
            "changes": found.changes,
        }


class _Export:
    """An export under way: everything is read in one transaction."""

    def __init__(
        self, context: JobContext, connection: Connection, row: LadderRow, folder: Path, chosen: ExportFormat
    ) -> None:
        self.context, self.connection, self.row = context, connection, row
        self.folder, self.chosen = folder, chosen
        self.live: FollowedLadder = load_ladder(connection, row)
        self.changes = 0
        self.total = 2 * row.head

    def write(self) -> int:
        """Write all tables; the bytes of the file."""
        writer = self.context.part_writer("output")
        packing = ZIP_STORED if self.chosen == "parquet" else ZIP_DEFLATED
        with ZipFile(writer, "w", packing) as archive:
            archive.writestr(DESCRIPTION_FILE, json.dumps(self._description(), indent=1), ZIP_DEFLATED)
            self._add(archive, "players", [self._players()])
            self._add(archive, "ratings", [self.live.ladder.ratings()])
            self._add(archive, "log", self._log())
            self._add(archive, "changes", self._changes())
        return writer.finish()

    def _add(self, archive: ZipFile, name: str, frames: Iterable[pl.DataFrame]) -> None:
        path = self.folder / f"{name}.{self.chosen}"
        write_frames(frames, path)
        archive.write(path, path.name)
        path.unlink()

    def _description(self) -> dict[str, Any]:
        row, system = self.row, self.row.system
        engines = self.connection.execute(select(tables.engine)).all()
        generation = tables.generation
        query = select(generation.c.amended_to).where(
            generation.c.ladder == row.id, generation.c.number == row.generation
        )
        return {
            "podium": podium.__version__,
            "format": EXPORT_FORMATS[self.chosen],
            "tables": self.chosen,
            "slug": row.slug,
            "system": system.name,
            "parameters": plain_parameters(system.parameters()),
            "settings": row.chosen_settings,
            "fill_times": row.fill_times,
            "private": row.private,
            "ladder": row.id,
            "head": row.head,
            "events": row.events,
            "players": row.players,
            "generation": row.generation,
            "amended_to": self.connection.execute(query).scalar_one_or_none() or 0,
            "engines": {str(engine.id): engine.description for engine in engines},
        }

    def _players(self) -> pl.DataFrame:
        ladder = self.live.ladder
        rows = [(number, *ladder.account(number)) for number in range(len(ladder.players))]
        return pl.DataFrame(rows, player_schema(), orient="row")

    def _log(self) -> Iterator[pl.DataFrame]:
        table, schema = tables.event, log_schema() | {COUNTED_TIME: pl.Int64}
        columns = [*(table.c[name] for name in LOG_COLUMNS), counted_time(self.row)]
        yield pl.DataFrame(schema=schema)
        for first, last in self._pieces(done_before=0):
            query = select(*columns).where(table.c.ladder == self.row.id, table.c.seq.between(first, last))
            rows = self.connection.execute(query.order_by(table.c.seq)).all()
            yield frame_of_rows([tuple(row) for row in rows], schema)

    def _changes(self) -> Iterator[pl.DataFrame]:
        schema = {name: _dtype(tables.change, name) for name in ChangeRow._fields}
        labels = pl.Series("name", self.live.ladder.players.to_list(), pl.String)
        yield pl.DataFrame(schema=schema | {"name": pl.String})
        for first, last in self._pieces(done_before=self.row.head):
            rows = changes_of_entries(self.connection, self.row, first, last)
            frame = frame_of_rows(rows, schema)
            self.changes += len(frame)
            yield frame.with_columns(labels.gather(frame["player"]))

    def _pieces(self, *, done_before: int) -> Iterator[tuple[int, int]]:
        for first in range(1, self.row.head + 1, ENTRIES_PER_PIECE):
            last = min(first + ENTRIES_PER_PIECE - 1, self.row.head)
            yield first, last
            self.context.progress(done_before + last, self.total)


def player_schema() -> dict[str, Any]:
    """The columns of the players in an export."""
    return {name: _dtype(tables.player, name) for name in ("number", *Account._fields)}


def log_schema() -> dict[str, Any]:
    """The columns of the log in an export; bytes are written as hexadecimal text."""
    return {name: _dtype(tables.event, name) for name in LOG_COLUMNS}


def frame_of_rows(rows: list[Any], schema: dict[str, Any]) -> pl.DataFrame:
    """Rows of a table as a frame; bytes become hexadecimal text."""
    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    return pl.DataFrame(
        [
            pl.Series(name, [_plain(value) for value in column] if dtype == pl.String else column, dtype)
            for (name, dtype), column in zip(schema.items(), columns, strict=True)
        ]
    )


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def _dtype(table: Table, name: str) -> Any:
    kind = table.c[name].type
    if isinstance(kind, (Integer, BigInteger)):
        return pl.Int64
    if isinstance(kind, Boolean):
        return pl.Boolean
    if isinstance(kind, Double):
        return pl.Float64
    assert isinstance(kind, LargeBinary) or kind.python_type is str
    return pl.String
