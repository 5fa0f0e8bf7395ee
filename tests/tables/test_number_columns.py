"""Large files of matches, whose numbers are read as numbers: the same histories and errors as from text."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import tries
from podium import History, read_chunks
from podium.errors import InputError
from podium.tables.columns.shapes import ReadOptions
from podium.tables.history_files import read_history
from podium.tables.reading_notes import ReadingNotes
from podium.tables.sources import frame_pieces, table_files
from podium.tables.sources.given_files import readable

PLAIN_SCORES = ["0.5", "1", "0", "0.25", "1.0", ""]
ODD_SCORES = ["1.250", " 0.5", "0,5", "nan", "inf", "x", "½", "1e-1", "2", "-0.5", "+1", "1.", r"\N"]
PLAIN_TIMES = ["1600000000", "1700000000"]
ODD_TIMES = [
    "",
    "01600000000",
    "1600000000000",
    " 1600000001",
    "2019",
    "45000",
    "2020-09-13",
    "-5",
    "x",
    "1e9",
]


def table(path: Path, rows: list[tuple[str, str]]) -> Path:
    lines = [f"p{i % 7},q{i % 5},{score},{time}" for i, (score, time) in enumerate(rows)]
    path.write_text("player_a,player_b,score_a,time\n" + "\n".join(lines) + "\n")
    return path


def outcome(path: Path, rows: int | None, large: bool, **options: Any) -> Any:
    """The histories in a file, or the error about it; `large` has numbers read as numbers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_files, "LARGE_BYTES", 0 if large else 2**60)
        patch.setattr(frame_pieces, "_BLOCK_BYTES", 64)
        histories: list[History] = []
        try:
            if rows is None:
                histories.append(read_history(path, **options))
            else:
                histories.extend(read_chunks(path, rows, **options))
        except InputError as error:
            return [one.to_frame("matches").to_dict(as_series=False) for one in histories], str(error)
        return [
            (one.to_frame("matches").to_dict(as_series=False), one.skipped, one.readings) for one in histories
        ]


@settings(deadline=None, max_examples=tries(25))
@given(
    first=st.lists(st.tuples(st.sampled_from(PLAIN_SCORES), st.sampled_from(PLAIN_TIMES)), max_size=4),
    others=st.lists(
        st.tuples(
            st.sampled_from(PLAIN_SCORES * 3 + ODD_SCORES), st.sampled_from(PLAIN_TIMES * 6 + ODD_TIMES)
        ),
        min_size=1,
        max_size=8,
    ),
    rows=st.sampled_from([None, 1, 2, 5]),
    skip=st.booleans(),
)
@pytest.mark.filterwarnings("ignore::podium.history.ReadingWarning")
def test_numbers_say_the_same_as_their_text(
    first: list[tuple[str, str]],
    others: list[tuple[str, str]],
    rows: int | None,
    skip: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = table(tmp_path_factory.getbasetemp() / "numbers.csv", first + others)
    options = {"on_bad_row": "skip" if skip else "error"}
    assert outcome(path, rows, True, **options) == outcome(path, rows, False, **options)


def kinds(path: Path, rows: int | None = None, **options: Any) -> list[list[str]]:
    """The types of the columns in the frames of a file, without the names of players."""
    with pytest.MonkeyPatch.context() as patch, readable(path, ReadOptions()) as file:
        patch.setattr(table_files, "LARGE_BYTES", 0)
        patch.setattr(frame_pieces, "_BLOCK_BYTES", 64)
        opened = table_files.TableFile(file, ReadOptions(**options), ReadingNotes(None), lambda names: True)
        wanted = {name: name for name in ("score_a", "time")}
        return [[str(frame[name].dtype) for name in wanted] for frame in opened.frames(wanted, rows)]


def test_plain_columns_are_read_as_numbers(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", [("0.5", "1600000000"), ("1", "1600000001"), ("", "1600000002")])
    assert kinds(path) == [["Float64", "Int64"]]
    assert kinds(path, rows=2) == [["Float64", "Int64"]] * 2
    assert kinds(path, decimal=".") == [["String", "String"]]
    assert kinds(path, time_format="%Y") == [["Float64", "String"]]


def test_text_begins_where_something_is_unusual(tmp_path: Path) -> None:
    plain = [("0.5", "1600000000")] * 60
    path = table(tmp_path / "x.csv", [*plain, ("nan", "1600000000"), ("1", "1600000000")])
    assert kinds(path) == [["String", "String"]]
    assert [kinds(path, rows=20)[number] for number in (0, 1, -1)] == [
        *[["Float64", "Int64"]] * 2,
        ["String", "String"],
    ]


@pytest.mark.parametrize(
    ("score", "time", "expected"),
    [
        ("1", "1600000000", ["Int64", "Int64"]),
        ("1.250", "1600000000", ["String", "Int64"]),
        ("0.5", "2019", ["Float64", "String"]),
        ("0.5", "45000", ["Float64", "String"]),
        ("+1", "+1600000000", ["String", "String"]),
    ],
)
def test_only_what_can_mean_one_thing_is_a_number(
    score: str, time: str, expected: list[str], tmp_path: Path
) -> None:
    assert kinds(table(tmp_path / "x.csv", [(score, time)] * 2)) == [expected]


def test_the_next_frame_is_made_while_one_is_used() -> None:
    second = threading.Event()
    made: list[int] = []

    def frames() -> Any:
        for number in range(100):
            made.append(number)
            if number:
                second.set()
            yield pl.DataFrame({"x": [number]})

    read = frame_pieces.read_ahead(frames())
    assert next(read)["x"].to_list() == [0]
    assert second.wait(10)  # though nobody has asked for it
    read.close()  # type: ignore[attr-defined]
    assert len(made) <= 1 + frame_pieces.FRAMES_AHEAD
    assert [frame["x"][0] for frame in frame_pieces.read_ahead(frames())] == list(range(100))


def test_an_error_comes_after_the_frames_before_it() -> None:
    def frames() -> Any:
        yield pl.DataFrame({"x": [1]})
        raise InputError("it is broken")

    read = frame_pieces.read_ahead(frames())
    assert len(next(read)) == 1
    with pytest.raises(InputError, match="it is broken"):
        next(read)
