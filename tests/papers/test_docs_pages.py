"""The pages in docs/papers and the tables of docs/papers.md are those that the stored results give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from podium.errors import InputError
from podium_papers import PAPERS, Setting
from podium_papers.elo_mmr.published import METRICS, SECONDS, SYSTEMS, TABLE_1
from podium_papers.elo_r.published import NOISING, PLACES
from podium_papers.items import Number, Result
from podium_papers.main_results import filled, main_results
from podium_papers.main_rows import ROWS, Part, Row
from podium_papers.paper_pages import markdown_page, write_item
from podium_papers.printed import Printed

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "papers"
STORED = [(paper.name, item) for paper in PAPERS.values() for item in paper.items]


def stored(paper: str, item: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / paper / f"{item}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_is_made_from_the_results(paper: str) -> None:
    assert (FOLDER / f"{paper}.md").read_text(encoding="utf-8") == markdown_page(PAPERS[paper], FOLDER)


def test_the_main_tables_are_made_from_the_results() -> None:
    page = (DOCS / "papers.md").read_text(encoding="utf-8")
    tables = {name: main_results(PAPERS[name], rows, FOLDER) for name, rows in ROWS.items()}
    assert page == filled(page, tables)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_item_is_stored_whole(paper: str) -> None:
    """No item is missing, none is left over, and none was made in a quick run."""
    pictures, tables = set(), set()
    for name, item in PAPERS[paper].items.items():
        made = stored(paper, name)
        assert (made["title"], made["place"]) == (item.title, item.place)
        assert "quick" not in made["from"]
        assert set(made["files"]) == set(item.reads)
        pictures |= {f"{picture}.svg" for picture in made["pictures"]}
        tables |= {f"{table}.csv" for table in made["tables"].values()}
    documents = {f"{name}.json" for name in PAPERS[paper].items}
    assert {path.name for path in (FOLDER / paper).iterdir()} == documents | pictures | tables


def printed_in(value: object) -> Iterator[Printed]:
    if isinstance(value, Printed):
        yield value
    elif isinstance(value, dict):
        yield from printed_in(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from printed_in(one)


def all_printed() -> set[tuple[str, str]]:
    """Everything that is typed as published, with its place."""
    modules = [import_module(f"podium_papers.{paper.module}.published") for paper in PAPERS.values()]
    found = {tuple(printed) for module in modules for printed in printed_in(list(vars(module).values()))}
    for row, (contests, participants) in TABLE_1.items():
        for number in (contests, participants):
            found |= {(str(number), f"Table 1, {row}"), (f"{number:,}", f"Table 1, {row}")}
    for metric, rows in METRICS.items():
        for row, values in rows.items():
            for system, value in zip(SYSTEMS, values, strict=True):
                found.add((f"{value}%", f"Table 2, {row}, {system}, {metric}"))
    for row, seconds in SECONDS.items():
        found |= {(f"{s} s", f"Table 3, {row}, {name}") for name, s in zip(SYSTEMS, seconds, strict=True)}
    return found | {(word, PLACES[way]) for way, words in NOISING.items() for word in words}


def test_published_numbers_of_the_pages_are_those_typed() -> None:
    typed = all_printed()
    for paper, item in STORED:
        for number in stored(paper, item)["numbers"]:
            if number["published"] and not number["place"].endswith(("as ratios", "as a ratio")):
                derived = number["place"].startswith("Table 3 over Table 1")
                assert derived or (number["published"], number["place"]) in typed, (paper, item, number)


CHEAP = [
    ("elo-mmr", "figure-1"),
    ("elo-mmr-draft", "bounds"),
    ("elo-r", "public-rating"),
    ("elo-r", "response"),
]


@pytest.mark.parametrize(("paper", "item"), CHEAP)
def test_numbers_computed_again_are_those_of_the_page(paper: str, item: str) -> None:
    """Of items without chance, which take a second or less."""
    made = PAPERS[paper].items[item].make(Setting())
    assert [asdict(number) for number in made.numbers] == stored(paper, item)["numbers"]


# ------------------------------------------------------------------ how a row is made

NUMBERS = [
    Number("club.csv: Elo, points", "12 (10 to 14)", "club.csv", "523", "Section 5"),
    Number("club.csv: Glicko, points", "7 (1 to 9)", "club.csv", "600", "Section 5"),
    Number("simulated: Elo, points", "3 (1 to 4)", "seed 0", "rather few", "Section 6"),
    *(Number(f"tried {number}", "0", "seed 0", "never", "Section 7") for number in range(3)),
]


def made_table(folder: Path, row: Row, contests: str | None = "club.csv") -> str:
    paper = PAPERS["elo-mmr"]
    setting = Setting(contests=None if contests is None else Path(contests))
    write_item(paper, paper.items["table-2"], Result("Words.", NUMBERS), folder, setting)
    return main_results(paper, [row], folder).splitlines()[-1]


@pytest.mark.parametrize(
    ("parts", "cells"),
    [
        ([Part("table-2", ["{contests}: Elo, points"])], "523 | 12 (10 to 14)"),
        ([Part("table-2", ["{contests}: *, points"], "club")], "523, 600 | club: 12, 7"),
        (
            [Part("table-2", ["simulated: *"], "made"), Part("table-2", ["*Glicko*"], source="club*")],
            '"rather few" | made: 3 (1 to 4) · 7 (1 to 9)',
        ),
        ([Part("table-2", ["tried *"])], '"never" | 0'),
    ],
)
def test_a_row(tmp_path: Path, parts: list[Part], cells: str) -> None:
    """One number with its range, several without; what is printed in words has quotation marks."""
    assert made_table(tmp_path, Row("points", parts)) == f"| points | {cells} |"


def test_a_row_without_its_file_or_its_number(tmp_path: Path) -> None:
    of_file = Part("table-2", ["{contests}: Elo, points"])
    assert made_table(tmp_path, Row("points", [of_file]), contests=None).startswith("| ---")
    with pytest.raises(InputError, match="points: table-2 has no number 'Elo'"):
        made_table(tmp_path, Row("points", [Part("table-2", ["Elo"])]))
    with pytest.raises(InputError, match="no place for elo-r"):
        filled("a page", {"elo-r": "a table"})
