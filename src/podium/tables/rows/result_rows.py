"""Tables of results, a row a player and event, as histories; with teams or without."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Bools, Floats, Ints, Longs
from podium.history.events import LARGEST_RANK, LEAST_PLAY, PLAY_HINT
from podium.history.history import History
from podium.history.names import Names
from podium.history.ragged import competition_ranks, dense_sides, first_equal, number
from podium.tables.columns.shapes import MARK, ReadOptions
from podium.tables.forms.result_marks import NO_MARK, Marks, mark_counts, with_meaning
from podium.tables.names.nobody import total_warning
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows.checked_columns import CheckedColumns, unless_all
from podium.tables.rows.defects import Defects, Source
from podium.tables.rows.table_part import TablePart
from podium.text import shorten

_TEAM_HINT = (
    "a team is a side of the event, and its members share one result: correct the rows; a club or a sponsor "
    "is none and is left out by columns={'team': None} or --column team="
)
_NO_SCORE_HINT = "mark who did not finish by DNF, or by a column finished"
_NO_EVENT_HINT = (
    "; the table has no column event: name the one that says which event a row belongs to by --column "
    "event=race (columns={'event': 'race'})"
)
_CLUB_GUESS = "team is a club, not a side: members of one have different {}"


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
    rows = _without_clubs(rows, options, notes)
    for check in (partial(_check_rows, table=table), partial(_check_events, thinned=thinned)):
        defects = Defects(rows.row, source, skip=options.skip)
        check(rows, defects)
        keep = defects.settle()
        skipped += defects.skipped
        if keep is not None:  # members of a team may stand in one row, and go together
            rows = rows.take(~np.isin(rows.row, rows.row[~keep]))
    rows = _without_lone_sides(rows)
    if not len(rows):
        return TablePart.empty(skipped)
    rows = _by_event(rows, whole=len(rows) == len(frame))
    history, first_rows = _assembled(rows, lower_is_better=_lower_is_better(options, notes))
    if _has_no_event(notes):  # a file's name, or a time, does not make it the same event when it comes again
        history = replace(history, named=None)
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
    dropped: Bools
    """Left out by a mark such as DNS, or by the options."""
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

    @cached_property
    def first_of_side(self) -> NDArray[Any]:
        """For each row the first row of its side."""
        return first_equal(self.group)

    def results(self) -> Floats:
        """What decides: the rank, or the score where there are no ranks; infinite for who did not finish."""
        column = self.score if self.rank is None else self.rank
        assert column is not None
        return np.where(self.finished, np.nan_to_num(column, nan=np.inf), np.inf)

    def side_rows(self) -> Longs:
        """The first row of each side."""
        return np.arange(len(self)) if self.team is None else number(self.group)[1]

    def sides_per_event(self) -> Longs:
        event = self.event if self.team is None else self.event[self.side_rows()]
        return np.bincount(event, minlength=len(self.event_names))


# ------------------------------------------------------------------ cells


def look_at_results(table: CheckedColumns) -> None:
    """Find out how ranks, scores, times and other numbers are written."""
    _places(table)
    for name in ("share", "play"):
        if name in table:
            table.numbers(name)
    table.look_at_events()


def _parsed(table: CheckedColumns) -> _Rows:
    """All columns, after the checks that look at one row alone."""
    event, event_names = table.names("event")
    table.event_at = lambda position: event_names[event[position]] if event[position] >= 0 else None
    player, player_names = table.players("player")
    idle = table.nobody(player, player_names)
    if idle.any():
        table.notes.leave_out_rows(int(idle.sum()), "row", "of BYE or TBD")
    rated = table.flags("rated", default=True, empty=None)
    finished, marks, rank, score = _places(table)
    marks[idle] = NO_MARK
    finished &= ~idle
    dropped = _dropped(table.options, finished, marks) | idle
    _note_marks(table, marks, dropped)
    if rank is not None:
        _check_ranks(table, rank, finished)
    if score is not None:
        _check_scores(table, score, finished, needed=rank is None)
    share = table.numbers("share") if "share" in table else None
    if share is not None:
        table.check((share < 0) | (share > 1), lambda p: f"share is {share[p]:g}, and goes from 0 to 1")
    labels = table.player_labels if table.options.teams == "players" else table.labels
    team, team_names = labels("team") if "team" in table else (None, [])
    _warn_of_total(table, dropped)
    return _Rows(
        row=table.rows,
        event=event,
        player=player,
        finished=finished,
        dropped=dropped,
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


def _places(table: CheckedColumns) -> tuple[Bools, Marks, Floats | None, Floats | None]:
    """Who finished, the marks of the others, and the columns rank and score."""
    finished, marks = table.finished()
    rank = table.ranks() if "rank" in table else None
    if rank is not None:
        marks = np.maximum(marks, table.marks("rank", rank))
        if MARK in table and (empty := table.empty("rank")).any():
            marks = np.maximum(marks, table.marks(MARK, np.where(empty, np.nan, 0.0)))
    score = table.scores(finished & (marks == NO_MARK)) if "score" in table else None
    if score is not None:
        marks = np.maximum(marks, _score_marks(table, score, rank))
    return finished & (marks == NO_MARK), marks, rank, score


def _warn_of_total(table: CheckedColumns, dropped: Bools) -> None:
    """Warn of a last row that is no player's."""
    if table.source.is_python or not len(dropped) or dropped[-1]:
        return
    warning = total_warning(str(table.frame["player"][-1]))
    if warning is not None:
        table.notes.warn(warning)


