"""Coming to a waiting pool and leaving it: tickets, requests of running matches, and blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import InputError
from podium.matchmaking.lobbies.ticket_roles import check_sides
from podium.matchmaking.pool.clocks import Clock
from podium.matchmaking.pool.join_checks import (
    Given,
    Party,
    check_entry,
    check_recent,
    check_running,
    name_of,
)
from podium.matchmaking.pool.players import forget_oldest
from podium.matchmaking.pool.pool import Pool
from podium.matchmaking.pool.proposals import Backfill
from podium.text import shorten


def join_pool(
    pool: Pool, players: Sequence[Party], time: Clock | Sequence[float] | Floats | None, given: Given
) -> Longs:
    """Add tickets of players who want a new match, and return their slots."""
    slots = _add_tickets(pool, players, time, given)
    pool.counters = pool.counters.joined(len(slots))
    return slots


def _add_tickets(
    pool: Pool, players: Sequence[Party], time: Clock | Sequence[float] | Floats | None, given: Given
) -> Longs:
    store = pool.store
    times, now = pool.now.read(time)
    entry = check_entry(
        players,
        times,
        given,
        mode=pool.mode,
        policy=pool.policy,
        source=pool.source,
        known=store.attributes,
    )
    scores = check_recent(given.recent, entry.sizes, pool.policy)
    members = store.number(entry, playing=given.playing)
    pool.tell(times, now)
    slots = store.next_slots(len(entry.sizes))
    pool.keep(*store.keep_free(slots, members))
    store.add(entry, members, slots)
    if scores:
        pool.keep(*pool.memory.keep(members))
        pool.memory.replace_scores(members, scores)
    return slots


def request_backfill(pool: Pool, sides: Sequence[Party], time: Clock | None, given: Given) -> Backfill:
    """Add the tickets of a running match that asks for players; attributes and needs are for all of it."""
    teams = check_running(sides, pool.mode)
    check_sides(given.roles, teams, pool.mode)
    standing = [team for team in teams if team]
    rows = len(standing)
    given = given._replace(
        attributes={name: [*value] * rows for name, value in given.attributes.items()},
        needs={name: [*need] * rows for name, need in given.needs.items()},
        playing=True,
    )
    slots = _add_tickets(pool, standing, time, given)
    number, table = pool.requests, pool.store.table
    pool.requests += 1
    table["request"][slots] = number
    table["side"][slots] = [side for side, team in enumerate(teams) if team]
    return Backfill(number, tuple(map(tuple, teams)), float(table["time"][slots[0]]))


def remember_opponents(pool: Pool, met: Mapping[str, Sequence[str]]) -> None:
    """Remember the opponents of players in their last games, newest last, if the policy counts them."""
    names, opponents = pool.store.names, pool.memory.opponents
    for player, others in met.items():
        number = np.array([names.add(player)])
        pool.keep(*pool.memory.keep(number))
        for other in others[-opponents.games :] if opponents.games else ():
            opponents.remember(number, np.array([[names.add(other)]]))
    pool.store.people.reserve(len(names))


def leave_pool(pool: Pool, player: str) -> None:
    """Remove a player's ticket."""
    pool.withdraw(pool.store.known_slot(name_of(player)))
    forget_oldest(pool)


def block_player(pool: Pool, player: str, other: str) -> None:
    """Never match these two players again."""
    _check_blocks(pool)
    a, b = name_of(player), name_of(other)
    if a == b:
        raise InputError(f"{shorten(a)!r} would block themselves")
    names = pool.store.names
    one, two = names.add(a), names.add(b)
    pool.store.people.reserve(len(names))
    pool.keep(pool.memory.keep_block(one, two))
    pool.memory.block(one, two)


def unblock_player(pool: Pool, player: str, other: str) -> None:
    """Undo `block_player`."""
    _check_blocks(pool)
    a, b = (pool.store.names.find(name_of(name)) for name in (player, other))
    if a is None or b is None:
        raise InputError(f"{shorten(str(player))!r} has not blocked {shorten(str(other))!r}")
    pool.keep(pool.memory.keep_block(a, b))
    pool.store.table["scanned"][:] = 0
    pool.memory.unblock(a, b)


def _check_blocks(pool: Pool) -> None:
    if not pool.policy.uses("blocks"):
        raise InputError("the policy does not look at blocks", hint="give it the term BlockList()")
