"""Which sheets of a workbook are read: all that hold results of one kind, or those that somebody named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from podium.errors import InputError
from podium.tables.columns.shapes import ReadOptions, Shape, is_table_of, shape_of
from podium.tables.layouts.layout_choice import laid_out
from podium.tables.sources.given_files import ReadableFile
from podium.tables.sources.spreadsheets import SheetFile, SheetOfFile, used_sheets
from podium.text import listed, shorten


def sheets_to_read(file: ReadableFile, options: ReadOptions) -> list[SheetOfFile]:
    """The sheets with results, each with what is said of the choice.

    Where a sheet holds matches, sheets of standings are none; of standings, those with the columns of the
    first are read. A sheet whose rows all stand in an earlier one is not read twice.
    """
    used = used_sheets(file, options.max_ratio)
    chosen = _named(used, options.sheets, file) if options.sheets else used
    columns = {sheet.sheet: found for sheet in chosen if (found := _columns(sheet, options)) is not None}
    hidden = [sheet.sheet for sheet in used if sheet.is_hidden and sheet.sheet in columns]
    if options.sheets or len(hidden) == len(columns):
        hidden = []  # a workbook whose results are all hidden is read
    columns = {name: found for name, found in columns.items() if name not in hidden}
    if not columns or len(used) == 1:
        return [chosen[0]] if not options.sheets else _of_several(chosen, [])
    if options.sheets:
        return _of_several(chosen, [])
    wanted, left = _of_one_kind(columns, options)
    read: list[SheetOfFile] = []
    left |= dict.fromkeys(hidden, "it is hidden; --sheet NAME reads it (sheets=)")
    said = [f"sheet {shorten(name, 30)!r} is not read: {why}" for name, why in left.items()]
    for sheet in used:
        if sheet.sheet not in wanted:
            continue
        if (other := _repeated(sheet, read)) is not None:
            said.append(f"sheet {sheet.sheet!r} is not read: all its rows are in sheet {other!r}")
        else:
            read.append(sheet)
    empty = [sheet.sheet for sheet in used if sheet.sheet not in columns and sheet.sheet not in hidden]
    if none := [repr(shorten(name, 30)) for name in empty]:
        said.append(f"no results in sheet{'s' if len(none) > 1 else ''} {listed(none)}")
    return _of_several(read, said)


def _of_several(sheets: Sequence[SheetOfFile], said: Sequence[str]) -> list[SheetOfFile]:
    """The sheets, of which only the first counts as the file that was read."""
    several = len(sheets) > 1
    return [
        replace(
            sheet,
            is_one_of_several=several,
            digest=sheet.digest if number == 0 else "",
            guesses=(*(() if several else (f"sheet {sheet.sheet!r}",)), *said) if number == 0 else (),
        )
        for number, sheet in enumerate(sheets)
    ]


def _named(used: Sequence[SheetOfFile], names: Sequence[str], file: ReadableFile) -> list[SheetOfFile]:
    """The sheets that somebody named, in that order."""
    by_name = {sheet.sheet.strip().casefold(): sheet for sheet in used}
    for name in names:
        if name.strip().casefold() not in by_name:
            raise InputError(
                f"there is no sheet {shorten(name)!r} with any cells",
                source=file.name,
                hint="its sheets are " + ", ".join(repr(shorten(sheet.sheet, 30)) for sheet in used),
            )
    return [by_name[name.strip().casefold()] for name in dict.fromkeys(names)]


def _columns(sheet: SheetOfFile, options: ReadOptions) -> list[str] | None:
    """The names of the columns of a sheet that holds a table, as they are or written again."""
    is_table = is_table_of(options)
    table = SheetFile(sheet, is_table)
    if table.has_header:
        return table.columns
    grid = table.grid()
    laid = None if grid is None else laid_out(grid, options, is_table_of(options, refused=False))
    return None if laid is None else laid.columns


def _of_one_kind(columns: dict[str, list[str]], options: ReadOptions) -> tuple[set[str], dict[str, str]]:
    """The names of the sheets to read, and why the others are not."""
    shapes = {name: shape_of(found, options) for name, found in columns.items()}
    best: Shape | None = next(
        (kind for kind in ("matches", "results", "adjustments") if kind in shapes.values()), None
    )
    first = next(name for name, shape in shapes.items() if shape == best)
    why = f"it holds no matches, but {shorten(first, 30)!r} does (to read it: --sheet NAME, or sheets=)"
    left = {name: why for name, shape in shapes.items() if shape != best}
    if best != "matches":
        alike = [column.strip().lower() for column in columns[first]]
        why = f"its columns are not those of {shorten(first, 30)!r}; --sheet NAME reads it (sheets=)"
        left = {
            name: why
            for name, found in columns.items()
            if name in left or [column.strip().lower() for column in found] != alike
        }
    return set(columns) - set(left), left


def _repeated(sheet: SheetOfFile, read: Sequence[SheetOfFile]) -> str | None:
    """The earlier sheet in which all rows of a sheet stand, too."""
    rows = _rows(sheet)
    return next((other.sheet for other in read if rows <= _rows(other)), None)


def _rows(sheet: SheetOfFile) -> set[tuple[str, ...]]:
    assert sheet.cells is not None
    rows = (tuple((cell or "").strip() for cell in row) for row in sheet.cells.iter_rows())
    return {row[: max((i for i, cell in enumerate(row, start=1) if cell), default=0)] for row in rows} - {()}
