"""One entry of a ladder's log, and how it is stored: players by number, with a checksum."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import isnan, nan
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple

from sqlalchemy import Row

from podium.arrays import NO_TIME
from podium.documents.service_documents import EntryKind
from podium.errors import InputError, StateError
from podium.history import Adjustment, Event, Merge, Names, Rename
from podium.history.adjustments import make_adjustment
from podium.server.log.grounds import NO_GROUNDS, Grounds
from podium.server.log.reports import (
    ClockRepair,
    Disqualification,
    Report,
    Void,
    plain_adjustment,
    without_players,
)
from podium.server.log.server_clock import ServerClock

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_CHECKED = attrgetter(
    *("ladder", "seq", "key", "fingerprint", "kind", "rated", "occurred", "rated_time", "received"),
    *("payload", "place", "target"),
)
"""What a checksum covers, in the order of `checksum_of_values`."""
PLAYER_WORDS = ("player", "into")
"""Values of an adjustment that name a player."""


@dataclass(frozen=True, kw_only=True)
class Renamed(Adjustment):
    """A rename as the log knows it: who was renamed. Names are beside the log."""

    kind: ClassVar[str] = Rename.kind
    player: str


class Account(NamedTuple):
    """What an account is called; one that was merged into another has no name any more."""

    name: str | None
    merged_into: int | None = None
    """The number of the account into which it was merged."""
    former_name: str | None = None
    """What it was called before, if that is known."""


def account_label(number: int, names: Names, merged: Mapping[int, Account]) -> str:
    """What an account is or was called, such that nobody takes it for another one.

    A merged account has its former name. If that is another player's or another account's by now, it is told
    apart by its number.
    """
    account = merged.get(number)
    if account is None or (former := account.former_name) is None:
        return names[number]
    others = (other.former_name for one, other in merged.items() if one != number)
    if names.find(former) is None and former not in others:
        return former
    apart = f"{former} (merged account #{number})"
    return apart if names.find(apart) is None else names[number]


Content = Event | Adjustment | Void | Disqualification | ClockRepair
"""What an entry of the log says. The event of an entry with a target stands in place of the target's."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of the log, with players by the names that they have now."""

    number: int
    key: str
    fingerprint: bytes
    content: Content
    """What happened, as it was reported."""
    occurred: int
    """The time that the caller gave, or `NO_TIME`."""
    rated_time: int
    """The time at which it is rated, which is the later one of its own and the last one rated before it."""
    received: int
    disqualified: frozenset[str] = frozenset()
    rated: bool = True
    allow_repeat: bool = False
    place: int | None = None
    """The entry behind which an event that was reported late is rated."""
    target: int | None = None
    """The entry that this one amends."""
    accounts: tuple[tuple[int, Account], ...] = ()
    """Accounts that are called otherwise from here on, by number: if a merge is void now, or counts again.
    Names are beside the log, so this is not stored."""
    grounds: Grounds = NO_GROUNDS
    """Why it amends another one, if that is said."""
    checksum: int | None = field(default=None, compare=False)
    """That of its row, if it was read from the log."""

    @property
    def kind(self) -> EntryKind:
        """What it is."""
        if isinstance(self.content, Event):
            return "event" if self.target is None else "correction"
        if isinstance(self.content, Adjustment):
            return "adjustment"
        if isinstance(self.content, ClockRepair):
            return "clock"
        return "void" if isinstance(self.content, Void) else "disqualification"

    @property
    def own_time(self) -> int:
        """The time that the caller gave, or else when it was received, if such entries have a time."""
        return self.occurred if self.occurred != NO_TIME or self.rated_time == NO_TIME else self.received

    @property
    def since(self) -> int:
        """The time from which an adjusted rating ages: its own, which a repaired clock may put too late."""
        return self.rated_time if self.occurred == NO_TIME else min(self.occurred, self.rated_time)

    def corrected_by(self, correction: LogEntry) -> LogEntry:
        """This event with the content of a correction; its time stays as it is unless that gives another."""
        assert isinstance(correction.content, Event)
        occurred = self.occurred if correction.occurred == NO_TIME else correction.occurred
        return replace(
            self,
            content=replace(correction.content, time=occurred),
            occurred=occurred,
            disqualified=correction.disqualified,
            rated=correction.rated,
            allow_repeat=correction.allow_repeat,
        )

    @property
    def is_ordinary(self) -> bool:
        """Whether it is rated where it stands in the log: it is not late, and amends nothing."""
        return self.place is None and self.target is None

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
        name = self.content.name if isinstance(self.content, Event) else None
        return name or str(self.number)


