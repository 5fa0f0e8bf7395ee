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
from time import perf_counter
from typing import Any, Self

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError, ParameterError
from podium.history.times import to_datetime
from podium.ladder.ladder import Ladder
from podium.matchmaking.clocks import Clock, PoolTime
from podium.matchmaking.decisions import Decider
from podium.matchmaking.duels import Duels
from podium.matchmaking.graphs.matching import EFFORTS, Effort
from podium.matchmaking.group_matches import GroupMatches
from podium.matchmaking.growing_tables import segment_means
from podium.matchmaking.join_checks import check_options, name_of
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.meetings import Waiting
from podium.matchmaking.policy import Policy, with_system
from podium.matchmaking.pool_changes import all_or_nothing, looking
from podium.matchmaking.pool_joins import Joining
from podium.matchmaking.pool_matches import Playing
from podium.matchmaking.pool_people import REMEMBERED
from podium.matchmaking.pool_saving import Saving
from podium.matchmaking.proposals import Tick, propose_matches
from podium.matchmaking.rating_sources import source_of
from podium.matchmaking.tickets import NOBODY, WHERE
from podium.matchmaking.time_budgets import Pace, TimeBudget, take_turns
from podium.matchmaking.waiting_reasons import WaitingReasons, find_reasons
from podium.systems import RatingSystem, System
from podium.systems.contract.capabilities import refuse
from podium.text import shorten


class Matchmaker(Joining, Playing, Saving):
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
    1,000. At most `remembered` players without a ticket are remembered, with their last opponents and
    results; of more, those are forgotten who left longest ago.

    Several threads may use one pool: each call has it alone.

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
        remembered: int = REMEMBERED,
    ) -> None:
        source, mode = source_of(rated, unknown), Mode.parse(mode)
        self._decider = _decider(mode, source.system)
        policy = Policy() if policy is None else policy
        if not isinstance(policy, Policy):
            raise ParameterError(
                f"the policy is {shorten(repr(policy))}",
                hint="podium.Policy(...), or podium.Policy.from_file(path)",
            )
        check_options(seed, timeout, remembered)
        if effort is not None and effort not in EFFORTS:
            raise ParameterError(f"an effort of {effort!r}", hint="one of " + ", ".join(EFFORTS))
        self.seed, self.timeout, self.effort = int(seed), timeout, effort
        self._pace = Pace()
        super().__init__(source, mode, with_system(policy, source.system), int(remembered))

    @classmethod
    def _made(cls, rated: Ladder | System, options: dict[str, Any]) -> Self:
        return cls(rated, **options)

    @all_or_nothing
    def tick(self, time: Clock | None = None, *, budget: float | None = None) -> Tick:
        """Remove tickets whose time is up, and propose matches among the waiting ones.

        With a `budget`, in seconds of this machine, a tick that would take longer looks at as many tickets as
        it can in that time: those who have waited longest, those it has not looked at for longest, and some
        by chance. `Tick.left` is the number of tickets it did not get to. A step that has begun is finished,
        which may take some milliseconds.
        """
        began = perf_counter()
        allowed = TimeBudget(budget)
        times, now = self._now.read(time)
        if len(times) != 1:
            raise InputError(f"a tick is at one time, not at {len(times)}")
        store = self._store
        slots = store.waiting()
        waited = self._waited(slots, now)
        over = self._are_over(waited)
        there, waited = slots[~over], waited[~over]
        chance = np.random.default_rng([self.seed, self._ticks])
        rows = self._rows_in_time(there, waited, allowed, chance)
        waiting = self._look(there[rows], waited[rows], now)
        decision = self._decider.decide(waiting, self.policy, chance, self.effort, allowed)
        matches = propose_matches(waiting, decision, self.mode, self._proposed, self._identity)
        gone = slots[over]
        self._keep(store.table.keep(slots, WHERE), *store.keep(gone, store.members(gone)[0]))
        self._keep(self._matches.keep())
        expired = [store.players_of(slot) for slot in gone.tolist()]
        asked = np.unique(store.table["request"][gone])
        ended = asked[asked != NOBODY].tolist()
        store.remove(gone)
        if len(waiting) == len(there):
            store.table["scanned"][waiting.slots[decision.alone]] = store.entries - 1
        if budget is not None:
            store.table["looked"][np.delete(waiting.slots, decision.left)] = store.entries
            store.entries += 1  # the next look is later, also if nobody joins before it
        if decision.turn is not None:
            store.table["last_turn"][waiting.slots] = decision.turn
        numbers = np.repeat(matches.numbers, np.diff(decision.offsets))
        store.propose(waiting.slots[decision.tickets], numbers)
        self._tell(times, now)
        self._ticks += 1
        self._proposed += len(matches)
        self._matches.add(matches)
        merged, self._merged = self._merged, []
        self._counters = self._counters.ticked(
            perf_counter() - began,
            int(np.count_nonzero(store.table["request"][gone] == NOBODY)),
            matches.cost,
            matches.gap,
            waiting.refusals,
        )
        self._pace.note(allowed.spent, len(waiting) - len(decision.left))
        still = waiting.request == NOBODY
        still[decision.tickets] = False
        passed = len(there) - len(waiting)
        if len(gone):
            self._forget_oldest()
        return Tick(
            now.seconds,
            matches,
            expired,
            int(np.count_nonzero(still)) + passed,
            ended,
            to_datetime(now.micros),
            len(decision.left) + passed,
            merged,
        )

    @looking
    def why(self, player: str, time: Clock | None = None) -> WaitingReasons:
        """Why a player waits: whom each term forbids, who is acceptable first, and when.

        `time` is the time in question, by default the latest that the pool was told; it changes no clock.
        Tickets whose timeout has passed by then have no part in it: the next tick removes them.
        """
        store, slot = self._store, self._store.known_slot(name_of(player))
        _, now = self._now.read(time)
        slots = np.union1d(store.waiting(), [slot])
        slots = slots[np.argsort(store.table["number"][slots])]  # a restored pool has other slots
        waited = self._waited(slots, now)
        there = ~self._are_over(waited) | (slots == slot)
        waiting = self._look(slots[there], waited[there], now)
        return find_reasons(waiting, slot, now, self.policy, self.mode, self.timeout, self._counters.waits)

    def _are_over(self, waited: Floats) -> Bools:
        """Whether the time of tickets that have waited for so many seconds is up."""
        return waited >= (math.inf if self.timeout is None else self.timeout)

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

    def _rows_in_time(
        self, slots: Longs, waited: Floats, budget: TimeBudget, chance: np.random.Generator
    ) -> Longs | slice:
        """Which of the waiting tickets a tick can look at; running matches that ask for players always."""
        if budget.seconds is None or len(slots) <= (most := self._pace.tickets_in(budget)):
            return slice(None)
        table = self._store.table
        running = np.flatnonzero(table["request"][slots] != NOBODY)
        rows = np.flatnonzero(table["request"][slots] == NOBODY)
        last_look = np.maximum(table["looked"][slots], table["entered"][slots])
        taken = take_turns(waited[rows], last_look[rows], most, chance)
        return np.sort(np.concatenate([running, rows[taken]]))


def _decider(mode: Mode, system: RatingSystem) -> Decider:
    """Who chooses, for a mode; a system without teams is refused by name where there are some."""
    if mode.size > 1 and not system.supports.teams:
        raise refuse(system.name, "teams")
    if mode.is_seated and mode.sides > 2 and not system.supports.many:
        raise refuse(system.name, "many")
    return Duels() if mode.is_duel else GroupMatches(mode)
