"""Rating in bulk: a history goes in, a run comes out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats, Ints
from podium.errors import InputError, ParameterError
from podium.history import History, Merge, Rename
from podium.history.names import player_name
from podium.history.times import Time
from podium.ladder.explanations import Remembered, explain_performances
from podium.ladder.ladder import Ladder
from podium.systems import RatingSystem, Sides
from podium.systems.contract.ratings import Contribution, Explanation, PerformanceExplanation, Trace
from podium.systems.contract.sides import Opponent
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    import polars as pl

CHUNK_ROWS = 1_000_000
"""Rows rated between two looks at the clock and the keyboard; the results do not depend on it."""

Progress = Callable[[int], None]
"""Called with the number of rows rated since the last call."""


@dataclass(frozen=True)
class EventExplanation:
    """Why one event moved one player's rating."""

    event: str
    player: str
    rank: int
    sides: int
    expected_score: float
    """The mean expected score against each other side, from ratings before the event."""
    actual_score: float
    expected_rank: float
    mu_before: float
    sigma_before: float | None
    performance: float | None
    mu: float
    sigma: float | None
    rated: bool
    """Whether it counted; out of competition, or with an anchored rating, it did not."""

    def __str__(self) -> str:
        moved = self.mu - self.mu_before
        played = "" if self.performance is None else f"a performance of {self.performance:.0f}; "
        counted = "" if self.rated else " (it did not count)"
        return (
            f"{shorten(self.player)} in {shorten(self.event)}{counted}: rank {self.rank} of {self.sides}, "
            f"{self.expected_rank:.1f} expected; {played}"
            f"scored {100 * self.actual_score:.0f}% where {100 * self.expected_score:.0f}% was expected: "
            f"{self.mu_before:.1f} {'+' if moved >= 0 else '−'} {abs(moved):.1f} = {self.mu:.1f}"
        )


@dataclass(frozen=True)
class Run:
    """A rated history."""

    ladder: Ladder
    """Go on online from here."""
    _parts: tuple[tuple[History, Trace], ...] = field(default=(), repr=False)
    _counts: Ints = field(default_factory=lambda: np.zeros(0, np.int32), repr=False)
    """Rated events of each player when the run ended; the ladder may have gone on since."""

    @cached_property
    def ratings(self) -> pl.DataFrame:
        """Everybody: player, mu, sigma, display, events, last_time; best first."""
        return self.ladder.ratings()

    def leaderboard(
        self,
        *,
        min_events: int = 0,
        active_since: Time | None = None,
        max_sigma: float | None = None,
        top: int | None = None,
    ) -> pl.DataFrame:
        """Those of `ratings` who are wanted, with a place, as in `Ladder.leaderboard`."""
        from podium.ladder.rating_tables import leaderboard

        return leaderboard(
            self.ratings,
            self.ladder.system,
            min_events=min_events,
            active_since=active_since,
            max_sigma=max_sigma,
            top=top,
        )

    @cached_property
    def trace(self) -> pl.DataFrame:
        """What happened to each row of the history."""
        import polars as pl

        return pl.concat(_trace_frames(self.ladder.system, self._traced()))

    @overload
    def explain(self, player: str, event: str | int) -> EventExplanation: ...

    @overload
    def explain(self, player: str, event: None = None) -> Explanation | PerformanceExplanation: ...

    def explain(
        self, player: str, event: str | int | None = None
    ) -> EventExplanation | Explanation | PerformanceExplanation:
        """Why this event moved this player's rating; without an event, why the rating is what it is now."""
        name = player_name(player)
        if event is None:
            return self._explain_rating(name)
        found = False
        for history, trace in reversed(self._traced()):
            for number in reversed(_events_called(history, str(event))):
                found = True
                if name in _participants(history, number):
                    return _explained(self.ladder.system, history, trace, number, name)
        if found:
            raise InputError(f"{shorten(name)!r} did not take part", event=str(event))
        names = [called for history, _ in self._traced() for called in history.event_names or ()]
        raise InputError(f"there is no event {shorten(str(event))!r}", hint=did_you_mean(str(event), names))

    def explain_last(self, player: str) -> EventExplanation | None:
        """Why the last event that counted for this player moved the rating; None where there is none."""
        name = player_name(player)
        for history, trace in reversed(self._traced()):
            index = history.players.find(name)
            rows = np.flatnonzero((history.player == (-1 if index is None else index)) & trace.rated)
            if len(rows):
                number = int(np.searchsorted(history.offsets, rows[-1], "right")) - 1
                return _explained(self.ladder.system, history, trace, number, name)
        return None

    def _explain_rating(self, player: str) -> Explanation | PerformanceExplanation:
        """The ladder's explanation, with what the history knows of the player's events."""
        rating, shares = self.ladder.rating(player), self.ladder.shares(player)
        rows = [row for part in self._traced() for row in _rated_rows(*part, player, self.ladder.system)]
        if shares is None:
            return self.ladder.explain_changes(player, tuple(row.contribution for row in rows))
        index = self.ladder.players.find(player)
        counted = int(self._counts[index]) if index is not None and index < len(self._counts) else 0
        events = {counted - len(rows) + 1 + i: row.remembered for i, row in enumerate(rows)}
        return explain_performances(rating, shares, events | self.ladder.remembered_events(player))

    def _traced(self) -> tuple[tuple[History, Trace], ...]:
        if not self._parts:
            raise ParameterError("this run has no trace", hint="rate with trace=True")
        return self._parts


