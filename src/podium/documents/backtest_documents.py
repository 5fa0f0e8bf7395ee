"""Backtests, comparisons and smoothed skills as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict, cast

from podium.documents.plain_data import plain_number, records, table_rows
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.backtest_results import Backtest
    from podium.evaluation.comparisons import Comparison
    from podium.evaluation.metrics import Metric
    from podium.evaluation.smoothing.smoothing import Smoothing
    from podium.evaluation.verdicts import Verdict


class MetricDocument(TypedDict):
    """What a metric says, with its interval."""

    value: float | None
    low: float | None
    high: float | None


class ScoreDocument(TypedDict):
    """What one system reached within one scope."""

    system: str
    scope: str
    events: int
    rows: int
    left_out: int
    metrics: dict[str, MetricDocument]
    undecided: int
    clipped: int
    seconds: float


class DifferenceDocument(TypedDict):
    """One system against the best."""

    metric: str
    scope: str
    best: str
    system: str
    difference: float
    low: float | None
    high: float | None
    better: float | None
    shown: bool


CalibrationDocument = TypedDict(
    "CalibrationDocument",
    {
        "system": str,
        "scope": str,
        "from": float,
        "to": float,
        "rows": int,
        "expected": float,
        "score": float,
        "score_low": float | None,
        "score_high": float | None,
    },
)


class GroupDocument(TypedDict):
    """What one system reached on a part of the events or players."""

    system: str
    scope: str
    group: str
    events: int
    rows: int
    values: dict[str, float | None]


class VerdictDocument(TypedDict):
    """Which system is best within one scope, and how the others stand against it; names are best first."""

    scope: str
    metric: str
    best: str | None
    level: list[str]
    worse: list[str]
    not_comparable: list[str]
    text: str


class BacktestDocument(TypedDict):
    """Systems side by side on one history."""

    conclusions: list[str]
    warnings: list[str]
    systems: dict[str, SystemDocument]
    refused: dict[str, str]
    notes: list[str]
    verdicts: list[VerdictDocument]
    summary: list[ScoreDocument]
    baseline: list[ScoreDocument]
    differences: list[DifferenceDocument]
    calibration: list[CalibrationDocument]
    periods: list[GroupDocument]
    experience: list[GroupDocument]
    bands: list[GroupDocument]


class ComparisonDocument(TypedDict):
    """Two systems on the same events."""

    first: str
    second: str
    metric: str
    scope: str
    values: list[float]
    difference: float
    low: float | None
    high: float | None
    better: float | None
    rows: list[int]
    same_rows: bool
    shown: bool
    winner: str | None


class SmoothedDocument(TypedDict):
    """One player's skill at one event, or at the moment asked for."""

    event: str | None
    time: str | None
    player: str
    mu: float
    sigma: float
    mu_smoothed: float
    sigma_smoothed: float


class SmoothingDocument(SystemDocument):
    """Skills at past events, given all results."""

    rounds: int
    rows: list[SmoothedDocument]


def backtest_document(result: Backtest, *, metric: Metric | str | None = None) -> BacktestDocument:
    """A backtest with its systems; verdicts are by `metric`, by default the leading one of the backtest."""
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
        "verdicts": [_verdict(find_verdict(result, scope.name, deciding)) for scope in result.scopes],
        "summary": [_score(row, columns) for row in table_rows(result.summary)],
        "baseline": [_score(row, columns) for row in table_rows(result.baseline_summary)],
        "differences": records(result.differences, DifferenceDocument),
        "calibration": records(result.calibration, CalibrationDocument),
        "periods": _groups(result.periods, "period", columns),
        "experience": _groups(result.experience, "experience", columns),
        "bands": _groups(result.bands, "band", columns),
    }


def _verdict(found: Verdict) -> VerdictDocument:
    return {
        "scope": found.scope,
        "metric": found.metric.name,
        "best": found.best,
        "level": found.named("level"),
        "worse": found.named("worse"),
        "not_comparable": found.named("not comparable"),
        "text": found.text,
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
    return {
        "first": found.first,
        "second": found.second,
        "metric": found.metric,
        "scope": found.scope,
        "values": list(found.values),
        "difference": found.difference,
        "low": plain_number(found.low),
        "high": plain_number(found.high),
        "better": plain_number(found.better),
        "rows": list(found.rows),
        "same_rows": bool(found.same_rows),
        "shown": bool(found.shown),
        "winner": found.winner,
    }


def smoothing_document(smoothing: Smoothing, frame: pl.DataFrame) -> SmoothingDocument:
    """Rows of a smoothing: of its `frame`, of `player`, or, without event and time, of `at`."""
    rows = [cast(SmoothedDocument, {"event": None, "time": None, **row}) for row in table_rows(frame)]
    return {**system_document(smoothing.system), "rounds": smoothing.rounds, "rows": rows}
