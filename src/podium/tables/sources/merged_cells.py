"""What the XML of a workbook tells beside its cells: which are merged, and which rows are hidden."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import polars as pl

from podium.tables.layouts.grids import MOST_GRID_CELLS

MOST_XML_BYTES = 100_000_000
"""Bytes of a sheet's XML that are looked through."""
_LINKS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MERGED = re.compile(r'<mergeCell [^>]*ref="([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)"')
_HIDDEN_ROW = re.compile(r'<row (?=[^>]*\bhidden="(?:1|true)")[^>]*\br="([0-9]+)"')
_OFFICE_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"


class MergedCells(NamedTuple):
    """A block of merged cells, by the positions of its first and last row and column."""

    top: int
    left: int
    bottom: int
    right: int


class SheetMarks(NamedTuple):
    """What a sheet's XML tells beside its cells."""

    merged: tuple[MergedCells, ...] = ()
    hidden: tuple[int, ...] = ()
    """The positions of rows that are not shown."""


def sheet_marks(path: Path, kind: str) -> dict[str, SheetMarks]:
    """The marks of each sheet of an .xlsx or .ods file; none of a damaged one, which is refused when read."""
    damaged = (zipfile.BadZipFile, OSError, KeyError, ValueError, ElementTree.ParseError)
    with suppress(*damaged), zipfile.ZipFile(path) as archive:
        return dict(_excel_marks(archive) if kind == "xlsx" else _office_marks(archive))
    return {}


def _excel_marks(archive: zipfile.ZipFile) -> Iterator[tuple[str, SheetMarks]]:
    links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {link.get("Id"): link.get("Target", "") for link in links}
    for sheet in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter():
        if sheet.tag.endswith("}sheet"):
            target = targets[sheet.get(f"{_LINKS}id")].removeprefix("/xl/")
            text = archive.read(f"xl/{target}").decode("utf-8", "replace")
            merged = [
                MergedCells(int(top) - 1, _column_number(left), int(bottom) - 1, _column_number(right))
                for left, top, right, bottom in _MERGED.findall(text)
            ]
            hidden = [int(row) - 1 for row in _HIDDEN_ROW.findall(text)]
            yield sheet.get("name", ""), SheetMarks(tuple(merged), tuple(hidden))


def _office_marks(archive: zipfile.ZipFile) -> Iterator[tuple[str, SheetMarks]]:
    if archive.getinfo("content.xml").file_size > MOST_XML_BYTES:
        return
    text = archive.read("content.xml")
    if not re.search(rb'-spanned="(?!1")|table:visibility="', text):
        return
    for table in ElementTree.fromstring(text).iter(f"{_OFFICE_TABLE}table"):
        merged: list[MergedCells] = []
        hidden: list[int] = []
        top = 0
        for row in table.iter(f"{_OFFICE_TABLE}table-row"):
            repeated = _number(row, "number-rows-repeated")
            if row.get(f"{_OFFICE_TABLE}visibility", "visible") != "visible" and repeated < MOST_GRID_CELLS:
                hidden += range(top, top + repeated)
            left = 0
            for cell in row:
                tall, wide = _number(cell, "number-rows-spanned"), _number(cell, "number-columns-spanned")
                if tall > 1 or wide > 1:
                    merged.append(MergedCells(top, left, top + tall - 1, left + wide - 1))
                left += _number(cell, "number-columns-repeated")
            top += repeated
        yield table.get(f"{_OFFICE_TABLE}name", ""), SheetMarks(tuple(merged), tuple(hidden))


def _number(element: ElementTree.Element, name: str) -> int:
    return int(element.get(_OFFICE_TABLE + name, "1"))


def with_merged(cells: pl.DataFrame, merged: tuple[MergedCells, ...]) -> pl.DataFrame:
    """The cells with the content of each merged block in all of its cells."""
    if not merged or cells.width * len(cells) > MOST_GRID_CELLS:
        return cells
    columns = [column.to_list() for column in cells]
    for block in merged:
        bottom = min(block.bottom + 1, len(cells))
        if block.left < len(columns) and block.top < len(cells):
            content = columns[block.left][block.top]
            for column in columns[block.left : block.right + 1]:
                column[block.top : bottom] = [content] * (bottom - block.top)
    return pl.DataFrame(columns, schema=dict.fromkeys(cells.columns, pl.String))


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1
