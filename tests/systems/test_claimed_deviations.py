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
