"""Several histories as one, and a history in the order of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.history.adjustments import Placed, SetRating
from podium.history.columns import ALWAYS_THERE, DEFAULTS, PER_EVENT, PER_ROW, TYPES, columns_at
from podium.history.names import Names
from podium.history.ragged import row_numbers

if TYPE_CHECKING:
    from podium.history.history import History


def concatenated(histories: Sequence[History], *, ratings_first: bool = False) -> History:
    """Join histories one after another; columns that only some of them have are filled with the default.

    With `ratings_first` a rating that a table without events sets stands before all events: put in the order
    of time, it then comes before those of its time, whichever table was given first.
    """
    names = Names()
    parts = [history.with_players(names) for history in histories]
    starts = np.cumsum([0, *(len(part) for part in parts)]).tolist()
    columns: dict[str, Any] = dict.fromkeys(PER_ROW + PER_EVENT)
    for name in columns:
        if name in ALWAYS_THERE or any(getattr(part, name) is not None for part in parts):
            columns[name] = np.concatenate([_filled(part, name) for part in parts]).astype(TYPES[name])
    team_names = None
    if columns["team"] is not None:
        columns["team"], team_names = _joined_teams(parts)
    event_names = None
    if any(part.event_names is not None for part in parts):
        event_names = tuple(
            part.event_names[i] if part.event_names is not None else str(start + i + 1)
            for part, start in zip(parts, starts, strict=False)
            for i in range(len(part))
        )
    return replace(
        parts[0],
        offsets=np.concatenate(([0], np.cumsum(np.concatenate([part.sizes for part in parts])))),
        team_names=team_names,
        event_names=event_names,
        first_number=1,
        adjustments=tuple(
            # A table of adjustments alone that has no times, such as first ratings, is about the beginning.
            placed.moved(-placed.before if _is_first(part, placed, ratings_first) else start)
            for part, start in zip(parts, starts, strict=False)
            for placed in part.adjustments
        ),
        skipped=tuple(skipped for part in parts for skipped in part.skipped),
        readings=tuple(reading for part in parts for reading in part.readings),
        **columns,
    )


def _is_first(part: History, placed: Placed, ratings_first: bool) -> bool:
    """Whether an adjustment of a part stands before the events of all parts."""
    if len(part):
        return False
    return placed.time == NO_TIME or (ratings_first and isinstance(placed.adjustment, SetRating))


def _joined_teams(parts: Sequence[History]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Labels of teams in terms of the names of all parts together."""
    known = Names()
    labels = []
    for part in parts:
        if part.team is None and part.side is not None:  # teams without names are called by their number
            numbers = known.add_all(str(side + 1) for side in range(int(part.side.max(initial=-1)) + 1))
            labels.append(numbers[part.side])
        else:
            index = np.append(known.add_all(part.team_names or ()), np.int32(-1))  # −1 stays −1
            labels.append(index[_filled(part, "team")])
    return np.concatenate(labels), tuple(known)


def _filled(history: History, name: str) -> NDArray[Any]:
    """A column; where the history does not have it, its default value in every row."""
    column: NDArray[Any] | None = getattr(history, name)
    if column is not None:
        return column
    if name == "side":  # everybody plays alone
        return row_numbers(history.offsets)
    return np.full(history.rows if name in PER_ROW else len(history), DEFAULTS[name])


def time_ordered(history: History, *, newest_first: bool = False) -> History:
    """Events and adjustments sorted by time, stably: equal times keep their order.

    With `newest_first` the events stand in the opposite order now, and all of them are turned round.
    """
    _check_times(history)
    placed = _timed(history)
    time = history.time
    if np.all(time[1:] >= time[:-1]) and _stand_in_order(placed, time):
        return replace(history, adjustments=placed) if placed != history.adjustments else history
    order = time_order(time, newest_first=newest_first)
    ordered = time[order]

    def place(item: Placed) -> Placed:
        """Behind the events before its time, and those of its time that it stood behind."""
        first, last = (int(np.searchsorted(ordered, item.time, side)) for side in ("left", "right"))
        passed = int(np.searchsorted(order[first:last], item.before, "left"))
        return Placed(first + passed, item.time, item.adjustment)

    adjustments = sorted(map(place, sorted(placed, key=lambda item: item.time)), key=lambda item: item.before)
    return replace(reordered(history, order), adjustments=tuple(adjustments))


def time_order(time: NDArray[np.int64], *, newest_first: bool) -> NDArray[np.int64]:
    """The numbers of events in the order of their times."""
    return np.arange(len(time))[::-1] if newest_first else np.argsort(time, kind="stable")


def reordered(history: History, order: NDArray[np.int64]) -> History:
    """The events in another order, of which `order` has their numbers; adjustments stay as they are."""
    offsets = np.concatenate(([0], np.cumsum(history.sizes[order])))
    rows = np.arange(history.rows) + np.repeat(history.offsets[order] - offsets[:-1], history.sizes[order])
    names = tuple(history.event_name(e) for e in order.tolist()) if len(history) else history.event_names
    return replace(history, offsets=offsets, event_names=names, **columns_at(history, rows, order))


def _check_times(history: History) -> None:
    """Either everything has a time or nothing."""
    timed = history.time != NO_TIME
    hint = "give every event a time, or none"
    if timed.any() and not timed.all():
        missing = int(np.flatnonzero(~timed)[0])
        raise InputError(
            "the event has no time, though others have", event=history.event_name(missing), hint=hint
        )
    if len(timed) and not timed.any():
        for placed in history.adjustments:
            if placed.time != NO_TIME:
                what = placed.adjustment.describe()
                raise InputError(f"the adjustment ({what}) has a time, though no event has", hint=hint)


def _timed(history: History) -> tuple[Placed, ...]:
    """The adjustments; one without a time happens when the latest event before it did."""
    if all(placed.time != NO_TIME or not placed.before for placed in history.adjustments):
        return history.adjustments
    latest = np.maximum.accumulate(history.time)
    return tuple(
        replace(placed, time=int(latest[placed.before - 1]))
        if placed.time == NO_TIME and placed.before
        else placed
        for placed in history.adjustments
    )


def _stand_in_order(placed: tuple[Placed, ...], time: NDArray[np.int64]) -> bool:
    """Whether the adjustments stand where their times say, among events in order."""
    in_line = all(a.before <= b.before and a.time <= b.time for a, b in pairwise(placed))
    return in_line and all(
        (not item.before or time[item.before - 1] <= item.time)
        and (item.before == len(time) or item.time <= time[item.before])
        for item in placed
    )
