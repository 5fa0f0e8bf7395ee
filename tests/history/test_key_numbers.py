"""Numbers for keys that come in pieces."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import tries
from podium.history.key_numbers import KeyNumbers, Keys

MOST = 2**64 - 1


def naive(known: dict[int, int], keys: list[int]) -> tuple[list[int], list[int]]:
    """The number of each key, and the places of those that are new."""
    codes, first = [], []
    for place, key in enumerate(keys):
        if key not in known:
            first.append(place)
        codes.append(known.setdefault(key, len(known)))
    return codes, first


def column(keys: list[int]) -> Keys:
    return np.array(keys, np.uint64)


@settings(deadline=None, max_examples=tries(50))
@given(st.lists(st.lists(st.sampled_from([0, 1, 2, 2**32, 2**63, MOST - 1, MOST]), max_size=12), max_size=4))
def test_pieces_are_numbered_like_one_after_another(pieces: list[list[int]]) -> None:
    numbers, known = KeyNumbers(), dict[int, int]()
    for piece in pieces:
        codes, first = numbers.add(column(piece))
        assert (codes.tolist(), first.tolist()) == naive(known, piece)
        assert codes.dtype == np.int32
    assert len(numbers) == len(known)


def test_columns_are_taken_row_by_row() -> None:
    codes, first = KeyNumbers().add(column([5, 6, 5]), column([7, 5, 8]))
    assert codes.tolist() == [0, 1, 2, 0, 0, 3]
    assert first.tolist() == [0, 1, 2, 5]


def test_tables_grow() -> None:
    # Keys one after another, keys that differ in their high bits alone, and any keys.
    low = np.arange(30_000, dtype=np.uint64)
    some = np.random.default_rng(0).integers(0, MOST, 30_000, dtype=np.uint64)
    for keys in (low, low << np.uint64(49), some):
        numbers = KeyNumbers()
        half, every = len(keys) // 2, np.arange(len(keys))
        assert np.array_equal(numbers.add(keys[:half])[1], every[:half])
        codes, first = numbers.add(keys)
        assert np.array_equal(codes, every)
        assert np.array_equal(first, every[half:])
        codes, first = numbers.add(keys[::-1])
        assert np.array_equal(codes, every[::-1])
        assert not len(first)
