"""Teams and free-for-alls at a tick: running matches are filled up first, then lobbies are made of the rest.

What is promised to overdue tickets is promised among those whom running matches leave. A match is proposed
where it costs no more than what its most patient ticket accepts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Longs
from podium.matchmaking.deciders.backfill import (
    NEAREST_LISTED_FIRST,
    Running,
    far_fills,
    far_line,
    far_meetings,
    may_be_acceptable,
    near_fills,
    nearest_each,
    running_matches,
)
from podium.matchmaking.deciders.decisions import Decider, Decision, TimeBudget
from podium.matchmaking.deciders.group_sides import MadeMatches, SideMaking
from podium.matchmaking.deciders.ticket_search import TicketSearch
from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.lobbies.formation import form_lobbies
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.queues import FRONT, OVERDUE, REFUSED, USUAL, Lobbies, Queue
from podium.matchmaking.lobbies.seed_searches import LISTED_ABOVE
from podium.matchmaking.lobbies.team_balance import LobbyTeams
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.policies.term_contract import MOST_GROUPS
from podium.matchmaking.pool.growing_tables import NO_ROWS
from podium.matchmaking.pool.tickets import NOBODY

TICKETS_TIMES_GROUPS = 20_000_000
"""Tickets times groups that are told apart: lobbies look for nobody outside of a group."""
RETRIED = 1_000
"""Overdue tickets that found nobody before and are tried again at a tick: some dozens of milliseconds."""
FAR_FILLS = 2
"""Running matches that may be filled from everybody at a tick, at least, beside the oldest request."""
FILL_MEETINGS = 100_000
"""Meetings that may be looked at for more of them."""


class GroupMatches(Decider):
    """Chooses the matches for modes with teams, or a free-for-all."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode

    def decide(
        self,
        waiting: Waiting,
        policy: Policy,
        chance: np.random.Generator,
        effort: Effort | None,
        budget: TimeBudget,
    ) -> Decision:
        """As in the base class; `effort` is ignored, as it is for pairs only."""
        return _FillingAndForming(self.mode, waiting, policy, chance, budget).decision()


class Nearest(NamedTuple):
    """The tickets nearest to a running match before any were taken."""

    tickets: Longs
    promising: bool
    """Whether some of them might fill it at a cost that is accepted."""


