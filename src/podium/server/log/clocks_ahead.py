"""Ladders whose log is ahead of the server's clock: the clock was wrong once, or it is now."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, and_, func, select

from podium.arrays import NO_TIME, SECOND
from podium.history.times import to_iso
from podium.server.log.server_clock import ServerClock
from podium.server.storage import tables


class AheadLadder(NamedTuple):
    """A ladder with a time that has not been yet."""

    slug: str
    time: int
    clock: ServerClock

    def __str__(self) -> str:
        return (
            f"the log of {self.slug!r} is at {to_iso(self.time)}, {self.clock.ahead_text}. Later results are "
            "rated at that time. If the clock is right now, "
            f"podium rebuild {self.slug} --repair-clock puts the times right"
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
