"""What a rating system remembers: columns, one row a player, and perhaps a list of terms for each.

The caller owns a state and systems write into it. Columns have spare rows at the end, already filled with
what a newcomer is, so that one more player costs nothing until the room is used up. A row may be a number or
a list of numbers of fixed length; rows that are zero for a newcomer take no memory until they are written to.

A state may hold states: the parts of a system that rates by several others. They have the same players, and
whatever happens to the players of a state happens to those of its parts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import DAY, NO_TIME, Bools, Floats, Ints
from podium.errors import StateError
from podium.systems.contract.column_ranges import COMMON_RANGES, FINITE, Range
from podium.systems.contract.term_lists import KeptTerms, TermRows, Terms

Row = np.generic | NDArray[Any]
"""What a column holds of one player: a number, or a list of numbers of fixed length."""

ROWS_PER_BLOCK = 256
"""Long rows that are copied together, or not at all."""

MATCHES = "matches"
COMMON: dict[str, Row] = {
    "known": np.bool_(False),
    "events": np.int32(0),
    "last_time": np.int64(NO_TIME),
    "anchored": np.bool_(False),
    MATCHES: np.zeros(4, np.int32),
}
"""Columns every system has: whether there is anybody behind the name yet (or still, after renaming), rated
events so far, the time of the last one, whether the rating is fixed, matches won, drawn and lost with the
latest results (`appearances`)."""
BREAKS = "breaks"
"""The array every system shares: breaks between two events of a player, counted by length (`appearances`)."""
BREAK_LENGTHS = 5


class State:
    """Columns by name with one row for each player, and a few numbers shared by all players.

    >>> state = State({"mu": np.float64(1500)}, 2)
    >>> state["mu"][0] = 1600
    >>> state.grow(3)
    >>> state["mu"][:3].tolist()
    [1600.0, 1500.0, 1500.0]
    """

    def __init__(
        self,
        newcomer: Mapping[str, Row],
        n_players: int,
        shared: Mapping[str, Any] = {},
        terms: Sequence[str] = (),
        parts: Sequence[State] = (),
    ) -> None:
        self.newcomer: dict[str, Row] = {**COMMON, **newcomer}
        self.size = n_players
        self.columns: dict[str, NDArray[Any]] = {
            name: _newcomers(n_players, value) for name, value in self.newcomer.items()
        }
        self.shared: dict[str, NDArray[Any]] = {BREAKS: np.zeros(BREAK_LENGTHS, np.int64)}
        self.shared |= {name: np.array(value) for name, value in shared.items()}
        self.terms = Terms(terms, n_players) if terms else None
        self.parts = tuple(parts)
        """The states of the systems that this state's system rates by, if it does."""
        self.has_anchors = False
        """Whether anybody's rating is fixed; kept apart so that nobody has to look through a million rows."""

    def __repr__(self) -> str:
        return f"<State: {self.size:,} players; {', '.join(self.columns)}>"

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column including its spare rows; kernels index it by player."""
        return self.columns[name]

    def column(self, name: str) -> NDArray[Any]:
        """A column for the current players only."""
        return self.columns[name][: self.size]

    @property
    def nbytes(self) -> int:
        """Its size in memory.

        >>> State({"mu": np.float64(1500)}, 2).nbytes < 200
        True
        """
        own = [*self.columns.values(), *self.shared.values()]
        if self.terms is not None:
            own += self.terms.columns.values()
        return sum(array.nbytes for array in own) + sum(part.nbytes for part in self.parts)

    @property
    def anchored(self) -> Bools:
        """For each player, whether the rating is fixed."""
        return self.columns["anchored"]

    def days_away(self, players: NDArray[np.integer] | slice, at: int) -> Floats:
        """Days from each player's last event until a time; 0 for newcomers and without times."""
        last = self.column("last_time")[players]
        if at == NO_TIME:
            return np.zeros(len(last))
        days: Floats = (
            np.where(last == NO_TIME, 0, np.maximum(at - np.where(last == NO_TIME, at, last), 0)) / DAY
        )
        return days

    def anchor(self, player: int, fixed: bool) -> None:
        """Fix a player's rating, or let it move again."""
        self.anchored[player] = fixed
        self.has_anchors = bool(self.anchored.any())
        for part in self.parts:
            part.anchor(player, fixed)

    def grow(self, n_players: int) -> None:
        """Extend the state to `n_players` players; the new ones are newcomers."""
        if n_players <= self.size:
            return
        for part in self.parts:
            part.grow(n_players)
        capacity = len(self.columns["events"])
        if n_players > capacity:
            room = max(n_players, 2 * capacity, 16)
            if self.terms is not None:
                self.terms.grow(room)
            self.columns = {
                name: _copied(self.columns[name], room, value) for name, value in self.newcomer.items()
            }
        self.size = n_players

    def expect(self, rows: int) -> None:
        """Prepare for about this number of rows of events: memory that is not needed is not used."""
        if self.terms is not None:
            self.terms.expect(rows)

    def prepare(self, player: Ints) -> None:
        """Prepare for these rows of events, in one go instead of piece by piece."""
        if self.terms is not None:
            self.terms.prepare(player)

    def shrink(self, n_players: int) -> None:
        """Remove all players after the first `n_players`."""
        for name, value in self.newcomer.items():
            self.columns[name][n_players : self.size] = value
        if self.terms is not None:
            self.terms.clear(slice(n_players, self.size))
        for part in self.parts:
            part.shrink(n_players)
        self.size = n_players

    def swap(self, a: int, b: int) -> None:
        """Exchange the rows of two players."""
        for column in self.columns.values():
            column[[a, b]] = column[[b, a]]
        if self.terms is not None:
            self.terms.swap(a, b)
        for part in self.parts:
            part.swap(a, b)

    def forget(self, player: int) -> None:
        """Make a player a newcomer again."""
        for name, value in self.newcomer.items():
            self.columns[name][player] = value
        if self.terms is not None:
            self.terms.clear(player)
        for part in self.parts:
            part.forget(player)
        self.has_anchors = bool(self.anchored.any())

    def copy(self) -> State:
        """An independent state with the same content."""
        twin = State(self.newcomer, 0, self.shared, parts=[part.copy() for part in self.parts])
        twin.columns = {
            name: _copied(column, len(column), self.newcomer[name]) for name, column in self.columns.items()
        }
        twin.terms = None if self.terms is None else self.terms.copy()
        twin.size, twin.has_anchors = self.size, self.has_anchors
        return twin

    def take(self, players: NDArray[np.integer]) -> State:
        """A state of only these players, in this order; −1 stands for a newcomer."""
        twin = State(self.newcomer, len(players), parts=[part.take(players) for part in self.parts])
        known = players >= 0
        for name, column in self.columns.items():
            twin.columns[name][known] = column[players[known]]
        twin.shared = {name: value.copy() for name, value in self.shared.items()}
        if self.terms is not None:
            twin.terms = self.terms.take(players, known)
        twin.has_anchors = bool(twin.anchored.any())
        return twin

    def snapshot(self, players: NDArray[np.integer], rewritten: Collection[str] | None = None) -> Snapshot:
        """Copy everything that an event with these players can change, for `restore`.

        If events rewrite only some columns of the terms, it is quicker to say which. Before anything but
        events changes the state, the snapshot must then be made `whole`.
        """
        rows = players.astype(np.int64)  # by which NumPy finds a few rows in a fifth of the time
        return Snapshot(
            self.size,
            players,
            {name: column[rows] for name, column in self.columns.items()},
            {name: value.copy() for name, value in self.shared.items()},
            None
            if self.terms is None
            else self.terms.rows(players)
            if rewritten is None
            else self.terms.keep(players, [name for name in self.terms.columns if name in rewritten]),
            self.has_anchors,
            tuple(part.snapshot(players, rewritten) for part in self.parts),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Restore exactly what a whole snapshot holds; once more if an interrupt ended that early."""
        assert not isinstance(snapshot.terms, KeptTerms)
        for name, values in snapshot.columns.items():
            self.columns[name][snapshot.players] = values
        for name, value in snapshot.shared.items():
            self.shared[name][...] = value
        if self.terms is not None and snapshot.terms is not None:
            self.terms.put(snapshot.players, snapshot.terms)
        for part, saved in zip(self.parts, snapshot.parts, strict=True):
            part.restore(saved)
        self.shrink(snapshot.size)
        self.has_anchors = snapshot.has_anchors

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The whole state as arrays by name, for saving or comparing."""
        arrays = {f"column:{name}": self.column(name) for name in self.columns}
        arrays |= {f"shared:{name}": value for name, value in self.shared.items()}
        if self.terms is not None:
            rows = self.terms.rows(slice(0, self.size))
            arrays |= {"terms": rows.length} | {f"term:{name}": c for name, c in rows.columns.items()}
        for number, part in enumerate(self.parts):
            arrays |= {_of_part(number) + name: array for name, array in part.to_arrays().items()}
        return arrays

    def load(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Fill the state from the arrays of `to_arrays`, which must have the same columns."""
        columns, shared, terms = (_prefixed(arrays, kind) for kind in ("column:", "shared:", "term:"))
        kept = {} if self.terms is None else self.terms.columns
        shared.setdefault(BREAKS, np.zeros(BREAK_LENGTHS, np.int64))  # older states lack both
        if (known := columns.get("known")) is not None:
            columns.setdefault(MATCHES, np.full((known.size, 4), -1, np.int32))
        for kind, mine, theirs in (
            ("columns", self.columns, columns),
            ("numbers", self.shared, shared),
            ("terms", kept, terms),
        ):
            if set(mine) != set(theirs):
                raise StateError(f"the saved {kind} are {sorted(theirs)}, not {sorted(mine)}")
        size = len(columns["known"]) if columns["known"].ndim else 0
        for name, row in self.newcomer.items():
            check_layout(f"column {name}", columns[name], row.dtype, (size, *row.shape))
        for name, value in self.shared.items():
            check_layout(f"array {name}", shared[name], value.dtype, value.shape)
        self.size = size
        self.columns = {name: _copied(columns[name], size, row) for name, row in self.newcomer.items()}
        self.shared = {name: np.array(value) for name, value in shared.items()}
        if self.terms is not None:
            if "terms" not in arrays or arrays["terms"].shape != (size,):
                raise StateError("the saved terms do not belong to the saved columns")
            self.terms.load(arrays["terms"], terms)
        self.has_anchors = bool(self.anchored.any())
        for number, part in enumerate(self.parts):
            part.load(_prefixed(arrays, _of_part(number)))
            if part.size != size:
                raise StateError(f"the saved part {number} has {part.size} players, not {size}")

    def check(self, ranges: Mapping[str, Range]) -> None:
        """Refuse numbers outside the range of their column, term or shared array; by default finite ones."""
        ranges = COMMON_RANGES | dict(ranges)
        terms = {} if self.terms is None else self.terms.columns
        shared = {name: value[np.newaxis] for name, value in self.shared.items()}  # one row, as it were
        for kind, arrays in (("column", self.columns), ("term", terms), ("array", shared)):
            for name, numbers in arrays.items():
                allowed = ranges.get(name, FINITE if numbers.dtype.kind == "f" else None)
                if allowed is not None:
                    allowed.check(f"the saved {kind} {name}", numbers)

    def __eq__(self, other: object) -> bool:
        """Whether both states are equal to the last bit."""
        if not isinstance(other, State) or self.size != other.size or set(self.columns) != set(other.columns):
            return False
        mine, theirs = self.to_arrays(), other.to_arrays()
        return mine.keys() == theirs.keys() and all(
            np.array_equal(mine[n], theirs[n], equal_nan=mine[n].dtype.kind == "f") for n in mine
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Snapshot:
    """A copy of some rows of a state, for `State.restore`."""

    size: int
    players: NDArray[np.integer]
    columns: dict[str, NDArray[Any]]
    shared: dict[str, NDArray[Any]]
    terms: TermRows | KeptTerms | None
    has_anchors: bool
    parts: tuple[Snapshot, ...] = ()

    def whole(self) -> Snapshot:
        """The same with copies of all terms, good whatever happens to the state."""
        terms = self.terms.rows() if isinstance(self.terms, KeptTerms) else self.terms
        return replace(self, terms=terms, parts=tuple(part.whole() for part in self.parts))

    @property
    def rows(self) -> int:
        """Its size in memory, in rows of about a hundred bytes; terms, long rows and parts count too."""
        wide = sum(column.nbytes for column in self.columns.values() if column.ndim > 1)
        wide += sum(value.nbytes for value in self.shared.values())
        terms = 0 if self.terms is None else int(self.terms.length.sum())
        return len(self.players) + terms // 4 + wide // 100 + sum(part.rows for part in self.parts)


def _newcomers(n: int, row: Row) -> NDArray[Any]:
    """A column of `n` newcomers."""
    column = np.zeros((n, *row.shape), row.dtype)
    if np.any(row):
        column[...] = row
    return column


def _copied(column: NDArray[Any], n: int, row: Row) -> NDArray[Any]:
    """The column with room for `n`; long rows that nobody has written to still take no memory."""
    copy = _newcomers(n, row)
    if column.ndim == 1 or np.any(row):
        copy[: len(column)] = column
        return copy
    for start in range(0, len(column), ROWS_PER_BLOCK):
        block = column[start : start + ROWS_PER_BLOCK]
        if block.any():
            copy[start : start + len(block)] = block
    return copy


def _of_part(number: int) -> str:
    """What the names of a part's arrays begin with."""
    return f"part {number}:"


def check_layout(what: str, array: NDArray[Any], dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """Refuse a saved array of another type or shape than the system has."""
    if array.dtype != dtype or array.shape != shape:
        raise StateError(
            f"the saved arrays do not fit together: {what} holds {array.dtype} in the shape {array.shape}, "
            f"not {dtype} in {shape}"
        )


def _prefixed(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays whose name begins so, by the rest of it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
