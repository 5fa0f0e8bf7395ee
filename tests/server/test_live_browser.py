"""Pages of a service in a real browser: every kind of page, search, comparisons, reporting from a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx2
import pytest

import podium
from pages.small_sites import NAMES, match_history
from pages.test_browser import OUTSIDE, OVERLAPS, violations
from server.callers import Caller
from server.page_ladders import fill_ladders
from server.test_access_pages import site  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = {
    "ladders": "/",
    "leaderboard": "/ladders/contests/",
    "player": "/ladders/contests/players/0",
    "player of matches": "/ladders/matches/players/0",
    "event": "/ladders/contests/events/3",
    "match": "/ladders/matches/events/3",
    "events": "/ladders/matches/events",
    "adjustment": "/ladders/matches/events/33",
    "matches": "/ladders/matches/matches",
    "about": "/ladders/matches/about",
    "seasons": "/ladders/matches/seasons",
    "all time": "/ladders/matches/all-time",
    "search": "/ladders/matches/search?q=a",
    "report": "/ladders/matches/admin?event=3",
    "settings": "/ladders/matches/settings",
    "no such page": "/ladders/nowhere/",
}
QUOTED = NAMES[1]
LOOKED_AT = ("ladders", "adjustment", "seasons", "search", "report", "settings", "no such page")
"""Pages in which axe looks for faults: those of which a website has no like."""


class Visit(NamedTuple):
    """A browser at a service."""

    page: Page
    address: str
    said: list[str]
    """What the browser had to say about the pages."""

    def go(self, path: str) -> Page:
        """Open a page."""
        self.page.goto(f"{self.address}{path}")
        return self.page


@pytest.fixture
def visit(browser: Browser, site: tuple[str, Any]) -> Iterator[Visit]:  # noqa: F811
    """Somebody with a phone at a service with two ladders of hostile names."""
    address, service = site
    with httpx2.Client(base_url=address) as client:
        caller = Caller(client, service)  # type: ignore[arg-type]
        fill_ladders(caller)
        caller.report({"adjustment": "rename", "player": "once", "into": "<b>twice"}, ladder="matches")
        caller.report({"adjustment": "reset", "keep": 0.5}, ladder="matches")
        settings = {"tiers": "divisions"}
        assert client.patch("/api/v1/ladders/matches", json=settings).status_code == 200
    context = browser.new_context(viewport={"width": 360, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield Visit(page, address, said)
    context.close()


def test_every_page_fits_a_phone_and_breaks_no_policy(visit: Visit) -> None:
    for kind, path in PAGES.items():
        page = visit.go(path)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, kind
        assert page.evaluate(OVERLAPS) == [], kind
        assert page.evaluate(OUTSIDE) == [], kind
        if kind in LOOKED_AT:
            assert violations(page) == [], kind
        if kind != "no such page":  # of which the browser says so
            assert visit.said == [], kind


def test_players_are_searched_and_compared(visit: Visit) -> None:
    """By keyboard; what the page says of two players is what a ladder of the same history says."""
    ladder = podium.rate(match_history(), "elo").ladder
    ladder.adjust(podium.Reset(keep=0.5))
    page = visit.go("/ladders/matches/about")
    page.locator(".menu summary").click()
    page.locator("#search").focus()
    page.keyboard.type("ann")
    page.wait_for_selector("#search-found [role=option]")
    page.keyboard.press("ArrowDown")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.locator("h1").inner_text() in ("Ann", "ANN")
    visit.go("/ladders/matches/compare?name=Ann&name=🏎️💨")  # as people send it to others
    page.wait_for_selector("h2:has-text('Against each other')")
    visit.go("/ladders/matches/compare#Ann&🏎️💨")
    page.wait_for_selector("h2:has-text('Against each other')")
    cells = page.locator("[data-compared] section").last.locator("tbody tr > *").all_inner_texts()
    chance = ladder.expected_score("Ann", "🏎️💨")
    assert cells[:2] == ["Ann – 🏎️💨", f"{100 * chance:.0f}% – {100 * (1 - chance):.0f}%"]
    assert page.locator("[data-compared] svg path.line").count() == 2
    page.locator(".menu summary").click()
    page.locator("#search").fill("no such name")
    page.wait_for_selector("text=No player found")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "0 players" in page.locator(".lead").inner_text()
    assert visit.said == []


def test_an_evening_is_reported_from_a_phone(browser: Browser, visit: Visit) -> None:
    """Names complete, a wrong one is mended by a tap, and the time is that of the phone."""
    context = browser.new_context(viewport={"width": 390, "height": 800}, timezone_id="Asia/Kolkata")
    page = context.new_page()
    page.goto(f"{visit.address}/ladders/matches/admin")
    form = page.locator("form", has=page.locator("input[value=match]"))
    form.locator("[name=a]").focus()
    form.locator("[name=a]").fill("quot")
    page.locator("[role=option]", has_text="quoted").click()
    form.locator("[name=b]").fill("Amn")
    form.locator("[name=score]").fill("3:1")
    form.locator("summary", has_text="Name and time").click()
    form.locator("[name=time]").fill("2026-05-02T01:30")
    page.keyboard.press("Escape")
    form.locator("button").click()
    assert f"{QUOTED} beat Amn 3:1. Time: 2026-05-02T01:30+05:30." in page.locator(".lead").inner_text()
    page.locator("button", has_text="I meant Ann").click()
    page.locator("button.main").click()
    said = page.locator("[role=status]").inner_text()
    assert f"Recorded: {QUOTED} beat Ann 3:1." in said
    form.locator("[name=b]").focus()
    assert page.locator("#match-b-found [role=option]").first.inner_text() == QUOTED  # who played last
    page.keyboard.press("Escape")
    page.locator("button", has_text="Take back").first.click()
    page.locator("button.main").click()
    page.goto(f"{visit.address}/ladders/matches/admin")
    assert page.locator("button", has_text="Take back").count() == 0
    context.close()


def test_results_are_corrected_without_a_script(browser: Browser, visit: Visit) -> None:
    """Each time the consequences are shown first, and a button that is pressed twice counts once."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800})
    page = context.new_page()
    page.goto(f"{visit.address}/ladders/matches/admin")
    form = page.locator("form", has=page.locator("input[value=match]"))
    form.locator("[name=a]").fill("Switzerland")
    form.locator("[name=b]").fill("Amn")
    form.locator("[name=result]").select_option("draw")
    form.locator("summary", has_text="Name and time").click()
    form.locator("[name=time]").fill("2026-05-01T18:30")
    form.locator("button").click()
    assert page.locator("button", has_text="I meant Ann").count() == 1
    page.locator("text=Cancel").click()
    assert form.locator("[name=a]").input_value() == "Switzerland"
    assert form.locator("[name=result]").input_value() == "draw"
    assert form.locator("[name=time]").input_value() == "2026-05-01T18:30"
    form.locator("[name=result]").select_option("win")
    form.locator("[name=time]").fill("", force=True)
    form.locator("[name=b]").fill("Ann")
    form.locator("button").click()
    shown = page.locator("tbody tr").all_inner_texts()
    assert any(row.startswith("Ann") for row in shown)
    page.locator("button.main").click()
    assert "Recorded: Switzerland beat Ann." in page.locator("[role=status]").inner_text()
    page.locator("text=See it").click()
    assert page.locator("h1").inner_text() == "Switzerland beat Ann"
    recorded = page.url
    number = int(recorded.rpartition("/")[2])
    page.go_back()
    page.go_back()
    page.locator("button.main").click()  # the same report again
    assert page.url.endswith(f"/admin?recorded={number}")
    page.goto(recorded)

    page.locator("text=Correct or take back").click()
    form = page.locator("form", has=page.locator("input[value=correct]"))
    assert form.locator("textarea").input_value().splitlines() == ["Switzerland", "Ann"]
    form.locator("textarea").fill("Ann\n= Switzerland")
    form.locator("button").click()
    assert "Switzerland" in page.locator("tbody").inner_text()
    page.locator("button.main").click()
    page.goto(recorded)
    assert "Changed by" in page.locator(".notice").inner_text()
    assert page.locator("h1").inner_text() == "Ann drew with Switzerland"

    page.locator("text=Correct or take back").click()
    form = page.locator("form", has=page.locator("input[value=void]"))
    assert form.locator("[name=number]").input_value() == str(number)
    form.locator("button").click()
    page.locator("button.main").click()
    page.goto(recorded)
    assert "taken back by" in page.locator(".notice").inner_text()
    context.close()
