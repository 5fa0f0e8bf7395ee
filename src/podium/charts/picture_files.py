"""Pictures as files, and pages of them: made and read without a browser or the network."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from podium.charts.grammar import need
from podium.errors import ParameterError
from podium.files.atomic import replacing
from podium.text import paragraphs

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    Section = tuple[str, str, alt.ChartType | Path | pl.DataFrame | None]
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
            f"a picture cannot be written as {suffix or 'a file without a suffix'}",
            hint="give a name that ends in .png, .svg or .html",
        )
    need("altair")
    need("vl_convert")
    return suffix


def page(title: str, sections: Sequence[Section]) -> str:
    """One HTML page of sections, each a heading, a text and optionally a chart or a table; it loads nothing.

    Texts are plain: HTML in them is escaped, and an empty line begins a new paragraph. A section without a
    heading continues the one before it.
    """
    import polars as pl

    parts = [f"<h1>{html.escape(title)}</h1>"]
    for number, (heading, text, chart) in enumerate(sections):
        parts += ["<section>", f"<h2>{html.escape(heading)}</h2>" if heading else ""]
        parts += [f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs(text)]
        if isinstance(chart, pl.DataFrame):
            parts.append(_table(chart))
        elif chart is not None:
            svg = chart.read_text(encoding="utf-8") if isinstance(chart, Path) else _svg(chart)
            picture = _with_own_ids(svg, f"chart{number}")
            label = html.escape(heading or (chart.stem if isinstance(chart, Path) else _title(chart)))
            parts.append(f'<figure aria-label="{label}">{picture}</figure>')
        parts.append("</section>")
    return _html(title, "default-src 'none'; style-src 'unsafe-inline'", "\n".join(parts))


def _table(frame: pl.DataFrame) -> str:
    """A table as HTML; a missing value is a dash."""
    from podium.tables.readable_tables import number_columns

    side = [' class="number"' if number else "" for number in number_columns(frame)]

    def row(cells: Sequence[object], tag: str) -> str:
        said = ["–" if cell is None else html.escape(str(cell)) for cell in cells]
        inside = "".join(f"<{tag}{s}>{text}</{tag}>" for s, text in zip(side, said, strict=True))
        return f"<tr>{inside}</tr>"

    body = "\n".join(row(cells, "td") for cells in frame.iter_rows())
    return f"<div><table><thead>{row(frame.columns, 'th')}</thead><tbody>\n{body}\n</tbody></table></div>"


def _document(chart: alt.ChartType) -> str:
    """A page with one interactive chart and all the code it needs."""
    need("vl_convert")
    import vl_convert

    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=_vega_lite())
    spec = chart.to_dict()
    data = json.dumps(spec).replace("<", "\\u003c")  # so that no name can end the script
    menu = {"export": True, "source": False, "compiled": False, "editor": False}
    options = json.dumps({"actions": menu, "renderer": "svg"})
    allowed = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; "
    allowed += "script-src 'unsafe-inline' 'unsafe-eval'"
    body = f"<figure id='chart'></figure>\n<script>{bundle}</script>\n"
    body += f"<script>vegaEmbed('#chart', {data}, {options});</script>"
    return _html(_title(chart), allowed, body)


def _title(chart: alt.ChartType) -> str:
    title = chart.to_dict().get("title", "podium")
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
figure svg { display: block; max-width: 100%; min-width: 38rem; height: auto; overflow: visible; }
@media (prefers-color-scheme: dark) { body { color: #e8e8e8; background: #1c1c1e; } }
"""


def _png(chart: alt.ChartType) -> bytes:
    """At twice the size, which is sharp on today's screens and on paper."""
    need("vl_convert")
    import vl_convert

    return vl_convert.vegalite_to_png(chart.to_dict(), vl_version=_vega_lite(), scale=2)


def _svg(chart: alt.ChartType) -> str:
    need("vl_convert")
    import vl_convert

    svg = vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=_vega_lite())
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
