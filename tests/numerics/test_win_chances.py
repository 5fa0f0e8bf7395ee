"""Win curves and draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import elo as naive_elo
from podium.numerics.draws import split_expected_score
from podium.numerics.win_chances import CURVE_VARIANCES, CURVES, SCORE_DIFFERENCES, expected_scores

finite = st.floats(-1e9, 1e9)


@pytest.mark.parametrize("curve", CURVES)
@given(finite, finite, st.floats(1, 1e4))
def test_curves_are_symmetric_and_rise(curve: str, a: float, b: float, scale: float) -> None:
    low, high = sorted((a, b))
    e = expected_scores(CURVES[curve], [low, high, -low], scale)
    assert 0.0 <= e[0] <= e[1] <= 1.0
    assert e[0] + e[2] == pytest.approx(1.0, abs=1e-15)


def test_logistic_means_ten_to_one_at_its_scale() -> None:
    assert expected_scores(CURVES["logistic"], [0, 400, -400], 400).tolist() == pytest.approx(
        [0.5, 10 / 11, 1 / 11]
    )
    assert expected_scores(CURVES["logistic"], 173, 173.0) == pytest.approx(10 / 11)


def test_fide_is_table_8_1_2() -> None:
    """FIDE Handbook B.02, table 8.1.2, row by row; 1.00 above 735."""
    table = naive_elo.fide_table()
    assert list(table) == list(range(736))
    stronger = [table[d] / 100 for d in range(736)]
    assert expected_scores(CURVES["fide"], np.arange(736), 400).tolist() == stronger
    assert expected_scores(CURVES["fide"], -np.arange(736), 400).tolist() == [0.5] * 4 + [
        1 - score for score in stronger[4:]
    ]
    assert expected_scores(CURVES["fide"], [736, -736, 1e9], 400).tolist() == [1.0, 0.0, 1.0]
    assert expected_scores(CURVES["fide"], [3.49, 3.5, -10.5, np.nan], 400)[:3].tolist() == [0.50, 0.51, 0.48]
    assert expected_scores(CURVES["fide"], [7, 20], 800).tolist() == [
        0.51,
        0.51,
    ]  # as 3.5 and 10 points


def test_table_8_1_1_is_within_8_1_2() -> None:
    """Each difference that FIDE gives for a score has that score, so both tables were copied rightly."""
    table = naive_elo.fide_table() | {800: 100}
    assert [table[difference] for difference in SCORE_DIFFERENCES] == list(range(50, 101))


def test_linear_is_sonas() -> None:
    """Sonas (2002): 0.001164 a point, to 425 points either way."""
    e = expected_scores(CURVES["linear"], [0, 100, 425, 1000], 400)
    assert e.tolist() == pytest.approx([0.5, 0.6164, 0.9947, 0.9947])


@given(st.floats(0, 1), st.floats(0, 0.99))
def test_draws_keep_the_expected_score(expected: float, draw_rate: float) -> None:
    win, draw, loss = split_expected_score(expected, draw_rate)
    assert min(win, draw, loss) >= 0
    assert win + draw + loss == pytest.approx(1.0, abs=1e-12)
    assert win + draw / 2 == pytest.approx(expected, abs=1e-12)


@given(st.floats(0.001, 0.999), st.floats(0.01, 0.95))
def test_draws_follow_davidson(expected: float, draw_rate: float) -> None:
    """Davidson (1970): draw = ν √(win · loss), with ν from the share of draws between equals."""
    win, draw, loss = split_expected_score(expected, draw_rate)
    assert draw == pytest.approx(2 * draw_rate / (1 - draw_rate) * np.sqrt(win * loss), rel=1e-6)


@pytest.mark.parametrize("curve", CURVE_VARIANCES)
def test_the_variance_of_a_curve(curve: str) -> None:
    """Of the difference of performances, summed in steps as far as a curve goes."""
    edges = (np.arange(-40001, 40001) + 0.5) / 4000  # the steps of FIDE's table are in the middle between two
    rise = np.diff(expected_scores(CURVES[curve], edges, 1.0))
    middle = 0.5 * (edges[1:] + edges[:-1])
    assert CURVE_VARIANCES[curve] == pytest.approx(float(rise @ middle**2 / rise.sum()), abs=1e-6)
