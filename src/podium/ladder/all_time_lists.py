"""The past of a rated history as lists: the highest ratings ever, the places of each season, who led when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import groupby
from typing import NamedTuple

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Ints
from podium.errors import InputError, ParameterError
from podium.history import Adjustment, History, Merge, Names, Rename, SetRating
from podium.history.times import to_duration
from podium.systems import RatingSystem
from podium.systems.contract.ratings import Trace
from podium.tables.export import event_column, time_column

SEASONS = {"year": "1y", "quarter": "1q", "month": "1mo", "week": "1w", "day": "1d"}
"""Calendar periods, and what Polars calls them."""

Parts = Sequence[tuple[History, Trace]]


def peaks(system: RatingSystem, parts: Parts, later: Sequence[Adjustment], min_events: int) -> pl.DataFrame:
    """Each player's highest displayed rating after an event, the highest first; see `Run.peaks`."""
    rows = _rated_rows(system, parts, later)
    highest = (
        rows.filter(pl.col("played") >= _at_least_one(min_events))
        .sort("display", descending=True, maintain_order=True)
        .unique("player", keep="first", maintain_order=True)
    )
    columns = ("player", "display", "mu", "sigma", "time", "event", "played", "events")
    return highest.select(_place(pl.col("display")), *columns)


def seasons(
    system: RatingSystem, parts: Parts, later: Sequence[Adjustment], every: str, min_events: int
) -> pl.DataFrame:
    """The players of each season by their rating at its end; see `Run.seasons`."""
    rows = _rated_rows(system, parts, later)
    if rows["time"].null_count():
        raise InputError("the events have no times, so they are of no season", hint="add a column time")
    if every in SEASONS:
        begins = pl.col("time").dt.truncate(SEASONS[every])
    else:
        try:
            length = to_duration(every)
        except ParameterError:
            hint = f"{', '.join(SEASONS)}, or a duration such as 90d"
            raise ParameterError(f"{every!r} is not a season", hint=hint) from None
        first = pl.col("time").min().cast(pl.Int64)
        since = (pl.col("time").cast(pl.Int64) - first) // length * length + first
        begins = since.cast(pl.Datetime("us", "UTC"))
    found = (
        rows.with_columns(season=begins)
        .group_by("season", "player", maintain_order=True)
        .agg(
            pl.col("display", "mu", "sigma").last(),
            gain=pl.col("display").last() - pl.col("display_before").first(),
            events=pl.len().cast(pl.Int32),
        )
        .filter(pl.col("events") >= _at_least_one(min_events))
        .sort("season", "display", "player", descending=[False, True, False])
    )
    columns = ("player", "display", "mu", "sigma", "gain", "events")
    return found.select("season", _place(pl.col("display")).over("season"), *columns)


def leaders(
    system: RatingSystem,
    parts: Parts,
    later: Sequence[Adjustment],
    players: Names,
    min_events: int,
    active_within: str | None,
) -> pl.DataFrame:
    """Who had the highest displayed rating, from when to when; see `Run.leaders`.

    `players` are those of the run's ladder.
    """
    rows = _rated_rows(system, parts, later)
    window = None if active_within is None else to_duration(active_within)
    if window is not None and rows["time"].null_count():
        raise InputError(
            "the events have no times, so podium cannot find active players", hint="add a column time"
        )
    columns = ("number", "player", "time", "display", "played", "event")
    rated = rows.select(*columns, is_rated=True).with_columns(pl.col("time").cast(pl.Int64))
    moved = pl.DataFrame(_moves(parts, later, players), schema=rated.schema, orient="row")
    spells = list(_spells(pl.concat([rated, moved]), _at_least_one(min_events), window))
    frame = pl.DataFrame(
        spells,
        schema={"player": pl.String, "since": pl.Int64, "event": pl.String, "highest": pl.Float64},
        orient="row",
    ).with_columns(pl.col("since").cast(pl.Datetime("us", "UTC")))
    frame = frame.with_columns(until=pl.col("since").shift(-1))
    last = rows["time"].max()
    days = (pl.col("until").fill_null(pl.lit(last)) - pl.col("since")).dt.total_seconds() / 86_400
    return frame.select("player", "since", "until", days.alias("days"), "event", "highest")