def time_of_rating(occurred: int, last_time: int, received: int) -> int:
    """When an event is rated that comes in its turn: when it happened or was received, but never before
    the last one; without any of these times it has none.
    """
    time = received if occurred == NO_TIME else occurred
    return NO_TIME if time == NO_TIME else max(time, last_time)


def planned_entries(
    reports: Iterable[Report],
    head: int,
    last_time: int,
    clock: ServerClock,
    fill_times: bool,
    amended: Callable[[Report, list[LogEntry]], LogEntry] | None = None,
    late_before: int = NO_TIME,
) -> list[LogEntry]:
    """The entries of the log that reports would be behind `head`, each at the time it is rated at.

    That is the time it happened, or the last one that was rated if that is later: clocks of game servers
    differ, and nothing is refused or rated again for it, unless it is far ahead of the server's `clock`.
    `amended` makes the entries of reports that amend the log or come late; it is given those before. Reports
    can be late if they are of before `late_before`, or of before the last time.
    """
    entries: list[LogEntry] = []
    for number, report in enumerate(reports, start=head + 1):
        is_late = report.late and report.time < max(last_time, late_before)
        if report.target is not None or is_late or isinstance(report.content, ClockRepair):
            assert amended is not None, "what amends the log is planned where the log is"
            entries.append(amended(report, entries))
            continue
        clock.check(report.time)
        content = report.content
        assert isinstance(content, (Event, Adjustment))
        # Whose name changes is not a matter of time: it does not move the ladder's clock.
        fills = fill_times and not isinstance(content, (Rename, Merge))
        time = time_of_rating(report.time, last_time, clock.now if fills else NO_TIME)
        entry = LogEntry(
            number=number,
            key=report.key,
            fingerprint=report.fingerprint,
            content=content,
            occurred=report.time,
            rated_time=time,
            received=clock.now,
            disqualified=report.disqualified,
            rated=report.counted is not None if isinstance(content, Event) else True,
            allow_repeat=report.allow_repeat,
        )
        last_time = max(last_time, time) if entry.rated else last_time
        entries.append(entry)
    return entries


def payload_of(entry: LogEntry, number_of: Callable[[str], int]) -> str:
    """What the log keeps of an entry beside its columns: players by number, and only what is not usual."""
    content = entry.content
    if isinstance(content, Void):
        return _ENCODER.encode(entry.grounds.given)
    if isinstance(content, ClockRepair):
        return _ENCODER.encode({"limits": content.limits})
    if isinstance(content, Disqualification):
        return _ENCODER.encode({"players": sorted(map(number_of, content.players)), **entry.grounds.given})
    if isinstance(content, Adjustment):
        values = plain_adjustment(content)
        if isinstance(content, Rename):
            del values["into"]
        for word in PLAYER_WORDS:
            if word in values:
                values[word] = number_of(values[word])
        return _ENCODER.encode({"adjustment": content.kind, **values})
    players = [[number_of(name) for name in side] for side in content.sides]
    begin = (
        f'{{"players":{players},"ranks":{[*content.ranks]}'  # whole numbers are JSON as Python writes them
    )
    plain: dict[str, Any] = dict(entry.grounds.given)
    if content.name is not None:
        plain["name"] = content.name
    if content.scores is not None:
        plain["scores"] = [None if isnan(score) else score for score in content.scores]
    if content.weight != 1.0:
        plain["weight"] = content.weight
    if content.home is not None:
        plain["home"] = number_of(content.home)
    if content.share is not None:
        plain["share"] = content.share
    if content.unrated:
        plain["unrated"] = sorted(number_of(name) for name in content.unrated)
    if content.play:
        plain["play"] = [(number_of(name), part) for name, part in content.play]
    if content.ceiling is not None:
        plain["ceiling"] = content.ceiling
    if entry.disqualified:
        plain["disqualified"] = sorted(number_of(name) for name in entry.disqualified)
    if entry.allow_repeat:
        plain["allow_repeat"] = True
    return f"{begin},{_ENCODER.encode(plain)[1:]}" if plain else begin + "}"


