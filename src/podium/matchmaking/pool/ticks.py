"""A tick of a waiting pool, and what can be seen of those who wait between two ticks."""

from __future__ import annotations

import math
from dataclasses import replace
from time import perf_counter

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError
from podium.history.times import to_datetime
from podium.matchmaking.deciders.decisions import Decider, Decision, TimeBudget, take_turns
from podium.matchmaking.deciders.duels import Duels
from podium.matchmaking.deciders.group_matches import GroupMatches
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.pool.accepting import end_late_proposals
from podium.matchmaking.pool.growing_tables import segment_means
from podium.matchmaking.pool.joins import name_of
from podium.matchmaking.pool.match_reasons import MatchReasons, find_match_reasons
from podium.matchmaking.pool.matches import check_open
from podium.matchmaking.pool.pool import Clock, Pool, PoolTime, forget_oldest
from podium.matchmaking.pool.proposals import Match, Proposals, Tick, join_proposals, propose_matches
from podium.matchmaking.pool.tickets import GONE, NOBODY, PROPOSED, WHERE
from podium.matchmaking.pool.waiting_reasons import WaitingReasons, find_reasons
from podium.systems import RatingSystem
from podium.systems.contract.capabilities import refuse


def decider_of(mode: Mode, system: RatingSystem) -> Decider:
    """Who chooses, for a mode; a system without teams is refused by name where there are some."""
    if mode.size > 1 and not system.supports.teams:
        raise refuse(system.name, "teams")
    if mode.is_seated and mode.sides > 2 and not system.supports.many:
        raise refuse(system.name, "many")
    return Duels() if mode.is_duel else GroupMatches(mode)


def run_tick(pool: Pool, deciders: list[Decider], time: Clock | None, budget: float | None) -> Tick:
    """Remove tickets whose time is up, and propose matches among the waiting ones."""
    began = perf_counter()
    allowed = TimeBudget(budget)
    times, now = pool.now.read(time)
    if len(times) != 1:
        raise InputError(f"a tick needs one time, not {len(times)}")
    store = pool.store
    lapsed = end_late_proposals(pool, now)
    slots = store.waiting()
    waited = pool.waited(slots, now)
    over = _are_over(pool, waited)
    there, waited = slots[~over], waited[~over]
    chance = np.random.default_rng([pool.seed, pool.ticks])
    rows = _rows_in_time(pool, there, waited, allowed, chance)
    waiting = look_at(pool, there[rows], waited[rows], now)
    decision, matches = _decide_all(pool, deciders, waiting, now, chance, allowed)
    gone = slots[over]
    pool.keep(store.table.keep(slots, WHERE), *store.keep(gone, store.members(gone)[0]))
    pool.keep(pool.matches.keep())
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
    store.propose(matches.slot, np.repeat(matches.numbers, np.diff(matches.first_player)))
    pool.tell(times, now)
    pool.ticks += 1
    pool.proposed += len(matches)
    pool.matches.add(matches)
    merged, pool.merged = pool.merged, []
    pool.counters = pool.counters.ticked(
        perf_counter() - began,
        int(np.count_nonzero(store.table["request"][gone] == NOBODY)),
        matches.cost,
        matches.gap,
        waiting.refusals,
    )
    pool.pace.note(allowed.spent, len(waiting) - len(decision.left))
    still = waiting.request == NOBODY
    still[decision.tickets] = False
    passed = len(there) - len(waiting)
    if len(gone) or lapsed:
        forget_oldest(pool)
    return Tick(
        now.seconds,
        matches,
        expired,
        int(np.count_nonzero(still)) + passed,
        ended,
        to_datetime(now.micros),
        len(decision.left) + passed,
        merged,
        lapsed,
    )


def _decide_all(
    pool: Pool,
    deciders: list[Decider],
    waiting: Waiting,
    now: PoolTime,
    chance: np.random.Generator,
    budget: TimeBudget,
) -> tuple[Decision, Proposals]:
    """Choose the matches, the largest kind first; tickets that are left go to the kinds that they accept.

    With several kinds no ticket rests: whom it may meet depends on how long both have waited.
    """
    parts: list[Proposals] = []

    def decide(some: Waiting, mode: Mode, decider: Decider) -> Decision:
        decision = decider.decide(some, pool.policy, chance, pool.effort, budget)
        start, time = pool.proposed + sum(map(len, parts)), now.seconds if now.is_told else math.nan
        within = pool.policy.conduct.answer_within
        parts.append(propose_matches(some, decision, mode, start, pool.identity, time, within))
        return decision

    if len(deciders) == 1:
        return decide(waiting, pool.mode, deciders[0]), parts[0]
    taken = left = waiting.slots[:0]
    is_asking, variants = waiting.request != NOBODY, pool.store.table["variant"][waiting.slots]
    for variant, ((mode, after), decider) in enumerate(zip(pool.mode.variants, deciders, strict=True)):
        accepts = (waiting.waited >= after) & (waiting.size <= mode.size)
        here = np.where(is_asking, variants == variant, accepts) & ~np.isin(waiting.slots, taken)
        some = look_at(pool, waiting.slots[here], waiting.waited[here], now)
        decision = decide(some, mode, decider)
        taken = np.concatenate([taken, some.slots[decision.tickets]])
        left = np.concatenate([left, some.slots[decision.left]])
        for label, count in some.refusals.items():
            waiting.refusals[label] = waiting.refusals.get(label, 0) + count
    rows = np.flatnonzero(np.isin(waiting.slots, taken))
    passed = np.flatnonzero(np.isin(waiting.slots, left) & ~np.isin(waiting.slots, taken))
    no_row, no_number = rows[:0], np.zeros(0)
    decision = Decision(no_row, rows, no_row, no_number, no_number, no_row, no_row, None, passed)
    return decision, join_proposals(parts)


