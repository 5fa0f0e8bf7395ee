"""Tables of results, a row a player and event, as histories; with teams or without."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Bools, Floats, Ints, Longs
from podium.history.events import LARGEST_RANK, LEAST_PLAY, PLAY_HINT
from podium.history.history import History
from podium.history.names import Names
from podium.history.ragged import competition_ranks, dense_sides, first_equal, number
from podium.tables.checked_columns import CheckedColumns, unless_all
from podium.tables.defects import Defects, Source
from podium.tables.reading_notes import ReadingNotes
from podium.tables.shapes import ReadOptions
from podium.tables.table_part import TablePart
from podium.text import shorten

_TEAM_HINT = (
    "a team is a side of the event; a club or a sponsor is none and is left out by columns={'team': None} "
    "or --column team="
)


def read_results(frame: pl.DataFrame, source: Source, options: ReadOptions, notes: ReadingNotes) -> TablePart:
    """The history in a frame with podium's columns.

    Three passes: over cells, then over rows that contradict others of their event, then over whole events.
    """
    table = CheckedColumns(frame, source, options, notes)
    rows = _parsed(table)
    skipped = table.defects.skipped
    keep = table.defects.settle()
    rows = rows if keep is None else rows.take(keep)
    rows, thinned = _without_dropped(rows, options)
    for check in (partial(_check_rows, table=table), partial(_check_events, thinned=thinned)):
        defects = Defects(rows.row, source, skip=options.skip)
        check(rows, defects)
        keep = defects.settle()
        skipped += defects.skipped
        rows = rows if keep is None else rows.take(keep)
    rows = _without_lone_sides(rows)
    if not len(rows):
        return TablePart.empty(skipped)
    rows = _by_event(rows, whole=len(rows) == len(frame))
    history, first_rows = _assembled(rows, options)
    if options.teams != "members":
        history = history.teams_as_players(by="name" if options.teams == "players" else "members")
    return TablePart(history, first_rows, skipped)


@dataclass(frozen=True)
class _Rows:
    """The columns of a table in its order; None for a column that it does not have."""

    row: Longs
    event: Ints
    player: Ints
    finished: Bools
    rated: Bools
    rank: Floats | None
    score: Floats | None
    share: Floats | None
    team: Ints | None
    """Index into `team_names`, −1 for a single player."""
    home: Bools | None
    play: Floats | None
    time: Longs | None
    weight: Floats | None
    ceiling: Floats | None
    event_names: list[str]
    player_names: list[str]
    team_names: list[str]

    def __len__(self) -> int:
        return len(self.row)

    def take(self, which: NDArray[Any]) -> Self:
        """The chosen rows only, by a mask or by positions."""
        columns = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{n: c[which] for n, c in columns.items() if isinstance(c, np.ndarray)})

    def event_at(self, position: int) -> str:
        return self.event_names[int(self.event[position])]

    @property
    def group(self) -> Longs:
        """A number for each side of each event: rows with the same number play together."""
        if self.team is None:
            return np.arange(len(self))
        alone = len(self.team_names) + np.arange(len(self))
        width = len(self.team_names) + len(self)
        return self.event.astype(np.int64) * width + np.where(self.team < 0, alone, self.team)

    def side_rows(self) -> Longs:
        """The first row of each side."""
        return np.arange(len(self)) if self.team is None else number(self.group)[1]

    def sides_per_event(self) -> Longs:
        return np.bincount(self.event[self.side_rows()], minlength=len(self.event_names))


# ------------------------------------------------------------------ cells


def _parsed(table: CheckedColumns) -> _Rows:
    """All columns, after the checks that look at one row alone."""
    event, event_names = table.names("event")
    table.event_at = lambda position: event_names[event[position]] if event[position] >= 0 else None
    player, player_names = table.players("player")
    finished = table.flags("finished", default=True, empty=None)
    rated = table.flags("rated", default=True, empty=None)
    rank = _rank_cells(table, finished) if "rank" in table else None
    score = _score_cells(table, finished, needed=rank is None) if "score" in table else None
    share = table.numbers("share") if "share" in table else None
    if share is not None:
        table.check((share < 0) | (share > 1), lambda p: f"share is {share[p]:g}, and goes from 0 to 1")
    labels = table.player_labels if table.options.teams == "players" else table.labels
    team, team_names = labels("team") if "team" in table else (None, [])
    return _Rows(
        row=table.rows,
        event=event,
        player=player,
        finished=finished,
        rated=rated,
        rank=rank,
        score=score,
        share=share,
        team=team if team_names else None,
        home=table.flags("home", default=False, empty=False) if "home" in table else None,
        play=_play_cells(table) if "play" in table else None,
        time=table.times(),
        weight=table.weights(),
        ceiling=table.ceilings(),
        event_names=event_names,
        player_names=player_names,
        team_names=team_names,
    )


def _rank_cells(table: CheckedColumns, finished: Bools) -> Floats:
    """Ranks of the players who finished; the other rows are ignored."""
    rank = table.numbers("rank", finished)

    def empty(position: int) -> str:
        if "score" in table and table.raw("score", position) is not None:
            return "a score but no rank: ranks and scores are mixed"
        return "rank is empty"

    table.check(
        np.isnan(rank) & finished,
        empty,
        "mark who did not finish by a column finished, or leave the ranks out: columns={'rank': None}",
    )
    table.check(
        finished & ((rank != np.round(rank)) | (rank > LARGEST_RANK)),
        lambda p: f"rank is {table.raw('rank', p)}, not a whole number up to {LARGEST_RANK:,}",
    )
    table.check(
        finished & (rank < 1),
        lambda p: f"rank is {table.raw('rank', p)}, and the best rank is 1",
        "points where more is better belong into a column score",
    )
    return rank


def _score_cells(table: CheckedColumns, finished: Bools, *, needed: bool) -> Floats:
    """Scores; they may come in addition to ranks, and are `needed` where there are none."""
    score = table.numbers("score", finished)
    if needed:
        table.check(
            np.isnan(score) & finished, "score is empty", "mark who did not finish by a column finished"
        )
    table.check(np.isinf(score) & finished, "score is infinite")
    return score


def _play_cells(table: CheckedColumns) -> Floats:
    """The part of the event in which a player took part; an empty cell means all of it."""
    play = table.numbers("play")
    play = np.where(np.isnan(play), 1.0, play)
    table.check(
        ~((play >= LEAST_PLAY) & (play <= 1.0)),
        lambda p: f"play is {play[p]:g}, and goes from {LEAST_PLAY:g} to 1",
        PLAY_HINT,
    )
    return play


def _without_dropped(rows: _Rows, options: ReadOptions) -> tuple[_Rows, Bools]:
    """The rows that the options keep, and which events have lost some."""
    dropped = np.zeros(len(rows), np.bool_)
    if options.unfinished == "drop":
        dropped |= ~rows.finished
    if options.unrated == "drop":
        dropped |= ~rows.rated
    thinned = np.zeros(len(rows.event_names), np.bool_)
    thinned[rows.event[dropped]] = True
    return (rows.take(~dropped) if dropped.any() else rows), thinned


# ------------------------------------------------------------------ rows that contradict others


def _check_rows(rows: _Rows, defects: Defects, *, table: CheckedColumns) -> None:
    """Every player once, and one time, weight and ceiling an event, one result a team."""
    key = rows.event.astype(np.int64) * len(rows.player_names) + rows.player
    first = first_equal(key)

    def twice(position: int) -> str:
        name = rows.player_names[rows.player[position]]
        one, other = (table.spelling("player", rows.row[p], name) for p in (first[position], position))
        if one == other:
            return f"player {shorten(name)!r} stands twice in one event"
        return f"{shorten(one)!r} and {shorten(other)!r} are one player, and stand twice in one event"

    defects.check(
        first != np.arange(len(rows)),
        twice,
        event=rows.event_at,
        hint="one row a player and event; a re-match is an event of its own",
    )
    first_of_event = first_equal(rows.event)
    for name in ("time", "weight", "ceiling"):
        column = getattr(rows, name)
        if column is not None:
            defects.check(
                column != column[first_of_event],
                f"the {name} differs from that of the event's first row",
                event=rows.event_at,
                hint=f"an event has one {name}, the same in all its rows",
            )
    if rows.team is not None:
        first_of_side = first_equal(rows.group)
        for name in ("rank" if rows.rank is not None else "score", "share"):
            column = getattr(rows, name)
            if column is not None:
                # Those who did not finish share one result, whatever stands in their cells.
                result = np.nan_to_num(column, nan=np.inf)
                result = np.where(rows.finished, result, np.inf) if name != "share" else result
                defects.check(
                    result != result[first_of_side],
                    f"members of one team have different {name}s",
                    event=rows.event_at,
                    hint=_TEAM_HINT,
                )


def _check_events(rows: _Rows, defects: Defects, *, thinned: Bools) -> None:
    """Two sides at least, one of them at home at most, and shares that divide one point."""
    sides = rows.sides_per_event()
    if rows.share is not None:
        first = rows.side_rows()
        event, share = rows.event[first], rows.share[first]
        total = np.bincount(event, share, len(sides))
        given = np.bincount(event, ~np.isnan(share), len(sides))
        wrong = (given > 0) & ((sides != 2) | ~(np.abs(total - 1.0) <= 1e-9))
        defects.check(wrong[rows.event], "shares are of two sides and add up to 1", event=rows.event_at)
    if rows.home is not None:
        hosts = rows.take(rows.home)
        several = hosts.sides_per_event() > 1
        defects.check(several[rows.event], "two sides are marked as home", event=rows.event_at)
    lone = (sides < 2) & ~thinned
    entrants = np.bincount(rows.event, minlength=len(sides))
    defects.check(
        lone[rows.event],
        lambda p: f"an event of one {'player' if entrants[rows.event[p]] == 1 else 'side'}",
        event=rows.event_at,
        hint="a result needs somebody to compare with",
    )


def _without_lone_sides(rows: _Rows) -> _Rows:
    """An event that the options have left one side of is no event any more."""
    lone = (rows.sides_per_event() < 2)[rows.event]
    return rows.take(~lone) if lone.any() else rows


# ------------------------------------------------------------------ the history


def _by_event(rows: _Rows, *, whole: bool) -> _Rows:
    """The rows of each event together; events and players numbered in the order of their first rows.

    In a `whole` table they are, as it was read so. Where some rows have gone, so may have some players.
    """
    if not whole:
        event, event_names = _renumbered(rows.event, rows.event_names)
        rows = replace(rows, event=event, event_names=event_names)
    scattered = bool(np.any(rows.event[1:] < rows.event[:-1]))
    if scattered:
        rows = rows.take(np.argsort(rows.event, kind="stable"))
    if scattered or not whole:
        player, player_names = _renumbered(rows.player, rows.player_names)
        rows = replace(rows, player=player, player_names=player_names)
    return rows


def _renumbered(codes: Ints, names: list[str]) -> tuple[Ints, list[str]]:
    """Numbers in order of first appearance, and the names they stand for."""
    fresh, first = number(codes)
    return fresh, [names[i] for i in codes[first].tolist()]


def _assembled(rows: _Rows, options: ReadOptions) -> tuple[History, Longs]:
    """Rows grouped by event as a history, and the row of the table on which each event begins."""
    event, player = rows.event, rows.player
    starts = np.flatnonzero(np.diff(event, prepend=-1))
    side = None if rows.team is None else dense_sides(event, number(rows.group)[0])
    home = None
    if rows.home is not None and rows.home.any():
        home = np.full(len(starts), -1, np.int32)
        home[event[rows.home][::-1]] = player[rows.home][::-1]  # the first row marked is written last

    def per_event(column: Floats | None, default: float) -> Floats | None:
        return None if column is None else unless_all(column[starts], default)

    history = History(
        players=Names(rows.player_names),
        offsets=np.append(starts, len(rows)),
        player=player,
        rank=_ranks(rows, event, side, bool(options.lower_is_better)),
        time=np.full(len(starts), NO_TIME) if rows.time is None else rows.time[starts],
        score=rows.score,
        share=None if rows.share is None or np.isnan(rows.share).all() else rows.share,
        side=side,
        team=rows.team,
        team_names=tuple(rows.team_names) if rows.team is not None else None,
        unrated=None if rows.rated.all() else ~rows.rated,
        play=unless_all(rows.play, 1.0),
        weight=per_event(rows.weight, 1.0),
        home=home,
        ceiling=per_event(rows.ceiling, np.inf),
        event_names=tuple(rows.event_names),
        named=np.ones(len(starts), np.bool_),
    )
    return history, rows.row[starts]


def _ranks(rows: _Rows, event: Ints, side: Ints | None, lower_is_better: bool) -> Ints:
    """Ranks as given or from scores; players who did not finish share the last place."""
    if rows.rank is not None:
        rank = np.where(rows.finished, rows.rank, 0).astype(np.int32)
    else:
        assert rows.score is not None
        key = np.where(rows.finished, rows.score if lower_is_better else -rows.score, np.inf)
        if side is None:
            rank = competition_ranks(event, key)
        else:  # a team takes one place, however many it is
            group, first = number(rows.group)
            rank = competition_ranks(event[first], key[first])[group]
    if rows.finished.all():
        return rank
    last = np.zeros(int(event[-1]) + 1, np.int32)
    np.maximum.at(last, event[rows.finished], rank[rows.finished])
    return np.where(rows.finished, rank, last[event] + np.int32(1))
