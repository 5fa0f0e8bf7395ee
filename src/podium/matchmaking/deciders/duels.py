"""One against one: overdue tickets first, then those put back, then as many good pairs as there are.

**Nobody starves.** Overdue tickets are served one after another, the oldest first, each with the cheapest
opponent who is free and not forbidden. So after a tick, everybody who is overdue and left has nobody left
whom it may meet: at its turn all allowed opponents were taken, by older overdue tickets, and those who are
free only become fewer afterwards.

Tickets served one after another: each takes its cheapest candidate, or the cheapest it searched for.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.deciders.decisions import Decider, Decision, TimeBudget
from podium.matchmaking.deciders.ticket_search import TicketSearch
from podium.matchmaking.graphs.candidates import ascending_order, plausible_meetings
from podium.matchmaking.graphs.matching import Effort, Neighbours, both_ends, match_neighbours
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.policies.policy import Judged, Policy
from podium.numerics.jit import kernel

MOST_ASKING = 1_024
"""Tickets that search at a time where few suit each."""


class OpponentLists(NamedTuple):
    """What tickets found that searched for themselves: those of row i are `other[begin[i]:end[i]]`."""

    begin: Longs
    end: Longs
    whole: Bools
    """Whether these are all that were free; otherwise they are the nearest."""
    other: Longs
    cost: Floats

    @classmethod
    def empty(cls, tickets: int) -> OpponentLists:
        """No lists yet."""
        none = np.zeros(tickets, np.int64)
        return cls(none, none.copy(), np.zeros(tickets, np.bool_), none[:0], np.zeros(0))


@kernel
def _cheapest(
    begin: int, end: int, other: Longs, cost: Floats, rank: Longs, partner: Longs
) -> tuple[int, float]:
    """The cheapest free one of some opponents, and the cost; −1 where none is free."""
    best, price = -1, np.inf
    for k in range(begin, end):
        candidate = other[k]
        if partner[candidate] < 0 and (
            cost[k] < price or (cost[k] == price and rank[candidate] < rank[best])
        ):
            best, price = candidate, cost[k]
    return best, price


@kernel
def serve_in_order(
    start: int,
    order: Longs,
    complete: Bools,
    rank: Longs,
    partner: Longs,
    paid: Floats,
    offsets: Longs,
    other: Longs,
    cost: Floats,
    lists: OpponentLists,
) -> tuple[int, int]:
    """Pair tickets in order, each with its cheapest free candidate, or else with the cheapest on its list.

    Stops at one who finds nobody and might elsewhere, as neither its candidates nor its list are complete.
    Also returns how many were paired by their lists.
    """
    begin, end, whole, listed, price = lists
    by_list = 0
    for at in range(start, len(order)):
        row = order[at]
        if partner[row] >= 0:
            continue
        best, least = _cheapest(offsets[row], offsets[row + 1], other, cost, rank, partner)
        if best < 0 and end[row] > begin[row]:
            best, least = _cheapest(begin[row], end[row], listed, price, rank, partner)
            by_list += best >= 0
        if best >= 0:
            partner[row], partner[best] = best, row
            paid[row], paid[best] = least, least
        elif not (complete[row] or whole[row]):
            return at, by_list
    return len(order), by_list


@kernel
def without_candidate(
    start: int, order: Longs, complete: Bools, partner: Longs, offsets: Longs, other: Longs
) -> Longs:
    """The next tickets, from a place of the order on, that have no free candidate and might find somebody."""
    found, n = np.empty(min(len(order) - start, MOST_ASKING), np.int64), 0
    for at in range(start, len(order)):
        if n == len(found):
            break
        row = order[at]
        alone = partner[row] < 0 and not complete[row]
        for k in range(offsets[row], offsets[row + 1]):
            alone = alone and partner[other[k]] >= 0
        if alone:
            found[n] = row
            n += 1
    return found[:n]


ALL_TICKET_PAIRS_UP_TO = 300
"""Up to this number of tickets all pairs are considered, and the best ones found exactly."""
BEST_OF_ALL_PAIRS_UP_TO = 1_000
"""The same where the best pairs are asked for, whatever it takes; above, they are the best of candidates."""
CANDIDATES, CROWD_TICKETS, CANDIDATES_IN_A_CROWD, FEWEST_CANDIDATES = 12, 5_000, 8, 4
"""Number of candidates of each ticket; in a crowd fewer are enough, as more opponents fit; the fewest."""
NEAREST_COMPARED = 32
"""Number of nearest allowed opponents that are compared if none of a ticket's candidates is left. In random
pools of 1,500 with needs, deviations, targets or delays, pairs cost as much on average as if everybody were
compared, to 0.05%; with 64 the same, and with 8 up to 0.25% more."""
SEARCHES_A_ROUND = 128
"""Overdue tickets that search for themselves at a time, where many suit each: a round has its price, and with
32 the pairs are no better. After so many, candidates are found anew for all, if half of the tickets that had
some are taken."""
MEETINGS_AFTER_CANCELLING = 200_000
"""Meetings that tickets put back by a cancelled match may look at by themselves, together."""
STILL_FREE_PART = 0.9
"""If more than this part of the free tickets is still free, another round would pair few."""


class Duels(Decider):
    """Chooses the matches for modes with one ticket against one."""

    def decide(
        self,
        waiting: Waiting,
        policy: Policy,
        chance: np.random.Generator,
        effort: Effort | None,
        budget: TimeBudget,
    ) -> Decision:
        """Pair the overdue tickets first, then those put back in front, then all others."""
        deciding = _Deciding(waiting, policy, chance, effort, budget)
        deciding.serve_overdue()
        deciding.serve_front()
        deciding.pair_the_rest()
        return deciding.decision()


class _Deciding:
    """The state of one tick: each ticket's partner so far, and what their meetings cost."""

    def __init__(
        self,
        waiting: Waiting,
        policy: Policy,
        chance: np.random.Generator,
        effort: Effort | None,
        budget: TimeBudget,
    ) -> None:
        self.waiting, self.policy, self.effort, self.budget = waiting, policy, effort, budget
        self.few = BEST_OF_ALL_PAIRS_UP_TO if effort == "exact" else ALL_TICKET_PAIRS_UP_TO
        n = len(waiting)
        self.partner = np.full(n, -1)
        self.cost = np.zeros(n)
        self.alone = np.zeros(0, np.int64)
        self.looked_at = np.zeros(n, np.bool_)
        self.limits = policy.limits(waiting)
        self.parts = policy.parts(waiting)
        self.groups = policy.groups(waiting, in_parts=True)
        shuffled = chance.permutation(n)
        self.rank = np.empty(n, np.int64)
        """Places that the seed gives; of equals the one with the lower is taken."""
        self.rank[shuffled] = np.arange(n)
        where = np.add(*self._ratings_apart())[shuffled]
        self.order = shuffled[ascending_order(where)]
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
        _rename(rows, first, second)
        return self._judge(first, second)

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
        settled = self.policy.is_settled(waiting)
        since = waiting.store.table["scanned"][waiting.slots] if settled else np.zeros(len(waiting), np.int64)
        complete = np.full(len(waiting), len(waiting) <= self.few)
        graph, judged_for = self._graph(self.judged), len(waiting)
        lists = OpponentLists.empty(len(waiting))
        at, searches = 0, 0
        while True:
            at, found = serve_in_order(at, order, complete, self.rank, self.partner, self.cost, *graph, lists)
            searches += found
            if at == len(order) or self.budget.is_over:
                break
            if searches >= SEARCHES_A_ROUND and (
                self.few < (free := np.count_nonzero(self.partner < 0)) <= judged_for // 2
            ):
                graph, judged_for, searches = self._graph(self._judge_candidates(self._free())), int(free), 0
                lists = OpponentLists.empty(len(waiting))
            else:
                asking = without_candidate(at, order, complete, self.partner, *graph[:2])
                lists = self._search(asking, since[asking], complete)
        served = order[:at]
        self.looked_at[served] = True
        if settled:
            self.alone = served[self.partner[served] < 0]

    def _search(self, asking: Longs, since: Longs, complete: Bools) -> OpponentLists:
        """The nearest opponents of tickets that have no candidate left, of the first of them at least.

        Whoever has nobody is marked as complete.
        """
        found = self.search.nearest(
            asking, since, self.partner < 0, NEAREST_COMPARED, SEARCHES_A_ROUND * NEAREST_COMPARED
        )
        asked, sizes = asking[: len(found)], np.diff(found.offsets)
        complete[asked[sizes == 0]] = True
        lists = OpponentLists.empty(len(complete))
        lists.begin[asked], lists.end[asked] = found.offsets[:-1], found.offsets[1:]
        lists.whole[asked] = sizes < NEAREST_COMPARED
        cost = self.policy.cost(self.waiting.meet(np.repeat(asked, sizes), found.other))
        return lists._replace(other=found.other, cost=cost)

    def _scan(self, row: int, limits: Floats) -> None:
        """Pair a ticket with somebody free whom it may meet at a cost that one of the two accepts, if any.

        It takes the cheapest of the nearest, or of all where it may meet none of these.
        """
        others = self.search.all_of(np.array([row]), self.partner < 0)
        near = self._nearest(row, others)
        if not self._take(row, near, limits) and len(near) < len(others):
            self._take(row, others, limits)

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
        """Pair a ticket with the cheapest of others, whom it may meet, if a cost is accepted."""
        cost = self.policy.cost(self.waiting.meet(np.full(len(others), row), others))
        fine = cost <= np.maximum(limits[row], limits[others])
        if not fine.any():
            return False
        allowed, cost = others[fine], cost[fine]
        best = np.lexsort((self.rank[allowed], cost))[0]
        other = allowed[best]
        self.partner[row], self.partner[other] = other, row
        self.cost[row] = self.cost[other] = cost[best]
        return True

    @cached_property
    def search(self) -> TicketSearch:
        """Made when somebody has to look for themselves."""
        return TicketSearch(self.waiting, self.policy, self.rank)

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
        graph = self._graph(_some(self.judged, self.judged.acceptable))
        complete = np.full(len(waiting), len(waiting) <= self.few)
        lists = OpponentLists.empty(len(waiting))
        at, looks = 0, 0
        while at < len(order) and not self.budget.is_over:
            at, _ = serve_in_order(at, order, complete, self.rank, self.partner, self.cost, *graph, lists)
            if at < len(order):
                self._scan(int(order[at]), self.limits)
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
        while len(free) and not self.budget.is_over_for(len(self.waiting)):
            self._pair_best(free, judged)
            self.looked_at[:] = True
            left = self._free()
            if fresh and (len(free) <= self.few or len(left) > max(STILL_FREE_PART * len(free), self.few)):
                break
            free, judged, fresh = left, self._judge_candidates(left), True

    def _pair_best(self, free: Longs, judged: Judged) -> None:
        place = np.full(len(self.partner), -1)
        place[free] = np.arange(len(free))
        graph = Neighbours(*_free_graph(place, len(free), *judged))
        usual: Effort = "quick" if len(free) > self.few else "exact"
        matched, _ = match_neighbours(graph, usual if self.effort is None else self.effort)
        _keep(matched, place, *judged, self.partner, self.cost)

    def _graph(self, judged: Judged) -> tuple[Longs, Longs, Floats]:
        """Meetings from both of their ends: where each ticket's are, with whom, at what cost."""
        return both_ends(len(self.partner), judged.first, judged.second, judged.cost, -np.inf)

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
            left=np.flatnonzero((self.partner < 0) & ~self.looked_at),
        )


