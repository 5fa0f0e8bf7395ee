"""Backtests, comparisons and smoothed skills as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, cast

from podium.documents.declarations import From, TimeText, kind
from podium.documents.plain_data import plain_form, records, table_rows
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.backtest_results import Backtest
    from podium.evaluation.metrics import Metric
    from podium.evaluation.smoothing.smoothing import Smoothing
    from podium.evaluation.verdicts import Comparison


class MetricDocument(TypedDict):
    """A metric's value, with its interval."""

    value: Annotated[float | None, "value of the metric, or null if nothing was measured"]
    low: Annotated[float | None, "lower end of the 95% confidence interval"]
    high: Annotated[float | None, "upper end of the 95% confidence interval"]


class ScoreDocument(TypedDict):
    """The metrics of one system within one scope."""

    system: Annotated[str, "name of the system"]
    scope: Annotated[str, "whose predictions are scored"]
    events: Annotated[int, "number of events scored"]
    rows: Annotated[int, "number of sides scored"]
    left_out: Annotated[int, "number of sides not scored"]
    metrics: Annotated[dict[str, MetricDocument], "the meaning of each metric, by name"]
    undecided: Annotated[int, "number of events in which all who are scored tied"]
    clipped: Annotated[int, "number of expected scores too near to 0 or 1 to take the logarithm of"]
    seconds: Annotated[float, "seconds that rating took"]


class DifferenceDocument(TypedDict):
    """One system against the best."""

    metric: Annotated[str, "name of the metric"]
    scope: Annotated[str, "whose predictions are scored"]
    best: Annotated[str, "name of the best system"]
    system: Annotated[str, "name of the system"]
    difference: Annotated[float, "the system's value − the best system's"]
    low: Annotated[float | None, "lower end of the 95% confidence interval"]
    high: Annotated[float | None, "upper end of the 95% confidence interval"]
    better: Annotated[float | None, "fraction of resamples in which the system is the better one"]
    shown: Annotated[bool, "whether the difference is more than noise: the interval leaves 0 out"]


CalibrationDocument = TypedDict(
    "CalibrationDocument",
    {
        "system": Annotated[str, "name of the system"],
        "scope": Annotated[str, "whose predictions are scored"],
        "from": Annotated[float, "lowest expected score of the bin"],
        "to": Annotated[float, "highest expected score of the bin"],
        "rows": Annotated[int, "number of sides in the bin"],
        "expected": Annotated[float, "mean expected score"],
        "score": Annotated[float, "mean actual score"],
        "score_low": Annotated[float | None, "lower end of its 95% confidence interval"],
        "score_high": Annotated[float | None, "upper end of its 95% confidence interval"],
    },
)


class GroupDocument(TypedDict):
    """The metrics of one system on a part of the events or players."""

    system: Annotated[str, "name of the system"]
    scope: Annotated[str, "whose predictions are scored"]
    group: Annotated[str, "the period, the number of events played before, or the band of ratings"]
    events: Annotated[int, "number of events scored"]
    rows: Annotated[int, "number of sides scored"]
    values: Annotated[dict[str, float | None], "values of the metrics, by name"]


class VerdictDocument(TypedDict):
    """The best system within one scope, and the others' distance from it. Names are best first.

    The metric that decides is the first of `--metrics`, in Python `metric=`. The default is the log loss if
    every event has two sides, else the rank deviation. If the default was not measured, the first metric
    decides. Lists of systems are best first.
    """

    scope: Annotated[str, "whose predictions are scored"]
    metric: Annotated[str, "name of the metric that decides", From("metric.name")]
    best: Annotated[str | None, "name of the system with the best value, or null if no system has one"]
    level: Annotated[
        list[str],
        "systems that are not shown to be worse than the best",
        From(lambda found: found.named("level")),
    ]
    worse: Annotated[
        list[str],
        "systems that are worse than the best by more than noise",
        From(lambda found: found.named("worse")),
    ]
    not_comparable: Annotated[
        list[str],
        "systems that were scored on other rows than the best",
        From(lambda found: found.named("not comparable")),
    ]
    text: Annotated[str, "the verdict in words, as `podium evaluate` prints it"]


@kind("backtest")
class BacktestDocument(TypedDict):
    """Systems side by side on one history.

    `podium evaluate --json` or `backtest_document(podium.evaluate(history, systems), systems)`.
    """

    conclusions: Annotated[
        list[str], "which system to use and how sure that is, the most important sentence first"
    ]
    warnings: Annotated[
        list[str],
        "systems that are worse than a coin or than the mean of past results, and home sides that "
        'win against the prediction. Each begins with "warning:"',
    ]
    systems: Annotated[dict[str, SystemDocument], "the systems compared, by name"]
    refused: Annotated[dict[str, str], "systems, or systems within a scope, that were left out, and why"]
    notes: Annotated[list[str], "warnings about the history"]
    verdicts: Annotated[
        list[VerdictDocument], "which system is best within each scope, by the metric that decides"
    ]
    summary: Annotated[list[ScoreDocument], "each system within each scope"]
    baseline: Annotated[
        list[ScoreDocument],
        "the same of each side's mean past result, which a system should beat. Empty if none of "
        "podium's metrics was asked for",
    ]
    differences: Annotated[list[DifferenceDocument], "each system against the best, by metric and scope"]
    calibration: Annotated[list[CalibrationDocument], "predictions by their height"]
    periods: Annotated[list[GroupDocument], "metrics by period"]
    experience: Annotated[list[GroupDocument], "metrics by the number of events played before"]
    bands: Annotated[list[GroupDocument], "metrics by rating"]


