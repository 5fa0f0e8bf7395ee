"""What kernels and histories share: array types, the columns of events, and how times are counted.

Nothing here knows names, tables or systems. A number in this file may be compiled into kernels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NO_TIME = -(2**63)
"""The time of an event that has none; other times are microseconds since 1970-01-01 00:00 UTC."""
SECOND = 1_000_000
"""Microseconds in a second."""
DAY = 86_400 * SECOND
"""Microseconds in a day."""

NO_INTS: Ints = np.zeros(0, np.int32)
NO_FLOATS: Floats = np.zeros(0)
NO_BOOLS: Bools = np.zeros(0, np.bool_)
NO_LONGS: Longs = np.zeros(0, np.int64)


class EventColumns(NamedTuple):
    """The columns as compiled kernels take them: always the same types; what is not given has length 0."""

    offsets: Longs
    player: Ints
    rank: Ints
    side: Ints
    held: Bools
    time: Longs
    weight: Floats
    home: Ints
    share: Floats
    ceiling: Floats
    play: Floats
    score: Floats

    def part(self, start: int, stop: int) -> EventColumns:
        """Events of a slice; rows keep their numbers."""
        events = slice(start, stop)
        return self._replace(
            offsets=self.offsets[start : stop + 1],
            time=self.time[events],
            weight=self.weight[events],
            home=self.home[events],
            ceiling=self.ceiling[events],
        )

    def cut(self, start: int, stop: int) -> EventColumns:
        """Events of a slice as events of their own, whose rows begin at 0."""
        lo, hi = int(self.offsets[start]), int(self.offsets[stop])
        rows = {name: getattr(self, name)[lo:hi] for name in _ROW_COLUMNS}
        part = self.part(start, stop)
        return part._replace(offsets=part.offsets - lo, **rows)


_ROW_COLUMNS = ("player", "rank", "side", "held", "share", "play", "score")


class TraceColumns(NamedTuple):
    """The columns of a trace as kernels fill them, row by row; of length 0 where they are not wanted."""

    mu_before: Floats
    sigma_before: Floats
    performance: Floats
    mu: Floats
    sigma: Floats


def as_kernel_column(column: NDArray[Any]) -> NDArray[Any]:
    """The column as kernels expect it: a read-only or strided array would be compiled for anew."""
    flags = column.flags
    return column if flags.writeable and flags.c_contiguous else column.copy()
