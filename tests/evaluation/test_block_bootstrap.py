"""Block bootstrap: a plain loop with the same draws, what intervals cover, and when differences show."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import backtests as naive
from podium import ParameterError
from podium.evaluation.block_bootstrap import Resampling, interval
from podium.evaluation.metrics.metric_sums import ratio


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**32))
def test_against_a_plain_loop(events: int, most: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    total, weight = chance.normal(size=events), chance.integers(0, 3, events).astype(float)
    resampling = Resampling(events, resamples=20, seed=seed, most_blocks=most)
    pairs = list(zip(total.tolist(), weight.tolist(), strict=True))
    blocks = [pairs[a:b] for a, b in zip(resampling.edges, resampling.edges[1:], strict=False)]
    assert len(blocks) == min(events, most)
    assert all(blocks)
    right = naive.resampled(blocks, resampling.draws.tolist())
    sums = np.stack([resampling.block_sums(total), resampling.block_sums(weight)], -1)
    np.testing.assert_allclose(ratio(resampling.resampled(sums)), right, rtol=1e-9, atol=1e-12)


def test_blocks_cover_every_event_once() -> None:
    resampling = Resampling(1_003, most_blocks=200)
    assert resampling.blocks == 200
    assert np.bincount(resampling.block_of_event).tolist() == np.diff(resampling.edges).tolist()
    assert set(np.diff(resampling.edges).tolist()) == {5, 6}
    assert Resampling(0).blocks == 0
    assert Resampling(7).edges.tolist() == list(range(8))


def test_a_seed_says_everything() -> None:
    one, same, other = (Resampling(50, 30, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.draws, same.draws)
    assert not np.array_equal(one.draws, other.draws)
    np.testing.assert_array_equal(one.counts.sum(axis=1), np.full(30, 50.0))


def covered(repetitions: int, block: int) -> float:
    """How often 95% intervals of a mean contain the truth, where four events in a row are alike."""
    chance, hits = np.random.default_rng(5), 0
    for repetition in range(repetitions):
        values = np.repeat(chance.normal(size=100), 4) + 0.5 * chance.normal(size=400)
        resampling = Resampling(400, resamples=300, seed=repetition, most_blocks=400 // block)
        sums = np.stack([resampling.block_sums(values), resampling.block_sums(np.ones(400))], -1)
        low, high = interval(ratio(resampling.resampled(sums)))
        hits += low <= 0.0 <= high
    return hits / repetitions


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    # A thousand repetitions: give or take 0.7%; percentile intervals of fifty blocks are a little short.
    assert 0.92 <= covered(1_000, block=8) <= 0.97


def test_single_events_would_be_too_sure_of_themselves() -> None:
    assert covered(200, block=1) < 0.75


def test_intervals_of_little() -> None:
    assert np.isnan(interval(np.array([1.0, np.nan]))).all()
    assert interval(np.array([1.0, np.nan, 1.0])) == (1.0, 1.0)
    with pytest.raises(ParameterError, match="resamples is 0"):
        Resampling(5, resamples=0)
    with pytest.raises(ParameterError, match="blocks is 0"):
        Resampling(5, most_blocks=0)
