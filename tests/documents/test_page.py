"""docs/documents.md is what the declarations say, and they say what each key means."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import is_typeddict

import pytest

import podium.documents
from podium.documents.declarations import KINDS, declared_keys
from podium.documents.reference import reference, renewed, type_words

PAGE = (Path(__file__).parents[2] / "docs" / "documents.md").read_text(encoding="utf-8")
STUDIES = [
    "podium.studies.live_game.game_documents",
    "podium.studies.attacks.attack_documents",
    "podium_papers.paper_documents",
]


def declared() -> dict[str, type]:
    """Every TypedDict of the rooms that make documents, by name. A private one is told by its heirs."""
    modules = [info.name for info in pkgutil.iter_modules(podium.documents.__path__, "podium.documents.")]
    modules += STUDIES
    found: dict[str, type] = {}
    for name in modules:
        module = importlib.import_module(name)
        for cls in vars(module).values():
            if is_typeddict(cls) and cls.__module__ == name and not cls.__name__.startswith("_"):
                assert cls.__name__ not in found, f"two documents are called {cls.__name__}"
                found[cls.__name__] = cls
    return found


def test_the_page_is_written_from_the_declarations() -> None:
    assert renewed(PAGE) == PAGE, "run `make documents`"


def test_a_page_without_its_mark_is_refused() -> None:
    with pytest.raises(AssertionError, match="the page lacks"):
        renewed("# Documents")


def test_every_document_is_on_the_page() -> None:
    assert sorted(re.findall(r"^### [^\n]*\(`(\w+)`\)$", reference(), re.MULTILINE)) == sorted(declared())


def test_every_kind_is_on_the_page() -> None:
    kinds = re.findall(r"\(`(\w+)`\)\n\nKind `([\w-]+)`", PAGE)
    assert {kind: name for name, kind in kinds} == {kind: cls.__name__ for kind, cls in KINDS.items()}


@pytest.mark.parametrize("document", declared().values(), ids=declared())
def test_every_key_has_a_meaning(document: type) -> None:
    for name, key in declared_keys(document).items():
        assert key.meaning, f"{document.__name__}.{name}"
        assert key.meaning == " ".join(key.meaning.split()), f"{document.__name__}.{name}"


def test_types_in_words() -> None:
    from podium.documents import LogDocument, NewLadderDocument
    from podium.documents.backtest_documents import GroupDocument
    from podium.documents.service_documents import LogEntryDocument

    def words(document: type, key: str) -> str:
        return type_words(declared_keys(document)[key].type)

    assert words(LogDocument, "entries") == "list of `LogEntryDocument`"
    assert words(LogEntryDocument, "reported_time") == "time or null"
    assert words(LogEntryDocument, "received") == "time"
    assert words(LogEntryDocument, "entry") == "text"
    assert words(LogEntryDocument, "adjustment") == "object: text or number by name or null"
    assert words(GroupDocument, "values") == "object: number or null by name"
    assert words(NewLadderDocument, "parameters") == "object: a parameter's value by name"
    assert declared_keys(NewLadderDocument)["parameters"].optional
