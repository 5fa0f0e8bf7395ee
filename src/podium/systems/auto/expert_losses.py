"""What each expert of `auto` lost in every event, predicted before the event was rated.

The loss of two sides is −s ln p − (1 − s) ln(1 − p), that of a contest the mean over its sides: see
docs/auto.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from podium.arrays import Bools, EventColumns, Floats, Longs
from podium.history import History
from podium.history.columns import event_columns
from podium.history.ragged import Progress
from podium.systems.auto.auto import Auto
from podium.systems.auto.expert_lists import Expert, ExpertList
from podium.systems.auto.mixture_columns import Met, Said, Scored
from podium.systems.auto.reference_meetings import Piece
from podium.systems.contract.calibration import log_odds
from podium.systems.contract.side_scores import EventSides, side_results
from podium.systems.contract.state import State

ROWS_AT_ONCE = 32_768
"""Rows whose predictions by all experts are in memory; the losses do not depend on it."""


@dataclass(frozen=True)
class ExpertLosses:
    """Losses by expert and event; NaN for events that an expert cannot use, and that rate nobody."""

    experts: tuple[Expert, ...]
    raw: Floats
    calibrated: Floats
    without_home: Floats
    """Calibrated, but for the term of the home side; NaN for events of more than two sides."""
    without_experience: Floats
    """Calibrated, but for the term of newcomers; likewise."""
    right: Floats
    """What the favourite of two sides scored, by calibrated predictions; ½ if there was none."""
    mixture: Floats
    """What `auto` itself lost in each event."""
    mixture_right: Floats
    at_home: Bools
    """Whether one of two sides is at home."""
    rated: Floats
    """The part of the events that each expert rated; it slept through the others."""


@dataclass(frozen=True, kw_only=True)
class _Listener(Auto):
    """`auto` that keeps the losses of its experts, piece by piece, while it rates."""

    heard: list[tuple[Floats, ...]] = field(default_factory=list, compare=False, repr=False)
    rated: list[Longs] = field(default_factory=list, compare=False, repr=False)

    def _ask(
        self, state: State, events: EventColumns, met: EventSides, awake: Bools, predicting: Bools
    ) -> tuple[Said, Met, Scored]:
        lacking = Piece.of(state, events, met).lacking
        said, results, scored = super()._ask(state, events, met, awake, predicting)
        self.heard.append(_piece_losses(events, met, predicting, lacking, said, results))
        self.rated.append(len(met.counts) * awake)
        return said, results, scored


def expert_losses(history: History, experts: ExpertList, *, progress: Progress | None = None) -> ExpertLosses:
    """Rate a history by `auto` with these experts, and keep what each of them lost."""
    system = _Listener(experts=experts)
    system.check(history)
    state, mixture, right = system.new_state(), [], []
    for piece in history.chunks(ROWS_AT_ONCE):
        trace = system.update(state, piece, progress=progress)
        lost, favoured_scores = losses_of(piece, trace.expected)
        mixture.append(lost)
        right.append(favoured_scores)
    raw, calibrated, without_home, without_experience, favoured, at_home, counts = (
        np.concatenate(column, axis=-1) for column in zip(*system.heard, strict=True)
    )
    return ExpertLosses(
        experts=experts.experts,
        raw=raw,
        calibrated=calibrated,
        without_home=without_home,
        without_experience=without_experience,
        right=favoured,
        mixture=np.where(counts, np.concatenate(mixture), np.nan),
        mixture_right=np.where(counts, np.concatenate(right), np.nan),
        at_home=at_home,
        rated=np.sum(system.rated, axis=0) / len(history),
    )


def losses_of(history: History, expected: Floats) -> tuple[Floats, Floats]:
    """The loss of each event by what was expected of each row, and what favourites of two sides scored."""
    met = EventSides.of(history)
    said, score = expected[met.first_rows], side_results(event_columns(history), met).score
    return _event_losses(said, score, met), _rightness(said, score, met)


def _piece_losses(
    events: EventColumns, met: EventSides, predicting: Bools, lacking: Floats, said: Said, results: Met
) -> tuple[Floats, ...]:
    """The losses of consecutive events that the same experts can use."""
    n, matches, first = len(met.counts), met.counts == 2, met.offsets[:-1]
    score, counts = results.score, _counting(events.held, events.offsets)
    usable = predicting[:, None] & counts
    calibrated = said.calibrated
    slope, home, experience = np.moveaxis(said.terms[:n], 2, 0).swapaxes(1, 2)
    lead = slope * log_odds(said.raw[:, first])
    at_home, newcomers = home * met.home, experience * (lacking[first] - lacking[first + 1])
    without = [_losses(lead + rest, score[first]) for rest in (newcomers, at_home)]
    return (
        np.where(usable, _event_losses(said.raw, score, met), np.nan),
        np.where(usable, _event_losses(calibrated, score, met), np.nan),
        *(np.where(usable & matches, loss, np.nan) for loss in without),
        np.where(usable, _rightness(calibrated, score, met), np.nan),
        matches & (met.home != 0.0),
        counts,
    )


def _losses(odds: Floats, score: Floats) -> Floats:
    """−s ln p − (1 − s) ln(1 − p) for log odds: ln(1 + e^z) − s z."""
    loss: Floats = np.maximum(odds, 0.0) + np.log1p(np.exp(-np.abs(odds))) - score * odds
    return loss


def _event_losses(p: Floats, score: Floats, met: EventSides) -> Floats:
    """The loss of each event: of its first side if there are two, else the mean over its sides."""
    first = met.offsets[:-1]
    if np.all(met.counts == 2):
        return _losses(log_odds(p[..., first]), score[first])
    means: Floats = np.add.reduceat(_losses(log_odds(p), score), first, axis=-1) / met.counts
    return means


def _rightness(p: Floats, score: Floats, met: EventSides) -> Floats:
    """What the favourite of two sides scored; ½ without a favourite, NaN for events of more sides."""
    first = met.offsets[:-1]
    favoured = np.where(
        p[..., first] > 0.5, score[first], np.where(p[..., first] < 0.5, 1.0 - score[first], 0.5)
    )
    right: Floats = np.where(met.counts == 2, favoured, np.nan)
    return right


def _counting(held: Bools, offsets: Longs) -> Bools:
    """Whether each event rates anybody."""
    if not len(held):
        return np.ones(len(offsets) - 1, np.bool_)
    counting: Bools = np.logical_or.reduceat(~held, offsets[:-1])
    return counting
