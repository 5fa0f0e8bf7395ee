"""Single events as the rows and columns of a history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import signature
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError
from podium.history.adjustments import Adjustment, Placed
from podium.history.events import Event
from podium.history.names import Names
from podium.text import shorten

_WORDS = signature(Event.of).parameters
_HINT = "an event is an Event, an Adjustment, or a dict of " + ", ".join(_WORDS)


def collected(
    items: Iterable[Event | Adjustment | Mapping[str, Any]], names: Names
) -> tuple[list[Event], tuple[Placed, ...]]:
    """Split a list into its events and the adjustments between them; adds their players to `names`."""
    if not isinstance(items, Iterable) or isinstance(items, Mapping):
        raise ParameterError(f"events are a list, not {type(items).__name__}", hint=_HINT)
    events: list[Event] = []
    placed: list[Placed] = []
    for item in items:
        if isinstance(item, Adjustment):
            placed.append(Placed(len(events), NO_TIME, item))
            placed[-1].register(names)
        else:
            events.append(item if isinstance(item, Event) else _event_from(item, len(events) + 1))
    if not events and not placed:
        raise InputError("there are no events")
    return events, tuple(placed)


def _event_from(item: object, number: int) -> Event:
    """The event that the words of `Event.of` describe; errors say which of many it is."""
    if not isinstance(item, Mapping):
        raise InputError(f"{shorten(repr(item))} is not an event", event=str(number), hint=_HINT)
    if unknown := [word for word in item if word not in _WORDS]:
        raise InputError(f"{unknown[0]!r} says nothing of an event", event=str(number), hint=_HINT)
    try:
        return Event.of(**item)
    except InputError as error:
        if error.event is not None:
            raise
        raise InputError(error.reason, event=str(number), hint=error.hint) from error


def _parts_played(events: Sequence[Event]) -> NDArray[np.float64] | None:
    """The part of the event each row's player took part in."""
    if not any(event.play for event in events):
        return None
    parts = []
    for event in events:
        played = dict(event.play)
        parts += [played.get(player, 1.0) for side in event.sides for player in side]
    return np.array(parts)


def _named(events: Sequence[Event]) -> list[bool] | None:
    """Which events have a name of their own; what several of one time share is the name of something else."""
    if len(events) == 1:  # as each event that is recorded online
        return [True] if events[0].named and events[0].name is not None else None
    shared = Counter((event.name, event.time) for event in events)
    named = [e.named and e.name is not None and shared[e.name, e.time] == 1 for e in events]
    return named if any(named) else None


def event_rows(events: Sequence[Event], names: Names) -> dict[str, Any]:
    """The columns of a history with these events in this order; adds their players to `names`."""
    rows = [(e, side, player) for e in events for side, members in enumerate(e.sides) for player in members]

    def per_row(
        value: Callable[[Event, int, str], Any], used: Callable[[Event], bool]
    ) -> NDArray[Any] | None:
        return np.array([value(*row) for row in rows]) if any(map(used, events)) else None

    def per_event(column: str, none: Any) -> NDArray[Any] | None:
        found = [getattr(event, column) for event in events]
        if all(value is None or value == none for value in found):
            return None
        return np.array([none if value is None else value for value in found])

    player = np.array([names.add(player) for _, _, player in rows], np.int32)
    hosts = [event.home for event in events]
    named = _named(events)
    return {
        "offsets": np.array([0, *accumulate(sum(map(len, event.sides)) for event in events)], np.int64),
        "player": player,
        "rank": np.array([event.ranks[side] for event, side, _ in rows], np.int32),
        "time": np.array([event.time for event in events], np.int64),
        "score": per_row(
            lambda e, side, _: e.scores[side] if e.scores else np.nan, lambda e: e.scores is not None
        ),
        "share": per_row(lambda e, side, _: e.share_of(side), lambda e: e.share is not None),
        "side": None
        if not any(event.has_teams for event in events)
        else np.array([side for _, side, _ in rows], np.int32),
        "unrated": per_row(lambda e, _, player: player in e.unrated, lambda e: bool(e.unrated)),
        "play": _parts_played(events),
        "weight": per_event("weight", 1.0),
        "home": None
        if not any(hosts)
        else np.array([-1 if host is None else names.add(host) for host in hosts], np.int32),
        "ceiling": per_event("ceiling", np.inf),
        "event_names": None
        if all(event.name is None for event in events)
        else tuple(event.name or str(number) for number, event in enumerate(events, start=1)),
        "named": None if named is None else np.array(named),
    }
