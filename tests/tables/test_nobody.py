"""Names that mean nobody, and names that look like mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import History, ReadingWarning, read_history
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
    assert "4 matches against BYE or TBD left out" in guesses(history)


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
    assert "2 rows of BYE or TBD left out" in guesses(history)


@pytest.mark.parametrize("name", ["NULL", "None", "nan", "N/A", "#N/A"])
def test_names_that_look_like_empty_cells(name: str, messy: Messy) -> None:
    with pytest.warns(ReadingWarning, match=f"'{name}' is rated as a player: leave such rows out"):
        history = messy.read(f"winner,loser\nann,{name}\n")
    assert list(history.players) == ["ann", name]


@pytest.mark.parametrize("name", ["Total", "Summe", "Total général", "AVERAGE:"])
def test_a_last_row_that_is_a_sum(name: str, messy: Messy) -> None:
    with pytest.warns(ReadingWarning, match=f"'{name}' is rated as a player"):
        messy.read(f"player,score\nann,3\nbob,2\n{name},5\n")


def test_pieces_count_matches_against_nobody_together(tmp_path: Path, messy: Messy) -> None:
    content = "winner,loser\n" + "ann,bob\nann,BYE\n" * 3
    pieces = messy.pieces(content, rows=2)
    assert sum(map(len, pieces)) == 3
    assert guesses(*pieces)[-1] == "3 matches against BYE or TBD left out"
    assert len(read_history(messy.path)) == 3
