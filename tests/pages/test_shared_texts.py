"""What a link to a page shows in a chat, and the board as text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import podium
from pages.site_links import SITE
from podium import History
from podium.pages.ladder_pages import LadderPages, ladder_pages
from podium.pages.rendering import render_event, render_leaderboard, render_matches, render_player
from podium.pages.shared_texts import board_text


class Tags(HTMLParser):
    """The previews of a page by their names."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("property") or given.get("name")
        if tag == "meta" and name and given.get("content"):
            self.found[name] = str(given["content"])


def pages_of(*events: Any) -> LadderPages:
    return ladder_pages(podium.rate(History.from_events(events), "elo", trace=True, allow_repeat=True))


WIN = {"ranks": {'Ann "Ace" <1>': 1, "Bob": 2}, "time": "2026-05-01"}
CONTEST = {"ranks": {"Ann": 1, "Bob": 2, "Cat": 3}, "name": "cup", "time": "2026-05-02"}


def test_a_link_to_a_board_shows_who_leads() -> None:
    board = pages_of(WIN).leaderboard()
    tags = Tags(render_leaderboard(board, SITE)).found
    assert tags["og:title"] == "Leaderboard"
    assert tags["og:description"] == '1. Ann "Ace" <1> 1516, 2. Bob 1484. 2 players, until 1 May 2026.'
    assert tags["description"] == tags["og:description"]


def test_links_to_a_match_a_contest_and_a_player() -> None:
    pages = pages_of(WIN, CONTEST)
    match = Tags(render_event(pages.event(1), SITE)).found
    assert match["og:title"] == 'Ann "Ace" <1> beat Bob'
    assert match["og:description"].startswith(
        'Ann "Ace" <1> had a chance of 50% to win, so winning gained 16'
    )
    contest = Tags(render_event(pages.event(2), SITE)).found
    assert contest["og:description"] == "Won by Ann. 3 players, 2 May 2026."
    page = pages.player(0)
    assert Tags(render_player(page, SITE)).found["og:description"] == "Rating 1516, 1 event."
    placed = Tags(render_player({**page, "place": 1, "ranked": 4}, SITE)).found
    assert placed["og:description"] == "Rating 1516, place 1 of 4, 1 event."
    matches = pages_of(WIN).matches()
    assert matches is not None
    assert "og:title" not in Tags(render_matches(matches, SITE)).found


def test_a_board_is_sent_as_lines() -> None:
    board = pages_of(WIN).leaderboard()
    assert board_text(board, "club", 0).splitlines() == [
        "club, 1 May 2026",
        '1. Ann "Ace" <1> 1516 (+16)',
        "2. Bob 1484 (−16)",
    ]
    board["rows"][1] |= {"place": None, "last_change": None}
    assert board_text({**board, "now": None}, "club", 0).splitlines()[0] == "club"
    assert len(board_text(board, "club", 0).splitlines()) == 2
