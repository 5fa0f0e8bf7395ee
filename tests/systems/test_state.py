"""Columns whose rows are lists: everything a state does with numbers, it does with them."""

from __future__ import annotations

import numpy as np
import pytest

from podium.errors import StateError
from podium.systems.contract.state import State

NEWCOMER = {"mu": np.float64(1500), "mass": np.array([0.25, 0.5, 0.25]), "seen": np.zeros(2, np.int32)}


def filled() -> State:
    state = State(NEWCOMER, 2)
    state.grow(3)
    state["mass"][1] = [0.0, 0.1, 0.9]
    state["seen"][2] = [4, 7]
    return state


def test_newcomers_have_the_whole_row() -> None:
    state = filled()
    assert state.column("mass").tolist() == [[0.25, 0.5, 0.25], [0.0, 0.1, 0.9], [0.25, 0.5, 0.25]]
    assert state.column("seen").tolist() == [[0, 0], [0, 0], [4, 7]]


def test_swap_forget_shrink_and_restore() -> None:
    state = filled()
    before, snapshot = state.copy(), state.snapshot(np.array([1, 2]))
    state.swap(1, 2)
    assert state["mass"][2].tolist() == [0.0, 0.1, 0.9]
    state.forget(2)
    assert state["mass"][2].tolist() == [0.25, 0.5, 0.25]
    state.restore(snapshot)
    assert state == before
    state.shrink(1)
    state.grow(3)
    assert state["mass"][1].tolist() == [0.25, 0.5, 0.25]


def test_take_puts_newcomers_where_asked() -> None:
    taken = filled().take(np.array([-1, 1]))
    assert taken["mass"].tolist() == [[0.25, 0.5, 0.25], [0.0, 0.1, 0.9]]


def test_rows_of_another_length_are_not_loaded() -> None:
    arrays = filled().to_arrays()
    twin = State(NEWCOMER, 0)
    twin.load(arrays)
    assert twin == filled()
    with pytest.raises(StateError, match="do not fit together"):
        State({**NEWCOMER, "mass": np.zeros(4)}, 0).load(arrays)


def test_rows_that_are_zero_for_a_newcomer_survive_growing_and_copying() -> None:
    """Blocks nobody has written to are not copied; those with one written row are."""
    state = State({"mass": np.zeros(70)}, 1000)
    state["mass"][[3, 700]] = np.arange(70)
    twin = state.copy()
    state.grow(5000)
    for one in (state, twin):
        assert np.flatnonzero(one["mass"].any(axis=1)).tolist() == [3, 700]
        assert one["mass"][700].tolist() == list(range(70))
    twin["mass"][3] = 0.0
    assert state["mass"][3, 1] == 1.0


def test_rows_zeroed_by_a_player_whose_newcomer_is_not_are_copied() -> None:
    state = State(NEWCOMER, 3)
    state["mass"][:] = 0.0
    assert not state.copy()["mass"].any()


def test_long_rows_grow_beyond_a_full_block() -> None:
    """Rows of a grid that nobody has written to take no memory; those that were written to are kept."""
    state = State({"mass": np.zeros(3)}, 16)
    state.columns["mass"][15] = [1.0, 2.0, 3.0]
    state.grow(17)
    assert state.columns["mass"][15].tolist() == [1.0, 2.0, 3.0]
    assert not state.columns["mass"][:15].any()
    assert not state.columns["mass"][16].any()


def with_parts() -> State:
    """A state that holds two, one of which has terms."""
    parts = [State({"sigma": np.float64(350)}, 3), State({"mu": np.float64(25)}, 3, {"seen": 0.0}, ["shown"])]
    parts[0]["sigma"][1] = 80.0
    terms = parts[1].terms
    assert terms is not None
    terms.reserve(np.array([1]), events=1)
    terms["shown"][terms.start[1]], terms.length[1] = 1600.0, 1
    return State({"mu": np.float64(1500)}, 3, parts=parts)


def test_whatever_happens_to_a_state_happens_to_its_parts() -> None:
    state = with_parts()
    before, snapshot = state.copy(), state.snapshot(np.array([0, 1]), ["shown"]).whole()
    first, second = state.parts
    state.swap(0, 1)
    assert first["sigma"][0] == 80.0
    assert second.terms is not None
    assert second.terms.length[:3].tolist() == [1, 0, 0]
    state.forget(0)
    assert state.parts[0]["sigma"][0] == 350.0
    state.anchor(1, True)
    assert all(part.has_anchors for part in state.parts)
    state.grow(40)
    second.shared["seen"][...] = 1.0
    assert [part.size for part in state.parts] == [40, 40]
    state.restore(snapshot)
    assert state == before
    assert [part.size for part in state.parts] == [3, 3]
    taken = state.take(np.array([1, -1]))
    assert taken.parts[0]["sigma"].tolist() == [80.0, 350.0]


def test_a_snapshot_counts_its_parts() -> None:
    state = with_parts()
    alone = State({"mu": np.float64(1500)}, 3)
    players = np.array([0, 1])
    assert state.snapshot(players).rows == 3 * alone.snapshot(players).rows


def test_parts_are_saved_and_compared() -> None:
    state = with_parts()
    arrays = state.to_arrays()
    twin = State(
        {"mu": np.float64(1500)}, 0, parts=[part.take(np.array([], np.int64)) for part in state.parts]
    )
    twin.load(arrays)
    assert twin == state
    twin.parts[0]["sigma"][2] = 1.0
    assert twin != state
    longer = State({"sigma": np.float64(350)}, 4).to_arrays()
    arrays |= {f"part 0:{name}": array for name, array in longer.items()}
    with pytest.raises(StateError, match="part 0 has 4 players, not 3"):
        twin.load(arrays)