@kind("comparison")
class ComparisonDocument(TypedDict):
    """Two systems on the same events.

    `comparison_document(backtest.compare("elo", "glicko"))`.
    """

    first: Annotated[str, "name of the first system"]
    second: Annotated[str, "name of the second system"]
    metric: Annotated[str, "name of the metric"]
    scope: Annotated[str, "whose predictions are scored"]
    values: Annotated[list[float], "the metric of both"]
    difference: Annotated[float, "value of the first − value of the second"]
    low: Annotated[float | None, "lower end of the 95% confidence interval of the difference"]
    high: Annotated[float | None, "upper end of it"]
    better: Annotated[float | None, "fraction of resamples in which the first is better. Ties count half"]
    rows: Annotated[list[int], "number of sides scored, of both"]
    same_rows: Annotated[bool, "whether the same sides are scored"]
    shown: Annotated[bool, "whether the difference is more than noise"]
    winner: Annotated[str | None, "name of the better system, or null if no difference is shown"]


class SmoothedDocument(TypedDict):
    """One player's skill at one event, or at the moment asked for."""

    event: Annotated[str | None, "name or number of the event, or null with `--at`"]
    time: Annotated[TimeText | None, "time of the event, or null with `--at`, or if it has none"]
    player: Annotated[str, "name of the player"]
    mu: Annotated[float, "mu after the event, or at the time asked for, as rated then"]
    sigma: Annotated[float, "sigma then"]
    mu_smoothed: Annotated[float, "mean of the belief from all results, later ones included"]
    sigma_smoothed: Annotated[float, "its standard deviation"]


@kind("smoothing")
class SmoothingDocument(SystemDocument):
    """Skills at past events, given all results.

    `podium smooth --json` or `smoothing_document(smoothing, smoothing.frame)`.
    """

    rounds: Annotated[int, "how often performances were estimated"]
    rows: Annotated[list[SmoothedDocument], "skills at past events, or at the time asked for"]


def backtest_document(result: Backtest, *, metric: Metric | str | None = None) -> BacktestDocument:
    """A backtest with its systems. Verdicts are by `metric`, by default the leading one of the backtest."""
    from podium.evaluation.conclusions import find_conclusions  # and the metrics, which few commands need
    from podium.evaluation.verdicts import find_verdict

    deciding = result.leading if metric is None else result.measured_metric(metric)
    columns = {metric.name: metric.column for metric in result.metrics}
    concluded = find_conclusions(result, deciding)
    return {
        "conclusions": list(concluded.sentences),
        "warnings": list(concluded.warnings),
        "systems": {name: system_document(system) for name, system in result.systems.items()},
        "refused": dict(result.refused),
        "notes": list(result.notes),
        "verdicts": [
            plain_form(find_verdict(result, scope.name, deciding), VerdictDocument) for scope in result.scopes
        ],
        "summary": [_score(row, columns) for row in table_rows(result.summary)],
        "baseline": [_score(row, columns) for row in table_rows(result.baseline_summary)],
        "differences": records(result.differences, DifferenceDocument),
        "calibration": records(result.calibration, CalibrationDocument),
        "periods": _groups(result.periods, "period", columns),
        "experience": _groups(result.experience, "experience", columns),
        "bands": _groups(result.bands, "band", columns),
    }


def _score(row: dict[str, Any], columns: Mapping[str, str]) -> ScoreDocument:
    metrics = {
        name: {"value": row.pop(column), "low": row.pop(f"{column}_low"), "high": row.pop(f"{column}_high")}
        for name, column in columns.items()
    }
    return cast(ScoreDocument, {**row, "metrics": metrics})


def _groups(frame: pl.DataFrame, group: str, columns: Mapping[str, str]) -> list[GroupDocument]:
    return [
        {
            "system": row["system"],
            "scope": row["scope"],
            "group": row[group],
            "events": row["events"],
            "rows": row["rows"],
            "values": {name: row[column] for name, column in columns.items() if column in row},
        }
        for row in table_rows(frame)
    ]


def comparison_document(found: Comparison) -> ComparisonDocument:
    """Two systems on the same events."""
    return plain_form(found, ComparisonDocument)


def smoothing_document(smoothing: Smoothing, frame: pl.DataFrame) -> SmoothingDocument:
    """Rows of a smoothing: of its `frame`, of `player`, or, without event and time, of `at`."""
    rows = [cast(SmoothedDocument, {"event": None, "time": None, **row}) for row in table_rows(frame)]
    return {**system_document(smoothing.system), "rounds": smoothing.rounds, "rows": rows}