def _some(judged: Judged, these: Bools) -> Judged:
    first, second, cost, acceptable = judged
    return Judged(first[these], second[these], cost[these], acceptable[these])


@kernel
def _rename(rows: Longs, first: Longs, second: Longs) -> None:
    """Make places in a list of rows the rows themselves; in place, as fresh memory for a million is dear."""
    for e in range(len(first)):
        first[e], second[e] = rows[first[e]], rows[second[e]]


@kernel
def _free_graph(
    place: Longs, places: int, first: Longs, second: Longs, cost: Floats, acceptable: Bools
) -> tuple[Longs, Longs, Floats]:
    """The acceptable meetings of the tickets that have a place, from both ends; the cheaper, the heavier.

    One more pair is worth more than whatever any number of pairs can cost.
    """
    offsets, least, most = np.zeros(places + 1, np.int64), 0.0, -np.inf
    for e in range(len(first)):
        i, j = place[first[e]], place[second[e]]
        if acceptable[e] and i >= 0 and j >= 0:
            offsets[i + 1] += 1
            offsets[j + 1] += 1
            least, most = min(least, cost[e]), max(most, cost[e])
    for i in range(places):
        offsets[i + 1] += offsets[i]
    one_more = 1.0 + (most - least) * places
    at = offsets[:-1].copy()
    other, weight = np.empty(offsets[-1], np.int64), np.empty(offsets[-1])
    for e in range(len(first)):
        i, j = place[first[e]], place[second[e]]
        if acceptable[e] and i >= 0 and j >= 0:
            other[at[i]], other[at[j]] = j, i
            weight[at[i]] = weight[at[j]] = one_more - cost[e]
            at[i] += 1
            at[j] += 1
    return offsets, other, weight


@kernel
def _keep(
    matched: Longs,
    place: Longs,
    first: Longs,
    second: Longs,
    cost: Floats,
    acceptable: Bools,
    partner: Longs,
    paid: Floats,
) -> None:
    """Pair whom a matching paired, by place, at the least that their meeting costs."""
    for e in range(len(first)):
        i, j = first[e], second[e]
        together = acceptable[e] and place[i] >= 0 and place[j] >= 0 and matched[place[i]] == place[j]
        if together and (partner[i] < 0 or cost[e] < paid[i]):
            partner[i], partner[j] = j, i
            paid[i], paid[j] = cost[e], cost[e]
