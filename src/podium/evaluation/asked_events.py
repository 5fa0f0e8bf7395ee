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

SameTime = Literal["together", "in-order"]
"""How events of one time are predicted: all from the state before the first of them, or one after another."""


def check_same_time(same_time: SameTime) -> None:
    """Refuse other ways."""
    if same_time not in ("together", "in-order"):
        raise ParameterError(f"same_time is {same_time!r}, not 'together' or 'in-order'")


@dataclass(frozen=True)
class AskedEvents:
    """A history with the events that are asked about, in the order of the history they come from."""

    history: History
    asked: Bools
    """The events to ask about; each event of the history they come from is asked about once."""

    @classmethod
    def of(cls, history: History, same_time: SameTime) -> AskedEvents:
        """The events of a history, asked about in this way.

        >>> history = History.from_matches(["ann"] * 3, ["bob"] * 3, time=["2026-05-01"] * 2 + ["2026-05-02"])
        >>> AskedEvents.of(history, "together").asked.tolist()
        [True, True, False, False, True]
        """
        check_same_time(same_time)
        begins = None if same_time == "in-order" else _begins(history)
        if begins is None:
            return cls(history, np.ones(len(history), np.bool_))
        group = np.cumsum(begins) - 1
        copied = np.flatnonzero((np.bincount(group) > 1)[group])
        number = np.concatenate((copied, np.arange(len(history))))
        is_copy = np.arange(len(number)) < len(copied)
        order = np.argsort(2 * group[number] + ~is_copy, kind="stable")
        number, is_copy = number[order], is_copy[order]
        asked = is_copy | (np.bincount(group) == 1)[group[number]]
        return cls(_with_copies(history, number, is_copy, np.searchsorted(group[number], group)), asked)

    def pieces(self, rows: int) -> Iterator[tuple[History, Bools | None]]:
        """Pieces of about `rows` rows, each with the rows to ask about; None if these are all."""
        done = 0
        for piece in self.history.chunks(rows):
            asked = self.asked[done : done + len(piece)]
            yield piece, None if asked.all() else np.repeat(asked, piece.sizes)
            done += len(piece)


def _begins(history: History) -> Bools | None:
    """Whether each event is the first of its time, or after an adjustment; None if all are."""
    if not len(history) or history.time[0] == NO_TIME:  # the order of events is all that is known
        return None
    begins = np.diff(history.time, prepend=history.time[0] - 1) != 0
    begins[[placed.before for placed in history.adjustments if placed.before < len(history)]] = True
    return None if begins.all() else begins


def _with_copies(history: History, number: Longs, is_copy: Bools, first: Longs) -> History:
    """The events with these numbers, some of them copies; `first` is where each event's time begins there."""
    sizes = history.sizes[number]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    rows = np.arange(offsets[-1]) + np.repeat(history.offsets[number] - offsets[:-1], sizes)
    columns = columns_at(history, rows, number)
    copies = np.repeat(is_copy, sizes)
    columns["unrated"] = copies if history.unrated is None else columns["unrated"] | copies
    ends = np.append(first, len(number))
    adjustments = tuple(replace(one, before=int(ends[one.before])) for one in history.adjustments)
    return replace(history, offsets=offsets, event_names=None, adjustments=adjustments, **columns)
