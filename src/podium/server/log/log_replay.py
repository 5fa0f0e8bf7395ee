"""A ladder rated anew from the first entry of its log, or from some later one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sqlalchemy import Connection

from podium.history.ragged import Progress
from podium.server.correcting.amendments import Amendments
from podium.server.ladders.followed_ladder import Piece, name_players, read_entries
from podium.server.ladders.numbered_ladder import ChangeRow, NumberedLadder
from podium.server.log.log_entries import LogEntry
from podium.server.storage.ladder_rows import LadderRow


class Replayed(NamedTuple):
    """A piece of a log that was rated."""

    piece: Piece
    changes: list[ChangeRow]
    times: dict[int, int]
    """When its events and adjustments are rated; what is void has the time of its row."""


def named_ladder(connection: Connection, row: LadderRow) -> NumberedLadder:
    """An empty ladder in which every number of the log has its name."""
    ladder = NumberedLadder(row.system)
    name_players(connection, row, ladder)
    return ladder


def replayed(
    connection: Connection,
    row: LadderRow,
    ladder: NumberedLadder,
    amendments: Amendments,
    *,
    after: int = 0,
    stops: Collection[int] = (),
    progress: Progress | None = None,
) -> Iterator[Replayed]:
    """Rate the log behind a number on `ladder` piece by piece.

    A piece ends at each of the numbers `stops`, if not before. `progress` is called with the number of
    entries of a piece when the next one is asked for.
    """
    for piece in read_entries(connection, row, ladder, after=after, amendments=amendments, stops=stops):
        times = dict(piece.times)

        def note(entry: LogEntry, times: dict[int, int] = times) -> None:
            if entry.number in times:  # what amends others is not rated itself
                times[entry.number] = entry.rated_time

        rated = ladder.rate(piece.entries, note, again=True)
        yield Replayed(piece, [change for rows in rated for change in rows.change_rows()], times)
        if progress is not None:
            progress(piece.last - piece.first + 1)
