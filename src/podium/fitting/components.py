"""Who can be compared with whom: parts of the graph of votes, and players whose strength has no bound."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from podium.arrays import Bools, Longs


def weak_components(players: int, first: Longs, second: Longs) -> Longs:
    """The number of each player's component: players in one are linked by comparisons.

    Components are numbered by their first player. A player without comparisons is one alone.
    """
    label = np.arange(players)
    while True:
        low = np.minimum(label[first], label[second])
        before = label.copy()
        np.minimum.at(label, first, low)
        np.minimum.at(label, second, low)
        label = label[label]
        if np.array_equal(label, before):
            return np.asarray(np.unique(label, return_inverse=True)[1], np.int64)


def strong_components(players: int, better: Longs, worse: Longs) -> Longs:
    """The number of each player's strong component in the graph of who was not worse than whom.

    The likelihood has a maximum where strong components are as large as weak ones (Zermelo 1929, Ford 1957).
    Of two components, the one whose players win has the smaller number.
    """
    if _all_reached(players, better, worse) and _all_reached(players, worse, better):
        return np.zeros(players, np.int64)
    order = np.argsort(better, kind="stable")
    targets = worse[order].tolist()
    starts = np.searchsorted(better[order], np.arange(players + 1)).tolist()
    edges = [targets[a:b] for a, b in pairwise(starts)]
    found, low = [-1] * players, [0] * players
    component, stack, count, made = [-1] * players, [], 0, 0
    for root in range(players):  # Tarjan (1972), without recursion
        walk = [(root, 0)] if found[root] < 0 else []
        while walk:
            node, edge = walk.pop()
            if edge == 0:
                found[node] = low[node] = count
                count += 1
                stack.append(node)
            for position in range(edge, len(edges[node])):
                target = edges[node][position]
                if found[target] < 0:
                    walk += [(node, position + 1), (target, 0)]
                    break
                if component[target] < 0:
                    low[node] = min(low[node], found[target])
            else:
                if low[node] == found[node]:
                    while component[node] < 0:
                        component[stack.pop()] = made
                    made += 1
                if walk:
                    parent = walk[-1][0]
                    low[parent] = min(low[parent], low[node])
    return made - 1 - np.array(component)  # Tarjan finds those that only lose first


def _all_reached(players: int, sources: Longs, targets: Longs) -> bool:
    """Whether each player is reached from the first one."""
    reached: Bools = np.zeros(players, bool)
    reached[:1] = True
    while not reached.all():
        fresh = targets[reached[sources]]
        fresh = fresh[~reached[fresh]]
        if not len(fresh):
            return False
        reached[fresh] = True
    return True
