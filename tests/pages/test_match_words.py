"""The pages of matches: a title, who won, the score, and why each rating moved."""

from __future__ import annotations

import re
from typing import Any

import podium
from pages.site_links import SITE
from podium import History
from podium.pages.ladder_pages import LadderPages, ladder_pages
from podium.pages.rendering import render_event, render_events

CLUB_NIGHT = {"name": "club night", "time": "2026-05-01"}


def pages_of(*events: Any) -> LadderPages:
    run = podium.rate(History.from_events(events), "elo", trace=True, allow_repeat=True)
    return ladder_pages(run)


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def element(html: str, tag: str) -> str:
    found = re.search(rf"<{tag}[ >].*?</{tag}>", html, re.DOTALL)
    assert found is not None
    return found[0]


def test_a_match_is_called_by_its_players_and_its_score() -> None:
    page = pages_of({"scores": {"Hans": 1, "Vera": 3}, **CLUB_NIGHT}).event(1)
    html = render_event(page, SITE)
    assert plain(element(html, "title")) == "Vera 3:1 Hans · club"
    assert plain(element(html, "h1")) == "Vera 3:1 Hans"
    assert "<b><bdi>Vera</bdi></b>" in element(html, "h1")
    assert "club night" in plain(html)
    head = plain(element(html, "thead"))
    assert ("Rank" in head, "Score" in head) == (False, True)
    assert 'class="wide number" data-sort="number">Score' not in html  # a phone shows the score too


def test_without_scores_the_title_tells_who_won() -> None:
    pages = pages_of(
        {"ranks": {"Hans": 2, "Vera": 1}, "time": "2026-05-01"},
        {"ranks": {"Hans": 1, "Vera": 1}, "time": "2026-05-02"},
    )
    titles = [plain(element(render_event(pages.event(number), SITE), "h1")) for number in (1, 2)]
    assert titles == ["Vera beat Hans", "Hans drew with Vera"]


def test_doubles_are_named_as_pairs() -> None:
    page = pages_of({"teams": [["Ann", "Bob"], ["Cat", "Dan"]], "ranks": [1, 2], **CLUB_NIGHT}).event(1)
    html = render_event(page, SITE)
    assert plain(element(html, "title")) == "Ann and Bob beat Cat and Dan · club"
    assert "Ann and Bob had a chance of 50% to win, so winning gained" in plain(html)


def test_each_change_is_explained_with_the_chance_before_it() -> None:
    """Elo with k = 32 by default: 0.5 expected, so 16 points; then 1 / (1 + 10^(-32/400)) = 0.546."""
    pages = pages_of(
        {"ranks": {"Hans": 2, "Vera": 1}, "time": "2026-05-01"},
        {"ranks": {"Hans": 1, "Vera": 2}, "time": "2026-05-02"},
    )
    row = pages.event(1)["result"]
    assert row is not None
    k = 2 * row["second_change"]
    gained = f"{k * 0.5459:.0f}"
    words = plain(render_event(pages.event(2), SITE))
    assert f"Hans had a chance of 45% to win, so winning gained {gained} points." in words
    assert f"Vera had a chance of 55% to win, so losing cost {gained} points." in words


def test_a_contest_keeps_its_name_and_its_places() -> None:
    page = pages_of({"ranks": {"Ann": 1, "Bob": 2, "Cat": 3}, **CLUB_NIGHT}).event(1)
    html = render_event(page, SITE)
    assert (plain(element(html, "h1")), page["result"]) == ("club night", None)
    assert "Rank" in plain(element(html, "thead"))


def test_an_event_leads_to_the_one_before_and_after_it() -> None:
    pages = pages_of(*({"ranks": {"Ann": 1, "Bob": 2}, "time": f"2026-05-0{day}"} for day in (1, 2, 3)))
    assert [pages.event(number)["next"] for number in (1, 2, 3)] == [2, 3, None]


def test_the_list_of_events_shows_matches_with_their_results() -> None:
    matches = pages_of(
        {"scores": {"Hans": 1, "Vera": 3}, "time": "2026-05-01"},
        {"ranks": {"Hans": 1, "Vera": 1}, **CLUB_NIGHT},
    )
    html = render_events(matches.events(1), SITE)
    assert "Winner" not in plain(element(html, "thead"))
    rows = [plain(row) for row in re.findall(r"<tr>.*?</tr>", html, re.DOTALL)[1:]]
    assert rows == ["2 Hans drew with Vera club night 1 May 2026 2", "1 Vera 3:1 Hans 1 May 2026 2"]
    mixed = pages_of(
        {"ranks": {"Hans": 1, "Vera": 2}, "time": "2026-05-01"},
        {"ranks": {"Ann": 1, "Bob": 2, "Cat": 3}, **CLUB_NIGHT},
    )
    assert "Winner" in plain(element(render_events(mixed.events(1), SITE), "thead"))
