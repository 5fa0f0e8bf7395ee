"""The latest rows of players, read from the table of changes: their form, and the results of one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import isnan
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, exists, or_, text

from podium.arrays import NO_TIME, Floats
from podium.documents.page_documents import MomentDocument
from podium.pages.board_pages import MONTH, RecentForm
from podium.pages.ladder_data import PageBasis
from podium.pages.played_rows import BAND, AdjustedRating, PlayedRows, kept, kept_number
from podium.pages.player_results import LARGE_EVENT, PlayerResults, opponents, played_match, with_adjustments
from podium.server.correcting.amendments import Position
from podium.server.correcting.generations import REMOVED
from podium.server.ladders.followed_ladder import Look
from podium.server.ladders.numbered_ladder import ChangeRow
from podium.server.live_pages.large_events import RememberedEvents
from podium.server.live_pages.played_entries import (
    EntryFacts,
    entry_facts,
    numbered_entries,
    played_entries,
    rated_event,
)
from podium.server.log.log_entries import LogEntry
from podium.server.log.rated_times import select_entries
from podium.server.storage import tables
from podium.systems.contract.explained_ratings import PlayedMatch

FORM_RESULTS = 12
"""Latest results of each player that the line of ratings on the leaderboard is of."""
RESULTS_AT_ONCE = 100
"""Results on a player's page; earlier ones are on pages of their own."""
ROWS_IN_FULL = 1_000
"""Rows of events whose other players are looked at for a player's page."""
LIVE_OPPONENTS_RULE = f"Events of more than {LARGE_EVENT} sides do not count here."


# ---------------------------------------------------------------------- the latest rows of accounts

_COLUMNS = ", ".join(f"found.{name}" for name in ChangeRow._fields)
_TYPES = [tables.change.c[name] for name in ChangeRow._fields]
_EVENTS = "found.rank > :removed AND found.rated"
"""Rows of events that counted for the player: `ADJUSTED` is below `REMOVED`."""
_SOME_NUMBER = (
    "SELECT one.seq FROM change AS one {hint} WHERE one.ladder = :ladder AND one.player = wanted.player "
    "AND {where} ORDER BY one.seq {order} LIMIT 1 OFFSET {skipped}"
)
# SQLite would read all changes of the ladder from the last one on, if it were not led to the index.
_HINTS = {"sqlite": "INDEXED BY change_of_player", "postgresql": ""}
_ROWS_OF_EACH = {
    # One look into the index for each account, whichever way a database can be led to it.
    "sqlite": (
        "SELECT {columns} FROM (SELECT value AS player FROM json_each(:accounts)) AS wanted "
        f"CROSS JOIN change AS found {_HINTS['sqlite']} WHERE found.seq {{compared}} COALESCE(({{first}}), 0)"
    ),
    "postgresql": (
        "SELECT {columns} FROM unnest(CAST(:accounts AS integer[])) AS wanted (player), "
        "LATERAL (SELECT COALESCE(({first}), 0) AS number) AS start, change AS found "
        "WHERE found.seq {compared} start.number"
    ),
}


def _counted(look: Look, row: str) -> str:
    """The condition that no later generation replaces or removes a row."""
    if look.row.generation == 1:
        return f"{row}.generation = :generation"
    return (  # as `latest_generation` finds it
        f"{row}.rank != :removed AND {row}.generation = (SELECT MAX(later.generation) FROM change AS later "
        f"WHERE later.ladder = :ladder AND later.seq = {row}.seq AND later.player = {row}.player "
        "AND later.generation <= :generation)"
    )


def _late(row: str, more: str = "") -> str:
    """The condition that a row is of a late event."""
    return (
        f"EXISTS (SELECT 1 FROM event WHERE ladder = :ladder AND seq = {row}.seq AND place IS NOT NULL{more})"
    )


def _of_each(
    connection: Connection,
    look: Look,
    accounts: Sequence[int],
    *,
    columns: str = _COLUMNS,
    first: str = "SELECT 1",
    compared: str = ">=",
    where: str = "found.seq <= :head",
    grouped: str = "",
) -> Iterator[Any]:
    """The rows of accounts that count, in no order: those from the number on that a query finds for each."""
    dialect = connection.dialect.name
    led = first.replace("{hint}", _HINTS[dialect])
    query = text(
        f"{_ROWS_OF_EACH[dialect].format(columns=columns, first=led, compared=compared)} AND {where} "
        f"AND found.ladder = :ladder AND found.player = wanted.player AND {_counted(look, 'found')} {grouped}"
    )
    given = {
        "accounts": json.dumps(list(accounts)) if dialect == "sqlite" else list(accounts),
        "ladder": look.row.id,
        "head": look.row.head,
        "generation": look.row.generation,
        "removed": REMOVED,
    }
    if columns == _COLUMNS:
        return map(ChangeRow._make, connection.execute(query.columns(*_TYPES), given))
    return iter(connection.execute(query, given))


