"""What is to be expected of events to come: of two sides, and of free-for-alls of any size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import InputError
from podium.history import Event, Names
from podium.history.events import parts_played
from podium.history.times import Time, to_micros
from podium.ladder.dated import Dated, dated
from podium.ladder.field_chances import (
    first_two_places,
    has_exact_places,
    least_pairwise_chances,
    moved_to_first,
    tie_chances,
)
from podium.ladder.locking import locked
from podium.systems import RatingSystem, Sides, State, hinting_at_others
from podium.systems.contract.calibration import Calibration, field_performances
from podium.systems.contract.ratings import Outcomes, RankProbabilities
from podium.systems.contract.side_scores import Performances, with_coin
from podium.text import shorten

MOST_PLACED = 2_000
"""Largest number of sides for a matrix of all places, or of all pairs: four million numbers."""

Side = str | Collection[str]


class _Field(NamedTuple):
    """The sides of a free-for-all: their names, a state, and the rows of their players in it."""

    names: tuple[str | tuple[str, ...], ...]
    state: State
    sides: Sides


class Predicting(Dated):
    """The predictions of a ladder, for any class that has a system, a state and names."""

    system: RatingSystem
    state: State
    players: Names
    """All names seen so far, by index; some may no longer belong to a player."""

    @property
    @locked
    def calibration(self) -> Calibration | None:
        """The correction of the system's predictions learned so far. None unless the system is calibrated.

        >>> from podium import Elo, Ladder
        >>> ladder = Ladder(Elo(calibration="learned"))
        >>> ladder.calibration.slope
        1.0
        """
        return Calibration.of(self.state) if self.system.is_calibrated else None

    @dated
    def expected_score(
        self,
        a: Side,
        b: Side,
        *,
        home: str | None = None,
        play: Mapping[str, float] | None = None,
        at: Time | None = None,
    ) -> float:
        """The expected score of `a` against `b`, players or teams. Unknown players count as newcomers.

        `play` gives the part of the event for players who will not take part in all of it. With `at`, the
        prediction is for an event at that time. For a time in the past use `Ladder.at`.
        """
        state, first, second, sign = self._facing(a, b, home, play)
        with hinting_at_others():
            return float(self.system.predict(state, first, second, home=sign, at=to_micros(at))[0])

    @dated
    def outcomes(
        self,
        a: Side,
        b: Side,
        *,
        home: str | None = None,
        play: Mapping[str, float] | None = None,
        at: Time | None = None,
    ) -> Outcomes:
        """The probabilities that `a` wins, draws and loses against `b`, with the same arguments.

        Elo, Glicko and others give draws no chance unless `draw_rate` is set. Systems with
        ``calibration="learned"``, presets among them, and `auto` learn how often matches are drawn.

        >>> from podium import Ladder, make_system
        >>> [Ladder(make_system("elo", draw_rate=rate)).outcomes("ann", "bob").draw for rate in (0.0, 0.25)]
        [0.0, 0.25]
        """
        state, first, second, sign = self._facing(a, b, home, play)
        with hinting_at_others():
            chances = self.system.outcomes(state, first, second, home=sign, at=to_micros(at))
        return Outcomes(*chances[0].tolist())

    @dated
    def rank_probabilities(self, sides: Iterable[Side], *, at: Time | None = None) -> RankProbabilities:
        """The probability of each rank for each side of a free-for-all: players or teams (lists).

        Each side performs around its rating, above and below it equally often, and wins no more often than it
        would beat any one of the others. With `auto` it is around what experts expect, as in
        `expected_ranks`. For two sides the result is their expected score. A tie counts half for each of both
        orders. `tied` of the result is the probability of each side to share its rank. It takes up to 2,000
        sides. `expected_ranks` and `top_chances` take any number.

        >>> from podium import Elo, Ladder
        >>> Ladder(Elo()).rank_probabilities(["ann", "bob", "cat", "dan"]).matrix.round(9).tolist()[0]
        [0.25, 0.25, 0.25, 0.25]
        """
        from podium.numerics.free_for_all.place_chances import rank_probabilities

        field = self._field(sides)
        if len(field.names) > MOST_PLACED:
            raise InputError(
                f"the chances of every place work for at most {MOST_PLACED:,} sides, not "
                f"{len(field.names):,}",
                hint="use expected_ranks or top_chances, which take any number",
            )
        if (matrix := self._duel(field, at)) is None:
            matrix = with_coin(
                self.system, rank_probabilities(*self._performances(field, at)), 1 / len(field.names)
            )
            moved = self._moved_to_first(field, at, lambda: (matrix[:, 0], matrix[:, 1]))
            matrix[:, :2] += np.stack([moved, -moved], axis=1)
        with hinting_at_others():
            tied = tie_chances(self.system, field.state, field.sides, to_micros(at))
        return RankProbabilities(field.names, matrix, tied)

    @dated
    def expected_ranks(self, sides: Iterable[Side], *, at: Time | None = None) -> Floats:
        """The mean rank of each side of a free-for-all, in the order given, for any number of sides.

        Exact to 1e-10 of the number of sides, for performances as the system has them. Where
        `rank_probabilities` limits a chance to win, its means differ from these by some hundredths of a
        place. They differ by tenths if the system is calibrated, as experience counts in matches alone.

        >>> from podium import Elo, Ladder, SetRating
        >>> ladder = Ladder(Elo())
        >>> changes = ladder.adjust(SetRating(player="ann", mu=1700))
        >>> ladder.expected_ranks(["ann", "bob", "cat"]).round(2).tolist()
        [1.48, 2.26, 2.26]
        """
        return self._mean_ranks(self._field(sides), at)

    @dated
    def top_chances(self, sides: Iterable[Side], k: int, *, at: Time | None = None) -> Floats:
        """The probability of each side of a free-for-all to have rank `k` or better, in the order given.

        Any number of players or teams, exact to 1e-10. With ``k=1`` it is the chance to win. A tie counts
        half for each of both orders.

        >>> from podium import Elo, Ladder, SetRating
        >>> ladder = Ladder(Elo())
        >>> changes = ladder.adjust(SetRating(player="ann", mu=1700))
        >>> ladder.top_chances(["ann", "bob", "cat"], 1).round(2).tolist()
        [0.61, 0.19, 0.19]
        """
        from podium.numerics.free_for_all.top_chances import top_chances

        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise InputError(
                f"the first {k} are not places", hint="k must be a whole number, 1 for the winner"
            )
        field = self._field(sides)
        if (matrix := self._duel(field, at)) is not None:
            among: Floats = matrix[:, : int(k)].sum(axis=1)
            return among
        anybody, performed = min(1.0, int(k) / len(field.names)), self._performances(field, at)
        chances = with_coin(self.system, top_chances(*performed, int(k)), anybody)
        if k > 1:
            return chances
        return chances + self._moved_to_first(field, at, lambda: first_two_places(self.system, performed))

    def _moved_to_first(
        self, field: _Field, at: Time | None, first_two: Callable[[], tuple[Floats, Floats]]
    ) -> Floats:
        """What chances of the first place gain, so that none is above a chance against one of the field."""
        if has_exact_places(self.system) or len(field.names) > MOST_PLACED:
            return np.zeros(len(field.names))
        whole = np.array([0, len(field.names)])
        least = least_pairwise_chances(self.system, field.state, field.sides, to_micros(at), whole)
        return moved_to_first(*first_two(), least)

    def _mean_ranks(self, field: _Field, at: Time | None) -> Floats:
        from podium.numerics.free_for_all.mean_places import expected_ranks

        if (matrix := self._duel(field, at)) is not None:
            ranks: Floats = matrix @ np.array([1.0, 2.0])
            return ranks
        n = len(field.names)
        if (told := self.system.expected_field(field.state, field.sides, to_micros(at))) is not None:
            return n - (n - 1) * told
        middle = (n + 1) / 2
        return with_coin(self.system, expected_ranks(*self._performances(field, at)), middle)

    def _field(self, sides: Iterable[Side], play: Mapping[str, float] | None = None) -> _Field:
        """Check the sides of a free-for-all (two or more, nobody twice) and find their players."""
        members = [] if isinstance(sides, str) else [_members(side, self.players) for side in sides]
        players = [name for side in members for name in side]
        if len(members) < 2:
            raise InputError("a free-for-all needs at least two sides")
        if len(set(players)) < len(players):
            twice = next(name for name, count in Counter(players).items() if count > 1)
            raise InputError(f"{shorten(twice)!r} is in the field twice")
        names = tuple(tuple(side) if len(side) > 1 else side[0] for side in members)
        state, seats = self._seated(players)
        parts = np.array([play.get(name, 1.0) for name in players]) if play else None
        return _Field(names, state, Sides(seats, np.cumsum([0, *map(len, members)]), parts))

    def _duel(self, field: _Field, at: Time | None) -> Floats | None:
        """For two sides, the probabilities of both places, which are those of a match; otherwise None."""
        if len(field.names) != 2:
            return None
        cut = int(field.sides.sizes[0])
        a, b = _side(field.sides.players[:cut]), _side(field.sides.players[cut:])
        with hinting_at_others():
            won = float(self.system.predict(field.state, a, b, at=to_micros(at))[0])
        return np.array([[won, 1.0 - won], [1.0 - won, won]])

    def _performances(self, field: _Field, at: Time | None) -> Performances:
        """How the sides perform: the family of distributions, and each side's location and scale."""
        with hinting_at_others():
            return field_performances(self.system, field.state, field.sides, to_micros(at))

    def _facing(
        self, a: Side, b: Side, home: str | None, play: Mapping[str, float] | None
    ) -> tuple[State, Sides, Sides, float]:
        """A state, both sides as indices into it, and 1 if `a` is at home, -1 if `b` is, 0 if neither."""
        first, second = _members(a, self.players), _members(b, self.players)
        if twice := set(first) & set(second):
            raise InputError(f"{shorten(min(twice))!r} is on both sides")
        sign = 0.0
        if home is not None:
            host = self.players.meant(home)
            if host not in first and host not in second:
                raise InputError(f"{shorten(host)!r} is the home side but does not take part")
            sign = 1.0 if host in first else -1.0
        parts = None
        if play:
            played = dict(parts_played(play, {*first, *second}, None))
            parts = np.array([played.get(name, 1.0) for name in first + second])
        state, seats = self._seated(first + second)
        cut = len(first)
        if parts is None:
            return state, _side(seats[:cut]), _side(seats[cut:]), sign
        return state, _side(seats[:cut], parts[:cut]), _side(seats[cut:], parts[cut:]), sign

    def _seated(self, names: Sequence[str]) -> tuple[State, Longs]:
        """A state and the players' indices in it: the ladder's own state if it knows everybody."""
        index = [self.players.find(name) for name in names]
        if None in index:
            return self._seats(names), np.arange(len(names))
        return self.state, np.array(index, np.int64)

    def _seats(self, names: Sequence[str]) -> State:
        """A state of only these players, in this order; unknown players are newcomers."""
        index = [self.players.find(name) for name in names]
        return self.state.take(np.array([-1 if i is None else i for i in index], np.int64))


def ranks_before(ladder: Predicting, event: Event) -> Floats:
    """The mean rank of each side of an event that comes next; members count with the part they play."""
    if len(event.sides) > 2:
        return ladder._mean_ranks(ladder._field(event.sides, dict(event.play)), event.time)
    a, b = event.sides
    score = ladder.expected_score(a, b, home=event.home, play=dict(event.play), at=event.time)
    return np.array([2.0 - score, 1.0 + score])


def _members(side: Side, known: Names) -> list[str]:
    """The names of a side, which is one player or a team; empty teams and repeated names are refused."""
    if isinstance(side, (str, int)):
        return [known.meant(side)]
    members = [known.meant(p) for p in side]
    if not members or len(set(members)) < len(members):
        raise InputError("a team needs at least one member, each of them once")
    return members


def _side(players: Longs, play: Floats | None = None) -> Sides:
    """These players as a single side."""
    return Sides(players, np.array([0, len(players)]), play)
