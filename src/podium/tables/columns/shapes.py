"""What tables of results look like: their columns, the shapes they have, and how to read them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Literal, TypedDict, get_args

import numpy as np
import polars as pl

from podium.errors import InputError, ParameterError
from podium.files.kinds import MAX_RATIO
from podium.history.adjustments import COLUMNS as ADJUSTMENT_COLUMNS
from podium.tables.columns.column_choice import (
    MATCH_SIDES,
    ROWS_OF_PLAYERS,
    ColumnChoice,
    ColumnReading,
    RefusedColumnsError,
)
from podium.tables.columns.column_choice import Shape as Shape
from podium.tables.columns.column_names import MORE_PLAYERS, OPPONENTS, SYNONYMS, NamedColumns
from podium.tables.columns.round_columns import layout_hint
from podium.tables.columns.unused_columns import unused_warnings
from podium.tables.forms.date_formats import check_time_format
from podium.tables.rows.defects import Source
from podium.tables.sources.separators import WORDS
from podium.text import shorten

Unrated = Literal["opponent", "drop"]
Unfinished = Literal["last", "drop"]
Disqualified = Literal["drop", "last"]
OnBadRow = Literal["error", "skip"]
Teams = Literal["members", "players", "rosters"]
Decimal = Literal[".", ","]

NO_TEAMS = "none"
"""What says, in place of a text between members, that cells of players are names."""
ROW = "podium:row"
"""The column with the number of each row, counted from 0, in the table it comes from."""
MARK = "podium:mark"
"""The column beside ranks that may say why somebody has none."""

_ANY = ("event", "time", "clock", "weight", "ceiling", "home", "rated", "adjustment", *ADJUSTMENT_COLUMNS)
COLUMNS: dict[Shape, tuple[str, ...]] = {
    "results": (*_ANY, "player", "rank", "partner_a", "score", "share", "team", "finished", "play"),
    "matches": (*_ANY, "player", *MATCH_SIDES, "neutral"),
    "adjustments": ("adjustment", "time", "player", *ADJUSTMENT_COLUMNS),
}
"""The columns each shape has a use for; `player` of a table of matches is that of an adjustment.

