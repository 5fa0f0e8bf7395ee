"""Reading in pieces: the same history, whatever the size of the pieces."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import tries
from history.compare import facts
from history.strategies import histories, match_histories
from podium import read_chunks, read_history, write_history
from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError
from podium.history import History, Reset, SetRating

SIZES = [1, 2, 5, 1000]

SEASON = History.from_events(
    [
        SetRating(player="zoe", mu=1800),
        {"ranks": {"ann": 1, "bob": 2}, "time": 10, "name": "one"},
        {"scores": {f"p{i}": i * 7 % 5 for i in range(9)}, "time": 10, "name": "large"},
        {
            "teams": [["ann", "p3"], ["bob"], ["zoe", "p1", "p2"]],
            "ranks": [2, 1, 3],
            "time": 20,
            "name": "three",
        },
        Reset(keep=0.25),
        {"ranks": {"ann": 1, "bob": 1}, "time": 20, "weight": 2.0, "home": "bob", "name": "four"},
        {"ranks": {"cat": 1, "ann": 2}, "time": 30, "unrated": ["cat"], "name": "five"},
        Reset(keep=0.75),
    ]
)


def together(pieces: Iterable[History]) -> dict[str, Any]:
    """What the pieces say one after another."""
    told: dict[str, Any] = {"players": [], "events": [], "adjustments": ()}
    before = 0
    for piece in pieces:
        part = facts(piece)
        told["players"] = part["players"]
        told["events"] += part["events"]
        told["adjustments"] += tuple(placed.moved(before) for placed in piece.adjustments)
        before += len(piece)
    return told


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("name", ["x.csv.gz", "x.tsv", "x.ndjson.zst", "x.parquet"])
def test_pieces_are_the_whole(name: str, rows: int, tmp_path: Path) -> None:
    write_history(SEASON, tmp_path / name)
    whole = facts(read_history(tmp_path / name))
    pieces = list(read_chunks(tmp_path / name, rows=rows))
    assert all(piece.players is pieces[0].players for piece in pieces)
    told = together(pieces)
    assert told["events"] == whole["events"]
    assert told["adjustments"] == whole["adjustments"]
    assert sorted(told["players"]) == sorted(whole["players"])
    assert len(pieces) == 1 if rows == 1000 else len(pieces) > 1


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("name", ["x.csv", "x.ndjson.gz", "x.parquet"])
def test_pieces_of_matches_are_the_whole(name: str, rows: int, tmp_path: Path) -> None:
    a = [f"p{i * 7 % 11}" for i in range(20)]
    b = [f"p{(i * 7 + 1 + i % 5) % 11}" for i in range(20)]
    history = History.from_matches(a, b, [i % 3 / 2 for i in range(20)], time=[i // 3 for i in range(20)])
    write_history(history, tmp_path / name, "matches")
    pieces = list(read_chunks(tmp_path / name, rows=rows))
    assert together(pieces) == facts(read_history(tmp_path / name)) == facts(history)
    assert [piece.first_number for piece in pieces][:2] in ([1], [1, 1 + len(pieces[0])])


SHARED_FOLDER = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=tries(30), deadline=None
)


@pytest.mark.filterwarnings("ignore::podium.ReadingWarning")
@SHARED_FOLDER
@given(history=histories(), rows=st.integers(1, 12))
def test_any_history_in_any_pieces(history: History, rows: int, tmp_path: Path) -> None:
    write_history(history, tmp_path / "x.csv")
    told = together(read_chunks(tmp_path / "x.csv", rows=rows))
    assert told["events"] == facts(history)["events"]
    assert told["adjustments"] == history.adjustments


@pytest.mark.filterwarnings("ignore::podium.ReadingWarning")
@SHARED_FOLDER
@given(history=match_histories(max_events=12), rows=st.integers(1, 12))
def test_any_matches_in_any_pieces(history: History, rows: int, tmp_path: Path) -> None:
    write_history(history, tmp_path / "x.parquet", "matches")
    assert together(read_chunks(tmp_path / "x.parquet", rows=rows))["events"] == facts(history)["events"]


def test_an_event_larger_than_a_piece(tmp_path: Path) -> None:
    lines = ["event,player,rank"] + [f"big,p{i},{i + 1}" for i in range(5000)] + ["small,p1,1", "small,p2,2"]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    events = [event for piece in read_chunks(tmp_path / "x.csv", rows=10) for event in piece]
    assert [(event.name, len(event.sides)) for event in events] == [("big", 5000), ("small", 2)]


# ------------------------------------------------------------------ what only a whole file can give


def results(*rows: tuple[str, Any, str, int]) -> str:
    return "event,time,player,rank\n" + "".join(f"{e},{t},{p},{r}\n" for e, t, p, r in rows)


def refusal(path: Path, rows: int, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        list(read_chunks(path, rows=rows, **options))
    assert str(caught.value).startswith(str(path))
    return caught.value


def test_an_earlier_event_in_a_later_piece_is_refused(tmp_path: Path) -> None:
    rows = [(f"e{i}", f"2026-05-{30 - i:02}", p, r) for i in range(3) for r, p in ((1, "ann"), (2, "bob"))]
    path = tmp_path / "x.csv"
    path.write_text(results(*rows))
    assert [event.name for event in read_history(path)] == ["e2", "e1", "e0"]
    error = refusal(path, 2)
    assert error.reason == "2026-05-28 comes after 2026-05-30"
    assert error.event == "e2"
    assert "sort the file by time" in (error.hint or "")
    # What is out of order inside one piece is put in order, as in the whole.
    assert together(read_chunks(path, rows=100)) == facts(read_history(path))


@pytest.mark.parametrize("rows", [1, 2, 4])
def test_an_event_in_two_places_is_refused(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        results(
            ("a", 1, "ann", 1),
            ("a", 1, "bob", 2),
            ("b", 1, "ann", 1),
            ("b", 1, "bob", 2),
            ("a", 1, "cat", 3),
            ("a", 1, "dan", 4),
        )
    )
    assert [len(event.sides) for event in read_history(path)] == [4, 2]
    error = refusal(path, rows)
    assert (error.reason, error.event) == ("the event's rows are not together", "a")
    assert "read it whole" in (error.hint or "")


def test_matches_of_one_name_may_stand_anywhere(tmp_path: Path) -> None:
    text = "event,winner,loser\n" + "".join(f"{'ab'[i % 2]},p{i},q{i}\n" for i in range(6))
    (tmp_path / "x.csv").write_text(text)
    assert sum(len(piece) for piece in read_chunks(tmp_path / "x.csv", rows=2)) == 6


@pytest.mark.parametrize("times", [("", "5", "5"), ("5", "", "")])
def test_times_in_some_pieces_only_are_refused(times: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        results(*((e, t, p, 1) for e, t in zip("abc", times, strict=True) for p in ("ann", "bob")))
    )
    with pytest.raises(InputError, match="time is empty"):
        read_history(path)
    assert "some events have a time and some have none" in refusal(path, 2).reason
    whole = read_history(path, columns={"time": None})
    assert whole.time.tolist() == [NO_TIME] * 3


def test_an_adjustment_of_an_earlier_piece_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "event,time,player,rank,adjustment\na,10,ann,1,\na,10,bob,2,\nb,20,ann,1,\nb,20,bob,2,\n,5,,,reset\n"
    )
    assert [placed.before for placed in read_history(path).adjustments] == [0]
    assert "comes after" in refusal(path, 2).reason


def test_pieces_need_a_size(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(results(("a", 1, "ann", 1), ("a", 1, "bob", 2)))
    with pytest.raises(ParameterError, match="at least one row"):
        list(read_chunks(tmp_path / "x.csv", rows=0))


# ------------------------------------------------------------------ bad rows in pieces


BAD = """event,player,rank
a,ann,1
a,bob,2
b,ann,x
b,bob,y
c,ann,1
c,bob,2
c,ann,3
d,ann,1

