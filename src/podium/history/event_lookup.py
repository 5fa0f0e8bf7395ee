"""Events as people call them: by name or number, by name and time, or by the day."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import DAY, NO_TIME
from podium.errors import InputError
from podium.history.times import time_words, to_iso, to_micros
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    from podium.history.history import History

_WITH_TIME = re.compile(r"(?:(?P<name>.+), )?(?P<time>\d{4}-\d\d-\d\d(?:[T ].+)?)")
MOST_TIMES = 5
"""Times that an error lists of events with the same name."""


def events_meant(history: History, text: str) -> list[int]:
    """The numbers, counted from 0, of the events that a text means; refused if there are none.

    The text is the name (or the number, where events have no names), "NAME, TIME", or a time alone. A time
    that is a date means the whole day.

    >>> from podium import History
    >>> days = ["2025-05-01", "2026-05-01"]
    >>> cups = [{"ranks": {"ann": 1, "bob": 2}, "name": "cup", "time": day} for day in days]
    >>> events_meant(History.from_events(cups), "cup, 2026-05-01")
    [1]
    """
    if found := events_found(history, text):
        return found
    if hint := did_you_mean(text, list(dict.fromkeys(history.event_names or ()))):
        raise InputError(f"there is no event {shorten(text)!r}", hint=hint)
    return [history.find_event(text)]  # which says how events are called


def events_found(history: History, text: str) -> list[int]:
    """Like `events_meant`, and empty if there are none."""
    if found := history.events_called(text):
        return found
    if (parts := _WITH_TIME.fullmatch(text)) is None:
        return []
    try:
        start = to_micros(parts["time"])
    except InputError:
        return []
    stop = start + (DAY if len(parts["time"]) == len("2026-05-01") else 1)
    then = np.flatnonzero((history.time >= start) & (history.time < stop)).tolist()
    return then if parts["name"] is None else [e for e in then if history.event_name(e) == parts["name"]]


def one_occasion(history: History, events: list[int], text: str) -> list[int]:
    """The same events, refused if they are different occasions that happen to share a name.

    Matches may share the name of their round or tournament, and belong together then.
    """
    own = [e for e in events if history.named is not None and history.named[e]]
    name = history.event_name(events[0])
    if len(own) < 2 or any(history.event_name(e) != name for e in own):
        return events
    times = history.time[own]
    if np.any(times == NO_TIME):
        hint = "give each event a different name"
        raise InputError(f"there are {len(own):,} events called {shorten(name)!r}", hint=hint)
    when = [to_iso(time) for time in times[:MOST_TIMES].tolist()]
    when += ["…"] if len(own) > MOST_TIMES else []
    hint = f"give the time too: {f'{name}, {to_iso(int(times[-1]))}'!r}"
    raise InputError(f"{shorten(text)!r} means {len(own):,} events: {', '.join(when)}", hint=hint)


def called(name: str, time: int) -> str:
    """An event's name and time in a sentence; an event without a name has a number, or only its time.

    >>> called("cup", to_micros("2026-05-01")), called("12", NO_TIME)
    ('cup, 2026-05-01', 'event 12')
    >>> called("2026-05-01T18:30:00Z", to_micros("2026-05-01T18:30:00Z"))
    '2026-05-01 18:30'
    """
    if is_own_time(name, time):
        return time_words(time)
    name = f"event {name}" if name.isdecimal() else shorten(name)
    return name if time == NO_TIME else f"{name}, {time_words(time)}"


def is_own_time(name: str, time: int) -> bool:
    """Whether an event is only called by its time, as a file has it in which each time is an event."""
    if time == NO_TIME or _WITH_TIME.fullmatch(name) is None:
        return False
    try:
        return to_micros(name) == time
    except InputError:
        return False
