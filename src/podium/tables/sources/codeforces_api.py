"""Saved answers of the Codeforces API (https://codeforces.com/apiHelp).

Two of its methods tell how a contest ended. `contest.standings` has everybody who took part: contestants,
people out of competition, teams. `contest.ratingChanges` has the people whose rating the contest changed, so
nobody where the contest was unrated. Any answer is `{"status": "OK", "result": ...}` or
`{"status": "FAILED", "comment": ...}`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import polars as pl

from podium.arrays import SECOND
from podium.errors import InputError
from podium.tables.sources.contest_json import CONTEST_SCHEMA, LAST_SECOND, json_words

CODEFORCES_SCHEMA = pl.Schema(
    [
        *CONTEST_SCHEMA.items(),
        ("rated", pl.Boolean),  # false: took part out of competition
        ("team", pl.String),  # null: played alone
    ]
)

# Virtual participants and those who practise met the problems later, knowing what others made of them;
# managers wrote the problems.
_RATED = {"CONTESTANT": True, "OUT_OF_COMPETITION": False}
_LEFT_OUT = frozenset({"VIRTUAL", "PRACTICE", "MANAGER"})

_LAST_RANK = 2**31 - 1

_UNDERSTOOD = "save the whole answer of contest.standings or contest.ratingChanges, unchanged"


@dataclass(frozen=True)
class _Party:
    """Whoever holds one place in the standings: a person or a team."""

    position: int
    rank: int
    handles: tuple[str, ...]
    rated: bool = True
    team_id: int | None = None
    team_name: str | None = None


def is_codeforces(document: object) -> bool:
    """Whether a JSON document is an answer of the Codeforces API, of any of its methods."""
    return (
        isinstance(document, dict)
        and document.get("status") in ("OK", "FAILED")
        and ("result" in document or "comment" in document)
    )


def codeforces_table(document: object, source: str) -> pl.DataFrame:
    """The results in an API answer, with the columns of `CODEFORCES_SCHEMA`: a row for each person.

    The event is the contest's name, its time the end of the contest (for rating changes, when ratings were
    updated). `position` is the index in the answer's list; members of a team share theirs.

    >>> change = {"contestId": 1, "contestName": "Beta Round 1", "ratingUpdateTimeSeconds": 1266588000}
    >>> result = [change | {"handle": "ann", "rank": 1}, change | {"handle": "bob", "rank": 2}]
    >>> table = codeforces_table({"status": "OK", "result": result}, "1.json")
    >>> table.select("event", "player", "rank").row(1)
    ('Beta Round 1', 'bob', 2)
    """
    if not isinstance(document, dict) or not is_codeforces(document):
        raise InputError("this is not an answer of the Codeforces API", source=source, hint=_UNDERSTOOD)
    if document["status"] == "FAILED":
        comment = document.get("comment") or "it gives no reason"
        raise InputError(
            f"Codeforces refused the request: {comment}",
            source=source,
            hint="ask for it again and save that answer",
        )
    result = document.get("result")
    if isinstance(result, dict) and "contest" in result and "rows" in result:
        return _standings(result, source)
    if isinstance(result, list) and all(
        isinstance(change, dict) and "ratingUpdateTimeSeconds" in change for change in result
    ):
        return _rating_changes(result, source)
    raise InputError(
        "this answer of the Codeforces API holds no results of a contest", source=source, hint=_UNDERSTOOD
    )


# contest.standings --------------------------------------------------------------------------------


def _standings(result: dict[str, Any], source: str) -> pl.DataFrame:
    contest = _field(result, "contest", dict, "result", source)
    event = _text(contest, "name", "contest", source)
    phase = contest.get("phase", "FINISHED")
    if phase != "FINISHED":
        raise InputError(
            f"the standings are not final: the contest is in phase {phase}",
            source=source,
            event=event,
            hint="save the answer again once the contest is finished",
        )
    rows = _field(result, "rows", list, "result", source)
    parties = [
        party
        for position, row in enumerate(rows)
        if (party := _party(row, f"rows[{position}]", position, source))
    ]
    if not parties:
        raise InputError(
            f"no contestant took part: there are {len(rows)} rows, all of other kinds",
            source=source,
            event=event,
            hint="podium leaves out virtual, practice and manager rows. Save the standings of the "
            "contest itself",
        )
    return _table(event, _end(contest, source), parties)


def _end(contest: dict[str, Any], source: str) -> int | None:
    """When a contest ended; None where the API does not say when it began, as in parts of the gym."""
    if "startTimeSeconds" not in contest:
        return None
    start = _seconds(contest, "startTimeSeconds", "contest", source)
    return (start + _seconds(contest, "durationSeconds", "contest", source)) * SECOND


def _party(row: object, place: str, position: int, source: str) -> _Party | None:
    """One row of the standings; None for a party that did not compete."""
    party = _field(row, "party", dict, place, source)
    kind = _field(party, "participantType", str, f"{place}.party", source)
    if kind in _LEFT_OUT:
        return None
    if kind not in _RATED:
        known = ", ".join([*_RATED, *sorted(_LEFT_OUT)])
        _refuse(f'{place}.party: "participantType" is {json_words(kind)}, and must be one of {known}', source)
    members = _field(party, "members", list, f"{place}.party", source)
    if not members and party.get("ghost"):
        return None  # results copied from an onsite contest, of people without a handle
    if not members:
        _refuse(f"{place}.party has no members", source)
    return _Party(
        position,
        _rank(row, place, source),
        tuple(
            _text(member, "handle", f"{place}.party.members[{i}]", source) for i, member in enumerate(members)
        ),
        _RATED[kind],
        _field(party, "teamId", int, f"{place}.party", source) if "teamId" in party else None,
        _field(party, "teamName", str, f"{place}.party", source) if "teamName" in party else None,
    )


def _team_labels(parties: list[_Party]) -> list[str | None]:
    """The team name of each party; None for single players."""
    if all(len(party.handles) == 1 for party in parties):
        return [None] * len(parties)  # people who registered as a team of one, in a contest of individuals
    labels = [_team_label(party) for party in parties]
    uses = Counter(labels)
    return [
        # Names of teams need not be unique, and two teams under one name would become one.
        label if label is None or uses[label] == 1 else f"{label} ({_team_number(party)})"
        for label, party in zip(labels, parties, strict=True)
    ]


def _team_label(party: _Party) -> str | None:
    if len(party.handles) == 1 and party.team_id is None:
        return None
    return party.team_name or f"team {_team_number(party)}"


def _team_number(party: _Party) -> str:
    """What tells a team from all others: its number, or else its members."""
    return ", ".join(party.handles) if party.team_id is None else str(party.team_id)


# contest.ratingChanges ----------------------------------------------------------------------------


@dataclass
class _RatedContest:
    """The rating changes of one contest, while they are collected."""

    name: str
    time: int
    parties: list[_Party]


def _rating_changes(changes: list[object], source: str) -> pl.DataFrame:
    if not changes:
        raise InputError(
            "the list of rating changes is empty: the contest was unrated, or its ratings are not out yet",
            source=source,
            hint="for an unrated contest save the answer of contest.standings",
        )
    contests: dict[int, _RatedContest] = {}
    for position, change in enumerate(changes):
        place = f"result[{position}]"
        contest_id = _field(change, "contestId", int, place, source)
        name = _text(change, "contestName", place, source)
        time = _seconds(change, "ratingUpdateTimeSeconds", place, source)
        contest = contests.setdefault(contest_id, _RatedContest(name, time, []))
        if name != contest.name:
            _refuse(f"{place}: contest {contest_id} is {name!r} here and {contest.name!r} before", source)
        contest.time = min(time, contest.time)  # a few old contests have a row updated hours after the others
        handle = _text(change, "handle", place, source)
        contest.parties.append(_Party(position, _rank(change, place, source), (handle,)))

    # user.rating answers with the same objects: one person's changes over many contests.
    people = {party.handles for contest in contests.values() for party in contest.parties}
    if len(people) == 1:
        raise InputError(
            f"this is the history of one user, {handle} (from user.rating), not a contest's results",
            source=source,
            hint=_UNDERSTOOD,
        )

    uses = Counter(contest.name for contest in contests.values())
    return pl.concat(
        _table(
            # People know a contest by its name; but two of the same name would become one event.
            f"{contest.name} ({contest_id})" if uses[contest.name] > 1 else contest.name,
            contest.time * SECOND,
            contest.parties,
        )
        for contest_id, contest in contests.items()
    )


# Both ---------------------------------------------------------------------------------------------


def _table(event: str, time: int | None, parties: list[_Party]) -> pl.DataFrame:
    """A contest as a table; one row for each member of each party."""
    labels = _team_labels(parties)
    rows = [
        (handle, party.rank, party.position, party.rated, label)
        for party, label in zip(parties, labels, strict=True)
        for handle in party.handles
    ]
    columns = {name: CODEFORCES_SCHEMA[name] for name in ("player", "rank", "position", "rated", "team")}
    constants = {"event": event, "time": time, "weight": 1.0, "ceiling": None}
    return (
        pl.DataFrame(rows, schema=columns, orient="row")
        .with_columns(pl.lit(value, CODEFORCES_SCHEMA[name]).alias(name) for name, value in constants.items())
        .select(CODEFORCES_SCHEMA.names())
    )


T = TypeVar("T")


def _field(record: object, key: str, kind: type[T], place: str, source: str) -> T:
    """The value under a key of an object at `place` in the answer, which has to be of a kind."""
    if not isinstance(record, dict):
        _refuse(f"{place} is {json_words(record)}, not an object", source)
    value = record.get(key)
    if type(value) is not kind:  # not isinstance: true is no number
        said = json_words(value) if key in record else "missing"
        words = {int: "a whole number", str: "a string", list: "a list", dict: "an object"}[kind]
        _refuse(f'{place}: "{key}" is {said}, not {words}', source)
    return value


def _text(record: object, key: str, place: str, source: str) -> str:
    text = _field(record, key, str, place, source)
    if not text.strip():
        _refuse(f'{place}: "{key}" is empty', source)
    return text


def _rank(record: object, place: str, source: str) -> int:
    rank = _field(record, "rank", int, place, source)
    if not 1 <= rank <= _LAST_RANK:
        _refuse(f'{place}: "rank" is {rank}, not a place in the standings', source)
    return rank


def _seconds(record: object, key: str, place: str, source: str) -> int:
    seconds = _field(record, key, int, place, source)
    if not 0 <= seconds <= LAST_SECOND:
        _refuse(f'{place}: "{key}" is {seconds}, which is not a number of seconds since 1970', source)
    return seconds


def _refuse(reason: str, source: str) -> NoReturn:
    raise InputError(reason, source=source, hint=_UNDERSTOOD)
