"""A ladder rated anew from the first entry of its log."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import Connection, select

from podium.history import Names
from podium.history.pacing import Progress
from podium.server.ladders.live_ladder import read_entries
from podium.server.ladders.served_ladder import ChangeRow, ServedLadder
from podium.server.log.reports import free_label
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow


def named_ladder(connection: Connection, row: LadderRow) -> ServedLadder:
    """An empty ladder in which every number of the log has its name."""
    table = tables.player
    names = connection.execute(select(table.c.name).where(table.c.ladder == row.id).order_by(table.c.number))
    ladder = ServedLadder(row.system)
    ladder.players = Names(
        free_label(number) if name is None else name for number, name in enumerate(names.scalars())
    )
    ladder.state.grow(len(ladder.players))
    return ladder


def replayed(
    connection: Connection,
    row: LadderRow,
    ladder: ServedLadder,
    *,
    stops: Collection[int] = (),
    progress: Progress | None = None,
) -> Iterator[tuple[int, int, list[ChangeRow]]]:
    """Rate the log on `ladder` piece by piece: first and last number of each, and what it changed.

    A piece ends at each of the numbers `stops`, if not before. `progress` is called with the entries of a
    piece when the next one is asked for.
    """
    for entries in read_entries(connection, row, ladder, after=0):
        first, last = entries[0].number, entries[-1].number
        ends = sorted({number for number in stops if first <= number < last} | {last})
        begin = first
        for end in ends:
            rated = ladder.rate(entries[begin - first : end - first + 1])
            yield begin, end, [change for rows in rated for change in rows.change_rows()]
            if progress is not None:
                progress(end - begin + 1)
            begin = end + 1
