"""Fields of any shape and size in Codeforces and Topcoder: what is finite stays finite, and in its place."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import COMPILED, tries
from podium import Codeforces, History, Topcoder

Floats = np.ndarray
EXAMPLES = settings(max_examples=tries(60) if COMPILED else 5)

sizes = st.floats(-9.0, 9.0).map(lambda exponent: 10.0**exponent)


@st.composite
def fields(draw: st.DrawFn) -> tuple[Floats, Floats, History]:
    """Ratings, volatilities, and a contest held twice with any weight."""
    n = draw(st.integers(2, 70))
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    size = draw(sizes)
    shapes = (
        chance.normal(0, size, n),
        chance.choice([-size, size, 0.0, 1.0], n),
        chance.exponential(size, n),
    )
    mu = np.clip(draw(st.sampled_from(shapes)), -1e9, 1e9)
    volatility = 10.0 ** chance.uniform(-9, 9, n)
    ranks = {f"p{i}": int(chance.integers(1, n + 1)) for i in range(n)}
    weight = 10.0 ** draw(st.floats(-9.0, 6.0))
    return mu, volatility, History.from_events([{"ranks": ranks, "weight": weight}] * 2)


@given(fields(), st.floats(-3.0, 6.0))
@EXAMPLES
def test_codeforces(field: tuple[Floats, Floats, History], exponent: float) -> None:
    """A performance is not further outside the field than a place can tell."""
    mu, _, history = field
    n = len(mu)
    weight = 1.0 if history.weight is None else history.weight[0]
    for variant in ("experiments", "site"):
        system = Codeforces(variant=variant, beta=10.0**exponent)  # type: ignore[arg-type]
        state = system.new_state(n)
        state["mu"][:] = mu
        trace = system.update(state, history)
        assert np.isfinite(trace.mu).all()
        outside = system.scale / np.sqrt(weight) * (np.log(2 * n) + 2.0)
        if variant == "experiments":
            slack = outside + 1e-9 * np.abs(mu).max()
            assert trace.performance[:n].max() <= mu.max() + slack
            assert trace.performance[:n].min() >= mu.min() - slack
        else:
            assert trace.performance.min() >= 1.0
            assert trace.performance.max() < 8000.0


@given(fields(), st.floats(-6.0, 6.0))
@EXAMPLES
def test_topcoder(field: tuple[Floats, Floats, History], exponent: float) -> None:
    """No place is so unexpected that a rating or a volatility would not survive it."""
    mu, volatility, history = field
    system = Topcoder(weight=10.0**exponent)
    state = system.new_state(len(mu))
    state["mu"][:], state["volatility"][:] = mu, volatility
    trace = system.update(state, history)
    assert np.isfinite(trace.performance).all()
    assert np.isfinite(trace.mu).all()
    assert np.isfinite(trace.sigma).all()
    assert (trace.sigma > 0.0).all()
