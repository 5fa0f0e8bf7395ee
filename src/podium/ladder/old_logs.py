"""Logs of podium 0.1: a folder of text files, which is converted when it is opened.

    events-000000000001.ndjson        records 1 to 1000, one a line; the first line says of which system
    checkpoint-000000001000.podium    the ladder after record 1000, as `Ladder.save` writes it

Each line is a JSON object that ends with a checksum of all before it. The folder gets a database with the
same content; it is whole or not there. Only then the text files are put away, in the folder `converted`.
"""

from __future__ import annotations

import json
import os
import re
from hashlib import blake2b
from pathlib import Path
from typing import Any

from podium.errors import PodiumError, StateError
from podium.files.atomic import make_folder, writing
from podium.ladder.log_events import LogRecord
from podium.ladder.log_store import LogFolder

_DIGITS = 16
_MARK = b',"checksum":"'
_TAIL = len(_MARK) + _DIGITS + len(b'"}')
_BACKUP = "restore the file from a backup (all earlier records are intact)"
CONVERTED = "converted"
"""The folder for what was converted."""


def old_files(path: Path) -> list[str]:
    """The names of the files of an old log in a folder, those of events and checkpoints."""
    names = re.compile(r"events-\d{12}\.ndjson|checkpoint-\d{12}\.podium")
    return sorted(name for name in os.listdir(path) if names.fullmatch(name))


def is_old(path: Path) -> bool:
    """Whether a folder has a log of the old format."""
    return any(name.startswith("events") for name in old_files(path))


def convert(folder: LogFolder) -> None:
    """Make the database of a log from its text files, and put them away."""
    if not folder.database.exists():
        folder.begin(old_checkpoints(folder.path), old_records(folder.path))
    home = folder.path / CONVERTED
    for name in old_files(folder.path):
        make_folder(home)
        with writing(home / name):
            os.replace(folder.path / name, home / name)


def old_checkpoints(path: Path) -> dict[int, bytes]:
    """The checkpoints of an old log, by the numbers of the records before them."""
    names = [name for name in old_files(path) if name.startswith("checkpoint")]
    return {int(re.sub(r"\D", "", name)): _content(path / name) for name in names}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StateError(f"cannot read {path}: {error.strerror}") from error


def old_records(path: Path) -> list[LogRecord]:
    """All records of an old log; damage is an error that says where.

    A last record that was only half written is left out, as nobody was told that it counts.
    """
    files = [name for name in old_files(path) if name.startswith("events")]
    records: list[LogRecord] = []
    for name in files:
        first, expected = int(re.sub(r"\D", "", name)), _next(records)
        if first != expected:
            raise StateError(
                f"{path}: records {expected} to {first - 1} are missing", hint="restore a backup"
            )
        _read_file(path / name, records, is_last=name == files[-1])
    return records


def _next(records: list[LogRecord]) -> int:
    return records[-1].last_number + 1 if records else 1


def _read_file(path: Path, records: list[LogRecord], *, is_last: bool) -> None:
    """Read one file of events behind the others."""
    lines = _content(path).split(b"\n")
    # What follows the last line's end is nothing, or half a record.
    for place, line in enumerate(lines[:-1], start=1):
        where = f"{path}, line {place}"
        plain = read_line(line)
        if plain is None:
            if is_last and place > 1 and not any(lines[place:]):
                return
            raise StateError(f"{where}: the record is damaged", hint=_BACKUP)
        if place == 1:
            if plain.get("podium") != "log of a ladder" or plain.get("format") != 1:
                raise StateError(f"{path} is not a ladder's log")
            continue
        try:
            record = LogRecord.of(plain)
        except PodiumError as error:
            raise StateError(f"{where}: {error.reason}", hint=error.hint) from error
        if record.number != _next(records):
            raise StateError(f"{where}: record {_next(records)} is missing", hint=_BACKUP)
        records.append(record)
    if len(lines) == 1 or (lines[-1] and not is_last):
        raise StateError(f"{path}, line {len(lines)}: the record is damaged", hint=_BACKUP)


def read_line(line: bytes) -> dict[str, Any] | None:
    """The plain data of a line without its end; None if the checksum does not match.

    >>> read_line(b'{"number":1,"checksum":"367025256683c623"}')
    {'number': 1}
    >>> read_line(b'{"number":2,"checksum":"367025256683c623"}')
    """
    body, tail = line[:-_TAIL], line[-_TAIL:]
    digest = blake2b(body, digest_size=_DIGITS // 2).hexdigest().encode()
    if tail != _MARK + digest + b'"}':
        return None
    plain: dict[str, Any] = json.loads(body + b"}")
    return plain
