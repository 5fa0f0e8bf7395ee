"""podium's own file: a header of plain values, named arrays, and a checksum over all of it.

    magic · length of header · header (JSON) · arrays one after another · BLAKE2b of everything before

Arrays of long rows that change smoothly, such as whole beliefs, are packed without loss in a quarter of the
room or less. What a number is can be foretold from those before it in its row: ratios of neighbours change
slowly, ratios of those ratios more slowly, and so on. Kept is how far the foretold number is from the true
one, in units of the last digit. Only products and quotients are used, which every machine rounds alike, so
what is unpacked is the same to the last bit.

No code is ever stored, and one flipped byte is noticed. A checksum does not say who made a file, though:
everything that a file says of sizes and types is checked before memory is taken for it. What its numbers may
be is checked by whoever uses them (for ladders, `podium.ladder.saving`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats
from podium.errors import ParameterError, StateError
from podium.files.atomic import replacing, writing
from podium.files.kinds import PathLike, name_of
from podium.text import shorten

ORDER = 6
"""How many times ratios of ratios are taken."""
WIDE = 64
"""Numbers in a row from which on packing is worth it."""
MOST_EXPANSION = 1032
"""Bytes that one byte of zlib can hold: two bits are at least a copy of 258 bytes."""
BLOCK = 2_048
"""Rows that are packed together: the work space is some tens of megabytes."""


def is_packable(array: NDArray[np.generic]) -> bool:
    """Whether packing the array saves space: a matrix of floats with at least `WIDE` columns."""
    return array.dtype == np.float64 and array.ndim == 2 and array.shape[1] >= WIDE


def pack(array: Floats) -> bytes:
    """Compress the rows of an array; each compressed block follows its length in eight bytes."""
    pieces = []
    for start in range(0, len(array), BLOCK):
        columns = np.ascontiguousarray(array[start : start + BLOCK].T)  # a place of all rows at a time
        off = columns.view(np.int64).copy()
        for place, foretold in _foretold(columns):
            off[place] -= foretold.view(np.int64)
        small = np.ascontiguousarray(((off << 1) ^ (off >> 63)).T)  # near zero, whatever the sign
        shuffled = np.ascontiguousarray(small.view(np.uint8).reshape(-1, 8).T)  # like bytes together
        piece = zlib.compress(shuffled.data, 1)
        pieces += [len(piece).to_bytes(8, "little"), piece]
    return b"".join(pieces)


def unpack(data: bytes | memoryview, shape: tuple[int, int]) -> Floats:
    """Undo `pack`; ValueError where the data does not fit the shape, before memory is taken for what it says.

    Blocks of zeros take no memory.
    """
    if shape[1] < WIDE or 8 * shape[0] * shape[1] > MOST_EXPANSION * len(data):
        raise ValueError(f"{len(data)} bytes cannot hold the rows of {shape}")
    array = np.zeros(shape)
    position = 0
    for start in range(0, shape[0], BLOCK):
        block = array[start : start + BLOCK]
        length = int.from_bytes(data[position : position + 8], "little")
        piece = data[position + 8 : position + 8 + length]
        position += 8 + length
        try:
            plain = zlib.decompressobj().decompress(piece, block.nbytes + 1)
        except zlib.error as error:
            raise ValueError(f"rows {start} and on cannot be unpacked: {error}") from None
        if len(plain) != block.nbytes:
            raise ValueError(f"rows {start} and on have {len(plain)} bytes, not {block.nbytes}")
        if plain.count(0) == len(plain):
            continue
        shuffled = np.frombuffer(plain, np.uint8).reshape(8, -1)
        small = np.ascontiguousarray(shuffled.T).view(np.uint64).reshape(block.shape).T
        bits = np.ascontiguousarray(
            (small >> np.uint64(1)).view(np.int64) ^ -(small & np.uint64(1)).view(np.int64)
        )
        columns = bits.view(np.float64)
        for place, foretold in _foretold(columns):
            bits[place] += foretold.view(np.int64)
        block[...] = columns.T
    if position != len(data):
        raise ValueError(f"{len(data) - position} bytes in addition to the rows")
    return array


def _foretold(columns: Floats) -> Iterator[tuple[int, Floats]]:
    """Each place but the first ones, and what would be there if rows went on as they stand before it."""
    ratios: list[Floats] = []
    with np.errstate(all="ignore"):
        for place in range(len(columns) - 1):
            following = [columns[place].copy()]
            for before in ratios:
                following.append(following[-1] / before)
            ratios = following[: ORDER + 1]
            if place >= ORDER:
                foretold = ratios[0]
                for ratio in ratios[1:]:
                    foretold = foretold * ratio
                yield place + 1, np.where(np.isfinite(foretold), foretold, 0.0)


MAGIC = b"podium\x00\x01"
DIGEST_SIZE = 32
_KINDS = "biuf"  # of arrays: flags and numbers


def write_container(
    target: PathLike | IO[bytes], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a header and arrays of numbers with a checksum; to a path atomically, or into an open file."""
    pieces = _container(header, arrays)
    if isinstance(target, (str, os.PathLike)):
        with replacing(target) as temporary, temporary.open("wb") as file:
            file.writelines(pieces)
        return
    _check_binary(target, "write")
    with writing(name_of(target)):
        for piece in pieces:
            target.write(piece)


