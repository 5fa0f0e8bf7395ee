"""The document of any result, found by the result's type.

>>> import json
>>> import podium
>>> ladder = podium.Ladder("elo")
>>> _ = ladder.record_match("ann", "bob")
>>> json.dumps(podium.document(ladder.rating("ann")))[:46]
'{"podium": 1, "kind": "rating", "player": "ann'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from podium.documents.advice_documents import advice_document
from podium.documents.arena_documents import arena_document
from podium.documents.backtest_documents import backtest_document, comparison_document, smoothing_document
from podium.documents.event_documents import event_document, history_summary_document
from podium.documents.explanation_documents import event_explanation_document, explained_document
from podium.documents.match_documents import match_document, pairing_document, tick_document, ticket_document
from podium.documents.plain_data import stamped
from podium.documents.pool_documents import (
    match_reasons_document,
    pool_counters_document,
    waiting_reasons_document,
)
from podium.documents.prediction_documents import (
    distribution_document,
    outcomes_document,
    rank_probabilities_document,
)
from podium.documents.publishing_documents import contest_document, what_if_document
from podium.documents.rating_documents import (
    change_document,
    ladders_document,
    leaderboard_document,
    rating_document,
)
from podium.documents.system_documents import system_document
from podium.documents.table_documents import table_document, trace_document
from podium.documents.tournament_documents import chances_document, tournament_document
from podium.documents.tuning_documents import tuning_document
from podium.errors import ParameterError
from podium.history.history import is_frame
from podium.text import did_you_mean

if TYPE_CHECKING:
    from podium.ladder.bulk import Run
    from podium.ladder.ladder import Ladder
    from podium.ladder.many_ladders import Ladders

Maker = Callable[[Any], Mapping[str, Any]]


def document(result: object) -> dict[str, Any]:
    """A result as plain data for `json.dumps`, with the version and the kind of the document on top.

    Args:
        result: Any result of podium. A run or a ladder gives its leaderboard, a history its summary, a
            dataframe its rows.

    Returns:
        The document.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob")
    >>> document = podium.document(ladder.rating("ann"))
    >>> document["kind"], document["display"]
    ('rating', 1516.0)
    """
    from podium.tables.given_frames import with_polars  # which loads Polars: a client alone needs none

    result = with_polars(result)
    for cls in type(result).__mro__:
        if cls.__module__.partition(".")[0] == "podium" and cls.__name__ in _DOCUMENTS:
            kind, make = _DOCUMENTS[cls.__name__]
            return stamped(kind, make(result))
    if is_frame(result):
        return stamped("table", table_document(result))
    if isinstance(result, (list, tuple)):
        raise ParameterError("a list has no document", hint="[podium.document(one) for one in results]")
    name = type(result).__name__
    raise ParameterError(f"there is no document of {name}", hint=did_you_mean(name, list(_DOCUMENTS)))


def register_document(name: str, kind: str, make: Maker) -> None:
    """Let `document` know results of podium's type of this name: for the rooms that come after this one."""
    _DOCUMENTS[name] = kind, make


def _ladder(ladder: Ladder) -> Mapping[str, Any]:
    return leaderboard_document(ladder, ladder.leaderboard())


def _run(run: Run) -> Mapping[str, Any]:
    return leaderboard_document(run.ladder, run.leaderboard())


def _ladders(ladders: Ladders) -> Mapping[str, Any]:
    from podium.tables.given_frames import with_polars

    boards = {name: (run.ladder, with_polars(run).leaderboard()) for name, run in ladders.items()}
    system = next(iter(boards.values()))[0].system
    return ladders_document(system, ladders.by, boards, skipped_rows=len(ladders.skipped))


_DOCUMENTS: dict[str, tuple[str, Maker]] = {
    "Rating": ("rating", rating_document),
    "Change": ("change", change_document),
    "Ladder": ("leaderboard", _ladder),
    "Run": ("leaderboard", _run),
    "Ladders": ("ladders", _ladders),
    "ContestChanges": ("contest", contest_document),
    "WhatIf": ("what-if", what_if_document),
    "Explanation": ("explanation", explained_document),
    "PerformanceExplanation": ("explanation", explained_document),
    "EventExplanation": ("event-explanation", event_explanation_document),
    "Distribution": ("distribution", distribution_document),
    "Event": ("event", event_document),
    "History": ("history", lambda history: history_summary_document(history.summary())),
    "Trace": ("table", trace_document),
    "Outcomes": ("outcomes", outcomes_document),
    "RankProbabilities": ("rank-probabilities", rank_probabilities_document),
    "Match": ("match", match_document),
    "Tick": ("tick", tick_document),
    "Ticket": ("ticket", ticket_document),
    "Pairing": ("pairing", pairing_document),
    "MatchReasons": ("match-reasons", match_reasons_document),
    "WaitingReasons": ("waiting-reasons", waiting_reasons_document),
    "PoolCounters": ("pool-counters", pool_counters_document),
    "Advice": ("advice", advice_document),
    "Fit": ("arena", arena_document),
    "Backtest": ("backtest", backtest_document),
    "Comparison": ("comparison", comparison_document),
    "Tuning": ("tuning", tuning_document),
    "Smoothing": ("smoothing", lambda smoothing: smoothing_document(smoothing, smoothing.frame)),
    "RatingSystem": ("system", system_document),
    "Tournament": ("tournament", tournament_document),
    "Chances": ("chances", chances_document),
}
"""By the name of the result's type: types are not imported, as this would load all of podium."""
