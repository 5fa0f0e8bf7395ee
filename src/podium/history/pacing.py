"""Long work cut into pieces of a moment each, so that progress moves and Ctrl-C is seen between two of them.

A kernel that is at work sees no Ctrl-C. How many rows a kernel does in a moment depends on the system, the
history and the machine; so each piece is as long as the time of the piece before suggests. Results do not
depend on where work is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

from podium.arrays import Longs
from podium.history.ragged import chunk_end

PIECE_SECONDS = 0.25
"""What a piece should take."""
FIRST_ROWS = 4096
"""Rows of the first piece: a moment of the slowest systems. Work of no more rows is not cut."""
MOST_GROWTH = 4
"""A piece has at most so many times the rows of the piece before, and at least one such part of them."""

Progress = Callable[[int], None]
"""Called with the number of rows (or events, or jobs) done since the last call."""


class Pace:
    """How much work takes a moment, learned from the pieces done so far."""

    def __init__(self, most_rows: int | None = None) -> None:
        """`most_rows` limits pieces, for work that needs memory for each row of a piece."""
        self.rows, self.most_rows = FIRST_ROWS, most_rows

    def pieces(self, offsets: Longs, start: int, stop: int) -> Iterator[slice]:
        """Cut the items `start` to `stop`, whose rows begin at `offsets`, into pieces of whole items.

        A piece is measured from when it is given out until the next one is asked for.

        >>> import numpy as np
        >>> list(Pace().pieces(np.arange(0, 12_001, 3000), 0, 4))[0]  # of four items with 3000 rows each
        slice(0, 1, None)
        """
        while offsets[stop] - offsets[start] > self.rows:
            end = min(chunk_end(offsets, start, self.rows), stop)
            began = perf_counter()
            yield slice(start, end)
            self._learn(int(offsets[end] - offsets[start]), perf_counter() - began)
            start = end
        if start < stop:
            yield slice(start, stop)

    def _learn(self, rows: int, seconds: float) -> None:
        wanted = rows * PIECE_SECONDS / max(seconds, 1e-9)
        rows = max(1, int(min(max(wanted, self.rows / MOST_GROWTH), self.rows * MOST_GROWTH)))
        self.rows = rows if self.most_rows is None else min(rows, self.most_rows)
