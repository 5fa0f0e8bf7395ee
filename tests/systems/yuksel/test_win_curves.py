"""Win curves in kernels: the known ones to the last digits, tables to what they promise."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from podium import WinCurve
from podium.systems.yuksel.win_curves import TABLE_REACH, weaker_chance

DISTANCES = [0.0, 1e-9, 0.01, 0.3, 1.0, 2.5, 7.77, 20.0, 39.99]


def exact(name: str, distance: float) -> tuple[float, float]:
    """The weaker side's chance and the slope, in thirty digits."""
    with mpmath.workdps(30):
        x = mpmath.mpf(distance)
        if name == "logistic":
            e = mpmath.exp(-x)
            return float(e / (1 + e)), float(e / (1 + e) ** 2)
        # where the normal curve, too, gives 10 to 1: z = Φ⁻¹(10/11) at ln 10
        width = mpmath.log(10) / mpmath.findroot(lambda z: mpmath.ncdf(z) - mpmath.mpf(10) / 11, 1.3)
        return float(mpmath.ncdf(-x / width)), float(mpmath.npdf(x / width) / width)


@pytest.mark.parametrize("name", ["logistic", "normal"])
@pytest.mark.parametrize("distance", DISTANCES)
def test_known_curves(name: str, distance: float) -> None:
    weak, strong, slope = weaker_chance(*WinCurve.find(name).compiled, distance)
    assert (weak, slope) == pytest.approx(exact(name, distance), rel=2e-13)
    assert weak + strong == pytest.approx(1.0, abs=1e-15)


def test_a_table_is_as_good_as_it_says() -> None:
    """Cubic Hermite interpolation is off by h⁴/384 of the fourth derivative; its slope by √3 h³/216."""
    fourth = 0.1251  # the largest fourth derivative of the logistic curve
    table = WinCurve(
        "own",
        lambda d: 1.0 / (1.0 + np.exp(-d)),
        lambda d: np.exp(-np.abs(d)) / (1.0 + np.exp(-np.abs(d))) ** 2,
    )
    built_in = WinCurve.find("logistic").compiled
    off = []
    for distance in np.linspace(0.0, 12.0, 5_003):
        read, known = weaker_chance(*table.compiled, distance), weaker_chance(*built_in, distance)
        off.append(np.abs(np.subtract(read, known))[[0, 2]])
    worst = np.max(off, axis=0)
    h = 1.0 / 64.0
    assert 0.5 < worst[0] / (fourth * h**4 / 384.0) < 1.05
    assert 0.5 < worst[1] / (fourth * math.sqrt(3.0) * h**3 / 216.0) < 1.05
    assert table.error == pytest.approx(worst[0], rel=0.1)


def test_a_table_ends_level() -> None:
    line = WinCurve("line", lambda d: 0.5 + 0.01 * d, lambda d: np.full(np.shape(d), 0.01))
    assert weaker_chance(*line.compiled, 10.0) == pytest.approx((0.4, 0.6, 0.01), abs=1e-14)
    assert weaker_chance(*line.compiled, TABLE_REACH + 1.0) == pytest.approx((0.1, 0.9, 0.0), abs=1e-14)
    np.testing.assert_allclose(line([TABLE_REACH + 1.0, -1e300]), [0.9, 0.1], rtol=1e-14)
