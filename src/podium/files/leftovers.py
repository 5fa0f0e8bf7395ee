"""What killed processes leave behind: temporary files that nobody will finish, told from those being written.

Whoever writes a temporary file holds a lock on it, which the system drops when the process ends, however it
ends. So a file that can be locked is nobody's. Locks need not reach other machines that share a folder, so
what another machine wrote counts as left only after a day.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":  # which has no such locks: there nothing is swept
    import fcntl

PARTS = ".parts"
"""What follows the name of a temporary file in that of the folder with its parts."""
FOREIGN_AGE_SECONDS = 24 * 3600.0
"""Seconds since the last change after which another machine's temporary file counts as left behind."""

_RANDOM = re.compile(r"([0-9a-f]{8})-[0-9a-f]{12}\.tmp")
"""What follows the target in the name of a temporary file: the machine, and what tells it from others."""


@contextmanager
def locked_temporary(target: Path) -> Iterator[Path]:
    """A new, empty and locked file beside `target`; it is gone at the end of the block unless renamed."""
    path, lock = _made(target)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def _made(target: Path) -> tuple[Path, int | None]:
    """A new file, and the descriptor that holds its lock."""
    while True:
        path = target.with_name(f"{_prefix(target)}{_machine()}-{secrets.token_hex(6)}.tmp")
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        if sys.platform == "win32":  # where an open file cannot be renamed
            os.close(descriptor)
            return path, None
        if _is_locked(descriptor) and path.exists():
            return path, descriptor
        os.close(descriptor)  # somebody took it for left behind before it was locked


def _is_locked(descriptor: int) -> bool:
    """Lock a new file; false if somebody else has locked it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks, where nobody can sweep either
        return True
    return True


def sweep(target: Path) -> None:
    """Remove temporary files for `target` whose processes are gone."""
    if sys.platform == "win32":
        return
    prefix = _prefix(target)
    with suppress(OSError):  # a folder that can be written to but not listed
        for name in [name for name in os.listdir(target.parent) if name.startswith(prefix)]:
            if found := _RANDOM.fullmatch(name, len(prefix)):
                with suppress(OSError):  # somebody else's, or swept already
                    _remove_unless_alive(target.with_name(name), foreign=found[1] != _machine())


def _remove_unless_alive(path: Path, *, foreign: bool) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if foreign and time.time() - os.fstat(descriptor).st_mtime < FOREIGN_AGE_SECONDS:
            return
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)  # an OSError where its process is alive
        shutil.rmtree(f"{path}{PARTS}", ignore_errors=True)
        path.unlink()
    finally:
        os.close(descriptor)


@contextmanager
def locked_folder(prefix: str) -> Iterator[Path]:
    """A new temporary folder, which is gone at the end of the block.

    Folders of the same prefix whose processes were killed before they could remove them go first.
    """
    place = Path(tempfile.gettempdir())
    if sys.platform != "win32":
        for left in place.glob(f"{prefix}*"):
            with suppress(OSError):  # its process is alive, or it is somebody else's
                descriptor = _locked_folder(left)
                shutil.rmtree(left, ignore_errors=True)
                os.close(descriptor)
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        if sys.platform == "win32":
            yield Path(name)
            return
        descriptor = _locked_folder(Path(name))
        try:
            Path(name).mkdir(exist_ok=True)  # somebody took it for left behind before it was locked
            yield Path(name)
        finally:
            os.close(descriptor)


def _locked_folder(path: Path) -> int:
    """The descriptor that holds the lock of a folder; OSError if another process holds it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _prefix(target: Path) -> str:
    return f".{target.name[:40]}."


def _machine() -> str:
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"
