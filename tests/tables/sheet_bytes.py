"""The smallest workbooks that Excel and LibreOffice would open, made of plain XML."""

from __future__ import annotations

import io
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
_DATE_STYLE, _DATETIME_STYLE, _TIME_STYLE = 1, 2, 3


def xlsx(sheets: Sheets, merged: Mapping[str, Sequence[str]] | None = None) -> bytes:
    """A workbook of Excel; an empty list is an empty row. `merged` are ranges such as A2:A5 of its sheets."""
    numbers = range(1, len(sheets) + 1)
    listed = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{i}" r:id="rId{i}"/>'
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
    for i, rows in zip(numbers, sheets.values(), strict=True):
        body = "".join(
            f'<row r="{r}">{"".join(_excel_cell(cell, r, c) for c, cell in enumerate(row))}</row>'
            for r, row in enumerate(rows, start=1)
        )
        ranges = (merged or {}).get(list(sheets)[i - 1], ())
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


def ods(sheets: Sheets) -> bytes:
    """A workbook of LibreOffice."""
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text", "manifest")
    )
    tables = "".join(
        f"<table:table table:name={quoteattr(name)}>"
        + "".join(f"<table:table-row>{''.join(map(_office_cell, row))}</table:table-row>" for row in rows)
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
            "content.xml": f"{_HEAD}<office:document-content{spaces}><office:body><office:spreadsheet>"
            f"{tables}</office:spreadsheet></office:body></office:document-content>",
        }
    )


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
