"""What a tick answers: matches as values, made when they are looked at, from columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, overload

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import InputError
from podium.history import Names
from podium.matchmaking.deciders.decisions import Decision
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.seating import give_roles, room_of
from podium.matchmaking.policies.meetings import Waiting
from podium.matchmaking.pool.growing_tables import segment_means
from podium.matchmaking.pool.player_memory import LineUps
from podium.matchmaking.pool.tickets import NOBODY
from podium.notebooks import html_table
from podium.text import brief_repr, counted, shorten

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class Match:
    """A proposed match.

    Attributes:
        number: Its number, counted from 0 in each pool.
        sides: The players of each side.
        chances: The expected score of each side. In a free-for-all, the win probability.
        wanted: The chance that each side's players want, on average.
        cost: Its cost by the policy.
        waited: The seconds each player waited, in the order of `players`.
        region: The region with the best latency, if the policy looks at latency.
        backfill: The number of the request that it answers, if it fills a running match.
        roles: The role of each player of each side, if the mode has roles.
        pool: The id of the pool that proposed it: other pools refuse it.
        proposed: When it was proposed, in the pool's seconds. None if the pool had no time yet.
        deadline: Until when its players must accept it, if the policy sets a deadline.
        started: When it started. None if it has not.
        accepted: The players who have accepted it so far. `Matchmaker.match` returns the match as it is now.
        continues: The number of the running match whose open places it fills. Once it has started, that match
            continues with all these players.
        left: The players who have left the match while it was played, with the reason.

    >>> import podium
    >>> pool = podium.Matchmaker("elo", mode="1v1")
    >>> tickets = [pool.join(name, mu=1500.0) for name in ("ann", "bob")]
    >>> match = pool.tick().matches[0]
    >>> sorted(player for side in match.sides for player in side), match.chances
    (['ann', 'bob'], (0.5, 0.5))
    """

    __repr__ = brief_repr

    number: int
    sides: tuple[tuple[str, ...], ...]
    chances: tuple[float, ...]
    wanted: tuple[float, ...]
    cost: float
    waited: tuple[float, ...]
    region: str | None = None
    backfill: int | None = None
    roles: tuple[tuple[str, ...], ...] | None = None
    pool: str = field(default="", compare=False, repr=False)
    proposed: float | None = field(default=None, compare=False)
    deadline: float | None = field(default=None, compare=False)
    started: float | None = field(default=None, compare=False)
    accepted: tuple[str, ...] = field(default=(), compare=False)
    continues: int | None = None
    left: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def players(self) -> tuple[str, ...]:
        """All players, side after side."""
        return tuple(player for side in self.sides for player in side)


@dataclass(frozen=True, eq=False)
class Proposals(Sequence[Match]):
    """The matches of a tick, as columns; `Match` values are made when accessed."""

    start: int
    """The number of the first match."""
    sides: Longs
    """Match i has the sides sides[i] to sides[i + 1]."""
    members: Longs
    """Side j has the players members[j] to members[j + 1]."""
    player: Longs
    """The number of each player in `names`."""
    slot: Longs
    """The position of each player's ticket in the pool."""
    chance: Floats
    """The expected score of each side. In a free-for-all, the win probability."""
    wanted: Floats
    """The chance that each side's players want, on average."""
    cost: Floats
    waited: Floats
    """Seconds that each player waited."""
    region: Longs
    backfill: Longs
    """The number of the request that each match answers; −1 for none."""
    continues: Longs
    """The number of the running match whose open places each match fills; −1 for none."""
    names: Names = field(repr=False)
    regions: tuple[str, ...] = ()
    role: Longs | None = None
    """The number of each player's role among the mode's; None if it has no roles."""
    role_names: tuple[str, ...] = ()
    pool: str = field(default="", repr=False)
    """Which pool proposed them."""
    time: float = np.nan
    """When, in the pool's seconds; NaN if the pool had no time yet."""
    answer_within: float | None = None
    """The seconds in which the policy asks for answers."""

    @property
    def first_player(self) -> Longs:
        """The first player of each match, and the end of the last."""
        return self.members[self.sides]

    @property
    def lineups(self) -> LineUps:
        """The players of each match by number, side by side."""
        return LineUps(self.player, self.slot, self.sides, self.members, self.numbers)

    @property
    def numbers(self) -> Longs:
        """The number of each match."""
        return np.arange(self.start, self.start + len(self))

    @property
    def gap(self) -> Floats:
        """For each match, the mean distance of its sides' chances from the wanted ones."""
        if not len(self):
            return np.zeros(0)
        gap: Floats = np.add.reduceat(np.abs(self.wanted - self.chance), self.sides[:-1])
        return gap / np.diff(self.sides)

    def __len__(self) -> int:
        return len(self.cost)

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> list[Match]: ...
    def __getitem__(self, index: int | slice) -> Match | list[Match]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        low, high = int(self.sides[i]), int(self.sides[i + 1])
        cuts = self.members[low : high + 1].tolist()
        names = [self.names[player] for player in self.player[cuts[0] : cuts[-1]].tolist()]
        region, backfill = int(self.region[i]), int(self.backfill[i])
        roles = self.roles_of(cuts[0], cuts[-1])
        return Match(
            self.start + i,
            _by_side(names, cuts),
            tuple(self.chance[low:high].tolist()),
            tuple(self.wanted[low:high].tolist()),
            float(self.cost[i]),
            tuple(self.waited[cuts[0] : cuts[-1]].tolist()),
            None if region < 0 else self.regions[region],
            None if backfill < 0 else backfill,
            None if roles is None else _by_side(roles, cuts),
            self.pool,
            seconds_or_none(self.time),
            None if self.answer_within is None else seconds_or_none(self.time + self.answer_within),
            continues=None if self.continues[i] < 0 else int(self.continues[i]),
        )

    def roles_of(self, start: int, end: int) -> list[str] | None:
        """The roles of players in a row; None if the mode has no roles."""
        return None if self.role is None else [self.role_names[r] for r in self.role[start:end].tolist()]

    def __iter__(self) -> Iterator[Match]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<Matches: {len(self):,}>"

    def to_frame(self) -> pl.DataFrame:
        """One row for each player: match, side, player, chance and wanted chance, cost, waited, region.

        Matches have their numbers, and sides count from 0, as `Matchmaker.finish` takes them.

        If the mode has roles, there is also the role.
        """
        import polars as pl

        side = np.repeat(np.arange(len(self.members) - 1), np.diff(self.members))
        match = np.repeat(np.arange(len(self)), np.diff(self.first_player))
        names, regions = self.names, (*self.regions, None)
        roles = self.roles_of(0, len(self.player))
        frame = pl.DataFrame(
            {
                "match": match + self.start,
                "side": side - self.sides[match],
                "player": pl.Series([names[player] for player in self.player.tolist()], dtype=pl.String),
                "chance": self.chance[side],
                "wanted": self.wanted[side],
                "cost": self.cost[match],
                "waited": self.waited,
                "region": pl.Series([regions[r] for r in self.region[match].tolist()], dtype=pl.String),
            }
        )
        return frame if roles is None else frame.with_columns(pl.Series("role", roles, dtype=pl.String))


