"""Tables of results, a row a player and event, as histories; with teams or without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Bools, Floats, Ints
from podium.history.history import History
from podium.history.names import Names
from podium.history.ragged import competition_ranks, dense_sides, first_equal, number
from podium.tables.columns.shapes import ReadOptions
from podium.tables.names.player_numbers import PlayerNumbers
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows.checked_columns import CheckedColumns, unless_all
from podium.tables.rows.defects import Defects, RowNumbers, Source, TablePart
from podium.tables.rows.result_cells import ResultColumns, is_lower_better, parsed_results
from podium.text import shorten

_TEAM_HINT = (
    "a team is a side of the event, and its members share one result: correct the rows. To ignore a "
    "club or a sponsor: columns={'team': None} or --column team="
)
_NO_EVENT_HINT = (
    ". The table has no column event: name the column with each row's event by --column "
    "event=race (columns={'event': 'race'})"
)
_CLUB_GUESS = "team is a club, not a side: members of one have different {}"


def read_results(
    frame: pl.DataFrame,
    source: Source,
    options: ReadOptions,
    notes: ReadingNotes,
    numbers: PlayerNumbers | None = None,
) -> TablePart:
    """The history in a frame with podium's columns.

    Three passes: over cells, then over rows that contradict others of their event, then over whole events.
    Its players are the names of `numbers` if all rows stay in their order and every cell is a name as it
    should be.
    """
    table = CheckedColumns(frame, source, options, notes, numbers)
    rows = parsed_results(table)
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
    history, first_rows = _assembled(rows, lower_is_better=is_lower_better(options, notes))
    if _has_no_event(notes):  # a file's name, or a time, does not make it the same event when it comes again
        history = replace(history, named=None)
    if options.teams == "members":
        return TablePart(history, first_rows, skipped, rows.row)
    history = replace(history, origin=rows.row.astype(np.int32))  # a team's is that of its first member
    history = history.teams_as_players(by="name" if options.teams == "players" else "members")
    return TablePart(history, first_rows, skipped, history.origin)


def _without_dropped(rows: ResultColumns, options: ReadOptions) -> tuple[ResultColumns, Bools]:
    """The rows that marks and options keep, and which events have lost some."""
    dropped = rows.dropped | ~rows.rated if options.unrated == "drop" else rows.dropped
    thinned = np.zeros(len(rows.event_names), np.bool_)
    thinned[rows.event[dropped]] = True
    return (rows.take(~dropped) if dropped.any() else rows), thinned


# ------------------------------------------------------------------ rows that contradict others


def _has_no_event(notes: ReadingNotes) -> bool:
    """Whether the table has no column that names events."""
    return notes.columns is not None and "event" not in notes.columns.theirs


def _without_clubs(rows: ResultColumns, options: ReadOptions, notes: ReadingNotes) -> ResultColumns:
    """The rows without their teams, if a team is where somebody comes from and not who plays together.

    That is so if most teams have members with different results. Whoever says which column is the team, or
    what to rate of teams, has said that they are sides.
    """
    if rows.team is None or notes.columns is None:
        return rows
    if "team" in options.columns or options.teams != "members" or options.members_sign:
        return rows
    if notes.team_is_club is None:
        notes.team_is_club = _are_clubs(rows)
    if not notes.team_is_club:
        return rows
    notes.leave_out("team")
    notes.guess(_CLUB_GUESS.format("scores" if rows.rank is None else "ranks"))
    return replace(rows, team=None, team_names=[])


def _are_clubs(rows: ResultColumns) -> bool | None:
    """Whether fewer than half of the teams of two or more have one result; None without such teams.

    Those who did not finish count only where no team has two who did.
    """
    result, first = rows.results(), rows.first_of_side
    if np.array_equal(result, result[first]):
        return False if np.any(first != np.arange(len(rows))) else None
    finished = _different_results(rows.take(rows.finished))
    differs = finished if len(finished) else _different_results(rows)
    return bool(np.mean(differs) > 0.5)


def _different_results(rows: ResultColumns) -> Bools:
    """For each team of two or more, whether its members have different results."""
    result = rows.results()
    group, first = number(rows.group)
    differs = np.zeros(len(first), np.bool_)
    differs[group[result != result[first][group]]] = True
    return differs[np.bincount(group, minlength=len(first)) > 1]


def _check_rows(rows: ResultColumns, defects: Defects, *, table: CheckedColumns) -> None:
    """Every player once, and one time, weight and ceiling an event, one result a team."""
    notes = table.notes
    key = rows.event.astype(np.int64) * len(rows.player_names) + rows.player
    first = first_equal(key)

    def twice(position: int) -> str:
        name = rows.player_names[rows.player[position]]
        one, other = (table.spelling("player", rows.row[p], name) for p in (first[position], position))
        if one == other:
            return f"player {shorten(name)!r} appears twice in one event"
        return f"{shorten(one)!r} and {shorten(other)!r} are one player, and appear twice in one event"

    defects.check(
        first != np.arange(len(rows)),
        twice,
        event=rows.event_at,
        hint="an event has one row per player. A re-match is a separate event with another name"
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
                hint=f"an event has only one {name}, the same in all its rows"
                + ". If this is a different event, give it another name, such as 'cup 2026'"
                * (name == "time")
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


def _check_events(rows: ResultColumns, defects: Defects, *, thinned: Bools) -> None:
    """Two sides at least, one of them at home at most, and shares that divide one point."""
    sides = rows.sides_per_event()
    if rows.share is not None:
        first = rows.side_rows()
        event, share = rows.event[first], rows.share[first]
        total = np.bincount(event, share, len(sides))
        given = np.bincount(event, ~np.isnan(share), len(sides))
        wrong = (given > 0) & ((sides != 2) | ~(np.abs(total - 1.0) <= 1e-9))
        defects.check(wrong[rows.event], "shares need two sides and must add up to 1", event=rows.event_at)
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
        hint="an event needs at least two sides. To leave such events out: --on-bad-row skip "
        '(on_bad_row="skip")',
    )


def _without_lone_sides(rows: ResultColumns) -> ResultColumns:
    """An event that marks or options have left one side of is no event any more."""
    lone = (rows.sides_per_event() < 2)[rows.event]
    return rows.take(~lone) if lone.any() else rows


# ------------------------------------------------------------------ the history


def _by_event(rows: ResultColumns, *, whole: bool) -> ResultColumns:
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


def _renumbered(codes: Ints, names: Sequence[str]) -> tuple[Ints, list[str]]:
    """Numbers in order of first appearance, and the names they stand for."""
    fresh, first = number(codes)
    return fresh, [names[i] for i in codes[first].tolist()]


def _assembled(rows: ResultColumns, *, lower_is_better: bool) -> tuple[History, RowNumbers]:
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
        players=Names.of(rows.player_names),
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


def _ranks(rows: ResultColumns, event: Ints, side: Ints | None, lower_is_better: bool) -> Ints:
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
