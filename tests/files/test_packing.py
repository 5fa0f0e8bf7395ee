"""Packed rows: the same to the last bit, whatever they hold, and small where they are smooth."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from conftest import tries
from podium.files.checksummed import BLOCK, WIDE, is_packable, pack, read_container, unpack, write_container


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and np.array_equal(one.view(np.int64), other.view(np.int64))


def bells(rows: int, points: int = 1001) -> np.ndarray:
    """Rows as beliefs have them: from nothing to the peak and back."""
    chance = np.random.default_rng(4)
    x = np.linspace(-7.0, 7.0, points)
    centre, width = chance.normal(0.0, 1.0, (rows, 1)), chance.uniform(0.2, 0.7, (rows, 1))
    mass = np.exp(-0.5 * ((x - centre) / width) ** 2) * (0.1 + 0.8 / (1.0 + np.exp(centre - x)))
    mass[mass < 1e-280] = 0.0
    return mass / mass.sum(axis=1, keepdims=True)


@settings(max_examples=tries(100))
@given(
    arrays_of.arrays(
        np.float64, st.tuples(st.integers(0, 5), st.integers(WIDE, WIDE + 9)), elements=st.floats(width=64)
    )
)
def test_anything_comes_back(array: np.ndarray) -> None:
    assert same_bits(unpack(pack(array), array.shape), array)


@pytest.mark.parametrize("rows", [1, BLOCK, BLOCK + 1])
def test_blocks_of_rows_come_back(rows: int) -> None:
    mass = bells(rows, WIDE)
    assert same_bits(unpack(pack(mass), mass.shape), mass)
    turned = np.asfortranarray(mass)
    assert pack(turned) == pack(mass)


def test_smooth_rows_take_a_quarter_of_the_room() -> None:
    mass = bells(500)
    assert len(pack(mass)) < mass.nbytes / 4


def test_rows_of_newcomers_take_none() -> None:
    mass = np.zeros((1000, 1001))
    assert len(pack(mass)) < mass.nbytes / 200


def test_only_long_rows_of_floats_are_packed() -> None:
    assert is_packable(np.zeros((0, WIDE)))
    for array in (
        np.zeros((3, WIDE - 1)),
        np.zeros(WIDE),
        np.zeros((2, WIDE), np.float32),
        np.zeros((2, 2, WIDE)),
    ):
        assert not is_packable(array)


def test_what_does_not_fit_is_refused() -> None:
    mass = bells(3, WIDE)
    data = pack(mass)
    for wrong, shape in (
        (data, (4, WIDE)),
        (data, (3, WIDE + 1)),
        (data[:-1], (3, WIDE)),
        (data + b"x", (3, WIDE)),
    ):
        with pytest.raises(ValueError, match="rows"):
            unpack(wrong, shape)
    bomb = zlib.compress(bytes(10**6))
    with pytest.raises(ValueError, match="rows 0 and on have"):
        unpack(len(bomb).to_bytes(8, "little") + bomb, (3, WIDE))


def test_in_a_file(tmp_path: Path) -> None:
    arrays = {"first": np.arange(3), "mass": bells(40), "last": np.arange(5.0)}
    write_container(tmp_path / "x.podium", {"kind": "test"}, arrays)
    assert (tmp_path / "x.podium").stat().st_size < arrays["mass"].nbytes / 3
    _, back = read_container(tmp_path / "x.podium")
    assert list(back) == list(arrays)
    assert same_bits(back["mass"], arrays["mass"])
    assert back["mass"].flags.writeable


def test_blocks_of_newcomers_between_others_come_back() -> None:
    array = np.zeros((3 * BLOCK + 1, WIDE))
    array[BLOCK + 5] = np.linspace(1.0, 2.0, WIDE)
    array[-1, 3] = -0.0
    assert unpack(pack(array), array.shape).tobytes() == array.tobytes()
