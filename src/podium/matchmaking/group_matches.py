"""Teams and free-for-alls at a tick: running matches are filled up first, then lobbies are made of the rest.

What is promised to overdue tickets is promised among those whom running matches leave.

A lobby costs the mean over its pairs of tickets, and two teams add the gap of their chances from the wanted
ones. It is proposed where that is no more than what its most patient ticket accepts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.backfill import (
    NEAREST_LISTED_FIRST,
    Running,
    far_fills,
    far_line,
    far_meetings,
    may_be_acceptable,
    near_fills,
    nearest_each,
)
from podium.matchmaking.decisions import Decider, Decision
from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.lobbies.formation import FRONT, OVERDUE, REFUSED, USUAL, Lobbies, Queue, form_lobbies
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seat_balance import seat_lobbies
from podium.matchmaking.lobbies.seating import NO_SEATING, Seating
from podium.matchmaking.lobbies.team_balance import LobbyTeams, balance_teams
from podium.matchmaking.meetings import Waiting
from podium.matchmaking.policy import Policy
from podium.matchmaking.policy_terms import MOST_GROUPS
from podium.matchmaking.ticket_search import TicketSearch
from podium.matchmaking.tickets import NOBODY
from podium.matchmaking.time_budgets import TimeBudget
from podium.numerics.free_for_all.first_place import winning_chances
from podium.systems import Sides, State
from podium.systems.contract.calibration import slope_of
from podium.systems.contract.side_scores import performances, with_coin

TICKETS_TIMES_GROUPS = 20_000_000
"""Tickets times groups that are told apart: lobbies look for nobody outside of a group."""
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


class _Made(NamedTuple):
    """Matches, by rows of tickets in order of their sides."""

    tickets: Ragged
    side: Longs
    cost: Floats
    chance: Floats
    """The expected score of each side."""

    def take(self, which: Longs, sides: int) -> _Made:
        """The matches with these numbers, in this order."""
        side = Ragged(self.tickets.offsets, self.side).take(which).items
        chance = self.chance.reshape(-1, sides)[which].ravel()
        return _Made(self.tickets.take(which), side, self.cost[which], chance)

    @classmethod
    def join(cls, parts: list[_Made]) -> _Made:
        """The matches of all parts, one part after another."""
        return cls(
            Ragged.join([part.tickets for part in parts]),
            np.concatenate([np.zeros(0, np.int64), *(part.side for part in parts)]),
            np.concatenate([np.zeros(0), *(part.cost for part in parts)]),
            np.concatenate([np.zeros(0), *(part.chance for part in parts)]),
        )


class Nearest(NamedTuple):
    """The tickets nearest to a running match before any were taken."""

    tickets: Longs
    promising: bool
    """Whether some of them might fill it at a cost that is accepted."""


class _FillingAndForming:
    """The state of one tick: running matches are filled up, then new ones are formed."""

    def __init__(
        self, mode: Mode, waiting: Waiting, policy: Policy, chance: np.random.Generator, budget: TimeBudget
    ) -> None:
        self.mode, self.waiting, self.policy, self.budget = mode, waiting, policy, budget
        self.limits = policy.limits(waiting)
        self.overdue = waiting.waited >= policy.patience
        self.limits[self.overdue] = math.inf
        self.groups = policy.groups(waiting, max(MOST_GROUPS, TICKETS_TIMES_GROUPS // max(1, len(waiting))))
        self.rank = chance.permutation(len(waiting))
        self.free = waiting.request == NOBODY
        # Twice the tick, and one more for who becomes overdue, who comes behind all who were before; two more
        # for who has a turn, who comes behind all of these.
        self.last_turn = waiting.store.table["last_turn"][waiting.slots]
        self.last_turn[self.overdue & (self.last_turn == 0)] = 2 * waiting.tick + 1
        self.roles: Ragged | None = None
        self.seating = NO_SEATING
        if mode.is_seated:
            players, ends = waiting.store.members(waiting.slots)
            self.roles = Ragged(ends, waiting.store.people["roles"][players] & mode.any_role)
            self.seating = Seating.of(mode, self.roles, waiting.side)

    def meet(self, first: Longs, second: Longs) -> Floats:
        """What meetings of tickets cost; infinite where they are forbidden."""
        meetings = self.waiting.meet(first, second)
        cost = self.policy.cost(meetings)
        cost[self.policy.forbidden(meetings)] = math.inf
        return cost

    def decision(self) -> Decision:
        """Matches that are filled up, in the order of their requests, and then new ones."""
        filled = self.fill_requests()
        left = np.flatnonzero(self.free & self.budget.is_over_for(len(self.waiting)))
        made = _Made.join([*filled, *([] if len(left) else [self.form()])])
        tickets = made.tickets
        return Decision(
            tickets.offsets,
            tickets.items,
            made.side,
            made.chance,
            made.cost,
            self.regions(tickets)[0],
            np.zeros(0, np.int64),
            self.last_turn,
            left,
        )

    # ------------------------------------------------------------------ new matches

    def form(self) -> _Made:
        """Form lobbies of the free tickets and divide them into sides."""
        rows = np.flatnonzero(self.free)
        turn = np.where(self.overdue[rows], OVERDUE, np.where(self.waiting.front[rows], FRONT, USUAL))
        queue = Queue(
            self.waiting.mu[rows],
            self.waiting.size[rows],
            -self.waiting.waited[rows],
            self.limits[rows],
            turn.astype(np.int8),
            None if self.groups is None else self.groups[rows],
            self.rank[rows],
            self.last_turn[rows],
            None if self.roles is None else self.roles.take(rows),
        )
        judged: list[_Made] = []

        def by_row(found: Ragged) -> Ragged:
            return Ragged(found.offsets, rows[found.items])

        def judge(found: Lobbies) -> Longs:
            """Teams are made of lobbies to see whether they are good enough, and remembered."""
            lobbies = Lobbies(by_row(found.tickets), found.cost)
            before = sum(len(made.cost) for made in judged)
            if self.mode.has_teams:
                judged.append(self.divide(lobbies))
                lobbies = Lobbies(judged[-1].tickets, judged[-1].cost)
            number = before + np.arange(len(lobbies.cost))
            return np.where(self.acceptable(lobbies), number, REFUSED)

        found = form_lobbies(queue, lambda a, b: self.meet(rows[a], rows[b]), self.mode, judge)
        self.last_turn[rows[found.turns]] = 2 * self.waiting.tick + 2
        if self.mode.has_teams:
            return _Made.join(judged).take(found.number, self.mode.sides)
        return self.divide(Lobbies(by_row(found.tickets), found.cost))

    def acceptable(self, lobbies: Lobbies) -> Bools:
        """Lobbies that cost no more than each ticket accepts and have a region near enough."""
        tickets = lobbies.tickets
        most = np.full(len(tickets), -math.inf)
        np.maximum.at(most, tickets.owner, self.limits[tickets.items])
        accepted: Bools = (lobbies.cost <= most) & self.regions(tickets)[1]
        return accepted

    def divide(self, lobbies: Lobbies) -> _Made:
        """Divide lobbies into sides: each ticket's side, and each side's chance."""
        tickets = lobbies.tickets
        if not self.mode.has_teams:
            side = np.tile(np.arange(self.mode.sides), len(tickets))
            return _Made(tickets, side, lobbies.cost, self.chances_to_win(tickets))
        if self.mode.is_seated:
            return self.seat(lobbies)
        return self.as_made(lobbies, self.balance(tickets))

    def seat(self, lobbies: Lobbies) -> _Made:
        """Divide lobbies into more than two teams, uneven ones, or teams with roles."""
        tickets, waiting, mode = lobbies.tickets, self.waiting, self.mode
        assert self.roles is not None
        rows, state, parties, inside = self.players_in(tickets)
        seating = Seating.of(mode, self.roles.take(rows), waiting.side[rows])
        seated = seat_lobbies(
            waiting.system, state, parties, inside, mode, seating, wanted=waiting.wanted[rows], at=waiting.at
        )
        order = np.lexsort((seated.side, tickets.owner))
        return _Made(
            Ragged(tickets.offsets, tickets.items[order]),
            seated.side[order],
            lobbies.cost + seated.gap,
            seated.chance.ravel(),
        )

    @staticmethod
    def as_made(lobbies: Lobbies, teams: LobbyTeams) -> _Made:
        """Lobbies as matches: divided into sides, with what they cost."""
        tickets = lobbies.tickets
        order = np.lexsort((teams.side, tickets.owner))
        both = np.stack([teams.probability, 1.0 - teams.probability], axis=1)
        return _Made(
            Ragged(tickets.offsets, tickets.items[order]),
            teams.side[order].astype(np.int64),
            lobbies.cost + teams.gap,
            both.ravel(),
        )

    def players_in(self, lobbies: Ragged) -> tuple[Longs, State, Ragged, Ragged]:
        """The tickets of lobbies, a state with their players, these by ticket, and the lobbies in these."""
        waiting = self.waiting
        there = np.zeros(len(waiting), np.bool_)
        there[lobbies.items] = True
        rows, inside = np.flatnonzero(there), (np.cumsum(there) - 1)[lobbies.items]
        players, ends = waiting.store.members(waiting.slots[rows])
        state, seats = waiting.seats(players)
        return rows, state, Ragged(ends, seats), Ragged(lobbies.offsets, inside)

    def balance(self, lobbies: Ragged, *, apart: bool = False) -> LobbyTeams:
        """Two teams of each lobby, by the system's own prediction."""
        waiting = self.waiting
        rows, state, parties, inside = self.players_in(lobbies)
        return balance_teams(
            waiting.system,
            state,
            parties,
            inside,
            self.mode.size,
            wanted=waiting.wanted[rows],
            apart=apart,
            at=waiting.at,
        )

    def chances_to_win(self, lobbies: Ragged) -> Floats:
        """The win probability of each player of free-for-alls, where each ticket is one player."""
        waiting, system = self.waiting, self.waiting.system
        if len(lobbies) == 0:
            return np.zeros(0)
        state, seats = waiting.seats(waiting.first[lobbies.items])
        sides = Sides.of(seats)
        mu, sigma = system.side_belief(state, sides, waiting.at)
        performed = performances(system, mu, sigma, sides.noise, slope_of(system, state))
        won = winning_chances(*performed, lobbies.offsets)
        return with_coin(system, won, 1.0 / self.mode.sides)

    def regions(self, lobbies: Ragged) -> tuple[Longs, Bools]:
        """Where each match is best played, and whether that is near enough to everybody there."""
        count, delays = len(lobbies), self.waiting.delays[lobbies.items]
        if not self.policy.uses("latency") or count == 0 or delays.shape[1] == 0:
            return np.full(count, -1), np.ones(count, np.bool_)
        farthest = np.maximum.reduceat(np.where(np.isnan(delays), math.inf, delays), lobbies.offsets[:-1])
        best: Longs = farthest.argmin(axis=1)
        latency = farthest[np.arange(count), best]
        return np.where(np.isinf(latency), -1, best), latency <= self.policy.most_latency

    # ------------------------------------------------------------------ running matches

    def fill_requests(self) -> list[_Made]:
        """Matches that run and have places open, the oldest request first."""
        waiting = self.waiting
        rows = np.flatnonzero(waiting.request != NOBODY)
        if not len(rows):
            return []
        rows = rows[np.argsort(waiting.request[rows], kind="stable")]  # counted in the order of asking
        heads = np.flatnonzero(np.diff(waiting.request[rows], prepend=NOBODY))
        running = [
            Running(some, waiting.side[some], waiting.size[some]) for some in np.split(rows, heads[1:])
        ]
        made: list[_Made] = []
        hopeful = self.search.enough_for(
            rows,
            np.append(heads, len(rows)),
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

    def fill(self, match: Running, near: Nearest | None, *, far: bool) -> _Made | None:
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

    def best_fill(self, match: Running, fills: Lobbies) -> _Made | None:
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
        """Made when a running match asks for players; of those equally near, the one who joined first."""
        return TicketSearch(self.waiting, self.policy, np.arange(len(self.waiting)))

    def around(self, running: Longs) -> Iterator[Longs]:
        """Free tickets of each group that all of a running match are in."""
        if self.groups is None:
            yield np.flatnonzero(self.free)
        else:
            for group in np.flatnonzero(self.groups[running].all(axis=0)).tolist():
                yield np.flatnonzero(self.free & self.groups[:, group])

    def complete(self, match: Running, fills: Lobbies) -> _Made:
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
