"""Expected scores of many free-for-alls at once: closed forms, the exact way, threads that change nothing."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import COMPILED
from podium.numerics.free_for_all import mean_scores
from podium.numerics.free_for_all.mean_places import expected_ranks
from podium.numerics.free_for_all.mean_scores import EXACT_UP_TO, score_fields
from podium.numerics.free_for_all.noise import FAMILIES
from podium.numerics.threads import in_event_parts

SIZES = [3, 40, EXACT_UP_TO, EXACT_UP_TO + 1, *([2_000] if COMPILED else [])]


def scores(family: str, location: np.ndarray, scale: np.ndarray) -> np.ndarray:
    out, missed = np.empty(len(location)), np.zeros(1, np.bool_)
    score_fields(np.array([0, len(location)]), FAMILIES[family], location, scale, out, missed)
    assert not missed[0]
    return out


def exactly(family: str, location: np.ndarray, scale: np.ndarray) -> np.ndarray:
    n = len(location)
    return (n - expected_ranks(family, location, scale)) / (n - 1)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("family", FAMILIES)
def test_against_the_exact_way(family: str, n: int) -> None:
    chance = np.random.default_rng(n)
    for ratio in (1.0, 2.5):
        location, scale = chance.normal(1500, 350, n), 120.0 * chance.uniform(1.0, ratio, n)
        error = np.abs(scores(family, location, scale) - exactly(family, location, scale)).max()
        assert error < (2e-11 if n <= EXACT_UP_TO else 1e-7)


@pytest.mark.parametrize("family", FAMILIES)
def test_without_the_compiler_whole_arrays_are_added(monkeypatch: pytest.MonkeyPatch, family: str) -> None:
    chance = np.random.default_rng(5)
    location, scale = chance.normal(1500, 900, 30), chance.uniform(50, 200, 30)
    compiled = scores(family, location, scale)
    monkeypatch.setattr(mean_scores, "NUMBERS_AT_ONCE", 4_000)  # a few sides at a time
    out, reach = np.empty(30), (location - 40 * scale).min()
    h = 0.3 * scale.min()
    points = int(((location + 40 * scale).max() - reach) / h) + 2
    mean_scores.score_field_by_arrays(FAMILIES[family], location, scale, h, reach, 0.0, 0.0, points, out)
    np.testing.assert_allclose(out, compiled, rtol=0, atol=2e-11)


def test_gumbel_performances_of_one_scale_differ_by_a_logistic() -> None:
    location = np.random.default_rng(0).normal(0, 2, 30)
    chances = 1.0 / (1.0 + np.exp(location[None, :] - location[:, None]))
    np.fill_diagonal(chances, 0.0)
    right = chances.sum(axis=1) / 29
    np.testing.assert_allclose(scores("gumbel", location, np.ones(30)), right, rtol=0, atol=1e-11)


def test_certain_results_are_certain() -> None:
    found = scores("normal", np.array([-50.0, 0.0, 50.0]), np.ones(3))
    np.testing.assert_allclose(found, [0.0, 0.5, 1.0], rtol=0, atol=1e-12)


@given(st.integers(3, 40), st.integers(0, 2**32), st.sampled_from(list(FAMILIES)))
def test_scores_add_up(n: int, seed: int, family: str) -> None:
    chance = np.random.default_rng(seed)
    found = scores(family, chance.normal(0, 10, n), chance.uniform(0.5, 4, n))
    assert abs(found.mean() - 0.5) < 1e-11


def test_a_field_of_too_many_points_is_left_alone() -> None:
    out, missed = np.full(6, np.nan), np.zeros(2, np.bool_)
    location, scale = np.array([0, 1, 1e9, 0, 1, 2.0]), np.array([1, 1, 1, 1, 1, 1.0])
    score_fields(np.array([0, 3, 6]), FAMILIES["normal"], location, scale, out, missed)
    assert missed.tolist() == [True, False]
    assert np.isnan(out).tolist() == [True] * 3 + [False] * 3


def test_threads_make_no_difference() -> None:
    chance = np.random.default_rng(0)
    offsets = np.cumsum([0, *chance.integers(3, 30, 50)])
    columns = (FAMILIES["logistic"], chance.normal(0, 5, offsets[-1]), chance.uniform(1, 2, offsets[-1]))
    found, before = [], numba.get_num_threads()
    try:
        for threads in (1, before):
            numba.set_num_threads(threads)
            out, missed = np.empty(offsets[-1]), np.zeros(50, np.bool_)
            in_event_parts(score_fields, offsets, (*columns, out), (missed,))
            found.append(out)
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(*found)
