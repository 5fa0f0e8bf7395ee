"""How near to the truth skills come after the fact: made-up contests whose skills are known.

    python benchmarks/smoothing.py

Each row's true skill beside the rating after its event, its smoothed skill, and that after performances are
estimated anew. The root of the mean squared error in points, and in deviations as claimed: 1 is honest.
"""

from __future__ import annotations

import math

import numpy as np
from common import print_machine, print_table

import podium
from podium.simulation.populations import synthetic_contests

SETS = ((1_000, 50, 250), (1_000, 500, 25), (500, 2_000, 5), (500, 5_000, 2))
"""Players, contests and participants."""
DRIFT = 35.0 * math.sqrt(50.0)
"""How far a skill drifts from the first contest to the last, as in the paper's fifty."""
ROUNDS = (1, 2, 10, 50)


def main() -> None:
    """Print one table a system."""
    print_machine()
    for cls in (podium.EloMMX, podium.EloMMR):
        rows = []
        for players, contests, participants in SETS:
            step = DRIFT / math.sqrt(contests)
            history, skill = synthetic_contests(players, contests, participants, drift=step, seed=1)
            system = cls(beta=200.0, gamma=0.0, drift_per_day=step**2 / 7.0)  # what they are made by
            smoothings = [podium.smooth(history, system, rounds=rounds) for rounds in ROUNDS]
            first = smoothings[0]
            shown = [(first.mu, first.sigma), *((s.mu_smoothed, s.sigma_smoothed) for s in smoothings)]
            rows.append((f"{contests:,} of {participants}", *(_errors(mu - skill, s) for mu, s in shown)))
        print_table(cls.name, ("contests", "rated", *(f"rounds={r}" for r in ROUNDS)), rows)


def _errors(off: np.ndarray, sigma: np.ndarray) -> str:
    return f"{np.sqrt(np.mean(off**2)):.1f} / {np.sqrt(np.mean((off / sigma) ** 2)):.2f}"


if __name__ == "__main__":
    main()
