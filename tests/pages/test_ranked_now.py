"""Who is ranked on a website unless filters decide, and the list of the highest ratings ever."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

import podium
from pages.site_links import SITE
from podium import History
from podium.pages.ladder_pages import LadderPages, ladder_pages
from podium.pages.rendering import render_all_time
from podium.systems import State
from podium.systems.contract.appearances import usual_absence

FIRST = datetime.date(2020, 1, 1)


def meetings(*days: int, players: tuple[str, str] = ("ann", "bob")) -> list[Any]:
    """Matches on these days after the first one, won by the first player."""
    winner, loser = players
    return [
        {"ranks": {winner: 1, loser: 2}, "time": (FIRST + datetime.timedelta(days=day)).isoformat()}
        for day in days
    ]


def state_of(events: list[Any]) -> State:
    return podium.rate(History.from_events(events), "elo", allow_repeat=True).ladder.state


def pages_of(events: list[Any], **filters: Any) -> LadderPages:
    run = podium.rate(History.from_events(events), "elo", trace=True, allow_repeat=True)
    return ladder_pages(run, **filters)


@pytest.mark.parametrize(("every", "away"), [(1, 30), (2, 30), (7, 180), (14, 180), (30, 365), (60, 730)])
def test_players_may_be_away_for_ten_usual_breaks(every: int, away: int) -> None:
    assert usual_absence(state_of(meetings(*range(0, 10 * every, every)))) == away


def test_matches_of_one_evening_are_no_breaks() -> None:
    """A club that meets once a month for three rounds."""
    nights = [day for month in range(6) for day in (30 * month,) * 3]
    assert usual_absence(state_of(meetings(*nights))) == 365


def test_one_rule_holds_for_ladders_runs_and_files() -> None:
    """However the events came in, after loading, and after taking one back."""
    events = meetings(*range(0, 70, 7), players=("old", "bob")) + meetings(*range(700, 770, 7))
    run = podium.rate(History.from_events(events), "elo", allow_repeat=True)
    online = podium.Ladder("elo")
    for event in events:
        online.record(**event)
    assert online.state == run.ladder.state
    assert usual_absence(online.state) == 180
    for ladder in (online, run):
        assert ladder.leaderboard()["player"].to_list() == ["ann", "bob"]
        assert ladder.leaderboard(top=1)["player"].to_list() == ["ann"]
        assert ladder.leaderboard(active_since=None)["player"].to_list() == ["old", "ann", "bob"]
    counted = online.state.shared["breaks"].tolist()
    online.record_match("old", "ann", time="2025-01-01")
    online.undo()
    assert online.state.shared["breaks"].tolist() == counted


def test_the_usual_time_begins_with_a_day() -> None:
    """The list changes at most once a day because others have played."""
    ladder = podium.Ladder("elo")
    for day in (0, 1, 2):
        ladder.record_match("ann", "bob", time=FIRST + datetime.timedelta(days=day))
    ladder.record_match("cat", "dan", time="2020-02-02T23:00")  # 30 days and 23 hours after the last one
    assert set(ladder.leaderboard()["player"]) == {"ann", "bob", "cat", "dan"}
    ladder.record_match("cat", "dan", time="2020-02-03T00:00")
    assert set(ladder.leaderboard()["player"]) == {"cat", "dan"}


def test_a_ladder_of_an_older_podium_ranks_everybody_at_first() -> None:
    state = state_of(meetings(0, 7, 14))
    arrays = state.to_arrays()
    del arrays["shared:breaks"]
    state.load(arrays)
    assert usual_absence(state) is None


def test_who_stopped_playing_is_not_ranked_on_a_website() -> None:
    events = meetings(*range(0, 70, 7), players=("old", "bob"))
    events += meetings(*range(700, 770, 7), players=("ann", "bob"))
    board = pages_of(events).leaderboard()
    assert [(row["player"], row["group"]) for row in board["rows"]] == [
        ("ann", "ranked"),
        ("bob", "ranked"),
        ("old", "inactive"),
    ]
    assert "an event since" in board["rule"]
    everyone = pages_of(events, active_since=None).leaderboard()
    assert {row["group"] for row in everyone["rows"]} == {"ranked"}


def test_a_player_without_a_rated_event_did_not_stop_playing() -> None:
    """A guest out of competition was listed as inactive, with an event of yesterday."""
    events = meetings(*range(0, 70, 7), players=("ann", "bob"))
    guest = {"ranks": {"ann": 1, "guest": 2}, "unrated": ["guest"], "time": "2020-03-11"}
    row = next(row for row in pages_of([*events, guest]).leaderboard()["rows"] if row["player"] == "guest")
    assert row["group"] == "provisional"
    assert row["missing"] is not None
    assert row["missing"].endswith("more events")


def test_the_highest_ratings_ever_keep_those_who_stopped() -> None:
    events = meetings(*range(0, 70, 7), players=("old", "bob"))
    events += meetings(*range(700, 721, 7), players=("ann", "bob"))
    page = pages_of(events).all_time()
    assert page is not None
    assert page["min_events"] == 3  # a quarter of bob's 13
    first = page["peaks"][0]
    assert (first["player"], first["time"], first["events"]) == ("old", "2020-03-04", 10)
    assert [peak["player"] for peak in page["peaks"]] == ["old", "ann", "bob"]
    html = render_all_time(page, SITE)
    assert "after at least 3 rated events" in html
    assert "4 Mar 2020" in html


def test_a_saved_ladder_has_no_list_of_highest_ratings() -> None:
    ladder = podium.Ladder("elo")
    ladder.record_match("ann", "bob", time="2026-05-01")
    pages = ladder_pages(ladder)
    assert (pages.all_time(), pages.data.filters.get("active_since")) == (None, None)
