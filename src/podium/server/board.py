"""Everybody in order of their ratings, kept up to date: a page of a million players takes milliseconds.

The order is by displayed rating, equals by the beginning of their names, then by number. It is sorted once.
After that, players whose rating has changed since the last look are taken out and put where they belong.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Floats, Ints
from podium.errors import UnsupportedError
from podium.history.times import start_of_activity
from podium.server.served_ladder import ServedLadder

LETTERS = 8
"""Bytes of a name that count in the order of players with equal ratings."""
SORTED_ANEW_PART = 64
"""If more than one player in so many has moved, everybody is sorted anew."""
MOST_FILTERS = 8
"""Filters whose players are remembered until the next change."""

Letters = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class BoardFilter:
    """Who has a place: the words of `Ladder.leaderboard`."""

    min_events: int = 1
    active_since: str | None = None
    max_sigma: float | None = None


class Standings:
    """The players who have a place by some filter, best first."""

    def __init__(self, players: Ints, display: Floats, letters: Letters) -> None:
        self.players, self._display, self._letters = players, display, letters

    def __len__(self) -> int:
        return len(self.players)

    def display(self, player: int) -> float:
        """The displayed rating of a player."""
        return float(self._display[player])

    def place(self, position: int) -> int:
        """The place of whoever stands at a position: those with equal ratings share one."""
        display = self._display[self.players[position]]
        return 1 + bisect_left(self.players, -display, key=lambda player: -self._display[player])

    def place_of(self, player: int) -> int | None:
        """The place of a player; None if this player has none."""
        position = self.position(float(self._display[player]), player)
        found = position < len(self) and self.players[position] == player
        return self.place(position) if found else None

    def position(self, display: float, player: int) -> int:
        """Where somebody with this rating and the name of this player stands or would stand."""
        wanted = (-display, int(self._letters[player]), player)
        return bisect_left(self.players, wanted, key=self._key)

    def after(self, display: float, player: int) -> int:
        """The position right behind somebody with this rating and the name of this player."""
        wanted = (-display, int(self._letters[player]), player)
        return bisect_right(self.players, wanted, key=self._key)

    def _key(self, player: int) -> tuple[float, int, int]:
        return -float(self._display[player]), int(self._letters[player]), int(player)


class Board:
    """The order of a ladder's players. Whoever uses it has the ladder's lock."""

    def __init__(self, ladder: ServedLadder) -> None:
        self._ladder = ladder
        self._seen = -1
        self._display: Floats = np.zeros(0)
        self._known: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._letters: Letters = np.zeros(0, np.uint64)
        self._order: Ints = np.zeros(0, np.int32)
        self._falling: Floats = np.zeros(0)
        """The displayed ratings in order, negative, so that they rise."""
        self._standings: dict[BoardFilter, Standings] = {}

    def forget(self) -> None:
        """Sort everybody anew at the next look: names have changed."""
        self._seen = -1
        self._letters = np.zeros(0, np.uint64)

    def standings(self, head: int, chosen: BoardFilter) -> Standings:
        """Those who have a place by a filter, when the log's last number is `head`."""
        if head != self._seen:
            self._refresh()
            self._standings.clear()
            self._seen = head
        if chosen not in self._standings:
            while len(self._standings) >= MOST_FILTERS:
                self._standings.pop(next(iter(self._standings)))
            passing = self._passing(chosen)
            players = self._order[passing[self._order]]
            self._standings[chosen] = Standings(players, self._display, self._letters)
        return self._standings[chosen]

    def _passing(self, chosen: BoardFilter) -> NDArray[np.bool_]:
        state, system = self._ladder.state, self._ladder.system
        passing: NDArray[np.bool_] = state.column("events") >= chosen.min_events
        if chosen.active_since is not None:
            last = state.column("last_time")
            latest = int(last.max(initial=NO_TIME))
            passing &= last >= start_of_activity(chosen.active_since, 0 if latest == NO_TIME else latest)
        if chosen.max_sigma is not None:
            if not system.has_sigma:
                raise UnsupportedError(
                    f"{system.name} has no deviations to compare with max_sigma",
                    hint="glicko, elo-mmr and others say how sure they are",
                )
            sigma = system.ratings(state).sigma
            assert sigma is not None
            passing &= sigma <= chosen.max_sigma
        return passing

    def _refresh(self) -> None:
        """Look at everybody's rating, and move those whose rating is another one now."""
        ladder = self._ladder
        display = np.asarray(ladder.system.ratings(ladder.state).display)
        known = ladder.state.column("known").copy()
        fresh = len(display) - len(self._display)
        self._letters = np.concatenate(
            [self._letters, beginnings(ladder.players[len(self._letters) : len(display)])]
        )
        before = np.concatenate([self._display, np.zeros(fresh)]) if fresh else self._display
        was_known = np.concatenate([self._known, np.zeros(fresh, np.bool_)]) if fresh else self._known
        moved = np.flatnonzero(((display != before) & (known | was_known)) | (known != was_known))
        self._display, self._known = display, known
        if self._seen < 0 or len(moved) * SORTED_ANEW_PART > len(display):
            everybody = np.flatnonzero(known).astype(np.int32)
            falling = -display[everybody]
            self._order = everybody[np.lexsort((self._letters[everybody], falling))]
            self._falling = -display[self._order]
            return
        self._take_out(moved[was_known[moved]], before)
        self._put_in(moved[known[moved]].astype(np.int32))

    def _take_out(self, players: NDArray[np.integer], display: Floats) -> None:
        where = [self._place_for(int(player), display) for player in players]
        self._order, self._falling = np.delete(self._order, where), np.delete(self._falling, where)

    def _put_in(self, players: Ints) -> None:
        players = players[np.lexsort((self._letters[players], -self._display[players]))]
        where = [self._place_for(int(player), self._display) for player in players]
        self._order = np.insert(self._order, where, players)
        self._falling = np.insert(self._falling, where, -self._display[players])

    def _place_for(self, player: int, display: Floats) -> int:
        """Where a player with this rating stands in the order, or has to be put in."""
        falling = -display[player]
        low = int(np.searchsorted(self._falling, falling, "left"))
        high = int(np.searchsorted(self._falling, falling, "right"))
        if low == high:
            return low
        wanted = int(self._letters[player]), player
        order, letters = self._order, self._letters
        return bisect_left(order, wanted, low, high, key=lambda other: (int(letters[other]), int(other)))


def beginnings(names: list[str]) -> Letters:
    """The first bytes of names as numbers, in the order of the names.

    >>> bool(beginnings(["ann", "bob"])[0] < beginnings(["ann", "bob"])[1])
    True
    """
    first = [
        name[:LETTERS].encode("utf-8", "surrogatepass")[:LETTERS].ljust(LETTERS, b"\0") for name in names
    ]
    return np.frombuffer(b"".join(first), ">u8").astype(np.uint64)