def match_reasons_of(pool: Pool, match: Match, time: Clock | None) -> MatchReasons:
    """Why a match is proposed, as of a time."""
    known, store = check_open(pool, match), pool.store
    _, now = pool.now.read(time)
    slots = np.flatnonzero(store.table["state"] != GONE)
    slots = slots[np.argsort(store.table["number"][slots])]
    waiting = look_at(pool, slots, pool.waited(slots, now), now)
    mode, _ = pool.mode.variants[pool.mode.variant_of(tuple(np.diff(known.members).tolist()))]
    return find_match_reasons(waiting, known, pool.policy, mode)


def reasons_of(pool: Pool, player: str, time: Clock | None) -> WaitingReasons:
    """Why a player waits, at a time."""
    store, slot = pool.store, pool.store.known_slot(name_of(player, pool.store.names))
    _, now = pool.now.read(time)
    slots = np.union1d(store.waiting(), [slot])
    slots = slots[np.argsort(store.table["number"][slots])]  # a restored pool has other slots
    waited = pool.waited(slots, now)
    there = ~_are_over(pool, waited) | (slots == slot)
    own = pool.waited(np.array([slot]), now)[0]
    table = pool.store.table
    found: list[WaitingReasons] = []
    for variant, (mode, after) in enumerate(pool.mode.variants):
        if own < after or table["size"][slot] > mode.size:
            continue
        is_asking = table["request"][slots] != NOBODY
        here = np.where(is_asking, table["variant"][slots] == variant, waited >= after) & there
        here |= slots == slot
        waiting = look_at(pool, slots[here], waited[here], now)
        waits, policy = pool.counters.waits, pool.policy
        found.append(find_reasons(waiting, slot, now, policy, mode, pool.timeout, waits))
    reasons = min(found, key=lambda one: max(0, one.open_places - one.available) + sum(one.lacking.values()))
    return replace(reasons, paired=_paired_with(pool, slot, now))


def _paired_with(pool: Pool, slot: int, now: PoolTime) -> int:
    """How many tickets that may meet the one in a slot are in a proposed match other than its own."""
    table = pool.store.table
    paired = (table["state"] == PROPOSED) & (table["proposal"] != table["proposal"][slot])
    slots = np.append(np.flatnonzero(paired & (table["request"] == NOBODY)), slot)
    waiting = look_at(pool, slots, pool.waited(slots, now), now)
    others = np.arange(len(slots) - 1)
    meetings = waiting.meet(np.full(len(others), len(others)), others)
    return int(np.count_nonzero(~pool.policy.forbidden(meetings)))


def _are_over(pool: Pool, waited: Floats) -> Bools:
    """Whether the time of tickets that have waited for so many seconds is up."""
    return waited >= (math.inf if pool.timeout is None else pool.timeout)


def look_at(pool: Pool, slots: Longs, waited: Floats, now: PoolTime) -> Waiting:
    """The waiting tickets, with their current ratings."""
    store = pool.store
    players, offsets = store.members(slots)
    mu, sigma = pool.source.ratings(store, players, now.micros)
    wanted = np.full(len(players), 0.5)
    if pool.policy.target is not None:
        wanted = pool.policy.target.probability(*pool.memory.wins(players))
    if len(players) > len(slots):
        mu, sigma = party_ratings(mu, sigma, offsets, float(pool.policy.party))
        wanted = segment_means(wanted, offsets)
    waiting = Waiting(
        store, pool.memory, pool.source, slots, mu, sigma, wanted, waited, now.micros, pool.ticks
    )
    if pool.policy.uses("latency"):
        waiting.latency_limits = pool.policy.latency_limits
    return waiting


def party_ratings(
    mu: Floats, sigma: Floats | None, offsets: Longs, strongest: float
) -> tuple[Floats, Floats | None]:
    """The rating of each ticket: its players' mean, its strongest player's, or one between them."""
    means = segment_means(mu, offsets)
    variance = None if sigma is None else segment_means(sigma**2, offsets)
    if strongest and len(offsets) > 1:
        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        best = np.lexsort((mu, owner))[offsets[1:] - 1]
        means += strongest * (mu[best] - means)
        if sigma is not None and variance is not None:
            variance += strongest * (sigma[best] ** 2 - variance)
    return means, None if variance is None else np.sqrt(variance)


def _rows_in_time(
    pool: Pool, slots: Longs, waited: Floats, budget: TimeBudget, chance: np.random.Generator
) -> Longs | slice:
    """Which of the waiting tickets a tick can look at; running matches that ask for players always."""
    if budget.seconds is None or len(slots) <= (most := pool.pace.tickets_in(budget)):
        return slice(None)
    table = pool.store.table
    running = np.flatnonzero(table["request"][slots] != NOBODY)
    rows = np.flatnonzero(table["request"][slots] == NOBODY)
    last_look = np.maximum(table["looked"][slots], table["entered"][slots])
    taken = take_turns(waited[rows], last_look[rows], most, chance)
    return np.sort(np.concatenate([running, rows[taken]]))
