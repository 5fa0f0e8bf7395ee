"""Aliases: names and ids as they stand in the results, and the players they mean."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import overload

import polars as pl

from podium.errors import InputError, warn_caller
from podium.files.kinds import TABLE_FORMATS
from podium.history.names import player_name, tidy_name
from podium.history.readings import ReadingWarning
from podium.tables.columns.shapes import ROW, ReadOptions
from podium.tables.names.player_numbers import tidy_names
from podium.tables.rows import cells
from podium.tables.rows.defects import Source
from podium.tables.sources.given_files import readable
from podium.tables.sources.table_files import table_in
from podium.text import shorten

Given = Mapping[str, str] | str | os.PathLike[str]

ALIAS_COLUMNS = (
    "alias",
    "from",
    "id",
    "player id",
    "handle",
    "nickname",
    "nick",
    "username",
    "user",
    "login",
)
PLAYER_COLUMNS = ("player", "to", "real name", "full name", "player name", "name")
"""What the two columns of a table of aliases are called, the likeliest first."""

_HINT = "a table of aliases has a column alias, with the name in the results, and a column player"


class Aliases(Mapping[str, str]):
    """The player that each alias means; remembers which aliases have been met.

    >>> aliases = Aliases.of({"anna": "Anna Berg", "17": "anna"})
    >>> aliases.applied(["17", "bob"]), aliases.player("anna"), len(aliases.met)
    (['Anna Berg', 'bob'], 'Anna Berg', 1)
    """

    def __init__(self, players: Mapping[str, str], file: Path | None = None) -> None:
        self._players = players
        self.file = file
        """The file they stand in."""
        self.met: set[str] = set()
        """Those that stood in the results, of all files."""
        self._source: str | None = None
        self._met_in_source: set[str] = set()
        self.header_warning: str | None = None
        """What to say if the first line of their file may be no header."""

    @overload
    @classmethod
    def of(cls, given: None) -> None: ...
    @overload
    @classmethod
    def of(cls, given: Given) -> Aliases: ...
    @classmethod
    def of(cls, given: Given | None) -> Aliases | None:
        """The aliases in a mapping or a file, checked; a chain of them leads to its end."""
        if given is None or isinstance(given, Aliases):
            return given
        if isinstance(given, Mapping):
            return cls(_checked(_from_mapping(given), Source()))
        return _from_file(Path(given))

    def __getitem__(self, alias: str) -> str:
        return self._players[alias]

    def __iter__(self) -> Iterator[str]:
        return iter(self._players)

    def __len__(self) -> int:
        return len(self._players)

    def applied(self, names: Sequence[str]) -> list[str]:
        """The players that these names mean; one that is no alias means itself."""
        met = self._players.keys() & set(names)
        self.met |= met
        self._met_in_source |= met
        return [self._players.get(name, name) for name in names]

    def met_in(self, source: str | None) -> frozenset[str]:
        """Those met so far in a file; files are read one after another."""
        if source != self._source:
            self._source, self._met_in_source = source, set()
        return frozenset(self._met_in_source)

    def player(self, name: str) -> str:
        """The player whom somebody asks for by a name or an alias; not counted as met."""
        return self._players.get(tidy_name(name), name)

    @property
    def own_names(self) -> set[str]:
        """Names that are listed as their own alias: near to others perhaps, and known to be somebody else."""
        return {alias for alias, player in self._players.items() if alias == player}

    @property
    def idle_warning(self) -> str | None:
        """What to say at the end if no alias was met."""
        if self.met or not len(self):
            return None
        return f"none of the aliases ({len(self):,}) appears in the results"

    @property
    def warnings(self) -> list[str]:
        """What to say of them at the end."""
        return [said for said in (self.header_warning, self.idle_warning) if said is not None]


@contextmanager
def reading_aliases(options: ReadOptions) -> Iterator[ReadOptions]:
    """The options with their aliases read; warns at the end if the results hold none of them.

    Who gives `Aliases` instead of a mapping or a file reads several files with them, and knows at the end.
    """
    aliases = Aliases.of(options.aliases)
    yield replace(options, aliases=aliases)
    if aliases is not None and aliases is not options.aliases:
        for warning in aliases.warnings:
            warn_caller(warning, ReadingWarning)


# ------------------------------------------------------------------ where they come from


def _from_mapping(given: Mapping[str, str]) -> Iterator[tuple[None, str, str]]:
    return ((None, tidy_name(player_name(a)), tidy_name(player_name(p))) for a, p in given.items())


def _from_file(path: Path) -> Aliases:
    if not path.exists():
        raise InputError("there is no such file", source=str(path), hint=_HINT)
    options = ReadOptions()
    with readable(path, options) as file:
        if file.kind.format not in TABLE_FORMATS:
            raise InputError("aliases must be a table", source=file.name, hint=", ".join(TABLE_FORMATS))
        table = table_in(file, options, file.notes(), lambda names: len(names) > 1)
        source = Source(file.name, table.locate)
        alias, player = _columns(table.columns, source)
        frames = table.frames({"alias": alias, "player": player})
        checked = _checked(chain.from_iterable(_rows(frame) for frame in frames), source)
        aliases = Aliases(checked, path)
        if not any(_called(name) in (*ALIAS_COLUMNS, *PLAYER_COLUMNS) for name in table.columns):
            line = ", ".join(repr(shorten(name, 30)) for name in table.columns)
            aliases.header_warning = (
                f"{file.name}: podium reads the first line ({line}) as the column names. If it is an "
                "alias, write alias,player above it"
            )
        return aliases


def _columns(columns: Sequence[str], source: Source) -> tuple[str, str]:
    """The column of aliases and that of players, by their names; of two columns also by their order."""
    called = {_called(name): name for name in columns}
    alias, player = (
        next((called[name] for name in known if name in called), None)
        for known in (ALIAS_COLUMNS, PLAYER_COLUMNS)
    )
    if alias is not None and player is not None:
        return alias, player
    if len(columns) == 2:
        return columns[0], columns[1]
    shown = ", ".join(shorten(name, 30) for name in columns[:12])
    raise source.error(
        f"the columns ({shown}) do not show which is the alias and which the player", hint=_HINT
    )


def _called(column: str) -> str:
    return " ".join(re.split(r"[\s_.-]+", column.strip().lower()))


def _rows(frame: pl.DataFrame) -> Iterable[tuple[int, str, str]]:
    names = (
        tidy_names(cells.names(frame[column]).cast(pl.String)).fill_null("") for column in ("alias", "player")
    )
    return zip(frame[ROW].to_list(), *names, strict=True)


def _checked(rows: Iterable[tuple[int | None, str, str]], source: Source) -> dict[str, str]:
    """The player at the end of each alias; contradictions and circles are refused."""
    players: dict[str, str] = {}
    places: dict[str, int | None] = {}
    for row, alias, player in rows:
        if not alias or not player:
            empty = "alias" if player else "player" if alias else "the line"
            raise source.error(f"{empty} is empty", row=row, hint=_HINT)
        known = players.setdefault(alias, player)
        if known != player:
            raise source.error(
                f"{shorten(alias)!r} is an alias of {shorten(known)!r} and of {shorten(player)!r}",
                row=row,
                hint="an alias can mean only one player",
            )
        places.setdefault(alias, row)
    return {alias: _follow(player, players, places, source) for alias, player in players.items()}


def _follow(name: str, players: Mapping[str, str], places: Mapping[str, int | None], source: Source) -> str:
    """The end of the chain of aliases that begins with a name."""
    met = [name]
    while (following := players.get(name, name)) != name:
        if following in met:
            circle = " → ".join(repr(shorten(one, 30)) for one in [*met, following])
            row = max((places[one] for one in met), key=lambda row: -1 if row is None else row)
            raise source.error(
                f"the aliases form a circle: {circle}", row=row, hint="the last must be the player"
            )
        met.append(following)
        name = following
    return name
