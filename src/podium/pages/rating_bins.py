"""How ratings are spread: bins whose edges are round numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from podium.documents.page_documents import BinsDocument

FEWEST_BINS, MOST_BINS = 5, 40


def rating_bins(
    low: float, high: float, players: int, counted: Callable[[list[float]], list[int]]
) -> BinsDocument:
    """The bins of so many ratings, of which these are the lowest and the highest.

    `counted` says how many are in each bin, by the edges of the bins: about as many bins as the square root
    of the number of players.
    """
    wanted = min(max(math.isqrt(players), FEWEST_BINS), MOST_BINS)
    width = round_width((high - low) / wanted)
    first = math.floor(low / width)
    count = max(math.floor(high / width) - first + 1, 1)
    edges = [round((first + number) * width, 10) for number in range(count + 1)]
    return {"edges": edges, "counts": counted(edges)}


def round_width(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`; 1 for 0.

    >>> round_width(37.0), round_width(0.03), round_width(0.0)
    (50.0, 0.05, 1.0)
    """
    if least <= 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(round(step * power, 12) for step in (1, 2, 5, 10) if step * power >= least * (1.0 - 1e-9))
