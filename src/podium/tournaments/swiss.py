"""Swiss rounds: entrants with equal points meet, no pair twice.

Of all ways to pair a round without a rematch, podium takes the one with the lowest cost. Three things add to
the cost of a pair, the heaviest first: a difference of points; within a group of equal points, the distance
from the fold, in which the better half plays the other half; and two entrants who are due the same side.

A round is only paired in a way that leaves a way to pair all announced rounds after it, if there is one.
"""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError
from podium.text import counted, listed
from podium.tournaments.cheapest_pairs import cheapest_pairs
from podium.tournaments.completion import (
    Opponents,
    Pairs,
    SearchEndError,
    certain,
    remaining_rounds,
    without,
)
from podium.tournaments.final_places import match_points
from podium.tournaments.happenings import Entrant, Field, Paired, Side

POINTS_COST = 100.0
"""Cost of a difference of one point, squared; the fold costs at most 1."""
BROKEN_COST = 1e6
"""Cost of each earlier meeting, and of two of one club, where these are allowed."""
SIDE_COST = 0.5
ALL_PAIRS_UP_TO = 300
"""Up to this number of entrants all pairs are considered."""
NEAREST = 16
"""Above it, each entrant is offered this many others on either side of the fold and of the own place."""
MOST_ALTERNATIVES = 200
"""Rounds tried, from the cheapest on, before a round of a complete plan is taken."""


def pair_swiss(field: Field, rounds: int, *, rematches: bool = False, clubmates: bool = False) -> Paired:
    """The next round of a Swiss tournament with this many rounds in all."""
    points = match_points(field)
    order = {player: number for number, player in enumerate(field.entrants)}
    entrants = sorted(field.here, key=lambda each: (-points[each.player], -each.mu, order[each.player]))
    if len(entrants) < 2:
        raise InputError(f"a round needs two entrants, and has {counted(len(entrants), 'entrant')}")
    board = _Board(field, entrants, points, rematches, clubmates)
    pairs = board.best(rounds - len(field.rounds) - 1)
    matches = [(a, b) for a, b in pairs if b < len(entrants)]
    byes = tuple(entrants[a].player for a, b in pairs if b == len(entrants))
    return Paired(tuple(board.sides(a, b) for a, b in sorted(matches)), byes)


