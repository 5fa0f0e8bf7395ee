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

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import InputError, OrderError, ParameterError, shorten
from podium.history.core import Floats, Longs
from podium.history.names import player_name
from podium.history.times import NO_TIME, SECOND, to_micros
from podium.ladder import Ladder
from podium.matchmaking.deciding import Decider
from podium.matchmaking.duels import Duels
from podium.matchmaking.graphs.matching import EFFORTS, Effort
from podium.matchmaking.group_matches import GroupMatches
from podium.matchmaking.joining import Party, Recent, check_entry, check_recent, check_running
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.meetings import Waiting
from podium.matchmaking.memory import Memory
from podium.matchmaking.policy import Policy
from podium.matchmaking.proposals import Backfill, Match, Matches, Tick, propose_matches, score_sides
from podium.matchmaking.sources import source_of
from podium.matchmaking.tickets import NOBODY, PROPOSED, Ticket, TicketStore
from podium.systems import RatingSystem
from podium.systems.capabilities import refuse

if TYPE_CHECKING:
    import polars as pl

Clock = float | datetime


class Matchmaker:
    """Everybody who waits for a match, and who is to play whom.

    Made of a ladder, whose ratings count as they are at each tick, or of a rating system, and then tickets
    bring their ratings. Players `join`, alone or as a party; `tick` proposes matches; each is started or
    cancelled. Whatever is refused changes nothing. The same calls give the same matches for a `seed`.

    `mode` is "1v1", two teams such as "5v5", or a free-for-all such as "ffa:8"; `podium.matchmaking.lobbies`
    says how more than two are chosen. `timeout` is the seconds after which a ticket leaves by itself;
    `unknown` says what happens to players whom the ladder does not know ("error", or "newcomer"); `effort`
    how hard the best pairs are looked for: where it says nothing, exactly among 300 tickets and quickly among
    more; "exact" looks at all pairs of 1,000.

    A ticket that has waited for the policy's patience is overdue. Overdue tickets are served first, the
    oldest first, with anybody who is not forbidden. So one against one, no overdue ticket is left after a
    tick that could play another waiting one; where nothing is forbidden, everybody is paired at the first
    tick after their patience at which anybody else waits, whatever arrives.
    """

    def __init__(
        self,
        rated: Ladder | RatingSystem,
        mode: str | Mode = "1v1",
        policy: Policy | None = None,
        *,
        seed: int = 0,
        timeout: float | None = None,
        unknown: str = "error",
        effort: Effort | None = None,
    ) -> None:
        self._source = source_of(rated, unknown)
        self.mode = Mode.parse(mode)
        self._decider = _decider(self.mode, self.system)
        policy = Policy() if policy is None else policy
        if not isinstance(policy, Policy):
            raise ParameterError(f"the policy is {shorten(repr(policy))}", hint="podium.Policy(...)")
        self.policy = policy.with_system(self.system)
        if timeout is not None and not (0.0 < timeout < math.inf):
            raise ParameterError(f"a timeout of {timeout} seconds", hint="above 0, or None for never")
        if effort is not None and effort not in EFFORTS:
            raise ParameterError(f"an effort of {effort!r}", hint="one of " + ", ".join(EFFORTS))
        self.seed, self.timeout, self.effort = seed, timeout, effort
        self.clock = -math.inf
        """The latest time anybody told."""
        self._store = TicketStore()
        target = self.policy.target
        self._memory = Memory(self.policy.rematch_games, 0 if target is None else target.games)
        self._ticks = 0
        self._proposed = 0
        self._requests = 0

    @property
    def system(self) -> RatingSystem:
        """The rating system whose chances count."""
        return self._source.system

    # ------------------------------------------------------------------ looking

    def __len__(self) -> int:
        """Players with a ticket, waiting or in a proposal."""
        return int(np.count_nonzero(self._store.people["ticket"] != NOBODY))

    def __bool__(self) -> bool:
        return True  # a pool is something, also when nobody waits

    def __contains__(self, player: object) -> bool:
        return isinstance(player, (str, int)) and self._store.slot_of(player_name(player)) is not None

    def __repr__(self) -> str:
        return f"<Matchmaker: {self.mode}, {self.system.name}, {len(self):,} players>"

    def ticket(self, player: str) -> Ticket:
        """A player's ticket."""
        return self._store.ticket(self._store.known_slot(player_name(player)))

    def waiting(self) -> pl.DataFrame:
        """Who waits and is in no proposal: player, ticket, waited, mu, sigma, front; a row a player."""
        import polars as pl

        store, slots = self._store, self._store.waiting()
        slots = slots[store.table["request"][slots] == NOBODY]
        players, offsets = store.members(slots)
        mu, sigma = self._source.ratings(store, players)
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

    # ------------------------------------------------------------------ coming and going

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
    ) -> Ticket:
        """Let a player, or a party given as a list, wait for a match.

        `attributes` are what others may need, `needs` what this ticket needs of the attributes or of `mu` and
        `sigma` of others: texts such as ["pad", "touch"], or a range such as (1400, 1600). `latency` is
        milliseconds by region. `recent` are a player's last results, newest last, such as "WLDWW", where they
        are not those remembered from `finish`. A party has ratings and recent results in lists, one a player.
        """
        slots = self.join_many(
            [player],
            time=time,
            mu=mu,
            sigma=sigma,
            attributes={name: [value] for name, value in (attributes or {}).items()},
            needs={name: [need] for name, need in (needs or {}).items()},
            latency=latency,
            recent=None if recent is None else _each(player, recent),
        )
        return self._store.ticket(int(slots[0]))

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
    ) -> Longs:
        """Let many wait: what `join` takes, in columns.

        There is one value a ticket, but ratings and recent results are one a player.

        All of them join, or nobody does. Returns where their tickets are inside the pool.
        """
        times, clock = self._times(time)
        entry = check_entry(
            players,
            times,
            mu,
            sigma,
            attributes or {},
            needs or {},
            latency or {},
            mode=self.mode,
            policy=self.policy,
            source=self._source,
            known=self._store.attributes,
        )
        scores = check_recent(recent, entry.sizes, self.policy)
        slots = self._store.add(entry)
        self.clock = clock
        if scores:
            self._memory.replace_scores(self._store.members(slots)[0], scores)
        return slots

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
    ) -> Backfill:
        """Let a running match wait for players to fill its open places: `sides` are who plays in it now.

        Two teams are two lists, of which one may be empty; a free-for-all is a list of players. What is said
        beside is said of the match; ratings are one a player. All places are filled at once, by singles and
        parties who may meet everybody in it, before new matches are made, the oldest request first. As long
        as it waits its players have tickets: `leave` of one of them takes the request back.
        """
        teams = check_running(sides, self.mode)
        standing = [team for team in teams if team]
        rows = len(standing)
        slots = self.join_many(
            standing,
            time=time,
            mu=mu,
            sigma=sigma,
            attributes={name: [value] * rows for name, value in (attributes or {}).items()},
            needs={name: [need] * rows for name, need in (needs or {}).items()},
            latency=latency,
        )
        number, table = self._requests, self._store.table
        self._requests += 1
        table["request"][slots] = number
        table["side"][slots] = [side for side, team in enumerate(teams) if team]
        return Backfill(number, tuple(map(tuple, teams)), float(table["time"][slots[0]]))

    def leave(self, player: str) -> None:
        """Take a player's ticket back, a party's as a whole; a match proposed to them is cancelled.

        If it is one of a running match that asks for more, it asks no longer.
        """
        slot = self._store.known_slot(player_name(player))
        proposal = int(self._store.table["proposal"][slot])
        if proposal == NOBODY:
            self._store.remove(self._store.together(slot))
        else:
            self._dissolve(self._store.proposed(proposal), slot)

    def block(self, player: str, other: str) -> None:
        """From now on the two do not meet."""
        self._check_blocks()
        a, b = player_name(player), player_name(other)
        if a == b:
            raise InputError(f"{shorten(a)!r} would block themselves")
        names = self._store.names
        self._memory.block(names.add(a), names.add(b))
        self._store.people.reserve(len(names))

    def unblock(self, player: str, other: str) -> None:
        """Take back what `block` did."""
        self._check_blocks()
        a, b = (self._store.names.find(player_name(name)) for name in (player, other))
        if a is None or b is None:
            raise InputError(f"{shorten(str(player))!r} has not blocked {shorten(str(other))!r}")
        self._memory.unblock(a, b)
        self._store.table["scanned"][:] = 0

    # ------------------------------------------------------------------ matches

    def tick(self, time: Clock | None = None) -> Tick:
        """Let go whose time is up, and propose matches among those who wait."""
        times, clock = self._times(time)
        if len(times) != 1:
            raise InputError(f"a tick is at one time, not at {len(times)}")
        store = self._store
        slots = store.waiting()
        waited = clock - store.table["time"][slots]
        over = np.zeros(len(slots), np.bool_) if self.timeout is None else waited >= self.timeout
        waiting = self._look(slots[~over], waited[~over], time)
        chance = np.random.default_rng([self.seed, self._ticks])
        decision = self._decider.decide(waiting, self.policy, chance, self.effort)
        matches = propose_matches(waiting, decision, self._proposed)
        # Nothing has changed so far, and nothing can fail from here on.
        gone = slots[over]
        expired = [store.players_of(slot) for slot in gone.tolist()]
        store.remove(gone)
        store.table["scanned"][waiting.slots[decision.alone]] = store.entries - 1
        numbers = np.repeat(matches.numbers, np.diff(decision.offsets))
        store.propose(waiting.slots[decision.tickets], numbers)
        self.clock = clock
        self._ticks += 1
        self._proposed += len(matches)
        left = waiting.request == NOBODY
        left[decision.tickets] = False
        return Tick(clock, matches, expired, int(np.count_nonzero(left)))

    def start(self, match: Match | Matches | Tick | Iterable[Match]) -> None:
        """A proposed match begins, or several do: the tickets leave, and who met whom is remembered."""
        if isinstance(match, Tick):
            match = match.matches
        if isinstance(match, Matches):
            self._begin(
                match.player, match.slot, match.first_player, match.sides, match.members, match.numbers
            )
            return
        found = [match] if isinstance(match, Match) else list(match)
        seen = set()
        for one in found:
            self._check_open(one)
            if one.number in seen:
                raise InputError(f"match {one.number} is there twice")
            seen.add(one.number)
        for one in found:
            names, store = self._store.names, self._store
            player = np.array([names.index_of[name] for name in one.players], np.int64)
            members = np.cumsum([0, *map(len, one.sides)])
            ends = np.array([0, len(one.sides)])
            self._begin(
                player, store.people["ticket"][player], members[ends], ends, members, np.array([one.number])
            )

    def cancel(self, match: Match, by: str | None = None) -> None:
        """A proposed match does not begin: whoever cancels leaves, and the others are back, at the front.

        They keep the time at which they joined. Without `by` everybody is back.
        """
        slots = self._check_open(match)
        slot = None
        if by is not None:
            name = player_name(by)
            if name not in match.players:
                raise InputError(f"{shorten(name)!r} is not in match {match.number}")
            slot = self._store.known_slot(name)
        self._dissolve(slots, slot)

    def finish(
        self,
        match: Match,
        *,
        winner: str | int | None = None,
        draw: bool = False,
        scores: Sequence[float] | None = None,
    ) -> None:
        """Remember how a started match ended, for the win rates that the policy aims at.

        `winner` is a player of the side that won or its number from 0; `scores` are from 0 to 1, one a side.
        """
        result = score_sides(match, winner, draw, scores)
        names, people = self._store.names, self._store.people
        found = [names.find(name) for name in match.players]
        player = np.array([-1 if i is None else i for i in found], np.int64)
        if np.any(player < 0) or np.any(people["playing"][player] != match.number):
            raise InputError(
                f"match {match.number} is not being played",
                hint="it was never started, is finished, or somebody started another one since",
            )
        people["playing"][player] = NOBODY
        self._memory.record_scores(player, np.repeat(result, [len(side) for side in match.sides]))

    # ------------------------------------------------------------------ behind them

    def _look(self, slots: Longs, waited: Floats, time: Clock | None) -> Waiting:
        """Those who wait, with their ratings of this moment."""
        store = self._store
        players, offsets = store.members(slots)
        at = to_micros(time) if isinstance(time, datetime) else NO_TIME
        mu, sigma = self._source.ratings(store, players, at)
        if len(players) > len(slots):
            sizes = np.diff(offsets)
            mu = np.add.reduceat(mu, offsets[:-1]) / sizes
            sigma = None if sigma is None else np.sqrt(np.add.reduceat(sigma**2, offsets[:-1]) / sizes)
        wanted = np.full(len(slots), 0.5)
        if self.policy.target is not None:
            wins, played = self._memory.wins(players)
            wanted = self.policy.target.probability(wins, played)
            if len(players) > len(slots):
                wanted = np.add.reduceat(wanted, offsets[:-1]) / np.diff(offsets)
        return Waiting(store, self._memory, self._source, slots, mu, sigma, wanted, waited, at, self._ticks)

    def _begin(
        self, player: Longs, slot: Longs, first: Longs, sides: Longs, members: Longs, numbers: Longs
    ) -> None:
        """Let the tickets of matches go, all of them proposed, and remember who met whom."""
        store = self._store
        number = np.repeat(numbers, np.diff(first))
        still = (store.people["ticket"][player] == slot) & (store.table["proposal"][slot] == number)
        if not np.all(still):
            raise _not_open(int(number[~still][0]))
        store.remove(np.unique(slot))
        store.people["playing"][player] = number
        self._memory.remember_matches(player, first, sides, members)

    def _check_open(self, match: Match) -> Longs:
        """The tickets of a match that is proposed."""
        store = self._store
        if not isinstance(match, Match):
            raise InputError(f"{shorten(repr(match))} is no match", hint="one of tick.matches")
        slots = [store.slot_of(name) for name in match.players]
        if any(s is None or store.table["proposal"][s] != match.number for s in slots):
            raise _not_open(match.number)
        return np.unique(np.array(slots, np.int64))

    def _dissolve(self, slots: Longs, leaving: int | None) -> None:
        """End a proposal: one ticket may leave, the others wait again."""
        assert np.all(self._store.table["state"][slots] == PROPOSED)
        self._store.put_back(slots)
        if leaving is not None:
            self._store.remove(self._store.together(leaving))

    def _times(self, time: Clock | Sequence[float] | Floats | None) -> tuple[Floats, float]:
        """Times as seconds, and the clock after them; one that runs backwards is refused."""
        if time is None:
            now = self.clock if math.isfinite(self.clock) else 0.0
            return np.array([now]), now
        try:
            given = to_micros(time) / SECOND if isinstance(time, datetime) else time
            times = np.array(given, np.float64, ndmin=1)
        except (TypeError, ValueError):
            raise InputError(f"{shorten(repr(time))} is no time", hint="seconds, or a datetime") from None
        if times.ndim != 1 or not np.isfinite(times).all():
            raise InputError(f"{shorten(repr(time))} is no time", hint="finite seconds, or a datetime")
        if len(times) and times.min() < self.clock:
            raise OrderError(
                f"the clock runs backwards: {times.min():g} s after {self.clock:g} s",
                hint="times of one clock, in order",
            )
        return times, float(times.max(initial=self.clock))

    def _check_blocks(self) -> None:
        if not self.policy.uses("blocks"):
            raise InputError("the policy does not look at blocks", hint="give it the term BlockList()")


def _each(player: Party, recent: Any) -> Sequence[Recent]:
    """Recent results one a player: of somebody alone, or of a party."""
    return [recent] if isinstance(player, (str, int)) else recent


def _decider(mode: Mode, system: RatingSystem) -> Decider:
    """Who chooses, for a mode; a system without teams is refused by name where there are some."""
    if mode.has_teams and not system.supports.teams:
        raise refuse(system.name, "teams")
    return Duels() if mode.is_duel else GroupMatches(mode)


def _not_open(number: int) -> InputError:
    return InputError(
        f"match {number} is not proposed",
        hint="it has been started or cancelled already, or another pool proposed it",
    )
