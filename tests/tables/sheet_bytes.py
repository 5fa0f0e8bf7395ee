"""The smallest workbooks that Excel and LibreOffice would open, made of plain XML."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from xml.sax.saxutils import escape, quoteattr

Cell = str | int | float | bool | date | time | None
Sheets = Mapping[str, Sequence[Sequence[Cell]]]

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
_UNSEEN, _COLLAPSED = ' hidden="1"', ' table:visibility="collapse"'
_UNSEEN_SHEET, _UNSEEN_TABLE = 'state="hidden" ', ' table:style-name="unseen"'
_RANGE = re.compile(r"([A-Z])([0-9]+):([A-Z])([0-9]+)")
_DATE_STYLE, _DATETIME_STYLE, _TIME_STYLE = 1, 2, 3


Hidden = Mapping[str, Sequence[int]]
"""The numbers of the rows of each sheet that are not shown; 0 means the sheet itself."""


def xlsx(
    sheets: Sheets, merged: Mapping[str, Sequence[str]] | None = None, hidden: Hidden | None = None
) -> bytes:
    """A workbook of Excel; an empty list is an empty row. `merged` are ranges such as A2:A5 of its sheets."""
    unseen = hidden or {}
    numbers = range(1, len(sheets) + 1)
    listed = "".join(
        f"<sheet name={quoteattr(name)} {_UNSEEN_SHEET if 0 in unseen.get(name, ()) else ''}"
        f'sheetId="{i}" r:id="rId{i}"/>'
        for i, name in zip(numbers, sheets, strict=True)
    )
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{_LINKS}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in numbers
    )
    links += f'<Relationship Id="rId0" Type="{_LINKS}/styles" Target="styles.xml"/>'
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_TYPES}.worksheet+xml"/>'
        for i in numbers
    )
    formats = "".join(f'<xf numFmtId="{number}" applyNumberFormat="1"/>' for number in (0, 14, 22, 20))
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>{parts}'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPES}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}">'
        f"<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{links}</Relationships>",
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><cellXfs count="4">{formats}</cellXfs></styleSheet>',
    }
    for i, (name, rows) in zip(numbers, sheets.items(), strict=True):
        body = "".join(
            f'<row r="{r}"{_UNSEEN if r in unseen.get(name, ()) else ""}>'
            f"{''.join(_excel_cell(cell, r, c) for c, cell in enumerate(row))}</row>"
            for r, row in enumerate(rows, start=1)
        )
        ranges = (merged or {}).get(name, ())
        merges = "".join(f'<mergeCell ref="{cells}"/>' for cells in ranges)
        files[f"xl/worksheets/sheet{i}.xml"] = (
            f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData>'
            f"{f'<mergeCells>{merges}</mergeCells>' if merges else ''}</worksheet>"
        )
    return _zipped({name: _HEAD + text for name, text in files.items()})


def _excel_cell(cell: Cell, row: int, column: int) -> str:
    place = f'r="{chr(ord("A") + column)}{row}"'
    if cell is None:
        return ""
    if isinstance(cell, str):
        return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
    if isinstance(cell, bool):
        return f'<c {place} t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, time):
        return f'<c {place} s="{_TIME_STYLE}"><v>{(cell.hour * 60 + cell.minute) / 1440!r}</v></c>'
    if isinstance(cell, date):
        moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)
        days = (moment - datetime(1899, 12, 30)).total_seconds() / 86_400
        style = _DATETIME_STYLE if isinstance(cell, datetime) else _DATE_STYLE
        return f'<c {place} s="{style}"><v>{days!r}</v></c>'
    return f"<c {place}><v>{cell}</v></c>"


def ods(
    sheets: Sheets, merged: Mapping[str, Sequence[str]] | None = None, hidden: Hidden | None = None
) -> bytes:
    """A workbook of LibreOffice, with merged cells and hidden rows as `xlsx` has them."""
    unseen = hidden or {}
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text", "manifest", "style")
    )
    styles = (
        '<office:automatic-styles><style:style style:name="unseen" style:family="table">'
        '<style:table-properties table:display="false"/></style:style></office:automatic-styles>'
    )
    tables = "".join(
        f"<table:table table:name={quoteattr(name)}"
        f"{_UNSEEN_TABLE if 0 in unseen.get(name, ()) else ''}>"
        + "".join(
            f"<table:table-row{_COLLAPSED if r in unseen.get(name, ()) else ''}>"
            f"{''.join(_spanned(row, r, (merged or {}).get(name, ())))}</table:table-row>"
            for r, row in enumerate(rows, start=1)
        )
        + "</table:table>"
        for name, rows in sheets.items()
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return _zipped(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f"{_HEAD}<manifest:manifest{spaces}>"
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
            '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
            "</manifest:manifest>",
            "content.xml": f"{_HEAD}<office:document-content{spaces}>{styles}<office:body>"
            f"<office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>",
        }
    )


def _spanned(row: Sequence[Cell], number: int, merged: Sequence[str]) -> list[str]:
    """The cells of a row; the first of merged ones says how far it goes, and the others are covered."""
    texts = [*map(_office_cell, row)]
    for match in filter(None, map(_RANGE.fullmatch, merged)):
        left, right = ord(match[1]) - ord("A"), ord(match[3]) - ord("A")
        top, bottom = int(match[2]), int(match[4])
        if top <= number <= bottom:
            texts += ["<table:table-cell/>"] * (right + 1 - len(texts))
            size = f' table:number-columns-spanned="{right - left + 1}"'
            size += f' table:number-rows-spanned="{bottom - top + 1}"'
            first = texts[left].replace("<table:table-cell", f"<table:table-cell{size}", 1)
            covered = ["<table:covered-table-cell/>"] * (right - left + 1)
            texts[left : right + 1] = [first, *covered[1:]] if number == top else covered
    return texts


def _office_cell(cell: Cell) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, str):
        kind, value = "string", ""
    elif isinstance(cell, bool):
        kind, value = "boolean", f' office:boolean-value="{str(cell).lower()}"'
    elif isinstance(cell, time):
        kind, value = "time", f' office:time-value="PT{cell.hour:02}H{cell.minute:02}M00S"'
    elif isinstance(cell, date):
        kind, value = "date", f' office:date-value="{cell.isoformat()}"'
    else:
        kind, value = "float", f' office:value="{cell}"'
    text = escape(str(cell))
    return f'<table:table-cell office:value-type="{kind}"{value}><text:p>{text}</text:p></table:table-cell>'


def _zipped(files: Mapping[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()
