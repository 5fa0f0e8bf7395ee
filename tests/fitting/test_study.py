"""Intervals, rank sets and the stopping rule are right as often as they say; chosen pairs are worth it."""

import numpy as np
import pytest

from fitting.study import intervals, order_found, stopping


def check_intervals(arenas: int, slack: float) -> None:
    alone, clustered, ranks = np.array([intervals(seed) for seed in range(arenas)]).mean(axis=0)
    assert 0.94 - slack <= alone <= 0.96 + slack
    assert 0.94 - slack <= clustered <= 0.96 + slack
    assert ranks >= 0.94 - slack


def test_fifty_arenas() -> None:
    check_intervals(50, 0.02)


def test_stopping_is_seldom_wrong() -> None:
    stopped, wrong = np.array([stopping(seed) for seed in range(10)]).sum(axis=0)
    assert stopped >= 4
    assert wrong <= 1


@pytest.mark.long
def test_a_thousand_arenas() -> None:
    check_intervals(1_000, 0.0)


@pytest.mark.long
def test_stopping_is_wrong_in_five_of_a_hundred_at_most() -> None:
    assert np.mean([stopping(seed)[1] for seed in range(300)]) <= 0.05


@pytest.mark.long
def test_chosen_pairs_need_fewer_votes() -> None:
    """Where errors are larger than gaps, no choice of pairs gains much; with more votes it gains more."""
    seeds = range(20)
    runs = [[order_found(s, 700_000, chosen=chosen) for s in seeds] for chosen in (False, True)]
    uniform, chosen = (np.array(run).mean(axis=0) for run in runs)
    needed = np.interp(uniform[:, 1], chosen[:, 1], chosen[:, 0])
    for votes, share in ((50_000, 0.85), (700_000, 0.60)):  # 0.78 and 0.55 over 96 arenas
        at = int(np.argmax(uniform[:, 0] >= votes))
        assert needed[at] <= share * uniform[at, 0]
