"""Elo-R: the printed numbers, the belief taken apart against the system, and what each method does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from podium import EloR
from podium.simulation.populations import synthetic_contests
from podium_papers import PAPERS, Setting
from podium_papers.elo_r.four_noises import noising, weights_by_age
from podium_papers.elo_r.guarantees import places, swapped, worst_loss
from podium_papers.elo_r.inflation import SYSTEMS, halves, inflation
from podium_papers.elo_r.public_rating import public_rating
from podium_papers.elo_r.sustained_deviation import response, responses
from podium_papers.elo_r.told_beliefs import METHODS, Belief, Method, ratings_after

QUICK = Setting(quick=True)


def test_the_response_is_as_printed() -> None:
    """48, 63, 1875 after six, 566, then 320 and 16% for the orange curve, which is behind from match 7 on."""
    curves = responses()
    blue, orange = curves["all"], curves["normal performances"]
    steps = np.diff(blue)
    assert [round(steps[k]) for k in (0, 1, 6)] == [48, 63, 566]
    assert round(blue[6]) == 1875
    assert orange[1] == pytest.approx(1320.0, abs=1e-6)
    assert np.diff(orange) / (3000.0 - orange[:-1]) == pytest.approx(0.16, abs=1e-9)
    assert (blue > orange).argmax() == 7
    assert steps[2] < 100 < steps[3]  # where the text says "over 100" from the third on


def test_what_is_said_of_the_response_is_compared() -> None:
    """All printed numbers come out but for "over 100", which is told with the match it begins with."""
    said = {number.published: number.remark for number in response(QUICK).numbers}
    assert said.pop("over 100") == "over 100 from the fourth on"
    assert said.pop("overtakes") == "so it is"
    assert said.pop("σᵢ is unchanged!") == "so it is"
    assert said.pop("") == ""
    assert all(remark.startswith("as printed") for remark in said.values())


def test_penalties_are_as_printed() -> None:
    numbers = {number.published: number.ours for number in public_rating(QUICK).numbers}
    assert round(float(numbers["208"])) == 208
    assert round(float(numbers["120"])) == 120
    assert numbers["43.64"] == "43.64"
    assert {number.remark for number in public_rating(QUICK).numbers} == {"as printed", "so it is"}


@pytest.mark.parametrize("method", METHODS)
def test_the_belief_is_the_systems(method: Method) -> None:
    """Taken apart, it rates as the system does; one that may remember everything forgets nothing."""
    told = np.random.default_rng(3).normal(1500.0, 700.0, 12)
    system = EloR(noise=method)
    apart, bounded = Belief(system), Belief(system, most=12)
    for performance, rating in zip(told, ratings_after(system, told)[0], strict=True):
        apart.perform(performance)
        bounded.perform(performance)
        assert apart.mu == pytest.approx(rating, abs=1e-9)
        assert bounded.mu == apart.mu
        mean = apart.w0 * apart.p0 + apart.weights @ apart.p
        assert mean / (apart.w0 + apart.weights.sum()) == pytest.approx(apart.mu, abs=1e-6)  # section 4


def test_a_short_memory_costs_something() -> None:
    told = [1000.0] * 30 + [3000.0] * 5
    whole, short = Belief(EloR(noise="all")), Belief(EloR(noise="all"), most=2)
    whole.perform(*told)
    short.perform(*told)
    assert len(short.p) <= 3
    assert abs(whole.mu - short.mu) > 10.0


def test_an_outliers_weight() -> None:
    """tanh(u)/u at once, for u of some 1952/250; then frozen, restored, or in between."""
    later = {method: weights_by_age(method, 1000.0)[-1] for method in METHODS}
    assert later["all"] > 0.8
    assert all(later[method] < 0.15 for method in METHODS if method != "all")
    assert weights_by_age("fancy", 1000.0)[0] == pytest.approx(250 / (3000 - 1047.88), rel=1e-3)


def test_only_the_fancy_method_loses_by_a_better_past() -> None:
    for method in METHODS:
        worst, falls = worst_loss(EloR(noise=method), 300, seed=1)
        assert (worst > 2.0 and falls > 0.05) == (method == "fancy")
    assert swapped(EloR(noise="leading"), 300, seed=1, sigma=350.0) == (0.0, 0.0)
    assert swapped(EloR(noise="normal"), 300, seed=1, sigma=350.0)[1] > 100.0


def test_the_order_of_ties() -> None:
    assert places("whole", 10, 0, equal=True) == (1.0, 0.0)
    assert places("half", 10, 0, equal=True) == (1.0, 1.0)


def test_the_noising_table_agrees_but_for_one_word() -> None:
    """Six measured properties of four methods; each published word has its place."""
    numbers = noising(QUICK).numbers
    assert len(numbers) == 24
    assert [n.what for n in numbers if n.remark != "agrees"] == ["consistent change accelerates: all"]
    assert all(number.place.startswith("Section 6.2.") for number in numbers)


def test_where_no_skill_changes_codeforces_rises_further() -> None:
    """The leader of the first half is followed; the best hundredth is whoever it is then."""
    history = synthetic_contests(300, 60, 100, drift=0.0, seed=1).history
    found = {name: halves(history, system) for name, system in SYSTEMS.items()}
    rises = {name: one.best[1] - one.best[0] for name, one in found.items()}
    assert rises["Codeforces"] > 2.0 * rises["Elo-R"]
    assert found["Elo-R"].leader[0] >= found["Elo-R"].best[0]


def test_contests_given(tmp_path: Path) -> None:
    """Those given stand beside what the paper tells of Codeforces, and the item says that it reads them."""
    assert PAPERS["elo-r"].items["inflation"].reads == ("contests",)
    lines = ["event,player,rank", *(f"{k},p{(i + k) % 4},{i + 1}" for k in range(10) for i in range(4))]
    (tmp_path / "given.csv").write_text("\n".join(lines))
    numbers = inflation(Setting(quick=True, contests=tmp_path / "given.csv")).numbers
    beside = [number.published for number in numbers if number.source.startswith("given.csv")]
    assert beside == ["about 300 additional points", "almost 900", "within 30 minutes"]
