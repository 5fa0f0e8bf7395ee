"""Moments of truncated normal numbers, against 120 digits: in the middle and as far out as numbers go."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cases import case
from podium.numerics import normal
from podium.numerics.normal import TAIL_FROM, WIDE_RANGE, _beyond, _reach, above, above_in_loops, between

MIDDLE = [-1.0, -0.5, -1e-3, -1e-9, 0.0, 1e-12, 0.3, 1.0, 1.9, math.nextafter(TAIL_FROM, 0.0)]
FAR = [TAIL_FROM, 2.5, 4.0, 8.0, 10.0, 30.0, 37.5, 38.6, 100.0, 1e3, 1e5, 1e8]
WIDTHS = [
    1e-12,
    1e-6,
    1e-3,
    0.1,
    1.0,
    math.nextafter(WIDE_RANGE, 0.0),
    math.nextafter(WIDE_RANGE, 9.0),
    6.0,
    20.0,
    1e4,
]


def exact(a: float, b: float = math.inf) -> tuple[float, float, float, float]:
    """Mean, mean beyond a, variance and what it lacks to 1, by the textbook's formulas.

    They lose digits to cancellation, up to some sixty far out or in narrow ranges; of 120 enough are left,
    if the tail that is looked at is the upper one.
    """
    if a + b < 0:
        mean, beyond, variance, lost = exact(-b, -a)
        return -mean, (b - a) - beyond, variance, lost
    with mpmath.workdps(120):
        low, high = mpmath.mpf(a), mpmath.mpf(b)
        mass = (mpmath.erfc(low / mpmath.sqrt(2)) - mpmath.erfc(high / mpmath.sqrt(2))) / 2
        at_low = mpmath.npdf(low) / mass
        at_high = mpmath.npdf(high) / mass if b < math.inf else mpmath.mpf(0)
        mean = at_low - at_high
        lost = mean**2 - low * at_low + (high * at_high if b < math.inf else 0)
        return float(mean), float(mean - low), float(1 - lost), float(lost)


@pytest.mark.parametrize("a", [-37.0, -20.0, -8.0, -5.0, -3.0, *MIDDLE, *FAR])
def test_above(a: float) -> None:
    mean, beyond, variance, lost = exact(a)
    assert above(a) == pytest.approx((mean, variance, lost), rel=1e-13, abs=0)
    if a >= TAIL_FROM:
        assert _beyond(a, _reach(a)) == pytest.approx((beyond, variance), rel=1e-13, abs=0)


@pytest.mark.parametrize("a", [-37.0, -8.0, -3.0, *MIDDLE, *FAR, 59.0, 60.0, 61.0])
def test_above_in_loops(a: float) -> None:
    mean, _, _, lost = exact(a)
    assert above_in_loops(a) == pytest.approx((mean, lost), rel=1e-11, abs=0)


@pytest.mark.parametrize("a", [-30.0, -7.0, -4.5, -2.0, *MIDDLE, *FAR])
def test_between(a: float) -> None:
    for width in WIDTHS:
        with case(width):
            check_between(a, a + width)


def check_between(a: float, b: float) -> None:
    if b == a:
        assert between(a, b) == (a, 0.0, 1.0)
        return
    mean, beyond, variance, lost = exact(a, b)
    found = between(a, b)
    assert found[0] == pytest.approx(mean, rel=1e-14, abs=1e-15)
    # Bounds far out are a few numbers apart, and then b − a is what they really are.
    assert found[1] == pytest.approx(variance, rel=1e-13, abs=0)
    assert found[2] == pytest.approx(lost, rel=1e-13, abs=0)
    mirrored = between(-b, -a)
    assert mirrored == pytest.approx((-found[0], found[1], found[2]), rel=1e-15)
    if a >= 0:
        assert _beyond(a, min(b - a, _reach(a))) == pytest.approx((beyond, variance), rel=1e-13, abs=0)


@pytest.mark.parametrize("a", [1e20, 1e100, 1e154, 1e200, 1e300])
def test_beyond_all_numbers(a: float) -> None:
    """What is left has the variance 1/a², which may be too small for a number; nothing overflows."""
    for found in (above(a), between(a, 2 * a), between(-2 * a, -a)):
        assert abs(found[0]) == pytest.approx(a, rel=1e-15)
        assert found[1] == pytest.approx((1 / a) ** 2, rel=1e-13, abs=1e-320)
        assert found[2] == 1.0
    assert above(-a) == (0.0, 1.0, 0.0)
    assert between(-a, a) == (0.0, 1.0, 0.0)
    assert between(-a, -a) == (-a, 0.0, 1.0)


@pytest.mark.parametrize("a", [0.0, 0.5, 3.0, 1e8, 1e300])
def test_between_equal_bounds_nothing_is_left(a: float) -> None:
    assert between(a, a) == (a, 0.0, 1.0)
    assert between(-a, -a) == (-a, 0.0, 1.0)


def test_equal_bounds_take_no_quadrature(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ties without a margin are the most frequent case of large contests."""

    def never(a: float, width: float) -> tuple[float, float]:
        raise AssertionError((a, width))

    monkeypatch.setattr(normal, "_beyond", never)
    plain = getattr(between, "py_func", between)
    assert [plain(a, a) for a in (0.0, -3.0, 0.7)] == [(0.0, 0.0, 1.0), (-3.0, 0.0, 1.0), (0.7, 0.0, 1.0)]


def test_the_two_forms_meet() -> None:
    """Where one formula takes over from another, both are right."""
    for edge, moments in ((TAIL_FROM, above), (WIDE_RANGE / 2, lambda half: between(-half, half))):
        near = [moments(edge + step) for step in (-1e-13, 0.0, 1e-13)]
        np.testing.assert_allclose(near[0], near[1], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(near[2], near[1], rtol=1e-12, atol=1e-15)


anywhere = st.floats(-60, 60) | st.floats(-1e12, 1e12) | st.floats(-1e300, 1e300)


@given(anywhere)
@example(TAIL_FROM)
@example(0.0)
def test_above_anything(a: float) -> None:
    mean, variance, lost = above(a)
    assert mean >= max(a, 0.0)
    assert 0.0 <= variance <= 1.0
    assert lost >= 0.0
    assert variance + lost == pytest.approx(1.0, abs=1e-15)


@given(anywhere, anywhere | st.floats(0, 1e-6))
@example(-2.0, 4.0)
@example(-1e300, 1e300)
@example(0.0, 5e-324)
def test_between_anything(a: float, width: float) -> None:
    low, high = sorted((a, a + width))
    mean, variance, lost = between(low, high)
    slack = 1e-15 * max(abs(low), abs(high)) if abs(mean) > 1.0 else 1e-15
    assert low - slack <= mean <= high + slack
    assert 0.0 <= variance <= 1.0
    assert lost >= 0.0
    assert variance + lost == pytest.approx(1.0, abs=1e-15)
    # Popoviciu: nothing between two bounds varies by more than half of their distance.
    assert math.sqrt(variance) <= 0.5 * (high - low) * (1 + 1e-12)
