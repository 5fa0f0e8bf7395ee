"""A history with mistakes corrected: without an event, without one player's result, with an event replaced.

Nothing else changes: the other events keep their order, times, weights and names, and adjustments stay where
they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.arrays import NO_TIME, Bools, Longs
from podium.errors import InputError, UnknownPlayerError
from podium.history.concatenation import concatenated, reordered
from podium.history.event_lookup import called, events_found, events_meant, one_occasion
from podium.history.names import player_name
from podium.history.ragged import row_numbers
from podium.history.times import to_iso
from podium.text import counted, did_you_mean, shorten

if TYPE_CHECKING:
    from podium.history.history import History

NEW_EVENT_HINT = "an event replaces the event with the same name. To add a new event, add it to the results"


class Correction(NamedTuple):
    """A corrected history, and in words what was corrected."""

    history: History
    words: str


def without_event(history: History, event: str | int) -> Correction:
    """The history without an event; matches that share a name are left out together.

    >>> from podium import History
    >>> ranks = {"ann": 1, "bob": 2}
    >>> rounds = History.from_events([{"ranks": ranks, "name": name} for name in ("round 1", "round 2")])
    >>> corrected, words = without_event(rounds, "round 2")
    >>> len(corrected), words
    (1, 'without round 2')
    """
    events = one_occasion(history, events_meant(history, str(event)), str(event))
    keep = np.ones(len(history), np.bool_)
    keep[events] = False
    if not keep.any():
        raise InputError("there would be no events left", event=str(event))
    return Correction(history.with_rows(keep[history.event_of_row]), f"without {_together(history, events)}")


def without_result(history: History, player: str | int, event: str | int) -> Correction:
    """The history in which a player is disqualified from an event: left out of it, and the others close up.

    A team goes on without the player; an event left with one side does not count.

    >>> from podium import History
    >>> cup = History.from_events([{"ranks": {"ann": 1, "bob": 2, "cat": 3}, "name": "cup"}])
    >>> corrected, words = without_result(cup, "ann", "cup")
    >>> corrected.event(0).ranks, words
    ((1, 2), 'without ann in cup')
    """
    name, text = player_name(player), str(event)
    events = one_occasion(history, events_meant(history, text), text)
    index = history.players.find(name)
    if index is None:
        hint = did_you_mean(name, history.players.to_list())
        raise UnknownPlayerError(f"there is no player {shorten(name)!r} in the results", hint=hint)
    rows = [int(history.offsets[e] + r) for e in events for r in _rows_of(history, e, index)]
    if not rows:
        there = [history.players[p] for e in events for p in _players(history, e)]
        raise InputError(f"{shorten(name)!r} did not take part", event=text, hint=did_you_mean(name, there))
    played = np.searchsorted(history.offsets, rows, "right") - 1
    keep = np.ones(history.rows, np.bool_)
    keep[rows] = False
    corrected = _closed_up(history, rows, keep).with_rows(keep)
    if not len(corrected):
        raise InputError("there would be no events left", event=text)
    return Correction(corrected, f"without {shorten(name)} in {_together(history, played.tolist())}")


def with_replaced(history: History, other: History) -> Correction:
    """The history with the events of another one in place of those of the same name.

    All results of such an event are replaced, and it stays where it was in time unless `other` has a time for
    it. If the name occurs at several times, the one with the time in `other` is meant.
    """
    source = other.readings[0].source if other.readings else None
    if other.event_names is None:
        raise InputError(
            "the events have no names, so podium cannot find the events that they replace",
            source=source,
            hint="give them a column event with the names of the events that they replace",
        )
    if other.adjustments:
        what = other.adjustments[0].adjustment.describe()
        raise InputError(f"an event is replaced by results, not by an adjustment ({what})", source=source)
    places = np.empty(len(other), np.int64)
    found: dict[tuple[str, int], list[int]] = {}
    times = other.time.copy()
    by_name: dict[str, list[int]] = {}
    for number in range(len(history)):
        by_name.setdefault(history.event_name(number), []).append(number)
    for number, time in enumerate(other.time.tolist()):
        name = other.event_name(number)
        if (name, time) not in found:  # matches of a round share a name, and there may be very many of them
            events = by_name.get(name) or events_found(history, name)
            if not events:
                hint = did_you_mean(name, list(by_name)) or NEW_EVENT_HINT
                raise InputError(f"there is no event {shorten(name)!r} to replace", source=source, hint=hint)
            found[name, time] = _replaced_by(history, events, name, time, source)
        place = places[number] = found[name, time][0]
        if NO_TIME in (time, history.time[place]):
            times[number] = history.time[place]
    replaced = sorted(set().union(*found.values()))
    words = f"with {_together(history, replaced)} replaced"
    return Correction(_put_in(history, replace(other, time=times), places, replaced), words)


def _replaced_by(history: History, events: list[int], name: str, time: int, source: str | None) -> list[int]:
    """Of the events of a name, those that one of this time replaces: all, if they are at one time."""
    known = sorted(set(history.time[events].tolist()))
    if len(known) == 1:
        return events
    if time not in known:
        raise InputError(
            f"the results have events of this name at several times ({', '.join(map(to_iso, known[:5]))})",
            source=source,
            event=name,
            hint="give the replacing event the time of the event it replaces",
        )
    return [e for e in events if history.time[e] == time]


def _put_in(history: History, other: History, places: Longs, replaced: list[int]) -> History:
    """The history with events of `other` right before the events at these places, which are left out."""
    both = concatenated([history, other])
    position = np.concatenate([np.arange(len(history)), places - 0.5])
    order = np.argsort(position, kind="stable")
    # An adjustment before an event stands before what replaces it, too.
    adjustments = tuple(
        replace(placed, before=int(np.searchsorted(position[order], placed.before - 0.5, "left")))
        for placed in history.adjustments
    )
    keep = np.ones(len(both), np.bool_)
    keep[replaced] = False
    joined = replace(reordered(both, order), adjustments=adjustments, skipped=history.skipped)
    return joined.with_rows(keep[order][joined.event_of_row]).in_time_order()


def _closed_up(history: History, rows: list[int], keep: Bools) -> History:
    """The history with better ranks for all behind a side of which nobody is left."""
    rank = history.rank.copy()
    side = row_numbers(history.offsets) if history.side is None else history.side
    for row in rows:
        event = int(np.searchsorted(history.offsets, row, "right")) - 1
        here = slice(*history.offsets[event : event + 2].tolist())
        if not np.any(keep[here] & (side[here] == side[row])):
            rank[here] -= history.rank[here] > history.rank[row]
    return replace(history, rank=rank)


def _players(history: History, event: int) -> list[int]:
    players: list[int] = history.player[history.offsets[event] : history.offsets[event + 1]].tolist()
    return players


def _rows_of(history: History, event: int, player: int) -> list[int]:
    """Where in an event a player stands."""
    return [row for row, other in enumerate(_players(history, event)) if other == player]


def _together(history: History, events: list[int]) -> str:
    """A few events by name and time, or how many they are from when to when."""
    if len(events) <= 3:
        return " and ".join(called(history.event_name(e), int(history.time[e])) for e in events)
    names = {history.event_name(e) for e in events}
    name = f" called {shorten(names.pop())!r}" if len(names) == 1 else ""
    first, last = int(history.time[events[0]]), int(history.time[events[-1]])
    when = to_iso(first) if first == last else f"{to_iso(first)} to {to_iso(last)}"
    return f"{counted(len(events), 'event')}{name}" + ("" if first == NO_TIME else f", {when}")
