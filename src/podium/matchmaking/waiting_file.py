"""A table of those who wait, as `podium match` takes it: one row a player, checked cell by cell.

Columns podium knows are `player`, `mu`, `sigma`, `recent` (such as WLDWW, newest last), `party` (the same
text for those who stay together), `waited` (seconds), `blocks` and `met` (names, with semicolons between
them: whom one does not want to meet, and whom one met in the last games, newest last),
`roles` (those that one would play, with semicolons; empty for any), `latency_…`, milliseconds to the region
of that name, and `needs_…`, what the attribute of that name must be in others: texts with semicolons, or a
range such as 1400..1600. All others are attributes that a policy may look at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from podium.arrays import Floats, Longs
from podium.errors import InputError, ParameterError
from podium.files.kinds import TABLE_FORMATS
from podium.history.names import tidy_name
from podium.tables.columns.shapes import ROW, ReadOptions, separator_hint
from podium.tables.rows import cells
from podium.tables.rows.checked_columns import CheckedColumns
from podium.tables.rows.defects import Source
from podium.tables.sources.given_files import readable
from podium.tables.sources.table_files import table_in
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    from podium.matchmaking.matchmaker import Matchmaker

COLUMNS = ("player", "mu", "sigma", "recent", "party", "waited", "blocks", "met", "roles")
LATENCY, NEEDS = "latency_", "needs_"
_RANGE = re.compile(r"(.*?[^.\s])\s*\.\.\s*([^.\s].*)")


@dataclass(frozen=True, eq=False)
class WaitingTable:
    """The waiting players, as columns; None for a column the table does not have."""

    players: Sequence[str]
    mu: Floats | None
    sigma: Floats | None
    recent: list[str] | None
    waited: Floats
    """Seconds each player has waited; 0 if not given."""
    parties: list[Longs]
    """The rows of each ticket: one player, or the players of a party, in the table's order."""
    blocks: list[tuple[str, ...]] | None
    met: list[tuple[str, ...]] | None
    """The opponents of the last games, newest last."""
    latency: dict[str, Floats]
    """Latency in milliseconds by region; NaN if a cell is empty."""
    needs: dict[str, list[Any]]
    attributes: dict[str, list[Any]]
    roles: list[list[str] | None] | None = None
    """The roles that each player would play; None for any."""

    def __len__(self) -> int:
        return len(self.players)

    @property
    def games_met(self) -> int:
        """The most games of a player whose opponents the table names."""
        return max(map(len, self.met or []), default=0)

    def join(self, maker: Matchmaker) -> None:
        """Add all players to a pool, whose clock is then at 0.

        A party says what all of its members say, has waited as long as the one who waited longest, and is as
        far from a region as the farthest.
        """
        from podium.matchmaking.pool.joins import remember_opponents

        self._check_parties(maker)
        order = np.concatenate(self.parties)
        names = [self.players[row] for row in order]
        cuts = np.cumsum([0, *map(len, self.parties)])
        mu, sigma = (None if column is None else column[order] for column in (self.mu, self.sigma))
        maker.join_many(
            [names[a:b] for a, b in pairwise(cuts.tolist())],
            time=-np.maximum.reduceat(self.waited[order], cuts[:-1]),
            mu=mu,
            sigma=sigma if maker.system.has_sigma else None,
            attributes={name: self._agreed(cells) for name, cells in self.attributes.items()},
            needs={name: self._needed(name, cells) for name, cells in self.needs.items()},
            latency={r: np.maximum.reduceat(delay[order], cuts[:-1]) for r, delay in self.latency.items()},
            recent=None if self.recent is None else [self.recent[row] for row in order],
            roles=None if self.roles is None or not maker.mode.roles else [self.roles[row] for row in order],
        )
        for player, others in zip(self.players, self.blocks or [], strict=False):
            for other in others:
                maker.block(player, other)
        if self.met is not None:
            met, pool = dict(zip(self.players, self.met, strict=True)), maker._pool
            pool.change(remember_opponents, "join", (pool, met), {})

    def _check_parties(self, maker: Matchmaker) -> None:
        """Refuse, by a member's name, a party that the mode or a term of the policy cannot take."""
        asked = {name for term in maker.policy.terms for name in term.asks}
        for party in self.parties:
            first = shorten(self.players[int(party[0])])
            if len(party) > maker.mode.size:
                raise InputError(
                    f"the party of {first!r} has {len(party)} players, and a team of {maker.mode} has "
                    f"{maker.mode.size}",
                    hint="--column party= leaves parties out",
                )
            for name in sorted(asked & self.attributes.keys()):
                said = {self.attributes[name][row] for row in party}
                if None in said or len(said) > 1:
                    who = f"the party of {first!r}" if len(party) > 1 else repr(first)
                    differ = " and ".join(sorted(map(str, said - {None}))) or "nothing"
                    raise InputError(f"the policy needs {name!r} from every player, and {who} has {differ}")

    def _needed(self, name: str, cells: Sequence[Any]) -> list[Any]:
        """What the members of each ticket need, where they do not ask for different things."""
        needed = []
        for party in self.parties:
            asked = [cells[row] for row in party if cells[row] is not None]
            if any(need != asked[0] for need in asked):
                raise InputError(
                    f"the party of {shorten(self.players[int(party[0])])!r} differs on the need {name!r}",
                    hint="give the same need to all members of a party, or to one member only",
                )
            needed.append(asked[0] if asked else None)
        return needed

    def _agreed(self, cells: Sequence[Any]) -> list[Any]:
        """What the members of each ticket say alike; None where they do not."""
        said = ([cells[row] for row in party] for party in self.parties)
        return [values[0] if all(value == values[0] for value in values) else None for values in said]


