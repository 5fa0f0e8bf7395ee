"""What callers report, checked and in normal form: events, adjustments and amendments with a key and a
fingerprint.

The fingerprint covers what the caller said, in normal form and by name: not what the server fills in, nor
the order of an event's rows. So a report that is sent again is known again, also if a player was renamed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from podium.arrays import NO_TIME
from podium.documents.request_documents import (
    AdjustmentDocument,
    CorrectionDocument,
    DisqualificationDocument,
    ReportDocument,
    VoidDocument,
)
from podium.errors import InputError
from podium.history import Adjustment, Event
from podium.history.adjustments import make_adjustment
from podium.history.names import tidy_name
from podium.history.times import to_micros
from podium.ladder.recorded_keys import LONGEST_KEY
from podium.server import machine
from podium.server.log.grounds import NO_GROUNDS, Grounds, check_text
from podium.server.sent_data import check_sent
from podium.text import shorten

LONGEST_NAME = 300
"""Characters of a player's or an event's name."""
NAMES_REMEMBERED = 100_000
"""Names that were looked at before and need not be looked at again."""
FINGERPRINT_BYTES = 16
_FREE_LABEL = re.compile(r"#\d+ \(gone\)")
_MADE_KEY = re.compile(r"import-[0-9a-f]{16}-.*|tournament:[^:]*:\d+\.\d+(\.\d+)?:\d+", re.ASCII | re.DOTALL)
_OF_REPORT = ("key", "disqualified", "rated", "allow_repeat", "late", "correct", *Grounds._fields)


@dataclass(frozen=True, slots=True)
class Void:
    """Another entry of the log does not count."""


@dataclass(frozen=True, slots=True)
class Disqualification:
    """Players of an earlier event are disqualified."""

    players: frozenset[str]


@dataclass(frozen=True, slots=True)
class ClockRepair:
    """Times of entries that are ahead of the clock count as when later entries were received."""

    limits: tuple[tuple[int, int], ...] = ()
    """Numbers of entries and times, both rising: what is up to a number happened no later than its time."""


@dataclass(frozen=True, slots=True)
class Report:
    """An event or adjustment that somebody reports, or what is to be amended of an earlier one."""

    key: str
    has_own_key: bool
    """Whether the caller gave the key; otherwise nobody can know it before the first answer."""
    content: Event | Adjustment | Void | Disqualification | ClockRepair
    """What happened, at the time the caller gave, if any."""
    time: int
    fingerprint: bytes
    disqualified: frozenset[str] = frozenset()
    rated: bool = True
    """Whether it is to count: an event may be kept that does not."""
    allow_repeat: bool = False
    target: int | str | None = None
    """The entry that this amends, as the caller names it: see `event_names`."""
    late: bool = False
    """Whether it is rated where it belongs by its time, and what follows again."""
    grounds: Grounds = NO_GROUNDS
    """Why the log is amended, if that is said."""

    @property
    def amends(self) -> bool:
        """Whether what is in the log already may be rated again for it."""
        return self.target is not None or self.late or isinstance(self.content, ClockRepair)

    @property
    def counted(self) -> Event | None:
        """The event as it is rated: without the disqualified; None if it does not count or is no event."""
        if not isinstance(self.content, Event) or not self.rated:
            return None
        return without_players(self.content, self.disqualified)


def report_of(sent: Any) -> Report:
    """The report that plain data describes; an error says what is wrong with it.

    >>> report_of({"ranks": {"ann": 1, "bob": 2}, "key": "game 7"}).key
    'game 7'
    """
    if type(sent) is dict:
        for word, make in _BY_WORD.items():
            if word in sent:
                return make(sent)
    check_sent(sent, ReportDocument)
    return _event_report(sent)


def _event_report(sent: Mapping[str, Any]) -> Report:
    event = event_of_words({word: value for word, value in sent.items() if word not in _OF_REPORT})
    disqualified = frozenset(map(tidy_name, sent.get("disqualified", ())))
    if disqualified:
        _check_members(disqualified, event)
    rated, allow_repeat = sent.get("rated", True), sent.get("allow_repeat", False)
    key, own = _key(sent.get("key"))
    said, target, late = _said(event, disqualified, rated), sent.get("correct"), sent.get("late", False)
    if late and event.time == NO_TIME:
        raise InputError("a late event needs its own time", event=event.name)
    if target is not None or late:
        said += f"\x1dcorrect {target} late {late}"
    grounds, more = _grounds(sent)
    return Report(
        key,
        own,
        event,
        event.time,
        fingerprint_of(said + more),
        disqualified,
        rated,
        allow_repeat,
        target,
        late,
        grounds,
    )


def _grounds(sent: Mapping[str, Any]) -> tuple[Grounds, str]:
    """Why the log is amended, and that in normal form; reports without it are said as they always were."""
    grounds = Grounds.of(sent)
    grounds.check()
    return grounds, "".join(f"\x1d{name}\x1f{value}" for name, value in grounds.given.items())


def _void_report(sent: Mapping[str, Any]) -> Report:
    check_sent(sent, VoidDocument)
    key, own = _key(sent.get("key"))
    grounds, more = _grounds(sent)
    said = fingerprint_of(f"void {sent['void']}{more}")
    return Report(key, own, Void(), NO_TIME, said, target=sent["void"], grounds=grounds)


def _correction_report(sent: Mapping[str, Any]) -> Report:
    check_sent(sent, CorrectionDocument)
    return _event_report(sent)


def _disqualification_report(sent: Mapping[str, Any]) -> Report:
    check_sent(sent, DisqualificationDocument)
    players = frozenset(sent["disqualify"])
    if not players:
        raise InputError("no player to disqualify is named")
    for name in players:
        check_name(name, "a player's name")
    grounds, more = _grounds(sent)
    said = fingerprint_of("\x1d".join([f"disqualify {sent['event']}", *sorted(players)]) + more)
    key, own = _key(sent.get("key"))
    return Report(key, own, Disqualification(players), NO_TIME, said, target=sent["event"], grounds=grounds)


def clock_repair() -> Report:
    """A report that what is ahead of the server's clock is to count at times that have been."""
    key, own = _key(None)
    return Report(key, own, ClockRepair(), NO_TIME, fingerprint_of("repair of the clock"))