`clock` is the time of day, where `time` is a day; `result` is the result of a match in one cell, such as 3-1.
"""
KNOWN = tuple(dict.fromkeys(name for names in COLUMNS.values() for name in names))

_OF_SIDES = ("player", "score")
"""Columns that each side of a match may have."""
_NAMES_HINT = (
    "Name other columns with --column player=handle (columns={'player': 'handle'}). "
    "If each player has a column: --column player=Ann,Bob,Cid"
)
_SHAPES_HINT = (
    "results need event, player and rank or score. Matches need player_a, player_b and "
    "score_a, result or winner, and in doubles partner_a and partner_b. Or winner and loser. "
    f"{_NAMES_HINT}. If each event has one, write a row for each player and event"
)
_FREE_TEXT_HINT = (
    "the first line looks like free text. Delete titles above a table. Lines such as Ann 3-1 Bob are not "
    "read: write each result with commas below a line date,player_a,player_b,score_a,score_b"
)


_NO_HEADER_HINT = (
    "the first line looks like data, not like names of columns: write a line with the names above it, such "
    "as date,winner,loser"
)


class UnknownShapeError(InputError):
    """The columns of a table are of no shape that podium knows."""


class ReadKeywords(TypedDict, total=False):
    """The keyword arguments of `read_history`, for type checkers; `ReadOptions` explains them."""

    columns: Mapping[str, str | None]
    lower_is_better: bool | None
    unrated: Unrated
    unfinished: Unfinished
    disqualified: Disqualified
    on_bad_row: OnBadRow
    teams: Teams
    teams_split: str | None
    aliases: Mapping[str, str] | str | os.PathLike[str] | None
    time_format: str | None
    decimal: Decimal | None
    separator: str | None
    encoding: str | None
    max_ratio: float
    sheets: Sequence[str]


@dataclass(frozen=True)
class ReadOptions:
    """How to read a table; the keyword arguments of `read_history`."""

    columns: Mapping[str, str | None] = field(default_factory=dict)
    """podium's name of a column -> the table's name; None ignores the column."""
    lower_is_better: bool | None = None
    """Whether fewer is better, as for times or strokes; None: only where scores are durations."""
    unrated: Unrated = "opponent"
    """Whether rows with rated=no count as opponents of the others, or are dropped."""
    unfinished: Unfinished = "last"
    """Whether rows with finished=no share the last place, or are dropped."""
    disqualified: Disqualified = "drop"
    """Whether who was disqualified is dropped, or shares the last place."""
    on_bad_row: OnBadRow = "error"
    teams: Teams = "members"
    """Whether ratings belong to the members of teams, to teams by name, or to each line-up."""
    teams_split: str | None = None
    """The text between the members of a team in a cell of players, such as "&"; "none": cells are names."""
    aliases: Mapping[str, str] | str | os.PathLike[str] | None = None
    """A name or id in the table -> the player; or the file that says so."""
    time_format: str | None = None
    """How times are written, such as %d/%m/%Y; None: as they look."""
    decimal: Decimal | None = None
    """The sign before the decimals; None: as numbers look."""
    separator: str | None = None
    """The sign between the cells of a text file; None: as its first lines look."""
    encoding: str | None = None
    """How a text file writes its letters, such as latin-1; None: UTF-8, or what its first bytes say."""
    max_ratio: float = MAX_RATIO
    """How many times its own size a compressed file may hold, where that is more than a gigabyte."""
    sheets: Sequence[str] = ()
    """The sheets of a workbook to read; none: all that hold results."""

    def __post_init__(self) -> None:
        self._check_types()
        for name, allowed in (
            ("unrated", Unrated),
            ("unfinished", Unfinished),
            ("disqualified", Disqualified),
            ("on_bad_row", OnBadRow),
            ("teams", Teams),
        ):
            if (value := getattr(self, name)) not in get_args(allowed):
                raise ParameterError(f"{name} is one of {', '.join(get_args(allowed))}, not {value!r}")
        if self.decimal not in (None, *get_args(Decimal)):
            raise ParameterError(f"decimal must be a dot or a comma, not {self.decimal!r}")
        if not self.max_ratio >= 1:
            raise ParameterError(f"max_ratio is {self.max_ratio}", hint="a number from 1, such as 1000")
        if self.time_format is not None:
            check_time_format(self.time_format)
        if self.teams_split is not None and not self.teams_split.strip():
            raise ParameterError(
                "teams_split must be the text between the members of a team, not empty",
                hint="for example --teams-split '&' (teams_split='&')",
            )
        if unknown := [name for name in self.columns if name not in KNOWN]:
            raise ParameterError(
                f"there is no column meaning {unknown[0]!r}", hint="its columns are " + ", ".join(KNOWN)
            )

    def _check_types(self) -> None:
        """Refuse values of types that would fail much later."""
        text: tuple[type, ...] = (str, type(None))
        for name, types, words in (
            ("columns", (Mapping,), "a dictionary such as {'player': 'handle'}"),
            ("lower_is_better", (bool, np.bool_, type(None)), "True, False or None"),
            ("teams_split", text, "text such as '&'"),
            ("aliases", (Mapping, os.PathLike, *text), "a dictionary such as {'17': 'Ann'}, or a file"),
            ("time_format", text, "text such as '%d/%m/%Y'"),
            ("separator", text, "text such as ';'"),
            ("encoding", text, "text such as 'latin-1'"),
            ("max_ratio", (int, float), "a number such as 1000"),
            ("sheets", (list, tuple), "a list of names such as ['Results']"),
        ):
            if not isinstance(value := getattr(self, name), types):
                raise ParameterError(f"{name} is {words}, not {shorten(repr(value))}")
        for theirs in self.columns.values():
            if not isinstance(theirs, text):
                raise ParameterError(
                    f"columns has names of columns, not {shorten(repr(theirs))}",
                    hint="columns={'player': 'handle'}; None leaves a column out",
                )

    @property
    def members_sign(self) -> str | None:
        """The text between the members of a team in one cell, if cells hold teams."""
        return None if self.teams_split == NO_TEAMS else self.teams_split

    @property
    def skip(self) -> bool:
        """Whether bad rows are left out instead of refusing the table."""
        return self.on_bad_row == "skip"


@dataclass(frozen=True)
class TableColumns:
    """Which columns of a table podium reads, and what they mean."""

    shape: Shape
    theirs: Mapping[str, str]
    """podium's name of every column it reads -> the table's name."""
    unused: tuple[str, ...] = ()
    """The table's other columns."""
    guessed: frozenset[str] = frozenset()
    """podium's names of the columns that were found by what people call them."""
    neutral: bool = False
    """Whether the names of the columns of a match say that neither side is at home."""
    lower_is_better: bool = False
    """Whether the column of scores is called so that fewer is better, such as `finish time`."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Columns that are looked into for what they say of the others: what they hold -> the table's name."""
    second_first: bool = False
    """Whether two sides were found by the names of their columns, and the second stands before the first."""
    warnings: tuple[str, ...] = ()
    """About columns that are not read and could matter."""
    mark: str | None = None
    """A column that is read only for marks, such as DNF, of those without a rank."""

    @property
    def wanted(self) -> dict[str, str]:
        """The columns that are read, and those that are looked into."""
        return {**self.theirs, **self.beside, **({} if self.mark is None else {MARK: self.mark})}

    def select(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with podium's column names, and the number of each row."""
        frame = frame if ROW in frame.columns else frame.with_row_index(ROW)
        return frame.select(ROW, *(pl.col(theirs).alias(name) for name, theirs in self.wanted.items()))


def table_columns(
    columns: Sequence[str],
    options: ReadOptions,
    source: Source,
    sample: Callable[[Sequence[str]], pl.DataFrame] | None = None,
) -> TableColumns:
    """The shape of a table with these columns and the columns podium reads; the others are ignored.

    podium's own names are compared without regard to case and surrounding blanks; what else people call their
    columns is in `podium.tables.columns.column_names`. A table of no known shape is refused; `sample` gives
    its first rows, which may show that it has no header.

    >>> found = table_columns(["Event", "handle", "Rank", "city"], ReadOptions(), Source())
    >>> found.shape, found.theirs, found.unused
    ('results', {'event': 'Event', 'player': 'handle', 'rank': 'Rank'}, ('city',))
    """
    try:
        return _table_columns(columns, options)
    except UnknownShapeError as error:
        hint = error.hint
        if sample is not None and layout_hint(columns) is None and _stand_below(columns, sample):
            hint = _NO_HEADER_HINT
        raise source.error(error.reason, hint=hint) from error
    except InputError as error:
        raise source.error(error.reason, hint=error.hint) from error


def _stand_below(columns: Sequence[str], sample: Callable[[Sequence[str]], pl.DataFrame]) -> bool:
    """Whether the name of a column stands in a cell below: it is no name then, but somebody's.

    A word above numbers is the name of a column: the first line is a header then.
    """
    names = {column.strip() for column in columns if column.strip()}
    rows = sample(list(dict.fromkeys(columns[:30])))
    for column in rows:
        cells = column.cast(pl.String).str.strip_chars().replace("", None).drop_nulls()
        if (
            re.fullmatch(r"[^\W\d]+", column.name.strip())
            and len(cells)
            and cells.str.contains(r"^\d+$").all()
        ):
            return False
    text = (column.str.strip_chars() for column in rows if column.dtype == pl.String)
    return any(not names.isdisjoint(column.to_list()) for column in text)


def _look_like_text(columns: Sequence[str]) -> bool:
    """Whether names of columns are a line of text, such as a title or a result in words."""
    named = [column for column in columns if column.strip()]
    return len(named) < 3 and any(len(column.split()) > 2 for column in named)


def _look_like_cells(columns: Sequence[str]) -> bool:
    """Whether names of columns are cells instead: a day, or numbers other than years and 1, 2, 3."""
    if any(re.match(r"\s*(\d{4}-\d\d?-\d|\d\d?[./-]\d\d?[./-]\d\d)", column) for column in columns):
        return True
    numbers = [column.strip() for column in columns if re.fullmatch(r"\s*-?\d+([.,]\d+)?\s*", column)]
    counted = numbers == [str(i + int(numbers[0] != "0")) for i in range(len(numbers))] if numbers else True
    return not counted and not all(re.fullmatch(r"(19|20)\d\d", number) for number in numbers)


def is_table_of(options: ReadOptions, *, refused: bool = True) -> Callable[[Sequence[str]], bool]:
    """A function that tells whether a table with the given columns is of a known shape.

    It says `refused` of columns that are those of a table which is refused.
    """

    def is_table(columns: Sequence[str]) -> bool:
        try:
            _table_columns(columns, options)
        except RefusedColumnsError:
            return refused
        except InputError:
            return False
        return True

    return is_table


def shape_of(columns: Sequence[str], options: ReadOptions) -> Shape | None:
    """The shape of a table with these columns, None if it has none that is known."""
    try:
        return _table_columns(columns, options).shape
    except InputError:
        return None


def _table_columns(columns: Sequence[str], options: ReadOptions) -> TableColumns:
    own = _own_columns(columns, options)
    choice = ColumnChoice(columns, options.columns, own)
    reading = choice.reading(COLUMNS)
    if reading is None and "adjustment" in own:
        theirs = {name: own[name] for name in COLUMNS["adjustments"] if name in own}
        reading = ColumnReading("adjustments", theirs | {n: own[n] for n in options.columns if n in own})
    if reading is None:
        hint = separator_hint(columns) or _sides_hint(columns, own)
        if hint is None and NamedColumns(columns).first(MORE_PLAYERS) is not None:
            hint = f"if there are more than two players in a row, {ROWS_OF_PLAYERS}"
        if hint is None:
            hint = layout_hint(columns)
        if hint is None and _look_like_text(columns):
            hint = _FREE_TEXT_HINT
        if hint is None and _look_like_cells(columns):
            hint = _NO_HEADER_HINT
        if hint is None:
            understood = choice.understood()
            hint = _SHAPES_HINT if understood is None else f"{understood}. {_NAMES_HINT}"
        named = [shorten(column, 30) for column in columns if column.strip()]
        raise UnknownShapeError(
            f"the columns ({', '.join(named[:12])}) fit no kind of table that podium reads", hint=hint
        )
    shape, theirs = reading.shape, reading.theirs
    if useless := [name for name in theirs if name not in COLUMNS[shape]]:
        raise InputError(
            f"a table of {shape} cannot use a column {useless[0]}",
            hint=f"it has {', '.join(COLUMNS[shape])}",
        )
    if options.lower_is_better and not {"score", "score_b", "result"} & theirs.keys():
        raise InputError(
            "lower_is_better needs scores, and the table has none",
            hint="put scores in a column score, or in score_a and score_b in a table of matches",
        )
    used = frozenset(theirs.values())
    unused = tuple(name for name in columns if name not in used and name.strip())
    return TableColumns(
        shape,
        theirs,
        unused,
        frozenset(reading.guessed),
        reading.neutral,
        reading.lower_is_better,
        reading.beside,
        reading.second_first,
        unused_warnings(unused, theirs, shape, options.columns),
        reading.mark,
    )


def _own_columns(columns: Sequence[str], options: ReadOptions) -> dict[str, str]:
    """The columns that the options name, and those with podium's own names."""
    alike: dict[str, list[str]] = {}
    for column in columns:
        alike.setdefault(column.strip().lower(), []).append(column)
    taken = frozenset(options.columns.values())
    own: dict[str, str] = {}
    for name in KNOWN:
        if name in options.columns:
            theirs = options.columns[name]
            found = [] if theirs is None else _mapped(name, theirs, columns)
        else:
            found = [column for column in alike.get(name, ()) if column not in taken]
        if len(found) > 1:
            which = f", or say which it is: columns={{{name!r}: {found[0]!r}}}" if len(set(found)) > 1 else ""
            sides = (
                f", or call them {name}_a and {name}_b if they belong to two sides of a match"
                if name in _OF_SIDES
                else ""
            )
            raise InputError(
                f"the columns {' and '.join(map(repr, found))} are both called {name}",
                hint=f"rename one{sides}{which}",
            )
        if found:
            own[name] = found[0]
    return own


def _mapped(name: str, theirs: str, columns: Sequence[str]) -> list[str]:
    """The columns with the given name: exact matches, else as tolerant as for podium's own names."""
    alike = [column for column in columns if column.strip().lower() == theirs.strip().lower()]
    if not alike:
        raise InputError(
            f"there is no column {theirs!r} to read {name} from",
            hint="its columns are " + ", ".join(repr(shorten(c, 30)) for c in columns[:30]),
        )
    return [column for column in alike if column == theirs] or alike


def _sides_hint(columns: Sequence[str], own: Mapping[str, str]) -> str | None:
    """For a table of teams that names no members, and for one with a player and an opponent in a row."""
    named = NamedColumns(columns)
    player = own.get("player") or named.first(SYNONYMS["player"])
    opponent = named.first(OPPONENTS)
    if player is not None and opponent is not None:
        return (
            "if each row is one match: "
            f"--column {quote(f'player_a={player}')} --column {quote(f'player_b={opponent}')} "
            f"(columns={{'player_a': {player!r}, 'player_b': {opponent!r}}}), and the result likewise"
        )
    team = own.get("team") or named.first(SYNONYMS["team"])
    if team is not None and player is None:
        return f"to rate teams, make them players: columns={{'player': {team!r}}} or --column player={team}"
    return None


def separator_hint(columns: Sequence[str]) -> str | None:
    """A hint for a table read as a single column because its cells are separated by another sign."""
    if len(columns) == 1:
        for separator, words in WORDS.items():
            if separator in columns[0]:
                return f"its cells seem to be separated by {words}: use --separator (separator=)"
    return None
