"""Where compiled kernels are kept: one file for each kernel, named after all that is compiled into it.

Numba's own cache looks at a kernel's file alone: it keeps a stale kernel when a function or a constant of
another file changed, and throws one away when a comment did. Here the name of a file holds a fingerprint of
the kernel's content (`kernel_fingerprints`), of the types it is called with, of the compiler's version, of
podium's rules of compiling and of the processor. A file is therefore good for ever, whoever wrote it: several
versions of podium and several processes share a folder.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import secrets
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import compiler, event, options, serialize, sigutils
from numba.core.runtime.nrt import rtsys

from podium.numerics import linked_kernels
from podium.numerics.compiler_notice import announce
from podium.numerics.kernel_claims import claim, release
from podium.numerics.kernel_fingerprints import fingerprint
from podium.numerics.shipped_kernels import level_target, shipped_folder

CHECKSUM_BYTES = 16

RUNTIME_SUFFICES = frozenset({(0, 68)})
"""The versions of Numba whose kernels were seen to run from disk with nothing but the memory runtime."""

_results: Any = compiler.CompileResult
_pickling: Any = serialize
_signatures: Any = sigutils
_events: Any = event


def unneeded_parts(known: Any = options.DefaultOptions) -> dict[str, Any]:
    """Options that make Numba leave out what no kernel needs, where this version of Numba has them.

    The entry for C is for functions that are passed on as values; without it compiling takes a tenth less.
    """
    return {"no_cfunc_wrapper": True} if hasattr(known, "no_cfunc_wrapper") else {}


class KernelCache:
    """The compiled forms of a kernel on disk, behind Numba's cache interface; idle until the first call."""

    def __init__(self, kernel: Any, linked: bool = False) -> None:
        self.kernel = kernel
        self.is_linked = linked

    @property
    def cache_path(self) -> str:
        """The folder, for Numba's statistics."""
        return str(cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for these argument types, or None: then Numba compiles.

        Whoever gets None holds the kernel until it is saved or failed to compile.
        """
        payload = self._shipped(sig)
        if payload is None:
            payload = _read(path := self.path(sig, target_context.codegen()))
        if payload is None:
            announce()
            target_context.refresh()
            claim(path)
            payload = _read(path)
            if payload is None:
                return None
            release(path)  # another process compiled it meanwhile
        _start_runtime(target_context)
        if self.is_linked:
            return linked_kernels.from_disk(target_context, payload)
        return _results._rebuild(target_context, *pickle.loads(payload))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled form; if it cannot be written, the next process compiles again."""
        path = self.path(sig, data.codegen)
        try:
            bound = data.lifted or data.library.has_dynamic_globals  # a pointer of this process is inside
            if not bound:
                with suppress(OSError):
                    _write(path, _pickling.dumps(data._reduce()))
        finally:
            release(path)

    def path(self, sig: Any, codegen: Any) -> Path:
        """The file of the kernel for these argument types on this processor."""
        return cache_folder() / self._name(sig, codegen.magic_tuple())

    def _shipped(self, sig: Any) -> bytes | None:
        """What podium's wheel holds for these argument types."""
        folder = shipped_folder()
        return None if folder is None else _read(folder / self._name(sig, level_target()))

    def _name(self, sig: Any, target: tuple[str, str, str]) -> str:
        """A name for what is compiled, and for the system, the processor and its features."""
        arguments, _ = _signatures.normalize_signature(sig)
        machine = (linked_kernels.RULES, numba.__version__, sys.implementation.cache_tag, target)
        content = f"{fingerprint(self.kernel, arguments)} {machine}{' linked' if self.is_linked else ''}"
        name = hashlib.blake2b(content.encode(), digest_size=16).hexdigest()
        function = self.kernel.py_func
        return f"{function.__module__}.{function.__name__}-{name}.nbc"

    def enable(self) -> None:
        """Part of Numba's interface; does nothing, as the cache is always on."""

    def disable(self) -> None:
        """Part of Numba's interface; does nothing, as the cache cannot be turned off."""

    def flush(self) -> None:
        """Part of Numba's interface; does nothing, as nothing is held in memory."""


class _CompilerWatch(event.Listener):
    """Stops garbage collection while a kernel of podium compiles, and gives up the kernel if that fails.

    The compiler makes millions of objects and keeps most of them: searching them takes 6 to 20% of its time.
    """

    def __init__(self) -> None:
        self.depth = 0  # of kernels that compile because others call them
        self.collects = False

    def on_start(self, news: Any) -> None:
        """Numba begins to compile something."""
        if _is_ours(news):
            if self.depth == 0:
                self.collects = gc.isenabled()
                gc.disable()
            self.depth += 1

    def on_end(self, news: Any) -> None:
        """Numba has compiled something, or failed to."""
        if not _is_ours(news):
            return
        self.depth = max(self.depth - 1, 0)  # an interrupt may have come before on_start
        if self.depth == 0 and self.collects:
            gc.enable()
        kernel, types = news.data["dispatcher"], news.data["args"]
        if tuple(types) not in kernel.overloads:
            release(kernel._cache.path(types, kernel.targetctx.codegen()))


def _is_ours(news: Any) -> bool:
    return isinstance(getattr(news.data["dispatcher"], "_cache", None), KernelCache)


_events.register("numba:compile", _CompilerWatch())


def _start_runtime(target_context: Any) -> None:
    """Prepare Numba for a kernel from disk.

    Such a kernel calls the memory runtime and no other part of Numba. `refresh` starts the runtime and also
    registers all that Numba can compile, which takes a quarter of a second: a version of Numba that is not
    known to need only the runtime gets that.
    """
    if numba.version_info.short in RUNTIME_SUFFICES:
        rtsys.initialize(target_context)
    else:
        target_context.refresh()


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


def _read(path: Path) -> bytes | None:
    """What `_write` wrote; None if there is no file, or a machine that stopped left half of one."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, payload = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
    return payload if checksum == _checksum(payload) else None


def _write(path: Path, payload: bytes) -> None:
    """Write the file completely or not at all, even if other processes write it at the same time."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        temporary.write_bytes(_checksum(payload) + payload)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _checksum(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=CHECKSUM_BYTES).digest()
