"""What becomes of proposed matches: they start or are cancelled, and those that started end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from podium.arrays import Bools, Longs
from podium.errors import InputError
from podium.matchmaking.pool.cooldowns import count_offence
from podium.matchmaking.pool.joins import Given, Party, given_again, name_of, request_backfill
from podium.matchmaking.pool.known_matches import REASONS, MatchColumns
from podium.matchmaking.pool.player_memory import LineUps
from podium.matchmaking.pool.pool import Clock, Pool, forget_oldest
from podium.matchmaking.pool.proposals import Backfill, Match, Proposals, Tick, check_match, score_sides
from podium.matchmaking.pool.tickets import GONE, NOBODY, PROPOSED
from podium.text import shorten


def find_match(pool: Pool, number: int) -> Match:
    """A match that is proposed or played, by its number."""
    found = pool.matches.find(number) if isinstance(number, (int, np.integer)) else None
    if found is None or number not in pool.live_matches():
        raise InputError(f"match {shorten(repr(number))} is neither proposed nor played")
    return pool.shown(found)


def match_meant(pool: Pool, match: Match | int) -> Match:
    """The match that a caller gives, by its value or by its number."""
    if type(match) is int:
        return find_match(pool, match)
    check_match(match)
    assert isinstance(match, Match)
    return match


def proposed_matches(pool: Pool) -> list[Match]:
    """The matches that are proposed and neither started nor cancelled, in the order of their numbers."""
    table = pool.store.table
    return _all_shown(pool, table["proposal"][table["state"] == PROPOSED])


def played_matches(pool: Pool) -> list[Match]:
    """The matches that were started and have not ended, in the order of their numbers."""
    return _all_shown(pool, pool.store.people["playing"])


def _all_shown(pool: Pool, numbers: Longs) -> list[Match]:
    found = (pool.matches.find(number) for number in np.unique(numbers[numbers != NOBODY]).tolist())
    return [pool.shown(columns) for columns in found if columns is not None]


def start_matches(pool: Pool, match: Match | int | Proposals | Tick | Iterable[Match | int]) -> None:
    """Let the tickets of matches go, and remember who met whom."""
    if isinstance(match, Tick):
        match = match.matches
    if isinstance(match, Proposals):
        _start_open(pool, match)
        forget_oldest(pool)
        return
    found = [match_meant(pool, one) for one in (match if isinstance(match, Iterable) else [match])]
    columns: dict[int, MatchColumns] = {}
    for one in found:
        known = check_open(pool, one)
        if one.number in columns:
            raise InputError(f"match {one.number} appears twice")
        columns[one.number] = known
    for known in columns.values():
        begin(pool, known)
    forget_oldest(pool)


def cancel_match(pool: Pool, match: Match | int, by: str | None) -> None:
    """Put the tickets of a proposed match back; that of the player who cancels leaves."""
    match = match_meant(pool, match)
    known = check_open(pool, match)
    tickets = pool.store.people["ticket"][known.player]
    leaving = [] if by is None else [place_of(pool, by, known, match)]
    pool.dissolve(np.unique(tickets), tickets[leaving])
    forget_oldest(pool)


def finish_match(
    pool: Pool,
    match: Match | int,
    *,
    winner: str | int | None,
    side: int | None,
    draw: bool,
    scores: Sequence[float] | None,
    void: bool,
) -> None:
    """End a started match: its players may join again, and the policy's win rates count the result."""
    match = match_meant(pool, match)
    known = played_match(pool, match)
    people = pool.store.people
    here = np.flatnonzero(known.player != NOBODY)
    here = here[people["playing"][known.player[here]] == known.numbers[0]]
    if not len(here):
        raise InputError(
            f"match {match.number} is not being played",
            hint="it was never started, is finished, or all its players started another one since",
        )
    player, first = np.unique(known.player[here], return_index=True)
    result = None
    if not void:
        won = None if winner is None else known.side_of(place_of(pool, winner, known, match))
        result = score_sides(pool.shown(known), won, side, draw, scores)
    elif not (winner is None and side is None and scores is None) or draw:
        raise InputError("a void match has no result", hint="void, or one of winner, side, draw, scores")
    pool.keep(people.keep(player, ("playing",)), *pool.memory.keep(player))
    people["playing"][player] = NOBODY
    pool.counters = pool.counters.finished(1)
    if result is not None:
        pool.memory.record_scores(player, np.repeat(result, np.diff(known.members))[here[first]])
    slots = people["ticket"][player]
    slots = slots[slots != NOBODY]
    asking = slots[pool.store.table["fills"][slots] == known.numbers[0]]
    if len(asking):  # a match that has ended has no open places
        pool.withdraw(int(asking[0]))


