"""Who listens to a ladder's log is woken when it goes on: at once by this worker, soon by the others."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from podium.server.storage import tables
from podium.server.storage.database import Database


class Followers:
    """The listeners of a worker; they live in the event loop that first listens."""

    def __init__(self, database: Database, follow_seconds: float) -> None:
        self._database, self._seconds = database, follow_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listening: Counter[str] = Counter()
        self._news: dict[str, asyncio.Event] = {}
        self._heads: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None
        self.closed = False

    @contextmanager
    def listening(self, slug: str) -> Iterator[None]:
        """Be woken by what happens to a ladder, as long as the block lasts."""
        self._loop = asyncio.get_running_loop()
        self._listening[slug] += 1
        if self._task is None and self._database.kind == "postgresql":
            self._task = self._loop.create_task(self._watch())
        try:
            yield
        finally:
            self._listening[slug] -= 1
            if not self._listening[slug]:
                del self._listening[slug]
                self._news.pop(slug, None)
                self._heads.pop(slug, None)
            if not self._listening and self._task is not None:
                self._task.cancel()
                self._task = None

    def news(self, slug: str) -> asyncio.Event:
        """What is set when a ladder's log goes on; take it before you look, and nothing is missed."""
        return self._news.setdefault(slug, asyncio.Event())

    async def waited(self, news: asyncio.Event, seconds: float) -> bool:
        """Wait for news, at most so long; whether there are any."""
        with suppress(TimeoutError):
            await asyncio.wait_for(news.wait(), seconds)
            return True
        return False

    def wake(self, slug: str) -> None:
        """A ladder's log has gone on; called from any thread."""
        if self._loop is not None and not self._loop.is_closed() and self._listening:
            self._loop.call_soon_threadsafe(self._wake, slug)

    def close(self) -> None:
        """Wake everybody for the last time."""
        self.closed = True
        if self._loop is not None and not self._loop.is_closed():
            for slug in list(self._listening):
                self._loop.call_soon_threadsafe(self._wake, slug)

    def _wake(self, slug: str) -> None:
        if (happened := self._news.pop(slug, None)) is not None:
            happened.set()

    async def _watch(self) -> None:
        """Look how far the logs have come that somebody listens to."""
        while True:
            await asyncio.sleep(self._seconds)
            with suppress(SQLAlchemyError):  # a database that is away now is asked again
                heads = await asyncio.to_thread(self._read_heads, list(self._listening))
                for slug, head in heads.items():
                    if self._heads.get(slug) != head:
                        self._heads[slug] = head
                        self._wake(slug)

    def _read_heads(self, slugs: list[str]) -> dict[str, int]:
        table = tables.ladder
        with self._database.reading() as connection:
            found = connection.execute(select(table.c.slug, table.c.head).where(table.c.slug.in_(slugs)))
            return {one.slug: one.head for one in found}