def _latest_rows(
    connection: Connection, look: Look, accounts: Sequence[int], end: Position, limit: int
) -> dict[int, list[ChangeRow]]:
    """At least the latest rows of each account that are rated before a position, oldest first."""
    position = look.amendments.position
    last = min(end.first_number - 1, look.row.head)
    in_place, where = f"one.seq <= {last:d} AND {_counted(look, 'one')}", f"found.seq <= {last:d}"
    if look.amendments.has_late:  # their numbers are above those of all that is rated before them
        in_place += f" AND NOT {_late('one')}"
        where = f"found.seq <= :head AND ({where} OR {_late('found')})"
    first = _SOME_NUMBER.format(hint="{hint}", where=in_place, order="DESC", skipped=limit - 1)
    found: dict[int, list[ChangeRow]] = {account: [] for account in accounts}
    for row in _of_each(connection, look, accounts, first=first, where=where):
        if position(row.seq) < end:
            found[row.player].append(row)
    for rows in found.values():
        rows.sort(key=lambda row: position(row.seq))
    return found


# ---------------------------------------------------------------------- what the latest events did


def recent_forms(
    connection: Connection, basis: PageBasis, look: Look, players: Sequence[int], months: MonthStarts
) -> list[RecentForm]:
    """What the latest events of players did: the last change, that of a month, and a line of ratings."""
    if not players:
        return []
    accounts = {player: [player] for player in players}
    for merged in look.merged:
        if (heir := look.survivor(merged)) in accounts:
            accounts[heir].append(merged)
    everyone = list(chain.from_iterable(accounts.values()))
    end = look.amendments.position(look.row.head + 1)
    latest = _latest_rows(connection, look, everyone, end, FORM_RESULTS)
    month = _month_changes(connection, basis, look, accounts, months) if basis.has_times else {}
    return [
        _form(basis, look, [latest[account] for account in own], month.get(player))
        for player, own in accounts.items()
    ]


def _form(basis: PageBasis, look: Look, rows: list[list[ChangeRow]], month: float | None) -> RecentForm:
    """From the latest rows of a player's own account and of those that were merged into it."""
    events = [row for row in chain.from_iterable(rows) if row.rated and row.is_result]
    drawn = [row.display for row in rows[0] if row.rated][-FORM_RESULTS:]
    spark = kept(np.array(drawn, np.float64), basis.decimals).tolist()
    if not events:
        return RecentForm(None, None, None, spark)
    last = max(events, key=lambda row: look.amendments.position(row.seq))
    change, display = (
        kept_number(shown, basis.decimals) for shown in (last.display - last.display_before, last.display)
    )
    return RecentForm(change, display, None if month is None else kept_number(month, basis.decimals), spark)


def _month_changes(
    connection: Connection,
    basis: PageBasis,
    look: Look,
    accounts: Mapping[int, list[int]],
    months: MonthStarts,
) -> dict[int, float]:
    """The sum of what the events of the last month changed, of those players who have some."""
    moment, amendments = basis.now - MONTH, look.amendments
    since = months.find(connection, look, moment) or look.row.head + 1
    late = amendments.late_after(since, moment)
    here = f"found.seq >= {since:d}"
    if amendments.has_late:
        late_here = _late("found", f" AND (place >= {since:d} OR rated_time > {moment:d})")
        here = f"({here} AND NOT {_late('found')} OR {late_here})"
    heirs = {account: player for player, own in accounts.items() for account in own}
    rows = _of_each(
        connection,
        look,
        list(heirs),
        columns="found.player, SUM(found.display - found.display_before) AS change",
        first=f"SELECT {min([since, *late]):d}",
        where=f"found.seq <= :head AND {_EVENTS} AND {here}",
        grouped="GROUP BY found.player",
    )
    changes: dict[int, float] = {}
    for row in rows:
        changes[heirs[row.player]] = changes.get(heirs[row.player], 0.0) + row.change
    return changes


def career_peak(connection: Connection, basis: PageBasis, look: Look, player: int) -> MomentDocument | None:
    """When a player's displayed rating was highest, also long before the results on the page."""
    highest = _of_each(
        connection,
        look,
        [player],
        columns="found.seq, found.display",
        where=f"found.seq <= :head AND ({_EVENTS} OR found.rank < :removed)",
        grouped="ORDER BY found.display DESC, found.seq LIMIT 1",
    )
    if (row := next(highest, None)) is None:
        return None
    facts = entry_facts(numbered_entries(connection, look, [row.seq])[row.seq])
    display = kept_number(row.display, basis.decimals)
    return {"event": facts.number, "name": facts.name, "time": facts.time, "display": display, "place": None}


