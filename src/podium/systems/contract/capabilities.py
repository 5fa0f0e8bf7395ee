"""What a system can use of a history, and the refusal of what it cannot.

`find_unusable` refuses a whole history. A system that rates by several others asks `event_evidence` which
events each of them can use.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium.arrays import NO_TIME, Bools, EventColumns
from podium.errors import UnsupportedError
from podium.history import History
from podium.history.ragged import tied_rows
from podium.systems.contract.side_scores import EventSides


@dataclass(frozen=True)
class Capabilities:
    """What a system can use; a history with anything else is refused, naming it."""

    many: bool = False
    """Events with more than two sides."""
    teams: bool = False
    ties: bool = False
    shares: bool = False
    """Scores between 0 and 1 other than a win, a draw or a loss."""
    weights: bool = False
    time: bool = False
    """Whether the system uses times (a time column that it ignores is not refused)."""
    home: bool = False
    play: bool = False
    """Players who took part in only a part of the event."""


EVIDENCE = {
    "many": "events of more than two sides",
    "shares": "shares of a point",
    "home": "the home side",
    "play": "players who took part in less than the whole event",
}
"""What `Capabilities` calls in one word, in a few."""


EVENT_KINDS = ("teams", "many", "ties", "weights", "shares", "play")
"""Kinds of evidence that make an event one which a system cannot use; others it may ignore."""


def refuse(system: str, evidence: str, where: str = "") -> UnsupportedError:
    """The error for a kind of evidence, named as in `Capabilities`, that a system cannot use."""
    what = EVIDENCE.get(evidence, evidence)
    return UnsupportedError(f"{system} cannot use {what}{where}", evidence=evidence)


def find_unusable(history: History, can: Capabilities) -> tuple[str, int] | None:
    """The first kind of evidence that cannot be used, and the first event that has it."""

    def events_of(rows: Bools) -> Bools:
        return np.bincount(history.event_of_row[rows], minlength=len(history)) > 0

    found: tuple[str, Bools] | None = None
    if not can.teams and history.side is not None and np.any(history.sides_per_event < history.sizes):
        found = "teams", history.sides_per_event < history.sizes
    elif not can.many and np.any(history.sides_per_event > 2):
        found = "many", history.sides_per_event > 2
    elif not can.ties and history.tied.any():
        found = "ties", events_of(history.tied)
    elif not can.weights and history.weight is not None and np.any(history.weight != 1.0):
        found = "weights", history.weight != 1.0
    elif not can.shares and history.share is not None and not np.isnan(history.share).all():
        found = "shares", events_of(~np.isnan(history.share))
    elif not can.play and history.play is not None and np.any(history.play != 1.0):
        found = "play", events_of(history.play != 1.0)
    return None if found is None else (found[0], int(np.argmax(found[1])))


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