class _Board:
    """The pairs of one round that are allowed, and their costs. A bye is an opponent with the last number."""

    def __init__(
        self,
        field: Field,
        entrants: list[Entrant],
        points: dict[str, float],
        rematches: bool,
        clubmates: bool,
    ) -> None:
        self.entrants, self.rematches, self.clubmates = entrants, rematches, clubmates
        self.number = {entrant.player: i for i, entrant in enumerate(entrants)}
        self.size = len(entrants) + len(entrants) % 2
        self.points = np.array([points[entrant.player] for entrant in entrants])
        sides = field.sides_until_now()
        self.sides_had = [sides.get(entrant.player, (0, 0)) for entrant in entrants]
        self.balance = np.array([balance for balance, _ in self.sides_had])
        self.place, self.group = _places(self.points)
        self.met = np.zeros((self.size, self.size))
        self.of_one_club = np.zeros((self.size, self.size), np.bool_)
        self.barred = np.eye(self.size, dtype=np.bool_)
        self._forbid(field)
        self.allowed = self._allowed(rematches, clubmates)

    def _allowed(self, rematches: bool, clubmates: bool) -> Bools:
        """The pairs that are possible if these are allowed."""
        allowed = ~self.barred
        if not rematches:
            allowed &= self.met == 0
        if not clubmates:
            allowed &= ~self.of_one_club
        return allowed

    def _forbid(self, field: Field) -> None:
        numbers = self.number
        for pair, times in field.met.items():
            a, b = (numbers.get(player, -1) for player in pair)
            if min(a, b) >= 0:
                self.met[a, b] = self.met[b, a] = times
        for barred in field.forbidden:
            a, b = (numbers.get(player, -1) for player in barred)
            if min(a, b) >= 0:
                self.barred[a, b] = self.barred[b, a] = True
        for members in self._clubs().values():
            self.of_one_club[np.ix_(members, members)] = True
        np.fill_diagonal(self.of_one_club, False)
        if self.size > len(self.entrants):
            byes = np.array([entrant.byes for entrant in self.entrants])
            self.barred[-1, :-1] = self.barred[:-1, -1] = byes > byes.min()

    def _clubs(self) -> dict[str, list[int]]:
        clubs: dict[str, list[int]] = {}
        for i, entrant in enumerate(self.entrants):
            if entrant.club is not None:
                clubs.setdefault(entrant.club, []).append(i)
        return clubs

    def _cost(self, a: Longs, b: Longs) -> Floats:
        """What each of these pairs costs; the second one may be the bye."""
        real = len(self.entrants)
        cost = np.empty(len(a))
        bye = b == real
        # The last of those with the fewest points gets the bye.
        out = a[bye]
        cost[bye] = POINTS_COST * (self.points[out] - self.points.min()) ** 2 + 1.0 - out / real
        a, b = a[~bye], b[~bye]
        apart = self.points[a] - self.points[b]
        fold = np.abs(np.abs(self.place[a] - self.place[b]) - self.group[a] // 2) / self.group[a]
        alike = np.sign(self.balance[a]) * np.sign(self.balance[b]) > 0
        due = np.minimum(np.abs(self.balance[a]), np.abs(self.balance[b]))
        cost[~bye] = POINTS_COST * apart**2 + BROKEN_COST * (self.met[a, b] + self.of_one_club[a, b])
        cost[~bye] += np.where(apart == 0, fold**2, 0.0) + np.where(alike, SIDE_COST * due**2, 0.0)
        return cost

    def _price(self, pairs: Pairs) -> float:
        a, b = np.array(pairs).T
        return float(self._cost(a, b).sum())

    def best(self, rounds_after: int) -> Pairs:
        """The cheapest round that leaves a way to pair the rounds after it."""
        pairs, alone = self._cheapest(self._offered())
        if (alone or self.clubmates) and self.size > ALL_PAIRS_UP_TO:
            pairs, alone = self._cheapest(self.allowed)
        if alone:
            raise self._impossible(alone)
        if self.rematches or rounds_after <= 0:
            return pairs
        if certain(self.size, int(self.allowed.sum(axis=1).min()) - 1, rounds_after):
            return pairs
        opponents = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in self.allowed]
        if _leaves(opponents, pairs, rounds_after):
            return pairs
        return self._alternative(pairs, opponents, rounds_after)

    def _alternative(self, cheapest: Pairs, opponents: Opponents, rounds_after: int) -> Pairs:
        """The next best rounds one after another; else the cheapest round of a complete plan."""
        ties = count()
        fewest = self._clubmates(cheapest)
        found = [(0.0, next(ties), cheapest, frozenset[tuple[int, int]](), frozenset[tuple[int, int]]())]
        for _ in range(MOST_ALTERNATIVES):
            if not found:
                break
            _, _, pairs, kept, barred = heapq.heappop(found)
            if _leaves(opponents, pairs, rounds_after):
                return pairs
            fixed = set(kept)
            for pair in sorted(set(pairs) - kept):  # Lawler's partition of all other rounds
                out = barred | {pair}
                other, alone = self._cheapest(self._restricted(fixed, out))
                if not alone and self._clubmates(other) <= fewest:
                    heapq.heappush(found, (self._price(other), next(ties), other, frozenset(fixed), out))
                fixed.add(pair)
        try:
            plan = remaining_rounds(opponents, rounds_after + 1)
        except SearchEndError:
            plan = None
        planned = [pairs for pairs in plan or [] if self._clubmates(pairs) <= fewest]
        return min(planned, key=self._price, default=cheapest)

    def _clubmates(self, pairs: Pairs) -> int:
        """How many of these pairs are of one club."""
        return sum(bool(self.of_one_club[pair]) for pair in pairs)

    def _restricted(self, kept: set[tuple[int, int]], barred: frozenset[tuple[int, int]]) -> Bools:
        allowed = self.allowed.copy()
        for a, b in barred:
            allowed[a, b] = allowed[b, a] = False
        for a, b in kept:
            allowed[[a, b], :] = allowed[:, [a, b]] = False
            allowed[a, b] = allowed[b, a] = True
        return allowed

    def _offered(self) -> Bools:
        """The pairs worth looking at: all of a small field, else those near in order or across the fold."""
        if self.size <= ALL_PAIRS_UP_TO:
            return self.allowed
        place, group = self.place, self.group
        number = np.arange(len(self.entrants))
        near = np.abs(number[:, None] - number[None, :]) <= NEAREST
        across = np.abs(np.abs(place[:, None] - place[None, :]) - group[:, None] // 2) <= NEAREST
        near |= across & (self.points[:, None] == self.points[None, :])
        offered = self.allowed.copy()
        offered[: len(number), : len(number)] &= near | near.T
        return offered

    def _cheapest(self, allowed: Bools) -> tuple[Pairs, list[int]]:
        a, b = np.nonzero(np.triu(allowed, 1))
        return cheapest_pairs(self.size, a, b, self._cost(a, b))

    def _impossible(self, alone: list[int]) -> InputError:
        clubs = "" if self.clubmates else self._largest_club()
        ways = self._ways_out()
        stuck = next((i for i in range(len(self.entrants)) if not self.allowed[i].any()), None)
        if stuck is not None:
            of_one_club = ", is of one club or class with them" if clubs else ""
            return InputError(
                f"{self.entrants[stuck].player!r} has met every entrant who is here{of_one_club}, or must "
                f"not play them{clubs}",
                hint=", or ".join([*ways, "let the entrant sit out"]),
            )
        names = listed([self.entrants[i].player for i in alone if i < len(self.entrants)])
        rules = ", two of one club or class" if clubs else ""
        return InputError(
            f"no pairing without a rematch{rules} or a forbidden pair{clubs}: {names} would be left over",
            hint=", or ".join([*ways, "end the tournament here"]),
        )

    def _largest_club(self) -> str:
        """How many are of the club with the most entrants, if any two are of one."""
        club, members = max(self._clubs().items(), key=lambda each: len(each[1]), default=("", []))
        if len(members) < 2:
            return ""
        return f" ({len(members)} of the {len(self.entrants)} entrants are of {club!r})"

    def _ways_out(self) -> list[str]:
        """What makes the round possible, if it is allowed; both only where neither is enough."""
        again, mates = "allow rematches for this round", "let members of one club or class meet in this round"
        choices = {again: (True, False), mates: (False, True), f"{again} and {mates}": (True, True)}
        ways = [words for words, way in choices.items() if not self._cheapest(self._allowed(*way))[1]]
        return ways[:-1] or ways

    def sides(self, a: int, b: int) -> tuple[Side, Side]:
        """The two as sides. The first side goes to the one who has had it less often, or not last time."""
        first, second = (b, a) if self.sides_had[b] < self.sides_had[a] else (a, b)
        return (self.entrants[first].player,), (self.entrants[second].player,)


def _leaves(opponents: Opponents, pairs: Pairs, rounds: int) -> bool:
    """Whether the rounds after these pairs can be paired; True where the search found no answer."""
    try:
        return remaining_rounds(without(opponents, pairs), rounds) is not None
    except SearchEndError:
        return True


def _places(points: Floats) -> tuple[Longs, Longs]:
    """Each entrant's place in the group with equal points, and the size of that group."""
    starts = np.flatnonzero(np.append(True, points[1:] != points[:-1]))
    sizes = np.diff(np.append(starts, len(points)))
    return np.arange(len(points)) - np.repeat(starts, sizes), np.repeat(sizes, sizes)
