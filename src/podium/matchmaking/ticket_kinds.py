"""Tickets that are alike: what is forbidden to one of a kind is forbidden to all of it.

Thousands may wait whom nobody may meet. To know that, everybody would have to be looked at for each of them;
but tickets come in few kinds (a platform, regions near enough, an input that is needed), and of two kinds one
pair of tickets says it all. Only what depends on who somebody is, blocks and rematches, is looked at pair by
pair.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Bools, Longs
from podium.matchmaking.meetings import Waiting
from podium.matchmaking.policy import Policy
from podium.matchmaking.policy_terms import Term, both_kinds

MEETINGS_AT_ONCE = 1_000_000
"""Meetings looked at at a time."""


class Kinds:
    """The kinds of the waiting tickets, and which kinds may meet."""

    def __init__(self, waiting: Waiting, policy: Policy) -> None:
        self.waiting, self.policy = waiting, policy
        self.by_kind: list[Term] = []
        """Terms that look at nothing but the kind."""
        self.by_pair: list[Term] = []
        key = np.zeros(len(waiting), np.int64)
        for term in policy.terms:
            if type(term).forbids is Term.forbids:
                continue
            said = term.kinds(waiting.everybody)
            if said is None:
                self.by_pair.append(term)
                continue
            self.by_kind.append(term)
            key = both_kinds(key, np.asarray(said))
        self.kind = key
        self.example = np.empty(key.max(initial=-1) + 1, np.int64)
        self.example[key[::-1]] = np.arange(len(key))[::-1]
        self._meets: dict[int, Bools] = {}

    def meets(self, kind: int) -> Bools:
        """The kinds that this kind may meet."""
        if kind not in self._meets:
            self._find(np.array([kind]))
        return self._meets[kind]

    def _find(self, kinds: Longs) -> None:
        """Look at one pair of tickets for each pair of kinds."""
        others = self.example
        step = max(1, MEETINGS_AT_ONCE // max(1, len(others)))
        for start in range(0, len(kinds), step):
            some = kinds[start : start + step]
            first, second = np.repeat(self.example[some], len(others)), np.tile(others, len(some))
            may = ~self.policy.forbidden(self.waiting.meet(first, second), self.by_kind)
            self._meets |= dict(zip(some.tolist(), may.reshape(len(some), len(others)), strict=True))

    def meetings(self, rows: Longs, others: Longs) -> tuple[Longs, Longs]:
        """All meetings of some tickets with others whose kinds may meet."""
        kinds = np.unique(self.kind[rows])
        self._find(np.array([kind for kind in kinds.tolist() if kind not in self._meets], np.int64))
        first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        order = rows[np.argsort(self.kind[rows], kind="stable")]
        for mine in np.split(order, np.searchsorted(self.kind[order], kinds[1:])):
            suited = others[self._meets[int(self.kind[mine[0]])][self.kind[others]]]
            first.append(np.repeat(mine, len(suited)))
            second.append(np.tile(suited, len(mine)))
        one, other = np.concatenate(first), np.concatenate(second)
        different = one != other
        return one[different], other[different]

    def among(self, row: int, others: Longs) -> Longs:
        """The tickets of `others` that a ticket may meet by their kinds."""
        others = others[others != row]
        found: Longs = others[self.meets(int(self.kind[row]))[self.kind[others]]]
        return found

    def check_pairs(self, row: int, others: Longs) -> Longs:
        """The tickets of `others` that a ticket may meet by terms about single pairs, such as blocks."""
        if not self.by_pair:
            return others
        meetings = self.waiting.meet(np.full(len(others), row), others)
        return others[~self.policy.forbidden(meetings, self.by_pair)]
