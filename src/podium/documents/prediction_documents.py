"""Predictions as plain data: of matches of two sides, of free-for-alls, and of one player's rating."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from podium.systems.contract.distribution import Distribution
    from podium.systems.contract.ratings import Outcomes, RankProbabilities


class OutcomesDocument(TypedDict):
    """How a match may end, as seen by the first side."""

    win: float
    draw: float
    loss: float


class MatchPredictionDocument(TypedDict):
    """What is to be expected of a match of two sides."""

    sides: list[list[str]]
    expected_score: float
    outcomes: OutcomesDocument | None


class SideRanksDocument(TypedDict):
    """The chances of one side of a free-for-all."""

    players: list[str]
    expected_rank: float
    probabilities: list[float]
    tied: float


class RankProbabilitiesDocument(TypedDict):
    """What is to be expected of a free-for-all."""

    sides: list[SideRanksDocument]


class DistributionDocument(TypedDict):
    """The probability distribution of a player's rating, on a grid of points."""

    player: str | None
    points: list[float]
    probability: list[float]


def distribution_document(distribution: Distribution) -> DistributionDocument:
    """What `Ladder.distribution` says of a player."""
    return {
        "player": distribution.player,
        "points": distribution.points.tolist(),
        "probability": distribution.probability.tolist(),
    }


def outcomes_document(outcomes: Outcomes) -> OutcomesDocument:
    """How a match may end, as seen by the first side."""
    return {"win": outcomes.win, "draw": outcomes.draw, "loss": outcomes.loss}


def match_prediction_document(
    a: str | Collection[str],
    b: str | Collection[str],
    expected_score: float,
    outcomes: Outcomes | None = None,
) -> MatchPredictionDocument:
    """What `Ladder.expected_score` and, where a system gives draws a chance, `Ladder.outcomes` say."""
    return {
        "sides": [_members(a), _members(b)],
        "expected_score": expected_score,
        "outcomes": None if outcomes is None else outcomes_document(outcomes),
    }


def rank_probabilities_document(chances: RankProbabilities) -> RankProbabilitiesDocument:
    """What `Ladder.rank_probabilities` says of a free-for-all.

    >>> from podium import Elo, Ladder
    >>> document = rank_probabilities_document(Ladder(Elo()).rank_probabilities(["ann", "bob"]))
    >>> document["sides"][0]
    {'players': ['ann'], 'expected_rank': 1.5, 'probabilities': [0.5, 0.5], 'tied': 0.0}
    """
    numbers = (chances.expected_rank, chances.matrix, chances.tied)
    rows = zip(chances.players, *(number.tolist() for number in numbers), strict=True)
    return {
        "sides": [
            {"players": _members(side), "expected_rank": rank, "probabilities": row, "tied": tied}
            for side, rank, row, tied in rows
        ]
    }


def _members(side: str | Collection[str]) -> list[str]:
    return [side] if isinstance(side, str) else list(side)
