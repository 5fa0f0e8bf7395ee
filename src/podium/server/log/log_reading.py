"""What the log and its changes say, read from the tables: entries, changes, histories, meetings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple, Protocol

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, select

from podium.documents.event_documents import event_document
from podium.documents.plain_data import plain_time
from podium.documents.service_documents import EntryStatus, LogEntryDocument, LoggedEventDocument
from podium.history import Adjustment, Event
from podium.history.times import to_datetime, to_iso
from podium.server.correcting.generations import REMOVED, latest_generation
from podium.server.ladders.followed_ladder import Look, Piece
from podium.server.ladders.numbered_ladder import ADJUSTED, ChangeRow
from podium.server.log.bookmarks import Bookmark, check_bookmark, mark_of
from podium.server.log.log_entries import LogEntry
from podium.server.log.rated_times import entry_as_rated, select_entries
from podium.server.log.reports import Disqualification, plain_adjustment
from podium.server.problems import UnknownEntryError
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow

ENTRIES_AT_ONCE = 500
"""Entries that one query asks for by number."""
PAYLOAD_AT_ONCE = 200_000
"""Characters of the log that are read at once: some ten thousand players."""
_CHANGE_COLUMNS = [tables.change.c[name] for name in ChangeRow._fields]


class Naming(Protocol):
    """What knows players by number: a ladder, or a look at one."""

    def name_of(self, number: int) -> str:
        """What the player of a number is called."""


def shown_entry(found: Any, look: Look) -> LogEntry:
    """The entry in a row of `select_entries`; adjustments tell of accounts, which may be merged by now."""
    if found.kind == "adjustment":
        return entry_as_rated(found, look.account_name)
    return look.told(lambda name_of: entry_as_rated(found, name_of))


def changes_of_entries(connection: Connection, row: LadderRow, first: int, last: int) -> list[ChangeRow]:
    """What entries of the log did, as the ladder's generation has it, best rank first."""
    table = tables.change
    query = _changes_between(row, first, last).order_by(table.c.seq, table.c.rank, table.c.player)
    return [ChangeRow._make(found) for found in connection.execute(query).all()]


def _changes_between(row: LadderRow, first: int, last: int) -> Select[Any]:
    """The query for what entries of the log did, in no order."""
    table = tables.change
    return select(*_CHANGE_COLUMNS).where(
        table.c.ladder == row.id, table.c.seq.between(first, last), *current_rows(row)
    )


def shown_changes(
    connection: Connection, row: LadderRow, chosen: ColumnElement[bool]
) -> list[tuple[Any, ...]]:
    """What pages show of changes: entry, player, rank, displayed rating before and after; in no order."""
    table = tables.change
    columns = (table.c.seq, table.c.player, table.c.rank, table.c.display_before, table.c.display)
    query = select(*columns).where(table.c.ladder == row.id, chosen, *current_rows(row))
    return [tuple(found) for found in connection.execute(query)]


def changes_of_piece(
    connection: Connection, row: LadderRow, piece: Piece, late: Collection[int]
) -> list[ChangeRow]:
    """What the entries of a piece of the log did, as it is stored, in no order.

    `late` are the numbers of all late events.
    """
    rows = connection.execute(_changes_between(row, piece.first, piece.last)).all()
    between = [ChangeRow._make(one) for one in rows]
    found = [change for change in between if change.seq not in late] if late else between
    if piece.late:
        found += changes_of_matches(connection, row, piece.late).values()
    return found


def changes_of_matches(
    connection: Connection, row: LadderRow, numbers: list[int]
) -> dict[tuple[int, int], ChangeRow]:
    """What some entries did, by entry and player."""
    table = tables.change
    found: dict[tuple[int, int], ChangeRow] = {}
    for start in range(0, len(numbers), ENTRIES_AT_ONCE):
        some = table.c.seq.in_(numbers[start : start + ENTRIES_AT_ONCE])
        query = select(*_CHANGE_COLUMNS).where(table.c.ladder == row.id, some, *current_rows(row))
        found |= {(one.seq, one.player): ChangeRow._make(one) for one in connection.execute(query)}
    return found


