"""Why a rating is what it is, in terms people know: events, performances, shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from podium.arrays import NO_TIME
from podium.history.times import to_datetime
from podium.systems.contract.explained_ratings import (
    Contribution,
    Explanation,
    Performance,
    PerformanceExplanation,
    PlayedMatch,
    Shares,
)
from podium.systems.contract.ratings import Rating


class Remembered(NamedTuple):
    """An event as one player saw it: its name, its time, the player's rank, and the match if it is one."""

    event: str
    time: int
    rank: int
    match: PlayedMatch | None = None


def explain_performances(
    rating: Rating, shares: Shares, events: Mapping[int, Remembered], changes: Iterable[Contribution] = ()
) -> PerformanceExplanation:
    """Split a rating into performances and their shares; `events` is by the player's event count.

    `changes` are those that are known, oldest first: an adjustment that moved the rating is a new start.
    """
    performances = []
    adjusted = [one.event for one in changes if one.rank is None and one.change]
    for i, number in enumerate(shares.number.tolist()):
        known = events.get(number)
        value, share = float(shares.performance[i]), float(shares.share[i])
        performances.append(
            Performance(
                event=f"no. {number}" if known is None else known.event,
                time=to_datetime(
                    int(shares.time[i]) if known is None or known.time == NO_TIME else known.time
                ),
                rank=None if known is None else known.rank,
                performance=value,
                share=share,
                pull=share * (value - rating.mu),
                match=None if known is None else known.match,
            )
        )
    return PerformanceExplanation(
        rating=rating,
        start=shares.origin,
        start_words=f"start, by {adjusted[-1]}" if adjusted else "start",
        start_share=shares.origin_share,
        older=shares.older,
        older_share=shares.older_share,
        performances=tuple(performances),
        rise=shares.rise,
        fall=shares.fall,
        bounds=shares.bounds,
        skewed=shares.skewed,
    )


ROUNDING = 1e-9
"""Points that are no part of an explanation, but rounding."""


def explain_changes(
    rating: Rating, newcomer: float, parts: tuple[Contribution, ...], *, from_start: bool
) -> Explanation:
    """A rating as a start, plus these changes (oldest first), plus what happened before and between them.

    `newcomer` is the displayed rating of a player who would join now; it is the start if parts are missing at
    the beginning, unless `from_start`.
    """
    if parts and abs(later := rating.display - parts[-1].after) > ROUNDING:
        parts += (Contribution("everything after", None, None, 0, later, parts[-1].after),)
    first = parts[0].before if parts else rating.display
    start = first if from_start else newcomer
    return Explanation(
        rating=rating,
        newcomer=start,
        older_results=_points(first - start),
        contributions=parts,
        absence=_points(sum(later.before - earlier.after for earlier, later in pairwise(parts))),
        own_start=_points(start - newcomer) != 0.0,
    )


def _points(number: float) -> float:
    return 0.0 if abs(number) < ROUNDING else number
