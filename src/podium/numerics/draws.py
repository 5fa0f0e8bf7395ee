"""Win, draw and loss from an expected score.

Systems whose belief is only about expected scores get their draws from Davidson (1970): the chance of a draw
is ν times the geometric mean of the chances to win and to lose. Given the expected score E and the share of
draws between equals, p₀ = ν/(2 + ν), that has a closed form, keeps E = win + draw/2 exactly, and needs no
other parameter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.numerics.jit import kernel


def split_expected_score(expected: ArrayLike, draw_rate: float) -> NDArray[np.float64]:
    """Probabilities of win, draw and loss, as columns, from an expected score.

    >>> split_expected_score([0.5, 1.0], 0.3).round(3).tolist()
    [[0.35, 0.3, 0.35], [1.0, 0.0, 0.0]]
    """
    e = np.asarray(expected, np.float64)
    if draw_rate == 0.0:
        return np.stack([e, np.zeros_like(e), 1.0 - e], axis=-1)
    d = 2.0 * e - 1.0
    s = _decided(d, 2.0 * draw_rate / (1.0 - draw_rate))
    return np.stack([(s + d) / 2.0, 1.0 - s, (s - d) / 2.0], axis=-1)


def _decided(d: Any, nu: Any) -> Any:
    """S, the chance that there is no draw, for numbers or arrays."""
    # With S = win + loss and D = win − loss = 2E − 1: draw = 1 − S = ν√(S² − D²)/2, a quadratic in S.
    q = nu * nu / 4.0
    # (1 − q) S² − 2 S + 1 + q D² = 0; this form of its smaller root is stable for every q, 1 included.
    s = (1.0 + q * d * d) / (1.0 + np.sqrt(np.maximum(q * (1.0 - d * d + q * d * d), 0.0)))
    return np.minimum(np.maximum(s, np.abs(d)), 1.0)


_decided_once = kernel(_decided)


@kernel
def draw_chance(expected: float, nu: float) -> float:
    """The chance of a draw in one match, from its expected score and ν."""
    return float(1.0 - _decided_once(2.0 * expected - 1.0, nu))
