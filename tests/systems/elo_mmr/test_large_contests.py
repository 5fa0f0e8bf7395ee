"""Contests that are rated in threads: the same to the last bit as in one, in parts and in one piece."""

from __future__ import annotations

from dataclasses import replace

import numba
import numpy as np
import pytest

from conftest import COMPILED
from podium import EloMMR, EloMMX, EloR, History
from podium.numerics.threads import threads_from
from podium.simulation.populations import synthetic_contests
from podium.systems import State

SIZE = 3000 if COMPILED else 60


def contests() -> History:
    whole = synthetic_contests(SIZE + 100, 4, SIZE, seed=8).history
    rows = np.random.default_rng(8).random(whole.rows) < 0.1
    small = [{"ranks": {"p00001": 1, "p00002": 1, "p00003": 3}, "time": "2020-01-07", "ceiling": 1400.0}]
    joined = History.concat([whole, History.from_events(small)])
    unrated = np.zeros(joined.rows, np.bool_)
    unrated[: len(rows)] = rows
    return replace(joined, unrated=unrated)


@pytest.mark.parametrize(
    "system",
    [
        EloMMR(),
        EloMMR(newcomer_start="adaptive", drift_per_day=3.0),
        EloR(),
        EloR(noise="all", ties="half"),
        EloMMX(),
        EloMMX(newcomer_start="adaptive", ties="half"),
    ],
    ids=repr,
)
def test_threads_and_parts_change_nothing(system: EloMMR | EloMMX | EloR) -> None:
    history = contests()
    states: list[State] = []
    traces = []
    many = numba.get_num_threads()
    for large, threads in ((10**9, 1), (SIZE, 1), (SIZE, many)):
        numba.set_num_threads(threads)
        try:
            state = system.new_state()
            with threads_from(large):
                traces.append(system.update(state, history))
        finally:
            numba.set_num_threads(many)
        states.append(state)
    assert states[1] == states[2]
    # In large contests alone Elo-MMχ adds up newcomers' performances in parts.
    in_parts = isinstance(system, EloMMX) and system.newcomer_start == "adaptive"
    for name in ("mu", "sigma", "performance", "mu_before", "sigma_before"):
        whole, alone, together = (getattr(trace, name) for trace in traces)
        assert np.array_equal(alone, together)
        if in_parts:
            np.testing.assert_allclose(whole, alone, rtol=0, atol=1e-9)
        else:
            assert np.array_equal(whole, alone)
    assert in_parts or states[0] == states[1]
