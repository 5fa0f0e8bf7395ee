"""Rating in bulk: a history goes in, a run comes out."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Unpack, cast, overload

import numpy as np

from podium.arrays import Ints, Longs
from podium.errors import InputError, ParameterError, PastError, UnknownPlayerError
from podium.history import Adjustment, History, HistoryLike, history_meant
from podium.history.adjustments import earlier_names, merged_names, rows_called
from podium.history.event_lookup import events_found
from podium.history.history import is_history_like
from podium.history.ragged import Progress
from podium.history.times import Moment, Time, to_micros
from podium.ladder.event_explanations import (
    EventExplanation,
    RatedRow,
    adjusted_rows,
    changes_in_order,
    explained_event,
    rated_rows,
)
from podium.ladder.explanations import ROUNDING, explain_performances
from podium.ladder.ladder import Ladder
from podium.ladder.name_changes import LatestNames
from podium.notebooks import MOST_ROWS_SHOWN, expect_work, line, with_bar
from podium.systems import RatingSystem, System, system_for, system_meant
from podium.systems.contract.explained_ratings import Contribution, Explanation, PerformanceExplanation
from podium.systems.contract.ratings import AdjustedRatings, Trace
from podium.tables.given_frames import given_kind, given_kind_property, like_given, with_polars
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    import polars as pl

    from podium.tables.columns.shapes import ReadKeywords

RATED_ROWS_AT_ONCE = 1_000_000
"""Rows whose trace is in memory while it is written to a file; the results do not depend on it."""
UNLISTED = "all later changes that the run does not list"
"""What a run calls changes of its ladder that are neither in its history nor remembered by the ladder."""


@dataclass(frozen=True, repr=False)
class Run:
    """A history rated with one system: ratings, trace and explanations.

    You may continue with its `ladder`. `ratings`, `leaderboard`, `at` and `explain(player)` are about the
    ladder as it is now. `trace`, `adjusted`, `history` and the explanation of an event are about the rated
    history. Pages and reports show both, so they refuse a run whose ladder has changed since.

    Attributes:
        ladder: The ladder after the history. You can record new results in it.

    >>> import podium
    >>> run = podium.rate(podium.History.from_matches(["ann", "bob"], ["bob", "cat"]), "elo", trace=True)
    >>> run.ratings.select("player", "events").rows()
    [('ann', 1), ('bob', 2), ('cat', 1)]
    >>> run.trace.select("player", "display_before", "display").rows()[0]
    ('ann', 1500.0, 1516.0)
    """

    ladder: Ladder
    _parts: tuple[tuple[History, Trace], ...] = field(default=(), repr=False)
    _counts: Ints = field(default_factory=lambda: np.zeros(0, np.int32), repr=False)
    """Rated events of each player at the end of the run; the ladder may have rated more since."""
    _players_before: int = field(default=0, repr=False)
    """Players on the ladder before the run."""
    _name_changes: int = field(default=0, repr=False)
    """Renames and merges of the ladder until the end of the run; it may have had more since."""
    _changes: int = field(default=0, repr=False)
    """Changes of the ladder until the end of the run, as its journal counts them."""

    def __repr__(self) -> str:
        return repr(self.ladder).replace("<Ladder", "<Run", 1)

    def _repr_html_(self) -> str:
        from podium.ladder.rating_tables import board_html

        board = with_polars(self).leaderboard()
        courses = [line(self._course(name)) for name in board["player"].head(MOST_ROWS_SHOWN).to_list()]
        return board_html(repr(self), board, **({"course": courses} if self._parts else {}))

    def _course(self, name: str) -> list[float]:
        """The displayed ratings of a player after each event of the run, as far as it has a trace."""
        ratings: list[float] = []
        for history, trace in self._parts:
            if (index := history.players.find(name)) is not None:
                rows = np.flatnonzero(history.player == index)
                sigma = trace.sigma[rows] if len(trace.sigma) else None
                ratings += self.ladder.system.display(trace.mu[rows], sigma).tolist()
        return ratings

    @property
    @given_kind
    def ratings(self) -> pl.DataFrame:
        """All players now, best first: player, mu, sigma, display, events, last_time."""
        changes, latest = self.ladder._journal.changes, self.ladder._journal.latest
        kept = vars(self).get("_ratings")  # as long as the ladder stays as it is
        if kept is None or kept[0] != changes or kept[1] is not latest:
            kept = vars(self)["_ratings"] = changes, latest, self.ladder.ratings()
        ratings: pl.DataFrame = kept[2]
        return ratings

    @given_kind
    def leaderboard(
        self,
        *,
        min_events: int = 1,
        active_since: Time | None = "usual",
        max_sigma: float | None = None,
        provisional: bool = False,
        top: int | None = None,
        at: Time | None = None,
    ) -> pl.DataFrame:
        """The rows of `ratings` that pass the filters, with a place, as in `Ladder.leaderboard`.

        With `at` it is the leaderboard of that time, also of one in the past if the run has a trace.
        """
        from podium.ladder.rating_tables import leaderboard

        ladder = self.ladder if at is None else self.at(at)
        return leaderboard(
            self.ratings if at is None else ladder.ratings(at=at),
            ladder,
            min_events=min_events,
            active_since=active_since,
            max_sigma=max_sigma,
            provisional=provisional,
            top=top,
        )

    def at(self, time: Time) -> Ladder:
        """An independent ladder as it was at a time: the events and adjustments up to then, rated again.

        The run needs a trace, and an empty ladder to begin with.

        >>> import podium
        >>> history = podium.History.from_matches(["ann"] * 2, ["bob"] * 2, time=["2025-05-01", "2026-05-01"])
        >>> podium.rate(history, "elo", trace=True).at("2025-12-31").rating("ann").display
        1516.0
        """
        micros = to_micros(time)
        if not self._parts or micros >= max(history.last_time for history, _ in self._parts):
            return self.ladder.at(time)
        if self._players_before:
            raise PastError(
                "this run continued a ladder, and does not hold the earlier events",
                hint="rate the whole history in one run, with trace=True",
            )
        ladder = Ladder(self.ladder.system)
        for history, _ in self._parts:
            ladder._rate_piece(history.between(None, Moment(micros + 1)), trace=False, allow_repeat=True)
        return ladder

    @given_kind_property
    def trace(self) -> pl.DataFrame:
        """One row for each row of the history: the player's rating before and after the event.

        The column `row` is the row of the table that it was read from, counted from 0: the position in a
        dataframe, also where events were put in the order of time. It is null where there was no table.
        """
        import polars as pl

        from podium.ladder.rating_tables import trace_frames

        return pl.concat(trace_frames(self.ladder.system, self._traced()))

    @given_kind
    def peaks(self, min_events: int = 1) -> pl.DataFrame:
        """The all-time list: each player's highest displayed rating after an event, the highest first.

        Columns: place, player, display, mu, sigma, time, event, played, events. Only ratings after a player's
        `min_events`-th rated event count, as the first ones are uncertain. `played` is the number of events
        up to the peak, `events` that of all. Both include events that were set with a rating, and
        those of merged accounts from the merge on. Ratings of merged accounts are left out. The run needs a
        trace.
        """
        from podium.ladder.all_time_lists import peaks

        return peaks(self.ladder.system, self._traced(), self._renamed_since(), min_events)

    @given_kind
    def seasons(self, every: str = "year", *, min_events: int = 1) -> pl.DataFrame:
        """The players of each season, by their displayed rating after their last event in it.

        Columns: season (its beginning), place, player, display, mu, sigma, gain, events. A season is a year,
        quarter, month, week, day, or a duration such as "90d" counted from the first event. A player needs
        `min_events` rated events in it. The run needs a trace, and the events times.
        """
        from podium.ladder.all_time_lists import seasons

        return seasons(self.ladder.system, self._traced(), self._renamed_since(), every, min_events)

    @given_kind
    def leaders(self, *, min_events: int = 1, active_within: str | None = None) -> pl.DataFrame:
        """The players with the highest displayed rating, from when to when.

        `until` is null for the present leader.

        Columns: player, since, until, days, event (or adjustment, which began it), highest (the rating
        meanwhile). A player leads from the `min_events`-th rated event on at the earliest. With
        ``active_within="365d"`` a player without a rated event for so long no longer leads. The next event
        decides the new leader. Needs a trace.
        """
        from podium.ladder.all_time_lists import leaders

        past = self._traced(), self._renamed_since(), self.ladder.players
        return leaders(self.ladder.system, *past, min_events, active_within)

    def _renamed_since(self) -> Sequence[Adjustment]:
        """Renames and merges of the ladder since the run."""
        return self.ladder._journal.name_changes[self._name_changes :]

    @property
    def adjusted(self) -> tuple[AdjustedRatings, ...]:
        """The effect of each adjustment of the history, in order. Players are numbers in `ladder.players`."""
        return tuple(one for _, trace in self._traced() for one in trace.adjusted)

    @given_kind
    def history(self, player: str) -> pl.DataFrame:
        """A player's rating before and after each event and adjustment of the history, oldest first.

        The columns are those of `trace` and three more. `adjustment` describes the adjustment and is null for
        an event, `sides` is the number of sides, and `rated` is false if the event did not count for the
        player. Events under earlier names are the player's too.

        >>> import podium
        >>> match, reset = {"ranks": {"ann": 1, "bob": 2}}, podium.Reset(keep=0.5)
        >>> run = podium.rate(podium.History.from_events([match, reset]), "elo", trace=True)
        >>> run.history("ann").select("event", "adjustment", "display_before", "display").rows()
        [('1', None, 1500.0, 1516.0), (None, 'reset keep=0.5', 1516.0, 1508.0)]
        """
        from podium.ladder.rating_histories import player_history

        name = self.ladder.players.meant(player)
        frame = player_history(self, name)
        if not frame.height and name not in self.ladder:
            hint = did_you_mean(name, self.ladder.players.to_list())
            raise UnknownPlayerError(f"{shorten(name)!r} is in no event", hint=hint)
        return frame

    @overload
    def explain(self, player: str, event: str | int) -> EventExplanation: ...

    @overload
    def explain(self, player: str, event: None = None) -> Explanation | PerformanceExplanation: ...

    def explain(
        self, player: str, event: str | int | None = None
    ) -> EventExplanation | Explanation | PerformanceExplanation:
        """Why this event changed this player's rating. Without an event, it explains the present rating.

        An event is a name or number, "NAME, TIME" or a date, as in `changes`. If several match, the player's
        last is taken.
        """
        name = self.ladder.players.meant(player)
        if event is None:
            return self._explain_rating(name)
        part, row = self._rows_meant(name, str(event))[-1]
        return self._explain_row(part, row, name)

    def explain_events(self, player: str, event: str | int) -> list[EventExplanation]:
        """Why each event of this name, number or date changed this player's rating, oldest first.

        Matches of one round or one day are several events, and `explain` takes the last of them.
        """
        name = self.ladder.players.meant(player)
        return [self._explain_row(part, row, name) for part, row in self._rows_meant(name, str(event))]

    def _rows_meant(self, player: str, event: str) -> list[tuple[int, int]]:
        """The rows of a player in the events that a text means, each behind the number of its part."""
        found, rows = False, []
        accounts = self._accounts(player)
        for part, (history, _) in enumerate(self._traced()):
            numbers = events_found(history, event)
            found = found or bool(numbers)
            if numbers:
                own = self._rows_of_all(part, accounts)
                rows += [(part, row) for row in own[np.isin(history.event_of_row[own], numbers)].tolist()]
        if rows:
            return rows
        if found:
            raise InputError(f"{shorten(player)!r} did not take part", event=event)
        names = [history.event_name(n) for history, _ in self._traced() for n in range(len(history))]
        hint = did_you_mean(event, list(dict.fromkeys(names)))
        if hint is None and names:
            hint = f"events are called {names[0]!r} to {names[-1]!r}"
        raise InputError(f"there is no event {shorten(event)!r}", hint=hint)

    def explain_last(self, player: str) -> EventExplanation | None:
        """Why the player's last rated event of the history changed the rating, or None if the player has
        none.
        """
        name = self.ladder.players.meant(player)
        accounts = self._accounts(name)
        for part in range(len(self._traced()) - 1, -1, -1):
            rows = self._rows_of_all(part, accounts)
            rated = rows[self._parts[part][1].rated[rows]]
            if len(rated):
                return self._explain_row(part, int(rated[-1]), name)
        return None

    def _explain_row(self, part: int, row: int, player: str) -> EventExplanation:
        """Explain the event of a row of one of the parts for its player, who is called `player` now.

        What experts said before it is told too, if the system has some. Nothing of that is kept, as it would
        be much: the events before are rated once more.
        """
        history, trace = self._parts[part]
        system = self.ladder.system
        explained = explained_event(system, history, trace, row, player)
        number = int(history.event_of_row[row])
        placed = tuple(one for one in history.adjustments if one.before <= number)
        latest = LatestNames(player)
        for adjustment in reversed(self._adjustments()[self._span(part).start + len(placed) :]):
            latest.before(adjustment)
        explained = replace(explained, match=latest.told(explained.match))
        if self._players_before or not system.has_opinions:
            return explained
        earlier = [*(one for one, _ in self._parts[:part]), replace(history[:number], adjustments=placed)]
        before = rate(earlier, system, allow_repeat=True).ladder
        index = before.players.find(history.players[int(history.player[row])])
        state = before.state if index is not None else before.state.take(np.array([-1]))
        opinions = system.opinions(state, index or 0, int(history.time[number]))
        return replace(explained, opinions=opinions)

    def _explain_rating(self, player: str) -> Explanation | PerformanceExplanation:
        """The ladder's explanation, with what the history knows of the player's events."""
        rating, shares = self.ladder.rating(player), self.ladder.shares(player)
        names, players = self._names(player), self.ladder.players
        at_end = names[len(self._run_adjustments)]
        if at_end is None:
            return self.ladder.explain(player)  # a player who came after the run
        rows: list[RatedRow] = []
        parts: list[Contribution] = []
        latest = LatestNames(player)
        for adjustment in reversed(self._adjustments()[len(self._run_adjustments) :]):
            latest.before(adjustment)
        for part in range(len(self._traced()) - 1, -1, -1):
            (history, trace), own = self._parts[part], names[self._span(part)]
            found = rated_rows(history, trace, own, self.ladder.system, latest)
            rows = found + rows
            parts = changes_in_order(found, adjusted_rows(history, trace, own, players)) + parts
        recorded = self.ladder._recorded_changes(player)
        if not self.ladder._journal.knows_since(self._changes):
            # What was rated in bulk since may have begun the player's memory and count of events anew.
            if shares is not None or not parts:
                return self.ladder.explain(player)
            last, then = parts[-1].after, recorded[0].before if recorded else rating.display
            if abs(then - last) > ROUNDING:
                parts.append(Contribution(UNLISTED, None, None, 0, then - last, last))
        parts += recorded
        index = players.find(at_end)
        counted = int(self._counts[index]) if index is not None and index < len(self._counts) else 0
        if shares is None:
            # A merge adds events that are no rows of the player.
            first = None if names[0] is None else players.find(names[0])
            joined = first is None or first >= self._players_before
            from_start = joined or counted == len(rows)
            return self.ladder._explain_changes(player, tuple(parts), from_start=from_start)
        events = {counted - len(rows) + 1 + i: row.remembered for i, row in enumerate(rows)}
        events |= self.ladder._remembered_events(player)
        return explain_performances(rating, shares, events, parts)

    def _check_unchanged(self) -> None:
        """Refuse a ladder that has changed since, where it would be shown together with the history."""
        if self._traced() and self.ladder._journal.changes != self._changes:
            raise ParameterError(
                "the ladder has changed since this run, and the run has no trace of the change",
                hint="rate all results in one run, with trace=True",
            )

    @cached_property
    def _run_adjustments(self) -> list[Adjustment]:
        """The adjustments of all parts, in order."""
        return [placed.adjustment for history, _ in self._traced() for placed in history.adjustments]

    def _adjustments(self) -> list[Adjustment]:
        """Those of the run, and the renames and merges of its ladder since then."""
        return [*self._run_adjustments, *self._renamed_since()]

    def _names(self, player: str) -> list[str | None]:
        """What the player of this name was called before each of these adjustments, and is called now.

        If there is no such player any more, those who were called so are meant.
        """
        adjustments = self._adjustments()
        if player not in self.ladder:
            return [player] * (len(adjustments) + 1)
        return earlier_names(adjustments, player)

    def _accounts(self, player: str) -> list[list[str | None]]:
        """The names of the player, as `_names` gives them, and of each account merged into the player's."""
        own = self._names(player)
        return [own, *merged_names(self._adjustments(), own)]

    def _rows_of_all(self, part: int, accounts: list[list[str | None]]) -> Longs:
        """The rows in one part of all accounts of a player, in order; of two in one event, the own one."""
        rows = np.concatenate([self._rows(part, names) for names in accounts])
        _, first = np.unique(self._parts[part][0].event_of_row[rows], return_index=True)
        return rows[first]

    def _span(self, part: int) -> slice:
        """Where the names before the adjustments of one part are, and the name after them."""
        before = sum(len(history.adjustments) for history, _ in self._parts[:part])
        return slice(before, before + len(self._parts[part][0].adjustments) + 1)

    def _rows(self, part: int, names: list[str | None]) -> Longs:
        """The rows in one part of the player with these names, out of `_names`."""
        return rows_called(self._parts[part][0], names[self._span(part)])

    def _traced(self) -> tuple[tuple[History, Trace], ...]:
        if not self._parts:
            raise ParameterError("this run has no trace", hint="rate with trace=True")
        return self._parts


