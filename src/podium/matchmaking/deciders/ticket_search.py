"""Whom a ticket may meet, the nearest first, found without comparing it with everybody.

Thousands may wait who may meet nobody, or one other only. What terms forbid comes in three forms that a tree
of tickets (`graphs.ticket_tree`) can look for: ranges that each needs the other to be in, lists of players
who are kept apart, and kinds of tickets, of which one pair says it for all of two kinds. Terms that say none
of these are asked about each meeting.
"""

from __future__ import annotations

from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.graphs.search_tree import (
    Searching,
    enough_opponents,
    find_nearest,
    forbid_meetings,
    list_opponents,
)
from podium.matchmaking.graphs.ticket_tree import (
    MASK_BITS,
    TicketTable,
    Tree,
    divide_tickets,
    measure_nodes,
    take_out,
)
from podium.matchmaking.policies.meetings import Ranges, Waiting
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.policies.term_contract import Term, both_kinds
from podium.matchmaking.pool.player_lists import PlayerLists

MEETINGS_AT_ONCE = 1_000_000
"""Meetings looked at at a time."""
MOST_KINDS = 1_024
"""Kinds of tickets that are told apart; terms that make more of them are asked about each meeting."""
LOOKS_AT_ONCE = 500_000
"""Tickets and nodes that are looked at before somebody may say that time is up: some milliseconds."""


class Opponents(NamedTuple):
    """Lists of opponents: those of the i-th ticket that asked are `other[offsets[i]:offsets[i + 1]]`."""

    offsets: Longs
    other: Longs

    def __len__(self) -> int:
        return len(self.offsets) - 1


