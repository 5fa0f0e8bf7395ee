"""What a weight of 2 does: the table of docs/how-to/important-events.md."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import podium

PAGE = Path(__file__).parents[2] / "docs/how-to/important-events.md"


def published() -> list[tuple[str, float, float]]:
    """The table: system, and the ends of what it says."""
    rows = [line.split("|")[1:-1] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    found = []
    for names, said in rows:
        ends = [float(end) for end in said.split(" to ")]
        found += [(name.strip(" `"), ends[0], ends[-1]) for name in names.split(",")]
    return found


@pytest.mark.parametrize("system, low, high", published())
def test_a_weight_of_two_moves_ratings_as_published(system: str, low: float, high: float) -> None:
    chance, players = Random(1), [f"player {number}" for number in range(10)]
    ladder = podium.Ladder(system)
    for hour in range(300):
        ladder.record_match(*chance.sample(players, 2), time=1_700_000_000 + 3_600 * hour)

    def moved(*weights: float) -> float:
        twin = ladder.copy()
        for weight in weights:
            twin.record_match(players[0], players[1], weight=weight, time=1_701_080_000)
        return twin.rating(players[0]).mu - ladder.rating(players[0]).mu

    assert low - 0.05 <= moved(2.0) / moved(1.0) <= high + 0.05
    assert 1.65 <= moved(1.0, 1.0) / moved(1.0) <= 2.0
