"""The records of a ladder's log as plain data, and what counts after all of them.

Events are in the words of `podium.documents`; what has its usual value is left out. What is read passes the
same checks as what is recorded, so nothing in a record reaches a kernel unchecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError
from podium.history import Adjustment, Event, Names
from podium.history.event_lookup import events_meant, one_occasion
from podium.history.history import history_of_values
from podium.ladder.stored_events import content_of, json_text, plain_content
from podium.text import counted

Kind = Literal["event", "adjustment", "batch", "undo", "void", "replacement", "insertion"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ADDING: tuple[Kind, ...] = ("event", "adjustment", "batch")
"""Records that add to the end and change nothing before it."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event or adjustment with its number in the log, by which it can be voided or replaced."""

    number: int
    content: Event | Adjustment
    time: int = NO_TIME
    """Microseconds since 1970 UTC, or `NO_TIME`."""
    allow_repeat: bool = False
    files: tuple[int, ...] = ()
    """Hashes of the files that were rated from here on."""

    @property
    def rows(self) -> int:
        """The rows it would have in a history."""
        return sum(map(len, self.content.sides)) if isinstance(self.content, Event) else 1

    @property
    def event(self) -> Event:
        """The event, which is called by its number if it has no name."""
        assert isinstance(self.content, Event)
        if self.content.name is not None:
            return self.content
        return replace(self.content, name=str(self.number), named=False)

    def describe(self) -> str:
        """What messages call it."""
        if isinstance(self.content, Adjustment):
            return f"adjustment {self.number} ({self.content.describe()})"
        return f"event {self.number}" + ("" if self.content.name is None else f" ({self.content.name})")


@dataclass(frozen=True, slots=True)
class LogRecord:
    """What one record of the log says."""

    number: int
    kind: Kind
    added: tuple[Numbered, ...] = ()
    """What comes in; in a batch each has a number of its own, counted from that of the record."""
    targets: tuple[int, ...] = ()
    """The numbers of what is voided or replaced."""

    @property
    def last_number(self) -> int:
        """The last of the numbers that the record uses up."""
        return self.number + max(len(self.added), 1) - 1

    def text(self) -> str:
        """What it says beside its number and kind, as JSON."""
        plain: dict[str, Any] = {}
        if self.targets:
            plain["targets"] = self.targets
        if self.kind == "batch":
            plain["entries"] = [_plain(one) for one in self.added]
        else:
            for one in self.added:
                plain |= _plain(one)
        return json_text(plain)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> LogRecord:
        """The record that plain data says; an `InputError` says what podium cannot make of it."""
        try:
            number, kind = plain["number"], plain["kind"]
            if type(number) is not int or number < 1 or kind not in KINDS:
                raise InputError(
                    f"record {number!r} has the kind {kind!r}, which this version of podium cannot read"
                )
            targets = tuple(plain.get("targets", ()))
            if not all(type(target) is int for target in targets):
                raise InputError(f"record {number} refers to {targets!r}, which are not numbers")
            of_target = targets[0] if kind == "replacement" else number
            found = plain["entries"] if kind == "batch" else [plain] if kind not in ("undo", "void") else []
            added = tuple(_numbered(one, of_target + place) for place, one in enumerate(found))
            return cls(number, kind, added, targets)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise InputError(f"the record is not in podium's format: {error!r}") from error


def _plain(one: Numbered) -> dict[str, Any]:
    """An event or adjustment as plain data, without its number."""
    plain = plain_content(one.content, one.time)
    if one.allow_repeat:
        plain["allow_repeat"] = True
    if one.files:
        plain["files"] = [f"{digest:016x}" for digest in one.files]
    return plain


def _numbered(plain: Mapping[str, Any], number: int) -> Numbered:
    repeats, files = plain.get("allow_repeat", False) is True, plain.get("files", ())
    hashes = tuple(int(digest, 16) & (2**64 - 1) for digest in files)
    return Numbered(number, *content_of(plain), repeats, hashes)


# ---------------------------------------------------------------------- what counts


class TooEarlyError(Exception):
    """What somebody asks about lies before the checkpoint from which the log was read."""


