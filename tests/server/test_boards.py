"""Boards: the order that is kept up to date is that of a ladder, and pages lead forth and back."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from podium.history import Event
from podium.server.ladders.board import EVERYBODY, Board, BoardFilter
from podium.server.ladders.loaded_ladders import MOST_FORMER
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.log.log_entries import LogEntry
from server.callers import Caller, Plain, called_service, problem
from server.ladder_model import DAY, START, LadderModel, iso


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


BOARD_FILTERS = [
    EVERYBODY,
    BoardFilter(),
    BoardFilter(min_events=3),
    BoardFilter(active_since="2d"),
    BoardFilter(active_since="1970-01-20"),
]


@pytest.mark.parametrize("system", ["elo", "glicko"])
@pytest.mark.parametrize("most_moved_singly", [2, 50])
def test_the_order_kept_up_to_date_is_that_of_a_ladder(
    system: str, most_moved_singly: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Players who took part are moved one by one or together; hardly ever is everybody sorted anew."""
    monkeypatch.setattr("podium.server.ladders.board.ALWAYS_SORTED_UP_TO", 0)
    monkeypatch.setattr("podium.server.ladders.board.SORTED_ANEW_PART", 2)
    monkeypatch.setattr("podium.server.ladders.board.MOST_MOVED_SINGLY", most_moved_singly)
    chance = Random(system)
    ladder = NumberedLadder(system)
    board = Board(ladder)
    filters = [*BOARD_FILTERS, BoardFilter(max_sigma=200.0)] if system == "glicko" else BOARD_FILTERS
    number = 0
    for day in range(100):
        entries = [
            entry(number + place, event_of(chance, 5 + day, day))
            for place in range(1, chance.choice([1, 1, 3, 20]) + 1)
        ]
        for columns in ladder.rate(entries):
            board.touch(columns.player.tolist())
        number += len(entries)
        for chosen in chance.sample(filters, 3):  # the others see several changes together
            standings = board.standings(chosen)
            found = [
                (standings.place(position), ladder.players[player])
                for position, player in enumerate(standings.players.tolist())
            ]
            wanted = ladder.leaderboard(
                min_events=chosen.min_events, active_since=chosen.active_since, max_sigma=chosen.max_sigma
            )
            assert found == list(wanted.select("place", "player").iter_rows())


def event_of(chance: Random, players: int, day: int) -> Event:
    one, other = chance.sample(range(players), 2)
    return Event.of(ranks={f"p{one}": 1, f"p{other}": chance.randint(1, 2)}, time=86_400 * day)


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
    answer = caller.client.get("/api/v1/ladders/chess/leaderboard?around=seeded")
    refused = problem(answer, 400, "parameter")
    assert "'seeded' has no place on this leaderboard, which requires a rated event" in refused["detail"]
    everybody = caller.get("leaderboard", limit=5, around="seeded", everybody=True)["ratings"]
    assert "seeded" in [one["player"] for one in everybody]
    answer = caller.client.get("/api/v1/ladders/chess/leaderboard?around=who")
    problem(answer, 404, "unknown-player")
    assert "who" not in model.ladder


def test_a_cursor_goes_on_while_ratings_change_and_later_ends_with_its_generation(caller: Caller) -> None:
    for place in range(10):
        caller.report({"ranks": {f"p{place}": 1, f"q{place}": 2}})
    page = caller.get("leaderboard", limit=3)
    caller.report({"ranks": {"p0": 1, "p9": 2}})
    assert caller.get("leaderboard", limit=3, cursor=page["next"])["ratings"]
    for _ in range(MOST_FORMER):
        caller.client.post("/api/v1/ladders/chess/rebuild")
        assert caller.get("leaderboard", limit=3, cursor=page["next"])["generation"] == 1
    caller.client.post("/api/v1/ladders/chess/rebuild")  # more than a worker keeps in memory
    answer = caller.client.get(f"/api/v1/ladders/chess/leaderboard?cursor={page['next']}")
    problem(answer, 410, "stale-cursor")


def test_who_has_a_place_is_a_setting_of_the_ladder(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    caller.report({"ranks": {"ann": 1, "cat": 2}})
    caller.client.patch("/api/v1/ladders/chess", json={"min_events": 2})
    assert [one["player"] for one in caller.get("leaderboard")["ratings"]] == ["ann"]
    assert caller.get("rating", player="bob")["place"] is None
    assert len(caller.get("leaderboard", min_events=1)["ratings"]) == 3


def test_players_who_stopped_have_no_place_unless_the_ladder_says_so(any_caller: Caller) -> None:
    """The default of `Ladder.leaderboard`: ten usual breaks, here of a week, as 180 days."""
    caller = any_caller
    for player, year in (("old", 2024), ("ann", 2026)):
        for day in (1, 8, 15):
            caller.report({"ranks": {player: 1, "bob": 2}, "time": f"{year}-05-{day:02}"})

    def board(**query: Any) -> set[str]:
        return {one["player"] for one in caller.get("leaderboard", **query)["ratings"]}

    assert board() == {"ann", "bob"}
    assert board(active_since="2024-01-01") == {"old", "ann", "bob"}
    assert caller.get("rating", player="old")["place"] is None
    page = caller.client.get("/ladders/chess/", params={"format": "json"}).json()
    assert (page["ranked"], page["provisional"], page["inactive"]) == (2, 0, 1)
    guest = {"ranks": {"ann": 1, "guest": 2}, "unrated": ["guest"], "time": "2026-05-15"}
    caller.report(guest)  # out of competition: not rated yet, which is not inactive
    page = caller.client.get("/ladders/chess/", params={"format": "json"}).json()
    assert (page["ranked"], page["provisional"], page["inactive"]) == (2, 1, 1)
    assert [row["missing"] for row in page["rows"] if row["player"] == "guest"] == ["1 more event"]
    assert "since 2025-11-16" in page["rule"] or "since 16 Nov 2025" in page["rule"]
    answer = caller.client.patch("/api/v1/ladders/chess", json={"active_since": None})
    assert answer.json()["active_since"] is None
    assert board() == {"old", "ann", "bob"}
    assert board(active_since="usual") == {"ann", "bob"}


def test_the_board_counts_wins_draws_and_losses(any_caller: Caller) -> None:
    """Also after a match is taken back, and in a service that has started again."""
    caller = any_caller
    for day, ranks in enumerate(((1, 2), (1, 1), (2, 1), (1, 2)), start=1):
        caller.report({"ranks": dict(zip(("ann", "bob"), ranks, strict=True)), "time": f"2026-05-{day:02}"})

    def record(player: str) -> Any:
        page = caller.client.get("/ladders/chess/", params={"format": "json"}).json()
        return next(row["record"] for row in page["rows"] if row["player"] == player)

    assert record("ann") == {"wins": 2, "draws": 1, "losses": 1, "form": ["win", "draw", "loss", "win"]}
    assert record("bob") == {"wins": 1, "draws": 1, "losses": 2, "form": ["loss", "draw", "win", "loss"]}