def _spells(
    rows: pl.DataFrame, min_events: int, window: int | None
) -> Iterator[tuple[str, int | None, str, float]]:
    """The player, time and event of each change of the lead, and the highest rating until the next.

    Adjustments are before the event of their number.
    """
    rows = rows.sort("number", "is_rated", maintain_order=True)
    names = rows["player"].unique(maintain_order=True)
    numbers = rows["player"].replace_strict(names, pl.int_range(len(names), eager=True))
    # An event is one step, and so is an adjustment, of which several may be before the same event.
    steps = rows.select(pl.struct("number", pl.when("is_rated").then(pl.lit("")).otherwise("event")).rle_id())
    columns = [*steps, numbers, *(rows[name] for name in ("time", "display", "played", "event", "is_rated"))]
    now, latest = [-np.inf] * len(names), [0] * len(names)
    best: list[tuple[float, int]] = []  # the highest first; ratings that are past or too old are passed over
    spell: tuple[int, int | None, str, float] | None = None
    for _, event in groupby(zip(*(column.to_list() for column in columns), strict=True), lambda row: row[0]):
        for _, player, time, display, played, name, is_rated in event:  # noqa: B007 - used below
            now[player], latest[player] = display, (time or 0) if is_rated else latest[player]
            if played >= min_events:
                heappush(best, (-display, player))
        since = -np.inf if window is None or time is None else time - window
        while best and (now[best[0][1]] != -best[0][0] or latest[best[0][1]] < since):
            heappop(best)
        if not best:
            continue
        leader, rating = best[0][1], -best[0][0]
        if spell is not None and now[spell[0]] == rating and latest[spell[0]] >= since:
            leader = spell[0]  # an equal rating takes nobody's place
        if spell is not None and spell[0] == leader:
            spell = *spell[:3], max(spell[3], rating)
            continue
        if spell is not None:
            yield names[spell[0]], *spell[1:]
        spell = leader, time, name, rating
    if spell is not None:
        yield names[spell[0]], *spell[1:]


def _at_least_one(min_events: int) -> int:
    if isinstance(min_events, bool) or not isinstance(min_events, int) or min_events < 1:
        raise ParameterError(f"min_events is {min_events!r}, and counts events from 1")
    return min_events


def _place(rating: pl.Expr) -> pl.Expr:
    return rating.rank("min", descending=True).cast(pl.UInt32).alias("place")


def _rated_rows(system: RatingSystem, parts: Parts, later: Sequence[Adjustment]) -> pl.DataFrame:
    """A row for each rated row of a history, by the names that its players have now.

    `later` are adjustments after the history. Names are followed from the end: before a rename, the player
    of the old name is the one who has the new name after it. A merged account had ratings of its own, which
    are left out.
    """
    counts, names, frames = _EventCounts(), _NamesNow({}, set()), []
    played = [counts.count(history, trace) for history, trace in parts]
    for adjustment in later:
        counts.follow(adjustment)
    for adjustment in reversed(later):
        names.follow(adjustment)
    number = sum(len(history) for history, _ in parts)
    for (history, trace), count in zip(reversed(parts), reversed(played), strict=True):
        number -= len(history)
        frames.append(_of_part(system, history, trace, names, number, count))
    rows = pl.concat(frames[::-1])
    return rows.with_columns(events=rows["player"].replace_strict(*counts.now(), return_dtype=pl.Int32))


def _moves(parts: Parts, later: Sequence[Adjustment], players: Names) -> list[tuple[object, ...]]:
    """A row for each rating that an adjustment of the history changed, by the names that players have now.

    Players of adjustments are numbers in `players`.
    """
    counts, names, found = _EventCounts(), _NamesNow({}, set()), list[tuple[object, ...]]()
    called = [[[players[one] for one in moved.players] for moved in trace.adjusted] for _, trace in parts]
    for (history, trace), those in zip(parts, called, strict=True):
        counts.count(history, trace, those)
    for adjustment in reversed(later):
        names.follow(adjustment)
    number = sum(len(history) for history, _ in parts)
    for (history, trace), those in zip(reversed(parts), reversed(called), strict=True):
        number -= len(history)
        for placed, moved, who in zip(
            reversed(history.adjustments), reversed(trace.adjusted), reversed(those), strict=True
        ):
            before, words = placed.before + number, placed.adjustment.describe()
            time = None if placed.time == NO_TIME else placed.time
            ratings = zip(who, moved.after.display.tolist(), counts.after.pop(), strict=True)
            found += [
                (before, names.current.get(name, name), time, display, events, words, False)
                for name, display, events in ratings
                if name not in names.merged
            ]
            names.follow(placed.adjustment)
    return found[::-1]


