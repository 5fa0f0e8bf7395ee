"""Simulated seasons as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from podium.documents.event_documents import HistorySummaryDocument, history_summary_document
from podium.documents.plain_data import ParameterValue, plain_parameters

if TYPE_CHECKING:
    from podium.history.summary import Summary
    from podium.simulation import Simulation


class SeasonDocument(TypedDict):
    """A simulated season: what it was made with, and what it holds."""

    season: str
    parameters: dict[str, ParameterValue]
    people: dict[str, ParameterValue]
    seed: int
    summary: HistorySummaryDocument


def season_document(simulation: Simulation, summary: Summary) -> SeasonDocument:
    """A simulated season: what it was made with, and what it holds."""
    return {
        "season": simulation.season.name,
        "parameters": plain_parameters(simulation.season.parameters()),
        "people": plain_parameters(simulation.people.parameters()),
        "seed": simulation.seed,
        "summary": history_summary_document(summary),
    }
