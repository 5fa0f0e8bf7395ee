"""A small database of SQLite with one table of numbers, written straight from columns.

A prepared statement takes each value as an object of Python, which costs an import of contests more than
rating them. Here NumPy writes the pages: all rows have the same size, so that a page is a piece of one array.
What is written is in the file format of SQLite (https://sqlite.org/fileformat2.html), whose sections the
comments name.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
PAGE_BYTES = 65_536
ROOT = 2
"""The page with which the table begins."""
FIRST_ROWID = 1 << 21
"""The first number of a row that takes four bytes, as do all up to `MOST_ROWS` behind it."""
MOST_ROWS = 1_000_000
"""Rows of one database, so that one page has room for where all others begin."""
LEAF, INTERIOR = 13, 5
"""The kinds of pages of a table (1.6)."""
LEAF_HEAD, INTERIOR_HEAD = 8, 12
POINTER_BYTES = 2
PAGES_AT = 28
"""Where the head of the database says how many pages it has (1.3)."""
VARINT_BITS = 7
_SERIAL = {"i1": (1, "i1"), "i4": (4, ">i4"), "i8": (6, ">i8"), "f8": (7, ">f8"), "b1": (1, "i1")}
"""How a record stores values: the serial type and its bytes (2.1)."""


def number_image(table: str, columns: Mapping[str, NDArray[np.generic]]) -> bytes:
    """A database with columns of integers, floats or truth values in a table; NaN is stored as nothing.

    It holds `MOST_ROWS` rows at most.

    >>> image = number_image("rows", {"player": np.array([3, 4]), "mu": np.array([1500.0, np.nan])})
    >>> with closing(sqlite3.connect(":memory:")) as database:
    ...     database.deserialize(image)
    ...     database.execute("SELECT * FROM rows").fetchall()
    [(3, 1500.0), (4, None)]
    """
    cells = _cells(columns)
    per_page = (PAGE_BYTES - LEAF_HEAD) // (cells.shape[1] + POINTER_BYTES)
    ends = [*range(0, len(cells), per_page), len(cells)]
    leaves = [_page(LEAF, LEAF_HEAD, cells[begin:end]) for begin, end in pairwise(ends)]
    if len(leaves) > 1:
        leaves.insert(0, _root(ends[1:-1], len(leaves)))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        empty.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        empty.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        head = bytearray(empty.serialize())
    if leaves:
        del head[PAGE_BYTES:]
        head[PAGES_AT : PAGES_AT + 4] = (1 + len(leaves)).to_bytes(4)
    return b"".join([head, *(leaf.tobytes() for leaf in leaves)])


def _cells(columns: Mapping[str, NDArray[np.generic]]) -> Bytes:
    """Each row as a cell of a leaf: its length, its number, the types of its values, and those (1.6, 2.1)."""
    kinds = [_SERIAL[f"{column.dtype.kind}{column.dtype.itemsize}"] for column in columns.values()]
    types = np.array([1 + len(kinds), *(serial for serial, _ in kinds)], np.uint8)
    values = [(name, kind) for name, (_, kind) in zip(columns, kinds, strict=True)]
    size = len(types) + sum(np.dtype(kind).itemsize for _, kind in values)
    length = _varint(np.array([size]), 1 if size < 1 << VARINT_BITS else 2)
    rows = max(map(len, columns.values()))
    head = [("length", "u1", length.shape[1]), ("rowid", "u1", 4), ("types", "u1", len(types))]
    packed = np.empty(rows, np.dtype([*head, *values]))
    packed["length"], packed["types"] = length, types
    packed["rowid"] = _varint(np.arange(rows) + FIRST_ROWID, 4)
    for name, column in columns.items():
        packed[name] = column
    return packed.view(np.uint8).reshape(rows, packed.itemsize)


def _page(kind: int, head: int, cells: Bytes, last: bytes = b"") -> Bytes:
    """A page: its head, where its cells are, and these at its end; `last` is the rest of the head (1.6)."""
    count, size = cells.shape
    start = PAGE_BYTES - count * size
    page = np.zeros(PAGE_BYTES, np.uint8)
    fields = bytes([kind, 0, 0]) + count.to_bytes(2) + start.to_bytes(2) + b"\0" + last
    page[:head] = np.frombuffer(fields, np.uint8)
    pointers = (start + size * np.arange(count)).astype(">u2").view(np.uint8)
    page[head : head + len(pointers)] = pointers
    page[start:] = cells.reshape(-1)
    return page


def _root(ends: list[int], leaves: int) -> Bytes:
    """The page that tells where the leaves are; each but the last with the number of its last row."""
    packed = np.empty(len(ends), np.dtype([("page", ">u4"), ("rowid", "u1", 4)]))
    packed["page"] = ROOT + 1 + np.arange(len(ends))
    packed["rowid"] = _varint(np.array(ends) - 1 + FIRST_ROWID, 4)
    cells = packed.view(np.uint8).reshape(len(ends), packed.itemsize)
    return _page(INTERIOR, INTERIOR_HEAD, cells, (ROOT + leaves).to_bytes(4))


def _varint(numbers: NDArray[np.integer], size: int) -> Bytes:
    """Numbers in so many bytes of seven bits each, all but the last marked (1.6)."""
    shifts = VARINT_BITS * np.arange(size - 1, -1, -1)
    found = (numbers[:, np.newaxis] >> shifts) & 0x7F
    found[:, :-1] |= 0x80
    return found.astype(np.uint8)
