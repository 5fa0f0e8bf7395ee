"""Rows in the binary form of PostgreSQL's COPY, made from columns of numbers without looking at single rows.

A row is the number of its columns, and for each the length of its value and the value, most significant byte
first; the length −1 is no value. Where a column has a value in all rows or in none, every row is laid out
alike, and all of them are one array.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
NO_VALUE = -1
_LAYOUTS = {"bigint": ">i8", "integer": ">i4", "double precision": ">f8", "boolean": "i1"}


def binary_rows(
    fixed: Mapping[str, int], columns: Mapping[str, NDArray[np.generic]], kinds: Mapping[str, str]
) -> bytes | None:
    """All of COPY's bytes for rows of these columns; None if a column has a value in some rows only.

    The columns in `fixed` are whole numbers, the same in all rows. A column without any value is empty.
    """
    rows = max(len(column) for column in columns.values())
    fields: list[tuple[str, str]] = [("columns", ">i2")]
    for name in (*fixed, *columns):
        fields.append((f"{name} length", ">i4"))
        if name in fixed or len(columns[name]):
            fields.append((name, ">i4" if name in fixed else _LAYOUTS[kinds[name]]))
    packed = np.zeros(rows, np.dtype(fields))
    packed["columns"] = len(fixed) + len(columns)
    for name in (*fixed, *columns):
        if name not in fixed and not len(columns[name]):
            packed[f"{name} length"] = NO_VALUE
            continue
        packed[f"{name} length"] = packed.dtype[name].itemsize
        packed[name] = fixed[name] if name in fixed else columns[name]
        if packed[name].dtype.kind == "f" and not np.isfinite(packed[name]).all():
            return None
    return HEADER + packed.tobytes() + TRAILER
