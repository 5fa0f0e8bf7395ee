"""What commands share: systems from options, tables, progress, a word about compiling."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

if TYPE_CHECKING:
    import polars as pl

    from podium.history import History, Skipped
    from podium.systems import RatingSystem

SMALL = 200.0
"""Ratings that are all below this are not on Elo's scale of 1500; TrueSkill's are around 25."""
PATIENCE = 0.5
"""Seconds after which a bar appears: what is quicker needs none."""
WIDEST_NAME = 60
SHORTEST_NAME = 10
"""Letters of a name that are left of it at least."""
MOST_SKIPPED_SHOWN = 20
WRITABLE = ("csv", "tsv", "ndjson", "parquet")

_UNSEEN = dict.fromkeys([*range(32), *range(127, 160), 0x2028, 0x2029], "\N{REPLACEMENT CHARACTER}")
"""Characters that would move the cursor or colour the terminal instead of being shown."""


def pairs(items: Sequence[str], option: str) -> dict[str, str]:
    """Options written name=value, as a mapping."""
    found: dict[str, str] = {}
    for item in items:
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not name:
            raise typer.BadParameter(f"{item!r} is not name=value", param_hint=option)
        if name in found:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint=option)
        found[name] = value
    return found


def system_from(name: str, settings: Sequence[str]) -> RatingSystem:
    """The system an option names or the file it is in, with its parameters."""
    from podium.systems import make_system
    from podium.systems.system_files import is_file_name, load_system

    given = pairs(settings, "--set")
    return load_system(name).changed(**given) if is_file_name(name) else make_system(name, **given)


def called(name: str) -> str:
    """What a system is called beside others: by its name, one from a file by the file's."""
    from podium.systems.system_files import SUFFIX, is_file_name

    return Path(name).name[: -len(SUFFIX)] if is_file_name(name) else name


def check_outputs(
    outputs: Mapping[str, Path | None],
    files: Iterable[Path],
    *,
    any_name: Collection[str] = (),
    pictures: Collection[str] = (),
) -> None:
    """Refuse an output that cannot or should not be written before an hour's work, not after.

    Outputs, by the name of their option, are tables; those of options in `pictures` may be pictures too, and
    those of `any_name` anything.
    """
    from podium.errors import InputError

    taken = {file.resolve() for file in files}
    for option, path in outputs.items():
        if path is None:
            continue
        if path.is_dir():
            raise InputError(f"{path} is a folder", hint=f"give {option} the name of a file")
        if not path.resolve().parent.is_dir():
            raise InputError(f"there is no folder {path.parent}", hint=f"{option} makes files, not folders")
        if option in pictures and is_picture(path):
            from podium.charts import check_path

            check_path(path)
        elif option not in any_name and not _is_table(path):
            known = ".csv, .tsv, .ndjson (each also with .gz or .zst) and .parquet"
            known += ", and for pictures .png, .svg and .html" if option in pictures else ""
            raise typer.BadParameter(
                f"podium cannot write {path.name!r}; it knows {known}", param_hint=option
            )
        if path.resolve() in taken:
            raise typer.BadParameter(f"{path} would be overwritten: it is used already", param_hint=option)
        taken.add(path.resolve())


def check_report(path: Path | None) -> None:
    """Refuse a report that would be something else than a page."""
    if path is not None and path.suffix.lower() != ".html":
        raise typer.BadParameter(
            f"{path.name!r} is not called .html, which is what a report is", param_hint="--report"
        )


def is_picture(path: Path) -> bool:
    """Whether a file of this name is a picture."""
    return path.suffix.lower() in (".png", ".svg", ".html")


def _is_table(path: Path) -> bool:
    from podium.errors import InputError
    from podium.files.kinds import kind_of

    try:
        return kind_of(path).format in WRITABLE
    except InputError:
        return False


