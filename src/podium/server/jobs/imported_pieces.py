"""A piece of an import: entries of the log that are rated already, written in one short transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, func, select, update

from podium.arrays import NO_TIME
from podium.server.ladders.numbered_ladder import ChangeColumns
from podium.server.log.bookmarks import Bookmark, bookmark_of, last_bookmark
from podium.server.log.checkpoints import save_at
from podium.server.log.log_entries import Account
from podium.server.log.rated_times import insert_times
from podium.server.storage import tables
from podium.server.storage.engines import engine_number
from podium.server.storage.inserting import (
    StagedRows,
    enter_players,
    insert_change_columns,
    insert_rows,
    insert_staged,
    staged_changes,
    staged_rows,
)
from podium.server.storage.ladder_rows import LadderRow, ladder_of_number

if TYPE_CHECKING:
    from podium.server.service import Service


class EntryRows(NamedTuple):
    """Rows of the table `event` but for the ladder and what computed them."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    same: Mapping[str, Any] = {}
    """Columns that have one value in all rows."""

    def end(self, behind: Bookmark) -> Bookmark:
        """The last of these entries, which follow another one."""
        if not self.rows:
            return behind
        checksum = self.rows[-1][self.columns.index("checksum")]
        return bookmark_of(behind.number + len(self.rows), checksum)


CONSIDERATE_SECONDS = 2.0
"""For how long imports are considerate of others after one of them had to wait."""
ENTRY_COLUMNS = (
    *("seq", "key", "fingerprint", "kind", "rated", "occurred", "rated_time", "received", "actor"),
    *("payload", "checksum", "place", "target"),
)
"""What single entries need."""


@dataclass(slots=True)
class ImportedPiece:
    """Entries that follow the head of a ladder, with what they did."""

    ladder: int
    generation: int
    behind: Bookmark
    """The last entry when this was rated; if the log ends with another by now, the piece is of no use."""
    job: int
    done: int
    total: int
    engine: int
    events: int
    """The events, players and last time of the ladder after this piece."""
    players: int
    last_time: int
    last: Bookmark
    """The last entry of this piece."""
    amending: int
    """How many of them amend others or come late."""
    changed: int
    """How many rows of changes it has."""
    rows: EntryRows
    changes: list[ChangeColumns] = field(default_factory=list)
    staged: list[StagedRows] = field(default_factory=list)
    """Rows and changes as SQLite takes them over; then there are none elsewhere."""
    fresh: dict[int, Account] = field(default_factory=dict)
    """New players, by number."""
    relabelled: dict[int, Account] = field(default_factory=dict)
    times: list[tuple[int, int]] = field(default_factory=list)
    """Entries that are rated at other times than those of their rows."""

    def stage(self) -> ImportedPiece:
        """The same piece with its rows staged."""
        rows = self.rows
        return replace(
            self,
            rows=rows._replace(rows=[]),
            changes=[],
            staged=[
                staged_rows(tables.event, rows.columns, rows.rows, self._same_of_entries),
                *(one for given in self.changes for one in staged_changes(given, self._same_of_changes)),
            ],
        )

    @property
    def _same_of_entries(self) -> dict[str, Any]:
        return {"ladder": self.ladder, "engine": self.engine, **self.rows.same}

    @property
    def _same_of_changes(self) -> dict[str, Any]:
        return {"ladder": self.ladder, "generation": self.generation}

    def insert(self, connection: Connection) -> None:
        """Write the rows."""
        insert_rows(connection, tables.event, self.rows.columns, self.rows.rows, self._same_of_entries)
        for columns in self.changes:
            insert_change_columns(connection, self.ladder, self.generation, columns)
        for staged in self.staged:
            insert_staged(connection, staged)
        insert_times(connection, self.ladder, self.generation, self.times)


class Stored(NamedTuple):
    """What became of a piece."""

    is_written: bool
    others_wait: bool
    """Whether others have something to write, too."""


def store_imported(service: Service, piece: ImportedPiece) -> Stored:
    """Write a piece; nothing is written if the log has gone on meanwhile."""
    with service.database.writing() as connection:
        row = ladder_of_number(connection, piece.ladder, lock=True)
        if (last_bookmark(row), row.generation) != (piece.behind, piece.generation):
            return Stored(False, True)
        row.check_open()
        _write(connection, piece)
    service.followers.wake(row.slug)
    return Stored(True, service.database.was_contended(CONSIDERATE_SECONDS))


def store_in_turn(
    service: Service, ladder: int, rate: Callable[[Connection, LadderRow], ImportedPiece]
) -> ImportedPiece:
    """Rate and write a piece while others wait for the ladder's row; this is for PostgreSQL."""
    with service.database.writing() as connection:
        row = ladder_of_number(connection, ladder, lock=True)
        row.check_open()
        piece = rate(connection, row)
        _write(connection, piece)
    service.followers.wake(row.slug)
    return piece


def hold_ladder(service: Service, ladder: int, seconds: float) -> None:
    """Let reports to a ladder wait for an import, for so long at most; this is for SQLite."""
    with service.database.reading() as connection:
        slug = ladder_of_number(connection, ladder).slug
    service.committer.hold(slug, seconds)


def release_ladder(service: Service, ladder: int) -> None:
    """Let reports to a ladder go on."""
    with service.database.reading() as connection:
        slug = ladder_of_number(connection, ladder).slug
    service.committer.release(slug)


def _write(connection: Connection, piece: ImportedPiece) -> None:
    advanced = {
        "head": piece.last.number,
        "events": piece.events,
        "players": piece.players,
        "last_time": None if piece.last_time == NO_TIME else piece.last_time,
        "pending": tables.ladder.c.pending + piece.amending,
    }
    connection.execute(update(tables.ladder).where(tables.ladder.c.id == piece.ladder).values(advanced))
    enter_players(connection, piece.ladder, piece.fresh, piece.relabelled)
    piece.insert(connection)
    done = {"done": piece.done, "total": piece.total}
    connection.execute(update(tables.job).where(tables.job.c.id == piece.job).values(done))


def own_engine(service: Service) -> int:
    """The number of what computes here, in the database."""
    with service.database.writing() as connection:
        return engine_number(connection)


def save_ladder(service: Service, ladder: int, generation: int, last: Bookmark, content: bytes) -> None:
    """Keep a ladder as it was at some entry of its log, so that nobody has to rate all of an import."""
    with service.database.writing() as connection:
        row = ladder_of_number(connection, ladder)
        if row.generation == generation:
            save_at(connection, row, last, content)


def entries_known(connection: Connection, ladder: int, first: str, last: str) -> int:
    """How many keys from one to another of the same length are in the log of a ladder."""
    key = tables.event.c.key
    between = (key >= first, key <= last, func.length(key) == len(first))
    query = select(func.count()).where(tables.event.c.ladder == ladder, *between)
    return int(connection.execute(query).scalar_one())
