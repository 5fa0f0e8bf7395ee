"""The matches of a pool that are proposed or being played, known by their numbers, in columns.

A tick proposes thousands, and most are started as a whole; so what a tick proposed stays together, and the
columns are taken apart only when many of its matches have ended.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.history import Names
from podium.matchmaking.pool.growing_tables import PutBack
from podium.matchmaking.pool.player_memory import LineUps
from podium.matchmaking.pool.proposals import Match, Proposals, joined_ends
from podium.matchmaking.pool.tickets import NOBODY

REASONS = ("", "abandon", "excused")
"""Why a player has left a match: the first is for those who have not."""
MOST_PARTS = 64
"""Ticks whose matches are kept apart."""
ENDED_MATCHES = 1000
"""Matches that may have ended before anybody looks which ones did."""


class MatchColumns(NamedTuple):
    """Matches in order of their numbers; the columns mean what those of `Proposals` mean."""

    numbers: Longs
    sides: Longs
    members: Longs
    player: Longs
    """The number of each player now; −1 for one who is forgotten."""
    called: Longs
    """The number of the name that each had when the match was proposed; −1 for one who is forgotten."""
    chance: Floats
    wanted: Floats
    cost: Floats
    waited: Floats
    region: Longs
    backfill: Longs
    role: Longs
    """The number of each player's role among the mode's; −1 if it has no roles."""
    proposed: Floats
    """The time of the tick, in the pool's seconds; NaN if the pool had no time yet."""
    started: Floats
    """When it started; NaN if it has not, or if the pool had no time yet."""
    continues: Longs
    """The number of the running match whose open places it fills; −1 for none."""
    left: Longs
    """Whether each player has left, and why: a place in `REASONS`."""

    @classmethod
    def of(cls, matches: Proposals) -> MatchColumns:
        """The matches of a tick, whose players are called as they were."""
        return cls(
            matches.numbers,
            matches.sides,
            matches.members,
            matches.player,
            matches.player,
            matches.chance,
            matches.wanted,
            matches.cost,
            matches.waited,
            matches.region,
            matches.backfill,
            np.full(len(matches.player), NOBODY) if matches.role is None else matches.role,
            np.full(len(matches), matches.time),
            np.full(len(matches), np.nan),
            matches.continues,
            np.zeros(len(matches.player), np.int64),
        )

    @property
    def was_filled(self) -> bool:
        """Whether newcomers have joined the only match here while it was played."""
        return bool(self.backfill[0] != NOBODY and self.continues[0] == NOBODY)

    @property
    def per_player(self) -> Longs:
        """The number of the match of each player."""
        return np.repeat(self.numbers, np.diff(self.members[self.sides]))

    def some(self, these: Bools) -> MatchColumns:
        """These matches only."""
        if these.all():
            return self
        rows = np.arange(len(self.player))
        lineups = LineUps(rows, rows, self.sides, self.members, self.numbers).some(these)
        rows, side = lineups.player, np.repeat(these, np.diff(self.sides))
        return MatchColumns(
            lineups.numbers,
            lineups.sides,
            lineups.members,
            self.player[rows],
            self.called[rows],
            self.chance[side],
            self.wanted[side],
            self.cost[these],
            self.waited[rows],
            self.region[these],
            self.backfill[these],
            self.role[rows],
            self.proposed[these],
            self.started[these],
            self.continues[these],
            self.left[rows],
        )

    def one(self, row: int) -> MatchColumns:
        """The match in this row only."""
        side, end = self.sides[row : row + 2].tolist()
        members = self.members[side : end + 1]
        of_match, of_side, of_player = (
            slice(row, row + 1),
            slice(side, end),
            slice(*members[[0, -1]].tolist()),
        )
        return MatchColumns(
            self.numbers[of_match],
            np.array([0, end - side]),
            members - members[0],
            self.player[of_player],
            self.called[of_player],
            self.chance[of_side],
            self.wanted[of_side],
            self.cost[of_match],
            self.waited[of_player],
            self.region[of_match],
            self.backfill[of_match],
            self.role[of_player],
            self.proposed[of_match],
            self.started[of_match],
            self.continues[of_match],
            self.left[of_player],
        )

    def side_of(self, player: int) -> int:
        """The side of a player of the only match here."""
        return int(np.searchsorted(self.members, player, side="right")) - 1

    def names_of(self, player: int, names: Names) -> set[str]:
        """The names of a player of the only match here, now and when it was proposed."""
        return {names[i] for i in (int(self.player[player]), int(self.called[player])) if i != NOBODY}

    def is_of(self, players: Sequence[str], names: Names) -> bool:
        """Whether these are the players of the only match here, whose names may have changed meanwhile.

        Those who are forgotten may be among them, or left out as in `to_match`.
        """
        places = list(range(len(self.player)))
        if len(players) < len(self.player):
            places = np.flatnonzero(self.player != NOBODY).tolist()
        return len(players) == len(places) and all(
            self.called[place] == NOBODY or name in self.names_of(place, names)
            for name, place in zip(players, places, strict=True)
        )

    def to_match(
        self, names: Names, regions: tuple[str, ...], role_names: tuple[str, ...], pool: str
    ) -> Match:
        """The only match here as a value, without those who are forgotten."""
        known = self.player != NOBODY
        members = np.concatenate([[0], np.cumsum(known)])[self.members]
        player, waited = self.player[known], self.waited[known]
        return Proposals(
            int(self.numbers[0]),
            self.sides,
            members,
            player,
            np.full(len(player), NOBODY),
            self.chance,
            self.wanted,
            self.cost,
            waited,
            self.region,
            self.backfill,
            self.continues,
            names,
            regions,
            self.role[known] if role_names else None,
            role_names,
            pool,
            float(self.proposed[0]),
        )[0]