class MonthStarts:
    """Where the last month of each ladder begins in its log, looked for from where it began before."""

    def __init__(self) -> None:
        self._starts: dict[int, tuple[int, int]] = {}
        """By ladder: a moment, and the first entry that was rated after it."""

    def forget(self) -> None:
        """Forget where months begin."""
        self._starts.clear()

    def find(self, connection: Connection, look: Look, moment: int) -> int | None:
        """The number of the first entry that is rated after a moment, if there is one: times only rise."""
        row = look.row
        earlier, low = self._starts.get(row.id, (moment, 1))
        low = low if earlier <= moment and low <= row.head else 1
        step = 1
        while low + step <= row.head and not _is_after(connection, look, low + step - 1, moment):
            low, step = low + step, 2 * step
        high = min(low + step - 1, row.head)
        while low <= high:
            middle = (low + high) // 2
            if _is_after(connection, look, middle, moment):
                high = middle - 1
            else:
                low = middle + 1
        self._starts[row.id] = (moment, low)
        return low if low <= row.head else None


def _is_after(connection: Connection, look: Look, number: int, moment: int) -> bool:
    """Whether the first entry from a number on that has a time is rated after a moment, or there is none."""
    time = first_time_from(connection, look, number)
    return time is None or time > moment


def first_time_from(
    connection: Connection, look: Look, number: int, *, of_events: bool = False
) -> int | None:
    """When the first entry from a number on that counts and has a time is rated; None if there is none.

    Adjustments are such entries too, unless only those `of_events` are looked at.
    """
    row, table, amending = look.row, tables.event, tables.event.alias()
    is_amended = exists().where(amending.c.ladder == table.c.ladder, amending.c.target == table.c.seq)
    query = (
        select_entries(row)
        .where(table.c.seq <= row.head, table.c.rated_time.is_not(None), table.c.place.is_(None))
        .where(table.c.target.is_(None), or_(table.c.rated, is_amended))
        .order_by(table.c.seq)
        .limit(1)
    )
    query = query.where(table.c.kind == "event") if of_events else query
    while (found := connection.execute(query.where(table.c.seq >= number)).one_or_none()) is not None:
        if look.amendments.counts(found, str):
            return int(found.counted_time)
        number = found.seq + 1
    return None


def last_event_time(connection: Connection, look: Look) -> int:
    """When the last event that counts is rated, whatever was adjusted since; `NO_TIME` if none has a time."""
    row, table, time = look.row, tables.event, NO_TIME
    query = (
        select_entries(row)
        .where(table.c.kind == "event", table.c.rated_time.is_not(None))
        .order_by(table.c.seq.desc())
        .limit(1)
    )
    number = row.head + 1
    while (found := connection.execute(query.where(table.c.seq < number)).one_or_none()) is not None:
        number = found.seq
        if look.amendments.counts(found, str):
            time = max(time, int(found.counted_time))
            if found.place is None:  # what was reported late may be earlier than what stands before it
                break
    return time


# ---------------------------------------------------------------------- the results of one player


class PlayerTables(NamedTuple):
    """What the tables say of some results of a player, oldest first."""

    changes: list[ChangeRow]
    facts: dict[int, EntryFacts]
    played: PlayedRows
    """Those events of which all players are known, the others not."""
    older: int
    accounts: dict[int, str]
    """The names of the accounts that were merged into the player's, by number."""


def player_tables(
    connection: Connection,
    basis: PageBasis,
    look: Look,
    player: int,
    *,
    before: int,
    remembered: RememberedEvents[EntryFacts],
) -> PlayerTables:
    """The latest results of a player with numbers below `before`."""
    changes = _latest_changes(connection, look, player, before)
    facts: dict[int, EntryFacts] = {}
    unread = []
    for change in changes:
        if (known := remembered.find(look, change.seq)) is not None:
            facts[change.seq] = known
        else:
            unread.append(change.seq)
    entries = numbered_entries(connection, look, unread)
    full: list[LogEntry] = []
    rows = 0
    for number in sorted(entries, reverse=True):
        entry = entries[number]
        facts[number] = entry_facts(entry)
        size = 0 if (counted := rated_event(entry)) is None else sum(map(len, counted.sides))
        if facts[number].sides > LARGE_EVENT:
            remembered.remember(look, number, facts[number])
        elif rows + size <= ROWS_IN_FULL:
            rows += size
            full.append(entry)
    played = played_entries(connection, basis, look, full[::-1])
    older = 0 if len(changes) < RESULTS_AT_ONCE else _count_before(connection, look, player, changes[0].seq)
    accounts = {number: look.account_name(number) for number in look.accounts(player)[1:]}
    return PlayerTables(changes, facts, played, older, accounts)


