"""AtCoder's rating of algorithm contests, by the formulas of its PDF of 2019."""

import math
from collections import defaultdict

from .events import Event, Outcome, Row


def shortfall(n: int) -> float:
    """f(n) = 1200 (F(n) - F(inf)) / (F(1) - F(inf)), with F(n) = sqrt(sum 0.81^i) / sum 0.9^i."""

    def big(n: int) -> float:
        return math.sqrt(sum(0.81**i for i in range(1, n + 1))) / sum(0.9**i for i in range(1, n + 1))

    limit = math.sqrt(0.81 / 0.19) / 9
    return 1200 * (big(n) - limit) / (big(1) - limit)


def performance(means: list[float], place: float) -> float:
    """The X with sum 1 / (1 + 6^((X - mean)/400)) = place - 1/2."""
    low, high = min(means) - 1e4, max(means) + 1e4
    for _ in range(200):
        x = (low + high) / 2
        ahead = sum(1 / (1 + 6 ** ((x - mean) / 400)) for mean in means)
        low, high = (x, high) if ahead > place - 0.5 else (low, x)
    return low


def rate(events: list[Event], *, mu: float = 1200.0) -> Outcome:
    """Rate contests; `sigma` is f(n), 2400 before the first."""
    performances: dict[str, list[float]] = defaultdict(list)
    trace = []

    def rating(name: str) -> tuple[float, float]:
        past = performances[name][::-1]
        if not past:
            return mu, 2400.0
        weights = [0.9**i for i in range(1, len(past) + 1)]
        mean = sum(w * 2 ** (p / 800) for w, p in zip(weights, past, strict=True)) / sum(weights)
        return 800 * math.log2(mean), shortfall(len(past))

    def plain_mean(name: str) -> float:
        past = performances[name][::-1]
        weights = [0.9**i for i in range(1, len(past) + 1)]
        return sum(w * p for w, p in zip(weights, past, strict=True)) / sum(weights) if past else mu

    for event in events:
        names = [name for (name,) in event.sides]
        before = {name: rating(name) for name in names}
        means = [plain_mean(name) for name in names]
        found = {}
        for name, rank in zip(names, event.ranks, strict=True):
            ahead = sum(other < rank for other in event.ranks)
            place = ahead + (1 + event.ranks.count(rank)) / 2
            found[name] = performance(means, place)
            if not performances[name]:
                found[name] = (found[name] - mu) * 1.5 + mu
        for name in names:
            if name not in event.held:
                performances[name].append(found[name])
            trace.append(Row(name, *before[name], *rating(name), found[name]))
    return Outcome({name: rating(name) for name, past in performances.items() if past}, trace)
