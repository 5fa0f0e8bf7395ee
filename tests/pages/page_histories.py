"""Small histories whose pages are easily worked out by hand."""

from __future__ import annotations

import podium
from podium import History
from podium.history import Adjustment

CUP = [
    {"ranks": {"ann": 1, "bob": 2, "cat": 3, "dan": 4}, "name": "spring", "time": "2026-03-01"},
    {"ranks": {"bob": 1, "ann": 2, "dan": 2, "eve": 4}, "name": "summer", "time": "2026-06-01"},
    {"ranks": {"ann": 1, "cat": 2, "bob": 3, "eve": 4}, "name": "autumn", "time": "2026-09-01"},
]
"""Three contests; in the second one two share a rank, and eve is new."""

MATCHES = [
    {"scores": {"ann": 2, "bob": 1}, "home": "bob", "time": "2026-01-01"},
    {"ranks": {"bob": 1, "cat": 2}, "time": "2026-02-01"},
    {"ranks": {"ann": 1, "cat": 1}, "time": "2026-02-20"},
]
"""Three matches: a win away with scores, a win, a draw."""

TEAMS = [
    {"teams": [["ann", "bob"], ["cat", "dan"]], "ranks": [1, 2], "name": "first"},
    {"teams": [["ann", "cat"], ["bob", "dan"]], "ranks": [2, 1], "name": "second"},
]
"""Two matches of teams, without times."""


def elo_gain(own: float, other: float, score: float, k: float = 32.0) -> float:
    """Elo's change, from its formula."""
    return k * (score - 1.0 / (1.0 + 10.0 ** ((other - own) / 400.0)))


def elo_run(*events: object) -> podium.ladder.bulk.Run:
    """These events and adjustments rated by Elo."""
    given: list[dict[str, object] | Adjustment] = list(events)  # type: ignore[arg-type]
    return podium.rate(History.from_events(given), podium.Elo(), trace=True)