# ---------------------------------------------------------------------- behind them


def _start_open(pool: Pool, matches: Proposals) -> None:
    """Begin those of a tick that are still proposed."""
    if matches.pool != pool.identity:
        raise InputError("another pool proposed these matches")
    names = pool.store.names
    for known in pool.matches.between(matches.start, matches.start + len(matches)):
        still = _are_open(pool, known)
        if matches.names is not names:  # the pool was loaded since, or has forgotten somebody
            for row in np.flatnonzero(still).tolist():
                proposed = matches[int(known.numbers[row]) - matches.start]
                still[row] = known.one(row).is_of(proposed.players, names)
        begin(pool, known.some(still))


def begin(pool: Pool, matches: MatchColumns) -> None:
    """Let the tickets of matches go, all of them proposed, and remember who met whom."""
    store, player = pool.store, matches.player
    slot = store.people["ticket"][player]
    filled = store.table["request"][slot] != NOBODY
    known = filled & (store.people["playing"][player] != NOBODY)
    slots = np.unique(slot)
    pool.keep(*store.keep(slots, player), *pool.memory.keep(player))
    waited = pool.waited(slots[store.table["request"][slots] == NOBODY], pool.now)
    pool.counters = pool.counters.started(len(matches.numbers), waited)
    store.remove(slots)
    store.people["playing"][player] = matches.per_player
    filling = np.flatnonzero(matches.continues != NOBODY)
    if len(filling):
        pool.keep(pool.matches.keep())
    for row in filling.tolist():
        one, number = matches.one(row), int(matches.continues[row])
        if pool.matches.find(number) is not None:
            pool.matches.fill(number, one)
            store.people["playing"][one.player] = number
            answered = one.player[store.people["accepted"][one.player] == one.numbers[0]]
            pool.keep(store.people.keep(answered, ("accepted",)))
            store.people["accepted"][answered] = number
    pool.keep(pool.matches.note_start(matches.numbers, pool.now.seconds if pool.now.is_told else np.nan))
    lineups = LineUps(player, slot, matches.sides, matches.members, matches.numbers)
    pool.memory.remember_matches(lineups, known)


def _are_open(pool: Pool, matches: MatchColumns) -> Bools:
    """Whether each match is still proposed to all of its players."""
    still = pool.store.proposal_of(matches.player) == matches.per_player
    return np.logical_and.reduceat(still, matches.members[matches.sides[:-1]])


def known_match(pool: Pool, match: Match) -> MatchColumns:
    """A match as the pool knows it; refused if another pool proposed it, or it ended long ago."""
    check_match(match)
    if match.pool != pool.identity:
        raise InputError(f"another pool proposed match {match.number}")
    known = pool.matches.find(match.number)
    if known is None or not known.is_of(match.players, pool.store.names):
        raise _not_open(match.number)
    return known


def played_match(pool: Pool, match: Match) -> MatchColumns:
    """A started match as the pool knows it; one that has filled another is that one."""
    check_match(match)
    number = match.number if match.continues is None else match.continues
    known = pool.matches.find(number) if match.pool == pool.identity else None
    if known is not None and known.was_filled:  # its players have changed since
        return known
    return known_match(pool, match)


