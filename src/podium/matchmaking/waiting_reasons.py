"""Why somebody waits: whom each term forbids, who is nearest, and when a meeting with them is accepted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.history.times import to_datetime
from podium.matchmaking.clocks import PoolTime
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.meetings import Waiting
from podium.matchmaking.policy import Policy
from podium.matchmaking.pool_counters import Histogram
from podium.matchmaking.tickets import NOBODY
from podium.text import counted, listed, shorten

LONGEST_WAIT = 1e6
"""Seconds after which nobody waits any more, where nothing else says so: eleven days."""
HALVINGS = 60
"""Steps of the search for the second at which a meeting becomes acceptable."""

Look = Callable[[Longs, Floats], Waiting]
"""The tickets in these slots, as they are when they have waited for so many seconds."""


@dataclass(frozen=True)
class WaitingReasons:
    """Why a ticket waits, by the tickets that wait beside it.

    Whether two tickets may meet, and at what cost, is about pairs. A match of more than two players needs
    enough who all may meet each other, and costs the mean over its pairs and the gap of its sides' chances.
    """

    players: tuple[str, ...]
    """The players of the ticket."""
    time: float
    """The time for which all this holds, in seconds of the pool's clock."""
    moment: datetime | None
    """The same as a datetime, if the pool is told datetimes."""
    waited: float
    """Seconds since it joined."""
    match: int | None
    """The number of the match that is proposed to it, if any."""
    others: int
    """Number of other tickets that wait."""
    forbidden: dict[str, int]
    """By the label of each term that forbids something: how many of the others it forbids."""
    allowed: int
    """Number of others that no term forbids."""
    acceptable: int
    """Number of those whose meeting costs no more than one of the two accepts now."""
    accepts: float
    """The cost that the ticket accepts now; infinite if it is overdue."""
    nearest: tuple[str, ...]
    """Of the others that are allowed, the players of the one whose meeting is or becomes acceptable first."""
    nearest_cost: float | None
    """What meeting them costs; None if nobody is allowed."""
    acceptable_in: float | None
    """Seconds until that is acceptable, with today's ratings; 0 if it is, None if it never will be."""
    overdue_in: float | None
    """Seconds until the ticket accepts everybody who is allowed; None if it never does."""
    expected_wait: float | None
    """How many seconds longer those waited on average who waited this long and were matched; None if no
    ticket of this pool has."""
    open_places: int
    """Number of players that a match needs beside the ticket."""
    available: int
    """Number of players of the others that are allowed."""
    lacking: dict[str, int]
    """By role: how many players more a match needs than there are who may meet the ticket and play it."""
    newcomers: tuple[str, ...]
    """Players of the ticket who are rated as newcomers, because the ladder does not know them."""

    @property
    def acceptable_at(self) -> datetime | float | None:
        """When the nearest becomes acceptable: a datetime if the pool is told datetimes, else seconds."""
        if self.acceptable_in is None:
            return None
        at = self.time + self.acceptable_in
        return at if self.moment is None else to_datetime(PoolTime(at, True).micros)

    def __str__(self) -> str:
        """A few sentences."""
        who = shorten(" + ".join(self.players))
        lines = [f"{who} has waited for {self.waited:.0f} s, and {counted(self.others, 'other ticket')} too."]
        if self.match is not None:
            lines.append(f"Match {self.match} is proposed to them.")
        if self.newcomers:
            lines.append(f"Rated as new, because the ladder does not know them: {listed(self.newcomers)}.")
        refused = [f"{name} {count:,}" for name, count in self.forbidden.items() if count]
        if refused:
            lines.append(f"Of these, terms forbid: {listed(refused)}. {self.allowed:,} may meet.")
        if self.open_places > self.available:
            needed = counted(self.open_places, "more player")
            lines.append(f"A match needs {needed}, and {self.available:,} may meet.")
        for role, count in self.lacking.items():
            lines.append(f"A match lacks {counted(count, 'player')} for {role}.")
        if self.nearest_cost is not None:
            lines.append(self._said_of_nearest())
        if self.expected_wait is not None:
            lines.append(
                f"Who waited this long was matched after {self.expected_wait:.0f} s more on average."
            )
        return "\n".join(lines)

    def _said_of_nearest(self) -> str:
        nearest, cost = shorten(" + ".join(self.nearest)), self.nearest_cost
        said = f"Nearest is {nearest} at a cost of {cost:.3f}"
        if self.acceptable_in == 0.0:
            return f"{said}, which is acceptable; so are {self.acceptable:,}."
        later = "never accepted" if self.acceptable_in is None else f"accepted in {self.acceptable_in:.0f} s"
        return f"{said}; {self.accepts:.3f} is accepted now, and this is {later}."


