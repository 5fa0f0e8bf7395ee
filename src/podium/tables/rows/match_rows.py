"""Tables of matches between two players or teams, a row a match, as histories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Bools, Floats, Ints
from podium.history.history import History
from podium.history.names import Names
from podium.tables.columns.column_names import is_white
from podium.tables.columns.shapes import ReadOptions
from podium.tables.names.player_numbers import PlayerNumbers, tidy_names
from podium.tables.reading_notes import MOST_LISTED, ReadingNotes
from podium.tables.rows import cells
from podium.tables.rows.checked_columns import CheckedColumns, unless_all
from podium.tables.rows.defects import Source, TablePart
from podium.tables.rows.match_results import UNPLAYED_HINT, result_cells, same_names, winner_cells
from podium.tables.rows.partners import shown_team
from podium.tables.rows.team_cells import SideMembers, side_members
from podium.text import shorten

_LOST = "both players have 0 points, and in other games they share one point: this is not a draw"
_LOST_HINT = 'write a draw as 0.5-0.5. To leave out double forfeits: --on-bad-row skip (on_bad_row="skip")'


def read_matches(
    frame: pl.DataFrame,
    source: Source,
    options: ReadOptions,
    notes: ReadingNotes,
    first_number: int,
    numbers: PlayerNumbers | None = None,
) -> TablePart:
    """The history in a frame with podium's columns; matches without a name are named by their number.

    Its players are the names of `numbers` if all rows stay and every cell is a name as it should be.
    """
    if not len(frame):
        return TablePart.empty()
    table = CheckedColumns(frame, source, options, notes, numbers)
    pair = side_columns(table)
    codes, names = table.players(*pair)
    player = codes.reshape(-1, 2)
    nobody = table.nobody(codes, names).reshape(-1, 2)
    idle = nobody[:, 0] | nobody[:, 1]
    if idle.any():
        left_out = np.where(nobody[:, 0], player[:, 0], player[:, 1])[idle]
        for place in np.flatnonzero(idle)[:MOST_LISTED].tolist():
            name = names[player[place, 0] if nobody[place, 0] else player[place, 1]]
            notes.list_row(source.place(int(table.rows[place])), f"{name!r} is not a player")
        notes.leave_out_rows(Counter(names[code] for code in left_out.tolist()), "match")
        return read_matches(frame.filter(~idle), source, options, notes, first_number)
    table.check(
        (player[:, 0] == player[:, 1]) & (player[:, 0] >= 0),
        lambda p: _against_itself(table, pair, p, names[player[p, 0]]),
    )
    members = side_members(table, codes, names)
    score, other = match_scores(table, player, names)
    if other is not None:
        table.check(both_lost(notes, score, other), _LOST, _LOST_HINT)
    home = _home(table, pair, player, names)
    rated = table.flags("rated", default=True, empty=None)
    time, weight, ceiling = table.times(), table.weights(), table.ceilings()
    keep = table.defects.settle()
    wanted = rated if options.unrated == "drop" else np.ones_like(rated)
    wanted = wanted if keep is None else wanted & keep
    if not wanted.all():
        rest = read_matches(frame.filter(wanted), source, options, notes, first_number)
        return replace(rest, skipped=table.defects.skipped + rest.skipped)
    history = History(
        players=Names.of(names),
        offsets=np.arange(0, player.size + 1, 2, dtype=np.int64),
        player=player.ravel(),
        rank=ranks_of(score, other, lower_is_better=bool(options.lower_is_better)).ravel(),
        time=np.full(len(player), NO_TIME) if time is None else time,
        score=None if other is None else np.column_stack((score, other)).ravel(),
        share=shares_of(score) if other is None else None,
        unrated=None if rated.all() else np.repeat(~rated, 2),
        weight=unless_all(weight, 1.0),
        home=_hosts(player, home),
        ceiling=unless_all(ceiling, np.inf),
        event_names=_event_names(table, first_number),
    )
    if members is not None:
        history = _with_members(history, members)
        if options.teams != "members":
            history = history.teams_as_players(by="name" if options.teams == "players" else "members")
    return TablePart(history, table.rows, [])


def look_at_matches(table: CheckedColumns) -> None:
    """Find out how results, times and other numbers are written."""
    if _has_scores(table) or "result" in table:
        score, other = _score_columns(table) if _has_scores(table) else result_cells(table)
        if other is not None:
            both_lost(table.notes, score, other)
    table.look_at_events()


def _with_members(history: History, members: SideMembers) -> History:
    """The matches of sides as matches of their members; a side of several has its cell's text as its name."""
    sides = history.player
    sizes = members.size[sides]
    columns: dict[str, Any] = {
        name: np.repeat(column, sizes)
        for name in ("rank", "score", "share", "unrated")
        if (column := getattr(history, name)) is not None
    }
    home = history.home
    if home is not None:
        home = np.where(home < 0, np.int32(-1), members.player[members.start[np.maximum(home, 0)]])
    return replace(
        history,
        players=Names(members.names),
        offsets=np.append(0, np.cumsum(sizes)[1::2]),
        player=members.player[members.rows(sides)],
        side=np.repeat(np.tile(np.array([0, 1], np.int32), len(history)), sizes),
        team=np.repeat(np.where(sizes > 1, sides, np.int32(-1)), sizes),
        team_names=tuple(map(shown_team, history.players)),
        home=home,
        **columns,
    )


def side_columns(table: CheckedColumns) -> tuple[str, str]:
    """The columns of the two sides: winner and loser, unless the result stands elsewhere."""
    if "loser" in table and not _has_scores(table):
        return ("winner", "loser")
    return ("player_a", "player_b")


