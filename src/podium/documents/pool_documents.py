"""Why a player waits in a pool, and counts of the pool's work so far, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import From, TimeText, kind
from podium.documents.plain_data import plain_form

if TYPE_CHECKING:
    from podium.matchmaking.pool.counters import Histogram, PoolCounters
    from podium.matchmaking.pool.match_reasons import MatchReasons
    from podium.matchmaking.pool.waiting_reasons import WaitingReasons


@kind("waiting-reasons")
class WaitingReasonsDocument(TypedDict):
    """Why a ticket waits.

    `podium.document(maker.why("ann"))`; [the meaning](pool.md#why-does-a-player-wait).
    """

    players: Annotated[list[str], "the players of the ticket"]
    time: Annotated[
        TimeText | None,
        "for when all this holds, or null if the pool counts seconds",
        From("moment"),
    ]
    seconds: Annotated[
        float | None, "the same on the pool's clock, or null if the pool has no time yet", From("time")
    ]
    waited: Annotated[float, "seconds since the ticket joined"]
    match: Annotated[int | None, "number of the match proposed to it, or null if there is none"]
    others: Annotated[int, "number of other tickets that wait and have not timed out"]
    forbidden: Annotated[dict[str, int], "how many of them each term of the policy forbids"]
    allowed: Annotated[int, "number of them that no term forbids"]
    acceptable: Annotated[int, "number of those who are acceptable now"]
    accepts: Annotated[
        float | None, "the cost that the ticket accepts now, or null if it is overdue and accepts any"
    ]
    nearest: Annotated[
        list[str],
        "the players of the ticket that is or becomes acceptable first. If none does, of the allowed "
        "one that lacks least. Empty if there is none, or if the ticket has timed out",
    ]
    nearest_cost: Annotated[
        float | None, "the cost of meeting them when it is first acceptable, or now if it never is"
    ]
    acceptable_in: Annotated[
        float | None,
        "seconds until that is acceptable, or null if it never is before one of the two times out",
    ]
    acceptable_at: Annotated[
        TimeText | None,
        "the same as a time, or null if the pool counts seconds",
        From(lambda reasons: None if reasons.moment is None else reasons.acceptable_at),
    ]
    overdue_in: Annotated[
        float | None,
        "seconds until the ticket accepts every allowed ticket, or null if it never does, or times "
        "out before",
    ]
    times_out_in: Annotated[
        float | None,
        "seconds until the ticket times out (0 if its time is up, null if the pool has no timeout)",
    ]
    expected_wait: Annotated[
        float | None,
        "the average further wait, in seconds, of matched tickets that had waited this long. null if there "
        "are none, or if this ticket has timed out",
    ]
    running: Annotated[
        int, "number of running matches with open places for the ticket, in which no term forbids it a player"
    ]
    open_places: Annotated[
        int,
        "number of players that a match needs in addition to the ticket: a new one, or a running one that "
        "lacks fewer",
    ]
    available: Annotated[int, "number of players who may meet the ticket"]
    lacking: Annotated[dict[str, int], "how many players are missing for each role that too few would play"]
    parties_fit: Annotated[
        bool, "whether parties who may meet can be divided into the sides of a new match, by their sizes"
    ]
    newcomers: Annotated[
        list[str], "players of the ticket who are rated as newcomers, because the ladder does not know them"
    ]
    paired: Annotated[
        int, "number of tickets that no term forbids, and that are in a proposed match at the moment"
    ]


@kind("match-reasons")
class MatchReasonsDocument(TypedDict):
    """Why a match is proposed.

    `podium.document(maker.why(match))`; [the meaning](pool.md#why-is-a-match-proposed).
    """

    match: Annotated[int, "number of the match"]
    cost: Annotated[float, "its cost with the ratings and waiting times of now"]
    shares: Annotated[dict[str, float], "what each term adds to the cost"]
    accepts: Annotated[
        float | None, "the cost that the most patient of its tickets accepts now, or null for any"
    ]
    leaving: Annotated[list[str], "the players of the ticket that the next best match would exchange"]
    joining: Annotated[list[str], "the players who would take their places, or none"]
    next_cost: Annotated[float | None, "what that match would cost, or null if there is none"]
    joining_match: Annotated[
        int | None, "the match that is proposed to these players now, or null if they wait"
    ]


class BucketDocument(TypedDict):
    """Numbers that were counted together."""

    up_to: Annotated[
        float | None,
        "the largest number that is counted here, or null for the last bucket, which takes all larger ones",
    ]
    count: Annotated[int, "how many numbers there are, not counting those of smaller buckets"]
    sum: Annotated[float, "their sum"]


def _buckets(numbers: Histogram) -> list[BucketDocument]:
    rows = zip((*numbers.bounds, None), numbers.counts, numbers.sums, strict=True)
    return [{"up_to": bound, "count": count, "sum": total} for bound, count, total in rows]


class CountedDocument(TypedDict):
    """Numbers counted by size."""

    count: Annotated[int, "how many numbers there are"]
    sum: Annotated[float, "their sum", From("total")]
    median: Annotated[
        float | None,
        "half of them are at most this: the bound of a bucket, or the greatest number if it is in "
        "the last, or null if there are none",
        From(lambda numbers: numbers.quantile(0.5)),
    ]
    p90: Annotated[float | None, "the same for 90% of them", From(lambda numbers: numbers.quantile(0.9))]
    p99: Annotated[float | None, "the same for 99% of them", From(lambda numbers: numbers.quantile(0.99))]
    buckets: Annotated[list[BucketDocument], "how many there are of each size", From(_buckets)]


@kind("pool-counters")
class PoolCountersDocument(TypedDict):
    """Counts of a pool's work so far.

    `podium.document(maker.counters())` ([meanings](pool.md#counters)).
    """

    tickets_joined: Annotated[int, "tickets that joined"]
    tickets_left: Annotated[int, "tickets that left, also by cancelling a match"]
    tickets_expired: Annotated[int, "tickets whose time was up"]
    tickets_matched: Annotated[int, "tickets whose match started"]
    matches_proposed: Annotated[int, "matches that ticks proposed"]
    matches_started: Annotated[int, "matches that started"]
    matches_cancelled: Annotated[int, "proposals that ended because a player cancelled or left"]
    matches_finished: Annotated[int, "matches that finished"]
    waits: Annotated[
        CountedDocument, "seconds between joining and the start of the match, of each ticket that was matched"
    ]
    costs: Annotated[CountedDocument, "the cost of each match that was proposed"]
    gaps: Annotated[
        CountedDocument,
        "the mean distance of its sides' chances from the wanted ones, of each match that was proposed",
    ]
    ticks: Annotated[CountedDocument, "seconds that each tick took"]
    refusals: Annotated[dict[str, int], "meetings that ticks looked at and a term forbade, by the term"]


def waiting_reasons_document(reasons: WaitingReasons) -> WaitingReasonsDocument:
    """Why a ticket waits."""
    return plain_form(reasons, WaitingReasonsDocument)


def match_reasons_document(reasons: MatchReasons) -> MatchReasonsDocument:
    """Why a match is proposed."""
    return plain_form(reasons, MatchReasonsDocument)


def pool_counters_document(counters: PoolCounters) -> PoolCountersDocument:
    """Counts of a pool's work so far."""
    return plain_form(counters, PoolCountersDocument)
