"""Cells that name the members of a team: `ann & bob`, or whatever stands between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from podium.arrays import Ints, Longs
from podium.history.history import Skipped
from podium.history.ragged import first_equal
from podium.tables.columns.shapes import ROW, ReadOptions
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows.checked_columns import CheckedColumns
from podium.tables.rows.defects import Defects, Source
from podium.tables.rows.partners import PARTNER_SIGN, SHOWN_SIGN, shown_team
from podium.text import shorten

_HINT = (
    "each member needs a name and appears once. In one cell, separate the members with the text of "
    "--teams-split (teams_split=)"
)


def _members(names: pl.Series, separator: str) -> pl.Series:
    """The members in each cell, without the blanks around them."""
    return names.str.split(separator).list.eval(pl.element().str.strip_chars())


def _faults(members: pl.Series) -> pl.Series:
    """What is wrong with the members of each team, null where nothing is; a single player is no team."""
    parts = members.list
    empty = parts.contains("").fill_null(value=False)
    twice = (parts.n_unique() != parts.len()).fill_null(value=False)
    fault = pl.Series([None], dtype=pl.String).new_from_index(0, len(members))
    fault = fault.set(twice, "has a member twice").set(empty, "has a member without a name")
    return fault.set((parts.len() < 2).fill_null(value=True), None)


# ------------------------------------------------------------------ results: a row is a team


def split_rows(
    frame: pl.DataFrame, source: Source, options: ReadOptions, notes: ReadingNotes
) -> tuple[pl.DataFrame, list[tuple[int, Skipped]]]:
    """A row for each member of the teams in the column player, and the rows left out.

    The column team gets the cell's text. Members share the row's other cells, its rank among them.
    """
    separator = options.members_sign
    if not separator or not isinstance(frame["player"].dtype, (pl.String, pl.Categorical, pl.Enum)):
        return frame, []
    names = frame["player"].cast(pl.String).str.strip_chars()
    if "team" in frame.columns:
        if "team" in options.columns:
            raise source.error(
                "the cells of player are split into teams, and there is a column team too",
                hint="leave one out: --column team= (columns={'team': None}), or no --teams-split",
            )
        notes.leave_out("team")
        notes.guess("use either --teams-split or a column team, not both")
        frame = frame.drop("team")
    if not names.str.contains(separator, literal=True).any():
        return frame, []
    members = _members(names, separator)
    fault = _faults(members)
    defects = Defects(frame[ROW].to_numpy().astype(np.int64), source, skip=options.skip)
    defects.check(
        fault.is_not_null().to_numpy(),
        lambda p: f"team {shorten(shown_team(str(names[p])))!r} {fault[p]}",
        hint=_HINT,
    )
    keep = defects.settle()
    shown = names.str.replace_all(PARTNER_SIGN, SHOWN_SIGN, literal=True)
    team = shown.zip_with(members.list.len() > 1, pl.Series([None], dtype=pl.String))
    split = frame.with_columns(members.alias("player"), team.alias("team"))
    split = split if keep is None else split.filter(keep)
    return split.explode("player"), defects.skipped


# ------------------------------------------------------------------ matches: a cell is a side


@dataclass(frozen=True)
class SideMembers:
    """Who stands behind the names of the sides of matches."""

    names: Sequence[str]
    """The players."""
    player: Ints
    """The members of all sides, one side after another; index into `names`."""
    start: Longs
    """Where the members of each side begin in `player`."""
    size: Longs

    def rows(self, sides: Ints) -> Longs:
        """The positions in `player` of the members of these sides, one side after another."""
        sizes = self.size[sides]
        before = np.cumsum(sizes) - sizes
        rows: Longs = np.arange(int(sizes.sum())) + np.repeat(self.start[sides] - before, sizes)
        return rows


def side_members(table: CheckedColumns, sides: Ints, names: Sequence[str]) -> SideMembers | None:
    """The members of the sides of matches, two sides a row; None if every side is a single player.

    Sides with an empty member, and players who stand on both sides of a match, are defects.
    """
    separator = table.options.members_sign
    if not separator:
        return None
    text = pl.Series(names, dtype=pl.String)
    if not text.str.contains(separator, literal=True).any():
        return None
    members = _members(text, separator)
    fault = _faults(members)
    per_row = np.maximum(sides, 0).reshape(-1, 2)
    wrong = fault.is_not_null().to_numpy()[per_row] & (sides.reshape(-1, 2) >= 0)

    def reason(position: int) -> str:
        side = int(per_row[position, int(np.argmax(wrong[position]))])
        return f"team {shorten(shown_team(names[side]))!r} {fault[side]}"

    table.check(wrong[:, 0] | wrong[:, 1], reason, _HINT)
    size = members.list.len().to_numpy().astype(np.int64)
    flat = members.explode().replace("", "?")  # a side with such a member is refused above
    one_by_one = pl.DataFrame({ROW: np.zeros(len(flat), np.int64), "player": flat})
    player, players = CheckedColumns(one_by_one, table.source, table.options, table.notes).players("player")
    found = SideMembers(players, player, np.cumsum(size) - size, size)
    _check_both_sides(table, per_row, found)
    return found


def _check_both_sides(table: CheckedColumns, sides: Ints, members: SideMembers) -> None:
    """Nobody plays against himself, or twice on one side by an alias and a name."""
    flat = sides.ravel()
    player = members.player[members.rows(flat)].astype(np.int64)
    match = np.repeat(np.arange(len(flat)) // 2, members.size[flat])
    again = first_equal(match * len(members.names) + player) != np.arange(len(player))
    who: dict[int, int] = {}
    for row in np.flatnonzero(again).tolist():
        who.setdefault(int(match[row]), int(player[row]))
    both = np.zeros(len(sides), np.bool_)
    both[list(who)] = True
    table.check(both, lambda p: f"{shorten(members.names[who[p]])!r} appears twice in one match", _HINT)
