"""The board as members read it: wins and losses, the form of the last five, medals, and ± behind a tap."""

from __future__ import annotations

import re
from typing import Any

import podium
from pages.site_links import SITE
from podium import History
from podium.pages.ladder_pages import LadderPages, ladder_pages
from podium.pages.rendering import render_leaderboard


def pages_of(events: list[Any], system: str = "elo") -> LadderPages:
    run = podium.rate(History.from_events(events), system, trace=True, allow_repeat=True)
    return ladder_pages(run)


def match(winner: str, loser: str, day: int, *, draw: bool = False) -> dict[str, Any]:
    return {"ranks": {winner: 1, loser: 1 if draw else 2}, "time": f"2026-05-{day:02}"}


def cells(html: str, player: str) -> list[str]:
    row = next(row for row in re.findall(r"<tr.*?</tr>", html, re.DOTALL) if f">{player}<" in row)
    return [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)]


def test_matches_are_counted_and_the_last_five_are_the_form() -> None:
    results = [match("ann", "bob", day) for day in (1, 2, 3, 4)]
    results += [match("bob", "ann", 5), match("ann", "bob", 6, draw=True)]
    board = pages_of(results).leaderboard()
    ann = next(row for row in board["rows"] if row["player"] == "ann")
    assert ann["record"] == {
        "wins": 4,
        "draws": 1,
        "losses": 1,
        "form": ["win", "win", "win", "loss", "draw"],
    }
    html = render_leaderboard(board, SITE)
    assert "4–1–1" in cells(html, "ann")
    assert "WWWLD" in cells(html, "ann")
    assert "LLLWD" in cells(html, "bob")


def test_draws_are_shown_only_where_there_are_some() -> None:
    html = render_leaderboard(pages_of([match("ann", "bob", day) for day in (1, 2)]).leaderboard(), SITE)
    assert "2–0" in cells(html, "ann")
    assert "W–D–L" not in html


def test_contests_of_many_sides_have_no_wins_and_losses() -> None:
    contest = {"ranks": {"ann": 1, "bob": 2, "cat": 3}, "time": "2026-05-01"}
    board = pages_of([contest, contest]).leaderboard()
    assert {row["record"] for row in board["rows"]} == {None}
    assert "W–L" not in render_leaderboard(board, SITE)


def test_the_first_three_have_medals() -> None:
    contest = {"ranks": {"ann": 1, "bob": 2, "cat": 3, "dan": 4}, "time": "2026-05-01"}
    html = render_leaderboard(pages_of([contest]).leaderboard(), SITE)
    assert re.findall(r'class="medal place-(\d)">(\d)<', html) == [("1", "1"), ("2", "2"), ("3", "3")]


def test_the_uncertainty_is_explained_behind_a_tap() -> None:
    contest = {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01"}
    assert "<summary>What is ±?</summary>" in render_leaderboard(
        pages_of([contest], "glicko").leaderboard(), SITE
    )
    assert "What is ±?" not in render_leaderboard(pages_of([contest]).leaderboard(), SITE)
