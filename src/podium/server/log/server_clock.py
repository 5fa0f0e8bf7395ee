"""The server's clock, and how far ahead of it a time may be.

One wrong time in the far future would hold every later event at that time, so it is refused when it is
reported. What is in a log already is never refused.
"""

from __future__ import annotations

from typing import NamedTuple

from podium.arrays import SECOND
from podium.history.times import to_iso
from podium.server.problems import TimeAheadError


class ServerClock(NamedTuple):
    """The time at the server when something arrives."""

    now: int
    """In microseconds since 1970 UTC."""
    tolerance: float | None = None
    """The seconds by which a time may be ahead; None: any time is right."""

    def is_ahead(self, time: int) -> bool:
        """Whether a time is further ahead than it may be."""
        return self.tolerance is not None and time - self.now > self.tolerance * SECOND

    def check(self, time: int) -> None:
        """Refuse the time of a report that is too far ahead."""
        if self.is_ahead(time):
            raise TimeAheadError(
                f"the time {to_iso(time)} is {self.ahead_text}",
                hint="check the clock that gave it and its time zone; leave the time out to use this clock",
            )

    @property
    def ahead_text(self) -> str:
        """What is said of a time that is ahead."""
        return f"more than {self.tolerance:g} seconds ahead of the service's clock, {to_iso(self.now)}"
