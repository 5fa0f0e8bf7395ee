"""The words of results, language by language: each is read as what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium.tables.forms.result_words import BY_LANGUAGE
from tables.messy import Messy, guesses, ranks

HEADER = "player1,player2,result\n"
CASES = [
    (language, kind, word.strip())
    for language, words in BY_LANGUAGE.items()
    for kind, text in words._asdict().items()
    for word in text.split(",")
]


def cases_of(*kinds: str) -> list[tuple[str, str]]:
    return [(kind, word) for _, kind, word in CASES if kind in kinds]


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


def test_thirteen_languages_have_every_kind() -> None:
    assert len(BY_LANGUAGE) == 13
    assert all(word for _, _, word in CASES)


@pytest.mark.parametrize("kind, word", cases_of("win", "draw", "loss"))
def test_words_of_results(kind: str, word: str, messy: Messy) -> None:
    history = messy.read(HEADER + f"ann,bob,{word.upper()}\n")
    expected = {"win": {"ann": 1, "bob": 2}, "draw": {"ann": 1, "bob": 1}, "loss": {"ann": 2, "bob": 1}}
    assert ranks(history) == expected[kind]
    assert ranks(messy.read(HEADER + f"ann,bob,{word}\n")) == expected[kind]


@pytest.mark.parametrize("word", [word for _, word in cases_of("draw")] + ["½", "1/2", "="])
def test_draws_among_points(word: str, messy: Messy) -> None:
    assert ranks(messy.read(HEADER + f"ann,bob,1-0\nann,bob,{word}\n"), 1) == {"ann": 1, "bob": 1}
    refused = messy.refusal(HEADER + f"ann,bob,3-0\nann,bob,{word}\n")
    assert "write the points of the draw" in (refused.hint or "")


SIGNS = ["+:-", "-:+", "+/-", "- +", "0-1F", "1F-0", "1-0 ff", "1:0k", "1-F", "0F-0F"]


@pytest.mark.parametrize("word", [word for _, word in cases_of("walkover")] + SIGNS)
def test_matches_that_were_not_played(word: str, messy: Messy) -> None:
    history = messy.read(HEADER + f"ann,bob,1-0\ncat,dan,{word}\n")
    assert list(history.players) == ["ann", "bob"]
    assert f"left out: {word.strip()} (not played) (1 match)" in guesses(history)
    if word not in SIGNS:
        behind = messy.read(HEADER + f"ann,bob,3-0\ncat,dan,3-0 ({word})\n")
        assert list(behind.players) == ["ann", "bob"]
    beside = messy.read("winner,loser,remarks\nann,bob,\ncat,dan," + word + "\n")
    assert list(beside.players) == ["ann", "bob"]


@pytest.mark.parametrize("cells", ["+,-", "-,+", "w.o.,", ",forfait", "1,0F", "kampflos,kampflos"])
def test_walkovers_in_two_columns(cells: str, messy: Messy) -> None:
    history = messy.read(f"player1,player2,score1,score2\nann,bob,3,1\ncat,dan,{cells}\n")
    assert list(history.players) == ["ann", "bob"]
    assert any("(not played) (1 match)" in guess for guess in guesses(history))


@pytest.mark.parametrize("word", [word for _, word in cases_of("unplayed")])
def test_matches_without_a_result(word: str, messy: Messy) -> None:
    refused = messy.refusal(HEADER + f"ann,bob,1-0\ncat,dan,{word}\n")
    assert "no result (yet)" in (refused.hint or "")


@pytest.mark.parametrize("word", [word for _, word in cases_of("nobody")])
def test_nobody_is_decided_by_the_rows_around(word: str, messy: Messy) -> None:
    for name in (word, word.capitalize(), f"({word})"):
        history = messy.read(HEADER + f"ann,bob,1-0\nbob,{name},1-0\n")
        assert list(history.players) == ["ann", "bob"]
        assert any(f"left out: {name} (1 match)" in guess for guess in guesses(history))
        assert name in messy.read(HEADER + f"ann,bob,1-0\n{name},bob,1-0\n").players


@pytest.mark.parametrize("kind, word", cases_of("unfinished", "disqualified", "absent"))
def test_words_of_races(kind: str, word: str, messy: Messy) -> None:
    history = messy.read(f"event,player,rank\nspa,ann,1\nspa,bob,2\nspa,cat,{word}\n")
    expected = {"ann": 1, "bob": 2} | ({"cat": 3} if kind == "unfinished" else {})
    assert ranks(history) == expected


@pytest.mark.parametrize("cell", ["2-1 OT", "3:2 n.P.", "2-1 aet", "1-0"])
def test_what_is_no_walkover(cell: str, messy: Messy) -> None:
    assert len(messy.read(HEADER + f"ann,bob,3-1\ncat,dan,{cell}\n")) == 2


def test_both_absent_is_no_result(messy: Messy) -> None:
    assert "result is '-:-'" in messy.refusal(HEADER + "ann,bob,3-1\ncat,dan,-:-\n").reason
