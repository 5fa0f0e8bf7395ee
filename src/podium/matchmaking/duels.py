"""One against one: overdue tickets first, then those put back, then as many good pairs as there are.

**Nobody starves.** Overdue tickets are served one after another, the oldest first, each with the cheapest
opponent who is free and not forbidden. So after a tick, everybody who is overdue and left has nobody left
whom it may meet: at its turn all allowed opponents were taken, by older overdue tickets, and those who are
free only become fewer afterwards.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.decisions import Decider, Decision
from podium.matchmaking.graphs.candidates import plausible_meetings
from podium.matchmaking.graphs.ends import both_ends
from podium.matchmaking.graphs.matching import Effort, best_matching
from podium.matchmaking.meetings import Waiting
from podium.matchmaking.policy import Judged, Policy
from podium.matchmaking.ticket_kinds import Kinds
from podium.numerics.jit import kernel

ALL_TICKET_PAIRS_UP_TO = 300
"""Up to this number of tickets all pairs are considered, and the best ones found exactly."""
BEST_OF_ALL_PAIRS_UP_TO = 1_000
"""The same where the best pairs are asked for, whatever it takes; above, they are the best of candidates."""
CANDIDATES, CROWD_TICKETS, CANDIDATES_IN_A_CROWD, FEWEST_CANDIDATES = 12, 5_000, 8, 4
"""Number of candidates of each ticket; in a crowd fewer are enough, as more opponents fit; the fewest."""
NEAREST_COMPARED = 64
"""Number of nearest allowed opponents that are compared if none of a ticket's candidates is left."""
SCANS_A_ROUND = 32
"""Overdue tickets that find somebody by themselves before candidates are found anew for all."""
MEETINGS_AFTER_CANCELLING = 200_000
"""Meetings that tickets put back by a cancelled match may look at by themselves, together."""
STILL_FREE_PART = 0.9
"""If more than this part of the free tickets is still free, another round would pair few."""


class Duels(Decider):
    """Chooses the matches for modes with one ticket against one."""

    def decide(
        self, waiting: Waiting, policy: Policy, chance: np.random.Generator, effort: Effort | None
    ) -> Decision:
        """Pair the overdue tickets first, then those put back in front, then all others."""
        deciding = _Deciding(waiting, policy, chance, effort)
        deciding.serve_overdue()
        deciding.serve_front()
        deciding.pair_the_rest()
        return deciding.decision()


