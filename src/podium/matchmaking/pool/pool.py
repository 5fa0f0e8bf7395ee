"""A waiting pool: its tickets, memory, matches and clock, and the steps of which its calls are made.

One call at a time has the pool, and changes it as a whole or not at all. The lock, and what happens when an
exception ends a call, are those of ladders (`podium.ladder.locking`). Before a call writes, the parts of the
pool that it will write to are kept: each gives a function that puts back what it holds now, and that may be
called more than once.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import InputError
from podium.ladder.locking import Lockable, changing
from podium.matchmaking.deciders.time_budgets import Pace
from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.pool.clocks import PoolTime
from podium.matchmaking.pool.counters import PoolCounters
from podium.matchmaking.pool.growing_tables import PutBack
from podium.matchmaking.pool.known_matches import KnownMatches, MatchColumns
from podium.matchmaking.pool.player_memory import PlayerMemory
from podium.matchmaking.pool.players import follow_names
from podium.matchmaking.pool.proposals import Match
from podium.matchmaking.pool.rating_sources import RatingSource
from podium.matchmaking.pool.tickets import GONE, NOBODY, PROPOSED, TicketStore

Answer = TypeVar("Answer")


class Pool(Lockable):
    """Everything that a waiting pool holds. What its calls do with it is in modules of their own."""

    _unfinished: list[PutBack] | None
    """What takes back the call under way."""

    def __init__(
        self,
        source: RatingSource,
        mode: Mode,
        policy: Policy,
        *,
        seed: int,
        timeout: float | None,
        effort: Effort | None,
        remembered: int,
    ) -> None:
        super().__init__()
        self.source, self.mode, self.policy = source, mode, policy
        self.seed, self.timeout, self.effort, self.remembered = seed, timeout, effort, remembered
        self.identity = uuid4().hex
        """Tells its matches from those of other pools; a saved pool keeps it."""
        self.now = PoolTime()
        self.store = TicketStore()
        target = policy.target
        self.memory = PlayerMemory(policy.rematch_games, 0 if target is None else target.games)
        self.ticks = 0
        self.proposed = 0
        self.requests = 0
        self.matches = KnownMatches()
        self.counters = PoolCounters()
        self.merged: list[tuple[str, ...]] = []
        """Players of the tickets that merges have removed since the last tick."""
        self.pace = Pace()

    # ------------------------------------------------------------------ calls

    @changing
    def change(self, call: Callable[[], Answer], name: str) -> Answer:
        """Make a call whose changes are taken back if an exception ends it; such calls do not nest."""
        if self._unfinished is not None:
            raise InputError(
                f"{name} in the middle of another call of this pool",
                hint="a term of a policy may look at the pool, not change it",
            )
        follow_names(self)
        self.begin_change()
        answer = call()
        self._unfinished = None
        return answer

    @changing
    def look(self, call: Callable[[], Answer]) -> Answer:
        """Make a call that sees the pool as it is between two changes, and changes at most one thing."""
        if self._unfinished is None:  # else a term looks, in the middle of a tick
            follow_names(self)
        return call()

    def begin_change(self) -> None:
        """From here on, what `keep` is told is put back if an exception ends the call."""
        self._unfinished = [self._keep_numbers()]

    def keep(self, *parts: PutBack) -> None:
        """Note how to take back what the call under way is about to do."""
        assert self._unfinished is not None
        self._unfinished.extend(parts)

    def _take_back(self) -> None:
        for put_back in reversed(self._unfinished or ()):
            put_back()
        self._unfinished = None

    def _keep_numbers(self) -> PutBack:
        """Keep the counters, which any call may change."""
        now, ticks, proposed, requests = self.now, self.ticks, self.proposed, self.requests
        store, merged, counters = self.store.keep_numbers(), self.merged, self.counters

        def put_back() -> None:
            store()
            self.merged, self.counters = merged, counters
            self.now, self.ticks, self.proposed, self.requests = now, ticks, proposed, requests

        return put_back

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the lock, copied: other threads may go on while it is pickled."""
        return self.look(self._copied)

    def _copied(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name not in vars(Lockable())}
        shared = {id(value): value for value in (self.source, self.policy, self.mode)}
        return {name: deepcopy(value, shared) for name, value in kept.items()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        Lockable.__init__(self)
        vars(self).update(kept)

    # ------------------------------------------------------------------ steps of several calls

    def waited(self, slots: Longs, now: PoolTime) -> Floats:
        """The seconds that tickets have waited at a time, none if it is the first that the pool is told."""
        if now.is_told and not self.now.is_told:
            return np.zeros(len(slots))
        waited: Floats = now.seconds - self.store.table["time"][slots]
        return waited

    def tell(self, times: Floats, now: PoolTime) -> None:
        """Let it be later; if it was told no time before, all who are here came at the first of `times`."""
        if now.is_told and not self.now.is_told:
            table = self.store.table
            slots = np.flatnonzero(table["state"] != GONE)
            self.keep(table.keep(slots, ("time",)))
            table["time"][slots] = times.min()
        self.now = now

    def live_matches(self) -> Longs:
        """The numbers of the matches that are proposed or played."""
        store = self.store
        proposed = store.table["proposal"][store.table["state"] == PROPOSED]
        return np.unique(np.concatenate([proposed, store.people["playing"]]))

    def shown(self, match: MatchColumns) -> Match:
        """A match as a value."""
        regions = tuple(self.store.delays.regions)
        return match.to_match(self.store.names, regions, self.mode.role_names, self.identity)

    def withdraw(self, slot: int) -> None:
        """Remove a ticket, with all of a request; a match proposed to it is cancelled."""
        proposal = int(self.store.table["proposal"][slot])
        if proposal == NOBODY:
            slots = self.store.together(slot)
            self.keep(*self.store.keep(slots, self.store.members(slots)[0]))
            self._remove(slots)
        else:
            self.dissolve(self.store.proposed(proposal), slot)

    def dissolve(self, slots: Longs, leaving: int | None) -> None:
        """End a proposal: one ticket may leave, the others wait again."""
        assert np.all(self.store.table["state"][slots] == PROPOSED)
        self.keep(*self.store.keep(slots, self.store.members(slots)[0]))
        self.store.put_back(slots)
        self.counters = self.counters.cancelled(1)
        if leaving is not None:
            self._remove(self.store.together(leaving))

    def _remove(self, slots: Longs) -> None:
        """Let tickets leave."""
        waiting = self.store.table["request"][slots] == NOBODY
        self.store.remove(slots)
        self.counters = self.counters.left(int(np.count_nonzero(waiting)))
