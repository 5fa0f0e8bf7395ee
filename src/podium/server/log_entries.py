"""One entry of a ladder's log, and how it is stored: players by number, with a checksum."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, ClassVar, Literal

from sqlalchemy import Row

from podium.arrays import NO_TIME
from podium.errors import InputError, StateError
from podium.history import Adjustment, Event, Rename
from podium.history.adjustments import make_adjustment
from podium.ladder.log_records import event_of, plain_event
from podium.server.reports import Report, plain_adjustment, without_players

EntryKind = Literal["event", "adjustment"]
PLAYER_WORDS = ("player", "into")
"""Values of an adjustment that name a player."""


@dataclass(frozen=True, kw_only=True)
class Renamed(Adjustment):
    """A rename as the log knows it: who was renamed. Names are beside the log."""

    kind: ClassVar[str] = Rename.kind
    player: str


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of the log, with players by the names that they have now."""

    number: int
    key: str
    fingerprint: bytes
    content: Event | Adjustment
    """What happened; an event at the time it is rated at."""
    occurred: int
    """The time that the caller gave, or `NO_TIME`."""
    rated_time: int
    received: int
    disqualified: frozenset[str] = frozenset()
    rated: bool = True
    allow_repeat: bool = False

    @property
    def kind(self) -> EntryKind:
        """What it is."""
        return "event" if isinstance(self.content, Event) else "adjustment"

    @property
    def counted(self) -> Event | None:
        """The event as it is rated; None if there is nothing to rate."""
        if not self.rated or not isinstance(self.content, Event):
            return None
        return without_players(self.content, self.disqualified)

    @property
    def name(self) -> str:
        """What explanations call it."""
        if isinstance(self.content, Adjustment):
            return self.content.describe()
        return self.content.name or f"no. {self.number}"


def planned_entries(
    reports: Iterable[Report], head: int, last_time: int, received: int, fill_times: bool
) -> list[LogEntry]:
    """The entries of the log that reports would be behind `head`, each at the time it is rated at.

    That is the time it happened, or the last one that was rated if that is later: clocks of game servers
    differ, and nothing is refused or rated again for it.
    """
    entries = []
    for number, report in enumerate(reports, start=head + 1):
        time = received if report.time == NO_TIME and fill_times else report.time
        if time != NO_TIME:
            time = max(time, last_time)
        content = report.content
        entry = LogEntry(
            number=number,
            key=report.key,
            fingerprint=report.fingerprint,
            content=replace(content, time=time) if isinstance(content, Event) else content,
            occurred=report.time,
            rated_time=time,
            received=received,
            disqualified=report.disqualified,
            rated=report.counted is not None if isinstance(content, Event) else True,
            allow_repeat=report.allow_repeat,
        )
        last_time = max(last_time, time) if entry.rated else last_time
        entries.append(entry)
    return entries


def payload_of(entry: LogEntry, number_of: Callable[[str], int]) -> str:
    """What the log keeps of an entry beside its columns: players by number, and only what is not usual."""
    if isinstance(entry.content, Adjustment):
        values = plain_adjustment(entry.content)
        if isinstance(entry.content, Rename):
            del values["into"]
        for word in PLAYER_WORDS:
            if word in values:
                values[word] = number_of(values[word])
        plain: dict[str, Any] = {"adjustment": entry.content.kind, **values}
    else:
        plain = plain_event(replace(entry.content, time=NO_TIME))
        for side in plain["sides"]:
            side["players"] = [number_of(name) for name in side["players"]]
        if "home" in plain:
            plain["home"] = number_of(plain["home"])
        if "unrated" in plain:
            plain["unrated"] = [number_of(name) for name in plain["unrated"]]
        if "play" in plain:
            plain["play"] = {str(number_of(name)): part for name, part in plain["play"].items()}
        if entry.disqualified:
            plain["disqualified"] = sorted(number_of(name) for name in entry.disqualified)
        if entry.allow_repeat:
            plain["allow_repeat"] = True
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def entry_of(row: Row[Any] | Any, name_of: Callable[[int], str]) -> LogEntry:
    """The entry that a row of the table `event` holds; refused if it was changed since it was written."""
    if row.checksum != checksum_of(row):
        raise StateError(
            f"entry {row.seq} of the log is damaged: its checksum does not match",
            hint="restore the database from a backup",
        )
    time = NO_TIME if row.rated_time is None else row.rated_time
    try:
        plain = json.loads(row.payload)
        content: Event | Adjustment
        if row.kind == "adjustment":
            content, disqualified, repeat = _adjustment(plain, name_of), frozenset[str](), False
        else:
            disqualified = frozenset(name_of(number) for number in plain.pop("disqualified", ()))
            repeat = plain.pop("allow_repeat", False)
            content = replace(event_of(_with_names(plain, name_of)), time=time)
    except (KeyError, IndexError, TypeError, ValueError, InputError) as error:
        raise StateError(
            f"entry {row.seq} of the log is not laid out as podium writes it: {error!r}"
        ) from error
    return LogEntry(
        number=row.seq,
        key=row.key,
        fingerprint=bytes(row.fingerprint),
        content=content,
        occurred=NO_TIME if row.occurred is None else row.occurred,
        rated_time=time,
        received=row.received,
        disqualified=disqualified,
        rated=bool(row.rated),
        allow_repeat=repeat,
    )


def _adjustment(plain: dict[str, Any], name_of: Callable[[int], str]) -> Adjustment:
    kind = plain.pop("adjustment")
    named = {word: name_of(plain[word]) for word in PLAYER_WORDS if word in plain}
    if kind == Rename.kind:
        return Renamed(player=named["player"])
    return make_adjustment(kind, plain | named)


def _with_names(plain: Mapping[str, Any], name_of: Callable[[int], str]) -> dict[str, Any]:
    named: dict[str, Any] = dict(plain)
    named["sides"] = [
        {**side, "players": [name_of(number) for number in side["players"]]} for side in plain["sides"]
    ]
    if "home" in plain:
        named["home"] = name_of(plain["home"])
    if "unrated" in plain:
        named["unrated"] = [name_of(number) for number in plain["unrated"]]
    if "play" in plain:
        named["play"] = {name_of(int(number)): part for number, part in plain["play"].items()}
    return named


def stored_row(entry: LogEntry, ladder: int, engine: int, number_of: Callable[[str], int]) -> dict[str, Any]:
    """The row of the table `event` that holds an entry."""
    row = {
        "ladder": ladder,
        "seq": entry.number,
        "key": entry.key,
        "fingerprint": entry.fingerprint,
        "kind": entry.kind,
        "rated": entry.rated,
        "occurred": None if entry.occurred == NO_TIME else entry.occurred,
        "rated_time": None if entry.rated_time == NO_TIME else entry.rated_time,
        "received": entry.received,
        "actor": None,
        "payload": payload_of(entry, number_of),
        "engine": engine,
    }
    return row | {"checksum": _checksum(**{name: row[name] for name in _CHECKED})}


_CHECKED = (
    "ladder",
    "seq",
    "key",
    "fingerprint",
    "kind",
    "rated",
    "occurred",
    "rated_time",
    "received",
    "payload",
)


def checksum_of(row: Row[Any] | Any) -> int:
    """The checksum that a row should have."""
    return _checksum(**{name: getattr(row, name) for name in _CHECKED})


def _checksum(**values: Any) -> int:
    values["fingerprint"] = bytes(values["fingerprint"])
    values["rated"] = bool(values["rated"])
    digest = blake2b(repr(tuple(values.values())).encode("utf-8", "backslashreplace"), digest_size=8)
    return int.from_bytes(digest.digest(), "little", signed=True)