def _against_itself(table: CheckedColumns, pair: tuple[str, str], position: int, name: str) -> str:
    one, other = (table.spelling(column, int(table.rows[position]), name) for column in pair)
    if one == other:
        return f"{shorten(name)!r} plays against itself"
    return f"{shorten(one)!r} and {shorten(other)!r} are one player, who plays against itself"


def _has_scores(table: CheckedColumns) -> bool:
    return all(name in table for name in ("player_a", "player_b", "score_a"))


def match_scores(table: CheckedColumns, player: Ints, names: Sequence[str]) -> tuple[Floats, Floats | None]:
    """The first player's part of the point; or the points of both."""
    if _has_scores(table):
        return _score_columns(table)
    if "loser" in table:
        return np.where(table.flags("draw", default=False, empty=False), 0.5, 1.0), None
    if "winner" in table:
        return winner_cells(table, player, names), None
    return result_cells(table)


def both_lost(notes: ReadingNotes, score: Floats, other: Floats) -> Bools:
    """The matches of 0-0 in a table whose others share one point, as games of chess do: these are no draws.

    Among 1-0 and 0-1 alone, 0-0 may be a draw of any game, unless the columns are White and Black. `notes`
    keep what the pieces of a table so far have shown.
    """
    nil: Bools = (score == 0.0) & (other == 0.0)
    halved = (score == 0.5) & (other == 0.5)
    won = ((score == 1.0) & (other == 0.0)) | ((score == 0.0) & (other == 1.0))
    white = notes.columns is not None and is_white(notes.columns.theirs.get("player_a", ""))
    if not np.all(nil | halved | won | np.isnan(score) | np.isnan(other)):
        notes.is_chess = False
    elif notes.is_chess is None and np.any(halved | (won & white)):
        notes.is_chess = True
    return nil & bool(notes.is_chess)


def _score_columns(table: CheckedColumns) -> tuple[Floats, Floats | None]:
    names = [name for name in ("score_a", "score_b") if name in table]
    points = [table.numbers(name, unplayed=UNPLAYED_HINT) for name in names]
    for name, column in zip(names, points, strict=True):
        table.check(np.isnan(column), f"{name} is empty", UNPLAYED_HINT)
        table.check(np.isinf(column), f"{name} is infinite")
    score = points[0]
    if len(points) == 2:
        return score, points[1]
    table.check(
        (score < 0) | (score > 1),
        lambda p: f"score_a is {score[p]:g}, and must be from 0 (lost) to 1 (won)",
        "put the points of both sides in score_a and score_b",
    )
    return score, None


def _home(table: CheckedColumns, pair: tuple[str, str], player: Ints, names: Sequence[str]) -> Ints:
    """Which of the two is at home: 0 the first, 1 the second, −1 none.

    A column home names the player. Without it the first side is at home if the names of the columns say so
    (home and away, white and black), or if a column says which matches are neutral and this one is not. Who
    won cannot be who was at home, so nobody is where the columns are winner and loser.
    """
    nobody = pair[0] == "winner" or "home" in table
    if table.notes.columns is not None and table.notes.columns.neutral:
        nobody = True
    neutral = table.flags("neutral", default=nobody, empty=False)
    if "home" not in table:
        return -neutral.astype(np.int32)
    host = same_names(table, "home", names)
    given = host != -1
    at = np.full(len(table), -1, np.int32)
    at[given & (host == player[:, 1])] = 1
    at[given & (host == player[:, 0])] = 0
    table.check(
        given & (at < 0),
        lambda p: f"home is {table.shown('home', p)}, who does not play in this match",
        "home names one of the two players; leave the column out by columns={'home': None} or --column home=",
    )
    if "neutral" in table:
        table.check(given & neutral, "the match is neutral, but one player is at home")
    return at


def _hosts(player: Ints, home: Ints) -> Ints | None:
    """The player at home in each match."""
    if np.all(home < 0):
        return None
    if not home.any():
        return player[:, 0].copy()
    return np.where(home < 0, np.int32(-1), np.where(home == 0, player[:, 0], player[:, 1]))


def ranks_of(score: Floats, other: Floats | None, *, lower_is_better: bool) -> Ints:
    """Ranks of both players in each match."""
    against = np.float64(0.5) if other is None else other
    flipped = lower_is_better and other is not None
    rank = np.empty((len(score), 2), np.int32)
    rank[:, 0] = score > against if flipped else score < against
    rank[:, 1] = score < against if flipped else score > against
    rank += 1
    return rank


def shares_of(score: Floats) -> Floats | None:
    """How the point was divided, where it was neither won nor halved."""
    plain = (score == 0.0) | (score == 0.5) | (score == 1.0)
    if plain.all():
        return None
    score = np.where(plain, np.nan, score)
    return np.column_stack((score, 1.0 - score)).ravel()


def _event_names(table: CheckedColumns, first_number: int) -> tuple[str, ...] | None:
    """What the matches are called, None where the table does not say."""
    if "event" not in table:
        return None
    given = table.parsed("event", cells.names).cast(pl.String)
    given = given if table.source.is_python else tidy_names(given)
    named = (given.str.strip_chars() != "").fill_null(value=False)
    if not named.any():
        return None
    if not named.all():
        numbers = pl.int_range(first_number, first_number + len(given), eager=True).cast(pl.String)
        given = given.zip_with(named, numbers)
    return tuple(given.to_list())
