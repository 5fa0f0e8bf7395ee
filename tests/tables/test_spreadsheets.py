"""Workbooks of Excel and LibreOffice."""

from __future__ import annotations

import importlib.util
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from cli.command import podium_here
from history.compare import facts
from podium import read_chunks, read_history
from podium.errors import InputError
from podium.files.kinds import FileKind
from podium.history.times import to_micros
from podium.tables.sources import spreadsheets
from podium.tables.sources.given_files import ReadableFile
from tables.sheet_bytes import Sheets, ods, xlsx

MAKERS = {"x.xlsx": xlsx, "x.ods": ods}
HEADER = ["event", "time", "player", "score", "rated"]
RESULTS: list[list[Any]] = [
    HEADER,
    ["spring", date(2026, 5, 1), 12, 3.5, True],
    ["spring", date(2026, 5, 1), "ann", 2, True],
    [],
    ["final", datetime(2026, 5, 2, 13, 30), "ann", 0.1, True],
    ["final", datetime(2026, 5, 2, 13, 30), 12, 7, False],
]


def written(folder: Path, name: str, sheets: Sheets) -> Path:
    (folder / name).write_bytes(MAKERS[name](sheets))
    return folder / name


@pytest.mark.parametrize("name", MAKERS)
def test_cells_are_what_the_sheet_says(name: str, tmp_path: Path) -> None:
    history = read_history(written(tmp_path, name, {"Results": RESULTS}))
    assert history.players.to_list() == ["12", "ann"]
    spring, final = history
    assert (spring.name, spring.time, spring.ranks) == ("spring", to_micros("2026-05-01"), (1, 2))
    assert (final.time, final.unrated) == (to_micros("2026-05-02T13:30"), {"12"})
    assert history.score is not None
    assert history.score.tolist() == [3.5, 2.0, 0.1, 7.0]
    assert history.readings[0].guesses == ()
    assert history.readings[0].digest is not None


@pytest.mark.parametrize("name", MAKERS)
def test_the_sheet_with_a_table(name: str, tmp_path: Path) -> None:
    sheets = {
        "Read me": [["Our league"]],
        "Tables": [[], ["Results of the season 2026"], [], *RESULTS],
        "Old": RESULTS[:3],
    }
    path = written(tmp_path, name, sheets)
    history = read_history(path)
    assert [event.name for event in history] == ["spring", "final"]
    assert "sheet 'Tables'" in history.readings[0].guesses
    assert "sheet 'Old' is not read: all its rows are in sheet 'Tables'" in history.readings[0].guesses
    assert "no results in sheet 'Read me'" in history.readings[0].guesses
    sheets["Tables"] += [["final", datetime(2026, 5, 2, 13, 30), "bob", "none", True]]
    with pytest.raises(InputError) as caught:
        read_history(written(tmp_path, name, sheets))
    assert str(caught.value).startswith(f"{path}, sheet 'Tables', row 10, event 'final': score is 'none'")
    skipped = read_history(path, on_bad_row="skip").skipped
    assert [item.where for item in skipped] == [f"{path}, sheet 'Tables', row 10"]


@pytest.mark.parametrize("name", MAKERS)
def test_no_table(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, {"a": [["who", "where"], ["ann", "here"]], "b": [["x"]]})
    with pytest.raises(
        InputError, match=r"the columns \(who, where\) fit no kind of table that podium reads"
    ):
        read_history(path)
    with pytest.raises(InputError, match="its sheets are empty"):
        read_history(written(tmp_path, name, {"a": [], "b": []}))


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("rows", [1, 2, 100])
def test_in_pieces(name: str, rows: int, tmp_path: Path) -> None:
    path = written(tmp_path, name, {"Results": RESULTS})
    pieces = list(read_chunks(path, rows=rows))
    assert [e for piece in pieces for e in facts(piece)["events"]] == facts(read_history(path))["events"]


def test_durations_are_no_dates(tmp_path: Path) -> None:
    """Excel keeps a lap of 1:23.5 as a part of its first day."""
    lap = datetime(1899, 12, 30, 0, 1, 23, 500_000)
    path = written(tmp_path, "x.xlsx", {"Laps": [["event", "player", "lap"], ["e", "ann", lap]]})
    file = ReadableFile(str(path), path, FileKind("xlsx"), "")
    (sheet,) = spreadsheets.used_sheets(file)
    table = spreadsheets.SheetFile(sheet, lambda names: True)
    (frame,) = table.frames({"score": "lap"})
    assert frame["score"].to_list() == ["00:01:23.500"]


@pytest.mark.parametrize("name", MAKERS)
def test_damaged(name: str, tmp_path: Path) -> None:
    whole = MAKERS[name]({"a": RESULTS})
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=rf"not a readable {name[2:]} file: ") as caught:
        read_history(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))


def test_without_fastexcel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "x.xlsx", {"a": RESULTS})
    monkeypatch.setattr(spreadsheets, "find_spec", lambda name: None)
    assert importlib.util.find_spec("fastexcel") is not None
    with pytest.raises(InputError, match=r"reading \.xlsx files needs fastexcel") as caught:
        read_history(path)
    assert "pip install 'podium[sheets]'" in (caught.value.hint or "")


def test_text_called_xlsx(tmp_path: Path) -> None:
    (tmp_path / "x.xlsx").write_bytes(b"event,player,rank\n")
    with pytest.raises(
        InputError, match="the name ends in a zip archive or an Excel workbook, but the content"
    ):
        read_history(tmp_path / "x.xlsx")


def test_sheets_are_chosen_on_the_command_line(tmp_path: Path) -> None:
    sheets = {name: [["winner", "loser"], [name, "bob"]] for name in ("January", "February", "March")}
    path = written(tmp_path, "x.xlsx", sheets)
    result = podium_here("rate", str(path), "--system", "elo", "--sheet", "march", "--sheet", "January")
    assert "3 players, 2 events" in result.stdout + result.stderr
    assert [event.sides[0][0] for event in read_history(path)] == list(sheets)
    assert [event.sides[0][0] for event in read_history(path, sheets=["March"])] == ["March"]
    assert len(list(read_chunks(path, rows=1))) == 3
    assert len({reading.source for reading in read_history(path).readings}) == 3
