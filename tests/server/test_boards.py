"""Boards: the order that is kept up to date equals sorting anew, and pages lead forth and back."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from podium.history import Event
from podium.server.board import LETTERS, Board, BoardFilter
from podium.server.log_entries import LogEntry
from podium.server.served_ladder import ServedLadder
from server.callers import Caller, Plain, called_service, problem
from server.ladder_model import DAY, START, LadderModel, iso

PLAYERS = 300


def sorted_anew(ladder: ServedLadder) -> list[int]:
    """Everybody with an event, best first, equals by the first bytes of their names, then by number."""
    display = ladder.system.ratings(ladder.state).display.tolist()
    events = ladder.state.column("events").tolist()
    first = [name.encode()[:LETTERS].ljust(LETTERS, b"\0") for name in ladder.players]
    everybody = [player for player in range(len(display)) if events[player]]
    return sorted(everybody, key=lambda player: (-display[player], first[player], player))


def entry(number: int, content: Any) -> LogEntry:
    return LogEntry(
        number=number,
        key=str(number),
        fingerprint=b"",
        content=content,
        occurred=content.time,
        rated_time=content.time,
        received=0,
    )


@pytest.mark.parametrize("system", ["elo", "glicko"])
def test_the_order_kept_up_to_date_is_that_of_sorting_anew(system: str) -> None:
    chance = Random(system)
    ladder = ServedLadder(system)
    board = Board(ladder)
    number = 0
    for _ in range(150):
        names = [f"player {chance.randrange(PLAYERS):03}"[-chance.randint(3, 10) :] for _ in range(4)]
        pairs = [pair for pair in (names[:2], names[2:]) if len(set(pair)) == 2]
        entries = [
            entry(number + place, Event.of(ranks={one: 1, other: chance.randint(1, 2)}))
            for place, (one, other) in enumerate(pairs, start=1)
        ]
        if not entries:
            continue
        ladder.rate(entries)
        number += len(entries)
        if chance.random() < 0.8:  # or several changes are looked at together
            standings = board.standings(number, BoardFilter())
            assert standings.players.tolist() == sorted_anew(ladder)
            player = int(chance.choice(standings.players))
            better = sum(standings.display(int(one)) > standings.display(player) for one in standings.players)
            assert standings.place_of(player) == 1 + better
    assert len(ladder.players) > 64 * 2  # or everybody would have been sorted anew each time


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Caller, LadderModel]]:
    """A service and a model that have seen the same random season of glicko."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.server.service.compile_kernels", lambda told: None)
        with called_service(str(tmp_path_factory.mktemp("boards") / "podium.db")) as caller:
            caller.create(system="glicko")
            model, chance, sent = LadderModel("glicko"), Random(7), []
            for place in range(120):
                one, other = chance.sample(range(40), 2)
                ranks = {f"p{one}": 1, f"p{other}": chance.randint(1, 2)}
                sent.append({"key": str(place), "ranks": ranks, "time": START + place * DAY})
                model.record(sent[-1])
            sent.append(
                {"adjustment": "set-rating", "player": "seeded", "mu": 1600, "time": START + 200 * DAY}
            )
            model.record(sent[-1])
            caller.bulk(sent)
            yield caller, model


FILTERS: list[Plain] = [
    {},
    {"min_events": 0},
    {"min_events": 5},
    {"active_since": "30d"},
    {"active_since": "2025-09-01"},
    {"max_sigma": 200.0},
    {"min_events": 3, "active_since": "60d", "max_sigma": 250.0},
    {"min_events": 1000},
]


@pytest.mark.parametrize("chosen", FILTERS, ids=str)
def test_a_board_is_the_ladders_leaderboard(season: tuple[Caller, LadderModel], chosen: Plain) -> None:
    caller, model = season
    rows = model.ladder.leaderboard(**chosen).to_dicts()
    expected = [{**row, "last_time": iso(row["last_time"])} for row in rows]
    found = caller.get("leaderboard", limit=1000, **chosen)
    assert found["ratings"] == expected
    assert (found["ranked"], found["players"]) == (len(expected), len(model.ladder))
    assert (found["next"], found["previous"]) == (None, None)


@pytest.mark.parametrize("limit", [1, 7, 40])
def test_cursors_lead_forth_and_back(season: tuple[Caller, LadderModel], limit: int) -> None:
    caller, _ = season
    whole = caller.get("leaderboard", limit=1000)["ratings"]
    page = caller.get("leaderboard", limit=limit)
    forth = list(page["ratings"])
    while page["next"]:
        page = caller.get("leaderboard", limit=limit, cursor=page["next"])
        forth += page["ratings"]
    assert forth == whole
    back = list(page["ratings"])
    while page["previous"]:
        page = caller.get("leaderboard", limit=limit, cursor=page["previous"])
        back = page["ratings"][: len(whole) - len(back)] + back
    assert back == whole


def test_a_page_around_a_player_holds_the_player(season: tuple[Caller, LadderModel]) -> None:
    caller, model = season
    whole = [one["player"] for one in caller.get("leaderboard", limit=1000)["ratings"]]
    for player in whole:
        page = caller.get("leaderboard", limit=5, around=player)
        names = [one["player"] for one in page["ratings"]]
        assert player in names
        assert len(names) == 5
        place = whole.index(player)
        if 2 <= place < len(whole) - 2:
            assert names == whole[place - 2 : place + 3]
        found = caller.get("rating", player=player)
        places = {one["player"]: one["place"] for one in page["ratings"]}
        assert (found["place"], found["ranked"]) == (places[player], len(whole))
    assert caller.get("rating", player="seeded")["place"] is None
    assert len(caller.get("leaderboard", limit=5, around="seeded")["ratings"]) == 5
    answer = caller.client.get("/api/v1/ladders/chess/leaderboard?around=who")
    problem(answer, 404, "unknown-player")
    assert "who" not in model.ladder


def test_a_cursor_goes_on_while_ratings_change_and_ends_with_a_generation(caller: Caller) -> None:
    for place in range(10):
        caller.report({"ranks": {f"p{place}": 1, f"q{place}": 2}})
    page = caller.get("leaderboard", limit=3)
    caller.report({"ranks": {"p0": 1, "p9": 2}})
    assert caller.get("leaderboard", limit=3, cursor=page["next"])["ratings"]
    caller.client.post("/api/v1/ladders/chess/rebuild")
    answer = caller.client.get(f"/api/v1/ladders/chess/leaderboard?cursor={page['next']}")
    problem(answer, 410, "stale-cursor")


def test_who_has_a_place_is_a_setting_of_the_ladder(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    caller.report({"ranks": {"ann": 1, "cat": 2}})
    caller.client.patch("/api/v1/ladders/chess", json={"min_events": 2})
    assert [one["player"] for one in caller.get("leaderboard")["ratings"]] == ["ann"]
    assert caller.get("rating", player="bob")["place"] is None
    assert len(caller.get("leaderboard", min_events=1)["ratings"]) == 3
