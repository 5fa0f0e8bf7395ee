"""`podium.rate_match`: the numbers of other packages, and those of a ladder, from ratings kept elsewhere."""

from __future__ import annotations

import json
import random
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import podium

OPENSKILL = json.loads((Path(__file__).parents[1] / "systems" / "peers" / "openskill.json").read_text())
"""Numbers of openskill.py's own tests (`tests/models/data/*.json`, version 6.2.0)."""
FULL = ["plackett-luce", "bradley-terry-full", "thurstone-mosteller-full"]
PLAIN = ["elo", "glicko", "glicko2", "elo-mmx", "trueskill", "weng-lin", "codeforces", "lichess"]


@pytest.mark.parametrize("model", FULL)
@pytest.mark.parametrize(
    ("case", "sizes", "result"),
    [
        ("normal", [1, 2], {}),
        ("ranks", [1, 2, 1, 2], {"ranks": [2, 1, 4, 3]}),
        ("scores", [1, 2], {"scores": [1, 2]}),
        ("ties", [1, 2, 3], {"ranks": [1, 2, 1]}),
    ],
)
def test_openskill(model: str, case: str, sizes: list[int], result: dict[str, Any]) -> None:
    mu, sigma = OPENSKILL[model]["start"]
    system = podium.WengLin(model=model, mu=mu, sigma=sigma)  # type: ignore[arg-type]
    found = podium.rate_match(system, [[(mu, sigma)] * size for size in sizes], **result)
    assert [len(team) for team in found] == sizes
    for mine, theirs in zip(chain.from_iterable(found), OPENSKILL[model][case], strict=True):
        assert mine == pytest.approx(theirs, abs=1e-9)


def test_trueskill() -> None:
    """Numbers of sublee/trueskill's `trueskilltest.py`."""
    system = podium.TrueSkill(draw_rate=0.1)
    teams = [[(20.0, 8.0), (25.0, 6.0)], [(35.0, 7.0), (40.0, 5.0)]]
    found = podium.rate_match(system, teams)
    wanted = [[(29.698, 7.008), (30.455, 5.594)], [(27.575, 6.346), (36.211, 4.768)]]
    for mine, theirs in zip(chain.from_iterable(found), chain.from_iterable(wanted), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-3)


def test_glicko2_of_lichess() -> None:
    """Numbers of scalachess's `GlickoCalculatorTest.scala`."""
    found = podium.rate_match("lichess", [[(1400.0, 79.0, 0.06)], [(1550.0, 110.0, 0.065)]], [1, 2])
    wanted = [(1422.63, 77.4956, 0.06), (1506.32, 105.8706, 0.065)]
    for (mine,), theirs in zip(found, wanted, strict=True):
        assert mine == (
            pytest.approx(theirs[0], abs=0.005),
            *(pytest.approx(n, abs=6e-5) for n in theirs[1:]),
        )


@pytest.mark.parametrize("name", PLAIN)
def test_ratings_kept_elsewhere_are_those_of_a_ladder(name: str) -> None:
    """Three hundred matches without times, each from the numbers that the last ones gave."""
    system, draw = podium.make_system(name), random.Random(1)
    ladder, kept = podium.Ladder(system), dict[str, tuple[float, ...]]()
    for _ in range(300):
        four = draw.sample("abcdefghij", 4)
        teams = [four[:2], four[2:]] if system.supports.teams else [[four[0]], [four[1]]]
        ranks = draw.choice([[1, 2], [2, 1], [1, 1]])
        ladder.record(teams=teams, ranks=ranks)
        found = podium.rate_match(system, [[kept.get(who) for who in team] for team in teams], ranks)
        kept |= dict(zip(chain.from_iterable(teams), chain.from_iterable(found), strict=True))
    for player, (mu, *more) in kept.items():
        rating = ladder.rating(player)
        assert mu == pytest.approx(rating.mu, abs=1e-9)
        assert rating.sigma is None or more[0] == pytest.approx(rating.sigma, abs=1e-9)


@pytest.mark.parametrize(
    "system",
    [
        *("elo-mmr", "topcoder", "luck", "fide", podium.Glicko2(period="7d"), podium.make_system("auto")),
        *(podium.Elo(newcomer_k=64), podium.EloMMX(newcomer_weights=(0.4, 0.7))),
    ],
    ids=lambda system: getattr(system, "label", system),
)
def test_systems_that_remember_more_are_refused(system: podium.System) -> None:
    with pytest.raises(podium.UnsupportedError, match="remembers more of a player"):
        podium.rate_match(system, [[None], [None]])


def _numbers(ladder: podium.Ladder, player: str) -> tuple[float, ...]:
    """A player's rating as `rate_match` takes it."""
    rating, index = ladder.rating(player), ladder.players.index_of[player]
    volatility = [float(ladder.state["volatility"][index])] if ladder.system.has_volatility else []
    return rating.mu, *([] if rating.sigma is None else [rating.sigma]), *volatility


@pytest.mark.parametrize("system", ["matches", podium.Elo(newcomer_start="adaptive")])
def test_newcomers_of_adaptive_systems_need_a_rating(system: podium.System) -> None:
    """They started at 1500 in silence, and on a ladder elsewhere."""
    ladder, draw = podium.Ladder(system), random.Random(1)
    for _ in range(30):
        ladder.record_match(*draw.sample("abcdef", 2))
    with pytest.raises(podium.UnsupportedError, match="starts newcomers where earlier ones"):
        podium.rate_match(system, [[None], [None]])
    given = [[_numbers(ladder, name)] for name in "ab"]
    found = podium.rate_match(system, given)
    for (rated,), change in zip(found, ladder.record_match("a", "b"), strict=True):
        assert rated[0] == pytest.approx(change.mu, abs=1e-9)


@pytest.mark.parametrize(
    ("system", "rating", "form"),
    [
        ("elo", (1500.0, 100.0), "mu"),
        ("trueskill", 25.0, r"\(mu, sigma\)"),
        ("trueskill", (25.0, 0.0), r"\(mu, sigma\)"),
        ("trueskill", (float("nan"), 8.0), r"\(mu, sigma\)"),
        ("trueskill", "25, 8", r"\(mu, sigma\)"),
        ("glicko2", (1500.0, 350.0), r"\(mu, sigma, volatility\)"),
    ],
)
def test_what_is_no_rating_is_refused(system: str, rating: Any, form: str) -> None:
    with pytest.raises(podium.InputError, match=f"a rating of {system} is {form}, not"):
        podium.rate_match(system, [[rating], [None]])


def test_results_are_checked_as_those_of_a_ladder() -> None:
    with pytest.raises(podium.InputError, match="rank"):
        podium.rate_match("elo", [[1500], [1500]], ranks=[0, 1])
    with pytest.raises(podium.InputError):
        podium.rate_match("elo", [[1500], []])
