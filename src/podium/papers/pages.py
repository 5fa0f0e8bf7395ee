"""Results as files: pictures, tables and numbers of each item, and a page a paper with all of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from podium import charts
from podium.io.atomic import replacing
from podium.io.tables import write_frames
from podium.papers.items import Item, Number, Result, Setting
from podium.papers.library import Paper
from podium.papers.making import Made

if TYPE_CHECKING:
    import polars as pl

    from podium.charts.files import Section

FORMATS = ("svg", "png")
"""What pictures are written as."""


def write_item(paper: Paper, item: Item, result: Result, folder: str | os.PathLike[str]) -> None:
    """Write what came of an item into the paper's folder: numbers as JSON, tables as CSV, pictures."""
    where = Path(folder) / paper.name
    where.mkdir(parents=True, exist_ok=True)
    for name, picture in result.pictures.items():
        for kind in FORMATS:
            charts.save(picture, where / f"{name}.{kind}")
    for number, table in enumerate(result.tables.values(), 1):
        write_frames([table], where / (f"{item.name}.csv" if number == 1 else f"{item.name}-{number}.csv"))
    numbers = [asdict(number) for number in result.numbers]
    words = _paragraphs(result.words)
    document = {"title": item.title, "place": item.place, "words": words, "numbers": numbers}
    _write(where / f"{item.name}.json", json.dumps(document, ensure_ascii=False, indent=1))


def write_pages(made: Sequence[Made], folder: str | os.PathLike[str], setting: Setting) -> list[Path]:
    """Write a page for each paper that has a result, as HTML that loads nothing and as Markdown."""
    of_paper: dict[str, tuple[Paper, dict[str, Result]]] = {}
    for paper, item, result in made:
        of_paper.setdefault(paper.name, (paper, {}))[1][item.name] = result
    written = []
    for paper, results in of_paper.values():
        sections = _sections(paper, results, setting)
        page = Path(folder) / f"{paper.name}.html"
        _write(page, charts.page(paper.title, sections))
        _write(page.with_suffix(".md"), _markdown(paper, results, setting))
        written.append(page)
    return written


def numbers_frame(numbers: Sequence[Number]) -> pl.DataFrame:
    """Published numbers and ours side by side; columns that say nothing are left out."""
    import polars as pl

    columns = {"": "what", "paper": "published", "ours": "ours", "remark": "remark", "ours from": "source"}
    columns |= {"in the paper": "place"}
    frame = pl.DataFrame({title: [getattr(n, name) for n in numbers] for title, name in columns.items()})
    return frame.select(column for column in frame if column.name in ("", "ours") or (column != "").any())


def _sections(paper: Paper, results: Mapping[str, Result], setting: Setting) -> list[Section]:
    sections: list[Section] = [("", f"{paper.authors}. {_about(setting)}", None)]
    for item, result in _in_order(paper, results):
        words = f"{item.place}.\n\n{result.words}" if item.place else result.words
        sections.append((item.title, words, numbers_frame(result.numbers) if result.numbers else None))
        sections += [("", "", picture) for picture in result.pictures.values()]
        sections += [("", title, table) for title, table in result.tables.items()]
    return sections


def _markdown(paper: Paper, results: Mapping[str, Result], setting: Setting) -> str:
    parts = [f"# {paper.title}", f"{paper.authors}. {_about(setting)}"]
    for item, result in _in_order(paper, results):
        parts += [f"## {item.title}", *([f"*{item.place}.*"] if item.place else [])]
        parts += _paragraphs(result.words)
        if result.numbers:
            parts.append(_markdown_table(numbers_frame(result.numbers)))
        parts += [f"![{name}]({paper.name}/{name}.png)" for name in result.pictures]
        for title, table in result.tables.items():
            parts += [title, _markdown_table(table)]
    return "\n\n".join(parts) + "\n"


def _markdown_table(frame: pl.DataFrame) -> str:
    lines = [frame.columns, ["---:" if dtype.is_numeric() else "---" for dtype in frame.dtypes]]
    lines += [
        ["–" if cell is None else str(cell).replace("|", "\\|") for cell in row] for row in frame.rows()
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _in_order(paper: Paper, results: Mapping[str, Result]) -> list[tuple[Item, Result]]:
    return [(item, results[name]) for name, item in paper.items.items() if name in results]


def _about(setting: Setting) -> str:
    chance = f"All chance comes from seed {setting.seed} on."
    given = [f"{what}: {path.name}" for what, path in _given(setting).items() if path is not None]
    replaced = f" In place of the authors' data, {'; '.join(given)}." if given else ""
    quick = " This is the quick form: small and few, so numbers are rough." if setting.quick else ""
    return f"Published numbers stand beside those that podium computes. {chance}{replaced}{quick}"


def _given(setting: Setting) -> dict[str, Path | None]:
    return {"contests": setting.contests, "matches": setting.matches}


def _paragraphs(words: str) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in words.split("\n\n") if paragraph.strip()]


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
