"""The contest score, slow and obvious: a logistic regression on all pairs of sides, contest by contest.

A side's score is s = θ·x. The inputs x are the displays of systems in log odds, then 1, inexperience,
absence, pause, the square of one display, and deviation. Its width is w = √(1 + 16 · 3/π² · deviation²). In
the order of i and j the pull is a = 1/√(wᵢ² + wⱼ² − 1) and the chance of i is p = 1/(1 + e^(−a (sᵢ − sⱼ))).
With results r of 1, ½ or 0,

    Λ ← k Λ + (1 − k) Λ₀ + f/(n − 1) Σ a² p (1 − p) (xᵢ − xⱼ)(xᵢ − xⱼ)ᵀ
    θ ← θ + Λ⁻¹ ((1 − k) Λ₀ (θ₀ − θ) + f/(n − 1) Σ a (r − p) (xᵢ − xⱼ))

over all pairs of n sides, where the event counts for f n/2 = 1.5 n/(1 + n/100) matches, each of which keeps
1 − 1e-5 of what is known. Weights stay within ±10. The weight of the input 1 is moved instead so that the
mean score stays what it was.

a, a p and a² p (1 − p) are interpolated linearly in each score, between multiples of ½ from −40 to 40, and in
the base-2 logarithm of each width, between 0, 1, 2 and 3.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

LEVEL = -6


def start_precision(start: np.ndarray) -> np.ndarray:
    """Λ₀: variances of 0.15² for systems that start with a weight, 0.03² for others, 0.4² for the rest."""
    return np.diag([(0.15 if weight > 0 else 0.03) ** -2 for weight in start[:-6]] + [0.4**-2] * 6)


def _between(value: float, step: float, lowest: float, highest: float) -> list[tuple[float, float]]:
    """The nodes around a value, and its part in each."""
    value = min(max(value, lowest), highest)
    node = lowest + step * min(math.floor((value - lowest) / step), round((highest - lowest) / step) - 1)
    part = (value - node) / step
    return [(node, 1.0 - part), (node + step, part)]


def pair_numbers(s: tuple[float, float], deviation: tuple[float, float]) -> tuple[float, float, float]:
    """a, a p and a² p (1 − p) for two sides, interpolated."""
    scores = [_between(score, 0.5, -40.0, 40.0) for score in s]
    squares = [1.0 + 16.0 * 3.0 / math.pi**2 * d * d for d in deviation]
    widths = [_between(0.5 * math.log2(square), 1.0, 0.0, 3.0) for square in squares]
    total = np.zeros(3)
    for (si, qi), (sj, qj), (vi, ui), (vj, uj) in itertools.product(*scores, *widths):
        a = 1.0 / math.sqrt(4.0**vi + 4.0**vj - 1.0)
        p = 1.0 / (1.0 + math.exp(-a * (si - sj)))
        total += qi * qj * ui * uj * np.array([a, a * p, a * a * p * (1.0 - p)])
    return float(total[0]), float(total[1]), float(total[2])


def learn_contest(
    theta: np.ndarray, precision: np.ndarray, start: np.ndarray, rank: list[int], x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """θ and Λ after a contest."""
    n, score = len(rank), x @ theta
    first = start_precision(start)
    gradient, information = np.zeros(len(start)), np.zeros_like(precision)
    for i, j in itertools.combinations(range(n), 2):
        a, ap, w = pair_numbers((score[i], score[j]), (x[i, -1], x[j, -1]))
        result = 1.0 if rank[i] < rank[j] else 0.5 if rank[i] == rank[j] else 0.0
        gradient += (a * result - ap) * (x[i] - x[j])
        information += w * np.outer(x[i] - x[j], x[i] - x[j])
    matches = 1.5 * n / (1.0 + n / 100.0)
    kept, share = (1.0 - 1e-5) ** matches, matches / (n / 2.0) / (n - 1.0)
    after = kept * precision + (1.0 - kept) * first + share * information
    step = np.linalg.solve(after, (1.0 - kept) * first @ (start - theta) + share * gradient)
    moved = np.clip(theta + step, -10.0, 10.0)
    moved[LEVEL] = theta[LEVEL]
    moved[LEVEL] += (score - x @ moved).mean()
    moved[LEVEL] = min(max(moved[LEVEL], -1000.0), 1000.0)
    return moved, after
