"""Why somebody waits: whom each term forbids, who is acceptable first, and when."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Longs
from podium.history.times import to_datetime
from podium.matchmaking.deciders.backfill import running_matches
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import parties_fill
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.pool.counters import Histogram
from podium.matchmaking.pool.pool import PoolTime
from podium.matchmaking.pool.tickets import NOBODY
from podium.text import counted, listed, shorten

LONGEST_WAIT = 1e9
"""Seconds after which a meeting counts as never accepted: thirty years."""
WAIT_FACTOR = 16.0
"""How much later the search looks at each step, until some meeting is accepted."""
WAIT_PRECISION = 1e-9
"""The part of a wait, or of a second, to which the moment is found."""
MOST_FITTED = 40
"""Players of a match up to which it is looked at whether parties fit together; in larger ones most do."""
LAST_MOMENT = 1e-6
"""Seconds before its timeout at which a ticket is there for the last time: the least step of datetimes."""


@dataclass(frozen=True)
class WaitingReasons:
    """Why a ticket waits, by the tickets that wait beside it.

    Whether two tickets may meet, and at what cost, is about pairs. A match of more than two players needs
    enough who all may meet each other, and costs the mean over its pairs and the gap of its sides' chances.
    """

    players: tuple[str, ...]
    """The players of the ticket."""
    time: float
    """The time for which all this holds, in seconds of the pool's clock; −∞ if the pool was told none."""
    moment: datetime | None
    """The same as a datetime, if the pool is told datetimes."""
    waited: float
    """Seconds since it joined."""
    match: int | None
    """The number of the match that is proposed to it, if any."""
    others: int
    """Number of other tickets that wait and have not timed out; players of running matches are none."""
    forbidden: dict[str, int]
    """By the label of each term that forbids something: how many of the others it forbids."""
    allowed: int
    """Number of others that no term forbids."""
    acceptable: int
    """Number of those whose meeting costs no more than one of the two accepts now."""
    accepts: float
    """The cost that the ticket accepts now; infinite if it is overdue."""
    nearest: tuple[str, ...]
    """The players of the other ticket that is or becomes acceptable first, before either times out.

    If none ever does: of those that are allowed, the one that lacks least. Empty if there is none, or if the
    ticket itself has timed out."""
    nearest_cost: float | None
    """What meeting them costs when it is acceptable first, or now if it never is."""
    acceptable_in: float | None
    """Seconds until that is acceptable, with today's ratings; 0 if it is, None if it never will be."""
    overdue_in: float | None
    """Seconds until the ticket accepts everybody who is allowed; None if it never does, or times out
    before."""
    times_out_in: float | None
    """Seconds until the ticket times out; 0 if its time is up, None if the pool has no timeout."""
    expected_wait: float | None
    """How many seconds longer those waited on average who waited this long and were matched; None if no
    ticket of this pool has, or if this one has timed out."""
    running: int
    """Number of running matches with open places for the ticket, in which no term forbids it a player."""
    open_places: int
    """Number of players that a match needs beside the ticket: of a new one and these, the most likely one."""
    available: int
    """Number of players of the others that are allowed."""
    lacking: dict[str, int]
    """By role: how many players more a match needs than there are who may meet the ticket and play it.

    Several roles, as in "tank or healer", need as many players together."""
    parties_fit: bool
    """Whether parties that may meet can be divided into the sides of a new match, by their sizes.

    True if a running match has room for the ticket, and in matches of more than 40 players."""
    newcomers: tuple[str, ...]
    """Players of the ticket who are rated as newcomers, because the ladder does not know them."""
    paired: int = 0
    """Number of tickets that no term forbids, and that are in a proposed match at the moment."""

    @property
    def acceptable_at(self) -> datetime | float | None:
        """When the nearest becomes acceptable: a datetime if the pool is told datetimes, else seconds.

        None if it never does, or if the pool was told no time.
        """
        if self.acceptable_in is None or self.time == -math.inf:
            return None
        at = self.time + self.acceptable_in
        return at if self.moment is None else to_datetime(PoolTime(at, True).micros)

    def __str__(self) -> str:
        """A few sentences."""
        who = shorten(" + ".join(self.players))
        lines = [f"{who} has waited for {self.waited:.0f} s, and {counted(self.others, 'other ticket')} too."]
        if self.match is not None:
            lines.append(f"They have a proposal: match {self.match}.")
        if self.times_out_in == 0.0:
            before = "" if self.match is None else "if the match is cancelled, "
            lines.append(f"The ticket has timed out: {before}the next tick removes it.")
        if self.newcomers:
            lines.append(f"Rated as newcomers, because they are not on the ladder: {listed(self.newcomers)}.")
        refused = [f"{name} {count:,}" for name, count in self.forbidden.items() if count]
        if refused:
            lines.append(f"Of these, terms forbid: {listed(refused)}. {self.allowed:,} may meet.")
        if self.paired:
            have = "ticket that may meet them is" if self.paired == 1 else "tickets that may meet them are"
            lines.append(f"{self.paired:,} more {have} in a proposed match.")
        if self.running:
            have = "match has" if self.running == 1 else "matches have"
            lines.append(f"{self.running:,} running {have} open places for them.")
        if self.open_places > self.available:
            needed = counted(self.open_places, "more player")
            lines.append(f"A match needs {needed}, and {self.available:,} may meet.")
        elif not self.parties_fit:
            lines.append("The parties that may meet do not fit together into the sides of a match.")
        for role, count in self.lacking.items():
            lines.append(f"A match lacks {counted(count, 'player')} for {role}.")
        if self.nearest_cost is not None:
            lines.append(self._said_of_nearest())
        if self.expected_wait is not None:
            lines.append(
                f"Tickets that waited this long were matched after {self.expected_wait:.0f} s more on "
                "average."
            )
        return "\n".join(lines)

    def _said_of_nearest(self) -> str:
        nearest, cost = shorten(" + ".join(self.nearest)), self.nearest_cost
        said = f"Nearest is {nearest} at a cost of {cost:.3f}"
        if self.acceptable_in == 0.0:
            more = f", and so are {self.acceptable - 1:,} more" if self.acceptable > 1 else ""
            return f"{said}, which is acceptable{more}."
        if self.acceptable_in is not None:
            later = f"this is accepted in {self.acceptable_in:.0f} s"
        elif self.times_out_in is not None:
            later = "one of the two times out before this is accepted"
        else:
            later = "this is never accepted"
        return f"{said}. {self.accepts:.3f} is accepted now, and {later}."


