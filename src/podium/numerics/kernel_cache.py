"""What Numba keeps of a kernel on disk: one file for each kernel, named after all that is compiled into it.

Numba's own cache looks at a kernel's file alone: it keeps a stale kernel when a function or a constant of
another file changed, and throws one away when a comment did. Here the name of a file holds a fingerprint of
the kernel's content (`kernel_fingerprints`), of the types it is called with, of the compiler's version, of
podium's rules of compiling and of the processor. A file (`kernel_files`) is therefore good for ever, whoever
wrote it.
"""

from __future__ import annotations

import gc
import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import event, serialize, sigutils
from numba.core.runtime.nrt import rtsys

from podium.numerics import kernel_files
from podium.numerics.compiler_choice import announce
from podium.numerics.kernel_files import (
    claim,
    level_target,
    read_kernel,
    release,
    shipped_folder,
    write_kernel,
)
from podium.numerics.kernel_fingerprints import fingerprint

RUNTIME_SUFFICES = frozenset({(0, 68)})
"""The versions of Numba whose kernels were seen to run from disk with nothing but the memory runtime."""

_events: Any = event
_dumps: Callable[[Any], bytes] = serialize.dumps
_normalized: Callable[[Any], Any] = sigutils.normalize_signature


class KernelCache:
    """The compiled forms of a kernel on disk, behind Numba's cache interface; idle until the first call."""

    def __init__(self, kernel: Any, form: str, rebuilt: Callable[[Any, bytes], Any]) -> None:
        """`form` tells how it is compiled; `rebuilt` makes it of Numba's context and the bytes of a file."""
        self.kernel = kernel
        self.form = form
        self._rebuilt = rebuilt

    @property
    def cache_path(self) -> str:
        """The folder, for Numba's statistics."""
        return str(kernel_files.cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled form for these argument types, or None: then Numba compiles.

        Whoever gets None holds the kernel until it is saved or failed to compile.
        """
        payload = self._shipped(sig)
        if payload is None:
            payload = read_kernel(path := self.path(sig, target_context.codegen()))
        if payload is None:
            announce()
            target_context.refresh()
            claim(path)
            payload = read_kernel(path)
            if payload is None:
                return None
            release(path)  # another process compiled it meanwhile
        _start_runtime(target_context)
        return self._rebuilt(target_context, payload)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled form; if it cannot be written, the next process compiles again."""
        path = self.path(sig, data.codegen)
        try:
            bound = data.lifted or data.library.has_dynamic_globals  # a pointer of this process is inside
            if not bound:
                with suppress(OSError):
                    write_kernel(path, _dumps(data._reduce()))
        finally:
            release(path)

    def path(self, sig: Any, codegen: Any) -> Path:
        """The file of the kernel for these argument types on this processor."""
        return kernel_files.cache_folder() / self._name(sig, codegen.magic_tuple())

    def _shipped(self, sig: Any) -> bytes | None:
        """What podium's wheel holds for these argument types."""
        folder = shipped_folder()
        return None if folder is None else read_kernel(folder / self._name(sig, level_target()))

    def _name(self, sig: Any, target: tuple[str, str, str]) -> str:
        """A name for what is compiled, and for the system, the processor and its features."""
        arguments, _ = _normalized(sig)
        machine = (numba.__version__, sys.implementation.cache_tag, target)
        content = f"{fingerprint(self.kernel, arguments)} {machine} {self.form}"
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
