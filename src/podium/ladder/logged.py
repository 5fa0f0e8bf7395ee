"""What only a ladder with a log can do: correct any event, however long ago it was."""

from __future__ import annotations

from types import TracebackType
from typing import Self, Unpack

from podium.errors import InputError
from podium.history import Event
from podium.history.events import EventKeywords
from podium.ladder.ladder_log import LadderLog
from podium.ladder.log_records import Numbered
from podium.systems.contract.ratings import Changes


class Logged:
    """The part of a ladder that needs its log; without one each of these is refused."""

    _log: LadderLog | None = None

    def _opened(self) -> LadderLog:
        if self._log is None:
            raise InputError(
                "this ladder has no log, so it does not keep its events",
                hint="Ladder.open(folder) does; Ladder.open(folder, start=ladder) goes on from here",
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
        """Correct an event, and rate all that follows again; takes the arguments of `record`.

        The event keeps its number, and its name and time unless others are given. Returns the changes there.
        """
        return self._opened().replace(event, Event.of(**by), allow_repeat=allow_repeat)

    def numbered_events(self) -> tuple[Numbered, ...]:
        """All events and adjustments that count, in the order in which they are rated."""
        return self._opened().counted()

    def checkpoint(self) -> None:
        """Save the ladder in the folder of its log now; otherwise that happens in the background."""
        self._opened().checkpoint()

    def close(self) -> None:
        """Let other processes open the log; the ladder can still be looked at."""
        if self._log is not None:
            self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