class _Deciding:
    """The state of one tick: each ticket's partner so far, and what their meetings cost."""

    def __init__(
        self, waiting: Waiting, policy: Policy, chance: np.random.Generator, effort: Effort | None
    ) -> None:
        self.waiting, self.policy, self.effort = waiting, policy, effort
        self.few = BEST_OF_ALL_PAIRS_UP_TO if effort == "exact" else ALL_TICKET_PAIRS_UP_TO
        n = len(waiting)
        self.partner = np.full(n, -1)
        self.cost = np.zeros(n)
        self.alone = np.zeros(0, np.int64)
        self.limits = policy.limits(waiting)
        self.parts = policy.parts(waiting)
        self.groups = policy.groups(waiting, in_parts=True)
        shuffled = chance.permutation(n)
        self.rank = np.empty(n, np.int64)
        """Places that the seed gives; of equals the one with the lower is taken."""
        self.rank[shuffled] = np.arange(n)
        where = np.add(*self._ratings_apart())[shuffled]
        self.order = shuffled[np.argsort(where, kind="stable")]
        """Rows along the line of those who might meet, equals as the seed has them: neighbours are near."""
        self.judged = self._judge_candidates(self.order)

    def _free(self) -> Longs:
        """Rows that are not taken, along the line; the seed breaks ties, and not who joined first."""
        return self.order[self.partner[self.order] < 0]

    def _judge_candidates(self, rows: Longs) -> Judged:
        """The plausible meetings among these rows that are not forbidden."""
        if len(rows) <= self.few:
            first, second = np.triu_indices(len(rows), 1)
        else:
            mu, wanted = self._ratings_apart()
            near = CANDIDATES if len(rows) <= CROWD_TICKETS else CANDIDATES_IN_A_CROWD
            groups = None
            if self.groups is not None:
                groups = np.take(self.groups.T, rows, axis=1).T
                # Who is in several has candidates in each.
                near = max(FEWEST_CANDIDATES, round(near * len(rows) / max(1, int(groups.sum()))))
            mu, wanted = mu[rows], wanted[rows]
            first, second = plausible_meetings(mu, wanted, groups=groups, neighbours=near)
        return self._judge(rows[first], rows[second])

    def _ratings_apart(self) -> tuple[Floats, Floats]:
        """Ratings and wanted ratings, moved so far that those of different parts are never near."""
        mu, wanted = self.waiting.mu, self.waiting.wanted_rating
        if self.parts is None or not len(mu):
            return mu, wanted
        both = np.concatenate([mu, wanted])
        away = self.parts * (1.0 + 4.0 * (both.max() - both.min()))
        return mu + away, wanted + away

    def _judge(self, first: Longs, second: Longs) -> Judged:
        return self.policy.judge(self.waiting, first, second, self.limits)

    # ------------------------------------------------------------------ overdue

    def serve_overdue(self) -> None:
        """The oldest first, each with the cheapest opponent who is free and not forbidden."""
        waiting = self.waiting
        late = np.flatnonzero(waiting.waited >= self.policy.patience)
        if not len(late):
            return
        order = late[np.argsort(-waiting.waited[late], kind="stable")]
        complete = np.zeros(len(waiting), np.bool_)
        unlimited = np.full(len(waiting), np.inf)
        settled = self.policy.is_settled(waiting)
        graph = self._graph(self.judged, self._judge_newcomers(order, complete, settled))
        at, scans = 0, 0
        while at < len(order):
            at = _serve(at, order, complete, self.rank, self.partner, self.cost, *graph)
            if at == len(order):
                break
            scans += self._scan(int(order[at]), complete, unlimited)
            at += 1
            if scans == SCANS_A_ROUND:
                free = self._free()
                if len(free) > self.few:
                    found = self._judge_candidates(free)
                    graph = self._graph(found, self._judge_newcomers(order[at:], complete, settled))
                scans = 0
        if settled:
            self.alone = order[self.partner[order] < 0]

    def _judge_newcomers(self, order: Longs, complete: Bools, settled: bool) -> Judged | None:
        """Meetings of tickets that were alone the last time with everybody who came since.

        Where what is forbidden stays so, these are all that they may meet; they are marked as complete.
        """
        table, slots = self.waiting.store.table, self.waiting.slots
        if not settled:
            return None
        entered, scanned = table["entered"][slots], table["scanned"][slots]
        stuck = order[scanned[order] > 0]
        if not len(stuck):
            return None
        complete[stuck] = True
        found = [np.zeros((2, 0), np.int64)]
        for mark in np.unique(scanned[stuck]).tolist():
            others = np.flatnonzero((entered > mark) & (self.partner < 0))
            found.append(np.stack(self.kinds.meetings(stuck[scanned[stuck] == mark], others)))
        return self._judge(*np.concatenate(found, axis=1))

    def _scan(self, row: int, complete: Bools, limits: Floats) -> bool:
        """Whether there is anybody free whom a ticket may meet at a cost that one of the two accepts.

        It takes the cheapest of the nearest, or of all where it may meet none of these.
        """
        kinds = self.kinds
        others = kinds.among(row, np.flatnonzero(self.partner < 0))
        complete[row] = True
        if not len(others):
            complete[kinds.kind == kinds.kind[row]] = True  # they might take the same, and nobody is left
            return False
        near = self._nearest(row, others)
        return self._take(row, near, limits) or (len(near) < len(others) and self._take(row, others, limits))

    def _nearest(self, row: int, others: Longs) -> Longs:
        """Those nearest to what the two want of each other."""
        if len(others) <= NEAREST_COMPARED:
            return others
        waiting = self.waiting
        far = np.abs(waiting.mu[others] - waiting.wanted_rating[row])
        far += np.abs(waiting.mu[row] - waiting.wanted_rating[others])
        nearest: Longs = others[np.argpartition(far, NEAREST_COMPARED)[:NEAREST_COMPARED]]
        return nearest

    def _take(self, row: int, others: Longs, limits: Floats) -> bool:
        """Pair a ticket with the cheapest of others, whose kinds it may meet, if it may meet any of them."""
        allowed = self.kinds.check_pairs(row, others)
        cost = self.policy.cost(self.waiting.meet(np.full(len(allowed), row), allowed))
        fine = cost <= np.maximum(limits[row], limits[allowed])
        if not fine.any():
            return False
        allowed, cost = allowed[fine], cost[fine]
        best = np.lexsort((self.rank[allowed], cost))[0]
        other = allowed[best]
        self.partner[row], self.partner[other] = other, row
        self.cost[row] = self.cost[other] = cost[best]
        return True

    @cached_property
    def kinds(self) -> Kinds:
        """Made when somebody has to look for themselves."""
        return Kinds(self.waiting, self.policy)

    # ------------------------------------------------------------------ the others

    def serve_front(self) -> None:
        """Those put back by a cancelled match, the oldest first, each with the cheapest acceptable one.

        As overdue ones do, they look at everybody where none of their candidates is free, though all of them
        together at `MEETINGS_AFTER_CANCELLING` meetings only: a whole pool may have been put back.
        """
        waiting = self.waiting
        front = np.flatnonzero(waiting.front & (self.partner < 0))
        if not len(front):
            return
        order = front[np.argsort(-waiting.waited[front], kind="stable")]
        graph = self._graph(_some(self.judged, self.judged.acceptable), None)
        complete = np.full(len(waiting), len(waiting) <= self.few)
        at, looks = 0, 0
        while at < len(order):
            at = _serve(at, order, complete, self.rank, self.partner, self.cost, *graph)
            if at < len(order):
                self._scan(int(order[at]), complete, self.limits)
                at, looks = at + 1, looks + len(waiting)
                complete |= looks > MEETINGS_AFTER_CANCELLING

    def pair_the_rest(self) -> None:
        """As many acceptable pairs as can be, and of those the cheapest together.

        Where everybody has a few candidates only, those who are left get new ones among each other, as long
        as that is worth it: not while candidates may have been taken by those who were served before, and
        once more where so few are left that all pairs can be looked at.
        """
        free, judged = self._free(), self.judged
        fresh = len(free) == len(self.partner) or len(self.partner) <= self.few
        while len(free):
            self._pair_best(free, judged)
            left = self._free()
            if fresh and (len(free) <= self.few or len(left) > max(STILL_FREE_PART * len(free), self.few)):
                break
            free, judged, fresh = left, self._judge_candidates(left), True

    def _pair_best(self, free: Longs, judged: Judged) -> None:
        place = np.full(len(self.partner), -1)
        place[free] = np.arange(len(free))
        first, second, cost = _between_free(place, *judged)
        if not len(first):
            return
        # One more pair is worth more than whatever any number of pairs can cost.
        one_more = 1.0 + (cost.max() - min(cost.min(), 0.0)) * len(free)
        usual: Effort = "quick" if len(free) > self.few else "exact"
        effort = usual if self.effort is None else self.effort
        matching = best_matching(len(free), first, second, one_more - cost, effort=effort)
        _keep(matching.partner, first, second, cost, free, self.partner, self.cost)

    def _graph(self, judged: Judged, more: Judged | None) -> tuple[Longs, Longs, Floats]:
        """Meetings from both of their ends: where each ticket's are, with whom, at what cost."""
        parts = [judged] if more is None else [judged, more]
        first, second, cost = (np.concatenate(c) for c in zip(*(part[:3] for part in parts), strict=True))
        return both_ends(len(self.partner), first, second, cost, -np.inf)

    def decision(self) -> Decision:
        """The pairs in the order of their older tickets; who joined first is the first side."""
        waiting = self.waiting
        first = np.flatnonzero(self.partner > np.arange(len(self.partner)))
        second = self.partner[first]
        meetings = waiting.meet(first, second)
        chance = np.empty((len(first), 2))
        chance[:, 0] = meetings.probability
        chance[:, 1] = 1.0 - chance[:, 0]
        region = meetings.region if self.policy.uses("latency") else np.full(len(first), -1)
        tickets = np.stack([first, second], axis=1).ravel()
        return Decision(
            2 * np.arange(len(first) + 1),
            tickets,
            np.tile(np.arange(2), len(first)),
            chance.ravel(),
            self.cost[first],
            region,
            self.alone,
        )


