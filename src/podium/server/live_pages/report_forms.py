"""Forms that people fill in, as reports: a match, standings, a rename; a void or a correction."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from podium.errors import InputError
from podium.history import Event
from podium.server.log.event_names import NUMBER
from podium.server.log.grounds import Grounds
from podium.server.log.log_entries import LogEntry
from podium.server.log.reports import event_of_words
from podium.text import percent, shorten

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
OFFSET = re.compile(r"-?[0-9]{1,3}")
"""Minutes by which a browser's clock is ahead of UTC."""
KEPT = {"most": 0.75, "half": 0.5, "nothing": 0.0}
"""How much of the ratings a new season keeps."""
RESULTS = {"win": (1, 2), "draw": (1, 1), "loss": (2, 1)}
"""Ranks of both players by the result of the first."""


def report_of_form(form: Form, is_known: Known = lambda name: False) -> dict[str, Any]:
    """The report that a form means, as the API takes it.

    Several blanks inside a name are one, unless a player `is_known` by the very name.

    >>> report = report_of_form({"what": "match", "a": " ann  lee ", "b": "bob", "result": "draw"})
    >>> report["ranks"]
    {'ann lee': 1, 'bob': 1}
    """
    make = FORMS.get(form.get("what", ""))
    if make is None:
        raise InputError("this form is unknown", hint="reload the page and fill it in again")
    return make(form, is_known)


def _match(form: Form, is_known: Known) -> dict[str, Any]:
    """A match of two players, or of two pairs, by its score or by who won."""
    pairs = [
        [
            _meant(_needed(form, one, f"the {words} player"), is_known),
            *([_meant(form[partner], is_known)] if form.get(partner, "").strip() else []),
        ]
        for one, partner, words in (("a", "a2", "first"), ("b", "b2", "second"))
    ]
    members = [name for pair in pairs for name in pair]
    for name in members:
        if members.count(name) > 1:
            raise InputError(
                f"{shorten(name)!r} is named twice in this match",
                hint="choose different players",
            )
    outcome = _outcome(form)
    if len(members) > 2:
        return {"teams": pairs, **outcome, **_when(form)}
    ((word, both),) = outcome.items()
    return {word: dict(zip(members, both, strict=True)), **_when(form)}


def _outcome(form: Form) -> dict[str, list[Any]]:
    """The scores of both sides if they are given, or else their ranks."""
    from podium.tables.rows.match_results import points_or_sets

    result, score = form.get("result", ""), form.get("score", "").strip()
    if result and result not in RESULTS:
        raise InputError("the result is unknown", hint="choose who won, or a draw")
    if not score:
        if not result:
            raise InputError("the result is missing", hint="write a score such as 3:1, or choose who won")
        return {"ranks": [*RESULTS[result]]}
    both = points_or_sets(score.lower())
    if both is None:
        raise InputError(
            f"the score {shorten(score)!r} cannot be read",
            hint="write the first player's points first, such as 3:1, or the sets, such as 11-8 9-11 11-5",
        )
    ranks = (1, 2) if both[0] > both[1] else (2, 1) if both[0] < both[1] else (1, 1)
    if result and ranks != RESULTS[result]:
        raise InputError(
            f"the score {score} and the chosen result contradict each other",
            hint="write the first player's points first",
        )
    return {"scores": [int(one) if one.is_integer() else one for one in both]}


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
    return f" Before: {result_words(event, name_of)}"


def _when(form: Form) -> dict[str, Any]:
    """The name and the time of an event, if they are given, and whether it goes where it belongs by it."""
    found: dict[str, Any] = {}
    if name := form.get("name", "").strip():
        found["name"] = name
    if time := form.get("time", "").strip():
        is_whole = re.search(r"T.*(Z|[+-]\d\d:?\d\d)$|^[^T]*$", time) is not None
        found["time"] = time if is_whole else f"{time}{_zone(form)}"
    if form.get("late"):
        if "time" not in found:
            raise InputError("a late report needs its time", hint="fill in when the event took place")
        found["late"] = True
    return found