class _Row(NamedTuple):
    """A player's rated row of a history."""

    remembered: Remembered
    contribution: Contribution


def _rated_rows(history: History, trace: Trace, player: str, system: RatingSystem) -> list[_Row]:
    """A player's rated rows, in order; from where on the name means this player."""
    index = history.players.find(player)
    freed = [
        placed.before
        for placed in history.adjustments
        if isinstance(placed.adjustment, (Rename, Merge)) and placed.adjustment.player == player
    ]
    mine = (history.player == (-1 if index is None else index)) & trace.rated
    mine[: history.offsets[max(freed, default=0)]] = False
    rows = np.flatnonzero(mine).tolist()
    found = []
    for row in rows:
        number = int(np.searchsorted(history.offsets, row, "right")) - 1
        event, time, rank = history.event_name(number), int(history.time[number]), int(history.rank[row])
        before, after = (
            float(system.display(mu[row : row + 1], sigma[row : row + 1] if system.has_sigma else None)[0])
            for mu, sigma in ((trace.mu_before, trace.sigma_before), (trace.mu, trace.sigma))
        )
        sides = int(history.sides_per_event[number])
        found.append(
            _Row(Remembered(event, time, rank), Contribution(event, time, rank, sides, after - before))
        )
    return found


def rate(
    history: History | Iterable[History],
    system: RatingSystem | None = None,
    *,
    trace: bool | str | os.PathLike[str] = False,
    ladder: Ladder | None = None,
    progress: Progress | None = None,
) -> Run:
    """Rate a history with a system: Elo-MMR unless another is given, or the ladder's.

    `history` may also be a sequence of histories in time order, such as `read_chunks` gives for files larger
    than memory; the result is the same. With ``trace=True`` the run keeps what happened to each row, with a
    path it is written there as rating goes on, and appears when it is whole. `ladder` goes on from earlier
    results, in place; if anything is refused it is as it was before.

    >>> import podium
    >>> history = podium.History.from_events([{"ranks": {"ann": 1, "bob": 2}, "name": "final"}])
    >>> print(podium.rate(history, podium.Elo(), trace=True).explain("ann", event="final"))
    ann in final: rank 1 of 2, 1.5 expected; scored 100% where 50% was expected: 1500.0 + 16.0 = 1516.0
    """
    if isinstance(history, (str, os.PathLike)):
        raise ParameterError("rate takes a history", hint="podium.rate(podium.read_history(path))")
    if ladder is None:
        ladder = Ladder(system)
    elif system is not None and ladder.system != system:
        raise ParameterError(f"the ladder is of {ladder.system}, not of {system}")
    with ladder.all_or_nothing():
        rated = _rated(ladder, _pieces(history), progress, trace=trace is not False)
        if trace is True:
            parts = tuple(rated)
            return Run(ladder, parts, ladder.state.column("events").copy())
        if trace is False:
            for _ in rated:
                pass
        else:
            from podium.tables.table_files import write_frames

            write_frames(_trace_frames(ladder.system, rated), trace)
    return Run(ladder)


def _pieces(history: History | Iterable[History]) -> Iterator[History]:
    """The history in pieces that take a moment each."""
    parts = iter([history] if isinstance(history, History) else history)
    first = next(parts, None)
    if first is None:
        raise InputError("there is no history to rate")
    for part in chain([first], parts):
        yield from part.chunks(CHUNK_ROWS)


def _rated(
    ladder: Ladder, pieces: Iterable[History], progress: Progress | None, *, trace: bool
) -> Iterator[tuple[History, Trace]]:
    """Each piece with its trace, as soon as it is rated."""
    for piece in pieces:
        yield piece, ladder.rate_piece(piece, trace=trace)
        if progress is not None:
            progress(piece.rows)


def _trace_frames(system: RatingSystem, parts: Iterable[tuple[History, Trace]]) -> Iterator[pl.DataFrame]:
    """The tables of traces one after another; names are made a column once as long as no new ones come."""
    import polars as pl

    names = pl.Series("player", [], pl.String)
    for history, trace in parts:
        if len(names) != len(history.players):
            names = pl.Series("player", history.players.to_list(), dtype=pl.String)
        yield _trace_frame(system, history, trace, names)


