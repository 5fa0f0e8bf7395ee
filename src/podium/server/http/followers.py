"""Who follows a ladder's log: one reader a ladder and worker, whatever the number of listeners.

The reader is woken when the log goes on, at once by this worker and soon by others, and reads each piece
once. All listeners who have come as far as it has are sent the same bytes. Whoever is behind reads what it
has missed for itself, and so does a listener whose connection is too slow for the pieces that are kept.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from podium.documents.plain_data import compact_json
from podium.documents.service_documents import LoggedEventDocument
from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.log.bookmarks import Bookmark, read_bookmark
from podium.server.log.log_reading import next_logged
from podium.server.operations.service_logs import LOGGER, brief
from podium.server.problems import OtherLogError
from podium.server.storage import tables
from podium.server.storage.database import Database

KEEP_ALIVE_SECONDS = 15.0
KEEP_ALIVE = b": keep-alive\n\n"
LAST_WORD = b": the service is ending; connect again\nretry: 2000\n\n"
"""What listeners hear last: browsers wait so many milliseconds before they connect again."""
MOST_PIECES, MOST_BYTES = 64, 4_000_000
"""What is kept of a log for listeners that are a little behind."""


class Piece(NamedTuple):
    """Entries of a log that were read together, as they are sent."""

    first: int
    entries: list[bytes]
    whole: bytes
    last: Bookmark
    """The last entry."""

    def behind(self, number: int) -> bytes:
        """The entries behind a number."""
        return self.whole if number < self.first else b"".join(self.entries[number + 1 - self.first :])


class Feed:
    """The log of one ladder as the listeners of this worker hear it."""

    def __init__(self, last: Bookmark) -> None:
        self.last = last
        """Up to where it was read."""
        self.ended = False
        """Whether the log is another one by now: whoever listens has to connect again, and is told so."""
        self.listeners = 0
        self.woken = asyncio.Event()
        self.woken.set()  # what was recorded before anybody listened is looked for too
        self.news = asyncio.Event()
        """Set and replaced when there is a new piece: take it before you look, and nothing is missed."""
        self.task: asyncio.Task[None] | None = None
        self._pieces: deque[Piece] = deque()
        self._size = 0

    def add(self, piece: Piece) -> None:
        """Hand a new piece to everybody who listens."""
        self.last = piece.last
        self._pieces.append(piece)
        self._size += len(piece.whole)
        while len(self._pieces) > 1 and (len(self._pieces) > MOST_PIECES or self._size > MOST_BYTES):
            self._size -= len(self._pieces.popleft().whole)
        self.tell()

    def tell(self) -> None:
        """Wake everybody who listens."""
        self.news.set()
        self.news = asyncio.Event()

    def piece_behind(self, number: int) -> Piece | None:
        """The piece in which the entry behind a number is, if it is kept."""
        wanted = number + 1
        return next((piece for piece in self._pieces if piece.first <= wanted <= piece.last.number), None)


class Followers:
    """The listeners of a worker; they live in the event loop that first listens."""

    def __init__(self, database: Database, ladders: LoadedLadders, follow_seconds: float) -> None:
        self._database, self._ladders, self._seconds = database, ladders, follow_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._feeds: dict[str, Feed] = {}
        self._watching: asyncio.Task[None] | None = None
        self.closed = False

    async def sent(self, slug: str, last: Bookmark, head: Bookmark) -> AsyncGenerator[bytes, None]:
        """The entries behind a bookmark as server-sent events, as they come; `head` is where the log is now.

        It ends if the log is another one.
        """
        with self._listening(slug, head) as feed, suppress(OtherLogError):
            while not self.closed and not feed.ended:
                news = feed.news
                if (piece := feed.piece_behind(last.number)) is None and last.number < feed.last.number:
                    piece = await run_in_threadpool(self._read, slug, last)
                if piece is not None:
                    yield piece.behind(last.number)
                    last = piece.last
                elif not await _waited(news, KEEP_ALIVE_SECONDS):
                    yield KEEP_ALIVE
        yield LAST_WORD

    def wake(self, slug: str) -> None:
        """A ladder's log has gone on; called from any thread."""
        if self._loop is not None and not self._loop.is_closed() and self._feeds:
            self._loop.call_soon_threadsafe(self._wake, slug)

    def close(self) -> None:
        """Let everybody who listens hear a last word."""
        self.closed = True
        if self._loop is not None and not self._loop.is_closed():
            for feed in list(self._feeds.values()):
                self._loop.call_soon_threadsafe(feed.tell)

    @contextmanager
    def _listening(self, slug: str, head: Bookmark) -> Iterator[Feed]:
        """The feed of a ladder, which is there as long as somebody listens."""
        self._loop = asyncio.get_running_loop()
        if (feed := self._feeds.get(slug)) is None:
            feed = self._feeds[slug] = Feed(head)
            feed.task = self._loop.create_task(self._feed(slug, feed))
        if self._watching is None and self._database.kind == "postgresql":
            self._watching = self._loop.create_task(self._watch())
        feed.listeners += 1
        try:
            yield feed
        finally:
            feed.listeners -= 1
            if not feed.listeners:
                self._forget(slug, feed)
                assert feed.task is not None
                feed.task.cancel()
            if not self._feeds and self._watching is not None:
                self._watching.cancel()
                self._watching = None

    def _forget(self, slug: str, feed: Feed) -> None:
        """Let the next listener of a ladder have another feed."""
        if self._feeds.get(slug) is feed:
            del self._feeds[slug]

    def _wake(self, slug: str) -> None:
        if (feed := self._feeds.get(slug)) is not None:
            feed.woken.set()

    async def _feed(self, slug: str, feed: Feed) -> None:
        """Read what is new, whenever there is something; a database that is away now is asked again."""
        failed = False
        while True:
            await feed.woken.wait()
            feed.woken.clear()
            try:
                while (piece := await asyncio.to_thread(self._read, slug, feed.last)) is not None:
                    feed.add(piece)
                failed = False
            except OtherLogError as error:
                LOGGER.warning("followers of %r must reconnect: %s", slug, error.reason)
                feed.ended = True
                self._forget(slug, feed)
                feed.tell()
                return
            except Exception as error:
                if not failed:
                    LOGGER.warning("the log of %r cannot be followed now: %s", slug, brief(error))
                failed = True
                await asyncio.sleep(self._seconds)
                feed.woken.set()

    def _read(self, slug: str, after: Bookmark) -> Piece | None:
        """The next entries of a log behind a bookmark; None if there are none yet."""
        with self._ladders.glanced_at(slug) as (connection, look):
            found = next_logged(connection, look, after)
        if not found:
            return None
        entries = [_server_sent(entry) for entry in found]
        last = read_bookmark(found[-1]["bookmark"])
        return Piece(found[0]["number"], entries, b"".join(entries), last)

    async def _watch(self) -> None:
        """Look how far the logs have come that somebody listens to, as other workers append to them too."""
        while True:
            await asyncio.sleep(self._seconds)
            with suppress(SQLAlchemyError):  # a database that is away now is asked again
                heads = await asyncio.to_thread(self._read_heads, list(self._feeds))
                for slug, head in heads.items():
                    if (feed := self._feeds.get(slug)) is not None and feed.last.number != head:
                        feed.woken.set()  # a head that went back is of another log

    def _read_heads(self, slugs: list[str]) -> dict[str, int]:
        table = tables.ladder
        with self._database.reading() as connection:
            found = connection.execute(select(table.c.slug, table.c.head).where(table.c.slug.in_(slugs)))
            return {one.slug: one.head for one in found}


async def _waited(news: asyncio.Event, seconds: float) -> bool:
    """Wait for news, at most so long; whether there are any."""
    with suppress(TimeoutError):
        await asyncio.wait_for(news.wait(), seconds)
        return True
    return False


def _server_sent(entry: LoggedEventDocument) -> bytes:
    data = compact_json("logged-event", entry)
    return f"id: {entry['bookmark']}\nevent: logged-event\ndata: {data}\n\n".encode()