def read_waiting(
    path: str | os.PathLike[str],
    columns: Mapping[str, str | None] | None = None,
    *,
    rated: bool = True,
    deviations: bool | Callable[[int], bool | None] | None = None,
    aliases: Mapping[str, str] | str | os.PathLike[str] | None = None,
) -> WaitingTable:
    """The players in a file: CSV, TSV, NDJSON (also .gz and .zst) or Parquet.

    `columns` are podium's names and the table's. With `rated` every player needs a rating, else ratings are
    left out; so it is with `deviations`, where None means: if the table has any. A function is asked for
    `deviations` once the players are counted, before anything with kernels is imported. `aliases` are names
    or ids in the table and the players they mean. What is wrong is refused with its line.
    """
    path, mapping = Path(path), dict(columns or {})
    if unknown := [name for name in mapping if name not in COLUMNS]:
        raise ParameterError(
            f"the table of waiting players has no column {unknown[0]!r}",
            hint=f"the columns are {', '.join(COLUMNS)}",
        )
    with readable(path, ReadOptions()) as file:
        if file.kind.format not in TABLE_FORMATS:
            raise InputError(
                f"{path.name} is not a table",
                source=file.name,
                hint="CSV, NDJSON, Parquet, .xlsx, .ods",
            )
        notes = file.notes()
        table = table_in(file, ReadOptions(), notes, lambda names: "player" in map(str.lower, names))
        source = Source(file.name, table.locate)
        chosen = _chosen(table.columns, mapping, source)
        _check_there(("player", *(["mu"] if rated else [])), chosen, table.columns, source)
        frames = list(table.frames(chosen))
        if not frames:
            raise source.error("the table has no players", hint="add at least one player below the header")
        if callable(deviations):
            deviations = deviations(frames[0].height)
        if deviations:
            _check_there(["sigma"], chosen, table.columns, source)
        return _table(
            CheckedColumns(frames[0], source, ReadOptions(aliases=aliases), notes),
            rated=rated,
            deviations=deviations,
        )


def _chosen(columns: list[str], mapping: Mapping[str, str | None], source: Source) -> dict[str, str]:
    """podium's name of each column, or the table's own for attributes, and the table's."""
    if len(set(columns)) < len(columns):
        twice = next(name for i, name in enumerate(columns) if name in columns[:i])
        raise source.error(f"two columns are called {twice!r}", hint="rename one")
    taken = {theirs for theirs in mapping.values() if theirs is not None}
    chosen: dict[str, str] = {}
    for name, theirs in mapping.items():
        if theirs is not None and theirs not in columns:
            raise source.error(
                f"there is no column {theirs!r} to read {name} from",
                hint=did_you_mean(theirs, columns) or f"its columns are {', '.join(columns[:30])}",
            )
        if theirs is not None:
            chosen[name] = theirs
    for column in columns:
        plain = column.strip().lower()
        name = plain if plain in COLUMNS or plain.startswith((LATENCY, NEEDS)) else column.strip()
        if column not in taken and name not in mapping:
            if name in chosen:
                raise source.error(
                    f"the columns {chosen[name]!r} and {column!r} are both called {name}", hint="rename one"
                )
            chosen[name] = column
    return chosen


def _check_there(
    needed: Sequence[str], chosen: Mapping[str, str], columns: list[str], source: Source
) -> None:
    """Refuse a table without a column that is needed."""
    for name in needed:
        if name not in chosen:
            option = "--rating-column NAME" if name == "mu" else f"--column {name}=NAME"
            said = f"{option} names the column. The columns are {', '.join(columns[:30])}"
            raise source.error(f"there is no column {name}", hint=separator_hint(columns) or said)


