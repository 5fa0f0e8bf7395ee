"""Forms that people fill in, as reports: a match, standings, a rename; a void or a correction."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from podium.errors import InputError
from podium.history import Event
from podium.server import machine
from podium.server.log.event_names import NUMBER
from podium.server.log.grounds import Grounds
from podium.server.log.log_entries import LogEntry
from podium.text import shorten

Form = Mapping[str, str]
Known = Callable[[str], bool]
"""Whether a player is called so."""
SHARED_RANK = "="
"""What a line of standings begins with if it shares the rank of the line above."""
TEAM = "+"
"""What is between the members of a team, with blanks around it. A line that begins with it joins the team of
the line above, unless it is a player's name."""
RANKED = re.compile(r"([1-9][0-9]{0,8})\.\s+(.+)")
"""A line of standings with a rank, unless it is a player's name: `12. ann`."""
RESULTS = {"win": (1, 2), "draw": (1, 1), "loss": (2, 1)}
"""Ranks of both players by the result of the first."""


def report_of_form(form: Form, is_known: Known = lambda name: False) -> dict[str, Any]:
    """The report that a form means, as the API takes it, with a key of its own: sent twice, it counts once.

    Several blanks inside a name are one, unless a player `is_known` by the very name.

    >>> report = report_of_form({"what": "match", "a": " ann  lee ", "b": "bob", "result": "draw"})
    >>> report["ranks"]
    {'ann lee': 1, 'bob': 1}
    """
    make = FORMS.get(form.get("what", ""))
    if make is None:
        raise InputError("this form is unknown", hint="reload the page and fill it in again")
    return {**make(form, is_known), "key": f"form-{machine.token_hex(16)}"}


def _match(form: Form, is_known: Known) -> dict[str, Any]:
    a, b = (
        _meant(_needed(form, "a", "the first player"), is_known),
        _meant(_needed(form, "b", "the second player"), is_known),
    )
    if form.get("result") not in RESULTS:
        raise InputError("the result is missing", hint="choose win, draw or loss")
    if a == b:
        raise InputError(
            f"{shorten(a)!r} cannot play against themselves", hint="choose two different players"
        )
    first, second = RESULTS[form["result"]]
    return {"ranks": {a: first, b: second}, **_when(form)}


def _standings(form: Form, is_known: Known) -> dict[str, Any]:
    """Lines from the first to the last; a line that begins with = shares the rank of the one above, one that
    begins with + joins its team, one that begins with a number and a point has this rank.
    """
    sides: list[list[str]] = []
    ranks: list[int] = []
    for line in filter(None, map(str.strip, form.get("lines", "").splitlines())):
        shares, joins = line.startswith(SHARED_RANK), line.startswith(TEAM) and not is_known(line)
        ranked = None if is_known(line) else RANKED.fullmatch(line)
        text = line.removeprefix(TEAM if joins else SHARED_RANK) if ranked is None else ranked[2]
        names = [_meant(name, is_known) for name in text.split(f" {TEAM} ") if name.strip()]
        if joins and not sides:
            raise InputError(
                f"the first line starts with {TEAM}, but there is no team above it",
                hint="write the team's first player without it",
            )
        if joins:
            sides[-1] += names
            continue
        sides.append(names)
        own = _next_rank(ranks) if ranked is None else int(ranked[1])
        ranks.append(ranks[-1] if shares and ranks else own)
    if len(sides) < 2:
        raise InputError(
            "the standings need at least two lines", hint="write one player per line, winner first"
        )
    if all(len(side) == 1 for side in sides):
        named = [side[0] for side in sides]
        if len(set(named)) < len(named):
            twice = next(name for name in named if named.count(name) > 1)
            raise InputError(f"{shorten(twice)!r} is in the standings twice", hint="list each player once")
        return {"ranks": dict(zip(named, ranks, strict=True)), **_when(form)}
    return {"teams": sides, "ranks": ranks, **_when(form)}


def _next_rank(ranks: Sequence[int]) -> int:
    """The rank of a line below these, if it names none."""
    return max(len(ranks), ranks[-1] if ranks else 0) + 1


def standings_lines(event: Event, name_of: Callable[[str], str]) -> str:
    """The standings of an event as `_standings` reads them: a line has its rank if it is not the next one."""
    lines: list[str] = []
    ranks: list[int] = []
    for rank, side in sorted(zip(event.ranks, event.sides, strict=True), key=lambda one: one[0]):
        names = f" {TEAM} ".join(map(name_of, side))
        if ranks and rank == ranks[-1]:
            lines.append(f"{SHARED_RANK} {names}")
        else:
            is_plain = rank == _next_rank(ranks) and RANKED.fullmatch(names) is None
            lines.append(names if is_plain else f"{rank}. {names}")
        ranks.append(rank)
    return "\n".join(lines)


def former_result(event: Event, name_of: Callable[[str], str]) -> str:
    """The result of an event that is about to be corrected, in a sentence."""
    sides = [[*map(name_of, side)] for side in event.sides]
    return f" Before: {_result_words({'teams': sides, 'ranks': event.ranks})}"


def _when(form: Form) -> dict[str, Any]:
    """The name and the time of an event, if they are given, and whether it goes where it belongs by it."""
    found: dict[str, Any] = {}
    if name := form.get("name", "").strip():
        found["name"] = name
    if time := form.get("time", "").strip():
        found["time"] = time if re.search(r"T.*(Z|[+-]\d\d:?\d\d)$|^[^T]*$", time) else f"{time}Z"
    if form.get("late"):
        if "time" not in found:
            raise InputError("a late report needs its time", hint="fill in when the event took place")
        found["late"] = True
    return found