@with_bar("rating")
def rate(
    history: HistoryLike | Iterable[History],
    system: System | None = None,
    *,
    trace: bool | str | os.PathLike[str] = False,
    ladder: Ladder | None = None,
    progress: Progress | None = None,
    allow_repeat: bool = False,
    **options: Unpack[ReadKeywords],
) -> Run:
    """Rate a history.

    A named event that was rated at the same time already, or a file with the same content, is refused.

    Args:
        history: A history, or anything that `read_history` reads: a path, an open file, a dataframe. It may
            also be a sequence of histories in time order, such as `read_chunks` gives for files larger than
            memory. The result is the same.
        system: A system or its name. Default: the ladder's if a ladder is given, else the preset for the kind
            of event that most rows are in. If pieces are read one by one, the first piece decides.
        trace: True keeps the ratings before and after each row. A path writes them to that file, which
            appears when it is complete.
        ladder: Rating continues from this ladder's results, in place. If anything is refused, the ladder is
            unchanged.
        progress: Called with the number of rows rated since the last call.
        allow_repeat: Rate events and files again that were rated already.
        options: How a table is read, as in `read_history`.

    Returns:
        Ratings, leaderboard, explanations, the trace if wanted, and a ladder to continue with.

    Raises:
        RepeatError: An event or a file was rated already.
        UnsupportedError: The system cannot use a part of the results, such as teams.

    >>> import podium
    >>> history = podium.History.from_events([{"ranks": {"ann": 1, "bob": 2}, "name": "final"}])
    >>> print(podium.rate(history, podium.Elo(), trace=True).explain("ann", event="final"))
    ann in final: beat bob, chance 50%: 1500.0 + 16.0 = 1516.0
    """
    given = history
    if options:
        history = history_meant(cast(HistoryLike, history), "rate", **options)  # refused if it is none
    if ladder is None and system is None:
        history, system = _with_preset(history)
    if ladder is None:
        ladder = Ladder(system)
    elif system is not None and ladder.system != (wanted := system_meant(system)):
        raise ParameterError(f"the ladder is of {ladder.system}, not of {wanted}")
    if ladder._log is not None:
        raise ParameterError("the ladder has a log", hint="ladder.update(history) rates and logs a history")
    run = ladder._all_or_nothing(partial(_run, history, ladder, trace, progress, allow_repeat))
    return like_given(run, given)


