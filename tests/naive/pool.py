"""A waiting pool of a handful of tickets, as plainly as it can be said: every pair is looked at.

Who may meet, what it costs, who has to be served first, and the best that can be done with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Ticket:
    """Somebody who waits."""

    player: str
    mu: float
    time: float
    number: int
    attributes: dict[str, Any] = field(default_factory=dict)
    needs: dict[str, Any] = field(default_factory=dict)
    latency: dict[str, float] = field(default_factory=dict)
    wanted: float = 0.5
    front: bool = False


@dataclass
class Rules:
    """A policy, in numbers; None means that it has no such term."""

    tolerance: float = 0.1
    per_minute: float = 0.0
    patience: float = math.inf
    most_latency: float | None = None
    latency_weight: float = 0.0
    same: tuple[str, ...] = ()
    blocks: set[tuple[str, str]] = field(default_factory=set)
    rematch_games: int = 0
    games: dict[str, list[str]] = field(default_factory=dict)
    """The opponents of each player's games, the newest last."""
    gap_weight: float = 1.0


def expected(mu_a: float, mu_b: float) -> float:
    """Elo's expected score."""
    return 1.0 / (1.0 + 10.0 ** ((mu_b - mu_a) / 400.0))


def meets(need: Any, value: Any) -> bool:
    """Whether a value is what is needed."""
    if value is None:
        return False
    if isinstance(need, tuple):
        return bool(need[0] <= value <= need[1])
    if isinstance(need, list):
        return value in need
    return bool(value == need)


def best_region(a: Ticket, b: Ticket) -> tuple[str | None, float]:
    """Where the farther of two is nearest."""
    shared = {region: max(ms, b.latency[region]) for region, ms in a.latency.items() if region in b.latency}
    if not shared:
        return None, math.inf
    return min(shared.items(), key=lambda item: item[1])


def is_forbidden(a: Ticket, b: Ticket, rules: Rules) -> bool:
    """Whether any rule keeps two tickets apart."""
    if (a.player, b.player) in rules.blocks or (b.player, a.player) in rules.blocks:
        return True
    if rules.rematch_games:
        for one, other in ((a, b), (b, a)):
            if other.player in rules.games.get(one.player, [])[-rules.rematch_games :]:
                return True
    if any(a.attributes[name] != b.attributes[name] for name in rules.same):
        return True
    if rules.most_latency is not None and best_region(a, b)[1] > rules.most_latency:
        return True
    for one, other in ((a, b), (b, a)):
        for name, need in one.needs.items():
            if not meets(need, other.mu if name == "mu" else other.attributes.get(name)):
                return True
    return False


def cost(a: Ticket, b: Ticket, rules: Rules) -> float:
    """What a meeting costs."""
    p = expected(a.mu, b.mu)
    total = rules.gap_weight * 0.5 * (abs(a.wanted - p) + abs(b.wanted - (1.0 - p)))
    if rules.most_latency is not None:
        total += rules.latency_weight * best_region(a, b)[1] / rules.most_latency
    return total


def is_acceptable(a: Ticket, b: Ticket, now: float, rules: Rules) -> bool:
    """Whether both would take it."""
    waited = now - min(a.time, b.time)
    return cost(a, b, rules) <= rules.tolerance + rules.per_minute * waited / 60.0


def after_serving(
    tickets: list[Ticket], partner: dict[str, str], now: float, rules: Rules
) -> tuple[list[Ticket], list[str]]:
    """Who is left after overdue tickets and those put back took the cheapest, and what was wrong with that.

    Where several are the cheapest, `partner` says who was taken.
    """
    left, wrong = list(tickets), []

    def take(these: list[Ticket], may: Callable[[Ticket, Ticket], bool]) -> None:
        for one in sorted(these, key=lambda t: (t.time, t.number)):
            others = [t for t in left if one in left and t is not one and may(one, t)]
            if not others:
                continue
            taken = next((t for t in others if t.player == partner.get(one.player)), None)
            least = min(cost(one, t, rules) for t in others)
            if taken is None or cost(one, taken, rules) > least + 1e-12:
                wrong.append(f"{one.player} could have somebody for {least}, and got {taken}")
                continue
            left.remove(one)
            left.remove(taken)

    overdue = [t for t in tickets if now - t.time >= rules.patience]
    take(overdue, lambda a, b: not is_forbidden(a, b, rules))
    back = [t for t in left if t.front]
    take(back, lambda a, b: not is_forbidden(a, b, rules) and is_acceptable(a, b, now, rules))
    return left, wrong


def best_pairs(tickets: list[Ticket], now: float, rules: Rules) -> tuple[int, float]:
    """As many acceptable pairs as can be, and the least that so many cost."""
    if len(tickets) < 2:
        return 0, 0.0
    one, rest = tickets[0], tickets[1:]
    best = best_pairs(rest, now, rules)
    for i, other in enumerate(rest):
        if is_forbidden(one, other, rules) or not is_acceptable(one, other, now, rules):
            continue
        count, total = best_pairs(rest[:i] + rest[i + 1 :], now, rules)
        best = min(best, (count + 1, total + cost(one, other, rules)), key=lambda b: (-b[0], b[1]))
    return best
