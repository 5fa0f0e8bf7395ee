"""Why a rating is its kind, and why an event moved it, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from podium.documents.declarations import From, TimeText, kind
from podium.documents.plain_data import plain_form
from podium.documents.rating_documents import RatingDocument
from podium.systems.contract.explained_ratings import Explanation, MatchResult, PerformanceExplanation

if TYPE_CHECKING:
    from podium.ladder.event_explanations import EventExplanation
    from podium.systems.contract.explained_ratings import PlayedMatch


class PlayedMatchDocument(TypedDict):
    """A match of two sides as one of its players saw it."""

    opponents: Annotated[list[str], "names of the players of the other side"]
    partners: Annotated[list[str], "names of the other members of the player's team"]
    result: Annotated[MatchResult, "`win`, `draw` or `loss`"]
    score: Annotated[float | None, "score of the player's side, or null if scores are not known"]
    opponent_score: Annotated[float | None, "score of the other side, or null if scores are not known"]
    at_home: Annotated[
        bool | None, "whether the player was at home (true) or away (false), or null if no side was at home"
    ]
    chance: Annotated[
        float, "expected score before the match: the chance to win plus half the chance to draw"
    ]


class ContributionDocument(TypedDict):
    """The rating change of one event or adjustment."""

    event: Annotated[str, "name or number of the event, or the adjustment in words"]
    time: Annotated[TimeText | None, "time of the event, or null if it has none"]
    rank: Annotated[int | None, "the player's rank, or null for an adjustment"]
    sides: Annotated[int, "number of sides of the event (0 for an adjustment)"]
    match: Annotated[
        PlayedMatchDocument | None, "opponents, result and chance, or null if the event has not two sides"
    ]
    change: Annotated[float, "points gained in the displayed rating"]
    before: Annotated[float, "the displayed rating right before it"]


class EarlierChangesDocument(TypedDict):
    """The first changes, if they are not listed one by one."""

    count: Annotated[int, "number of changes"]
    what: Annotated[str, "the kind: `match`, `event`, or `change` if adjustments are among them"]
    change: Annotated[float, "points gained in all of them together"]


class OpinionDocument(TypedDict):
    """An expert's opinion of a player, and its weight."""

    expert: Annotated[str, "the expert: a system and its parameters"]
    share: Annotated[float, "its share of all that counts, from 0 to 1"]
    rating: Annotated[float, "the rating it would give the player, in points of the public rating"]


class ChangesExplanationDocument(TypedDict):
    """A rating as a sum of changes.

    The displayed rating is newcomer + older_results + absence + the sum of all changes, the earlier
    ones included.
    """

    form: Annotated[Literal["changes"], "always `changes`", From(lambda explained: "changes")]
    rating: Annotated[RatingDocument, "the rating explained"]
    newcomer: Annotated[
        float,
        "displayed rating at which the player started. If that is no longer remembered, of a newcomer now",
    ]
    own_start: Annotated[
        bool, "whether `newcomer` is the player's own start, other than where newcomers start now"
    ]
    older_results: Annotated[float, "points gained in everything older than the contributions"]
    absence: Annotated[
        float,
        "points lost between the contributions, because a system with `display_k` lowers the display of "
        "absent players",
    ]
    contributions: Annotated[
        list[ContributionDocument], "the change by each remembered event or adjustment, oldest first"
    ]
    earlier: Annotated[
        EarlierChangesDocument | None, "the changes before the contributions, if `--top` leaves any out"
    ]
    opinions: Annotated[
        list[OpinionDocument],
        "the predictions of the experts of `auto`, largest weight first. Empty for other systems",
    ]


class PerformanceDocument(TypedDict):
    """One event's part in a rating that is an average of performances."""

    event: Annotated[str, "name of the event, or its number among the player's events"]
    time: Annotated[TimeText | None, "time of the event, or null if it has none"]
    rank: Annotated[int | None, "the player's rank, or null if it is not remembered"]
    match: Annotated[
        PlayedMatchDocument | None, "opponents, result and chance, or null if the event has not two sides"
    ]
    performance: Annotated[
        float,
        "rating at which this performance would have been the likeliest. Unless the explanation is "
        "`skewed`, the performance itself",
    ]
    share: Annotated[float, "its share of the rating"]
    pull: Annotated[float, "points by which it pulls the rating: share × (performance − mu)"]


class OtherPerformancesDocument(TypedDict):
    """Performances that are not listed one by one."""

    count: Annotated[int, "number of performances"]
    what: Annotated[str, "the kind: `match` or `event`"]
    performance: Annotated[float, "their average, weighted by their shares"]
    share: Annotated[float, "sum of their shares"]
    pull: Annotated[float, "sum of their pulls"]


