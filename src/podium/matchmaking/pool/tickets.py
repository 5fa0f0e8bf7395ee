"""Everybody who waits, in columns: a row a ticket, a row a player, and the way from names to both.

Rows of tickets that are gone are used again. The members of a party hang together as a chain: each player
knows the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError, UnknownPlayerError
from podium.history import Names
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.pool.growing_tables import GrowingTable, PutBack
from podium.matchmaking.pool.ticket_columns import Attributes, Delays, Need, Needed, Said
from podium.text import brief_repr, shorten

GONE, WAITING, PROPOSED = np.int8(0), np.int8(1), np.int8(2)
NOBODY = -1
ANY_ROLE = -1
"""As bits, all roles that there are."""
WHERE = ("state", "proposal", "front", "entered", "scanned", "looked", "last_turn", "dropped")
"""Columns of tickets that change while they wait."""


@dataclass(frozen=True, repr=False)
class Ticket:
    """A player or a party waiting for a match.

    Attributes:
        number: Its number, counted from 0 in order of joining.
        players: The players of the party, or the single player.
        time: When it joined, in seconds.
        attributes: Values that policies look at, by name.
        match: The number of the match proposed to it, if any.
        backfill: The number of the request, if these are players of a running match that asks for more.
        needs: What opponents must have, by attribute, `mu` or `sigma`: one of these texts, or a number in
            this range.
        latency: Milliseconds by region.
        roles: For each player, the roles that they would play. None if the mode has no roles.
        side: The side of a running match that these players are, from 0.
        front: Whether it was in a match that was cancelled, and is served before others.

    >>> import podium
    >>> pool = podium.Matchmaker("elo", mode="1v1")
    >>> ticket = pool.join("ann", mu=1500.0)
    >>> ticket.number, ticket.players
    (0, ('ann',))
    """

    __repr__ = brief_repr

    number: int
    players: tuple[str, ...]
    time: float
    attributes: Mapping[str, str | float] = field(default_factory=dict)
    match: int | None = None
    backfill: int | None = None
    needs: Mapping[str, Need] = field(default_factory=dict)
    latency: Mapping[str, float] = field(default_factory=dict)
    roles: tuple[tuple[str, ...], ...] | None = None
    side: int | None = None
    front: bool = False


class JoiningTickets(NamedTuple):
    """Checked tickets about to join, as columns."""

    members: list[str]
    """The players of all tickets, one after another."""
    sizes: Longs
    time: Floats
    mu: Floats
    """A number for each player, or empty."""
    sigma: Floats
    said: dict[str, Said]
    needed: dict[str, Needed]
    delays: dict[str, Floats]
    roles: Longs
    """The roles that each player would play, as bits."""


class TicketStore:
    """Tickets by slot and players by number."""

    def __init__(self) -> None:
        self.names = Names()
        """Everybody who ever had a ticket, or was blocked."""
        self.people = GrowingTable(
            ticket=np.int64(NOBODY),
            next=np.int64(NOBODY),
            mu=np.float64(np.nan),
            sigma=np.float64(np.nan),
            playing=np.int64(NOBODY),
            left=np.int64(0),
            roles=np.int64(ANY_ROLE),
            accepted=np.int64(NOBODY),
            declines=np.int64(0),
            abandons=np.int64(0),
            offended=np.float64(np.nan),
            barred=np.float64(np.nan),
        )
        self.table = GrowingTable(
            state=np.int8(GONE),
            number=np.int64(NOBODY),
            time=np.float64(np.nan),
            first=np.int64(NOBODY),
            size=np.int64(0),
            front=np.bool_(False),
            proposal=np.int64(NOBODY),
            entered=np.int64(0),
            scanned=np.int64(0),
            looked=np.int64(0),
            last_turn=np.int64(0),
            request=np.int64(NOBODY),
            side=np.int64(NOBODY),
            dropped=np.int64(NOBODY),
            fills=np.int64(NOBODY),
            variant=np.int64(0),
        )
        self.attributes = Attributes()
        self.delays = Delays()
        self._free = np.zeros(0, np.int64)
        """Slots of tickets that are gone; the last one is used next."""
        self._used = 0
        """Slots that have ever been used."""
        self.joined = 0
        """Tickets so far."""
        self.entries = 1
        """How often a ticket began to wait; each knows which time it was."""
        self.departures = 0
        """How often tickets were removed; each player knows when the last one was."""

    # ------------------------------------------------------------------ finding

    def slot_of(self, player: str) -> int | None:
        """The slot of a player's ticket; None if there is none."""
        number = self.names.find(player)
        if number is None or number >= self.people.room:
            return None
        slot = int(self.people["ticket"][number])
        return None if slot == NOBODY else slot

    def known_slot(self, player: str) -> int:
        """The slot of a player's ticket; raises if there is none."""
        slot = self.slot_of(player)
        if slot is None:
            raise UnknownPlayerError(f"{shorten(player)!r} has no ticket", hint="join first, or gone already")
        return slot

    def waiting(self) -> Longs:
        """The slots of tickets that wait and are in no proposal, in order of joining."""
        slots = np.flatnonzero(self.table["state"] == WAITING)
        number = self.table["number"][slots]
        return slots if np.all(number[1:] > number[:-1]) else slots[np.argsort(number)]

    def members(self, slots: Longs) -> tuple[Longs, Longs]:
        """The players of tickets, one after another, and the start and end of each ticket's."""
        sizes = self.table["size"][slots]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        players = np.empty(offsets[-1], np.int64)
        here, place = self.table["first"][slots], offsets[:-1]
        while len(here):
            players[place] = here
            here, place = self.people["next"][here], place + 1
            more = here != NOBODY
            here, place = here[more], place[more]
        return players, offsets

    def players_of(self, slot: int) -> tuple[str, ...]:
        """The names of a ticket's players."""
        players, _ = self.members(np.array([slot]))
        return tuple(self.names[player] for player in players.tolist())

    def ticket(self, slot: int, mode: Mode) -> Ticket:
        """The ticket in a slot, as a `Ticket`."""
        table, attributes = self.table, self.attributes
        proposal, request, side = (int(table[name][slot]) for name in ("proposal", "request", "side"))
        players, _ = self.members(np.array([slot]))
        said = {name: attributes.value(name, slot) for name in attributes.said.columns}
        needs = {name: attributes.need_of(name, slot) for name in attributes.needs}
        delays = zip(self.delays.regions, self.delays.of(np.array([slot]))[0].tolist(), strict=True)
        roles = tuple(mode.roles_in(bits) for bits in self.people["roles"][players].tolist())
        return Ticket(
            int(table["number"][slot]),
            tuple(self.names[player] for player in players.tolist()),
            float(table["time"][slot]),
            {name: value for name, value in said.items() if value is not None},
            None if proposal == NOBODY else proposal,
            None if request == NOBODY else request,
            {name: need for name, need in needs.items() if need is not None},
            {region: delay for region, delay in delays if delay == delay},  # not NaN
            roles if mode.roles else None,
            None if side == NOBODY else side,
            bool(table["front"][slot]),
        )

    def copy_of(self, slots: Longs) -> TicketStore:
        """A store of these tickets alone, in this order: they stay as they are now."""
        players, offsets = self.members(slots)
        copy = TicketStore()
        copy.names = Names(self.names[player] for player in players.tolist())
        copy.table, copy.people = self.table.copy_of(slots), self.people.copy_of(players)
        copy.table["first"][:] = offsets[:-1]
        copy.people["next"][:] = np.arange(1, len(players) + 1)
        copy.people["next"][offsets[1:] - 1] = NOBODY
        copy.attributes = self.attributes.copy_of(slots)
        copy.delays.table = self.delays.table.copy_of(slots)
        return copy

    # ------------------------------------------------------------------ coming and going

    def keep_numbers(self) -> PutBack:
        """Keep the names, the counters and the free slots."""
        known, free, used = len(self.names), self._free, self._used
        joined, entries, departures = self.joined, self.entries, self.departures

        def put_back() -> None:
            self._free, self._used, self.joined, self.entries = free, used, joined, entries
            self.departures = departures
            self.names.truncate(known)

        return put_back

    def keep(self, slots: Longs, players: Longs) -> Iterator[PutBack]:
        """Keep where tickets are, and which ticket and match their players have."""
        yield self.table.keep(slots, WHERE)
        yield self.people.keep(players, ("ticket", "next", "playing", "left"))

    def keep_all(self) -> PutBack:
        """Keep which players have which numbers, for calls that make new names and columns."""
        names, people, table = self.names, self.people.keep(), self.table.keep()

        def put_back() -> None:
            people()
            table()
            self.names = names

        return put_back

    def keep_free(self, slots: Longs, members: Longs) -> Iterator[PutBack]:
        """Keep free slots free and these players without a ticket; what else is there has no meaning."""
        yield self.table.keep(slots, ("state",))
        yield self.people.keep(members, ("ticket",))
        yield self.attributes.keep()
        yield self.delays.table.keep()

    def number(self, entry: JoiningTickets, *, playing: bool) -> Longs:
        """The numbers of the players who join; refused if one has a ticket already or appears twice.

        Somebody who is in a match is refused too, unless that is said: `playing`.
        """
        members = self.names.add_all(entry.members).astype(np.int64)
        old = members[members < self.people.room]
        self._check_single(members, old)
        if not playing:
            self._check_idle(old)
        return members

    def next_slots(self, count: int) -> Longs:
        """The slots of the next `count` tickets: free ones first, then new ones."""
        again = min(count, len(self._free))
        reused = self._free[len(self._free) - again :][::-1]
        return np.concatenate([reused, np.arange(self._used, self._used + count - again)])

    def add(self, entry: JoiningTickets, members: Longs, slots: Longs) -> None:
        """Put tickets into the next slots; `members` are the numbers of their players, from `number`."""
        self.people.reserve(len(self.names))
        again = min(len(slots), len(self._free))
        self._free = self._free[: len(self._free) - again]
        self._used += len(slots) - again
        self.table.reserve(self._used)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(entry.sizes)])
        people, table = self.people, self.table
        people["ticket"][members] = np.repeat(slots, entry.sizes)
        people["next"][members[:-1]] = members[1:]
        people["next"][members[offsets[1:] - 1]] = NOBODY
        people["mu"][members] = entry.mu if len(entry.mu) else np.nan
        people["sigma"][members] = entry.sigma if len(entry.sigma) else np.nan
        people["roles"][members] = entry.roles
        table["number"][slots] = np.arange(self.joined, self.joined + len(slots))
        table["time"][slots] = entry.time
        table["first"][slots] = members[offsets[:-1]]
        table["size"][slots] = entry.sizes
        table["front"][slots] = False
        for name in ("request", "side", "dropped", "fills"):
            table[name][slots] = NOBODY
        table["variant"][slots] = 0
        self.attributes.write(slots, entry.said, entry.needed, table.room)
        self.delays.write(slots, entry.delays, table.room)
        self.joined += len(slots)
        self._wait(slots)

    def _check_idle(self, players: Longs) -> None:
        busy = players[self.people["playing"][players] != NOBODY]
        if len(busy):
            name, match = self.names[int(busy[0])], self.people["playing"][busy[0]]
            raise InputError(
                f"{shorten(name)!r} is in match {match}, which has not ended",
                hint="finish the match first, or let the player wait during it with playing=True",
            )

    def _check_single(self, members: Longs, old: Longs) -> None:
        taken = old[self.people["ticket"][old] != NOBODY]
        if len(taken):
            raise InputError(
                f"{shorten(self.names[int(taken[0])])!r} already has a ticket",
                hint="leave first: a player can wait only once, or be in one proposal",
            )
        count = np.bincount(members, minlength=1)
        if count.max(initial=0) > 1:
            twice = self.names[int(members[count[members] > 1][0])]
            raise InputError(f"{shorten(twice)!r} appears twice")

    def _wait(self, slots: Longs) -> None:
        """Mark tickets as waiting from now on, not in a proposal."""
        self.table["state"][slots] = WAITING
        self.table["proposal"][slots] = NOBODY
        self.table["entered"][slots] = self.entries
        self.table["scanned"][slots] = 0
        self.table["looked"][slots] = 0
        self.table["last_turn"][slots] = 0
        self.entries += 1

    def together(self, slot: int) -> Longs:
        """The slots of tickets removed along with this one: all of a running match that asks for players."""
        request = self.table["request"][slot]
        if request == NOBODY:
            return np.array([slot])
        return np.flatnonzero((self.table["request"] == request) & (self.table["state"] != GONE))

    def propose(self, slots: Longs, numbers: Longs) -> None:
        """Stop tickets from waiting: each is in the proposal with this number."""
        self.table["state"][slots] = PROPOSED
        self.table["proposal"][slots] = numbers

    def proposed(self, number: int) -> Longs:
        """The slots of the tickets in a proposal."""
        return np.flatnonzero((self.table["proposal"] == number) & (self.table["state"] == PROPOSED))

    def proposal_of(self, players: Longs) -> Longs:
        """The number of the match that is proposed to each player, who may be nobody; −1 for none."""
        number = np.full(len(players), NOBODY)
        known = np.flatnonzero(players != NOBODY)
        slots = self.people["ticket"][players[known]]
        number[known[slots != NOBODY]] = self.table["proposal"][slots[slots != NOBODY]]
        return number

    def put_back(self, slots: Longs) -> None:
        """Let tickets of proposals wait again, at the front."""
        self.table["dropped"][slots] = self.table["proposal"][slots]
        self._wait(slots)
        self.table["front"][slots] = True

    def remove(self, slots: Longs) -> None:
        """Remove tickets and free their slots."""
        players, _ = self.members(slots)
        self.people["ticket"][players] = NOBODY
        self.people["next"][players] = NOBODY
        self.departures += 1
        self.people["left"][players] = self.departures
        self.table["state"][slots] = GONE
        self.table["proposal"][slots] = NOBODY
        self._free = np.concatenate([self._free, slots])

    # ------------------------------------------------------------------ other names and numbers

    def move(self, player: int, into: int) -> None:
        """Let the ticket of one player be another's, who has none; names are not looked at."""
        people, slot = self.people, int(self.people["ticket"][player])
        members, _ = self.members(np.array([slot]))
        place = int(np.flatnonzero(members == player)[0])
        if place == 0:
            self.table["first"][slot] = into
        else:
            people["next"][members[place - 1]] = into
        for name in ("ticket", "next", "mu", "sigma", "roles", "accepted"):
            people[name][into] = people[name][player]
        people["ticket"][player] = people["next"][player] = NOBODY

    def drop_member(self, player: int) -> None:
        """Take one of several players out of a party."""
        people, slot = self.people, int(self.people["ticket"][player])
        members, _ = self.members(np.array([slot]))
        place = int(np.flatnonzero(members == player)[0])
        if place == 0:
            self.table["first"][slot] = members[1]
        else:
            people["next"][members[place - 1]] = people["next"][player]
        self.table["size"][slot] -= 1
        people["ticket"][player] = people["next"][player] = NOBODY

    def forget_texts(self) -> None:
        """Forget what tickets said or needed that are gone, if that is much; in new columns."""
        if self.attributes.has_old_texts:
            self.attributes.forget_texts(np.flatnonzero(self.table["state"] != GONE))

    def forget(self, kept: Bools) -> Longs:
        """Keep only these players, in new columns; returns the new number of each, −1 for the others."""
        number = np.where(kept, np.cumsum(kept) - 1, NOBODY)
        with_nobody = np.append(number, NOBODY)  # −1 stays −1
        names = Names(compress(self.names, kept.tolist()))
        self.people.reserve(len(kept))
        self.people.take(np.concatenate([kept, np.zeros(self.people.room - len(kept), np.bool_)]))
        self.people["next"][:] = with_nobody[self.people["next"]]
        first = self.table["first"]
        gone = self.table["state"] == GONE
        first = np.where(gone, NOBODY, with_nobody[np.where(gone, NOBODY, first)])
        self.table.columns = {**self.table.columns, "first": first}
        self.names = names
        return number
