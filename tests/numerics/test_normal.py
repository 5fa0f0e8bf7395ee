"""The inverse of the normal distribution."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.normal import normal_quantile

# Solved with mpmath 1.3 in 50 digits, for the binary number that each p is.
QUANTILES = [
    (0.5000000000009095, 2.2797651350911114627e-12),
    (0.3, -0.52440051270804081597),
    (0.25, -0.6744897501960817432),
    (0.2, -0.84162123357291416552),
    (0.1, -1.2815515655446004353),
    (0.025, -1.9599639845400542118),
    (0.001, -3.0902323061678135354),
    (1e-07, -5.19933758219281694),
    (1e-20, -9.2623400897984075796),
    (1e-100, -21.273453560965324294),
    (1e-300, -37.047096299361199237),
]


@pytest.mark.parametrize(("p", "z"), QUANTILES)
def test_quantile(p: float, z: float) -> None:
    assert normal_quantile(p) == pytest.approx(z, rel=6e-16)


def test_ends_and_middle() -> None:
    assert normal_quantile(0.5) == 0.0
    assert normal_quantile(0.0) == -math.inf
    assert normal_quantile(1.0) == math.inf
    assert math.isfinite(normal_quantile(5e-324))
    for nonsense in (-0.1, 1.1, math.nan):
        assert math.isnan(normal_quantile(nonsense))


@given(st.floats(1e-300, 0.5))
def test_quantile_turns_the_distribution_around(p: float) -> None:
    z = normal_quantile(p)
    # Φ changes by its hazard, at most about |z| + 1, over a unit: so much of the last digit comes back.
    assert 0.5 * math.erfc(-z / math.sqrt(2.0)) == pytest.approx(p, rel=4e-16 * (4.0 + z * z))
    if p > 1e-15:
        assert normal_quantile(1.0 - p) == -normal_quantile(1.0 - (1.0 - p))
