"""What a rating system remembers: columns, one row a player.

The caller owns a state and systems write into it. Columns have spare rows at the end, already filled with
what a newcomer is, so that one more player costs nothing until the room is used up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import StateError
from podium.history.core import Bools
from podium.history.times import NO_TIME

COMMON: dict[str, np.generic] = {
    "known": np.bool_(False),
    "events": np.int32(0),
    "last_time": np.int64(NO_TIME),
    "anchored": np.bool_(False),
}
"""Columns every system has: whether there is anybody behind the name yet (or still, after renaming), rated
events so far, the time of the last one, whether the rating is fixed."""


class State:
    """Columns by name, one row a player, plus a few numbers shared by all players.

    >>> state = State({"mu": np.float64(1500)}, 2)
    >>> state["mu"][0] = 1600
    >>> state.grow(3)
    >>> state["mu"][:3].tolist()
    [1600.0, 1500.0, 1500.0]
    """

    def __init__(
        self, newcomer: Mapping[str, np.generic], n_players: int, shared: Mapping[str, Any] = {}
    ) -> None:
        self.newcomer = {**COMMON, **newcomer}
        self.size = n_players
        self.columns: dict[str, NDArray[Any]] = {
            name: np.full(n_players, value, value.dtype) for name, value in self.newcomer.items()
        }
        self.shared = {name: np.array(value) for name, value in shared.items()}
        self.has_anchors = False
        """Whether anybody's rating is fixed; kept apart so that nobody has to look through a million rows."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column with its spare rows; kernels index it by player."""
        return self.columns[name]

    def column(self, name: str) -> NDArray[Any]:
        """A column of the players there are."""
        return self.columns[name][: self.size]

    @property
    def anchored(self) -> Bools:
        """Players whose rating is fixed."""
        return self.columns["anchored"]

    def anchor(self, player: int, fixed: bool) -> None:
        """Fix a player's rating, or let it move again."""
        self.anchored[player] = fixed
        self.has_anchors = bool(self.anchored.any())

    def grow(self, n_players: int) -> None:
        """Make room for so many players; new ones are newcomers."""
        if n_players <= self.size:
            return
        capacity = len(self.columns["events"])
        if n_players > capacity:
            extra = max(n_players, 2 * capacity, 16) - capacity
            for name, value in self.newcomer.items():
                self.columns[name] = np.concatenate([self.columns[name], np.full(extra, value, value.dtype)])
        self.size = n_players

    def shrink(self, n_players: int) -> None:
        """Forget the players after the first so many."""
        for name, value in self.newcomer.items():
            self.columns[name][n_players : self.size] = value
        self.size = n_players

    def swap(self, a: int, b: int) -> None:
        """Exchange two players' rows."""
        for column in self.columns.values():
            column[[a, b]] = column[[b, a]]

    def forget(self, player: int) -> None:
        """Make a player a newcomer again."""
        for name, value in self.newcomer.items():
            self.columns[name][player] = value
        self.has_anchors = bool(self.anchored.any())

    def copy(self) -> State:
        """An independent state with the same content."""
        return self.take(np.arange(self.size))

    def take(self, players: NDArray[np.integer]) -> State:
        """A state of these players alone, in this order; −1 stands for a newcomer."""
        twin = State(self.newcomer, len(players))
        known = players >= 0
        for name, column in self.columns.items():
            twin.columns[name][known] = column[players[known]]
        twin.shared = {name: value.copy() for name, value in self.shared.items()}
        twin.has_anchors = bool(twin.anchored.any())
        return twin

    def snapshot(self, players: NDArray[np.integer]) -> Snapshot:
        """What an event with these players can change, to be put back by `restore`."""
        return Snapshot(
            self.size,
            players,
            {name: column[players] for name, column in self.columns.items()},
            {name: value.copy() for name, value in self.shared.items()},
            self.has_anchors,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Put back exactly what a snapshot holds."""
        for name, values in snapshot.columns.items():
            self.columns[name][snapshot.players] = values
        for name, value in snapshot.shared.items():
            self.shared[name][...] = value
        self.shrink(snapshot.size)
        self.has_anchors = snapshot.has_anchors

    def load(self, columns: Mapping[str, NDArray[Any]], shared: Mapping[str, NDArray[Any]]) -> None:
        """Take over saved columns, which must be the ones this state has."""
        for kind, mine, theirs in (("columns", self.columns, columns), ("numbers", self.shared, shared)):
            if set(mine) != set(theirs):
                raise StateError(f"the saved {kind} are {sorted(theirs)}, not {sorted(mine)}")
        sizes = {len(column) for column in columns.values()}
        if len(sizes) != 1 or any(columns[n].dtype != v.dtype for n, v in self.newcomer.items()):
            raise StateError("the saved columns do not fit together")
        self.size = sizes.pop()
        self.columns = {name: np.array(columns[name]) for name in self.newcomer}
        self.shared = {name: np.array(value) for name, value in shared.items()}
        self.has_anchors = bool(self.anchored.any())

    def __eq__(self, other: object) -> bool:
        """Equal to the last bit."""
        if not isinstance(other, State) or self.size != other.size or set(self.columns) != set(other.columns):
            return False
        mine, theirs = self._content(), other._content()
        return all(np.array_equal(mine[n], theirs[n], equal_nan=mine[n].dtype.kind == "f") for n in mine)

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> dict[str, NDArray[Any]]:
        return {name: self.column(name) for name in self.columns} | self.shared


@dataclass(frozen=True)
class Snapshot:
    """Rows of a state, kept to be put back."""

    size: int
    players: NDArray[np.integer]
    columns: dict[str, NDArray[Any]]
    shared: dict[str, NDArray[Any]]
    has_anchors: bool
