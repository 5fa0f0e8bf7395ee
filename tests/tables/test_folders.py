"""Folders of tables as one history."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from history.compare import facts
from podium import read_chunks, read_history
from podium.errors import InputError
from tables.sheet_bytes import xlsx


def results(event: str, *players: str, time: str | None = None) -> str:
    head = "event,player,rank" + ("" if time is None else ",time")
    tail = "" if time is None else f",{time}"
    return "\n".join([head, *(f"{event},{name},{rank}{tail}" for rank, name in enumerate(players, start=1))])


def filled(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        (folder / f"{name}.csv").write_text(content)
    return folder


def test_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    filled(
        tmp_path,
        round10=results("ten", "a", "b"),
        round9=results("nine", "b", "a"),
        round2=results("two", "c", "a"),
    )
    (tmp_path / "deeper.csv").mkdir()
    (tmp_path / "._round2.csv").write_bytes(b"\0\5\x16\7")
    (tmp_path / "~$book.xlsx").write_bytes(b"locked")
    history = read_history(tmp_path)
    assert [event.name for event in history] == ["two", "nine", "ten"]
    assert history.players.to_list() == ["c", "a", "b"]
    about, *files = history.readings
    assert about.description == f"{tmp_path}: 3 files, one after another"
    assert [Path(reading.source or "").name for reading in files] == [
        "round2.csv",
        "round9.csv",
        "round10.csv",
    ]
    assert len({reading.digest for reading in files}) == 3


def test_times_decide_first(tmp_path: Path) -> None:
    filled(
        tmp_path,
        a=results("late", "x", "y", time="2026-05-02"),
        b=results("early", "y", "x", time="2026-05-01"),
    )
    assert [event.name for event in read_history(tmp_path)] == ["early", "late"]
    with pytest.raises(InputError, match="2026-05-01 comes after 2026-05-02"):
        list(read_chunks(tmp_path))


@pytest.mark.parametrize("rows", [1, 3, 1000])
def test_in_pieces(rows: int, tmp_path: Path) -> None:
    """Events without names are numbered through all files."""
    filled(
        tmp_path,
        a="winner,loser\nann,bob\nbob,cat\ncat,ann\n",
        b="winner,loser\ndan,bob\nann,dan\n",
        c=results("cup", "ann", "eve", "bob"),
    )
    whole = read_history(tmp_path)
    assert [event.name for event in whole] == ["1", "2", "3", "4", "5", "cup"]
    pieces = list(read_chunks(tmp_path, rows=rows))
    assert [e for piece in pieces for e in facts(piece)["events"]] == facts(whole)["events"]
    assert pieces[-1].players == whole.players
    assert [r.source for piece in pieces for r in piece.readings] == [r.source for r in whole.readings]


def test_any_kinds_of_files(tmp_path: Path) -> None:
    (tmp_path / "1.csv.gz").write_bytes(gzip.compress(results("one", "a", "b", time="2026-05-01").encode()))
    (tmp_path / "2.tsv").write_text(results("two", "a", "b", time="2026-05-02").replace(",", "\t"))
    contest = {"name": "three", "time_seconds": 1_777_900_000, "standings": [["a", 0, 0], ["b", 1, 1]]}
    (tmp_path / "3.json").write_text(json.dumps(contest))
    rows = [line.split(",") for line in results("four", "a", "b", time="2026-05-06").splitlines()]
    (tmp_path / "4.xlsx").write_bytes(xlsx({"s": rows}))
    (tmp_path / "5.pgn").write_text('[White "a"]\n[Black "b"]\n[Result "1-0"]\n[Date "2026.05.07"]\n\n1-0\n')
    (tmp_path / "6.ndjson").write_text('{"winner": "a", "loser": "b", "time": "2026-05-08"}\n')
    history = read_history(tmp_path)
    assert [event.name for event in history][:4] == ["one", "two", "three", "four"]
    assert len(history) == 6
    assert len([reading for reading in history.readings if reading.digest]) == 6


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    filled(tmp_path, a=results("e", "x", "y"))
    (tmp_path / "notes.txt").write_text("not a table")
    (tmp_path / "README.md").write_text("nor this")
    history = read_history(tmp_path)
    assert "not read: README.md, notes.txt" in history.readings[0].description


def test_text_files_alone(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.txt").write_text(results(name, "x", "y").replace(",", "|"))
    assert [event.name for event in read_history(tmp_path)] == ["a", "b"]


def test_errors_name_the_file(tmp_path: Path) -> None:
    filled(tmp_path, a=results("e", "x", "y"), b=results("f", "x", "y", "z").replace("z,3", "z,"))
    with pytest.raises(InputError, match="rank is empty") as caught:
        read_history(tmp_path)
    assert (caught.value.source, caught.value.line) == (str(tmp_path / "b.csv"), 4)
    skipped = read_history(tmp_path, on_bad_row="skip").skipped
    assert [item.where for item in skipped] == [f"{tmp_path / 'b.csv'}, line 4"]


def test_times_in_some_files_only(tmp_path: Path) -> None:
    filled(tmp_path, a=results("e", "x", "y", time="2026-05-01"), b=results("f", "x", "y"))
    for read in (read_history, lambda path: list(read_chunks(path))):
        with pytest.raises(
            InputError, match=r"b.csv: its events have no times, and those of a.csv have some"
        ):
            read(tmp_path)


def test_a_folder_in_pieces_out_of_order_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_bytes(b"winner,loser,time\nann,bob,2026-05-01\n")
    (tmp_path / "2.csv").write_bytes(b"winner,loser,time\nann,bob,2026-04-01\n")
    with pytest.raises(InputError, match=r"2.csv, event '2': 2026-04-01 comes after 2026-05-01"):
        list(read_chunks(tmp_path, rows=10))


def test_of_a_folder_with_one_file_nothing_is_one_after_another(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_bytes(b"winner,loser\nann,bob\n")
    (tmp_path / "notes.txt").write_bytes(b"rain")
    assert read_history(tmp_path).readings[0].guesses == ("not read: notes.txt",)
