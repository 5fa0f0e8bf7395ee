"""Where compiled kernels lie: a folder of this machine, or a wheel that came with some; and who compiles one.

A file is written whole or not at all, and has a checksum: several versions of podium and several processes
share the folder. What a file is called is up to `kernel_cache`.

A wheel may carry kernels compiled for a whole level of processors. They are used where Python, Numba and the
processor are those they were compiled for, and nowhere else. This depends on what is installed and on the
machine, never on what a cache holds: one installation gives the same bits today and tomorrow.

Of several processes that need a kernel at once one compiles it, and the others wait. A claim is a lock on one
byte of a file, at a place that belongs to the kernel. The system drops it when the process ends, however it
ends. Nobody waits in a circle: a process that waits for a kernel holds only kernels that call it, and kernels
do not call each other in circles.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba

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
    raise OSError("no folder for compiled kernels is writable")


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


LEVEL = "x86-64-v3"
"""The level of processors that wheels are compiled for, by LLVM's name: x86 of 2013 and later, with AVX2."""
LEVEL_FEATURES = (
    *("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"),  # of x86-64-v2
    *("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"),
)
"""What a processor of that level can do, by LLVM's names."""
SHIPPED = Path(__file__).parents[1] / "kernels"
"""The folder of the package that a wheel fills; a source installation has none."""

_config: Any = numba.config


def folder_name() -> str:
    """What kernels of a wheel are compiled for: Python, Numba and the level of processors."""
    return f"{sys.implementation.cache_tag}-numba-{numba.__version__}-{LEVEL}"


def level_target() -> tuple[str, str, str]:
    """The system, the processor and its features as Numba names them when it compiles for the level."""
    return (llvm.get_process_triple(), LEVEL, "")


def is_of_level() -> bool:
    """Whether the processor of this machine has all that the level asks for."""
    features = llvm.get_host_cpu_features()
    return all(features.get(feature) for feature in LEVEL_FEATURES)


@cache
def shipped_folder() -> Path | None:
    """The kernels that came with podium and run here; None if there are none."""
    folder = SHIPPED / folder_name()
    if not folder.is_dir():
        return None
    chosen = _config.CPU_NAME is not None or _config.CPU_FEATURES is not None  # by whoever set NUMBA_CPU_NAME
    return folder if is_of_level() and not chosen else None


if sys.platform != "win32":  # which has no such locks: there each process compiles for itself
    import fcntl

PATIENCE_SECONDS = 60.0
"""How long to wait for another process; then it has stopped, and this one compiles too."""
LOOK_EVERY_SECONDS = 0.01


def claim(path: Path) -> None:
    """Hold the kernel that is kept in this file; waits while another process holds it."""
    if sys.platform == "win32":
        return
    patient_until = time.monotonic() + PATIENCE_SECONDS
    with suppress(OSError):  # a file system without locks
        locks, place = _locks(path.parent), _place(path)
        while time.monotonic() < patient_until:
            try:
                fcntl.lockf(locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                return
            except (
                BlockingIOError,
                PermissionError,
            ):  # somebody has it; which of the two depends on the system
                time.sleep(LOOK_EVERY_SECONDS)


def release(path: Path) -> None:
    """Hold the kernel no longer."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        fcntl.lockf(_locks(path.parent), fcntl.LOCK_UN, 1, _place(path))


@cache
def _locks(folder: Path) -> int:
    """The file in which bytes are locked, beside the folder; it stays open, as closing it would unlock."""
    return os.open(folder.with_name(f"{folder.name}.lock"), os.O_CREAT | os.O_RDWR, 0o666)


def _place(path: Path) -> int:
    return int.from_bytes(hashlib.blake2b(path.name.encode(), digest_size=7).digest())
