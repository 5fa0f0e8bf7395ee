"""Parts of a history: events of a span of time, events and players wanted by name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_TIME, Bools, Ints
from podium.errors import InputError
from podium.history.adjustments import Placed
from podium.history.columns import columns_at
from podium.history.events import Event
from podium.history.names import player_name
from podium.history.ragged import dense_sides, row_numbers, side_groups
from podium.history.times import Time, to_micros

if TYPE_CHECKING:
    from podium.history.history import History


def between(history: History, start: Time | None, end: Time | None) -> History:
    """The events with start ≤ time < end; see `History.between`."""
    since, until = to_micros(start), None if end is None else to_micros(end)
    if (start is not None or end is not None) and np.any(history.time == NO_TIME):
        raise InputError("the events have no times to choose by", hint="slice by number: history[10:20]")
    low = int(np.searchsorted(history.time, since, "left"))
    high = len(history) if until is None else int(np.searchsorted(history.time, until, "left"))
    kept = history[low:high]
    inside = tuple(
        Placed(min(max(p.before - low, 0), len(kept)), p.time, p.adjustment)
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
        adjustments=tuple(Placed(int(position[p.before]), p.time, p.adjustment) for p in history.adjustments),
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