def _with_preset(
    history: HistoryLike | Iterable[History],
) -> tuple[HistoryLike | Iterable[History], RatingSystem | None]:
    """The same history, and the system that suits it; of pieces that are read one by one, the first."""
    if is_history_like(history):
        history = history_meant(history, "rate")
        return history, system_for(None, history)
    if not isinstance(history, Iterable):
        return history, None
    if isinstance(history, (list, tuple)):
        rated = bool(history) and all(isinstance(piece, History) for piece in history)
        return history, system_for(None, *history) if rated else None
    pieces = iter(history)
    for first in pieces:
        suits = system_for(None, first) if isinstance(first, History) else None
        return chain([first], pieces), suits
    return history, None


def _run(
    history: HistoryLike | Iterable[History],
    ladder: Ladder,
    trace: bool | str | os.PathLike[str],
    progress: Progress | None,
    allow_repeat: bool,
) -> Run:
    """Rate into a ladder, piece by piece."""
    players_before = ladder.state.size
    pieces = _pieces(history, ladder, allow_repeat=allow_repeat)
    rated = _rated(ladder, pieces, progress, trace=trace is not False, allow_repeat=allow_repeat)
    if trace is True:
        parts = tuple(rated)
        counts, journal = ladder.state.column("events").copy(), ladder._journal
        return Run(ladder, parts, counts, players_before, len(journal.name_changes), journal.changes)
    if trace is False:
        deque(rated, maxlen=0)  # to its end
    else:
        from podium.ladder.rating_tables import trace_frames
        from podium.tables.written_tables import write_frames

        write_frames(trace_frames(ladder.system, rated), trace, table="trace")
    return Run(ladder)