def _by_side(texts: list[str], cuts: list[int]) -> tuple[tuple[str, ...], ...]:
    """Texts of the players of a match, a tuple for each side."""
    return tuple(tuple(texts[a - cuts[0] : b - cuts[0]]) for a, b in pairwise(cuts))


def seconds_or_none(time: float) -> float | None:
    """A time as users see it; None for NaN."""
    return None if np.isnan(time) else float(time)


def check_match(match: object) -> None:
    """Refuse an argument that is not a match of a tick."""
    if not isinstance(match, Match):
        raise InputError(f"{shorten(repr(match))} is not a match", hint="give one of tick.matches")


def propose_matches(
    waiting: Waiting,
    decision: Decision,
    mode: Mode,
    start: int,
    pool: str,
    time: float,
    answer_within: float | None,
) -> Proposals:
    """The decision in players: those of a ticket are next to each other, on one side.

    `start` is the number of the first match, and `pool` says which pool proposes them.
    """
    store, slots = waiting.store, waiting.slots[decision.tickets]
    player, ends = store.members(slots)
    per_match = np.diff(decision.offsets)
    match = np.repeat(np.arange(len(per_match)), per_match)
    new_side = np.ones(len(slots), np.bool_)
    new_side[1:] = (decision.side[1:] != decision.side[:-1]) | (match[1:] != match[:-1])
    heads = np.flatnonzero(new_side)
    asked = np.full(len(per_match), NOBODY)
    np.maximum.at(asked, match, waiting.request[decision.tickets])
    filled = np.full(len(per_match), NOBODY)
    np.maximum.at(filled, match, store.table["fills"][slots])
    per_ticket = np.diff(ends)
    sides, members = np.searchsorted(heads, decision.offsets), np.append(ends[heads], ends[-1])
    # What the players of each side want, in the mean: an even chance against one is an even one among many.
    wanted = segment_means(np.repeat(waiting.wanted[decision.tickets], per_ticket), members)
    in_match = np.diff(sides)
    return Proposals(
        start,
        sides,
        members,
        player,
        np.repeat(slots, per_ticket),
        decision.chance,
        wanted * np.repeat(2.0 / in_match, in_match),
        decision.cost,
        np.repeat(waiting.waited[decision.tickets], per_ticket),
        decision.region,
        asked,
        filled,
        store.names,
        tuple(store.delays.regions),
        _roles(waiting, decision.side[heads], members, player, mode) if mode.roles else None,
        mode.role_names,
        pool,
        time,
        answer_within,
    )


