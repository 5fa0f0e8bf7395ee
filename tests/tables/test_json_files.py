"""Contest JSON and answers of Codeforces, as files and folders."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from history.compare import facts
from podium import read_chunks, read_history
from podium.arrays import SECOND
from podium.errors import InputError
from podium.history import History


def contest(name: str, time: int, *groups: str, **more: Any) -> dict[str, Any]:
    """A contest of the Elo-MMR program: each group of letters ties."""
    standings: list[list[Any]] = []
    for group in groups:
        low, high = len(standings), len(standings) + len(group) - 1
        standings += [[player, low, high] for player in group]
    return {"name": name, "time_seconds": time, "standings": standings} | more


def codeforces(name: str, time: int, *rows: tuple[list[str], int, str]) -> dict[str, Any]:
    """An answer of contest.standings."""
    return {
        "status": "OK",
        "result": {
            "contest": {
                "name": name,
                "phase": "FINISHED",
                "startTimeSeconds": time - 5,
                "durationSeconds": 5,
            },
            "rows": [
                {
                    "party": {"members": [{"handle": h} for h in handles], "participantType": kind},
                    "rank": rank,
                }
                for handles, rank, kind in rows
            ],
        },
    }


def save(folder: Path, **documents: Any) -> Path:
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return folder


def refusal(path: Path, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        read_history(path, **options)
    return caught.value


def test_one_file(tmp_path: Path) -> None:
    save(tmp_path, may=contest("May", 50, "a", "bc", weight=0.5, perf_ceiling=2400))
    history = read_history(tmp_path / "may.json")
    event = history.event(0)
    assert (event.name, event.time, event.weight, event.ceiling) == ("May", 50 * SECOND, 0.5, 2400.0)
    assert (event.sides, event.ranks) == ((("a",), ("b",), ("c",)), (1, 2, 2))


def test_a_folder_in_order_of_time_and_then_of_names(tmp_path: Path) -> None:
    save(
        tmp_path,
        contest10=contest("ten", 50, "a", "b"),
        contest2=contest("two", 50, "b", "a"),
        contest3=contest("three", 40, "c", "a"),
    )
    (tmp_path / "notes.txt").write_text("not a contest")
    (tmp_path / "deeper.json").mkdir()
    history = read_history(tmp_path)
    assert [event.name for event in history] == ["three", "two", "ten"]


def test_packed_files_in_a_folder(tmp_path: Path) -> None:
    save(tmp_path, a=contest("first", 10, "a", "b"))
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(json.dumps(contest("second", 20, "a", "b")).encode()))
    (tmp_path / "c.JSON").write_bytes(b"\xef\xbb\xbf" + json.dumps(contest("third", 30, "a", "b")).encode())
    assert [event.name for event in read_history(tmp_path)] == ["first", "second", "third"]


@pytest.mark.parametrize("rows", [1, 2, 4, 1000])
def test_a_folder_in_pieces(rows: int, tmp_path: Path) -> None:
    save(
        tmp_path,
        a=contest("same", 30, "abc", "d"),
        b=contest("same", 10, "a", "b"),
        c=contest("other", 20, "c", "a"),
        d=codeforces("same", 20, (["x"], 1, "CONTESTANT"), (["a"], 2, "OUT_OF_COMPETITION")),
    )
    whole = read_history(tmp_path)
    assert [event.name for event in whole] == ["same", "other", "same (d)", "same (a)"]
    pieces = list(read_chunks(tmp_path, rows=rows))
    assert [e for piece in pieces for e in facts(piece)["events"]] == facts(whole)["events"]
    assert pieces[-1].players == whole.players


def test_both_formats_in_one_folder(tmp_path: Path) -> None:
    save(
        tmp_path,
        a=contest("plain", 10, "a", "b"),
        b=codeforces(
            "cf", 20, (["a", "b"], 1, "CONTESTANT"), (["c"], 2, "OUT_OF_COMPETITION"), (["d"], 3, "VIRTUAL")
        ),
    )
    history = read_history(tmp_path)
    plain, rich = history
    assert plain.unrated == frozenset()
    assert (rich.sides, rich.ranks, rich.unrated) == ((("a", "b"), ("c",)), (1, 2), {"c"})
    dropped = read_history(tmp_path, unrated="drop")
    assert [event.name for event in dropped] == ["plain"]


def test_two_contests_of_one_name_and_file_are_refused(tmp_path: Path) -> None:
    save(
        tmp_path, a=contest("x", 10, "a", "b"), b=contest("x", 20, "a", "b"), c=contest("x (b)", 5, "a", "b")
    )
    error = refusal(tmp_path)
    assert error.reason == "there are two contests 'x (b)'"
    assert error.source == str(tmp_path / "b.json")


def test_rows_are_named_by_their_file(tmp_path: Path) -> None:
    save(tmp_path, a=contest("first", 10, "a", "b"), b=contest("second", 20, "c", "d", "c"))
    error = refusal(tmp_path)
    assert (error.source, error.row, error.event) == (str(tmp_path / "b.json"), 3, "second")
    assert error.reason == "player 'c' appears twice in one event"
    skipped = read_history(tmp_path, on_bad_row="skip").skipped
    assert [item.where for item in skipped] == [f"{tmp_path / 'b.json'}, row 3"]


@pytest.mark.parametrize("rows", [1, 1000])
def test_rows_are_named_in_pieces_too(rows: int, tmp_path: Path) -> None:
    save(tmp_path, a=contest("first", 10, "a", "b"), b=contest("second", 20, "c", "d", "c"))
    with pytest.raises(InputError, match=r"b.json, row 3, event 'second'"):
        list(read_chunks(tmp_path, rows=rows))


def test_a_contest_of_one(tmp_path: Path) -> None:
    save(tmp_path, a=contest("lonely", 10, "a"))
    error = refusal(tmp_path / "a.json")
    assert (error.source, error.event, error.reason) == (
        str(tmp_path / "a.json"),
        "lonely",
        "an event of one player",
    )


def test_contests_with_and_without_a_time(tmp_path: Path) -> None:
    gym = codeforces("gym", 10, (["a"], 1, "CONTESTANT"), (["b"], 2, "CONTESTANT"))
    del gym["result"]["contest"]["startTimeSeconds"]
    save(tmp_path, a=contest("dated", 10, "a", "b"), b=gym)
    error = refusal(tmp_path)
    assert error.source == str(tmp_path / "b.json")
    assert error.reason.startswith("time is empty")
    assert len(read_history(tmp_path, columns={"time": None})) == 2


@pytest.mark.parametrize(
    "content, reason",
    [
        (b"{", "the file is not JSON"),
        (b"hello", "the file is not JSON"),
        (b'{"event": "e"}\n{"event": "f"}\n', "the file is not JSON"),
        (b'{\n"name": "J\xfcrgen",\n"zo\xc3\xab": 1}', "the line is not UTF-8"),
        (b"[1, 2]", "neither a contest"),
        (b'{"name": "\\ud83c", "time_seconds": 1, "standings": []}', "the JSON holds an unpaired surrogate"),
        (b'{"players": []}', "neither a contest"),
        (b"[" * 100_000, "the JSON is nested too deeply"),
        (b'{"standings": [], "name": "x", "time_seconds": 1}', '"standings" is an empty list'),
        (b'{"status": "FAILED", "comment": "limit"}', "Codeforces refused the request: limit"),
    ],
)
def test_files_that_are_no_contests(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    error = refusal(path)
    assert error.reason.startswith(reason)
    assert error.source == str(path)
    save(tmp_path, fine=contest("fine", 1, "a", "b"))
    assert refusal(tmp_path).source == str(path)


def test_the_line_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'{\n"zo\xc3\xab": 1,\n"name": "J\xfcrgen"}')
    assert refusal(tmp_path / "x.json").line == 3


def test_contests_written_as_a_table(tmp_path: Path) -> None:
    from podium import write_history

    save(
        tmp_path,
        a=contest("one", 10, "a", "bc", weight=2.0),
        b=contest("two", 20, "c", "a", perf_ceiling=1500),
    )
    history = read_history(tmp_path)
    write_history(history, tmp_path / "x.csv")
    assert facts(read_history(tmp_path / "x.csv")) == facts(history)
    assert isinstance(history, History)
