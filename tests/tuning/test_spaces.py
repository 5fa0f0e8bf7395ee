"""Where to search: ranges on their scales, what a history can tell, and what the caller wants."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import Elo, EloMMR, Glicko2, History, InputError, Luck, ParameterError, TrueSkill, list_systems
from podium.parameters import Need
from podium.tuning.spaces import Dimension, available, make_space
from podium.tuning.splits import RollingSplit, Split, split_meant

MATCHES = History.from_matches(["a", "b"], ["b", "c"])
RICH = History.from_events(
    [
        {"teams": [["a", "b"], ["c"]], "scores": [2, 1], "time": 0, "home": "a"},
        {"ranks": {"a": 1, "b": 1, "c": 3}, "time": 86_400},
    ]
)


def names(space: Any) -> set[str]:
    return {dimension.name for dimension in space.dimensions}


def test_what_a_history_tells() -> None:
    assert available(MATCHES) == {"two"}
    assert available(RICH) == {"home", "time", "scores", "ties", "many", "teams"}
    assert available(RICH) | {"two", "display", "expected", "outcomes"} == set(get_args(Need))


def test_margins_of_contests_are_left_alone() -> None:
    """Elo takes the margins of matches only: each trial with one would fail."""
    contest = History.from_events([{"scores": {"a": 3, "b": 2, "c": 1}}])
    assert make_space(Elo(), contest).left["margin"] == "events are of more than two sides"
    match = History.from_events([{"scores": {"a": 3, "b": 2}}])
    assert "margin" in names(make_space(Elo(), match))


def test_a_home_side_may_be_worse_off() -> None:
    for system, edge in ((Elo(), 200.0), (TrueSkill(), 10.0)):
        (home,) = (d for d in make_space(system, RICH).dimensions if d.name == "home_advantage")
        assert (home.low, home.high) == (-edge, edge)


def test_a_home_side_that_always_won_tells_nothing() -> None:
    made = History.from_matches(list("ab") * 30, list("ba") * 30, home="a")
    assert "home" not in available(made)
    assert make_space(Elo(), made).left["home_advantage"].startswith("the home side always won")
    assert make_space(Elo(), MATCHES).left["home_advantage"] == "no event has a home side"
    assert "home_advantage" in names(make_space(Elo(), made, search=["home_advantage"]))


@pytest.mark.parametrize("name", list(list_systems()))
def test_every_system_can_be_searched(name: str) -> None:
    """Whatever is drawn, at the edges too, is a system; and each declared range can be drawn from."""
    system = list_systems()[name]()
    space = make_space(system, RICH, seen=["two", "display", "expected", "outcomes"])
    assert names(space) == {n for n, p in system.declared().items() if p.search is not None}
    for dimension in space.dimensions:
        for edge in (dimension.low, dimension.high):
            system.declared()[dimension.name].check(edge, name)
    plain = make_space(system, MATCHES)
    needy = {n for n, p in system.declared().items() if p.search is not None and p.needs}
    assert names(plain) == names(space) - needy
    assert set(plain.left) == needy
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    for _ in range(20):
        drawn = space.draw(study.ask())
        if name == "elo-r" and drawn["sigma_limit"] >= drawn["beta"]:
            continue
        changed = system.changed(**drawn)
        assert all(getattr(changed, n) == value for n, value in drawn.items())
        placed = space.place(changed)
        assert placed is not None
        raw, distributions = placed
        assert all(d._contains(d.to_internal_repr(raw[n])) for n, d in distributions.items())


@given(st.floats(1e-3, 1e3), st.floats(1.5, 1e4), st.floats(0, 1))
def test_scales(low: float, factor: float, part: float) -> None:
    by_factors = Dimension("x", low, low * factor)
    assert by_factors.scale == ("factors" if (low * factor) / low >= 10 else "steps")
    from_zero = Dimension("x", 0.0, factor)
    assert from_zero.scale == "cubes"
    raw = part * np.cbrt(factor)
    value = from_zero.value(raw)
    assert 0.0 <= value <= factor
    assert value == pytest.approx(part**3 * factor, rel=1e-9, abs=1e-12)
    placed = from_zero.place(value)
    assert placed is not None
    assert placed["x"][0] == pytest.approx(raw, rel=1e-9, abs=1e-6)


def test_what_may_be_none_is_tried_so_too() -> None:
    space = make_space(Elo(), MATCHES)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    drawn = [space.draw(study.ask()) for _ in range(40)]
    nothing = [one for one in drawn if one["newcomer_k"] is None]
    assert 5 < len(nothing) < 35
    assert not any("newcomer_events" in one for one in nothing)  # it says nothing there
    assert all("newcomer_events" in one for one in drawn if one not in nothing)
    without = make_space(Elo(), MATCHES, fixed={"newcomer_k": None})
    assert "newcomer_events" not in names(without)
    assert without.left["newcomer_events"] == "without newcomer_k"
    assert "newcomer_events" in names(make_space(Elo(newcomer_k=50), MATCHES, fixed={"newcomer_k": 40}))


def test_limits_take_the_place_of_beta_and_gamma() -> None:
    space = make_space(EloMMR(), MATCHES, search=["sigma_limit", "weight_limit"])
    assert names(space) == {"sigma", "rho", "sigma_limit", "weight_limit"}
    assert space.left["beta"] == space.left["gamma"] == "its limits are given"
    placed = space.place(EloMMR())
    assert placed is not None
    assert placed[0]["sigma_limit"] == pytest.approx(80)
    fixed = make_space(EloMMR(), MATCHES, fixed={"sigma_limit": 100})
    assert names(fixed) == {"sigma", "rho"}
    assert fixed.system.sigma_limit == pytest.approx(100)


def test_what_the_caller_wants() -> None:
    wanted: dict[str, Any] = {"mu": (1000, 1500), "newcomer_start": ["fixed", "adaptive"], "ties": None}
    space = make_space(EloMMR(), MATCHES, search={**wanted, "drift_per_day": (0, 9), "rho": [1, math.inf]})
    said = space.describe()
    assert "mu from 1000 to 1500" in said
    assert "newcomer_start of fixed, adaptive" in said
    assert "ties of whole, half" in said
    assert "drift_per_day from 0 to 9, finer near 0" in said  # asked for, whatever the history tells
    assert "rho of 1.0, inf" in said
    lucky = make_space(Luck(), MATCHES, search={"luck": ["logistic", "margin(0.25)"], "points": (101, 201)})
    dimension = next(d for d in lucky.dimensions if d.name == "luck")
    assert [dimension.value(d) for d in ("logistic", "margin(0.25)")] == list(dimension.choices)
    assert "points from 101 to 201, whole" in lucky.describe()
    growth = make_space(Luck(), MATCHES, search={"growth": [(1.0,), (5.0,)]})
    assert next(d for d in growth.dimensions if d.name == "growth").value("(5.0,)") == (5.0,)
    stays = make_space(TrueSkill(), RICH, fixed={"draw_rate": 0.1})
    assert names(stays) == {"sigma", "beta", "tau", "drift_per_day", "home_advantage"}


@pytest.mark.parametrize(
    "search, fixed, reason",
    [
        ({"nonsense": (1, 2)}, {}, "has no parameter 'nonsense'"),
        ({}, {"nonsense": 3}, "has no parameter 'nonsense'"),
        ({"tau": (2, 1)}, {}, "tau from 2 to 1 is not a range"),
        ({"tau": (0.1, 99)}, {}, "tau goes from 0 to 10"),
        ({"tau": (0.1, math.inf)}, {}, "is not a range"),
        ({"tau": 0.3}, {}, "podium searches tau in 0.3"),
        ({"tau": []}, {}, "tau has nothing to choose from"),
        ({"pairs": ["mean", "sun"]}, {}, "pairs is one of mean, sum, one-match, not 'sun'"),
        ({"pairs": (1, 2)}, {}, "pairs is not a number"),
        ({"mu": None}, {}, "has no search range for mu"),
        ({"tau": (0.1, 1)}, {"tau": 1}, "tau is both searched and fixed"),
        ({}, {"tau": -1}, "tau goes from 0"),
    ],
)
def test_what_makes_no_sense_is_refused(search: Any, fixed: Any, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        make_space(Glicko2(), MATCHES, search=search, fixed=fixed)


def test_nothing_to_search_is_said() -> None:
    fixed = {"k": 32, "newcomer_k": None}
    with pytest.raises(ParameterError, match="elo has no parameters to search here"):
        make_space(Elo(), MATCHES, fixed={**fixed, "newcomer_events": 3})


def test_a_system_outside_has_no_place() -> None:
    assert make_space(Elo(), MATCHES).place(Elo(k=1000)) is None
    assert make_space(Elo(), MATCHES, search={"curve": ["fide"]}).place(Elo()) is None


# ---------------------------------------------------------------------- splits


def test_splits() -> None:
    history = History.from_matches(["a"] * 10, ["b"] * 10, time=[f"2026-01-{i + 1:02}" for i in range(10)])
    assert [tuple(Split(first).cut(history)[0]) for first in (0.5, 3, "2026-01-08", 1.0)] == [
        *((5, 10), (3, 10), (7, 10), (10, 10))
    ]
    assert [tuple(fold) for fold in RollingSplit(3, 0.4).cut(history)] == [(4, 6), (6, 8), (8, 10)]
    assert split_meant(0.3, None) == split_meant(None, 0.3) == Split(0.3)
    assert split_meant(RollingSplit(), None) == RollingSplit(4, 0.4)
    assert split_meant(None, None) == Split(0.5)
    with pytest.raises(ParameterError, match="since and split are the same"):
        split_meant(0.3, 0.3)
    for bad in (0.0, -1, 1.5, True, None):
        with pytest.raises(ParameterError, match="a split"):
            Split(bad)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="a split is 'tomorrow'"):
        Split("tomorrow")
    with pytest.raises(ParameterError, match="rolling split of 0"):
        RollingSplit(0)
    with pytest.raises(ParameterError, match=r"rolling split from 1\.0"):
        RollingSplit(2, 1.0)
    for impossible in (Split(1), Split(9), Split(11), RollingSplit(6, 0.5)):
        with pytest.raises(InputError, match="10 events cannot be split"):
            impossible.cut(history)
    assert [tuple(Split(first).cut(history)[0]) for first in (np.float32(0.5), np.int64(3), "0.5")] == [
        (5, 10),
        (3, 10),
        (5, 10),
    ]
    with pytest.raises(ParameterError, match="a year, or the number of an event"):
        Split("2026").cut(history)
    with pytest.raises(ParameterError, match="a split is a time, and events have none"):
        Split("2026-01-01").cut(MATCHES)
