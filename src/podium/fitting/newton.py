"""Newton's method for likelihoods that are flat in known directions."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from podium.arrays import Bools, Floats
from podium.errors import InputError

STEEPEST = 1e-10
"""The largest entry of the gradient at the end, in votes."""
ROUNDS = 200
"""More steps than any problem needed; judges' slopes need the most."""


class Likelihood(Protocol):
    """What can be maximised."""

    def start(self) -> Floats:
        """Where to begin."""

    def is_inside(self, parameters: Floats) -> bool:
        """Whether the likelihood is defined there."""

    def value(self, parameters: Floats) -> float:
        """The log likelihood."""

    def evaluate(self, parameters: Floats) -> tuple[float, Floats, Floats]:
        """The value, its gradient and the information."""


def maximise(
    likelihood: Likelihood,
    shifts: Floats,
    free: Bools | None = None,
    start: Floats | None = None,
    steepest: float = STEEPEST,
) -> tuple[Floats, Floats]:
    """The parameters of the highest likelihood, and the information there.

    Steps are orthogonal to `shifts`, along which the likelihood is flat. Parameters that are not `free` keep
    their values. The gradient ends below `steepest`, or as near to it as sums of so many votes are exact.
    """
    parameters = likelihood.start() if start is None else start.copy()
    moving = np.arange(len(parameters)) if free is None else np.flatnonzero(free)
    gauge = shifts[:, moving].T @ shifts[:, moving]
    value, gradient, information = likelihood.evaluate(parameters)
    best = np.inf
    for _ in range(ROUNDS):
        steep = float(np.abs(gradient[moving]).max(initial=0.0))
        if steep <= steepest or (steep >= best and steep <= _exactness(information)):
            return parameters, information
        best = min(best, steep)
        step = np.zeros(len(parameters))
        step[moving] = _direction(information[np.ix_(moving, moving)] + gauge, gradient[moving])
        parameters, value, gradient, information = _searched(likelihood, parameters, value, gradient, step)
    raise InputError(
        "the fit has no finite answer: some effects or strengths grow without end",
        hint="give strengths and effects a prior (prior=400, or --prior 400)",
    )


def _exactness(information: Floats) -> float:
    """How near to 0 a gradient of this many votes can be told from it."""
    return 1e-13 * max(1.0, float(np.abs(information).max(initial=0.0))) * 100.0


def _direction(information: Floats, gradient: Floats) -> Floats:
    """Newton's step; where the likelihood is not concave, a shorter one that goes up."""
    damping = 0.0
    scale = float(np.abs(np.diagonal(information)).max(initial=1.0))
    while True:
        try:
            if damping or not len(gradient):
                information = information + damping * np.eye(len(gradient))
            np.linalg.cholesky(information)
            return np.asarray(np.linalg.solve(information, gradient), np.float64)
        except np.linalg.LinAlgError:
            damping = max(10.0 * damping, 1e-6 * scale)


def _searched(
    likelihood: Likelihood, parameters: Floats, value: float, gradient: Floats, step: Floats
) -> tuple[Floats, float, Floats, Floats]:
    """The step, halved until the likelihood rises; one that is small is taken as it is."""
    length, gain = 1.0, float(gradient @ step)
    small = gain <= 1e-9 * (1.0 + abs(value))
    for _ in range(60):
        there = parameters + length * step
        if likelihood.is_inside(there):
            found = likelihood.evaluate(there)
            if small or found[0] >= value + 1e-4 * length * gain:
                return there, *found
        length /= 2.0
    return parameters, *likelihood.evaluate(parameters)
