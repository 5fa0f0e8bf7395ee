"""What a ladder has rated, so that nothing counts twice: events by name and time, files by content.

A ladder keeps a 64-bit hash of each, not the names: eight bytes an event. Only events with a name of their
own count (`History.named`); a second match of the same pair on the same day is a match like the first.

The hash of an event is BLAKE2b of its name, plus its time in microseconds times an odd constant; that of a
file is the beginning of its digest. Saved ladders hold these numbers, so they stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from podium.arrays import NO_TIME
from podium.errors import RepeatError
from podium.history import History, Reading
from podium.history.key_numbers import Hashes, HashSet
from podium.history.ragged import first_equal
from podium.history.times import to_iso
from podium.text import shorten

_SPREAD = 0x9E3779B97F4A7C15  # 2⁶⁴ / golden ratio, odd: spreads times over all bits
_BITS = 2**64 - 1
_EMPTY = blake2b(digest_size=8)  # copied, which takes half the time of making one

_HINT = "to rate it again, use --allow-repeat (allow_repeat=True)"


class Repeats:
    """Hashes of the events and files that a ladder has rated."""

    def __init__(self, hashes: HashSet | None = None) -> None:
        self.hashes = HashSet() if hashes is None else hashes

    def copy(self) -> Repeats:
        """An independent memory of the same."""
        return Repeats(self.hashes.copy())

    def check_event(self, name: str, time: int, *, allow: bool) -> int | None:
        """The hash of an event to remember; None where it is rated once more because that is allowed."""
        found = event_hash(name, time)
        if found not in self.hashes:
            return found
        if not allow:
            raise _event_error(name, time)
        return None

    def check_events(self, history: History, *, allow: bool) -> Hashes:
        """The hashes of the named events of a history, sorted, to remember; one that was rated is refused."""
        if history.named is None or history.event_names is None or not history.named.any():
            return np.zeros(0, np.uint64)
        numbers = np.flatnonzero(history.named)
        names = history.event_names
        chosen = names if len(numbers) == len(names) else [names[i] for i in numbers.tolist()]
        hashes = _event_hashes(chosen, history.time[numbers])
        ordered = np.sort(hashes)
        if not allow and (np.any(ordered[1:] == ordered[:-1]) or self.hashes.has(ordered).any()):
            again = self.hashes.has(hashes) | (first_equal(hashes) != np.arange(len(hashes)))
            number = int(numbers[np.argmax(again)])
            raise _event_error(names[number], int(history.time[number]))
        return ordered

    def add_files(self, readings: Iterable[Reading], *, allow: bool) -> None:
        """Remember the files a history was read from; one that was rated is refused."""
        for reading in readings:
            found = file_hashes([reading])
            if not allow and found and found[0] in self.hashes:
                raise RepeatError(f"{reading.source}: a file with this content is already rated", hint=_HINT)
            self.add_hashes(found)

    def add_hashes(self, hashes: Iterable[int]) -> None:
        """Remember these hashes, of which some may be known."""
        for one in hashes:
            if one not in self.hashes:
                self.hashes.add(one)


def file_hashes(readings: Iterable[Reading]) -> tuple[int, ...]:
    """The hashes of the files among these readings."""
    return tuple(int(reading.digest[:16], 16) for reading in readings if reading.digest is not None)


def event_hash(name: str, time: int) -> int:
    """What is remembered of an event."""
    mine = _EMPTY.copy()
    mine.update(name.encode("utf-8", "surrogatepass"))
    return (int.from_bytes(mine.digest(), "little") + time * _SPREAD) & _BITS


def _event_hashes(names: Iterable[str], times: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Hashes:
    digests = []
    for name in names:
        mine = _EMPTY.copy()
        mine.update(name.encode("utf-8", "surrogatepass"))
        digests.append(mine.digest())
    hashes = np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)
    return hashes + times.astype(np.uint64) * np.uint64(_SPREAD)


def _event_error(name: str, time: int) -> RepeatError:
    when = "" if time == NO_TIME else f" of {to_iso(time)}"
    return RepeatError(f"the event {shorten(name)!r}{when} is already rated", hint=_HINT)
