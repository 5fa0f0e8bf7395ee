"""How much work a part of a log is, counted in rows: one for each player of each event.

An entry may be a match of two or a contest of thousands, so that a number of entries says little of the time
it takes to read, rate or delete them.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, func, select

from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow

ROW_CHARACTERS = 12
"""What a row of a contest takes in the log: the player's number and the rank. A match of two counts as three
or four rows, as an entry has its own cost."""
ENTRIES_FETCHED = 1_000


def rows_behind(connection: Connection, row: LadderRow, number: int, most: int) -> int:
    """About how many rows there are behind a number, up to the row's head; more than `most` are not counted.

    What entries did counts, as a reset moves everybody. So does what they hold: one that is void has done
    nothing, but is read, and may count again.
    """
    change, event = tables.change, tables.event
    span = number + 1, row.head
    some = select(change.c.seq).where(change.c.ladder == row.id, change.c.seq.between(*span)).limit(most + 1)
    done: int = connection.execute(select(func.count()).select_from(some.subquery())).scalar_one()
    if done > most:
        return done
    # PostgreSQL tells the bytes of a long text without reading it; SQLite reads one entry after another.
    length = func.octet_length if connection.dialect.name == "postgresql" else func.length
    sizes = (
        select(length(event.c.payload))
        .where(event.c.ladder == row.id, event.c.seq.between(*span))
        .execution_options(yield_per=ENTRIES_FETCHED)
    )
    held = 0
    with connection.execute(sizes) as found:
        for size in found.scalars():
            held += 1 + size // ROW_CHARACTERS
            if held > most:
                break
    return max(done, held)


def number_before(connection: Connection, row: LadderRow, rows: int) -> int:
    """The number of the log behind which there are so many changes, or more if one entry has them; 0 if there
    are fewer.
    """
    change = tables.change
    query = select(change.c.seq).where(change.c.ladder == row.id, change.c.seq <= row.head)
    found: int | None = connection.execute(
        query.order_by(change.c.seq.desc()).offset(rows - 1).limit(1)
    ).scalar()
    return 0 if found is None else found - 1


def pieces_of_rows(
    connection: Connection, ladder: int, first: int, last: int, rows: int
) -> Iterator[tuple[int, int]]:
    """The numbers between two of a log in pieces with about so many changes each: first and last of each.

    An entry is never divided. Changes of all generations count: who looks for those of one reads them.
    """
    change = tables.change
    query = select(change.c.seq).where(change.c.ladder == ladder).order_by(change.c.seq).offset(rows).limit(1)
    while first <= last:
        end = connection.execute(query.where(change.c.seq >= first, change.c.seq <= last)).scalar()
        end = last if end is None else max(first, end - 1)
        yield first, end
        first = end + 1
