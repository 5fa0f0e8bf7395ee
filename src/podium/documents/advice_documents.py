"""Advice on which system suits a history, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from podium.documents.event_documents import HistorySummaryDocument, history_summary_document
from podium.documents.plain_data import plain_number
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    from podium.evaluation.advice import Advice, Candidate, Estimate, Factor


class EstimateDocument(TypedDict):
    """A mean over events, and how sure it is."""

    value: float
    low: float | None
    high: float | None


class CandidateDocument(TypedDict):
    """A system that could be used, and how well it predicted."""

    label: str
    system: SystemDocument
    log_loss: EstimateDocument
    right: float | None
    behind: EstimateDocument
    standing: Literal["best", "level", "worse"]


class FactorDocument(TypedDict):
    """Something that may matter in a history."""

    name: Literal["home side", "absence", "margins", "newcomers"]
    answer: Literal["matters", "misleads", "no difference shown", "in too few events", "not in this data"]
    worth: EstimateDocument | None


class AdviceDocument(TypedDict):
    """Which system suits a history, and how sure that is."""

    history: HistorySummaryDocument
    sentences: list[str]
    recommended: SystemDocument
    options: list[str]
    preset: str
    judged_events: int
    gain: EstimateDocument | None
    candidates: list[CandidateDocument]
    left_out: list[str]
    factors: list[FactorDocument]


def advice_document(advice: Advice) -> AdviceDocument:
    """Advice on a history."""
    return {
        "history": history_summary_document(advice.summary),
        "sentences": list(advice.sentences),
        "recommended": system_document(advice.recommended),
        "options": list(advice.options),
        "preset": advice.preset.name,
        "judged_events": advice.judged_events,
        "gain": None if advice.gain is None else _estimate(advice.gain),
        "candidates": [_candidate(one) for one in advice.candidates],
        "left_out": list(advice.left_out),
        "factors": [_factor(one) for one in advice.factors],
    }


def _estimate(estimate: Estimate) -> EstimateDocument:
    return {
        "value": estimate.value,
        "low": plain_number(estimate.low),
        "high": plain_number(estimate.high),
    }


def _candidate(candidate: Candidate) -> CandidateDocument:
    return {
        "label": candidate.label,
        "system": system_document(candidate.system),
        "log_loss": _estimate(candidate.log_loss),
        "right": plain_number(candidate.right),
        "behind": _estimate(candidate.behind),
        "standing": candidate.standing,
    }


def _factor(factor: Factor) -> FactorDocument:
    return {
        "name": factor.name,
        "answer": factor.answer,
        "worth": None if factor.worth is None else _estimate(factor.worth),
    }
