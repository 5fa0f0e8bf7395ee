"""A document's declaration, read once: its keys, their types and meanings, and its kind.

A document is a TypedDict whose keys are `Annotated` with their meanings. The schemas of a service's answers
and docs/documents.md (see `reference`) are written from that alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NotRequired, TypeVar, get_args, get_origin, get_type_hints

Document = TypeVar("Document")

TIME = object()
"""Marks a text as a time."""

TimeText = Annotated[str, TIME]
"""A time as ISO 8601 text in UTC: a date where it is midnight."""

KINDS: dict[str, type] = {}
"""Documents by their kind, the text on top of a printed one.

Those of studies are there when these are loaded.
"""


@dataclass(frozen=True, slots=True)
class From:
    """Annotates a key that a value does not have as an attribute of the same name."""

    source: str | Callable[[Any], Any]
    """The attribute, also a dotted one, or what finds it."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a document."""

    type: Any
    """The declared type, in which only times are annotated."""
    meaning: str
    optional: bool
    """Whether it may be left out."""
    source: str | Callable[[Any], Any]
    """Where a value has it: an attribute, or what finds it."""


def kind(name: str) -> Callable[[type[Document]], type[Document]]:
    """Declare the kind of a document: the name on top of a printed one."""

    def declared(document: type[Document]) -> type[Document]:
        assert name not in KINDS, f"two documents are of the kind {name}"
        KINDS[name] = document
        return document

    return declared


@cache
def declared_keys(document: type) -> dict[str, Key]:
    """The keys of a document, inherited ones first.

    >>> from podium.documents.rating_documents import RatingDocument
    >>> declared_keys(RatingDocument)["mu"].meaning
    "mean of the belief about the player's skill"
    """
    found = {}
    for name, hint in get_type_hints(document, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        hint = get_args(hint)[0] if optional else hint
        bare, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        timed = any(note is TIME for note in notes)
        meaning = next((note for note in notes if isinstance(note, str)), "")
        source = next((note.source for note in notes if isinstance(note, From)), name)
        found[name] = Key(TimeText if timed else bare, meaning, optional, source)
    return found


def summary(document: type) -> str:
    """A document's meaning, in one sentence or two: the first paragraph of its docstring."""
    return " ".join((document.__doc__ or "").partition("\n\n")[0].split())
