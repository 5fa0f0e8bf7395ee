"""The Elo-MMR paper: Theorem 4.1, Equation (7), footnote 3, participants needed, and a capped Topcoder."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

from podium import History, Topcoder
from podium_papers import Setting
from podium_papers.cpu_time import cpu_timed
from podium_papers.elo_mmr.capped_volatility import CappedVolatility
from podium_papers.elo_mmr.participants_needed import FIELD_SIGMA, PERFORMANCE, errors
from podium_papers.elo_mmr.performance_models import LOG_CONCAVE
from podium_papers.elo_mmr.pseudodiffusion import RHOS, ROUNDING, random_beliefs, theorem_4_1, worst
from podium_papers.elo_mmr.robust_average import STILL, average, equation_7, weights
from podium_papers.elo_mmr.split_ties import footnote_3, split, strictly
from podium_papers.elo_mmr.table_3_speed import cores_named

QUICK = Setting(quick=True)


@pytest.mark.parametrize("rho", RHOS)
def test_theorem_4_1(rho: float) -> None:
    """All properties for ρ between 0 and ∞; with 0 nothing is forgotten, with ∞ everything at once."""
    found = worst(random_beliefs(5, 1), rho)
    fails = {0.0: ["zero uncertainty"], math.inf: ["zero diffusion"]}.get(rho, [])
    assert [name for name, value in found.items() if value > ROUNDING] == fails


def test_a_drift_that_moves_ratings_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the normal factor moved by 10 points the mode moves, and the sum of weights does not."""
    from podium_papers.elo_mmr import pseudodiffusion

    right = pseudodiffusion.drifted

    def wrong(*given: float) -> tuple[float, float, float]:
        p0, w0, kept = right(*given)
        return p0 + 10.0, w0, kept

    monkeypatch.setattr(pseudodiffusion, "drifted", wrong)
    found = worst(random_beliefs(3, 1), 1.0)
    assert found["rating preservation"] > 0.1
    assert found["correct magnitude"] < ROUNDING


def test_theorem_4_1_is_said_of_what_was_measured() -> None:
    numbers = theorem_4_1(QUICK).numbers
    assert {number.remark for number in numbers} == {"so it is"}
    assert numbers[-1].ours == "5 of 5"


def test_weights_of_equation_7() -> None:
    """π²/6 at the rating; π/√3 · tanh(π/√12) = 1.8138 · 0.7196 at one β."""
    assert weights(np.array([0.0, 1.0, -1.0])) == pytest.approx([math.pi**2 / 6, 1.3052, 1.3052], abs=1e-4)
    # two performances as far above as below, and the start in the middle
    assert average(1500.0, np.array([1000.0, 2000.0]), STILL) == pytest.approx(1500.0)
    assert average(1400.0, np.array([1000.0, 2000.0]), STILL) < 1499.0  # no zero there: 1000 weighs more


def test_equation_7_holds() -> None:
    numbers = equation_7(QUICK).numbers
    assert numbers[0].remark == "so it is"
    assert float(numbers[0].ours) < 1e-6


@pytest.mark.parametrize("name", LOG_CONCAVE)
def test_footnote_3(name: str) -> None:
    kind = LOG_CONCAVE[name]
    assert all(strictly(split(kind, *parts)) for parts in ((0.5, 0.5), (1.0, 1.0), (0.25, 1.0), (0.1, 0.0)))
    assert not any(strictly(split(kind, *parts)) for parts in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))


def test_what_footnote_3_leaves_out_is_said() -> None:
    first, *others = footnote_3(QUICK).numbers
    assert (first.ours, first.remark) == ("22 of 23", "not for 0 and 0")
    assert {number.ours for number in others} == {"0"}


def test_errors_are_as_large_as_information_allows() -> None:
    """1/s² is the sum of F(1 − F) over the squared scale, for logistic performances."""
    opponents, scale = 200, math.sqrt(3.0) / math.pi * 200.0
    field = np.random.default_rng(0).normal(1500.0, FIELD_SIGMA, 100_000)
    below = 1.0 / (1.0 + np.exp(-(PERFORMANCE - field) / scale))
    expected = scale / math.sqrt(opponents * float(np.mean(below * (1.0 - below))))
    found = errors(opponents, 600, 1)
    assert float(found.std()) == pytest.approx(expected, rel=0.12)
    assert abs(float(found.mean())) < 0.3 * expected


def test_a_cap_on_volatilities() -> None:
    """The best of a settled field finishes last: the rating moves by the cap, the volatility with it."""
    names = [f"p{number}" for number in range(8)]
    history = History.from_events([{"ranks": {name: place + 1 for place, name in enumerate(names)}}])
    after = {}
    for system in (Topcoder(), CappedVolatility()):
        state = system.new_state(8)
        system.set_belief(state, np.arange(8), np.linspace(1500.0, 3000.0, 8), np.full(8, 300.0))
        state["events"][:] = 40
        system.update(state, history, trace=False)
        after[type(system)] = float(state["mu"][7]), float(state["volatility"][7])
    cap = 150.0 + 1500.0 / 42.0
    assert {round(mu, 9) for mu, _ in after.values()} == {round(3000.0 - cap, 9)}
    step = 0.8 * (1.0 / (0.82 - 0.42 / 41.0) - 1.0)  # of the 41st contest, above 2500
    expected = math.sqrt(cap**2 / step + 300.0**2 / (1.0 + step))
    assert after[CappedVolatility][1] == pytest.approx(expected)
    assert after[Topcoder][1] > 1.2 * expected


def test_times_are_of_the_processor() -> None:
    """Who sleeps does not work. TrueSkill had one thread in the paper too."""
    result, seconds = cpu_timed(time.sleep, 0.1)
    assert result is None
    assert seconds < 0.08
    assert "24 cores" in cores_named("Codeforces")
    assert "24 cores" not in cores_named("TrueSkill")
