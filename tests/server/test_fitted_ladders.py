"""Fits of a service's ladders: those of the events in force, on both databases."""

from collections.abc import Sequence
from random import Random

import pytest

import podium
from podium.server.ladders import fitted_ladders
from server.callers import Caller, Plain, problem


def reported(caller: Caller, ladder: str) -> podium.History:
    """Matches with a correction, a void, a disqualification and a merge; and what is in force of them."""
    caller.create(ladder, "elo")
    matches = [("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("ann", "cat"), ("bob", "ann"), ("eve", "bob")]
    matches = 3 * matches
    for number, (winner, loser) in enumerate(matches):
        caller.report({"ranks": {winner: 1, loser: 2}, "time": f"2026-05-{number + 1:02}"}, ladder=ladder)
    caller.report({"correct": 1, "ranks": {"ann": 1, "bob": 1}}, ladder=ladder)
    caller.report({"void": 2}, ladder=ladder)
    caller.report({"disqualify": ["cat"], "event": 3}, ladder=ladder)
    caller.report({"adjustment": "merge", "player": "eve", "into": "cat"}, ladder=ladder)
    kept = [(one, other, 1.0) for one, other in matches]
    kept[0] = ("ann", "bob", 0.5)
    del kept[1:3]
    columns = [("cat" if a == "eve" else a, "cat" if b == "eve" else b, score) for a, b, score in kept]
    return podium.History.from_matches(*zip(*columns, strict=True))


def test_a_fit_is_that_of_the_events_in_force(caller: Caller) -> None:
    expected = podium.fit(reported(caller, "votes"))
    told = caller.get("arena", ladder="votes")
    found = {one["player"]: one for one in told["strengths"]}
    assert told["summary"] == expected.summary
    for row in expected.strengths.iter_rows(named=True):
        assert found[row["player"]]["strength"] == pytest.approx(row["strength"])
        assert found[row["player"]]["error"] == pytest.approx(row["error"])
        assert found[row["player"]]["wins"] == row["wins"]
    page = caller.client.get("/ladders/votes/arena").text
    assert expected.summary in page
    assert all(f"<bdi>{name}</bdi></a>" in page for name in ("ann", "bob", "cat"))
    caller.report({"ranks": {"ann": 1, "dan": 2}}, ladder="votes")
    assert {one["player"] for one in caller.get("arena", ladder="votes")["strengths"]} >= {"dan"}


def refused(caller: Caller, ladder: str, name: str) -> Plain:
    return problem(caller.client.get(f"/api/v1/ladders/{ladder}/arena"), 422, name)


def test_what_cannot_be_fitted_is_refused(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    caller.create("duos", "weng-lin")
    refusal = refused(caller, "duos", "not-fitted")
    assert refusal["detail"] == "strengths need at least one event of single players"
    caller.report({"teams": [["a", "b"], ["c", "d"]], "ranks": [1, 2]}, ladder="duos")
    assert "event of single players" in refused(caller, "duos", "not-fitted")["detail"]
    caller.report({"ranks": {"a": 1, "b": 2}}, ladder="duos")
    assert caller.get("arena", ladder="duos")["notes"][0] == "Left out: 1 event with teams."
    reported(caller, "votes")
    monkeypatch.setattr(fitted_ladders, "MOST_PLAYERS", 2)
    large = refused(caller, "votes", "not-fitted")
    assert "at most 2 players" in large["detail"]
    assert "podium arena" in large["hint"]
    monkeypatch.undo()
    monkeypatch.setattr(fitted_ladders, "MOST_RESULTS", 4)
    assert "at most 500 players and 4 results" in refused(caller, "votes", "not-fitted")["detail"]


def test_unrated_results_and_ties_alone(caller: Caller) -> None:
    caller.create("votes", "elo")
    caller.report({"ranks": {"ann": 1, "bob": 1}}, ladder="votes")
    caller.report({"ranks": {"ann": 1, "bob": 2}, "unrated": ["ann", "bob"]}, ladder="votes")
    told = caller.get("arena", ladder="votes")
    assert told["notes"] == ["Left out: 1 event without a rated player."]
    assert {one["player"]: (one["wins"], one["ties"]) for one in told["strengths"]} == {
        "ann": (0.0, 1.0),
        "bob": (0.0, 1.0),
    }
    caller.create("races", "elo-mmr")
    caller.report({"ranks": {"ann": 1, "bob": 1, "cat": 1}}, ladder="races")
    answer = caller.client.get("/api/v1/ladders/races/arena")
    assert answer.status_code == 422
    assert "everything is tied" in answer.json()["detail"]
    assert "verything is tied" in caller.client.get("/ladders/races/arena").text


@pytest.mark.parametrize("ranks", [range(80), [place // 4 for place in range(40)]], ids=["large", "tied"])
def test_contests_whose_fit_takes_too_long_are_refused(caller: Caller, ranks: Sequence[int]) -> None:
    """An evaluation looks at all pairs of those who are left, for each place and number who tie."""
    caller.create("races", "elo-mmr")
    contest = {"ranks": {f"player {number}": 1 + rank for number, rank in enumerate(ranks)}}
    caller.report(contest, ladder="races")
    for seed in range(8):
        shuffled = Random(seed).sample(ranks, len(ranks))
        other = {f"player {number}": 1 + rank for number, rank in enumerate(shuffled)}
        caller.report({"ranks": other}, ladder="races")
    assert len(caller.get("arena", ladder="races")["strengths"]) == len(ranks)
    caller.bulk([contest] * 250, ladder="races")
    refused(caller, "races", "not-fitted")