class CountedEvents:
    """The events and adjustments that count after a checkpoint, and the checkpoints that begin like them.

    Most questions are about the latest events, so a log is read from a late checkpoint on. Whatever may reach
    back before it raises a `TooEarlyError`, and is to be asked again from an earlier one.
    """

    def __init__(self, records: Iterable[LogRecord], checkpoints: Iterable[int], start: int = 0) -> None:
        self.start = start
        """The number of the checkpoint before all of this."""
        self.events: list[Numbered] = []
        self.lengths: dict[int, int] = {start: 0}
        """For each checkpoint, by its number, how many of `events` it has rated."""
        wanted = set(checkpoints)
        for record in records:
            self.apply(record)
            if record.last_number in wanted:
                self.lengths[record.last_number] = len(self.events)

    def apply(self, record: LogRecord) -> int:
        """Let a record count; returns the place of the first event that is no longer as it was."""
        place = self._apply(record)
        self._begin_alike(place)
        return place

    def _apply(self, record: LogRecord) -> int:
        events, length = self.events, len(self.events)
        if record.kind in ADDING:
            events += record.added
            return length
        if record.kind == "undo":
            if not events:
                self._check_start()
                raise InputError("there is nothing to undo")
            events.pop()
            return length - 1
        if record.kind == "insertion":
            return self._insert(record.added[0])
        places = sorted(self.place_of(target) for target in record.targets)
        if record.kind == "replacement":
            return self._replace(places[0], record.added[0])
        for place in reversed(places):
            del events[place]
        return places[0]

    def _check_start(self) -> None:
        if self.start > 0:
            raise TooEarlyError

    def _insert(self, one: Numbered) -> int:
        place = self._place_in_time(one.time)
        self.events.insert(place, one)
        return place

    def end_at(self, time: int) -> None:
        """Leave out everything later than a time."""
        place = self._place_in_time(time)
        del self.events[place:]
        self._begin_alike(place)

    def _begin_alike(self, place: int) -> None:
        """Keep the checkpoints that have rated no more than the events before a place."""
        self.lengths = {number: length for number, length in self.lengths.items() if length <= place}

    def _replace(self, place: int, one: Numbered) -> int:
        """Put an event in the place of another; at another time, where a late event of that time would be."""
        if one.time == self.events[place].time:
            self.events[place] = one
            return place
        del self.events[place]
        return min(place, self._insert(one))

    def _place_in_time(self, time: int) -> int:
        """Right before the first event of a later time; what has no time stays behind what it followed."""
        later = (place for place, one in enumerate(self.events) if one.time > time)
        place = len(self.events) if time == NO_TIME else next(later, len(self.events))
        if all(before.time == NO_TIME for before in self.events[:place]):
            self._check_start()
        return place

    def place_of(self, number: int) -> int:
        """Where the event or adjustment with this number stands."""
        for place, one in enumerate(self.events):
            if one.number == number:
                return place
        if number <= self.start:
            raise TooEarlyError
        raise InputError(
            f"the log has no counted event or adjustment {number}",
            hint="ladder.numbered_events() lists the counted ones",
        )

    def meant(self, event: str | int) -> tuple[Numbered, ...]:
        """The events that somebody calls by number or name; those of one occasion may share a name."""
        if isinstance(event, int) and not isinstance(event, bool):
            return (self.events[self.place_of(event)],)
        if not isinstance(event, str):
            raise ParameterError(f"give an event by its number or its name, not by {event!r}")
        self._check_start()
        own = [one for one in self.events if isinstance(one.content, Event)]
        if not own:
            raise InputError("the log has no events")
        history = history_of_values([one.event for one in own], Names())
        return tuple(own[place] for place in one_occasion(history, events_meant(history, event), event))

    def one_meant(self, event: str | int) -> tuple[Numbered, Event]:
        """The one event that somebody calls by number or by name, also without its number."""
        found = self.meant(event)
        if len(found) > 1:
            numbers = ", ".join(str(one.number) for one in found[:5]) + (", …" if len(found) > 5 else "")
            raise InputError(
                f"{event!r} means {counted(len(found), 'event')}",
                hint=f"give the number of one of them: {numbers}",
            )
        content = found[0].content
        if not isinstance(content, Event):
            raise InputError(
                f"{found[0].describe()} is not an event", hint="void it, then make a new adjustment"
            )
        return found[0], content


def in_place_of(old: Event, new: Event) -> Event:
    """The event that replaces another, with that one's name and time where it has none of its own."""
    if new.name is None:
        new = replace(new, name=old.name, named=old.named)
    return replace(new, time=old.time) if NO_TIME in (new.time, old.time) else new
