"""The database: SQLite in one process, or PostgreSQL for any number of them.

SQLite has one connection that writes, used by one thread at a time; readers have others, which cannot write.
Every transaction that writes takes its lock when it begins: two never wait for each other in a circle.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from math import inf
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool, StaticPool

from podium.errors import InputError, ParameterError
from podium.server import machine
from podium.server.problems import UnavailableError

Kind = Literal["sqlite", "postgresql"]
OWNER_ALONE = 0o600
"""Permissions of a file that others cannot read: private ladders are in it, and whose keys there are."""
WRITING = "rwc"
"""The mode in which SQLite opens a file to write to it, and makes it if need be."""

BUSY_SECONDS = 5
"""How long SQLite waits for a lock before it refuses."""
MOST_CONNECTIONS = 20
"""Connections of one process that are open at once, unless a setting says otherwise."""
MOST_KEPT = 16
"""Connections that stay open when nobody needs them."""
CACHE_KILOBYTES = 64_000
"""Memory for pages of SQLite; with its own 2 MB, those of a large ladder are read again and again."""
WAL_PAGES = 8_000
"""Pages in SQLite's log before they are copied into the file: some 30 MB."""
STAGE = "stage"
"""What the connection that writes to SQLite calls the database in memory from which it takes staged rows."""
BUILDING_LOCK = 0x6E657721
"""The first number of PostgreSQL's advisory locks under which ratings are computed anew; the second is made
of the ladder's name."""
SILENCE_NOTICED = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""So that a machine with PostgreSQL which went away without a word is noticed within half a minute."""
FULL_DISK_WORDS = ("disk is full", "No space left", "could not extend file")
READ_ONLY_WORDS = ("readonly database", "read-only")
FENCE: ContextVar[Callable[[Connection], None] | None] = ContextVar("FENCE", default=None)
"""What each transaction that writes asks first, and which refuses those of a job that was taken over."""


class Database:
    """A database by its address: ``sqlite:///league.db`` or ``postgresql://…``.

    A path alone is a file of SQLite.
    """

    def __init__(self, address: str, *, read_only: bool = False, connections: int = MOST_CONNECTIONS) -> None:
        pool = {"pool_size": min(connections, MOST_KEPT), "max_overflow": max(connections - MOST_KEPT, 0)}
        self.address = address if "://" in address else f"sqlite:///{address}"
        try:
            self.url = make_url(self.address)
        except ArgumentError as error:
            raise ParameterError(
                f"{address!r} is not a database URL or file name",
                hint="give a file name or postgresql://user:password@host/database",
            ) from error
        name = self.url.get_backend_name()
        if name not in ("sqlite", "postgresql"):
            raise ParameterError(
                f"podium supports SQLite and PostgreSQL, not {name}",
                hint="give a file name or postgresql://user:password@host/database",
            )
        self.kind: Kind = "sqlite" if name == "sqlite" else "postgresql"
        self._writing = machine.RLock()
        self._last_wait = -inf
        self._building: dict[str, machine.Lock] = {}
        if self.kind == "sqlite":
            self.path = Path(self.url.database or "")
            if not self.url.database or self.url.database == ":memory:":
                raise ParameterError("a service needs a database file, not a database in memory")
            frozen = read_only and _is_frozen(self.path)
            self.readers = _sqlite_engine(self.path, "ro&immutable=1" if frozen else "ro", QueuePool, **pool)
            self.writer = self.readers if read_only else _sqlite_engine(self.path, WRITING, StaticPool)
        else:
            self.path = Path()
            whole = self.url.render_as_string(hide_password=False)
            self.readers = self.writer = _postgresql_engine(whole, **pool)

    def close(self) -> None:
        """Close all connections."""
        self.readers.dispose()
        if self.writer is not self.readers:
            self.writer.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes: committed at the end of the block, taken back if it raises."""
        fence = FENCE.get()
        with self.turn(), self.writer.begin() as connection:
            if fence is not None:
                fence(connection)
            yield connection

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The turn to write: whoever waits for it holds nothing that others read, if it is taken first."""
        if self.kind == "postgresql":
            yield
            return
        if not self._writing.acquire(blocking=False):
            self._last_wait = machine.monotonic()
            self._writing.acquire()
        try:
            yield
        finally:
            self._writing.release()

    def was_contended(self, seconds: float) -> bool:
        """Whether somebody had to wait for the turn to write within the last seconds."""
        return machine.monotonic() - self._last_wait < seconds

    @contextmanager
    def building(self, slug: str) -> Iterator[None]:
        """The turn to compute a ladder's ratings anew: of several who want that, one after another.

        It ends with the process, however that ends.
        """
        with self._lock_of(slug):
            if self.kind == "sqlite":
                yield
                return
            with self.writer.begin() as connection:
                connection.exec_driver_sql(
                    "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (BUILDING_LOCK, slug)
                )
                yield

    def _lock_of(self, slug: str) -> machine.Lock:
        with self._writing:
            return self._building.setdefault(slug, machine.Lock())

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads, and sees one state of the database throughout."""
        with self.readers.connect() as connection:
            if self.kind == "postgresql":
                connection = connection.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            with connection.begin():
                yield connection

    def has_table(self, name: str) -> bool:
        """Whether there is a table of a name; not in a new database, or perhaps in one of an older podium."""
        if self.kind == "sqlite" and not self.path.exists():
            return False
        with self.reading() as connection:
            return inspect(connection).has_table(name)

    @property
    def shown_address(self) -> str:
        """The address without its password."""
        return self.url.render_as_string(hide_password=True)

    @property
    def shown_name(self) -> str:
        """What people call it: the name of the file, or the address without its password."""
        return str(self.path) if self.kind == "sqlite" else self.shown_address


