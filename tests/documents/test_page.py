"""docs/documents.md lists every key that a document declares, with its type, and no other."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import get_type_hints, is_typeddict

import podium.documents
from documents.declared_types import type_words

PAGE = (Path(__file__).parents[2] / "docs" / "documents.md").read_text(encoding="utf-8")
STUDIES = [
    "podium.studies.live_game.game_documents",
    "podium.studies.attacks.attack_documents",
    "podium_papers.paper_documents",
]


def declared() -> dict[str, type]:
    """Every TypedDict of the rooms that make documents, by name."""
    modules = [info.name for info in pkgutil.iter_modules(podium.documents.__path__, "podium.documents.")]
    modules += STUDIES
    found: dict[str, type] = {}
    for name in modules:
        module = importlib.import_module(name)
        for cls in vars(module).values():
            if is_typeddict(cls) and cls.__module__ == name:
                assert cls.__name__ not in found, f"two documents are called {cls.__name__}"
                found[cls.__name__] = cls
    return found


def tables() -> dict[str, dict[str, str]]:
    """The tables of the page by the name of their document: keys with their types."""
    sections = re.findall(r"^### [^\n]*\(`(\w+)`\)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    rows = {
        name: re.findall(r"^\| `(\w+)` \| (.*?) \| .+ \|$", text, re.MULTILINE) for name, text in sections
    }
    return {name: dict(found) for name, found in rows.items()}


def test_every_document_is_on_the_page() -> None:
    assert set(tables()) == set(declared())


def test_every_key_is_documented_with_its_type() -> None:
    on_page = tables()
    for name, cls in declared().items():
        hints = get_type_hints(cls, include_extras=True)
        words = {key: type_words(name, key, hint) for key, hint in hints.items()}
        assert (name, on_page[name]) == (name, words)


def test_every_kind_is_on_the_page() -> None:
    kinds = re.findall(r"\(`(\w+)`\)\n\nKind `([\w-]+)`", PAGE)
    listed = {kind: cls.__name__ for kind, cls in podium.documents.KINDS.items()}
    studies = {"game": "GameDocument", "attack": "AttackDocument"}
    studies |= {"papers": "PapersDocument", "reproduction": "ReproductionDocument"}
    assert {kind: name for name, kind in kinds} == listed | studies
