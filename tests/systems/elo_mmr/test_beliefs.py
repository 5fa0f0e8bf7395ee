"""Beliefs that drift and learn, against the naive twins, which never fold a factor into another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import COMPILED, tries
from naive import elo_mmr, elo_r
from podium import EloMMR, EloR, History
from podium.numerics.exponential import NEAR_ZERO, tanh_fraction
from podium.systems.elo_mmr import beliefs
from podium.systems.elo_mmr.beliefs import (
    DRIFT_ALL,
    DRIFT_FANCY,
    DRIFT_TRANSFER,
    add_fancy_noise,
    drifted,
    factor_pull,
    mode,
    room_for,
)
from podium.systems.elo_mmr.remembering_system import RememberingSystem

Factors = list[tuple[float, float, float]]
"""Performance, part of its weight that is left, β."""

PULL, TAU = math.pi**2 / 6, 2 * math.sqrt(3) / math.pi  # Elo-MMR's; Elo-R has 1 and 1
FACTORS = st.lists(
    st.tuples(
        st.floats(-3000, 6000) | st.sampled_from([1500.0, -1e6, 1e6]),
        st.floats(1e-6, 1),
        st.floats(1, 1000) | st.sampled_from([200.0, 250.0]),
    ),
    min_size=1,
    max_size=10,
)
PRIORS = st.tuples(st.floats(-1000, 4000), st.floats(1, 2000) | st.just(350.0))
ADDED = st.floats(0, 1e5) | st.sampled_from([0.0, 1e-9, 1280.0])
many = settings(max_examples=tries(100) if COMPILED else 8)


def columns(factors: Factors, tau: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    p, part, beta = np.array(factors, np.float64).reshape(-1, 3).T
    return p.copy(), part / beta**2, tau * beta


def found_mode(p0: float, w0: float, p: Any, w: Any, tau: Any, c: float, pull: float = 0.0) -> float:
    return mode(p0, pull, p0, w0, 0, len(p), p, w, tau, c, room_for(len(p)))


def naive_belief(prior: tuple[float, float], factors: Factors) -> elo_mmr.Belief:
    """Of Elo-MMR."""
    mu, sigma = prior
    terms = tuple(elo_mmr.Term(p, part / beta**2, beta) for p, part, beta in factors)
    belief = elo_mmr.gaussian(mu, sigma)._replace(terms=terms)
    total = math.fsum([belief.w0, *(term.weight for term in terms)])
    return belief._replace(mu=elo_mmr.mode(belief), sigma=total**-0.5)


def naive_belief_of_elo_r(prior: tuple[float, float], factors: Factors) -> elo_r.Belief:
    """Of Elo-R, where no factor has lost weight."""
    belief = elo_r.gaussian(*prior)
    terms = tuple(elo_r.Term(p, beta, beta) for p, _, beta in factors)
    belief = belief._replace(terms=terms)
    return belief._replace(mu=elo_r.mode(belief), sigma=elo_r.total_weight(belief.w0, terms) ** -0.5)


# ------------------------------------------------------------------ the rating


@many
@given(PRIORS, FACTORS)
def test_mode(prior: tuple[float, float], factors: Factors) -> None:
    expected = naive_belief(prior, factors)
    p, w, tau = columns(factors, TAU)
    near = pytest.approx(expected.mu, abs=1e-9, rel=1e-12)
    assert found_mode(prior[0], expected.w0, p, w, tau, PULL) == near
    for start in (-1e6, 0.0, 1e6):  # wherever the search begins
        assert mode(start, 0.0, prior[0], expected.w0, 0, len(p), p, w, tau, PULL, room_for(len(p))) == near


@many
@given(PRIORS, FACTORS, st.floats(-0.02, 0.02))
def test_mode_under_a_pull(prior: tuple[float, float], factors: Factors, pull: float) -> None:
    """The zero of L' − pull, which no twin knows: L' changes its sign there."""
    p, w, tau = columns(factors, TAU)
    w0 = prior[1] ** -2
    x = found_mode(prior[0], w0, p, w, tau, PULL, pull)

    def slope(s: float) -> float:
        pulls = [factor_pull(s, p[k], w[k], tau[k], PULL) for k in range(len(p))]
        return math.fsum([w0 * (s - prior[0]), -pull, *pulls])

    near = 1e-7 + 1e-12 * abs(x)
    assert slope(x - near) < 0 < slope(x + near)


def test_mode_without_a_normal_factor() -> None:
    p, w, tau = columns([(1000.0, 1.0, 200.0), (2000.0, 1.0, 200.0)], TAU)
    assert mode(0.0, 0.0, 1500.0, 0.0, 0, 2, p, w, tau, PULL, room_for(2)) == pytest.approx(1500.0, abs=1e-9)
    assert mode(0.0, 1.0, 1500.0, 0.0, 0, 2, p, w, tau, PULL, room_for(2)) == math.inf
    assert mode(0.0, -1.0, 1500.0, 0.0, 0, 2, p, w, tau, PULL, room_for(2)) == -math.inf


@pytest.mark.parametrize("x", [1e-9, 0.1, 0.3, NEAR_ZERO])
def test_tanh_near_zero(x: float) -> None:
    a, b = tanh_fraction(x * x)
    assert x * a / b == pytest.approx(math.tanh(x), rel=6e-16, abs=0)


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, *names: str) -> list[str]:
    """The calls of these kernels from now on, where those that call them run as Python."""
    calls: list[str] = []

    def counting(name: str) -> Any:
        kernel = getattr(module, name)

        def count(*given: Any) -> Any:
            calls.append(name)
            return kernel(*given)

        return count

    for name in names:
        monkeypatch.setattr(module, name, counting(name))
    return calls


@pytest.mark.compiled
def test_two_looks_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """From one rating to the next: a look with exponentials and one without, whatever is remembered."""
    calls = counted(monkeypatch, beliefs, "_look", "_look_near")
    kernel: Any = mode.py_func  # type: ignore[attr-defined]
    chance, looks, looks_near = np.random.default_rng(4), [], []
    for n in range(6, 46):
        p, w = chance.normal(1500, 220, n), 200.0**-2 * 0.7 ** np.arange(n - 1, -1, -1)
        tau = TAU * (np.full(n, 200.0) if n % 2 else 200 * np.exp(chance.normal(0, 0.3, n)))
        mu = 1500.0
        for known in (n - 1, n):
            calls.clear()
            mu = kernel(mu, 0.0, 1500.0, 120.0**-2, 0, known, p, w, tau, PULL, room_for(n))
        looks.append(calls.count("_look"))
        looks_near.append(calls.count("_look_near"))
        calls.clear()
        kernel(mu, 0.0, 1500.0, 120.0**-2, 0, n, p, w, tau, PULL, room_for(n))
        assert len(calls) <= 2  # also where the search begins where it ends
    assert sum(looks) <= 42
    assert sum(looks) + sum(looks_near) <= 2.1 * 40


# ------------------------------------------------------------------ drift


@many
@given(PRIORS, FACTORS, ADDED, st.sampled_from([0.0, 0.5, 1.0, 3.0, math.inf]))
def test_pseudodiffusion(prior: tuple[float, float], factors: Factors, added: float, rho: float) -> None:
    before = naive_belief(prior, factors)
    expected = elo_mmr.diffused(before, added, rho)
    p, w, tau = columns(factors, TAU)
    p0, w0, factor = drifted(
        before.sigma**2, added, rho, DRIFT_TRANSFER, before.mu, prior[0], before.w0, 0, len(p), p, w, tau
    )
    assert w0 == pytest.approx(expected.w0, rel=1e-9)
    # Where next to nothing is in the normal factor, its centre is a quotient of next to nothings.
    slack = 1e-9 + 1e-12 / (expected.w0 * before.sigma**2) * abs(before.mu - prior[0])
    assert p0 == pytest.approx(expected.p0, abs=slack, rel=1e-12)
    assert w == pytest.approx([term.weight for term in expected.terms], rel=1e-9, abs=0)
    kappa = before.sigma**2 / (before.sigma**2 + added)
    assert factor == pytest.approx(kappa * (0.0 if rho == math.inf else kappa**rho), rel=1e-12)


@many
@given(PRIORS, FACTORS, ADDED, st.sampled_from(["normal", "leading", "all"]))
def test_noise_of_elo_r(prior: tuple[float, float], factors: Factors, added: float, noise: str) -> None:
    whole = [(p, 1.0, beta) for p, _, beta in factors]
    before = naive_belief_of_elo_r(prior, whole)
    expected = elo_r.noised(before, added, noise)
    way, rho = {
        "normal": (DRIFT_TRANSFER, math.inf),
        "leading": (DRIFT_TRANSFER, 0.0),
        "all": (DRIFT_ALL, 0.0),
    }[noise]
    p, w, tau = columns(whole, 1.0)
    p0, w0, _ = drifted(
        before.sigma**2, added, rho, way, before.mu, prior[0], before.w0, 0, len(p), p, w, tau
    )
    assert p0 == pytest.approx(expected.mu0, abs=1e-9, rel=1e-12)
    assert w0 == pytest.approx(expected.w0, rel=1e-12)
    if noise == "normal":
        assert not w.any()
    else:
        assert w == pytest.approx([term.weight for term in expected.terms], rel=1e-12)
        assert tau == pytest.approx([term.tau for term in expected.terms], rel=1e-12)


@settings(max_examples=tries(60) if COMPILED else 4)
@given(
    PRIORS,
    st.lists(st.tuples(st.floats(-3000, 6000), st.just(1.0), st.floats(20, 1000)), min_size=1, max_size=4),
    st.floats(0, 1e5) | st.sampled_from([1.0, 1905.0]),
)
def test_fancy_noise(prior: tuple[float, float], factors: Factors, added: float) -> None:
    before = naive_belief_of_elo_r(prior, factors)
    expected = elo_r.noised(before, added, "fancy")
    p, w, tau = columns(factors, 1.0)
    p0, w0, _ = drifted(
        before.sigma**2, added, 0.0, DRIFT_FANCY, before.mu, prior[0], before.w0, 0, len(p), p, w, tau
    )
    assert p0 == prior[0]
    assert w0 == pytest.approx(expected.w0, rel=1e-9)
    assert w == pytest.approx([term.weight for term in expected.terms], rel=1e-9)
    assert tau == pytest.approx([term.tau for term in expected.terms], rel=1e-9)
    assert w0 + w.sum() == pytest.approx(1 / (before.sigma**2 + added), rel=1e-12)


FAR_OR_NEAR = st.floats(-3000, 6000) | st.sampled_from([1500.0, 1500.0 + 1e-9, 1e6])


@many
@given(
    st.lists(st.tuples(FAR_OR_NEAR, st.floats(1, 1e9)), min_size=1, max_size=12),
    st.floats(1e-12, 1.0),
    st.floats(0, 1.0) | st.sampled_from([1e-9, 50.0, 1e5]),
)
def test_fancy_noise_takes_the_same_part_of_every_pull(
    factors: list[tuple[float, float]], normal: float, grown: float
) -> None:
    """Section 5.2: tanh(x/τ)/(x τ), the pull of a factor at distance x, falls by κ² for all of them."""
    p, tau = np.array(factors).T.copy()
    w = tau**-2
    w0 = normal * w.sum()
    variance, mu = 1 / (w0 + w.sum()), 1500.0
    new_w, new_tau = w.copy(), tau.copy()
    kept = add_fancy_noise(variance, grown * variance, mu, w0, 0, len(p), p, new_w, new_tau)
    x = np.abs(mu - p)
    apart = x > 0
    pulls = [np.tanh(x[apart] / t[apart]) / (x[apart] * t[apart]) for t in (tau, new_tau)]
    assert pulls[1] == pytest.approx(kept * pulls[0], rel=1e-12, abs=0)
    assert new_w[~apart] == pytest.approx(kept * w[~apart], rel=1e-12, abs=0)  # the limit for x = 0
    assert new_w == pytest.approx(new_tau**-2.0, rel=1e-12, abs=0)
    assert kept * w0 + new_w.sum() == pytest.approx(1 / (variance + grown * variance), rel=1e-12)


@pytest.mark.compiled
def test_two_rounds_of_fancy_noise_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = counted(monkeypatch, beliefs, "_sums")
    kernel: Any = add_fancy_noise.py_func  # type: ignore[attr-defined]
    chance = np.random.default_rng(2)
    for n in range(1, 41):
        p, tau = chance.normal(1500, 300, n), 250 * 1.1 ** np.arange(n - 1, -1, -1)
        w = tau**-2
        variance = 1 / (w.sum() + 350.0**-2)
        kernel(variance, 0.19 * variance, 1500.0, 350.0**-2, 0, n, p, w, tau)
    assert len(rounds) == 80


# ------------------------------------------------------------------ folding

EVENTS, MANY_EVENTS = (120, 220) if COMPILED else (60, 60)
"""The twin looks at all earlier events in each event: so many only where the first is forgotten that late."""


FIELD, WILD_FIELD = [2000.0, 1700.0, 1500.0, 1200.0], [9000.0, 2500.0, 1500.0, -1e4]


def career(
    system: RememberingSystem, events: int, weights: list[float], field: list[float]
) -> tuple[Any, list[float], list[Any]]:
    """One player among strangers who stay as they are: the state, the performances, (μ, σ) after each."""
    chance = np.random.default_rng(events)
    others = [f"p{i}" for i in range(4)]
    history = History.from_events(
        {
            "ranks": {"you": int(chance.integers(1, 5))} | {name: i + 1 for i, name in enumerate(others)},
            "unrated": others,
            "weight": weights[e % len(weights)],
            "ceiling": [500.0, math.inf, math.inf, math.inf, 1800.0][e % 5],
        }
        for e in range(events)
    )
    state = system.new_state(5)
    system.set_belief(state, np.arange(1, 5), field, [50.0, 120.0, 300.0, 80.0])
    trace = system.update(state, history)
    return state, trace.performance[::5].tolist(), list(zip(trace.mu[::5], trace.sigma[::5], strict=True))


def check_career(twin: Any, performances: list[float], weights: list[float], found: Any, near: float) -> None:
    """The twin, given the same performances, believes the same after every event."""
    belief = twin.gaussian(1500.0, 350.0)
    for e, performance in enumerate(performances):
        beta2, gamma2 = elo_mmr.weighted(twin.beta**2, twin.gamma2(), 0.0, weights[e % len(weights)])
        belief = twin.updated(twin.diffused(belief, gamma2), performance, beta2)
        assert found[e] == pytest.approx((belief.mu, belief.sigma), abs=near, rel=0)


VARIED = [0.1, 1.0, 10.0, 0.5, 3.0, 1.0]


@pytest.mark.parametrize(
    ("system", "twin", "weights", "events", "folds"),
    [
        (EloMMR(), elo_mmr.EloMMR(), [1.0], EVENTS, True),
        (EloMMR(rho=0.0), elo_mmr.EloMMR(rho=0.0), [1.0], MANY_EVENTS, True),
        (EloMMR(rho=0.0, gamma=2.0), elo_mmr.EloMMR(rho=0.0, gamma=2.0), [1.0], EVENTS, False),
        (EloMMR(rho=0.5, gamma=60.0), elo_mmr.EloMMR(rho=0.5, gamma=60.0), VARIED, EVENTS, True),
        (EloMMR(rho=0.0), elo_mmr.EloMMR(rho=0.0), VARIED, EVENTS, True),
        (EloMMR(rho=math.inf), elo_mmr.EloMMR(rho=math.inf), VARIED, EVENTS, True),
        (EloR(noise="leading"), elo_r.EloR(noise="leading"), [1.0], MANY_EVENTS, True),
        (EloR(noise="all"), elo_r.EloR(noise="all"), VARIED, EVENTS, True),
    ],
    ids=["usual", "rho 0", "hardly any drift", "rho 0.5", "rho 0, weights", "rho inf", "leading", "all"],
)
def test_long_careers(
    system: RememberingSystem, twin: Any, weights: list[float], events: int, folds: bool
) -> None:
    """Hundreds of events: forgotten factors become part of the normal one, and nobody can tell."""
    state, performances, found = career(system, events, weights, FIELD)
    check_career(twin, performances, weights, found, near=1e-9)
    assert state.terms is not None
    remembered = int(state.terms.length[0])
    if COMPILED:
        assert (remembered < events) == folds


@pytest.mark.parametrize("weights", [[1.0], VARIED], ids=["weight 1", "weights"])
def test_wild_careers(weights: list[float]) -> None:
    """Where a rating falls between performances that are all far away, little holds it: errors grow too."""
    _, performances, found = career(EloMMR(rho=0.0), EVENTS, weights, WILD_FIELD)
    check_career(elo_mmr.EloMMR(rho=0.0), performances, weights, found, near=1e-7)


def test_long_careers_with_fancy_noise() -> None:
    weights = [1.0, 0.3, 5.0]
    _, performances, found = career(EloR(noise="fancy"), 25 if COMPILED else 8, weights, FIELD)
    check_career(elo_r.EloR(noise="fancy"), performances, weights, found, near=1e-9)
