"""Pictures as files, and pages of them: made and read without a browser or the network."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from podium.charts.grammar import need
from podium.errors import ParameterError
from podium.files.atomic import replacing
from podium.text import paragraphs

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


class MarkedTable(NamedTuple):
    """A table in which colours mark the best rows and those that are level with them; words say it too."""

    table: pl.DataFrame
    marks: Sequence[Literal["best", "level"] | None]
    """One for each row."""


if TYPE_CHECKING:
    Section = tuple[str, str, alt.ChartType | Path | pl.DataFrame | MarkedTable | None]
    """A heading, a text, and perhaps a chart, the .svg file of one, or a table."""


def save(chart: alt.ChartType, path: str | os.PathLike[str]) -> None:
    """Write a chart as .png, .svg or .html, chosen by the suffix. The file is written whole or not at all.

    The HTML is one file that loads nothing; it shows numbers when one points at a mark.
    """
    suffix = check_path(path)
    content = _png(chart) if suffix == ".png" else (_svg if suffix == ".svg" else _document)(chart).encode()
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def check_path(path: str | os.PathLike[str]) -> str:
    """Return the suffix of a picture's file name; raise an error if no picture can be written there."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".png", ".svg", ".html"):
        raise ParameterError(
            f"podium cannot write a picture as {suffix or 'a file without a suffix'}",
            hint="give a name that ends in .png, .svg or .html",
        )
    need("altair")
    need("vl_convert")
    return suffix


def page(title: str, sections: Sequence[Section], details: Sequence[Section] = ()) -> str:
    """One HTML page of sections, each a heading, a text and optionally a chart or a table; it loads nothing.

    Texts are plain: HTML in them is escaped, and an empty line begins a new paragraph. A section without a
    heading continues the one before it. Of the `details`, which follow, only the headings are seen until one
    clicks on them.
    """
    parts = [f"<h1>{html.escape(title)}</h1>"]
    for number, section in enumerate(sections):
        heading = f"<h2>{html.escape(section[0])}</h2>" if section[0] else ""
        parts += ["<section>", heading, *_content(section, number), "</section>"]
    for number, section in enumerate(details, len(sections)):
        if section[0] or number == len(sections):
            parts += ["</details>"] if number > len(sections) else []
            parts.append(f"<details><summary><h2>{html.escape(section[0])}</h2></summary>")
        parts += _content(section, number)
    parts += ["</details>"] if details else []
    return _html(title, "default-src 'none'; style-src 'unsafe-inline'", "\n".join(parts))


def _content(section: Section, number: int) -> list[str]:
    """The text of a section and what follows it; the number keeps its ids apart from those of others."""
    import polars as pl

    heading, text, content = section
    parts = [f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs(text)]
    if isinstance(content, pl.DataFrame):
        return [*parts, _table(content, [None] * content.height)]
    if isinstance(content, MarkedTable):
        return [*parts, _table(*content)]
    if content is None:
        return parts
    svg = content.read_text(encoding="utf-8") if isinstance(content, Path) else _svg(content)
    picture = _with_own_ids(svg, f"chart{number}")
    label = html.escape(heading or (content.stem if isinstance(content, Path) else _title(content)))
    width = re.search(r'<svg\b[^>]*\bwidth="(\d+)', picture)  # a small picture is not blown up
    style = f' style="--width: {width[1]}px"' if width else ""
    return [*parts, f'<figure aria-label="{label}"{style}>{picture}</figure>']


def _table(frame: pl.DataFrame, marks: Sequence[str | None]) -> str:
    """A table as HTML; a missing value is a dash, and a mark is the class of its row."""
    from podium.tables.written_tables import number_columns

    side = [' class="number"' if number else "" for number in number_columns(frame)]

    def row(cells: Sequence[object], tag: str, mark: str | None = None) -> str:
        said = ["–" if cell is None else html.escape(str(cell)) for cell in cells]
        inside = "".join(f"<{tag}{s}>{text}</{tag}>" for s, text in zip(side, said, strict=True))
        return f'<tr class="{mark}">{inside}</tr>' if mark else f"<tr>{inside}</tr>"

    body = "\n".join(row(cells, "td", mark) for cells, mark in zip(frame.iter_rows(), marks, strict=True))
    return f"<div><table><thead>{row(frame.columns, 'th')}</thead><tbody>\n{body}\n</tbody></table></div>"