class Nearest(NamedTuple):
    """The ticket that is acceptable first."""

    row: int
    cost: float
    seconds: float | None
    """Seconds until then; None if that is never."""


def find_reasons(
    waiting: Waiting,
    slot: int,
    now: PoolTime,
    policy: Policy,
    mode: Mode,
    timeout: float | None,
    waits: Histogram,
) -> WaitingReasons:
    """Why the ticket in a slot waits beside the others, none of whom has timed out.

    `waits` are the seconds that tickets waited who were matched.
    """
    row = int(np.flatnonzero(waiting.slots == slot)[0])
    store, waited = waiting.store, float(waiting.waited[row])
    others = np.flatnonzero((waiting.request == NOBODY) & (waiting.slots != slot))
    meetings = waiting.meet(np.full(len(others), row), others)
    free = ~policy.forbidden(meetings)
    refusals = dict(waiting.refusals)
    may, cost, limits = others[free], policy.cost(meetings.take(free)), _limits(policy, waiting)
    excess = cost - np.maximum(limits[row], limits[may])
    is_over = timeout is not None and waited >= timeout
    nearest = None
    if not is_over:
        nearest = _acceptable_now(may, cost, excess)
        if nearest is None:
            later = may if policy.is_settled(waiting) else others
            nearest = _acceptable_later(waiting, row, later, policy, timeout)
        if nearest is None and len(may):
            least = int(np.lexsort((cost, excess))[0])
            nearest = Nearest(int(may[least]), float(cost[least]), None)
    available, inside = int(waiting.size[may].sum()), store.together(slot)
    running = _to_join(waiting, row, policy, mode)
    places = min(
        (_open_places(waiting, some, may, mode) for some in [inside, *running]),
        key=lambda one: (max(0, one.players - available) + sum(one.lacking.values()), one.players),
    )
    never_overdue = math.isinf(policy.patience) or (timeout is not None and timeout <= policy.patience)
    proposal = int(store.table["proposal"][slot])
    return WaitingReasons(
        players=store.players_of(slot),
        time=now.seconds if now.is_told else -math.inf,
        moment=to_datetime(now.micros),
        waited=waited,
        match=None if proposal == NOBODY else proposal,
        others=len(others),
        forbidden=refusals,
        allowed=len(may),
        acceptable=0 if is_over else int(np.count_nonzero(excess <= 0.0)),
        accepts=float(limits[row]),
        nearest=() if nearest is None else store.players_of(int(waiting.slots[nearest.row])),
        nearest_cost=None if nearest is None else nearest.cost,
        acceptable_in=None if nearest is None else nearest.seconds,
        overdue_in=None if never_overdue else max(0.0, policy.patience - waited),
        times_out_in=None if timeout is None else max(0.0, timeout - waited),
        expected_wait=None if is_over else waits.mean_excess(waited),
        running=len(running),
        open_places=places.players,
        available=available,
        lacking=places.lacking,
        parties_fit=bool(running) or _parties_fit(waiting, inside, may, mode),
        newcomers=_newcomers(waiting, slot),
    )


