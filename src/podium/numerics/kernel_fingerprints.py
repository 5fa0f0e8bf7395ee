"""A fingerprint of everything that is compiled into a kernel.

The compiler copies into a kernel its own code, the kernels it calls, wherever they stand, and the constants
that any of them reads. A kernel on disk is good as long as all of that is the same. So the fingerprint is
taken from what Python made of the source: instructions, constants and, by name, what they refer to, followed
from function to function. Comments, docstrings, line numbers and whatever a kernel does not use have no part
in it.
"""

from __future__ import annotations

import dis
import hashlib
import sys
from collections.abc import Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

COMPILER_KNOWS = sys.stdlib_module_names | {"numpy", "numba", "llvmlite"}
"""Packages of which the compiler has an idea of its own; what they hold changes with its version."""

_LOAD_CONSTANT = frozenset(dis.hasconst)
_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_EXTENDED = dis.EXTENDED_ARG

_described: dict[int, tuple[Any, str, list[Any]]] = {}
"""By identity: a function (kept alive, so that the identity stays its own), its content, what it calls."""


def fingerprint(kernel: Any, signature: Iterable[Any] = ()) -> str:
    """A hash of everything that goes into compiling a kernel for these types; the same in every process."""
    digest = hashlib.blake2b(digest_size=16)
    waiting = [kernel]
    digest.update(repr([describe_type(kind, waiting) for kind in signature]).encode())
    seen = set()
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            content, called = _content(one)
            digest.update(content.encode())
            waiting += called
    return digest.hexdigest()


def describe_type(kind: Any, called: list[Any]) -> str:
    """The type of an argument as text; functions compiled along with it are appended to `called`."""
    if isinstance(kind, types.Dispatcher):
        return _describe(kind.dispatcher, called)
    if isinstance(kind, types.BaseTuple):
        tuple_type: Any = kind
        parts = [describe_type(part, called) for part in tuple_type.types]
        named = isinstance(kind, types.BaseNamedTuple)
        return f"{_describe(tuple_type.instance_class, called) if named else 'tuple'} of {parts}"
    return str(kind)


def _content(one: Any) -> tuple[str, list[Any]]:
    """What a kernel or an intrinsic says itself, and which others it calls."""
    known = _described.get(id(one))
    if known is None:
        called: list[Any] = []
        function = one.py_func if isinstance(one, Dispatcher) else one._defn
        options = getattr(one, "targetoptions", {})
        parts = [
            _named(function),
            _describe({name: options[name] for name in sorted(options)}, called),
            _describe((function.__defaults__, function.__kwdefaults__), called),
            _describe(tuple(cell.cell_contents for cell in function.__closure__ or ()), called),
            _describe_code(function.__code__, function.__globals__, called),
        ]
        known = _described[id(one)] = (one, "\n".join(parts), called)
    return known[1:]


def _describe_code(code: CodeType, scope: dict[str, Any], called: list[Any]) -> str:
    """The instructions, with each constant and each global name replaced by its value.

    A docstring is a constant that no instruction loads. Its place among the constants moves the others, so
    these are told by value.
    """
    steps: list[str] = []
    values: dict[str, str] = {}
    high = 0
    for operation, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument |= high
        high = argument << 8 if operation == _EXTENDED else 0
        if operation in _LOAD_CONSTANT:
            constant = code.co_consts[argument]
            nested = isinstance(constant, CodeType)
            text = _describe_code(constant, scope, called) if nested else _describe(constant, called)
            steps.append(f"{operation} {text}")
        elif operation != _EXTENDED:
            steps.append(f"{operation} {argument}")
            if operation == _LOAD_GLOBAL:
                name = code.co_names[argument >> 1]
                if name in scope and name not in values:
                    values[name] = _describe_global(scope[name], code, called)
    shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & 0xFF)
    names = (code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars)
    return repr((shape, names, code.co_exceptiontable, ";".join(steps), sorted(values.items())))


def _describe_global(value: Any, code: CodeType, called: list[Any]) -> str:
    """The value of a global name as text; for a module, the values that the code may use."""
    if not isinstance(value, ModuleType):
        return _describe(value, called)
    if value.__name__.partition(".")[0] in COMPILER_KNOWS:
        return value.__name__
    taken = {name: getattr(value, name) for name in sorted(code.co_names) if hasattr(value, name)}
    return f"{value.__name__} {[(name, _describe(item, called)) for name, item in taken.items()]}"


def _describe(value: Any, called: list[Any]) -> str:
    """A constant as text that is the same in every process; kernels are appended to `called`."""
    kind = type(value)
    if isinstance(value, (Dispatcher, _Intrinsic)):
        called.append(value)
        return f"{kind.__name__} {_named(value)}"
    if value is None or value is ... or kind in (bool, int, float, complex, str, bytes):
        return repr(value)
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        content = hashlib.blake2b(array.tobytes(), digest_size=16).hexdigest()
        return f"{kind.__name__} {array.dtype.str} {array.shape} {array.flags.c_contiguous} {content}"
    if isinstance(value, tuple):
        name = "" if kind is tuple else _describe(kind, called)
        return f"{name}({', '.join(_describe(item, called) for item in value)})"
    if isinstance(value, (set, frozenset)):
        return f"set {sorted(_describe(item, called) for item in value)}"
    if isinstance(value, dict):
        items = [(_describe(key, called), _describe(item, called)) for key, item in value.items()]
        return f"dict {items}"
    if isinstance(value, type) and issubclass(value, tuple) and value is not tuple:
        named: Any = value
        return f"{_named(named)}{named._fields} {_describe(named._field_defaults, called)}"
    if isinstance(value, types.Type):
        return describe_type(value, called)
    if callable(value) and not _may_change(value):
        return _named(value)
    raise TypeError(f"a kernel uses {value!r}, and podium cannot detect whether it changes")


def _named(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', None) or value.__name__}"


def _may_change(value: Any) -> bool:
    """Whether a function is user or podium code in Python, not a library the compiler knows."""
    root = (getattr(value, "__module__", None) or "").partition(".")[0]
    return isinstance(value, (type, FunctionType)) and root not in COMPILER_KNOWS
