"""Large text files of matches that look plain, so that `plain_matches` may read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from podium.tables.sources.frame_pieces import header_line
from podium.tables.sources.number_columns import NumberTypes
from podium.tables.sources.separators import LONGEST_LINE, WORDS

LARGE_ROWS = 2_000_000
"""Files from this number of rows on are worth loading kernels, which takes 0.3 s and saves 0.15 µs a row."""
_LINES_MEASURED = 1000
"""Lines that tell how long the others may be."""

SIDES = (("player_a", "player_b"), ("winner", "loser"))
SCORES = ("score_a", "score_b")


@dataclass(frozen=True)
class PlainFile:
    """Where the rows of a file are, and what their cells hold."""

    path: Path
    start: int
    """The byte at which the first row begins."""
    separator: str
    width: int
    """The number of cells in a row."""
    places: Mapping[str, int]
    """podium's name of every column that is read -> its place in a row."""
    types: NumberTypes
    """The types of those that hold numbers or times, by podium's names."""
    expected_rows: int
    """How many rows there are if all are as long as the first ones."""


def plain_file(
    path: Path,
    lines_above: int,
    separator: str,
    columns: Sequence[str],
    wanted: Mapping[str, str],
    types: NumberTypes,
) -> PlainFile | None:
    """A file with these columns, if it is large, has a usual separator and nothing unusual is wanted of it.

    `wanted` has podium's names of columns and the file's; `types` are those of numbers and times by the
    file's names.
    """
    places = _places(columns, wanted, types)
    if places is None or separator not in WORDS:
        return None
    with path.open("rb") as stream:
        header_line(stream, lines_above)
        start = stream.tell()
        lines = [line for _ in range(_LINES_MEASURED) if (line := stream.readline(LONGEST_LINE))]
    expected = (path.stat().st_size - start) * len(lines) // max(sum(map(len, lines)), 1)
    if expected < LARGE_ROWS:
        return None
    by_name = {name: types[wanted[name]] for name in places if wanted[name] in types}
    return PlainFile(path, start, separator, len(columns), places, by_name, expected)


def _places(columns: Sequence[str], wanted: Mapping[str, str], types: NumberTypes) -> dict[str, int] | None:
    """Where the wanted columns stand; None if they hold more than players, scores and times of matches."""
    sides, numbers = (SIDES[0], SCORES) if SCORES[0] in wanted else (SIDES[1], ())
    others = wanted.keys() - set(sides)
    if not wanted.keys() >= set(sides) or not others <= {*numbers, "time"}:
        return None
    if not all(wanted[name] in types for name in others):
        return None
    places = {name: columns.index(theirs) for name, theirs in wanted.items()}
    return places if len(set(places.values())) == len(places) else None
