"""`podium.what_if`: ratings as they are and as they would be."""

from __future__ import annotations

from typing import Any

import pytest

import podium
from podium import Elo, EloMMR, History, ParameterError


def contest(number: int, ranks: dict[str, int], **more: Any) -> dict[str, Any]:
    return {"ranks": ranks, "name": f"round {number}", "time": f"2026-05-{number:02}", **more}


SEASON = [
    contest(1, {"ann": 1, "bob": 2, "cat": 3}),
    contest(2, {"bob": 1, "ann": 2}),
    contest(3, {"dan": 1, "eve": 2}),
]


def test_the_new_ratings_are_those_of_the_corrected_results() -> None:
    corrected = [contest(1, {"ann": 1, "cat": 2}), contest(2, {"ann": 1, "bob": 2})]
    other = History.from_events([contest(2, {"ann": 1, "bob": 2})])
    found = podium.what_if(
        History.from_events(SEASON),
        EloMMR(),
        without=["round 3"],
        disqualified=[("bob", "round 1")],
        replaced=other,
    )
    right = podium.rate(History.from_events(corrected), EloMMR()).leaderboard()
    new = found.frame.filter(found.frame["place"].is_not_null())
    assert new.select("place", "player", "display", "mu", "sigma").rows() == [
        (row["place"], row["player"], row["display"], row["mu"], row["sigma"])
        for row in right.iter_rows(named=True)
    ]
    assert found.corrections == (
        "with round 2, 2026-05-02 replaced",
        "without bob in round 1, 2026-05-01",
        "without round 3, 2026-05-03",
    )
    assert len(found.history) == found.after.ladder.n_events == 2


def test_who_moves_by_elo() -> None:
    """Round 3 gave dan 16 points and took 16 from eve: without it both leave, and nobody else moves."""
    found = podium.what_if(History.from_events(SEASON), Elo(), without="round 3")
    assert found.moved.select(
        "player", "place_before", "place", "display_before", "display", "gain"
    ).rows() == [
        ("dan", 2, None, 1516.0, None, None),
        ("eve", 4, None, 1484.0, None, None),
    ]
    assert found.summary == "2 of 5 players move"
    assert found.frame["player"].to_list()[-2:] == ["dan", "eve"]


def test_who_joins() -> None:
    other = History.from_events([contest(3, {"fay": 1, "eve": 2})])
    found = podium.what_if(History.from_events(SEASON), Elo(), replaced=[other])
    joined = found.frame.filter(found.frame["place_before"].is_null())
    assert joined.select("player", "display_before", "display", "events_before", "events").rows() == [
        ("fay", None, 1516.0, None, 1)
    ]


def test_the_farthest_comes_first() -> None:
    """Without round 1, round 2 is a match of equals: 16 points instead of what 16 points ahead make of it."""
    found = podium.what_if(History.from_events(SEASON), Elo(), without="round 1")
    lost = 32 / (1 + 10 ** (-16 / 400))
    assert found.moved["player"].to_list() == ["cat", "ann", "bob"]
    assert found.moved["gain"].to_list()[1:] == pytest.approx([-16 - 16 + lost, 16 - lost])
    assert found.summary == f"3 of 5 players move, by {32 - lost:.1f} at most"
    said = str(found).splitlines()
    assert said[1] == "    –  cat: 1484.0 → – (–)"
    assert said[2] == "    3  ann: 1499.3 → 1484.0 (−15.3)"


def test_the_summary_says_what_the_table_shows() -> None:
    """ann falls by 14.41 points, from 1530.26 to 1515.85, which are shown as 1530.3 and 1515.8."""
    rounds = [{"ranks": {"ann": 1, "bob": 2}, "name": name} for name in ("one", "two")]
    found = podium.what_if(History.from_events(rounds), Elo(k=31.7), without="two")
    assert found.summary == "2 of 2 players move, by 14.5 at most"
    for digits in (0, 1, 2):
        shown = [float(gain.replace("−", "-")) for gain in found.table(digits=digits)["gain"]]
        assert found.summary_with(digits=digits).endswith(f"by {max(map(abs, shown)):.{digits}f} at most")


def test_nobody_moves() -> None:
    same = History.from_events([SEASON[1]])
    found = podium.what_if(History.from_events(SEASON), Elo(), replaced=same)
    assert found.summary == "0 of 5 players move"
    assert found.table().height == 0


def test_in_a_notebook() -> None:
    found = podium.what_if(History.from_events(SEASON), Elo(), without="round 3")
    assert repr(found) == "<WhatIf: without round 3, 2026-05-03: 2 of 5 players move>"
    assert found._repr_html_().count("<tr>") == 3  # the head, dan and eve


def test_a_disqualification_is_a_pair() -> None:
    with pytest.raises(ParameterError, match="'bob@round 1' must be a player and an event"):
        podium.what_if(History.from_events(SEASON), Elo(), disqualified=["bob@round 1"])  # type: ignore[list-item]


def test_nothing_is_corrected() -> None:
    with pytest.raises(ParameterError, match="nothing is corrected"):
        podium.what_if(History.from_events(SEASON), Elo())
