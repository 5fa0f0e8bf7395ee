"""Parameters, the registry, and what systems refuse."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, dataclass
from typing import ClassVar

import pytest

from podium import (
    Elo,
    Glicko,
    Glicko2,
    History,
    ParameterError,
    UnsupportedError,
    list_systems,
    make_system,
    rate,
    register_system,
)
from podium.named import temporary_registrations
from podium.systems import Capabilities, find_system


def test_systems_are_values() -> None:
    assert Elo(k=20) == Elo(k=20.0) == make_system("elo", k="20")
    assert Elo(k=20) != Elo(k=21)
    assert hash(Elo(k=20)) == hash(Elo(k=20.0))
    with pytest.raises(FrozenInstanceError):
        Elo().k = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("cls", "parameters", "reason"),
    [
        (Elo, {"k": -1}, "k goes from 0"),
        (Elo, {"k": math.nan}, "k is a number"),
        (Elo, {"k": "fast"}, "k is a number"),
        (Elo, {"k": True}, "k is a number"),
        (Elo, {"newcomer_events": 2.5}, "newcomer_events is a whole number"),
        (Elo, {"curve": "wavy"}, "curve is one of logistic, fide, linear"),
        (Glicko, {"period": "fortnight"}, "period is 'fortnight' is not a duration"),
        (Glicko, {"period": "7d", "periods_per_day": 1}, "periods_per_day is for period=event"),
        (Glicko, {"sigma": 0}, "sigma goes from"),
        (Glicko2, {"tau": math.inf}, "tau goes from"),
    ],
)
def test_bad_parameters_are_refused_by_name(cls: type, parameters: dict[str, object], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        cls(**parameters)


def test_make_system_guesses_what_was_meant() -> None:
    with pytest.raises(ParameterError, match="did you mean 'volatility'"):
        make_system("glicko2", volatilty=0.1)
    with pytest.raises(ParameterError, match="there is no rating system 'elho'"):
        make_system("elho")
    with pytest.raises(ParameterError, match="k is a number, not 'x'"):
        make_system("elo", k="x")
    assert make_system("elo", newcomer_k="none").newcomer_k is None  # type: ignore[attr-defined]


def test_every_system_says_what_it_is() -> None:
    for name, cls in list_systems().items():
        assert cls.name == name
        assert cls.summary
        for parameter in cls.declared().values():
            assert parameter.meaning
            if parameter.search is not None:
                low, high = parameter.search
                assert parameter.low <= low < high <= parameter.high


def test_register_system() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Slow(Elo):
        name: ClassVar[str] = "slow-elo"
        k: float = 1.0

    with temporary_registrations():
        assert register_system(Slow) is Slow
        assert find_system("slow-elo") is Slow
        assert "slow-elo" in list_systems()
        with pytest.raises(ParameterError, match="already"):
            register_system(type("Other", (Slow,), {}))
    assert "slow-elo" not in list_systems()
    with pytest.raises(ParameterError, match="'elo' is a rating system that podium defines"):
        register_system(type("Other", (Elo,), {}))


@dataclass(frozen=True, kw_only=True)
class Duels(Elo):
    """Elo that can use nothing but decided matches of two."""

    name: ClassVar[str] = "duels"
    supports: ClassVar[Capabilities] = Capabilities()


@pytest.mark.parametrize(
    ("event", "what"),
    [
        ({"ranks": {"ann": 1, "bob": 1}}, "ties"),
        ({"ranks": {"ann": 1, "bob": 2, "cat": 3}}, "events of more than two sides"),
        ({"teams": [["ann", "bob"], ["cat"]], "ranks": [1, 2]}, "teams"),
        ({"ranks": {"ann": 1, "bob": 2}, "weight": 2.0}, "weights"),
        ({"ranks": {"ann": 1, "bob": 2}, "share": 0.9}, "shares of a point"),
    ],
)
def test_refused_by_name(event: dict[str, object], what: str) -> None:
    history = History.from_events([{"ranks": {"ann": 1, "bob": 2}}, {**event, "name": "the odd one"}])
    with pytest.raises(UnsupportedError, match=f"duels cannot use {what}"):
        rate(history, Duels())


def test_a_score_beside_a_rank_and_a_time_are_fine() -> None:
    history = History.from_events([{"scores": {"ann": 3, "bob": 1}, "time": "2026-05-01", "home": "bob"}])
    assert rate(history, Duels()).ladder.rating("ann").mu > 1500


def test_periods_of_days_need_times() -> None:
    history = History.from_events([{"ranks": {"ann": 1, "bob": 2}}])
    with pytest.raises(UnsupportedError, match="needs the time of every event"):
        rate(history, Glicko(period="7d"))


def test_deviations_are_needed_to_predict() -> None:
    with pytest.raises(ParameterError, match="needs the deviations"):
        Glicko().win_probability(1500, None, 1500, None)


def test_teams_of_any_size() -> None:
    """A newcomer on a team changes a mean, and adds nothing to a sum."""
    history = History.from_events([{"teams": [["ann", "bob"], ["cat"]], "ranks": [1, 2]}])
    mean, total = (rate(history, Elo(team=team)).ladder for team in ("mean", "sum"))  # type: ignore[arg-type]
    for ladder in (mean, total):
        assert ladder.rating("ann").mu == ladder.rating("bob").mu == 1516
        assert ladder.rating("cat").mu == 1484
    assert total.expected_score(["ann", "zoe"], "cat") == total.expected_score("ann", "cat")
    assert mean.expected_score(["ann", "zoe"], "cat") < mean.expected_score("ann", "cat")
    assert total.expected_score(["ann", "bob"], "cat") > mean.expected_score(["ann", "bob"], "cat")
