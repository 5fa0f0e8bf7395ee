"""What a service should say after corrections: a `podium.Ladder` given the corrected history from its start.

Nothing here is taken from `podium.server`: what is void, which content counts and where a late event belongs
is worked out anew, in the plainest way, from the list of what was reported.
"""

from __future__ import annotations

from contextlib import suppress

from podium import Ladder
from podium.arrays import NO_TIME
from podium.errors import UnknownPlayerError
from podium.history.adjustments import make_adjustment
from podium.history.times import Moment, to_micros
from podium.systems import RatingSystem
from server.ladder_model import OF_REPORT, Plain, iso, without

AMENDING = ("void", "correct", "disqualify")
WORDS = (*OF_REPORT, "late", "correct")
OF_MODEL = ("at", "place")
EVERYTHING = 2**62
"""A number beyond those of every log."""


class CorrectedModel:
    """The log of a ladder, with what amends it; ratings are computed from the first entry each time."""

    def __init__(self, system: RatingSystem | str) -> None:
        self.system = system
        self.log: list[Plain] = []
        """What was reported, with its own time as a number and the place of a late event, under `at` and
        `place`; entry 1 is the first."""
        self.settled = EVERYTHING
        """What amends behind this number does not count yet: a generation with it is still to be built."""

    def add(self, sent: Plain) -> None:
        """Take a report."""
        at = None
        if sent.get("time") is not None:
            at = to_micros(sent["time"])
        self.log.append({**sent, "at": at, "place": self._place(at) if sent.get("late") else None})

    def is_late(self, number: int) -> bool:
        """Whether an event is rated elsewhere than where it stands."""
        return self.log[number - 1]["place"] is not None

    def _place(self, at: int | None) -> int | None:
        """The entry behind which a late event is rated; None if it is not earlier than the last one.

        It is found among the entries as they are rated when all amendments so far count, and a fact from then
        on. Entries that are void may count again: they are looked at as well, each at its own time. A later
        one that counts is never before it, whether it came late or not.
        """
        if at is None or at >= self._latest():
            return None
        times, gone = self.rated_times(), self.voided()
        place = 0
        for number in self.order():
            time = self._own_time(number, EVERYTHING) if number in gone else times[number]
            if time is not None and time <= at:
                place = place if self.is_late(number) else number
            elif time is not None and number not in gone and self._moves_the_clock(number):
                break
        return place

    def _ordinary(self) -> list[int]:
        return [number for number in self.order() if not self.is_late(number)]

    def _latest(self) -> int:
        """The ladder's clock; void entries behind the last one that counts move it as if they counted."""
        last, times = self.ladder(self.settled).last_time, self.rated_times(self.settled)
        counted = [n for n in self._ordinary() if (time := times.get(n)) is not None and time <= last]
        behind = (self._own_time(n, self.settled) for n in self._ordinary() if n > max(counted, default=0))
        return max([last, *(time for time in behind if time is not None)])

    def _moves_the_clock(self, number: int) -> bool:
        if "adjustment" in self.log[number - 1]:
            return True
        return _counted(*self.content(number)) is not None

    def root(self, number: int) -> int:
        """The event or adjustment that an entry is or goes back to."""
        entry = self.log[number - 1]
        target = entry.get("void") or entry.get("correct") or entry.get("event")
        return number if target is None else self.root(target)

    def voided(self, to: int = EVERYTHING) -> set[int]:
        """The entries that do not count by what amends up to a number, found from the last to the first."""
        gone: set[int] = set()
        for number in range(min(len(self.log), to), 0, -1):
            if number not in gone and "void" in self.log[number - 1]:
                gone.add(self.log[number - 1]["void"])
        return gone

    def content(self, number: int, to: int = EVERYTHING) -> tuple[Plain, set[str]]:
        """What counts of an event: the words of its last correction, and who was disqualified since."""
        gone = self.voided(to)
        words, out = self.log[number - 1], set(self.log[number - 1].get("disqualified", []))
        for place, entry in enumerate(self.log[:to], start=1):
            if place in gone:
                continue
            if entry.get("correct") == number:
                words, out = entry, set(entry.get("disqualified", []))
            elif "disqualify" in entry and entry["event"] == number:
                out |= set(entry["disqualify"])
        return words, out

    def order(self) -> list[int]:
        """The numbers of events and adjustments in the order in which they are rated."""
        numbers = [n for n, entry in enumerate(self.log, 1) if not any(word in entry for word in AMENDING)]
        keys = {}
        for number in numbers:
            place = self.log[number - 1]["place"]
            late = place is not None
            keys[number] = (
                place if late else number,
                late,
                self.log[number - 1]["at"] if late else 0,
                number,
            )
        return sorted(numbers, key=lambda number: keys[number])

    def ladder(self, to: int = EVERYTHING) -> Ladder:
        """The ladder that has rated the history as it is corrected up to a number."""
        return self._replayed(to)[0]

    def rated_times(self, to: int = EVERYTHING) -> dict[int, int | None]:
        """When what is not void is rated: at its own time, but never before the last one that counted."""
        return self._replayed(to)[1]

    def _replayed(self, to: int) -> tuple[Ladder, dict[int, int | None]]:
        ladder, gone = Ladder(self.system), self.voided(to)
        times: dict[int, int | None] = {}
        for number in self.order():
            if number not in gone and not (number > to and self.is_late(number)):
                at = self._own_time(number, to)
                times[number] = None if at is None else max(at, ladder.last_time)
                self._rate(ladder, number, times[number], at, to)
        return ladder, times

    def _own_time(self, number: int, to: int) -> int | None:
        """The time that an event or adjustment was reported with, or that its last correction gave."""
        gone, at = self.voided(to), self.log[number - 1]["at"]
        for place, entry in enumerate(self.log[:to], start=1):
            if place not in gone and entry.get("correct") == number and entry["at"] is not None:
                at = entry["at"]
        return None if at is None else int(at)

    def _rate(self, ladder: Ladder, number: int, time: int | None, at: int | None, to: int) -> None:
        entry = self.log[number - 1]
        if "adjustment" in entry:
            values = {word: value for word, value in entry.items() if word not in ("key", "time", *OF_MODEL)}
            with suppress(UnknownPlayerError):  # nothing may be left of whoever was meant
                adjustment = make_adjustment(values.pop("adjustment"), values)
                # A rating that is set is one of its own time, whenever it is rated.
                ladder._apply_adjustment(adjustment, NO_TIME if time is None else time, since=at or NO_TIME)
            return
        words, out = self.content(number, to)
        if (kept := _counted(words, out)) is not None:
            when = None if time is None else Moment(time)
            ladder.record(**{**kept, "time": when}, allow_repeat=True)

    def ratings(self) -> list[Plain]:
        """Everybody's rating, best first, such as a board with `min_events` 0 has them."""
        rows = self.ladder().leaderboard(min_events=0).to_dicts()
        return [{**row, "last_time": iso(row["last_time"])} for row in rows]


def _counted(entry: Plain, out: set[str]) -> Plain | None:
    """The words of an event without those who are out; None if nothing is left to rate."""
    if not entry.get("rated", True):
        return None
    words = {word: value for word, value in entry.items() if word not in (*WORDS, *OF_MODEL)}
    return without(words, out | set(entry.get("disqualified", [])))
