"""Ladders saved beside their logs now and then, so that loading one does not begin at its first event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from podium.ladder.log_store import superfluous
from podium.server import machine
from podium.server.correcting.generations import usable_checkpoints
from podium.server.ladders.followed_ladder import FollowedLadder, digest_of
from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.log.bookmarks import Bookmark, goes_on_from, last_bookmark
from podium.server.operations.service_logs import LOGGER, brief
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.engines import engine_number
from podium.server.storage.ladder_rows import LadderRow, ladder_of_number

ROWS_WORTH_SAVING = 1_000
"""Rows since the last checkpoint below which the end of a worker writes none."""
BYTES_PER_ROW = 50
"""Bytes of a checkpoint for which there has to be a row first, while long work goes on: a large ladder is
saved less often, and what is saved stays below what is written of rows."""


def is_due(rows: int, least: int, saved: int) -> bool:
    """Whether long work should save its ladder, so many rows after a checkpoint of `saved` bytes."""
    return rows >= max(least, saved // BYTES_PER_ROW)


class CheckpointWriter:
    """A thread that saves ladders when enough has happened since the last time."""

    def __init__(
        self,
        database: Database,
        ladders: LoadedLadders,
        rows: int,
        counted: Callable[[str], None] = lambda outcome: None,
    ) -> None:
        self._database, self._ladders, self._rows = database, ladders, rows
        self._counted = counted
        """Called with `written` or `failed` for each."""
        self._queue: machine.SimpleQueue[str | None] = machine.SimpleQueue()
        self._thread = machine.Thread(target=self._work, name="checkpoints", daemon=True)
        self._thread.start()

    def consider(self, slug: str) -> None:
        """Save a ladder soon if it is time for it."""
        if (live := self._ladders.find(slug)) is None:
            return
        with live.lock:
            due = live.rows_since_checkpoint >= self._rows
            if due:
                live.rows_since_checkpoint = 0
        if due:
            self._queue.put(slug)

    def close(self) -> None:
        """Save what has changed much since the last time, and end."""
        for slug in self._ladders.names():
            live = self._ladders.find(slug)
            if live is not None and live.rows_since_checkpoint >= ROWS_WORTH_SAVING:
                self._queue.put(slug)
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (slug := self._queue.get()) is not None:
            try:
                self.write(slug)
                self._counted("written")
            except Exception as error:  # the log is whole: loading takes longer, nothing else
                self._counted("failed")
                LOGGER.warning("no checkpoint of %r: %s", slug, brief(error))

    def write(self, slug: str) -> None:
        """Save a ladder now."""
        with self._ladders.copied(slug, _numbered) as (_, (row, ladder)):
            pass
        content = ladder.to_bytes()
        with self._database.writing() as connection:
            save_at(connection, row, last_bookmark(row), content)


def _numbered(live: FollowedLadder) -> tuple[LadderRow, NumberedLadder]:
    live.rows_since_checkpoint = 0
    return live.row, live.ladder.numbered()


def save_at(connection: Connection, row: LadderRow, last: Bookmark, content: bytes) -> None:
    """Keep a ladder that was saved behind an entry, in the generation of a row.

    Nothing is kept if the log does not have that entry: an older backup was restored since.
    """
    if goes_on_from(connection, ladder_of_number(connection, row.id), last):
        insert_checkpoint(connection, replace(row, head=last.number), content)
        remove_checkpoints(connection, row)


def insert_checkpoint(connection: Connection, row: LadderRow, content: bytes) -> None:
    """Keep a saved ladder of this generation and head, unless one is there."""
    table = tables.checkpoint
    mine = (table.c.ladder == row.id, table.c.generation == row.generation, table.c.seq == row.head)
    if connection.execute(select(table.c.seq).where(*mine)).one_or_none() is not None:
        return
    values = {
        "ladder": row.id,
        "generation": row.generation,
        "seq": row.head,
        "engine": engine_number(connection),
        "digest": digest_of(content),
        "content": content,
    }
    insert: postgresql.Insert | sqlite.Insert = sqlite.insert(table)
    if connection.dialect.name == "postgresql":
        insert = postgresql.insert(table)
    connection.execute(insert.values(values).on_conflict_do_nothing())  # others may save it just now


def remove_checkpoints(connection: Connection, row: LadderRow) -> None:
    """Delete checkpoints that hold something else than the ladder's generation, or are not worth their room.

    Those of a generation that is being built stay.
    """
    table = tables.checkpoint
    usable = usable_checkpoints(connection, row)
    numbers = sorted({number for _, number in usable})
    unneeded = set(superfluous(numbers)) if numbers else set()
    kept = {one for one in usable if one[1] not in unneeded}
    mine = (table.c.ladder == row.id, table.c.generation <= row.generation)
    for generation, number in connection.execute(select(table.c.generation, table.c.seq).where(*mine)).all():
        if (generation, number) not in kept:
            this = (table.c.ladder == row.id, table.c.generation == generation, table.c.seq == number)
            connection.execute(delete(table).where(*this))