class PerformancesExplanationDocument(TypedDict):
    """A rating as an average of performances.

    mu is start_share × start + older_share × older + the sum of share × performance, those of others
    included.
    """

    form: Annotated[Literal["performances"], "always `performances`", From(lambda explained: "performances")]
    rating: Annotated[RatingDocument, "the rating explained"]
    start: Annotated[float, "rating at which the player started"]
    start_words: Annotated[str, "the kind of start: `start`, or the adjustment that set it"]
    start_share: Annotated[float, "its share of the rating. All shares sum to 1"]
    older: Annotated[float | None, "where older results together put the player"]
    older_share: Annotated[float, "their share"]
    performances: Annotated[list[PerformanceDocument], "the remembered events, oldest first"]
    skewed: Annotated[
        bool,
        "whether performances scatter asymmetrically. Each is then shown as the rating at which it would be "
        "the likeliest, and the trace has another number",
    ]
    others: Annotated[
        OtherPerformancesDocument | None, "those that `--top` leaves out of the performances, or null if none"
    ]
    rise: Annotated[
        float | None,
        "most points that one more result of weight 1 at the time of the rating can add to mu, or null "
        "means no limit",
    ]
    fall: Annotated[
        float | None,
        "most points that one more result of weight 1 at the time of the rating can take from mu (null: no "
        "limit)",
    ]
    bounds: Annotated[
        list[float | None],
        "the two numbers between which Theorem 5.7 of the Elo-MMR paper puts both limits, or null for "
        "an infinite one",
    ]


ExplanationDocument = ChangesExplanationDocument | PerformancesExplanationDocument


@kind("event-explanation")
class EventExplanationDocument(TypedDict):
    """Why one event moved one player's rating.

    `podium.document(run.explain("ann", event="final"))`.
    """

    event: Annotated[str, "name or number of the event"]
    time: Annotated[TimeText | None, "time of the event, or null if it has none"]
    player: Annotated[str, "name of the player"]
    rank: Annotated[int, "the player's rank"]
    place: Annotated[
        int | None,
        "the place among the sides of the event, which differs from `rank` if ranks are of a larger field. "
        "null from older services",
    ]
    sides: Annotated[int, "number of sides of the event"]
    match: Annotated[
        PlayedMatchDocument | None, "opponents, result and chance, or null if the event has not two sides"
    ]
    expected_score: Annotated[
        float, "mean expected score against each other side, from ratings before the event"
    ]
    actual_score: Annotated[float, "mean score against each other side"]
    expected_rank: Annotated[float, "rank to expect from the expected scores"]
    mu_before: Annotated[float, "mu before the event"]
    sigma_before: Annotated[float | None, "sigma before the event, or null if the system has none"]
    display_before: Annotated[float, "displayed rating before the event"]
    performance: Annotated[
        float | None, "the player's performance as a rating, or null if the system has none"
    ]
    mu: Annotated[float, "mu after the event"]
    sigma: Annotated[float | None, "sigma after the event, or null if the system has none"]
    display: Annotated[float, "displayed rating after the event"]
    rated: Annotated[bool, "whether the event counted for the player"]
    opinions: Annotated[
        list[OpinionDocument],
        "the predictions of the experts of `auto` before the event, largest weight first. Empty for "
        "other systems",
    ]


@kind("explanation")
class ExplainedDocument(TypedDict):
    """A rating explained, and one event of the player.

    `podium explain --json` or `explained_document(run.explain("ann"), run.explain_last("ann"))`.
    """

    explanation: Annotated[
        ExplanationDocument, "the explanation of the rating. Its `form` names which of the two kinds follows"
    ]
    event: Annotated[
        EventExplanationDocument | None,
        "why one event moved the rating, or null if there is none, as for a saved ladder",
    ]


def explained_document(
    explained: Explanation | PerformanceExplanation, event: EventExplanation | None = None
) -> ExplainedDocument:
    """A rating explained, and why an event moved it where one is given."""
    return {
        "explanation": explanation_document(explained),
        "event": None if event is None else event_explanation_document(event),
    }


def explanation_document(explained: Explanation | PerformanceExplanation) -> ExplanationDocument:
    """Why a rating is the kind: the document's `form` names which of the two kinds it is.

    >>> from podium import Elo, Ladder
    >>> ladder = Ladder(Elo())
    >>> changes = ladder.record_match("ann", "bob")
    >>> explanation_document(ladder.explain("ann"))["form"]
    'changes'
    """
    if isinstance(explained, PerformanceExplanation):
        return plain_form(explained, PerformancesExplanationDocument)
    return plain_form(explained, ChangesExplanationDocument)


def played_match_document(played: PlayedMatch | None) -> PlayedMatchDocument | None:
    """A match from the side of one of its players, or None for other events."""
    return None if played is None else plain_form(played, PlayedMatchDocument)


def event_explanation_document(explained: EventExplanation) -> EventExplanationDocument:
    """Why one event moved one player's rating."""
    return plain_form(explained, EventExplanationDocument)
