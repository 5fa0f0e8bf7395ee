"""What adjustments do to a state."""

from __future__ import annotations

import numpy as np
import pytest

from podium import (
    Anchor,
    Elo,
    Glicko,
    Glicko2,
    History,
    InputError,
    Ladder,
    Merge,
    RatingSystem,
    Release,
    Rename,
    Reset,
    SetRating,
    rate,
)

EACH = pytest.mark.parametrize(
    "system", [Elo(), Glicko(), Glicko2(), Glicko2(period="7d")], ids=lambda s: s.name
)


def league(system: RatingSystem) -> Ladder:
    ladder = Ladder(system)
    for day in range(1, 8):
        ladder.record_match("ann", "bob", time=f"2026-05-0{day}")
        ladder.record_match("bob", "cat", time=f"2026-05-0{day}")
    return ladder


@EACH
def test_seed(system: RatingSystem) -> None:
    ladder = league(system)
    ladder.adjust(SetRating(player="ann", mu=2000, sigma=None))
    assert ladder.rating("ann").mu == 2000
    assert ladder.rating("ann").events == 7
    ladder.adjust(SetRating(player="zoe", mu=1800, sigma=90))
    zoe = ladder.rating("zoe")
    assert (zoe.mu, zoe.events) == (1800, 0)
    assert zoe.sigma == (90 if system.has_sigma else None)


@EACH
def test_anchor_and_release(system: RatingSystem) -> None:
    ladder = league(system)
    ladder.adjust(Anchor(player="bob", mu=1500))
    before = ladder.rating("bob")
    ladder.record_match("ann", "bob", time="2026-06-01")
    assert ladder.rating("bob") == before
    ladder.adjust(Release(player="bob"))
    ladder.record_match("ann", "bob", time="2026-06-08")
    assert ladder.rating("bob").mu < before.mu


@EACH
def test_reset(system: RatingSystem) -> None:
    ladder = league(system)
    before = {name: ladder.rating(name) for name in ("ann", "bob", "cat")}
    ladder.adjust(Reset(keep=0.25))
    for name, old in before.items():
        new = ladder.rating(name)
        assert new.mu - 1500 == pytest.approx(0.25 * (old.mu - 1500))
        if old.sigma is not None and new.sigma is not None:
            assert new.sigma**2 == pytest.approx(0.0625 * old.sigma**2 + 0.9375 * 350**2)
    ladder.adjust(Reset(keep=1.0))
    assert ladder.rating("ann").mu == pytest.approx(1500 + 0.25 * (before["ann"].mu - 1500))
    ladder.adjust(Reset(keep=0.0, toward=1200))
    assert ladder.rating("cat").mu == 1200


@EACH
def test_a_reset_leaves_those_alone_who_have_not_come_yet(system: RatingSystem) -> None:
    """So it does not matter whether a later player has a row of the state already."""
    items = [
        {"ranks": {"ann": 1, "bob": 2}, "time": "2026-01-01"},
        Reset(keep=0.5, toward=1000),
        {"ranks": {"cat": 1, "dan": 2}, "time": "2026-02-01"},
    ]
    trace = rate(History.from_events(items), system, trace=True).trace
    assert trace["mu_before"].to_list()[2:] == [1500, 1500]


@EACH
def test_rename(system: RatingSystem) -> None:
    ladder = league(system)
    before = ladder.rating("ann")
    ladder.adjust(Rename(player="ann", into="anna"))
    assert ladder.rating("anna").mu == before.mu
    assert ladder.rating("anna").events == before.events
    assert "ann" not in ladder  # the name is free
    with pytest.raises(InputError, match="the player 'bob' already exists"):
        ladder.adjust(Rename(player="anna", into="bob"))
    assert ladder.rating("anna").mu == before.mu


def test_merge_adds_up_evidence() -> None:
    """Two halves of a record merged are what two independent beliefs with one prior say."""
    ladder = Ladder(Glicko(c=0))
    ladder.adjust(SetRating(player="one", mu=1600, sigma=100))
    ladder.adjust(SetRating(player="two", mu=1700, sigma=50))
    ladder.adjust(Merge(player="one", into="two"))
    precision = 1 / 100**2 + 1 / 50**2 - 1 / 350**2
    assert ladder.rating("two").sigma == pytest.approx(precision**-0.5)
    assert ladder.rating("two").mu == pytest.approx(1500 + (100 / 100**2 + 200 / 50**2) / precision)
    assert "one" not in ladder


def test_merge_of_elo_weighs_by_events() -> None:
    ladder = Ladder(Elo())
    for _ in range(3):
        ladder.record_match("smurf", "x")
    ladder.record_match("y", "main")
    smurf, main = ladder.rating("smurf").mu, ladder.rating("main").mu
    ladder.adjust(Merge(player="smurf", into="main"))
    assert ladder.rating("main").mu == pytest.approx((3 * smurf + main) / 4)
    assert ladder.rating("main").events == 4


@EACH
def test_replayed_with_the_history(system: RatingSystem) -> None:
    """Adjustments in a history do what the same calls on a ladder do."""
    steps = [
        SetRating(player="ann", mu=1700, sigma=80),
        {"ranks": {"ann": 1, "bob": 2, "cat": 2}, "time": "2026-05-01"},
        Anchor(player="bob"),
        {"ranks": {"cat": 1, "bob": 2}, "time": "2026-05-02"},
        Merge(player="cat", into="ann"),
        Reset(keep=0.8),
        Rename(player="ann", into="anna"),
        {"ranks": {"anna": 1, "dan": 1}, "time": "2026-05-20"},
    ]
    ladder = Ladder(system)
    for step in steps:
        if isinstance(step, dict):
            ladder.record(**step)
        else:
            ladder.adjust(step)
    bulk = rate(History.from_events(steps), system).ladder
    for name in ("anna", "bob", "dan"):
        assert ladder.rating(name) == bulk.rating(name)
    assert "ann" not in bulk
    assert "cat" not in bulk
    assert np.all(np.isfinite(bulk.ratings()["mu"].to_numpy()))
