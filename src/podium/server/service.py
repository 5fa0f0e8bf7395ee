"""A worker of the service: the database, the ladders in memory, the threads that append."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event as Flag

from sqlalchemy import Connection

from podium.errors import PodiumError
from podium.server.appending import Appender
from podium.server.checkpoints import CheckpointWriter
from podium.server.committer import Committer
from podium.server.database import Database
from podium.server.followers import Followers
from podium.server.ladder_rows import LadderRow, list_ladders
from podium.server.live_ladder import LiveLadder
from podium.server.live_ladders import LiveLadders
from podium.server.settings import ServerSettings

SWITCH_SECONDS = 0.0005
"""How long one thread computes while another waits. Python's 5 ms would be paid at each answer of the
database: the thread that appends would get the interpreter back only then."""
COMMIT_THREADS = {"sqlite": 1, "postgresql": 2}
LADDERS_LOADED_FIRST = 100
"""Ladders that are in memory before the first request."""


class Service:
    """Everything that a worker holds. `open` it before use, and `close` it at the end."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.database = Database(settings.database)
        self.ladders = LiveLadders(self.database)
        self.followers = Followers(self.database, settings.follow_seconds)
        self.appender = Appender(self.database, self.ladders)
        self.checkpoints = CheckpointWriter(self.database, self.ladders, settings.checkpoint_rows)
        self.ready = Flag()
        self._committer: Committer | None = None

    @property
    def committer(self) -> Committer:
        """The queue of what is to be appended."""
        assert self._committer is not None, "the service is not open"
        return self._committer

    def open(self) -> None:
        """Bring the tables up to date, load ladders and run every kernel once; then the worker is ready."""
        sys.setswitchinterval(SWITCH_SECONDS)
        self.database.migrate()
        self._committer = Committer(
            self.appender,
            threads=COMMIT_THREADS[self.database.kind],
            committed=self._committed,
        )
        self._load()
        self.ready.set()

    def close(self) -> None:
        """Append what is waiting, save ladders, and close the database."""
        self.ready.clear()
        self.followers.close()
        if self._committer is not None:
            self._committer.close()
        self.checkpoints.close()
        self.database.close()

    @contextmanager
    def looking(self, slug: str) -> Iterator[tuple[Connection, LiveLadder]]:
        """A ladder alone, following its log, and a connection that sees the same state of it."""
        with self.ladders.looked_at(slug) as found:
            yield found

    def _load(self) -> None:
        from podium.compiling import warmup

        with self.database.reading() as connection:
            rows = list_ladders(connection, limit=LADDERS_LOADED_FIRST)
        warmup()
        for row in rows:
            try:
                with self.looking(row.slug) as (_, live):
                    live.standings(live.row.filter)
            except PodiumError as error:  # one damaged ladder does not keep the others from being served
                print(f"podium: the ladder {row.slug!r} cannot be loaded: {error}", file=sys.stderr)

    def _committed(self, row: LadderRow) -> None:
        self.followers.wake(row.slug)
        self.checkpoints.consider(row.slug)
