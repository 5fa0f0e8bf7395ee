"""Arrays of rows that belong to events, against the plainest code that says the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.history.ragged import competition_ranks, dense_sides, first_equal, number, row_numbers, tied_rows

keys = st.one_of(
    st.lists(st.integers(0, 5)).map(lambda v: np.array(v, np.int32)),
    st.lists(st.integers(-128, 127)).map(lambda v: np.array(v, np.int8)),
    st.lists(st.integers(-(2**63), 2**63 - 1)).map(lambda v: np.array(v, np.int64)),
    st.lists(st.integers(0, 2**64 - 1)).map(lambda v: np.array(v, np.uint64)),
    st.lists(st.sampled_from([0, 2**64 - 1, 2**63, 2**32, 7])).map(lambda v: np.array(v, np.uint64)),
)


@given(keys)
def test_numbers_follow_first_appearance(values: np.ndarray) -> None:
    codes, first = number(values)
    seen: dict[int, int] = {}
    assert codes.tolist() == [seen.setdefault(v, len(seen)) for v in values.tolist()]
    assert first.tolist() == [values.tolist().index(v) for v in seen]
    assert first_equal(values).tolist() == [values.tolist().index(v) for v in values.tolist()]


@pytest.mark.parametrize("stretch", [1, 10**12 + 39])
def test_many_keys_that_share_slots(stretch: int) -> None:
    values = np.random.default_rng(1).integers(0, 70_000, 200_000) * stretch
    codes, first = number(values)
    assert np.array_equal(values[first][codes], values)
    assert np.array_equal(np.unique(values), np.sort(values[first]))
    assert np.all(np.diff(first) > 0)
    assert np.array_equal(first, np.sort(np.unique(values, return_index=True)[1]))


events_and_labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=20)


@given(events_and_labels)
def test_sides_are_numbered_inside_their_event(rows: list[tuple[int, int]]) -> None:
    event, label = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    seen: dict[int, dict[int, int]] = {}
    expected = [seen.setdefault(e, {}).setdefault(t, len(seen[e])) for e, t in rows]
    assert dense_sides(event, label).tolist() == expected


grouped = st.lists(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), min_size=1, max_size=6), max_size=5
)


@given(grouped, st.booleans())
def test_ties(events: list[list[tuple[int, int]]], teams: bool) -> None:
    offsets = np.cumsum([0, *map(len, events)])
    rank = np.array([r for rows in events for r, _ in rows], np.int32)
    side = np.array([s for rows in events for _, s in rows], np.int32)
    expected = [
        any(r == other and (s != t if teams else i != j) for j, (other, t) in enumerate(rows))
        for rows in events
        for i, (r, s) in enumerate(rows)
    ]
    assert tied_rows(offsets, rank, side if teams else None).tolist() == expected


def test_ties_of_matches() -> None:
    rank = np.array([1, 2, 1, 1, 2, 1], np.int32)
    assert tied_rows(np.array([0, 2, 4, 6]), rank, None).tolist() == [False, False, True, True, False, False]


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(allow_nan=False)), max_size=15))
def test_places(rows: list[tuple[int, float]]) -> None:
    event, key = np.array([e for e, _ in rows], np.int32), np.array([k for _, k in rows], np.float64)
    expected = [1 + sum(e == other and k > better for other, better in rows) for e, k in rows]
    assert competition_ranks(event, key).tolist() == expected


def test_row_numbers() -> None:
    assert row_numbers(np.array([0, 3, 3, 4])).tolist() == [0, 1, 2, 0]
    assert row_numbers(np.array([0])).tolist() == []
