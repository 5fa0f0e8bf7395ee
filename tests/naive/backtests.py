"""The metrics of a backtest, one side and one pair at a time.

An event is a dictionary: `sides` (lists of names), `ranks`, `share` (the first of two sides' part of a point,
or None), `home` (the number of the side at home, or None), `unrated` (names), and what was believed of its
sides before it: `expected`, `rating`, `sigma`, lists, and `happened`, the chance given to how it ended.
"""

from __future__ import annotations

import math
from typing import Any

from naive import metrics as orders

Event = dict[str, Any]
NAN = float("nan")


def experience(events: list[Event], number: int, player: str) -> int:
    """Rated events before."""
    return sum(
        1
        for event in events[:number]
        for side in event["sides"]
        if player in side and player not in event["unrated"]
    )


def scored(events: list[Event], number: int, scope: dict[str, Any]) -> list[int]:
    """The sides of an event that are scored; none where fewer than two would be."""
    event = events[number]
    chosen = []
    for i, side in enumerate(event["sides"]):
        before = sum(1 for rank in event["ranks"] if rank < event["ranks"][i])
        if (
            all(experience(events, number, player) >= scope.get("min_events", 0) for player in side)
            and before < scope.get("top", math.inf)
            and event["sigma"][i] <= scope.get("max_sigma", math.inf)
            and (scope.get("unrated", True) or not any(player in event["unrated"] for player in side))
        ):
            chosen.append(i)
    return chosen if len(chosen) >= 2 else []


def score(event: Event, i: int) -> float:
    """What a side got of a point against each other side, on average."""
    if event["share"] is not None:
        return event["share"] if i == 0 else 1 - event["share"]
    ranks = event["ranks"]
    got = [1.0 if ranks[i] < r else 0.5 if ranks[i] == r else 0.0 for j, r in enumerate(ranks) if j != i]
    return sum(got) / len(got)


def log_loss(s: float, p: float) -> float:
    p = min(max(p, 1e-15), 1 - 1e-15)
    return -s * math.log(p) - (1 - s) * math.log(1 - p)


def strength(event: Event, i: int) -> float:
    """What sides are sorted by: a rating where everybody plays alone."""
    alone = all(len(side) == 1 for side in event["sides"])
    return event["rating"][i] if alone else event["expected"][i]


def measure(
    events: list[Event], scope: dict[str, Any], since: int = 0, until: int | None = None
) -> dict[str, float]:
    """Every metric, and how much was measured."""
    losses, briers, inversions, deviations, ways = [], [], [], [], []
    decided, foretold = 0, 0.0
    curve: list[tuple[float, float]] = []
    counted = undecided = 0
    for number in range(since, len(events) if until is None else until):
        event, sides = events[number], scored(events, number, scope)
        if not sides:
            continue
        counted += 1
        for i in sides:
            s, p = score(event, i), event["expected"][i]
            losses.append(log_loss(s, p))
            briers.append((s - p) ** 2)
            if len(event["sides"]) > 2 or event["home"] is None or event["home"] == i:
                curve.append((p, s))
        for i in sides:
            for j in sides:
                if event["ranks"][i] < event["ranks"][j]:
                    decided += 1
                    a, b = event["expected"][i], event["expected"][j]
                    foretold += 1.0 if a > b else 0.5 if a == b else 0.0
        standings = [("", event["ranks"][i], strength(event, i), True) for i in sides]
        standings.sort(key=lambda row: row[1])
        if len({row[1] for row in standings}) == 1:
            undecided += 1
        else:
            inversions += [orders.pair_inversion(standings, k, "fair") for k in range(len(standings))]
            deviations += [orders.rank_deviation(standings, k, "fair") for k in range(len(standings))]
        if len(event["sides"]) == 2:
            ways.append(-math.log(max(event["happened"], 1e-15)))
    return {
        "events": counted,
        "rows": len(losses),
        "undecided": undecided,
        "pairs-right": mean(inversions),
        "rank-deviation": mean(deviations),
        "log-loss": mean(losses),
        "brier": mean(briers),
        "accuracy": 100 * foretold / decided if decided else NAN,
        "calibration-error": calibration_error(curve, 20),
        "three-way-log-loss": mean(ways),
    }


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else NAN


def calibration_error(curve: list[tuple[float, float]], bins: int) -> float:
    """Σ rows/total · |mean s − mean p| over bins of equal width; p = 1 belongs to the last."""
    if not curve:
        return NAN
    error = 0.0
    for k in range(bins):
        low, high = k / bins, (k + 1) / bins
        inside = [(p, s) for p, s in curve if low <= p < high or (k == bins - 1 and p == 1)]
        if inside:
            away = mean([s for _, s in inside]) - mean([p for p, _ in inside])
            error += len(inside) / len(curve) * abs(away)
    return error


def resampled(blocks: list[list[tuple[float, float]]], draws: list[list[int]]) -> list[float]:
    """A metric of each resample: blocks are lists of (sum, weight), one an event; draws name blocks."""
    values = []
    for drawn in draws:
        events = [event for block in drawn for event in blocks[block]]
        weight = sum(w for _, w in events)
        values.append(sum(total for total, _ in events) / weight if weight else NAN)
    return values
