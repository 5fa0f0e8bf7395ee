"""A season is started by one form, which shows the new board first; past seasons keep their final boards."""

from __future__ import annotations

import re
from typing import Any

import pytest

from server.callers import Caller
from server.test_report_pages import filled, pressed


def played(caller: Caller) -> None:
    for day, (winner, loser) in enumerate((("ann", "bob"), ("ann", "cat"), ("bob", "cat")), start=1):
        caller.report({"ranks": {winner: 1, loser: 2}, "time": f"2026-05-{day:02}"})


def seasons(caller: Caller) -> Any:
    answer = caller.client.get("/ladders/chess/seasons", params={"format": "json"})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(("keep", "ann"), [("half", 1515.0), ("nothing", 1500.0), ("most", 1523.0)])
def test_a_season_is_started_with_the_new_board_in_sight(caller: Caller, keep: str, ann: float) -> None:
    played(caller)
    assert seasons(caller)["seasons"] == []
    page = filled(caller, "season", keep=keep).text
    assert "The new leaderboard" in page
    assert "A new season starts." in page
    number = r'<td class="number">(\d+)</td>'
    board = re.findall(rf'<th scope="row">.*?<bdi>(\w+)</bdi>.*?</th>{number}{number}', page)
    assert [name for name, _, _ in board] == ["ann", "bob", "cat"]
    assert float(board[0][2]) == pytest.approx(ann, abs=1)
    before = {row["player"]: row["display"] for row in caller.get("leaderboard")["ratings"]}
    assert before["ann"] == pytest.approx(1531, abs=1)  # nothing is recorded yet
    assert pressed(caller, page).status_code == 303
    now = {row["player"]: row["display"] for row in caller.get("leaderboard")["ratings"]}
    assert now["ann"] == pytest.approx(ann, abs=1)
    shown = seasons(caller)
    assert shown["current"] == 2
    (season,) = shown["seasons"]
    assert [(row["place"], row["player"], row["events"]) for row in season["board"]] == [
        (1, "ann", 2),
        (2, "bob", 2),
        (3, "cat", 2),
    ]
    assert season["board"][0]["display"] == pytest.approx(before["ann"], abs=0.1)


def test_only_players_of_a_season_are_on_its_board(any_caller: Caller) -> None:
    caller = any_caller
    played(caller)
    caller.report({"adjustment": "reset", "keep": 0.5, "time": "2026-06-01"})
    caller.report({"ranks": {"dan": 1, "cat": 2}, "time": "2026-06-02"})
    caller.report({"adjustment": "reset", "keep": 0.5, "time": "2026-07-01"})
    shown = seasons(caller)
    assert [one["season"] for one in shown["seasons"]] == [2, 1]
    assert [row["player"] for row in shown["seasons"][0]["board"]] == ["dan", "cat"]
    assert (shown["seasons"][0]["start"], shown["seasons"][0]["end"]) == ("2026-06-01", "2026-07-01")
    page = caller.client.get("/ladders/chess/seasons").text
    assert "Champion: <bdi>dan</bdi>" in page
    assert "/ladders/chess/seasons" in caller.client.get("/ladders/chess/about").text


def test_a_members_page_has_no_words_of_the_log(caller: Caller) -> None:
    played(caller)
    caller.report({"adjustment": "reset", "keep": 0.5, "time": "2026-06-01"})
    results = caller.client.get("/ladders/chess/players/0").text.split('id="results"')[1]
    assert "New season" in results
    assert "keep=0.5" not in results
