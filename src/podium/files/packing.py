"""Rows of many numbers that change smoothly, without loss in a quarter of the room or less.

What a number is can be foretold from those before it in its row: ratios of neighbours change slowly, ratios
of those ratios more slowly, and so on. Kept is how far the foretold number is from the true one, in units of
the last digit. Only products and quotients are used, which every machine rounds alike, so what is unpacked is
the same to the last bit.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats

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
        raise ValueError(f"{len(data) - position} bytes beside the rows")
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
