"""Advice on which system suits a history, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from podium.documents.declarations import From, kind
from podium.documents.event_documents import HistorySummaryDocument
from podium.documents.plain_data import plain_form
from podium.documents.system_documents import SystemDocument

if TYPE_CHECKING:
    from podium.evaluation.advice import Advice


class EstimateDocument(TypedDict):
    """A mean over events, and how sure it is."""

    value: Annotated[float, "the mean over events"]
    low: Annotated[float | None, "lower end of its 95% interval, or null if there are too few events to say"]
    high: Annotated[float | None, "upper end"]


class CandidateDocument(TypedDict):
    """A system that could be used, and how well it predicted."""

    label: Annotated[str, "the system, with the parameters that are not its defaults, or with its preset"]
    system: Annotated[SystemDocument, "the system. Its predictions are calibrated"]
    log_loss: Annotated[EstimateDocument, "its mean log loss"]
    right: Annotated[
        float | None, "share of the points that its favourites won in matches of two, or null for contests"
    ]
    behind: Annotated[EstimateDocument, "its log loss less that of the best candidate"]
    standing: Annotated[
        Literal["best", "level", "worse"], "`best`, `level` (not shown to be worse) or `worse`"
    ]


class FactorDocument(TypedDict):
    """Something that may matter in a history."""

    name: Annotated[
        Literal["home side", "absence", "margins", "newcomers"],
        "`home side`, `absence`, `margins` or `newcomers`",
    ]
    answer: Annotated[
        Literal["matters", "misleads", "no difference shown", "in too few events", "not in this data"],
        "`matters`, `misleads`, `no difference shown`, `in too few events` or `not in this data`",
    ]
    worth: Annotated[
        EstimateDocument | None,
        "how much larger the log loss is without it, or null if the data has nothing of it, or too little",
    ]


class DriftDocument(TypedDict):
    """Whether strengths change with time, tested by a fit."""

    p: Annotated[float, "the probability of as much change by chance if strengths stay the same"]
    change: Annotated[float, "the usual change of a strength over the whole period, in points"]
    noise: Annotated[float, "the standard error of one player's change, in points"]
    spread: Annotated[float, "the standard deviation of strengths, in points"]
    is_change: Annotated[bool, "whether strengths change significantly"]


@kind("advice")
class AdviceDocument(TypedDict):
    """Which system suits a history, and how sure that is.

    `podium advise --json` or `advice_document(podium.advise(history))`.
    """

    history: Annotated[HistorySummaryDocument, "the contents of the history", From("summary")]
    sentences: Annotated[list[str], "the advice in words, the most important first"]
    recommended: Annotated[SystemDocument, "the system to use"]
    options: Annotated[list[str], "the option that makes `podium rate` use it. Empty if none is needed"]
    preset: Annotated[str, "name of podium's default preset for this history", From("preset.name")]
    judged_events: Annotated[int, "number of events whose predictions count"]
    gain: Annotated[
        EstimateDocument | None,
        "how much less than a coin the best candidate loses, or null if there is too little to tell",
    ]
    candidates: Annotated[
        list[CandidateDocument], "`auto` and single systems, best first. Empty if there is too little to tell"
    ]
    left_out: Annotated[
        list[str],
        "labels of systems that `auto` does not use for some of the events, and that are not judged",
    ]
    factors: Annotated[list[FactorDocument], "the effects of the home side, absence, margins and newcomers"]
    drift: Annotated[
        DriftDocument | None, "whether strengths change with time, or null if there is too little to tell"
    ]


def advice_document(advice: Advice) -> AdviceDocument:
    """Advice on a history."""
    return plain_form(advice, AdviceDocument)
