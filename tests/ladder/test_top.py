"""`leaderboard(top=…)` finds the first rows without a table of all players, and they are the same."""

from __future__ import annotations

import numpy as np
import pytest

from podium import Anchor, History, Ladder, SetRating


@pytest.mark.parametrize("system", ["elo", "glicko2", "elo-mmx"])
def test_the_first_rows_are_those_of_the_whole_board(system: str) -> None:
    draw = np.random.default_rng(1)
    pairs = draw.integers(0, 6000, (9000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    winners, losers = ([f"p{player}" for player in column] for column in pairs.T)
    ladder = Ladder(system)
    ladder.adjust(SetRating(player="unplayed", mu=9000.0))  # has a rating and no place
    ladder.adjust(Anchor(player="anchored", mu=8000.0))
    ladder.update(History.from_matches(winners, losers))
    for min_events in (0, 1, 4, 100):
        whole = ladder.leaderboard(min_events=min_events)
        for top in (0, 1, 2, 10, 500, 5000, 10_000):
            found = ladder.leaderboard(min_events=min_events, top=top)
            assert found.equals(whole.head(top)), (min_events, top)
            assert found.schema == whole.schema
        assert ladder.leaderboard(min_events=min_events, top=3, provisional=True)["player"].len() == 3


def test_equal_players_are_cut_by_name() -> None:
    ladder = Ladder("elo")
    for number in range(20):
        ladder.record_match(f"w{number:02}", f"l{number:02}")
    whole = ladder.leaderboard()
    for top in range(45):
        assert ladder.leaderboard(top=top).equals(whole.head(top))
    assert Ladder("elo").leaderboard(top=3).is_empty()
