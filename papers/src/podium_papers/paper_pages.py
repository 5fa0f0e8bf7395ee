"""Results as files: pictures, tables and numbers of each item, and a page a paper with all of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium import charts
from podium.files.atomic import replacing
from podium.tables.written_tables import markdown_table, unmarked_frame, write_frames
from podium.text import paragraphs
from podium_papers.items import Item, Number, Result, Setting
from podium_papers.library import Paper

if TYPE_CHECKING:
    import polars as pl

    from podium.charts.picture_files import Section

FORMATS = ("svg", "png")
"""File formats of the pictures."""
ABOUT = "Published numbers, where they stand in the paper, and beside them those that podium computes."

Document = dict[str, Any]
"""The result of an item as JSON."""


def write_item(
    paper: Paper, item: Item, result: Result, folder: str | os.PathLike[str], setting: Setting
) -> None:
    """Write an item's result into the paper's folder: pictures, tables as CSV, the rest as JSON."""
    where = Path(folder) / paper.name
    where.mkdir(parents=True, exist_ok=True)
    for name, picture in result.pictures.items():
        for kind in FORMATS:
            charts.save(picture, where / f"{name}.{kind}")
    names = [
        item.name if number == 1 else f"{item.name}-{number}" for number in range(1, len(result.tables) + 1)
    ]
    for name, table in zip(names, result.tables.values(), strict=True):
        write_frames([table], where / f"{name}.csv")
    document = {
        "title": item.title,
        "place": item.place,
        "from": _source(item, setting),
        "files": {what: path.name for what, path in setting.files(item.reads).items()},
        "words": paragraphs(result.words),
        "numbers": [asdict(number) for number in result.numbers],
        "pictures": list(result.pictures),
        "tables": dict(zip(result.tables, names, strict=True)),
    }
    _write(where / f"{item.name}.json", json.dumps(document, ensure_ascii=False, indent=1))


def write_pages(papers: Iterable[Paper], folder: str | os.PathLike[str]) -> list[Path]:
    """Write one page per paper, as Markdown and as HTML that loads nothing, with all items in the folder."""
    written = []
    for paper in papers:
        page = Path(folder, f"{paper.name}.html")
        _write(page, charts.page(paper.title, _sections(paper, folder)))
        _write(page.with_suffix(".md"), markdown_page(paper, folder))
        written.append(page)
    return written


def markdown_page(paper: Paper, folder: str | os.PathLike[str]) -> str:
    """The page of a paper in Markdown, with all items in the folder."""
    parts = [f"# {paper.title}", f"{paper.authors}. {ABOUT}"]
    for item in _made(paper, folder):
        parts += [f"## {item['title']}", f"*{item['place']}. {item['from']}*", *item["words"]]
        if item["numbers"]:
            parts.append(markdown_table(numbers_frame([Number(**number) for number in item["numbers"]])))
        parts += [f"![{name}]({paper.name}/{name}.svg)" for name in item["pictures"]]
        for title, name in item["tables"].items():
            parts += [title, markdown_table(_table(Path(folder, paper.name), name))]
    return "\n\n".join(parts) + "\n"


def _made(paper: Paper, folder: str | os.PathLike[str]) -> list[Document]:
    """What the items of a paper left in the folder, in the order of the paper."""
    items = [path for name in paper.items if (path := Path(folder, paper.name, f"{name}.json")).exists()]
    return [json.loads(path.read_text(encoding="utf-8")) for path in items]


def numbers_frame(numbers: Sequence[Number]) -> pl.DataFrame:
    """Published numbers and ours side by side, without empty columns."""
    import polars as pl

    columns = {"": "what", "paper": "published", "ours": "ours", "remark": "remark", "ours from": "source"}
    columns |= {"in the paper": "place"}
    frame = pl.DataFrame({title: [getattr(n, name) for n in numbers] for title, name in columns.items()})
    return frame.select(column for column in frame if column.name in ("", "ours") or (column != "").any())


def _sections(paper: Paper, folder: str | os.PathLike[str]) -> list[Section]:
    sections: list[Section] = [("", f"{paper.authors}. {ABOUT}", None)]
    where = Path(folder, paper.name)
    for item in _made(paper, folder):
        words = "\n\n".join([f"{item['place']}. {item['from']}", *item["words"]])
        numbers = [Number(**number) for number in item["numbers"]]
        sections.append((item["title"], words, numbers_frame(numbers) if numbers else None))
        sections += [("", "", where / f"{name}.svg") for name in item["pictures"]]
        sections += [("", title, _table(where, name)) for title, name in item["tables"].items()]
    return sections


def _table(folder: Path, name: str) -> pl.DataFrame:
    import polars as pl

    return unmarked_frame(pl.read_csv(folder / f"{name}.csv", infer_schema_length=None))


def _source(item: Item, setting: Setting) -> str:
    """In words, the seeds and files that an item was computed from."""
    files = [f"{what}: {path.name}" for what, path in setting.files(item.reads).items()]
    given = f", in place of the authors' data {' and '.join(files)}" if files else ""
    quick = "; the quick form, small and few, so that numbers are rough" if setting.quick else ""
    return f"Seed {setting.seed} on{given}{quick}."


def _write(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