e,ann,1
e,bob,2
"""


@pytest.mark.parametrize("rows", SIZES)
def test_pieces_skip_what_the_whole_skips(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(BAD)
    whole = read_history(path, on_bad_row="skip")
    pieces = list(read_chunks(path, rows=rows, on_bad_row="skip"))
    assert together(pieces) == facts(whole)
    assert [item for piece in pieces for item in piece.skipped] == list(whole.skipped)
    assert [item.where.rpartition(" ")[2] for item in whole.skipped] == ["4", "5", "8", "9"]


@pytest.mark.parametrize("rows", SIZES)
def test_pieces_go_on_after_a_line_that_cannot_be_split(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(BAD.replace("c,ann,3\n", "c,ann,3,4,5\n"))
    whole = read_history(path, on_bad_row="skip")
    pieces = list(read_chunks(path, rows=rows, on_bad_row="skip"))
    assert together(pieces) == facts(whole)
    assert {item.where for piece in pieces for item in piece.skipped} == {
        f"{path}, line {n}" for n in (4, 5, 8, 9)
    }


@pytest.mark.parametrize("rows", SIZES)
def test_bad_lines_are_named_in_pieces_too(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('event,player,rank\na,"an\nn",1\na,bob,2\nb,"an\nn",1\n\nb,bob,0\n')
    assert refusal(path, rows).line == 8


@pytest.mark.parametrize("rows", [1, 100])
def test_pieces_of_nothing_are_refused(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("event,player,rank\n")
    assert refusal(path, rows).reason == "there are no rows to rate"
    path.write_text("event,player,rank\na,ann,0\na,bob,0\nb,ann,0\n")
    assert refusal(path, rows, on_bad_row="skip").reason.startswith("every row was skipped")


def test_options_that_empty_a_piece(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("event,player,rank,rated\na,ann,1,no\na,bob,2,no\nb,ann,1,yes\nb,bob,2,yes\n")
    pieces = list(read_chunks(path, rows=2, unrated="drop"))
    assert [len(piece) for piece in pieces if len(piece)] == [1]


def test_categories_in_pieces(tmp_path: Path) -> None:
    frame = SEASON.to_frame().with_columns(pl.col("event", "player").cast(pl.Categorical))
    frame.write_parquet(tmp_path / "x.parquet", row_group_size=3)
    told = together(read_chunks(tmp_path / "x.parquet", rows=3))
    assert told["events"] == facts(read_history(tmp_path / "x.parquet"))["events"] == facts(SEASON)["events"]
