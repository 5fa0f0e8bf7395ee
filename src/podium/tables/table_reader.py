"""Tables as histories, one frame of podium's columns after another.

Three shapes are recognised by their columns (`podium.tables.columns.shapes`): *results* (event, player, rank
or score; perhaps a team), *matches* (player_a, player_b, score_a; or winner, loser), and *adjustments*
(adjustment), whose rows may also stand among those of the other two. Every check runs over whole columns. A
bad row is refused with its place and the reason; with ``on_bad_row="skip"`` bad rows are left out and listed
in ``History.skipped``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from podium.arrays import NO_TIME, Bools, Floats, Ints, Longs
from podium.errors import InputError
from podium.history.adjustments import SetRating
from podium.history.concatenation import time_order, time_ordered
from podium.history.history import History, Skipped
from podium.history.names import Names
from podium.tables.columns.column_contents import ColumnContents, note_moments
from podium.tables.columns.partner_columns import is_of_pairs
from podium.tables.columns.shapes import ROW, ReadOptions, Shape, TableColumns, table_columns
from podium.tables.names.aliases import Aliases
from podium.tables.names.near_names import MOST_NEAR_WARNINGS, NearNames, near_warning
from podium.tables.names.paired_names import cells_of_pairs, pair_cells, unlike_pair
from podium.tables.names.player_numbers import PlayerNumbers, UnsettledNamesError, empty_cell_warnings
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows.adjustment_rows import split_adjustments
from podium.tables.rows.checked_columns import TIMES_HINT, CheckedColumns
from podium.tables.rows.defects import Source, TablePart
from podium.tables.rows.excel_cells import repaired_results
from podium.tables.rows.group_rows import without_titles
from podium.tables.rows.match_rows import (
    look_at_matches,
    match_scores,
    ranks_of,
    read_matches,
    side_columns,
)
from podium.tables.rows.result_cells import is_lower_better, look_at_results, places
from podium.tables.rows.result_rows import read_results
from podium.tables.rows.team_cells import split_rows
from podium.tables.sources.spreadsheets import SAMPLE_ROWS
from podium.text import counted, joined_sentences, shorten


def namesakes(table: CheckedColumns, shape: Shape) -> set[str]:
    """The names in a table that usually mean nobody, and are players' names there."""
    return _among_matches(table) if shape == "matches" else _among_results(table)


def _among_matches(table: CheckedColumns) -> set[str]:
    """Those who have won a match, or a part of its points."""
    codes, names = table.player_labels(*side_columns(table))
    odd = table.may_be_nobody(codes, names).reshape(-1, 2)
    if not odd.any():
        return set()
    player = codes.reshape(-1, 2)
    score, other = match_scores(table, player, names)
    lower = bool(table.options.lower_is_better) and other is not None
    rank = ranks_of(score, other, lower_is_better=lower)
    shown = rank < rank[:, ::-1]
    if not lower:
        shown |= np.column_stack((score, 1.0 - score if other is None else other)) > 0.0
    has_opponent = ~odd[:, ::-1] & (player[:, ::-1] >= 0)
    return _named(player[shown & odd & has_opponent], names)


def _among_results(table: CheckedColumns) -> set[str]:
    """Those who have a rank among three or more, have beaten a player, or have scored."""
    event, _ = table.labels("event")
    player, names = table.player_labels("player")
    odd = table.may_be_nobody(player, names)
    if not odd.any():
        return set()
    finished, _, rank, score = places(table)
    if rank is not None:
        return _named(player[odd & _shown_by_ranks(event, rank, finished, odd)], names)
    assert score is not None
    lower = is_lower_better(table.options, table.notes)
    better = -score if lower else score
    shown = better > _worst(event, better, finished & ~odd)
    shown |= _others(event, odd) > 1 if lower else score > 0.0
    return _named(player[odd & finished & ~np.isnan(score) & shown], names)


def _named(codes: Ints, names: Sequence[str]) -> set[str]:
    return {names[code] for code in np.unique(codes).tolist()}


def _shown_by_ranks(event: Ints, rank: Floats, finished: Bools, odd: Bools) -> Bools:
    ranked = finished & ~np.isnan(rank)
    return ranked & ((_others(event, odd) > 1) | (-rank >= _worst(event, -rank, ranked & ~odd)))


def _others(event: Ints, odd: Bools) -> Ints:
    """For each row the number of rows of its event that are certainly players'."""
    number = np.bincount(event[~odd & (event >= 0)], minlength=int(event.max(initial=-1)) + 1)
    return np.append(number, 0)[event].astype(np.int32)


