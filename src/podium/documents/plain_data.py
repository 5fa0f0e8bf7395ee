"""Plain data: dict, list, str, int, float, bool and None, as JSON holds them.

Every document of podium is made of it. A time is ISO 8601 text in UTC, a date where it is midnight, or None.
A number that JSON cannot hold, NaN or an infinite one, is None. A parameter of a system or of a simulation is
as `--set` takes it: a function by its name, and an infinite number as text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

from podium.history.times import to_iso, to_micros
from podium.parameters import plain

if TYPE_CHECKING:
    import polars as pl

SCHEMA_VERSION = 1
"""The version of all documents together. It changes where a key is renamed, removed or means something else;
a new key leaves it as it is."""

ParameterValue = str | int | float | bool | list[float] | None
"""What a parameter may be."""

Record = TypeVar("Record", bound=Mapping[str, Any])


class Stamp(TypedDict):
    """What stands on top of every document that is printed or answered."""

    podium: int
    kind: str


def stamped(kind: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """A document with the version of its keys and what it is of on top."""
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
    missing = kind.__annotations__.keys() - set(frame.columns)
    assert not missing, f"{kind.__name__} declares {', '.join(sorted(missing))}"
    return cast(list[Record], table_rows(frame.select(c for c in frame.columns if c in kind.__annotations__)))


def table_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of any table as plain data, by column."""
    import polars as pl

    from podium.tables.written_tables import with_text_times

    floats = [name for name, dtype in frame.schema.items() if dtype.is_float()]
    finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in floats]
    return with_text_times(frame.with_columns(finite)).to_dicts()
