"""The reference of docs/documents.md, written from the declarations: `make documents` renews the page."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, is_typeddict

from podium.documents.declarations import KINDS, TimeText, declared_keys
from podium.documents.plain_data import ParameterValue

BEGIN = "<!-- From here on this page is written by `make documents`. -->"


class Section(NamedTuple):
    """A part of the reference: the documents of some modules."""

    title: str
    modules: tuple[str, ...]
    words: str = ""


SECTIONS = (
    Section("Every printed document", ("podium.documents.plain_data",)),
    Section("Table", ("podium.documents.table_documents",)),
    Section("Reading", ("podium.documents.reading_documents",)),
    Section("Rating", ("podium.documents.rating_documents",)),
    Section("Contest and correction", ("podium.documents.publishing_documents",)),
    Section("Explanation", ("podium.documents.explanation_documents",)),
    Section("Rating histories", ("podium.documents.history_documents",)),
    Section("Event", ("podium.documents.event_documents",)),
    Section("Prediction", ("podium.documents.prediction_documents",)),
    Section("Matchmaking", ("podium.documents.match_documents", "podium.documents.pool_documents")),
    Section("Tournaments", ("podium.documents.tournament_documents",)),
    Section("Arenas", ("podium.documents.arena_documents",)),
    Section("Backtest", ("podium.documents.backtest_documents",)),
    Section("Tuning", ("podium.documents.advice_documents", "podium.documents.tuning_documents")),
    Section("Simulated season", ("podium.documents.season_documents",)),
    Section("Rating systems", ("podium.documents.system_documents",)),
    Section("Live game", ("podium.studies.live_game.game_documents",)),
    Section("Attacks", ("podium.studies.attacks.attack_documents",)),
    Section(
        "Papers",
        ("podium_papers.paper_documents",),
        "From [podium-papers](papers.md), which is installed separately.",
    ),
    Section(
        "Pages",
        ("podium.documents.page_documents", "podium.documents.event_page_documents"),
        "The contents of a website's pages (`podium.pages`). Ratings are rounded to two decimals more than "
        "pages write. Players are named, events have numbers from 1, and chances are between 0 and 1.",
    ),
    Section(
        "Service",
        (
            "podium.documents.request_documents",
            "podium.documents.service_documents",
            "podium.documents.job_documents",
            "podium.documents.access_documents",
        ),
        "The requests and answers of a [service](service.md). A key marked *optional* may be left out. "
        "Addresses are below `/api/v1`.",
    ),
)
_WORDS: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    Any: "any",
    TimeText: "time",
}


def reference() -> str:
    """Every document, with its keys, their types and meanings, as Markdown."""
    kinds: dict[type, str] = {}
    parts = []
    for section in SECTIONS:
        documents = list(_documents(section))
        kinds |= {document: kind for kind, document in KINDS.items()}
        parts += [f"## {section.title}", *filter(None, [section.words])]
        parts += [_described(document, kinds.get(document)) for document in documents]
    return "\n\n".join(parts) + "\n"


def renewed(page: str) -> str:
    """A page with its reference written again."""
    before, mark, _ = page.partition(BEGIN)
    assert mark, f"the page lacks {BEGIN!r}"
    return f"{before}{BEGIN}\n\n{reference()}"


def _documents(section: Section) -> Iterator[type]:
    """The documents of a section, those that have a kind before their parts."""
    modules = [import_module(name) for name in section.modules]
    own = [d for m in modules for d in vars(m).values() if is_typeddict(d) and d.__module__ == m.__name__]
    told: set[type] = set()

    def tell(document: type) -> Iterator[type]:
        if document in told or document not in own:
            return
        told.add(document)
        if not document.__name__.startswith("_"):  # else the base of some, whose keys are theirs
            yield document
        for key in declared_keys(document).values():
            for part in _parts(key.type):
                yield from tell(part)

    kinds = set(KINDS.values())
    for document in sorted(own, key=lambda document: document not in kinds):
        yield from tell(document)


def _parts(hint: Any) -> Iterator[type]:
    """The documents in a declared type."""
    if is_typeddict(hint):
        yield hint
    for inner in get_args(hint):
        yield from _parts(inner)


def _described(document: type, kind: str | None) -> str:
    title = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", document.__name__.removesuffix("Document")).capitalize()
    words = re.sub(r"(?<=\S)\n(?=\S)", " ", cleandoc(document.__doc__ or "")) if _own_words(document) else ""
    told = " ".join(filter(None, [f"Kind `{kind}`." if kind else "", words]))
    rows = [
        f"| `{name}` | {type_words(key.type)}{', optional' if key.optional else ''} | {key.meaning} |"
        for name, key in declared_keys(document).items()
    ]
    table = "\n".join(["| key | type | meaning |", "|---|---|---|", *rows])
    return "\n\n".join(filter(None, [f"### {title} (`{document.__name__}`)", told, table]))


def _own_words(document: type) -> bool:
    """Whether a document has its own docstring, and not that of `dict`."""
    return document.__doc__ != dict.__doc__


def type_words(hint: Any) -> str:
    """A declared type in words.

    >>> type_words(list[float] | None)
    'list of number or null'
    """
    if hint in _WORDS:
        return _WORDS[hint]
    if hint == ParameterValue:
        return "a parameter's value"
    inner = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        words = [type_words(one) for one in inner if one is not NoneType]
        return " or ".join(words + ["null"] * (NoneType in inner))
    if get_origin(hint) is list:
        return f"list of {type_words(inner[0])}"
    if get_origin(hint) is dict:
        return f"object: {type_words(inner[1])} by name"
    return "text" if get_origin(hint) is Literal else f"`{hint.__name__}`"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
