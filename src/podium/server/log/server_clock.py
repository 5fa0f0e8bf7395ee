"""The server's clock, and how far ahead of it a time may be.

One wrong time in the far future would hold every later event at that time, so it is refused when it is
reported. What is in a log already is never refused.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, and_, func, select

from podium.arrays import NO_TIME, SECOND
from podium.history.times import to_iso
from podium.server.problems import TimeAheadError
from podium.server.storage import tables


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
                hint="check the sender's clock and time zone, or omit the time to use the service's clock",
            )

    @property
    def ahead_text(self) -> str:
        """What is said of a time that is ahead."""
        return f"more than {self.tolerance:g} seconds ahead of the service's clock, {to_iso(self.now)}"


class AheadLadder(NamedTuple):
    """A ladder with a time that has not been yet."""

    slug: str
    time: int
    clock: ServerClock

    def __str__(self) -> str:
        return (
            f"the log of {self.slug!r} is at {to_iso(self.time)}, {self.clock.ahead_text}. Later results are "
            "rated at that time. If the clock is right now, "
            f"podium rebuild {self.slug} --repair-clock corrects the times"
        )


def ladders_ahead(connection: Connection, clock: ServerClock, slug: str | None = None) -> list[AheadLadder]:
    """The ladders that were rated, or whose last entry was received, ahead of the clock; or one of them."""
    if clock.tolerance is None:
        return []
    ladder, event = tables.ladder, tables.event
    last = and_(event.c.ladder == ladder.c.id, event.c.seq == ladder.c.head)
    limit = clock.now + int(clock.tolerance * SECOND)
    rated = func.coalesce(ladder.c.last_time, NO_TIME)
    query = (
        select(ladder.c.slug, rated, event.c.received)
        .join(event, last)
        .where((rated > limit) | (event.c.received > limit), ~ladder.c.archived)
        .order_by(ladder.c.slug)
    )
    if slug is not None:
        query = query.where(ladder.c.slug == slug)
    return [AheadLadder(name, max(times), clock) for name, *times in connection.execute(query)]