@dataclass(frozen=True)
class WaitingTicket:
    """A ticket in question, beside all that wait."""

    slot: int
    slots: Longs
    """The slots of all tickets that wait, in no running match; that of the ticket is among them."""
    waited: Floats
    """The seconds that each of them has waited."""

    @property
    def row(self) -> int:
        """The place of the ticket among them."""
        return int(np.flatnonzero(self.slots == self.slot)[0])


def find_reasons(
    ticket: WaitingTicket,
    look: Look,
    now: PoolTime,
    policy: Policy,
    mode: Mode,
    timeout: float | None,
    waits: Histogram,
) -> WaitingReasons:
    """Why a ticket waits; `waits` are the seconds that tickets waited who were matched."""
    waiting, row = look(ticket.slots, ticket.waited), ticket.row
    store, waited = waiting.store, float(ticket.waited[row])
    others = np.delete(np.arange(len(waiting)), row)
    meetings = waiting.meet(np.full(len(others), row), others)
    free = ~policy.forbidden(meetings)
    refusals = dict(waiting.refusals)
    cost = policy.cost(meetings.take(free))
    limits = policy.limits(waiting)
    limits[waiting.waited >= policy.patience] = math.inf
    may = others[free]
    excess = cost - np.maximum(limits[row], limits[may])
    nearest, soon = None, None
    if len(may):
        # First accepted is who lacks least now, or who is overdue first.
        for one in (int(np.lexsort((cost, excess))[0]), int(np.argmax(ticket.waited[may]))):
            pair = np.array([row, may[one]])
            seconds = _seconds_until(
                float(cost[one]), look, ticket.slots[pair], ticket.waited[pair], policy, timeout
            )
            if nearest is None or (seconds is not None and (soon is None or seconds < soon)):
                nearest, soon = one, seconds
    inside = store.together(ticket.slot)
    mean = waits.mean_beyond(waited)
    overdue = max(0.0, policy.patience - waited)
    proposal = int(store.table["proposal"][ticket.slot])
    return WaitingReasons(
        players=store.players_of(ticket.slot),
        time=now.seconds,
        moment=to_datetime(now.micros),
        waited=waited,
        match=None if proposal == NOBODY else proposal,
        others=len(others),
        forbidden=refusals,
        allowed=len(may),
        acceptable=int(np.count_nonzero(excess <= 0.0)),
        accepts=float(limits[row]),
        nearest=() if nearest is None else store.players_of(int(ticket.slots[may[nearest]])),
        nearest_cost=None if nearest is None else float(cost[nearest]),
        acceptable_in=soon,
        overdue_in=overdue if math.isfinite(overdue) else None,
        expected_wait=None if mean is None else max(0.0, mean - waited),
        open_places=mode.players - int(store.table["size"][inside].sum()),
        available=int(waiting.size[may].sum()),
        lacking=_lacking(waiting, np.concatenate([ticket.slots[may], inside]), mode),
        newcomers=_newcomers(waiting, ticket.slot),
    )


def _seconds_until(
    cost: float, look: Look, slots: Longs, waited: Floats, policy: Policy, timeout: float | None
) -> float | None:
    """Seconds until one of two tickets accepts what their meeting costs; the first of them is in question.

    What tickets accept may only grow with their wait, as podium's terms have it.
    """

    def is_accepted(seconds: float) -> bool:
        later = waited + seconds
        overdue: Bools = later >= policy.patience
        return bool(overdue.any() or cost <= policy.limits(look(slots, later)).max())

    if is_accepted(0.0):
        return 0.0
    ends = LONGEST_WAIT if timeout is None else timeout - float(waited.max())
    low, high = 0.0, min(ends, max(0.0, policy.patience - float(waited.max())))
    if high <= 0.0 or not is_accepted(high):
        return None
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if is_accepted(middle) else (middle, high)
    return None if timeout is not None and high >= ends else high


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
    plays = waiting.store.people["roles"][players]
    found = {}
    for number, role in enumerate(mode.role_names):
        places = sum(side.count(role) for side in mode.roles)
        willing = int(np.count_nonzero(plays >> number & 1))
        if willing < places:
            found[role] = places - willing
    return found
