"""What notebooks show: small tables, small pictures in their cells, and how far long work is.

Pictures are inline SVG in a colour that is seen on light and on dark pages; all else has the page's colours.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from html import escape
from importlib import import_module
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from podium.text import shorten, write_number

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS_SHOWN = 10
"""Rows of a table in a notebook."""
COLOUR = "#3B8BC4"
"""Between the blue of charts on white and its lighter neighbour: seen on black, too."""
WIDTH, HEIGHT = 90, 14
"""Size of a picture in a cell, in pixels."""
MOST_POINTS = 24
"""Points of a line in a cell."""
P = ParamSpec("P")
R = TypeVar("R")


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """A table for a notebook, under a line of text: the first rows of `count`, with all texts escaped.

    >>> html_table("<Run>", ["player"], [["<b>"]], count=1)
    '<p>&lt;Run&gt;</p><table><tr><th>player</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    shown = ["".join(map(_cell, row)) for row in islice(rows, MOST_ROWS_SHOWN)]
    body = "".join(f"<tr>{cells}</tr>" for cells in [head, *shown])
    more = f"<p>… {count - len(shown):,} more</p>" if count > len(shown) else ""
    return f"<p>{escape(title)}</p><table>{body}</table>{more}"


def text_html(text: object, picture: Picture | None = None) -> str:
    """A sentence for a notebook, and a picture below it.

    >>> text_html("ann <1>: 1500")
    '<p>ann &lt;1&gt;: 1500</p>'
    """
    return f"<p>{escape(str(text))}</p>{picture or ''}"


def frame_html(title: str, frame: pl.DataFrame, **pictures: Sequence[Picture]) -> str:
    """The first rows of a table for a notebook, under a line of text, with columns of pictures."""
    rows = zip(frame.head(MOST_ROWS_SHOWN).iter_rows(), *pictures.values(), strict=False)
    cells = ((*row, *shown) for row, *shown in rows)
    return html_table(title, (*frame.columns, *pictures), cells, len(frame))


def _cell(value: object) -> str:
    if isinstance(value, Picture):
        return f"<td>{value}</td>"
    if isinstance(value, Chance):
        shade = f"linear-gradient(90deg, {COLOUR}66 {100 * value:.0f}%, transparent 0)"
        return f'<td style="text-align: right; background: {shade}">{100 * value:.1f}%</td>'
    if isinstance(value, float):
        return f'<td style="text-align: right">{write_number(value, ",.6g")}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align: right">{value:,}</td>'
    return f"<td>{escape('' if value is None else shorten(str(value)))}</td>"


# ------------------------------------------------------------------ pictures


class Picture(str):
    """HTML that a table shows as it is."""

    __slots__ = ()


class Chance(float):
    """A number from 0 to 1 that a cell shows as a bar."""

    __slots__ = ()