def plain_json(document: Any) -> str:
    """As JSON that every reader takes: infinite numbers are text, as `--set` takes them, and so are times.

    What is not a number is null.
    """
    from json import dumps

    return dumps(_finite(document), ensure_ascii=False, indent=1)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def counted(number: int, what: str) -> str:
    """So many of something, in words.

    >>> counted(1, "event"), counted(1200, "player")
    ('1 event', '1,200 players')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def wrapped(words: str) -> str:
    """In lines that fit the terminal, the later ones set in."""
    from shutil import get_terminal_size
    from textwrap import fill

    return fill(words, max(get_terminal_size().columns, 40), subsequent_indent="  ", break_on_hyphens=False)


def _at_a_terminal() -> bool:
    """Whether somebody watches what is said on the side."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def compiling(names: Iterable[str]) -> Iterator[None]:
    """Say on a terminal, when the compiler begins, what the seconds are for that pass."""
    from podium.numerics.compiler_notice import before_compiling

    def notice() -> None:
        if _at_a_terminal():
            print(
                f"compiling {', '.join(names)} for this machine, once; podium warmup does it ahead",
                file=sys.stderr,
            )

    with before_compiling(notice):
        yield


class Advance(Protocol):
    """Moves a bar on by so many rows; a note stands beside it until the next one."""

    def __call__(self, rows: int, note: str = "", /) -> None:
        """Move on."""


@contextmanager
def progress(
    what: str, total: int | None = None, *, by_rows: bool = True, unit: str = "rows"
) -> Iterator[Advance]:
    """A bar for work that takes a while, on a terminal's stderr; nothing where that is piped.

    The block gets a function to call with the number of rows done, where it goes `by_rows`, or by another
    `unit`.
    """
    if not _at_a_terminal():
        yield lambda rows, note="": None
        return
    from threading import Timer

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    done = "{task.completed:,.0f}" if total is None else "{task.completed:,.0f} of {task.total:,.0f}"
    columns = [TextColumn("{task.description}", markup=False), BarColumn(bar_width=24)]
    columns += [TextColumn(f"{done} {unit}"), TimeElapsedColumn()] if by_rows else [TimeElapsedColumn()]
    columns += [TextColumn("{task.fields[note]}", markup=False)]
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=total, note="")
    later = Timer(PATIENCE, bar.start)
    later.start()
    try:
        yield lambda rows, note="": bar.update(task, advance=rows, **({"note": note} if note else {}))
    finally:
        later.cancel()
        later.join()
        bar.stop()


def read_files(files: Sequence[Path], options: Mapping[str, Any]) -> History:
    """The history in one file or several, and a word on the side about rows left out."""
    from podium.history import History
    from podium.tables import read_history

    with progress(f"reading {', '.join(file.name for file in files)}", by_rows=False):
        parts = [read_history(file, **options) for file in files]
        history = parts[0] if len(parts) == 1 else History.concat(parts)
    report_skipped(history.skipped)
    return history


def report_skipped(skipped: Sequence[Skipped]) -> None:
    """Say on the side which rows were left out, the first of them with the reason."""
    for item in skipped[:MOST_SKIPPED_SHOWN]:
        print(f"skipped {item.where}: {item.reason}", file=sys.stderr)
    if len(skipped) > MOST_SKIPPED_SHOWN:
        print(f"… and {len(skipped) - MOST_SKIPPED_SHOWN:,} more", file=sys.stderr)
    if skipped:
        print(f"{counted(len(skipped), 'row')} skipped", file=sys.stderr)


def show_table(
    frame: pl.DataFrame,
    *,
    names: Collection[str] = (),
    prose: Collection[str] = (),
    right: Collection[str] = (),
    digits: int = 1,
    whole: bool = False,
) -> None:
    """A frame as a table that fits the terminal.

    Columns of `names` are cut where they are too long, `prose` is wrapped; numbers have so many `digits` and
    stand on the right, as does the text of columns `right`. Where the others are to stay `whole`, those that
    do not fit stand in another table beside the same names.
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
    """Columns for tables of so much room: each has the names, which may be cut, and some of the others."""
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