def _table(table: CheckedColumns, *, rated: bool, deviations: bool | None) -> WaitingTable:
    from podium.matchmaking.pool.ticket_columns import RESERVED

    codes, players = table.players("player")
    _check_once(table, codes)
    columns = [name for name in table.frame.columns if name != ROW]
    mu = _ratings(table, "mu", needed=True) if rated else None
    sigma = _ratings(table, "sigma", needed=deviations) if rated else None
    if sigma is not None:
        table.check(sigma < 0.0, lambda p: f"sigma is {sigma[p]:g}, below 0")
    recent = _recent(table) if "recent" in table else None
    waited = np.nan_to_num(table.numbers("waited")) if "waited" in table else np.zeros(len(table))
    table.check(
        ~(np.isfinite(waited) & (waited >= 0.0)),
        lambda p: f"waited is {waited[p]:g}, not a number of seconds",
    )
    latency = {name.removeprefix(LATENCY): _latency(table, name) for name in _with(LATENCY, columns)}
    needs = {name.removeprefix(NEEDS): _needs(table, name) for name in _with(NEEDS, columns)}
    roles = _roles(table) if "roles" in table else None
    blocks, met = (_lists(table, name) if name in table else None for name in ("blocks", "met"))
    parties = _parties(table)
    table.defects.settle()
    special = {*COLUMNS, *RESERVED, *_with(LATENCY, columns), *_with(NEEDS, columns)}
    attributes = {name: _attribute(table.frame[name]) for name in columns if name not in special}
    return WaitingTable(
        players, mu, sigma, recent, waited, parties, blocks, met, latency, needs, attributes, roles
    )


def _with(prefix: str, columns: Sequence[str]) -> list[str]:
    """The columns called so and something more."""
    return [name for name in columns if name.startswith(prefix) and len(name) > len(prefix)]


def _check_once(table: CheckedColumns, codes: Any) -> None:
    """Refuse a player who appears in two rows."""
    _, first = np.unique(codes, return_index=True)
    again = np.ones(len(codes), np.bool_)
    again[first] = False
    table.check(again & (codes >= 0), lambda p: f"{table.raw('player', p)!r} waits twice")


def _ratings(table: CheckedColumns, name: str, *, needed: bool | None) -> Floats | None:
    """A column of numbers, which all have to be there if `needed`, or where that is None and some are."""
    if name not in table or needed is False:
        return None
    numbers = table.numbers(name)
    if needed is None and np.isnan(numbers).all():
        return None
    table.check(np.isnan(numbers), lambda p: f"{name} is {table.shown(name, p)}, not a number")
    table.check(np.isinf(numbers), f"{name} is infinite")
    return numbers


def _recent(table: CheckedColumns) -> list[str]:
    from podium.matchmaking.pool.player_memory import LETTER_SCORES

    texts = [(text or "").strip().upper() for text in table.parsed("recent", cells.names).cast(pl.String)]
    wrong = np.array([not LETTER_SCORES.keys() >= set(text) for text in texts], np.bool_)
    table.check(
        wrong,
        lambda p: f"recent is {table.shown('recent', p)}",
        hint="one letter per game, newest last: W for a win, D for a draw, L for a loss",
    )
    return texts


def _latency(table: CheckedColumns, name: str) -> Floats:
    numbers = table.numbers(name)
    table.check(numbers < 0.0, lambda p: f"{name} is {numbers[p]:g}, below 0")
    return numbers


def _needs(table: CheckedColumns, name: str) -> list[Any]:
    """Texts, a range, or None, as a ticket takes them."""
    needs: list[Any] = []
    for text in table.parsed(name, cells.names).cast(pl.String):
        wanted = [part.strip() for part in (text or "").split(";") if part.strip()]
        span = _RANGE.fullmatch(wanted[0]) if len(wanted) == 1 else None
        needs.append(_span(span[1], span[2]) if span else wanted or None)
    unread = np.array([isinstance(need, tuple) and np.isnan(need).any() for need in needs], np.bool_)
    table.check(unread, lambda p: f"{name} is {table.shown(name, p)}", hint="for example a range 1400..1600")
    return needs


def _roles(table: CheckedColumns) -> list[list[str] | None]:
    """The roles that each player would play; None for any, where a cell is empty."""
    texts = table.parsed("roles", cells.names).cast(pl.String)
    return [[part.strip() for part in (text or "").split(";") if part.strip()] or None for text in texts]


def _span(low: str, high: str) -> tuple[float, float]:
    """A range of numbers; NaN where they are none."""
    try:
        return float(low), float(high)
    except ValueError:
        return np.nan, np.nan


def _lists(table: CheckedColumns, name: str) -> list[tuple[str, ...]]:
    """A column of lists of names, separated by semicolons."""
    texts = table.parsed(name, cells.names).cast(pl.String)
    return [
        tuple(table.player_meant(name) for name in (text or "").split(";") if tidy_name(name))
        for text in texts
    ]


def _parties(table: CheckedColumns) -> list[Longs]:
    """The rows of each ticket, by their first rows; a player without a party is one alone."""
    rows = np.arange(len(table))
    if "party" not in table:
        return list(rows[:, None])
    codes, _ = table.labels("party")
    alone = codes < 0
    key = np.where(alone, codes.max(initial=0) + 1 + rows, codes)
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(number, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(number))[:-1])
    return [members[i] for i in np.argsort(first)]


def _attribute(column: pl.Series) -> list[Any]:
    """Numbers where every cell that is not empty is one, else text; None where a cell is empty."""
    if column.dtype == pl.String:
        column = column.str.strip_chars().replace("", None)
        numbers = column.cast(pl.Float64, strict=False)
        column = numbers if numbers.null_count() == column.null_count() else column
    return column.to_list()
