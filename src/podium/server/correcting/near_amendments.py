"""Amendments near the end of the log, which are rated at once in the transaction that appends them.

What is near is counted in rows: of matches these are thousands, of large contests only the last ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Connection

from podium.server.correcting.amendments import EVERYTHING
from podium.server.correcting.generations import Generation, is_being_built, usable_checkpoints
from podium.server.correcting.rerating import differing, first_changed_by, takes_over
from podium.server.ladders.followed_ladder import (
    REMEMBERED_BYTES,
    ROWS_REMEMBERED_APART,
    FollowedLadder,
    FormerState,
    nearest_saved,
)
from podium.server.ladders.numbered_ladder import ChangeRow, NumberedLadder
from podium.server.log.checkpoints import insert_checkpoint, remove_checkpoints
from podium.server.log.logged_rows import rows_behind
from podium.server.log.rated_times import insert_times
from podium.server.storage.inserting import insert_changes
from podium.server.storage.ladder_rows import LadderRow

NEAR_ROWS = 40_000
"""Rows of the log that are rated again at once, while the ladder's reports wait: up to about a second."""
SAVED_AT_ONCE_BYTES = 2_000_000
"""Bytes up to which a ladder is saved in the transaction that amends it; a larger one soon after."""


class Near(NamedTuple):
    """A ladder whose amendments were rated at once."""

    live: FollowedLadder
    generation: Generation
    rows: dict[int, list[ChangeRow]]
    """What the latest entries did, by number."""
    times: dict[int, int]
    """When the latest entries are rated, by number."""


def rerate_near(
    connection: Connection, live: FollowedLadder, row: LadderRow, known: int, engine: int
) -> Near | None:
    """Rate again what amendments at the end of the log change, if that is quick; None if it is not.

    `row` is the ladder's row after its latest entries were appended, and `known` the number before them.
    `live` is nobody else's; its names go to the ladder that takes over.
    """
    pending = live.amendments.between(live.amendments.to, row.head)
    if live.row.pending or is_being_built(connection, row):
        return None
    changed_from = first_changed_by(connection, row, live.amendments, pending)
    assert changed_from is not None, "something is pending"
    if (found := state_before(connection, live, row, changed_from, NEAR_ROWS)) is None:
        return None
    number, ladder = found
    ladder.players, ladder.merged = live.ladder.players, live.ladder.merged
    ladder.state.grow(len(ladder.players))
    amendments = live.amendments.up_to(row.head, own_times=True)
    states = live.states_before(changed_from)
    before = replace(row, head=changed_from - 1)

    def remember() -> None:
        """Whoever takes back one mistake often takes back another: that one begins here, and not where
        this one did.
        """
        is_far = rows_behind(connection, before, number, ROWS_REMEMBERED_APART) >= ROWS_REMEMBERED_APART
        if is_far and ladder.state.nbytes <= REMEMBERED_BYTES:
            states.append(FormerState(before.head, ladder.nameless()))

    latest: dict[int, list[ChangeRow]] = {}
    times: dict[int, int] = {}
    for piece in differing(
        connection, row, ladder, amendments, after=number, changed_from=changed_from, at_start=remember
    ):
        insert_changes(connection, row.id, row.generation + 1, piece.differing)
        insert_times(connection, row.id, row.generation + 1, piece.moved)
        times |= {number: time for number, time in piece.times.items() if number > known}
        for change in piece.rows:
            if change.seq > known:
                latest.setdefault(change.seq, []).append(change)
    ladder.relabelled.clear()
    new, generation = takes_over(connection, row, ladder, engine=engine, changed_from=changed_from)
    is_saved = ladder.state.nbytes <= SAVED_AT_ONCE_BYTES
    if is_saved:
        insert_checkpoint(connection, new, ladder.numbered().to_bytes())
        remove_checkpoints(connection, new)
    after = FollowedLadder(new, ladder, amendments, states)
    if not is_saved:
        after.rows_since_checkpoint = EVERYTHING  # it is time to save it
    return Near(after, generation, latest, times)


def state_before(
    connection: Connection, live: FollowedLadder, row: LadderRow, before: int, most: int
) -> tuple[int, NumberedLadder] | None:
    """The ladder at the nearest number before another one that is in memory or saved, without names.

    None if there are more than `most` rows from there to the end of the log.
    """
    states = live.states_before(before)
    saved = max((number for _, number in usable_checkpoints(connection, row, before=before)), default=0)
    is_remembered = bool(states) and states[-1].number >= saved
    number = states[-1].number if is_remembered else saved
    if rows_behind(connection, row, number, most) > most:
        return None
    if is_remembered:
        return number, states[-1].ladder.nameless()
    found = nearest_saved(connection, row, before=before)
    is_whole = found[0] == number  # or the nearest is damaged
    return found if is_whole or rows_behind(connection, row, found[0], most) <= most else None