def _rename(form: Form, is_known: Known) -> dict[str, Any]:
    player, into = _needed(form, "player", "the player"), _needed(form, "into", "the new name")
    return {"adjustment": "rename", "player": _meant(player, is_known), "into": _meant(into, is_known)}


def _merge(form: Form, is_known: Known) -> dict[str, Any]:
    player, into = _needed(form, "player", "one account"), _needed(form, "into", "the other account")
    return {"adjustment": "merge", "player": _meant(player, is_known), "into": _meant(into, is_known)}


def _void(form: Form, _: Known) -> dict[str, Any]:
    return {"void": _event(form), **_grounds(form)}


def _correct(form: Form, is_known: Known) -> dict[str, Any]:
    return {"correct": _event(form), **_standings(form, is_known), **_grounds(form)}


def _grounds(form: Form) -> dict[str, str]:
    """Why the log is amended, as far as it is filled in."""
    given = {name: form.get(name, "").strip() for name in Grounds._fields}
    return {name: value for name, value in given.items() if value}


def kept_parts(sent: Mapping[str, Any], entry: LogEntry, name_of: Callable[[str], str]) -> dict[str, Any]:
    """What a correction by the form leaves as it was in an event, as far as it fits who takes part now."""
    event = entry.content
    assert isinstance(event, Event)
    sides = sent.get("teams") or [[name] for name in sent["ranks"]]
    members = {name for side in sides for name in side}

    def those(players: Iterable[str]) -> list[str]:
        return sorted(name for name in map(name_of, players) if name in members)

    kept = {
        "name": event.name,
        "weight": None if event.weight == 1.0 else event.weight,
        "home": next(iter(those([] if event.home is None else [event.home])), None),
        "unrated": those(event.unrated),
        "play": {name_of(player): part for player, part in event.play if name_of(player) in members},
        "ceiling": event.ceiling,
        "disqualified": those(entry.disqualified),
        "rated": None if entry.rated else False,
        "allow_repeat": entry.allow_repeat or None,
    }
    return {word: value for word, value in kept.items() if value not in (None, [], {})}


def _disqualify(form: Form, is_known: Known) -> dict[str, Any]:
    names = [_meant(line, is_known) for line in form.get("players", "").splitlines() if line.strip()]
    if not names:
        raise InputError("no player is named", hint="write one player per line")
    return {"disqualify": names, "event": _event(form), **_grounds(form)}


def _meant(text: str, is_known: Known) -> str:
    """The name that a text means."""
    name = text.strip()
    return name if is_known(name) else " ".join(name.split())


def _needed(form: Form, field: str, words: str) -> str:
    if not (given := form.get(field, "").strip()):
        raise InputError(f"{words} is missing")
    return given


def _event(form: Form) -> int | str:
    """The number or the name of an event, as the API takes it."""
    if not (given := form.get("number", "").strip()):
        raise InputError("the event is missing", hint="the page Events lists its number and name")
    return int(given) if NUMBER.fullmatch(given) else given


FORMS: dict[str, Callable[[Form, Known], dict[str, Any]]] = {
    "match": _match,
    "standings": _standings,
    "rename": _rename,
    "merge": _merge,
    "void": _void,
    "correct": _correct,
    "disqualify": _disqualify,
}
"""What each form means, by the word that it sends."""


def report_words(sent: Mapping[str, Any]) -> str:
    """What a report says, in a sentence.

    >>> report_words({"ranks": {"ann": 1, "bob": 1}}), report_words({"void": 7})
    ('ann drew with bob.', 'Event 7 is taken back.')
    """
    why = "".join(f" {name.capitalize()}: {sent[name]}" for name in Grounds._fields if name in sent)
    if "void" in sent:
        return f"Event {sent['void']} is taken back.{why}"
    if "disqualify" in sent:
        return f"Disqualified in event {sent['event']}: {', '.join(sent['disqualify'])}.{why}"
    if "adjustment" in sent:
        verb = "is renamed to" if sent["adjustment"] == "rename" else "is merged into"
        return f"{sent['player']} {verb} {sent['into']}."
    standing = f"{_result_words(sent)}{_detail_words(sent)}"
    late = " It is rated at its own time." if sent.get("late") else ""
    if "correct" in sent:
        return f"Event {sent['correct']} is corrected: {standing}{why}"
    return f"{standing}{late}"


def _detail_words(sent: Mapping[str, Any]) -> str:
    """What is said of an event beside the result."""
    details = {
        "Name": sent.get("name"),
        "Time": sent.get("time"),
        "Weight": sent.get("weight"),
        "At home": sent.get("home"),
        "Not rated": ", ".join(sent.get("unrated", ())),
        "Disqualified": ", ".join(sent.get("disqualified", ())),
    }
    words = "".join(f" {word}: {value}." for word, value in details.items() if value not in (None, ""))
    return words if sent.get("rated", True) else f"{words} It is not rated."


def _result_words(sent: Mapping[str, Any]) -> str:
    sides = sent.get("teams") or [[name] for name in sent["ranks"]]
    ranks = sent["ranks"] if "teams" in sent else list(sent["ranks"].values())
    named = [" and ".join(side) for side in sides]
    if len(named) == 2:
        verb = "drew with" if ranks[0] == ranks[1] else "beat" if ranks[0] < ranks[1] else "lost to"
        where = "" if {*ranks} <= {1, 2} else f" (ranks {ranks[0]} and {ranks[1]})"
        return f"{named[0]} {verb} {named[1]}{where}."
    placed = sorted(zip(ranks, named, strict=True), key=lambda one: one[0])
    return ", ".join(f"{rank}. {name}" for rank, name in placed) + "."
