"""Who is ranked on a website unless filters decide, and the list of the highest ratings ever."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

import podium
from pages.site_links import SITE
from podium import History
from podium.pages.ladder_data import usual_absence
from podium.pages.ladder_pages import LadderPages, ladder_pages
from podium.pages.rendering import render_all_time

FIRST = datetime.date(2020, 1, 1)


def meetings(*days: int, players: tuple[str, str] = ("ann", "bob")) -> list[Any]:
    """Matches on these days after the first one, won by the first player."""
    winner, loser = players
    return [
        {"ranks": {winner: 1, loser: 2}, "time": (FIRST + datetime.timedelta(days=day)).isoformat()}
        for day in days
    ]


def pages_of(events: list[Any], **filters: Any) -> LadderPages:
    run = podium.rate(History.from_events(events), "elo", trace=True, allow_repeat=True)
    return ladder_pages(run, **filters)


@pytest.mark.parametrize(
    ("every", "away"), [(1, "30d"), (2, "30d"), (7, "180d"), (14, "180d"), (30, "365d"), (60, "730d")]
)
def test_players_may_be_away_for_ten_usual_breaks(every: int, away: str) -> None:
    assert usual_absence([History.from_events(meetings(*range(0, 10 * every, every)))]) == away


def test_matches_of_one_evening_are_no_breaks() -> None:
    """A club that meets once a month for three rounds."""
    nights = [day for month in range(6) for day in (30 * month,) * 3]
    assert usual_absence([History.from_events(meetings(*nights))]) == "365d"


def test_who_stopped_playing_is_not_ranked_on_a_website() -> None:
    events = meetings(*range(0, 70, 7), players=("old", "bob"))
    events += meetings(*range(700, 770, 7), players=("ann", "bob"))
    board = pages_of(events).leaderboard()
    assert [(row["player"], row["group"]) for row in board["rows"]] == [
        ("ann", "ranked"),
        ("bob", "ranked"),
        ("old", "inactive"),
    ]
    assert "an event (or a rating set by hand) since" in board["rule"]
    everyone = pages_of(events, active_since=None).leaderboard()
    assert {row["group"] for row in everyone["rows"]} == {"ranked"}


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