def _score_marks(table: CheckedColumns, score: Floats, rank: Floats | None) -> Marks:
    """The marks in the column score; who has a rank has finished, even without a score."""
    marks = table.marks("score", score)
    if rank is not None:
        marks[with_meaning(marks, "unfinished") & ~np.isnan(rank)] = NO_MARK
    return marks


def _dropped(options: ReadOptions, finished: Bools, marks: Marks) -> Bools:
    """The rows without a result that are left out; the others of them share the last place."""
    absent, disqualified = with_meaning(marks, "absent"), with_meaning(marks, "disqualified")
    dropped = absent
    if options.disqualified == "drop":
        dropped = dropped | disqualified
    if options.unfinished == "drop":
        dropped = dropped | (~finished & ~disqualified)
    return dropped


def _note_marks(table: CheckedColumns, marks: Marks, dropped: Bools) -> None:
    """Say how many rows so far have which mark, and what becomes of them."""
    if not marks.any():
        return
    for rows, fate in ((~dropped, "in last place"), (dropped, "left out")):
        counts = mark_counts(marks[rows])
        if counts.any():
            table.notes.mark(fate, counts)


def _check_ranks(table: CheckedColumns, rank: Floats, finished: Bools) -> None:
    """Ranks of the players who finished; the other rows are ignored."""
    table.check_numbers("rank", rank, finished)

    def empty(position: int) -> str:
        if "score" in table and table.raw("score", position) is not None:
            return "a score but no rank: ranks and scores are mixed"
        return "rank is empty"

    table.check(
        np.isnan(rank) & finished,
        empty,
        "mark who did not finish by DNF or by a column finished, or leave the ranks out: "
        "columns={'rank': None} or --column rank=",
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


def _check_scores(table: CheckedColumns, score: Floats, finished: Bools, *, needed: bool) -> None:
    """Scores of the players who finished; they are `needed` where there are no ranks."""
    durations, lower = table.notes.forms.durations, _lower_is_better(table.options, table.notes)
    if durations:
        table.notes.guess("scores are durations" + (", lower is better" if needed and lower else ""))
    elif table.notes.forms.to_par:
        table.notes.guess("scores are strokes from par" + (", lower is better" if needed and lower else ""))
    elif needed and table.options.lower_is_better is None and table.notes.columns is not None:
        theirs = table.notes.columns.theirs["score"]
        if theirs.strip().lower() != "score":
            table.notes.guess(f"{'lower' if lower else 'higher'} {theirs} is better")
    unmarked = table.marks("score", score) == NO_MARK
    table.check_numbers("score", score, finished & unmarked)
    if needed:
        table.check(np.isnan(score) & finished, "score is empty", _NO_SCORE_HINT)
        if durations and lower:
            table.check(
                finished & (score <= 0),
                lambda p: f"score is {table.raw('score', p)}, and nobody takes no time",
                _NO_SCORE_HINT,
            )
    table.check(np.isinf(score) & finished, "score is infinite")


def _lower_is_better(options: ReadOptions, notes: ReadingNotes) -> bool:
    """What the options say; if nothing, lower is better for durations and in golf, also by their name."""
    if options.lower_is_better is not None:
        return options.lower_is_better
    return (
        notes.forms.durations
        or bool(notes.forms.to_par)
        or (notes.columns is not None and notes.columns.lower_is_better)
    )


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
    """The rows that marks and options keep, and which events have lost some."""
    dropped = rows.dropped | ~rows.rated if options.unrated == "drop" else rows.dropped
    thinned = np.zeros(len(rows.event_names), np.bool_)
    thinned[rows.event[dropped]] = True
    return (rows.take(~dropped) if dropped.any() else rows), thinned


# ------------------------------------------------------------------ rows that contradict others


def _has_no_event(notes: ReadingNotes) -> bool:
    """Whether the table has no column that names events."""
    return notes.columns is not None and "event" not in notes.columns.theirs


def _without_clubs(rows: _Rows, options: ReadOptions, notes: ReadingNotes) -> _Rows:
    """The rows without their teams, if a team is where somebody comes from and not who plays together.

    That is so if most teams have members with different results. Whoever says which column is the team, or
    what to rate of teams, has said that they are sides.
    """
    if rows.team is None or notes.columns is None:
        return rows
    if "team" in options.columns or options.teams != "members" or options.teams_split is not None:
        return rows
    if notes.team_is_club is None:
        notes.team_is_club = _are_clubs(rows)
    if not notes.team_is_club:
        return rows
    notes.leave_out("team")
    notes.guess(_CLUB_GUESS.format("scores" if rows.rank is None else "ranks"))
    return replace(rows, team=None, team_names=[])


def _are_clubs(rows: _Rows) -> bool | None:
    """Whether fewer than half of the teams of two or more have one result; None without such teams.

    Those who did not finish count only where no team has two who did.
    """
    result, first = rows.results(), rows.first_of_side
    if np.array_equal(result, result[first]):
        return False if np.any(first != np.arange(len(rows))) else None
    finished = _different_results(rows.take(rows.finished))
    differs = finished if len(finished) else _different_results(rows)
    return bool(np.mean(differs) > 0.5)


def _different_results(rows: _Rows) -> Bools:
    """For each team of two or more, whether its members have different results."""
    result = rows.results()
    group, first = number(rows.group)
    differs = np.zeros(len(first), np.bool_)
    differs[group[result != result[first][group]]] = True
    return differs[np.bincount(group, minlength=len(first)) > 1]


def _check_rows(rows: _Rows, defects: Defects, *, table: CheckedColumns) -> None:
    """Every player once, and one time, weight and ceiling an event, one result a team."""
    notes = table.notes
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
        hint="one row a player and event; a re-match is an event of its own, with another name"
        + (_NO_EVENT_HINT if _has_no_event(notes) else ""),
    )
    first_of_event = first_equal(rows.event)
    for name in ("time", "weight", "ceiling"):
        column = getattr(rows, name)
        if column is not None:
            defects.check(
                column != column[first_of_event],
                f"the {name} differs from that of the event's first row",
                event=rows.event_at,
                hint=f"an event has one {name}, the same in all its rows"
                + "; give another event another name, such as 'cup 2026'" * (name == "time")
                + (
                    f"; --column {name}= (columns={{{name!r}: None}}) leaves it out"
                    * (notes.is_guessed(name) or name == "weight")
                ),
            )
    if rows.team is not None:
        # Those who did not finish share one result, whatever stands in their cells.
        shared = {"rank" if rows.rank is not None else "score": rows.results()}
        if rows.share is not None:
            shared["share"] = np.nan_to_num(rows.share, nan=np.inf)
        for name, result in shared.items():
            defects.check(
                result != result[rows.first_of_side],
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
        hint='a result needs somebody to compare with; --on-bad-row skip (on_bad_row="skip") leaves such '
        "events out",
    )


def _without_lone_sides(rows: _Rows) -> _Rows:
    """An event that marks or options have left one side of is no event any more."""
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


def _assembled(rows: _Rows, *, lower_is_better: bool) -> tuple[History, Longs]:
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
        rank=_ranks(rows, event, side, lower_is_better),
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
