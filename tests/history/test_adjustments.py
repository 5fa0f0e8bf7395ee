"""Adjustments as values and as rows of a table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError
from podium.history import Anchor, Merge, Names, Placed, Release, Rename, Reset, SetRating
from podium.history.adjustments import KINDS, make_adjustment


def test_players_they_name() -> None:
    assert SetRating(player="ann", mu=1800).players == ("ann",)
    assert Rename(player="ann", into="anna").players == ("ann", "anna")
    assert Reset().players == ()
    assert Release(player=7).players == ("7",)  # type: ignore[arg-type]


def test_in_words() -> None:
    assert SetRating(player="ann", mu=1800.0).describe() == "set-rating player=ann, mu=1800.0"
    assert Merge(player="x" * 500, into="y").describe().startswith("merge player=xxx")
    assert len(Merge(player="x" * 500, into="y").describe()) < 100


@pytest.mark.parametrize(
    "cls, values, reason",
    [
        (SetRating, {"player": "", "mu": 1}, "name of a player in 'player'"),
        (Rename, {"player": "ann", "into": " "}, "name of a player in 'into'"),
        (SetRating, {"player": "ann", "mu": math.nan}, "mu of set-rating"),
        (SetRating, {"player": "ann", "mu": 1e10}, "mu of set-rating"),
        (SetRating, {"player": "ann", "mu": "high"}, "'high'"),
        (SetRating, {"player": "ann", "mu": 1500, "sigma": 0}, "sigma of set-rating"),
        (Anchor, {"player": "ann", "sigma": -1}, "sigma of anchor"),
        (Reset, {"keep": 1.5}, "keep of reset"),
        (Reset, {"toward": math.inf}, "toward of reset"),
        (Rename, {"player": "ann", "into": "ann"}, "needs two players"),
        (Merge, {"player": "7", "into": 7}, "needs two players"),
    ],
)
def test_what_is_refused(cls: Any, values: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        cls(**values)


def test_numbers_of_numpy_are_numbers() -> None:
    assert SetRating(player="ann", mu=np.float32(1800)).mu == 1800
    assert Reset(keep=np.int64(1)).keep == 1


@pytest.mark.parametrize(
    "kind, values, adjustment",
    [
        ("set-rating", {"player": "ann", "mu": 1800.0, "sigma": None}, SetRating(player="ann", mu=1800.0)),
        ("anchor", {"player": "ann", "mu": "", "sigma": 30.0}, Anchor(player="ann", sigma=30.0)),
        ("release", {"player": "ann"}, Release(player="ann")),
        ("reset", {"player": None, "keep": 0.25, "toward": 1000.0}, Reset(keep=0.25, toward=1000.0)),
        ("reset", {}, Reset()),
        ("rename", {"player": "ann", "into": "anna"}, Rename(player="ann", into="anna")),
        ("merge", {"player": "ann", "into": "anna"}, Merge(player="ann", into="anna")),
    ],
)
def test_from_a_row(kind: str, values: dict[str, Any], adjustment: object) -> None:
    assert make_adjustment(kind, values) == adjustment


def test_every_kind_is_known() -> None:
    assert set(KINDS) == {"set-rating", "anchor", "release", "reset", "rename", "merge"}


@pytest.mark.parametrize(
    "kind, values, reason, hint",
    [
        ("promote", {}, "'promote' is not an adjustment", "set-rating, anchor"),
        ("set-rating", {"player": "ann"}, "set-rating needs mu", None),
        ("merge", {}, "merge needs player, into", None),
        (
            "set-rating",
            {"player": "ann", "mu": 1.0, "keep": 0.5},
            "cannot use keep",
            "it takes player, mu, sigma",
        ),
        ("reset", {"player": "ann"}, "cannot use player", "it takes keep, toward"),
    ],
)
def test_rows_that_are_none(kind: str, values: dict[str, Any], reason: str, hint: str | None) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        make_adjustment(kind, values)
    if hint is not None:
        assert hint in (caught.value.hint or "")


def test_placed() -> None:
    placed = Placed(3, 5, Rename(player="ann", into="anna"))
    assert placed.moved(-2) == Placed(1, 5, placed.adjustment)
    names = Names(["anna"])
    placed.register(names)
    assert names.to_list() == ["anna", "ann"]


def test_the_name_of_before_is_an_alias() -> None:
    """Tables and programs of podium 0.1 say seed."""
    assert podium.Seed is SetRating
    assert make_adjustment("seed", {"player": "ann", "mu": 1800.0}) == SetRating(player="ann", mu=1800.0)
    with pytest.raises(InputError, match="set-rating needs mu"):
        make_adjustment("seed", {"player": "ann"})
