"""The cells of a table of results: checked one row at a time, and as columns of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Bools, Floats, Ints, Longs
from podium.history.events import LARGEST_RANK, LEAST_PLAY, PLAY_HINT
from podium.history.ragged import first_equal, number
from podium.tables.columns.column_names import TOTALS, plain_name
from podium.tables.columns.round_columns import dated_or_round
from podium.tables.columns.shapes import MARK, ReadOptions
from podium.tables.forms.number_formats import NO_MARK, Marks, mark_counts, with_meaning
from podium.tables.names.player_numbers import total_warning
from podium.tables.reading_notes import MOST_LISTED, ReadingNotes
from podium.tables.rows.checked_columns import CheckedColumns
from podium.tables.rows.defects import RowNumbers
from podium.text import shorten

FEWEST_STEPS = 4
"""Steps from a score to a higher one below it, and none to a lower one, that are no chance."""
DIRECTION_HINT = "use --higher-is-better (lower_is_better=False) or --lower-is-better (lower_is_better=True)"
_NO_SCORE_HINT = "mark players who did not finish with DNF, or in a column finished"


@dataclass(frozen=True)
class ResultColumns:
    """The columns of a table in its order; None for a column that it does not have."""

    row: RowNumbers
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
    player_names: Sequence[str]
    team_names: list[str]

    def __len__(self) -> int:
        return len(self.row)

    def take(self, which: NDArray[Any]) -> Self:
        """The chosen rows only, by a mask or by positions."""
        columns = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{n: c[which] for n, c in columns.items() if isinstance(c, np.ndarray)})

    def event_at(self, position: int) -> str:
        """The name of the event that a row belongs to."""
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
        """Number of sides of each event."""
        event = self.event if self.team is None else self.event[self.side_rows()]
        return np.bincount(event, minlength=len(self.event_names))


def look_at_results(table: CheckedColumns) -> None:
    """Find out how ranks, scores, times and other numbers are written."""
    places(table)
    for name in ("share", "play"):
        if name in table:
            table.numbers(name)
    table.look_at_events()


def parsed_results(table: CheckedColumns) -> ResultColumns:
    """All columns, after the checks that look at one row alone."""
    event, event_names = table.names("event")
    table.event_at = lambda position: event_names[event[position]] if event[position] >= 0 else None
    player, player_names = table.players("player")
    idle = table.nobody(player, player_names)
    if idle.any():
        left_out = Counter(player_names[code] for code in player[idle].tolist())
        for place in np.flatnonzero(idle)[:MOST_LISTED].tolist():
            name = player_names[player[place]]
            table.notes.list_row(table.source.place(int(table.rows[place])), f"{name!r} is not a player")
        table.notes.leave_out_rows(left_out, "row")
    rated = table.flags("rated", default=True, empty=None)
    finished, marks, rank, score = places(table)
    marks[idle] = NO_MARK
    finished &= ~idle
    dropped = _dropped(table.options, finished, marks) | idle
    _note_marks(table, marks, dropped)
    if rank is not None:
        _check_ranks(table, rank, finished)
    if score is not None:
        _check_scores(table, score, finished, needed=rank is None)
        if rank is None:
            _check_direction(table, event, score, finished)
    share = table.numbers("share") if "share" in table else None
    if share is not None:
        table.check((share < 0) | (share > 1), lambda p: f"share is {share[p]:g}, and must be from 0 to 1")
    times = table.times()
    _note_disqualified(table, marks, dropped, (event, event_names), (player, player_names), times)
    labels = table.player_labels if table.options.teams == "players" else table.labels
    team, team_names = labels("team") if "team" in table else (None, [])
    _warn_of_total(table, dropped)
    return ResultColumns(
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
        time=times,
        weight=table.weights(),
        ceiling=table.ceilings(),
        event_names=event_names,
        player_names=player_names,
        team_names=team_names,
    )


def places(table: CheckedColumns) -> tuple[Bools, Marks, Floats | None, Floats | None]:
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


def _note_disqualified(
    table: CheckedColumns,
    marks: Marks,
    dropped: Bools,
    events: tuple[Ints, Sequence[str]],
    players: tuple[Ints, Sequence[str]],
    times: Longs | None,
) -> None:
    """Note which players were disqualified in which events, each given by code and names."""
    (event, event_names), (player, player_names) = events, players
    rows = np.flatnonzero(dropped & with_meaning(marks, "disqualified") & (event >= 0) & (player >= 0))
    table.notes.disqualify(
        (event_names[event[row]], NO_TIME if times is None else int(times[row]), player_names[player[row]])
        for row in rows
    )


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
        "write DNF there for a player who did not finish, or add a column finished, or leave the ranks out: "
        "columns={'rank': None} or --column rank=",
    )
    table.check(
        finished & ((rank != np.round(rank)) | (rank > LARGEST_RANK)),
        lambda p: f"rank is {table.raw('rank', p)}, not a whole number up to {LARGEST_RANK:,}",
    )
    table.check(
        finished & (rank < 1),
        lambda p: f"rank is {table.raw('rank', p)}, and the best rank is 1",
        "put points (higher is better) in a column score",
    )


def _check_scores(table: CheckedColumns, score: Floats, finished: Bools, *, needed: bool) -> None:
    """Scores of the players who finished; they are `needed` where there are no ranks."""
    durations, lower = table.notes.forms.durations, is_lower_better(table.options, table.notes)
    if durations:
        table.notes.guess("scores are durations" + (", lower is better" if needed and lower else ""))
    elif table.notes.forms.to_par:
        table.notes.guess("scores are strokes from par" + (", lower is better" if needed and lower else ""))
    elif needed and table.options.lower_is_better is None and table.notes.columns is not None:
        theirs = table.notes.columns.theirs["score"]
        if not _is_own(table.notes):
            table.notes.guess(f"{'lower' if lower else 'higher'} {theirs} is better")
    unmarked = table.marks("score", score) == NO_MARK
    table.check_numbers("score", score, finished & unmarked)
    if needed:
        table.check(np.isnan(score) & finished, "score is empty", _NO_SCORE_HINT)
        if durations and lower:
            table.check(
                finished & (score <= 0),
                lambda p: f"score is {table.raw('score', p)}, and a duration must be longer than 0",
                _NO_SCORE_HINT,
            )
    table.check(np.isinf(score) & finished, "score is infinite")


def _check_direction(table: CheckedColumns, event: Ints, score: Floats, finished: Bools) -> None:
    """Refuse points in order from the lowest to the highest, where podium guesses that higher is better."""
    columns, options = table.notes.columns, table.options
    if columns is None or options.lower_is_better is not None or is_lower_better(options, table.notes):
        return
    if _is_own(table.notes):
        return
    theirs = columns.theirs["score"]
    steps = np.diff(score)[(event[1:] == event[:-1]) & finished[1:] & finished[:-1]]
    if np.sum(steps > 0.0) >= FEWEST_STEPS and not np.any(steps < 0.0):
        reason = (
            f"the rows go from the lowest {shorten(theirs)} to the highest, so the lowest may be the best"
        )
        raise table.source.error(reason, hint=DIRECTION_HINT)
    of_rounds = [name for name in columns.unused if dated_or_round(name)]
    if np.any(steps > 0.0) and len(of_rounds) > 1 and plain_name(theirs) in TOTALS:
        reason = (
            f"{shorten(theirs)!r} of {of_rounds[0]} to {of_rounds[-1]} may be points, or strokes as in golf"
        )
        raise table.source.error(reason, hint=DIRECTION_HINT)


def _is_own(notes: ReadingNotes) -> bool:
    """Whether the columns have podium's own names, by which a higher score is better."""
    if notes.columns is None:
        return True
    names = {**notes.columns.theirs, **dict.fromkeys(notes.columns.guessed, "")}
    return all(names.get(name, "").strip().lower() == name for name in ("event", "player", "score"))


def is_lower_better(options: ReadOptions, notes: ReadingNotes) -> bool:
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
        lambda p: f"play is {play[p]:g}, and must be from {LEAST_PLAY:g} to 1",
        PLAY_HINT,
    )
    return play
