"""Streaks: counted as by hand, and those of coins as by tossing them in every way."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import live as naive
from podium import InputError, ParameterError
from podium.studies.live_game.streaks import Streaks, coin_streaks

results = st.lists(st.lists(st.booleans(), max_size=30), min_size=1, max_size=4)


@given(results, st.integers(1, 8))
def test_streaks_are_those_counted_by_hand(of: list[list[bool]], longest: int) -> None:
    """Players take turns, so that every streak is interrupted by games of others."""
    streaks = Streaks(len(of), longest)
    for turn in range(30):
        playing = [player for player, won in enumerate(of) if turn < len(won)]
        streaks.record(playing, [of[player][turn] for player in playing])
    for won, counts, most in (
        (True, streaks.won, streaks.longest_won),
        (False, streaks.lost, streaks.longest_lost),
    ):
        lengths = [naive.streak_lengths(one)[won] for one in of]
        expected = Counter(min(length, longest) for one in lengths for length in one)
        assert counts.tolist() == [expected[length] for length in range(longest + 1)]
        assert most.tolist() == [max(one, default=0) for one in lengths]
    assert streaks.played.tolist() == [len(one) for one in of]


def test_a_draw_ends_a_streak_and_is_none() -> None:
    streaks = Streaks(1)
    streaks.record([0] * 6, [1, 1, 0.5, 1, 0.5, 0.5])
    assert streaks.won[:4].tolist() == [0, 1, 1, 0]
    assert streaks.lost.sum() == 0
    assert streaks.running.tolist() == [0]


@pytest.mark.parametrize("tosses", [(0,), (1,), (2,), (5,), (9,), (3, 3, 7)])
@pytest.mark.parametrize("longest", [1, 3, 12])
def test_coins_are_tossed_in_every_way(tosses: tuple[int, ...], longest: int) -> None:
    expected = [0.0] * (longest + 1)
    for one in tosses:
        for length, mean in naive.coin_lengths(one).items():
            expected[min(length, longest)] += float(mean)
    assert coin_streaks(tosses, longest) == pytest.approx(expected, abs=1e-12)


def test_a_long_coin() -> None:
    """Every toss but the first begins a streak of heads with a chance of a quarter."""
    n = 100_000
    assert coin_streaks(n).sum() == pytest.approx(0.5 + (n - 1) / 4)
    assert np.all(np.diff(coin_streaks(n)[1:-1]) < 0)


def test_refusals() -> None:
    streaks = Streaks(2)
    with pytest.raises(InputError, match="numbered from 0 to 1"):
        streaks.record(2, 1)
    with pytest.raises(InputError, match="2 scores for 1 player"):
        streaks.record([0], [1, 1])
    assert streaks.played.sum() == 0
    for wrong in (lambda: Streaks(2, 0), lambda: coin_streaks([-1]), lambda: coin_streaks([3], 0)):
        with pytest.raises(ParameterError):
            wrong()