class _OpenPlaces(NamedTuple):
    """What a match needs beside those who are in it."""

    players: int
    lacking: dict[str, int]


def _open_places(waiting: Waiting, inside: Longs, may: Longs, mode: Mode) -> _OpenPlaces:
    """What a match with the tickets in these slots needs, if those of some rows may join it."""
    count = mode.players - int(waiting.store.table["size"][inside].sum())
    joining = waiting.slots[may] if count else waiting.slots[:0]
    return _OpenPlaces(count, _lacking(waiting, np.concatenate([joining, inside]), mode))


def _to_join(waiting: Waiting, row: int, policy: Policy, mode: Mode) -> list[Longs]:
    """The slots of a ticket and of each running match that has room for it and no player it may not meet."""
    if waiting.request[row] != NOBODY:
        return []
    matches = [one for one in running_matches(waiting) if waiting.size[row] <= one.largest(mode)]
    if not matches:
        return []
    rows = np.concatenate([one.rows for one in matches])
    barred = rows[policy.forbidden(waiting.meet(np.full(len(rows), row), rows))]
    open_to = [one.rows for one in matches if not np.isin(one.rows, barred).any()]
    return [waiting.slots[np.append(some, row)] for some in open_to]


def _parties_fit(waiting: Waiting, inside: Longs, may: Longs, mode: Mode) -> bool:
    """Whether a ticket and others that it may meet can fill a new match; the tickets of a request always."""
    sizes = waiting.size[may].tolist()
    if len(inside) > 1 or not mode.has_teams or mode.players > MOST_FITTED:
        return True
    return parties_fill(int(waiting.store.table["size"][inside[0]]), sizes, mode.sizes)


def _limits(policy: Policy, waiting: Waiting) -> Floats:
    """The cost that each ticket accepts; any if it is overdue."""
    limits = policy.limits(waiting)
    limits[waiting.waited >= policy.patience] = math.inf
    return limits


def _acceptable_now(others: Longs, cost: Floats, excess: Floats) -> Nearest | None:
    """The cheapest of others whose cost is accepted; None if there is none."""
    fine = np.flatnonzero(excess <= 0.0)
    if not len(fine):
        return None
    best = fine[cost[fine].argmin()]
    return Nearest(int(others[best]), float(cost[best]), 0.0)


