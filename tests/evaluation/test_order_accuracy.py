"""Measures of accuracy: by hand, against their twin, and what they must not depend on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import metrics as naive
from podium import Elo, History, InputError, ParameterError, UnsupportedError, rate
from podium.evaluation.order_accuracy import Accuracy, accuracy
from podium.simulation.populations import synthetic_contests

Rows = list[naive.Row]


@st.composite
def contests(draw: st.DrawFn) -> list[Rows]:
    """A few contests with ties in ranks and in ratings, and some who are unrated."""
    names = [f"p{i}" for i in range(draw(st.integers(2, 8)))]
    rows = st.tuples(st.integers(1, 5), st.sampled_from([-2.0, 0.0, 0.5, 1.0, 7.0, 1e9]), st.booleans())
    several = []
    for _ in range(draw(st.integers(1, 6))):
        who = draw(st.permutations(names))[: draw(st.integers(2, len(names)))]
        several.append([(name, *draw(rows)) for name in who])
    return several


def as_history(several: list[Rows]) -> tuple[History, np.ndarray]:
    history = History.from_events(
        {"ranks": {r[0]: r[1] for r in rows}, "unrated": [r[0] for r in rows if not r[3]]} for rows in several
    )
    return history, np.array([r[2] for rows in several for r in rows])


@given(contests(), st.integers(0, 3), st.sampled_from(["fair", "authors"]), st.integers(0, 2))
def test_against_the_twin(several: list[Rows], min_events: int, ties: str, first_event: int) -> None:
    found = accuracy(*as_history(several), min_events=min_events, ties=ties, first_event=first_event)
    right = naive.accuracy(several, min_events, ties, first_event)
    assert (found.events, found.rows) == right[2:]
    np.testing.assert_allclose([found.pairs_right, found.rank_deviation], right[:2], rtol=0, atol=1e-10)


@given(st.integers(2, 70), st.integers(0, 2**32), st.sampled_from(["fair", "authors"]))
def test_larger_contests_against_the_twin(n: int, seed: int, ties: str) -> None:
    chance = np.random.default_rng(seed)
    ranks, ratings = chance.integers(1, n, n, endpoint=True), chance.integers(0, n, n).astype(float)
    rows = [(f"p{i}", int(ranks[i]), float(ratings[i]), True) for i in range(n)]
    found = accuracy(*as_history([rows]), ties=ties)
    right = naive.accuracy([rows], ties=ties)
    np.testing.assert_allclose([found.pairs_right, found.rank_deviation], right[:2], rtol=0, atol=1e-10)


@given(contests(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(several: list[Rows], chance: object) -> None:
    shuffled = [chance.sample(rows, len(rows)) for rows in several]
    one, other = accuracy(*as_history(several)), accuracy(*as_history(shuffled))
    assert one.rows == other.rows
    np.testing.assert_allclose(one.pairs_right, other.pairs_right, rtol=1e-12)
    np.testing.assert_allclose(one.rank_deviation, other.rank_deviation, rtol=1e-12)


def one_contest(ranks: list[int], ratings: list[float], **options: object) -> Accuracy:
    history = History.from_events([{"ranks": {str(i): rank for i, rank in enumerate(ranks)}}])
    return accuracy(history, ratings, **options)


@pytest.mark.parametrize(
    ("ranks", "ratings", "fair", "authors"),
    [
        ([1, 2, 3], [9, 5, 1], (100, 0), (100, 0)),  # as foretold
        ([3, 2, 1], [9, 5, 1], (0, 200 / 3), (0, 200 / 3)),  # two of three off by 2 of 2
        ([1, 2, 3, 4], [7, 8, 5, 6], (200 / 3, 100 / 3), (200 / 3, 100 / 3)),  # each of four off by 1 of 3
        ([1, 2, 3], [0, 0, 0], (50, 100 / 3), (100, 0)),  # nothing known: places 2, 2, 2 against the answer
        ([1, 1, 3], [5, 9, 1], (100, 0), (100, 0)),  # a tie is right whoever is higher
        ([1, 1, 3], [5, 5, 1], (250 / 3, 0), (100, 0)),  # equals are half right; 1.5 lies in the range 1 to 2
        ([2, 1, 2], [9, 5, 1], (200 / 3, 100 / 3), (200 / 3, 100 / 3)),  # 3 lies in the range 2 to 3
    ],
)
def test_by_hand(
    ranks: list[int], ratings: list[float], fair: tuple[float, float], authors: tuple[float, float]
) -> None:
    for ties, right in (("fair", fair), ("authors", authors)):
        found = one_contest(ranks, ratings, ties=ties)
        assert (found.pairs_right, found.rank_deviation) == pytest.approx(right), ties


def test_contestants_count_the_same_in_large_and_small_events() -> None:
    history = History.from_events(
        [
            {"ranks": {"a": 1, "b": 2}},
            {"ranks": {str(i): i for i in range(1, 9)}},
            {"ranks": {"a": 1, "b": 1}},
        ]
    )
    found = accuracy(history, [1, 2, *range(8, 0, -1), 1, 2])
    assert found == Accuracy(pairs_right=80.0, rank_deviation=20.0, events=2, rows=10)


def test_experience_is_earlier_rated_events() -> None:
    again = {"ranks": {"a": 1, "b": 2, "c": 3}}
    history = History.from_events([again, {**again, "unrated": ["c"]}, again, {"ranks": {"d": 1, "a": 2}}])
    ratings = np.tile([3.0, 2.0, 1.0], 4)[: history.rows]
    assert accuracy(history, ratings, min_events=1).rows == 6
    assert accuracy(history, ratings, min_events=2).rows == 2  # a and b in the third
    assert accuracy(history, ratings, min_events=1, first_event=2).rows == 3
    assert math.isnan(accuracy(history, ratings, min_events=3).pairs_right)  # a alone against a newcomer


def test_the_true_skill_predicts_best() -> None:
    history, skill = synthetic_contests(players=300, contests=8, participants=100, seed=3)
    rated = rate(history, Elo(), trace=True).trace["mu_before"]
    best, elo, blind = (accuracy(history, r) for r in (skill, rated, np.zeros(history.rows)))
    assert best.pairs_right > elo.pairs_right > blind.pairs_right == 50.0
    assert best.rank_deviation < elo.rank_deviation < blind.rank_deviation


def test_refusals() -> None:
    history = History.from_events([{"ranks": {"a": 1, "b": 2}}])
    with pytest.raises(InputError, match=r"shape \(3,\) for 2 rows"):
        accuracy(history, [1, 2, 3])
    with pytest.raises(InputError, match="row 1: a rating is not a number"):
        accuracy(history, [1, np.nan])
    with pytest.raises(ParameterError, match="not 'random'"):
        accuracy(history, [1, 2], ties="random")
    with pytest.raises(ParameterError, match="from 0"):
        accuracy(history, [1, 2], min_events=-1)
    teams = History.from_events([{"teams": [["a", "b"], ["c"]], "ranks": [1, 2], "name": "final"}])
    with pytest.raises(UnsupportedError, match="event 'final' has teams"):
        accuracy(teams, [1, 2, 3])


def test_an_empty_history() -> None:
    found = accuracy(History.from_events([{"ranks": {"a": 1, "b": 2}}])[:0], [])
    assert (found.events, found.rows, math.isnan(found.rank_deviation)) == (0, 0, True)