def event_of_words(words: Mapping[str, Any]) -> Event:
    """The event that the words of `Ladder.record` describe, of which names are such as a database takes."""
    event = Event.of(**words).tidied()
    for side in event.sides:
        for name in side:
            check_name(name, "a player's name")
    if event.name is not None:
        check_name(event.name, "an event's name")
    return event


def _adjustment_report(sent: Mapping[str, Any]) -> Report:
    check_sent(sent, AdjustmentDocument)
    values = {name: value for name, value in sent.items() if name not in ("adjustment", "time", "key")}
    adjustment = make_adjustment(sent["adjustment"], values).tidied()
    for name in adjustment.players:
        check_name(name, "a player's name")
    time = to_micros(sent.get("time"))
    key, own = _key(sent.get("key"))
    return Report(key, own, adjustment, time, adjustment_fingerprint(adjustment, time))


def adjustment_fingerprint(adjustment: Adjustment, time: int) -> bytes:
    """The fingerprint of what a caller said of an adjustment."""
    given = [f"{name}\x1f{value}" for name, value in sorted(plain_adjustment(adjustment).items())]
    return fingerprint_of("\x1d".join(["adjustment", adjustment.kind, repr(time), *given]))


_BY_WORD: dict[str, Callable[[Mapping[str, Any]], Report]] = {
    "adjustment": _adjustment_report,
    "void": _void_report,
    "correct": _correction_report,
    "disqualify": _disqualification_report,
}
"""What makes a report of plain data that has this word; other data is an event."""


def plain_adjustment(adjustment: Adjustment) -> dict[str, Any]:
    """The values of an adjustment that are given, by name."""
    values = ((field.name, getattr(adjustment, field.name)) for field in fields(adjustment))
    whole = ("player", "into", "events")
    return {name: value if name in whole else float(value) for name, value in values if value is not None}


