"""Forms of a tournament's pages, as the steps and tournaments that they mean."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from podium.errors import InputError
from podium.tournaments.tournament import Tournament

TICKED, SCORED = "here-", "score-"
"""Beginnings of the names of fields: one for each player who is here, one for each side of a match."""
FORMATS = (
    ("evening", "Club evening: singles"),
    ("evening:2v2", "Club evening: doubles"),
    ("evening:tables", "Club evening: tables of 3 to 6"),
    ("swiss", "Swiss: players with equal points meet"),
    ("round-robin", "Round robin: all players meet once"),
    ("round-robin:double", "Double round robin: all players meet twice"),
    ("knockout", "Knockout: the loser is out"),
    ("knockout:double", "Double knockout: two losses and out"),
    ("groups:2x2", "Two groups, then a knockout of the best 2 of each"),
    ("groups:4x2", "Four groups, then a knockout of the best 2 of each"),
)
"""Formats as the form offers them."""
Find = Callable[[str], str]
"""The player whom somebody means by a name."""


def slug_of(name: str, taken: Iterable[str]) -> str:
    """A name for addresses that no other tournament has.

    >>> slug_of("Café Cup, 2026!", ["cafe-cup-2026"])
    'cafe-cup-2026-2'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50].strip("-") or "tournament"
    used, number, found = set(taken), 1, slug
    while found in used:
        number += 1
        found = f"{slug}-{number}"
    return found


def new_tournament(form: Mapping[str, str], taken: Iterable[str]) -> dict[str, Any]:
    """The tournament that the form describes."""
    name, kind = form.get("name", "").strip(), form.get("format", "")
    if not name:
        raise InputError("the tournament needs a name")
    if kind == "swiss":
        kind = f"swiss:{_whole(form, 'rounds', 5)}"
    return {
        "slug": slug_of(name, taken),
        "name": name,
        "format": kind,
        "private": "private" in form,
        "reports": form.get("reports", "at-once"),
    }


def steps_of_form(form: Mapping[str, str], tournament: Tournament, find: Find) -> list[dict[str, Any]]:
    """The steps that a form means, with keys made of the form's own: sent twice, it counts once."""
    match form.get("what"):
        case "here":
            steps = _who_is_here(form, tournament, find)
        case "pair":
            places = _whole(form, "places", 0)
            more = {"places": places} if places else {}
            steps = [{"pair": {**more, "rematches": "rematches" in form}}]
        case "result":
            steps = [{"results": [_result(form)]}]
        case "undo" | "close" as word:
            steps = [{word: True}]
        case _:
            raise InputError("the form could not be read", hint="reload the page")
    key = form.get("key", "")
    return [{**step, "key": f"{key}-{next(iter(step))}"} for step in steps] if key else steps


def _who_is_here(form: Mapping[str, str], tournament: Tournament, find: Find) -> list[dict[str, Any]]:
    """Those who were ticked or unticked since the page was made: others may tick names at the same time."""
    try:
        before = {str(name) for name in json.loads(form.get("was", "[]"))}
    except (TypeError, ValueError):
        before = set()
    ticked = [name for field, name in form.items() if field.startswith(TICKED)]
    written = [find(name.strip()) for name in form.get("newcomers", "").splitlines() if name.strip()]
    here = {entrant.player for entrant in tournament.field.here}
    coming = [name for name in dict.fromkeys([*ticked, *written]) if name not in before | here]
    coming += [name for name in dict.fromkeys(written) if name in before - here]
    leaving = [name for name in sorted(before - set(ticked) - set(written)) if name in here]
    steps: list[dict[str, Any]] = [{"join": coming}] if coming else []
    return [*steps, {"leave": leaving}] if leaving else steps


def _result(form: Mapping[str, str]) -> dict[str, Any]:
    score: str | list[float] | None = form.get("score", "").strip()
    if not score:
        fields = [text.strip() for field, text in sorted(form.items()) if field.startswith(SCORED)]
        if not any(fields):
            raise InputError("the score is missing", hint="tap a result or fill in the numbers")
        score = [_number(text) for text in fields]
    if score == "none":
        score = None
    found: dict[str, Any] = {"match": _whole(form, "match", 0), "score": score}
    return {**found, "round": _whole(form, "round", 0), "correct": "correct" in form}


def _number(text: str) -> float:
    try:
        return float(text.replace(",", ".").replace("½", ".5"))
    except ValueError:
        raise InputError(f"{text[:20]!r} is not a number", hint="each side needs its score") from None


def _whole(form: Mapping[str, str], field: str, usual: int) -> int:
    text = form.get(field, "").strip()
    if not text:
        return usual
    if not text.isdecimal() or len(text) > 9:
        raise InputError(f"{text[:20]!r} is not a whole number")
    return int(text)


def finder(names: Iterable[str]) -> Find:
    """How names that people write are understood: a first name is enough where one player has it.

    >>> find = finder(["Ann Lee", "Bob Ray", "Bob Kay"])
    >>> find("ann"), find("Bob"), find("bob kay"), find("Cat")
    ('Ann Lee', 'Bob', 'Bob Kay', 'Cat')
    """
    known: dict[str, list[str]] = {}
    for name in names:
        parts = name.casefold().split()
        for word in {name.casefold(), parts[0] if parts else ""}:
            known.setdefault(word, []).append(name)

    def find(written: str) -> str:
        found = known.get(written.casefold(), [])
        if written in found or len(found) != 1:
            return written
        return found[0]

    return find
