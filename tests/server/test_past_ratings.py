"""Past dates over HTTP: what a ladder that ended there would answer, with all corrections since."""

from __future__ import annotations

import time
from threading import Event as Flag
from threading import Thread
from typing import Any

import pytest

from cases import case
from podium import Ladder, Merge, Reset, SetRating
from podium.documents.plain_data import stamped
from podium.documents.prediction_documents import distribution_document
from podium.history.times import to_micros
from podium.server.access.request_costs import charge
from podium.server.http import reading_routes
from podium.server.ladders import past_ladders
from server.callers import Caller, Plain, problem

DAYS = [f"2026-05-{day:02}" for day in range(1, 29)]


def game(day: int, winner: str, loser: str, **more: Any) -> Plain:
    return {"ranks": {winner: 1, loser: 2}, "time": DAYS[day], **more}


def reported(caller: Caller, ladder: str) -> None:
    """A season with everything that reaches back, saved now and then."""
    before = [
        game(0, "ann", "bob"),
        game(2, "bob", "cat"),  # void later
        game(4, "eve", "cat"),
        {"adjustment": "set-rating", "player": "dan", "mu": 1700, "sigma": 90, "time": DAYS[6]},
        game(8, "dan", "ann"),  # corrected later
        game(10, "eve", "bob"),
        {"adjustment": "merge", "player": "eve", "into": "ann", "time": DAYS[12]},
        game(14, "cat", "ann"),
        {"adjustment": "rename", "player": "bob", "into": "robert", "time": DAYS[16]},
        {"adjustment": "reset", "keep": 0.5, "time": DAYS[18]},
        game(20, "robert", "dan"),
        game(22, "robert", "zoe"),
        {**game(24, "ann", "zoe"), "rated": False},
        game(23, "cat", "dan"),
    ]
    for number, sent in enumerate(before):
        caller.report(sent, ladder=ladder)
        if number in (3, 7, 10):
            caller.service.checkpoints.write(ladder)
    caller.report({"void": 2}, ladder=ladder)
    caller.report({"correct": 5, "ranks": {"ann": 1, "dan": 2}}, ladder=ladder)
    caller.report(game(9, "cat", "robert", late=True), ladder=ladder)


def replayed(system: str, until: str) -> Ladder:
    """What counts after all corrections up to a date, on a ladder of its own, by the names of the end."""
    counted: list[tuple[int, Any]] = [
        (0, ("ann", "robert")),
        (4, ("eve", "cat")),
        (6, SetRating(player="dan", mu=1700, sigma=90)),
        (8, ("ann", "dan")),
        (9, ("cat", "robert")),
        (10, ("eve", "robert")),
        (12, Merge(player="eve", into="ann")),
        (14, ("cat", "ann")),
        (18, Reset(keep=0.5)),
        (20, ("robert", "dan")),
        (22, ("robert", "zoe")),
        (23, ("cat", "dan")),
    ]
    ladder = Ladder(system)
    for day, one in counted:
        if DAYS[day] <= until and isinstance(one, tuple):
            ladder.record_match(*one, time=DAYS[day])
        elif DAYS[day] <= until:
            ladder.adjust(one, time=DAYS[day])
    return ladder


ASKED = [
    "2026-04-30",
    DAYS[0],
    DAYS[3],
    DAYS[7],
    f"{DAYS[9]}T11:59",
    DAYS[10],
    DAYS[12],
    DAYS[17],
    DAYS[19],
    DAYS[23],
]


def rows_of(ladder: Ladder, at: str, **filters: Any) -> list[Any]:
    return ladder.leaderboard(at=at, **filters).drop("last_time").rows()


def board(caller: Caller, at: str, *, ladder: str, limit: int = 2, **filters: Any) -> list[Any]:
    """All pages of the leaderboard of a date."""
    rows: list[Plain] = []
    cursor: Plain = {}
    while True:
        found = caller.get("leaderboard", ladder=ladder, at=at, limit=limit, **cursor, **filters)
        rows += found["ratings"]
        if found["next"] is None:
            assert found["ranked"] == len(rows)
            return [(r["place"], r["player"], r["mu"], r["sigma"], r["display"], r["events"]) for r in rows]
        cursor = {"cursor": found["next"]}


def test_any_past_date_is_answered_as_by_a_replay_that_ends_there(any_caller: Caller) -> None:
    check_all_dates(any_caller, "glicko2")


@pytest.mark.parametrize("system", ["elo-mmr", "auto"])
def test_dates_of_other_systems(caller: Caller, system: str) -> None:
    check_all_dates(caller, system)