def _document(chart: alt.ChartType) -> str:
    """A page with one interactive chart and all the code it needs."""
    need("vl_convert")
    spec = _specification(chart)
    data = json.dumps(spec).replace("<", "\\u003c")  # so that no name can end the script
    menu = {"export": True, "source": False, "compiled": False, "editor": False}
    options = json.dumps({"actions": menu, "renderer": "svg"})
    allowed = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; "
    allowed += "script-src 'unsafe-inline' 'unsafe-eval'"
    body = f"<figure id='chart'></figure>\n<script>{_vega_code()}</script>\n"
    body += f"<script>vegaEmbed('#chart', {data}, {options});</script>"
    return _html(_title(chart), allowed, body)


@cache
def _vega_code() -> str:
    """The JavaScript that draws charts; kept, as making it takes more than a second."""
    import vl_convert

    code: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=_vega_lite())
    return code


def _specification(chart: alt.ChartType) -> dict[str, Any]:
    """The chart in the language of the renderer; Altair's check of it would take longer than drawing."""
    specification: dict[str, Any] = chart.to_dict(validate=False)
    return specification


def _title(chart: alt.ChartType) -> str:
    title = _specification(chart).get("title", "podium")
    return str(title["text"] if isinstance(title, dict) else title)


def _html(title: str, allowed: str, body: str) -> str:
    """An HTML document; `allowed` is its Content-Security-Policy, which lets nothing load from elsewhere."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{html.escape(allowed)}">
<title>{html.escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; font: 1rem/1.5 system-ui, Arial, sans-serif; color: #222; background: #f6f6f4; }
main { max-width: 66rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; max-width: 42rem; overflow-wrap: anywhere; }
figure { max-width: 52rem; overflow-x: auto; }
figure { margin: 1rem 0; padding: .25rem 1.5rem; background: #fff; border-radius: .4rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem .2rem 0; text-align: left; border-bottom: 1px solid #8884; }
th, td { vertical-align: top; }
td:first-child:not(.number) { min-width: 9rem; max-width: 20rem; }
.number { text-align: right; }
tr.best { background: #0072b238; font-weight: 600; }
tr.level { background: #56b4e92e; }
tr > :first-child { padding-left: .5rem; }
details { border-top: 1px solid #8886; padding: .5rem 0; }
details:last-of-type { border-bottom: 1px solid #8886; }
summary { cursor: pointer; }
summary h2 { display: inline; font-size: 1.05rem; }
@media print { details::details-content { content-visibility: visible; } }
figure svg { display: block; max-width: 100%; height: auto; overflow: visible; }
figure svg { min-width: min(38rem, var(--width, 38rem)); }
@media (prefers-color-scheme: dark) { body { color: #e8e8e8; background: #1c1c1e; } }
"""


def _png(chart: alt.ChartType) -> bytes:
    """At twice the size, which is sharp on today's screens and on paper."""
    need("vl_convert")
    import vl_convert

    return vl_convert.vegalite_to_png(_specification(chart), vl_version=_vega_lite(), scale=2)


def _svg(chart: alt.ChartType) -> str:
    need("vl_convert")
    import vl_convert

    svg = vl_convert.vegalite_to_svg(_specification(chart), vl_version=_vega_lite())
    # hundredths of a pixel are enough, and half as long
    return re.sub(r' (?:d|transform)="[^"]*"', lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), svg)


def _with_own_ids(svg: str, prefix: str) -> str:
    """The SVG with ids that no other picture of the page has, the same ones every time."""
    ids: dict[str, str] = {}

    def renamed(tag: re.Match[str]) -> str:
        return re.sub(
            r'(\bid="|url\(#|href="#)([^")]+)',
            lambda found: found[1] + ids.setdefault(found[2], f"{prefix}-{len(ids)}"),
            tag[0],
        )

    return re.sub(r"<[^>]*>", renamed, svg)


def _vega_lite() -> str:
    """The version of Vega-Lite that Altair uses, as vl-convert names it."""
    import altair as alt

    return ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