def _container(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Iterator[bytes]:
    """The bytes of a container in pieces, the checksum last."""
    for name, array in arrays.items():
        if array.dtype.kind not in _KINDS:
            raise TypeError(f"the array {name} holds {array.dtype}, not numbers")
    described: list[dict[str, Any]] = []
    contents: list[Any] = []
    for name, array in arrays.items():
        described.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape)})
        if is_packable(array):
            contents.append(pack(array))
            described[-1]["packed"] = len(contents[-1])
        else:
            contents.append(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    text = json.dumps({**header, "arrays": described}, ensure_ascii=False).encode()
    digest = hashlib.blake2b(digest_size=DIGEST_SIZE)
    for piece in (MAGIC, len(text).to_bytes(8, "little"), text, *contents):
        digest.update(piece)
        yield piece
    yield digest.digest()


def _check_binary(file: IO[bytes], wish: Literal["read", "write"]) -> None:
    """Refuse what is no open file, or one of text."""
    if not hasattr(file, wish):
        raise ParameterError(
            f"{type(file).__name__} is not a file to {wish}", hint="give a path, or a file that is open"
        )
    if hasattr(file, "encoding"):
        mode = wish[0] + "b"
        raise ParameterError(
            f"{name_of(file)} is open for text", hint=f"open it for bytes: open(path, '{mode}')"
        )


def is_container(path: str | os.PathLike[str]) -> bool:
    """Whether a file starts with the bytes that every file saved by podium starts with."""
    try:
        with Path(path).open("rb") as file:
            return file.read(6) == MAGIC[:6]
    except OSError:
        return False


def read_container(source: PathLike | IO[bytes]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a file, by its path or open; refused if the checksum does not match."""
    name = name_of(source)
    try:
        if isinstance(source, (str, os.PathLike)):
            with Path(source).open("rb") as file:
                magic, rest = _content(file, name)
        else:
            _check_binary(source, "read")
            magic, rest = _content(source, name)
    except OSError as error:
        raise StateError(f"cannot read {name}: {error.strerror or error}") from error
    body = memoryview(rest)[:-DIGEST_SIZE]
    digest = hashlib.blake2b(magic, digest_size=DIGEST_SIZE)
    digest.update(body)
    if digest.digest() != rest[-DIGEST_SIZE:]:
        raise StateError(f"{name} is damaged: its checksum does not match", hint="restore it from a backup")
    if magic != MAGIC:
        raise StateError(f"{name} was saved by a newer version of podium", hint="upgrade podium")
    try:
        return _unpacked(body)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise StateError(f"{name} is complete, but not in podium's format: {error}") from error
    except MemoryError as error:
        raise StateError(f"{name} needs more memory than this machine has") from error


def _content(file: IO[bytes], name: str) -> tuple[bytes, bytes]:
    """The magic and all other bytes of a file; refused at once if it does not begin as podium's files do."""
    magic = file.read(len(MAGIC))
    if not magic.startswith(MAGIC[:6]):
        raise StateError(f"{name} is not a file saved by podium")
    return magic, file.read()


def _unpacked(body: memoryview) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays from what lies between magic and checksum."""
    position = 8 + int.from_bytes(body[:8], "little")
    header: dict[str, Any] = json.loads(bytes(body[8:position]))
    if not isinstance(header, dict):
        raise TypeError("the header is not an object")
    arrays: dict[str, NDArray[Any]] = {}
    for entry in header.pop("arrays"):
        saved = _SavedArray(entry)
        if saved.name in arrays:
            raise ValueError(f"two arrays {saved.name}")
        if len(body) - position < saved.size:
            raise ValueError(f"{saved}, and {max(len(body) - position, 0)} bytes of it")
        arrays[saved.name] = saved.read(body[position : position + saved.size])
        position += saved.size
    if position != len(body):
        raise ValueError(f"{len(body) - position} bytes in addition to the arrays")
    return header, arrays


class _SavedArray:
    """An array as the header describes it; ValueError, TypeError or KeyError where it could be none."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.name, shape, dtype = entry["name"], entry["shape"], entry["dtype"]
        if not (isinstance(self.name, str) and isinstance(shape, list) and isinstance(dtype, str)):
            raise TypeError(f"an array {self.name!r} of {dtype!r} and shape {shape!r}")
        self.dtype, self.shape = np.dtype(dtype), tuple(shape)
        if self.dtype.kind not in _KINDS or any(type(n) is not int or n < 0 for n in shape):
            raise ValueError(str(self))
        self.packed = "packed" in entry
        self.size = entry["packed"] if self.packed else math.prod(shape) * self.dtype.itemsize
        """Bytes in the file."""
        if self.packed and (self.dtype != np.float64 or len(shape) != 2):
            raise ValueError(f"{self}, packed")
        if type(self.size) is not int or self.size < 0:
            raise ValueError(f"{self} in {self.size!r} bytes")

    def __str__(self) -> str:
        return f"an array of {self.dtype} and shape {self.shape}"

    def read(self, content: memoryview) -> NDArray[Any]:
        """The array from its bytes: a copy, aligned and writable, as kernels want it."""
        if self.packed:
            rows, places = self.shape
            return unpack(content, (rows, places))
        if self.dtype == np.bool_ and content and np.frombuffer(content, np.uint8).max() > 1:
            raise ValueError(f"{self} with a byte that is neither 0 nor 1")
        array: NDArray[Any] = np.empty(self.shape, self.dtype)
        array.reshape(-1).view(np.uint8)[:] = np.frombuffer(content, np.uint8)
        return array


def pack_names(names: list[str]) -> dict[str, NDArray[Any]]:
    """Names as two arrays: their bytes, and where each ends."""
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return {"name_bytes": np.frombuffer(b"".join(encoded), np.uint8), "name_ends": ends}


def unpack_names(arrays: dict[str, NDArray[Any]]) -> list[str]:
    """The names that `pack_names` packed; removes their two arrays from `arrays`.

    StateError if they are no such arrays.
    """
    packed, ends = (arrays.pop(name, None) for name in ("name_bytes", "name_ends"))
    if packed is None or packed.dtype != np.uint8 or packed.ndim != 1:
        raise StateError("the bytes of the saved names are missing, or not bytes")
    if ends is None or ends.dtype != np.int64 or ends.ndim != 1:
        raise StateError("the ends of the saved names are missing, or not whole numbers")
    edges = np.concatenate([[0], ends])
    if np.any(edges[1:] < edges[:-1]) or edges[-1] != len(packed):
        raise StateError("the saved names have another length than the header gives")
    text, places = packed.tobytes(), edges.tolist()
    if text.isascii():  # characters are bytes: half of the time
        characters = text.decode("ascii")
        return [characters[a:b] for a, b in pairwise(places)]
    try:
        return [text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(places)]
    except UnicodeDecodeError as error:
        raise StateError(f"a saved name is not UTF-8: {error.object[:40]!r}") from error


def check_header(
    name: str, header: Mapping[str, Any], what: str, kinds: Mapping[str, type], newest: int
) -> None:
    """Refuse a header that lacks a key, has another type of value there, or is of a format after `newest`."""
    if missing := kinds.keys() - header.keys():
        raise StateError(f"{name} is not a complete {what}: {min(missing)!r} is missing")
    for key, kind in kinds.items():
        if type(header[key]) is not kind:
            raise StateError(f"{name}: {key!r} is {shorten(repr(header[key]))}, not of type {kind.__name__}")
    if header["format"] > newest:
        raise StateError(f"{name} was saved by a newer version of podium", hint="upgrade podium")
