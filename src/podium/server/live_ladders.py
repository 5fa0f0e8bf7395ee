"""The ladders that a worker has in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from sqlalchemy import Connection

from podium.server.database import Database
from podium.server.ladder_rows import LadderRow, find_ladder
from podium.server.live_ladder import BuiltAnewError, LiveLadder, load_ladder


class LiveLadders:
    """Ladders by name, loaded when they are first asked for.

    A worker of SQLite is the only one that writes, so what it has in memory is what is stored. On PostgreSQL
    others write too: each look first asks the database how far the log has come, and follows it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ladders: dict[str, LiveLadder] = {}
        self._loading: dict[str, Lock] = {}
        self._lock = Lock()

    def drop(self, slug: str) -> None:
        """Forget a ladder; the next look loads it again."""
        with self._lock:
            self._ladders.pop(slug, None)

    def names(self) -> list[str]:
        """The ladders in memory."""
        with self._lock:
            return list(self._ladders)

    @contextmanager
    def held(self, slug: str) -> Iterator[LiveLadder]:
        """The ladder alone, as it was when this worker last looked at the log."""
        while True:
            live = self._ladders.get(slug) or self._loaded(slug)
            with live.lock:
                if self._ladders.get(slug) is live:  # or it was dropped while this waited for its lock
                    yield live
                    return

    @contextmanager
    def looked_at(self, slug: str, connection: Connection) -> Iterator[LiveLadder]:
        """The ladder alone, following the log as far as the transaction of this connection sees it."""
        while True:
            with self.held(slug) as live:
                if self._database.kind == "sqlite" or self._follow(live, slug, connection):
                    yield live
                    return

    def _follow(self, live: LiveLadder, slug: str, connection: Connection) -> bool:
        """Follow the log; False if the ladder has to be loaded again, as it was built anew."""
        row = find_ladder(connection, slug, system=live.row.system)
        if row.generation == live.row.generation and row.head < live.head:
            return True  # appended since this transaction began, by this worker
        try:
            live.follow(connection, row)
        except BuiltAnewError:
            self.drop(slug)
            return False
        except BaseException:
            self.drop(slug)
            raise
        return True

    def change(self, row: LadderRow) -> None:
        """Take over other settings of a ladder."""
        with self._lock:
            live = self._ladders.get(row.slug)
        if live is not None:
            with live.lock:
                live.change_settings(row)

    def _loaded(self, slug: str) -> LiveLadder:
        with self._lock:
            loading = self._loading.setdefault(slug, Lock())
        with loading:
            if (live := self._ladders.get(slug)) is None:
                with self._database.reading() as connection:
                    live = load_ladder(connection, find_ladder(connection, slug))
                with self._lock:
                    self._ladders[slug] = live
            return live
