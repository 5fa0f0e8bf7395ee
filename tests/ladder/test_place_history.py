"""Places right after each event, against counting them one by one."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from podium.ladder.place_history import ANY_NUMBER, NO_PLACE, NOBODY, RatingMoves, places_after


def counted_places(
    offsets: list[int],
    player: list[int],
    display: list[float],
    rated: list[bool],
    moves: RatingMoves,
    least: int,
) -> list[int]:
    """The same from the definition."""
    now: dict[int, float] = {}
    played: Counter[int] = Counter()
    places = []
    for event, (start, stop) in enumerate(pairwise(offsets)):
        for when, who, rating, account, low, high in zip(*(column.tolist() for column in moves), strict=True):
            if when == event:
                now.pop(account, None)
                now[who] = rating
                played[who] = min(max(played[who] + played.pop(account, 0), low), high)
        now |= {player[row]: display[row] for row in range(start, stop) if rated[row]}
        played.update(player[row] for row in range(start, stop) if rated[row])
        ranked = {who: rating for who, rating in now.items() if played[who] >= least}
        for row in range(start, stop):
            own = ranked.get(player[row])
            places.append(NO_PLACE if own is None else 1 + sum(other > own for other in ranked.values()))
    return places


@pytest.mark.parametrize("seed", range(5))
def test_places_are_counted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, 12)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    player = np.concatenate([rng.permutation(8)[:size] for size in sizes]).astype(np.int32)
    display = rng.integers(0, 6, len(player)).astype(np.float64)  # with equals
    rated = rng.random(len(player)) < 0.8
    # Two merges, a reset of four players, and ratings set by hand: 2 events, none, and one or more.
    moves = RatingMoves(
        event=np.array([4, 4, 6, 6, 6, 6, 9, 9, 10]),
        player=np.array([7, 0, 0, 4, 5, 9, 3, 6, 8]),
        display=rng.integers(0, 6, 9).astype(np.float64),
        account=np.array([1, 2, *[NOBODY] * 7]),
        least_events=np.array([0, 0, 0, 0, 0, 0, 2, 0, 1]),
        most_events=np.array([*[ANY_NUMBER] * 6, 2, 0, ANY_NUMBER]),
    )
    for least in (1, 3):
        found = places_after(offsets, player, display, rated, 10, moves, least)
        assert found.tolist() == counted_places(
            offsets.tolist(), player.tolist(), display.tolist(), rated.tolist(), moves, least
        )
