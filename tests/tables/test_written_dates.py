"""Dates as people write them: read where they are clear, refused with both readings where they are not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from podium import History
from podium.errors import InputError, ParameterError
from podium.history.times import to_iso
from podium.tables.columns.shapes import ROW, ReadOptions
from podium.tables.rows.defects import Source
from podium.tables.table_reader import TableReader
from tables.messy import Messy, guesses, iso_times


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


def matches(*times: str) -> str:
    return "winner,loser,time\n" + "".join(f'ann,bob,"{time}"\n' for time in times)


@pytest.mark.parametrize(
    "times, read, guess",
    [
        (["03/04/2026", "13/04/2026"], ["2026-04-03", "2026-04-13"], "dates are day/month/year"),
        (["03/04/2026", "04/13/2026"], ["2026-03-04", "2026-04-13"], "dates are month/day/year"),
        (["3-4-2026", "13-4-2026"], ["2026-04-03", "2026-04-13"], "dates are day-month-year"),
        (["03.04.2026", "05.04.2026"], ["2026-04-03", "2026-04-05"], "dates are day.month.year"),
        (["3. 4. 2026", "5. 4. 2026"], ["2026-04-03", "2026-04-05"], "dates are day.month.year"),
        (["05/05/2026", "06/06/2026"], ["2026-05-05", "2026-06-06"], "dates are day/month/year"),
        (["2026/04/03", "2026/4/5"], ["2026-04-03", "2026-04-05"], "dates are year/month/day"),
        (["13/08/2021 20:00"], ["2021-08-13T20:00:00Z"], "dates are day/month/year"),
        (["8/13/2021 8:00 PM"], ["2021-08-13T20:00:00Z"], "dates are month/day/year"),
        (["8/13/2021 12:30 a.m."], ["2021-08-13T00:30:00Z"], "dates are month/day/year"),
        (["13.08.2021, 20:00:01.5"], ["2021-08-13T20:00:01.500000Z"], "dates are day.month.year"),
        (["13.08.2021 20:00 +02:00"], ["2021-08-13T18:00:00Z"], "dates are day.month.year"),
        (
            ["13.08.2021 20:00-0230", "14.08.2021 0:00Z"],
            ["2021-08-13T22:30:00Z", "2021-08-14"],
            "dates are day.month.year",
        ),
        (
            ["3 Apr 2026", "03-May-2026"],
            ["2026-04-03", "2026-05-03"],
            "dates are written with the month's name",
        ),
        (
            ["April 3, 2026", "Apr 5 2026"],
            ["2026-04-03", "2026-04-05"],
            "dates are written with the month's name",
        ),
        (
            ["3. März 2026", "3 de abril de 2026"],
            ["2026-03-03", "2026-04-03"],
            "dates are written with the month's name",
        ),
        (
            ["1er août 2021", "1 Aout 2022"],
            ["2021-08-01", "2022-08-01"],
            "dates are written with the month's name",
        ),
        (["Sat, 14 Aug 2021 20:00"], ["2021-08-14T20:00:00Z"], "dates are written with the month's name"),
        (["2026-05-01", "13/05/2026"], ["2026-05-01", "2026-05-13"], "dates are day/month/year"),
        (["2026-05-01 8:00 PM"], ["2026-05-01T20:00:00Z"], "dates are year-month-day"),
    ],
)
def test_dates(times: list[str], read: list[str], guess: str, messy: Messy) -> None:
    history = messy.read(matches(*times))
    assert iso_times(history) == read
    assert guesses(history) == [guess]


def test_years_of_two_digits(messy: Messy) -> None:
    history = messy.read(matches("13/08/69", "13/08/99", "13/08/00", "13/08/21", "13/08/68"))
    assert [time[:4] for time in iso_times(history)] == ["1969", "1999", "2000", "2021", "2068"]
    assert guesses(history) == ["dates are day/month/year", "years of two digits are 1969 to 2068"]


@pytest.mark.parametrize(
    "times", [["2026-05-01"], ["20260501"], ["1777593600"], ["2026-05-01T00:00:00+00:00"]]
)
def test_nothing_is_guessed_of_iso_dates_and_seconds(times: list[str], messy: Messy) -> None:
    history = messy.read(matches(*times))
    assert (iso_times(history), guesses(history)) == (["2026-05-01"], [])


@pytest.mark.parametrize(
    "time, readings, formats",
    [
        ("03/04/2026", "3 April or 4 March 2026", ("'%d/%m/%Y'", "'%m/%d/%Y'")),
        ("03-04-26", "3 April or 4 March 2026", ("'%d-%m-%y'", "'%m-%d-%y'")),
        ("3/4/2026 20:00", "3 April or 4 March 2026", ("'%d/%m/%Y %H:%M'", "'%m/%d/%Y %H:%M'")),
        (
            "3/4/1998 8:00:01 pm",
            "3 April or 4 March 1998",
            ("'%d/%m/%Y %I:%M:%S %p'", "'%m/%d/%Y %I:%M:%S %p'"),
        ),
    ],
)
def test_an_unclear_date_is_refused_with_both_readings(
    time: str, readings: str, formats: tuple[str, str], messy: Messy
) -> None:
    error = messy.refusal(matches("05/05/2026", time))
    assert (error.line, error.reason) == (3, f"{time!r} may be {readings}")
    for one in formats:
        assert f"--time-format {one}" in str(error.hint)
        assert f"time_format={one}" in str(error.hint)
    days = [iso_times(messy.read(matches(time), time_format=one.strip("'")))[0][5:10] for one in formats]
    assert days == ["04-03", "03-04"], "what the hint says works"


def test_a_year_of_two_digits_may_come_first(messy: Messy) -> None:
    content = matches("21-08-13", "21-08-14", "21-09-02")
    error = messy.refusal(content)
    assert (error.line, error.reason) == (2, "'21-08-13' may be 21 August 2013 or 13 August 2021")
    assert "--time-format '%d-%m-%y' or --time-format '%y-%m-%d'" in str(error.hint)
    assert iso_times(messy.read(content, time_format="%y-%m-%d")) == [
        "2021-08-13",
        "2021-08-14",
        "2021-09-02",
    ]
    assert iso_times(messy.read(matches("13/08/21", "14/08/21", "02/09/22"))) == [
        "2021-08-13",
        "2021-08-14",
        "2022-09-02",
    ]


def test_rows_that_contradict_each_other_are_both_named(messy: Messy) -> None:
    error = messy.refusal(matches("13/04/2026", "01/02/2026", "04/14/2026"), on_bad_row="skip")
    assert error.line == 4
    assert error.reason == "'04/14/2026' is month/day/year, but '13/04/2026' (line 2) is day/month/year"
    history = messy.read(
        matches("13/04/2026", "01/02/2026", "04/14/2026"), on_bad_row="skip", time_format="%d/%m/%Y"
    )
    assert iso_times(history) == ["2026-02-01", "2026-04-13"]
    assert history.skipped[0].reason == "'04/14/2026' is not a time like %d/%m/%Y"


@pytest.mark.parametrize(
    "time",
    [
        "31/02/2021",
        "8.13.2021",
        "32.01.2021",
        "3 foo 2021",
        "13/08.2021",
        "13/08/2021 25:00",
        "32/13/20",
        "١٣/٠٨/٢٠٢١",
        "13/00/2021",
    ],
)
def test_days_that_are_none(time: str, messy: Messy) -> None:
    error = messy.refusal(matches("2021-08-13", time))
    assert (error.line, error.reason) == (3, f"{time!r} is not a time")
    assert "--time-format" in str(error.hint)


def test_an_event_is_named_in_the_refusal(messy: Messy) -> None:
    error = messy.refusal("event,player,rank,time\ncup,ann,1,03/04/2026\ncup,bob,2,03/04/2026\n")
    assert (error.line, error.event) == (2, "cup")


# ------------------------------------------------------------------ formats that people give


@pytest.mark.parametrize(
    "time_format, time, read",
    [
        ("%d/%m/%Y", "03/04/2026", "2026-04-03"),
        ("%m/%d/%Y", "03/04/2026", "2026-03-04"),
        ("%Y", "2019", "2019-01-01"),
        ("%Y-%m", "2019-05", "2019-05-01"),
        ("%d.%m.%y %H:%M", "13.08.21 20:15", "2021-08-13T20:15:00Z"),
        ("%d.%m.%y", "13.08.69", "1969-08-13"),
        ("%Y-%m-%dT%H:%M%z", "2021-08-13T20:15+0200", "2021-08-13T18:15:00Z"),
        ("%Y-%d-%m", "2021-08-13", None),
        ("%d/%m/%Y", "03/04/26", None),
        ("%d/%m/%Y", "03/04/0026", "0026-04-03"),
        ("%Y-%d-%m", "2021-08-12", "2021-12-08"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*before 1800")
def test_a_format_overrules_the_looks(time_format: str, time: str, read: str | None, messy: Messy) -> None:
    if read is None:
        error = messy.refusal(matches(time), time_format=time_format)
        assert error.reason == f"{time!r} is not a time like {time_format}"
        assert error.line == 2
    else:
        history = messy.read(matches(time), time_format=time_format)
        assert (iso_times(history), guesses(history)) == ([read], [])


@pytest.mark.parametrize(
    "time_format, reason", [("%Q %Y", "bad directive"), ("%d.%m.", "no year"), ("", "no year")]
)
def test_a_bad_format(time_format: str, reason: str, messy: Messy) -> None:
    with pytest.raises(ParameterError, match=reason) as caught:
        messy.read(matches("2026-05-01"), time_format=time_format)
    assert "--time-format" in str(caught.value)


def test_a_format_for_columns_of_numbers() -> None:
    frame = pl.DataFrame({"winner": ["ann", "bob"], "loser": ["bob", "ann"], "time": [2019, None]})
    history = History.from_frame(frame.head(1), time_format="%Y")
    assert iso_times(history) == ["2019-01-01"]
    with pytest.raises(InputError, match="time is empty"):
        History.from_frame(frame, time_format="%Y")


def test_years_alone_are_refused_with_the_format_that_reads_them(messy: Messy) -> None:
    error = messy.refusal(matches("2019", "2020"))
    assert error.reason == "'2019' is not a time"
    assert "--time-format %Y (time_format='%Y' in Python)" in str(error.hint)


@pytest.mark.parametrize("times", [["44421", "44422"], ["44421.8333", "44422.5"]])
def test_day_numbers_of_spreadsheets_are_refused(times: list[str], messy: Messy) -> None:
    error = messy.refusal(matches(*times))
    assert error.line == 2
    assert error.reason.startswith("time is 44421")
    assert error.reason.endswith("which looks like a spreadsheet's number for 2021-08-13")
    assert "--column time=" in str(error.hint)


def test_a_running_number_is_no_day_number(messy: Messy) -> None:
    running = matches(*(str(number) for number in (1, 20_000, 30_000, 40_000, 60_001)))
    assert iso_times(*messy.pieces(running, rows=1)) == iso_times(messy.read(running))


# ------------------------------------------------------------------ pieces, adjustments, times of day


def test_pieces_keep_the_order_of_the_first(messy: Messy) -> None:
    content = matches("13/04/2026", "14/04/2026", "01/05/2026", "02/05/2026", "03/06/2026")
    pieces = messy.pieces(content, rows=1)
    assert len(pieces) > 1
    assert iso_times(*pieces) == iso_times(messy.read(content))
    assert guesses(*pieces) == ["dates are day/month/year"]


def test_a_later_piece_that_contradicts_the_first_is_refused(messy: Messy) -> None:
    with pytest.raises(InputError) as caught:
        messy.pieces(matches("13/04/2026", "14/04/2026", "01/05/2026", "05/13/2026"), rows=1)
    assert caught.value.line == 5
    assert caught.value.reason == "'05/13/2026' is month/day/year, but the rows before are day/month/year"


def test_adjustments_have_the_dates_of_the_results(messy: Messy) -> None:
    content = "event,time,player,rank,adjustment,mu\n,03/04/2026,ann,,seed,1800\n"
    results = "cup,13/04/2026,ann,1,,\ncup,13/04/2026,bob,2,,\n"
    history = messy.read(content + results)
    assert to_iso(history.adjustments[0].time) == "2026-04-03"
    error = messy.refusal(content)
    assert (error.line, error.reason) == (2, "'03/04/2026' may be 3 April or 4 March 2026")
    error = messy.refusal(content.replace("03/04/2026", "soon") + results)
    assert (error.line, error.reason) == (2, "'soon' is not a time")


def with_clock(times: list[str | None], clocks: list[str | None]) -> History:
    frame = pl.DataFrame({"winner": "ann", "loser": "bob", "time": times, "clock": clocks}).with_row_index(
        ROW
    )
    return TableReader(ReadOptions(), Source()).read(frame, "matches")


def test_a_clock_beside_the_date() -> None:
    history = with_clock(["13.08.2021"] * 4, ["", "8:00", "20:00:30", "8:01 pm"])
    assert [time[10:] for time in iso_times(history)] == ["", "T08:00:00Z", "T20:00:30Z", "T20:01:00Z"]


@pytest.mark.parametrize(
    "time, clock, reason",
    [
        ("2021-08-13", "late", "'late' is not a time of day"),
        ("2021-08-13", "25:00", "'25:00' is not a time of day"),
        ("2021-08-13T10:00", "20:00", "there are two times of day, '2021-08-13T10:00' and '20:00'"),
    ],
)
def test_clocks_that_are_none(time: str, clock: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        with_clock([time], [clock])
    assert caught.value.reason == reason
    assert "--column time=date" in str(caught.value.hint)


def test_clocks_of_a_typed_column() -> None:
    frame = pl.DataFrame({"winner": ["ann"], "loser": ["bob"], "time": ["2021-08-13"], "clock": ["20:00:00"]})
    frame = frame.with_columns(pl.col("time").str.to_date(), pl.col("clock").str.to_time()).with_row_index(
        ROW
    )
    history = TableReader(ReadOptions(), Source()).read(frame, "matches")
    assert iso_times(history) == ["2021-08-13T20:00:00Z"]


def test_a_column_time_with_whole_moments_needs_no_column_date(messy: Messy) -> None:
    history = messy.read("date,time,winner,loser\n2026-05-01,2026-05-01T20:00:00Z,ann,bob\n")
    assert iso_times(history) == ["2026-05-01T20:00:00Z"]
    assert history.readings[0].columns["time"] == "time"
    assert history.readings[0].unused == ("date",)
    assert iso_times(messy.read("date,time,winner,loser\n2026-05-01,1777651200,ann,bob\n")) == [
        "2026-05-01T16:00:00Z"
    ]
    assert iso_times(messy.read("date,kickoff,home,away,score\n2026-05-01,1.5.2026 20:00,ann,bob,1-0\n")) == [
        "2026-05-01T20:00:00Z"
    ]


def test_a_column_day_that_holds_no_days_beside_whole_moments(messy: Messy) -> None:
    history = messy.read("day,kickoff,home,away,score\nMon,2026-05-04 20:00,ann,bob,1-0\n")
    assert iso_times(history) == ["2026-05-04T20:00:00Z"]


def test_a_time_of_day_without_a_colon_is_no_moment(messy: Messy) -> None:
    error = messy.refusal("date,time,winner,loser\n2026-05-01,1530,ann,bob\n")
    assert "'1530' is not a time of day" in error.reason


ADJUSTED = """date,time,event,player,rank,adjustment,mu
2026-05-01,20:00,a,ann,1,,
2026-05-01,20:00,a,bob,2,,
2026-05-01,{},,ann,,seed,1800
2026-05-01,22:00,b,ann,1,,
2026-05-01,22:00,b,bob,2,,
"""


def test_adjustments_have_a_time_of_day_too(messy: Messy) -> None:
    (placed,) = messy.read(ADJUSTED.format("21:30")).adjustments
    assert (placed.before, to_iso(placed.time)) == (1, "2026-05-01T21:30:00Z")
    error = messy.refusal(ADJUSTED.format("soon"))
    assert (error.line, error.reason) == (4, "'soon' is not a time of day")
    error = messy.refusal(ADJUSTED.format("9:00").replace("2026-05-01,9", "2026-05-01T08:00,9"))
    assert (error.line, error.reason) == (
        4,
        "there is another time of day in addition to the time of day '9:00'",
    )
