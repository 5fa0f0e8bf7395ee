"""Events of one time, predicted from one state: each is asked about before any of them is rated.

A copy of each such event, in which everybody takes part out of competition, is put before the first of them.
No system learns from an event in which nobody is rated, so that what it says of the copy is what it knew
before that time, and what follows is rated as if there were no copies: bit for bit, which a test holds for
every system.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from podium.arrays import NO_TIME, Bools, Longs
from podium.errors import ParameterError
from podium.history import History
from podium.history.columns import columns_at
from podium.history.ragged import chunk_end

SameTime = Literal["together", "in-order"]
"""How events of one time are predicted: all from the state before the first of them, or one after another."""


def check_same_time(same_time: SameTime) -> None:
    """Refuse other ways."""
    if same_time not in ("together", "in-order"):
        raise ParameterError(f"same_time is {same_time!r}, not 'together' or 'in-order'")


@dataclass(frozen=True)
class AskedEvents:
    """Events to be rated, and which of them are asked about."""

    history: History
    asked: Bools | None = None
    """The events to ask about; None means all."""
    begins: Longs | None = None
    """The first event of each time, where copies are put; None means that there are none."""

    @classmethod
    def of(cls, history: History, same_time: SameTime) -> AskedEvents:
        """The events of a history, each asked about once, in the order of the history.

        >>> history = History.from_matches(["ann"] * 3, ["bob"] * 3, time=["2026-05-01"] * 2 + ["2026-05-02"])
        >>> [(piece, rows)] = AskedEvents.of(history, "together").pieces(100)
        >>> len(piece), rows[::2].tolist()
        (5, [True, True, False, False, True])
        """
        check_same_time(same_time)
        return cls(history, begins=None if same_time == "in-order" else _begins(history))

    @property
    def rows(self) -> int:
        """The number of rows to rate, with those of copies."""
        if self.begins is None:
            return self.history.rows
        ends = np.append(self.begins, len(self.history))
        shared = np.diff(ends) > 1
        return self.history.rows + int(np.diff(self.history.offsets[ends])[shared].sum())

    def pieces(self, rows: int) -> Iterator[tuple[History, Bools | None]]:
        """Pieces of about `rows` rows to rate, each with the rows to ask about; None if these are all."""
        if self.begins is not None:
            ends = np.append(self.begins, len(self.history))
            for piece in _whole_times(self.history, ends, rows):
                here = ends[np.searchsorted(ends, piece.start) : np.searchsorted(ends, piece.stop, "right")]
                yield _with_copies(self.history[piece], here - piece.start)
            return
        done = 0
        for chunk in self.history.chunks(rows):
            asked = None if self.asked is None else self.asked[done : done + len(chunk)]
            yield chunk, None if asked is None or asked.all() else np.repeat(asked, chunk.sizes)
            done += len(chunk)


def _whole_times(history: History, ends: Longs, rows: int) -> Iterator[slice]:
    """Pieces of about `rows` rows that end where a time ends; `ends` begins with 0."""
    first_row, time = history.offsets[ends], 0
    while time < len(ends) - 1:
        following = chunk_end(first_row, time, rows)
        yield slice(int(ends[time]), int(ends[following]))
        time = following


def _begins(history: History) -> Longs | None:
    """The events that are the first of their time, or after an adjustment; None if all are."""
    if not len(history) or history.time[0] == NO_TIME:  # the order of events is all that is known
        return None
    begins = np.diff(history.time, prepend=history.time[0] - 1) != 0
    begins[[placed.before for placed in history.adjustments if placed.before < len(history)]] = True
    return None if begins.all() else np.flatnonzero(begins)


def _with_copies(history: History, ends: Longs) -> tuple[History, Bools | None]:
    """The events, with copies of those that share a time before the first of them; and the rows to ask."""
    counts = np.diff(ends)
    if counts.max() == 1:
        return history, None
    group = np.repeat(np.arange(len(counts)), counts)
    copied = np.flatnonzero((counts > 1)[group])
    number = np.concatenate((copied, np.arange(len(history))))
    is_copy = np.arange(len(number)) < len(copied)
    order = np.argsort(2 * group[number] + ~is_copy, kind="stable")
    number, is_copy = number[order], is_copy[order]
    sizes = history.sizes[number]
    asked = np.repeat(is_copy | (counts == 1)[group[number]], sizes)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    rows = np.arange(offsets[-1]) + np.repeat(history.offsets[number] - offsets[:-1], sizes)
    columns = columns_at(history, rows, number)
    copies = np.repeat(is_copy, sizes)
    columns["unrated"] = copies if history.unrated is None else columns["unrated"] | copies
    begins = np.append(np.searchsorted(group[number], group), len(number))  # of each event's time
    adjustments = tuple(replace(one, before=int(begins[one.before])) for one in history.adjustments)
    together = replace(history, offsets=offsets, event_names=None, adjustments=adjustments, **columns)
    return together, asked
