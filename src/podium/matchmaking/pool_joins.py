"""Coming to a waiting pool and leaving it: tickets, requests of running matches, and blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from podium.arrays import Floats, Longs
from podium.errors import InputError
from podium.matchmaking.clocks import Clock
from podium.matchmaking.join_checks import (
    Party,
    Recent,
    check_entry,
    check_recent,
    check_running,
    name_of,
)
from podium.matchmaking.lobbies.ticket_roles import Roles, check_sides
from podium.matchmaking.pool_changes import all_or_nothing
from podium.matchmaking.pool_people import Remembering
from podium.matchmaking.proposals import Backfill
from podium.matchmaking.tickets import Ticket
from podium.text import shorten


class Joining(Remembering):
    """The part of a pool by which players come and go."""

    @all_or_nothing
    def join(
        self,
        player: Party,
        *,
        time: Clock | None = None,
        mu: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        attributes: Mapping[str, str | float] | None = None,
        needs: Mapping[str, Any] | None = None,
        latency: Mapping[str, float] | None = None,
        recent: Recent | Sequence[Recent] = None,
        roles: Roles | Sequence[Roles] = None,
        playing: bool = False,
    ) -> Ticket:
        """Add a ticket for a player, or for a party given as a list of players.

        Without a `time`, it joins at the latest time that the pool was told, or at the first that it will be.
        `attributes` are values that other tickets may need. `needs` are what this ticket needs of the
        attributes, `mu` or `sigma` of others: texts such as ["pad", "touch"], or a range such as (1400,
        1600). `latency` is in milliseconds by region. `recent` are a player's last results, newest last, such
        as "WLDWW"; they replace those remembered from `finish`. `roles` are those that a player would play,
        such as "tank" or ["tank", "healer"]; None means any. For a party, ratings, recent results and roles
        are lists with one value for each player. Somebody in a match that has not ended is refused, unless
        `playing` says that they may wait for the next one.
        """
        slots = self._join(
            [player],
            time=time,
            mu=mu,
            sigma=sigma,
            attributes={name: [value] for name, value in (attributes or {}).items()},
            needs={name: [need] for name, need in (needs or {}).items()},
            latency=latency,
            recent=None if recent is None else _each(player, recent),
            roles=None if roles is None else _each(player, roles),
            playing=playing,
        )
        self._counters = self._counters.joined(1)
        return self._store.ticket(int(slots[0]), self.mode)

    @all_or_nothing
    def join_many(
        self,
        players: Sequence[Party],
        *,
        time: Clock | Sequence[float] | Floats | None = None,
        mu: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        attributes: Mapping[str, Sequence[Any]] | None = None,
        needs: Mapping[str, Sequence[Any]] | None = None,
        latency: Mapping[str, Any] | None = None,
        recent: Sequence[Recent] | None = None,
        roles: Sequence[Roles] | None = None,
        playing: bool = False,
    ) -> Longs:
        """Add many tickets at once: the arguments of `join`, as columns.

        Columns have one value for each ticket; ratings, recent results and roles one for each player;
        `playing` is one value for all.

        Either all join, or none. Returns the numbers of the tickets.
        """
        slots = self._join(
            players,
            time=time,
            mu=mu,
            sigma=sigma,
            attributes=attributes,
            needs=needs,
            latency=latency,
            recent=recent,
            roles=roles,
            playing=playing,
        )
        self._counters = self._counters.joined(len(slots))
        numbers: Longs = self._store.table["number"][slots]
        return numbers

    def _join(
        self,
        players: Sequence[Party],
        *,
        time: Clock | Sequence[float] | Floats | None,
        mu: ArrayLike | None,
        sigma: ArrayLike | None,
        attributes: Mapping[str, Sequence[Any]] | None,
        needs: Mapping[str, Sequence[Any]] | None,
        latency: Mapping[str, Any] | None,
        recent: Sequence[Recent] | None = None,
        roles: Sequence[Roles] | None,
        playing: bool,
    ) -> Longs:
        """Add tickets, and return their slots."""
        times, now = self._now.read(time)
        entry = check_entry(
            players,
            times,
            mu,
            sigma,
            attributes or {},
            needs or {},
            latency or {},
            roles,
            mode=self.mode,
            policy=self.policy,
            source=self._source,
            known=self._store.attributes,
        )
        scores = check_recent(recent, entry.sizes, self.policy)
        members = self._store.number(entry, playing=playing)
        self._tell(times, now)
        slots = self._store.next_slots(len(entry.sizes))
        self._keep(*self._store.keep_free(slots, members))
        self._store.add(entry, members, slots)
        if scores:
            self._keep(*self._memory.keep(members))
            self._memory.replace_scores(members, scores)
        return slots

    @all_or_nothing
    def backfill(
        self,
        sides: Sequence[Party],
        *,
        time: Clock | None = None,
        mu: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        attributes: Mapping[str, str | float] | None = None,
        needs: Mapping[str, Any] | None = None,
        latency: Mapping[str, float] | None = None,
        roles: Sequence[Roles] | None = None,
    ) -> Backfill:
        """Ask for players to fill the open places of a running match; `sides` are its players now.

        Teams are lists, some of which may be empty; a free-for-all is a list of players. The other arguments
        describe the match; ratings and roles have one value for each player. All open places are filled at
        once, by single players and parties who may meet all players in the match, before new matches are
        made; the oldest request comes first. While it waits its players have tickets: `leave` of one of them
        withdraws the request.
        """
        teams = check_running(sides, self.mode)
        check_sides(roles, teams, self.mode)
        standing = [team for team in teams if team]
        rows = len(standing)
        slots = self._join(
            standing,
            time=time,
            mu=mu,
            sigma=sigma,
            attributes={name: [value] * rows for name, value in (attributes or {}).items()},
            needs={name: [need] * rows for name, need in (needs or {}).items()},
            latency=latency,
            roles=roles,
            playing=True,
        )
        number, table = self._requests, self._store.table
        self._requests += 1
        table["request"][slots] = number
        table["side"][slots] = [side for side, team in enumerate(teams) if team]
        return Backfill(number, tuple(map(tuple, teams)), float(table["time"][slots[0]]))

    @all_or_nothing
    def leave(self, player: str) -> None:
        """Remove a player's ticket (a party's as a whole); a match proposed to it is cancelled.

        If the player is in a running match that asks for players, the request is withdrawn.
        """
        self._withdraw(self._store.known_slot(name_of(player)))
        self._forget_oldest()

    @all_or_nothing
    def block(self, player: str, other: str) -> None:
        """Never match these two players again, until `unblock`."""
        self._check_blocks()
        a, b = name_of(player), name_of(other)
        if a == b:
            raise InputError(f"{shorten(a)!r} would block themselves")
        names = self._store.names
        one, two = names.add(a), names.add(b)
        self._store.people.reserve(len(names))
        self._keep(self._memory.keep_block(one, two))
        self._memory.block(one, two)

    @all_or_nothing
    def unblock(self, player: str, other: str) -> None:
        """Undo `block`."""
        self._check_blocks()
        a, b = (self._store.names.find(name_of(name)) for name in (player, other))
        if a is None or b is None:
            raise InputError(f"{shorten(str(player))!r} has not blocked {shorten(str(other))!r}")
        self._keep(self._memory.keep_block(a, b))
        self._store.table["scanned"][:] = 0
        self._memory.unblock(a, b)

    def _check_blocks(self) -> None:
        if not self.policy.uses("blocks"):
            raise InputError("the policy does not look at blocks", hint="give it the term BlockList()")


def _each(player: Party, said: Any) -> Sequence[Any]:
    """Recent results or roles with one value for each player, of a single player or of a party."""
    return said if isinstance(player, (list, tuple)) else [said]
