"""Contests of more sides than are gone through pair by pair, against the naive twins, which do just that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checks.twins import twin_of
from podium import Elo, Glicko, Glicko2, History, rate
from podium.numerics.allpairs import ALL_PAIRS_UP_TO

SIDES = ALL_PAIRS_UP_TO + 4


def large_contest() -> History:
    """Players of many strengths and deviations; then ties, teams, a home side, a weight and players held."""
    chance = np.random.default_rng(7)
    names = [f"p{i}" for i in range(SIDES + 6)]
    skill = chance.normal(0, 1, len(names))
    events: list[dict[str, Any]] = []
    for start in range(0, 264, 8):  # the last players are newcomers in the large contest
        for _ in range(1 + start // 60):
            shown = (skill + chance.normal(0, 1, len(names)))[start : start + 8].tolist()
            events.append({"scores": dict(zip(names[start:], shown, strict=False)), "time": "2026-01-01"})
    teams = [[name] for name in names[:SIDES]]
    for team, second in zip(teams, names[SIDES:], strict=False):
        team.append(second)
    scores = np.round(skill + chance.normal(0, 1, len(names)), 1)[:SIDES].tolist()
    large = {"teams": teams, "scores": scores, "home": "p3", "unrated": ["p5", "p250"], "weight": 0.5}
    events.append({**large, "time": "2026-01-20"})
    return History.from_events(events)


@pytest.mark.parametrize(
    "system",
    [
        Elo(home_advantage=70.0),
        Elo(pairs="sum"),
        *(
            cls(pairs=pairs, team=team, home_advantage=70.0)
            for cls in (Glicko, Glicko2)
            for pairs, team in (("mean", "sum"), ("sum", "mean"), ("one-match", "mean"))
        ),
    ],
    ids=lambda system: f"{system.name}-{system.pairs}",
)
def test_sums_from_a_table_are_the_sums_over_all_pairs(system: Any) -> None:
    history = large_contest()
    assert max(len(event.sides) for event in history) == SIDES
    right = twin_of(system)(list(history))
    ladder = rate(history, system).ladder
    found = np.array([[rating.mu, rating.sigma or 0.0] for rating in map(ladder.rating, right.ratings)])
    expected = np.array([[mu, sigma or 0.0] for mu, sigma in right.ratings.values()])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