def _pieces(
    history: HistoryLike | Iterable[History], ladder: Ladder, *, allow_repeat: bool
) -> Iterator[History]:
    """The history in pieces that take a moment each."""
    if is_history_like(history):
        history = [history_meant(history, "rate")]
        expect_work(history[0].rows)
    if not isinstance(history, Iterable):
        raise _no_history(history)
    nothing = True
    for part in history:
        nothing = False
        if not isinstance(part, History):
            raise _no_history(part if isinstance(history, (list, tuple)) else history)
        ladder._note_files(part, allow_repeat=allow_repeat)
        ladder.state.expect(part.rows)
        yield from part.chunks(RATED_ROWS_AT_ONCE)
        del part  # or two pieces are in memory while the next one is read
    if nothing:
        raise InputError("there is no history to rate")


def _no_history(given: object) -> ParameterError:
    return ParameterError(
        f"rate needs a history, or several in time order, not {type(given).__name__}",
        hint="or the path of a file, or a dataframe. For a list, use podium.History.from_events(events)",
    )


def _rated(
    ladder: Ladder,
    pieces: Iterable[History],
    progress: Progress | None,
    *,
    trace: bool,
    allow_repeat: bool,
) -> Iterator[tuple[History, Trace]]:
    """Yield each piece with its trace, as soon as it is rated."""
    for piece in pieces:
        yield piece, ladder._rate_piece(piece, trace=trace, allow_repeat=allow_repeat, progress=progress)
        del piece
