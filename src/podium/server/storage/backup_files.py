"""The file of a backup: all rows of all tables, by column, compressed, with a checksum over everything.

    magic · BLAKE2b of everything behind · gzip of frames

A frame is the length of its header, the header (JSON) and the bytes that it describes. The first one says
which tables there are; each other one holds some rows of one table. Nothing in it is code, and everything
that it says of sizes is checked before it is believed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from podium.errors import InputError
from podium.text import shorten

MAGIC = b"podium backup\x00\x00\x01"
DIGEST_BYTES = 32
LENGTH_BYTES = 8
COMPRESSION_LEVEL = 3
"""Twice as fast as gzip's own choice, for a tenth more bytes."""
READ_BYTES = 1_000_000
"""Bytes that the checksum is computed of at once."""
LONGEST_HEADER = 10_000_000
NO_VALUE = -1
"""The length that a text has which is none."""
_NUMBERS = {"whole": "<i8", "number": "<f8", "flag": "<i1"}
"""How columns of numbers are laid out."""


class TableRows(NamedTuple):
    """Some rows of a table."""

    table: str
    columns: list[str]
    rows: list[tuple[Any, ...]]


class BackupWriter:
    """Writes a backup into an open file, in which it can go back."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
        file.write(MAGIC + bytes(DIGEST_BYTES))
        self._packed = gzip.GzipFile(fileobj=_Into(self._put), mode="wb", compresslevel=COMPRESSION_LEVEL)

    def describe(self, description: dict[str, Any]) -> None:
        """Write what is backed up; comes first."""
        self._frame(description, [])

    def add(self, table: str, kinds: dict[str, str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Write rows of a table; `kinds` are those of its columns: whole, number, flag, text or bytes."""
        parts = [
            _packed_column(list(column), kind)
            for column, kind in zip(zip(*rows, strict=True), kinds.values(), strict=True)
        ]
        sizes = [[len(part) for part in column] for column in parts]
        header = {"table": table, "columns": list(kinds.items()), "rows": len(rows), "sizes": sizes}
        self._frame(header, [part for column in parts for part in column])

    def close(self) -> None:
        """Write the end and the checksum; without them the file is no backup."""
        self._frame({"end": True}, [])
        self._packed.close()
        self._file.seek(len(MAGIC))
        self._file.write(self._digest.digest())

    def _frame(self, header: dict[str, Any], parts: list[bytes]) -> None:
        text = json.dumps(header).encode()
        self._packed.write(len(text).to_bytes(LENGTH_BYTES, "little") + text)
        for part in parts:
            self._packed.write(part)

    def _put(self, content: Any) -> int:
        self._digest.update(content)
        return self._file.write(content)


class _Into:
    """A file that only takes bytes."""

    def __init__(self, put: Any) -> None:
        self.write = put

    def flush(self) -> None:
        """Nothing waits here."""


def _packed_column(values: list[Any], kind: str) -> list[bytes]:
    """A column as bytes: which values there are, and what they are."""
    if kind in _NUMBERS:
        there = np.array([value is not None for value in values], np.int8)
        given = np.array([0 if value is None else value for value in values], _NUMBERS[kind])
        return [there.tobytes(), given.tobytes()]
    encoded = [_encoded(value, kind) for value in values]
    lengths = [NO_VALUE if one is None else len(one) for one in encoded]
    return [np.array(lengths, "<i8").tobytes(), b"".join(one or b"" for one in encoded)]


def _encoded(value: Any, kind: str) -> bytes | None:
    if value is None:
        return None
    return bytes(value) if kind == "bytes" else str(value).encode("utf-8", "surrogatepass")


# ---------------------------------------------------------------------- reading


def check_backup(path: Path) -> None:
    """Refuse a file that is no backup, or a damaged one, before anything is made of it."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise InputError(f"{path} is not a podium backup")
        wanted = file.read(DIGEST_BYTES)
        while piece := file.read(READ_BYTES):
            digest.update(piece)
    if wanted != digest.digest():
        raise InputError(f"{path} is damaged: its checksum does not match", hint="use another backup")


def read_backup(path: Path) -> tuple[dict[str, Any], Iterator[TableRows]]:
    """What a backup describes, and its rows; each piece is read when it is asked for."""
    frames = _frames(path)
    description, _ = next(frames)
    return description, (_table_rows(header, content) for header, content in frames)


def _frames(path: Path) -> Iterator[tuple[dict[str, Any], list[bytes]]]:
    with path.open("rb") as file:
        file.seek(len(MAGIC) + DIGEST_BYTES)
        with gzip.GzipFile(fileobj=file, mode="rb") as packed:
            while True:
                length = int.from_bytes(packed.read(LENGTH_BYTES), "little")
                if not 0 < length < LONGEST_HEADER:
                    raise InputError(f"{path} is not in the format of a podium backup")
                header = json.loads(packed.read(length))
                if header.get("end"):
                    return
                sizes = [size for column in header.get("sizes", []) for size in column]
                yield header, [packed.read(size) for size in sizes]


def _table_rows(header: dict[str, Any], content: list[bytes]) -> TableRows:
    kinds = [kind for _, kind in header["columns"]]
    pairs = zip(content[::2], content[1::2], strict=True)
    columns = [
        _unpacked_column(first, second, kind, header["rows"])
        for (first, second), kind in zip(pairs, kinds, strict=True)
    ]
    return TableRows(
        header["table"], [name for name, _ in header["columns"]], list(zip(*columns, strict=True))
    )


def _unpacked_column(first: bytes, second: bytes, kind: str, rows: int) -> list[Any]:
    if kind in _NUMBERS:
        there = np.frombuffer(first, np.int8)
        given = np.frombuffer(second, _NUMBERS[kind]).astype(bool if kind == "flag" else _NUMBERS[kind])
        values: list[Any] = given.tolist()
        if not there.all():
            values = [value if is_there else None for value, is_there in zip(values, there, strict=True)]
    else:
        lengths = np.frombuffer(first, "<i8").tolist()
        ends = [0, *accumulate(max(length, 0) for length in lengths)]
        pieces = [second[begin:end] for begin, end in pairwise(ends)]
        texts = [piece.decode("utf-8", "surrogatepass") for piece in pieces] if kind == "text" else pieces
        values = [None if length < 0 else one for length, one in zip(lengths, texts, strict=True)]
    if len(values) != rows:
        raise InputError(f"the backup should have {rows} rows but has {len(values)}: {shorten(kind)}")
    return values
