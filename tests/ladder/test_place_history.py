"""Places right after each event, against counting them one by one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from podium.ladder.place_history import NO_PLACE, places_after


def counted_places(
    offsets: list[int],
    player: list[int],
    display: list[float],
    rated: list[bool],
    leaving: list[tuple[int, int]],
) -> list[int]:
    """The same from the definition."""
    now: dict[int, float] = {}
    places = []
    for event, (start, stop) in enumerate(pairwise(offsets)):
        for gone in (who for when, who in leaving if when == event):
            now.pop(gone, None)
        now |= {player[row]: display[row] for row in range(start, stop) if rated[row]}
        for row in range(start, stop):
            own = now.get(player[row])
            places.append(NO_PLACE if own is None else 1 + sum(other > own for other in now.values()))
    return places


@pytest.mark.parametrize("seed", range(5))
def test_places_are_counted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, 12)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    player = np.concatenate([rng.permutation(8)[:size] for size in sizes]).astype(np.int32)
    display = rng.integers(0, 6, len(player)).astype(np.float64)  # with equals
    rated = rng.random(len(player)) < 0.8
    leaving = [(4, 1), (4, 2), (9, 3)]
    found = places_after(offsets, player, display, rated, 8, leaving)
    assert found.tolist() == counted_places(
        offsets.tolist(), player.tolist(), display.tolist(), rated.tolist(), leaving
    )
