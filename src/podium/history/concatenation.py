"""Parts of a history, several histories as one, and a history in the order of time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Bools, Ints
from podium.errors import InputError
from podium.history.adjustments import Placed, SetRating
from podium.history.columns import ALWAYS_THERE, DEFAULTS, PER_EVENT, PER_ROW, TYPES, columns_at
from podium.history.events import Event
from podium.history.names import Names, player_name
from podium.history.ragged import dense_sides, row_numbers, side_groups
from podium.history.times import Time, to_micros

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
        return replace(item, before=first + passed)

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


def between(history: History, start: Time | None, end: Time | None) -> History:
    """The events with start ≤ time < end; see `History.between`."""
    since, until = to_micros(start), None if end is None else to_micros(end)
    if (start is not None or end is not None) and np.any(history.time == NO_TIME):
        raise InputError("the events have no times to choose by", hint="slice by number: history[10:20]")
    low = int(np.searchsorted(history.time, since, "left"))
    high = len(history) if until is None else int(np.searchsorted(history.time, until, "left"))
    kept = history[low:high]
    inside = tuple(
        replace(p, before=min(max(p.before - low, 0), len(kept)), of_selection=p.of_selection or low > 0)
        for p in history.adjustments
        if p.time >= since and (until is None or p.time < until)
    )
    return replace(kept, adjustments=inside)


def wanted_rows(
    history: History,
    events: Callable[[Event], bool] | Collection[str] | ArrayLike | None,
    players: Callable[[str], bool] | Collection[str] | None,
) -> Bools:
    """The rows of the events and of the players wanted; see `History.filter`."""
    rows = np.ones(history.rows, np.bool_)
    if events is not None:
        rows &= _wanted_events(history, events)[history.event_of_row]
    if players is not None:
        wanted = players if callable(players) else _names(players).__contains__
        rows &= np.array([wanted(name) for name in history.players], np.bool_)[history.player]
    return rows


def _wanted_events(history: History, events: Callable[[Event], bool] | Collection[str] | ArrayLike) -> Bools:
    if callable(events):
        return np.array([bool(events(event)) for event in history], np.bool_)
    mask = np.asarray(events)
    if mask.dtype == np.bool_:
        if mask.shape != (len(history),):
            raise InputError(f"a mask of {mask.size} for {len(history)} events")
        return mask
    wanted = _names(events)
    return np.array([history.event_name(number) in wanted for number in range(len(history))], np.bool_)


def _names(given: Any) -> set[str]:
    """Names from one or many; whole numbers mean their decimal strings."""
    return {given} if isinstance(given, str) else {player_name(name) for name in given}


def with_rows(history: History, keep: Bools) -> History:
    """Only the rows marked; see `History.with_rows`."""
    event = history.event_of_row
    kept_rows = event[keep]
    if history.side is None:
        sides = np.bincount(kept_rows, minlength=len(history))
    else:
        _, first = side_groups(kept_rows, history.side[keep])
        sides = np.bincount(kept_rows[first], minlength=len(history))
    wanted = sides >= 2
    keep = keep & wanted[event]
    counts = np.bincount(event[keep], minlength=len(history))[wanted]
    position = np.concatenate(([0], np.cumsum(wanted)))
    kept = replace(
        history,
        offsets=np.concatenate(([0], np.cumsum(counts))),
        event_names=tuple(history.event_name(number) for number in np.flatnonzero(wanted).tolist()),
        adjustments=tuple(
            replace(p, before=int(position[p.before]), of_selection=True) for p in history.adjustments
        ),
        readings=(),
        **columns_at(history, keep, wanted),
    )
    if history.side is not None:
        side = dense_sides(kept.event_of_row, history.side[keep])
        kept = replace(kept, side=side)
    return kept if history.home is None else replace(kept, home=_hosts(history, keep)[wanted])


def _hosts(history: History, keep: Bools) -> Ints:
    """The home mark of each event if only some rows stay: on a member of the home side who does."""
    assert history.home is not None
    event = history.event_of_row
    side = row_numbers(history.offsets) if history.side is None else history.side
    home_side = np.full(len(history), -1, np.int64)
    marked = history.home[event] == history.player
    home_side[event[marked]] = side[marked]
    hosts = np.flatnonzero(keep & (home_side[event] == side))[::-1]  # the first member is written last
    home = np.full(len(history), -1, np.int32)
    home[event[hosts]] = history.player[hosts]
    stays = np.zeros(len(history), np.bool_)
    stays[event[marked & keep]] = True
    return np.where(stays, history.home, home)
