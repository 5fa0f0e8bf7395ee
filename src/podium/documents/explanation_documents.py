"""Why a rating is what it is, and why an event moved it, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from podium.documents.plain_data import plain_number, plain_time
from podium.documents.rating_documents import RatingDocument, rating_document
from podium.systems.contract.explained_ratings import Explanation, MatchResult, PerformanceExplanation

if TYPE_CHECKING:
    from podium.ladder.event_explanations import EventExplanation
    from podium.systems.contract.explained_ratings import Opinion, PlayedMatch


class PlayedMatchDocument(TypedDict):
    """A match of two sides as one of its players saw it."""

    opponents: list[str]
    partners: list[str]
    result: MatchResult
    score: float | None
    opponent_score: float | None
    at_home: bool | None
    chance: float


class ContributionDocument(TypedDict):
    """What one event or adjustment did to a rating."""

    event: str
    time: str | None
    rank: int | None
    sides: int
    match: PlayedMatchDocument | None
    change: float
    before: float


class EarlierChangesDocument(TypedDict):
    """The first changes, if they are not listed one by one."""

    count: int
    what: str
    change: float


class OpinionDocument(TypedDict):
    """What one of the experts says of a player, and how much it counts."""

    expert: str
    share: float
    rating: float


class ChangesExplanationDocument(TypedDict):
    """A rating as a sum of changes."""

    form: Literal["changes"]
    rating: RatingDocument
    newcomer: float
    own_start: bool
    older_results: float
    absence: float
    contributions: list[ContributionDocument]
    earlier: EarlierChangesDocument | None
    opinions: list[OpinionDocument]


class PerformanceDocument(TypedDict):
    """One event's part in a rating that is an average of performances."""

    event: str
    time: str | None
    rank: int | None
    match: PlayedMatchDocument | None
    performance: float
    share: float
    pull: float


class OtherPerformancesDocument(TypedDict):
    """Performances that are not listed one by one."""

    count: int
    what: str
    performance: float
    share: float
    pull: float


class PerformancesExplanationDocument(TypedDict):
    """A rating as an average of performances."""

    form: Literal["performances"]
    rating: RatingDocument
    start: float
    start_words: str
    start_share: float
    older: float | None
    older_share: float
    performances: list[PerformanceDocument]
    others: OtherPerformancesDocument | None
    rise: float | None
    fall: float | None
    bounds: list[float | None]


ExplanationDocument = ChangesExplanationDocument | PerformancesExplanationDocument


class EventExplanationDocument(TypedDict):
    """Why one event moved one player's rating."""

    event: str
    time: str | None
    player: str
    rank: int
    place: int | None
    """The place among the `sides`, which is not `rank` if that is of a larger field."""
    sides: int
    match: PlayedMatchDocument | None
    expected_score: float
    actual_score: float
    expected_rank: float
    mu_before: float
    sigma_before: float | None
    display_before: float
    performance: float | None
    mu: float
    sigma: float | None
    display: float
    rated: bool
    opinions: list[OpinionDocument]


class ExplainedDocument(TypedDict):
    """A rating explained, and one event of the player."""

    explanation: ExplanationDocument
    event: EventExplanationDocument | None


def explained_document(
    explained: Explanation | PerformanceExplanation, event: EventExplanation | None = None
) -> ExplainedDocument:
    """A rating explained, and why an event moved it where one is given."""
    return {
        "explanation": explanation_document(explained),
        "event": None if event is None else event_explanation_document(event),
    }


def explanation_document(explained: Explanation | PerformanceExplanation) -> ExplanationDocument:
    """Why a rating is what it is: the document's `form` says which of the two kinds it is.

    >>> from podium import Elo, Ladder
    >>> ladder = Ladder(Elo())
    >>> changes = ladder.record_match("ann", "bob")
    >>> explanation_document(ladder.explain("ann"))["form"]
    'changes'
    """
    if isinstance(explained, PerformanceExplanation):
        return _performances(explained)
    earlier = explained.earlier
    return {
        "form": "changes",
        "rating": rating_document(explained.rating),
        "newcomer": explained.newcomer,
        "own_start": explained.own_start,
        "older_results": explained.older_results,
        "absence": explained.absence,
        "contributions": [
            {
                "event": part.event,
                "time": plain_time(part.time),
                "rank": part.rank,
                "sides": part.sides,
                "match": played_match_document(part.match),
                "change": part.change,
                "before": part.before,
            }
            for part in explained.contributions
        ],
        "earlier": None
        if earlier is None
        else {"count": earlier.count, "what": earlier.what, "change": earlier.change},
        "opinions": _opinions(explained.opinions),
    }


def played_match_document(played: PlayedMatch | None) -> PlayedMatchDocument | None:
    """A match as one of its players saw it; None of other events."""
    if played is None:
        return None
    return {
        "opponents": list(played.opponents),
        "partners": list(played.partners),
        "result": played.result,
        "score": played.score,
        "opponent_score": played.opponent_score,
        "at_home": played.at_home,
        "chance": played.chance,
    }


def _performances(explained: PerformanceExplanation) -> PerformancesExplanationDocument:
    others = explained.others
    return {
        "form": "performances",
        "rating": rating_document(explained.rating),
        "start": explained.start,
        "start_words": explained.start_words,
        "start_share": explained.start_share,
        "older": plain_number(explained.older),
        "older_share": explained.older_share,
        "performances": [
            {
                "event": part.event,
                "time": plain_time(part.time),
                "rank": part.rank,
                "match": played_match_document(part.match),
                "performance": part.performance,
                "share": part.share,
                "pull": part.pull,
            }
            for part in explained.performances
        ],
        "others": None
        if others is None
        else {
            "count": others.count,
            "what": others.what,
            "performance": others.performance,
            "share": others.share,
            "pull": others.pull,
        },
        "rise": plain_number(explained.rise),
        "fall": plain_number(explained.fall),
        "bounds": [plain_number(bound) for bound in explained.bounds],
    }


def event_explanation_document(explained: EventExplanation) -> EventExplanationDocument:
    """Why one event moved one player's rating."""
    return {
        "event": explained.event,
        "time": plain_time(explained.time),
        "player": explained.player,
        "rank": explained.rank,
        "place": explained.place,
        "sides": explained.sides,
        "match": played_match_document(explained.match),
        "expected_score": explained.expected_score,
        "actual_score": explained.actual_score,
        "expected_rank": explained.expected_rank,
        "mu_before": explained.mu_before,
        "sigma_before": explained.sigma_before,
        "display_before": explained.display_before,
        "performance": plain_number(explained.performance),
        "mu": explained.mu,
        "sigma": explained.sigma,
        "display": explained.display,
        "rated": explained.rated,
        "opinions": _opinions(explained.opinions),
    }


def _opinions(opinions: tuple[Opinion, ...]) -> list[OpinionDocument]:
    return [{"expert": one.expert, "share": one.share, "rating": one.rating} for one in opinions]
