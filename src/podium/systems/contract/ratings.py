"""What is known of players, as values: ratings, changes, predictions, traces, what an adjustment did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.arrays import NO_TIME, Bools, Floats, Ints, Longs, TraceColumns
from podium.history import Adjustment, Names, Placed, Rename, Reset
from podium.notebooks import Chance, html_table
from podium.text import brief_repr, chance_words

if TYPE_CHECKING:
    from podium.systems.contract.state import State
    from podium.systems.contract.system import RatingSystem


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's rating: the belief (`mu`, `sigma`) and the number to display.

    Attributes:
        player: The player's name.
        mu: The estimated skill, in points.
        sigma: The deviation: the standard deviation of `mu`. None if the system has none.
        display: The number to publish. It may be below `mu` while that is uncertain.
        events: Number of rated events.
        last_time: When the rating last changed. None without times.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob")
    >>> ladder.rating("ann").display, ladder.rating("ann").events
    (1516.0, 1)
    """

    player: str
    mu: float
    sigma: float | None
    display: float
    events: int
    last_time: datetime | None

    def _repr_html_(self) -> str:
        columns = ("player", "display", "mu", "sigma", "events", "last_time")
        return html_table("Rating", columns, [[getattr(self, name) for name in columns]], count=1)


@dataclass(frozen=True, slots=True)
class Change:
    """How one event or adjustment changed one player's rating.

    Attributes:
        player: The player's name.
        rank: The player's rank. None for an adjustment.
        mu_before: The rating before, at the event's time.
        sigma_before: The deviation before. None if the system has none.
        display_before: The displayed rating before.
        performance: The rating at which the player performed. None if the system computes none.
        mu: The rating after.
        sigma: The deviation after. None if the system has none.
        display: The displayed rating after.

    >>> import podium
    >>> winner, loser = podium.Ladder("elo").record_match("ann", "bob")
    >>> winner.player, winner.display_before, winner.display
    ('ann', 1500.0, 1516.0)
    """

    player: str
    rank: int | None
    mu_before: float
    sigma_before: float | None
    display_before: float
    performance: float | None
    mu: float
    sigma: float | None
    display: float

    @property
    def gain(self) -> float:
        """The change of the displayed rating."""
        return self.display - self.display_before

    def _repr_html_(self) -> str:
        columns = ("player", "rank", "display_before", "display", "gain", "performance", "mu", "sigma")
        return html_table("Change", columns, [[getattr(self, name) for name in columns]], count=1)


class Changes(list[Change]):
    """The changes by one event or adjustment, in the order of its players."""

    number: int | None = None
    """The event's number in the log of the ladder; None if the ladder has no log."""


NO_DRAWS = "the rating system gives draws no chance"
"""What results say in which draws have probability 0."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The probabilities that the first side of a match wins, draws and loses.

    Attributes:
        win: The probability that the first side wins.
        draw: The probability of a draw. It is 0 if the system gives draws no chance.
        loss: The probability that the first side loses.

    >>> import podium
    >>> outcomes = podium.Ladder(podium.Elo(draw_rate=0.3)).outcomes("ann", "bob")
    >>> round(outcomes.win, 2), round(outcomes.draw, 2), round(outcomes.loss, 2)
    (0.35, 0.3, 0.35)
    >>> print(podium.Ladder("elo").outcomes("ann", "bob"))
    win 50%, loss 50%: the rating system gives draws no chance
    """

    win: float
    draw: float
    loss: float

    def __str__(self) -> str:
        win, draw, loss = (chance_words(chance) for chance in (self.win, self.draw, self.loss))
        return f"win {win}, draw {draw}, loss {loss}" if self.draw else f"win {win}, loss {loss}: {NO_DRAWS}"

    def _repr_html_(self) -> str:
        title = "Outcomes" if self.draw else f"Outcomes ({NO_DRAWS})"
        return html_table(
            title,
            ("win", "draw", "loss"),
            [[Chance(one) for one in (self.win, self.draw, self.loss)]],
            count=1,
        )


