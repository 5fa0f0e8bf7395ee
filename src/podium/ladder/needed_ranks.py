"""The ranks that players of running standings need for ratings: of one player, or of all of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.history import Event, History
from podium.systems import RatingSystem, hinting_at_others
from podium.systems.contract.history_rating import columns_to_rate
from podium.systems.contract.state import State
from podium.systems.contract.system import RatedAlone

GUESSES = 3
"""How often a place is guessed from the ratings around it before the places left are halved once: a few
guesses find most places, and halving ends the search whatever the ratings are."""
ROWS_PER_SEARCH = 8
"""How often a row is rated until its place for a rating is found, about."""


def without_scores(standings: Event) -> Event:
    """The same order with a rank between any two: ranks alone say what a place is worth."""
    return replace(standings, ranks=tuple(2 * r for r in standings.ranks), scores=None, share=None)


def worst_ranks(given: Longs, own: Longs, ahead: Longs) -> Longs:
    """The worst ranks with so many others `ahead` of players with `own` ranks, on the scale of those `given`.

    Between ranks that leave room it is the last free one. Without gaps it is that of the new order, in which
    the sides between the old and the new rank have moved by one. Dense ranks (1-1-2-3) stay dense.

    >>> given = np.array([12, 57, 103])
    >>> worst_ranks(given, np.array([103, 103, 103]), np.array([0, 1, 2])).tolist()
    [11, 56, 103]
    >>> worst_ranks(np.array([1, 2, 2, 4]), np.array([4, 4, 4]), np.array([0, 1, 3])).tolist()
    [1, 2, 4]
    >>> worst_ranks(np.array([1, 1, 2, 3]), np.array([3, 3, 3]), np.array([0, 2, 3])).tolist()
    [1, 2, 3]
    """
    ordered, others = np.sort(given), len(given) - 1
    mine = np.searchsorted(ordered, own)

    def rank_of(position: Longs) -> Longs:
        """The rank of another side, counted without the own one."""
        return ordered[position + (position >= mine)]

    before = np.where(ahead > 0, rank_of(np.maximum(ahead - 1, 0)), 0)
    if _are_dense(ordered):
        was_alone = np.searchsorted(ordered, own, side="right") - mine == 1
        dense: Longs = before + 1 - (was_alone & (own < before))
        return dense
    behind = rank_of(np.minimum(ahead, others - 1))
    free = np.minimum(behind, np.maximum(behind - 1, ahead + 1))
    between = np.where(behind - 1 > before, free, behind - (behind > own))
    last = np.maximum(own, np.where(before > others + 1, before, ahead) + 1)
    return np.where(ahead < others, between, last)


def _are_dense(ordered: Longs) -> bool:
    """Whether ties leave no gap in sorted ranks, although the places of competitions would have one."""
    groups, sizes = np.unique(ordered, return_counts=True)
    return int(groups[-1]) == len(groups) < 1 + len(ordered) - int(sizes[-1])


class NeededRanks:
    """The worst ranks that are enough, where the others keep their order.

    `history` is the event of the standings `without_scores`, and `seats` the state of its players.
    """

    def __init__(self, system: RatingSystem, seats: State, standings: Event, history: History) -> None:
        self._system, self._seats, self._standings, self._history = system, seats, standings, history

    @cached_property
    def _alone(self) -> RatedAlone | None:
        """The system's quick way for single rows, if it has one for this event."""
        self._system.check(self._history)
        if self._history.side is not None or not self._system.rank_raises_display:
            return None
        own = self._seats.copy()
        return self._system.rated_alone(own, columns_to_rate(own, self._history))

    def rows_rated(self, ratings: int) -> int:
        """The rows that `of_all` rates for this number of ratings, at most or about."""
        rows = self._history.rows
        if self._alone is not None:
            return rows * (2 + ROWS_PER_SEARCH * ratings)
        return rows * self.rows_rated_for_one(ratings)

    def rows_rated_for_one(self, ratings: int) -> int:
        """The rows that `of_one` rates for this number of ratings, at most."""
        places = len(set(self._standings.ranks)) + 1
        halved = places.bit_length() if self._system.rank_raises_display else places
        return self._history.rows * min(ratings * halved, places)

    def of_one(self, player: str, side: int, ratings: Sequence[float]) -> tuple[int | None, ...]:
        """The ranks that a player of a side needs for ratings, one place after another."""
        standings, history = self._standings, self._history
        others = [rank for number, rank in enumerate(standings.ranks) if number != side]
        groups = sorted(set(others))
        index_of = history.players.index_of
        own = np.isin(history.player, [index_of[member] for member in standings.sides[side]])
        row = int(np.flatnonzero(history.player == index_of[player])[0])

        @cache
        def displayed(better: int) -> float:
            """The rating displayed after a rank right behind the first `better` groups of tied sides."""
            here = 2 * groups[better] - 1 if better < len(groups) else 2 * groups[-1] + 1
            event = replace(history, rank=np.where(own, here, history.rank).astype(np.int32))
            with hinting_at_others():
                trace = self._system.update(self._seats.copy(), event)
            sigma = trace.sigma[row : row + 1] if self._system.has_sigma else None
            return float(self._system.display(trace.mu[row : row + 1], sigma)[0])

        def is_enough(rating: float, better: int) -> bool:
            return displayed(better) >= rating

        search = _last_by_halving if self._system.rank_raises_display else _last_of_all
        given = np.array(standings.ranks)
        ranks: list[int | None] = []
        for rating in ratings:
            behind = search(partial(is_enough, rating), len(groups))
            if behind is None:
                ranks.append(None)
                continue
            ahead = len(others) if behind == len(groups) else bisect_left(sorted(others), groups[behind])
            ranks.append(int(worst_ranks(given, given[[side]], np.array([ahead]))[0]))
        return tuple(ranks)

    def of_all(self, ratings: Sequence[float]) -> dict[str, tuple[int | None, ...]]:
        """The ranks that every player needs for ratings, by name."""
        history = self._history
        if self._alone is None:
            sides = enumerate(self._standings.sides)
            return {name: self.of_one(name, side, ratings) for side, members in sides for name in members}
        ranks = np.empty((history.rows, len(ratings)), np.int64)
        search, given = _PlaceSearch(self._system, self._alone, history), history.rank.astype(np.int64) // 2
        for column, rating in enumerate(ratings):
            ahead = search.most_ahead(rating)
            ranks[:, column] = np.where(ahead < 0, 0, worst_ranks(given, given, np.maximum(ahead, 0)))
        names = (history.players[player] for player in history.player.tolist())
        listed = ((rank or None for rank in row) for row in ranks.tolist())
        return dict(zip(names, map(tuple, listed), strict=True))


