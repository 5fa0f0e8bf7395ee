"""Matchings of the greatest weight, by prices that prove it.

Edmonds' primal-dual method (Galil 1986, section 4) with whole numbers. Every player i has a price yᵢ ≥ 0 and
every blossom B a charge z_B ≥ 0 such that yᵢ + yⱼ + Σ z_B ≥ wᵢⱼ for all edges, summed over the blossoms that
both ends are in. So no matching weighs more than Σ yᵢ + Σ z_B (|B| − 1)/2. Pairs are made along *tight* edges
only, where the two sides are equal, and blossoms are always full; once everybody who is alone has the price
0, the matching weighs as much as that bound, and nothing can weigh more.

A search starts at somebody alone whose price is above 0 and grows a tree of tight edges: as the clock runs,
nodes at an even distance from the root sink in price, those at an odd distance rise, the others stay. An edge
from an even node that becomes tight grows the tree, closes a blossom or reaches somebody alone; then, or when
the price of an even player comes to 0, pairs along the way to the root are flipped. Only the tree is looked
at, so a search costs what its tree costs.

Weights are even numbers. Then prices of one tree all have the same parity, charges are even, and every event
happens at a whole time: there is no rounding anywhere.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Longs
from podium.matchmaking.graphs.blossom import (
    BASE,
    DUAL,
    EVEN,
    FIRST,
    FOLLOWING,
    FROM,
    HEAD,
    LABEL,
    MATE,
    NEXT,
    ODD,
    PARENT,
    PREVIOUS,
    REACH,
    SEEN,
    SIZE,
    TAIL,
    TO,
    UNLABELLED,
    even_way,
    flip,
    link,
    make_blossom,
    new_nodes,
    open_blossom,
    shift_prices,
    top_of,
    turn,
)
from podium.numerics.jit import kernel

NEVER = np.int64(2**62)

CLOCK, EVENTS, LABELLED, UNUSED, FINISH, PLAYER, EDGE, SEARCH = range(8)
"""Where a search stands: the time, how many events wait, how many nodes it has labelled, how many blossoms
are unused; when it will be over at the latest, at which player of price 0 or by which edge; its number."""

FIRST_REACH = 20
"""How many nodes a search may label in the first round."""


@kernel
def match_by_prices(
    offsets: Longs, other: Longs, weight: Longs, order: Longs, most: int
) -> tuple[Longs, int]:
    """Partners, and the bound that the prices prove, of a graph with even weights.

    A search that has labelled too many nodes gives up, and comes again in the next round, when most of those
    that are near have found each other and all may go twice as far: early searches of the whole graph would
    be for nothing. After the round in which they may label `most`, whoever is still alone stays so; the bound
    holds all the same. Roots come in the given order: one that has nothing to do with the graph is best.
    """
    players = len(offsets) - 1
    node = new_nodes(players)
    source = np.empty(len(other), np.int64)
    for i in range(players):
        for k in range(offsets[i], offsets[i + 1]):
            source[k] = i
    start_prices(node, offsets, other, weight, order)
    now = np.zeros(8, np.int64)
    unused = np.empty(len(node) - players, np.int64)
    for k in range(len(unused)):  # np.arange takes most of a second to compile
        unused[k] = players + k
    now[UNUSED] = len(unused)
    labelled = np.empty(2 * len(node), np.int64)
    stack = np.empty((2 * len(node), 2), np.int64)
    heap = np.empty((1024, 2), np.int64)
    reach, left = min(FIRST_REACH, most), order.copy()
    while len(left) > 0:
        count = 0
        for root in left:
            if node[root, MATE] < 0 and node[root, DUAL] > 0:
                now[SEARCH] += 1
                heap = _search(
                    node, offsets, other, weight, source, now, unused, labelled, stack, heap, root, reach
                )
                _finish(node, other, source, now, unused, labelled, stack)
                if now[PLAYER] < 0 and now[EDGE] < 0:
                    left[count] = root
                    count += 1
        left = left[:count]
        if reach >= most:
            break
        reach = min(2 * reach, most)
    partner = np.empty(players, np.int64)
    for i in range(players):
        partner[i] = node[i, MATE]
    return partner, _bound(node, players)


@kernel
def start_prices(node: Longs, offsets: Longs, other: Longs, weight: Longs, order: Longs) -> None:
    """Prices that allow every edge and are as low as simple means make them; pairs along tight edges."""
    players = len(offsets) - 1
    for i in range(players):
        for k in range(offsets[i], offsets[i + 1]):
            node[i, DUAL] = max(node[i, DUAL], weight[k] // 2)
    for i in order:
        if node[i, MATE] >= 0:
            continue
        low, partner = node[i, DUAL], -1
        for k in range(offsets[i], offsets[i + 1]):
            slack = node[i, DUAL] + node[other[k], DUAL] - weight[k]
            if slack < low or (slack == low and partner < 0):
                low, partner = slack, -1
                if node[other[k], MATE] < 0:
                    partner = other[k]
        node[i, DUAL] -= low
        if partner >= 0:
            node[i, MATE], node[partner, MATE] = partner, i


@kernel
def _search(
    node: Longs,
    offsets: Longs,
    other: Longs,
    weight: Longs,
    source: Longs,
    now: Longs,
    unused: Longs,
    labelled: Longs,
    stack: Longs,
    heap: Longs,
    root: int,
    most: int,
) -> Longs:
    """Grow the tree of a root until it is known how it ends."""
    now[CLOCK], now[EVENTS], now[LABELLED], now[FINISH] = 0, 0, 0, NEVER
    now[PLAYER], now[EDGE] = -1, -1
    top = top_of(node, root)
    _mark_even(node, now, labelled, top, 1)
    heap = _look_around(node, offsets, other, weight, now, heap, top)
    while now[EVENTS] > 0 and heap[0, 0] < now[FINISH]:
        now[CLOCK], item = heap[0, 0], heap[0, 1]
        _pop(heap, now)
        if item < 0:
            b = -1 - item
            if node[b, LABEL] == ODD and node[b, PARENT] < 0 and node[b, DUAL] == 2 * now[CLOCK]:
                heap = _expand(node, offsets, other, weight, now, unused, labelled, heap, b)
            continue
        u, v = source[item], other[item]
        if node[top_of(node, u), LABEL] != EVEN:
            u, v = v, u
        a, b = top_of(node, u), top_of(node, v)
        label = node[b, LABEL]
        if a == b or label == ODD:
            continue
        price = node[v, DUAL] - (now[CLOCK] if label == EVEN else 0)
        if node[u, DUAL] - now[CLOCK] + price != weight[item]:
            continue
        if label == EVEN:
            now[UNUSED] -= 1
            blossom = unused[now[UNUSED]]
            make_blossom(node, blossom, u, v, now[CLOCK])
            labelled[now[LABELLED]] = blossom
            now[LABELLED] += 1
            c = node[blossom, FIRST]
            while True:
                if node[c, LABEL] == ODD:
                    heap = _look_around(node, offsets, other, weight, now, heap, c)
                node[c, LABEL] = UNLABELLED
                c = node[c, NEXT]
                if c == node[blossom, FIRST]:
                    break
        else:
            heap = _mark_odd(node, now, labelled, heap, b, u, v, -1)
            c = top_of(node, node[node[b, BASE], MATE])
            _mark_even(node, now, labelled, c, 1)
            heap = _look_around(node, offsets, other, weight, now, heap, c)
        if now[LABELLED] > most:
            now[FINISH], now[PLAYER], now[EDGE] = now[CLOCK], -1, -1
    now[CLOCK] = now[FINISH]
    return heap


@kernel
def _mark_even(node: Longs, now: Longs, labelled: Longs, top: int, shift: int) -> None:
    """Prices inside sink from now on: y + clock is kept, and z − 2 clock of the blossom."""
    node[top, LABEL] = EVEN
    labelled[now[LABELLED]] = top
    now[LABELLED] += 1
    shift_prices(node, top, shift * now[CLOCK])
    if node[top, FIRST] >= 0:
        node[top, DUAL] -= 2 * now[CLOCK]


@kernel
def _mark_odd(
    node: Longs, now: Longs, labelled: Longs, heap: Longs, top: int, u: int, v: int, shift: int
) -> Longs:
    """Prices inside rise from now on: y − clock is kept, and z + 2 clock of a blossom, until z is 0."""
    node[top, LABEL], node[top, FROM], node[top, TO] = ODD, u, v
    labelled[now[LABELLED]] = top
    now[LABELLED] += 1
    shift_prices(node, top, shift * now[CLOCK])
    if node[top, FIRST] >= 0:
        node[top, DUAL] += 2 * now[CLOCK]
        if node[top, DUAL] // 2 < now[FINISH]:
            heap = _with_room(heap, now, 1)
            _push(heap, now, node[top, DUAL] // 2, -1 - top)
    return heap


@kernel
def _look_around(
    node: Longs, offsets: Longs, other: Longs, weight: Longs, now: Longs, heap: Longs, part: int
) -> Longs:
    """When the edges of players who have become even will be tight."""
    clock = now[CLOCK]
    v, last = node[part, HEAD], node[part, TAIL]
    top = top_of(node, v)
    while True:
        own = node[v, DUAL]
        if own < now[FINISH]:
            now[FINISH], now[PLAYER], now[EDGE] = own, v, -1
        heap = _with_room(heap, now, offsets[v + 1] - offsets[v])
        for k in range(offsets[v], offsets[v + 1]):
            j = other[k]
            b = top_of(node, j)
            label = node[b, LABEL]
            if label == ODD or b == top:
                continue
            slack = own - clock + node[j, DUAL] - weight[k]
            if label == EVEN:
                time = clock + (slack - clock) // 2
                if time < now[FINISH]:
                    _push(heap, now, time, k)
                continue
            time = clock + slack
            if time >= now[FINISH]:
                continue
            if node[node[b, BASE], MATE] < 0:
                now[FINISH], now[PLAYER], now[EDGE] = time, -1, k
            elif node[j, SEEN] != now[SEARCH] or time < node[j, REACH]:
                node[j, SEEN], node[j, REACH] = now[SEARCH], time
                _push(heap, now, time, k)
        if v == last:
            break
        v = node[v, FOLLOWING]
    return heap


@kernel
def _look_back(
    node: Longs, offsets: Longs, other: Longs, weight: Longs, now: Longs, heap: Longs, part: int
) -> Longs:
    """When the first edge from an even player to each who has lost the label will be tight."""
    v, last = node[part, HEAD], node[part, TAIL]
    while True:
        node[v, SEEN], node[v, REACH] = now[SEARCH], NEVER
        through = -1
        for k in range(offsets[v], offsets[v + 1]):
            j = other[k]
            if node[top_of(node, j), LABEL] == EVEN:
                time = node[j, DUAL] + node[v, DUAL] - weight[k]
                if time < node[v, REACH]:
                    node[v, REACH], through = time, k
        if through >= 0 and node[v, REACH] < now[FINISH]:
            heap = _with_room(heap, now, 1)
            _push(heap, now, node[v, REACH], through)
        if v == last:
            break
        v = node[v, FOLLOWING]
    return heap


@kernel
def _expand(
    node: Longs,
    offsets: Longs,
    other: Longs,
    weight: Longs,
    now: Longs,
    unused: Longs,
    labelled: Longs,
    heap: Longs,
    blossom: int,
) -> Longs:
    """Take an odd blossom without charge apart: its even way stays in the tree, the rest leaves it."""
    first = node[blossom, FIRST]
    u, v = node[blossom, FROM], node[blossom, TO]
    open_blossom(node, blossom)
    unused[now[UNUSED]] = blossom
    now[UNUSED] += 1
    child = top_of(node, v)
    ahead = even_way(node, child, first)
    column = NEXT if ahead else PREVIOUS
    heap = _mark_odd(node, now, labelled, heap, child, u, v, 0)
    x = child
    while x != first:
        y = node[x, column]
        x = node[y, column]
        _mark_even(node, now, labelled, y, 2)
        u, v = link(node, y, x, ahead)
        heap = _mark_odd(node, now, labelled, heap, x, u, v, 0)
    x = node[first, column]
    while x != child:
        shift_prices(node, x, now[CLOCK])
        x = node[x, column]
    c = first
    while True:
        if node[c, LABEL] == EVEN:
            heap = _look_around(node, offsets, other, weight, now, heap, c)
        elif node[c, LABEL] == UNLABELLED:
            heap = _look_back(node, offsets, other, weight, now, heap, c)
        c = node[c, NEXT]
        if c == first:
            break
    return heap


@kernel
def _finish(
    node: Longs, other: Longs, source: Longs, now: Longs, unused: Longs, labelled: Longs, stack: Longs
) -> None:
    """Flip the pairs on the way found, let prices stand still, and open blossoms without charge."""
    if now[EDGE] >= 0:
        u, v = source[now[EDGE]], other[now[EDGE]]
        turn(node, stack, top_of(node, v), v)
        flip(node, stack, u, v)
    elif now[PLAYER] >= 0:
        flip(node, stack, now[PLAYER], -1)
    clock = now[CLOCK]
    for i in range(now[LABELLED]):
        top = labelled[i]
        label = node[top, LABEL]
        if label == UNLABELLED or node[top, PARENT] >= 0:
            continue
        node[top, LABEL] = UNLABELLED
        sign = -1 if label == EVEN else 1
        shift_prices(node, top, sign * clock)
        if node[top, FIRST] < 0:
            continue
        node[top, DUAL] -= 2 * sign * clock
        depth = 1
        stack[0, 0] = top
        while depth > 0:
            depth -= 1
            b = stack[depth, 0]
            if node[b, FIRST] >= 0 and node[b, DUAL] == 0:
                first = node[b, FIRST]
                open_blossom(node, b)
                unused[now[UNUSED]] = b
                now[UNUSED] += 1
                c = first
                while True:
                    stack[depth, 0] = c
                    depth += 1
                    c = node[c, NEXT]
                    if c == first:
                        break


@kernel
def _bound(node: Longs, players: int) -> int:
    """Σ y + Σ z (|B| − 1)/2."""
    total = 0
    for i in range(players):
        total += node[i, DUAL]
    for b in range(players, len(node)):
        if node[b, BASE] >= 0:
            total += node[b, DUAL] * (node[b, SIZE] // 2)
    return total


@kernel
def _with_room(heap: Longs, now: Longs, more: int) -> Longs:
    if now[EVENTS] + more <= len(heap):
        return heap
    larger = np.empty((2 * (now[EVENTS] + more), 2), np.int64)
    for i in range(now[EVENTS]):
        larger[i, 0], larger[i, 1] = heap[i, 0], heap[i, 1]
    return larger


@kernel
def _push(heap: Longs, now: Longs, time: int, item: int) -> None:
    i = now[EVENTS]
    now[EVENTS] += 1
    while i > 0:
        above = (i - 1) // 2
        if heap[above, 0] <= time:
            break
        heap[i, 0], heap[i, 1] = heap[above, 0], heap[above, 1]
        i = above
    heap[i, 0], heap[i, 1] = time, item


@kernel
def _pop(heap: Longs, now: Longs) -> None:
    """Take the first event off the heap."""
    now[EVENTS] -= 1
    count = now[EVENTS]
    time, item = heap[count, 0], heap[count, 1]
    i = 0
    while True:
        below = 2 * i + 1
        if below >= count:
            break
        if below + 1 < count and heap[below + 1, 0] < heap[below, 0]:
            below += 1
        if heap[below, 0] >= time:
            break
        heap[i, 0], heap[i, 1] = heap[below, 0], heap[below, 1]
        i = below
    heap[i, 0], heap[i, 1] = time, item
