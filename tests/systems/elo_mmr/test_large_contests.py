"""Contests that are rated in threads: the same to the last bit as in one, in parts and in one piece."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import pytest

from conftest import COMPILED
from podium import EloMMR, EloMMX, EloR, History
from podium.numerics.threads import threads_from
from podium.simulation.populations import synthetic_contests
from podium.systems import State
from podium.systems.elo_mmr import remembering_system, shared_contests
from podium.systems.elo_mmr.shared_contests import ROWS_SHARED_FROM

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
    for name in ("mu", "sigma", "performance", "mu_before", "sigma_before"):
        whole, alone, together = (getattr(trace, name) for trace in traces)
        assert np.array_equal(alone, together)
        if isinstance(system, EloMMX) and system.newcomer_start == "adaptive":
            np.testing.assert_allclose(whole, alone, rtol=0, atol=1e-9)  # newcomers are summed in parts
        else:
            assert np.array_equal(whole, alone)
    if not isinstance(system, EloMMX):
        assert states[0] == states[1]


@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "roles"), [(ROWS_SHARED_FROM, [False, True]), (ROWS_SHARED_FROM - 1, [])])
def test_contests_of_a_thousand_are_shared(
    rows: int, roles: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others may share them; where a pool is short of threads, the one who calls does everything."""
    called: list[bool] = []

    def one_after_another(function: Callable[..., None], jobs: list[tuple[Any, ...]]) -> None:
        for job in jobs:
            function(*job)
            called.append(job[-1])

    monkeypatch.setattr(remembering_system, "in_threads", one_after_another)
    monkeypatch.setattr(shared_contests, "threads", lambda: 2)
    history = synthetic_contests(rows, 2, rows, seed=8).history
    late, usual = EloMMR().new_state(), EloMMR().new_state()
    EloMMR().update(late, history[:1])
    assert called == roles
    with threads_from(10**9):
        EloMMR().update(usual, history[:1])
    assert late == usual


@pytest.mark.compiled
def test_tables_too_wide_to_share_are_the_leaders(monkeypatch: pytest.MonkeyPatch) -> None:
    history = synthetic_contests(300, 3, 200, seed=9).history
    states = []
    for panels, rows in ((2, 2), (shared_contests.SHARED_PANELS, 2), (2, 10**9)):
        monkeypatch.setattr(shared_contests, "SHARED_PANELS", panels)
        states.append(EloMMR().new_state())
        with threads_from(rows):
            EloMMR().update(states[-1], history)
    assert states[0] == states[1] == states[2]


def test_few_threads_share_a_contest_of_a_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_contests, "threads", lambda: 64)
    sizes = (2, ROWS_SHARED_FROM - 1, ROWS_SHARED_FROM, 2500, 10**6)
    assert [shared_contests.members_for(rows) for rows in sizes] == [1, 1, 2, 5, 8]
    with threads_from(2):
        assert shared_contests.members_for(2) == 2
