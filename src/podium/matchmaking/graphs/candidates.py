"""Plausible meetings: for each player the few others who might be the right opponent.

A player rated r who wants an opponent rated t is well served by somebody rated near t who wants somebody near
r: then u = (r + t)/2 is the same for both, and v = r − t, by how much they want to be the better one, is
opposite. A hundred thousand players have five thousand million pairs; the best pairing of all of them is
hardly better than that of a sparse graph of these.

Players are put into layers by v and sorted by u. Each gets neighbours by u in the layer opposite to its own,
and fewer in the layers next to that: where more players want stronger opponents than want weaker ones, as
among the best, somebody has to take second best. Neighbours in the paper's order, by t, are always there, so
everybody can be paired.

>>> rating = np.linspace(1000, 2000, 1_000)
>>> first, second = plausible_meetings(rating, wanted=rating + np.tile([100, -100], 500))
>>> 4_000 < len(first) < 8_000
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import Floats, Ints, Longs
from podium.errors import InputError, ParameterError
from podium.matchmaking.pool.growing_tables import numbered
from podium.numerics.jit import interpreted_as, kernel

DIGIT_BITS, DIGITS = 11, 6
"""Six digits of eleven bits are the 64 bits of a number, and a table of all values of one is small."""
SIGN_BIT = -(2**63)


def _order_by_comparing(values: Floats) -> Longs:
    """What `ascending_order` computes, by NumPy."""
    return np.argsort(values, kind="stable")


@interpreted_as(_order_by_comparing)
@kernel
def ascending_order(values: Floats) -> Longs:
    """The places of the values from the least to the greatest, equals in the order in which they are given.

    None of them is NaN.
    """
    n, mask = len(values), (1 << DIGIT_BITS) - 1
    sorted_up_to = 1
    while sorted_up_to < n and values[sorted_up_to - 1] <= values[sorted_up_to]:
        sorted_up_to += 1
    if sorted_up_to >= n:  # as where candidates are found in the order of an earlier sort
        as_given = np.empty(n, np.int64)
        for i in range(n):
            as_given[i] = i
        return as_given
    key, order = np.empty(n, np.int64), np.empty(n, np.int32)
    moved_key, moved_order = np.empty(n, np.int64), np.empty(n, np.int32)
    count = np.zeros((DIGITS, 1 << DIGIT_BITS), np.int32)
    bits = (values + 0.0).view(np.int64)  # −0 becomes 0: they are equal
    for i in range(n):
        # IEEE 754: the bits of positive numbers ascend with them, those of negative ones the other way.
        k = bits[i] ^ SIGN_BIT if bits[i] >= 0 else ~bits[i]
        key[i], order[i] = k, i
        for digit in range(DIGITS):
            count[digit, (k >> (digit * DIGIT_BITS)) & mask] += 1
    for digit in range(DIGITS):
        place, here = count[digit], digit * DIGIT_BITS
        if place[(key[0] >> here) & mask] == n:  # all have the same digit
            continue
        below = 0
        for value in range(len(place)):
            place[value], below = below, below + place[value]
        for i in range(n):
            value = (key[i] >> here) & mask
            new = place[value]
            place[value] = new + 1
            moved_key[new], moved_order[new] = key[i], order[i]
        key, moved_key = moved_key, key
        order, moved_order = moved_order, order
    return order.astype(np.int64)


NEIGHBOURS = 8
"""How many others each player is offered; being offered to others as well, they have about twice as many."""

LAYER_SHARES = (4, 1, 1, 1, 1)
"""How those are divided among the opposite layer and the ones next to it."""

MOST_LAYERS = 16
"""As many layers at most, one more or less; where v has few values, each has its own."""

FARTHEST_RATING = 1e100
"""Ratings beyond are as far away as this, so that their differences are numbers."""

GOLDEN = 0.6180339887498949
"""Multiples of the golden ratio, their whole part taken off, are spread evenly."""


def plausible_meetings(
    rating: ArrayLike,
    wanted: ArrayLike,
    *,
    groups: NDArray[np.bool_] | None = None,
    neighbours: int = NEIGHBOURS,
) -> tuple[Longs, Longs]:
    """Pairs of players who might meet, by number: the lower one first, each pair once.

    `wanted` is the rating of the opponent each wants. `groups` has a row a player and a column a group: only
    players who share a group meet, and inside each of their groups everybody is offered about `neighbours`
    others.
    """
    own, ideal = np.asarray(rating, np.float64), np.asarray(wanted, np.float64)
    if own.ndim != 1 or own.shape != ideal.shape or np.isnan(own).any() or np.isnan(ideal).any():
        raise InputError("candidates need a rating and a target rating for each player")
    if neighbours < 1 or neighbours != int(neighbours):
        raise ParameterError(f"{neighbours} neighbours", hint="a whole number from 1")
    own, ideal = (
        np.clip(own, -FARTHEST_RATING, FARTHEST_RATING),
        np.clip(ideal, -FARTHEST_RATING, FARTHEST_RATING),
    )
    if groups is None:
        return _meetings(own, ideal, int(neighbours))
    if groups.ndim != 2 or len(groups) != len(own):
        raise InputError(f"groups of {len(groups)} players for {len(own)}")
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for column in groups.T:
        members = np.flatnonzero(column)
        a, b = _meetings(own[members], ideal[members], int(neighbours))
        first.append(members[a])
        second.append(members[b])
    return _each_once(len(own), np.concatenate(first), np.concatenate(second))


def _meetings(own: Floats, ideal: Floats, neighbours: int) -> tuple[Longs, Longs]:
    middle, lead = (own + ideal) / 2, own - ideal
    layer, centre = _layers(lead)
    share = np.array(LAYER_SHARES[: len(centre)])
    quota = np.maximum(np.rint(neighbours * share / max(share.sum(), 1)), 1).astype(np.int64)
    nearest = np.argsort(np.abs(centre[:, None] + centre), axis=1, kind="stable")
    opposite = np.ascontiguousarray(nearest[:, : len(LAYER_SHARES)])
    offered = np.full((len(own), 1 + int(quota.sum())), -1, np.int32)
    order = ascending_order(middle)
    same = len(centre) == 1 and np.array_equal(middle, ideal)  # everybody wants an equal
    _offer_next(order if same else ascending_order(ideal), offered)
    _offer_near(
        order,
        middle,
        layer,
        centre,
        opposite,
        quota,
        max(neighbours // 2, 1),
        offered,
    )
    return _pairs(offered)


def _layers(lead: Floats) -> tuple[Longs, Floats]:
    """The layer of each player by v, and the middle of each layer; who is far out counts as less far."""
    if len(lead) == 0:
        return np.zeros(0, np.int64), np.zeros(0)
    if lead.min() == lead.max():  # everybody wants an equal, as in most pools
        return np.zeros(len(lead), np.int64), lead[:1].copy()
    low, high = np.quantile(lead, (0.01, 0.99))
    clipped = np.clip(lead, low, high)
    width = (high - low) / MOST_LAYERS
    cell = np.rint((clipped - low) / width) if width > 0.0 else np.zeros(len(lead))
    layer = numbered(cell)
    centre = np.bincount(layer, clipped) / np.bincount(layer)
    return layer, centre


@kernel
def _offer_next(order: Longs, offered: Ints) -> None:
    """To each player the next one in the list."""
    for i in range(len(order) - 1):
        offered[order[i], 0] = order[i + 1]


@kernel
def _offer_near(
    order: Longs,
    middle: Floats,
    layer: Longs,
    centre: Floats,
    opposite: Longs,
    quota: Longs,
    spread: int,
    offered: Ints,
) -> None:
    """To each player, in each of the layers opposite, `quota` others who are near by u.

    Two whose v are not opposite lose the same wherever their difference in rating is between what both want,
    that is where their u differ by |v + v'|/2 at most. There the others are spread over all who are that
    near, up to `spread` places away, so that ways through the graph are short.
    """
    start = np.zeros(len(opposite) + 1, np.int64)
    for i in range(len(order)):
        start[layer[i] + 1] += 1
    for b in range(len(opposite)):
        start[b + 1] += start[b]
    member, place = np.empty(len(order), np.int64), start[:-1].copy()
    along = np.empty(len(order))
    for i in order:
        member[place[layer[i]]], along[place[layer[i]]] = i, middle[i]
        place[layer[i]] += 1
    # As u grows, so does every place that is looked for: they walk along the layers.
    lows, highs = np.empty(opposite.shape, np.int64), np.empty(opposite.shape, np.int64)
    for a in range(len(opposite)):
        for rank in range(opposite.shape[1]):
            lows[a, rank] = highs[a, rank] = start[opposite[a, rank]]
    at, beyond = start[:-1].copy(), start[:-1].copy()
    reach = np.empty(opposite.shape)
    for a in range(len(opposite)):
        for rank in range(opposite.shape[1]):
            reach[a, rank] = abs(centre[a] + centre[opposite[a, rank]]) / 2.0
    run, end = 0, 0
    for number in range(len(order)):
        i = order[number]
        own, u = layer[i], middle[i]
        if number == end:  # those with the same u, who divide those with the same u in other layers
            run = end
            while end < len(order) and middle[order[end]] == u:
                end += 1
        turn = (number * GOLDEN) % 1.0
        column = 1
        for rank in range(opposite.shape[1]):
            b, count, width = opposite[own, rank], quota[rank], reach[own, rank]
            first, last = start[b], start[b + 1]
            low = lows[own, rank] = _walk(along, lows[own, rank], last, u - width)
            nearest = at[b] = _walk(along, at[b], last, u)
            same = max(beyond[b], nearest)
            while same < last and along[same] <= u:
                same += 1
            beyond[b] = same
            high = highs[own, rank] = _walk(along, highs[own, rank], last, u + width)
            high = max(high, same)
            if end - run > 1:
                nearest += (same - nearest) * (number - run) // (end - run)
            low, high = max(low, nearest - spread), min(high, nearest + spread)
            if high - low <= count:
                low = max(first, min(nearest - count // 2, last - count))
                high = min(low + count, last)
                for j in member[low:high]:
                    if j != i:
                        offered[i, column] = j
                        column += 1
                continue
            step = (high - low) / count
            shift = (step - 1.0) * turn
            for c in range(count):
                j = member[low + int(c * step + shift)]
                if j != i:
                    offered[i, column] = j
                    column += 1


@kernel
def _walk(values: Floats, place: int, end: int, value: float) -> int:
    """The first place from this one on, up to the end, of a value that is not below."""
    while place < end and values[place] < value:
        place += 1
    return place


@kernel
def _pairs(offered: Ints) -> tuple[Longs, Longs]:
    """Who was offered to whom, each pair once."""
    players, width = offered.shape
    first, second = np.empty(players * width, np.int64), np.empty(players * width, np.int64)
    count = 0
    for i in range(players):
        mine = offered[i]
        for place in range(width):
            j = mine[place]
            if j < 0:
                continue
            again = 0
            for earlier in range(place):
                again += mine[earlier] == j
            if j < i:
                theirs = offered[j]
                for k in range(width):
                    again += theirs[k] == i
            # Written always and counted where it is new: nothing to guess for the processor.
            first[count], second[count] = min(i, j), max(i, j)
            count += again == 0
    return first[:count], second[:count]


@kernel
def _each_once(players: int, first: Longs, second: Longs) -> tuple[Longs, Longs]:
    """The same pairs by their first players, each once."""
    place = np.zeros(players + 1, np.int64)
    for e in range(len(first)):
        place[first[e] + 1] += 1
    for i in range(players):
        place[i + 1] += place[i]
    start, other = place.copy(), np.empty(len(first), np.int64)
    for e in range(len(first)):
        other[place[first[e]]] = second[e]
        place[first[e]] += 1
    one, two, seen = np.empty(len(first), np.int64), np.empty(len(first), np.int64), np.full(players, -1)
    count = 0
    for i in range(players):
        for k in range(start[i], start[i + 1]):
            if seen[other[k]] != i:
                seen[other[k]] = i
                one[count], two[count] = i, other[k]
                count += 1
    return one[:count], two[:count]
