"""Consecutive events that the same experts can use, as all experts need them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import NO_LONGS, Bools, EventColumns, Floats, Longs
from podium.systems.auto.mixing_kernels import find_fresh
from podium.systems.auto.mixture_columns import Met
from podium.systems.contract.calibration import side_means
from podium.systems.contract.calibration_kernels import fill_inexperience
from podium.systems.contract.side_scores import EventSides, SideResults, side_results
from podium.systems.contract.state import State


class Piece(NamedTuple):
    """Consecutive events that the same experts can use."""

    events: EventColumns
    met: EventSides
    matches: Bools
    """Whether each event has two sides."""
    only_matches: bool
    lacking: Floats
    """The inexperience of each side: 1/(1 + n/5)."""
    scored: SideResults
    """What each side scored, and how many tied."""
    fresh_rows: Longs
    """The rows whose player was unknown before the event."""
    fresh: Longs
    """For each row, its number among these; −1 for others."""
    by_mixture: Longs
    """The rows whose player the mixture rates: those of matches. Contests rate by scores."""
    starting: Longs
    """The fresh rows whose player started where the mixture says, as the latest event was a match."""

    @classmethod
    def of(cls, state: State, events: EventColumns, met: EventSides) -> Piece:
        """The piece of these events."""
        rows = len(events.player)
        lacking, fresh = np.empty(rows), np.empty(rows, np.int64)
        fill_inexperience(events.player, events.held, state["events"], lacking)
        found = find_fresh(events, state["unknown"], fresh)
        if not met.rows_are_sides:
            lacking = side_means(lacking[met.sides.players], met.sides)
        matches, scored = met.counts == 2, side_results(events, met)
        fresh_rows = np.flatnonzero(fresh >= 0) if found else NO_LONGS
        only_matches, latest_many = bool(matches.all()), bool(state.shared["latest_many"][0])
        by_mixture, starting = np.arange(rows), fresh_rows
        if not only_matches or latest_many:
            event = np.repeat(np.arange(len(matches)), np.diff(events.offsets))
            by_mixture = np.flatnonzero(matches[event])
            after_match = _after_match(latest_many, matches, events)
            starting = fresh_rows[after_match[event[fresh_rows]]]
        return cls(
            events, met, matches, only_matches, lacking, scored, fresh_rows, fresh, by_mixture, starting
        )

    def results(self) -> Met:
        """What the mixture learns from."""
        return Met(self.met.offsets, *self.scored)


def _after_match(latest_many: bool, matches: Bools, events: EventColumns) -> Bools:
    """For each event, whether the latest rated event before it had two sides, or there was none."""
    numbers = np.arange(len(matches))
    if len(events.held):
        numbers = np.where(np.logical_or.reduceat(~events.held, events.offsets[:-1]), numbers, -1)
    latest = np.maximum.accumulate(np.concatenate(([-1], numbers[:-1])))
    after: Bools = np.where(latest < 0, not latest_many, matches[latest])
    return after
