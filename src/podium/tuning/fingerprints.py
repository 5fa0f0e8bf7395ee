"""Whether something is still what it was: short hashes of histories and of code.

>>> of_code(lambda history, system: system.k) == of_code(lambda history, system: -system.k)
False
>>> of_code(lambda history, system: system.k) == of_code(lambda history, system: system.k)
True
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from inspect import getattr_static
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from podium.history import History


def of_history(history: History) -> str:
    """A hash of everything in a history that ratings depend on: its columns and adjustments."""
    digest = hashlib.blake2b(digest_size=16)
    for field in fields(History):
        value = getattr(history, field.name)
        if isinstance(value, np.ndarray) and field.name != "origin":
            digest.update(f"{field.name} {value.shape}".encode())
            digest.update(np.ascontiguousarray(value).view(np.uint8).data)
    digest.update(repr(history.adjustments).encode())
    return digest.hexdigest()


def of_code(function: Callable[..., Any]) -> str:
    """A hash of what a function does: its code, its defaults and the values it captured.

    Functions that it calls by name are not looked at.
    """
    digest = hashlib.blake2b(digest_size=8)
    for part in _parts(function, set()):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _parts(value: Any, seen: set[int]) -> Iterator[str]:
    """A value as texts that are the same in every process; objects by class and content."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic, type)):
        yield repr(value)
        return
    yield type(value).__qualname__
    if id(value) in seen:  # a function that knows itself
        return
    seen.add(id(value))
    for held in _held(value):
        yield from _parts(held, seen)
    seen.discard(id(value))


def _held(value: Any) -> list[Any]:
    """The parts that determine a value."""
    if isinstance(value, CodeType):
        return [value.co_code, value.co_names, value.co_varnames, value.co_freevars, value.co_consts]
    if isinstance(value, FunctionType):
        around = [_contents(cell) for cell in value.__closure__ or ()]
        return [value.__code__, value.__defaults__, value.__kwdefaults__, around]
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))  # in an order that does not depend on the process
    if isinstance(value, Mapping):
        return [item for pair in value.items() for item in pair]
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, np.ndarray):
        return [value.dtype.str, value.shape, value.tobytes()]
    if isinstance(value, History):
        return [of_history(value)]
    written = getattr(value, "py_func", None) or getattr_static(type(value), "__call__", None)
    held = vars(value) if hasattr(value, "__dict__") else {}
    return [written if isinstance(written, FunctionType) else None, held]


def _contents(cell: Any) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # nothing was put there yet
        return []
