"""The file of a ladder's log: one database of SQLite with all records, idempotency keys and checkpoints.

    season/
      ladder.db   the database, with ladder.db-wal and ladder.db-shm as long as it is open
      lock        held by the process that writes; its number

A record is written in one transaction, which is on the disk when it ends (unless `sync` is off): SQLite's
write-ahead log takes care of crashes. Records are never changed or removed, as corrections need them; of
checkpoints only some are kept.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from io import FileIO
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zlib import crc32

from podium.errors import InputError, PodiumError, StateError
from podium.files.atomic import make_folder, replacing, writing
from podium.ladder.log_events import LogRecord

LOG_FORMAT = 2
"""Format 1 was a folder of text files: see `old_logs`."""
APPLICATION = 0x706F6469
"""By which SQLite's files are told apart: "podi"."""
_TABLES = {
    "record": "number INTEGER PRIMARY KEY, last INTEGER NOT NULL, kind TEXT NOT NULL, content TEXT NOT NULL, "
    "checksum INTEGER NOT NULL",
    "key": "key TEXT PRIMARY KEY, number INTEGER NOT NULL, answer TEXT NOT NULL",
    "checkpoint": "number INTEGER PRIMARY KEY, ladder BLOB NOT NULL",
}
"""`number` to `last` are the numbers that a record uses up, `content` its JSON and `checksum` the CRC-32 of
that; `answer` is what a call with the key got; `ladder` is the ladder after a record, as `Ladder.save` writes
it."""
_INSERT = "INSERT INTO record VALUES (?, ?, ?, ?, ?)"
_SAVE = "INSERT OR REPLACE INTO checkpoint VALUES (?, ?)"
WAL_PAGES = 250
"""Pages of SQLite's write-ahead log before it is used again: a file that does not grow is written quicker."""
BUSY_SECONDS = 60.0
"""How long a record waits for a large checkpoint that is being written."""
_BACKUP = "restore the file from a backup"
_NEW = "give the name of a new folder"


class LogFolder:
    """The folder of a log, and its files."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.database = self.path / "ladder.db"

    def make(self) -> None:
        """Make the folder if need be; refused if there is something else in it than a log."""
        if self.path.exists() and not self.path.is_dir():
            raise InputError(
                f"{self.path} is a file, and a log is a folder",
                hint="Ladder.load reads a saved ladder. Give Ladder.open the name of a new folder",
            )
        make_folder(self.path)
        if self.database.exists():
            return
        own = re.compile(r"lock|events-\d{12}\.ndjson|checkpoint-\d{12}\.podium|\..*")
        if others := [name for name in os.listdir(self.path) if not own.fullmatch(name)]:
            raise InputError(f"{self.path} is not a ladder's log: it holds {min(others)!r}", hint=_NEW)

    def begin(
        self,
        checkpoints: Mapping[int, bytes],
        records: Iterable[LogRecord] = (),
        keys: Mapping[str, str] = {},
    ) -> None:
        """Make the database, which is whole or not there."""
        with (
            replacing(self.database) as temporary,
            _naming(self.database),
            closing(sqlite3.connect(temporary, isolation_level=None)) as connection,
        ):
            connection.execute("PRAGMA journal_mode = OFF")
            fill(connection, checkpoints, records, keys)

    def connection(self, *, sync: bool | None = None) -> sqlite3.Connection:
        """A connection to the database, which must be one of this format; only for reading unless `sync`."""
        address = f"file:{quote(str(self.database.absolute()))}?mode={'ro' if sync is None else 'rw'}"
        if sync is None and not os.access(self.path, os.W_OK) and not Path(f"{self.database}-wal").exists():
            address += "&immutable=1"  # where SQLite can make no files of its own
        with _naming(self.database):
            connection = sqlite3.connect(
                address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS
            )
            try:
                connection.execute("PRAGMA trusted_schema = OFF")
                self._check_format(connection)
                if sync is not None:
                    connection.execute("PRAGMA journal_mode = WAL")
                    connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
                    connection.execute(f"PRAGMA synchronous = {'FULL' if sync else 'NORMAL'}")
            except BaseException:
                connection.close()
                raise
        return connection

    def _check_format(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise StateError(f"{self.database} is not a ladder's log")
        if version > LOG_FORMAT:
            raise StateError(
                f"{self.database} was written by a newer version of podium", hint="upgrade podium"
            )
        found = {kind for (kind,) in connection.execute("SELECT type FROM sqlite_master")}
        if not found <= {"table", "index"}:
            raise StateError(f"{self.database} is not a ladder's log: it holds a {max(found)}")


def fill(
    connection: sqlite3.Connection,
    checkpoints: Mapping[int, bytes],
    records: Iterable[LogRecord] = (),
    keys: Mapping[str, str] = {},
) -> None:
    """Make the tables of an empty database, with this in them."""
    connection.execute("BEGIN")
    for name, columns in _TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {LOG_FORMAT}")
    connection.executemany("INSERT INTO checkpoint VALUES (?, ?)", checkpoints.items())
    connection.executemany(_INSERT, map(_row, records))
    connection.executemany(
        "INSERT INTO key VALUES (?, ?, ?)", ((key, 0, answer) for key, answer in keys.items())
    )
    connection.execute("COMMIT")


def _row(record: LogRecord) -> tuple[int, int, str, str, int]:
    """A record as a row of its table."""
    content = record.text()
    return record.number, record.last_number, record.kind, content, crc32(content.encode())


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file in errors of SQLite."""
    try:
        yield
    except sqlite3.Error as error:
        raise StateError(f"cannot read {path}: {error}", hint=_BACKUP) from error


