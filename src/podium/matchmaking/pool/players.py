"""The players of a waiting pool: whom it remembers and forgets, and how it follows a ladder's renames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Bools, Longs
from podium.errors import InputError
from podium.matchmaking.pool.growing_tables import PutBack
from podium.matchmaking.pool.tickets import NOBODY, PROPOSED, WHERE
from podium.text import shorten

if TYPE_CHECKING:
    from podium.matchmaking.pool.pool import Pool

REMEMBERED = 200_000
"""Players without a ticket whom a pool remembers, unless it is told another number."""


def _keep_players(pool: Pool) -> PutBack:
    """Keep everything that is known by the numbers of players."""
    parts = pool.store.keep_all(), pool.memory.keep_all(), pool.matches.keep()

    def put_back() -> None:
        for part in parts:
            part()

    return put_back


# ------------------------------------------------------------------ forgetting


def forget_players(pool: Pool, names: list[str]) -> None:
    """Forget players: names, opponents, recent results, blocks. Refused if one of them has a ticket."""
    found = [pool.store.names.find(name) for name in names]
    kept = np.ones(len(pool.store.names), np.bool_)
    for name, number in zip(names, found, strict=True):
        if number is None:
            raise InputError(f"the pool does not know {shorten(name)!r}")
        if pool.store.slot_of(name) is not None:
            raise InputError(f"{shorten(name)!r} has a ticket", hint="leave first")
        kept[number] = False
    _forget(pool, kept & ~_unused_names(pool, kept))


def _unused_names(pool: Pool, kept: Bools) -> Bools:
    """Which names nobody has any more, as players were renamed, and no match of kept players knows."""
    store, count = pool.store, len(pool.store.names)
    store.people.reserve(count)
    people = store.people
    unused: Bools = (people["ticket"] == NOBODY) & (people["playing"] == NOBODY) & (people["left"] == 0)
    unused = unused[:count]
    unused[pool.memory.in_blocks] = False
    for part in pool.matches.parts:
        called = part.called[np.append(kept, False)[part.player]]  # −1 is nobody
        unused[called[called != NOBODY]] = False
    return unused


def forget_oldest(pool: Pool) -> None:
    """Forget what gone tickets said; if too many players without a ticket are known, a quarter of them.

    Those go first who left longest ago, and who are in a match last. Whoever blocked somebody or is
    blocked stays: a block holds until it is taken back.
    """
    store = pool.store
    pool.keep(store.attributes.keep())
    store.forget_texts()
    if pool.matches.has_ended:
        pool.keep(pool.matches.keep())
        pool.matches.keep_only(pool.live_matches())
    known = len(store.names)
    if known <= pool.remembered:
        return
    store.people.reserve(known)
    idle = store.people["ticket"][:known] == NOBODY
    idle[pool.memory.in_blocks] = False
    players = np.flatnonzero(idle)
    if len(players) <= pool.remembered:
        return
    is_playing = store.people["playing"][players] != NOBODY
    order = np.lexsort((store.people["left"][players], is_playing))
    kept = np.ones(known, np.bool_)
    kept[players[order[: len(players) - 3 * pool.remembered // 4]]] = False
    _forget(pool, kept)


def _forget(pool: Pool, kept: Bools) -> None:
    pool.keep(_keep_players(pool))
    number = pool.store.forget(kept)
    pool.memory.forget(number)
    pool.matches.renumber(number)


# ------------------------------------------------------------------ following the ladder


def follow_names(pool: Pool) -> None:
    for change in pool.source.name_changes():
        pool.begin_change()
        _follow(pool, change.player, change.into)
        pool.source.seen, pool._unfinished = change, None


def _follow(pool: Pool, player: str, into: str) -> None:
    """Let all that is known of one player be known of another, and nothing of the first."""
    store = pool.store
    one = store.names.find(player)
    if one is None:
        return
    other = store.names.add(into)
    store.people.reserve(len(store.names))
    pool.keep(_keep_players(pool), store.people.keep(np.array([one, other]), tuple(store.people.columns)))
    _follow_ticket(pool, one, other)
    people = store.people
    # Whoever has been in two matches is in the one that began later.
    people["playing"][other] = max(people["playing"][one], people["playing"][other])
    people["left"][other] = max(people["left"][one], people["left"][other])
    people["playing"][one], people["left"][one] = NOBODY, 0
    pool.memory.follow(one, other)
    pool.matches.follow(one, other)
    store.table["scanned"][:] = 0  # who may meet whom has changed


def _follow_ticket(pool: Pool, one: int, other: int) -> None:
    """Give the ticket of one player to the other; if both have one, the older stays."""
    store, tickets = pool.store, pool.store.people["ticket"]
    if tickets[one] == NOBODY:
        return
    slots = np.unique(tickets[[one, other]][tickets[[one, other]] != NOBODY])
    _keep_tickets(pool, slots)
    if len(slots) == 2:
        later = int(slots[np.argmax(store.table["number"][slots])])
        pool.merged = [
            *pool.merged,
            *(store.players_of(slot) for slot in store.together(later).tolist()),
        ]
        pool.withdraw(later)
    if tickets[one] == NOBODY:
        return
    if tickets[one] != tickets[other]:
        pool.store.move(one, other)
        return
    if store.table["state"][slots[0]] == PROPOSED:  # one player fewer makes another match
        pool.dissolve(store.proposed(int(store.table["proposal"][slots[0]])), None)
    store.drop_member(one)


def _keep_tickets(pool: Pool, slots: Longs) -> None:
    """Keep tickets, with those who are in them."""
    store = pool.store
    names = (*WHERE, "first", "size")
    pool.keep(
        store.table.keep(slots, names),
        store.people.keep(store.members(slots)[0], ("ticket", "next", "left")),
    )