def _worst(event: Ints, better: Floats, counted: Bools) -> Floats:
    """For each row the worst result in its event of the rows counted, infinite if there are none."""
    worst = np.full(int(event.max(initial=-1)) + 2, np.inf)
    counted = counted & ~np.isnan(better)
    np.minimum.at(worst, event[counted], better[counted])
    return worst[event]


FindNamesakes = Callable[[], set[str]]
"""Looks through a table for names that usually mean nobody, such as BYE, and are players' names there."""
Watch = Callable[[Source, TablePart, Longs], None]
"""Called with each part of a table, and with the numbers of its events in the order of time."""


class TableReader:
    """Turns the frames of a table into histories that share one set of names."""

    def __init__(
        self,
        options: ReadOptions,
        source: Source,
        notes: ReadingNotes | None = None,
        find_namesakes: FindNamesakes | None = None,
        watch: Watch | None = None,
    ) -> None:
        """`find_namesakes` looks through all frames of the table, where there are several."""
        self.aliases = Aliases.of(options.aliases)
        self.options = replace(options, aliases=self.aliases)
        self.source = source
        self.notes = notes or ReadingNotes(source.name)
        self.names = Names()
        is_name = self.aliases is None and options.members_sign is None and not source.is_python
        self._numbers = PlayerNumbers(self.names) if is_name else None  # a cell means the player of that name
        self._find_namesakes = find_namesakes
        self._watch = watch
        self._contents = ColumnContents(options, source, self.notes)
        self._near = NearNames()
        self._names_checked = 0
        self._near_warnings = 0
        self._says_aliases = self.aliases is not None
        self._events = 0
        self._adjustments = 0
        self._latest = NO_TIME
        self._noted: list[Skipped] = []
        self._first_skipped: Skipped | None = None

    def read_table(self, frame: pl.DataFrame) -> History:
        """The next part of the history, from a frame with the table's own column names."""
        columns = self._columns(frame)
        if self.notes.columns is None:
            self.notes.use(columns)
            note_moments(
                self.notes, lambda names: frame.select(names).head(SAMPLE_ROWS), columns, self.options
            )
        return self.read(columns.select(frame), columns.shape)

    def read_made(self, frame: pl.DataFrame) -> History:
        """The same from a frame that podium made of a file that is no table, whose columns nobody knows."""
        return self.read(*self.made(frame))

    def made(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, Shape]:
        """Such a frame as it is read."""
        columns = self._columns(frame)
        return columns.select(frame), columns.shape

    def _columns(self, frame: pl.DataFrame) -> TableColumns:
        return table_columns([c for c in frame.columns if c != ROW], self.options, self.source)

    def read(self, frame: pl.DataFrame, shape: Shape) -> History:
        """The next part of the history, from a frame with podium's columns and `ROW`; it may be empty."""
        met = frozenset() if self.aliases is None else self.aliases.met_in(self.source.name)
        try:
            part = self._part(self._settled(frame, shape, self._contents), shape)
        except InputError as error:
            raise self._with_columns_named(error) from error
        return self._continued(part, met)

    def _settled(self, frame: pl.DataFrame, shape: Shape, contents: ColumnContents) -> pl.DataFrame:
        """The frame as its cells show that it is meant; partners in two columns are a team in one cell."""
        frame = without_titles(frame, shape, self.source, contents.notes)
        if not self.source.is_python:
            frame = repaired_results(frame, self.source, contents.notes, skip=self.options.skip)
        frame = contents.settled(frame, shape)
        if contents.notes.pair_sign is not None:
            self._read_teams(contents.notes.pair_sign)
        return frame

    def _read_teams(self, sign: str) -> None:
        """From here on cells with this sign are teams."""
        self.options = replace(self.options, teams_split=sign)
        self._numbers = None

    def _continued(self, part: TablePart, met: frozenset[str]) -> History:
        """The history of a part as it goes on with those before it; `met` are the aliases in those."""
        newest_first = self._is_newest_first(part.history)
        self._note_order(part.history, newest_first=newest_first)
        self._note_names(met)
        self.note(item for _, item in sorted(part.skipped, key=lambda item: item[0]))
        history = replace(
            part.history,
            first_number=self._events + 1,
            skipped=tuple(self._noted),
            readings=self.notes.take(),
            origin=part.origin,
        )
        self._noted = []
        self._check_times(history)
        self._events += len(history)
        self._adjustments += len(history.adjustments)
        if len(history):
            self._latest = max(self._latest, int(history.time.max()))
        if self._watch is not None:
            self._watch(self.source, part, time_order(history.time, newest_first=newest_first))
        return time_ordered(history, newest_first=newest_first)

    def look_at(self, frame: pl.DataFrame, shape: Shape) -> None:
        """Find out by a whole table how its cells are written, before parts of it are read by others."""
        try:
            frame = self._contents.without_misnamed(frame, shape)
            table = CheckedColumns(frame, self.source, self.options, self.notes)
            (look_at_matches if shape == "matches" else look_at_results)(table)
        except InputError as error:
            raise self._with_columns_named(error) from error

    def namesakes(self, frames: Iterable[pl.DataFrame], shape: Shape) -> set[str]:
        """The names in the frames of a table that usually mean nobody, and are players' names there."""
        notes, found = self.notes.for_another_look(), set()
        contents = ColumnContents(self.options, self.source, notes)
        for frame in frames if shape != "adjustments" else ():
            try:
                frame = self._settled(frame, shape, contents)
                if "adjustment" in frame.columns:
                    frame = split_adjustments(frame, shape, self.source, self.options, notes.forms)[0]
                found |= self._namesakes_in(frame, shape, notes)
            except InputError:  # which is raised again when the frame is read
                continue
        return found

    def _namesakes_in(self, frame: pl.DataFrame, shape: Shape, notes: ReadingNotes) -> set[str]:
        """The same in a frame of results or matches."""
        if shape == "results":
            frame, _ = split_rows(frame, self.source, self.options, notes)
        return namesakes(CheckedColumns(frame, self.source, self.options, notes), shape)

    def _note_names(self, met: frozenset[str]) -> None:
        """Say how many names are aliases, `met` before or not, and which names may mean one player."""
        aliases = self.aliases if self._says_aliases else None
        if aliases is not None and (fresh_aliases := aliases.met_in(self.source.name) - met):
            players = {aliases[alias] for alias in fresh_aliases}
            of_players = f" of {counted(len(players), 'player')}" if len(players) < len(fresh_aliases) else ""
            self.notes.guess(f"{counted(len(fresh_aliases), 'name')} by aliases{of_players}")
            self._says_aliases = False
        fresh = self.names[self._names_checked :]
        self._names_checked = len(self.names)
        if self.source.is_python:
            return
        if self.aliases is not None and (own := self.aliases.own_names):
            fresh = [name for name in fresh if name not in own]
        for warning in empty_cell_warnings(fresh):
            self.notes.warn(warning)
        if self._near_warnings == MOST_NEAR_WARNINGS:
            return
        if pairs := self._near.pairs(fresh):
            self.notes.warn(near_warning(pairs))
            self._near_warnings += 1

    def _part(self, frame: pl.DataFrame, shape: Shape) -> TablePart:
        """What a frame tells, in terms of the names met so far."""
        if shape == "adjustments" and "adjustment" not in frame.columns:  # a list of ratings
            frame = frame.with_columns(pl.lit(SetRating.kind).alias("adjustment"))
            self.notes.guess("each row sets one rating")
        if "adjustment" not in frame.columns:
            return self._results(frame, shape)
        self._numbers = None  # adjustments name players, too
        results, adjustments = split_adjustments(frame, shape, self.source, self.options, self.notes.forms)
        return adjustments.placed_in(self._results(results, shape), self._latest)

    def _results(self, frame: pl.DataFrame, shape: Shape) -> TablePart:
        known = len(self.names)
        part = self._part_of_names(frame, shape)
        if self.source.is_python:
            return part
        if self.options.teams_split is not None:
            self._check_signs(part.history.players[known:])
            return part
        if self._are_pairs(part.history.players[known:]):
            self.names.truncate(known)
            part = self._part_of_names(frame, shape)
        return part

    def _are_pairs(self, fresh: Sequence[str]) -> bool:
        """Whether some of the new names are teams of two; asks where the table does not show it."""
        own = set() if self.aliases is None else self.aliases.own_names
        fresh = [name for name in fresh if name not in own] if own else fresh
        found = cells_of_pairs(fresh) if self._are_called_pairs() else pair_cells(fresh, self.names)
        if found.sign is not None:
            self.notes.guess(f"cells with {found.sign.strip()!r} are teams of two")
            self.notes.pair_sign = found.sign
            self._read_teams(found.sign)
        elif found.must_ask:
            raise self.source.error(found.unclear or "", hint=found.hint)
        elif found.unclear is not None:
            self.notes.warn(f"{found.unclear}: {found.hint}")
        return found.sign is not None

    def _check_signs(self, fresh: Sequence[str]) -> None:
        """Refuse a cell with two players and another sign between them than that of the table's teams."""
        sign = self.options.members_sign
        if sign is not None and (name := unlike_pair(fresh, sign)) is not None:
            raise self.source.error(
                f"{shorten(name)!r} is two players of this table, and teams are split by {sign.strip()!r}",
                hint="write all teams alike, or use the sign of this cell in --teams-split (teams_split=)",
            )

    def _are_called_pairs(self) -> bool:
        """Whether the columns of players are called after pairs."""
        theirs = {} if self.notes.columns is None else self.notes.columns.theirs
        sides = [theirs[name] for name in ("player_a", "player_b", "winner", "loser") if name in theirs]
        return bool(sides) and all(map(is_of_pairs, sides))

    def _part_of_names(self, frame: pl.DataFrame, shape: Shape) -> TablePart:
        known = len(self.names)
        try:
            part = self._read_rows(frame, shape)
        except UnsettledNamesError:
            look = self._find_namesakes or partial(
                self._namesakes_in, frame, shape, self.notes.for_another_look()
            )
            self.notes.settle_namesakes(look())
            self.names.truncate(known)
            self._numbers = None
            part = self._read_rows(frame, shape)
        if part.history.players is not self.names:  # some rows or cells are not plain: look at each piece
            self.names.truncate(known)
            self._numbers = None
        return replace(part, history=part.history.with_players(self.names))

    def _read_rows(self, frame: pl.DataFrame, shape: Shape) -> TablePart:
        options, notes = self.options, self.notes
        if not len(frame):
            return TablePart.empty()
        if shape == "matches":
            return read_matches(frame, self.source, options, notes, self._events + 1, self._numbers)
        frame, skipped = split_rows(frame, self.source, options, notes)
        part = read_results(frame, self.source, options, notes, self._numbers)
        # Members of a team may stand in one row, which is left out once.
        return replace(part, skipped=list(dict.fromkeys([*skipped, *part.skipped])))

    def _is_newest_first(self, history: History) -> bool:
        """Whether the rows stand in the opposite order of time, and so do those of one day.

        A column that has podium's own name, or that somebody has named, says no more than the time.
        """
        if not self.notes.is_time_guessed or self._events or history.adjustments:
            return False
        steps = np.diff(history.time)
        return bool(np.any(steps < 0) and not np.any(steps > 0))

    def _note_order(self, history: History, *, newest_first: bool) -> None:
        """Say that rows are put into another order, where that follows from a guess."""
        if self.notes.is_time_guessed and np.any(history.time[1:] < history.time[:-1]):
            order = "newest first" if newest_first else "in another order"
            self.notes.guess(f"sorted by time (the {self._kind} is {order})")

    def _with_columns_named(self, error: InputError) -> InputError:
        """The error with what the table calls the columns that it is about."""
        columns = {} if self.notes.columns is None else self.notes.columns.theirs
        said = [
            f"{name} is the column {shorten(theirs)!r}"
            for name, theirs in columns.items()
            if theirs.strip().lower() != name and re.search(rf"\b{name}\b", error.reason)
        ]
        if error.hint is not None:
            said.append(error.hint)
        return InputError(
            error.reason,
            source=error.source,
            row=error.row,
            line=error.line,
            event=error.event,
            hint=joined_sentences(said) or None,
        )

    @property
    def _kind(self) -> str:
        return "table" if self.source.name is None else "file"

    def _check_times(self, history: History) -> None:
        """Either all parts of a table have times or none."""
        if self._events and len(history) and (self._latest == NO_TIME) != bool(history.time[0] == NO_TIME):
            raise self.source.error(
                "some events have a time and some have none",
                event=history.event_name(0),
                hint=TIMES_HINT,
            )

    def note(self, skipped: Iterable[Skipped]) -> None:
        """Report rows that were left out earlier; they are listed in the next history."""
        self._noted.extend(skipped)
        if self._noted and self._first_skipped is None:
            self._first_skipped = self._noted[0]

    def finish(self) -> None:
        """Called at the end; refuses a table that had nothing to rate."""
        if self._events or self._adjustments:
            return
        if self._first_skipped is None:
            raise self.source.error("there are no rows to rate", hint="add rows below the header")
        first = self._first_skipped
        raise self.source.error(f"every row was skipped, the first because: {first.where}: {first.reason}")