class _NamesNow(NamedTuple):
    """Who a name means now, at a moment of the history that moves back in time."""

    current: dict[str, str]
    merged: set[str]
    """The names of accounts that were merged later."""

    def follow(self, adjustment: Adjustment) -> None:
        """Go back before an adjustment."""
        if not isinstance(adjustment, (Rename, Merge)):
            return
        player, into = adjustment.player, adjustment.into
        self.current[player] = self.current.get(into, into)
        if isinstance(adjustment, Merge) or into in self.merged:
            self.merged.add(player)
        else:
            self.merged.discard(player)


class _EventCounts:
    """How many events each player has played so far, here and elsewhere, counted as a ladder does."""

    def __init__(self) -> None:
        self._names, self._played = Names(), np.zeros(0, np.int32)
        self.after: list[list[int]] = []
        """The numbers after each adjustment of those whom it moved, if `count` is told who they are."""

    def count(self, history: History, trace: Trace, moved: Sequence[Sequence[str]] = ()) -> Ints:
        """The number after each row, in which a row that is not rated counts no event.

        `moved` are the players whom each adjustment moved.
        """
        player = self._numbers(history.players)[history.player]
        played, start = np.zeros(history.rows, np.int32), 0
        for position, placed in enumerate((*history.adjustments, None)):
            end = history.rows if placed is None else int(history.offsets[placed.before])
            rows = start + np.flatnonzero(trace.rated[start:end])
            order = rows[np.argsort(player[rows], kind="stable")]
            who, first, counts = np.unique(player[order], return_index=True, return_counts=True)
            again = np.arange(1, len(order) + 1) - np.repeat(first, counts)
            played[order] = self._played[player[order]] + again
            self._played[who] += counts.astype(np.int32)
            if placed is not None:
                self.follow(placed.adjustment)
                if moved:
                    self.after.append(self._played[self._numbers(moved[position])].tolist())
            start = end
        return played

    def follow(self, adjustment: Adjustment) -> None:
        """Count on after an adjustment."""
        if isinstance(adjustment, SetRating):
            (player,) = self._numbers([adjustment.player])
            self._played[player] = adjustment.events_after(int(self._played[player]))
        elif isinstance(adjustment, (Rename, Merge)):
            player, into = self._numbers([adjustment.player, adjustment.into])
            self._played[into] += self._played[player]
            self._played[player] = 0

    def now(self) -> tuple[pl.Series, pl.Series]:
        """All names of now, and their numbers."""
        return pl.Series(self._names.to_list(), dtype=pl.String), pl.Series(self._played)

    def _numbers(self, names: Iterable[str]) -> Ints:
        numbers = self._names.add_all(names)
        self._played = np.append(self._played, np.zeros(len(self._names) - len(self._played), np.int32))
        return numbers


def _of_part(
    system: RatingSystem, history: History, trace: Trace, names: _NamesNow, number: int, played: Ints
) -> pl.DataFrame:
    """The rated rows of one part, whose first event has this number; `names` goes on before it."""
    called = pl.Series("player", history.players.to_list(), pl.String).gather(history.player)
    event = history.event_of_row
    ends, pieces, counts = history.rows, [], np.array(trace.rated)
    for placed in (*reversed(history.adjustments), None):
        begins = 0 if placed is None else int(history.offsets[placed.before])
        piece = called[begins:ends]
        pieces.append(piece.replace(names.current) if names.current else piece)
        if names.merged:
            counts[begins:ends] &= ~piece.is_in(names.merged).to_numpy()
        ends = begins
        if placed is not None:
            names.follow(placed.adjustment)
    before, after = (trace.sigma_before, trace.sigma) if system.has_sigma else (None, None)
    columns = [
        pl.concat(pieces[::-1]),
        pl.Series("number", event + number),
        event_column(history).gather(event),
        time_column(history.time).gather(event),
        pl.Series("display_before", system.display(trace.mu_before, before)),
        pl.Series("display", system.display(trace.mu, after)),
        pl.Series("mu", trace.mu),
        pl.Series("sigma", [None] * history.rows if after is None else after, pl.Float64),
        pl.Series("played", played),
    ]
    return pl.DataFrame(columns).filter(pl.Series(counts))
