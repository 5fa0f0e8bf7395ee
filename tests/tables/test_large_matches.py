"""Large files of matches: whatever stands in them, the same histories and errors as from small ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import tries
from podium import History, read_chunks
from podium.errors import InputError
from podium.tables.history_files import read_history
from podium.tables.sources import frame_pieces, table_files

pytestmark = pytest.mark.filterwarnings("ignore::podium.history.ReadingWarning")

NAMES = [
    "ann",
    "bob",
    "Zoë",
    "陳大文",
    "a name of eight",
    "a name with 16 by",
    "ann of the long name",
    "b" * 60,
]
ODD_NAMES = [
    "",
    " ann",
    "ann ",
    "BYE",
    "-",
    r"\N",
    '"ann"',
    "Zoe\u0308",
    "an\tn",
    "an\rn",
    "\ufeffbob",
    "None",
]
SCORES = ["0.5", "1", "0", "1.0", "0.0"]
ODD_SCORES = [
    "",
    "0.25",
    "1.250",
    " 1",
    "nan",
    "-0",
    "-1",
    "+1",
    ".5",
    "1.",
    "1e0",
    "x",
    "2",
    "1" * 20,
    r"\N",
]
SECONDS = ["1600000000", "1700000000", "999999999"]
DATES = ["2020-02-29", "1000-01-01", "2026-12-31T23:59:59Z", "2026-03-01 00:00:00", "1999-03-01T12:34:56"]
ODD_TIMES = ["", "1600000000000", "99999999999999999999", "2019", "45000", "2020-09-13", "-5", "x", "1.6e9"]
ODD_TIMES += [
    "2021-02-29",
    "2026-5-1",
    "2026-00-01",
    "2026-04-31",
    "0999-12-31",
    "9999-01-01",
    "2026-05-01 9:00:00",
]
ODD_TIMES += ["2026-05-01T24:00:00", "2026-05-01 10:00", "2026-05-01T10:00:60", "2026-05-01T10:00:00+01:00"]


def mostly(usual: list[str], odd: list[str], share: int = 100) -> st.SearchStrategy[str]:
    return st.integers(0, share).flatmap(lambda n: st.sampled_from(usual if n else odd))


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """A text file of matches, of which most cells are plain."""
    columns = draw(
        st.sampled_from(
            [
                ["player_a", "player_b", "score_a", "time"],
                ["time", "score_a", "player_b", "player_a"],
                ["player_a", "city", "player_b", "score_a"],
                ["player_a", "player_b", "score_a", "score_b", "time"],
                ["home_team", "away_team", "home_goals", "away_goals", "date"],
                ["winner", "loser", "time"],
                ["winner", "loser"],
            ]
        )
    )
    separator = draw(st.sampled_from([",", ";", "\t"]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    times = draw(st.sampled_from([SECONDS, DATES]))
    lines = [separator.join(columns)]
    for _ in range(draw(st.integers(1, 12))):
        cells = []
        for column in columns:
            if column in ("time", "date"):
                cells.append(draw(mostly(times, ODD_TIMES)))
            elif "score" in column or "goals" in column:
                cells.append(draw(mostly(SCORES, ODD_SCORES)))
            elif column == "city":
                cells.append(draw(mostly(["fine", "", "a city with a long name"], ['"', "\x1f"])))
            else:
                cells.append(draw(mostly(NAMES, ODD_NAMES)))
        lines.append(separator.join(cells))
        if draw(st.integers(0, 80)) == 0:
            lines.append(draw(st.sampled_from(["", separator, "ann", separator.join(["x"] * 9)])))
    text = end.join(lines) + draw(st.sampled_from([end, ""]))
    damage = draw(st.integers(0, 60)) == 0
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + text.encode() + (b"\xff" if damage else b"")


def content(history: History) -> dict[str, Any]:
    """All that is in a history, such that it can be compared: NaN equals NaN."""
    values = {field.name: getattr(history, field.name) for field in fields(history)}
    values["players"] = list(history.players)  # which later pieces add to
    return {
        name: (value.dtype, str(value.tolist())) if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def read(path: Path, rows: int | None, *, large: bool = True, **options: Any) -> Iterator[History]:
    """The histories of a file, read as if it were large, or as a small one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_files, "LARGE_BYTES", 0 if large else 2**60)
        patch.setattr(frame_pieces, "_BLOCK_BYTES", 256)
        if rows is None:
            yield read_history(path, **options)
        else:
            yield from read_chunks(path, rows, **options)


