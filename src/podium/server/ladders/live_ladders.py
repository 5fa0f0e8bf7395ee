"""The ladders that a worker has in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

from sqlalchemy import Connection

from podium.server.ladders.live_ladder import BuiltAnewError, LiveLadder, Look, load_ladder
from podium.server.storage.database import Database
from podium.server.storage.ladder_rows import find_ladder


class LiveLadders:
    """Ladders by name, loaded when they are first asked for.

    Others write too: workers of PostgreSQL, and commands. Each look first asks the database how far the log
    has come, and follows it.

    Whoever reads takes a ladder's lock before a connection: so however many readers there are, those with a
    connection never wait for a ladder, and connections come back. The few threads that append take the row of
    the ladder in the database first: while they wait for it, others read.
    """

    def __init__(self, database: Database, counted: Callable[[int], None] = lambda number: None) -> None:
        self._database = database
        self._counted = counted
        """Called with the number of ladders in memory whenever it changes."""
        self._ladders: dict[str, LiveLadder] = {}
        self._loading: dict[str, Lock] = {}
        self._lock = Lock()

    def drop(self, slug: str) -> None:
        """Forget a ladder; the next look loads it again."""
        with self._lock:
            self._ladders.pop(slug, None)
            self._counted(len(self._ladders))

    def replace(self, live: LiveLadder) -> None:
        """Have a ladder in memory in place of what is there."""
        with self._lock:
            self._ladders[live.row.slug] = live

    def load(self, slug: str) -> None:
        """Have a ladder in memory."""
        if slug not in self._ladders:
            self._loaded(slug)

    def names(self) -> list[str]:
        """The ladders in memory."""
        with self._lock:
            return list(self._ladders)

    def find(self, slug: str) -> LiveLadder | None:
        """A ladder if it is in memory."""
        return self._ladders.get(slug)

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
    def looked_at(self, slug: str) -> Iterator[tuple[Connection, LiveLadder]]:
        """The ladder alone, following its log, and a connection that sees the same state of it."""
        while True:
            with self.held(slug) as live, self._database.reading() as connection:
                if self._follow(live, slug, connection):
                    yield connection, live
                    return

    @contextmanager
    def glanced_at(self, slug: str, player: str | None = None) -> Iterator[tuple[Connection, Look]]:
        """A connection, and how the ladder is in what it sees; the ladder itself is free for others.

        This is for reading tables. If a `player` is named, who must be there, the look has their number.
        """
        with ExitStack() as reading:
            while True:
                with self.held(slug) as live:
                    connection = reading.enter_context(self._database.reading())
                    if self._follow(live, slug, connection):
                        look = live.look(None if player is None else live.ladder._known(player))
                        break
                reading.close()
            yield connection, look

    def _follow(self, live: LiveLadder, slug: str, connection: Connection) -> bool:
        """Follow the log; False if the ladder has to be loaded again, as it was built anew."""
        row = find_ladder(connection, slug, system=live.row.system)
        try:
            live.follow(connection, row)
        except BaseException as error:
            self.drop(slug)  # it may have followed half of the way
            if isinstance(error, BuiltAnewError):
                return False
            raise
        return True

    def _loaded(self, slug: str) -> LiveLadder:
        with self._database.reading() as connection:
            find_ladder(connection, slug)  # a name that is none is refused before anything is kept for it
        with self._lock:
            loading = self._loading.setdefault(slug, Lock())
        with loading:
            if (live := self._ladders.get(slug)) is None:
                with self._database.reading() as connection:
                    live = load_ladder(connection, find_ladder(connection, slug))
                with self._lock:
                    self._ladders[slug] = live
                    self._counted(len(self._ladders))
            return live
