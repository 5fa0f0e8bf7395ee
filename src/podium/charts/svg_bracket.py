"""A bracket drawn as SVG: a box for each match, lines to where its winner goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

BOX_WIDTH, BOX_HEIGHT = 160, 40
"""A match: two names, one above the other."""
GAP_ACROSS, GAP_DOWN = 26, 12
LONGEST_SHOWN = 14
"""Characters of a name for which a box has room."""


def bracket_picture(matches: Sequence[Mapping[str, Any]], names: Mapping[str, str], *, title: str) -> str:
    """One part of a bracket; matches as documents have them, names as they are shown.

    >>> match = {"column": 1, "row": 1, "sides": ["ann", "bob"], "points": [2.0, 1.0], "winner": "ann"}
    >>> "<title>ann – bob 2:1</title>" in bracket_picture([match], {}, title="Cup")
    True
    """
    sizes: dict[int, int] = {}
    for match in matches:
        sizes[match["column"]] = max(sizes.get(match["column"], 0), match["row"])
    if not sizes:
        return ""
    height = max(sizes.values()) * (BOX_HEIGHT + GAP_DOWN)
    width = max(sizes) * (BOX_WIDTH + GAP_ACROSS) - GAP_ACROSS
    parts = []
    for match in matches:
        column, row = match["column"], match["row"]
        x, y = (column - 1) * (BOX_WIDTH + GAP_ACROSS), _middle(height, row, sizes[column])
        if column + 1 in sizes:
            next_row = -(-row * sizes[column + 1] // sizes[column])
            end = _middle(height, next_row, sizes[column + 1])
            right, bend = x + BOX_WIDTH, x + BOX_WIDTH + GAP_ACROSS / 2
            parts.append(f'<path d="M{right} {y:g}H{bend:g}V{end:g}H{right + GAP_ACROSS}"/>')
        if column > 1 or None not in match["sides"]:
            parts.append(_box(match, names, x, y))
        elif (through := match["winner"]) is not None:
            shown = escape(_short(names.get(through, through)))
            parts.append(f'<text class="bye" x="{x + BOX_WIDTH - 6}" y="{y + 4:g}">{shown}</text>')
    return (
        f'<svg class="bracket" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _middle(height: int, row: int, rows: int) -> float:
    """How far down the middle of a row is."""
    return height * (row - 0.5) / rows


def _box(match: Mapping[str, Any], names: Mapping[str, str], x: float, y: float) -> str:
    top = y - BOX_HEIGHT / 2
    shown = [None if side is None else names.get(side, side) for side in match["sides"]]
    points = match["points"]
    words = " – ".join("not known yet" if name is None else name for name in shown)
    words += "" if points is None else f" {':'.join(f'{each:g}' for each in points)}"
    lines = [
        f'<g class="match"><title>{escape(words)}</title>',
        f'<rect x="{x}" y="{top:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5"/>',
        f'<path d="M{x} {y:g}H{x + BOX_WIDTH}"/>',
    ]
    for number, (side, name) in enumerate(zip(match["sides"], shown, strict=True)):
        if name is None:
            continue
        look = ' class="won"' if side == match["winner"] else ""
        line = top + BOX_HEIGHT * (0.25 + 0.5 * number) + 4
        lines.append(f'<text{look} x="{x + 7}" y="{line:g}">{escape(_short(name))}</text>')
        if points is not None:
            lines.append(
                f'<text class="score" x="{x + BOX_WIDTH - 7}" y="{line:g}">{points[number]:g}</text>'
            )
    return "".join([*lines, "</g>"])


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_SHOWN else f"{name[: LONGEST_SHOWN - 1]}…"
