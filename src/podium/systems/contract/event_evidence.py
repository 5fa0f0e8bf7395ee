"""What each event holds that some systems cannot use, event by event.

`capabilities.find_unusable` refuses a whole history. A system that rates by several others asks here instead
which events each of them can use.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import NO_TIME, Bools, EventColumns
from podium.history.ragged import tied_rows
from podium.systems.contract.side_scores import EventSides

TWO, UNSCORED, UNTIMED = "two", "unscored", "untimed"
"""Events of two sides; events in which two sides have no scores to compare; events without a time."""

KNOWN_BEFORE = frozenset({"teams", "many", TWO})
"""Kinds that are known before an event; the others come with its result, or need not be told before it."""


def event_evidence(events: EventColumns, met: EventSides) -> dict[str, Bools]:
    """For each kind of evidence that occurs, the events that have it.

    Kinds are those of `Capabilities`, and those above.
    """
    found: dict[str, Bools] = {}
    sizes, counts = np.diff(events.offsets), met.counts

    def note(kind: str, there: Bools) -> None:
        if there.any():
            found[kind] = there

    note("teams", counts < sizes)
    note("many", counts > 2)
    note(TWO, counts == 2)
    tied = tied_rows(events.offsets, events.rank, events.side if len(events.side) else None)
    note("ties", _in_any_row(events, tied))
    if len(events.weight):
        note("weights", events.weight != 1.0)
    if len(events.share):
        note("shares", _in_any_row(events, ~np.isnan(events.share)))
    if len(events.play):
        note("play", _in_any_row(events, events.play != 1.0))
    note(UNTIMED, events.time == NO_TIME)
    note(UNSCORED, ~_are_scored(events, met))
    return found


def _in_any_row(events: EventColumns, rows: Bools) -> Bools:
    """The events with at least one of these rows."""
    if not rows.any():
        return np.zeros(len(events.time), np.bool_)
    found: Bools = np.logical_or.reduceat(rows, events.offsets[:-1])
    return found


def _are_scored(events: EventColumns, met: EventSides) -> Bools:
    """Whether an event has two sides and a score for each, the same for all members."""
    if not len(events.score):
        return np.zeros(len(events.time), np.bool_)
    first = np.repeat(met.first_rows, met.sides.sizes)
    lacking = np.empty(len(events.score), np.bool_)
    lacking[met.sides.players] = events.score[met.sides.players] != events.score[first]  # as NaN always is
    scored: Bools = (met.counts == 2) & ~_in_any_row(events, lacking)
    return scored
