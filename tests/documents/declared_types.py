"""The declared types of documents: in the words of docs/documents.md, and as a check of values."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from podium.documents.plain_data import ParameterValue

TIMES = {"time", "first_time", "last_time", "start", "end", "acceptable_at", "now", "computed"}
TIMES |= {"at", "created", "received", "rated_time", "reported_time", "started", "finished"}
WORDS: dict[Any, str] = {str: "text", int: "whole number", float: "number", bool: "true or false", Any: "any"}


def type_words(document: str, key: str, hint: Any) -> str:
    """The type of a key as the page says it."""
    if get_origin(hint) is NotRequired:
        return type_words(document, key, get_args(hint)[0]) + ", optional"
    if hint == ParameterValue:
        return "a parameter's value"
    if get_origin(hint) in (Union, UnionType):
        optional = NoneType in get_args(hint)
        kinds = [type_words(document, key, kind) for kind in get_args(hint) if kind is not NoneType]
        return " or ".join(kinds) + (" or null" if optional else "")
    if get_origin(hint) is list:
        (item,) = get_args(hint)
        return f"list of {type_words(document, key, item)}"
    if get_origin(hint) is dict:
        return f"object: {type_words(document, key, get_args(hint)[1])} by name"
    if get_origin(hint) is Literal:
        return "text"
    if is_typeddict(hint):
        return f"`{hint.__name__}`"
    if hint is str and key in TIMES:
        return "time"
    return WORDS[hint]


def check(value: Any, hint: Any, where: str = "document") -> None:
    """Assert that a value is of a declared type: no key more, and of those not optional none less."""
    if get_origin(hint) is NotRequired:
        check(value, get_args(hint)[0], where)
        return
    if get_origin(hint) in (Union, UnionType):
        kinds = get_args(hint)
        if value is None:
            assert NoneType in kinds, f"{where} is null"
            return
        errors = []
        for kind in kinds:
            if kind is not NoneType:
                try:
                    check(value, kind, where)
                    return
                except AssertionError as error:
                    errors.append(str(error))
        raise AssertionError("; ".join(errors))
    if get_origin(hint) is list:
        assert type(value) is list, f"{where} is {value!r}"
        for number, item in enumerate(value):
            check(item, get_args(hint)[0], f"{where}[{number}]")
    elif get_origin(hint) is dict:
        assert type(value) is dict, f"{where} is {value!r}"
        for key, item in value.items():
            assert type(key) is str, f"{where} has the key {key!r}"
            check(item, get_args(hint)[1], f"{where}.{key}")
    elif get_origin(hint) is Literal:
        assert value in get_args(hint), f"{where} is {value!r}"
    elif is_typeddict(hint):
        hints = get_type_hints(hint, include_extras=True)
        optional = {key for key, kind in hints.items() if get_origin(kind) is NotRequired}
        assert type(value) is dict, f"{where} is {value!r}"
        assert set(value) | optional == set(hints), f"{where}: {sorted((set(value) | optional) ^ set(hints))}"
        for key, item in value.items():
            check(item, hints[key], f"{where}.{key}")
    elif hint is float:
        assert type(value) in (int, float), f"{where} is {value!r}"
    elif hint is not Any:
        assert type(value) is hint, f"{where} is {value!r}, not {hint}"
