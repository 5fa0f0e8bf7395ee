"""Names that mean nobody, and names that look like mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from podium import History, ReadingWarning, read_chunks, read_history
from podium.tables.ladder_column import read_ladders
from tables.messy import Messy, guesses, ranks

MATCHES = b"""date,player1,player2,result
2026-01-13,Ann,Bob,1-0
2026-01-13,Cat,BYE,1-0
2026-01-14,tbd,Cat,
2026-01-14,Bob,(bye),1-0
2026-01-15,To be decided,-,
2026-01-15,Bye Robert,Ann,0-1
"""


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


def test_matches_against_nobody_are_left_out(messy: Messy) -> None:
    history = messy.read(MATCHES.decode())
    assert list(history.players) == ["Ann", "Bob", "Bye Robert"]
    said = "left out: BYE (1 match), tbd (1 match), (bye) (1 match) and To be decided (1 match)"
    assert said in guesses(history)


def test_a_bye_that_is_somebody(messy: Messy) -> None:
    content = "winner,loser\nann,BYE\n"
    assert len(messy.read(content, aliases={"BYE": "BYE"})) == 1
    assert list(messy.read(content, aliases={"BYE": "Bye, R."}).players) == ["ann", "Bye, R."]
    assert len(History.from_matches(["ann"], ["BYE"], [1])) == 1


def test_rows_of_nobody_are_left_out_of_results(messy: Messy) -> None:
    content = "event,player,rank\n7,ann,1\n7,BYE,\n8,ann,1\n8,bob,2\n8,TBA,x\n"
    history = messy.read(content)
    assert list(history.players) == ["ann", "bob"]
    assert len(history) == 1
    assert ranks(history) == {"ann": 1, "bob": 2}
    assert "left out: BYE (1 row) and TBA (1 row)" in guesses(history)


@pytest.mark.parametrize("name", ["NULL", "None", "nan", "N/A", "#N/A"])
def test_names_that_look_like_empty_cells(name: str, messy: Messy) -> None:
    with pytest.warns(ReadingWarning, match=f"'{name}' is rated as a player: leave such rows out"):
        history = messy.read(f"winner,loser\nann,{name}\n")
    assert list(history.players) == ["ann", name]


@pytest.mark.parametrize("name", ["Total", "Summe", "Total général", "AVERAGE:"])
def test_a_last_row_that_is_a_sum(name: str, messy: Messy) -> None:
    with pytest.warns(ReadingWarning, match=f"'{name}' is rated as a player"):
        messy.read(f"player,score\nann,3\nbob,2\n{name},6\n")


def test_pieces_count_matches_against_nobody_together(tmp_path: Path, messy: Messy) -> None:
    content = "winner,loser\n" + "ann,bob\nann,BYE\n" * 3
    pieces = messy.pieces(content, rows=2)
    assert sum(map(len, pieces)) == 3
    assert guesses(*pieces)[-1] == "left out: BYE (3 matches)"
    assert len(read_history(messy.path)) == 3


@pytest.mark.parametrize(
    ("header", "rows", "is_player"),
    [
        # A win shows a player, and so do points. A loss does not, nor does a match without points.
        ("winner,loser", ["ann,bye", "ann,bob"], False),
        ("winner,loser", ["ann,bye", "bye,bob"], True),
        ("winner,loser", ["ann,bye", "bye,TBD", "ann,bob"], False),
        (
            "player_a,player_b,score_a,score_b",
            ["ann,bye,2,0", "ann,bob,1,0", "bob,bye,0,0", "bye,ann,-,-"],
            False,
        ),
        ("player_a,player_b,score_a,score_b", ["ann,bye,2,0", "ann,bob,1,0", "bob,bye,3,1"], True),
        ("player_a,player_b,result", ["ann,bye,1-0", "ann,bob,0-1", "bye,bob,1/2-1/2"], True),
        ("player_a,player_b,winner", ["ann,bye,ann", "ann,bob,bob", "bye,bob,bob"], False),
        ("player_a,player_b,winner", ["ann,bye,ann", "ann,bob,bob", "bye,bob,bye"], True),
        # A rank among three or more shows a player. So does a result that is not the last.
        ("event,player,rank", ["1,ann,1", "1,bob,2", "1,bye,57"], True),
        ("event,player,rank", ["1,ann,1", "1,bob,2", "1,bye,", "2,ann,1", "2,bye,2"], False),
        ("event,player,rank", ["1,ann,1", "1,bob,2", "1,bye,DNF", "2,bye,1", "2,ann,2"], True),
        ("event,player,score", ["1,ann,30", "1,bob,20", "1,bye,0"], False),
        ("event,player,score", ["1,ann,30", "1,bob,20", "1,bye,5"], True),
        ("event,player,score", ["1,ann,-30", "1,bob,-20", "1,bye,-25"], True),
        ("event,player,score", ["1,ann,1:10", "1,bob,1:20", "1,bye,1:30"], True),
        ("event,player,score", ["1,ann,1:10", "1,bob,1:15", "1,bye,DNF", "2,ann,1:20", "2,bye,1:30"], False),
    ],
)
def test_results_show_who_is_a_player(messy: Messy, header: str, rows: list[str], is_player: bool) -> None:
    """The same whole and in pieces, wherever the row is that shows it."""
    by_event: dict[str, list[str]] = {}
    for row in rows:
        by_event.setdefault(row.split(",")[0] if header.startswith("event") else row, []).append(row)
    for events in (list(by_event.values()), list(by_event.values())[::-1]):
        content = "\n".join([header, *(row for event in events for row in event), ""])
        whole = messy.read(content)
        assert ("bye" in whole.players) == is_player
        assert ("bye has results, so it counts as a player" in guesses(whole)) == is_player
        assert any("left out: bye" in guess for guess in guesses(whole)) == (not is_player)
        pieces = messy.pieces(content, rows=1)
        assert sorted(pieces[-1].players) == sorted(whole.players)
        assert [event for piece in pieces for event in piece] == list(whole)


def test_files_of_a_folder_show_it_together(tmp_path: Path) -> None:
    (tmp_path / "2026-05.csv").write_text("winner,loser\nann,TBC\nann,bye\n")
    (tmp_path / "2026-06.csv").write_text("winner,loser\nTBC,ann\nann,bob\n")
    history = read_history(tmp_path)
    assert list(history.players) == ["ann", "TBC", "bob"]
    assert len(history) == 3
    assert "left out: bye (1 match)" in guesses(history)


def test_contests_of_a_folder_show_it_together(tmp_path: Path) -> None:
    for number, standings in enumerate(
        [[["ann", 0, 0], ["TBC", 1, 1]], [["ann", 0, 0], ["bob", 1, 1], ["TBC", 2, 2]]]
    ):
        contest = {"name": f"c{number}", "time_seconds": number, "standings": standings}
        (tmp_path / f"{number}.json").write_text(json.dumps(contest))
    for pieces in ([read_history(tmp_path)], list(read_chunks(tmp_path, rows=1))):
        assert list(pieces[-1].players) == ["ann", "TBC", "bob"]
        assert sum(map(len, pieces)) == 2


def test_ladders_of_a_table_show_it_together(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text("game,winner,loser\nchess,ann,bye\nchess,ann,bob\ngo,bye,ann\n")
    found = read_ladders(tmp_path / "all.csv", by="game")
    assert {name: len(history) for name, history in found.items()} == {"chess": 2, "go": 1}
    (tmp_path / "all.csv").write_text(
        "game,winner,loser\nchess,ann,bye\nchess,ann,bob\ngo,bob,bye\ngo,ann,bob\n"
    )
    assert "left out: bye (2 matches)" in guesses(*read_ladders(tmp_path / "all.csv", by="game").values())
