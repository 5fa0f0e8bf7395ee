"""A ladder's changes computed anew from its log, as a new generation that stores only what differs."""

from __future__ import annotations

from sqlalchemy import Connection, delete, update

from podium.arrays import NO_TIME
from podium.documents.service_documents import RebuildDocument
from podium.history.pacing import Progress
from podium.server.access.audit_trail import note
from podium.server.access.rights import LOCAL, Access
from podium.server.ladders.live_ladders import LiveLadders
from podium.server.ladders.served_ladder import ChangeRow
from podium.server.log.log_reading import changes_of_entries
from podium.server.log.log_replay import named_ladder, replayed
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.inserting import insert_changes
from podium.server.storage.ladder_rows import find_ladder


def rebuild(
    database: Database,
    ladders: LiveLadders | None,
    slug: str,
    *,
    progress: Progress | None = None,
    by: Access = LOCAL,
) -> RebuildDocument:
    """Rate a ladder's log again, and replace what differs from it.

    Nobody appends meanwhile. Checkpoints go: those of another state would lead back to it. `ladders` are
    those of this worker, if there is one; the others notice the new generation. `progress` is called with the
    number of entries rated since the last call.
    """
    with database.writing() as connection:
        row = find_ladder(connection, slug, lock=True)
        ladder = named_ladder(connection, row)
        rows, changed = 0, 0
        for first, last, rebuilt in replayed(connection, row, ladder, progress=progress):
            stored = set(changes_of_entries(connection, row, first, last))
            differing = [change for change in rebuilt if change not in stored]
            insert_changes(connection, row.id, row.generation + 1, differing)
            changed += len(differing) + _remove_surplus(connection, row.id, stored, rebuilt)
            rows += len(rebuilt)
        connection.execute(delete(tables.checkpoint).where(tables.checkpoint.c.ladder == row.id))
        values = {
            "generation": row.generation + 1,
            "events": ladder.n_events,
            "players": len(ladder),
            "last_time": None if ladder.last_time == NO_TIME else ladder.last_time,
        }
        connection.execute(update(tables.ladder).where(tables.ladder.c.id == row.id).values(values))
        note(connection, by, "rebuilt", row.id, {"generation": row.generation + 1, "changed": changed})
    if ladders is not None:
        ladders.drop(slug)
    return {
        "slug": slug,
        "generation": row.generation + 1,
        "head": row.head,
        "rows": rows,
        "changed": changed,
    }


def _remove_surplus(
    connection: Connection, ladder: int, stored: set[ChangeRow], rebuilt: list[ChangeRow]
) -> int:
    """Remove stored changes of players whom an entry does not change at all; returns how many there were."""
    there = {(change.seq, change.player) for change in rebuilt}
    surplus = [(change.seq, change.player) for change in stored if (change.seq, change.player) not in there]
    table = tables.change
    for number, player in surplus:
        connection.execute(
            delete(table).where(table.c.ladder == ladder, table.c.seq == number, table.c.player == player)
        )
    return len(surplus)
