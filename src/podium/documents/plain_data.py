"""Plain data: dict, list, str, int, float, bool and None, as JSON holds them.

Every document of podium is made of it. A time is ISO 8601 text in UTC, a date where it is midnight, or None.
A number that JSON cannot hold, NaN or an infinite one, is None. A parameter of a system or of a simulation is
as `--set` takes it: a function by its name, and an infinite number as text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    TypedDict,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    is_typeddict,
)

from podium.documents.declarations import TimeText, declared_keys
from podium.history.times import to_iso, to_micros
from podium.parameters import plain

if TYPE_CHECKING:
    import polars as pl

SCHEMA_VERSION = 1
"""The version of all documents together.

It changes where a key is renamed, removed or means something else. A new key leaves it as it is.
"""

ParameterValue = str | int | float | bool | list[float] | None
"""The allowed values of a parameter."""

Record = TypeVar("Record", bound=Mapping[str, Any])


class Stamp(TypedDict):
    """The keys on top of every document that is printed or answered."""

    podium: Annotated[int, "version of the schema, see above"]
    kind: Annotated[str, "the kind of document: `leaderboard`, `backtest`, …"]


def stamped(kind: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """A document with the version of its keys and its kind of on top."""
    stamp: Stamp = {"podium": SCHEMA_VERSION, "kind": kind}
    return {**stamp, **document}


def json_text(kind: str, document: Mapping[str, Any]) -> str:
    """A document as JSON that every reader takes.

    >>> print(json_text("outcomes", {"win": 0.5, "draw": 0.0, "loss": 0.5}))
    {
     "podium": 1,
     "kind": "outcomes",
     "win": 0.5,
     "draw": 0.0,
     "loss": 0.5
    }
    """
    return json.dumps(stamped(kind, document), ensure_ascii=False, indent=1, allow_nan=False)


def compact_json(kind: str, document: Mapping[str, Any]) -> str:
    """The same document on one line: a third of the size, and made ten times as fast.

    >>> compact_json("outcomes", {"win": 0.5, "draw": 0.0, "loss": 0.5})
    '{"podium":1,"kind":"outcomes","win":0.5,"draw":0.0,"loss":0.5}'
    """
    return json.dumps(stamped(kind, document), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def plain_form(value: object, document: type[Record], **given: Any) -> Record:
    """A value as the document that declares its keys. Those `given` are taken as they are.

    >>> from podium.documents.prediction_documents import OutcomesDocument
    >>> from podium.systems.contract.ratings import Outcomes
    >>> plain_form(Outcomes(0.5, 0.0, 0.5), OutcomesDocument)
    {'win': 0.5, 'draw': 0.0, 'loss': 0.5}
    """
    return cast(Record, _form_of(document, *given)(value, given))


@cache
def _form_of(document: type, *given: str) -> Callable[[Any, Mapping[str, Any]], dict[str, Any]]:
    """What makes documents: it reads all attributes at once, as a contest has thousands of changes."""
    keys = {name: key for name, key in declared_keys(document).items() if name not in given}
    found = [(name, key.source) for name, key in keys.items() if not isinstance(key.source, str)]
    named = {name: key.source for name, key in keys.items() if isinstance(key.source, str)}
    read = attrgetter("__class__", *named.values())  # of two names or more it gives a tuple
    made = [(name, make) for name, key in keys.items() if (make := _maker(key.type)) is not None]
    order = tuple(declared_keys(document)) if found or given else ()

    def form(value: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        plain = dict(zip(named, read(value)[1:], strict=True))
        for name, find in found:
            plain[name] = find(value)
        for name, make in made:
            plain[name] = make(plain[name])
        plain |= given
        return {name: plain[name] for name in order} if order else plain

    return form


def _maker(hint: Any) -> Callable[[Any], Any] | None:
    """The function that makes plain data of values of a declared type. None if they are plain."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint == TimeText:
        return plain_time
    if hint == ParameterValue:
        return plain_parameter
    if origin in (Union, UnionType):
        makes = [_maker(one) for one in inner if one is not NoneType]
        if float in inner:
            return _plain_end if str in inner else plain_number
        return _unless_none(makes[0]) if len(makes) == 1 and makes[0] is not None else None
    if origin is list:
        return _list_maker(_maker(inner[0]))
    if origin is dict:
        make = _maker(inner[1])
        return dict if make is None else lambda value: {name: make(one) for name, one in dict(value).items()}
    if is_typeddict(hint):
        return lambda value: value if type(value) is dict else plain_form(value, hint)
    return bool if hint is bool else None


def _unless_none(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else make(value)


def _list_maker(make: Callable[[Any], Any] | None) -> Callable[[Any], list[Any]]:
    """What makes lists: of an array its numbers, of a set its members in order."""

    def listed(value: Any) -> list[Any]:
        if hasattr(value, "tolist"):
            return cast(list[Any], value.tolist())
        members = sorted(value) if isinstance(value, frozenset) else value
        return list(members) if make is None else [make(one) for one in members]

    return listed


def _plain_end(needed: str | float | None) -> str | float | None:
    """A text, or a number that JSON can hold, such as the end of a range. None if it is open."""
    return needed if isinstance(needed, str) else plain_number(needed)


def plain_time(moment: datetime | None) -> str | None:
    """A time as ISO 8601 text.

    >>> plain_time(datetime(2026, 5, 1)), plain_time(datetime(2026, 5, 1, 18, 30)), plain_time(None)
    ('2026-05-01', '2026-05-01T18:30:00Z', None)
    """
    return None if moment is None else to_iso(to_micros(moment))


def plain_number(value: float | None) -> float | None:
    """A number that JSON can hold.

    >>> plain_number(1.5), plain_number(math.nan), plain_number(-math.inf)
    (1.5, None, None)
    """
    return None if value is None or not math.isfinite(value) else value


def plain_parameters(values: Mapping[str, Any]) -> dict[str, ParameterValue]:
    """Parameters by name, each as `--set` takes it."""
    return {name: plain_parameter(value) for name, value in values.items()}


def plain_parameter(value: Any) -> ParameterValue:
    """A parameter's value.

    >>> plain_parameter(math.inf), plain_parameter((1.0, 2.0)), plain_parameter(None)
    ('inf', [1.0, 2.0], None)
    """
    value = plain(value)
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return cast(ParameterValue, value)


def records(frame: pl.DataFrame, kind: type[Record]) -> list[Record]:
    """The rows of a table as documents of this kind: the columns that it declares, in the table's order."""
    if frame.is_empty():
        return []
    declared = declared_keys(kind).keys()
    missing = declared - set(frame.columns)
    assert not missing, f"{kind.__name__} declares {', '.join(sorted(missing))}"
    return cast(list[Record], table_rows(frame.select(c for c in frame.columns if c in declared)))


def table_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of any table as plain data, by column."""
    import polars as pl

    from podium.tables.written_tables import with_text_times

    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in floats]
    return with_text_times(frame.with_columns(finite)).to_dicts()
