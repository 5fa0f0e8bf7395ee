"""What tickets say, in columns: attributes, needs, delays to regions.

Inside a pool everything is a column with one number a ticket. Text is a number too: its place among the
texts met so far. What is missing is NaN, which equals nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError
from podium.history import Names
from podium.matchmaking.pool.growing_tables import NO_ROWS, GrowingTable, PutBack
from podium.text import shorten

RESERVED = ("mu", "sigma", "wanted", "waited", "size")
"""What every ticket has; attributes have other names."""
OF_RATINGS = ("mu", "sigma")
"""What a need may ask for besides attributes."""
OLD_TEXTS = 10_000
"""Texts that may be known though no ticket has them any more, before anybody looks which ones are."""


Need = tuple[str, ...] | tuple[float, float]
"""What a ticket needs of an attribute: texts of which one is enough, sorted, or the ends of a range."""


class Said(NamedTuple):
    """A column of an attribute, checked: numbers, or the numbers of texts."""

    values: Floats
    texts: Names | None


class Needed(NamedTuple):
    """A column of needs of one attribute, checked: a range, or the number of a choice of texts."""

    low: Floats
    """Lower end of the range; NaN if no range is needed."""
    high: Floats
    choice: Longs
    """Number of the choice of texts; −1 if no text is needed."""
    texts: Names | None

    @property
    def has_ranges(self) -> bool:
        """Whether any of them is a range."""
        return not bool(np.all(np.isnan(self.low)))


class Attributes:
    """What tickets say of themselves and need of others, by the name of the attribute.

    `say` and `need` check columns and change nothing; `write` puts them where they belong.
    """

    def __init__(self) -> None:
        self.said = GrowingTable()
        self.low, self.high, self.choice = GrowingTable(), GrowingTable(), GrowingTable()
        self.texts: dict[str, Names | None] = {}
        """By attribute: the texts met so far, or None where it is a number."""
        self._fresh: dict[str, Names] = {}
        """Texts of attributes that no ticket has yet: one that says something and needs something else."""
        self._ranged: set[str] = set()
        """Attributes of which anybody has ever needed a range."""
        self._choices: dict[tuple[int, ...], int] = {}
        self._picked: tuple[int, Longs] = 0, np.zeros(0, np.int64)
        """How many choices there were when `picked` was listed, and the list."""
        self._used_texts = 0
        """How many texts and choices tickets had when somebody looked."""

    @property
    def needs(self) -> list[str]:
        """The attributes that any ticket has ever needed."""
        return list(self.low.columns)

    def has_ranges(self, name: str) -> bool:
        """Whether any ticket has ever needed a range of an attribute."""
        return name in self._ranged

    # ------------------------------------------------------------------ checking

    def say(self, name: str, column: Sequence[Any]) -> Said:
        """Check a column of values: a text or a number for each ticket, None if it says nothing."""
        if not isinstance(name, str) or not name:
            raise InputError(f"an attribute's name must be a text, not {name!r}")
        if name in RESERVED:
            raise InputError(
                f"every ticket already has the number {name!r}", hint="give the attribute another name"
            )
        if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
            return self._said_numbers(name, column.astype(np.float64))
        values = list(column)
        first = next((value for value in values if value is not None), None)
        if isinstance(first, str):
            return self._said_texts(name, values)
        for value in values:
            if value is not None and not isinstance(value, (Real, np.bool_)):
                raise InputError(
                    f"attribute {shorten(name)!r} is {shorten(repr(value))}",
                    hint="a text or a number. For several values, use several attributes",
                )
        if first is None:
            return Said(np.full(len(values), np.nan), self.texts.get(name))
        return self._said_numbers(name, np.array([np.nan if v is None else float(v) for v in values]))

    def _said_numbers(self, name: str, values: Floats) -> Said:
        if self.texts.get(name) is not None:
            raise InputError(f"attribute {shorten(name)!r} is a text for others, and a number here")
        if np.any(np.isinf(values)):
            raise InputError(f"attribute {shorten(name)!r} is infinite")
        return Said(values, None)

    def _said_texts(self, name: str, values: list[Any]) -> Said:
        texts = self._texts_of(name)
        for value in values:
            if value is not None and not isinstance(value, str):
                raise InputError(
                    f"attribute {shorten(name)!r} is a text for others, and {shorten(repr(value))} here"
                )
        # A text that is known and that nobody has does no harm, should these tickets be refused after all.
        codes = [np.nan if value is None else texts.add(value) for value in values]
        return Said(np.array(codes, np.float64), texts)

    def _texts_of(self, name: str) -> Names:
        if name in self.texts and self.texts[name] is None:
            raise InputError(f"attribute {shorten(name)!r} is a number for others, and a text here")
        known = self.texts.get(name)
        return self._fresh.setdefault(name, Names()) if known is None else known

    def need(self, name: str, column: Sequence[Any]) -> Needed:
        """Check a column of needs: a text, several texts, a number, a range (low, high), or None.

        A need that nothing can meet is refused.
        """
        if name in RESERVED and name not in OF_RATINGS:
            raise InputError(f"a need must name an attribute, mu or sigma, not {name!r}")
        low, high = np.full((2, len(column)), np.nan)
        choice = np.full(len(column), -1)
        texts: Names | None = None
        known: dict[Any, tuple[float, float, int]] = {}
        for row, need in enumerate(column):
            if need is None:
                continue
            key = tuple(need) if isinstance(need, (list, set, frozenset)) else need
            try:
                found = known.get(key)
            except TypeError:
                raise _no_need(name, need) from None
            if found is None:
                found, texts = self._one_need(name, need, texts)
                known[key] = found
            low[row], high[row], choice[row] = found
        needed = Needed(low, high, choice, texts)
        if texts is not None and needed.has_ranges:
            raise InputError(f"the need of {shorten(name)!r} is a text for some, and a range for others")
        return needed

    @staticmethod
    def check_together(said: Mapping[str, Said], needed: Mapping[str, Needed]) -> None:
        """Refuse an attribute that is a text where it is said and a number where needed, or the reverse."""
        for name, column in said.items():
            needs = needed.get(name)
            if needs is None or np.all(np.isnan(column.values)):
                continue
            if needs.has_ranges if column.texts is not None else needs.texts is not None:
                raise InputError(
                    f"attribute {shorten(name)!r} is a text for some tickets, and a number for others"
                )

    def _one_need(
        self, name: str, need: Any, texts: Names | None
    ) -> tuple[tuple[float, float, int], Names | None]:
        """A range with no choice, or a choice with no range."""
        values: list[Any]
        if isinstance(need, str):
            values = [need]
        elif isinstance(need, Real):
            values = [need, need]
        elif isinstance(need, (set, frozenset)):
            values = sorted(need, key=repr)
        elif isinstance(need, (list, tuple)):
            values = list(need)
        else:
            raise _no_need(name, need)
        if not values:
            raise InputError(f"the need of {shorten(name)!r} is empty: no player can meet it")
        if all(isinstance(value, str) for value in values):
            if name in OF_RATINGS:
                raise _no_need(name, need)
            texts = texts if texts is not None else self._texts_of(name)
            codes = tuple(sorted({texts.add(value) for value in values}))
            number = self._choices.setdefault(codes, len(self._choices))
            return (np.nan, np.nan, number), texts
        if len(values) != 2 or not all(isinstance(v, Real) and v == v for v in values):
            raise _no_need(name, need)
        if self.texts.get(name) is not None:
            raise InputError(f"attribute {shorten(name)!r} is a text, and needs a range here")
        if not values[0] <= values[1]:
            raise InputError(
                f"no player can meet the need of {shorten(name)!r} from {values[0]:g} to {values[1]:g}",
                hint="a range must go from low to high",
            )
        return (float(values[0]), float(values[1]), -1), texts

    # ------------------------------------------------------------------ writing and looking

    def copy_of(self, slots: Longs) -> Attributes:
        """The same of these tickets alone."""
        copy = Attributes()
        copy.said, copy.low, copy.high, copy.choice = (
            table.copy_of(slots) for table in (self.said, self.low, self.high, self.choice)
        )
        copy.texts, copy._choices = self.texts.copy(), self._choices.copy()
        return copy

    def keep(self) -> PutBack:
        """Keep which attributes there are, and which of them are texts or have ranges."""
        tables = [table.keep() for table in (self.said, self.low, self.high, self.choice)]
        texts, ranged, listed = self.texts.copy(), self._ranged.copy(), (self._choices, self._fresh)

        def put_back() -> None:
            for table in tables:
                table()
            self.texts, self._ranged, (self._choices, self._fresh) = texts.copy(), ranged.copy(), listed
            self._picked = 0, NO_ROWS

        return put_back

    @property
    def has_old_texts(self) -> bool:
        """Whether it is time to find out which texts no ticket has any more."""
        count = len(self._choices) + sum(len(texts) for texts in self.texts.values() if texts is not None)
        return count > 2 * self._used_texts + OLD_TEXTS

    def forget_texts(self, slots: Longs) -> None:
        """Forget texts and choices that none of these tickets has, in new columns; others are gone."""
        said, choice = dict(self.said.columns), dict(self.choice.columns)
        texts, choices, listed = dict(self.texts), dict[tuple[int, ...], int](), list(self._choices)
        for name, known in self.texts.items():
            if known is None:
                continue
            codes = self.said[name][slots] if name in self.said else np.zeros(0)
            numbers = self.choice[name][slots] if name in self.choice else NO_ROWS
            picked = {number: listed[number] for number in np.unique(numbers[numbers >= 0]).tolist()}
            used = {int(code) for code in codes[~np.isnan(codes)]}.union(*picked.values())
            code_of = {code: place for place, code in enumerate(sorted(used))}
            texts[name] = Names(known[code] for code in code_of)
            if name in self.said:
                said[name] = np.full(self.said.room, np.nan)
                said[name][slots] = [np.nan if np.isnan(code) else code_of[int(code)] for code in codes]
            if name in self.choice:
                number_of = {-1: -1}
                for number, old in picked.items():
                    new = tuple(code_of[code] for code in old)
                    number_of[number] = choices.setdefault(new, len(choices))
                choice[name] = np.full(self.choice.room, -1)
                choice[name][slots] = [number_of[number] for number in numbers.tolist()]
        self.said.columns, self.choice.columns = said, choice
        self.texts, self._choices, self._fresh, self._picked = texts, choices, {}, (0, NO_ROWS)
        self._used_texts = len(choices) + sum(len(known) for known in texts.values() if known is not None)

    def write(self, slots: Longs, said: Mapping[str, Said], needed: Mapping[str, Needed], room: int) -> None:
        """Fill the rows of new tickets, which are empty so far."""
        for name, column in said.items():
            if name not in self.said:
                self.said.declare(name, np.float64(np.nan))
            if name not in self.texts and not np.all(np.isnan(column.values)):
                self.texts[name] = column.texts
        for name, needs in needed.items():
            if name not in self.low:
                self.low.declare(name, np.float64(np.nan))
                self.high.declare(name, np.float64(np.nan))
                self.choice.declare(name, np.int64(-1))
            if needs.has_ranges:
                self._ranged.add(name)
            if (needs.texts is not None or needs.has_ranges) and name not in OF_RATINGS:
                self.texts.setdefault(name, needs.texts)
        for table in (self.said, self.low, self.high, self.choice):
            table.reserve(room)
            table.clear(slots)
        for name, column in said.items():
            self.said[name][slots] = column.values
        for name, needs in needed.items():
            self.low[name][slots], self.high[name][slots] = needs.low, needs.high
            self.choice[name][slots] = needs.choice

    def value(self, name: str, slot: int) -> str | float | None:
        """The value of a ticket's attribute, as given."""
        number = float(self.said[name][slot])
        texts = self.texts.get(name)
        return None if np.isnan(number) else number if texts is None else texts[int(number)]

    def need_of(self, name: str, slot: int) -> Need | None:
        """What a ticket needs of an attribute: texts of which one is enough, or a range."""
        choice, low = int(self.choice[name][slot]), float(self.low[name][slot])
        if choice >= 0:
            return self.chosen(name, choice)
        return None if np.isnan(low) else (low, float(self.high[name][slot]))

    def chosen(self, name: str, choice: int) -> tuple[str, ...]:
        """The texts of a choice by its number, sorted."""
        texts = self.texts[name]
        assert texts is not None
        first, end = np.searchsorted(self.picked, [choice << 32, (choice + 1) << 32]).tolist()
        return tuple(sorted(texts[key & 0xFFFFFFFF] for key in self.picked[first:end].tolist()))

    @property
    def picked(self) -> Longs:
        """The texts of each choice: choice × 2³² + the number of a text, sorted."""
        listed, keys = self._picked
        if listed != len(self._choices):  # new choices have higher numbers
            new = islice(self._choices.items(), listed, None)
            more = [number << 32 | code for codes, number in new for code in codes]
            keys = np.concatenate([keys, np.array(more, np.int64)])
            self._picked = len(self._choices), keys
        return keys

    def picks(self, choice: Longs, codes: Floats) -> Bools:
        """Whether each choice has this text among its own."""
        picked = self.picked
        missing = np.isnan(codes)
        key = choice << 32 | np.where(missing, 0, codes).astype(np.int64)
        place = np.minimum(np.searchsorted(picked, key), len(picked) - 1)
        found: Bools = (picked[place] == key) & ~missing
        return found


