"""The latest rows of players, read from the table of changes: their form, and the results of one."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import isnan
from typing import Any, NamedTuple

from sqlalchemy import Connection, exists, func, or_, select, text

from podium.arrays import Floats
from podium.pages.board_pages import MONTH, NO_FORM, RecentForm
from podium.pages.ladder_data import PageBasis
from podium.pages.met_opponents import LARGE_EVENT, opponents
from podium.pages.played_rows import BAND, AdjustedRating, PlayedRows
from podium.pages.player_results import PlayerResults, played_match, with_adjustments
from podium.server.correcting.generations import REMOVED
from podium.server.ladders.live_ladder import Look
from podium.server.ladders.served_ladder import ADJUSTED, ChangeRow
from podium.server.live_pages.large_events import RememberedEvents
from podium.server.live_pages.played_entries import (
    EntryFacts,
    entry_facts,
    numbered_entries,
    played_entries,
    rated_event,
)
from podium.server.log.log_entries import LogEntry
from podium.server.log.log_reading import _CHANGE_COLUMNS, _current
from podium.server.log.rated_times import select_entries
from podium.server.storage import tables
from podium.systems.contract.played_matches import PlayedMatch

FORM_RESULTS = 12
"""Latest results of each player that the line of ratings on the leaderboard is of."""
RESULTS_AT_ONCE = 100
"""Results on a player's page; earlier ones are on pages of their own."""
ROWS_IN_FULL = 1_000
"""Rows of events whose other players are looked at for a player's page."""
LIVE_OPPONENTS_RULE = f"Events of more than {LARGE_EVENT} sides do not count."


# ---------------------------------------------------------------------- what the latest events did

_COLUMNS = ("seq", "generation", "rank", "display_before", "display", "rated")
_FOUND = ", ".join(f"found.{name}" for name in _COLUMNS)
_NUMBERS = (
    "SELECT DISTINCT one.seq FROM change AS one {hint} WHERE one.ladder = :ladder "
    "AND one.player = wanted.player AND one.seq {bound} ORDER BY one.seq {order} LIMIT {limit}"
)
_ROWS_OF_EACH = {
    # One look into the index for each player, whichever way a database can be led to it.
    "sqlite": (
        f"SELECT wanted.player, {_FOUND} FROM (SELECT value AS player FROM json_each(:players)) AS wanted "
        "CROSS JOIN change AS found WHERE found.ladder = :ladder AND found.player = wanted.player "
        f"AND found.seq IN ({_NUMBERS}) AND found.generation <= :generation"
    ),
    "postgresql": (
        f"SELECT wanted.player, {_FOUND} FROM unnest(CAST(:players AS integer[])) AS wanted (player), "
        f"LATERAL ({_NUMBERS}) AS latest, change AS found WHERE found.ladder = :ladder "
        "AND found.player = wanted.player AND found.seq = latest.seq AND found.generation <= :generation"
    ),
}
_HINTS = {"sqlite": "INDEXED BY change_of_player", "postgresql": ""}
_NUMBERS_OF_ONE = {
    # SQLite would read all changes of the ladder from the last one on, if it were not led to the index.
    dialect: text(
        f"SELECT DISTINCT seq FROM change {hint} WHERE ladder = :ladder AND player = :player "
        "AND seq < :before ORDER BY seq DESC LIMIT :most"
    )
    for dialect, hint in _HINTS.items()
}


def recent_forms(
    connection: Connection, basis: PageBasis, look: Look, players: Sequence[int], months: MonthStarts
) -> list[RecentForm]:
    """What the latest events of players did: the last change, that of a month, and a line of ratings."""
    if not players:
        return []
    latest = _rows_of(connection, look, players, bound=f"<= {look.row.head:d}", limit=FORM_RESULTS)
    since = months.find(connection, look, basis.now - MONTH) if basis.has_times else None
    month: dict[int, list[Any]] = {}
    if since is not None:
        bound = f"BETWEEN {since:d} AND {look.row.head:d}"
        month = _rows_of(connection, look, players, bound=bound, limit=1, oldest=True)
    return [
        _form(basis, latest.get(player, []), month[player][0].display_before if month.get(player) else None)
        for player in players
    ]


def _form(basis: PageBasis, rows: list[Any], month_before: float | None) -> RecentForm:
    rated = [row for row in rows if row.rated]
    if not rated:
        return NO_FORM
    last = next((row for row in reversed(rated) if row.rank != ADJUSTED), rated[-1])
    before, display = (round(value, basis.decimals) for value in (last.display_before, last.display))
    month = None if month_before is None else round(rated[-1].display - month_before, basis.decimals)
    spark = [round(row.display, basis.decimals) for row in rated]
    return RecentForm(round(display - before, basis.decimals), month, spark)


