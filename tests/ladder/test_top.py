"""`leaderboard(top=…)` finds the first rows without a table of all players, and they are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import podium
from podium import Anchor, History, Ladder, Merge, Rename, Reset, SetRating


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


ADAPTIVE = {"elo": {"newcomer_start": "adaptive"}, "elo-mmr": {"newcomer_start": "adaptive"}}


@pytest.mark.parametrize(
    ("system", "options"), [*((name, {}) for name in podium.list_systems()), *ADAPTIVE.items()]
)
def test_rows_that_were_kept_are_those_of_now(system: str, options: dict[str, str], tmp_path: Path) -> None:
    """A short leaderboard keeps displayed ratings: whatever changes the ladder between two is in the next."""
    draw = np.random.default_rng(1)
    with Ladder.open(tmp_path / "log", system=podium.make_system(system, **options), sync=False) as ladder:

        def match(number: int) -> None:
            a, b = draw.choice(12, 2, replace=False).tolist()
            ladder.record_match(f"p{a}", f"p{b}", time=number * 86_400 + 86_400)

        def check() -> None:
            assert ladder.leaderboard(top=5).equals(ladder.leaderboard().head(5))

        for number in range(12):
            match(number)
            if number % 2:
                check()
        changes = [lambda: match(20), ladder.undo, lambda: ladder.void(3)]
        changes += [lambda: ladder.update(History.from_matches(["p3"] * 3, ["p4"] * 3, time=[2e6] * 3))]
        changes += [lambda: ladder.adjust(Reset(keep=0.5)), ladder.undo]
        changes += [lambda: ladder.adjust(SetRating(player="new", mu=1900.0))]
        changes += [lambda: ladder.adjust(Rename(player="p3", into="p33"))]
        changes += [lambda: ladder.adjust(Merge(player="p4", into="p33")), lambda: match(30), ladder.undo]
        for change in changes:
            change()
            check()
        assert ladder.copy().leaderboard(top=5).equals(ladder.leaderboard().head(5))


def test_equal_players_are_cut_by_name() -> None:
    ladder = Ladder("elo")
    for number in range(20):
        ladder.record_match(f"w{number:02}", f"l{number:02}")
    whole = ladder.leaderboard()
    for top in range(45):
        assert ladder.leaderboard(top=top).equals(whole.head(top))
    assert Ladder("elo").leaderboard(top=3).is_empty()
