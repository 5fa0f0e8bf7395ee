"""The contest score, against its naive twin and against what it promises."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import pytest

from naive import contest_scores as naive
from podium.systems.auto.contest_ratings import (
    ABSENCE,
    INEXPERIENCE,
    PAUSE,
    SQUARE,
    contest_inputs,
    nothing_learned,
    public_rating,
    score_contests,
    scores_after,
    start_of_weights,
)
from podium.systems.auto.pair_regression import LEVEL

START = start_of_weights(np.array([0.5, 0.5, 0.0]))


class Contests(NamedTuple):
    """Consecutive events with what is known of their sides before."""

    offsets: np.ndarray
    rank: np.ndarray
    teaches: np.ndarray
    inputs: np.ndarray


def made_up(seed: int, sizes: list[int], spread: float = 1.0) -> Contests:
    """Contests of people whom three systems see with different errors; some results are ties."""
    chance = np.random.default_rng(seed)
    rows = sum(sizes)
    skill = chance.normal(0.0, spread, rows)
    displays = skill[:, None] + chance.normal(0.0, [0.3, 0.9, 2.0], (rows, 3)) * spread
    events, days = chance.integers(0, 30, rows), chance.exponential(20.0, rows)
    performance = skill + chance.logistic(0.0, 1.0, rows)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    rank = np.empty(rows, np.int32)
    for lo, hi in itertools.pairwise(offsets.tolist()):
        rounded = -np.round(performance[lo:hi])
        rank[lo:hi] = 1 + (rounded[:, None] > rounded).sum(axis=1)
    pause, deviation = chance.exponential(1.0, rows), chance.uniform(0.1, 3.0, rows)
    inputs = contest_inputs(displays, 0, events, days, pause, deviation)
    return Contests(offsets, rank, np.diff(offsets) > 2, inputs)


def score(contests: Contests) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    learned = nothing_learned(START)
    return *score_contests(learned, START, *contests), learned


@pytest.mark.parametrize("spread", [1.0, 30.0])
def test_it_agrees_with_its_naive_twin(spread: float) -> None:
    contests = made_up(1, [3, 8, 2, 15, 30], spread)
    scores, weights, learned = score(contests)
    theta, precision = START, naive.start_precision(START)
    for e, (lo, hi) in enumerate(itertools.pairwise(contests.offsets.tolist())):
        x = contests.inputs[lo:hi]
        np.testing.assert_allclose(scores[lo:hi], x @ theta, rtol=0, atol=1e-9)
        if hi - lo > 2:
            theta, precision = naive.learn_contest(theta, precision, START, contests.rank[lo:hi].tolist(), x)
        np.testing.assert_allclose(weights[e], theta, rtol=0, atol=1e-10)
    np.testing.assert_allclose(learned[1:], precision, rtol=1e-10, atol=1e-10)


def test_three_who_tie_by_hand() -> None:
    """Three sides tie, of which one is 4 ahead, with scores at nodes of the table: p = σ(4) for two pairs.

    The event counts for 4.5/1.03 matches. The first weight starts at its prior, which pulls nowhere.
    """
    x = np.zeros((3, 9))
    x[:, LEVEL], x[0, 0] = 1.0, 8.0
    learned = nothing_learned(START)
    score_contests(learned, START, np.array([0, 3]), np.array([1, 1, 1], np.int32), np.array([True]), x)
    p, matches = 1.0 / (1.0 + np.exp(-4.0)), 4.5 / 1.03
    share = matches / 1.5 / 2.0
    precision = 0.15**-2 + share * 2.0 * p * (1.0 - p) * 64.0
    assert learned[1, 0] == pytest.approx(precision, rel=1e-12)
    assert learned[0, 0] == pytest.approx(0.5 + share * 2.0 * (0.5 - p) * 8.0 / precision, rel=1e-12)
    assert learned[0, LEVEL] == pytest.approx((0.5 - learned[0, 0]) * 8.0 / 3.0, rel=1e-12)


def test_pieces_give_the_same_bits() -> None:
    contests = made_up(2, [40, 2, 300, 7, 90])
    scores, weights, learned = score(contests)
    again = nothing_learned(START)
    for e in range(5):
        lo, hi = contests.offsets[e], contests.offsets[e + 1]
        here, after = score_contests(
            again,
            START,
            np.array([0, hi - lo]),
            contests.rank[lo:hi],
            contests.teaches[e : e + 1],
            contests.inputs[lo:hi],
        )
        np.testing.assert_array_equal(here, scores[lo:hi])
        np.testing.assert_array_equal(after[0], weights[e])
    np.testing.assert_array_equal(again, learned)


def test_the_order_of_rows_changes_nothing() -> None:
    contests = made_up(3, [200, 50, 400] * 4)
    bounds = itertools.pairwise(contests.offsets.tolist())
    shuffle = np.random.default_rng(0).permutation
    mixed = np.concatenate([lo + shuffle(hi - lo) for lo, hi in bounds])
    scores, _, _ = score(contests)
    others, _, _ = score(contests._replace(rank=contests.rank[mixed], inputs=contests.inputs[mixed]))
    np.testing.assert_allclose(public_rating(others), public_rating(scores[mixed]), rtol=0, atol=1e-9)


def test_the_table_is_near_the_chance_itself() -> None:
    """As read by interpolation, chances of pairs of equal widths are within 0.005 of what they stand for."""
    chance = np.random.default_rng(4)
    for s, t, width in zip(*chance.normal(0.0, 3.0, (2, 300)), chance.integers(0, 4, 300), strict=True):
        deviation = np.sqrt((4.0**width - 1.0) * np.pi**2 / 48.0)
        a, ap, _ = naive.pair_numbers((s, t), (deviation, deviation))
        assert a == pytest.approx((2.0 * 4.0**width - 1.0) ** -0.5, rel=1e-9)
        assert ap / a == pytest.approx(1.0 / (1.0 + np.exp(-a * (s - t))), abs=0.005)


def test_it_listens_to_who_is_right() -> None:
    """The first system errs least; its weight rises, that of the others falls, and the order gets better."""
    contests = made_up(5, [60] * 60)
    scores, weights, _ = score(contests)
    first, second, third = weights[-1, :3]
    assert first > max(0.7, second + 0.3)
    assert abs(third) < 0.2
    lo = contests.offsets[40]
    better = np.corrcoef(scores[lo:], contests.rank[lo:])[0, 1]
    assert better < np.corrcoef(contests.inputs[lo:] @ START, contests.rank[lo:])[0, 1] - 0.02


def test_deviations_put_newcomers_nearer_to_where_most_of_them_are() -> None:
    """A fifth are newcomers: three in ten of them are better than everybody, and the others worse than most.

    Most newcomers are below 93% of the others, but on average they beat nearly half of them.
    """
    chance = np.random.default_rng(6)
    n, events = 100, 60
    new = np.arange(n * events) % 5 == 0
    good = chance.random(n * events) < 0.3
    skill = np.where(new, np.where(good, 8.0, -1.5), chance.normal(0.0, 1.0, n * events))
    performance = skill + chance.logistic(0.0, 0.2, len(skill))
    rank = np.concatenate([1 + (part[:, None] < part).sum(axis=1) for part in performance.reshape(events, n)])
    placed = []
    for deviation in (2.0, 0.0):
        inputs = contest_inputs(
            np.stack([np.where(new, 0.0, skill)] * 3, axis=1),
            0,
            np.where(new, 0, 50),
            np.zeros(len(skill)),
            np.zeros(len(skill)),
            np.where(new, deviation, 0.0),
        )
        scores, _, _ = score(
            Contests(np.arange(events + 1) * n, rank.astype(np.int32), np.ones(events, bool), inputs)
        )
        last, newcomers = scores[-n:], new[-n:]
        placed.append((last[~newcomers] < last[newcomers][0]).mean())
    assert placed[0] < placed[1] - 0.1


def test_a_step_leaves_the_mean_score_where_it_was() -> None:
    contests = made_up(7, [50])
    contests.inputs[:, :3] += 4.0
    scores, weights, _ = score(contests)
    assert not np.allclose(weights[0, :3], START[:3], atol=0.01)
    assert (contests.inputs @ weights[0]).mean() == pytest.approx(scores.mean(), abs=1e-12)


def test_anything_finite_stays_finite() -> None:
    sizes = [5, 40, 3, 2, 300]
    contests = made_up(8, sizes)
    chance = np.random.default_rng(9)
    displays = chance.choice([-1e300, -1e9, 0.0, 1e-300, 3.0, 1e9, 1e300], (sum(sizes), 3))
    inputs = contest_inputs(displays, 2, np.zeros(350, int), *np.full((3, 350), 1e300))
    for _ in range(3):
        scores, weights, learned = score(contests._replace(inputs=inputs))
        for numbers in (scores, weights, learned):
            assert np.isfinite(numbers).all()
        assert np.linalg.eigvalsh(learned[1:])[0] > 0.0


def test_nothing_is_learned_where_nothing_is_to_be() -> None:
    contests = made_up(10, [30, 40])
    _, weights, learned = score(contests._replace(teaches=np.zeros(2, bool)))
    np.testing.assert_array_equal(learned, nothing_learned(START))
    np.testing.assert_array_equal(weights, [START, START])


def test_scores_after_events_use_the_weights_after_them() -> None:
    contests = made_up(11, [30, 40])
    _, weights, _ = score(contests)
    after = scores_after(contests.offsets, weights, contests.inputs)
    np.testing.assert_allclose(after[:30], contests.inputs[:30] @ weights[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(after[30:], contests.inputs[30:] @ weights[1], rtol=0, atol=1e-12)


def test_inputs_count_absence_in_months() -> None:
    events, days = np.array([0, 5]), np.array([0.0, 30.0])
    inputs = contest_inputs(np.full((2, 1), 10.0), 0, events, days, np.array([0.1, 0.2]), np.zeros(2))
    np.testing.assert_allclose(inputs[:, ABSENCE], [0.0, np.log(2.0)])
    np.testing.assert_allclose(inputs[:, INEXPERIENCE], [1.0, 0.5])
    np.testing.assert_allclose(inputs[:, PAUSE], [0.1, 0.2])
    np.testing.assert_allclose(inputs[:, SQUARE], 5.0)
