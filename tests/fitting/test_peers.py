"""Fits against other packages, on votes drawn by NumPy; the numbers are what those packages print."""

import numpy as np
import pytest

import podium
from podium.fitting.votes import Votes

CHOIX = [0.2967186881, 0.5573242846, 0.1739990973, -0.4308349302, -0.3191253323, -0.2780818076]
"""choix 0.4.1, decided votes: opt_pairwise(6, data, alpha=0, method="Newton-CG", tol=1e-14), mean 0."""
EVALICA = [
    0.23050651401118036,
    0.43583585505757005,
    0.14085111018872265,
    -0.32131077180660417,
    -0.2620151424806084,
    -0.22386756497026053,
]
"""evalica 0.4.2: logarithms of bradley_terry(xs, ys, winners, tolerance=1e-15), mean 0."""
ARENA_RANK = [
    1040.04308283111,
    1075.7124427468411,
    1024.4683439699654,
    944.1826019313406,
    954.4833077782158,
    961.1102207425267,
]
"""arena-rank 0.1.1: ratings of BradleyTerry(6, hessian_reg=0, gtol=1e-14, ftol=1e-16)."""


def votes() -> Votes:
    rng = np.random.default_rng(7)
    theta = rng.normal(0, 0.6, 6)
    a = rng.integers(0, 6, 400)
    b = (a + rng.integers(1, 6, 400)) % 6
    d = theta[a] - theta[b]
    u = rng.random(400) * (np.exp(d / 2) + np.exp(-d / 2) + 0.6)
    outcome = np.where(u < np.exp(d / 2), 0, np.where(u < np.exp(d / 2) + 0.6, 1, 2))
    names = tuple(f"m{i}" for i in range(6))
    return Votes(names, a.astype(np.int32), b.astype(np.int32), outcome.astype(np.int32))


def test_bradley_terry_is_that_of_evalica() -> None:
    assert podium.fit(votes(), "bradley-terry").solution.strengths == pytest.approx(EVALICA, abs=1e-12)


def test_points_are_those_of_arena_rank() -> None:
    assert podium.fit(votes(), "bradley-terry").points == pytest.approx(ARENA_RANK, abs=1e-8)


def test_bradley_terry_is_that_of_choix() -> None:
    decided = votes()
    decided = decided.taking(np.flatnonzero(decided.outcome != 1))
    assert podium.fit(decided).solution.strengths == pytest.approx(CHOIX, abs=1e-8)
