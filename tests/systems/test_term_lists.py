"""Lists of terms: whatever is done to their pool, every player keeps their own."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.errors import StateError
from podium.systems.contract.state import State
from podium.systems.contract.term_lists import Terms

PLAYERS = 4
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["push", "push", "drop", "clear", "swap", "keep", "undo", "reload"]),
        st.lists(st.integers(0, PLAYERS - 1), min_size=1, max_size=9),
    ),
    max_size=60,
)


def push(terms: Terms, player: int, value: float) -> None:
    terms["p"][terms.start[player] + terms.length[player]] = value
    terms.length[player] += 1


@given(steps=STEPS)
def test_lists_stay_apart(steps: list[tuple[str, list[int]]]) -> None:
    terms, lists = Terms(["p"], PLAYERS), [[] for _ in range(PLAYERS)]
    kept, kept_lists, value = terms.rows(np.arange(PLAYERS)), [[] for _ in range(PLAYERS)], 0.0
    for what, players in steps:
        if what == "push":
            terms.reserve(np.array(players), events=2)
            for player in players:
                value += 1.0
                push(terms, player, value)
                lists[player].append(value)
        elif what == "drop":  # the oldest, as when it is folded
            for player in set(players):
                if lists[player]:
                    del lists[player][0]
                    terms.start[player] += 1
                    terms.length[player] -= 1
                    terms.room[player] -= 1
        elif what == "clear":
            terms.clear(players[0])
            lists[players[0]] = []
        elif what == "swap":
            a, b = players[0], players[-1]
            terms.swap(a, b)
            lists[a], lists[b] = lists[b], lists[a]
        elif what == "keep":
            kept, kept_lists = terms.rows(np.arange(PLAYERS)), [list(items) for items in lists]
        elif what == "undo":
            terms.put(np.arange(PLAYERS), kept)
            lists = [list(items) for items in kept_lists]
        else:
            rows = terms.rows(np.arange(PLAYERS))
            terms.load(rows.length, rows.columns)
        for player in range(PLAYERS):
            assert terms.rows(np.array([player])).columns["p"].tolist() == lists[player]


def test_a_state_takes_its_terms_along() -> None:
    state = State({"mu": np.float64(1500)}, 3, terms=["p"])
    assert state.terms is not None
    state.terms.reserve(np.array([2]), events=1)
    push(state.terms, 2, 7.0)
    twin = state.take(np.array([2, -1, 0]))
    assert twin.terms is not None
    assert twin.terms.length.tolist() == [1, 0, 0]
    assert state.copy() == state
    assert state != twin
    push(state.terms, 2, 8.0)
    assert state.copy() == state
    state.shrink(2)
    state.grow(3)
    assert state.terms.length.tolist() == [0, 0, 0]


def test_terms_that_do_not_fit_are_refused() -> None:
    state = State({"mu": np.float64(1500)}, 2, terms=["p"])
    arrays = state.to_arrays()
    with pytest.raises(StateError, match="do not fit together"):
        state.load(arrays | {"term:p": np.ones(3)})
    with pytest.raises(StateError, match="do not belong"):
        state.load(arrays | {"terms": np.zeros(1, np.int32)})
    with pytest.raises(StateError, match="the saved terms are"):
        state.load({name: array for name, array in arrays.items() if name != "term:p"})


def test_packing_takes_nobodys_room() -> None:
    """Lists that move on through the pool leave holes, until it is packed: whoever had room still has it."""
    terms, lists = Terms(["p"], 3), [[], [], []]
    for round_ in range(300):
        rows = [0, 1, 1, 2] if round_ % 3 else [1]
        terms.reserve(np.array(rows), events=2)
        for player in rows:
            push(terms, player, float(round_))
            lists[player].append(float(round_))
        for player in range(3):
            while len(lists[player]) > 3 + 5 * player:
                del lists[player][0]
                terms.start[player] += 1
                terms.length[player] -= 1
                terms.room[player] -= 1
        for player in range(3):
            assert terms.rows(np.array([player])).columns["p"].tolist() == lists[player]


def test_a_pool_that_grows_is_copied_and_nothing_else() -> None:
    """At most the old pool and the new one, twice as large, are in memory: room is not filled in advance."""
    terms = Terms(["p"], PLAYERS)
    for player in (0, 1):
        terms._make_room(np.array([player]), np.array([1_000_000]))
    size = terms["p"].nbytes
    assert terms.used == len(terms["p"])
    tracemalloc.start()
    try:
        terms.reserve(np.array([2]), events=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert terms["p"].nbytes >= 2 * size
    assert peak < 2.1 * size


def test_a_pool_that_grows_leaves_its_holes_behind() -> None:
    terms = Terms(["p"], PLAYERS)
    for length in (1, 2, 4, 8, 16, 32, 64):
        terms._make_room(np.array([0]), np.array([length]))
        terms.length[0] = length
    assert terms.used < 2 * terms.room[0]


def test_a_pool_that_was_told_moves_once() -> None:
    """Events that were expected find room: the columns stay where they are."""
    terms = Terms(["p"], PLAYERS)
    terms.expect(1000)
    column = terms["p"]
    for value in range(250):
        terms.reserve(np.arange(PLAYERS), events=1)
        for player in range(PLAYERS):
            push(terms, player, float(value))
    assert terms["p"] is column
    terms.expect(3)
    assert terms["p"] is column
    assert terms.rows(np.array([1])).columns["p"].tolist() == [float(value) for value in range(250)]


def test_lists_that_were_prepared_stay_where_they_are() -> None:
    """One move makes room for all rows of a run of events, as many for each player as there are, and more."""
    terms = Terms(["p"], PLAYERS)
    pushed = [0, 1, 1, 2, 2, 2, 2, 2, 2]
    terms.prepare(np.array(pushed))
    start = terms.start.tolist()
    for value, player in enumerate(pushed):
        terms.reserve(np.array([player]), events=1)
        push(terms, player, float(value))
    assert terms.start.tolist() == start
    assert terms.rows(np.array([2, 0, 1])).columns["p"].tolist() == [3, 4, 5, 6, 7, 8, 0, 1, 2]


def test_runs_of_one_event_do_not_move_a_list_each_time() -> None:
    terms, starts = Terms(["p"], PLAYERS), set()
    for value in range(400):
        terms.prepare(np.array([1]))
        push(terms, 1, float(value))
        starts.add((terms.start[1], terms["p"].ctypes.data))
    assert len(starts) < 12
    assert terms.rows(np.array([1])).columns["p"].tolist() == list(range(400))
