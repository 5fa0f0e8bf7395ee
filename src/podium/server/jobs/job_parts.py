"""Files that go into a job or come out of it, kept in the database in pieces."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, func, insert, select

from podium.server.storage import tables
from podium.server.storage.database import Database

if TYPE_CHECKING:
    from podium.server.service import Service

PIECE_BYTES = 1_000_000
"""Bytes of a piece: short transactions, and few of them."""


def write_piece(connection: Connection, job: int, name: str, number: int, content: bytes) -> None:
    """Keep a piece of a job's file; the first one replaces whatever there was under its name."""
    table = tables.job_part
    if number == 0:
        connection.execute(delete(table).where(table.c.job == job, table.c.name == name))
    values = {"job": job, "name": name, "number": number, "content": content}
    connection.execute(insert(table).values(values))


def store_piece(service: Service, job: int, name: str, number: int, content: bytes) -> None:
    """Keep a piece of a job's file, in a transaction of its own."""
    with service.database.writing() as connection:
        write_piece(connection, job, name, number, content)


def read_piece(connection: Connection, job: int, name: str, number: int) -> bytes | None:
    """A piece of a job's file; None behind the last."""
    table = tables.job_part
    chosen = (table.c.job == job, table.c.name == name, table.c.number == number)
    found = connection.execute(select(table.c.content).where(*chosen)).scalar_one_or_none()
    return None if found is None else bytes(found)


def part_size(connection: Connection, job: int, name: str) -> int | None:
    """The bytes of a job's file; None if there is none of this name."""
    table = tables.job_part
    query = select(func.sum(func.length(table.c.content))).where(table.c.job == job, table.c.name == name)
    found = connection.execute(query).scalar_one()
    return None if found is None else int(found)


def pieces_of(database: Database, job: int, name: str) -> Iterator[bytes]:
    """The pieces of a job's file, each read when it is asked for."""
    number = 0
    while True:
        with database.reading() as connection:
            piece = read_piece(connection, job, name, number)
        if piece is None:
            return
        yield piece
        number += 1


class PartReader(io.RawIOBase):
    """A job's file as a stream of bytes to read, from its beginning to its end."""

    def __init__(self, database: Database, job: int, name: str) -> None:
        self._pieces = pieces_of(database, job, name)
        self._left = memoryview(b"")

    def readable(self) -> bool:
        """That it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read as much as there is of the current piece, into a buffer."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


class PartWriter(io.RawIOBase):
    """A job's file as a stream of bytes to write; complete when it is closed.

    Leaving its block by an error keeps nothing more of it.
    """

    def __init__(self, write: Callable[..., None], job: int, name: str) -> None:
        self._write, self._job, self._name = write, job, name
        self._number, self._size = 0, 0
        self._waiting = bytearray()

    def writable(self) -> bool:
        """That it can be written."""
        return True

    def write(self, content: Any) -> int:
        """Take some bytes; they are kept when there are enough for a piece."""
        self._waiting += content
        while len(self._waiting) >= PIECE_BYTES:
            self._keep(PIECE_BYTES)
        return len(content)

    def tell(self) -> int:
        """How many bytes were written."""
        return self._size + len(self._waiting)

    def finish(self) -> int:
        """Keep what is left; the bytes of the whole file."""
        if self._waiting or not self._number:
            self._keep(len(self._waiting))
        return self._size

    def _keep(self, size: int) -> None:
        piece = bytes(self._waiting[:size])
        self._write(store_piece, self._job, self._name, self._number, piece)
        del self._waiting[:size]
        self._number += 1
        self._size += size
