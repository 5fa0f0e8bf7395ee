"""podium's own file: whole, or refused."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.errors import StateError
from podium.files.checksummed import (
    DIGEST_SIZE,
    MAGIC,
    pack_names,
    read_container,
    unpack_names,
    write_container,
)

HEADER = {"system": "elo", "parameters": {"k": 24.0, "name": "ünï"}, "list": [1, None, True]}
ARRAYS: dict[str, Any] = {
    "mu": np.array([1500.0, -0.0, np.inf, np.nan]),
    "events": np.arange(7, dtype=np.int32),
    "flags": np.array([True, False, True]),
    "matrix": np.arange(6, dtype=np.float32).reshape(2, 3),
    "empty": np.zeros((0, 4)),
    "bytes": np.frombuffer(b"abc", np.uint8),
    "scalar": np.array(5),
}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    write_container(tmp_path / "x.podium", HEADER, ARRAYS)
    return tmp_path / "x.podium"


def test_there_and_back(saved: Path) -> None:
    header, arrays = read_container(saved)
    assert header == HEADER
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()


def test_arrays_are_fit_for_kernels(saved: Path) -> None:
    for array in read_container(saved)[1].values():
        assert array.flags.writeable
        assert array.flags.aligned
        assert array.flags.c_contiguous


def test_strided_arrays_are_written_as_they_read(tmp_path: Path) -> None:
    array = np.arange(20)[::3]
    write_container(tmp_path / "x", {}, {"a": array, "b": np.arange(6).reshape(2, 3).T})
    _, arrays = read_container(tmp_path / "x")
    assert arrays["a"].tolist() == array.tolist()
    assert arrays["b"].tolist() == [[0, 3], [1, 4], [2, 5]]


def test_every_flipped_byte_is_noticed(saved: Path) -> None:
    content = saved.read_bytes()
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << (position % 8)
        saved.write_bytes(damaged)
        with pytest.raises(StateError, match=r"damaged|not a file saved by podium"):
            read_container(saved)


def test_every_truncation_is_noticed(saved: Path) -> None:
    content = saved.read_bytes()
    for length in range(len(content)):
        saved.write_bytes(content[:length])
        with pytest.raises(StateError, match=r"damaged|not a file saved by podium"):
            read_container(saved)
    saved.write_bytes(content + b"\x00")
    with pytest.raises(StateError, match="damaged"):
        read_container(saved)


def test_a_large_file_with_one_flipped_bit(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_container(path, {}, {"a": np.random.default_rng(0).random(50_000)})
    content = path.read_bytes()
    positions = random.Random(0).sample(range(len(content)), 40)
    for position in positions:
        damaged = bytearray(content)
        damaged[position] ^= 0x80
        path.write_bytes(damaged)
        with pytest.raises(StateError):
            read_container(path)


def sealed(body: bytes) -> bytes:
    """A body with a checksum that fits."""
    return body + hashlib.blake2b(body, digest_size=DIGEST_SIZE).digest()


def test_a_newer_file_is_called_newer(saved: Path) -> None:
    body = bytearray(saved.read_bytes()[:-DIGEST_SIZE])
    body[len(MAGIC) - 1] += 1
    saved.write_bytes(sealed(bytes(body)))
    with pytest.raises(StateError, match="newer version") as caught:
        read_container(saved)
    assert "upgrade" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "a", "dtype": "<f8", "shape": [10**12]},
        {"name": "a", "dtype": "<f8", "shape": [10**30]},
        {"name": "a", "dtype": "<f8", "shape": [2**62, 4]},
        {"name": "a", "dtype": "<f8", "shape": [-1]},
        {"name": "a", "dtype": "<f8", "shape": "1"},
        {"name": "a", "dtype": "?", "shape": [4], "packed": 4},
        {"name": "a", "dtype": "<f8", "shape": [2**28, 64], "packed": 4},
        {"name": "a", "dtype": "<f8", "shape": [2**36, 0], "packed": 4},
        {"name": "a", "dtype": "<f8", "shape": [1, 64], "packed": 2**70},
        {"name": "a", "dtype": "<f8", "shape": [1, 64], "packed": "4"},
        {"name": "a", "dtype": None, "shape": [1]},
        {"name": "a", "dtype": ["<i4", "<i4"], "shape": [1]},
        {"name": ["a"], "dtype": "<i4", "shape": [1]},
        {"name": "a", "dtype": "<f8", "shape": ["3"]},
        {"name": "a", "dtype": "O", "shape": [1]},
        {"name": "a", "dtype": "<M8[us]", "shape": [1]},
        {"name": "a", "dtype": "nonsense", "shape": [1]},
        {"name": "a", "dtype": "<f8", "shape": []},
        {"dtype": "<f8", "shape": [1]},
        {"name": "a"},
        5,
    ],
)
def test_a_file_made_by_somebody_else_is_refused(entry: Any, tmp_path: Path) -> None:
    text = json.dumps({"arrays": [entry]}).encode()
    path = tmp_path / "x"
    path.write_bytes(sealed(MAGIC + len(text).to_bytes(8, "little") + text + b"\x00" * 4))
    with pytest.raises(StateError, match="not in podium's format"):
        read_container(path)


@pytest.mark.parametrize(
    ("entries", "content", "reason"),
    [
        ([{"name": "a", "dtype": "|b1", "shape": [3]}], b"\x00\x02\x01", "a byte that is neither 0 nor 1"),
        ([{"name": "a", "dtype": "|u1", "shape": [1]}] * 2, b"ab", "two arrays a"),
        ([{"name": "a", "dtype": "<f8", "shape": [2**28, 64], "packed": 3}], b"abc", "3 bytes cannot hold"),
    ],
)
def test_arrays_that_podium_does_not_write(
    entries: list[Any], content: bytes, reason: str, tmp_path: Path
) -> None:
    """Among them one of 128 GiB in three bytes, which is refused before there is memory for it."""
    text = json.dumps({"arrays": entries}).encode()
    path = tmp_path / "x"
    path.write_bytes(sealed(MAGIC + len(text).to_bytes(8, "little") + text + content))
    with pytest.raises(StateError, match=reason):
        read_container(path)


@pytest.mark.parametrize(
    "damage",
    [
        {"name_bytes": None},
        {"name_ends": None},
        {"name_bytes": np.zeros(6, np.int64)},
        {"name_ends": np.array([3.0, 6.0])},
        {"name_ends": np.array([[3, 6]])},
        {"name_ends": np.array(6)},
        {"name_ends": np.array([3, 5])},
        {"name_ends": np.array([3, 7])},
        {"name_ends": np.array([6, 3, 6])},
        {"name_ends": np.array([-3, 6])},
        {"name_ends": np.zeros(0, np.int64)},
        {"name_bytes": np.frombuffer(b"ann\xffob", np.uint8)},
    ],
)
def test_names_that_are_none(damage: dict[str, Any]) -> None:
    arrays: dict[str, Any] = pack_names(["ann", "bob"]) | damage
    with pytest.raises(StateError, match="saved name"):
        unpack_names({name: array for name, array in arrays.items() if array is not None})


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"5", b"{", b"[" * 50_000])
def test_a_header_that_is_none(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(sealed(MAGIC + len(text).to_bytes(8, "little") + text))
    with pytest.raises(StateError, match="not in podium's format"):
        read_container(tmp_path / "x")


@pytest.mark.parametrize("content", [b"", b"podiu", b"event,player,rank\n", b"PK\x03\x04"])
def test_other_files(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(StateError, match="not a file saved by podium"):
        read_container(tmp_path / "x")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"cannot read .*gone"):
        read_container(tmp_path / "gone")
    with pytest.raises(StateError, match="cannot read"):
        read_container(tmp_path)


def test_only_numbers_are_stored(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="the array names holds"):
        write_container(tmp_path / "x", {}, {"names": np.array(["ann"], dtype=object)})
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.text(st.characters(codec=None))))
def test_names_there_and_back(names: list[str]) -> None:
    arrays: dict[str, Any] = pack_names(names) | {"other": np.zeros(1)}
    assert unpack_names(arrays) == names
    assert list(arrays) == ["other"]
