"""One history for many processes: written once, then mapped by each of them instead of copied.

The columns lie in a file one after another, as they are in memory. A process that opens it maps the file, so
all of them look at the same memory; names are read when somebody asks for one.

>>> import podium
>>> history = podium.History.from_matches(["ann", "bob"], ["bob", "cat"])
>>> with shared(history) as handle:
...     handle.load() is history  # in the process that shares it there is nothing to load
True
"""

from __future__ import annotations

import mmap
import os
import secrets
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import PodiumError
from podium.files.atomic import removed_at_end, writing
from podium.files.checksummed import pack_names, unpack_names
from podium.history import History, Names

ALIGNMENT = 64
"""Bytes that each column begins at a multiple of, as vectorised loops like it."""
NAMES = {"players": "player names", "event_names": "event names", "team_names": "team names"}
"""Fields of a history that hold text, and what their two columns of the file are called."""

PREFIX = "podium-history-"
"""How files begin that histories are shared in; the number of the process that made it follows."""

_own: dict[str, History] = {}
"""Histories that this process shares, by the token of their handle."""
_seen: dict[str, History] = {}
"""The one that it has mapped last."""


class NotHereError(PodiumError):
    """Raised for a history that was shared on another machine."""


@dataclass(frozen=True)
class Column:
    """Where in the shared file a column lies."""

    dtype: str
    shape: tuple[int, ...]
    offset: int


@dataclass(frozen=True)
class Handle:
    """A small value to send to other processes, with which they open a shared history."""

    token: str
    path: str
    columns: Mapping[str, Column]
    rest: Mapping[str, Any]
    """Fields of the history that are not columns."""

    def load(self) -> History:
        """The history; a process maps it once and keeps it until it maps another."""
        if self.token in _own:
            return _own[self.token]
        if self.token not in _seen:
            _seen.clear()
            _seen[self.token] = _mapped(self)
        return _seen[self.token]


class StoredNames(Names):
    """Names that are read from the file when first used; rating needs only their number."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._stored = arrays
        self._index: dict[str, int] | None = None

    @cached_property
    def _names(self) -> list[str]:  # type: ignore[override]
        return unpack_names(dict(self._stored))

    def __len__(self) -> int:
        return len(self._names) if "_names" in self.__dict__ else len(self._stored["name_ends"])


@contextmanager
def shared(history: History) -> Iterator[Handle]:
    """Share a history with other processes of this machine until the block ends."""
    columns, rest = _taken_apart(history)
    described: dict[str, Column] = {}
    _sweep()
    descriptor, path = tempfile.mkstemp(prefix=f"{PREFIX}{os.getpid()}-")
    token = secrets.token_hex(8)
    with removed_at_end(path):
        with writing(path), os.fdopen(descriptor, "wb") as file:
            for name, array in columns.items():
                file.write(b"\0" * (-file.tell() % ALIGNMENT))
                described[name] = Column(array.dtype.str, array.shape, file.tell())
                file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        _own[token] = history
        try:
            yield Handle(token, path, described, rest)
        finally:
            del _own[token]


def _sweep() -> None:
    """Remove files left by processes that were killed."""
    if sys.platform == "win32":  # where a process cannot be asked whether it is there
        return
    for file in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        number = file.name.removeprefix(PREFIX).partition("-")[0]
        if number.isdecimal() and not _is_there(int(number)):
            with suppress(OSError):  # somebody else's, or swept already
                file.unlink()


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's, or no number that a process can have
        return True
    return True


def _taken_apart(history: History) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    columns: dict[str, NDArray[Any]] = {}
    rest: dict[str, Any] = {}
    for name in (field.name for field in fields(History)):
        value = getattr(history, name)
        if isinstance(value, np.ndarray):
            columns[name] = value
        elif name in NAMES and value is not None:
            columns |= {f"{NAMES[name]}: {part}": array for part, array in pack_names(list(value)).items()}
        elif name not in ("skipped", "readings"):
            rest[name] = value
    return columns, rest


def _mapped(handle: Handle) -> History:
    """The history in the file; its arrays may be written to, which changes nobody else's."""
    try:
        with open(handle.path, "rb") as file:
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except FileNotFoundError:
        raise NotHereError(f"there is no shared history {handle.path} on this machine") from None
    arrays: dict[str, Any] = {}
    for name, column in handle.columns.items():
        count = int(np.prod(column.shape))
        arrays[name] = np.frombuffer(memory, column.dtype, count, column.offset).reshape(column.shape)
    given: dict[str, Any] = dict(handle.rest)
    for field, label in NAMES.items():
        parts = {name: f"{label}: {name}" for name in ("name_bytes", "name_ends")}
        packed = {name: arrays.pop(stored) for name, stored in parts.items() if stored in arrays}
        if field == "players":
            given[field] = StoredNames(packed)
        elif packed:
            given[field] = tuple(unpack_names(packed))
    return History(**arrays, **given)