class _PlaceSearch:
    """Searches the places of all rows at once, in a system in which a better place never shows less."""

    def __init__(self, system: RatingSystem, rate: RatedAlone, history: History) -> None:
        self._system, self._rate = system, rate
        ranks, group, sizes = np.unique(history.rank, return_inverse=True, return_counts=True)
        self._begins = np.concatenate([[0], np.cumsum(sizes)])
        """The rows ahead of each group of tied rows; then all of them."""
        self._group, self._rows, self._last = group, history.rows, len(ranks)
        everybody = np.arange(history.rows)
        self._best = self._displayed(everybody, np.zeros(history.rows, np.int64))
        self._worst = self._displayed(everybody, np.full(history.rows, self._last))

    def most_ahead(self, rating: float) -> Longs:
        """For each row how many others may be ahead of it for a rating; −1 if even none is too many."""
        low = np.where(self._best >= rating, 0, -1)
        low[self._worst >= rating] = self._last
        rows = np.flatnonzero(low == 0)
        # Between what is enough and what is not; by how much either end misses the rating.
        near, far = np.zeros(len(rows), np.int64), np.full(len(rows), self._last)
        over, under = self._best[rows] - rating, self._worst[rows] - rating
        turn = 0
        while len(rows):
            left = far - near > 1
            low[rows[~left]] = near[~left]
            rows, near, far, over, under = rows[left], near[left], far[left], over[left], under[left]
            turn += 1
            place = (near + far) // 2 if turn % (GUESSES + 1) == 0 else self._guess(near, far, over, under)
            missed = self._displayed(rows, place) - rating
            enough: Bools = missed >= 0.0
            # The end that stays counts half in the next guess, so that both ends come nearer.
            near, over = np.where(enough, place, near), np.where(enough, missed, 0.5 * over)
            far, under = np.where(enough, far, place), np.where(enough, 0.5 * under, missed)
        ahead: Longs = np.where(low < 0, -1, self._ahead(np.arange(self._rows), low))
        return ahead

    def _guess(self, near: Longs, far: Longs, over: Floats, under: Floats) -> Longs:
        """Places strictly between, where a line through both ends meets the rating: in log-odds of places."""
        a, b = self._odds(near), self._odds(far)
        wanted = a + (b - a) * over / (over - under)
        ahead = self._rows / (1.0 + np.exp(-wanted))
        place = np.searchsorted(self._begins, ahead)
        return np.clip(place, near + 1, far - 1)

    def _odds(self, place: Longs) -> Floats:
        ahead = self._begins[place] + 0.5
        odds: Floats = np.log(ahead / (self._rows + 1.0 - ahead))
        return odds

    def _ahead(self, rows: Longs, place: Longs) -> Longs:
        """The number of others ahead of rows that stand behind `place` groups of tied rows."""
        ahead: Longs = self._begins[place] - (place > self._group[rows])
        return ahead

    def _displayed(self, rows: Longs, place: Longs) -> Floats:
        if not len(rows):
            return np.empty(0)
        return self._system.display(*self._rate(rows, self._ahead(rows, place)))


def _last_by_halving(holds: Callable[[int], bool], most: int) -> int | None:
    """The last of 0 to `most` for which something holds that, once it fails, fails for all that follow."""
    low, high = -1, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return None if low < 0 else low


def _last_of_all(holds: Callable[[int], bool], most: int) -> int | None:
    """The last of 0 to `most` for which something holds."""
    return next((number for number in range(most, -1, -1) if holds(number)), None)
