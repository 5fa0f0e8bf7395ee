"""podium's own file: a header of plain values, named arrays, and a checksum over all of it.

    magic · length of header · header (JSON) · arrays one after another · BLAKE2b of everything before

Arrays of long rows, such as whole beliefs, are packed without loss.
No code is ever stored, so loading a file from somebody else is safe; one flipped byte is noticed.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import StateError
from podium.files.atomic import replacing
from podium.files.packing import is_packable, pack, unpack

MAGIC = b"podium\x00\x01"
DIGEST_SIZE = 32
_KINDS = "biuf"  # of arrays: flags and numbers


def write_container(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a header and arrays of numbers to a file with a checksum, atomically."""
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
    with replacing(path) as temporary, temporary.open("wb") as file:
        for piece in (MAGIC, len(text).to_bytes(8, "little"), text, *contents):
            digest.update(piece)
            file.write(piece)
        file.write(digest.digest())


def is_container(path: str | os.PathLike[str]) -> bool:
    """Whether a file starts with the bytes that every file saved by podium starts with."""
    try:
        with Path(path).open("rb") as file:
            return file.read(6) == MAGIC[:6]
    except OSError:
        return False


def read_container(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a file; raises if the checksum does not match."""
    name = os.fspath(path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise StateError(f"cannot read {name}: {error.strerror}") from error
    if not content.startswith(MAGIC[:6]):
        raise StateError(f"{name} is not a file saved by podium")
    body, digest = content[:-DIGEST_SIZE], content[-DIGEST_SIZE:]
    if hashlib.blake2b(body, digest_size=DIGEST_SIZE).digest() != digest:
        raise StateError(f"{name} is damaged: its checksum does not match", hint="restore it from a backup")
    if not content.startswith(MAGIC):
        raise StateError(f"{name} was saved by a newer version of podium", hint="upgrade podium")
    try:
        return _unpacked(body)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise StateError(f"{name} is whole, but not laid out as podium saves a file: {error}") from error


def _unpacked(body: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    start = len(MAGIC) + 8
    position = start + int.from_bytes(body[len(MAGIC) : start], "little")
    header: dict[str, Any] = json.loads(body[start:position])
    if not isinstance(header, dict):
        raise TypeError("the header is no object")
    arrays = {}
    for entry in header.pop("arrays"):
        dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
        if dtype.kind not in _KINDS or any(type(length) is not int or length < 0 for length in shape):
            raise ValueError(f"an array of {dtype} and shape {shape}")
        if "packed" in entry:
            length = entry["packed"]
            if dtype != np.float64 or len(shape) != 2 or type(length) is not int or length < 0:
                raise ValueError(f"a packed array of {dtype} and shape {shape}")
            arrays[entry["name"]] = unpack(body[position : position + length], shape)
            position += length
            continue
        # A copy, as kernels want arrays that may be changed and start where numbers of their size do.
        flat = (
            np.frombuffer(body, dtype, math.prod(shape), position) if 0 not in shape else np.empty(0, dtype)
        )
        arrays[entry["name"]] = flat.reshape(shape).copy()
        position += flat.nbytes
    if position != len(body):
        raise ValueError(f"{len(body) - position} bytes beside the arrays")
    return header, arrays


def pack_names(names: list[str]) -> dict[str, NDArray[Any]]:
    """Names as two arrays: their bytes, and where each ends."""
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return {"name_bytes": np.frombuffer(b"".join(encoded), np.uint8), "name_ends": ends}


def unpack_names(arrays: dict[str, NDArray[Any]]) -> list[str]:
    """The names that `pack_names` packed; removes their two arrays from `arrays`."""
    text = arrays.pop("name_bytes").tobytes()
    ends = arrays.pop("name_ends").tolist()
    return [text[a:b].decode("utf-8", "surrogatepass") for a, b in zip([0, *ends], ends, strict=False)]
