"""The waiting pool: tickets come and go, and each tick proposes matches.

>>> from podium import Elo, Matchmaker
>>> maker = Matchmaker(Elo())
>>> for player, mu in (("ann", 1500), ("bob", 1510), ("cat", 2100)):
...     _ = maker.join(player, mu=mu, time=0)
>>> tick = maker.tick(time=1)
>>> [match.sides for match in tick.matches], tick.waiting
([(('ann',), ('bob',))], 1)
>>> maker.start(tick.matches)
>>> len(maker)
1
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats, Longs
from podium.errors import InputError, ParameterError
from podium.history.times import to_datetime
from podium.ladder.ladder import Ladder
from podium.matchmaking.clocks import Clock, PoolTime
from podium.matchmaking.decisions import Decider
from podium.matchmaking.duels import Duels
from podium.matchmaking.graphs.matching import EFFORTS, Effort
from podium.matchmaking.group_matches import GroupMatches
from podium.matchmaking.join_checks import (
    Party,
    Recent,
    check_entry,
    check_options,
    check_recent,
    check_running,
    is_name,
    name_of,
)
from podium.matchmaking.lineups import LineUps
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.ticket_roles import Roles
from podium.matchmaking.meetings import Waiting
from podium.matchmaking.policy import Policy, with_system
from podium.matchmaking.pool_changes import Changing, PutBack, all_or_nothing
from podium.matchmaking.pool_counters import PoolCounters
from podium.matchmaking.pool_memory import PoolMemory
from podium.matchmaking.proposals import (
    Backfill,
    Match,
    Proposals,
    Tick,
    check_match,
    propose_matches,
    score_sides,
)
from podium.matchmaking.rating_sources import source_of
from podium.matchmaking.ticket_columns import segment_means
from podium.matchmaking.tickets import NOBODY, PROPOSED, WHERE, Ticket, TicketStore
from podium.matchmaking.waiting_reasons import WaitingReasons, WaitingTicket, find_reasons
from podium.systems import RatingSystem, System
from podium.systems.contract.capabilities import refuse
from podium.text import counted, frame_html, shorten

if TYPE_CHECKING:
    import polars as pl


class Matchmaker(Changing):
    """The tickets that wait for a match, and the choice of who plays whom.

    A pool of a ladder uses the ladder's ratings at each tick; a pool of a rating system uses the ratings
    given with the tickets. Players `join`, alone or as a party; `tick` proposes matches; each is started or
    cancelled. A call that is refused changes nothing. With the same `seed`, the same calls give the same
    matches.

    `mode` is "1v1", teams such as "5v5", "2v2v2v2" or "1v4", also with roles ("5v5: tank, healer, 3 damage"),
    or a free-for-all such as "ffa:8"; `podium.matchmaking.lobbies` explains how more than two are chosen.
    `timeout` is the number of seconds after which a ticket is removed. `unknown` says what happens to players
    whom the ladder does not know: "error", or "newcomer". `effort` says how hard to search for the best
    pairs; by default exactly for up to 300 tickets and quickly for more; "exact" considers all pairs of up to
    1,000.

    A ticket that has waited for the policy's patience is overdue. Overdue tickets are served first, oldest
    first, with any opponent who is not forbidden. In 1v1, therefore, a tick leaves no overdue ticket that
    could play another waiting one. If nothing is forbidden, every ticket is paired at the first tick after
    its patience, whoever else joins, except for the odd one left when all others are paired.
    """

    def __init__(
        self,
        rated: Ladder | System,
        mode: str | Mode = "1v1",
        policy: Policy | None = None,
        *,
        seed: int = 0,
        timeout: float | None = None,
        unknown: str = "error",
        effort: Effort | None = None,
    ) -> None:
        super().__init__()
        self._source = source_of(rated, unknown)
        self.mode = Mode.parse(mode)
        self._decider = _decider(self.mode, self.system)
        policy = Policy() if policy is None else policy
        if not isinstance(policy, Policy):
            raise ParameterError(
                f"the policy is {shorten(repr(policy))}",
                hint="podium.Policy(...), or podium.Policy.from_file(path)",
            )
        self.policy = with_system(policy, self.system)
        check_options(seed, timeout)
        if effort is not None and effort not in EFFORTS:
            raise ParameterError(f"an effort of {effort!r}", hint="one of " + ", ".join(EFFORTS))
        self.seed, self.timeout, self.effort = int(seed), timeout, effort
        self._now = PoolTime()
        self._store = TicketStore()
        target = self.policy.target
        self._memory = PoolMemory(self.policy.rematch_games, 0 if target is None else target.games)
        self._ticks = 0
        self._proposed = 0
        self._requests = 0
        self._counters = PoolCounters()

    @property
    def system(self) -> RatingSystem:
        """The rating system that predicts the matches."""
        return self._source.system

    def _keep_numbers(self) -> PutBack:
        now, ticks, proposed, requests = self._now, self._ticks, self._proposed, self._requests
        store, counters = self._store.keep_numbers(), self._counters

        def put_back() -> None:
            store()
            self._counters = counters
            self._now, self._ticks, self._proposed, self._requests = now, ticks, proposed, requests

        return put_back

    # ------------------------------------------------------------------ looking

    @property
    def clock(self) -> float:
        """The latest time the pool was told, in seconds."""
        return self._now.seconds

    def __len__(self) -> int:
        """The number of players with a ticket, waiting or in a proposal."""
        return int(np.count_nonzero(self._store.people["ticket"] != NOBODY))

    def __bool__(self) -> bool:
        return True  # a pool is something, also when nobody waits

    def __contains__(self, player: object) -> bool:
        return is_name(player) and self._store.slot_of(name_of(player)) is not None

    def __repr__(self) -> str:
        return f"<Matchmaker: {self.mode}, {self.system.name}, {counted(len(self), 'player')}>"

    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.waiting())

    def ticket(self, player: str) -> Ticket:
        """The current ticket of a player; raises if there is none."""
        return self._store.ticket(self._store.known_slot(name_of(player)))

    def waiting(self) -> pl.DataFrame:
        """The waiting players not in a proposal, a row each: player, ticket, waited, mu, sigma, front."""
        import polars as pl

        store, slots = self._store, self._store.waiting()
        slots = slots[store.table["request"][slots] == NOBODY]
        players, offsets = store.members(slots)
        mu, sigma = self._source.ratings(store, players, self._now.micros)
        ticket = np.repeat(slots, np.diff(offsets))
        return pl.DataFrame(
            {
                "player": pl.Series([store.names[i] for i in players.tolist()], dtype=pl.String),
                "ticket": store.table["number"][ticket],
                "waited": self.clock - store.table["time"][ticket],
                "mu": mu,
                "sigma": pl.Series([None] * len(mu) if sigma is None else sigma, dtype=pl.Float64),
                "front": store.table["front"][ticket],
            }
        )

    def why(self, player: str, time: Clock | None = None) -> WaitingReasons:
        """Why a player waits: whom each term forbids, who is nearest, and when that is acceptable.

        `time` is the time in question, by default the latest that the pool was told; it changes no clock.
        """
        store, slot = self._store, self._store.known_slot(name_of(player))
        times, now = self._now.read(time)
        slots = store.waiting()
        slots = np.union1d(slots[store.table["request"][slots] == NOBODY], [slot])
        ticket = WaitingTicket(slot, slots, float(times[0]) - store.table["time"][slots])
        return find_reasons(
            ticket,
            lambda some, waited: self._look(some, waited, now),
            now,
            self.policy,
            self.mode,
            self.timeout,
            self._counters.waits,
        )

    def counters(self) -> PoolCounters:
        """What the pool has done so far, counted: tickets, matches, waits, costs, refusals, ticks."""
        return self._counters

    # ------------------------------------------------------------------ coming and going

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
    ) -> Ticket:
        """Add a ticket for a player, or for a party given as a list of players.

        `attributes` are values that other tickets may need. `needs` are what this ticket needs of the
        attributes, `mu` or `sigma` of others: texts such as ["pad", "touch"], or a range such as (1400,
        1600). `latency` is in milliseconds by region. `recent` are a player's last results, newest last, such
        as "WLDWW"; they replace those remembered from `finish`. `roles` are those that a player would play,
        such as "tank" or ["tank", "healer"]; None means any. For a party, ratings, recent results and roles
        are lists with one value for each player.
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
        )
        self._counters = self._counters.joined(1)
        return self._store.ticket(int(slots[0]))

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
    ) -> Longs:
        """Add many tickets at once: the arguments of `join`, as columns.

        Columns have one value for each ticket; ratings, recent results and roles one for each player.

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
        )
        numbers: Longs = self._store.table["number"][slots]
        self._counters = self._counters.joined(len(slots))
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
        roles: Sequence[Roles] | None = None,
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
        members = self._store.number(entry)
        slots = self._store.next_slots(len(entry.sizes))
        self._keep(*self._store.keep_free(slots, members))
        self._store.add(entry, members, slots)
        self._now = now
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
        slot = self._store.known_slot(name_of(player))
        proposal = int(self._store.table["proposal"][slot])
        if proposal == NOBODY:
            slots = self._store.together(slot)
            self._keep(*self._store.keep(slots, self._store.members(slots)[0]))
            self._remove(slots)
        else:
            self._dissolve(self._store.proposed(proposal), slot)

    def block(self, player: str, other: str) -> None:
        """Never match these two players again, until `unblock`."""
        self._check_blocks()
        a, b = name_of(player), name_of(other)
        if a == b:
            raise InputError(f"{shorten(a)!r} would block themselves")
        names = self._store.names
        one, two = names.add(a), names.add(b)
        self._store.people.reserve(len(names))
        self._memory.block(one, two)

    def unblock(self, player: str, other: str) -> None:
        """Undo `block`."""
        self._check_blocks()
        a, b = (self._store.names.find(name_of(name)) for name in (player, other))
        if a is None or b is None:
            raise InputError(f"{shorten(str(player))!r} has not blocked {shorten(str(other))!r}")
        self._store.table["scanned"][:] = 0
        self._memory.unblock(a, b)

    # ------------------------------------------------------------------ matches

    @all_or_nothing
    def tick(self, time: Clock | None = None) -> Tick:
        """Remove tickets whose time is up, and propose matches among the waiting ones."""
        began = perf_counter()
        times, now = self._now.read(time)
        if len(times) != 1:
            raise InputError(f"a tick is at one time, not at {len(times)}")
        store = self._store
        slots = store.waiting()
        waited = now.seconds - store.table["time"][slots]
        over = np.zeros(len(slots), np.bool_) if self.timeout is None else waited >= self.timeout
        waiting = self._look(slots[~over], waited[~over], now)
        chance = np.random.default_rng([self.seed, self._ticks])
        decision = self._decider.decide(waiting, self.policy, chance, self.effort)
        matches = propose_matches(waiting, decision, self.mode, self._proposed)
        gone = slots[over]
        self._keep(store.table.keep(slots, WHERE), *store.keep(gone, store.members(gone)[0]))
        expired = [store.players_of(slot) for slot in gone.tolist()]
        asked = np.unique(store.table["request"][gone])
        ended = asked[asked != NOBODY].tolist()
        store.remove(gone)
        store.table["scanned"][waiting.slots[decision.alone]] = store.entries - 1
        if decision.turn is not None:
            store.table["last_turn"][waiting.slots] = decision.turn
        numbers = np.repeat(matches.numbers, np.diff(decision.offsets))
        store.propose(waiting.slots[decision.tickets], numbers)
        self._now = now
        self._ticks += 1
        self._proposed += len(matches)
        left = waiting.request == NOBODY
        left[decision.tickets] = False
        self._counters = self._counters.ticked(
            perf_counter() - began,
            int(np.count_nonzero(store.table["request"][gone] == NOBODY)),
            matches.cost,
            matches.gap,
            waiting.refusals,
        )
        return Tick(
            now.seconds, matches, expired, int(np.count_nonzero(left)), ended, to_datetime(now.micros)
        )

    @all_or_nothing
    def start(self, match: Match | Proposals | Tick | Iterable[Match]) -> None:
        """Start one proposed match or several: their tickets leave, and who met whom is remembered.

        Given a tick, its matches that are still proposed start; others were cancelled or started meanwhile. A
        match given alone or in a list must still be proposed, and either all of them start or none.
        """
        if isinstance(match, Tick):
            match = match.matches
        if isinstance(match, Proposals):
            self._start_open(match)
            return
        if not isinstance(match, (Match, Iterable)):
            raise InputError(f"{shorten(repr(match))} is no match", hint="one of tick.matches, or the tick")
        found = [match] if isinstance(match, Match) else list(match)
        seen = set()
        for one in found:
            self._check_open(one)
            if one.number in seen:
                raise InputError(f"match {one.number} is there twice")
            seen.add(one.number)
        for one in found:
            names, people = self._store.names, self._store.people
            player = np.array([names.index_of[name] for name in one.players], np.int64)
            members = np.cumsum([0, *map(len, one.sides)])
            ends = np.array([0, len(one.sides)])
            self._begin(LineUps(player, people["ticket"][player], ends, members, np.array([one.number])))

    @all_or_nothing
    def cancel(self, match: Match, by: str | None = None) -> None:
        """Cancel a proposed match: the player who cancels leaves, the others wait again, at the front.

        They keep the time at which they joined. Without `by` all players wait again, and unless a better
        match is possible, the next tick proposes the same one. To avoid that, say who declined, or `block`
        the two.
        """
        slots = self._check_open(match)
        slot = None
        if by is not None:
            name = name_of(by)
            if name not in match.players:
                raise InputError(f"{shorten(name)!r} is not in match {match.number}")
            slot = self._store.known_slot(name)
        self._dissolve(slots, slot)

    @all_or_nothing
    def finish(
        self,
        match: Match,
        *,
        winner: str | int | None = None,
        side: int | None = None,
        draw: bool = False,
        scores: Sequence[float] | None = None,
    ) -> None:
        """Record the result of a started match, for the win rates that the policy aims at.

        `winner` is a player of the winning side, or `side` its number, from 0; `scores` are from 0 to 1, one
        for each side.
        """
        check_match(match)
        result = score_sides(match, None if winner is None else name_of(winner), side, draw, scores)
        names, people = self._store.names, self._store.people
        found = [names.find(name) for name in match.players]
        player = np.array([-1 if i is None else i for i in found], np.int64)
        if np.any(player < 0) or np.any(people["playing"][player] != match.number):
            raise InputError(
                f"match {match.number} is not being played",
                hint="it was never started, is finished, or somebody started another one since",
            )
        self._keep(people.keep(player, ("playing",)), *self._memory.keep(player))
        people["playing"][player] = NOBODY
        self._memory.record_scores(player, np.repeat(result, [len(side) for side in match.sides]))
        self._counters = self._counters.finished(1)

    # ------------------------------------------------------------------ behind them

    def _look(self, slots: Longs, waited: Floats, now: PoolTime) -> Waiting:
        """The waiting tickets, with their current ratings."""
        store = self._store
        players, offsets = store.members(slots)
        mu, sigma = self._source.ratings(store, players, now.micros)
        wanted = np.full(len(players), 0.5)
        if self.policy.target is not None:
            wanted = self.policy.target.probability(*self._memory.wins(players))
        if len(players) > len(slots):
            mu, wanted = segment_means(mu, offsets), segment_means(wanted, offsets)
            sigma = None if sigma is None else np.sqrt(segment_means(sigma**2, offsets))
        return Waiting(
            store, self._memory, self._source, slots, mu, sigma, wanted, waited, now.micros, self._ticks
        )

    def _start_open(self, matches: Proposals) -> None:
        """Begin those of a tick that are still proposed."""
        store = self._store
        if matches.names is not store.names:
            raise InputError("another pool proposed these matches")
        lineups = matches.lineups
        player, slot = lineups.player, lineups.slot
        number = np.repeat(lineups.numbers, np.diff(lineups.first))
        still = (store.people["ticket"][player] == slot) & (store.table["proposal"][slot] == number)
        self._begin(lineups if still.all() else lineups.some(np.isin(lineups.numbers, number[still])))

    def _begin(self, lineups: LineUps) -> None:
        """Let the tickets of matches go, all of them proposed, and remember who met whom."""
        store, player = self._store, lineups.player
        filled = store.table["request"][lineups.slot] != NOBODY
        known = filled & (store.people["playing"][player] != NOBODY)
        slots = np.unique(lineups.slot)
        self._keep(*store.keep(slots, player), *self._memory.keep(player))
        waited = self.clock - store.table["time"][slots[store.table["request"][slots] == NOBODY]]
        store.remove(slots)
        self._counters = self._counters.started(len(lineups.numbers), waited)
        store.people["playing"][player] = np.repeat(lineups.numbers, np.diff(lineups.first))
        self._memory.remember_matches(lineups, known)

    def _check_open(self, match: Match) -> Longs:
        """The tickets of a match that is proposed."""
        store = self._store
        check_match(match)
        slots = [store.slot_of(name) for name in match.players]
        if any(s is None or store.table["proposal"][s] != match.number for s in slots):
            raise _not_open(match.number)
        return np.unique(np.array(slots, np.int64))

    def _dissolve(self, slots: Longs, leaving: int | None) -> None:
        """End a proposal: one ticket may leave, the others wait again."""
        assert np.all(self._store.table["state"][slots] == PROPOSED)
        self._keep(*self._store.keep(slots, self._store.members(slots)[0]))
        self._store.put_back(slots)
        self._counters = self._counters.cancelled(1)
        if leaving is not None:
            self._remove(self._store.together(leaving))

    def _remove(self, slots: Longs) -> None:
        """Let tickets leave."""
        waiting = self._store.table["request"][slots] == NOBODY
        self._store.remove(slots)
        self._counters = self._counters.left(int(np.count_nonzero(waiting)))

    def _check_blocks(self) -> None:
        if not self.policy.uses("blocks"):
            raise InputError("the policy does not look at blocks", hint="give it the term BlockList()")


def _each(player: Party, said: Any) -> Sequence[Any]:
    """Recent results or roles with one value for each player, of a single player or of a party."""
    return said if isinstance(player, (list, tuple)) else [said]


def _decider(mode: Mode, system: RatingSystem) -> Decider:
    """Who chooses, for a mode; a system without teams is refused by name where there are some."""
    if mode.size > 1 and not system.supports.teams:
        raise refuse(system.name, "teams")
    if mode.is_seated and mode.sides > 2 and not system.supports.many:
        raise refuse(system.name, "many")
    return Duels() if mode.is_duel else GroupMatches(mode)


def _not_open(number: int) -> InputError:
    return InputError(
        f"match {number} is not proposed",
        hint="it has been started or cancelled already, or another pool proposed it",
    )
