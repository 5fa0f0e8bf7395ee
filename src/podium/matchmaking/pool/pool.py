"""A waiting pool: its tickets, memory, matches and clock, and the steps of which its calls are made.

One call at a time has the pool, and changes it as a whole or not at all. The lock, and what happens when an
exception ends a call, are those of ladders (`podium.ladder.locking`). Before a call writes, the parts of the
pool that it will write to are kept: each gives a function that puts back what it holds now, and that may be
called more than once.

The times a pool is told: seconds of any clock, or datetimes; a clock that runs backwards is refused.

The players of a waiting pool: whom it remembers and forgets, and how it follows a ladder's renames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

import numpy as np

from podium.arrays import NO_TIME, SECOND, Bools, Floats, Longs
from podium.errors import InputError, OrderError
from podium.history.times import to_micros
from podium.ladder.locking import Lockable, changing
from podium.matchmaking.deciders.decisions import Pace
from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.pool.counters import PoolCounters
from podium.matchmaking.pool.growing_tables import NO_ROWS, PutBack
from podium.matchmaking.pool.known_matches import REASONS, KnownMatches, MatchColumns
from podium.matchmaking.pool.player_memory import PlayerMemory
from podium.matchmaking.pool.proposals import Match, seconds_or_none
from podium.matchmaking.pool.rating_sources import RatingSource
from podium.matchmaking.pool.tickets import GONE, NOBODY, PROPOSED, WHERE, TicketStore
from podium.text import shorten

if TYPE_CHECKING:
    from podium.matchmaking.pool.pool_log import PoolLog

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
            raise InputError(f"the pool has no player {shorten(name)!r}")
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
    blocked stays: a block holds until it is taken back. So does a player with a cooldown.
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
    idle &= ~(store.people["barred"][:known] > pool.now.seconds)
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
    """Rename and merge waiting players as their ladder did since the last tick."""
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
    for name in ("declines", "abandons", "offended", "barred"):
        people[name][other] = np.fmax(people[name][one], people[name][other])
    people["playing"][one] = people["accepted"][one] = NOBODY
    people["left"][one] = people["declines"][one] = people["abandons"][one] = 0
    people["offended"][one] = people["barred"][one] = np.nan
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
        pool.dissolve(store.proposed(int(store.table["proposal"][slots[0]])))
    store.drop_member(one)


def _keep_tickets(pool: Pool, slots: Longs) -> None:
    """Keep tickets, with those who are in them."""
    store = pool.store
    names = (*WHERE, "first", "size")
    pool.keep(
        store.table.keep(slots, names),
        store.people.keep(store.members(slots)[0], ("ticket", "next", "left")),
    )


Clock = float | datetime


class PoolTime(NamedTuple):
    """The current time of a pool: the latest time it was told."""

    seconds: float = 0.0
    is_dated: bool = False
    """Whether it was told a datetime, so that seconds count from 1970."""
    is_told: bool = False
    """Whether it was told any time; until then no time passes."""

    @property
    def micros(self) -> int:
        """The time in microseconds, for looking up ratings; `NO_TIME` if times are only relative."""
        return round(self.seconds * SECOND) if self.is_dated else NO_TIME

    def read(self, time: Clock | Sequence[float] | Floats | None) -> tuple[Floats, PoolTime]:
        """Times in seconds, and the pool's time after them; None means the clock's time."""
        if time is None:
            return np.array([self.seconds]), self
        is_dated = isinstance(time, datetime)
        try:
            given = np.array(to_micros(time) / SECOND if isinstance(time, datetime) else time, ndmin=1)
        except (TypeError, ValueError):
            given = np.zeros(1, np.bool_)
        if given.dtype.kind not in "fiu" or given.ndim != 1 or not np.isfinite(given).all():
            raise InputError(f"{shorten(repr(time))} is not a time", hint="finite seconds, or a datetime")
        if self.is_told and is_dated != self.is_dated:
            one, other = ("a datetime", "seconds") if is_dated else ("seconds", "datetimes")
            raise InputError(
                f"{shorten(repr(time))} is {one}, and times so far were {other}", hint="times of one clock"
            )
        times = given.astype(np.float64)
        if not len(times):
            return times, self
        if self.is_told and times.min() < self.seconds:
            raise OrderError(
                f"the clock runs backwards: {times.min():g} s after {self.seconds:g} s",
                hint="times of one clock, in order",
            )
        return times, PoolTime(float(times.max()), is_dated, True)


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
        self.log: PoolLog | None = None
        """Where its calls are kept, if they are."""

    # ------------------------------------------------------------------ calls

    @changing
    def change(
        self, call: Callable[..., Answer], name: str, args: Sequence[Any], words: Mapping[str, Any]
    ) -> Answer:
        """Make a call whose changes are taken back if an exception ends it; such calls do not nest."""
        if self._unfinished is not None:
            raise InputError(
                f"{name} in the middle of another call of this pool",
                hint="a policy's term may read the pool, but not change it",
            )
        if name == "tick":
            self.refresh()
        follow_names(self)
        self.begin_change()
        answer = call(*args, **words)
        if self.log is not None:
            self.log.note(name, args[1:], words, answer)
        self._unfinished = None
        return answer

    @changing
    def look(self, call: Callable[[], Answer], *, at_ratings: bool = False) -> Answer:
        """Make a call that sees the pool as it is between two changes, and changes at most one thing."""
        if self._unfinished is None:  # else a term looks, in the middle of a tick
            if at_ratings:
                self.refresh()
            follow_names(self)
        return call()

    def refresh(self) -> None:
        """Let the source of the ratings look for new ones."""
        holders = np.flatnonzero(self.store.people["ticket"][: len(self.store.names)] != NOBODY)
        self.source.refresh({self.store.names[player] for player in holders.tolist()})

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
            people = self.store.people
            self.keep(people.keep(np.arange(people.room), ("offended", "barred")), self.matches.keep())
            for name in ("offended", "barred"):
                people[name][:] += times.min()
            self.matches.date(float(times.min()), people["playing"])
        self.now = now

    def tell_time(self, time: Clock | None) -> None:
        """Let it be this time; None leaves the clock as it is."""
        times, now = self.now.read(time)
        self.tell(times, now)

    def tell_time_alone(self, time: Clock | None) -> None:
        """Let it be this time, as after a tick that changed nothing else."""
        self.begin_change()
        self.tell_time(time)
        self.ticks += 1
        self._unfinished = None

    def is_proposed(self, number: int) -> bool:
        """Whether this match is proposed and has not started."""
        table = self.store.table
        return bool(np.any((table["state"] == PROPOSED) & (table["proposal"] == number)))

    def live_matches(self) -> Longs:
        """The numbers of the matches that are proposed or played."""
        store = self.store
        proposed = store.table["proposal"][store.table["state"] == PROPOSED]
        return np.unique(np.concatenate([proposed, store.people["playing"]]))

    def shown(self, match: MatchColumns) -> Match:
        """A match as a value, as it is now."""
        regions = tuple(self.store.delays.regions)
        value = match.to_match(self.store.names, regions, self.mode.role_names, self.identity)
        within = self.policy.conduct.answer_within
        accepted = match.player[self.have_accepted(match)]
        return replace(
            value,
            deadline=None if within is None or value.proposed is None else value.proposed + within,
            started=seconds_or_none(match.started[0]),
            accepted=tuple(self.store.names[player] for player in accepted.tolist()),
            left={
                self.store.names[player]: REASONS[reason]
                for player, reason in zip(match.player.tolist(), match.left.tolist(), strict=True)
                if reason and player != NOBODY
            },
        )

    def have_accepted(self, match: MatchColumns) -> Bools:
        """Which players of one match have accepted it; those of a running match need not while it asks."""
        number, store = int(match.numbers[0]), self.store
        accepted = np.zeros(len(match.player), np.bool_)
        known = np.flatnonzero(match.player != NOBODY)
        accepted[known] = store.people["accepted"][match.player[known]] == number
        asked = np.flatnonzero(store.proposal_of(match.player) == number)
        tickets = store.people["ticket"][match.player[asked]]
        accepted[asked] |= store.table["request"][tickets] != NOBODY
        return accepted

    def withdraw(self, slot: int) -> None:
        """Remove a ticket, with all of a request; a match proposed to it is cancelled."""
        proposal = int(self.store.table["proposal"][slot])
        if proposal == NOBODY:
            slots = self.store.together(slot)
            self.keep(*self.store.keep(slots, self.store.members(slots)[0]))
            self._remove(slots)
        else:
            self.dissolve(self.store.proposed(proposal), np.array([slot]))

    def dissolve(self, slots: Longs, leaving: Longs = NO_ROWS) -> None:
        """End proposals, given all their tickets: some may leave, the others wait again."""
        store = self.store
        assert np.all(store.table["state"][slots] == PROPOSED)
        self.keep(*store.keep(slots, store.members(slots)[0]))
        self.counters = self.counters.cancelled(len(np.unique(store.table["proposal"][slots])))
        store.put_back(slots)
        of_requests = leaving[store.table["request"][leaving] != NOBODY].tolist()
        gone = [leaving, *(store.together(slot) for slot in of_requests)]
        self._remove(np.unique(np.concatenate(gone)))

    def drop_from_request(self, player: int) -> None:
        """Take a player out of the request of a running match, which then has one open place more.

        Somebody who waits for a next match while playing keeps that ticket.
        """
        table, slot = self.store.table, int(self.store.people["ticket"][player])
        if table["request"][slot] == NOBODY:
            return
        if table["state"][slot] == PROPOSED:
            self.dissolve(self.store.proposed(int(table["proposal"][slot])))
        _keep_tickets(self, np.array([slot]))
        if table["size"][slot] > 1:
            self.store.drop_member(player)
        else:
            self._remove(np.array([slot]))

    def _remove(self, slots: Longs) -> None:
        """Let tickets leave."""
        if not len(slots):
            return
        waiting = self.store.table["request"][slots] == NOBODY
        self.store.remove(slots)
        self.counters = self.counters.left(int(np.count_nonzero(waiting)))
