"""The one place where podium meets the compiler.

Kernels compile when first called and are kept on disk. Numba notices that a cached function's own file
changed, but not that a function it calls in *another* file did; so podium's cache folder is named after a
hash of all its compiled source, and a stale kernel can never be loaded.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` when it is first called, and keep the result on disk.

    Divisions follow IEEE (no ZeroDivisionError), so that a kernel can be vectorised and never stops half-way.
    A kernel that takes a tuple of arrays unpacks it before its loop: each look into the tuple counts a
    reference, which costs more than rating a match does.
    """
    return _compiled(function)


def formula(function: F) -> F:
    """A kernel that becomes part of whoever calls it, however long: for loops over it to be vectorised.

    A product and a sum may become one instruction, which rounds once instead of twice.
    """
    return _compiled(function, forceinline=True, fastmath={"contract"})


def summing(function: F) -> F:
    """A kernel whose sums may be taken in any order, the same at every call: for them to be vectorised."""
    return _compiled(function, fastmath={"contract", "reassoc", "nsz"})


def _compiled(function: F, **options: Any) -> F:
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:
        return cast("F", numba.njit(cache=True, error_model="numpy", nogil=True, **options)(function))
    finally:
        config.CACHE_DIR = before


@cache
def cache_folder() -> Path:
    """Where compiled kernels of exactly this source live: below NUMBA_CACHE_DIR if that is set."""
    name = f"kernels-{source_hash()}"
    for parent in (os.environ.get("NUMBA_CACHE_DIR"), _user_cache(), tempfile.gettempdir()):
        if parent:
            folder = Path(parent) / "podium" / name
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError:  # a read-only home: the next one will do
                continue
            return folder
    raise OSError("no folder can be written to keep compiled kernels in")


def source_hash() -> str:
    """A fingerprint of every file that kernels are made of."""
    package = Path(__file__).parent.parent
    digest = hashlib.blake2b(digest_size=8)
    for folder in ("numerics", "systems", "matchmaking", "evaluation", "studies"):
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def is_cold(name: str) -> bool:
    """Whether what is called so, a system, has never been compiled from this source on this machine."""
    return not _mark(name).exists()


def set_warm(name: str) -> None:
    """From now on it is compiled."""
    _mark(name).touch()


def _mark(name: str) -> Path:
    return cache_folder() / f"{name}.compiled"


def _user_cache() -> str | None:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA")
    if sys.platform == "darwin":
        return str(Path.home() / "Library" / "Caches")
    return os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
