"""Files that are watched for changes, by their sizes and times."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

LOOK_SECONDS = 0.4
"""Time between two looks; a file that is being written changes in between, and is left alone meanwhile."""

Look = dict[str, tuple[int, int]]
"""The size and the time of the last change of each file."""


class WatchedFiles:
    """Some files and folders, and how they were when they were last taken as they are."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = list(paths)
        self._taken = self._look()

    def wait_for_change(self) -> None:
        """Return when something has changed, and stays as it is for a moment."""
        before = self._taken
        while True:
            time.sleep(LOOK_SECONDS)
            now = self._look()
            if now != self._taken and now == before:
                self._taken = now
                return
            before = now

    def _look(self) -> Look:
        return {str(path): (found.st_size, found.st_mtime_ns) for path, found in self._found()}

    def _found(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self._paths:
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                try:
                    yield file, file.stat()
                except OSError:  # taken away, perhaps to be replaced
                    continue
