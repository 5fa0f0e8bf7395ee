"""Checks of what is sent: plain data against the declared keys and types of a document.

podium's own values check what numbers mean; here it is only made sure that a list is a list. A check is made
once for each type, and says where in the data something is wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from podium.errors import InputError
from podium.text import did_you_mean, shorten

Check = Callable[[Any, str], None]
"""Raises an `InputError` that names the place, if a value is not of a type."""

LARGEST_NUMBER = sys.float_info.max
"""JSON may hold larger ones, which no computation here could use."""

WORDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    NoneType: "null",
}


def check_sent(value: Any, hint: Any, where: str = "") -> None:
    """Refuse plain data that is not of a declared type.

    >>> from podium.documents.request_documents import ReportDocument
    >>> check_sent({"ranks": {"ann": 1, "bob": "2"}}, ReportDocument)
    Traceback (most recent call last):
    podium.errors.InputError: ranks.bob is text, not a whole number
    """
    _check_of(hint)(value, where)


@cache
def _check_of(hint: Any) -> Check:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (NotRequired, Required, Annotated):
        return _check_of(inner[0])
    if origin in (Union, UnionType):
        return _any_of([(_outer(kind), _check_of(kind)) for kind in inner])
    if origin is list:
        return _list_of(_check_of(inner[0]))
    if origin is dict:
        return _object_of(_check_of(inner[1]))
    if origin is Literal:
        return _one_of(inner)
    if is_typeddict(hint):
        return _record_of(hint)
    return _plain(hint)


def _outer(hint: Any) -> Any:
    """The plain type of which values of a hint are."""
    if get_origin(hint) is Annotated:
        return _outer(get_args(hint)[0])
    if get_origin(hint) is Literal:
        return str
    return dict if is_typeddict(hint) else get_origin(hint) or hint


def _is(value: Any, kind: Any) -> bool:
    return type(value) is kind or (kind is float and type(value) is int)


def _refuse(value: Any, where: str, wanted: list[Any]) -> InputError:
    found = WORDS.get(type(value), type(value).__name__)
    words = " or ".join(WORDS[kind] for kind in wanted)
    return InputError(f"{where or 'the request body'} is {found}, not {words}")


def _any_of(kinds: list[tuple[Any, Check]]) -> Check:
    def check(value: Any, where: str) -> None:
        for kind, inner in kinds:
            if _is(value, kind):
                inner(value, where)
                return
        raise _refuse(value, where, list(dict.fromkeys(kind for kind, _ in kinds)))

    return check


def _list_of(inner: Check) -> Check:
    def check(value: Any, where: str) -> None:
        if type(value) is not list:
            raise _refuse(value, where, [list])
        for number, item in enumerate(value):
            try:
                inner(item, "")
            except InputError:
                inner(item, f"{where}[{number}]")  # which raises the same, and says where

    return check


def _object_of(inner: Check) -> Check:
    def check(value: Any, where: str) -> None:
        if type(value) is not dict:
            raise _refuse(value, where, [dict])
        for key, item in value.items():
            try:
                inner(item, "")
            except InputError:
                inner(item, f"{where}.{shorten(key)}")

    return check


def _one_of(choices: tuple[Any, ...]) -> Check:
    def check(value: Any, where: str) -> None:
        if value not in choices:
            raise InputError(f"{where} is {shorten(repr(value))}", hint=f"it is {' or '.join(choices)}")

    return check


def _record_of(record: Any) -> Check:
    hints = get_type_hints(record, include_extras=True)
    checks = {name: _check_of(hint) for name, hint in hints.items()}
    required = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]

    def check(value: Any, where: str) -> None:
        if type(value) is not dict:
            raise _refuse(value, where, [dict])
        before = f"{where}." if where else ""
        for key, item in value.items():
            if key not in checks:
                hint = did_you_mean(key, list(checks)) or f"use {', '.join(checks)}"
                raise InputError(f"{before}{shorten(key)} is an unknown key here", hint=hint)
            checks[key](item, before + key)
        for key in required:
            if key not in value:
                raise InputError(f"{before}{key} is missing")

    return check


def _plain(kind: Any) -> Check:
    def check(value: Any, where: str) -> None:
        if not _is(value, kind):
            raise _refuse(value, where, [kind])
        if kind is float and not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
            raise InputError(f"{where or 'the request body'} is too large a number")

    return check