def outcome(path: Path, rows: int | None, *, large: bool, **options: Any) -> list[Any]:
    """What is in the histories of a file, and the error after them."""
    found: list[Any] = []
    try:
        found.extend(map(content, read(path, rows, large=large, **options)))
    except InputError as error:
        found.append(str(error))
    return found


@settings(deadline=None, max_examples=tries(100))
@given(
    text=tables(),
    rows=st.sampled_from([None, None, 1, 2, 5]),
    options=st.sampled_from([{}, {"on_bad_row": "skip"}, {"lower_is_better": True}, {"encoding": "utf-8"}]),
)
def test_the_same_as_from_a_small_file(
    text: bytes, rows: int | None, options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "large.csv"
    path.write_bytes(text)
    assert outcome(path, rows, large=True, **options) == outcome(path, rows, large=False, **options)


@pytest.mark.parametrize("rows", [None, 1000, 10**15])
@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("player_a,player_b,score_a,time", "{a},{b},{score},{time}"),
        ("city;player_b;player_a;score_a", "fine;{b};{a};{score}"),
        ("winner\tloser\ttime", "{a}\t{b}\t{time}"),
        ("home_team,away_team,home_goals,away_goals", "{a},{b},{goals},2"),
    ],
)
def test_names_of_any_length_have_the_number_of_their_first_row(
    header: str, line: str, rows: int | None, tmp_path: Path
) -> None:
    names = [("é" if number % 3 else "") + "x" * (number % 37) + str(number) for number in range(900)]
    rng = np.random.default_rng(0)
    pairs = [rng.choice(900, 2, replace=False).tolist() for _ in range(2500)]
    lines = [
        line.format(a=names[a], b=names[b], score=0.5 * (a % 3), goals=a % 4, time=10**9 + number)
        for number, (a, b) in enumerate(pairs)
    ]
    path = tmp_path / "x.csv"
    path.write_text("\n".join([header, *lines]))
    pieces = list(read(path, rows))
    expected = [names[number] for pair in pairs for number in pair]
    players = pieces[-1].players
    assert list(players) == list(dict.fromkeys(expected))
    assert [players[number] for piece in pieces for number in piece.player.tolist()] == expected


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S"])
def test_days_of_the_calendar(form: str, tmp_path: Path) -> None:
    spans = [
        ("1896", "1906"),
        ("1969", "1974"),
        ("1996", "2006"),
        ("2096", "2106"),
    ]  # around all kinds of years
    days = np.concatenate([np.arange(*span, dtype="datetime64[D]") for span in spans])
    moments = days.astype("datetime64[s]") + np.arange(len(days)) * 7919 % 86_400 * ("%H" in form)
    lines = [f"ann,bob,{moment.strftime(form)}" for moment in moments.tolist()]
    path = tmp_path / "x.csv"
    path.write_text("\r\n".join(["winner,loser,date", *lines]))
    history = next(read(path, None))
    assert np.array_equal(history.time, moments.astype("datetime64[us]").astype(np.int64))


@pytest.mark.parametrize("cell", ["2026-05-01T18:30:59Z", "2024-02-29", "1600000000", "0.125"])
def test_what_is_read_is_what_stands_there(cell: str, tmp_path: Path) -> None:
    """A cell with one byte changed, among usual ones, is the time or number that it is in a small file."""
    path = tmp_path / "x.csv"
    column = "time" if "." not in cell else "score_a"
    found = set()
    for text in sorted({cell[:at] + sign + cell[at + 1 :] for at in range(len(cell)) for sign in "09x-T ."}):
        rows = (f"ann,bob,{one}" + ",2" * (column == "score_a") for one in (cell, cell, text))
        names = "player_a,player_b,score_a,score_b" if column == "score_a" else "winner,loser,time"
        path.write_text("\n".join([names, *rows]))
        large, small = (outcome(path, None, large=large) for large in (True, False))
        assert large == small, text
        found.add(isinstance(large[0], dict))
    assert found == {True, False}, "some are read, and some refused"
