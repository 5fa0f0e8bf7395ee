"""A tree of waiting tickets: a k-d tree (Bentley 1975) for ranges that have to hold both ways.

Tickets are halved by one column after another (what they say, what they need of others, their rating) until
few are left in a leaf. Each node knows the limits of every column inside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.pool.player_lists import PlayerLists
from podium.numerics.jit import kernel

LEAF_TICKETS = 8
"""Tickets that are not divided any more."""
MASK_BITS = 62
"""Kinds that a node tells apart; more share a bit."""


class TicketTable(NamedTuple):
    """What a search reads of tickets; ranges are a row each, with a column a ticket."""

    said: Floats
    """NaN where a ticket does not say it."""
    low: Floats
    """−∞ where a ticket wants nothing; then `high` is ∞."""
    high: Floats
    choice: Longs
    """The choice among the numbers of its range; −1 for all of them."""
    picked: Longs
    """The numbers of each choice, as choice × 2³² + number, sorted."""
    wants: Bools
    """Whether a ticket wants something; only then has the other to say it."""
    kind: Longs
    meets: Bools
    """Kinds × kinds: which may meet."""
    mask: Longs
    """For each kind, the bits of those it may meet."""
    mu: Floats
    wanted: Floats
    """The rating of the opponent that each ticket wants."""
    rank: Longs
    """Of tickets that are equally near, the one with the lower rank is nearer."""
    entered: Longs
    """When each ticket began to wait."""
    player: Longs
    """The first player of each ticket."""
    following: Longs
    """By player: the next one of the same ticket; −1 for none."""
    apart: PlayerLists
    """Those from whom each player is kept apart."""
    says_first: Longs
    """For each range with choices, and each number n: those who say it are says[first[n]:first[n + 1]]."""
    says: Longs


class Tree(NamedTuple):
    """Nodes of tickets, parents before children; node 0 has all of them."""

    order: Longs
    """Tickets, leaf after leaf."""
    first: Longs
    """Node i has the tickets order[first[i]] to order[last[i]]."""
    last: Longs
    child: Longs
    """The first child of each node, which the second one follows; −1 for a leaf."""
    parent: Longs
    leaf: Longs
    """The leaf of each ticket."""
    free: Longs
    """Number of free tickets in each node."""
    mask: Longs
    """The bits of the kinds inside."""
    entered: Longs
    """When the last ticket inside began to wait."""
    rating: Floats
    """Limits of the rating and the wanted rating inside: four numbers a node."""
    box: Floats
    """For each range: the limits of what is said, the least low and the greatest high; by node."""


@kernel
def _kth_smallest(values: Floats, k: int) -> float:
    """The number that has k before it in order, by Hoare's selection; `values` are put into another order.

    NumPy's partition takes two seconds to compile.
    """
    low, high = 0, len(values) - 1
    while low < high:
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i, j = i + 1, j - 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    found: float = values[k]
    return found


@kernel
def divide_tickets(columns: Floats) -> tuple[Longs, Longs, Longs, Longs, Longs]:
    """Divide tickets by columns, in turn: their order, and first, last, first child and parent by node."""
    width, n = columns.shape
    order = np.arange(n)
    size = 2 * n + 1
    first, last = np.empty(size, np.int64), np.empty(size, np.int64)
    child, parent, turn = np.full(size, -1), np.full(size, -1), np.zeros(size, np.int64)
    first[0], last[0] = 0, n
    nodes, node = 1, 0
    below, above = np.empty(n, np.int64), np.empty(n, np.int64)
    while node < nodes:
        a, b = first[node], last[node]
        if b - a > LEAF_TICKETS:
            for step in range(width):
                column = (turn[node] + step) % width
                values = columns[column][order[a:b]]
                middle = _kth_smallest(values.copy(), (b - a) // 2)
                least = values.min()
                few, many = 0, 0
                for k in range(b - a):
                    # Where the middle is the least, its equals are one half: both halves have somebody.
                    if values[k] < middle or (middle == least and values[k] == middle):
                        below[few] = order[a + k]
                        few += 1
                    else:
                        above[many] = order[a + k]
                        many += 1
                if few > 0 and many > 0:
                    for k in range(few):
                        order[a + k] = below[k]
                    for k in range(many):
                        order[a + few + k] = above[k]
                    child[node] = nodes
                    first[nodes], last[nodes] = a, a + few
                    first[nodes + 1], last[nodes + 1] = a + few, b
                    for new in (nodes, nodes + 1):
                        parent[new], turn[new] = node, column + 1
                    nodes += 2
                    break
        node += 1
    return order, first[:nodes].copy(), last[:nodes].copy(), child[:nodes].copy(), parent[:nodes].copy()


@kernel
def measure_nodes(
    order: Longs, first: Longs, last: Longs, child: Longs, parent: Longs, table: TicketTable, free: Bools
) -> Tree:
    """The tree of divided tickets, with the limits of each node."""
    said, low, high, kind = table.said, table.low, table.high, table.kind
    mu, wanted, began = table.mu, table.wanted, table.entered
    nodes, ranges = len(first), len(said)
    leaf, count, mask = np.zeros(len(order), np.int64), np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    entered, rating, box = np.zeros(nodes, np.int64), np.empty((nodes, 4)), np.empty((nodes, 4 * ranges))
    for node in range(nodes - 1, -1, -1):
        for k in range(2 + 2 * ranges):
            limits = rating[node, 2 * k : 2 * k + 2] if k < 2 else box[node, 2 * k - 4 : 2 * k - 2]
            # The limits of wanted ranges are the widest: the least low and the greatest high.
            limits[0], limits[1] = np.inf, -np.inf
        if child[node] >= 0:
            for one in (child[node], child[node] + 1):
                count[node] += count[one]
                mask[node] |= mask[one]
                entered[node] = max(entered[node], entered[one])
                for k in range(2):
                    rating[node, 2 * k] = min(rating[node, 2 * k], rating[one, 2 * k])
                    rating[node, 2 * k + 1] = max(rating[node, 2 * k + 1], rating[one, 2 * k + 1])
                for k in range(2 * ranges):
                    box[node, 2 * k] = min(box[node, 2 * k], box[one, 2 * k])
                    box[node, 2 * k + 1] = max(box[node, 2 * k + 1], box[one, 2 * k + 1])
            continue
        for place in range(first[node], last[node]):
            i = order[place]
            leaf[i] = node
            count[node] += free[i]
            mask[node] |= 1 << (kind[i] % MASK_BITS)
            entered[node] = max(entered[node], began[i])
            rating[node, 0], rating[node, 1] = min(rating[node, 0], mu[i]), max(rating[node, 1], mu[i])
            rating[node, 2] = min(rating[node, 2], wanted[i])
            rating[node, 3] = max(rating[node, 3], wanted[i])
            for r in range(ranges):
                if said[r, i] == said[r, i]:
                    box[node, 4 * r] = min(box[node, 4 * r], said[r, i])
                    box[node, 4 * r + 1] = max(box[node, 4 * r + 1], said[r, i])
                box[node, 4 * r + 2] = min(box[node, 4 * r + 2], low[r, i])
                box[node, 4 * r + 3] = max(box[node, 4 * r + 3], high[r, i])
    return Tree(order, first, last, child, parent, leaf, count, mask, entered, rating, box)


@kernel
def take_out(tree: Tree, known: Bools, free: Bools) -> None:
    """Note who is not free any more; `known` is what the tree knew before."""
    parent, leaf, count = tree.parent, tree.leaf, tree.free
    for i in range(len(free)):
        if known[i] and not free[i]:
            known[i] = False
            node = leaf[i]
            while node >= 0:
                count[node] -= 1
                node = parent[node]
