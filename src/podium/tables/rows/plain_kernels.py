"""Rows of plain text read at compiled speed: cells become numbers, and names the numbers of players.

Plain are lines without quotes that all have the same cells. Nearly all the time of reading ten million of
them goes into memory: text that is copied, and names looked up among a million others. So cells are read
where they stand, eight bytes at a time, and names are looked up some rows later than they are read, when the
places that have to be looked at have come from memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import SECOND, Floats, Ints, Longs
from podium.numerics.compiler_hints import prefetch
from podium.numerics.jit import formula, kernel
from podium.tables.rows.moment_kernels import ZERO, Bytes, byte_at, moment_at

Words = NDArray[np.uint64]

SKIPPED, NAME, SECONDS, MOMENT, WHOLE, DECIMAL = range(6)
"""Kinds of cells: of no use, the name of a player, epoch seconds, an ISO date or datetime, and numbers that
have no point or may have one."""

ROWS_AT_ONCE = 64
"""Rows that are read before their names are looked up."""
SPARE_BYTES = 16
"""Bytes that are looked at behind the end of a text."""

_WORD = np.uint64
_EACH = _WORD(0x0101010101010101)
_TOP_BITS = _WORD(0x8080808080808080)
_PLACES = _WORD(0x0001020304050607)
_ONE, _TWO = _WORD(1), _WORD(2)
_MIXER, _OTHER_MIXER = _WORD(0x9E3779B97F4A7C15), _WORD(0xC2B2AE3D27D4EB4F)  # odd, of many bits
_NUMBER = _WORD(0xFFFFFFFF)
"""The half of a slot that holds the number of a name; the other half is a part of its hash."""
_HALF, _LENGTH = _WORD(32), _WORD(56)
"""Where the upper half of a word begins, and its last byte, which holds the length of a name."""
_LONG = _WORD(255)
"""What keys of names of 16 bytes or more have for their length; shorter names are their own keys."""
_LINE_FEED, _CARRIAGE_RETURN, _POINT = 10, 13, 46
_ZEROS, _SIXES, _HIGH_HALVES = _WORD(ZERO) * _EACH, _WORD(6) * _EACH, _WORD(0xF0) * _EACH
"""Eight times the digit 0; what carries from a low half above 9; and the halves of bytes it carries into."""
_ENDS_BELOW = _WORD(_CARRIAGE_RETURN + 1) * _EACH
"""Cells end before a byte below this, which is the end of a line or nothing that a plain cell has."""
_MOST_DIGITS = 15
"""Numbers of so many digits are exact, and so is dividing them by a power of ten."""
_POWERS = 10.0 ** np.arange(_MOST_DIGITS + 1)


class Layout(NamedTuple):
    """What the cells of a row are, in their order."""

    separator: int
    kinds: Ints
    targets: Ints
    """Of a name the side of the match, of a number which of the numbers it is."""
    earliest: int
    """The seconds that a moment may have are from this number to the next one."""
    latest: int


class NameColumns(NamedTuple):
    """Names by their numbers, counted from 1, and a table of slots to find them."""

    slots: Words
    """A part of the hash of a name, and its number; 0 is an empty slot."""
    keys: Words
    """Two words a name: its letters and their count, or of a long name their hash."""
    starts: Longs
    """Where the letters of the name after this one begin."""
    letters: Bytes
    """All names, a line each."""


class RowColumns(NamedTuple):
    """Where rows are written to."""

    player: Ints
    """Two a row."""
    number: Floats
    """As many a row as the layout has; rows are lines of the array."""
    time: Longs


@kernel
def read_rows(
    text: Bytes,
    place: Any,
    stop: int,
    layout: Layout,
    names: NameColumns,
    known: int,
    rows: RowColumns,
    most: int,
    batch: Words,
) -> tuple[int, int, int]:
    """Read up to `most` rows from a place of the text on, which ends with a line at `stop`.

    Returns the number of rows, the place behind them and the number of names that are known then. If anything
    is not plain the number of rows is −1, and nothing that was written is of use. `batch` is room to work in:
    a line for each name of `ROWS_AT_ONCE` rows. There must be room for as many names and letters as a text of
    this length can have.
    """
    words = text.view(np.uint64)
    separator, kinds, targets, earliest, latest = layout
    slots = names.slots
    player, number, time = rows
    separators = _WORD(separator) * _EACH
    shift = _slot_shift(len(slots))
    last = len(kinds) - 1
    row = 0
    while place < stop and row < most:
        first = row
        while place < stop and row < most and row < first + ROWS_AT_ONCE:
            for column in range(last + 1):
                kind = kinds[column]
                start = place
                if kind <= NAME:
                    low, high, place = _cell(words, place, separators)
                    if kind == NAME:
                        hashed = _hash(low, high)
                        slot: Any = np.int64(hashed >> shift)
                        prefetch(slots, slot)
                        line = 2 * (row - first) + targets[column]
                        batch[line, 0], batch[line, 1], batch[line, 2] = low, high, hashed
                        batch[line, 3] = _WORD(start)
                        if place == start:
                            return -1, place, known
                elif kind == SECONDS:
                    value, place = _digits(text, place + 8, _eight_digits(words, place))
                    if value < earliest or value > latest or place - start > _MOST_DIGITS:
                        return -1, place, known
                    time[row] = value * SECOND
                elif kind == MOMENT:
                    time[row], place = moment_at(text, place)
                    if place < 0:
                        return -1, place, known
                else:
                    value, place = _digits(text, place, 0)
                    digits, scale = place - start, 1.0
                    if kind == DECIMAL and byte_at(text, place) == _POINT:
                        point = place
                        value, place = _digits(text, point + 1, value)
                        digits += place - point - 1
                        scale = _POWERS[min(place - point - 1, _MOST_DIGITS)]
                    if digits == 0 or digits > _MOST_DIGITS:
                        return -1, place, known
                    number[row, targets[column]] = value / scale
                if column < last:
                    if byte_at(text, place) != separator:
                        return -1, place, known
                else:
                    if byte_at(text, place) == _CARRIAGE_RETURN:
                        place += 1
                    if byte_at(text, place) != _LINE_FEED:
                        return -1, place, known
                place += 1
            row += 1
        known = _look_up(text, names, known, batch, player[2 * first : 2 * row])
        if known < 0:
            return -1, place, known
    return row, place, known


@formula
def _cell(words: Words, place: Any, separators: Any) -> tuple[Any, Any, Any]:
    """The key of a cell that begins at a place, in two words, and the place where it ends."""
    start = place
    word = _word(words, place)
    ends = _ends(word, separators)
    if ends:
        count = _bytes_before(ends)
        return _first_bytes(word, count), _WORD(count) << _LENGTH, place + count
    low = word
    place += 8
    word = _word(words, place)
    ends = _ends(word, separators)
    if ends:
        count = _bytes_before(ends)
        return low, _first_bytes(word, count) | (_WORD(8 + count) << _LENGTH), place + count
    while not ends:
        low = _mixed(low ^ word)
        place += 8
        word = _word(words, place)
        ends = _ends(word, separators)
    count = _bytes_before(ends)
    low = _mixed(low ^ _first_bytes(word, count))
    place += count
    return low, (_LONG << _LENGTH) | _WORD(place - start), place


@formula
def _word(words: Words, place: Any) -> Any:
    """The eight bytes from a place on, the first of them lowest."""
    at, shift = _WORD(place >> 3), _WORD(place & 7) << _WORD(3)
    return (words[at] >> shift) | ((words[at + _ONE] << _ONE) << (_WORD(63) - shift))


@formula
def _ends(word: Any, separators: Any) -> Any:
    """A word whose lowest bit set is the top bit of the first byte that ends a cell; 0 if none does."""
    apart = word ^ separators
    return (((apart - _EACH) & ~apart) | ((word - _ENDS_BELOW) & ~word)) & _TOP_BITS


@formula
def _bytes_before(ends: Any) -> Any:
    """How many bytes stand before the first one that ends a cell."""
    lowest = ends & (~ends + _ONE)
    return np.int64(((lowest >> _WORD(7)) * _PLACES) >> _LENGTH)


@formula
def _first_bytes(word: Any, count: Any) -> Any:
    """The first bytes of a word, fewer than eight."""
    return word & ((_ONE << _WORD(8 * count)) - _ONE)


@formula
def _mixed(word: Any) -> Any:
    """A word of which every bit depends on all lower ones of this."""
    mixed = word * _MIXER
    return mixed ^ (mixed >> _HALF)


@formula
def _hash(low: Any, high: Any) -> Any:
    """The hash of a key; its upper bits are the slot."""
    return _mixed(low ^ (high * _OTHER_MIXER)) * _MIXER


@formula
def _slot_shift(size: int) -> Any:
    """How far to shift a hash to get a slot among `size`, a power of two."""
    shift = 64
    while size > 1:
        size >>= 1
        shift -= 1
    return _WORD(shift)


@formula
def _digits(text: Bytes, place: Any, value: Any) -> tuple[Any, Any]:
    """A number with the digits from a place on behind those it has; and the place where they end."""
    digit = byte_at(text, place) - ZERO
    while 0 <= digit <= 9:
        value = 10 * value + digit
        place += 1
        digit = byte_at(text, place) - ZERO
    return value, place


@formula
def _eight_digits(words: Words, place: Any) -> Any:
    """The number that eight digits from a place on are; −1 if some of these bytes are no digits."""
    digits = _word(words, place) ^ _ZEROS
    if (digits | (digits + _SIXES)) & _HIGH_HALVES:
        return -1
    pairs = (digits * _WORD(10) + (digits >> _WORD(8))) & _WORD(0x00FF00FF00FF00FF)
    fours = (pairs * _WORD(100) + (pairs >> _WORD(16))) & _WORD(0x0000FFFF0000FFFF)
    return np.int64((fours * _WORD(10_000) + (fours >> _HALF)) & _NUMBER)


@kernel
def _look_up(text: Bytes, names: NameColumns, known: int, batch: Words, player: Ints) -> Any:
    """Write the numbers of the names in a batch, counted from 0; new names get the next ones.

    Returns the number of names that are known then; −1 if two names have nearly the same hash, which happens
    by chance in one of thousands of files with a million names.
    """
    slots, keys, starts, letters = names
    shift, mask = _slot_shift(len(slots)), _WORD(len(slots) - 1)
    for line in range(len(player)):
        hashed = batch[line, 2]
        slot, part = hashed >> shift, hashed << _HALF
        entry = slots[slot]
        while entry != 0 and (entry & ~_NUMBER) != part:
            slot = (slot + _ONE) & mask
            entry = slots[slot]
        name: Any = np.int64(entry & _NUMBER)
        if name == 0:
            known += 1
            name = known
            slots[slot] = part | _WORD(name)
            keys[2 * name], keys[2 * name + 1] = batch[line, 0], batch[line, 1]
            start, end = np.int64(batch[line, 3]), starts[name - 1]
            for place in range(start, start + _length(batch[line, 1])):
                letters[end] = text[place]
                end += 1
            letters[end] = _LINE_FEED
            starts[name] = end + 1
        prefetch(keys, 2 * name)
        if _is_long(batch[line, 1]):
            prefetch(starts, name - 1)
        player[line] = name - 1
    others, long_ones = 0, 0
    for line in range(len(player)):
        key = _TWO * (_WORD(player[line]) + _ONE)
        others += keys[key] != batch[line, 0]
        others += keys[key + _ONE] != batch[line, 1]
        if _is_long(batch[line, 1]):
            prefetch(letters, starts[player[line]])
            long_ones += 1
    if long_ones and not others:
        others = _count_others(text, names, batch, player)
    return -1 if others else known


@kernel
def _count_others(text: Bytes, names: NameColumns, batch: Words, player: Ints) -> int:
    """How many words of the long names in a batch are not those of the names with their numbers."""
    words, letters = text.view(np.uint64), names.letters.view(np.uint64)
    others = 0
    for line in range(len(player)):
        if _is_long(batch[line, 1]):
            place, other = np.int64(batch[line, 3]), names.starts[player[line]]
            last = _length(batch[line, 1]) - 8
            for at in range(0, last, 8):
                others += _word(words, place + at) != _word(letters, other + at)
            others += _word(words, place + last) != _word(letters, other + last)
    return others


@formula
def _is_long(high: Any) -> Any:
    """Whether a name is too long for its key, by the second word of it."""
    return high >> _LENGTH == _LONG


@formula
def _length(high: Any) -> Any:
    """The length of the name whose key has this second word."""
    return np.int64(high & ((_ONE << _LENGTH) - _ONE) if _is_long(high) else high >> _LENGTH)


@kernel
def place_names(slots: Words, keys: Words, known: int) -> None:
    """Give every known name a slot; all slots are empty."""
    shift, mask = _slot_shift(len(slots)), _WORD(len(slots) - 1)
    for name in range(1, known + 1):
        hashed = _hash(keys[2 * name], keys[2 * name + 1])
        slot = hashed >> shift
        while slots[slot] != 0:
            slot = (slot + _ONE) & mask
        slots[slot] = (hashed << _HALF) | _WORD(name)
