"""Lobbies as matches: divided into sides, with what they cost and where they are played.

A lobby costs the mean over its pairs of tickets, and teams add the gap of their chances from the wanted ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.ladder.field_chances import public_winning_chances
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.queues import Lobbies
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.lobbies.seat_balance import seat_lobbies
from podium.matchmaking.lobbies.seating import NO_SEATING, Seating
from podium.matchmaking.lobbies.team_balance import LobbyTeams, balance_teams
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.policies.policy import Policy
from podium.systems import Sides, State


class MadeMatches(NamedTuple):
    """Matches, by rows of tickets in order of their sides."""

    tickets: Ragged
    side: Longs
    cost: Floats
    chance: Floats
    """The expected score of each side."""

    def take(self, which: Longs, sides: int) -> MadeMatches:
        """The matches with these numbers, in this order."""
        side = Ragged(self.tickets.offsets, self.side).take(which).items
        chance = self.chance.reshape(-1, sides)[which].ravel()
        return MadeMatches(self.tickets.take(which), side, self.cost[which], chance)

    @classmethod
    def join(cls, parts: list[MadeMatches]) -> MadeMatches:
        """The matches of all parts, one part after another."""
        return cls(
            Ragged.join([part.tickets for part in parts]),
            np.concatenate([np.zeros(0, np.int64), *(part.side for part in parts)]),
            np.concatenate([np.zeros(0), *(part.cost for part in parts)]),
            np.concatenate([np.zeros(0), *(part.chance for part in parts)]),
        )


class SideMaking:
    """Divides lobbies of the tickets that wait into sides."""

    def __init__(self, mode: Mode, waiting: Waiting, policy: Policy) -> None:
        self.mode, self.waiting, self.policy = mode, waiting, policy
        self.limits = policy.limits(waiting)
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

    def acceptable(self, lobbies: Lobbies) -> Bools:
        """Lobbies that cost no more than each ticket accepts and have a region near enough."""
        tickets = lobbies.tickets
        most = np.full(len(tickets), -math.inf)
        np.maximum.at(most, tickets.owner, self.limits[tickets.items])
        accepted: Bools = (lobbies.cost <= most) & self.regions(tickets)[1]
        return accepted

    def divide(self, lobbies: Lobbies) -> MadeMatches:
        """Divide lobbies into sides: each ticket's side, and each side's chance."""
        tickets = lobbies.tickets
        if not self.mode.has_teams:
            side = np.tile(np.arange(self.mode.sides), len(tickets))
            return MadeMatches(tickets, side, lobbies.cost, self.chances_to_win(tickets))
        if self.mode.is_seated:
            return self.seat(lobbies)
        return self.as_made(lobbies, self.balance(tickets))

    def seat(self, lobbies: Lobbies) -> MadeMatches:
        """Divide lobbies into more than two teams, uneven ones, or teams with roles."""
        tickets, waiting, mode = lobbies.tickets, self.waiting, self.mode
        assert self.roles is not None
        rows, state, parties, inside = self.players_in(tickets)
        seating = Seating.of(mode, self.roles.take(rows), waiting.side[rows])
        seated = seat_lobbies(
            waiting.system, state, parties, inside, mode, seating, wanted=waiting.wanted[rows], at=waiting.at
        )
        order = np.lexsort((seated.side, tickets.owner))
        uneven = 0.0
        if weight := self.policy.premade_weight:
            largest = np.zeros((len(tickets), mode.sides), np.int64)
            np.maximum.at(largest, (tickets.owner, seated.side), waiting.size[tickets.items])
            uneven = weight * np.ptp(largest, axis=1)
        return MadeMatches(
            Ragged(tickets.offsets, tickets.items[order]),
            seated.side[order],
            lobbies.cost + seated.gap + uneven,
            seated.chance.ravel(),
        )

    @staticmethod
    def as_made(lobbies: Lobbies, teams: LobbyTeams) -> MadeMatches:
        """Lobbies as matches: divided into sides, with what they cost."""
        tickets = lobbies.tickets
        order = np.lexsort((teams.side, tickets.owner))
        both = np.stack([teams.probability, 1.0 - teams.probability], axis=1)
        return MadeMatches(
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
            premade_weight=self.policy.premade_weight,
        )

    def chances_to_win(self, lobbies: Ragged) -> Floats:
        """The win probability of each player of free-for-alls, where each ticket is one player."""
        waiting, system = self.waiting, self.waiting.system
        if len(lobbies) == 0:
            return np.zeros(0)
        state, seats = waiting.seats(waiting.first[lobbies.items])
        return public_winning_chances(system, state, Sides.of(seats), waiting.at, lobbies.offsets)

    def regions(self, lobbies: Ragged) -> tuple[Longs, Bools]:
        """Where each match is best played, and whether that is near enough to everybody there."""
        count, delays = len(lobbies), self.waiting.delays[lobbies.items]
        if not self.policy.uses("latency") or count == 0 or delays.shape[1] == 0:
            return np.full(count, -1), np.ones(count, np.bool_)
        farthest = np.maximum.reduceat(np.where(np.isnan(delays), math.inf, delays), lobbies.offsets[:-1])
        best: Longs = farthest.argmin(axis=1)
        latency = farthest[np.arange(count), best]
        return np.where(np.isinf(latency), -1, best), latency <= self.policy.most_latency
