"""One ladder of a service: made or refused when it is first used, and read page by page."""

from __future__ import annotations

from typing import Any

import httpx2
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import podium
from client.scripted_service import ADDRESS, Caller, Kind, ScriptedService, problem, told
from podium import Client, Elo, Ladder
from podium.documents import leaderboard_document, system_document


def rating() -> httpx2.Response:
    return told("player-rating", player="ann", mu=1.0, sigma=None, display=1.0, events=1, last_time=None)


def ladder(system: podium.RatingSystem, **changed: Any) -> httpx2.Response:
    described = {
        "slug": "main",
        "title": "",
        "description": "",
        "min_events": 1,
        "active_since": None,
        "max_sigma": None,
        "fill_times": True,
        "players": 2,
        "events": 3,
        "head": 4,
        "generation": 1,
        "pending": 0,
        "last_time": "2026-05-01",
        "created": "2026-05-01T18:30:00Z",
        "archived": False,
    }
    return told("service-ladder", **system_document(system), **{**described, **changed})


def test_a_ladder_is_made_when_it_is_first_used(kind: Kind) -> None:
    service = ScriptedService(problem("unknown-ladder", 404), ladder(Elo(k=24)), rating())
    caller = Caller(kind, service, system=Elo(k=24), title="Chess", fill_times=False, active_since=0)
    assert caller.call("rating", "ann").player == "ann"
    assert service.asked == ["GET /ladders/main", "POST /ladders", "GET /ladders/main/rating?player=ann"]
    (made,) = service.bodies()
    assert (made["slug"], made["system"], made["parameters"]["k"]) == ("main", "elo", 24.0)
    assert (made["title"], made["fill_times"], made["active_since"]) == ("Chess", False, "1970-01-01")


def test_a_ladder_that_is_there_is_used(kind: Kind) -> None:
    service = ScriptedService(ladder(Elo(), title="renamed since"), rating())
    assert Caller(kind, service, system="elo").call("rating", "ann").display == 1.0
    raced = ScriptedService(
        problem("unknown-ladder", 404), problem("ladder-exists", 409), ladder(Elo()), rating()
    )
    assert Caller(kind, raced, system="elo").call("rating", "ann").display == 1.0


@pytest.mark.parametrize(
    ("there", "words"), [(podium.Glicko(), "of glicko, not of elo"), (Elo(k=24), "k=24.0, not 32.0")]
)
def test_a_ladder_of_another_system_is_refused(there: podium.RatingSystem, words: str, kind: Kind) -> None:
    with pytest.raises(podium.StateError, match=words):
        Caller(kind, ScriptedService(ladder(there)), system="elo").call("record_match", "ann", "bob")


def test_a_ladder_is_looked_for_once() -> None:
    service = ScriptedService(
        ladder(Elo()), rating(), rating(), ladder(Elo()), ladder(Elo()), ladder(Elo()), rating()
    )
    http = httpx2.Client(transport=httpx2.MockTransport(service))
    with Client(ADDRESS + "/api/v1/", system="elo", http=http) as client:
        client.rating("ann")
        client.rating("ann")
        assert client.system == Elo()
        assert (len(client), client.n_events, client.last_time) == (2, 3, 1_777_593_600_000_000)
        assert bool(client)
        assert "ann" in client
        assert 7.5 not in client
    assert service.is_done
    assert repr(client) == "<Client: ladder 'main' at http://podium.test>"


def test_the_system_of_a_ladder_is_asked_for_once() -> None:
    service = ScriptedService(ladder(podium.EloMMR(rho=float("inf"))))
    with Client(ADDRESS, http=httpx2.Client(transport=httpx2.MockTransport(service))) as client:
        assert client.system is client.system
        assert client.system == podium.EloMMR(rho=float("inf"))


def test_an_unknown_player_is_not_in_a_ladder(kind: Kind) -> None:
    service = ScriptedService(problem("unknown-player", 404))
    assert not Caller(kind, service).call("has_player", "eve")


# ---------------------------------------------------------------------- pages


def board_of(size: int) -> tuple[Ladder, list[Any], pl.DataFrame]:
    here = Ladder("elo")
    for number in range(0, size, 2):
        here.record_match(f"p{number}", f"p{number + 1}")
    board = here.leaderboard()
    return here, list(leaderboard_document(here, board)["ratings"]), board


def test_a_leaderboard_is_read_page_by_page(kind: Kind) -> None:
    _, rows, board = board_of(6)
    service = ScriptedService(
        told("board", ratings=rows[:4], next="more"), told("board", ratings=rows[3:], next=None)
    )
    found = Caller(kind, service).call("leaderboard", min_events=1, active_since="90d")
    assert_frame_equal(found, board)
    assert service.asked == [
        "GET /ladders/main/leaderboard?min_events=1&active_since=90d&limit=1000",
        "GET /ladders/main/leaderboard?min_events=1&active_since=90d&limit=1000&cursor=more",
    ]