def players_changed(connection: Connection, row: LadderRow, numbers: list[int]) -> dict[int, int]:
    """How many players some entries changed, by entry; those that changed nobody are left out."""
    table = tables.change
    found: dict[int, int] = {}
    for start in range(0, len(numbers), ENTRIES_AT_ONCE):
        some = table.c.seq.in_(numbers[start : start + ENTRIES_AT_ONCE])
        query = select(table.c.seq, func.count().label("players")).where(
            table.c.ladder == row.id, some, *current_rows(row)
        )
        found |= {one.seq: one.players for one in connection.execute(query.group_by(table.c.seq))}
    return found


def in_order_of(
    entry: LogEntry, changes: Iterable[ChangeRow], name_of: Callable[[int], str]
) -> list[ChangeRow]:
    """What an entry did, in the order in which its players were reported."""
    if not isinstance(entry.content, Event):
        return list(changes)
    places = {name: place for place, name in enumerate(chain.from_iterable(entry.content.sides))}
    return sorted(changes, key=lambda change: places.get(name_of(change.player), 0))


def stored_entries(connection: Connection, row: LadderRow, look: Look, numbers: list[int]) -> list[LogEntry]:
    """The entries of some numbers."""
    found: list[LogEntry] = []
    for start in range(0, len(numbers), ENTRIES_AT_ONCE):
        some = tables.event.c.seq.in_(numbers[start : start + ENTRIES_AT_ONCE])
        rows = connection.execute(select_entries(row).where(some))
        found += [shown_entry(one, look) for one in rows]
    return found


def current_rows(row: LadderRow) -> tuple[Any, ...]:
    """Rows that no later generation replaces or removes, up to that of the ladder."""
    table = tables.change
    if row.generation == 1:
        return (table.c.generation == 1,)
    return table.c.generation == latest_generation(table, row.generation), table.c.rank != REMOVED


class PlayerEvent(NamedTuple):
    """An entry of the log as one of its players saw it."""

    change: ChangeRow
    entry: LogEntry


def events_of_player(
    connection: Connection, look: Look, player: int, *, before: int | None = None, limit: int
) -> list[PlayerEvent]:
    """The latest events of a player that were rated before entry `before`, latest first; all: None.

    Those of accounts that were merged into the player's are among them.
    """
    change, event = tables.change, tables.event
    own = change.c.player.in_(look.accounts(player))
    mine = (change.c.ladder == look.row.id, own, *current_rows(look.row))
    query = (
        select_entries(look.row, *(column.label(f"change_{column.name}") for column in _CHANGE_COLUMNS))
        .join(event, and_(event.c.ladder == change.c.ladder, event.c.seq == change.c.seq))
        .where(*mine)
    )
    if look.amendments.has_late:
        numbers = list(connection.execute(select(change.c.seq).where(*mine)).scalars())
        query = query.where(change.c.seq.in_(_latest(look, numbers, before, limit)))
    elif before is not None:
        query = query.where(change.c.seq < before)
    found = connection.execute(query.order_by(change.c.seq.desc()).limit(limit))
    events = [_player_event(one, look) for one in found]
    return sorted(events, key=lambda one: look.amendments.position(one.entry.number), reverse=True)


def _latest(look: Look, numbers: Iterable[int], before: int | None, limit: int) -> list[int]:
    """The latest of some entries that were rated before another one, latest first."""
    position = look.amendments.position
    end = None if before is None else position(before)
    chosen = (number for number in numbers if end is None or position(number) < end)
    return sorted(chosen, key=position, reverse=True)[:limit]


def _player_event(found: Any, look: Look) -> PlayerEvent:
    change = ChangeRow._make(getattr(found, f"change_{name}") for name in ChangeRow._fields)
    return PlayerEvent(change, look.in_force(shown_entry(found, look)))


AboutToRead = Callable[[int], None]
"""Called with a number of whole entries before these are read."""


class Meeting(NamedTuple):
    """An entry of the log in which two players were on different sides."""

    a: ChangeRow
    b: ChangeRow
    entry: LogEntry


