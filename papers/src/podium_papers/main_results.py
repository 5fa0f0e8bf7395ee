"""The main results of each paper in one table, made from what the items wrote: the tables of docs/papers.md.

A row names numbers of items. What stands in it is read from the files that `podium reproduce --out` leaves,
so that a table cannot say anything else than the items.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from podium.errors import InputError
from podium.files.atomic import replacing
from podium.tables.written_tables import markdown_table
from podium_papers.items import Number
from podium_papers.library import PAPERS, Paper
from podium_papers.main_rows import ROWS, Part, Row

FIGURES_ONLY = re.compile(r"[\d.,%/ s−]+")
"""What a paper prints as a number needs no quotation marks."""


def write_main_results(page: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """Fill the tables of a page from results in a folder."""
    text = Path(page).read_text(encoding="utf-8")
    tables = {name: main_results(PAPERS[name], rows, folder) for name, rows in ROWS.items()}
    with replacing(Path(page)) as temporary:
        temporary.write_text(filled(text, tables), encoding="utf-8")


def main_results(paper: Paper, rows: Iterable[Row], folder: str | os.PathLike[str]) -> str:
    """The table of a paper in Markdown, from the files of its items in a folder.

    Raises an error if a row names numbers that no item has.
    """
    import polars as pl

    cells = [cell for row in rows for cell in _cells(row, Path(folder) / paper.name)]
    titles, printed, ours = zip(*cells, strict=True) if cells else ((), (), ())
    return markdown_table(pl.DataFrame({"": titles, "paper": printed, "podium": ours}))


def filled(page: str, tables: dict[str, str]) -> str:
    """A page in which the table of each paper stands between its two marks.

    >>> print(filled("<!-- made: elo-r -->old<!-- end -->", {"elo-r": "| new |"}))
    <!-- made: elo-r -->
    <BLANKLINE>
    | new |
    <BLANKLINE>
    <!-- end -->
    """
    for name, table in tables.items():
        begin, end = f"<!-- made: {name} -->", "<!-- end -->"
        before, _, behind = page.partition(begin)
        _, marked, after = behind.partition(end)
        if not marked:
            raise InputError(f"the page has no place for {name}", hint=f"write {begin}{end} there")
        page = f"{before}{begin}\n\n{table}\n\n{end}{after}"
    return page


def _cells(row: Row, folder: Path) -> Iterator[tuple[str, str, str]]:
    """The cells of a row; no cells if all of it needs files that were not given."""
    found = [(part, numbers) for part in row.parts if (numbers := _numbers(row, part, folder))]
    if not found:
        return
    published = row.published or next((said for _, numbers in found if (said := _published(numbers))), "–")
    ours = [f"{part.label}: {_ours(numbers)}" if part.label else _ours(numbers) for part, numbers in found]
    yield row.title, published, " · ".join(ours)


def _numbers(row: Row, part: Part, folder: Path) -> list[Number]:
    document = json.loads((folder / f"{part.item}.json").read_text(encoding="utf-8"))
    files: dict[str, str] = document["files"]
    named = [*part.names, part.source]
    if any(f"{{{what}}}" in name for name in named for what in ("contests", "matches") if what not in files):
        return []
    numbers = [Number(**number) for number in document["numbers"]]
    source, chosen = _pattern(part.source, files), []
    for name in part.names:
        pattern = _pattern(name, files)
        hits = [n for n in numbers if pattern.fullmatch(n.what) and source.fullmatch(n.source)]
        if not hits:
            raise InputError(f"{row.title}: {part.item} has no number {name!r}")
        chosen += hits
    return chosen


def _pattern(text: str, files: dict[str, str]) -> re.Pattern[str]:
    for what, name in files.items():
        text = text.replace(f"{{{what}}}", name)
    return re.compile(".*".join(map(re.escape, text.split("*"))))


def _published(numbers: Sequence[Number]) -> str:
    """All printed numbers; of printed words each once, in quotation marks."""
    said = [number.published for number in numbers if number.published]
    if all(FIGURES_ONLY.fullmatch(one) for one in said):
        return ", ".join(said)
    return ", ".join(one if FIGURES_ONLY.fullmatch(one) else f'"{one}"' for one in dict.fromkeys(said))


def _ours(numbers: Sequence[Number]) -> str:
    """Our numbers one after another; ranges are left out of several, and more than two equal ones are one."""
    if len(numbers) == 1:
        return numbers[0].ours
    short = [re.sub(r" \([^()]* to [^()]*\)", "", number.ours) for number in numbers]
    return short[0] if len(short) > 2 and len(set(short)) == 1 else ", ".join(short)
