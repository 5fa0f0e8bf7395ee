"""What came of tuning, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from podium.documents.declarations import From, kind
from podium.documents.plain_data import ParameterValue, plain_form, plain_parameters, table_rows
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    import polars as pl

    from podium.tuning.tuning_result import Tuning


class TuningOutcomeDocument(TypedDict):
    """A metric of the best parameters, and of the system as given, on some events."""

    metric: Annotated[str, "name of the metric"]
    events: Annotated[int, "number of events in which the scope scores a player"]
    defaults: Annotated[
        float | None,
        "value of the system as given: with the default parameters if it is only named, or null if "
        "there is none",
    ]
    best: Annotated[float | None, "value with the best parameters, or null if there is none"]
    difference: Annotated[float | None, "best − defaults"]
    low: Annotated[float | None, "lower end of its 95% confidence interval, or null if it is not known"]
    high: Annotated[float | None, "upper end of its 95% confidence interval, or null if it is not known"]
    reason: Annotated[str | None, "which of the two has no value, and why if that is known", From("lack")]


class FoldDocument(TypedDict):
    """One fold: its events, the metric on both parts, and the parameters found."""

    fold: Annotated[int, "number of the fold, from 1"]
    fitted_events: Annotated[int, "number of scored events the parameters were chosen on"]
    judged_events: Annotated[int, "number of scored events they are judged on"]
    fitted_defaults: Annotated[float | None, "metric of the given system on the events used to choose"]
    fitted_best: Annotated[float | None, "metric of the best system on the events used to choose"]
    judged_defaults: Annotated[float | None, "metric of the given system on the judged events"]
    judged_best: Annotated[float | None, "metric of the best system on the judged events"]
    judged_low: Annotated[
        float | None, "lower end of the 95% confidence interval of the difference on the judged events"
    ]
    judged_high: Annotated[float | None, "upper end of it"]
    parameters: Annotated[dict[str, ParameterValue], "the best parameters of the fold"]


class TrialDocument(TypedDict):
    """One trial."""

    fold: Annotated[int, "number of the fold, from 1"]
    trial: Annotated[int, "number of the trial"]
    value: Annotated[float | None, "value of the metric, or null if the trial failed"]
    seconds: Annotated[float | None, "seconds it took"]
    reason: Annotated[str | None, "why it failed"]
    parameters: Annotated[dict[str, ParameterValue], "the parameters tried"]


@kind("tuning")
class TuningDocument(SystemDocument):
    """The parameters found, and their gain.

    `podium tune --json` or `tuning_document(podium.tune(history, "elo"))`. The system's parameters are the
    best found.
    """

    found: Annotated[
        dict[str, ParameterValue],
        "the parameters that were searched, with the best values",
        From("parameters"),
    ]
    metric: Annotated[str, "name of the metric"]
    higher_is_better: Annotated[bool, "whether higher values of the metric are better"]
    scope: Annotated[str, "whose predictions are scored"]
    searched: Annotated[
        list[str], "the ranges searched, in words", From(lambda tuning: tuning.space.describe())
    ]
    left_alone: Annotated[dict[str, str], "parameters that were not searched, and why", From("space.left")]
    fitted: Annotated[TuningOutcomeDocument, "the metric on the events that the parameters were chosen on"]
    judged: Annotated[TuningOutcomeDocument | None, "the metric on later events, or null if there are none"]
    judged_others: Annotated[
        dict[str, TuningOutcomeDocument],
        "the same within the other usual scopes (everyone, experienced), by scope",
    ]
    verdict: Annotated[str, "the gain by the best parameters, in words"]
    folds: Annotated[list[FoldDocument], "the folds of the split"]
    trials: Annotated[list[TrialDocument], "all trials"]


def tuning_document(tuning: Tuning) -> TuningDocument:
    """The parameters found, and their gain."""
    return plain_form(
        tuning,
        TuningDocument,
        **system_document(tuning.system),
        folds=_with_parameters(tuning.folds, FoldDocument),
        trials=_with_parameters(tuning.trials, TrialDocument),
    )


def _with_parameters(frame: pl.DataFrame, kind: type[Any]) -> list[dict[str, Any]]:
    """The rows of a table whose columns are those of a document and one for each parameter."""
    own = [name for name in frame.columns if name in kind.__annotations__]
    given = [name for name in frame.columns if name not in own]
    parameters = frame.select(given).to_dicts() if given else [{} for _ in range(frame.height)]
    rows = table_rows(frame.select(own))
    return [
        {**row, "parameters": plain_parameters(values)} for row, values in zip(rows, parameters, strict=True)
    ]
