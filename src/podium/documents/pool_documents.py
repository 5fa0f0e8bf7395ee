"""Why somebody waits in a pool, and what a pool has done so far, as plain data."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from podium.documents.plain_data import plain_number, plain_time

if TYPE_CHECKING:
    from podium.matchmaking.pool.counters import Histogram, PoolCounters
    from podium.matchmaking.pool.waiting_reasons import WaitingReasons


class WaitingReasonsDocument(TypedDict):
    """Why a ticket waits."""

    players: list[str]
    time: str | None
    seconds: float | None
    waited: float
    match: int | None
    others: int
    forbidden: dict[str, int]
    allowed: int
    acceptable: int
    accepts: float | None
    nearest: list[str]
    nearest_cost: float | None
    acceptable_in: float | None
    acceptable_at: str | None
    overdue_in: float | None
    times_out_in: float | None
    expected_wait: float | None
    running: int
    open_places: int
    available: int
    lacking: dict[str, int]
    parties_fit: bool
    newcomers: list[str]


class BucketDocument(TypedDict):
    """Numbers that were counted together."""

    up_to: float | None
    count: int
    sum: float


class CountedDocument(TypedDict):
    """Numbers counted by size."""

    count: int
    sum: float
    median: float | None
    p90: float | None
    p99: float | None
    buckets: list[BucketDocument]


class PoolCountersDocument(TypedDict):
    """What a pool has done so far."""

    tickets_joined: int
    tickets_left: int
    tickets_expired: int
    tickets_matched: int
    matches_proposed: int
    matches_started: int
    matches_cancelled: int
    matches_finished: int
    waits: CountedDocument
    costs: CountedDocument
    gaps: CountedDocument
    ticks: CountedDocument
    refusals: dict[str, int]


def waiting_reasons_document(reasons: WaitingReasons) -> WaitingReasonsDocument:
    """Why a ticket waits."""
    at = reasons.acceptable_at
    return {
        "players": list(reasons.players),
        "time": plain_time(reasons.moment),
        "seconds": plain_number(reasons.time),
        "waited": reasons.waited,
        "match": reasons.match,
        "others": reasons.others,
        "forbidden": dict(reasons.forbidden),
        "allowed": reasons.allowed,
        "acceptable": reasons.acceptable,
        "accepts": plain_number(reasons.accepts),
        "nearest": list(reasons.nearest),
        "nearest_cost": reasons.nearest_cost,
        "acceptable_in": reasons.acceptable_in,
        "acceptable_at": plain_time(at) if isinstance(at, datetime) else None,
        "overdue_in": reasons.overdue_in,
        "times_out_in": reasons.times_out_in,
        "expected_wait": reasons.expected_wait,
        "running": reasons.running,
        "open_places": reasons.open_places,
        "available": reasons.available,
        "lacking": dict(reasons.lacking),
        "parties_fit": reasons.parties_fit,
        "newcomers": list(reasons.newcomers),
    }


def pool_counters_document(counters: PoolCounters) -> PoolCountersDocument:
    """What a pool has done so far."""
    return {
        "tickets_joined": counters.tickets_joined,
        "tickets_left": counters.tickets_left,
        "tickets_expired": counters.tickets_expired,
        "tickets_matched": counters.tickets_matched,
        "matches_proposed": counters.matches_proposed,
        "matches_started": counters.matches_started,
        "matches_cancelled": counters.matches_cancelled,
        "matches_finished": counters.matches_finished,
        "waits": _counted(counters.waits),
        "costs": _counted(counters.costs),
        "gaps": _counted(counters.gaps),
        "ticks": _counted(counters.ticks),
        "refusals": dict(counters.refusals),
    }


def _counted(numbers: Histogram) -> CountedDocument:
    buckets = zip((*numbers.bounds, None), numbers.counts, numbers.sums, strict=True)
    return {
        "count": numbers.count,
        "sum": numbers.total,
        "median": numbers.quantile(0.5),
        "p90": numbers.quantile(0.9),
        "p99": numbers.quantile(0.99),
        "buckets": [{"up_to": bound, "count": count, "sum": total} for bound, count, total in buckets],
    }