class TicketSearch:
    """Finds free tickets that others may meet; `rank` decides between those that are equally near."""

    def __init__(self, waiting: Waiting, policy: Policy, rank: Longs) -> None:
        self.waiting, self.policy = waiting, policy
        self.by_kind: list[Term] = []
        """Terms that look at nothing but the kind."""
        self.by_pair: list[Term] = []
        ranges: list[Ranges] = []
        apart: list[PlayerLists] = []
        kind = np.zeros(len(waiting), np.int64)
        for term in policy.terms:
            if type(term).forbids is Term.forbids:
                continue
            if (wanted := term.ranges(waiting.everybody)) is not None:
                ranges += wanted
            elif (lists := term.apart(waiting)) is not None:
                apart.append(lists)
            elif (said := term.kinds(waiting.everybody)) is not None and (
                len(np.unique(both := both_kinds(kind, np.asarray(said)))) <= MOST_KINDS
            ):
                kind = both
                self.by_kind.append(term)
            else:
                self.by_pair.append(term)
        self.table = _table(waiting, ranges, apart, kind, rank)
        self.known_kinds = np.zeros(len(self.table.mask), np.bool_)
        self.known_free = np.ones(len(waiting), np.bool_)
        self.marks = 0

    @property
    def has_lists(self) -> bool:
        """Whether it is worth listing whom each may meet: something may be forbidden, and terms say all of it
        without being asked about each meeting.
        """
        table = self.table
        return not self.by_pair and bool(self.by_kind or len(table.apart.other) or table.wants.any())

    @cached_property
    def tree(self) -> Tree:
        """Made for the first search."""
        return _tree(self.table, self.known_free)

    @cached_property
    def work(self) -> Searching:
        """What searches write on."""
        return Searching(
            np.full(len(self.waiting.store.people["next"]), -1),
            np.empty(len(self.tree.first) + 1, np.int64),
            np.empty((len(self.table.said), 6)),
        )

    def nearest(
        self, asking: Longs, since: Longs, free: Bools, most: int, edges: int, looks: int = LOOKS_AT_ONCE
    ) -> Opponents:
        """The nearest opponents, `most` at most, of one ticket after another among those who are free.

        For as many tickets of `asking` as can be with `edges` opponents and `looks` looks, one at least. Only
        opponents count who began to wait after `since`.
        """
        self._look_at(asking, free)
        done, offsets, other = list_opponents(
            asking, since, most, edges, looks, self.tree, self.table, free, self.work, self.marks
        )
        self.marks += done
        found = Opponents(offsets, other)
        return self._check_pairs(asking, since, free, most, found) if self.by_pair else found

    def all_of(self, asking: Longs, free: Bools, since: int = 0) -> Longs:
        """All free tickets that everybody who asks may meet, in order of joining."""
        self._look_at(asking, free)
        found = np.empty(len(free), np.int64)
        count, _ = find_nearest(
            asking,
            self.table.mu[asking[0]],
            self.table.wanted[asking[0]],
            since,
            self.tree,
            self.table,
            free,
            self.work,
            self.marks,
            found,
            np.empty(len(free)),
        )
        self.marks += 1
        others = np.sort(found[:count])
        for row in asking.tolist() if self.by_pair else []:
            meetings = self.waiting.meet(np.full(len(others), row), others)
            others = others[~self.policy.forbidden(meetings, self.by_pair)]
        return others

    def forbid_among(self, tickets: Longs) -> Floats:
        """For all pairs of tickets 0, or infinity where they may not meet, as a symmetric matrix."""
        self._ask_kinds(tickets)
        matrix = np.empty((len(tickets), len(tickets)))
        forbid_meetings(tickets, self.table, matrix)
        if self.by_pair:
            first, second = np.triu_indices(len(tickets), 1)
            forbidden = self.policy.forbidden(
                self.waiting.meet(tickets[first], tickets[second]), self.by_pair
            )
            first, second = first[forbidden], second[forbidden]
            matrix[first, second] = matrix[second, first] = np.inf
        return matrix

    def enough_for(self, asking: Longs, offsets: Longs, places: Longs, largest: Longs, free: Bools) -> Bools:
        """Whether running matches might find enough players now; see `enough_opponents`."""
        self._look_at(asking, free)
        self.marks += len(places)
        return enough_opponents(
            asking,
            offsets,
            places,
            largest,
            self.waiting.size,
            self.tree,
            self.table,
            free,
            self.work,
            self.marks - len(places),
        )

    def _check_pairs(
        self, asking: Longs, since: Longs, free: Bools, most: int, found: Opponents
    ) -> Opponents:
        """The same for terms that are asked about each meeting; who is left with fewer looks farther."""
        sizes = np.diff(found.offsets)
        rows = asking[: len(found)]
        meetings = self.waiting.meet(np.repeat(rows, sizes), found.other)
        allowed = ~self.policy.forbidden(meetings, self.by_pair)
        lists = []
        for i, row in enumerate(rows.tolist()):
            here = slice(found.offsets[i], found.offsets[i + 1])
            others = found.other[here][allowed[here]]
            if len(others) < most == sizes[i]:
                others = self.all_of(asking[i : i + 1], free, int(since[i]))
                far = np.abs(self.table.mu[others] - self.table.wanted[row])
                far += np.abs(self.table.mu[row] - self.table.wanted[others])
                others = others[np.lexsort((self.table.rank[others], far))[:most]]
            lists.append(others)
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
        return Opponents(offsets, np.concatenate([np.zeros(0, np.int64), *lists]))

    def _look_at(self, asking: Longs, free: Bools) -> None:
        """Bring the tree up to date for a search of those who ask."""
        take_out(self.tree, self.known_free, free)
        self._ask_kinds(asking)

    def _ask_kinds(self, asking: Longs) -> None:
        """Find out whom the kinds of these tickets may meet."""
        if self.by_kind and not self.known_kinds[self.table.kind[asking]].all():
            kinds = np.unique(self.table.kind[asking])
            self._find_kinds(kinds[~self.known_kinds[kinds]])

    def _find_kinds(self, kinds: Longs) -> None:
        """Look at one pair of tickets for each pair of kinds."""
        kind, meets, mask = self.table.kind, self.table.meets, self.table.mask
        count = len(mask)
        example = np.empty(count, np.int64)
        example[kind] = np.arange(len(kind))
        bits = 1 << (np.arange(count) % MASK_BITS)
        step = max(1, MEETINGS_AT_ONCE // max(1, count))
        for start in range(0, len(kinds), step):
            some = kinds[start : start + step]
            first, second = np.repeat(example[some], count), np.tile(example, len(some))
            forbidden = self.policy.forbidden(self.waiting.meet(first, second), self.by_kind)
            meets[some] = ~forbidden.reshape(len(some), count)
            mask[some] = np.bitwise_or.reduce(np.where(meets[some], bits, 0), axis=1)
        self.known_kinds[kinds] = True


def _table(
    waiting: Waiting, ranges: list[Ranges], apart: list[PlayerLists], kind: Longs, rank: Longs
) -> TicketTable:
    """What a search reads of tickets, as arrays of one shape for every policy."""
    n, kinds = len(waiting), int(kind.max(initial=0)) + 1
    said, low, high = (np.empty((len(ranges), n)) for _ in range(3))
    choice, picked = np.full((len(ranges), n), -1), [np.zeros(0, np.int64)]
    for r, one in enumerate(ranges):
        said[r], low[r], high[r] = one.said, one.low, one.high
        if one.choice is not None and one.picked is not None:
            choice[r] = one.choice
            picked.append(one.picked)
    wants = ~np.isnan(low)
    low[~wants], high[~wants] = -np.inf, np.inf
    nobody = PlayerLists(np.zeros(1 + len(waiting.store.names), np.int64), np.zeros(0, np.int32))
    says_first, says = _holders(said, choice)
    return TicketTable(
        said,
        low,
        high,
        choice,
        np.unique(np.concatenate(picked)),
        wants,
        kind,
        np.ones((kinds, kinds), np.bool_),
        np.full(kinds, -1),
        waiting.mu,
        waiting.wanted_rating,
        rank,
        waiting.store.table["entered"][waiting.slots],
        waiting.first,
        waiting.store.people["next"],
        reduce(PlayerLists.joined, apart, nobody),
        says_first,
        says,
    )


def _holders(said: Floats, choice: Longs) -> tuple[Longs, Longs]:
    """For each range in which somebody chooses, the tickets by what they say."""
    chosen = np.flatnonzero(np.any(choice >= 0, axis=1))
    codes = [np.where(np.isnan(said[r]), -1, said[r]).astype(np.int64) for r in chosen]
    most = 1 + max((int(one.max()) for one in codes), default=-1)
    first, says = np.zeros((len(said), most + 1), np.int64), np.zeros(said.shape, np.int64)
    for r, one in zip(chosen.tolist(), codes, strict=True):
        says[r] = np.argsort(one, kind="stable")
        first[r] = np.searchsorted(one[says[r]], np.arange(most + 1))
    return first, says


def _tree(table: TicketTable, free: Bools) -> Tree:
    """Tickets divided by whatever tells them apart."""
    columns: list[Floats] = [table.mu, table.kind.astype(np.float64)]
    for said, low, high in zip(table.said, table.low, table.high, strict=True):
        columns += [np.where(np.isnan(said), -np.inf, said), low, high]
    divided = divide_tickets(np.stack([one for one in columns if one.min() < one.max()] or columns[:1]))
    return measure_nodes(*divided, table, free)