def meetings(
    connection: Connection,
    look: Look,
    pairs: Mapping[int, Sequence[Pair]],
    *,
    before: int | None = None,
    limit: int,
    about_to_read: AboutToRead,
) -> list[Meeting]:
    """The latest of `pairs_met`, before entry `before`, latest first; all: None.

    An event in which somebody had two accounts, merged since, is as many meetings; none of them is left out.
    """
    row, change = look.row, tables.change
    numbers = _latest(look, pairs, before, limit)
    if not numbers:
        return []
    about_to_read(len(numbers))
    players = {player for number in numbers for pair in pairs[number] for player in (pair.one, pair.other)}
    entries = {entry.number: look.in_force(entry) for entry in stored_entries(connection, row, look, numbers)}
    query = select(*_CHANGE_COLUMNS).where(
        change.c.ladder == row.id,
        change.c.seq.in_(numbers),
        change.c.player.in_(players),
        *current_rows(row),
    )
    found = {(one.seq, one.player): ChangeRow._make(one) for one in connection.execute(query)}
    return [
        Meeting(found[number, pair.one], found[number, pair.other], entries[number])
        for number in numbers
        for pair in pairs[number]
    ]


def scores_between(pairs: Mapping[int, Sequence[Pair]]) -> tuple[int, int, int]:
    """How often the first of `pairs_met` was ranked before the other, as high on another side, and behind."""
    leads = [pair.lead for met in pairs.values() for pair in met]
    wins, draws = sum(lead > 0 for lead in leads), leads.count(0)
    return wins, draws, len(leads) - wins - draws


class Pair(NamedTuple):
    """An account of each of two players in one event, on different sides."""

    one: int
    other: int
    lead: int
    """How many ranks the first was before the other."""


def pairs_met(
    connection: Connection, look: Look, a: int, b: int, about_to_read: AboutToRead
) -> dict[int, list[Pair]]:
    """By entry, the accounts of two players that were against each other in it.

    Those of one rank may be partners: of these events alone the sides are read. No player meets herself, even
    if two of her accounts, merged since, were in one event.
    """
    if a == b:
        return {}
    ours, theirs = look.accounts(a), look.accounts(b)
    met = {
        number: [
            Pair(one, other, ranks[other] - ranks[one])
            for one in ours
            for other in theirs
            if one in ranks and other in ranks
        ]
        for number, ranks in _ranks_of_both(connection, look.row, ours, theirs).items()
    }
    level = [number for number, pairs in met.items() if any(pair.lead == 0 for pair in pairs)]
    about_to_read(len(level))
    for number, side_of in _sides(connection, look, level, {*ours, *theirs}).items():
        met[number] = [pair for pair in met[number] if side_of[pair.one] != side_of[pair.other]]
    return {number: pairs for number, pairs in met.items() if pairs}


def _sides(
    connection: Connection, look: Look, numbers: list[int], accounts: Collection[int]
) -> dict[int, dict[int, int]]:
    """The sides on which some accounts were, by entry and account, as the events count."""
    found: dict[int, dict[int, int]] = {}
    for start in range(0, len(numbers), ENTRIES_AT_ONCE):
        some = tables.event.c.seq.in_(numbers[start : start + ENTRIES_AT_ONCE])
        for row in connection.execute(select_entries(look.row).where(some)):
            event = look.in_force(entry_as_rated(row, str), str).content
            assert isinstance(event, Event)
            sides = enumerate(event.sides)
            found[row.seq] = {
                int(name): side for side, names in sides for name in names if int(name) in accounts
            }
    return found


def _ranks_of_both(
    connection: Connection, row: LadderRow, ours: list[int], theirs: list[int]
) -> dict[int, dict[int, int]]:
    """The ranks of some accounts by entry and account, in the events in which some of both kinds were.

    One pass over the rows of these accounts, without a join: whatever a database thinks of how many there
    are, it can do nothing else.
    """
    change = tables.change
    there = [
        func.max(case((change.c.player.in_(accounts), 1), else_=0)).over(partition_by=change.c.seq)
        for accounts in (ours, theirs)
    ]
    columns = change.c.seq, change.c.player, change.c.generation, change.c.rank
    rows = (
        select(*columns, there[0].label("ours"), there[1].label("theirs"))
        .where(change.c.ladder == row.id, change.c.player.in_([*ours, *theirs]))
        .where(change.c.generation <= row.generation, change.c.rank != ADJUSTED)
        .subquery()
    )
    query = select(rows).where(rows.c.ours == 1, rows.c.theirs == 1).order_by(rows.c.generation)
    found: dict[int, dict[int, int]] = {}
    for one in connection.execute(query):  # of several generations, the last one counts
        found.setdefault(one.seq, {})[one.player] = one.rank
    ranks = (
        (number, {player: rank for player, rank in of_players.items() if rank != REMOVED})
        for number, of_players in found.items()
    )
    return {
        number: of_players
        for number, of_players in ranks
        if any(map(of_players.__contains__, ours)) and any(map(of_players.__contains__, theirs))
    }


