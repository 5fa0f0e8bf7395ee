"""Why a match is proposed: what each term adds to its cost, and the next best match."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from podium.arrays import Floats, Longs
from podium.matchmaking.deciders.group_sides import SideMaking
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.queues import Lobbies
from podium.matchmaking.lobbies.ragged_lists import Ragged
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.pool.known_matches import MatchColumns
from podium.matchmaking.pool.tickets import NOBODY, PROPOSED
from podium.text import brief_repr, listed, shorten

SWAPS_DIVIDED = 50
"""Exchanges of a ticket whose teams are made, those with the cheapest meetings."""
SIDES = "sides"
"""What the gap of the sides' chances is called among the terms."""


@dataclass(frozen=True, repr=False)
class MatchReasons:
    """Why a match is proposed.

    Attributes:
        match: The number of the match.
        cost: The cost with the ratings and waiting times of now. A tick may have seen others.
        shares: What each term adds to that. In teams, `sides` is the gap of the sides' chances from the
            wanted ones, with the cost of uneven parties.
        accepts: The cost that the most patient of its tickets accepts now. Infinite if one is overdue.
        leaving: The players of the ticket that the next best match would exchange.
        joining: The players who would take their places. Empty if no other ticket could.
        next_cost: What that match would cost. None if there is none.
        joining_match: The match that is proposed to these players now. None if they wait.
    """

    __repr__ = brief_repr

    match: int
    cost: float
    shares: dict[str, float]
    accepts: float
    leaving: tuple[str, ...] = ()
    joining: tuple[str, ...] = ()
    next_cost: float | None = None
    joining_match: int | None = None

    def __str__(self) -> str:
        shares = [f"{name} {share:.3f}" for name, share in self.shares.items() if abs(share) >= 5e-4]
        lines = [f"Match {self.match} costs {self.cost:.3f}{f': {listed(shares)}' if shares else ''}."]
        lines.append(f"Its tickets accept {self.accepts:.3f}.")
        if self.next_cost is None:
            lines.append("No other ticket could take the place of one of them.")
        else:
            where = "" if self.joining_match is None else f", who are in match {self.joining_match}"
            one, other = (shorten(" + ".join(players)) for players in (self.leaving, self.joining))
            lines.append(f"The next best costs {self.next_cost:.3f}: {other} instead of {one}{where}.")
        return "\n".join(lines)


def find_match_reasons(waiting: Waiting, match: MatchColumns, policy: Policy, mode: Mode) -> MatchReasons:
    """Why a match is proposed, among all tickets that wait or are in a proposal."""
    number, table = int(match.numbers[0]), waiting.store.table
    state, proposal = table["state"][waiting.slots], table["proposal"][waiting.slots]
    inside = np.flatnonzero((state == PROPOSED) & (proposal == number))
    first, second = np.triu_indices(len(inside), 1)
    meetings = waiting.meet(inside[first], inside[second])
    shares = {
        term.label: float(np.mean(said)) for term in policy.terms if (said := term.cost(meetings)) is not None
    }
    limits = policy.limits(waiting)
    limits[waiting.waited >= policy.patience] = np.inf
    cost = sum(shares.values())
    sides = None if mode.is_duel or not mode.has_teams else SideMaking(mode, waiting, policy)
    if sides is not None:
        shares[SIDES] = float(match.cost[0]) - cost
        if waiting.request[inside].max() == NOBODY:
            made = sides.divide(Lobbies(_ragged(inside[None]), np.array([cost])))
            shares[SIDES] = float(made.cost[0]) - cost
        cost += shares[SIDES]
    found = _next_best(waiting, inside, policy, sides)
    reasons = MatchReasons(number, cost, shares, float(limits[inside].max()))
    return reasons if found is None else _with_next(reasons, waiting, *found)


def _ragged(rows: Longs) -> Ragged:
    return Ragged(np.arange(len(rows) + 1) * rows.shape[1], rows.ravel())


def _with_next(
    reasons: MatchReasons, waiting: Waiting, leaving: int, joining: int, cost: float
) -> MatchReasons:
    """The reasons with the next best match."""
    store, slots = waiting.store, waiting.slots
    proposal = int(store.table["proposal"][slots[joining]])
    return replace(
        reasons,
        leaving=store.players_of(int(slots[leaving])),
        joining=store.players_of(int(slots[joining])),
        next_cost=cost,
        joining_match=None if proposal == NOBODY else proposal,
    )


def _next_best(
    waiting: Waiting, inside: Longs, policy: Policy, sides: SideMaking | None
) -> tuple[int, int, float] | None:
    """The cheapest match with one ticket exchanged for another that is alike: both tickets, and the cost."""
    others = np.setdiff1d(np.flatnonzero(waiting.request == NOBODY), inside)
    kinds = _kinds(waiting)
    swaps: list[tuple[Longs, Floats]] = []
    for place, leaving in enumerate(inside.tolist()):
        if waiting.request[leaving] != NOBODY:
            continue
        joining = others[kinds[others] == kinds[leaving]]
        cost = _mean_costs(waiting, np.delete(inside, place), joining, policy)
        swaps.append((np.column_stack([np.full(len(joining), place), joining]), cost))
    if not swaps:
        return None
    pairs, cost = np.concatenate([one for one, _ in swaps]), np.concatenate([one for _, one in swaps])
    best = np.argsort(cost, kind="stable")[:SWAPS_DIVIDED]
    best = best[np.isfinite(cost[best])]
    if not len(best):
        return None
    pairs, cost = pairs[best], cost[best]
    if sides is not None and waiting.request[inside].max() == NOBODY:
        lobbies = np.tile(inside, (len(pairs), 1))
        lobbies[np.arange(len(pairs)), pairs[:, 0]] = pairs[:, 1]
        cost = sides.divide(Lobbies(_ragged(lobbies), cost)).cost
    least = int(cost.argmin())
    return int(inside[pairs[least, 0]]), int(pairs[least, 1]), float(cost[least])


def _kinds(waiting: Waiting) -> Longs:
    """A number for each ticket: those with the same number have as many players, and the same roles."""
    players, ends = waiting.store.members(waiting.slots)
    roles = waiting.store.people["roles"][players].tolist()
    known: dict[tuple[int, ...], int] = {}
    sets = [tuple(sorted(roles[a:b])) for a, b in pairwise(ends.tolist())]
    return np.array([known.setdefault(one, len(known)) for one in sets], np.int64)


def _mean_costs(waiting: Waiting, stay: Longs, joining: Longs, policy: Policy) -> Floats:
    """The mean over all pairs of a match with each of some tickets that might join; infinite if forbidden."""
    a, b = np.triu_indices(len(stay), 1)
    among = float(policy.cost(waiting.meet(stay[a], stay[b])).sum())
    first, second = np.repeat(joining, len(stay)), np.tile(stay, len(joining))
    meetings = waiting.meet(first, second)
    cost = policy.cost(meetings)
    cost[policy.forbidden(meetings)] = np.inf
    mean: Floats = (among + cost.reshape(len(joining), len(stay)).sum(axis=1)) / (len(a) + len(stay))
    return mean
