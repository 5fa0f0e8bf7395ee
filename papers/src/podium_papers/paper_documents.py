"""The papers and what came of computing them again, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, cast

from podium.documents.declarations import kind
from podium.documents.plain_data import table_rows
from podium.text import paragraphs

if TYPE_CHECKING:
    from podium_papers.library import Paper
    from podium_papers.making import Made


class PaperItemDocument(TypedDict):
    """A table, a figure or a claim of a paper."""

    item: Annotated[str, "name of the item"]
    title: Annotated[str, "its title"]
    place: Annotated[str, "where in the paper it is"]
    reads: Annotated[list[str], "options with files that it can use: `contests`, `matches`"]


class PaperDocument(TypedDict):
    """A paper, and what of it can be computed again."""

    paper: Annotated[str, "name of the paper"]
    title: Annotated[str, "its title"]
    authors: Annotated[str, "its authors and year"]
    items: Annotated[list[PaperItemDocument], "what can be reproduced"]


@kind("papers")
class PapersDocument(TypedDict):
    """All papers.

    `podium reproduce --json`.
    """

    papers: Annotated[list[PaperDocument], "all papers"]


class PaperNumberDocument(TypedDict):
    """A number that podium computed, with the published one if there is one."""

    what: Annotated[str, "the meaning of the number"]
    ours: Annotated[str, "our number, as text"]
    source: Annotated[str, "its source: seeds, a file, or an exact computation"]
    published: Annotated[str, "the published number. Empty if there is none"]
    place: Annotated[str, "where in the paper it is"]
    remark: Annotated[str, "whether both agree, or why not"]


class ReproducedItemDocument(TypedDict):
    """What came of one item."""

    paper: Annotated[str, "name of the paper"]
    item: Annotated[str, "name of the item"]
    title: Annotated[str, "its title"]
    words: Annotated[list[str], "the text, a paragraph each"]
    numbers: Annotated[list[PaperNumberDocument], "the computed and the published numbers"]
    tables: Annotated[dict[str, list[dict[str, Any]]], "tables by title: the rows of each, by column"]


@kind("reproduction")
class ReproductionDocument(TypedDict):
    """What came of items.

    `podium reproduce PAPER ITEM --json`.
    """

    items: Annotated[list[ReproducedItemDocument], "the items reproduced"]


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
