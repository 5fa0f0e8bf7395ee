"""Forms of a tournament's pages, as the steps and tournaments that they mean."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from podium.errors import InputError
from podium.tournaments.tournament import Tournament

TICKED, SCORED, BOARD, CLUB = "here-", "score-", "board-", "club-"
"""Beginnings of the names of fields: for each player who is here, side of a match, board, entrant's club."""
CLUB_AFTER_NAME = re.compile(r"(.*\S)\s*\(([^()]*[^()\s][^()]*)\)")
"""A name with a club or class behind it, such as `Ann Lee (5a)`."""
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
Find = Callable[[str], str | None]
"""The known player whom an organiser means by a name."""


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


def best_of(tournament: Tournament, form: Mapping[str, str]) -> dict[str, Any]:
    """The step by which the best of a tournament join another one."""
    other = Tournament("knockout")
    other.join_best(tournament, _whole(form, "best", 8))
    entrants = other.field.here
    return {
        "join": [
            {"player": one.player, "club": one.club, "members": [*one.members], "seed": one.seed}
            for one in entrants
        ]
    }


def steps_of_form(form: Mapping[str, str], tournament: Tournament, find: Find) -> list[dict[str, Any]]:
    """The steps that a form means, with keys made of the form's own: sent twice, it counts once."""
    match form.get("what"):
        case "here":
            steps = _who_is_here(form, tournament, find)
        case "pair":
            places = _whole(form, "places", 0)
            more = {"places": places} if places else {}
            steps = _who_is_here(form, tournament, find) if "was" in form else []
            allowed = {word: word in form for word in ("rematches", "clubmates")}
            steps.append({"pair": {**more, **allowed}})
        case "result":
            steps = [{"results": [_result(form)]}]
        case "forbid" | "allow" as word:
            pair = [form.get("first", ""), form.get("second", "")]
            if not all(pair):
                raise InputError("choose two players")
            steps = [{word: pair}]
        case "clubs" | "no-clubs" as word:
            in_clubs = dict.fromkeys(name for name, one in tournament.field.entrants.items() if one.club)
            clubs = _clubs(form, tournament) if word == "clubs" else in_clubs
            steps = [{"clubs": clubs}] if clubs else []
        case "undo" | "close" as word:
            steps = [{word: True}]
        case _:
            raise InputError("the form could not be read", hint="reload the page")
    key = form.get("key", "")
    return [{**step, "key": f"{key}-{next(iter(step))}"} for step in steps] if key else steps


def _who_is_here(form: Mapping[str, str], tournament: Tournament, find: Find) -> list[dict[str, Any]]:
    """Those who were ticked or unticked since the page was made: others may tick names at the same time."""
    before = {str(name) for name in _was(form)}
    ticked = [name for field, name in form.items() if field.startswith(TICKED)]
    lines = [line.strip() for line in form.get("newcomers", "").splitlines() if line.strip()]
    read = [_members(line, find) for line in lines]
    teams = {team: found for team, found in read if found}
    players = [_club(line, find) for line, found in read if not found]
    names = [team for team, found in read if found] + [name for name, _ in players]
    count = Counter(name.casefold() for name in names)
    if twice := next((name for name in names if count[name.casefold()] > 1), None):
        raise InputError(f"{twice!r} is written twice", hint="add a surname or a letter to one of them")
    clubs = {find(name) or name: club for name, club in players if club}
    written = [*(find(name) or name for name, _ in players), *teams]
    here = {entrant.player for entrant in tournament.field.here}
    coming = [name for name in dict.fromkeys([*ticked, *written]) if name not in before | here]
    coming += [name for name in dict.fromkeys(written) if name in before - here]
    leaving = [name for name in sorted(before - set(ticked) - set(written)) if name in here]
    joining = [
        {"player": name, "members": teams[name]}
        if name in teams
        else {"player": name, "club": clubs[name]}
        if name in clubs
        else name
        for name in coming
    ]
    moved = {name: club for name, club in clubs.items() if name in here and name not in coming}
    steps: list[dict[str, Any]] = [{"join": joining}, {"leave": leaving}, {"clubs": moved}]
    return [step for step in steps if any(step.values())]


def _was(form: Mapping[str, str]) -> list[Any]:
    """What the page showed when it was made."""
    try:
        found = json.loads(form.get("was", "[]"))
    except ValueError:
        found = None
    return found if isinstance(found, list) else []


def _club(line: str, find: Find) -> tuple[str, str]:
    """The name and the club in `Ann Lee (5a)`; no club if a player has the whole as their name."""
    found = CLUB_AFTER_NAME.fullmatch(line)
    if found is None or find(line) is not None:
        return line, ""
    return found[1], found[2].strip()


def _clubs(form: Mapping[str, str], tournament: Tournament) -> dict[str, str | None]:
    """The clubs that were changed since the page was made."""
    found: dict[str, str | None] = {}
    for number, one in enumerate(_was(form), 1):
        name, before = (str(part) for part in one) if isinstance(one, list) and len(one) == 2 else ("", "")
        club = form.get(f"{CLUB}{number}", before).strip()
        if club != before and name in tournament.field.entrants:
            found[name] = club or None
    return found


def _members(line: str, find: Find) -> tuple[str, list[str]]:
    """A team and who plays on its boards, such as `Reds: Ann, Bob`; no members if the line is a player."""
    team, _, more = line.partition(":")
    members = [find(name) or name for part in more.split(",") if (name := part.strip())]
    return (team.strip(), members) if team.strip() and len(members) > 1 else (line, [])


def _result(form: Mapping[str, str]) -> dict[str, Any]:
    score: str | list[float] | None = form.get("score", "").strip()
    found: dict[str, Any] = {"match": _whole(form, "match", 0), "round": _whole(form, "round", 0)}
    found["correct"] = "correct" in form
    if not score and (boards := _boards(form)):
        return {**found, "boards": boards}
    if not score:
        fields = [text.strip() for field, text in sorted(form.items()) if field.startswith(SCORED)]
        if not any(fields):
            raise InputError("the score is missing", hint="tap a result or fill in the numbers")
        score = [_number(text) for text in fields]
    if score == "none":
        score = None
    return {**found, "score": score}


def _boards(form: Mapping[str, str]) -> list[str]:
    """The scores of the boards; a board without one is only allowed behind all others."""
    found = {
        _whole({"n": field[len(BOARD) :]}, "n", 0): form[field] for field in form if field.startswith(BOARD)
    }
    for number in range(1, len(found) + 1):
        if number not in found:
            raise InputError(f"board {number} has no result")
    return [found[number] for number in sorted(found)]


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
    """How names that organisers write are understood: a first name is enough where one player has it.

    >>> find = finder(["Ann Lee", "Bob Ray", "Bob Kay"])
    >>> find("ann"), find("Bob"), find("bob kay"), find("Cat")
    ('Ann Lee', None, 'Bob Kay', None)
    """
    known: dict[str, list[str]] = {}
    for name in names:
        parts = name.casefold().split()
        for word in {name.casefold(), parts[0] if parts else ""}:
            known.setdefault(word, []).append(name)

    def find(written: str) -> str | None:
        found = known.get(written.casefold(), [])
        return written if written in found else found[0] if len(found) == 1 else None

    return find