def test_only_as_many_rows_as_wanted_are_asked_for(kind: Kind) -> None:
    _, rows, board = board_of(6)
    service = ScriptedService(told("board", ratings=rows[:4], next="more"))
    assert_frame_equal(Caller(kind, service).call("leaderboard", top=4), board.head(4))
    assert service.asked == ["GET /ladders/main/leaderboard?limit=4"]
    assert Caller(kind, ScriptedService()).call("leaderboard", top=0).height == 0


def test_pages_begin_anew_if_everything_was_rated_again(kind: Kind) -> None:
    _, rows, board = board_of(4)
    service = ScriptedService(
        told("board", ratings=rows[:1], next="old"),
        problem("stale-cursor", 410),
        told("board", ratings=rows, next=None),
    )
    assert_frame_equal(Caller(kind, service).call("leaderboard"), board)
    with pytest.raises(podium.ServiceError):
        Caller(kind, ScriptedService(*(problem("stale-cursor", 410) for _ in range(5)))).call("leaderboard")


def test_players_without_a_place_follow(kind: Kind) -> None:
    here, rows, _ = board_of(4)
    here.adjust(podium.SetRating(player="eve", mu=1700))
    everybody = list(leaderboard_document(here, here.leaderboard(min_events=0))["ratings"])
    service = ScriptedService(
        told("board", ratings=rows, next=None),
        told("board", ratings=everybody, next=None),
    )
    found = Caller(kind, service).call("leaderboard", provisional=True)
    assert_frame_equal(found, here.leaderboard(provisional=True))
    assert "everybody=true" in service.asked[-1]


def test_a_history_is_told_oldest_first(kind: Kind) -> None:
    change = dict.fromkeys(("mu_before", "sigma_before", "display_before", "mu", "sigma", "display"), 1.0)
    rows = [
        {
            **change,
            "number": number,
            "event": None,
            "adjustment": adjustment,
            "account": None,
            "time": "2026-05-01",
            "player": "ann",
            "rank": 1,
            "performance": None,
        }
        for number, adjustment in ((9, "reset keep=0.5"), (7, None))
    ]
    service = ScriptedService(told("player-history", events=rows, next=None))
    frame = Caller(kind, service).call("history", "ann", last=2)
    assert frame["number"].to_list() == [7, 9]
    run = podium.rate(
        podium.History.from_matches(["ann"], ["bob"], time=["2026-05-01"]), "glicko", trace=True
    )
    assert frame.drop("number", "account").schema == run.history("ann").drop("sides", "row").schema
    assert frame["adjustment"].to_list() == [None, "reset keep=0.5"]
    assert service.asked == ["GET /ladders/main/history?player=ann&limit=2"]


def test_head_to_head(kind: Kind) -> None:
    meeting = {"number": 7, "event": "final", "time": "2026-05-01", "rank_a": 1, "rank_b": 2}
    meeting |= {"display_a": 1516.0, "display_b": 1484.0}
    chances = {"expected_score": 0.55, "outcomes": {"win": 0.55, "draw": 0.0, "loss": 0.45}}
    page = {"a": "ann", "b": "bob", "wins": 2, "draws": 0, "losses": 1, "meetings": [meeting], **chances}
    service = ScriptedService(
        told("head-to-head", **page, next="more"), told("head-to-head", **page, next=None)
    )
    found = Caller(kind, service).call("head_to_head", "ann", "bob")
    assert (found.wins, found.losses, len(found.meetings)) == (2, 1, 2)
    assert found.outcomes == podium.Outcomes(0.55, 0.0, 0.45)


# ---------------------------------------------------------------------- administration


def test_ladders_of_a_service(kind: Kind) -> None:
    pages = [ladder(Elo(), slug=slug).json() for slug in ("chess", "go")]
    service = ScriptedService(
        told("service-ladders", ladders=pages[:1], next="more"),
        told("service-ladders", ladders=pages[1:], next=None),
        ladder(Elo(), slug="darts"),
        ladder(Elo(), title="Office"),
        ladder(Elo(), archived=True),
        ladder(Elo()),
    )
    caller = Caller(kind, service)
    assert [one.slug for one in caller.call("ladders")] == ["chess", "go"]
    assert caller.call("create_ladder", "darts", "elo", min_events=3).slug == "darts"
    assert caller.call("change", title="Office").title == "Office"
    assert caller.call("archive").archived
    assert not caller.call("reopen").archived
    assert service.asked[2:] == ["POST /ladders", *["PATCH /ladders/main"] * 3]
    assert service.bodies("PATCH") == [{"title": "Office"}, {"archived": True}, {"archived": False}]
