"""What the log and its changes say, read from the tables: entries, changes, histories, meetings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, groupby
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection, Select, and_, exists, func, select

from podium.documents.event_documents import event_document
from podium.documents.plain_data import plain_time
from podium.documents.service_documents import LogEntryDocument, LoggedEventDocument
from podium.history import Event
from podium.history.times import to_datetime, to_iso
from podium.server.ladders.served_ladder import ChangeRow
from podium.server.log.log_entries import LogEntry, entry_of
from podium.server.log.reports import plain_adjustment
from podium.server.problems import UnknownEntryError
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow
from podium.text import shorten

ENTRIES_AT_ONCE = 500
"""Entries that one query asks for by number."""
PAYLOAD_AT_ONCE = 200_000
"""Characters of the log that are read at once: some ten thousand players."""
_CHANGE_COLUMNS = [tables.change.c[name] for name in ChangeRow._fields]


class Naming(Protocol):
    """What knows players by number: a ladder, or a look at one."""

    def name_of(self, number: int) -> str:
        """What the player of a number is called."""


def changes_of_entries(connection: Connection, row: LadderRow, first: int, last: int) -> list[ChangeRow]:
    """What entries of the log did, as the ladder's generation has it, in the order of their players."""
    table = tables.change
    query = (
        select(*_CHANGE_COLUMNS)
        .where(table.c.ladder == row.id, table.c.seq.between(first, last), *_current(row))
        .order_by(table.c.seq, table.c.rank, table.c.player)
    )
    return [ChangeRow._make(found) for found in connection.execute(query)]


def changes_of_matches(
    connection: Connection, row: LadderRow, numbers: list[int]
) -> dict[tuple[int, int], ChangeRow]:
    """What some entries did, by entry and player."""
    table = tables.change
    found: dict[tuple[int, int], ChangeRow] = {}
    for start in range(0, len(numbers), ENTRIES_AT_ONCE):
        some = table.c.seq.in_(numbers[start : start + ENTRIES_AT_ONCE])
        query = select(*_CHANGE_COLUMNS).where(table.c.ladder == row.id, some, *_current(row))
        found |= {(one.seq, one.player): ChangeRow._make(one) for one in connection.execute(query)}
    return found


def in_order_of(entry: LogEntry, changes: Iterable[ChangeRow], ladder: Naming) -> list[ChangeRow]:
    """What an entry did, in the order in which its players were reported."""
    if not isinstance(entry.content, Event):
        return list(changes)
    places = {name: place for place, name in enumerate(chain.from_iterable(entry.content.sides))}
    return sorted(changes, key=lambda change: places.get(ladder.name_of(change.player), 0))


def stored_entries(
    connection: Connection, row: LadderRow, ladder: Naming, numbers: list[int]
) -> list[LogEntry]:
    """The entries of some numbers."""
    table = tables.event
    found: list[LogEntry] = []
    for start in range(0, len(numbers), ENTRIES_AT_ONCE):
        some = table.c.seq.in_(numbers[start : start + ENTRIES_AT_ONCE])
        rows = connection.execute(select(table).where(table.c.ladder == row.id, some))
        found += [entry_of(one, ladder.name_of) for one in rows]
    return found


def _current(row: LadderRow) -> tuple[Any, ...]:
    """Rows that no later generation replaces, up to that of the ladder."""
    table, later = tables.change, tables.change.alias("later")
    if row.generation == 1:
        return (table.c.generation == 1,)
    replaced = exists().where(
        later.c.ladder == table.c.ladder,
        later.c.seq == table.c.seq,
        later.c.player == table.c.player,
        later.c.generation > table.c.generation,
        later.c.generation <= row.generation,
    )
    return table.c.generation <= row.generation, ~replaced


class PlayerEvent(NamedTuple):
    """An entry of the log as one of its players saw it."""

    change: ChangeRow
    entry: LogEntry


def events_of_player(
    connection: Connection, row: LadderRow, ladder: Naming, player: int, *, before: int, limit: int
) -> list[PlayerEvent]:
    """The latest events of a player with numbers below `before`, latest first."""
    change, event = tables.change, tables.event
    query = (
        select(event, *(column.label(f"change_{column.name}") for column in _CHANGE_COLUMNS))
        .join(event, and_(event.c.ladder == change.c.ladder, event.c.seq == change.c.seq))
        .where(change.c.ladder == row.id, change.c.player == player, change.c.seq < before, *_current(row))
        .order_by(change.c.seq.desc())
        .limit(limit)
    )
    return [_player_event(found, ladder) for found in connection.execute(query)]


def _player_event(found: Any, ladder: Naming) -> PlayerEvent:
    change = ChangeRow._make(getattr(found, f"change_{name}") for name in ChangeRow._fields)
    return PlayerEvent(change, entry_of(found, ladder.name_of))


class Meeting(NamedTuple):
    """An entry of the log in which two players took part."""

    a: ChangeRow
    b: ChangeRow
    entry: LogEntry