def _some(judged: Judged, these: Bools) -> Judged:
    first, second, cost, acceptable = judged
    return Judged(first[these], second[these], cost[these], acceptable[these])


@kernel
def _between_free(
    place: Longs, first: Longs, second: Longs, cost: Floats, acceptable: Bools
) -> tuple[Longs, Longs, Floats]:
    """The acceptable meetings of the tickets that have a place, by place."""
    n = 0
    for e in range(len(first)):
        n += acceptable[e] and place[first[e]] >= 0 and place[second[e]] >= 0
    a, b, price = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    n = 0
    for e in range(len(first)):
        if acceptable[e] and place[first[e]] >= 0 and place[second[e]] >= 0:
            a[n], b[n], price[n] = place[first[e]], place[second[e]], cost[e]
            n += 1
    return a, b, price


@kernel
def _keep(
    matched: Longs, first: Longs, second: Longs, cost: Floats, row: Longs, partner: Longs, paid: Floats
) -> None:
    """Pair whom a matching paired, by place, at the least that their meeting costs."""
    for e in range(len(first)):
        a, b = first[e], second[e]
        if matched[a] == b:
            i, j = row[a], row[b]
            if partner[i] < 0 or cost[e] < paid[i]:
                partner[i], partner[j] = j, i
                paid[i], paid[j] = cost[e], cost[e]


@kernel
def _serve(
    start: int,
    order: Longs,
    complete: Bools,
    rank: Longs,
    partner: Longs,
    paid: Floats,
    offsets: Longs,
    other: Longs,
    cost: Floats,
) -> int:
    """Pair tickets in order, each with the cheapest free opponent next to it.

    Stops at one who finds nobody and might elsewhere, as its opponents here are not complete.
    """
    for at in range(start, len(order)):
        row = order[at]
        if partner[row] >= 0:
            continue
        best, price = -1, np.inf
        for k in range(offsets[row], offsets[row + 1]):
            candidate = other[k]
            if partner[candidate] < 0 and (
                cost[k] < price or (cost[k] == price and rank[candidate] < rank[best])
            ):
                best, price = candidate, cost[k]
        if best >= 0:
            partner[row], partner[best] = best, row
            paid[row], paid[best] = price, price
        elif not complete[row]:
            return at
    return len(order)