def _is_frozen(path: Path) -> bool:
    """Whether nobody can be writing to a file of SQLite, such as a backup on a medium that is read only.

    There SQLite could not make the files that it needs beside it to read while others write.
    """
    return not os.access(path.absolute().parent, os.W_OK) and not Path(f"{path}-wal").exists()


def _sqlite_engine(path: Path, mode: str, pool: type[Any], **options: Any) -> Engine:
    address = f"file:{quote(os.fspath(path.absolute()))}?mode={mode}"
    engine = create_engine(
        f"sqlite:///{address}&uri=true",
        poolclass=pool,
        connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
        hide_parameters=True,  # they are players and keys, which errors and logs must not quote
        **options,
    )

    @event.listens_for(engine, "do_connect")
    def make_private(*_: Any) -> None:
        if mode == WRITING and not path.exists():
            with suppress(OSError):  # which SQLite tells
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, OWNER_ALONE))

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # podium begins transactions itself
        cursor = connection.cursor()
        if mode == WRITING:
            cursor.execute("PRAGMA journal_mode=WAL")
            # NORMAL may lose what was acknowledged when power fails.
            cursor.execute("PRAGMA synchronous=FULL")
            cursor.execute(f"PRAGMA cache_size=-{CACHE_KILOBYTES}")
            cursor.execute(f"PRAGMA wal_autocheckpoint={WAL_PAGES}")
            cursor.execute(f"ATTACH ':memory:' AS {STAGE}")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if mode == WRITING else "BEGIN")

    return engine


def _postgresql_engine(address: str, **options: Any) -> Engine:
    return create_engine(
        make_url(address).set(drivername="postgresql+psycopg"),
        pool_pre_ping=False,
        hide_parameters=True,
        connect_args={"connect_timeout": BUSY_SECONDS, "prepare_threshold": 2, **SILENCE_NOTICED},
        **options,
    )


def refusal(error: DBAPIError) -> UnavailableError | None:
    """What to tell whoever reports when the database cannot take it; None if it is something else."""
    words = str(error.orig)
    if any(word in words for word in FULL_DISK_WORDS):
        return UnavailableError(
            "the disk of the database is full, so nothing was recorded",
            hint="free some space, and the service continues by itself",
        )
    if any(word in words for word in READ_ONLY_WORDS):
        return UnavailableError(
            "the database cannot be written, so nothing was recorded",
            hint="let podium write to its file and folder, and the service continues by itself",
        )
    if isinstance(error, OperationalError) or error.connection_invalidated:
        return UnavailableError(
            "the database does not respond, so the report may or may not be recorded",
            hint="send the same report with the same idempotency key again, and it is not recorded twice",
            is_uncertain=True,
        )
    return None


@contextmanager
def explained(database: Database) -> Iterator[None]:
    """Say what is wrong with a database that cannot be opened, read or written."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig).strip().partition("\n")[0]
        hint = "check that podium made the file and that you may write to it and its folder"
        if database.kind == "postgresql":
            hint = "check that PostgreSQL runs there, and the user, password and database name"
        raise InputError(f"{database.shown_name} cannot be used: {reason}", hint=hint) from error
