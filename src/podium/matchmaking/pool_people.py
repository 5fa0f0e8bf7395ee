"""The people of a waiting pool: whom it remembers and forgets, and how it follows the renames of a ladder."""

from __future__ import annotations

import numpy as np

from podium.arrays import Bools, Longs
from podium.errors import InputError
from podium.matchmaking.join_checks import Party, split_parties
from podium.matchmaking.pool_changes import PutBack, all_or_nothing
from podium.matchmaking.tickets import NOBODY, PROPOSED, WHERE
from podium.matchmaking.waiting_pool import WaitingPool
from podium.text import shorten

REMEMBERED = 200_000
"""Players without a ticket whom a pool remembers, unless it is told another number."""


class Remembering(WaitingPool):
    """The part of a pool that remembers players between their tickets."""

    def _keep_people(self) -> PutBack:
        """Keep everything that is known by the numbers of players."""
        parts = self._store.keep_all(), self._memory.keep_all(), self._matches.keep()

        def put_back() -> None:
            for part in parts:
                part()

        return put_back

    # ------------------------------------------------------------------ forgetting

    @all_or_nothing
    def forget(self, player: Party) -> None:
        """Forget a player, or a list of players: names, opponents, recent results, blocks.

        Somebody with a ticket has to `leave` first. A match that is played goes on without them.
        """
        names, _ = split_parties([player])
        found = [self._store.names.find(name) for name in names]
        kept = np.ones(len(self._store.names), np.bool_)
        for name, number in zip(names, found, strict=True):
            if number is None:
                raise InputError(f"the pool does not know {shorten(name)!r}")
            if self._store.slot_of(name) is not None:
                raise InputError(f"{shorten(name)!r} has a ticket", hint="leave first")
            kept[number] = False
        self._forget(kept & ~self._unused_names(kept))

    def _unused_names(self, kept: Bools) -> Bools:
        """Which names nobody has any more, as players were renamed, and no match of kept players knows."""
        store, count = self._store, len(self._store.names)
        store.people.reserve(count)
        people = store.people
        unused: Bools = (people["ticket"] == NOBODY) & (people["playing"] == NOBODY) & (people["left"] == 0)
        unused = unused[:count]
        unused[self._memory.in_blocks] = False
        for part in self._matches.parts:
            called = part.called[np.append(kept, False)[part.player]]  # −1 is nobody
            unused[called[called != NOBODY]] = False
        return unused

    def _forget_oldest(self) -> None:
        """Forget what gone tickets said; if too many players without a ticket are known, a quarter of them.

        Those go first who left longest ago, and who are in a match last. Whoever blocked somebody or is
        blocked stays: a block holds until it is taken back.
        """
        store = self._store
        self._keep(store.attributes.keep())
        store.forget_texts()
        if self._matches.has_ended:
            self._keep(self._matches.keep())
            self._matches.keep_only(self._live_matches())
        known = len(store.names)
        if known <= self.remembered:
            return
        store.people.reserve(known)
        idle = store.people["ticket"][:known] == NOBODY
        idle[self._memory.in_blocks] = False
        players = np.flatnonzero(idle)
        if len(players) <= self.remembered:
            return
        is_playing = store.people["playing"][players] != NOBODY
        order = np.lexsort((store.people["left"][players], is_playing))
        kept = np.ones(known, np.bool_)
        kept[players[order[: len(players) - 3 * self.remembered // 4]]] = False
        self._forget(kept)

    def _forget(self, kept: Bools) -> None:
        self._keep(self._keep_people())
        number = self._store.forget(kept)
        self._memory.forget(number)
        self._matches.renumber(number)

    # ------------------------------------------------------------------ following the ladder

    def _follow_names(self) -> None:
        for change in self._source.name_changes():
            self._begin_change()
            self._follow(change.player, change.into)
            self._source.seen, self._unfinished = change, None

    def _follow(self, player: str, into: str) -> None:
        """Let all that is known of one player be known of another, and nothing of the first."""
        store = self._store
        one = store.names.find(player)
        if one is None:
            return
        other = store.names.add(into)
        store.people.reserve(len(store.names))
        self._keep(
            self._keep_people(), store.people.keep(np.array([one, other]), tuple(store.people.columns))
        )
        self._follow_ticket(one, other)
        people = store.people
        # Whoever has been in two matches is in the one that began later.
        people["playing"][other] = max(people["playing"][one], people["playing"][other])
        people["left"][other] = max(people["left"][one], people["left"][other])
        people["playing"][one], people["left"][one] = NOBODY, 0
        self._memory.follow(one, other)
        self._matches.follow(one, other)
        store.table["scanned"][:] = 0  # who may meet whom has changed

    def _follow_ticket(self, one: int, other: int) -> None:
        """Give the ticket of one player to the other; if both have one, the older stays."""
        store, tickets = self._store, self._store.people["ticket"]
        if tickets[one] == NOBODY:
            return
        slots = np.unique(tickets[[one, other]][tickets[[one, other]] != NOBODY])
        self._keep_tickets(slots)
        if len(slots) == 2:
            later = int(slots[np.argmax(store.table["number"][slots])])
            self._merged = [
                *self._merged,
                *(store.players_of(slot) for slot in store.together(later).tolist()),
            ]
            self._withdraw(later)
        if tickets[one] == NOBODY:
            return
        if tickets[one] != tickets[other]:
            self._store.move(one, other)
            return
        if store.table["state"][slots[0]] == PROPOSED:  # one player fewer makes another match
            self._dissolve(store.proposed(int(store.table["proposal"][slots[0]])), None)
        store.drop_member(one)

    def _keep_tickets(self, slots: Longs) -> None:
        """Keep tickets, with those who are in them."""
        store = self._store
        names = (*WHERE, "first", "size")
        self._keep(
            store.table.keep(slots, names),
            store.people.keep(store.members(slots)[0], ("ticket", "next", "left")),
        )