# ---------------------------------------------------------------------- entries


def find_entry(connection: Connection, row: LadderRow, look: Look, number: int) -> LogEntry:
    """The entry of a number."""
    found = stored_entries(connection, row, look, [number]) if 0 < number <= row.head else []
    if not found:
        raise UnknownEntryError(f"there is no event {number}", hint=f"the last one is {row.head}")
    return found[0]


def entries_between(
    connection: Connection, row: LadderRow, look: Look, first: int, last: int
) -> list[LogEntry]:
    """Entries by number, oldest first."""
    table = tables.event
    query = select_entries(row).where(table.c.seq.between(first, last)).order_by(table.c.seq)
    return [shown_entry(found, look) for found in connection.execute(query)]


def next_logged(connection: Connection, look: Look, after: Bookmark) -> list[LoggedEventDocument]:
    """The next entries behind a bookmark with what they changed, as plain data: a piece of the log.

    Refused if the bookmark is of another log.
    """
    row, first = look.row, after.number + 1
    check_bookmark(connection, row, after)
    if (last := _last_at_once(connection, row, first)) is None:
        return []
    entries = entries_between(connection, row, look, first, last)
    changes = changes_of_entries(connection, row, first, last)
    by_number = {number: list(rows) for number, rows in groupby(changes, key=lambda change: change.seq)}
    return [logged_document(entry, by_number.get(entry.number, []), look) for entry in entries]


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


def logged_document(entry: LogEntry, changes: Iterable[ChangeRow], look: Look) -> LoggedEventDocument:
    """An entry with what it changed and what became of it, as plain data."""
    amendments = look.amendments
    counted = look.in_force(entry) if entry.target is None else entry
    name_of = look.names_in(counted)
    status: EntryStatus = "void" if amendments.is_void(entry.number) else "in force"
    is_rated = isinstance(counted.content, Event) and entry.target is None and status == "in force"
    return {
        **entry_document(entry),
        "status": "pending" if amendments.is_pending(entry.number) else status,
        "amended_by": amendments.amending(entry.number),
        "rated_event": event_document(counted.content) if is_rated else None,  # type: ignore[arg-type]
        "rated_disqualified": sorted(counted.disqualified) if is_rated else [],
        "generation": look.row.generation,
        "changes": [
            change.document(name_of(change.player)) for change in in_order_of(counted, changes, name_of)
        ],
    }


def bookmark_of(entry: LogEntry) -> Bookmark:
    """The bookmark of somebody who has read up to an entry."""
    return Bookmark(entry.number, None if entry.checksum is None else mark_of(entry.checksum))


def entry_document(entry: LogEntry) -> LogEntryDocument:
    """An entry of the log as plain data."""
    content = entry.content
    disqualified = content.players if isinstance(content, Disqualification) else entry.disqualified
    return {
        "number": entry.number,
        "entry": entry.kind,
        "key": entry.key,
        "received": to_iso(entry.received),
        "rated": entry.rated,
        "reported_time": plain_time(to_datetime(entry.occurred)),
        "rated_time": plain_time(to_datetime(entry.rated_time)),
        "event": event_document(content) if isinstance(content, Event) else None,
        "disqualified": sorted(disqualified),
        "adjustment": {"adjustment": content.kind, **plain_adjustment(content)}
        if isinstance(content, Adjustment)
        else None,
        "place": entry.place,
        "target": entry.target,
        "reason": entry.grounds.reason,
        "link": entry.grounds.link,
        "bookmark": str(bookmark_of(entry)),
    }
