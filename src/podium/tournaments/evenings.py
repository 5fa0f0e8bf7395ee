"""Rounds of an evening: fair matches among the entrants who are here now.

Entrants who have not met come first, then equal chances. With more entrants than places, those rest who have
rested least; among these, chance decides, so that strength never does.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError
from podium.systems.contract.system import RatingSystem
from podium.text import counted, listed
from podium.tournaments.cheapest_pairs import cheapest_pairs
from podium.tournaments.formats import LARGEST_TABLE, SMALLEST_TABLE
from podium.tournaments.happenings import Entrant, Field, Paired, Side

MEETING_COST = 100.0
"""Cost of each earlier meeting, squared; unequal chances cost at most ½."""
PARTNER_COST = 1e4
"""Cost of partners who have played together before, squared, when two courts are paired again."""
BARRED_COST = 1e8
USUAL_TABLE = 4
"""Entrants at a table where the number of entrants allows it."""
MOST_SWAPS = 2_000
MOST_PARTNERS = 40
"""Ways to choose partners that are tried if rules leave a pair without opponents."""


def pair_evening(
    field: Field, kind: str, system: RatingSystem, chance: np.random.Generator, places: int | None
) -> Paired:
    """The next round on this many courts or tables; without a number, on as many as are needed."""
    here = field.here
    least = {"evening": 2, "doubles": 4, "tables": SMALLEST_TABLE}[kind]
    if len(here) < least:
        raise InputError(f"a round needs {least} entrants, and has {counted(len(here), 'entrant')}")
    unit = {"evening": 2, "doubles": 4, "tables": LARGEST_TABLE}[kind]
    most = len(here) if kind == "tables" else len(here) - len(here) % unit
    number = min(most, unit * (places or len(here)))
    order = _order_of_rest(field, here, chance)
    playing = [entrant for entrant in here if order[entrant.player] >= len(here) - number]
    matches = _Group(field, playing, system).matches(kind, places, chance)
    if sum(len(side) for match in matches for side in match) < number and number < len(here):
        # Rules leave some of them without an opponent: others, who could rest, may fill the places.
        matches = _Group(field, here, system).matches(kind, places, chance)
        matches.sort(key=lambda match: -max(order[player] for side in match for player in side))
        matches = matches[: number // unit]
    if not matches:
        names = listed([entrant.player for entrant in here])
        raise InputError(f"{names} must not meet", hint="lift a rule, or let other entrants join")
    named = {player for match in matches for side in match for player in side}
    resting = sorted(
        (entrant.player for entrant in here if entrant.player not in named), key=order.__getitem__
    )
    return Paired(tuple(matches), resting=tuple(resting))


def _order_of_rest(field: Field, here: list[Entrant], chance: np.random.Generator) -> dict[str, int]:
    """Who is the first to rest: those with the fewest rests, of these those with the most matches."""
    played: dict[str, int] = {}
    for game in field.games:
        for player in game.players:
            played[player] = played.get(player, 0) + 1
    drawn = chance.permutation(len(here))
    keys = {
        entrant.player: (entrant.rests, -played.get(entrant.player, 0), drawn[i])
        for i, entrant in enumerate(here)
    }
    return {player: place for place, player in enumerate(sorted(keys, key=keys.__getitem__))}


class _Group:
    """The entrants of a round, and what it costs that two of them meet, or play together."""

    def __init__(self, field: Field, playing: list[Entrant], system: RatingSystem) -> None:
        self.players = [entrant.player for entrant in playing]
        self.mu = np.array([entrant.mu for entrant in playing])
        self.sigma = np.array([entrant.sigma or 0.0 for entrant in playing]) if system.has_sigma else None
        self.system = system
        self.sides = field.sides_until_now()
        self.met = self._times(field.met)
        self.together = self._times(field.partnered)
        self.barred = (
            np.array([[a != b and not field.may_meet(a, b) for b in self.players] for a in self.players])
            if field.forbidden or any(entrant.club for entrant in playing)
            else np.zeros(self.met.shape, np.bool_)
        )

    def _times(self, counts: dict[frozenset[str], int]) -> Floats:
        number = {player: i for i, player in enumerate(self.players)}
        times = np.zeros((len(number), len(number)))
        for pair, often in counts.items():
            a, b = (number.get(player, -1) for player in pair)
            if min(a, b) >= 0:
                times[a, b] = times[b, a] = often
        return times

    def _unequal(self, mu: Floats, sigma: Floats | None, a: Longs, b: Longs) -> Floats:
        sure = (None, None) if sigma is None else (sigma[a], sigma[b])
        chance = self.system.win_probability(mu[a], sure[0], mu[b], sure[1])
        return np.asarray(np.abs(np.asarray(chance) - 0.5), np.float64)

    def matches(self, kind: str, places: int | None, chance: np.random.Generator) -> list[tuple[Side, ...]]:
        """The matches of a round."""
        match kind:
            case "evening":
                return self._duels()
            case "doubles":
                return self._doubles(chance)
            case _:
                return self._tables(places, chance)

    def _duels(self) -> list[tuple[Side, ...]]:
        """Matches of two, as many as the rules leave. The first side alternates."""
        a, b = self._pairs(~self.barred)
        cost = MEETING_COST * self.met[a, b] ** 2 + self._unequal(self.mu, self.sigma, a, b)
        pairs, _ = cheapest_pairs(len(self.players), a, b, cost)
        names = [(self.players[i], self.players[j]) for i, j in pairs]
        ordered = (sorted(pair, key=lambda name: self.sides.get(name, (0, 0))) for pair in names)
        return [((first,), (second,)) for first, second in ordered]

    def _doubles(self, chance: np.random.Generator) -> list[tuple[Side, ...]]:
        """New partners whose strengths together are alike, then opponents for each pair.

        If rules leave a pair without opponents, those who must not meet are partners, and then other partners
        are tried.
        """
        a, b = self._pairs(np.ones_like(self.barred))
        mean = (self.mu[a] + self.mu[b]) / 2.0
        spread = float(self.mu.max() - self.mu.min()) or 1.0
        cost = MEETING_COST * self.together[a, b] ** 2 + np.abs(mean - self.mu.mean()) / spread
        best = self._opponents(cheapest_pairs(len(self.players), a, b, cost)[0])
        for attempt in range(MOST_PARTNERS if self.barred.any() else 0):
            if 4 * len(best) == len(self.players):
                break
            other = cost - MEETING_COST * 1e4 * self.barred[a, b]
            if attempt:
                other = chance.random(len(cost))
            found = self._opponents(cheapest_pairs(len(self.players), a, b, other)[0])
            best = max(best, found, key=len)
        return self._fewer_meetings(best)

    def _fewer_meetings(self, matches: list[tuple[Side, ...]]) -> list[tuple[Side, ...]]:
        """Pair a court with repeats again together with another one, while that makes repeats fewer."""
        number = {player: i for i, player in enumerate(self.players)}
        courts = [np.array([number[name] for side in match for name in side]) for match in matches]
        repeats = [self._repeats(court) for court in courts]
        tries, improved = MOST_SWAPS, True
        while improved and tries > 0:
            improved = False
            for i, j in combinations(range(len(courts)), 2):
                if repeats[i] + repeats[j] and tries > 0:
                    tries -= 1
                    found = self._two_courts_again(np.concatenate((courts[i], courts[j])))
                    if found is not None:
                        courts[i], courts[j] = found[:4], found[4:]
                        repeats[i], repeats[j] = self._repeats(courts[i]), self._repeats(courts[j])
                        improved = True
        names = [[self.players[k] for k in court] for court in courts]
        return [((a, b), (c, d)) for a, b, c, d in names]

    def _repeats(self, court: Longs) -> float:
        a, b, c, d = court
        opponents = self.met[np.ix_(court[:2], court[2:])].sum()
        return float(opponents + self.together[a, b] + self.together[c, d])

    def _two_courts_again(self, eight: Longs) -> Longs | None:
        """The best of all 315 ways to put eight players on two courts, if it has fewer repeats."""
        pairs, ways = _two_courts()
        first, second = eight[pairs[:, 0]], eight[pairs[:, 1]]
        meeting = np.zeros((len(pairs), len(pairs)))
        for own in (first, second):
            for other in (first, second):
                at = np.ix_(own, other)
                meeting += MEETING_COST * self.met[at] ** 2 + BARRED_COST * self.barred[at]
        mu = (self.mu[first] + self.mu[second]) / 2.0
        sigma = None if self.sigma is None else np.hypot(self.sigma[first], self.sigma[second]) / 2.0
        cost = PARTNER_COST * (self.together[first, second] ** 2)[ways].sum(axis=1)
        for a, b in (ways[:, :2].T, ways[:, 2:].T):
            cost += meeting[a, b] + self._unequal(mu, sigma, a, b)
        best = int(np.argmin(cost))
        if cost[best] > cost[0] - MEETING_COST / 2.0:  # the first way is how they are paired now
            return None
        return np.asarray(eight[pairs[ways[best]].ravel()], np.int64)

    def _opponents(self, sides: list[tuple[int, int]]) -> list[tuple[Side, ...]]:
        """Matches between pairs of partners, as many as the rules leave."""
        first, second = (np.array(column) for column in zip(*sides, strict=True))
        mu = (self.mu[first] + self.mu[second]) / 2.0
        sigma = None if self.sigma is None else np.hypot(self.sigma[first], self.sigma[second]) / 2.0

        def between(times: Floats) -> Floats:
            rows = times[first] + times[second]
            return np.asarray(rows[:, first] + rows[:, second], np.float64)

        a, b = self._pairs(between(self.barred.astype(float)) == 0)
        cost = MEETING_COST * between(self.met**2)[a, b] + self._unequal(mu, sigma, a, b)
        names = [tuple(self.players[i] for i in side) for side in sides]
        return [(names[i], names[j]) for i, j in cheapest_pairs(len(sides), a, b, cost)[0]]

    def _tables(self, places: int | None, chance: np.random.Generator) -> list[tuple[Side, ...]]:
        """Tables of three to six; two entrants change seats while that lowers the cost."""
        size = len(self.players)
        number = max(round(size / USUAL_TABLE), -(-size // LARGEST_TABLE), 1)
        number = min(number, size // SMALLEST_TABLE, places or size)
        everyone = np.arange(size)
        unequal = self._unequal(self.mu, self.sigma, np.repeat(everyone, size), np.tile(everyone, size))
        cost = MEETING_COST * self.met**2 + unequal.reshape(size, size)
        cost = cost + np.where(self.barred, MEETING_COST * 1e4, 0.0)
        np.fill_diagonal(cost, 0.0)
        table = np.empty(size, np.int64)
        table[np.lexsort((chance.permutation(size), -self.mu))] = np.arange(size) * number // size
        _change_seats(table, cost, number)
        if any(self.barred[np.ix_(table == t, table == t)].any() for t in range(number)):
            raise InputError(
                "no tables keep all entrants apart who must not meet", hint="use more tables, or lift a rule"
            )
        return [tuple((self.players[i],) for i in np.flatnonzero(table == t)) for t in range(number)]

    def _pairs(self, allowed: Bools) -> tuple[Longs, Longs]:
        a, b = np.nonzero(np.triu(allowed, 1))
        return a, b


@cache
def _two_courts() -> tuple[Longs, Longs]:
    """The pairs of eight players, and the ways to fill two courts with four of them, 0 1 – 2 3 first."""
    pairs = list(combinations(range(8), 2))
    at = {pair: i for i, pair in enumerate(pairs)}

    def courts(four: tuple[int, ...]) -> list[tuple[int, int]]:
        a, b, c, d = four
        return [(at[a, b], at[c, d]), (at[a, c], at[b, d]), (at[a, d], at[b, c])]

    ways = [
        (*one, *other)
        for three in combinations(range(1, 8), 3)
        for one in courts((0, *three))
        for other in courts(tuple(i for i in range(1, 8) if i not in three))
    ]
    return np.array(pairs), np.array(ways)


def _change_seats(table: Longs, cost: Floats, number: int) -> None:
    """Swap two entrants of different tables, the best swap first, until none lowers the cost."""
    everyone = np.arange(len(table))
    for _ in range(MOST_SWAPS):
        seats = np.eye(number)[table]
        at = cost @ seats  # of each entrant with all at each table
        own = at[everyone, table]
        gain = own[:, None] + own[None, :] - at[:, table] - at[:, table].T + 2.0 * cost
        gain[table[:, None] == table[None, :]] = 0.0
        a, b = np.unravel_index(np.argmax(gain), gain.shape)
        if gain[a, b] <= 1e-9:
            return
        table[a], table[b] = table[b], table[a]
