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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.errors import ParameterError, StateError
from podium.files.atomic import replacing, writing
from podium.files.file_names import PathLike, name_of
from podium.files.packing import is_packable, pack, unpack

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
            content = Path(source).read_bytes()
        else:
            _check_binary(source, "read")
            content = source.read()
    except OSError as error:
        raise StateError(f"cannot read {name}: {error.strerror or error}") from error
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
