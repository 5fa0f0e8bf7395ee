"""What Numba found out about calls of operators and built-in functions, remembered from kernel to kernel.

For every `+`, `[]` or `max` of a kernel Numba tries all ways that it has to call it, ten of them and more,
until one takes these types, and again when it makes code of it: a quarter of all compiling. Which one it is
depends on the function, the types and the options of the compiler alone, so it is looked for once. Numba's
method is replaced while a kernel of podium compiles, and at no other time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import targetconfig
from numba.core.types import functions

_Function: Any = functions.BaseFunction
_options: Any = targetconfig.ConfigStack
_find: Callable[..., Any] = _Function.get_call_type

_found: dict[Any, dict[Any, tuple[Any, Any]]] = {}
"""By options, and then by function and types: the signature, and by which key Numba finds the code for it."""
_latest: list[tuple[Any, dict[Any, tuple[Any, Any]]]] = [(object(), {})]
"""The options last asked for, and what is known with them: comparing options takes long."""


@contextmanager
def remembered_calls() -> Iterator[None]:
    """Remember inside the block; blocks may be nested, as kernels are that call each other."""
    if _Function.get_call_type is not _find:
        yield
        return
    try:
        _Function.get_call_type = _remembered_or_found
        yield
    finally:
        _Function.get_call_type = _find


def _remembered_or_found(function: Any, context: Any, types: Any, named: Any) -> Any:
    """In place of Numba's method: the signature with which this function is called with these types."""
    if named:
        return _find(function, context, types, named)
    known = _known_with(_options.top_or_none())
    call = function, tuple(types)
    if call in known:
        signature, key = known[call]
        function._impl_keys[signature.args] = key  # calls with other options may have changed it
    else:
        signature = _find(function, context, types, named)
        known[call] = signature, function._impl_keys[signature.args]
    return signature


def _known_with(options: Any) -> dict[Any, tuple[Any, Any]]:
    """What is known of calls with these options of the compiler."""
    of, known = _latest[0]
    if of is not options:
        known = _found.setdefault(options, {})
        _latest[0] = options, known
    return known