def _latest_changes(connection: Connection, look: Look, player: int, before: int) -> list[ChangeRow]:
    """The latest changes of a player below an entry, oldest first."""
    position, accounts = look.amendments.position, look.accounts(player)
    of_each = _latest_rows(connection, look, accounts, position(before), RESULTS_AT_ONCE)
    rows = sorted(chain.from_iterable(of_each.values()), key=lambda row: position(row.seq))
    if len(rows) <= RESULTS_AT_ONCE:
        return rows
    first = rows[-RESULTS_AT_ONCE].seq  # two accounts of a player may be in one event
    return [row for row in rows if position(row.seq) >= position(first)]


def _count_before(connection: Connection, look: Look, player: int, number: int) -> int:
    """How many results a player has before an entry of the log, with what was adjusted between them."""
    accounts, position = look.accounts(player), look.amendments.position
    where = "found.seq <= :head"
    if accounts[1:]:  # what was adjusted of a merged account moved another rating, and is not shown
        where += f" AND (found.player = {player:d} OR found.rank > :removed)"
    if look.amendments.has_late:
        rows = _of_each(connection, look, accounts, columns="found.seq", where=where)
        return len({row.seq for row in rows if position(row.seq) < position(number)})
    where += f" AND found.seq < {number:d}"
    (row,) = _of_each(connection, look, accounts, columns="COUNT(DISTINCT found.seq) AS results", where=where)
    return int(row.results)


def player_results(basis: PageBasis, found: PlayerTables, player: int) -> PlayerResults:
    """The results of a player as pages tell them, and what was adjusted between them."""
    changes, played = [change for change in found.changes if change.is_result], found.played
    facts = [found.facts[change.seq] for change in changes]
    accounts = [player, *found.accounts]
    rows = np.sort(np.concatenate([played.rows_of(account) for account in accounts]))
    row_of = {
        (number, account): row
        for account in accounts
        for own in [played.rows_of(account)]
        for number, row in zip(played.numbers[played.event[own]].tolist(), own.tolist(), strict=True)
    }
    here = [row_of.get((change.seq, change.player)) for change in changes]
    decimals, has_sigma = basis.decimals, basis.has_sigma
    history = played.history
    met, rule = opponents(basis, played, rows)
    is_large = any(one.sides > LARGE_EVENT for one in facts)

    def rounded(values: Iterable[float]) -> list[float]:
        shown: list[float] = kept(np.fromiter(values, np.float64), decimals).tolist()
        return shown

    low, high = (
        rounded(change.mu + sign * BAND * (change.sigma or 0.0) for change in changes) for sign in (-1.0, 1.0)
    )

    def known(values: Floats) -> list[float | None]:
        return [None if row is None else float(values[row]) for row in here]

    def match(position: int) -> PlayedMatch | None:
        row = here[position]
        if row is None or facts[position].sides != 2:
            return None
        return played_match(basis, played, row, int(played.event[row]))

    before, display = (
        rounded(change.display_before for change in changes),
        rounded(change.display for change in changes),
    )
    performs = any(change.performance is not None for change in changes)
    results = PlayerResults(
        number=[one.number for one in facts],
        name=[one.name for one in facts],
        time=[one.time for one in facts],
        label=[one.label for one in facts],
        adjustment=[None] * len(changes),
        account=[found.accounts.get(change.player) for change in changes],
        rank=[change.rank for change in changes],
        sides=[one.sides for one in facts],
        before=before,
        display=display,
        change=rounded(change.display - change.display_before for change in changes),
        sigma=rounded(change.sigma or 0.0 for change in changes) if has_sigma else None,
        low=low if has_sigma else None,
        high=high if has_sigma else None,
        performance=[
            None if change.performance is None else value
            for change, value in zip(
                changes, rounded(change.performance or 0.0 for change in changes), strict=True
            )
        ]
        if performs
        else None,
        place=[0] * len(changes),
        points=[None] * len(changes)
        if history.score is None
        else [None if value is None or isnan(value) else value for value in known(history.score)],
        score=known(played.score),
        expected=known(played.expected),
        rated=[change.rated for change in changes],
        match=match,
        opponents=met,
        opponents_rule=LIVE_OPPONENTS_RULE if is_large else rule,
        older=found.older,
    )
    return with_adjustments(results, _adjustments(found), decimals)


def _adjustments(found: PlayerTables) -> list[tuple[int, AdjustedRating]]:
    """What was adjusted, each with the position of the result before which it was."""
    moves, results = [], 0
    for change in found.changes:
        if change.is_result:
            results += 1
            continue
        if change.player in found.accounts:  # it moved another rating
            continue
        facts = found.facts[change.seq]
        shown = change.display_before, change.display, change.mu, change.sigma or 0.0
        moves.append((results, AdjustedRating(facts.number, facts.name, facts.time, *shown)))
    return moves
