"""Results of matches in one cell: 3-1, 1/2-1/2, H, D or A, the name of the winner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import podium
from podium.errors import InputError
from podium.history import History


def read(folder: Path, content: str, **options: Any) -> History:
    path = folder / "x.csv"
    path.write_bytes(content.encode())
    return podium.read_history(path, **options)


def matches(folder: Path, *cells: str, header: str = "player1,player2,result", **options: Any) -> History:
    """A match of ann and bob for each result."""
    return read(folder, header + "".join(f"\nann,bob,{cell}" for cell in cells) + "\n", **options)


def ranks(history: History) -> list[tuple[int, ...]]:
    return [tuple(event.ranks) for event in history]


WON, DRAWN, LOST = (1, 2), (1, 1), (2, 1)


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["3-1", "1 - 1", "0:2"], [(3, 1), (1, 1), (0, 2)]),
        (["3–1", "2—2", "0 −2", " 1 : 1 "], [(3, 1), (2, 2), (0, 2), (1, 1)]),
        (["1-0", "½-½", "1/2-1/2", "0-1"], [(1, 0), (0.5, 0.5), (0.5, 0.5), (0, 1)]),
        (["2½-1½", "2.5-1.5", '"0,5-3,5"'], [(2.5, 1.5), (2.5, 1.5), (0.5, 3.5)]),
        (["10-9", "121:119"], [(10, 9), (121, 119)]),
    ],
)
def test_points_of_both(tmp_path: Path, cells: list[str], expected: list[tuple[float, float]]) -> None:
    history = matches(tmp_path, *cells)
    assert [event.scores for event in history] == expected
    assert ranks(history) == [WON if a > b else LOST if a < b else DRAWN for a, b in expected]
    assert history.readings[0].guesses == ("results are points of both, such as 3-1",)


@pytest.mark.parametrize(
    "header, cells",
    [
        ("player1,player2,result", ["1-0", "½-½", "0-1", "0-0"]),
        ("date,white,black,result", ["1-0", "0.5-0.5", "0-1", "0-0"]),
        ("white,black,result", ["0-1", "1-0", "0-0"]),
        ("player1,player2,score1,score2", ["1,0", "0.5,0.5", "0,0"]),
    ],
)
def test_a_game_of_chess_that_both_lost_is_no_draw(tmp_path: Path, header: str, cells: list[str]) -> None:
    date = "2026-05-01," if "date" in header else ""
    content = header + "".join(f"\n{date}ann,bob,{cell}" for cell in cells) + "\n"
    with pytest.raises(InputError, match=f"line {len(cells) + 1}: both players have 0 points, .* not a draw"):
        read(tmp_path, content)
    history = read(tmp_path, content, on_bad_row="skip")
    assert len(history) == len(cells) - 1
    (skipped,) = history.skipped
    assert skipped.where.endswith(f", line {len(cells) + 1}")
    pieces = list(podium.read_chunks(tmp_path / "x.csv", rows=2, on_bad_row="skip"))
    assert sum(map(len, pieces)) == len(cells) - 1


@pytest.mark.parametrize("cells", [["1-0", "0-1", "0-0"], ["2-1", "0-0"], ["1½-½", "½-½", "0-0"], ["0-0"]])
def test_nil_nil_is_a_draw_elsewhere(tmp_path: Path, cells: list[str]) -> None:
    assert ranks(matches(tmp_path, *cells, header="home,away,result"))[-1] == DRAWN


def test_fewer_points_can_be_better(tmp_path: Path) -> None:
    assert ranks(matches(tmp_path, "70-72", "71-69", lower_is_better=True)) == [WON, LOST]


@pytest.mark.parametrize(
    "cells, form",
    [
        (["H", "D", "A"], "H, D and A"),
        (["h", " d ", "a"], "H, D and A"),
        (["1", "X", "2"], "1, X and 2"),
        (["W", "D", "L"], "W, D and L"),
        (["W", "T", "L"], "W, D and L"),
        (["win", "Draw", "LOSS"], "win, draw and loss"),
        (["home", "draw", "away"], "home, draw and away"),
        (["white", "draw", "black"], "white, draw and black"),
        (["1", "0.5", "0"], "1, 0.5 and 0"),
        (["1", "½", "0"], "1, 0.5 and 0"),
    ],
)
def test_letters_and_words(tmp_path: Path, cells: list[str], form: str) -> None:
    history = matches(tmp_path, *cells)
    assert ranks(history) == [WON, DRAWN, LOST]
    assert history.score is None
    assert history.readings[0].guesses == (f"results are {form}",)


def test_numbers_of_a_dataframe() -> None:
    frame = pl.DataFrame(
        {"white": ["ann", "bob", "cat"], "black": ["bob", "cat", "ann"], "result": [1, 0, 1]}
    )
    assert ranks(History.from_frame(frame)) == [WON, LOST, WON]
    halves = frame.with_columns(pl.Series("result", [1.0, 0.5, 0.0]))
    assert ranks(History.from_frame(halves)) == [WON, DRAWN, LOST]


@pytest.mark.parametrize(
    "cell, reason",
    [
        ("2-2 (a.e.t.)", "result is '2-2 (a.e.t.)', and others are points of both"),
        ("6-3 6-4", "result is '6-3 6-4', and others are points"),
        ("postponed", "result is 'postponed'"),
        ("3", "result is '3'"),
        ("H", "result is 'H', and others are points of both"),
        ("", "result is empty"),
        ("-3-1", "result is '-3-1'"),
    ],
)
def test_results_that_are_none(tmp_path: Path, cell: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        matches(tmp_path, "3-1", "1-1", cell)
    assert caught.value.reason.startswith(reason)
    assert caught.value.line == 4
    assert "--on-bad-row skip" in (caught.value.hint or "")
    history = matches(tmp_path, "3-1", "1-1", cell, on_bad_row="skip")
    assert ranks(history) == [WON, DRAWN]
    assert [skipped.reason for skipped in history.skipped] == [caught.value.reason]


def test_letters_of_two_kinds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="result is '0', and others are 1, X and 2"):
        matches(tmp_path, "1", "X", "2", "0")


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_pieces_are_read_in_one_form(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"player1,player2,result\nann,bob,1\nann,bob,1\nann,bob,1\nann,bob,0\nann,bob,0.5\n")
    pieces = list(podium.read_chunks(path, rows=rows))
    assert ranks(History.concat(pieces)) == [WON, WON, WON, LOST, DRAWN]
    path.write_bytes(b"player1,player2,result\nann,bob,H\nann,bob,A\nann,bob,A\nann,bob,W\n")
    with pytest.raises(InputError, match="line 5: result is 'W', and others are H, D and A"):
        list(podium.read_chunks(path, rows=rows))


# ------------------------------------------------------------------ the winner by name

WINNERS = "team1,team2,winner"


def test_the_winner_by_name(tmp_path: Path) -> None:
    history = matches(tmp_path, "bob", "ann", "Draw", "tie", "Unentschieden", header=WINNERS)
    assert ranks(history) == [LOST, WON, DRAWN, DRAWN, DRAWN]


@pytest.mark.parametrize(
    "header, cells",
    [
        ("white,black,winner", ["white", "draw", "Black"]),
        ("R_fighter,B_fighter,Winner", ["Red", "Draw", "Blue"]),
        ("home team,away team,winner", ["Home Team", "draw", "away_team"]),
        ("player1,player2,won by", ["1", "x", "2"]),
        ("Mannschaft 1,Mannschaft 2,Sieger", ["Mannschaft 1", "Remis", "Mannschaft 2"]),
    ],
)
def test_the_winner_by_side(tmp_path: Path, header: str, cells: list[str]) -> None:
    assert ranks(matches(tmp_path, *cells, header=header)) == [WON, DRAWN, LOST]


def test_a_table_that_names_players_names_no_sides(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3: winner is '1', who does not play in this match"):
        matches(tmp_path, "bob", "1", header=WINNERS)


def test_a_winner_who_does_not_play(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3: winner is 'cat', who does not play") as caught:
        matches(tmp_path, "bob", "cat", header=WINNERS)
    assert "or draw" in (caught.value.hint or "")


def test_no_winner(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3: winner is empty") as caught:
        matches(tmp_path, "bob", "", header=WINNERS)
    assert "write draw for a draw" in (caught.value.hint or "")
    drawn = matches(tmp_path, "bob,no", ",yes", header=f"{WINNERS},tie")
    assert ranks(drawn) == [LOST, DRAWN]
    with pytest.raises(InputError, match="line 2: winner is empty"):
        matches(tmp_path, ",no", header=f"{WINNERS},tie")


def test_podiums_own_columns_with_a_winner(tmp_path: Path) -> None:
    history = read(tmp_path, "player_a,player_b,winner\nann,bob,bob\n")
    assert ranks(history) == [LOST]
    assert history.event(0).home is None
    both = read(tmp_path, "player_a,player_b,winner,loser\nann,bob,bob,ann\n")
    assert both.event(0).sides == (("bob",), ("ann",))


@pytest.mark.parametrize("draw", ["½", "1/2", "Draw", "tie", "Match nul", "x"])
def test_ways_to_say_that_nobody_won(tmp_path: Path, draw: str) -> None:
    (tmp_path / "x.csv").write_bytes(f"player1,player2,winner\nann,bob,ann\nann,bob,{draw}\n".encode())
    assert [event.ranks for event in podium.read_history(tmp_path / "x.csv")] == [(1, 2), (1, 1)]


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["3-1 (11-9, 8-11, 11-4, 11-7)", "0-3 (9-11, 8-11, 4-11)"], [(3, 1), (0, 3)]),
        (["2:1 n.V.", "2:0 (1:0)", "1:1 (0:1)", "5:4 n.E."], [(2, 1), (2, 0), (1, 1), (5, 4)]),
        (["2-1 OT", "3-2 (SO)", "2-1 aet", "101-99 2OT"], [(2, 1), (3, 2), (2, 1), (101, 99)]),
    ],
)
def test_points_with_more_behind_them(
    tmp_path: Path, cells: list[str], expected: list[tuple[float, float]]
) -> None:
    history = matches(tmp_path, *(f'"{cell}"' for cell in cells))
    assert [event.scores for event in history] == expected
    assert history.readings[0].guesses == ("results are points of both, such as 3-1",)


@pytest.mark.parametrize("cell", ["1:1 (4:2 i.E.)", "1-1 (4-2)", "2-2 aet", "1-1 pens"])
def test_a_draw_that_was_decided_later_is_refused(tmp_path: Path, cell: str) -> None:
    with pytest.raises(InputError, match="line 3: result is") as caught:
        matches(tmp_path, "2-1", cell)
    assert "write the score that counts" in str(caught.value.hint)


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["6-4 6-3", "3-6 6-4 7-5", "4-6 6-4 3-6"], [(2, 0), (2, 1), (1, 2)]),
        (["6-4, 3-6, 7-6(5)", "6-4", "6-7 (3) 6-4 [8-10]"], [(2, 1), (1, 0), (1, 2)]),
        (["6-4, 6-3"], [(2, 0)]),
        (["3:1 11:9 8:11 11:8 12:10", "1-2, 8:11 11:8 7:11", "2:1 3:2"], [(3, 1), (1, 2), (2, 0)]),
    ],
)
def test_sets(tmp_path: Path, cells: list[str], expected: list[tuple[float, float]]) -> None:
    history = matches(tmp_path, *(f'"{cell}"' for cell in cells))
    assert [event.scores for event in history] == expected
    assert history.readings[0].guesses == ("results are sets, such as 6-4 6-3",)


def test_a_piece_of_sets_behind_points_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("player1,player2,result\n" + "ann,bob,6-4\n" * 3 + "ann,bob,6-4 6-3\n" * 3)
    with pytest.raises(InputError, match="line 5: result is '6-4 6-3', and others are points of both"):
        list(podium.read_chunks(path, rows=3))


@pytest.mark.parametrize(
    "cell, unplayed", [("postponed", True), ("-:-", True), ("P-P", True), ("3", False), ("abgesagt", True)]
)
def test_only_words_for_it_mean_that_a_match_is_not_played(tmp_path: Path, cell: str, unplayed: bool) -> None:
    with pytest.raises(InputError, match="line 4: result is") as caught:
        matches(tmp_path, "2-1", "1-0", cell)
    assert ("no result (yet)" in str(caught.value.hint)) == unplayed


@pytest.mark.parametrize("cell", ["NA", "N/A", "null", "None", "nan", "-", "\\N", "postponed"])
def test_scores_of_matches_not_played(tmp_path: Path, cell: str) -> None:
    content = f"home,away,home score,away score\nann,bob,2,1\nann,bob,{cell},{cell}\n"
    with pytest.raises(InputError, match="line 3: score_a is") as caught:
        read(tmp_path, content)
    assert "no result (yet)" in str(caught.value.hint)
    assert len(read(tmp_path, content, on_bad_row="skip")) == 1


def test_epoch_milliseconds(tmp_path: Path) -> None:
    history = read(tmp_path, "timestamp,winner,loser\n1768335300000,a,b\n1768335300001,b,a\n")
    assert history.time.tolist() == [1768335300_000_000, 1768335300_001_000]
    assert "times are epoch milliseconds" in history.readings[0].guesses
    seconds = read(tmp_path, "timestamp,winner,loser\n1768335300,a,b\n")
    assert seconds.time.tolist() == [1768335300_000_000]
    assert seconds.readings[0].guesses == ()
