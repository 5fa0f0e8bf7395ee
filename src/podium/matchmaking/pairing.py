"""Pairings of a group: players who want like opponents meet.

Yuksel (2024), section 4.2. Everybody is treated as if rated like the opponent they want; sorted by that
rating, neighbours play each other. So that the same two do not meet again and again, the sorted list is
shuffled within a window first (section 5.3).

>>> chance = np.random.default_rng(1)
>>> pairing = pair_by_target([1500, 1900, 1510, 1880], chance)
>>> sorted(sorted(pair) for pair in zip(pairing.first.tolist(), pairing.second.tolist()))
[[0, 2], [1, 3]]
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.errors import InputError, ParameterError
from podium.history.core import Floats, Longs
from podium.numerics.jit import kernel

Reach = Literal["around", "ahead"]


class Pairing(NamedTuple):
    """Who plays whom, by number."""

    first: Longs
    second: Longs
    out: Longs
    """Who sits out: nobody, or one where the number of players is odd."""


def pair_by_target(
    target: ArrayLike, chance: np.random.Generator | int, *, window: int = 0, reach: Reach = "around"
) -> Pairing:
    """Pair neighbours by the rating of the opponent they want, after a shuffle within `window` places.

    Who wants the same is in random order, so that the order of players cannot leak into the pairing. Where
    their number is odd, one of them, any with the same chance, sits out. `chance` is a generator, or the seed
    of one.
    """
    chance = np.random.default_rng(chance)
    wanted = np.asarray(target, np.float64)
    if wanted.ndim != 1 or np.any(np.isnan(wanted)):
        raise InputError("targets are one rating a player")
    order = chance.permutation(len(wanted))
    order = order[np.argsort(wanted[order], kind="stable")]
    return _neighbours(swap_within(order, window, chance, reach=reach), chance)


def pair_at_random(players: int, chance: np.random.Generator | int) -> Pairing:
    """Pair everybody with anybody."""
    chance = np.random.default_rng(chance)
    return _neighbours(chance.permutation(players), chance)


def swap_within(
    order: ArrayLike, window: int, chance: np.random.Generator, *, reach: Reach = "around"
) -> Longs:
    """The list shuffled: going through its places, each swaps its player with one within the window.

    "Swapping each player with a randomly selected player within a window of 50 players" leaves open where the
    window lies. *around*: from half a window before to half a window after, as far as the list goes; players
    move by 0.41 windows (root mean square). *ahead*: the place itself or one of the next `window` − 1;
    players move by a whole window. Later swaps find what earlier ones left.
    """
    if window < 0 or window != int(window):
        raise ParameterError(f"a window of {window} players", hint="a whole number; 0 does not shuffle")
    if reach not in ("around", "ahead"):
        raise ParameterError(f"reach is {reach!r}, not 'around' or 'ahead'")
    shuffled = np.array(order, np.int64)
    place = np.arange(len(shuffled))
    window = int(window)
    before, after = (window // 2, window // 2) if reach == "around" else (0, max(window - 1, 0))
    low = np.maximum(place - before, 0)
    high = np.minimum(place + after, len(shuffled) - 1)
    _swap(shuffled, low, high, chance.random(len(shuffled)))
    return shuffled


@kernel
def _swap(order: Longs, low: Longs, high: Longs, chance: Floats) -> None:
    """Swap each place with one of low … high, chosen by a number in [0, 1)."""
    for i in range(len(order)):
        j = low[i] + int(chance[i] * (high[i] - low[i] + 1))
        order[i], order[j] = order[j], order[i]


def _neighbours(order: Longs, chance: np.random.Generator) -> Pairing:
    out = order[:0]
    if len(order) % 2:
        left_out = int(chance.integers(len(order)))
        out, order = order[left_out : left_out + 1].copy(), np.delete(order, left_out)
    return Pairing(order[0::2].copy(), order[1::2].copy(), out)
