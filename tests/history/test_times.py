"""Times and durations as people write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given

from history.strategies import moments
from podium.arrays import DAY, NO_TIME, SECOND
from podium.errors import InputError, ParameterError
from podium.history.times import EARLIEST, LATEST, to_datetime, to_duration, to_iso, to_micros

MAY = 1_777_593_600 * SECOND  # 2026-05-01


@pytest.mark.parametrize(
    "value",
    [
        "2026-05-01",
        " 2026-05-01 ",
        "2026-05-01T00:00:00Z",
        "2026-05-01 00:00",
        "2026-05-01T02:00+02:00",
        "20260501",
        20260501,
        1_777_593_600,
        1_777_593_600.0,
        "1777593600",
        "1777593600.0",
        np.int64(1_777_593_600),
        date(2026, 5, 1),
        datetime(2026, 5, 1),
        datetime(2026, 5, 1, tzinfo=UTC),
        datetime(2026, 5, 1, 5, 30, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    ],
)
def test_the_same_moment_in_many_words(value: object) -> None:
    assert to_micros(value) == MAY  # type: ignore[arg-type]


def test_none_is_no_time() -> None:
    assert to_micros(None) == NO_TIME
    assert to_datetime(NO_TIME) is None
    assert to_iso(NO_TIME) == "no time"


def test_microseconds_are_kept() -> None:
    assert to_micros("2026-05-01T00:00:00.000001Z") == MAY + 1
    assert to_micros(0.5) == 500_000
    assert to_micros("12345.25") == 12_345_250_000
    assert to_micros("-86400") == -DAY


def test_small_numbers_are_seconds_and_small_texts_are_nothing() -> None:
    assert to_micros(5) == 5 * SECOND
    with pytest.raises(InputError, match="'2026' is not a time"):
        to_micros("2026")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "soon",
        "2026-13-01",
        "2026-02-30",
        "01.05.2026",
        True,
        float("nan"),
        float("inf"),
        1_777_593_600_000,
        1e18,
        -(10**12),
        "99999999999999999999",
        [],
        "2026-05-01T25:00",
    ],
)
def test_what_is_no_time(value: object) -> None:
    with pytest.raises(InputError, match="is not a time") as caught:
        to_micros(value)  # type: ignore[arg-type]
    assert "seconds since 1970" in (caught.value.hint or "")


@given(moments)
def test_iso_text_leads_back(micros: int) -> None:
    text = to_iso(micros)
    assert to_micros(text) == micros
    assert ("T" in text) == (micros % DAY != 0)
    assert to_micros(to_datetime(micros)) == micros


def test_the_calendar_has_ends() -> None:
    assert to_iso(EARLIEST) == "0001-01-01"
    assert to_micros("0001-01-01") == EARLIEST
    assert to_iso(LATEST).startswith("9892-")


@pytest.mark.parametrize(
    "text, micros",
    [
        ("90s", 90 * SECOND),
        ("90min", 5400 * SECOND),
        ("1.5h", 5400 * SECOND),
        ("7d", 7 * DAY),
        (" 2 w ", 14 * DAY),
    ],
)
def test_durations(text: str, micros: int) -> None:
    assert to_duration(text) == micros


@pytest.mark.parametrize("text", ["", "7", "d", "-7d", "0d", "7 days", "1m", "0.0000001s"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ParameterError, match="is not a duration") as caught:
        to_duration(text)
    assert "7d" in (caught.value.hint or "")
