"""Tables and sentences that fit the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import polars as pl

SMALL_RATINGS_BELOW = 200.0
"""Ratings that are all below this are not on Elo's scale of 1500; TrueSkill's are around 25."""
WIDEST_PROSE = 110
"""Letters of a line of prose at most, however wide the terminal is."""
WIDEST_NAME = 60
SHORTEST_NAME = 10
"""Letters of a name that are left of it at least."""

_UNSEEN = dict.fromkeys([*range(32), *range(127, 160), 0x2028, 0x2029], "\N{REPLACEMENT CHARACTER}")
"""Characters that would move the cursor or colour the terminal instead of being shown."""


def digits_of(ratings: Iterable[float | None]) -> int:
    """Number of decimals with which ratings are shown: more if the ratings are small."""
    largest = max((abs(rating) for rating in ratings if rating is not None), default=0.0)
    return 2 if largest < SMALL_RATINGS_BELOW else 1


def wrapped(words: str) -> str:
    """Wrap text to the width of the terminal; all lines but the first are indented."""
    return fill(words, max(get_terminal_size().columns, 40), subsequent_indent="  ", break_on_hyphens=False)


def indented(words: str, first: str, rest: str | None = None) -> str:
    """Wrap prose to the width of the terminal, but no wider than is easy to read.

    `first` stands before the first line and `rest` before the others; by default both are the same.
    """
    width = min(get_terminal_size().columns, WIDEST_PROSE)
    return fill(words, width, initial_indent=first, subsequent_indent=first if rest is None else rest)


def show_table(
    frame: pl.DataFrame,
    *,
    names: Collection[str] = (),
    prose: Collection[str] = (),
    right: Collection[str] = (),
    digits: int = 1,
    whole: bool = False,
) -> None:
    """Print a frame as a table that fits the terminal.

    Columns of `names` are cut where they are too long, `prose` is wrapped. Numbers have this number of
    `digits` and stand on the right, as does the text of columns `right`. Where the others are to stay
    `whole`, those that do not fit stand in another table beside the same names.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    rows = [[_cell(value, digits) for value in row] for row in frame.iter_rows()]
    widths = {name: max(map(len, (name, *(row[i] for row in rows)))) for i, name in enumerate(frame.columns)}
    for part in _parts(widths, names, console.width) if whole else [frame.columns]:
        table = Table(header_style="bold")
        for name in part:
            flexible = name in names or name in prose
            table.add_column(
                Text(name),
                justify="right" if frame.schema[name].is_numeric() or name in right else "left",
                no_wrap=not flexible,
                overflow="fold" if name in prose else "ellipsis",
                max_width=WIDEST_NAME if name in names else None,
                min_width=widths[name] if whole and not flexible else None,
            )
        places = [frame.columns.index(name) for name in part]
        for row in rows:
            table.add_row(*(Text(row[i], no_wrap=frame.columns[i] not in prose) for i in places))
        with console.capture() as shown:
            console.print(table)
        typer.echo(shown.get(), nl=False)


def _parts(widths: Mapping[str, int], names: Collection[str], room: int) -> list[list[str]]:
    """Columns of tables that fit into `room`: each has the names, which may be cut, and some others."""
    around = 3  # spaces on both sides and a line
    kept = [name for name in widths if name in names]
    taken = 1 + sum(around + min(widths[name], SHORTEST_NAME) for name in kept)
    parts: list[list[str]] = []
    left = 0
    for name in (name for name in widths if name not in names):
        left -= around + widths[name]
        if left < 0:
            parts.append([])
            left = room - taken - around - widths[name]
        parts[-1].append(name)
    return [[name for name in widths if name in kept or name in part] for part in parts or [[]]]


def _cell(value: Any, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{round(value, digits) + 0.0:.{digits}f}"  # and never -0.0
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)[:1000].translate(_UNSEEN)