def meetings(
    connection: Connection, row: LadderRow, ladder: Naming, a: int, b: int, *, before: int, limit: int
) -> list[Meeting]:
    """The latest events of both players with numbers below `before`, latest first."""
    query = (
        _met(row, a, b).where(tables.change.c.seq < before).order_by(tables.change.c.seq.desc()).limit(limit)
    )
    numbers = list(connection.execute(query).scalars())
    if not numbers:
        return []
    table = tables.event
    stored = connection.execute(select(table).where(table.c.ladder == row.id, table.c.seq.in_(numbers)))
    entries = {found.seq: entry_of(found, ladder.name_of) for found in stored}
    change = tables.change
    rows = connection.execute(
        select(*_CHANGE_COLUMNS).where(
            change.c.ladder == row.id, change.c.seq.in_(numbers), change.c.player.in_([a, b]), *_current(row)
        )
    )
    sides = {(found.seq, found.player): ChangeRow._make(found) for found in rows}
    return [Meeting(sides[number, a], sides[number, b], entries[number]) for number in numbers]


def scores_between(connection: Connection, row: LadderRow, a: int, b: int) -> tuple[int, int, int]:
    """How often one player was ranked before the other, as high, and behind."""
    one, other = tables.change.alias("one"), tables.change.alias("other")
    query = (
        select(one.c.seq, one.c.rank, other.c.rank.label("other_rank"))
        .join(other, and_(other.c.ladder == one.c.ladder, other.c.seq == one.c.seq))
        .where(one.c.ladder == row.id, one.c.player == a, other.c.player == b)
        .where(one.c.generation <= row.generation, other.c.generation <= row.generation)
        .order_by(one.c.generation, other.c.generation)  # of several generations, the last one counts
    )
    ranks = {found.seq: (found.rank, found.other_rank) for found in connection.execute(query)}
    wins = sum(mine < theirs for mine, theirs in ranks.values())
    draws = sum(mine == theirs for mine, theirs in ranks.values())
    return wins, draws, len(ranks) - wins - draws


def _met(row: LadderRow, a: int, b: int) -> Select[tuple[int]]:
    change, other = tables.change, tables.change.alias("other")
    there = exists().where(
        other.c.ladder == change.c.ladder, other.c.seq == change.c.seq, other.c.player == b
    )
    return select(change.c.seq).where(change.c.ladder == row.id, change.c.player == a, there, *_current(row))


# ---------------------------------------------------------------------- entries


def find_entry(
    connection: Connection, row: LadderRow, ladder: Naming, *, number: int | None = None, key: str = ""
) -> LogEntry:
    """The entry of a number, or of a key."""
    table = tables.event
    chosen = table.c.key == key if number is None else table.c.seq == number
    found = None
    if "\0" not in key if number is None else 0 < number <= row.head:  # PostgreSQL knows no text with \\0
        found = connection.execute(select(table).where(table.c.ladder == row.id, chosen)).one_or_none()
    if found is None:
        if number is None:
            raise UnknownEntryError(f"nothing was recorded with the key {shorten(key)!r}")
        raise UnknownEntryError(f"there is no event {number}", hint=f"the last one is {row.head}")
    return entry_of(found, ladder.name_of)


def entries_between(
    connection: Connection, row: LadderRow, ladder: Naming, first: int, last: int
) -> list[LogEntry]:
    """Entries by number, oldest first."""
    table = tables.event
    query = select(table).where(table.c.ladder == row.id, table.c.seq.between(first, last))
    return [entry_of(found, ladder.name_of) for found in connection.execute(query.order_by(table.c.seq))]


def next_logged(
    connection: Connection, row: LadderRow, ladder: Naming, first: int
) -> list[LoggedEventDocument]:
    """The next entries from a number on with what they changed, as plain data: a piece of the log."""
    if (last := _last_at_once(connection, row, first)) is None:
        return []
    entries = entries_between(connection, row, ladder, first, last)
    changes = changes_of_entries(connection, row, first, last)
    by_number = {number: list(rows) for number, rows in groupby(changes, key=lambda change: change.seq)}
    return [logged_document(entry, by_number.get(entry.number, []), row, ladder) for entry in entries]


def _last_at_once(connection: Connection, row: LadderRow, first: int) -> int | None:
    """The last of the entries that are read at once from a number on; None if there is none.

    Contests of thousands make pieces of few entries, so that memory does not grow with them.
    """
    table = tables.event
    last, size = None, 0
    query = (
        select(table.c.seq, func.length(table.c.payload).label("size"))
        .where(
            table.c.ladder == row.id, table.c.seq.between(first, min(row.head, first + ENTRIES_AT_ONCE - 1))
        )
        .order_by(table.c.seq)
    )
    for one in connection.execute(query):
        size += one.size
        if last is not None and size > PAYLOAD_AT_ONCE:
            break
        last = one.seq
    return last


def logged_document(
    entry: LogEntry, changes: Iterable[ChangeRow], row: LadderRow, ladder: Naming
) -> LoggedEventDocument:
    """An entry with what it changed, as plain data."""
    return {
        **entry_document(entry),
        "generation": row.generation,
        "changes": [
            change.document(ladder.name_of(change.player)) for change in in_order_of(entry, changes, ladder)
        ],
    }


def entry_document(entry: LogEntry) -> LogEntryDocument:
    """An entry of the log as plain data."""
    content = entry.content
    is_event = isinstance(content, Event)
    return {
        "number": entry.number,
        "entry": entry.kind,
        "key": entry.key,
        "received": to_iso(entry.received),
        "rated": entry.rated,
        "reported_time": plain_time(to_datetime(entry.occurred)),
        "rated_time": plain_time(to_datetime(entry.rated_time)),
        "event": event_document(content) if isinstance(content, Event) else None,
        "disqualified": sorted(entry.disqualified),
        "adjustment": None if is_event else {"adjustment": content.kind, **plain_adjustment(content)},  # type: ignore[union-attr, arg-type]
    }
