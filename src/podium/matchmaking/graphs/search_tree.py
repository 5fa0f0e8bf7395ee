"""Searches in a tree of tickets for the nearest ones that somebody may meet, without looking at everybody.

A search skips nodes in which nobody says what is needed, or nobody would take the one who asks. What it finds
does not depend on how the tree was divided.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.graphs.ticket_tree import TicketTable, Tree
from podium.matchmaking.pool.player_lists import PlayerLists, is_listed
from podium.numerics.jit import kernel, shared_kernel

MOST_HOLDERS = 512
"""Tickets that say one of the texts somebody chooses, up to which they are gone through one by one."""
CODES = 0xFFFFFFFF
"""The part of `picked` that is the number of a text."""


class Searching(NamedTuple):
    """What searches write on."""

    stamp: Longs
    """By player: the mark of the last search that is kept apart from them."""
    stack: Longs
    limit: Floats
    """For each range: what is wanted from and to, what is said from and to, whether anything is wanted, and
    whether somebody does not say it."""


@kernel
def _picks(picked: Longs, choice: int, value: float) -> bool:
    """Whether a choice has this number among its own."""
    key = (choice << 32) | int(value)
    low, high = 0, len(picked)
    while low < high:
        middle = (low + high) // 2
        if picked[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < len(picked) and picked[low] == key


@kernel
def _picks_of(one: int, other: int, said: Floats, choice: Longs, picked: Longs) -> bool:
    """Whether what the other says is among the choices of one, for all ranges in which that one chooses."""
    for r in range(len(said)):
        if choice[r, one] >= 0 and not _picks(picked, choice[r, one], said[r, other]):
            return False
    return True


@kernel
def _is_in_ranges_of(one: int, other: int, said: Floats, low: Floats, high: Floats, wants: Bools) -> bool:
    """Whether what the other says is in all ranges of one."""
    for r in range(len(said)):
        if wants[r, one] and not (low[r, one] <= said[r, other] <= high[r, one]):
            return False
    return True


@kernel
def forbid_meetings(who: Longs, table: TicketTable, out: Floats) -> None:
    """Write for all pairs of tickets 0, or infinity where they may not meet, as a symmetric matrix."""
    said, low, high, choice, picked, wants, kind, meets = table[:8]
    player, following, apart = table.player, table.following, table.apart
    offsets, other = apart
    for i in range(len(who)):
        a = who[i]
        out[i, i] = 0.0
        for j in range(i):
            b = who[j]
            may = meets[kind[a], kind[b]]
            may = may and _is_in_ranges_of(a, b, said, low, high, wants)
            may = may and _is_in_ranges_of(b, a, said, low, high, wants)
            may = may and _picks_of(a, b, said, choice, picked) and _picks_of(b, a, said, choice, picked)
            may = may and not (len(other) and is_listed(player[a], player[b], following, offsets, other))
            out[i, j] = out[j, i] = 0.0 if may else np.inf


@kernel
def _stamp(
    asking: Longs, player: Longs, following: Longs, lists: PlayerLists, stamp: Longs, mark: int
) -> None:
    """Mark everybody from whom the players of these tickets are kept apart."""
    offsets, other = lists
    for i in asking:
        a = player[i]
        while a >= 0:
            for k in range(offsets[a], offsets[a + 1]):
                stamp[other[k]] = mark
            a = following[a]


@kernel
def _is_stamped(ticket: int, player: Longs, following: Longs, stamp: Longs, mark: int) -> bool:
    """Whether a player of a ticket is marked."""
    a = player[ticket]
    while a >= 0:
        if stamp[a] == mark:
            return True
        a = following[a]
    return False


@kernel
def _outside(value: float, low: float, high: float) -> float:
    """How far a number is outside of limits."""
    return max(low - value, value - high, 0.0)


@kernel
def _limit(asking: Longs, said: Floats, low: Floats, high: Floats, wants: Bools, limit: Floats) -> None:
    """For each range what all who ask want together, and what others have to take of them."""
    for r in range(len(said)):
        need_low, need_high, least, greatest = -np.inf, np.inf, np.inf, -np.inf
        limit[r, 4], limit[r, 5] = 0.0, 0.0
        for i in asking:
            limit[r, 4] = max(limit[r, 4], wants[r, i])
            need_low, need_high = max(need_low, low[r, i]), min(need_high, high[r, i])
            value = said[r, i]
            if value == value:
                least, greatest = min(least, value), max(greatest, value)
            else:  # only those will do who want nothing of it
                least, greatest, limit[r, 5] = -np.inf, np.inf, 1.0
        limit[r, 0], limit[r, 1], limit[r, 2], limit[r, 3] = need_low, need_high, least, greatest


@kernel
def _is_within(box: Floats, limit: Floats) -> bool:
    """Whether somebody in a node may be in all ranges of those who ask, and they in theirs."""
    for r in range(len(limit)):
        if limit[r, 4] > 0 and not (box[4 * r] <= limit[r, 1] and box[4 * r + 1] >= limit[r, 0]):
            return False
        if not (box[4 * r + 2] <= limit[r, 2] and box[4 * r + 3] >= limit[r, 3]):
            return False
    return True


@kernel
def _rarest(one: int, choice: Longs, picked: Longs, says_first: Longs) -> tuple[int, int]:
    """The range of which the fewest say what one chooses, and how many do; −1 if it chooses nothing."""
    best, fewest = -1, 0
    for r in range(len(choice)):
        if choice[r, one] < 0:
            continue
        count, k = 0, np.searchsorted(picked, choice[r, one] << 32)
        while k < len(picked) and picked[k] >> 32 == choice[r, one]:
            code = picked[k] & CODES
            if code + 1 < says_first.shape[1]:
                count += says_first[r, code + 1] - says_first[r, code]
            k += 1
        if best < 0 or count < fewest:
            best, fewest = r, count
    return best, fewest


@shared_kernel
def find_nearest(
    asking: Longs,
    own: float,
    ideal: float,
    since: int,
    tree: Tree,
    table: TicketTable,
    free: Bools,
    work: Searching,
    mark: int,
    found: Longs,
    far: Floats,
) -> tuple[int, int]:
    """The free tickets that everybody who asks may meet, as many of the nearest as `found` has room for.

    The nearest comes first; where there is room for everybody they come in any order. Near is whose rating is
    near `ideal`, and who wants somebody rated near `own`. Only tickets count that began to wait after
    `since`. `mark` is new to `work`. Returns how many were found, and how many tickets and nodes were looked
    at.
    """
    said, low, high, choice, picked, wants, kind, meets, masks = table[:9]
    mu, wanted, rank, entered, player, following, lists, says_first, says = table[9:]
    order, first, last, child = tree.order, tree.first, tree.last, tree.child
    there, mask, latest, rating, box = tree.free, tree.mask, tree.entered, tree.rating, tree.box
    stamp, stack, limit = work
    most, apart, chosen = len(found), len(lists.other) > 0, len(picked) > 0
    sorted_out = most < len(free)
    if apart:
        _stamp(asking, player, following, lists, stamp, mark)
    _limit(asking, said, low, high, wants, limit)
    allowed = masks[kind[asking[0]]]
    for i in asking:
        allowed &= masks[kind[i]]
    few, holders = _rarest(asking[0], choice, picked, says_first)
    by_text = few >= 0 and holders <= MOST_HOLDERS
    text = np.searchsorted(picked, choice[few, asking[0]] << 32) if by_text else 0
    count, looks = 0, 1
    stack[0], depth = 0, 1
    while depth > 0:
        # Some tickets at a time: those who say the next text that is asked for, or those of a leaf.
        if by_text:
            if text == len(picked) or picked[text] >> 32 != choice[few, asking[0]]:
                break
            code = picked[text] & CODES
            text += 1
            begin, end = says_first[few, code], says_first[few, code + 1]
        else:
            depth -= 1
            node = stack[depth]
            looks += 1
            if there[node] == 0 or mask[node] & allowed == 0 or latest[node] <= since:
                continue
            if count == most:
                near = _outside(ideal, rating[node, 0], rating[node, 1])
                if near + _outside(own, rating[node, 2], rating[node, 3]) > far[most - 1]:
                    continue
            if not _is_within(box[node], limit):
                continue
            if child[node] >= 0:
                one, two = child[node], child[node] + 1
                near = _outside(ideal, rating[one, 0], rating[one, 1])
                near += _outside(own, rating[one, 2], rating[one, 3])
                near -= _outside(ideal, rating[two, 0], rating[two, 1])
                near -= _outside(own, rating[two, 2], rating[two, 3])
                stack[depth], stack[depth + 1] = (two, one) if near <= 0.0 else (one, two)
                depth += 2
                continue
            begin, end = first[node], last[node]
        for place in range(begin, end):
            j = says[few, place] if by_text else order[place]
            looks += 1
            if not free[j] or entered[j] <= since:
                continue
            if apart and _is_stamped(j, player, following, stamp, mark):
                continue
            away = abs(mu[j] - ideal) + abs(own - wanted[j])
            if count == most and (
                away > far[most - 1] or (away == far[most - 1] and rank[j] > rank[found[most - 1]])
            ):
                continue
            may = True
            for r in range(len(limit)):
                value = said[r, j]
                may = may and (limit[r, 4] == 0.0 or limit[r, 0] <= value <= limit[r, 1])
                may = may and low[r, j] <= limit[r, 2] and limit[r, 3] <= high[r, j]
                may = may and not (wants[r, j] and limit[r, 5] > 0.0)
            for i in asking:
                may = may and i != j and meets[kind[i], kind[j]]
                if chosen and may:
                    may = _picks_of(i, j, said, choice, picked) and _picks_of(j, i, said, choice, picked)
            if not may:
                continue
            k = min(count, most - 1)
            while (
                sorted_out
                and k > 0
                and (far[k - 1] > away or (far[k - 1] == away and rank[found[k - 1]] > rank[j]))
            ):
                found[k], far[k] = found[k - 1], far[k - 1]
                k -= 1
            found[k], far[k] = j, away
            count = min(count + 1, most)
    return count, looks


@kernel
def list_opponents(
    asking: Longs,
    since: Longs,
    most: int,
    edges: int,
    looks: int,
    tree: Tree,
    table: TicketTable,
    free: Bools,
    work: Searching,
    mark: int,
) -> tuple[int, Longs, Longs]:
    """For one ticket after another its nearest opponents, `most` at most, until there are so many together.

    Stops also after so many `looks`. Marks from `mark` on are new to `work`. Returns for how many tickets,
    where each one's begin and end, and the opponents.
    """
    offsets, found = np.zeros(len(asking) + 1, np.int64), np.empty(edges + most, np.int64)
    far, done, used = np.empty(most), 0, 0
    while done < len(asking) and used < edges and looks > 0:
        i = asking[done]
        room = found[used : used + most]
        count, looked = find_nearest(
            asking[done : done + 1],
            table.mu[i],
            table.wanted[i],
            since[done],
            tree,
            table,
            free,
            work,
            mark + done,
            room,
            far,
        )
        looks -= looked
        used += count
        done += 1
        offsets[done] = used
    return done, offsets[: done + 1], found[:used]


@kernel
def enough_opponents(
    asking: Longs,
    offsets: Longs,
    places: Longs,
    largest: Longs,
    size: Longs,
    tree: Tree,
    table: TicketTable,
    free: Bools,
    work: Searching,
    mark: int,
) -> Bools:
    """Whether running matches might find players for their open places among those whom all in them may meet.

    Match i has the tickets asking[offsets[i]:offsets[i + 1]], so many `places`, and room for a party of no
    more than `largest`.
    """
    enough, most = np.ones(len(places), np.bool_), places.max()
    found, far = np.empty(most, np.int64), np.empty(most)
    for match in range(len(places)):
        here = asking[offsets[match] : offsets[match + 1]]
        level = table.mu[here[0]]
        count, _ = find_nearest(here, level, level, 0, tree, table, free, work, mark + match, found, far)
        there = 0
        for j in found[:count]:
            there += size[j] if size[j] <= largest[match] else 0
        enough[match] = count == most or there >= places[match]
    return enough