def entry_of(row: Row[Any] | Any, name_of: Callable[[int], str]) -> LogEntry:
    """The entry that a row of the table `event` holds; refused if it was changed since it was written."""
    checked = _CHECKED(row)
    _, number, key, fingerprint, kind, rated, occurred, rated_time, received, payload, place, target = checked
    if row.checksum != checksum_of_values(*checked):
        raise StateError(
            f"entry {number} of the log is damaged: its checksum does not match",
            hint="restore the database from a backup",
        )
    occurred = NO_TIME if occurred is None else occurred
    disqualified: frozenset[str] = frozenset()
    try:
        plain = json.loads(payload)
        content: Content
        if kind == "adjustment":
            content = _adjustment(plain, name_of)
        elif kind == "void":
            content = Void()
        elif kind == "clock":
            content = ClockRepair(tuple((int(last), int(limit)) for last, limit in plain["limits"]))
        elif kind == "disqualification":
            content = Disqualification(frozenset(map(name_of, plain["players"])))
        else:
            content = _event(plain, occurred, name_of)
            if "disqualified" in plain:
                disqualified = frozenset(map(name_of, plain["disqualified"]))
    except (KeyError, IndexError, TypeError, ValueError, InputError) as error:
        raise StateError(f"entry {number} of the log has an unexpected format: {error!r}") from error
    return LogEntry(
        number,
        key,
        bytes(fingerprint),
        content,
        occurred,
        NO_TIME if rated_time is None else rated_time,
        received,
        disqualified,
        bool(rated),
        plain.get("allow_repeat", False),
        place,
        target,
        grounds=NO_GROUNDS if target is None else Grounds.of(plain),
        checksum=row.checksum,
    )


def _adjustment(plain: Mapping[str, Any], name_of: Callable[[int], str]) -> Adjustment:
    named = {word: name_of(plain[word]) for word in PLAYER_WORDS if word in plain}
    if plain["adjustment"] == Rename.kind:
        return Renamed(player=named["player"])
    return make_adjustment(plain["adjustment"], {**plain, **named, "adjustment": None})


def _event(plain: Mapping[str, Any], time: int, name_of: Callable[[int], str]) -> Event:
    """The event of a payload; its checksum says that podium wrote it, so it was checked before."""
    sides, ranks = tuple([tuple(map(name_of, side)) for side in plain["players"]]), tuple(plain["ranks"])
    if len(plain) == 2:  # nothing else is said of most matches
        return Event(sides, ranks, None, time)
    scores, home = plain.get("scores"), plain.get("home")
    return Event(
        sides=sides,
        ranks=ranks,
        scores=None if scores is None else tuple(nan if score is None else score for score in scores),
        time=time,
        weight=plain.get("weight", 1.0),
        home=None if home is None else name_of(home),
        share=plain.get("share"),
        unrated=frozenset(map(name_of, plain.get("unrated", ()))),
        play=tuple((name_of(number), part) for number, part in plain.get("play", ())),
        ceiling=plain.get("ceiling"),
        name=plain.get("name"),
    )


class StoredRow(NamedTuple):
    """A row of the table `event`."""

    ladder: int
    seq: int
    key: str
    fingerprint: bytes
    kind: EntryKind
    rated: bool
    occurred: int | None
    rated_time: int | None
    received: int
    payload: str
    checksum: int
    engine: int
    place: int | None = None
    target: int | None = None
    actor: str | None = None


def stored_row(
    entry: LogEntry, ladder: int, engine: int, number_of: Callable[[str], int], actor: str | None = None
) -> StoredRow:
    """The row of the table `event` that holds an entry."""
    checked = (
        ladder,
        entry.number,
        entry.key,
        entry.fingerprint,
        entry.kind,
        entry.rated,
        None if entry.occurred == NO_TIME else entry.occurred,
        None if entry.rated_time == NO_TIME else entry.rated_time,
        entry.received,
        payload_of(entry, number_of),
    )
    checksum = checksum_of_values(*checked, entry.place, entry.target)
    return StoredRow(*checked, checksum, engine, entry.place, entry.target, actor)


def checksum_of(row: Row[Any] | Any) -> int:
    """The checksum that a row should have."""
    return checksum_of_values(*_CHECKED(row))


def checksum_of_values(
    ladder: int,
    seq: int,
    key: str,
    fingerprint: bytes,
    kind: str,
    rated: bool,
    occurred: int | None,
    rated_time: int | None,
    received: int,
    payload: str,
    place: int | None = None,
    target: int | None = None,
) -> int:
    """The checksum of a row with these values."""
    said = (
        f"{ladder} {seq} {kind} {bool(rated)} {occurred} {rated_time} {received} "
        f"{fingerprint.hex()} {payload} {key}"
    )
    if place is not None or target is not None:  # entries of older versions have neither
        said += f" {place} {target}"
    return checksum_of_text(said)


def checksum_of_text(said: str) -> int:
    """The checksum of a row in the words of `checksum_of_values`."""
    digest = blake2b(said.encode("utf-8", "backslashreplace"), digest_size=8)
    return int.from_bytes(digest.digest(), "little", signed=True)