def _rows_of(
    connection: Connection,
    look: Look,
    players: Sequence[int],
    *,
    bound: str,
    limit: int,
    oldest: bool = False,
) -> dict[int, list[Any]]:
    """Rows of each player, oldest first: the latest or the oldest ones within a bound of their numbers."""
    dialect = connection.dialect.name
    order = "ASC" if oldest else "DESC"
    query = _ROWS_OF_EACH[dialect].format(hint=_HINTS[dialect], bound=bound, order=order, limit=limit)
    wanted: Any = json.dumps(list(players)) if dialect == "sqlite" else list(players)
    given = {"players": wanted, "ladder": look.row.id, "generation": look.row.generation}
    rows: dict[int, dict[int, Any]] = defaultdict(dict)
    for row in connection.execute(text(query), given):
        there = rows[row.player].get(row.seq)
        if there is None or there.generation < row.generation:  # of several generations, the last one counts
            rows[row.player][row.seq] = row
    position = look.amendments.position
    return {
        player: [found[seq] for seq in sorted(found, key=position) if found[seq].rank != REMOVED]
        for player, found in rows.items()
    }


class MonthStarts:
    """Where the last month of each ladder begins in its log, looked for from where it began before."""

    def __init__(self) -> None:
        self._starts: dict[int, tuple[int, int]] = {}
        """By ladder: a moment, and the first entry that was rated after it."""

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


def first_time_from(connection: Connection, look: Look, number: int) -> int | None:
    """When the first entry from a number on that counts and has a time is rated; None if there is none."""
    row, table, amending = look.row, tables.event, tables.event.alias()
    is_amended = exists().where(amending.c.ladder == table.c.ladder, amending.c.target == table.c.seq)
    query = (
        select_entries(row)
        .where(table.c.seq <= row.head, table.c.rated_time.is_not(None), table.c.place.is_(None))
        .where(table.c.target.is_(None), or_(table.c.rated, is_amended))
        .order_by(table.c.seq)
        .limit(1)
    )
    while (found := connection.execute(query.where(table.c.seq >= number)).one_or_none()) is not None:
        if look.amendments.counts(found, str):
            return int(found.counted_time)
        number = found.seq + 1
    return None


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
    position, late = look.amendments.position, look.amendments.has_late
    # An event that was reported late may be anywhere: then all numbers of the player are put in order.
    given = {
        "ladder": look.row.id,
        "before": look.row.head + 1 if late else min(before, look.row.head + 1),
        "most": look.row.head if late else RESULTS_AT_ONCE,
    }
    statement, accounts = _NUMBERS_OF_ONE[connection.dialect.name], look.accounts(player)
    numbers: set[int] = set()
    for account in accounts:
        numbers.update(connection.execute(statement, {**given, "player": account}).scalars())
    end = position(before) if late else position(given["before"])
    earlier = (number for number in numbers if position(number) < end)
    latest = sorted(earlier, key=position, reverse=True)[:RESULTS_AT_ONCE]
    table = tables.change
    own = (table.c.ladder == look.row.id, table.c.player.in_(accounts))
    query = select(*_CHANGE_COLUMNS).where(*own, table.c.seq.in_(latest), *_current(look.row))
    rows = [ChangeRow._make(row) for row in connection.execute(query)]
    return sorted(rows, key=lambda row: position(row.seq))


def _count_before(connection: Connection, look: Look, player: int, number: int) -> int:
    """How many results a player has before an entry of the log."""
    table = tables.change
    query = select(func.count(table.c.seq.distinct())).where(
        table.c.ladder == look.row.id, table.c.player.in_(look.accounts(player)), table.c.seq < number
    )
    return int(connection.execute(query).scalar_one())


def player_results(basis: PageBasis, found: PlayerTables, player: int) -> PlayerResults:
    """The results of a player as pages tell them, and what was adjusted between them."""
    changes, played = [change for change in found.changes if change.is_result], found.played
    facts = [found.facts[change.seq] for change in changes]
    rows = played.rows_of(player)
    row_of = dict(zip(played.numbers[played.event[rows]].tolist(), rows.tolist(), strict=True))
    here = [row_of.get(change.seq) for change in changes]
    decimals, has_sigma = basis.decimals, basis.has_sigma
    history = played.history
    met, rule = opponents(basis, played, rows)
    is_large = any(one.sides > LARGE_EVENT for one in facts)
    low, high = (
        [round(change.mu + sign * BAND * (change.sigma or 0.0), decimals) for change in changes]
        for sign in (-1.0, 1.0)
    )

    def rounded(values: Iterable[float]) -> list[float]:
        return [round(value, decimals) for value in values]

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
        change=rounded(after - first for first, after in zip(before, display, strict=True)),
        sigma=rounded(change.sigma or 0.0 for change in changes) if has_sigma else None,
        low=low if has_sigma else None,
        high=high if has_sigma else None,
        performance=[
            None if change.performance is None else round(change.performance, decimals) for change in changes
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
