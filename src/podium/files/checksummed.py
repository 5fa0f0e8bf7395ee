"""podium's own file: a header of plain values, named arrays, and a checksum over all of it.

    magic · length of header · header (JSON) · arrays one after another · BLAKE2b of everything before

Arrays of long rows, such as whole beliefs, are packed without loss.
No code is ever stored, and one flipped byte is noticed. A checksum does not say who made a file, though:
everything that a file says of sizes and types is checked before memory is taken for it. What its numbers may
be is checked by whoever uses them (for ladders, `podium.ladder.saving`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.errors import ParameterError, StateError
from podium.files.atomic import replacing, writing
from podium.files.file_names import PathLike, name_of
from podium.files.packing import is_packable, pack, unpack
from podium.text import shorten

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
            f"{type(file).__name__} is no file to {wish}", hint="give a path, or a file that is open"
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
        raise StateError(f"{name} is whole, but not laid out as podium saves a file: {error}") from error
    except MemoryError as error:
        raise StateError(f"{name} takes more memory than there is") from error


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
        raise TypeError("the header is no object")
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
        raise ValueError(f"{len(body) - position} bytes beside the arrays")
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
        raise StateError("the bytes of the saved names are missing, or no bytes")
    if ends is None or ends.dtype != np.int64 or ends.ndim != 1:
        raise StateError("the ends of the saved names are missing, or no whole numbers")
    edges = np.concatenate([[0], ends])
    if np.any(edges[1:] < edges[:-1]) or edges[-1] != len(packed):
        raise StateError("the saved names do not end where the file says")
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
        raise StateError(f"{name} is no whole {what}: {min(missing)!r} is missing")
    for key, kind in kinds.items():
        if type(header[key]) is not kind:
            raise StateError(f"{name}: {key!r} is {shorten(repr(header[key]))}, not of type {kind.__name__}")
    if header["format"] > newest:
        raise StateError(f"{name} was saved by a newer version of podium", hint="upgrade podium")
