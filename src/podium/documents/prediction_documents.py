"""Predictions as plain data: of matches of two sides, of free-for-alls, and of one player's rating."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import kind
from podium.documents.plain_data import plain_form

if TYPE_CHECKING:
    from podium.systems.contract.distribution import Distribution
    from podium.systems.contract.ratings import Outcomes, RankProbabilities


@kind("outcomes")
class OutcomesDocument(TypedDict):
    """How a match may end, as seen by the first side.

    `outcomes_document(ladder.outcomes("ann", "bob"))`. The three sum to 1.
    """

    win: Annotated[float, "probability that the first side wins"]
    draw: Annotated[float, "probability of a draw, 0 if the system gives draws no chance"]
    loss: Annotated[float, "probability that the first side loses"]


@kind("prediction")
class MatchPredictionDocument(TypedDict):
    """The prediction of a match of two sides.

    `match_prediction_document(a, b, ladder.expected_score(a, b), ladder.outcomes(a, b))`.
    """

    sides: Annotated[list[list[str]], "the players of both sides"]
    expected_score: Annotated[float, "score the first side can expect: 1 is a win, 0.5 a draw"]
    outcomes: Annotated[
        OutcomesDocument | None, "probabilities of win, draw and loss, or null if they were not asked for"
    ]


class SideRanksDocument(TypedDict):
    """The chances of one side of a free-for-all."""

    players: Annotated[list[str], "names of the side's players"]
    expected_rank: Annotated[float, "mean rank"]
    probabilities: Annotated[
        list[float], "probability of rank 1, 2, 3, … A tie counts half for each of both orders"
    ]
    tied: Annotated[
        float,
        "probability of sharing the rank with another side: for two sides that of a draw, for more "
        "an [approximation](ladders.md#free-for-alls). 0 if the system gives draws no chance",
    ]


@kind("rank-probabilities")
class RankProbabilitiesDocument(TypedDict):
    """The prediction of a free-for-all.

    `rank_probabilities_document(ladder.rank_probabilities(["ann", "bob", "cat"]))`.
    """

    sides: Annotated[list[SideRanksDocument], "the sides of the free-for-all, in the order given"]


@kind("distribution")
class DistributionDocument(TypedDict):
    """The probability distribution of a player's rating, on a grid of points.

    `podium.document(ladder.distribution("ann"))`.
    """

    player: Annotated[str | None, "name of the player, or null if it names no player"]
    points: Annotated[list[float], "ratings, ascending"]
    probability: Annotated[list[float], "the probability of each. They sum to one"]


def distribution_document(distribution: Distribution) -> DistributionDocument:
    """The distribution of a player's rating, by `Ladder.distribution`."""
    return plain_form(distribution, DistributionDocument)


def outcomes_document(outcomes: Outcomes) -> OutcomesDocument:
    """How a match may end, as seen by the first side."""
    return plain_form(outcomes, OutcomesDocument)


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
    """The probabilities of ranks in a free-for-all, by `Ladder.rank_probabilities`.

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
