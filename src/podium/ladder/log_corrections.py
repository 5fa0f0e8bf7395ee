"""What counts after all records of a log: events and adjustments in their order, corrected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError
from podium.history import Event, Names
from podium.history.event_lookup import events_meant, one_occasion
from podium.history.history import history_of_values
from podium.ladder.log_records import ADDING, LogRecord, Numbered
from podium.text import counted


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
