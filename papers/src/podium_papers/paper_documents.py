"""The papers and what came of computing them again, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypedDict, cast

from podium.documents.plain_data import table_rows
from podium.text import paragraphs

if TYPE_CHECKING:
    from podium_papers.library import Paper
    from podium_papers.making import Made


class PaperItemDocument(TypedDict):
    """A table, a figure or a claim of a paper."""

    item: str
    title: str
    place: str
    reads: list[str]


class PaperDocument(TypedDict):
    """A paper, and what of it can be computed again."""

    paper: str
    title: str
    authors: str
    items: list[PaperItemDocument]


class PapersDocument(TypedDict):
    """All papers."""

    papers: list[PaperDocument]


class PaperNumberDocument(TypedDict):
    """A number of ours, beside the published one where there is one."""

    what: str
    ours: str
    source: str
    published: str
    place: str
    remark: str


class ReproducedItemDocument(TypedDict):
    """What came of one item."""

    paper: str
    item: str
    title: str
    words: list[str]
    numbers: list[PaperNumberDocument]
    tables: dict[str, list[dict[str, Any]]]


class ReproductionDocument(TypedDict):
    """What came of items."""

    items: list[ReproducedItemDocument]


def papers_document(papers: Iterable[Paper]) -> PapersDocument:
    """Papers, and what of them can be computed again."""
    return {
        "papers": [
            {
                "paper": paper.name,
                "title": paper.title,
                "authors": paper.authors,
                "items": [
                    {"item": item.name, "title": item.title, "place": item.place, "reads": list(item.reads)}
                    for item in paper.items.values()
                ],
            }
            for paper in papers
        ]
    }


def reproduction_document(made: Iterable[Made]) -> ReproductionDocument:
    """What came of items."""
    return {
        "items": [
            {
                "paper": paper.name,
                "item": item.name,
                "title": item.title,
                "words": paragraphs(result.words),
                "numbers": [cast(PaperNumberDocument, asdict(number)) for number in result.numbers],
                "tables": {title: table_rows(table) for title, table in result.tables.items()},
            }
            for paper, item, result in made
        ]
    }