def _acceptable_later(
    waiting: Waiting, row: int, others: Longs, policy: Policy, timeout: float | None
) -> Nearest | None:
    """Of others that are not acceptable now, the one that is first; None if each pair times out before.

    What is acceptable must stay so while both wait, as podium's terms have it. Then a pair that is accepted
    at all is so at its last moment, and the moments at which any is accepted are found by halving.
    """
    waited = np.maximum(waiting.waited[row], waiting.waited[others])
    last = np.minimum(LONGEST_WAIT, (math.inf if timeout is None else timeout - LAST_MOMENT) - waited)
    others, waited, last = others[last > 0.0], waited[last > 0.0], last[last > 0.0]

    def accepted(some: Longs, seconds: float) -> tuple[Longs, Floats]:
        """Which of others are accepted then, or at the last moment at which both are there; their costs."""
        rows = np.concatenate([np.full(len(some), row), others[some]])
        later = waiting.later(rows, np.tile(np.minimum(seconds, last[some]), 2))
        pairs = np.arange(len(some))
        judged = policy.judge(later, pairs, len(some) + pairs, _limits(policy, later))
        return some[judged.first[judged.acceptable]], judged.cost[judged.acceptable]

    low, found, cost = 0.0, np.zeros(0, np.int64), np.zeros(0)
    for high in _moments(policy.patience - waited, last):
        found, cost = accepted(np.arange(len(others)), high)
        if len(found):
            break
        low = high
    if not len(found):
        return None
    middle = high - WAIT_PRECISION * max(1.0, high)  # often all are accepted at once, when one is overdue
    while low < middle < high:
        sooner, its_cost = accepted(found, middle)
        if len(sooner):
            high, found, cost = middle, sooner, its_cost
        else:
            low = middle
        middle = 0.5 * (low + high) if high - low > WAIT_PRECISION * max(1.0, high) else high
    best = int(cost.argmin())
    return Nearest(int(others[found[best]]), float(cost[best]), min(high, float(last[found[best]])))


def _moments(overdue: Floats, last: Floats) -> list[float]:
    """The seconds after which to look, each much later than the one before: until all pairs have ended.

    One of them is when a ticket is overdue first, which changes most.
    """
    end = float(last.max(initial=0.0))
    steps = WAIT_FACTOR ** np.arange(math.ceil(math.log(LONGEST_WAIT, WAIT_FACTOR)))
    first_overdue = overdue[overdue <= last].min(initial=end)
    moments: list[float] = np.unique([*steps[steps < end], first_overdue, end]).tolist()
    return moments


def _newcomers(waiting: Waiting, slot: int) -> tuple[str, ...]:
    """The players of a ticket whom the ladder does not know."""
    store = waiting.store
    players, _ = store.members(np.array([slot]))
    return tuple(store.names[i] for i in players[waiting.source.are_newcomers(store, players)].tolist())


def _lacking(waiting: Waiting, slots: Longs, mode: Mode) -> dict[str, int]:
    """The roles for which the tickets in these slots have too few players, and how many are missing."""
    if not mode.roles:
        return {}
    players, _ = waiting.store.members(slots)
    plays = waiting.store.people["roles"][players] & mode.any_role
    found: dict[str, int] = {}
    short: dict[int, int] = {}
    # All places can be taken if each set of roles has as many players as places (Hall's theorem). Of the sets
    # that have too few, the smallest are named.
    for bits in sorted(range(1, mode.any_role + 1), key=int.bit_count):
        names = mode.roles_in(bits)
        places = sum(side.count(role) for side in mode.roles for role in names)
        missing = places - int(np.count_nonzero(plays & bits))
        missing -= sum(count for part, count in short.items() if part & bits == part)
        if missing > 0:
            short[bits] = missing
            found[" or ".join(names)] = missing
    return found
