"""Chess games in files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from history.compare import facts
from podium import read_chunks, read_history, write_history
from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.files.kinds import zstd
from podium.history import ReadingWarning


def game(white: str, black: str, result: str, day: int | None = None) -> str:
    """Eight lines, or seven without a date."""
    date = "" if day is None else f'[Date "2026.05.{day:02}"]\n'
    players = f'[White "{white}"]\n[Black "{black}"]\n'
    return f'[Event "Club"]\n{date}{players}[Result "{result}"]\n\n1. e4 e5 {result}\n\n'


GAMES = (
    game("ann", "bob", "1-0", 3)
    + game("bob", "cat", "1/2-1/2", 1)
    + game("ann", "cat", "*", 2)
    + game("cat", "ann", "0-1", 3)
)


def test_games_against_bye_are_left_out_and_said(tmp_path: Path) -> None:
    games = [("ann", "BYE", "1-0"), ("ann", "bob", "1-0"), ("bob", "cat", "1/2-1/2"), ("cat", "ann", "0-1")]
    games += [("bye", "bob", "0-1"), ("cat", "ann", "1-0")]
    text = "".join(game(*players, day) for day, players in enumerate(games, start=1))
    (tmp_path / "club.pgn").write_bytes(text.encode())
    history = read_history(tmp_path / "club.pgn")
    assert sorted(history.players.to_list()) == ["ann", "bob", "cat"]
    assert len(history) == 4
    assert [reading.guesses for reading in history.readings] == [
        ("left out: BYE (1 match) and bye (1 match)",)
    ]
    pieces = list(read_chunks(tmp_path / "club.pgn", rows=4))
    assert sum(len(piece) for piece in pieces) == 4
    said = [guess for piece in pieces for reading in piece.readings for guess in reading.guesses]
    assert said == ["left out: BYE (1 match)", "left out: BYE (1 match) and bye (1 match)"]


def test_a_player_called_bye_wins_a_game(tmp_path: Path) -> None:
    """Also where the pieces before the win could not show it."""
    games = [("ann", "Bye", "1-0"), ("ann", "tbc", "1-0"), ("Bye", "ann", "1-0"), ("ann", "bob", "1-0")]
    text = "".join(game(*players, day) for day, players in enumerate(games, start=1))
    (tmp_path / "club.pgn").write_bytes(text.encode())
    for pieces in ([read_history(tmp_path / "club.pgn")], list(read_chunks(tmp_path / "club.pgn", rows=2))):
        assert list(pieces[-1].players) == ["ann", "Bye", "bob"]
        assert sum(map(len, pieces)) == 3
        said = [guess for piece in pieces for reading in piece.readings for guess in reading.guesses]
        assert said == ["Bye has results, so it counts as a player", "left out: tbc (1 match)"]


@pytest.mark.parametrize("name", ["x.pgn", "x.pgn.gz", "x.pgn.zst", "x.PGN"])
def test_games(name: str, tmp_path: Path) -> None:
    pack: Any = {".gz": gzip.compress, ".zst": zstd.compress}.get(Path(name).suffix, bytes)
    (tmp_path / name).write_bytes(pack(GAMES.encode()))
    history = read_history(tmp_path / name)
    assert [event.sides for event in history] == [
        (("bob",), ("cat",)),
        (("ann",), ("bob",)),
        (("cat",), ("ann",)),
    ]
    assert [event.ranks for event in history] == [(1, 1), (1, 2), (2, 1)]
    assert [event.home for event in history] == ["bob", "ann", "cat"]  # White moves first
    assert [event.name for event in history] == ["2", "1", "3"]
    assert [reading.guesses for reading in history.readings] == [
        ("left out: unfinished games (1 match)", "sorted by time (the file is in another order)")
    ]
    (left_out,) = history.skipped
    assert left_out.where.endswith(", line 17")
    assert left_out.reason == "the game is unfinished: its Result is *"


def test_byes_without_a_result_are_said(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(
        game("ann", "BYE", "+/-", 1) + game("ann", "bob", "1-0", 2) + game("bob", "BYE", "1-0", 3)
    )
    assert [r.guesses for r in read_history(path).readings] == [("left out: BYE (2 matches)",)]


def test_games_newest_first_are_turned_round_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    days = [("c2", 3), ("c1", 3), ("b2", 2), ("b1", 2), ("a", 1)]
    path.write_text("".join(game(white, "dan", "1-0", day) for white, day in days))
    history = read_history(path)
    assert [event.sides[0][0] for event in history] == ["a", "b1", "b2", "c1", "c2"]
    assert history.readings[0].guesses == ("sorted by time (the file is newest first)",)


def test_dates_in_part_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    dates = ("2026.03.01", "2026.??.??", "2026.05.??")
    path.write_text("".join(game("ann", "bob", "1-0", 9).replace("2026.05.09", date) for date in dates))
    said = (
        '2 games with only part of a date, such as "2026.[?][?].[?][?]" on line 9: rated as of the first day'
    )
    with pytest.warns(ReadingWarning, match=said):
        history = read_history(path)
    assert [event.name for event in history] == ["2", "1", "3"]
    assert [str(r) for r in read_history(path, columns={"time": None}).readings if r.warnings] == []


@pytest.mark.parametrize("rows", [1, 2, 4, 1000])
def test_games_in_pieces(rows: int, tmp_path: Path) -> None:
    text = "".join(
        game(f"p{i % 5}", f"p{(i + 1) % 5}", ("1-0", "*", "0-1")[i % 3], 1 + i // 3) for i in range(20)
    )
    (tmp_path / "x.pgn").write_text(text)
    whole = read_history(tmp_path / "x.pgn")
    pieces = list(read_chunks(tmp_path / "x.pgn", rows=rows))
    assert [e for piece in pieces for e in facts(piece)["events"]] == facts(whole)["events"]
    assert pieces[-1].players == whole.players


def test_bad_games_are_refused_or_skipped(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(
        game("ann", "bob", "1-0", 1)
        + game("ann", "?", "1-0", 1)
        + game("eve", "eve", "1-0", 1)
        + game("cat", "dan", "2-0", 1)
    )
    with pytest.raises(InputError, match=r'x.pgn, line 9: Black "[?]" is not a name'):
        read_history(path)
    history = read_history(path, on_bad_row="skip")
    assert history.players.to_list() == ["ann", "bob"]
    assert [(item.where.rpartition(", ")[2], item.reason[:12]) for item in history.skipped] == [
        ("line 9", 'Black "?" is'),
        ("line 25", 'Result "2-0"'),
        ("line 17", "'eve' plays "),
    ]


@pytest.mark.parametrize("rows", [2, 4])
def test_bad_games_in_pieces(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(
        game("ann", "", "1-0", 1)
        + game("ann", "?", "1-0", 1)
        + game("ann", "bob", "1-0", 1)
        + game("", "x", "*", 1)
    )
    pieces = list(read_chunks(path, rows=rows, on_bad_row="skip"))
    assert sum(len(piece) for piece in pieces) == 1
    assert [item.where for piece in pieces for item in piece.skipped] == [
        f"{path}, line 1",
        f"{path}, line 9",
        f"{path}, line 25",
    ]


def test_some_dates_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(game("ann", "bob", "1-0", 1) + game("bob", "ann", "1-0"))
    with pytest.raises(InputError, match=r"x.pgn, line 9: time is empty"):
        read_history(path)
    with pytest.raises(InputError, match="some events have a time and some have none"):
        list(read_chunks(path, rows=2))
    assert len(read_history(path, columns={"time": None})) == 2


def test_no_dates_are_no_times(tmp_path: Path) -> None:
    (tmp_path / "x.pgn").write_text(game("ann", "bob", "1-0") + game("bob", "ann", "1-0"))
    assert [event.ranks for event in read_history(tmp_path / "x.pgn")] == [(1, 2), (1, 2)]


@pytest.mark.parametrize("rows", [None, 2])
def test_nothing_to_rate(rows: int | None, tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(game("ann", "bob", "*") + game("ann", "cat", "*"))
    with pytest.raises(InputError, match=r"x.pgn: every row was skipped, the first because: .*unfinished"):
        list(read_chunks(path, rows=rows)) if rows else read_history(path)


def test_a_file_without_games(tmp_path: Path) -> None:
    (tmp_path / "x.pgn").write_text("event,player,rank\ne,ann,1\n")
    with pytest.raises(InputError, match="not a single header line") as caught:
        read_history(tmp_path / "x.pgn")
    assert "White" in (caught.value.hint or "")


def test_games_written_as_a_table(tmp_path: Path) -> None:
    (tmp_path / "x.pgn").write_text(GAMES)
    history = read_history(tmp_path / "x.pgn")
    for shape in ("results", "matches"):
        write_history(history, tmp_path / "x.csv", shape)  # type: ignore[arg-type]
        assert facts(read_history(tmp_path / "x.csv"))["events"] == facts(history)["events"]


def test_what_is_said_of_games_is_no_matter_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(game("17", "bob", "1-0") + game("bob", "BYE", "1-0"))
    (reading,) = read_history(path, aliases={"17": "ann"}).readings
    assert str(reading) == f"{path}: left out: BYE (1 match); 1 name by aliases"
    assert (reading.shape, reading.columns) == (None, {})
    path.write_text(game("ann", "Ann", "1-0"))
    with pytest.warns(ReadingWarning, match="may be one player"):
        (reading,) = read_history(path).readings
    assert str(reading).startswith("warning: 'ann' and 'Ann' may be one player")


def test_times_of_games_can_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.pgn").write_text(GAMES)
    history = read_history(tmp_path / "x.pgn", columns={"time": None})
    assert set(history.time.tolist()) == {NO_TIME}
