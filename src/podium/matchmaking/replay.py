"""Recorded joins, leaves and answers run through another policy, to compare it with what was.

A record is NDJSON: a line for each event, in order of time. Each has a `time` in seconds and one of

- `join`: a player or a list of players, with the arguments of `Matchmaker.join` (mu, sigma, attributes,
  needs, latency, roles);
- `leave`: a player who gave up waiting;
- `decline` or `accept`: a player's answer to a proposal; `after` are the seconds that the answer took;
- `match`: a match that started, as a list of its sides.

Players join at the recorded times, and leave at theirs if they still wait then. They decline the first match
that is proposed to them if they declined one in the record, and take as long to accept.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from podium.arrays import NO_TIME, Floats
from podium.errors import InputError, PodiumError
from podium.ladder.field_chances import public_winning_chances
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.team_balance import beliefs
from podium.matchmaking.matchmaker import Matchmaker
from podium.matchmaking.policies.policy import Policy
from podium.systems import RatingSystem, Sides
from podium.systems.contract.sides import Opponent
from podium.text import brief_repr, shorten

KINDS = ("join", "leave", "decline", "accept", "match")
EVERY = 15.0
"""Seconds between two ticks of a replay."""
TAIL = 0.1
"""The part of all players, by rating, who count as the strongest and as the weakest."""
_OF_JOIN = ("mu", "sigma", "attributes", "needs", "latency", "roles")


@dataclass
class RecordedTicket:
    """A ticket of a record: who joined when, and what became of it."""

    players: tuple[str, ...]
    time: float
    said: dict[str, Any]
    leaves: float | None = None
    declines: bool = False
    answer: float = 0.0
    """The seconds that its players took to accept."""
    started: float | None = None
    """When its recorded match started."""


@dataclass
class Record:
    """What a file of recorded events holds."""

    tickets: list[RecordedTicket] = field(default_factory=list)
    matches: list[tuple[float, list[list[str]]]] = field(default_factory=list)
    end: float = 0.0


@dataclass(frozen=True, repr=False)
class Outcome:
    """What became of the tickets: who was matched, after what wait, and how even the matches were.

    Attributes:
        name: The name of the policy, or "recorded".
        tickets: Number of tickets.
        matched: Number of tickets whose match started.
        left: Number of tickets that gave up waiting.
        declined: Number of tickets that declined a match.
        matches: Number of matches.
        waits: Seconds that each matched ticket waited until its match started.
        tails: The same for the tickets with the highest and the lowest tenth of ratings.
        gaps: For each match, the mean distance of its sides' chances from even ones.
        spreads: For each match, the difference between its highest and its lowest rating.
    """

    __repr__ = brief_repr

    name: str
    tickets: int
    matched: int
    left: int
    declined: int
    matches: int
    waits: Floats
    tails: Floats
    gaps: Floats
    spreads: Floats

    def row(self) -> dict[str, Any]:
        """The outcome in numbers."""
        return {
            "policy": self.name,
            "tickets": self.tickets,
            "matched": self.matched,
            "left": self.left,
            "declined": self.declined,
            "matches": self.matches,
            "wait_median": _quantile(self.waits, 0.5),
            "wait_p90": _quantile(self.waits, 0.9),
            "wait_p90_of_extremes": _quantile(self.tails, 0.9),
            "gap_mean": float(self.gaps.mean()) if len(self.gaps) else None,
            "gap_p90": _quantile(self.gaps, 0.9),
            "spread_median": _quantile(self.spreads, 0.5),
        }


def _quantile(values: Floats, share: float) -> float | None:
    return float(np.quantile(values, share)) if len(values) else None


# ---------------------------------------------------------------------- reading


def read_record(path: str | os.PathLike[str]) -> Record:
    """Read recorded events; what is wrong is refused with its line."""
    record, open_tickets, last = Record(), dict[str, RecordedTicket](), -np.inf
    name = Path(path).name
    with open(path, encoding="utf-8") as file:
        for line, text in enumerate(file, 1):
            if not text.strip():
                continue
            try:
                last = _read_event(text, record, open_tickets, last)
            except (PodiumError, ValueError) as error:
                reason = error.reason if isinstance(error, PodiumError) else str(error)
                hint = error.hint if isinstance(error, PodiumError) else None
                raise InputError(reason, source=name, line=line, hint=hint) from None
    if not record.tickets:
        raise InputError(
            "the record has no tickets",
            source=name,
            hint='{"time": 0, "join": "ann", "mu": 1500}',
        )
    record.end = last
    return record


def _read_event(text: str, record: Record, tickets: dict[str, RecordedTicket], last: float) -> float:
    event = json.loads(text)
    if not isinstance(event, dict):
        raise InputError("an event must be an object")
    time = event.pop("time", None)
    if isinstance(time, bool) or not isinstance(time, (int, float)) or not np.isfinite(time):
        raise InputError(f"the time is {shorten(repr(time))}", hint="seconds of one clock")
    if time < last:
        raise InputError(f"the event is of {time:g} s, before the {last:g} s of the event above")
    kinds = [kind for kind in KINDS if kind in event]
    if len(kinds) != 1:
        raise InputError("an event has one of " + ", ".join(KINDS))
    what = event.pop(kinds[0])
    if kinds[0] == "join":
        _read_join(what, float(time), event, record, tickets)
    elif kinds[0] == "match":
        sides = [[side] if isinstance(side, str) else list(side) for side in what]
        record.matches.append((float(time), sides))
        for player in (one for side in sides for one in side):
            if player in tickets:
                tickets[player].started = float(time)
    elif what not in tickets:
        raise InputError(f"{shorten(repr(what))} has not joined")
    elif kinds[0] == "leave":
        tickets[what].leaves = float(time)
    elif kinds[0] == "decline":
        tickets[what].declines = True
    else:
        tickets[what].answer = max(tickets[what].answer, float(event.get("after", 0.0)))
    return float(time)


def _read_join(
    who: Any, time: float, said: dict[str, Any], record: Record, tickets: dict[str, RecordedTicket]
) -> None:
    players = tuple(who) if isinstance(who, list) else (who,)
    if not players or not all(isinstance(player, str) and player for player in players):
        raise InputError(f"{shorten(repr(who))} is not a player, nor a list of players")
    if unknown := [key for key in said if key not in _OF_JOIN]:
        raise InputError(f"a join has no {unknown[0]!r}", hint=f"its values are {', '.join(_OF_JOIN)}")
    if "mu" not in said:
        raise InputError("the rating mu is missing")
    ticket = RecordedTicket(players, time, said)
    record.tickets.append(ticket)
    tickets.update(dict.fromkeys(players, ticket))


# ---------------------------------------------------------------------- running


def recorded_outcome(record: Record, system: RatingSystem) -> Outcome:
    """What the record says of itself."""
    rated: dict[str, tuple[float, float]] = {}
    times = [time for time, _ in record.matches]
    joined = 0
    found: list[list[list[tuple[float, float]]]] = []
    for place in np.argsort(times, kind="stable").tolist():
        time, sides = record.matches[place]
        while joined < len(record.tickets) and record.tickets[joined].time <= time:
            rated |= _ratings(record.tickets[joined], system)
            joined += 1
        if all(player in rated for side in sides for player in side):
            found.append([[rated[player] for player in side] for side in sides])
    gaps, spreads = _evenness(found, system)
    matched = [ticket for ticket in record.tickets if ticket.started is not None]
    return _outcome(
        "recorded",
        record,
        {id(one): one.started - one.time for one in matched if one.started is not None},
        sum(one.leaves is not None and one.started is None for one in record.tickets),
        sum(one.declines for one in record.tickets),
        gaps,
        spreads,
    )


def replay(
    record: Record,
    system: RatingSystem,
    mode: str | Mode,
    policy: Policy,
    *,
    name: str = "policy",
    every: float = EVERY,
    seed: int = 0,
) -> Outcome:
    """Run the tickets of a record through a policy.

    >>> from podium import Elo, Policy
    >>> said = [RecordedTicket((player,), 0.0, {"mu": mu}) for player, mu in (("ann", 1500), ("bob", 1510))]
    >>> outcome = replay(Record(said, end=60.0), Elo(), "1v1", Policy())
    >>> outcome.matched, outcome.waits.tolist()
    (2, [0.0, 0.0])
    """
    if not 0.0 < every < np.inf:
        raise InputError(f"a tick every {every:g} seconds", hint="seconds above 0, such as 15")
    run = _Run(record, Matchmaker(system, mode, policy, seed=seed), every)
    run.play()
    rated = [[[run.rated[player] for player in side] for side in sides] for sides in run.matches]
    gaps, spreads = _evenness(rated, system)
    return _outcome(name, record, run.waits, run.left, run.declined, gaps, spreads)


class _Run:
    """A record that runs through a pool."""

    def __init__(self, record: Record, maker: Matchmaker, every: float) -> None:
        self.record, self.maker, self.every = record, maker, every
        self.least = min(mode.players for mode, _ in maker.mode.variants)
        self.waiting: dict[str, RecordedTicket] = {}
        self.rated: dict[str, tuple[float, float]] = {}
        self.waits: dict[int, float] = {}
        self.matches: list[tuple[tuple[str, ...], ...]] = []
        self.left = self.declined = 0

    def play(self) -> None:
        """Let all tickets join, and tick as long as there are events, and once at the end.

        While nobody joins, every second tick is left out.
        """
        tickets = self.record.tickets
        times = [ticket.time for ticket in tickets]
        leaving = sorted((one.leaves, i) for i, one in enumerate(tickets) if one.leaves is not None)
        joined = gone = 0
        now, last = times[0], -np.inf
        while now < self.record.end + self.every:
            until = bisect_left(times, np.nextafter(now, np.inf), joined)
            is_news = until > joined
            if is_news:
                self.join(tickets[joined:until])
                joined = until
            while gone < len(leaving) and leaving[gone][0] <= now:
                self.leave(tickets[leaving[gone][1]])
                gone += 1
            if len(self.waiting) >= self.least:
                if is_news or now - last > self.every:
                    self.tick(now)
                    last = now
            elif joined < len(times):  # too few wait: nothing happens before the next one joins
                now = max(now, times[joined] - self.every)
            now += self.every

    def join(self, tickets: list[RecordedTicket]) -> None:
        """Let tickets join; a player who still waits joins anew, as the record says."""
        plain: list[RecordedTicket] = []
        inside: set[str] = set()
        for ticket in tickets:
            if not inside.isdisjoint(ticket.players):
                self._join_plain(plain)
                plain, inside = [], set()
            for player in ticket.players:
                if player in self.waiting:
                    self.leave(self.waiting[player])
            if ticket.said.keys() <= {"mu", "sigma"}:
                plain.append(ticket)
                inside.update(ticket.players)
            else:
                who = list(ticket.players)
                self.maker.join(who, time=self._time(ticket), playing=True, **ticket.said)
            self.waiting.update(dict.fromkeys(ticket.players, ticket))
            self.rated |= _ratings(ticket, self.maker.system)
        self._join_plain(plain)

    def _join_plain(self, tickets: list[RecordedTicket]) -> None:
        """Let tickets join of which only ratings are known, all at once."""
        if not tickets:
            return
        rated = [_ratings(ticket, self.maker.system) for ticket in tickets]
        both = np.array([one for several in rated for one in several.values()])
        self.maker.join_many(
            [list(ticket.players) for ticket in tickets],
            time=[self._time(ticket) for ticket in tickets],
            mu=both[:, 0],
            sigma=both[:, 1] if self.maker.system.has_sigma else None,
            playing=True,
        )

    def _time(self, ticket: RecordedTicket) -> float:
        return max(ticket.time, self.maker.clock)

    def leave(self, ticket: RecordedTicket) -> None:
        """Let a ticket leave if it still waits."""
        if self.waiting.get(ticket.players[0]) is ticket:
            self.maker.leave(ticket.players[0])
            self._forget(ticket)
            self.left += 1

    def _forget(self, ticket: RecordedTicket) -> None:
        for player in ticket.players:
            self.waiting.pop(player, None)

    def tick(self, now: float) -> None:
        """Propose matches; players decline or accept as they did."""
        tick = self.maker.tick(now)
        for match in tick.matches:
            tickets = {id(self.waiting[player]): self.waiting[player] for player in match.players}
            unwilling = [one for one in tickets.values() if one.declines]
            if unwilling:
                self.maker.decline(match, [one.players[0] for one in unwilling])
                for one in unwilling:
                    self.maker.pardon(list(one.players))
                    self._forget(one)
                self.declined += len(unwilling)
                continue
            answer = max(one.answer for one in tickets.values())
            self.matches.append(match.sides)
            for key, ticket in tickets.items():
                self.waits[key] = now + answer - ticket.time
                self._forget(ticket)
        if len(tick.matches):
            self.maker.start(tick)


def _ratings(ticket: RecordedTicket, system: RatingSystem) -> dict[str, tuple[float, float]]:
    """The rating and deviation of each player of a ticket."""
    mu, sigma = ticket.said["mu"], ticket.said.get("sigma")
    if system.has_sigma and sigma is None:
        raise InputError(
            f"{shorten(ticket.players[0])!r} joins without a deviation sigma, which {system.label} needs"
        )
    columns = [
        list(value) if isinstance(value, (list, tuple)) else [value] * len(ticket.players)
        for value in (mu, 0.0 if sigma is None else sigma)
    ]
    if any(len(column) != len(ticket.players) for column in columns):
        raise InputError(f"{shorten(ticket.players[0])!r} joins with another number of ratings than players")
    return dict(zip(ticket.players, zip(*columns, strict=True), strict=True))


def _outcome(
    name: str,
    record: Record,
    waits: Mapping[int, float],
    left: int,
    declined: int,
    gaps: Floats,
    spreads: Floats,
) -> Outcome:
    strength = np.array([float(np.mean(ticket.said["mu"])) for ticket in record.tickets])
    low, high = np.quantile(strength, [TAIL, 1.0 - TAIL])
    waited = np.array([waits.get(id(ticket), np.nan) for ticket in record.tickets])
    there = ~np.isnan(waited)
    tails = (strength <= low) | (strength >= high)
    return Outcome(
        name,
        len(record.tickets),
        int(there.sum()),
        left,
        declined,
        len(gaps),
        waited[there],
        waited[there & tails],
        gaps,
        spreads,
    )


def _evenness(
    matches: Iterable[Iterable[list[tuple[float, float]]]], system: RatingSystem
) -> tuple[Floats, Floats]:
    """How far the chances of each match are from even, and how far its ratings are apart."""
    listed = [[list(side) for side in sides] for sides in matches]
    gaps, spreads = np.zeros(len(listed)), np.zeros(len(listed))
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for number, sides in enumerate(listed):
        by_shape.setdefault(tuple(map(len, sides)), []).append(number)
    for sizes, numbers in by_shape.items():
        rated = np.array([[one for side in listed[number] for one in side] for number in numbers], np.float64)
        mu, sigma = rated[..., 0].ravel(), rated[..., 1].ravel()
        spreads[numbers] = np.ptp(rated[..., 0], axis=1)
        state = beliefs(system, mu, sigma if system.has_sigma else None)
        ends = np.cumsum(np.tile(sizes, len(numbers)))
        sides_of = Sides(np.arange(len(mu)), np.concatenate([[0], ends]))
        chance = _chances(system, state, sides_of, len(sizes), len(numbers))
        gaps[numbers] = np.abs(chance - 1.0 / len(sizes)).mean(axis=1)
    return gaps, spreads


def _chances(system: RatingSystem, state: Any, sides: Sides, count: int, matches: int) -> Floats:
    """The chance of each side of matches that have `count` sides, a row for each match."""
    if count > 2:
        offsets = np.arange(matches + 1) * count
        return public_winning_chances(system, state, sides, NO_TIME, offsets).reshape(matches, count)
    mu, sigma = system.side_belief(state, sides, NO_TIME)
    first, second = (
        Opponent(mu[i::2], None if sigma is None else sigma[i::2], sides.sizes[i::2], sides.noise[i::2])
        for i in (0, 1)
    )
    won = system.expected_between(first, second, 0.0)
    return np.stack([won, 1.0 - won], axis=1)
