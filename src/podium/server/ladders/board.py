"""Everybody in order of their ratings, kept up to date: a page of a million players takes milliseconds.

The order is by displayed rating, equals by the beginning of their names, then by number. Everybody is sorted
once. After that, players who took part in something since the last look are taken out and put where they
belong; who has a place by a filter is kept in the same way.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Bools, Floats, Ints
from podium.errors import UnsupportedError
from podium.history.times import is_duration, start_of_activity, to_iso
from podium.ladder.rating_tables import USUAL, active_from
from podium.server.ladders.numbered_ladder import NumberedLadder

LETTERS = 8
"""Bytes of a name that count in the order of players with equal ratings."""
SORTED_ANEW_PART = 64
"""If more than one player in so many has moved, everybody is sorted anew."""
MOST_MOVED_SINGLY = 50
"""Players who are moved one by one; more are taken out and put in together."""
MOST_FILTERS = 8
"""Filters whose players are remembered."""
ALWAYS_SORTED_UP_TO = 5_000
"""Players who are sorted anew after each change, which takes half a millisecond."""

Letters = NDArray[np.uint64]
Key = tuple[float, int, int]
"""What players are ordered by: the rating, negative; the beginning of the name; the number."""


@dataclass(frozen=True, slots=True)
class BoardFilter:
    """Who has a place: the words of `Ladder.leaderboard`."""

    min_events: int = 1
    active_since: str | None = USUAL
    max_sigma: float | None = None

    @property
    def is_relative(self) -> bool:
        """Whether players lose their places because others have played since."""
        return self.active_since is not None and is_duration(self.active_since)


EVERYBODY = BoardFilter(min_events=0, active_since=None)


class Standings:
    """The players who have a place by some filter, best first."""

    def __init__(self, players: Ints, ratings: Ratings) -> None:
        self._room, self._size = players, len(players)
        self._ratings = ratings

    def __len__(self) -> int:
        return self._size

    @property
    def players(self) -> Ints:
        """Their numbers, best first."""
        return self._room[: self._size]

    def at_least(self, display: float) -> int:
        """How many players are shown with this rating or a higher one."""
        shown = self._ratings.display
        return bisect_right(self.players, -display, key=lambda player: -shown[player])

    def display(self, player: int) -> float:
        """The displayed rating of a player."""
        return float(self._ratings.display[player])

    def place(self, position: int) -> int:
        """The place of whoever stands at a position: those with equal ratings share one."""
        display = self._ratings.display
        wanted = -display[self._room[position]]
        return 1 + bisect_left(self.players, wanted, key=lambda player: -display[player])

    def place_of(self, player: int) -> int | None:
        """The place of a player; None if this player has none."""
        position = self.find(player)
        return None if position is None else self.place(position)

    def find(self, player: int) -> int | None:
        """Where a player stands; None if this player has no place."""
        position = self.position(self.display(player), player)
        return position if position < self._size and self._room[position] == player else None

    def position(self, display: float, player: int) -> int:
        """Where somebody with this rating and the name of this player stands or would stand."""
        return bisect_left(self.players, self._ratings.key(display, player), key=self._key)

    def after(self, display: float, player: int) -> int:
        """The position right behind somebody with this rating and the name of this player."""
        return bisect_right(self.players, self._ratings.key(display, player), key=self._key)

    def _key(self, player: int) -> Key:
        return self._ratings.key(float(self._ratings.display[player]), int(player))

    # ------------------------------------------------------------------ moving

    def take_out(self, players: list[int]) -> None:
        """Take players out who are in, before their ratings change."""
        where = [position for player in players if (position := self.find(player)) is not None]
        if len(where) > MOST_MOVED_SINGLY:
            self._room = np.delete(self.players, where)
            self._size = len(self._room)
            return
        for position in sorted(where, reverse=True):
            self._room[position : self._size - 1] = self._room[position + 1 : self._size]
            self._size -= 1

    def put_in(self, players: list[int]) -> None:
        """Put players in who are out, after their ratings have changed."""
        if len(players) > MOST_MOVED_SINGLY:
            ordered = sorted(players, key=self._key)
            where = [self.position(self.display(player), player) for player in ordered]
            self._room = np.insert(self.players, where, ordered)
            self._size = len(self._room)
            return
        for player in players:
            position = self.position(self.display(player), player)
            if self._size == len(self._room):
                self._room = np.concatenate([self._room, np.zeros(self._size // 8 + 16, np.int32)])
            self._room[position + 1 : self._size + 1] = self._room[position : self._size]
            self._room[position] = player
            self._size += 1


class Ratings:
    """Displayed ratings and the beginnings of names, by number."""

    def __init__(self) -> None:
        self.display: Floats = np.zeros(0)
        self.letters: Letters = np.zeros(0, np.uint64)

    def key(self, display: float, player: int) -> Key:
        """What players are ordered by."""
        return -display, int(self.letters[player]), player


class Board:
    """The order of a ladder's players, as they are or at a time. Whoever uses it has the ladder's lock."""

    def __init__(self, ladder: NumberedLadder, at: int = NO_TIME) -> None:
        self._ladder, self._at = ladder, at
        self._ratings = Ratings()
        self._touched: set[int] | None = None
        """Who took part in something since the last look; None if everybody has to be looked at."""
        self._standings: dict[BoardFilter, Standings] = {}
        """By filter; that of everybody is always among them, once somebody has looked."""

    def forget(self) -> None:
        """Sort everybody anew at the next look: names have changed."""
        self._standings.clear()
        self._ratings = Ratings()
        self._touched = None

    def touch(self, players: Iterable[int]) -> None:
        """Look at these players again; their ratings may have changed."""
        if self._touched is not None:
            self._touched.update(players)

    def touch_all(self) -> None:
        """Look at everybody again."""
        self._touched = None

    def standings(self, chosen: BoardFilter) -> Standings:
        """Those who have a place by a filter."""
        self._refresh()
        chosen = self.settled(chosen)
        if chosen not in self._standings:
            while len(self._standings) >= MOST_FILTERS:
                self._standings.pop(next(filter(EVERYBODY.__ne__, self._standings)))
            everybody = self._standings[EVERYBODY].players
            self._standings[chosen] = Standings(everybody[self._passing(chosen)[everybody]], self._ratings)
        return self._standings[chosen]

    def settled(self, chosen: BoardFilter) -> BoardFilter:
        """A filter whose usual time is that of the ladder now."""
        if chosen.active_since != USUAL:
            return chosen
        since = active_from(USUAL, self._ladder.state, self._ladder.last_event_time)
        return replace(chosen, active_since=None if since is None else to_iso(since))

    def place_and_ranked(self, player: int, chosen: BoardFilter) -> tuple[int | None, int]:
        """A player's place by a filter, None without one, and how many have one; nobody is sorted."""
        passing = self._passing(self.settled(chosen))
        display = self._ladder.system.ratings(self._ladder.state, self._at).display
        better = np.count_nonzero(passing & (display > display[player]))
        return 1 + int(better) if passing[player] else None, int(np.count_nonzero(passing))

    def _passing(self, chosen: BoardFilter, players: NDArray[np.int64] | slice = slice(None)) -> Bools:
        """Whether players pass a filter."""
        state, system = self._ladder.state, self._ladder.system
        passing: Bools = state.column("known")[players] & (
            state.column("events")[players] >= chosen.min_events
        )
        if chosen.active_since is not None:
            start = start_of_activity(chosen.active_since, self._ladder.last_event_time)
            passing &= state.column("last_time")[players] >= start
        if chosen.max_sigma is not None:
            rows = slice(0, state.size) if isinstance(players, slice) else players
            sigma = system.view(state, rows, self._at)[1]
            if sigma is None:
                raise UnsupportedError(
                    f"{system.name} has no sigma to compare with max_sigma",
                    hint="omit max_sigma, or use a system with sigma such as glicko or elo-mmr",
                )
            passing &= sigma <= chosen.max_sigma
        return passing

    def _refresh(self) -> None:
        """Put those where they belong whose rating may be another one now."""
        state = self._ladder.state
        known = len(self._ratings.display)
        touched = self._touched
        if touched is not None and not touched and known == state.size:
            return
        self._touched = set()
        if known < state.size:
            names = beginnings(self._ladder.players[known : state.size])
            self._ratings.letters = np.concatenate([self._ratings.letters, names])
        # With rating periods, an event may close one, and so change the ratings of others.
        by_event = getattr(self._ladder.system, "period", "event") == "event"
        most = state.size // SORTED_ANEW_PART
        if touched is None or not by_event or state.size <= ALWAYS_SORTED_UP_TO or len(touched) > most:
            self._sort()
        else:
            self._move(np.array(sorted(touched), np.int64), known)

    def _sort(self) -> None:
        """Sort everybody."""
        system, state, ratings = self._ladder.system, self._ladder.state, self._ratings
        ratings.display = np.array(system.ratings(state, self._at).display)
        everybody = np.flatnonzero(state.column("known")).astype(np.int32)
        letters, falling = ratings.letters[everybody], -ratings.display[everybody]
        self._standings = {EVERYBODY: Standings(everybody[np.lexsort((letters, falling))], ratings)}

    def _move(self, players: NDArray[np.int64], known: int) -> None:
        """Give these players their new ratings, and put them where they belong by every filter.

        `known` is how many players there were at the last look.
        """
        system, state, ratings = self._ladder.system, self._ladder.state, self._ratings
        self._standings = {
            chosen: standings for chosen, standings in self._standings.items() if not chosen.is_relative
        }
        earlier = players[players < known].tolist()
        for standings in self._standings.values():
            standings.take_out(earlier)
        if known < state.size:
            ratings.display = np.concatenate([ratings.display, np.zeros(state.size - known)])
        ratings.display[players] = system.display(*system.view(state, players, self._at))
        for chosen, standings in self._standings.items():
            standings.put_in(players[self._passing(chosen, players)].tolist())


def beginnings(names: list[str]) -> Letters:
    """The first bytes of names as numbers, in the order of the names.

    >>> bool(beginnings(["ann", "bob"])[0] < beginnings(["ann", "bob"])[1])
    True
    """
    first = [
        name[:LETTERS].encode("utf-8", "surrogatepass")[:LETTERS].ljust(LETTERS, b"\0") for name in names
    ]
    return np.frombuffer(b"".join(first), ">u8").astype(np.uint64)
