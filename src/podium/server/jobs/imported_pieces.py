"""A piece of an import: entries of the log that are rated already, written in one short transaction."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, func, select, update

from podium.arrays import NO_TIME
from podium.server.ladders.served_ladder import ChangeColumns
from podium.server.log.checkpoints import insert_checkpoint, remove_checkpoints
from podium.server.storage import tables
from podium.server.storage.engines import engine_number
from podium.server.storage.inserting import enter_players, insert_change_columns, insert_rows
from podium.server.storage.ladder_rows import ladder_of_number

if TYPE_CHECKING:
    from podium.server.service import Service


class ImportedRow(NamedTuple):
    """A row of the table `event` but for the ladder and what computed it."""

    seq: int
    key: str
    fingerprint: bytes
    kind: str
    rated: bool
    occurred: int | None
    rated_time: int | None
    received: int
    actor: str | None
    payload: str
    checksum: int
    place: int | None = None
    target: int | None = None


@dataclass(slots=True)
class ImportedPiece:
    """Entries that follow the head of a ladder, with what they did."""

    ladder: int
    generation: int
    head: int
    """Where the log stood when this was rated; if it has gone on since, the piece is of no use."""
    job: int
    done: int
    total: int
    engine: int
    events: int
    """The events, players and last time of the ladder after this piece."""
    players: int
    last_time: int
    rows: list[tuple[Any, ...]]
    """Rows of the table `event`, in the order of `ImportedRow`."""
    amending: int
    """How many of them amend others or come late."""
    changes: list[ChangeColumns] = field(default_factory=list)
    fresh: dict[int, str | None] = field(default_factory=dict)
    """New players, by number."""
    relabelled: dict[int, str | None] = field(default_factory=dict)


def store_imported(service: Service, piece: ImportedPiece) -> bool:
    """Write a piece; False, and nothing is written, if the log has gone on meanwhile."""
    with service.database.writing() as connection:
        table = tables.ladder
        query = select(table.c.head, table.c.generation).where(table.c.id == piece.ladder)
        found = connection.execute(query.with_for_update()).one()
        if (found.head, found.generation) != (piece.head, piece.generation):
            return False
        row = ladder_of_number(connection, piece.ladder)
        row.check_open()
        _write(connection, piece)
    service.followers.wake(row.slug)
    return True


def _write(connection: Connection, piece: ImportedPiece) -> None:
    advanced = {
        "head": piece.head + len(piece.rows),
        "events": piece.events,
        "players": piece.players,
        "last_time": None if piece.last_time == NO_TIME else piece.last_time,
        "pending": tables.ladder.c.pending + piece.amending,
    }
    connection.execute(update(tables.ladder).where(tables.ladder.c.id == piece.ladder).values(advanced))
    enter_players(connection, piece.ladder, piece.fresh, piece.relabelled)
    always = {"ladder": piece.ladder, "engine": piece.engine}
    insert_rows(connection, tables.event, ImportedRow._fields, piece.rows, always)
    for columns in piece.changes:
        insert_change_columns(connection, piece.ladder, piece.generation, columns)
    done = {"done": piece.done, "total": piece.total}
    connection.execute(update(tables.job).where(tables.job.c.id == piece.job).values(done))


def own_engine(service: Service) -> int:
    """The number of what computes here, in the database."""
    with service.database.writing() as connection:
        return engine_number(connection)


def save_ladder(service: Service, ladder: int, generation: int, head: int, content: bytes) -> None:
    """Keep a ladder as it was at some number of its log, so that nobody has to rate all of an import."""
    with service.database.writing() as connection:
        row = ladder_of_number(connection, ladder)
        if row.generation == generation and row.head >= head:
            insert_checkpoint(connection, replace(row, head=head), content)
            remove_checkpoints(connection, row)


def entries_known(connection: Connection, ladder: int, keys: list[str]) -> int:
    """How many of these keys are in the log of a ladder."""
    table = tables.event
    query = select(func.count()).where(table.c.ladder == ladder, table.c.key.in_(keys))
    return int(connection.execute(query).scalar_one())
