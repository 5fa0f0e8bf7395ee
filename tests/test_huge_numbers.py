"""Numbers beyond all floats, and text in the place of numbers: refused by name wherever a number is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.command import failed
from podium import (
    Anchor,
    Elo,
    EloMMR,
    Glicko,
    History,
    Ladder,
    Match,
    Matchmaker,
    PodiumError,
    Policy,
    Reset,
    SetRating,
)

HUGE = 10**400


def ladder() -> Ladder:
    rated = Ladder(Elo())
    rated.record_match("ann", "bob")
    return rated


GIVEN: dict[str, Callable[[Any], Any]] = {
    "mu": lambda value: Elo(mu=value),
    "newcomer_weights": lambda value: EloMMR(newcomer_weights=(value,)),
    "mu of set-rating": lambda value: ladder().adjust(SetRating(player="cat", mu=value)),
    "sigma of set-rating": lambda value: SetRating(player="cat", mu=1500.0, sigma=value),
    "mu of anchor": lambda value: Anchor(player="ann", mu=value),
    "toward of reset": lambda value: Reset(toward=value),
    "keep of reset": lambda value: Reset(keep=value),
    "the score of 'ann'": lambda value: ladder().record(scores={"ann": value, "bob": 1}),
    "weight": lambda value: ladder().record_match("ann", "bob", weight=value),
    "tolerance": lambda value: Policy(tolerance=value),
    "mu is": lambda value: Matchmaker(Elo()).join("ann", mu=value),
    "sigma is": lambda value: Matchmaker(Glicko()).join("ann", mu=1500.0, sigma=value),
    "score_a": lambda value: History.from_matches(["ann"], ["bob"], [value]),
    "time": lambda value: History.from_matches(["ann"], ["bob"], time=[value]),
}


@pytest.mark.parametrize("value", [HUGE, -HUGE, "ab"], ids=["huge", "below", "text"])
@pytest.mark.parametrize("name", GIVEN)
def test_numbers_that_are_none(name: str, value: Any) -> None:
    with pytest.raises(PodiumError) as caught:
        GIVEN[name](value)
    assert name in str(caught.value)
    assert len(str(caught.value)) < 400  # the number itself is cut


def test_a_ceiling_beyond_all_ratings_is_none() -> None:
    assert ladder().record(ranks={"ann": 1, "bob": 2}, ceiling=HUGE)
    with pytest.raises(PodiumError, match="ceiling must be the highest rating"):
        ladder().record(ranks={"ann": 1, "bob": 2}, ceiling=-HUGE)


def test_adjustments_need_their_numbers() -> None:
    with pytest.raises(PodiumError, match="set-rating needs mu or display"):
        SetRating(player="ann", mu=None)
    with pytest.raises(PodiumError, match="keep of reset must be a number from"):
        Reset(keep=None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "scores", ["ab", "a", 3, [HUGE, 0], ["x", 0], [None, 1], {"ann": 1, "bob": 0}, [1], [[1, 0]], object()]
)
def test_scores_of_a_match_that_are_none(scores: Any) -> None:
    pool = Matchmaker(Elo())
    for name in ("ann", "bob"):
        pool.join(name, mu=1500.0)
    match: Match = pool.tick().matches[0]
    pool.start(match)
    with pytest.raises(PodiumError, match="scores are ") as caught:
        pool.finish(match, scores=scores)
    assert caught.value.hint == "give 2 numbers from 0 to 1"
    pool.finish(match, scores=[1, 0])


@pytest.mark.parametrize("games", ["inf", "-inf", "nan", "1e400", "9" * 400])
def test_games_of_a_policy(games: str, tmp_path: Path) -> None:
    (tmp_path / "waiting.csv").write_text("player,mu\nann,1500\nbob,1500\n")
    for table in ("terms.no-rematch", "target"):
        (tmp_path / "policy.toml").write_text(f"[{table}]\ngames = {games}\n")
        said = failed(2, "match", "waiting.csv", "--system", "elo", "--policy", "policy.toml", cwd=tmp_path)
        assert said.startswith(f"podium: policy.toml: {table}: games ")


@pytest.mark.parametrize("events", ["inf", "-inf", "nan", "1e400", "9" * 400])
def test_parameters_on_the_command_line(events: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("winner,loser\nann,bob\n")
    setting = f"newcomer_events={events}"
    said = failed(2, "rate", "x.csv", "--system", "luck", "--set", setting, cwd=tmp_path)
    assert "luck: newcomer_events " in said
