"""Cells of a table: what is read, and what is not."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from history.strategies import moments, names
from podium.arrays import DAY, SECOND
from podium.errors import InputError
from podium.history.times import to_datetime, to_iso, to_micros
from podium.tables.rows import cells
from podium.tables.rows.cells import factorize

MAY = to_micros("2026-05-01")


@pytest.mark.parametrize(
    "values, read",
    [
        (["2026-05-01", "2026-05-02"], [MAY, MAY + DAY]),
        (["2026-05-01T00:00:01Z", "2026-05-01 00:00:02"], [MAY + SECOND, MAY + 2 * SECOND]),
        (["2026-05-01T00:00:00.000001Z", "2026-05-01T00:01"], [MAY + 1, MAY + 60 * SECOND]),
        (["2026-05-01T02:00:00+02:00", "2026-05-01 02:00+0200"], [MAY, MAY]),
        (["20260501", "20260502"], [MAY, MAY + DAY]),
        ([20260501, 20260502], [MAY, MAY + DAY]),
        (["2026-05-01", "1777593600", "1777593600.5"], [MAY, MAY, MAY + SECOND // 2]),
        ([" 2026-05-01 ", "", " ", None], [MAY, None, None, None]),
        (["1777593600", "0", "-5"], [MAY, 0, -5 * SECOND]),
        (["1", "2", "3"], [SECOND, 2 * SECOND, 3 * SECOND]),
        ([1, 2, 3], [SECOND, 2 * SECOND, 3 * SECOND]),
        ([1.5, 2.0, None], [1_500_000, 2 * SECOND, None]),
        ([1_777_593_600.0, float("nan")], [MAY, None]),
        ([date(2026, 5, 1), None], [MAY, None]),
        ([datetime(2026, 5, 1), None], [MAY, None]),
        ([None, None], [None, None]),
        # what is no time
        (["2026-05-01", "soon", "2026-02-30", "12:00", "5"], [MAY, None, None, None, None]),
        (["2019", "2020"], [None, None]),
        ([2019, 2020], [None, None]),
        ([1_777_593_600_000], [MAY]),
        ([4_000_000_000_001], [None]),
        ([1e300, float("inf")], [None, None]),
        ([2**63], [None]),
        (["99999999999999999999"], [None]),
        # a run of numbers that only begins like dates
        ([18_000_101, 18_000_199], [18_000_101 * SECOND, 18_000_199 * SECOND]),
    ],
)
def test_times(values: list[Any], read: list[int | None]) -> None:
    assert cells.times(pl.Series("time", values)).to_list() == read


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_datetimes_of_every_unit_and_zone(unit: Any) -> None:
    column = pl.Series("time", [datetime(2026, 5, 1)]).cast(pl.Datetime(unit))
    assert cells.times(column).to_list() == [MAY]
    zoned = column.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
    assert cells.times(zoned).to_list() == [MAY]
    local = column.dt.replace_time_zone("Asia/Tokyo")
    assert cells.times(local).to_list() == [MAY - 9 * 3600 * SECOND]


def test_times_as_categories() -> None:
    assert cells.times(pl.Series(["2026-05-01", "2026-05-01"], dtype=pl.Categorical)).to_list() == [MAY, MAY]


@given(st.lists(moments | st.none(), min_size=1))
def test_times_written_by_podium_are_read(micros: list[int | None]) -> None:
    text = [None if m is None else to_iso(m) for m in micros]
    assert cells.times(pl.Series(text, dtype=pl.String)).to_list() == micros
    moment = [None if m is None else to_datetime(m) for m in micros]
    assert cells.times(pl.Series(moment, dtype=pl.Datetime("us", "UTC"))).to_list() == micros


@pytest.mark.parametrize(
    "values, read",
    [
        (
            ["1", " 2.5 ", "-3", "1e3", "0x10", "1,5", "", None],
            [1.0, 2.5, -3.0, 1000.0, None, None, None, None],
        ),
        (["nan", "NaN", "inf"], [None, None, float("inf")]),
        ([1, 2, None], [1.0, 2.0, None]),
        ([1.0, float("nan")], [1.0, None]),
        ([True, False], [1.0, 0.0]),
        ([timedelta(minutes=1, milliseconds=500)], [60.5]),
        ([None], [None]),
    ],
)
def test_numbers(values: list[Any], read: list[float | None]) -> None:
    assert cells.numbers(pl.Series("score", values)).to_list() == read


@pytest.mark.parametrize(
    "values, read",
    [
        (["yes", "No", " TRUE ", "f", "1", "0", "1.0"], [True, False, True, False, True, False, True]),
        (["", None, "maybe", "2"], [None, None, None, None]),
        ([1, 0, 2, None], [True, False, None, None]),
        ([1.0, 0.0, None], [True, False, None]),
        ([True, None], [True, None]),
        ([None], [None]),
    ],
)
def test_flags(values: list[Any], read: list[bool | None]) -> None:
    assert cells.flags(pl.Series("rated", values)).to_list() == read


@pytest.mark.parametrize(
    "parse, column",
    [
        (cells.names, pl.Series("player", [["ann"]])),
        (cells.names, pl.Series("player", [{"name": "ann"}])),
        (cells.names, pl.Series("player", [b"ann"])),
        (cells.numbers, pl.Series("rank", [[1]])),
        (cells.numbers, pl.Series("rank", [date(2026, 5, 1)])),
        (cells.flags, pl.Series("rated", [[True]])),
        (cells.times, pl.Series("time", [time(12)])),
        (cells.times, pl.Series("time", [timedelta(1)])),
        (cells.times, pl.Series("time", [True])),
    ],
)
def test_columns_of_something_else_are_refused(parse: Any, column: pl.Series) -> None:
    with pytest.raises(InputError, match=f"the column {column.name} holds"):
        parse(column)


# ------------------------------------------------------------------ names as numbers


def coded(*columns: list[Any]) -> tuple[list[int], list[str]]:
    codes, found = factorize(*(cells.names(pl.Series(values)) for values in columns))
    return codes.tolist(), found


def test_names_of_every_kind() -> None:
    assert coded(["007", "7", "007"]) == ([0, 1, 0], ["007", "7"])
    assert coded([7, 8, 7]) == ([0, 1, 0], ["7", "8"])
    assert coded([7.0, None, 8.5]) == ([0, -1, -1], ["7"])
    assert coded([-(2**63), 2**63 - 1]) == ([0, 1], ["-9223372036854775808", "9223372036854775807"])
    assert coded([10**30, 1]) == ([0, 1], [str(10**30), "1"])
    assert coded([True, False]) == ([0, 1], ["true", "false"])
    assert coded(["ann", "", " \t", None, "bob", "ann"]) == ([0, -1, -1, -1, 1, 0], ["ann", "bob"])
    assert coded([" ann", "ann", "\u200b"]) == ([0, 0, -1], ["ann"])
    assert coded([]) == ([], [])


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["cat", "ann", "", "bob"])])
def test_categories_are_names(kind: Any) -> None:
    codes, found = factorize(pl.Series(["bob", "ann", "bob", "", None], dtype=kind))
    assert (codes.tolist(), found) == ([0, 1, 0, -1, -1], ["bob", "ann"])


def test_two_columns_are_taken_row_by_row() -> None:
    assert coded(["b", "a"], ["c", "b"]) == ([0, 1, 2, 0], ["b", "c", "a"])
    assert coded([1, 2], ["2", "x"]) == ([0, 1, 1, 2], ["1", "2", "x"])
    assert coded([1, 2], [3, None]) == ([0, 1, 2, -1], ["1", "3", "2"])


@given(st.lists(names | st.sampled_from(["", None]), max_size=20))
def test_codes_lead_back_to_names(values: list[str | None]) -> None:
    codes, found = factorize(pl.Series(values, dtype=pl.String))
    expected: dict[str, int] = {}
    blank = [value is None or not value.strip() for value in values]
    for value, empty in zip(values, blank, strict=True):
        if not empty:
            expected.setdefault(str(value), len(expected))
    assert found == list(expected)
    assert codes.tolist() == [-1 if e else expected[str(v)] for v, e in zip(values, blank, strict=True)]


def test_equal_hashes_do_not_merge_two_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def constant(self: pl.Series, *seeds: int) -> pl.Series:
        return pl.Series([7], dtype=pl.UInt64).new_from_index(0, len(self))

    monkeypatch.setattr(pl.Series, "hash", constant)
    codes, found = factorize(pl.Series(["ann", "bob", None]), pl.Series(["bob", "cat", "ann"]))
    assert (codes.tolist(), found) == ([0, 1, 1, 2, -1, 0], ["ann", "bob", "cat"])