def joined(parts: Sequence[MatchColumns]) -> MatchColumns:
    """Matches of several ticks as one."""
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    together = MatchColumns(*columns)
    return together._replace(
        sides=joined_ends([part.sides for part in parts]),
        members=joined_ends([part.members for part in parts]),
    )


class KnownMatches:
    """All matches of a pool that are proposed or played, and some that have ended."""

    def __init__(self) -> None:
        self.parts: tuple[MatchColumns, ...] = ()
        """In order of their numbers; none is empty."""
        self._live = 0
        """How many had not ended when somebody looked."""

    def __len__(self) -> int:
        return sum(len(part.numbers) for part in self.parts)

    def keep(self) -> PutBack:
        """Keep all matches."""
        parts, live = self.parts, self._live

        def put_back() -> None:
            self.parts, self._live = parts, live

        return put_back

    def add(self, matches: Proposals) -> None:
        """Know the matches of a tick, which come after all others."""
        if len(matches):
            self.parts = (*self.parts, MatchColumns.of(matches))

    def note_start(self, numbers: Longs, time: float) -> PutBack:
        """Note when some matches start, in order of their numbers, and return what takes it back."""
        kept = []
        for part in self.parts[self._place(int(numbers[0])) :] if len(numbers) else ():
            if part.numbers[0] > numbers[-1]:
                break
            here = numbers[(numbers >= part.numbers[0]) & (numbers <= part.numbers[-1])]
            rows = np.searchsorted(part.numbers, here)
            kept.append((part.started, rows, part.started[rows]))
            part.started[rows] = time

        def put_back() -> None:
            for column, rows, before in kept:
                column[rows] = before

        return put_back

    def note_leaving(self, number: int, player: int, reason: int) -> PutBack:
        """Note that a player leaves a match, and return what takes it back."""
        match = self.find(number)
        assert match is not None
        column, kept = match.left, match.left.copy()
        column[match.player == player] = reason

        def put_back() -> None:
            column[:] = kept

        return put_back

    def fill(self, number: int, filled: MatchColumns) -> None:
        """Let a running match continue with the players of the match that fills its open places."""
        parts = []
        for part in self.parts:
            row = int(np.searchsorted(part.numbers, number))
            if row == len(part.numbers) or part.numbers[row] != number:
                parts.append(part)
                continue
            now = filled._replace(
                numbers=part.numbers[row : row + 1],
                proposed=part.proposed[row : row + 1],
                started=part.started[row : row + 1],
                continues=np.array([NOBODY]),
            )
            pieces = [part.some(part.numbers < number), now, part.some(part.numbers > number)]
            parts.append(joined([piece for piece in pieces if len(piece.numbers)]))
        self.parts = tuple(parts)

    def date(self, time: float, playing: Longs) -> None:
        """Give a time to all matches that have none yet, and to the start of those that are played."""
        self.parts = tuple(
            part._replace(
                proposed=np.where(np.isnan(part.proposed), time, part.proposed),
                started=np.where(np.isnan(part.started) & np.isin(part.numbers, playing), time, part.started),
            )
            for part in self.parts
        )

    @property
    def has_ended(self) -> bool:
        """Whether it is time to find out which matches have ended."""
        return len(self.parts) > MOST_PARTS or len(self) > 2 * self._live + ENDED_MATCHES

    def keep_only(self, numbers: Longs) -> None:
        """Know these matches only; all others have ended."""
        parts = [part.some(np.isin(part.numbers, numbers)) for part in self.parts]
        parts = [part for part in parts if len(part.numbers)]
        parts = [joined(parts)] if len(parts) > 1 else parts
        self.parts, self._live = tuple(parts), sum(len(part.numbers) for part in parts)

    def find(self, number: int) -> MatchColumns | None:
        """The match with a number; None if it is not known."""
        place = self._place(number)
        if place == len(self.parts):
            return None
        part = self.parts[place]
        row = int(np.searchsorted(part.numbers, number))
        return part.one(row) if part.numbers[row] == number else None

    def _place(self, number: int) -> int:
        """The first part that ends with this number or a later one."""
        return bisect_left(self.parts, number, key=lambda part: int(part.numbers[-1]))

    def between(self, first: int, end: int) -> Iterator[MatchColumns]:
        """The matches with numbers from `first` and below `end`."""
        for part in self.parts:
            if part.numbers[0] < end and part.numbers[-1] >= first:
                yield part.some((part.numbers >= first) & (part.numbers < end))

    def follow(self, player: int, into: int) -> None:
        """Let one player be another from now on."""
        self.parts = tuple(
            part._replace(player=np.where(part.player == player, into, part.player)) for part in self.parts
        )

    def renumber(self, number: Longs) -> None:
        """Give players other numbers: player i gets number[i], −1 if forgotten."""
        with_nobody = np.append(number, NOBODY)  # −1 stays −1
        parts = []
        for part in self.parts:
            player = with_nobody[part.player]
            called = np.where(player == NOBODY, NOBODY, with_nobody[part.called])
            parts.append(part._replace(player=player, called=called))
        self.parts = tuple(parts)
