"""Why a rating is what it is, in terms people know: events, performances, shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from podium.arrays import NO_TIME
from podium.history.times import to_datetime
from podium.systems.contract.ratings import Performance, PerformanceExplanation, Rating
from podium.systems.contract.shares import Shares


class Remembered(NamedTuple):
    """An event as one player saw it: its name, its time and the player's rank."""

    event: str
    time: int
    rank: int


def explain_performances(
    rating: Rating, shares: Shares, events: Mapping[int, Remembered]
) -> PerformanceExplanation:
    """Split a rating into performances and their shares; `events` is by the player's event count."""
    performances = []
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
            )
        )
    return PerformanceExplanation(
        rating=rating,
        start=shares.origin,
        start_share=shares.origin_share,
        older=shares.older,
        older_share=shares.older_share,
        performances=tuple(performances),
        rise=shares.rise,
        fall=shares.fall,
        bounds=shares.bounds,
    )
