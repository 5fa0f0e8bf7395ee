"""Many numbers in ascending order: a tick sorts fifty thousand ratings several times.

They are sorted digit by digit from the last one on (a radix sort), which takes an eighth of the time that
comparing them takes.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats, Longs
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
