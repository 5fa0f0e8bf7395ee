"""Names and their dense indices: player number 0, 1, 2, … in order of first appearance."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import overload

import numpy as np

from podium.arrays import NO_INTS, Ints

INVISIBLE = (
    "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069"
    "\ufeff"
)
"""Signs without width, which web pages and spreadsheets leave at the ends of cells."""
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
    + INVISIBLE
)


class Names(Sequence[str]):
    """An ordered set of names that only grows.

    >>> names = Names(["ann", "bob"])
    >>> names.add("cat"), names.add("ann"), names.find("dan")
    (2, 0, None)
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Start with these names, which must all be different."""
        self._names = list(names)
        self._index: dict[str, int] | None = None  # made when first asked for: bulk rating never does
        self._joined: tuple[Names, Ints, bool] | None = None
        """The names that joined last, the index here of each, and whether it is the index there."""

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """These names, which are themselves if they are of this kind already."""
        return names if isinstance(names, Names) else cls(names)

    @property
    def index_of(self) -> dict[str, int]:
        """The index of each name, as a dictionary."""
        if self._index is None or len(self._index) != len(
            self._names
        ):  # or an interrupt came between the two
            self._index = {name: i for i, name in enumerate(self._names)}
        return self._index

    def find(self, name: str) -> int | None:
        """The index of `name`, or None."""
        return self.index_of.get(name)

    def meant(self, name: object) -> str:
        """The name by which a caller means a player: as given if it is among these, otherwise tidied.

        >>> Names(["ann", " bob"]).meant("ann "), Names(["ann", " bob"]).meant(" bob")
        ('ann', ' bob')
        """
        given = player_name(name)
        return given if given in self.index_of else tidy_name(given)

    def add(self, name: str) -> int:
        """The index of `name`, which is appended if it is new."""
        index = self.index_of
        found = index.get(name)
        if found is None:
            found = index[name] = len(self._names)
            self._names.append(name)
        return found

    def add_all(self, names: Iterable[str]) -> Ints:
        """The indices of all `names`, new ones appended in order."""
        if not self._names and isinstance(names, Names):  # different from each other already
            self._names.extend(names._names)
            self._index = None
            return np.arange(len(self), dtype=np.int32)
        index = self.index_of
        known = len(index)
        codes = np.fromiter((index.setdefault(name, len(index)) for name in names), np.int32)
        fresh = list(islice(reversed(index), len(index) - known))
        self._names.extend(reversed(fresh))
        return codes

    def append_all(self, names: Iterable[str]) -> None:
        """Append names that are new and all different, which whoever calls this knows."""
        self._names.extend(names)  # the dictionary is made anew when it is asked for

    def join(self, others: Names) -> Ints | None:
        """Add the names of `others` and return the index of each here; None if all indices are the same.

        Pieces of one history share their names: those that joined last time are not looked up again.
        """
        joined, index, same = self._joined or (None, NO_INTS, False)
        known = len(index) if joined is others else 0
        if joined is not others or known < len(others):
            found = self.add_all(others[known:] if known else others)
            index = np.concatenate([index[:known], found])
            same = np.array_equal(index, np.arange(len(index)))
            self._joined = (others, index, same)
        return None if same else index

    def relabel(self, names: Mapping[int, str]) -> None:
        """Give other names to these indices; all names must be different afterwards.

        >>> names = Names(["ann", "bob"])
        >>> names.relabel({0: "bob", 1: "ann"})
        >>> names.find("ann")
        1
        """
        found = self.index_of
        self._joined = None
        for index in names:
            found.pop(self._names[index], None)
        for index, name in names.items():
            found[name], self._names[index] = index, name

    def copy(self) -> Names:
        """Independent names, the same as these."""
        twin = Names(self._names)
        twin._index = None if self._index is None else self._index.copy()
        return twin

    def truncate(self, size: int) -> None:
        """Keep only the first `size` names."""
        self._joined = None
        if self._index is not None:
            for name in self._names[size:]:
                self._index.pop(name, None)
        del self._names[size:]

    def to_list(self) -> list[str]:
        """All names, in order of their index."""
        return list(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self.index_of

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._names[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Names) and self._names == other._names

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[Names], tuple[list[str]]]:
        # A list of its own, as another thread may add names meanwhile; the rest is made when it is needed.
        return Names, (list(self._names),)

    def __repr__(self) -> str:
        return f"<Names: {len(self)}>"


def player_name(name: object) -> str:
    """The name of a player as given by a caller: a string, or an int meaning its decimal string."""
    if isinstance(name, str):
        return name
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return str(int(name))
    raise TypeError(f"a player's name must be a string or an int, not {name!r}")


def tidy_name(name: str) -> str:
    """A name without blanks around it, in NFC.

    >>> tidy_name("\\u00a0Zoe\\u0308 ") == "Zo\\u00eb"
    True
    """
    return unicodedata.normalize("NFC", name.strip(BLANKS))


def are_tidy(names: Sequence[str]) -> bool:
    """Whether all names are surely as `tidy_name` returns them, and not empty; quick for many.

    >>> are_tidy(["ann", "bob"]), are_tidy(["ann", "bob "]), are_tidy(["ann", ""])
    (True, False, False)
    """
    text = "\n".join(names)
    return text.isascii() and text.split() == list(names)
