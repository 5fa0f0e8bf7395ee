"""The table of a page as CSV: what a spreadsheet or a script wants of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from podium.tables.forms.formulas import marked

Rows = Iterable[Mapping[str, Any]]

_ROWS: dict[str, Callable[[Any], Rows]] = {
    "leaderboard-page": lambda page: page["rows"],
    "player-page": lambda page: page["results"],
    "event-page": lambda page: page["standings"],
    "event-list": lambda page: page["rows"],
    "matches-page": lambda page: page["recent"],
    "about-page": lambda page: page["parameters"],
    "compare-page": lambda page: (
        [{"a": one, "b": other} for one, other in page["suggested"]]
        if page["pair"] is None
        else [page["pair"]]
    ),
    "search-page": lambda page: page["rows"],
    "ladder-list": lambda page: page["ladders"],
    "logged-event": lambda page: page["changes"],
}
"""What of each page is its table."""
LISTED = "; "
"""What stands between the parts of a list in a cell."""


def csv_table(kind: str, document: Mapping[str, Any]) -> str:
    """The table of a page as CSV; parts of a row that are documents themselves are left out.

    A name that a spreadsheet would take for a formula has an apostrophe before it.

    >>> csv_table("search-page", {"rows": [{"player": "ann", "rating": "1516", "place": None}]})
    'player,rating,place\\r\\nann,1516,\\r\\n'
    """
    rows = [dict(row) for row in _ROWS[kind](document)]
    columns = list(dict.fromkeys(key for row in rows for key, value in row.items() if not _is_nested(value)))
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue()


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict)


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return ""
    cell = LISTED.join(map(str, value)) if isinstance(value, list) else value
    return marked(cell) if isinstance(cell, str) else cell
