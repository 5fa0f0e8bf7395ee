"""Simulated seasons as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import From, kind
from podium.documents.event_documents import HistorySummaryDocument, history_summary_document
from podium.documents.plain_data import ParameterValue, plain_form

if TYPE_CHECKING:
    from podium.history.summary import Summary
    from podium.simulation import Simulation


@kind("season")
class SeasonDocument(TypedDict):
    """A simulated season: its options and its counts.

    `podium simulate contests --json` (also `matches` and `teams`) or
    `season_document(simulation, simulation.history().summary())`.
    """

    season: Annotated[str, "kind of season: `contests`, `matches` or `teams`", From("season.name")]
    parameters: Annotated[
        dict[str, ParameterValue],
        "the parameters of the season, by name",
        From(lambda simulation: simulation.season.parameters()),
    ]
    people: Annotated[
        dict[str, ParameterValue],
        "the parameters of the population, by name",
        From(lambda simulation: simulation.people.parameters()),
    ]
    seed: Annotated[int, "random seed"]
    summary: Annotated[HistorySummaryDocument, "the contents of the season"]


def season_document(simulation: Simulation, summary: Summary) -> SeasonDocument:
    """A simulated season: its options and its counts."""
    return plain_form(simulation, SeasonDocument, summary=history_summary_document(summary))
