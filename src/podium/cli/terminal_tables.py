"""Tables and sentences that fit the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

import typer

from podium.text import write_number

if TYPE_CHECKING:
    import polars as pl

SMALL_RATINGS_BELOW = 200.0
"""Ratings that are all below this are not on Elo's scale of 1500; TrueSkill's are around 25."""
WIDEST_PROSE = 110
"""Letters of a line of prose at most, however wide the terminal is."""
WIDEST_NAME = 60
READABLE_NAME = 16
"""Letters of a text that are left of it at least, while there are other columns to go without."""
SHORTEST_NAME = 10
"""The same where no column may be missing."""
LEAST_LETTERS = 4
"""Letters of a name that are left of it in any case."""
AROUND = 3
"""Signs that each column adds to the width of its cells: spaces on both sides and a line."""

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
    dropped_first: Sequence[str] = (),
) -> None:
    """Print a frame as a table that fits the terminal.

    Texts are cut where they are too long, columns of `names` last; `prose` is wrapped. Numbers have this
    number of `digits` and stand on the right, as does the text of columns `right`. In a narrow terminal
    columns are left out, those `dropped_first` before others and `names` never, and a line says which. Where
    a table is to stay `whole`, columns that do not fit stand in another table beside the same names.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    rows = [[_cell(value, digits) for value in row] for row in frame.iter_rows()]
    widths = {
        name: max(map(cell_len, (name, *(row[i] for row in rows)))) for i, name in enumerate(frame.columns)
    }
    numbers = {name for name, dtype in frame.schema.items() if dtype.is_numeric()}
    rigid = numbers if not whole else set(widths) - {*names, *prose}
    kept = names or frame.columns[:1]
    if whole:
        parts = [
            {name: width for name, width in widths.items() if name in part}
            for part in _parts(widths, names, console.width)
        ]
    else:
        parts = [_fitting(widths, rigid, kept, dropped_first, console.width)]
    for part in parts:
        table = Table(header_style="bold")
        for name, width in _shrunk(part, rigid, kept, console.width).items():
            table.add_column(
                Text(name),
                justify="right" if name in numbers or name in right else "left",
                no_wrap=name not in prose,
                overflow="fold" if name in prose else "ellipsis",
                width=width,
            )
        places = [frame.columns.index(name) for name in part]
        for row in rows:
            table.add_row(*(Text(row[i], no_wrap=frame.columns[i] not in prose) for i in places))
        with console.capture() as shown:
            console.print(table)
        typer.echo(shown.get(), nl=False)
    shown_columns = {name for part in parts for name in part}
    if missing := [name for name in widths if name not in shown_columns]:
        typer.echo(wrapped(f"columns left out because the terminal is narrow: {', '.join(missing)}"))


def _fitting(
    widths: Mapping[str, int],
    rigid: Collection[str],
    kept: Collection[str],
    dropped_first: Sequence[str],
    room: int,
) -> dict[str, int]:
    """The columns for which there is room if every text is as short as one can still read it.

    Columns that are not `kept` go if there is not: `dropped_first` in their order, then the last of the rest.
    """
    others = [name for name in reversed(list(widths)) if name not in dropped_first]
    going = [name for name in (*dropped_first, *others) if name in widths and name not in kept]
    left = dict(widths)
    while going and _taken(_least(left, rigid, READABLE_NAME)) > room:
        del left[going.pop(0)]
    return left


def _shrunk(
    widths: Mapping[str, int], rigid: Collection[str], kept: Collection[str], room: int
) -> dict[str, int]:
    """Widths that fit into `room`: the widest text is cut first, and those that are `kept` last."""
    cut = {name: min(width, WIDEST_NAME) if name in kept else width for name, width in widths.items()}
    texts = [name for name in cut if name not in rigid]
    others = [name for name in texts if name not in kept]
    steps = ((others, READABLE_NAME), (texts, READABLE_NAME), (texts, SHORTEST_NAME), (cut, LEAST_LETTERS))
    for which, least in steps:
        while _taken(cut) > room and (long := [name for name in which if cut[name] > least]):
            cut[max(long, key=cut.__getitem__)] -= 1
    return cut


def _least(widths: Mapping[str, int], rigid: Collection[str], letters: int) -> dict[str, int]:
    return {name: width if name in rigid else min(width, letters) for name, width in widths.items()}


def _taken(widths: Mapping[str, int]) -> int:
    """The width of a table with columns of these widths."""
    return 1 + sum(AROUND + width for width in widths.values())


def _parts(widths: Mapping[str, int], names: Collection[str], room: int) -> list[list[str]]:
    """Columns of tables that fit into `room`: each has the names, which may be cut, and some others."""
    kept = [name for name in widths if name in names]
    taken = 1 + sum(AROUND + min(widths[name], SHORTEST_NAME) for name in kept)
    parts: list[list[str]] = []
    left = 0
    for name in (name for name in widths if name not in names):
        left -= AROUND + widths[name]
        if left < 0:
            parts.append([])
            left = room - taken - AROUND - widths[name]
        parts[-1].append(name)
    return [[name for name in widths if name in kept or name in part] for part in parts or [[]]]


def _cell(value: Any, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return write_number(round(value, digits) + 0.0, f".{digits}f")  # and never -0.0
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)[:1000].translate(_UNSEEN)