@dataclass(frozen=True, repr=False)
class RankProbabilities:
    """The probability of every rank: ``matrix[i, k]`` is that of ``players[i]`` having rank k + 1.

    The matrix is about orders of all sides: a tie counts half for each of both orders. `tied` is about ties.

    Attributes:
        players: The sides: players, and teams as tuples of players.
        matrix: The probability of each rank for each side.
        tied: The probability of each side to share its rank with another. It is 0 if the system gives draws
            no chance. For two sides it is the chance of a draw. For more it is an approximation, from the
            draws of all pairs as if these were independent.

    >>> import podium
    >>> found = podium.Ladder("elo").rank_probabilities(["ann", "bob", "cat"])
    >>> found.players, found.matrix.round(2).tolist()[0]
    (('ann', 'bob', 'cat'), [0.33, 0.33, 0.33])
    """

    __repr__ = brief_repr

    players: tuple[str | tuple[str, ...], ...]
    matrix: Floats
    tied: Floats

    @property
    def expected_rank(self) -> Floats:
        """The mean rank of each player."""
        places: Floats = self.matrix @ np.arange(1, len(self.players) + 1)
        return places

    def top(self, k: int) -> Floats:
        """The probability of each player to be among the first `k`."""
        chances: Floats = self.matrix[:, :k].sum(axis=1)
        return chances

    def _repr_html_(self) -> str:
        names = [side if isinstance(side, str) else " + ".join(side) for side in self.players]
        first, tied = (map(Chance, chances.tolist()) for chances in (self.top(1), self.tied))
        rows = zip(names, self.expected_rank.tolist(), first, tied, strict=True)
        columns = ("player", "expected rank", "probability of rank 1", "probability of a tie")
        title = "Probabilities of ranks" + ("" if self.tied.any() else f" ({NO_DRAWS})")
        return html_table(title, columns, rows, count=len(names))


@dataclass(frozen=True, slots=True, repr=False)
class Ratings:
    """The ratings of many players as columns; `sigma` is None if the system has none."""

    __repr__ = brief_repr

    mu: Floats
    sigma: Floats | None
    display: Floats


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """The rating of each row of a history before the event (at its time) and after it.

    Arrays that a system has no values for have length 0. If no trace is wanted, all have length 0: kernels
    write into an array only if it has room.

    Attributes:
        mu_before: The rating before the event, at its time.
        sigma_before: The deviation before the event.
        performance: The rating at which the player performed.
        mu: The rating after the event.
        sigma: The deviation after the event.
        rated: Whether the row changed its player's rating: not if unrated or anchored.
        expected: The score its side could expect, calibrated if the system is. Otherwise only for systems
            with more in their beliefs than `mu` and `sigma`. NaN where such a system makes no prediction.
        draw: The chance of a draw, if the system is calibrated. It is 0 in events of more than two sides, NaN
            where it is no longer known.
        adjusted: What each adjustment of the history did, in order.

    >>> import podium
    >>> system = podium.Elo()
    >>> trace = system.update(system.new_state(2), podium.History.from_matches(["ann"], ["bob"]))
    >>> trace.mu_before.tolist(), trace.mu.tolist()
    ([1500.0, 1500.0], [1516.0, 1484.0])
    """

    __repr__ = brief_repr

    mu_before: Floats
    sigma_before: Floats
    performance: Floats
    mu: Floats
    sigma: Floats
    rated: Bools
    expected: Floats
    draw: Floats
    adjusted: tuple[AdjustedRatings, ...] = ()

    @classmethod
    def for_rows(
        cls, rows: int, *, sigma: bool, performance: bool, expected: bool = False, draw: bool = False
    ) -> Trace:
        """An empty trace for `rows` rows, with the columns asked for."""
        deviations = rows if sigma else 0
        return cls(
            mu_before=np.empty(rows),
            sigma_before=np.empty(deviations),
            performance=np.empty(rows if performance else 0),
            mu=np.empty(rows),
            sigma=np.empty(deviations),
            rated=np.ones(rows, np.bool_),
            expected=np.full(rows if expected else 0, np.nan),
            draw=np.empty(rows if draw else 0),
        )

    @classmethod
    def joined(cls, traces: Sequence[Trace]) -> Trace:
        """The traces of consecutive events as one."""
        names = [field.name for field in fields(cls) if field.name != "adjusted"]
        columns = {name: np.concatenate([getattr(trace, name) for trace in traces]) for name in names}
        return cls(**columns, adjusted=tuple(one for trace in traces for one in trace.adjusted))

    @property
    def kernel_columns(self) -> TraceColumns:
        """The columns that kernels fill. They share memory."""
        return TraceColumns(self.mu_before, self.sigma_before, self.performance, self.mu, self.sigma)

    def part(self, start: int, stop: int) -> Trace:
        """The rows of a slice. It shares memory."""
        return self.at(slice(start, stop))

    def at(self, rows: slice | Bools) -> Trace:
        """The rows of a slice, which share memory, or those marked."""
        columns = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "adjusted"}
        return Trace(**{name: column[rows] if len(column) else column for name, column in columns.items()})


