"""The ladders that a worker has in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from sqlalchemy import Connection

from podium.server import machine
from podium.server.correcting.generations import KEPT_SECONDS, Generation, find_generation
from podium.server.ladders.followed_ladder import (
    BuiltAnewError,
    FollowedLadder,
    Look,
    ReplacedLogError,
    load_ladder,
)
from podium.server.storage.database import Database
from podium.server.storage.ladder_rows import LadderRow, find_ladder

Sketch = TypeVar("Sketch")
MOST_FORMER = 3
"""Earlier generations of a ladder that a worker keeps in memory for readers in the middle of its board."""


class LoadedLadders:
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
        self._ladders: dict[str, FollowedLadder] = {}
        self._former: dict[str, list[tuple[float, FollowedLadder]]] = {}
        """Ladders of earlier generations, and until when each is kept, by name."""
        self._upcoming: dict[str, tuple[Generation, FollowedLadder]] = {}
        """Ladders of generations that are being committed, by name."""
        self._loading: dict[str, machine.Lock] = {}
        self._lock = machine.Lock()
        self.forgetting: list[Callable[[], None]] = []
        """Called when an older backup was restored: they forget what they have read of logs."""

    def drop(self, slug: str) -> None:
        """Forget a ladder; the next look loads it again."""
        with self._lock:
            self._ladders.pop(slug, None)
            self._counted(len(self._ladders))

    def replace(self, live: FollowedLadder) -> None:
        """Have a ladder in memory in place of what is there."""
        self.retire(live.row.slug)
        with self._lock:
            self._ladders[live.row.slug] = live
            self._counted(len(self._ladders))

    @contextmanager
    def switching(self, live: FollowedLadder, generation: Generation) -> Iterator[None]:
        """Have a ladder of a new generation in memory when the block ends, in which that is committed.

        Whoever sees the generation in the database before the block ends has the ladder then: nobody waits
        for the commit, nor loads what is here already.
        """
        slug = live.row.slug
        self._upcoming[slug] = generation, live
        try:
            yield
            if self._ladders.get(slug) is not live:
                self.replace(live)
        finally:
            del self._upcoming[slug]

    def retire(self, slug: str) -> None:
        """Forget a ladder whose ratings were computed anew, except for readers in the middle of its board."""
        with self._lock:
            if (live := self._ladders.pop(slug, None)) is None:
                return
            end = machine.monotonic() + KEPT_SECONDS
            kept = [one for one in self._former.get(slug, ()) if one[0] > machine.monotonic()]
            self._former[slug] = [*kept, (end, live)][-MOST_FORMER:]
            self._counted(len(self._ladders))

    def of_generation(self, live: FollowedLadder, generation: int | None) -> FollowedLadder:
        """A ladder as it was in an earlier generation, if this worker still has it; otherwise as it is.

        Whoever asks has the lock of the ladder as it is.
        """
        if generation is None or generation == live.row.generation:
            return live
        with self._lock:
            former = [one for end, one in self._former.get(live.row.slug, ()) if end > machine.monotonic()]
        return next((one for one in former if one.row.generation == generation), live)

    def load(self, slug: str) -> FollowedLadder:
        """A ladder, which is in memory then."""
        return self._ladders.get(slug) or self._loaded(slug)

    def names(self) -> list[str]:
        """The ladders in memory."""
        with self._lock:
            return list(self._ladders)

    def find(self, slug: str) -> FollowedLadder | None:
        """A ladder if it is in memory."""
        return self._ladders.get(slug)

    @contextmanager
    def held(self, slug: str) -> Iterator[FollowedLadder]:
        """The ladder alone, as it was when this worker last looked at the log."""
        while True:
            live = self.load(slug)
            with live.lock:
                if self._ladders.get(slug) is live:  # or it was dropped while this waited for its lock
                    yield live
                    return

    @contextmanager
    def looked_at(self, slug: str) -> Iterator[tuple[Connection, FollowedLadder]]:
        """The ladder alone, following its log, and a connection that sees the same state of it."""
        while True:
            with self.held(slug) as live, self._database.reading() as connection:
                if self._follows(live, connection):
                    yield connection, live
                    return

    @contextmanager
    def glanced_at(self, slug: str, player: str | None = None) -> Iterator[tuple[Connection, Look]]:
        """A connection, and how the ladder is in what it sees; the ladder itself is free for others.

        This is for reading tables. If a `player` is named, who must be there, the look has their number.
        """

        def look(live: FollowedLadder) -> Look:
            return live.look(None if player is None else live.ladder._known(player))

        with self.sketched(slug, look) as found:
            yield found

    @contextmanager
    def sketched(
        self, slug: str, sketch: Callable[[FollowedLadder], Sketch]
    ) -> Iterator[tuple[Connection, Sketch]]:
        """A connection, and what `sketch` takes from the ladder as that connection sees it.

        The ladder itself is free for others then: what is taken must not change with it.
        """
        with ExitStack() as reading:
            while True:
                with self.held(slug) as live:
                    connection = reading.enter_context(self._database.reading())
                    if self._follows(live, connection):
                        taken = sketch(live)
                        break
                reading.close()
            yield connection, taken

    @contextmanager
    def copied(
        self, slug: str, copy: Callable[[FollowedLadder], Sketch]
    ) -> Iterator[tuple[Connection, Sketch]]:
        """A connection, and a copy of the ladder as that connection sees it; readers never wait for it.

        Nobody has the lock while it is copied. If the ladder was changed meanwhile, it is copied again while
        its row is locked, so that nobody can change it: reports wait for that copy.
        """
        with self.sketched(slug, _with_version) as (connection, (live, version)):
            if found := _unchanged(live, version, copy):
                yield connection, found[0]
                return
        with ExitStack() as reading:
            with self._database.writing() as locking:
                find_ladder(locking, slug, lock=True)
                connection, (live, _) = reading.enter_context(self.sketched(slug, _with_version))
                taken = copy(live)
            yield connection, taken

    def follow(self, live: FollowedLadder, connection: Connection, row: LadderRow) -> None:
        """Have a ladder follow its log up to a row's head.

        If its ratings were built anew it is forgotten, or the new ones are in memory by now: look again.
        """
        try:
            live.follow(connection, row)
        except ReplacedLogError:
            self.drop(row.slug)
            self._former.pop(row.slug, None)
            for forget in self.forgetting:
                forget()
            raise
        except BuiltAnewError:
            self._switch(row, connection)
            raise
        except BaseException:
            self.drop(row.slug)  # it may have followed half of the way
            raise

    def _switch(self, row: LadderRow, connection: Connection) -> None:
        """Go over to a generation that was committed just now, or else forget the ladder."""
        generation, live = self._upcoming.get(row.slug, (None, None))
        # Another worker may have committed one of the same number, if nobody knows whether this one did.
        if live is not None and generation == find_generation(connection, row.id, row.generation):
            self.replace(live)
        else:
            self.retire(row.slug)

    def _follows(self, live: FollowedLadder, connection: Connection) -> bool:
        """Whether a ladder follows its log now; if not, there is another one."""
        row = find_ladder(connection, live.row.slug, system=live.row.system)
        try:
            self.follow(live, connection, row)
        except BuiltAnewError:
            return False
        return True

    def _loaded(self, slug: str) -> FollowedLadder:
        with self._database.reading() as connection:
            find_ladder(connection, slug)  # a name that is none is refused before anything is kept for it
        with self._lock:
            loading = self._loading.setdefault(slug, machine.Lock())
        with loading:
            if (live := self._ladders.get(slug)) is None:
                with self._database.reading() as connection:
                    live = load_ladder(connection, find_ladder(connection, slug))
                with self._lock:
                    self._ladders[slug] = live
                    self._counted(len(self._ladders))
            return live


def _with_version(live: FollowedLadder) -> tuple[FollowedLadder, int]:
    return live, live.version


def _unchanged(live: FollowedLadder, version: int, copy: Callable[[FollowedLadder], Sketch]) -> list[Sketch]:
    """What is copied from a ladder; nothing if somebody began to change it meanwhile."""
    try:
        taken = [copy(live)]
    except Exception:
        if live.version == version:
            raise
        return []  # it was half changed
    return taken if live.version == version else []
