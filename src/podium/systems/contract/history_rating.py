"""Rating a history piece by piece: events in order, adjustments between them, and what each piece teaches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Bools, EventColumns
from podium.errors import UnknownPlayerError
from podium.history import History, Names
from podium.history.adjustments import OF_KNOWN_PLAYERS, Placed
from podium.history.columns import event_columns
from podium.history.ragged import FIRST_ROWS, Pace, Progress
from podium.numerics.event_sides import mark
from podium.systems.contract.appearances import note_appearances
from podium.systems.contract.calibration import calibrate
from podium.systems.contract.calibration_kernels import fill_inexperience
from podium.systems.contract.ratings import Trace, adjusted_ratings
from podium.systems.contract.side_scores import EventSides
from podium.systems.contract.state import State
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    from podium.systems.contract.system import RatingSystem

CALIBRATED_ROWS_AT_ONCE = 32_768
"""Rows whose trace is in memory while nobody wants one: predictions to learn from are made of it."""


def rate_history(
    system: RatingSystem, state: State, history: History, *, trace: bool, progress: Progress | None
) -> Trace:
    """Rate a history that the system can use, in place; see `RatingSystem.update`."""
    state.grow(len(history.players))
    if history.rows > FIRST_ROWS:  # more than one piece
        state.prepare(history.player)
    out, adjusted = _room(system, history.rows if trace else 0), []
    start, pace = 0, Pace(None if trace or not system.traces_predictions else CALIBRATED_ROWS_AT_ONCE)
    for placed in (*history.adjustments, None):
        stop = len(history) if placed is None else placed.before
        for piece in pace.pieces(history.offsets, start, stop):
            _rate(system, state, history, piece.start, piece.stop, out)
            if progress is not None:
                progress(int(history.offsets[piece.stop] - history.offsets[piece.start]))
        start = stop
        if placed is not None:
            _check_player(state, placed, history.players)
        if placed is not None and trace:
            adjusted.append(adjusted_ratings(system, state, placed, history.players))
        elif placed is not None:
            system.adjust(state, placed.adjustment, history.players, placed.time)
    return replace(out, adjusted=tuple(adjusted)) if adjusted else out


def _check_player(state: State, placed: Placed, names: Names) -> None:
    """Refuse to rename, merge or release an unknown player."""
    if placed.of_selection or not isinstance(placed.adjustment, OF_KNOWN_PLAYERS):
        return
    name = placed.adjustment.player
    if state["known"][names.index_of[name]]:
        return
    where = "" if placed.where is None else f"{placed.where}: "
    known = [names[index] for index in np.flatnonzero(state.column("known")).tolist()]
    raise UnknownPlayerError(
        f"{where}{placed.adjustment.describe()}: there is no player {shorten(name)!r} yet",
        hint=did_you_mean(name, known),
    )


def _room(system: RatingSystem, rows: int) -> Trace:
    """A trace with room for what the system says of each row."""
    return Trace.for_rows(
        rows,
        sigma=system.has_sigma,
        performance=system.has_performance,
        expected=system.is_calibrated or not system.two_numbers,
        draw=system.traces_predictions,
    )


def columns_to_rate(state: State, history: History) -> EventColumns:
    """A history as a system's kernels rate it on a state, without its adjustments."""
    return event_columns(history, _held(state, history))


def _rate(system: RatingSystem, state: State, history: History, start: int, stop: int, out: Trace) -> None:
    """Rate the events of a slice, which has no adjustments inside."""
    whole = stop - start == len(history)
    part = history if whole else history[start:stop]
    held = _held(state, part)
    events = event_columns(part, held)
    mark(state["known"], events.player)
    note_appearances(state, events)
    first, last = int(history.offsets[start]), int(history.offsets[stop])
    if held is not None and len(out.rated):
        out.rated[first:last] = ~held
    trace = out if whole else out.part(first, last)
    if not system.is_calibrated:
        system.rate_events(state, events, trace)
        return
    if not len(trace.mu):  # predictions need one
        trace = _room(system, part.rows)
    lacking = np.empty(part.rows)
    fill_inexperience(events.player, events.held, state["events"], lacking)
    system.rate_events(state, events, trace)
    calibrate(system, state, events, EventSides.of(part), lacking, trace)


def _held(state: State, history: History) -> Bools | None:
    """Rows that stay as they are: unrated ones, and those of anchored players."""
    if not state.has_anchors:
        return history.unrated
    anchored = state.anchored[history.player]
    return anchored if history.unrated is None else anchored | history.unrated