def check_all_dates(caller: Caller, system: str) -> None:
    caller.create("season", system=system)
    reported(caller, "season")
    for at in [*ASKED, *reversed(ASKED)]:  # forth from what was rated before, and back from memory
        with case(at):
            past = replayed(system, at)
            assert board(caller, at, ladder="season", everybody=True) == rows_of(past, at, min_events=0)
            assert board(caller, at, ladder="season", min_events=2) == rows_of(past, at, min_events=2)
    for at in (DAYS[11], DAYS[21], "2026-07-01"):
        with case(at):
            past = replayed(system, at)
            found = caller.get("rating", ladder="season", player="robert", at=at)
            expected = past.rating("robert", at=at)
            assert (found["mu"], found["sigma"]) == (expected.mu, expected.sigma)
            assert (found["display"], found["events"]) == (expected.display, expected.events)
            placed = {row[1]: row[0] for row in rows_of(past, at)}
            assert (found["at"], found["place"], found["ranked"]) == (at, placed["robert"], len(placed))
            found = caller.get("distribution", ladder="season", player="cat", at=at)
            belief = distribution_document(past.distribution("cat", at=at))
            assert found == stamped("distribution", belief)
            found = caller.ask("chances", {"a": "ann", "b": "zoe", "at": at}, ladder="season").json()
            assert found["expected_score"] == past.expected_score("ann", "zoe", at=at)
            found = caller.ask(
                "top-chances", {"sides": ["ann", "cat", "dan"], "k": 1, "at": at}, ladder="season"
            )
            assert found.json()["chances"] == past.top_chances(["ann", "cat", "dan"], 1, at=at).tolist()
    assert caller.get("rating", ladder="season", player="ann")["at"] is None


@pytest.fixture
def season(caller: Caller) -> Caller:
    """A caller of the ladder `season`."""
    caller.create("season", system="glicko2")
    reported(caller, "season")
    return caller


def ratings_of(caller: Caller, at: str, **asked: Any) -> Any:
    """The answer to a question about a date."""
    return caller.client.get("/api/v1/ladders/season/leaderboard", params={"at": at, **asked})


