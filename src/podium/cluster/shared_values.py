"""One value for many processes: its arrays are written to a file once, then mapped by each of them.

Unlike a history (`shared_histories`) it may be of any class that can be pickled.
"""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from podium.cluster.shared_histories import ALIGNMENT
from podium.files.atomic import removed_at_end, writing

PREFIX = "podium-value-"

_own: dict[str, Any] = {}
"""Values that this process shares, by the path of their file."""
_seen: dict[str, Any] = {}
"""The one that it has mapped last."""


@dataclass(frozen=True)
class SharedValue:
    """A small value to send to other processes, with which they open the shared one."""

    path: str
    pickled: tuple[int, int]
    """Where the pickle begins in the file, and its length."""
    buffers: tuple[tuple[int, int], ...]
    """Where each array begins, and its length."""

    def load(self) -> Any:
        """The value; a process maps it once and keeps it until it maps another."""
        if self.path in _own:
            return _own[self.path]
        if self.path not in _seen:
            _seen.clear()
            with open(self.path, "rb") as file:
                mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            parts = [mapped[start : start + length] for start, length in self.buffers]
            start, length = self.pickled
            _seen[self.path] = pickle.loads(mapped[start : start + length], buffers=parts)
        return _seen[self.path]


@contextmanager
def shared_value(value: Any) -> Iterator[SharedValue]:
    """A handle of the value for other processes, as long as the block lasts."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    descriptor, path = tempfile.mkstemp(prefix=PREFIX)
    with removed_at_end(path), writing(path), os.fdopen(descriptor, "wb") as file:
        places = [_append(file, memoryview(pickled))]
        places += [_append(file, buffer.raw()) for buffer in buffers]
        file.flush()
        _own[path] = value
        try:
            yield SharedValue(path, places[0], tuple(places[1:]))
        finally:
            del _own[path]


def _append(file: Any, content: memoryview) -> tuple[int, int]:
    """Write bytes at the next aligned place; returns where they begin and how many they are."""
    start = -(-file.tell() // ALIGNMENT) * ALIGNMENT
    file.seek(start)
    file.write(content)
    return start, content.nbytes