class LogStore:
    """What a log holds, read over one connection."""

    def __init__(self, folder: LogFolder, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._connection = connection

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()  # a copy of an open ladder has no log

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with _naming(self.folder.database):
            return self._connection.execute(query, values).fetchall()

    def checkpoints(self) -> list[int]:
        """The numbers of the records after which there is a checkpoint, in order."""
        return [number for (number,) in self._rows("SELECT number FROM checkpoint ORDER BY number")]

    def checkpoint(self, number: int) -> bytes:
        """The ladder after this record."""
        ((ladder,),) = self._rows("SELECT ladder FROM checkpoint WHERE number = ?", number)
        return bytes(ladder)

    def keys(self) -> dict[str, str]:
        """What calls with idempotency keys got."""
        return dict(self._rows("SELECT key, answer FROM key"))

    def key_of_number(self) -> dict[int, str]:
        """The idempotency key of each record that has one."""
        return dict(self._rows("SELECT number, key FROM key"))

    def records(self, after: int = 0) -> list[LogRecord]:
        """The records after this number; damage is an error that says where."""
        expected, records = after + 1, list[LogRecord]()
        where = self.folder.database
        query = "SELECT number, last, kind, content, checksum FROM record WHERE number > ? ORDER BY number"
        for number, last, kind, content, checksum in self._rows(query, after):
            if number != expected:
                raise StateError(f"{where}: record {expected} is missing", hint=_BACKUP)
            if not isinstance(content, str) or crc32(content.encode()) != checksum:
                raise StateError(f"{where}: record {number} is damaged", hint=_BACKUP)
            try:
                record = LogRecord.of({**json.loads(content), "number": number, "kind": kind})
            except (PodiumError, ValueError, TypeError) as error:
                reason, hint = getattr(error, "reason", str(error)), getattr(error, "hint", None)
                raise StateError(f"{where}, record {number}: {reason}", hint=hint) from error
            if record.last_number != last:
                raise StateError(f"{where}: record {number} is damaged", hint=_BACKUP)
            records.append(record)
            expected = last + 1
        return records

    def next_number(self) -> int:
        """The number of the next record."""
        ((last,),) = self._rows("SELECT max(last) FROM record")
        return 1 if last is None else int(last) + 1


Statement = tuple[str, tuple[object, ...]]
"""A statement of SQL, and its values."""


def keep_key(key: str, number: int, answer: str) -> Statement:
    """Keep what a call with an idempotency key got: the record of this number."""
    return "INSERT INTO key VALUES (?, ?, ?)", (key, number, answer)


def free_key(key: str) -> Statement:
    """Let an idempotency key be used again."""
    return "DELETE FROM key WHERE key = ?", (key,)


def forget_checkpoint(number: int) -> Statement:
    """Leave out the checkpoint after a record."""
    return "DELETE FROM checkpoint WHERE number = ?", (number,)


class LogWriter(LogStore):
    """Writes records to a log that no other process writes to.

    A record counts when `append` returns. If it cannot be written, the database is as it was before. If the
    disk does not say whether it has it, no more is written.
    """

    def __init__(self, folder: LogFolder, lock: FileIO, *, sync: bool) -> None:
        super().__init__(folder, folder.connection(sync=sync))
        self._lock, self._sync = lock, sync
        self._process = os.getpid()
        self._closed = self._failed = False
        self.next = self.next_number()
        """The number of the next record, as far as this process has seen it written."""

    @property
    def closed(self) -> bool:
        """Whether nothing more can be written."""
        return self._closed

    def check(self) -> None:
        """Refuse to go on where nothing can be written."""
        path = self.folder.path
        if self._closed:
            raise InputError(f"{path} is closed", hint="Ladder.open opens it again")
        if self._failed:
            raise InputError(
                f"{path} could not be written, and may not have the last record", hint="open it again"
            )
        self._check_process()

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise InputError(
                f"{self.folder.path} was opened by another process ({self._process}), and this process is a "
                "copy of it",
                hint="open it in only one process, after the fork",
            )

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        self._check_process()
        if self._closed:
            with closing(self.folder.connection()) as connection, _naming(self.folder.database):
                return connection.execute(query, values).fetchall()
        return super()._rows(query, *values)

    def append(self, record: LogRecord, also: Sequence[Statement] = ()) -> None:
        """Write a record, and `also` what goes with it, in one transaction."""
        self._write([(_INSERT, _row(record)), *also])
        self.next = record.last_number + 1

    def execute(self, statements: Sequence[Statement]) -> None:
        """Write something that is no record, in one transaction."""
        self.check()
        self._write(statements)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What the database answers."""
        return self._rows(query, *values)

    def wrote(self, record: LogRecord) -> bool:
        """After an error or an interrupt: whether a record has been written all the same."""
        try:
            self.next = self.next_number()
        except StateError:
            self._failed = True
        return self.next > record.number

    def _write(self, statements: Sequence[Statement], own: sqlite3.Connection | None = None) -> None:
        """Execute statements in one transaction, which is taken back if it does not come to its end."""
        connection = self._connection if own is None else own
        try:
            if len(statements) == 1:
                connection.execute(*statements[0])
                return
            connection.execute("BEGIN IMMEDIATE")
            for query, values in statements:
                connection.execute(query, values)
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if not isinstance(error, sqlite3.Error):
                raise
            self._failed = error.sqlite_errorcode in _NOT_CONFIRMED
            raise InputError(f"cannot write {self.folder.database}: {error}") from error

    def save_checkpoint(self, number: int, ladder: bytes) -> None:
        """Keep the ladder after a record, and leave out checkpoints that are not worth their space.

        Any thread may do so, as it has a connection of its own.
        """
        self.check()
        with closing(self.folder.connection(sync=self._sync)) as own:
            found = [kept for (kept,) in own.execute("SELECT number FROM checkpoint ORDER BY number")]
            forgotten = map(forget_checkpoint, superfluous(sorted({*found, number})))
            self._write([(_SAVE, (number, ladder)), *forgotten], own)

    def close(self) -> None:
        """Close the database, and let others write."""
        if self._closed or os.getpid() != self._process:
            return
        self._closed = True
        self._connection.close()
        self._lock.close()


_NOT_CONFIRMED = {sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC}
"""Where the disk does not say whether it has what was written."""


def superfluous(checkpoints: Sequence[int]) -> list[int]:
    """The checkpoints that are not worth their space: the older, the fewer are kept.

    Of those that are 1, 2 to 3, 4 to 7, 8 to 15, … records back only the oldest stays.

    >>> superfluous([0, 10, 20, 30, 40, 50, 60])
    [10, 20, 40]
    """
    kept = {(checkpoints[-1] - number).bit_length(): number for number in reversed(checkpoints)}
    return [number for number in checkpoints if number not in kept.values()]


def owned(folder: LogFolder) -> FileIO:
    """The lock of a log, which this process holds until it closes it or ends."""
    path = folder.path / "lock"
    with writing(path):
        lock = FileIO(path, "a+")
    try:
        _lock(lock)
    except BlockingIOError:
        lock.seek(0)
        owner = lock.read(20).decode(errors="replace")
        lock.close()
        raise InputError(
            f"{folder.path} is open for writing in process {owner}",
            hint="close it there, or read the log with Ladder.load",
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()).encode())
    return lock


def _lock(file: FileIO) -> None:
    if sys.platform == "win32":  # which has no such locks
        return
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
