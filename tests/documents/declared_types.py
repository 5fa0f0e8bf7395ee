"""The declared types of documents, as a check of values."""

from __future__ import annotations

import re
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, is_typeddict

from podium.documents.declarations import TimeText, declared_keys

ISO = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{6})?Z)?")


def check(value: Any, hint: Any, where: str = "document") -> None:
    """Assert that a value is of a declared type: no key more, and of those not optional none less."""
    if hint == TimeText:
        assert type(value) is str, f"{where} is {value!r}"
        assert ISO.fullmatch(value), f"{where} is {value!r}"
        return
    if get_origin(hint) is Annotated:
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
        keys = declared_keys(hint)
        optional = {name for name, key in keys.items() if key.optional}
        assert type(value) is dict, f"{where} is {value!r}"
        assert set(value) | optional == set(keys), f"{where}: {sorted((set(value) | optional) ^ set(keys))}"
        for key, item in value.items():
            check(item, keys[key].type, f"{where}.{key}")
    elif hint is float:
        assert type(value) in (int, float), f"{where} is {value!r}"
    elif hint is not Any:
        assert type(value) is hint, f"{where} is {value!r}, not {hint}"