def without_players(event: Event, disqualified: frozenset[str]) -> Event | None:
    """The event without some players: the others close up; None if fewer than two sides are left.

    >>> race = Event.of(ranks={"ann": 1, "bob": 2, "cat": 3})
    >>> without_players(race, frozenset({"ann"})).ranks
    (1, 2)
    """
    if not disqualified:
        return event
    kept = [
        (tuple(name for name in side if name not in disqualified), number)
        for number, side in enumerate(event.sides)
    ]
    left = [(side, number) for side, number in kept if side]
    if len(left) < 2:
        return None
    ranks = [event.ranks[number] for _, number in left]
    ordered = sorted(ranks)
    home = event.home
    if home in disqualified:  # the side is at home as long as somebody of it is left
        home = next((side[0] for side, number in left if home in event.sides[number]), None)
    return replace(
        event,
        sides=tuple(side for side, _ in left),
        ranks=tuple(1 + bisect_left(ordered, rank) for rank in ranks)
        if len(left) < len(event.sides)
        else event.ranks,
        scores=None if event.scores is None else tuple(event.scores[number] for _, number in left),
        home=home,
        unrated=event.unrated - disqualified,
        play=tuple((name, part) for name, part in event.play if name not in disqualified),
    )


def event_fingerprint(event: Event, disqualified: frozenset[str], rated: bool) -> bytes:
    """The fingerprint of what a caller said of an event."""
    return fingerprint_of(_said(event, disqualified, rated))


def _said(event: Event, disqualified: frozenset[str], rated: bool) -> str:
    """What the caller said of an event, whatever the order of its rows; names have no control characters."""
    sides = [
        f"{rank}\x1f{side[0]}" if len(side) == 1 else "\x1f".join([str(rank), *sorted(side)])
        for side, rank in zip(event.sides, event.ranks, strict=True)
    ]
    if event.scores is not None:
        sides = [f"{side}\x1e{score!r}" for side, score in zip(sides, event.scores, strict=True)]
    if event.share is not None:
        larger = max(event.share, event.share_of(1))  # 0.7 of one side and 0.3 of the other say the same
        parts = (larger, 1.0 - larger) if event.share == larger else (1.0 - larger, larger)
        sides = [f"{side}\x1e\x1e{part!r}" for side, part in zip(sides, parts, strict=True)]
    said = [f"{event.time} {event.weight!r} {event.ceiling!r} {rated}", event.name or "", event.home or ""]
    for names in (event.unrated, disqualified):
        said.append("\x1f".join(sorted(names)))
    said.append("\x1f".join(f"{name}\x1e{part!r}" for name, part in sorted(event.play)))
    return "\x1d".join([*said, *sorted(sides)])


def fingerprint_of(said: str) -> bytes:
    """The fingerprint of what a caller said, in normal form."""
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=FINGERPRINT_BYTES).digest()


def _key(given: str | None) -> tuple[str, bool]:
    return (machine.token_hex(16), False) if given is None else (checked_key(given), True)


def checked_key(given: str) -> str:
    """A caller's key; refused if no database or page could show it."""
    if not 1 <= len(given) <= LONGEST_KEY:
        raise InputError(f"a key has 1 to {LONGEST_KEY} characters, not {len(given)}")
    _check_text(given, "a key")
    return given


def is_made_key(key: str) -> bool:
    """Whether a key has the form of those that podium gives to imported entries and results of tournaments.

    >>> is_made_key("import-0f61c0a9e3b4d5c6-00000007"), is_made_key("tournament:cup:1.2:7")
    (True, True)
    >>> is_made_key("import-7"), is_made_key("tournament:7")
    (False, False)
    """
    return _MADE_KEY.fullmatch(key) is not None


def own_key(sent: Any) -> str | None:
    """The caller's key in plain data that need not be a report; None if there is none, or no proper one."""
    given = sent.get("key") if isinstance(sent, Mapping) else None
    try:
        return _key(given)[0] if isinstance(given, str) else None
    except InputError:
        return None


def free_label(number: int) -> str:
    """What an account is called that has no name any more; nobody can report such a name."""
    return f"#{number} (gone)"


def is_free(label: str) -> bool:
    """Whether this is the label of an account without a name."""
    return _FREE_LABEL.fullmatch(label) is not None


def _check_members(names: frozenset[str], event: Event) -> None:
    members = {name for side in event.sides for name in side}
    for name in sorted(names - members):
        raise InputError(f"{shorten(name)!r} is disqualified but is not in this event", event=event.name)


@lru_cache(maxsize=NAMES_REMEMBERED)
def check_name(name: str, what: str) -> None:
    """Refuse a name that no database or page could show."""
    _check_text(name, what)


def _check_text(text: str, what: str) -> None:
    """Refuse a name or key that no database or page could show, or that podium gives itself."""
    check_text(text, what, LONGEST_NAME)
    if is_free(text):
        raise InputError(f"{what} cannot be {text!r}: this is the name of accounts without a name")
