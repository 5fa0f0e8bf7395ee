"""Moving lists of numbers that lie in one array, one block a list."""

from __future__ import annotations

from podium.arrays import Floats, Ints, Longs
from podium.numerics.compiler_hints import ROWS_AHEAD, prefetch
from podium.numerics.jit import kernel


@kernel
def move_lists(source: Floats, start: Longs, length: Ints, target: Floats, new_start: Longs) -> None:
    """Copy each list to its new place."""
    for i in range(len(length)):
        if i + ROWS_AHEAD < len(length):
            prefetch(source, start[i + ROWS_AHEAD])
        a, b = start[i], new_start[i]
        for k in range(length[i]):
            target[b + k] = source[a + k]