def _zone(form: Form) -> str:
    """The time zone of the browser at the time that it sends, or UTC if it does not say.

    >>> _zone({"offset": "-150"}), _zone({})
    ('-02:30', 'Z')
    """
    given = form.get("offset", "")
    if OFFSET.fullmatch(given) is None:
        return "Z"
    hours, minutes = divmod(abs(int(given)), 60)
    return f"{'-' if given.startswith('-') else '+'}{hours:02}:{minutes:02}"


def _rename(form: Form, is_known: Known) -> dict[str, Any]:
    player, into = _needed(form, "player", "the player"), _needed(form, "into", "the new name")
    return {"adjustment": "rename", "player": _meant(player, is_known), "into": _meant(into, is_known)}


def _merge(form: Form, is_known: Known) -> dict[str, Any]:
    player, into = _needed(form, "player", "one account"), _needed(form, "into", "the other account")
    return {"adjustment": "merge", "player": _meant(player, is_known), "into": _meant(into, is_known)}


def _set_rating(form: Form, is_known: Known) -> dict[str, Any]:
    player, display = _needed(form, "player", "the player"), _needed(form, "display", "the rating")
    try:
        rating = float(display.replace(",", "."))
    except ValueError as error:
        raise InputError(
            f"the rating {shorten(display)!r} is not a number", hint="write it such as 1650"
        ) from error
    return {"adjustment": "set-rating", "player": _meant(player, is_known), "display": rating}


def _season(form: Form, _: Known) -> dict[str, Any]:
    keep = KEPT.get(form.get("keep", ""))
    if keep is None:
        raise InputError("the form does not say how much of the ratings is kept", hint="choose one")
    return {"adjustment": "reset", "keep": keep}


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


def renamed_in_form(form: Form, wrong: str, meant: str) -> dict[str, str]:
    """A form that names a known player where it had a misspelt name.

    >>> renamed_in_form({"a": " Bbo ", "lines": "1. Ann\\n2. Bbo + Cid"}, "Bbo", "Bob")
    {'a': 'Bob', 'lines': '1. Ann\\n2. Bob + Cid'}
    """
    whole = r"(?<!\S)" + r"\s+".join(map(re.escape, wrong.split())) + r"(?!\S)"

    def corrected(text: str) -> str:
        return re.sub(whole, lambda _: meant, text)

    return {
        name: corrected(value) if name == "lines" else meant if _tidy(value) == _tidy(wrong) else value
        for name, value in form.items()
        if wrong.strip()
    }


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _meant(text: str, is_known: Known) -> str:
    """The name that a text means."""
    name = text.strip()
    return name if is_known(name) else _tidy(name)


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
    "set-rating": _set_rating,
    "season": _season,
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
    if sent.get("adjustment") == "set-rating":
        return f"The rating of {sent['player']} is set to {sent['display']:g}."
    if sent.get("adjustment") == "reset":
        kept = f"All players keep {percent(sent['keep'])} of their distance from a newcomer's rating"
        return f"A new season starts. {kept if sent['keep'] else 'All players start like newcomers'}."
    if "adjustment" in sent:
        verb = "is renamed to" if sent["adjustment"] == "rename" else "is merged into"
        return f"{sent['player']} {verb} {sent['into']}."
    said = {name: sent[name] for name in ("teams", "ranks", "scores") if name in sent}
    standing = f"{result_words(event_of_words(said))}{_detail_words(sent)}"
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


def result_words(event: Event, name_of: Callable[[str], str] = str) -> str:
    """The result of an event, in a sentence.

    >>> result_words(Event.of(scores={"bob": 1, "ann": 3}))
    'bob lost to ann 1:3.'
    """
    named = [" and ".join(map(name_of, side)) for side in event.sides]
    ranks = event.ranks
    if len(named) == 2:
        verb = "drew with" if ranks[0] == ranks[1] else "beat" if ranks[0] < ranks[1] else "lost to"
        where = "" if {*ranks} <= {1, 2} else f" (ranks {ranks[0]} and {ranks[1]})"
        score = "" if event.scores is None else f" {event.scores[0]:g}:{event.scores[1]:g}"
        return f"{named[0]} {verb} {named[1]}{score}{where}."
    placed = sorted(zip(ranks, named, strict=True), key=lambda one: one[0])
    return ", ".join(f"{rank}. {name}" for rank, name in placed) + "."
