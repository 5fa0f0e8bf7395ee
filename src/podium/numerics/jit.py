"""The one place where podium meets the compiler.

Kernels compile when first called, and are kept on disk by what was compiled into them (`kernel_cache`).
Where they are interpreted (`compiler_choice`), the decorators return the functions as they are, and the
compiler is not even imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from podium.errors import warn_caller
from podium.numerics.compiler_choice import is_interpreted

F = TypeVar("F", bound=Callable[..., Any])

KERNELS: list[Any] = []
"""Everything compiled by the decorators below, in the order of imports."""

WITHOUT_FILES = (
    "podium does not support this version of Numba fully: it compiles more slowly, and again "
    "in every process. podium's requirements install a supported version"
)
"""The warning where kernels are not kept on disk."""

_MADE_INSIDE: Counter[tuple[str, str]] = Counter()
"""Kernels made inside functions so far, by module and name."""


def kernel(function: F) -> F:
    """Compile `function` when it is first called, and keep the result on disk.

    Divisions follow IEEE (no ZeroDivisionError), so that a kernel can be vectorised and never stops half-way.
    A kernel unpacks tuples of arrays before its loop: each look into a tuple counts a reference, which costs
    more than rating a match does.
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
    if not is_interpreted():
        _name_apart(function)
        function = _maker()(function, {"error_model": "numpy", "nogil": True, **options}, shared)
    KERNELS.append(function)
    return function


@cache
def _maker() -> Callable[[Any, dict[str, Any], bool], Any]:
    """How kernels are made: linked into each other and kept on disk, where Numba has what that needs.

    It needs more than Numba promises to keep from version to version. Without it ratings are the same.
    """
    try:
        from podium.numerics.linked_kernels import linked_kernel
    except (ImportError, AttributeError) as error:
        warn_caller(f"{WITHOUT_FILES} ({error})", RuntimeWarning)
        return _plain_kernel
    return linked_kernel


def _plain_kernel(function: Any, options: dict[str, Any], shared: bool) -> Any:
    """The function as Numba itself compiles it."""
    import numba

    return numba.njit(**options)(function)