class _FillingAndForming(SideMaking):
    """The state of one tick: running matches are filled up, then new ones are formed."""

    def __init__(
        self, mode: Mode, waiting: Waiting, policy: Policy, chance: np.random.Generator, budget: TimeBudget
    ) -> None:
        super().__init__(mode, waiting, policy)
        self.budget = budget
        self.overdue = waiting.waited >= policy.patience
        self.limits[self.overdue] = math.inf
        self.groups = policy.groups(waiting, max(MOST_GROUPS, TICKETS_TIMES_GROUPS // max(1, len(waiting))))
        self.rank = chance.permutation(len(waiting))
        self.free = waiting.request == NOBODY
        # Twice the tick, and one more for who becomes overdue, who comes behind all who were before; two more
        # for who has a turn, who comes behind all of these.
        self.last_turn = waiting.store.table["last_turn"][waiting.slots]
        self.last_turn[self.overdue & (self.last_turn == 0)] = 2 * waiting.tick + 1
        self.alone = self.left = self.later = NO_ROWS

    def decision(self) -> Decision:
        """Matches that are filled up, in the order of their requests, and then new ones."""
        filled = self.fill_requests()
        self.left = np.flatnonzero(self.free & self.budget.is_over_for(len(self.waiting)))
        made = MadeMatches.join([*filled, *([] if len(self.left) else [self.form()])])
        tickets = made.tickets
        return Decision(
            tickets.offsets,
            tickets.items,
            made.side,
            made.chance,
            made.cost,
            self.regions(tickets)[0],
            self.alone,
            self.last_turn,
            self.left,
        )

    # ------------------------------------------------------------------ new matches

    def form(self) -> MadeMatches:
        """Form lobbies of the free tickets and divide them into sides."""
        waiting = self.waiting
        turn = np.where(self.overdue, OVERDUE, np.where(waiting.front, FRONT, USUAL))
        queue = Queue(
            waiting.mu,
            waiting.size,
            -waiting.waited,
            self.limits,
            turn.astype(np.int8),
            self.groups,
            self.rank,
            self.last_turn,
            self.roles,
            self.free,
            self.find_resting(self.policy.is_settled(waiting)),
        )
        judged: list[MadeMatches] = []

        def judge(lobbies: Lobbies) -> Longs:
            """Teams are made of lobbies to see whether they are good enough, and remembered."""
            before = sum(len(made.cost) for made in judged)
            if self.mode.has_teams:
                judged.append(self.divide(lobbies))
                lobbies = Lobbies(judged[-1].tickets, judged[-1].cost)
            number = before + np.arange(len(lobbies.cost))
            return np.where(self.acceptable(lobbies), number, REFUSED)

        found = form_lobbies(
            queue,
            self.meet,
            self.mode,
            judge,
            search=lambda: self.search,
            is_over=None if self.budget.seconds is None else lambda: self.budget.is_over_for(len(waiting)),
        )
        self.last_turn[found.turns] = 2 * waiting.tick + 2
        self.alone = np.setdiff1d(found.stuck, self.later)
        self.left = found.left
        if self.mode.has_teams:
            return MadeMatches.join(judged).take(found.number, self.mode.sides)
        return self.divide(Lobbies(found.tickets, found.cost))

    def find_resting(self, settled: bool) -> Bools:
        """Overdue tickets that found nobody before, without those who may find somebody now.

        They may if somebody has come since whom they may meet, or if what is forbidden is not `settled`. Of
        these, `RETRIED` are tried again, whose last try was longest ago. Nobody rests where few are overdue,
        or where there are no lists of whom each may meet.
        """
        table, slots, late = self.waiting.store.table, self.waiting.slots, self.overdue & self.free
        since = table["scanned"][slots]
        resting: Bools = late & (since > 0) & (np.count_nonzero(late) > LISTED_ABOVE)
        if resting.any() and not self.search.has_lists:
            resting[:] = False
        hopeful = np.flatnonzero(resting)
        if settled:
            hopeful = self.with_newcomers(
                hopeful[since[hopeful] < table["entered"][slots].max(initial=0)], since
            )
        order = np.lexsort((-self.waiting.waited[hopeful], since[hopeful]))
        retried, later = np.split(hopeful[order], [RETRIED])
        resting[retried] = False
        self.later = later if settled else np.flatnonzero(resting)
        return resting

    def with_newcomers(self, asking: Longs, since: Longs) -> Longs:
        """Which of these tickets may meet somebody who came after their last try."""
        found = [NO_ROWS]
        while len(asking) and not self.budget.is_over_for(len(self.waiting)):
            newest = self.search.nearest(asking, since[asking], self.free, 1, len(asking))
            found.append(asking[: len(newest)][np.diff(newest.offsets) > 0])
            asking = asking[len(newest) :]
        return np.concatenate([*found, asking])

    # ------------------------------------------------------------------ running matches

    def fill_requests(self) -> list[MadeMatches]:
        """Matches that run and have places open, the oldest request first."""
        running = running_matches(self.waiting)
        if not running:
            return []
        made: list[MadeMatches] = []
        hopeful = self.search.enough_for(
            np.concatenate([one.rows for one in running]),
            np.cumsum([0, *(len(one.rows) for one in running)]),
            np.array([self.mode.players - one.size.sum() for one in running]),
            np.array([one.largest(self.mode) for one in running]),
            self.free,
        )
        if self.mode.is_seated:
            hopeful &= self.seating.enough_for([one.rows for one in running], np.flatnonzero(self.free))
        running = [one for one, enough in zip(running, hopeful.tolist(), strict=True) if enough]
        turns, near = self.fill_turns(running), self.nearest_to(running)
        for number, match in enumerate(running):
            if self.budget.is_over:
                break
            known = None if near is None else near[number]
            if (filled := self.fill(match, known, far=number in turns)) is not None:
                self.free[filled.tickets.items] = False
                made.append(filled)
        return made

    def nearest_to(self, running: list[Running]) -> list[Nearest] | None:
        """The tickets nearest to each match; None if groups divide them, where each match has its own."""
        others = np.flatnonzero(self.free)
        if self.groups is not None or not running or not len(others):
            return None
        levels = np.array([match.level(self.waiting.mu) for match in running])
        near = nearest_each(levels, others, self.waiting.mu)
        return [Nearest(*one) for one in zip(near, self.promising(running, near).tolist(), strict=True)]

    def promising(self, running: list[Running], tickets: Longs) -> Bools:
        """Whether some of these tickets, a row a match, might fill it at a cost that is accepted."""
        least = self.policy.least_cost
        return may_be_acceptable(running, tickets, self.limits, self.meet, self.mode, least)

    def fill_turns(self, running: list[Running]) -> set[int]:
        """Who is filled from everybody if nobody near will do: the oldest, and those whose turn it is."""
        if not running:
            return set()
        last = np.array([self.last_turn[match.rows[0]] for match in running])
        rows = max(len(match.rows) for match in running)
        meetings = far_meetings(int(np.count_nonzero(self.free)), rows)
        others = 1 + np.argsort(last[1:], kind="stable")
        return {0, *others[: max(FAR_FILLS, FILL_MEETINGS // max(1, meetings))].tolist()}

    def fill(self, match: Running, near: Nearest | None, *, far: bool) -> MadeMatches | None:
        """One match filled up; None where nobody fits now.

        `near` are the nearest tickets before others were taken, if they are known.
        """
        if far:
            self.last_turn[match.rows] = 2 * self.waiting.tick + 2
        if near is not None and not self.free[near.tickets].all():
            near = None
        if near is not None and not (near.promising or far):
            return None
        for others in self.around(match.rows):
            for fills in self.list_fills(match, others, near, far):
                if (made := self.best_fill(match, fills)) is not None:
                    return made
        return None

    def list_fills(self, match: Running, others: Longs, near: Nearest | None, far: bool) -> Iterator[Lobbies]:
        """Ways to fill a match, from the nearest and then, if it is its turn, from all whom it may meet."""
        waiting = self.waiting
        if near is None:
            level = np.array([match.level(waiting.mu)])
            near = Nearest(nearest_each(level, others, waiting.mu)[0], True)
        if near.promising:
            yield from near_fills(match, near.tickets, waiting.size, self.meet, self.mode, self.seating)
        if far and len(others) > NEAREST_LISTED_FIRST:
            allowed = self.search.all_of(match.rows, self.free)
            some = np.intersect1d(others, allowed)
            line = far_line(match, some, waiting.mu, waiting.size, self.mode, self.seating)
            if len(line) and self.promising([match], line[None])[0]:
                yield from far_fills(match, line, waiting.size, self.meet, self.mode, self.seating)

    def best_fill(self, match: Running, fills: Lobbies) -> MadeMatches | None:
        """The cheapest acceptable one of some ways to fill a match."""
        if not self.mode.has_teams:  # nothing but the meetings counts
            fills = fills.take(np.array([fills.cost.argmin()]))
        fills = fills.take(np.flatnonzero(self.acceptable(fills)))  # teams make none cheaper
        if not len(fills.cost):
            return None
        made = self.complete(match, fills)
        good = np.flatnonzero(self.acceptable(Lobbies(made.tickets, made.cost)))
        return made.take(good[[made.cost[good].argmin()]], self.mode.sides) if len(good) else None

    @cached_property
    def search(self) -> TicketSearch:
        """Made when a running match asks for players, or many are overdue."""
        return TicketSearch(self.waiting, self.policy, self.rank)

    def around(self, running: Longs) -> Iterator[Longs]:
        """Free tickets of each group that all of a running match are in."""
        if self.groups is None:
            yield np.flatnonzero(self.free)
        else:
            for group in np.flatnonzero(self.groups[running].all(axis=0)).tolist():
                yield np.flatnonzero(self.free & self.groups[:, group])

    def complete(self, match: Running, fills: Lobbies) -> MadeMatches:
        """Divide into sides; players of the running match stay on theirs."""
        if not self.mode.has_teams or self.mode.is_seated:
            return self.divide(fills)
        both = len(match.rows) == 2
        teams = self.balance(fills.tickets, apart=both)
        if not both:  # the side that is there may have become the other one
            turned = teams.side[fills.tickets.offsets[:-1]] != match.side[0]
            teams = LobbyTeams(
                teams.side ^ np.repeat(turned, fills.tickets.sizes),
                np.where(turned, 1.0 - teams.probability, teams.probability),
                teams.gap,
            )
        return self.as_made(fills, teams)
