"""Blossoms: odd cycles of a graph that a search for better pairs treats as one player.

Edmonds' structure for matchings in general graphs (Galil 1986, section 3), as the search in `exact` needs it.
Players are nodes 0 … n − 1; a blossom is a node above them whose children, players or blossoms, form a cycle
of odd length. All but one child of a cycle are paired along it, and that one, the base, may be any: `turn`
makes another one the base.

What is known of a node is a row of one table, so that a search that touches few nodes touches little memory.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Longs
from podium.numerics.jit import kernel

DUAL, TOP, LABEL, BASE, MATE, SEEN, REACH, FIRST = range(8)
OUT, IN, PARENT, NEXT, PREVIOUS, HEAD, TAIL, FOLLOWING = range(8, 16)
NODE_COLUMNS = 16
TO, FROM, SIZE = OUT, IN, REACH
"""What a row of the table says, what a search looks at most in its first half:

- DUAL: the price of a player, the charge of a blossom; while labelled, see `exact`;
- TOP: a blossom around, or the node itself where there is none: the way to the outermost, see `top_of`;
- LABEL (outermost nodes): the part in the search;
- BASE: the player who is not paired inside;
- MATE (players): the partner; −1 for none;
- SEEN, REACH (players): which search looked at it last, and when that would get there;
- SIZE (blossoms): how many players are inside;
- FIRST (blossoms): the child that the base is in;
- OUT, IN (children): the ends, here and there, of the edge to the next one;
- TO, FROM (odd outermost nodes): the ends, here and there, of the edge by which the search came;
- PARENT: the blossom around; −1 for none;
- NEXT, PREVIOUS (children): the cycle;
- HEAD, TAIL, FOLLOWING (players): all players inside, as a chain.
"""

UNLABELLED, EVEN, ODD = 0, 1, 2


@kernel
def new_nodes(players: int) -> Longs:
    """Everybody alone; as many blossoms as there can be at a time, all unused."""
    node = np.full((players + players // 2 + 1, NODE_COLUMNS), -1, np.int64)
    for i in range(len(node)):
        node[i, DUAL], node[i, LABEL] = 0, UNLABELLED
    for i in range(players):
        for column in (TOP, BASE, HEAD, TAIL):
            node[i, column] = i
    return node


@kernel
def top_of(node: Longs, player: int) -> int:
    """The outermost node around a player; the ways there get shorter by being walked."""
    top = player
    while node[top, TOP] != top:
        top = node[top, TOP]
    x = player
    while node[x, TOP] != top:
        x, node[x, TOP] = node[x, TOP], top
    return top


@kernel
def turn(node: Longs, stack: Longs, blossom: int, player: int) -> None:
    """Make a player inside the base, with everybody else inside paired."""
    stack[0, 0], stack[0, 1] = blossom, player
    depth = 1
    while depth > 0:
        depth -= 1
        b, v = stack[depth, 0], stack[depth, 1]
        if node[b, BASE] == v:
            continue
        child = v
        while node[child, PARENT] != b:
            child = node[child, PARENT]
        ahead = even_way(node, child, node[b, FIRST])
        stack[depth, 0], stack[depth, 1] = child, v
        depth += 1
        # From the new base to the old one, pairs move on by one edge.
        x = child
        while x != node[b, FIRST]:
            y = _step(node, x, ahead)
            z = _step(node, y, ahead)
            p, q = link(node, y, z, ahead)
            node[p, MATE], node[q, MATE] = q, p
            stack[depth, 0], stack[depth, 1] = y, p
            stack[depth + 1, 0], stack[depth + 1, 1] = z, q
            depth += 2
            x = z
        node[b, BASE], node[b, FIRST] = v, child


@kernel
def even_way(node: Longs, child: int, goal: int) -> bool:
    """Whether the way along the cycle that takes an even number of steps goes ahead."""
    steps = 0
    while child != goal:
        child = node[child, NEXT]
        steps += 1
    return steps % 2 == 0


@kernel
def _step(node: Longs, child: int, ahead: bool) -> int:
    following: int = node[child, NEXT if ahead else PREVIOUS]
    return following


@kernel
def link(node: Longs, child: int, following: int, ahead: bool) -> tuple[int, int]:
    """The ends of the edge from one child of a cycle to the next on a way."""
    if ahead:
        return node[child, OUT], node[child, IN]
    return node[following, IN], node[following, OUT]


@kernel
def _join(node: Longs, child: int, following: int, out: int, into: int) -> None:
    node[child, NEXT], node[child, OUT], node[child, IN] = following, out, into
    node[following, PREVIOUS] = child


@kernel
def flip(node: Longs, stack: Longs, player: int, partner: int) -> None:
    """Pair an even player with somebody new, or nobody (−1), and flip the pairs up to the root."""
    u, v = player, partner
    while True:
        b = top_of(node, u)
        before = node[node[b, BASE], MATE]
        turn(node, stack, b, u)
        node[u, MATE] = v
        if v >= 0:
            node[v, MATE] = u
        if before < 0:
            return
        odd = top_of(node, before)
        u, v = node[odd, FROM], node[odd, TO]
        turn(node, stack, odd, v)


@kernel
def _up(node: Longs, even: int) -> int:
    """The even node above an even one in the tree; −1 above the root."""
    mate = node[node[even, BASE], MATE]
    if mate < 0:
        return -1
    return top_of(node, node[top_of(node, mate), FROM])


@kernel
def _common(node: Longs, a: int, b: int) -> int:
    """The lowest even node above two; it costs no more than their ways up to it are long."""
    x, y, found = a, b, -1
    while True:
        if x >= 0:
            if node[x, LABEL] < 0:
                found = x
                break
            node[x, LABEL] = -EVEN
            x = _up(node, x)
        x, y = y, x
    for start in (a, b):
        x = start
        while x >= 0 and node[x, LABEL] < 0:
            node[x, LABEL] = EVEN
            x = _up(node, x)
    return found


@kernel
def make_blossom(node: Longs, blossom: int, u: int, v: int, clock: int) -> None:
    """Join the cycle that an edge between two even players closes; the blossom is even, as was its base.

    Its odd children keep their label for the caller, who has to go through their edges.
    """
    a, b = top_of(node, u), top_of(node, v)
    common = _common(node, a, b)
    x = a
    while x != common:
        base = node[x, BASE]
        odd = top_of(node, node[base, MATE])
        _join(node, x, odd, base, node[base, MATE])
        x = top_of(node, node[odd, FROM])
        _join(node, odd, x, node[odd, TO], node[odd, FROM])
    x = b
    while x != common:
        base = node[x, BASE]
        odd = top_of(node, node[base, MATE])
        there, here = node[odd, FROM], node[odd, TO]
        _join(node, odd, x, node[base, MATE], base)
        x = top_of(node, there)
        _join(node, x, odd, there, here)
    _join(node, b, a, v, u)
    node[blossom, FIRST], node[blossom, BASE] = common, node[common, BASE]
    node[blossom, PARENT], node[blossom, LABEL] = -1, EVEN
    node[blossom, DUAL], node[blossom, SIZE], node[blossom, TOP] = -2 * clock, 0, blossom
    node[blossom, HEAD], node[blossom, TAIL] = node[common, HEAD], node[common, TAIL]
    c = common
    while True:
        node[c, PARENT] = blossom
        if c != common:
            node[node[blossom, TAIL], FOLLOWING] = node[c, HEAD]
            node[blossom, TAIL] = node[c, TAIL]
        _settle(node, c, clock)
        node[c, TOP] = blossom
        node[blossom, SIZE] += node[c, SIZE] if node[c, FIRST] >= 0 else 1
        c = node[c, NEXT]
        if c == common:
            break


@kernel
def _settle(node: Longs, child: int, clock: int) -> None:
    """The charge of a child stands still from now on, and its players are even."""
    if node[child, LABEL] == ODD:
        shift_prices(node, child, 2 * clock)
    if node[child, FIRST] >= 0:
        node[child, DUAL] += 2 * clock if node[child, LABEL] == EVEN else -2 * clock


@kernel
def shift_prices(node: Longs, part: int, by: int) -> None:
    """Shift the prices of all players inside a blossom."""
    v, last = node[part, HEAD], node[part, TAIL]
    while True:
        node[v, DUAL] += by
        if v == last:
            break
        v = node[v, FOLLOWING]


@kernel
def open_blossom(node: Longs, blossom: int) -> None:
    """Its children are outermost nodes again, without a label; the blossom is unused."""
    first = node[blossom, FIRST]
    c = first
    while True:
        node[c, PARENT], node[c, LABEL], node[c, TOP] = -1, UNLABELLED, c
        v, last = node[c, HEAD], node[c, TAIL]
        while True:
            node[v, TOP] = c
            if v == last:
                break
            v = node[v, FOLLOWING]
        c = node[c, NEXT]
        if c == first:
            break
    node[blossom, BASE], node[blossom, LABEL] = -1, UNLABELLED