def _no_need(name: str, need: object) -> InputError:
    return InputError(
        f"the need of {shorten(str(name))!r} is {shorten(repr(need))}",
        hint='texts such as ["pad", "touch"], or numbers from low to high such as (1400, 1600)',
    )


class Delays:
    """Latency in milliseconds, one column for each region; NaN if a ticket does not give it."""

    def __init__(self) -> None:
        self.table = GrowingTable()

    @property
    def regions(self) -> list[str]:
        """The regions seen so far, by number."""
        return list(self.table.columns)

    @staticmethod
    def check(delays: Mapping[str, Any], rows: int) -> dict[str, Floats]:
        """Check a mapping of regions to one number, or to a number for each ticket."""
        checked = {}
        for region, given in delays.items():
            try:
                column = np.array(given, np.float64, ndmin=1)
            except (TypeError, ValueError):
                raise InputError(f"the latency of {region!r} is {shorten(repr(given))}") from None
            if not isinstance(region, str) or column.shape not in ((rows,), (1,)):
                raise InputError(
                    f"give the latency in milliseconds for each region and ticket, as for {region!r}"
                )
            if np.any(column < 0) or np.any(np.isinf(column)):
                raise InputError(f"a latency of {region!r} is below 0 or infinite", hint="milliseconds")
            checked[region] = np.broadcast_to(column, rows)
        return checked

    def write(self, slots: Longs, delays: Mapping[str, Floats], room: int) -> None:
        """Fill the rows of new tickets."""
        for region in delays:
            if region not in self.table:
                self.table.declare(region, np.float64(np.nan))
        self.table.reserve(room)
        self.table.clear(slots)
        for region, column in delays.items():
            self.table[region][slots] = column

    def of(self, slots: Longs) -> Floats:
        """Latencies of these tickets: one row for each ticket, one column for each region."""
        columns = [column[slots] for column in self.table.columns.values()]
        return np.stack(columns, axis=1) if columns else np.zeros((len(slots), 0))