def _trace_frame(system: RatingSystem, history: History, trace: Trace, names: pl.Series) -> pl.DataFrame:
    """A trace as a table."""
    import polars as pl

    from podium.tables.export import event_column, time_column

    def known(name: str, values: Floats) -> pl.Series:
        return pl.Series(name, values if len(values) == history.rows else [None] * history.rows, pl.Float64)

    event = history.event_of_row
    sigma_before, sigma = (trace.sigma_before, trace.sigma) if system.has_sigma else (None, None)
    return pl.DataFrame(
        [
            event_column(history).gather(event),
            time_column(history.time).gather(event),
            names.gather(history.player),
            pl.Series("rank", history.rank),
            known("performance", trace.performance),
            pl.Series("mu_before", trace.mu_before),
            known("sigma_before", trace.sigma_before),
            pl.Series("display_before", system.display(trace.mu_before, sigma_before)),
            pl.Series("mu", trace.mu),
            known("sigma", trace.sigma),
            pl.Series("display", system.display(trace.mu, sigma)),
        ]
    )


def _events_called(history: History, name: str) -> list[int]:
    """The numbers of all events of this name, in order."""
    if history.event_names is not None:
        return [number for number, called in enumerate(history.event_names) if called == name]
    number = int(name) - history.first_number if name.isdecimal() else -1
    return [number] if 0 <= number < len(history) else []


def _participants(history: History, number: int) -> list[str]:
    """The players of an event, in the order of its rows."""
    start, stop = history.offsets[number : number + 2].tolist()
    return [history.players[p] for p in history.player[start:stop].tolist()]


def _explained(
    system: RatingSystem, history: History, trace: Trace, number: int, player: str
) -> EventExplanation:
    """The event as it looked to one of its players, from everybody's belief before it."""
    start, stop = history.offsets[number : number + 2].tolist()
    names = _participants(history, number)
    row = start + names.index(player)
    side = np.arange(len(names)) if history.side is None else history.side[start:stop]
    order = np.argsort(side, kind="stable")
    members = Sides(
        order,
        np.concatenate(([0], np.cumsum(np.bincount(side)))),
        None if history.play is None else history.play[start:stop][order],
    )
    deviations = trace.sigma_before[start:stop][order] if system.has_sigma else None
    mu, sigma = system.joined(trace.mu_before[start:stop][order], deviations, members)
    mine = int(side[row - start])
    others = np.arange(len(mu)) != mine
    me, them = (
        Opponent(mu[w], None if sigma is None else sigma[w], members.sizes[w], members.noise[w])
        for w in (mine, others)
    )
    if len(trace.expected) and not np.isnan(trace.expected[row]):
        expected = trace.expected[row : row + 1]
    else:
        expected = system.expected_between(me, them, _home_signs(history, number, side, mine)[others])
    share = system.evidence(history[number : number + 1].event_columns()).share
    actual = _scores(history.rank[start:stop], share, side, mine)[others]
    return EventExplanation(
        event=history.event_name(number),
        player=player,
        rank=int(history.rank[row]),
        sides=len(mu),
        expected_score=float(expected.mean()),
        actual_score=float(actual.mean()),
        expected_rank=1.0 + float((1.0 - expected).sum()),
        mu_before=float(trace.mu_before[row]),
        sigma_before=float(trace.sigma_before[row]) if system.has_sigma else None,
        performance=float(trace.performance[row]) if system.has_performance else None,
        mu=float(trace.mu[row]),
        sigma=float(trace.sigma[row]) if system.has_sigma else None,
        rated=bool(trace.rated[row]),
    )


def _home_signs(history: History, number: int, side: NDArray[np.integer], mine: int) -> Floats:
    """For each side of an event: 1 where mine plays it at home, −1 where that one is the host."""
    signs = np.zeros(int(side.max()) + 1)
    if history.home is None or history.home[number] < 0:
        return signs
    players = history.player[history.offsets[number] : history.offsets[number + 1]]
    host = int(side[players == history.home[number]][0])
    if host == mine:
        return signs + 1.0
    signs[host] = -1.0
    return signs


def _scores(ranks: Ints, shares: Floats, side: NDArray[np.integer], mine: int) -> Floats:
    """What mine scored against each side of an event, by its rows' ranks and shares of a point, if any."""
    rank = np.empty(int(side.max()) + 1)
    rank[side] = ranks
    scores: Floats = (1.0 + np.sign(rank - rank[mine])) / 2.0
    if len(shares) and not np.isnan(share := shares[side == mine][0]):
        return np.full_like(scores, share)
    return scores