def test_the_pages_of_an_old_leaderboard_are_rated_once(
    season: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    real = past_ladders.read_entries
    monkeypatch.setattr(
        past_ladders, "read_entries", lambda *a, **k: read.append(k["after"]) or real(*a, **k)
    )
    pages = [board(season, DAYS[11], ladder="season", limit=limit) for limit in (1, 2, 50)]
    assert pages[0] == pages[1] == pages[2]
    season.report(game(25, "ann", "cat"), ladder="season")  # which changes nothing before it
    assert board(season, DAYS[11], ladder="season") == pages[0]
    assert len(read) == 1
    board(season, DAYS[21], ladder="season")
    assert read[1] > 0  # from what was saved
    for day in range(past_ladders.MOST_KEPT):
        board(season, DAYS[day], ladder="season")
    assert len(season.service.past._kept) == past_ladders.MOST_KEPT
    monkeypatch.setattr(past_ladders, "MOST_PLAYERS_KEPT", 1)
    board(season, DAYS[20], ladder="season")
    assert [key[2] for key in season.service.past._kept] == [to_micros(DAYS[20])]


def test_names_are_those_of_today(season: Caller) -> None:
    before = board(season, DAYS[11], ladder="season")
    season.report({"adjustment": "rename", "player": "cat", "into": "kit"}, ladder="season")
    renamed = board(season, DAYS[11], ladder="season")
    assert [row[2:] for row in renamed] == [row[2:] for row in before]
    assert {row[1] for row in before} - {row[1] for row in renamed} == {"cat"}
    assert season.get("rating", ladder="season", player="kit", at=DAYS[11])["events"] == 2
    unborn = season.client.get("/api/v1/ladders/season/rating", params={"player": "zoe", "at": DAYS[11]})
    problem(unborn, 404, "unknown-player")
    problem(ratings_of(season, "soon"), 400, "input")


def test_a_name_that_a_new_player_has_is_not_given_back(caller: Caller) -> None:
    caller.create("reused")
    for sent in (
        {"ranks": {"ann": 1, "bob": 2, "cat": 3}, "time": DAYS[0]},
        {"ranks": {"ann": 1, "bob": 2, "dan": 3}, "time": DAYS[4]},
        {"adjustment": "merge", "player": "bob", "into": "cat", "time": DAYS[5]},
    ):
        caller.report(sent, ladder="reused")
    assert {row[1] for row in board(caller, DAYS[2], ladder="reused")} == {"ann", "bob", "cat"}
    caller.report(game(7, "bob", "dan"), ladder="reused")  # somebody else
    for at in (DAYS[2], DAYS[1]):
        answer = caller.client.get("/api/v1/ladders/reused/rating", params={"player": "bob", "at": at})
        problem(answer, 404, "unknown-player")
        assert "bob" not in {row[1] for row in board(caller, at, ladder="reused")}


def test_tags_and_cursors_of_past_answers(season: Caller) -> None:
    first = ratings_of(season, DAYS[11], limit=1)
    tag, cursor = first.headers["etag"], first.json()["next"]
    again = season.client.get(
        "/api/v1/ladders/season/leaderboard",
        params={"at": DAYS[11], "limit": 1},
        headers={"if-none-match": tag},
    )
    assert again.status_code == 304
    season.report({"void": 1}, ladder="season")
    second = ratings_of(season, DAYS[11], limit=1, cursor=cursor)  # of the list that was begun
    assert second.json()["generation"] == first.json()["generation"]
    fresh = ratings_of(season, DAYS[11])
    assert fresh.headers["etag"] != tag
    assert fresh.json()["generation"] == first.json()["generation"] + 1
    assert first.json()["ratings"][0] not in fresh.json()["ratings"]
    season.service.past._kept.clear()
    problem(ratings_of(season, DAYS[11], limit=1, cursor=cursor), 410, "stale-cursor")


def test_nobody_waits_while_a_past_is_rated_and_few_wait_for_it(
    season: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = Flag(), Flag()
    real = past_ladders.read_entries

    def slow(*args: Any, **kwargs: Any) -> Any:
        begun.set()
        assert go_on.wait(30)
        return real(*args, **kwargs)

    monkeypatch.setattr(past_ladders, "read_entries", slow)
    answers: list[Any] = []
    dates = [DAYS[11]] * past_ladders.MOST_CALLERS
    threads = [Thread(target=lambda at=at: answers.append(ratings_of(season, at))) for at in dates]
    threads[0].start()
    assert begun.wait(30)
    for thread in threads[1:]:
        thread.start()
    while season.service.past._callers._value:
        time.sleep(0.01)
    season.report(game(26, "ann", "cat"), ladder="season")
    assert season.get("rating", ladder="season", player="ann")["events"] == 6
    refused = ratings_of(season, DAYS[13])
    assert (
        problem(refused, 429, "too-many-requests")["detail"]
        == "too many requests about past dates are running"
    )
    assert refused.headers["retry-after"] == str(past_ladders.RETRY_SECONDS)
    go_on.set()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [200] * len(dates)
    assert ratings_of(season, DAYS[13]).status_code == 200


def test_the_place_of_a_later_date_is_that_of_its_leaderboard(caller: Caller) -> None:
    """Ratings age differently, so the order after the last event is not that of the last event."""
    caller.create("season", system="races")
    for player, display, time_ in (("ann", 1500, "2024-01-01"), ("bob", 1495, "2026-01-01")):
        sent = {"adjustment": "set-rating", "player": player, "display": display, "sigma": 90, "time": time_}
        caller.report(sent, ladder="season")
    caller.client.patch("/api/v1/ladders/season", json={"min_events": 0})
    leaders = []
    for at in ({}, {"at": "2026-06-01"}):
        rows = caller.get("leaderboard", ladder="season", **at)["ratings"]
        leaders.append(rows[0]["player"])
        for row in rows:
            found = caller.get("rating", ladder="season", player=row["player"], **at)
            assert (found["place"], found["ranked"]) == (row["place"], len(rows))
    assert leaders == ["ann", "bob"]


def test_a_past_date_costs_by_how_far_it_is_from_a_saved_state(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Be that saved in the database, or kept in memory since a look at a date before."""
    costs: list[float] = []

    def noted(request: Any, cost: float, **more: Any) -> None:
        costs.append(cost)
        charge(request, cost, **more)

    def cost_of(entries: int) -> Any:
        return pytest.approx(10 + 2 / 150 + entries * (1 / 50 + 2 / 1_000))

    monkeypatch.setattr(reading_routes, "charge", noted)
    caller.create()
    caller.bulk([game(day, "ann", "bob", key=f"{day} {n}") for day in range(10) for n in range(50)])
    for day in (1, 8, 8, 9):
        caller.get("leaderboard", at=DAYS[day])
    assert costs == [
        cost_of(100),
        cost_of(350),
        cost_of(0),
    ]  # each from the one before, and the last is in memory
    caller.service.past.forget()
    caller.service.checkpoints.write("chess")
    caller.bulk([game(day, "ann", "bob", key=f"{day} {n}") for day in range(10, 20) for n in range(50)])
    caller.get("leaderboard", at=DAYS[8])
    caller.get("leaderboard", at=DAYS[11])
    assert costs[3:] == [cost_of(450), cost_of(100)]
