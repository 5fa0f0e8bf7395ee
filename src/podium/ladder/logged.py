"""What only a ladder with a log can do: correct any event, and know how the ladder was at any time."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from podium.arrays import NO_TIME
from podium.errors import InputError, PastError
from podium.history import Event
from podium.history.events import EventKeywords
from podium.history.times import Time, to_micros
from podium.ladder.dated import Dated, past_error
from podium.ladder.ladder_log import LadderLog
from podium.ladder.log_events import Numbered
from podium.systems.contract.ratings import Changes

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder


class Logged(Dated):
    """The part of a ladder that needs its log; without one each of these is refused."""

    _log: LadderLog | None = None
    n_events: int

    def copy(self) -> Ladder:
        """An independent ladder that continues from the same results."""
        raise NotImplementedError

    def _opened(self) -> LadderLog:
        if self._log is None:
            raise InputError(
                "this ladder has no log, so it does not keep its events",
                hint="use Ladder.open(folder), or Ladder.open(folder, start=ladder) to continue from here",
            )
        return self._log

    def void(self, event: str | int) -> None:
        """Let an event (or an adjustment, by its number) not count, and rate all that follows again.

        `event` is a number, a name, "NAME, TIME" or a time. If later records need it, such as the renaming
        of a player who took part in nothing else, that is refused.
        """
        self._opened().void(event)

    def replace(
        self, event: str | int, *, allow_repeat: bool = False, **by: Unpack[EventKeywords]
    ) -> Changes:
        """Correct an event, and rate all later events again. The arguments are those of `record`.

        The event keeps its number, and its name and time unless others are given. Returns the changes there.
        """
        return self._opened().replace(event, Event.of(**by).tidied(), allow_repeat=allow_repeat)

    def at(self, time: Time) -> Ladder:
        """An independent ladder as it was at a time, after all events and adjustments up to then.

        A time before the last event needs the log. Without a log it raises a `PastError`. Corrections count:
        the answer is the ladder as if the events that count now had ended there.

        >>> from tempfile import TemporaryDirectory
        >>> from podium import Ladder
        >>> with TemporaryDirectory() as folder, Ladder.open(folder, system="elo") as ladder:
        ...     for day in ("2026-05-01", "2026-05-08"):
        ...         _ = ladder.record_match("ann", "bob", time=day)
        ...     ladder.at("2026-05-07").rating("ann").display
        1516.0
        """
        micros = to_micros(time)
        if self.last_time == NO_TIME and self.n_events:
            raise PastError(
                "the events of this ladder have no times, so podium cannot find those rated by then",
                hint="record them with time=",
            )
        if micros >= self.last_time and (twin := self.copy()).last_time <= micros:
            return twin
        if self._log is None:
            raise past_error(self.last_time, micros)
        return self._log.at(micros)

    def numbered_events(self) -> tuple[Numbered, ...]:
        """All events and adjustments that count, in the order in which they are rated."""
        return self._opened().counted()

    def checkpoint(self) -> None:
        """Save the ladder in the folder of its log now. Otherwise that happens in the background."""
        self._opened().checkpoint()

    def close(self) -> None:
        """Let other processes open the log. You can still read the ladder's ratings."""
        if self._log is not None:
            self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
