"""The folder of a ladder's log: files of events that only grow, checkpoints, and who may write.

    season/
      events-000000000001.ndjson        records 1 to 1000, one a line; the first line says of which system
      checkpoint-000000000000.podium    the ladder before record 1
      checkpoint-000000001000.podium    the ladder after record 1000, as `Ladder.save` writes it
      events-000000001001.ndjson        what came then
      lock                              held by the process that writes; its number

A file of events begins after each checkpoint. None is ever changed or removed, as corrections need them; of
checkpoints only some are kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

from podium.errors import InputError, PodiumError, StateError
from podium.files.atomic import make_folder, replacing, writing
from podium.ladder.log_records import LogRecord, read_line, written_line

LOG_FORMAT = 1
_BACKUP = "restore the file from a backup (all earlier records are intact)"
_NEW = "give the name of a new folder"


class LogContent(NamedTuple):
    """What was read of a log."""

    records: list[LogRecord]
    whole: int
    """Bytes of the last file of events that hold whole records."""
    next_number: int


class LogFolder:
    """The files of a log, by their names."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def segments(self) -> list[int]:
        """The numbers of the first records of the files of events, in order."""
        return self._numbers("events", "ndjson")

    def checkpoints(self) -> list[int]:
        """The numbers of the records after which there is a checkpoint, in order."""
        return self._numbers("checkpoint", "podium")

    def segment(self, first: int) -> Path:
        """The file of events whose first record has this number."""
        return self.path / f"events-{first:012}.ndjson"

    def checkpoint(self, number: int) -> Path:
        """The ladder after this record."""
        return self.path / f"checkpoint-{number:012}.podium"

    def _numbers(self, word: str, ending: str) -> list[int]:
        try:
            names = os.listdir(self.path)
        except OSError as error:
            raise StateError(f"cannot read {self.path}: {error.strerror}") from error
        found = (re.fullmatch(rf"{word}-(\d{{12}})\.{ending}", name) for name in names)
        return sorted(int(match[1]) for match in found if match)

    def make(self) -> None:
        """Make the folder if need be; refused if there is something else than a log."""
        if self.path.exists() and not self.path.is_dir():
            raise InputError(
                f"{self.path} is a file, and a log is a folder",
                hint="Ladder.load reads a saved ladder. Give Ladder.open the name of a new folder",
            )
        make_folder(self.path)
        if self.segments():
            return
        # A crash while a log was begun leaves these; the first file of events is made last.
        own = {"lock", self.checkpoint(0).name}
        if others := [n for n in os.listdir(self.path) if n not in own and not n.startswith(".")]:
            raise InputError(f"{self.path} is not a ladder's log: it holds {min(others)!r}", hint=_NEW)

    def read(self, after: int = 0) -> LogContent:
        """The records after this number; damage is an error that says where.

        A last record that was only half written is left out, as nobody was told that it counts.
        """
        found = self.segments()
        segments = [first for first in found if first <= after + 1][-1:] + [f for f in found if f > after + 1]
        if not segments:
            raise StateError(f"{self.path} is not a ladder's log: it has no events-*.ndjson", hint=_NEW)
        records: list[LogRecord] = []
        whole, expected = 0, segments[0]
        for first in segments:
            if first != expected:
                raise StateError(
                    f"{self.path}: records {expected} to {first - 1} are missing", hint="restore a backup"
                )
            part = self._read_segment(first, is_last=first == segments[-1])
            records += [record for record in part.records if record.number > after]
            whole, expected = part.whole, part.next_number
        return LogContent(records, whole, expected)

    def _read_segment(self, first: int, *, is_last: bool) -> LogContent:
        path = self.segment(first)
        try:
            lines = path.read_bytes().split(b"\n")
        except OSError as error:
            raise StateError(f"cannot read {path}: {error.strerror}") from error
        records: list[LogRecord] = []
        whole, expected = 0, first
        # What follows the last line's end is nothing, or half a record.
        for place, line in enumerate(lines[:-1], start=1):
            where = f"{path}, line {place}"
            plain = read_line(line)
            if plain is None:
                if is_last and place > 1 and not any(lines[place:]):
                    return LogContent(records, whole, expected)
                raise StateError(f"{where}: the record is damaged", hint=_BACKUP)
            if place == 1:
                _check_header(plain, path)
            else:
                records.append(_record(plain, where))
                if records[-1].number != expected:
                    raise StateError(f"{where}: record {expected} is missing", hint=_BACKUP)
                expected = records[-1].last_number + 1
            whole += len(line) + 1
        if not whole or (lines[-1] and not is_last):
            raise StateError(f"{path}, line {len(lines)}: the record is damaged", hint=_BACKUP)
        return LogContent(records, whole, expected)


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether this is a folder with a log."""
    return os.path.isdir(path) and bool(LogFolder(path).segments())


def _check_header(plain: Mapping[str, Any], path: Path) -> None:
    if plain.get("podium") != "log of a ladder" or type(plain.get("format")) is not int:
        raise StateError(f"{path} is not a ladder's log")
    if plain["format"] > LOG_FORMAT:
        raise StateError(f"{path} was written by a newer version of podium", hint="upgrade podium")


def _record(plain: Mapping[str, Any], where: str) -> LogRecord:
    try:
        return LogRecord.of(plain)
    except PodiumError as error:
        raise StateError(f"{where}: {error.reason}", hint=error.hint) from error


class LogWriter:
    """Appends records to a log that no other process writes to.

    A record counts when `append` returns: then it is on the disk (unless `sync` is off). If it cannot be
    written, the file is as it was before. If the disk does not say whether it has it, no more is written.
    """

    def __init__(
        self,
        folder: LogFolder,
        system: Mapping[str, Any],
        lock: FileIO,
        *,
        whole: int,
        next_number: int,
        sync: bool,
    ) -> None:
        self.folder, self.system, self.sync = folder, system, sync
        self.next_number = next_number
        self._lock = lock
        self._process = os.getpid()
        self._failed = False
        self._open(folder.segments()[-1])
        self._size = whole
        with writing(self._file.name):
            self._file.truncate(whole)
            self._flush()  # what a killed process wrote and did not acknowledge counts from here on

    def _open(self, first: int) -> None:
        path = self.folder.segment(first)
        with writing(path):
            self._file = FileIO(path, "r+")
            self._size = self._file.seek(0, os.SEEK_END)

    @property
    def closed(self) -> bool:
        """Whether nothing more can be written."""
        return self._file.closed

    def check(self) -> None:
        """Refuse to go on where nothing can be written."""
        path = self.folder.path
        if self.closed:
            raise InputError(f"{path} is closed", hint="Ladder.open opens it again")
        if self._failed:
            raise InputError(
                f"{path} could not be written, and may not have the last record", hint="open it again"
            )
        if os.getpid() != self._process:
            raise InputError(
                f"{path} was opened by another process ({self._process}), and this process is a copy of it",
                hint="open it in only one process, after the fork",
            )

    def append(self, record: LogRecord) -> None:
        """Write a record to the disk."""
        self.check()
        line = record.line()
        try:
            with writing(self._file.name):
                self._write(line)
                if self.sync:
                    self._flush()
            self._size, self.next_number = self._size + len(line), record.last_number + 1
        except BaseException:
            if self.next_number == record.number:
                self._cut()
            raise

    def _write(self, line: bytes) -> None:
        self._file.seek(self._size)
        rest = memoryview(line)
        while rest:
            rest = rest[self._file.write(rest) or 0 :]

    def _flush(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError:
            self._failed = True
            raise

    def _cut(self) -> None:
        """Remove what was written of a record that does not count."""
        try:
            self._file.truncate(self._size)
        except OSError:
            self._failed = True

    def begin_segment(self) -> None:
        """Go on in a new file of events, unless the current one is empty."""
        if self.folder.segments()[-1] == self.next_number:
            return
        with writing(self._file.name):
            self._flush()
        old, size = self._file, self._size
        try:
            begin_segment(self.folder, self.next_number, self.system)
            self._open(self.next_number)
        except BaseException:
            # Records go on in the old file, so there must be no other that begins with the same number.
            self._file, self._size, self._failed = old, size, True
            self.folder.segment(self.next_number).unlink(missing_ok=True)
            self._failed = False
            raise
        old.close()

    def close(self) -> None:
        """Close the files, and let others write."""
        if not self.closed:
            try:
                os.fsync(self._file.fileno())
            finally:
                self._file.close()
                self._lock.close()


def begin_segment(folder: LogFolder, first: int, system: Mapping[str, Any]) -> None:
    """Make a file of events with its first line."""
    header = {"podium": "log of a ladder", "format": LOG_FORMAT, "first": first, **system}
    with replacing(folder.segment(first)) as temporary:
        temporary.write_bytes(written_line(header))


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
    try:
        import fcntl
    except ImportError:  # not on this system
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
