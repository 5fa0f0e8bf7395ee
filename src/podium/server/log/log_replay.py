"""A ladder rated anew from the first entry of its log, or from some later one."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import Connection

from podium.history.pacing import Progress
from podium.server.correcting.amendments import Amendments
from podium.server.ladders.live_ladder import Piece, name_players, read_entries
from podium.server.ladders.served_ladder import ChangeRow, ServedLadder
from podium.server.storage.ladder_rows import LadderRow


def named_ladder(connection: Connection, row: LadderRow) -> ServedLadder:
    """An empty ladder in which every number of the log has its name."""
    ladder = ServedLadder(row.system)
    name_players(connection, row, ladder)
    return ladder


def replayed(
    connection: Connection,
    row: LadderRow,
    ladder: ServedLadder,
    amendments: Amendments,
    *,
    after: int = 0,
    stops: Collection[int] = (),
    progress: Progress | None = None,
) -> Iterator[tuple[Piece, list[ChangeRow]]]:
    """Rate the log behind a number on `ladder` piece by piece: each piece, and what it changed.

    A piece ends at each of the numbers `stops`, if not before. `progress` is called with the number of
    entries of a piece when the next one is asked for.
    """
    for piece in read_entries(connection, row, ladder, after=after, amendments=amendments, stops=stops):
        rated = ladder.rate(piece.entries, again=True)
        yield piece, [change for rows in rated for change in rows.change_rows()]
        if progress is not None:
            progress(piece.last - piece.first + 1)