def join_proposals(parts: Sequence[Proposals]) -> Proposals:
    """The matches of several kinds that a tick proposes, as one sequence; their numbers follow each other."""
    if len(parts) == 1:
        return parts[0]
    role = [part.role for part in parts if part.role is not None]
    return replace(
        parts[0],
        sides=joined_ends([part.sides for part in parts]),
        members=joined_ends([part.members for part in parts]),
        player=np.concatenate([part.player for part in parts]),
        slot=np.concatenate([part.slot for part in parts]),
        chance=np.concatenate([part.chance for part in parts]),
        wanted=np.concatenate([part.wanted for part in parts]),
        cost=np.concatenate([part.cost for part in parts]),
        waited=np.concatenate([part.waited for part in parts]),
        region=np.concatenate([part.region for part in parts]),
        backfill=np.concatenate([part.backfill for part in parts]),
        continues=np.concatenate([part.continues for part in parts]),
        role=np.concatenate(role) if role else None,
    )


def joined_ends(offsets: Sequence[Longs]) -> Longs:
    """Where each piece begins and the last ends, when lists of pieces are put one after another."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate([np.diff(o) for o in offsets]))])


def _roles(waiting: Waiting, side: Longs, members: Longs, player: Longs, mode: Mode) -> Longs:
    """The number of the role of each player; `side` is the number of each side in its match."""
    role = np.empty(len(player), np.int64)
    played = waiting.store.people["roles"][player] & mode.any_role
    give_roles(room_of(mode), side, members, played, role)
    return role


@dataclass(frozen=True)
class Backfill:
    """The request of a running match for more players."""

    number: int
    """Its number, counted from 0 in order of asking."""
    sides: tuple[tuple[str, ...], ...]
    """The players in the match now, side by side."""
    time: float
    """When it asked, in seconds."""
    match: int | None = None
    """The number of the match, if this pool started it."""


@dataclass(frozen=True, repr=False)
class Tick:
    """The result of a tick: the proposed matches, and the tickets left.

    Attributes:
        time: When it was, in the pool's seconds.
        matches: The matches proposed now.
        expired: The players of each ticket whose time was up. For a running match, side by side.
        waiting: Number of tickets still waiting, without those in proposals or of running matches.
        ended: The numbers of the backfill requests whose time was up.
        moment: The time of the tick, if the pool gets datetimes. `time` then counts seconds since 1970.
        left: Number of tickets still waiting that were not examined within the time budget.
        merged: The players of each ticket that was removed since the last tick because the ladder merged
            one of them with a player who has an older ticket.
        lapsed: The matches whose deadline has passed, by number: their players who had not answered, who
            left. The others wait again.

    >>> import podium
    >>> pool = podium.Matchmaker("elo", mode="1v1")
    >>> tickets = [pool.join(name, mu=1500.0) for name in ("ann", "bob", "cat")]
    >>> tick = pool.tick()
    >>> len(tick.matches), tick.waiting
    (1, 1)
    """

    __repr__ = brief_repr

    time: float
    matches: Proposals
    expired: list[tuple[str, ...]]
    waiting: int
    ended: list[int] = field(default_factory=list)
    moment: datetime | None = None
    left: int = 0
    merged: list[tuple[str, ...]] = field(default_factory=list)
    lapsed: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        rows = (
            (one.number, " against ".join(" + ".join(side) for side in one.sides), max(one.waited))
            for one in self.matches
        )
        title = f"{counted(len(self.matches), 'match')}, {counted(self.waiting, 'ticket')} still waiting"
        return html_table(title, ("match", "players", "longest wait, s"), rows, count=len(self.matches))


def score_sides(
    match: Match, won: int | None, side: int | None, draw: bool, scores: Sequence[float] | None
) -> Floats:
    """The score of each side, from one of the ways `Matchmaker.finish` takes a result.

    `won` is the side of the player who is named as the winner.
    """
    sides = len(match.sides)
    if (won is not None) + (side is not None) + bool(draw) + (scores is not None) != 1:
        raise InputError("end a match with a winner, a side, a draw or scores", hint="one of them")
    if draw:
        return np.full(sides, 0.5)
    if scores is not None:
        try:
            result = np.array(scores, np.float64)
        except (TypeError, ValueError, OverflowError):
            result = np.empty(0)
        if result.shape != (sides,) or not np.all((result >= 0) & (result <= 1)):
            raise InputError(f"scores are {shorten(repr(scores))}", hint=f"give {sides} numbers from 0 to 1")
        return result
    if won is not None:
        side = won
    elif isinstance(side, bool) or not isinstance(side, (int, np.integer)) or not 0 <= side < sides:
        raise InputError(f"side {shorten(repr(side))} of match {match.number}", hint=f"0 to {sides - 1}")
    result = np.zeros(sides)
    result[side] = 1.0
    return result
