"""Backtests: each event of a history is predicted before it is rated, and predictions are compared."""

from __future__ import annotations

from podium.errors import InputError, ParameterError
from podium.history import History
from podium.lab.measuring import Measured, Scored, find_metric
from podium.lab.metrics import Ties
from podium.lab.predictions import By, predict_events
from podium.lab.scopes import Bound, Scope, measured_part
from podium.lab.scores import bin_edges, binned, calibrated_sides
from podium.systems import RatingSystem


def score(
    history: History,
    system: RatingSystem,
    metric: str,
    *,
    scope: Scope | str = "everyone",
    since: Bound = 0,
    until: Bound | None = None,
    by: By = "display",
    ties: Ties = "fair",
) -> float:
    """One metric of one system: only what it needs is computed, and nothing after `until` is rated.

    >>> from podium import Elo
    >>> history = History.from_matches(["ann", "ann"], ["bob", "bob"])
    >>> round(score(history, Elo(), "log-loss", since=1), 3)
    0.605
    """
    wanted, chosen = find_metric(metric), Scope.of(scope)
    if ties not in ("fair", "authors"):
        raise ParameterError(f"ties is {ties!r}, not 'fair' or 'authors'")
    start, stop = measured_part(history, since, until)
    predictions = predict_events(
        history,
        system,
        start,
        stop,
        by=by,
        expected=wanted.needs_expected,
        outcomes=wanted.needs_outcomes,
    )
    scored = Measured(predictions, ties).within(chosen, system)
    value = _calibration_error(scored) if metric == "calibration-error" else scored.sums(metric).value
    if value != value:
        raise InputError(
            f"nothing was measured: no event from {start} to {stop} has a {metric} within {chosen.name!r}",
            hint=_draws_hint(metric, system),
        )
    return value


def _calibration_error(scored: Scored) -> float:
    predictions = scored.measured.predictions
    sides = calibrated_sides(predictions.standings, scored.sides)
    expected = predictions.expected[sides]
    return float(binned(predictions.standings.score[sides], expected, bin_edges(expected)).error[0])


def _draws_hint(metric: str, system: RatingSystem) -> str | None:
    if metric != "three-way-log-loss":
        return None
    return (
        f"it takes events of two sides, and a system that gives draws a chance: {system.name} with draw_rate?"
    )
