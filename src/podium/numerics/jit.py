"""The one place where podium meets the compiler.

Kernels compile when first called, and are kept on disk by what was compiled into them (`kernel_files`).
Where they are interpreted (`compiler_choice`), the decorators return the functions as they are, and the
compiler is not even imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar, cast

from podium.numerics.compiler_choice import is_interpreted

F = TypeVar("F", bound=Callable[..., Any])

KERNELS: list[Any] = []
"""Everything compiled by the decorators below, in the order of imports."""


_MADE_INSIDE: Counter[tuple[str, str]] = Counter()
"""Kernels made inside functions so far, by module and name."""


def kernel(function: F) -> F:
    """Compile `function` when it is first called, and keep the result on disk.

    Divisions follow IEEE (no ZeroDivisionError), so that a kernel can be vectorised and never stops half-way.
    A kernel that makes arrays (`borrowed_arrays`) unpacks tuples of them before its loop: each look into a
    tuple counts a reference, which costs more than rating a match does.
    """
    return _compiled(function)


def shared_kernel(function: F) -> F:
    """A kernel that Python calls and that other kernels call too, compiled once for both.

    Other kernels are compiled for Python or for kernels (`linked_kernels`), and twice where both call them.
    """
    return _compiled(function, shared=True)


def formula(function: F) -> F:
    """A kernel that is inlined into its callers, however long, so that loops over it are vectorised.

    A product and a sum may become one instruction, which rounds once instead of twice.
    """
    return _compiled(function, forceinline=True, fastmath={"contract"})


def summing(function: F) -> F:
    """A kernel that may add in any order (the same at every call), so that its sums are vectorised."""
    return _compiled(function, fastmath={"contract", "reassoc", "nsz"})


def interpreted_as(by_arrays: F) -> Callable[[F], F]:
    """Where kernels are interpreted, use this function instead: the same in NumPy, for long loops.

    It stands above the decorator that compiles.
    """

    def choose(compiled: F) -> F:
        return by_arrays if is_interpreted() else compiled

    return choose


def made_for(name: str) -> Callable[[F], F]:
    """Name a kernel after what a function makes it for, if that makes it for several.

    It stands below the decorator that compiles. The name is part of the kernel's content, and so must not
    depend on what a process makes first: or a kernel that was compiled ahead would not be found.
    """

    def rename(function: F) -> F:
        function.__qualname__ += f"_{name}"
        return function

    return rename


def _name_apart(function: Callable[..., Any]) -> None:
    """Give each kernel that a function makes a name of its own, whether it was named (`made_for`) or not.

    Two with one name, compiled in two processes, may be called the same by the linker; a third process that
    loads both from disk would run one in place of the other.
    """
    name = function.__qualname__
    if "<locals>" in name:
        _MADE_INSIDE[function.__module__, name] += 1
        if (number := _MADE_INSIDE[function.__module__, name]) > 1:
            function.__qualname__ = f"{name}_{number}"


def _compiled(function: F, shared: bool = False, **options: Any) -> F:
    if is_interpreted():
        KERNELS.append(function)
        return function

    from podium.numerics import linked_kernels
    from podium.numerics.kernel_files import unneeded_parts

    _name_apart(function)
    options |= unneeded_parts()
    if linked_kernels.is_supported():
        entered = _kept(function, options | {"pipeline_class": linked_kernels.EnteredCompiler})
        alone = options | {"pipeline_class": linked_kernels.LinkedCompiler}
        linked_kernels.let_kernels_call(
            entered, lambda: entered if shared else _kept(function, alone, linked=True)
        )
    else:
        entered = _kept(function, options)
    KERNELS.append(entered)
    return cast("F", entered)


def _kept(function: F, options: dict[str, Any], linked: bool = False) -> Any:
    """The function behind Numba's compiler, which keeps what it compiles on disk."""
    import numba

    from podium.numerics.kernel_files import KernelCache

    compiled: Any = numba.njit(error_model="numpy", nogil=True, **options)(function)
    compiled._cache = KernelCache(compiled, linked)
    return compiled
