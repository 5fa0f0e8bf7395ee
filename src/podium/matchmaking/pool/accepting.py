"""Players' answers to proposed matches: they accept, decline, or let the deadline pass.

A player who declines leaves. The others wait again, at the front, with the time at which they joined.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats
from podium.errors import InputError
from podium.matchmaking.pool.cooldowns import count_offence
from podium.matchmaking.pool.joins import Party, name_of, split_parties
from podium.matchmaking.pool.matches import begin, check_open, known_match, match_meant, place_of
from podium.matchmaking.pool.pool import Clock, Pool, PoolTime, forget_oldest
from podium.matchmaking.pool.proposals import Match
from podium.matchmaking.pool.tickets import NOBODY, PROPOSED, WAITING
from podium.text import shorten


def accept_match(pool: Pool, match: Match | int, player: str, time: Clock | None) -> Match:
    """Let a player accept a match, which starts with the last answer; returns the match as it is now."""
    pool.tell_time(time)
    value = match_meant(pool, match)
    people = pool.store.people
    filled = None if value.continues is None else pool.matches.find(value.continues)
    newcomer = pool.store.names.find(name_of(player, pool.store.names))
    if filled is not None and newcomer is not None and value.pool == pool.identity:
        number = int(filled.numbers[0])
        is_open = pool.store.proposal_of(np.array([newcomer]))[0] == value.number
        if not is_open and people["playing"][newcomer] == people["accepted"][newcomer] == number:
            return pool.shown(filled)  # the same answer again, to a match that has filled another
    known = known_match(pool, value)
    who, number = int(known.player[place_of(pool, player, known, value)]), int(known.numbers[0])
    if who != NOBODY and people["playing"][who] == people["accepted"][who] == number:
        return pool.shown(known)  # the same answer again
    check_open(pool, value)
    late = pool.now.seconds - _deadlines(pool, known.proposed)[0]
    if late > 0:
        raise InputError(f"the deadline of match {number} has passed", hint=f"it was {late:g} seconds ago")
    pool.keep(people.keep(np.array([who]), ("accepted",)))
    people["accepted"][who] = number
    if is_complete := bool(pool.have_accepted(known).all()):
        begin(pool, known)
    found = pool.matches.find(int(people["playing"][who]) if is_complete else number)
    assert found is not None
    now = pool.shown(found)
    if is_complete:
        forget_oldest(pool)
    return now


def decline_match(pool: Pool, match: Match | int, players: Party, time: Clock | None) -> None:
    """Let players decline a match: they leave, and the others wait again.

    A match ends with the first of them. Until another is proposed to their tickets, more of its players may
    decline it.
    """
    pool.tell_time(time)
    names, _ = split_parties([players], pool.store.names)
    if all(_was_dropped(pool, name, match) for name in names):
        slots = np.unique([pool.store.known_slot(name) for name in names])
        for slot in slots.tolist():
            pool.withdraw(slot)
    else:
        value = match_meant(pool, match)
        known = check_open(pool, value)
        places = [place_of(pool, name, known, value) for name in names]
        slots = pool.store.people["ticket"][known.player[places]]
        for name, slot in zip(names, slots.tolist(), strict=True):
            if pool.store.table["request"][slot] != NOBODY:
                raise InputError(
                    f"{shorten(name)!r} is playing already, in a match that asks for players",
                    hint="leave withdraws the request",
                )
        tickets = pool.store.people["ticket"][known.player]
        pool.dissolve(np.unique(tickets), np.unique(slots))
    count_offence(pool, np.array([pool.store.names.find(name) for name in names]), "declines", pool.now)
    forget_oldest(pool)


def _was_dropped(pool: Pool, name: str, match: Match | int) -> bool:
    """Whether the ticket of a player waits again since this match was declined."""
    if isinstance(match, Match) and match.pool != pool.identity:
        return False
    slot, number = pool.store.slot_of(name), match.number if isinstance(match, Match) else match
    table = pool.store.table
    return slot is not None and table["state"][slot] == WAITING and table["dropped"][slot] == number


# ---------------------------------------------------------------------- deadlines


def _deadlines(pool: Pool, proposed: Floats) -> Floats:
    """Until when matches must be accepted that were proposed at these times; infinite without a deadline."""
    within = pool.policy.conduct.answer_within
    return np.full(len(proposed), np.inf) if within is None else proposed + within


def end_late_proposals(pool: Pool, now: PoolTime) -> dict[int, tuple[str, ...]]:
    """End the matches whose deadline is over: by number, the players who have not answered, who leave."""
    if pool.policy.conduct.answer_within is None:
        return {}
    late = [part.numbers[_deadlines(pool, part.proposed) < now.seconds] for part in pool.matches.parts]
    store, table = pool.store, pool.store.table
    slots = np.flatnonzero(table["state"] == PROPOSED)
    slots = slots[np.isin(table["proposal"][slots], np.concatenate([np.zeros(0, np.int64), *late]))]
    if not len(slots):
        return {}
    players, offsets = store.members(slots)
    ticket = np.repeat(slots, np.diff(offsets))
    number = table["proposal"][ticket]
    silent = (store.people["accepted"][players] != number) & (table["request"][ticket] == NOBODY)
    found: dict[int, list[str]] = {one: [] for one in np.unique(number).tolist()}
    for one, player in zip(number[silent].tolist(), players[silent].tolist(), strict=True):
        found[one].append(store.names[player])
    pool.dissolve(slots, np.unique(ticket[silent]))
    count_offence(pool, players[silent], "declines", now)
    return {one: tuple(names) for one, names in found.items()}
