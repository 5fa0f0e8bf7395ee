"""What came of tuning, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, cast

from podium.documents.plain_data import ParameterValue, plain_number, plain_parameters, table_rows
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    import polars as pl

    from podium.tuning.tuning_result import Outcome, Tuning


class TuningOutcomeDocument(TypedDict):
    """What a metric says of the best parameters, beside the system as given, on some events."""

    metric: str
    events: int
    defaults: float | None
    best: float | None
    difference: float | None
    low: float | None
    high: float | None
    reason: str | None


class FoldDocument(TypedDict):
    """One fold: its events, the metric on both parts, and what was found."""

    fold: int
    fitted_events: int
    judged_events: int
    fitted_defaults: float | None
    fitted_best: float | None
    judged_defaults: float | None
    judged_best: float | None
    judged_low: float | None
    judged_high: float | None
    parameters: dict[str, ParameterValue]


class TrialDocument(TypedDict):
    """One trial."""

    fold: int
    trial: int
    value: float | None
    seconds: float | None
    reason: str | None
    parameters: dict[str, ParameterValue]


class TuningDocument(SystemDocument):
    """The parameters found, and what they are worth."""

    found: dict[str, ParameterValue]
    metric: str
    higher_is_better: bool
    scope: str
    searched: list[str]
    left_alone: dict[str, str]
    fitted: TuningOutcomeDocument
    judged: TuningOutcomeDocument | None
    judged_others: dict[str, TuningOutcomeDocument]
    verdict: str
    folds: list[FoldDocument]
    trials: list[TrialDocument]


def tuning_document(tuning: Tuning) -> TuningDocument:
    """The parameters found, and what they are worth."""
    return {
        **system_document(tuning.system),
        "found": plain_parameters(tuning.parameters),
        "metric": tuning.metric,
        "higher_is_better": tuning.higher_is_better,
        "scope": tuning.scope,
        "searched": tuning.space.describe(),
        "left_alone": dict(tuning.space.left),
        "fitted": _outcome(tuning.fitted),
        "judged": None if tuning.judged is None else _outcome(tuning.judged),
        "judged_others": {scope: _outcome(outcome) for scope, outcome in tuning.judged_others.items()},
        "verdict": tuning.verdict,
        "folds": cast(list[FoldDocument], _with_parameters(tuning.folds, FoldDocument)),
        "trials": cast(list[TrialDocument], _with_parameters(tuning.trials, TrialDocument)),
    }


def _outcome(outcome: Outcome) -> TuningOutcomeDocument:
    return {
        "metric": outcome.metric,
        "events": outcome.events,
        "defaults": plain_number(outcome.defaults),
        "best": plain_number(outcome.best),
        "difference": plain_number(outcome.difference),
        "low": plain_number(outcome.low),
        "high": plain_number(outcome.high),
        "reason": outcome.lack,
    }


def _with_parameters(frame: pl.DataFrame, kind: type[Any]) -> list[dict[str, Any]]:
    """The rows of a table whose columns are those of a document and one for each parameter."""
    own = [name for name in frame.columns if name in kind.__annotations__]
    given = [name for name in frame.columns if name not in own]
    parameters = frame.select(given).to_dicts() if given else [{} for _ in range(frame.height)]
    rows = table_rows(frame.select(own))
    return [
        {**row, "parameters": plain_parameters(values)} for row, values in zip(rows, parameters, strict=True)
    ]