def leave_match(pool: Pool, match: Match | int, leaver: str, reason: str) -> Match:
    """Let a player leave a match that is played; returns the match as it is now."""
    match = match_meant(pool, match)
    if reason not in REASONS[1:]:
        raise InputError(
            f"a reason {shorten(repr(reason))} to leave a match", hint=f"one of {', '.join(REASONS[1:])}"
        )
    known = played_match(pool, match)
    people, number = pool.store.people, int(known.numbers[0])
    name = name_of(leaver, pool.store.names)
    player = int(known.player[place_of(pool, name, known, match)])
    if player == NOBODY or people["playing"][player] != number:
        raise InputError(f"{shorten(name)!r} is not playing match {number}")
    who = np.array([player])
    if people["ticket"][player] != NOBODY:
        pool.drop_from_request(player)
    pool.keep(people.keep(who, ("playing",)), *pool.memory.keep(who))
    people["playing"][player] = NOBODY
    pool.keep(pool.matches.note_leaving(number, player, REASONS.index(reason)))
    if reason == "abandon":
        count_offence(pool, who, "abandons", pool.now)
        pool.memory.record_scores(who, np.zeros(1))
    found = pool.matches.find(number)
    assert found is not None
    now = pool.shown(found)
    forget_oldest(pool)
    return now


def request_places(
    pool: Pool, match: Match | int | Sequence[Party], time: Clock | None, given: Given
) -> Backfill:
    """Ask for players to fill the open places of a match that is played, or of one given by its sides.

    The open request of a match that has asked already is the answer.
    """
    if isinstance(match, Sequence):
        return request_backfill(pool, match, time, given)
    known = played_match(pool, match_meant(pool, match))
    number, table = int(known.numbers[0]), pool.store.table
    asking = np.flatnonzero((table["state"] != GONE) & (table["fills"] == number))
    if len(asking):
        pool.tell_time(time)
        sides: list[tuple[str, ...]] = [() for _ in known.members[:-1]]
        for slot in asking.tolist():
            sides[int(table["side"][slot])] = tuple(pool.store.players_of(slot))
        request, asked = int(table["request"][asking[0]]), float(table["time"][asking[0]])
        return Backfill(request, tuple(sides), asked, number)
    playing = pool.store.people["playing"][known.player]
    gone = (known.player == NOBODY) | (playing != number)
    if gone.all():
        raise InputError(f"match {number} is not being played")
    here = known._replace(left=np.where(gone & (known.left == 0), REASONS.index("excused"), known.left))
    teams, given = given_again(pool, pool.shown(here), given)
    variant = pool.mode.variant_of(tuple(np.diff(known.members).tolist()))
    return request_backfill(pool, teams, time, given, number, variant)


def check_open(pool: Pool, match: Match) -> MatchColumns:
    """A match that is proposed."""
    known = known_match(pool, match)
    if not _are_open(pool, known)[0]:
        raise _not_open(match.number)
    return known


def place_of(pool: Pool, player: object, known: MatchColumns, match: Match) -> int:
    """Which player of a match has this name, or had it when the match was proposed.

    The pool has no name of a player whom it has forgotten; the caller's value of the match may have it.
    """
    names, players = pool.store.names, known.player.tolist()
    name = name_of(player, names)
    is_whole = len(match.players) == len(players)
    now = (i for i, player in enumerate(players) if player != NOBODY and names[player] == name)
    then = (i for i in range(len(players)) if name in known.names_of(i, names))
    gone = (i for i, player in enumerate(players) if player == NOBODY and match.players[i] == name)
    place = next(chain(now, then, gone if is_whole else ()), None)
    if place is None:
        raise InputError(
            f"{shorten(name)!r} is not in match {known.numbers[0]}",
            hint=(
                "the pool has removed players of this match: give the number of the winning side with side="
            )
            if NOBODY in players
            else None,
        )
    return place


def _not_open(number: int) -> InputError:
    return InputError(
        f"match {number} is not proposed",
        hint="it has been started or cancelled already, or it was proposed after the pool was saved",
    )
