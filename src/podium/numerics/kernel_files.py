"""The files in which compiled kernels are kept, and their folder.

A file is written whole or not at all, and has a checksum: several versions of podium and several processes
share the folder. What a file is called is up to `kernel_cache`.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
import tempfile
from functools import cache
from pathlib import Path

CHECKSUM_BYTES = 16


@cache
def cache_folder() -> Path:
    """The folder of compiled kernels: below NUMBA_CACHE_DIR if that is set, else in the user's cache."""
    for parent in (os.environ.get("NUMBA_CACHE_DIR"), _user_cache(), tempfile.gettempdir()):
        if parent:
            folder = Path(parent) / "podium" / "kernels"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryFile(dir=folder).close()
            except OSError:  # a read-only home: the next one will do
                continue
            return folder
    raise OSError("no folder can be written to keep compiled kernels in")


def _user_cache() -> str | None:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA")
    if sys.platform == "darwin":
        return str(Path.home() / "Library" / "Caches")
    return os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")


def read_kernel(path: Path) -> bytes | None:
    """What `write_kernel` wrote; None if there is no file, or a machine that stopped left half of one."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, payload = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
    return payload if checksum == _checksum(payload) else None


def write_kernel(path: Path, payload: bytes) -> None:
    """Write the file completely or not at all, even if other processes write it at the same time."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        temporary.write_bytes(_checksum(payload) + payload)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _checksum(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=CHECKSUM_BYTES).digest()
