"""How often 95% intervals hold the true skill: the table of docs/how-to/confidence-intervals.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import podium

PAGE = Path(__file__).parents[2] / "docs/how-to/confidence-intervals.md"
SIZES = (2, 4, 30)
PLAYERS = 100


def contests(
    size: int, seed: int, *, mean: float, spread: float, normal: bool
) -> tuple[podium.History, np.ndarray]:
    """Events of players whose skill is constant: 40 for each player on average."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(mean, spread, PLAYERS)
    events = []
    for _ in range(PLAYERS * 40 // size):
        field = rng.choice(PLAYERS, size, replace=False)
        noise = rng.normal(0, spread / 2, size) if normal else rng.gumbel(0, 400 / np.log(10), size)
        order = np.argsort(-(skill[field] + noise))
        events.append(podium.Event.of(ranks={str(p): place for place, p in enumerate(field[order], 1)}))
    return podium.History.from_events(events), skill


def held(system: str, size: int, seeds: range) -> float:
    """The percentage of intervals that hold the true skill."""
    normal = system in ("trueskill", "weng-lin")
    found = []
    for seed in seeds:
        world = {"mean": 25.0, "spread": 25 / 3} if normal else {"mean": 1500.0, "spread": 300.0}
        history, skill = contests(size, seed, normal=normal, **world)
        ratings = podium.rate(history, system).ratings
        away = skill[ratings["player"].cast(int).to_numpy()] - ratings["mu"].to_numpy()
        away -= away.mean()  # of the level of all players results say nothing
        found.append(np.abs(away) < 1.96 * ratings["sigma"].to_numpy())
    return 100.0 * float(np.mean(found))


def published() -> list[tuple[str, int, float]]:
    """The table: system, size of events, percentage."""
    rows = [line.split("|")[1:-1] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    return [
        (name.strip(" `"), size, float(cell.strip(" *")))
        for names, *cells in rows
        for name in names.split(",")
        for size, cell in zip(SIZES, cells, strict=True)
        if cell.strip() and name.strip(" `") != "luck"
    ]


@pytest.mark.parametrize("system, size, percent", published())
def test_intervals_hold_the_truth_as_often_as_published(system: str, size: int, percent: float) -> None:
    assert held(system, size, range(1, 3)) == pytest.approx(percent, abs=8)


def after_three_years(system: podium.Ladder) -> tuple[podium.Rating, podium.Rating]:
    """A rating after 40 matches, and the same three years later."""
    for day in range(20):
        for draw in (False, True):
            system.record_match("ann", "bob", draw=draw, time=f"2026-01-{day + 1:02}")
    return system.rating("ann"), system.rating("ann", at="2029-01-20")


@pytest.mark.parametrize("system", ["glicko", "glicko2", "lichess", "matches", "races", "contests"])
def test_deviations_that_grow_in_absence(system: str) -> None:
    """As docs/how-to/inactive-players.md has it. `display` falls only in `races` and `contests`."""
    before, after = after_three_years(podium.Ladder(system))
    assert after.sigma > 1.1 * before.sigma
    assert after.mu == before.mu
    assert (after.display < before.display) == (system in ("races", "contests"))


@pytest.mark.parametrize(
    "system",
    [podium.EloMMR, podium.EloMMX, podium.TrueSkill, podium.WengLin],
    ids=lambda system: system.name,
)
def test_deviations_that_grow_if_asked(system: type[podium.EloMMR]) -> None:
    before, after = after_three_years(podium.Ladder(system()))
    assert after.sigma == before.sigma
    drift = 0.01 if before.mu < 100 else 10.0
    before, after = after_three_years(podium.Ladder(system(drift_per_day=drift)))
    assert 1.1 * before.sigma < after.sigma < 10 * before.sigma