def ratings_now(system: RatingSystem, state: State, players: Ints | Longs) -> Ratings:
    """Players' ratings as they are, without the time since their last events; they stay as they are now."""
    mu, sigma = system.view(state, players.astype(np.int64), NO_TIME)
    display = system.display(mu, sigma)
    return Ratings(mu.copy(), None if sigma is None else sigma.copy(), display.copy())


class AdjustedRatings(NamedTuple):
    """The ratings of players before and after an adjustment."""

    players: Longs
    before: Ratings
    after: Ratings

    def chosen(self, adjustment: Adjustment) -> AdjustedRatings:
        """Those whom an adjustment is about: the one who stays, or all whom a reset moved."""
        before, after = self.before, self.after
        some = np.zeros(len(self.players), np.bool_)
        if isinstance(adjustment, Reset):
            some = (before.mu != after.mu) | (before.display != after.display)
            if before.sigma is not None and after.sigma is not None:
                some |= before.sigma != after.sigma
        elif not isinstance(adjustment, Rename):
            some[-1:] = True
        return AdjustedRatings(self.players[some], _part(before, some), _part(after, some))

    def changes(self, names: Names) -> Changes:
        """The same as changes, which have no rank and no performance."""
        return Changes(self._change(row, names[player]) for row, player in enumerate(self.players.tolist()))

    def change_of(self, player: int, name: str) -> Change | None:
        """What it did to one of the players, who is called so; None if it was not about this one."""
        rows = np.flatnonzero(self.players == player)
        return self._change(int(rows[0]), name) if len(rows) else None

    def _change(self, row: int, name: str) -> Change:
        before, after = self.before, self.after
        return Change(
            player=name,
            rank=None,
            mu_before=float(before.mu[row]),
            sigma_before=None if before.sigma is None else float(before.sigma[row]),
            display_before=float(before.display[row]),
            performance=None,
            mu=float(after.mu[row]),
            sigma=None if after.sigma is None else float(after.sigma[row]),
            display=float(after.display[row]),
        )


def adjusted_ratings(system: RatingSystem, state: State, placed: Placed, names: Names) -> AdjustedRatings:
    """Apply an adjustment to a state, in place; whom it moved."""
    adjustment = placed.adjustment
    touched = np.array([names.index_of[name] for name in adjustment.players], np.int64)
    if isinstance(adjustment, Reset):
        touched = np.arange(state.size)
    before = ratings_now(system, state, touched)
    system.adjust(state, adjustment, names, placed.time)
    return AdjustedRatings(touched, before, ratings_now(system, state, touched)).chosen(adjustment)


def _part(ratings: Ratings, some: Bools) -> Ratings:
    sigma = None if ratings.sigma is None else ratings.sigma[some]
    return Ratings(ratings.mu[some], sigma, ratings.display[some])
