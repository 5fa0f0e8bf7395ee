"""Extreme tickets are refused at the door, or served."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from podium import Glicko, InputError, Ladder, Matchmaker, SetRating, list_systems, make_system
from podium.history.adjustments import LARGEST_RATING

MODES = ["1v1", "ffa:4"]


@pytest.mark.parametrize("name", [7, np.int64(7), np.int32(7)])
def test_an_int_of_any_kind_is_a_name(name: Any) -> None:
    maker = Matchmaker(Glicko())
    assert maker.join(name, mu=1500, sigma=100).players == ("7",)
    maker.leave(name)
    assert len(maker) == 0


@pytest.mark.parametrize(
    "rating",
    [
        {"mu": 1e308},
        {"mu": -1e308},
        {"mu": 2 * LARGEST_RATING},
        {"mu": math.nan},
        {"mu": -math.inf},
        {"mu": 10**400},
        {"sigma": 1e160},
        {"sigma": -1.0},
        {"sigma": math.nan},
        {"sigma": 10**400},
    ],
    ids=lambda rating: str(rating)[:20],
)
def test_ratings_that_have_no_chances_are_refused(rating: dict[str, Any]) -> None:
    maker, (what,) = Matchmaker(Glicko()), rating
    with pytest.raises(InputError, match=what):
        maker.join("ann", **{"mu": 1500.0, "sigma": 100.0} | rating)
    with pytest.raises(InputError, match=what):
        maker.join_many(["bob", "ann"], **{"mu": 1500.0, "sigma": 100.0} | rating)
    assert len(maker) == 0


@pytest.mark.parametrize("rating", [{"mu": 1e308}, {"mu": 1500, "sigma": 1e160}, {"mu": math.nan}])
def test_ladders_refuse_them_too(rating: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"must be a number from .* to 1e\+09"):
        SetRating(player="ann", **rating)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", list_systems())
def test_the_largest_ratings_are_served(name: str, mode: str) -> None:
    """From tickets and from a ladder; a warning, such as of an overflow, is an error."""
    system = make_system(name)
    ratings = {"ann": LARGEST_RATING, "bob": -LARGEST_RATING, "cat": 0.0, "dan": LARGEST_RATING}
    maker, ladder = Matchmaker(system, mode), Ladder(system)
    for player, mu in ratings.items():
        sigma = {"cat": 1e-9, "dan": 350.0}.get(player, LARGEST_RATING) if system.has_sigma else None
        maker.join(player, mu=mu, sigma=sigma, time=0)
        ladder.adjust(SetRating(player=player, mu=mu, sigma=sigma))
    of_ladder = Matchmaker(ladder, mode)
    of_ladder.join_many(list(ratings), time=0)
    for pool in (maker, of_ladder):
        matches = [*pool.tick(time=1).matches, *pool.tick(time=1_000_000).matches]
        assert matches
        assert all(0.0 <= chance <= 1.0 for match in matches for chance in match.chances)
    assert np.isfinite(ladder.rank_probabilities(list(ratings)).matrix).all()