def line(values: Sequence[float], width: int = WIDTH, height: int = HEIGHT) -> Picture:
    """The course of a number, from its lowest to its highest value.

    >>> line([1500.0, 1516.0, 1508.0])
    '<svg width="90" height="14"><path fill="none" stroke="#3B8BC4" d="M1 13L45 1L89 7"/></svg>'
    """
    if len(values) < 2:
        return Picture("")
    most = MOST_POINTS * width // WIDTH
    if len(values) > most:
        values = [values[i * (len(values) - 1) // (most - 1)] for i in range(most)]
    low = min(values)
    step, scale = (width - 2) / (len(values) - 1), (height - 2) / ((max(values) - low) or 1.0)
    points = (f"{1 + step * i:.0f} {height - 1 - scale * (y - low):.0f}" for i, y in enumerate(values))
    return _svg(f'<path fill="none" stroke="{COLOUR}" d="M{"L".join(points)}"/>', width, height)


def spans(rows: Iterable[tuple[float, float, float]]) -> list[Picture]:
    """Low, middle and high of each row, as a dot on a line; all rows have one scale.

    A row with an unknown number has no picture.

    >>> print(spans([(1400.0, 1500.0, 1600.0)])[0].partition("<path ")[2])
    stroke="#3B8BC4" d="M5 7H85"/><circle cx="45" cy="7" r="3" fill="#3B8BC4"/></svg>
    """
    shown = list(islice(rows, MOST_ROWS_SHOWN))
    known = [row for row in shown if all(map(math.isfinite, row))]
    low = min((row[0] for row in known), default=0.0)
    scale = (WIDTH - 10) / ((max((row[2] for row in known), default=0.0) - low) or 1.0)
    middle, pictures = HEIGHT // 2, []
    for row in shown:
        if row not in known:
            pictures.append(Picture(""))
            continue
        left, dot, right = (f"{5 + scale * (value - low):.0f}" for value in row)
        bar = f'<path stroke="{COLOUR}" d="M{left} {middle}H{right}"/>'
        pictures.append(_svg(f'{bar}<circle cx="{dot}" cy="{middle}" r="3" fill="{COLOUR}"/>'))
    return pictures


def _svg(shapes: str, width: int = WIDTH, height: int = HEIGHT) -> Picture:
    return Picture(f'<svg width="{width}" height="{height}">{shapes}</svg>')


# ------------------------------------------------------------------ long work

BAR_AFTER_SECONDS = 1.0
"""Work that takes less shows no bar."""
SHOWN_EVERY_SECONDS = 0.3


class NotebookBar:
    """A bar below a cell that runs; it appears when work takes a moment, and goes with the work."""

    def __init__(self, what: str, unit: str = "rows") -> None:
        self.what, self.unit, self.total, self.done = what, unit, 0, 0
        self._began = self._shown = monotonic()
        self._display: Any = None

    def __call__(self, done: object) -> None:
        """So much more is done, or one thing more."""
        self.done += done if isinstance(done, int) else 1
        now = monotonic()
        if now - self._began > BAR_AFTER_SECONDS and now - self._shown > SHOWN_EVERY_SECONDS:
            self._shown = now
            self._show(self.html(now - self._began))

    def html(self, seconds: float) -> str:
        """The bar after so many seconds."""
        done = min(self.done, self.total) if self.total else self.done
        share = f' value="{done}" max="{self.total}"' if self.total else ""
        of = f" of {self.total:,}" if self.total else ""
        left = f", {seconds * (self.total - done) / done:,.0f} s left" if self.total and done else ""
        said = f"{self.what}: {done:,}{of} {self.unit}, {seconds:,.0f} s{left}"
        return f"<p><progress{share}></progress> {said}</p>"

    def _show(self, html: str) -> None:
        module: Any = import_module("IPython.display")  # there in every notebook
        if self._display is None:
            self._display = module.display(module.HTML(html), display_id=True)
        else:
            self._display.update(module.HTML(html))

    def close(self) -> None:
        """Take the bar away."""
        if self._display is not None:
            self._show("")


_RUNNING: list[NotebookBar] = []
"""The bar that is shown: work that is a part of other work has none of its own."""


def with_bar(what: str, unit: str = "rows") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show how far a function is that takes `progress`, if it is called in a notebook without one."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if kwargs.get("progress") is not None or _RUNNING or not in_notebook():
                return function(*args, **kwargs)
            bar = NotebookBar(what, unit)
            kwargs["progress"] = bar
            _RUNNING.append(bar)
            try:
                return function(*args, **kwargs)
            finally:
                _RUNNING.remove(bar)
                bar.close()

        return call

    return decorate


def expect_work(rows: int) -> None:
    """Set how much there is to do for the bar that is shown, unless it is set."""
    for bar in _RUNNING:
        bar.total = bar.total or rows


def in_notebook() -> bool:
    """Whether this is the process of a notebook."""
    if "IPython" not in sys.modules:
        return False
    from multiprocessing import parent_process

    shell = getattr(sys.modules["IPython"], "get_ipython", lambda: None)()
    return hasattr(shell, "kernel") and parent_process() is None
