"""Places in events of any number of sides, and what sides scored against the others."""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats, Ints, Longs
from podium.numerics.allpairs import sorted_order
from podium.numerics.jit import kernel


@kernel
def place_sides(
    offsets: Longs, rank: Ints, share: Floats, better: Ints, score: Floats, order: Ints, tied: Floats
) -> None:
    """Fill the order of each event and its tied pairs, how many are before each side, and its mean score."""
    for e in range(len(offsets) - 1):
        tied[e] = 0.0
        lo, n = offsets[e], offsets[e + 1] - offsets[e]
        place, by_place = np.empty(n), np.empty(n, np.int64)
        sorted_already = True
        for i in range(n):
            place[i], by_place[i] = rank[lo + i], i
            sorted_already = sorted_already and (i == 0 or place[i - 1] <= place[i])
        if not sorted_already:
            by_place = sorted_order(place)
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and place[by_place[stop]] == place[by_place[start]]:
                stop += 1
            tied[e] += 0.5 * (stop - start) * (stop - start - 1)
            for k in range(start, stop):
                side = lo + by_place[k]
                order[lo + k], better[side] = by_place[k], start
                score[side] = (n - stop + 0.5 * (stop - start - 1)) / (n - 1)
                if len(share) > 0 and not np.isnan(share[side]):
                    score[side] = share[side]
            start = stop
