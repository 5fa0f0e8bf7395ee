"""Tournaments on a phone of 390 pixels: an evening and a knockout, run from the pages alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx2
import pytest

from pages.test_browser import OUTSIDE, OVERLAPS, violations
from server.callers import Caller, Plain
from server.test_access_pages import site  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TOURNAMENTS = "/ladders/club/tournaments"
ELEVEN = [
    "Ann Lee",
    "Bob Ray",
    "Cat Moss",
    "Dan Bell",
    "Eve Stone",
    "Fay Hill",
    "Gil West",
    "Hal Reed",
    "Ida Lake",
]
LATE = ["Jon Park", "Kim Oaks"]
PICTURES = os.environ.get("PODIUM_PICTURES")
"""A folder for screenshots, for whoever wants to look."""


class Phone(NamedTuple):
    """An organiser's phone without scripts, and a service with the ladder `club`."""

    page: Page
    address: str
    caller: Caller

    def go(self, path: str) -> Page:
        """Open a page, which must fit the phone."""
        self.page.goto(f"{self.address}{path}")
        return self.fits()

    def fits(self) -> Page:
        """The page, which has nothing that is wider than the phone."""
        self.page.wait_for_load_state()
        assert self.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, self.page.url
        return self.page

    def press(self, name: str) -> None:
        """Press a button that there is once, or the first of several alike."""
        with self.page.expect_event("load"):
            self.page.get_by_role("button", name=name, exact=True).first.click()
        self.fits()

    def picture(self, name: str) -> None:
        """Keep a screenshot, if somebody wants it."""
        if PICTURES:
            self.page.screenshot(path=f"{PICTURES}/{name}.png", full_page=True)

    def create(self, name: str, format: str) -> str:
        """A new tournament; its address."""
        page = self.go(TOURNAMENTS)
        page.locator("#new-name").fill(name)
        page.get_by_label("How it is played").select_option(format)
        self.press("Create")
        assert page.url.endswith("/run")
        return page.url.removeprefix(self.address).removesuffix("/run")

    def add(self, names: list[str]) -> None:
        """Newcomers by name."""
        if not self.page.locator("#newcomers").is_visible():
            self.page.get_by_text("Late players, and who left").click()
        self.page.locator("#newcomers").fill("\n".join(names))
        self.press("Save who is here")

    def tap(self, result: str) -> None:
        """Tap the result of the first match that has none."""
        with self.page.expect_event("load"):
            self.page.locator(".matches > li:not(:has(.score)) .taps button", has_text=result).first.click()

    def told(self, path: str) -> Plain:
        """A tournament as data."""
        return self.caller.client.get(f"/api/v1{path}").json()  # type: ignore[no-any-return]


@pytest.fixture
def phone(browser: Browser, site: tuple[str, Any]) -> Iterator[Phone]:  # noqa: F811
    address, service = site
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    with httpx2.Client(base_url=address) as client:
        caller = Caller(client, service)  # type: ignore[arg-type]
        caller.create("club", title="Club")
        yield Phone(context.new_page(), address, caller)
    context.close()


def test_an_evening_of_four_rounds_for_eleven(phone: Phone) -> None:
    """Two come late, one leaves, one result is corrected; the ladder has every result."""
    path = phone.create("Tuesday night", "evening")
    phone.picture("evening-1-new")
    phone.add(ELEVEN)
    phone.picture("evening-2-here")
    for number in range(1, 5):
        page = phone.page
        if number == 2:
            phone.add(LATE)
        if number == 3:
            page.get_by_role("checkbox", name="Cat Moss").uncheck()  # and pair, without saving first
        phone.press(f"Pair round {number}")
        phone.picture(f"evening-3-round-{number}")
        for result in ("1 : 0", "0 : 1", "½ : ½", "1 : 0", "1 : 0")[: page.locator(".matches > li").count()]:
            phone.tap(result)
        assert page.locator("text=missing").count() == 0
    first = phone.page.locator(".matches > li").first
    first.get_by_text("Change", exact=True).click()
    first.get_by_text("Other score").click()
    first.locator("input[name=score-1]").fill("2")
    first.locator("input[name=score-2]").fill("3")
    with phone.page.expect_event("load"):
        first.get_by_role("button", name="Correct").click()
    assert "2:3" in phone.page.locator(".matches > li").first.inner_text()
    phone.press("End the evening")
    phone.picture("evening-4-over")
    told = phone.told(path)
    assert told["finished"]
    assert [len(each["games"]) for each in told["rounds"]] == [4, 5, 5, 5]
    assert [len(each["resting"]) for each in told["rounds"]] == [1, 1, 0, 0]
    met = [
        frozenset(name for side in game["sides"] for name in side)
        for each in told["rounds"]
        for game in each["games"]
    ]
    assert len(met) == len(set(met)) == 19
    assert told["rounds"][3]["games"][0]["points"] == [2.0, 3.0]
    log = phone.caller.log("club")
    assert sum(entry["entry"] == "event" and entry["target"] is None for entry in log) == 19
    assert sum(entry["target"] is not None for entry in log) == 1
    phone.caller.verified("club")
    page = phone.go(path)
    phone.picture("evening-5-standings")
    assert page.locator("#standings + .table tbody tr").count() == 11
    assert page.locator("table.cross tbody tr").count() == 11
    page.locator("#standings + .table a").first.click()
    phone.fits()
    phone.picture("evening-6-path")
    assert page.locator("tbody tr").count() == 4
    phone.go(f"{path}/screen")
    phone.picture("evening-7-screen")
    phone.go(f"{path}/rounds/1")


def test_a_knockout_of_thirteen(phone: Phone) -> None:
    """Three byes for the highest; the bracket is drawn from the start, and the winner is on top."""
    path = phone.create("Cup", "knockout")
    phone.add([*ELEVEN, *LATE, "Lou Fox", "Max Orr"][:13])
    for number in range(1, 5):
        phone.press(f"Pair round {number}")
        phone.picture(f"knockout-round-{number}")
        while phone.page.locator(".matches > li:not(:has(.score))").count():
            phone.tap("1 : 0")
    told = phone.told(path)
    assert told["finished"]
    assert [len(each["games"]) for each in told["rounds"]] == [5, 4, 2, 1]
    assert len(told["rounds"][0]["byes"]) == 3
    assert phone.page.get_by_role("button", name="Pair round 5").count() == 0
    page = phone.go(path)
    phone.picture("knockout-standings")
    assert page.locator("svg.bracket g.match").count() == 12
    assert (
        page.locator("#standings + .table tbody th").first.inner_text()
        == told["standings"][0]["player"].split()[0]
    )
    assert len(phone.caller.log("club")) == 12


def test_pages_with_scripts_and_hostile_names_break_nothing(browser: Browser, phone: Phone) -> None:
    names = ["<img src=x onerror=alert(1)>", "'; DROP TABLE event; --", "Ödön 🏎️💨", "A" * 90]
    paths = [phone.create(f"{names[0]} {form}", form) for form in ("knockout", "evening:2v2", "swiss")]
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page, said = context.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for path in paths:
        for step in ({"here": names}, {"pair": {}}, {"results": [{"match": 1, "score": "2:1"}]}):
            answer = phone.caller.client.post(f"/api/v1{path}/steps", json=step)
            assert answer.status_code == 201, answer.text
        for more in ("", "/run", "/screen", "/rounds/1", "/players/4"):
            page.goto(f"{phone.address}{path}{more}")
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, page.url
            assert page.evaluate(OVERLAPS) == [], page.url
            assert page.evaluate(OUTSIDE) == [], page.url
            assert violations(page) == [], page.url
        if PICTURES:
            page.screenshot(path=f"{PICTURES}/hostile-{path.rpartition('/')[2]}.png", full_page=True)
    page.goto(f"{phone.address}{TOURNAMENTS}")
    assert violations(page) == []
    assert page.evaluate(OVERLAPS) == []
    page.goto(f"{phone.address}{paths[0]}/screen")
    assert "min" in page.locator("[data-clock]").inner_text()
    assert said == []
    context.close()


def test_a_button_pressed_twice_and_a_refusal(phone: Phone) -> None:
    phone.create("Two taps", "swiss")
    phone.page.locator("#newcomers").fill("ann")
    phone.press("Pair round 1")
    assert phone.page.locator("#newcomers").input_value() == "ann"
    assert "a round needs two entrants" in phone.page.get_by_role("alert").inner_text().lower()
    phone.page.locator("#newcomers").fill("bob\ncat\ndan")
    form = phone.page.locator("form:has(button:text-is('Pair round 1'))")
    fields = {
        one.get_attribute("name"): one.input_value() for one in form.locator("input[type=hidden]").all()
    }
    fields |= {"what": "pair", "newcomers": "bob\ncat\ndan", "here-1": "ann"}
    phone.press("Pair round 1")
    again = phone.caller.client.post(phone.page.url, data=fields, headers={"Origin": phone.address})
    assert again.status_code == 303
    assert len(phone.told(phone.page.url.removeprefix(phone.address).removesuffix("/run"))["rounds"]) == 1
    assert phone.page.locator(".matches > li").count() == 2
    assert phone.page.get_by_role("button", name="Pair round 2").count() == 0
    early = phone.caller.client.post(phone.page.url, data={"what": "pair"}, headers={"Origin": phone.address})
    assert "has no result yet" in early.text
    phone.press("Take back the last step")
    assert phone.page.locator(".matches > li").count() == 0


def test_a_school_tournament_in_teams_and_alone(phone: Phone) -> None:
    """Boards, two who are kept apart, an earlier result, the reasons of a pairing, and an early end."""
    path = phone.create("Classes", "round-robin")
    phone.add(["Reds: Ann, Bob", "Blues: Cat, Dan", "Greens: Eve, Fay"])
    phone.press("Pair round 1")
    page = phone.page
    page.get_by_role("radio", name="Eve won").or_(page.get_by_role("radio", name="Cat won")).first.check()
    page.get_by_role("radio", name="draw").last.check()
    phone.picture("teams-1-boards")
    phone.press("Save")
    told = phone.told(path)
    assert told["rounds"][0]["games"][0]["points"] in ([1.5, 0.5], [0.5, 1.5])
    assert len(phone.caller.log("club")) == 2
    phone.picture("teams-2-saved")
    phone.go(f"{path}/rounds/1")
    assert page.locator(".on-boards li").count() == 2
    path = phone.create("Chess day", "swiss")
    phone.add(["Ann Lee", "Bob Lee", "Cat Moss", "Dan Bell", "Eve Stone", "Fay Hill"])
    page.get_by_text("Keep two players apart", exact=True).click()
    page.get_by_label("First player").select_option("Ann Lee")
    page.get_by_label("Second player").select_option("Dan Bell")
    phone.press("Keep them apart")
    page.get_by_text("Keep two players apart", exact=False).first.click()
    phone.press("Let Ann and Dan play each other")
    page.get_by_text("Keep two players apart", exact=True).click()
    page.get_by_label("First player").select_option("Ann Lee")
    page.get_by_label("Second player").select_option("Dan Bell")
    phone.press("Keep them apart")
    phone.add(["Gil West (5a)", "Hal Reed (5a)"])
    page.get_by_text("Clubs or classes", exact=True).click()
    page.get_by_label("Ann Lee", exact=True).last.fill("5a")
    phone.press("Save clubs")
    clubs = {one["player"]: one["club"] for one in phone.told(path)["entrants"] if one["club"]}
    assert clubs == {"Ann Lee": "5a", "Gil West": "5a", "Hal Reed": "5a"}
    for number in (1, 2):
        phone.press(f"Pair round {number}")
        while page.locator(".matches > li:not(:has(.score))").count():
            phone.tap("1 : 0")
    assert "round 2, match 4 is 1:0" in page.locator("#more ~ form").first.inner_text().lower()
    page.get_by_text("Change a result of an earlier round").click()
    first = page.locator(".earlier .matches > li").first
    first.get_by_text("Change", exact=True).click()
    phone.picture("school-1-earlier")
    with page.expect_event("load"):
        first.get_by_role("button", name="draw").click()
    assert phone.told(path)["rounds"][0]["games"][0]["points"] == [0.5, 0.5]
    phone.press("End the tournament now")
    told = phone.told(path)
    assert told["finished"]
    assert ["Ann Lee"] not in [
        game["sides"][0] for each in told["rounds"] for game in each["games"] if ["Dan Bell"] in game["sides"]
    ]
    phone.picture("school-2-over")
    winner = told["standings"][0]
    assert winner["player"].split()[0] in page.locator(".winners li").first.inner_text()
    page = phone.go(f"{path}/players/1")
    phone.picture("school-3-path")
    assert page.locator("#why").count() == page.locator("#numbers").count() == 1
    page.get_by_role("link", name="why?").first.click()
    assert "round 1" in phone.fits().locator("#why").inner_text()
    assert "they must not meet" in page.locator("#why ~ ul").inner_text()


def test_a_new_service_gets_its_first_ladder_and_tournament_from_the_page(phone: Phone) -> None:
    page = phone.go("/")
    page.get_by_label("Name").fill("Green School, 2026")
    phone.press("Create")
    assert page.url.endswith("/ladders/green-school-2026/")
    page.get_by_role("link", name="How ratings are computed here").click()
    assert "glicko2" in page.locator("main").inner_text()
    page.go_back()
    page.get_by_role("link", name="Start an evening or a tournament").click()
    page.locator("#new-name").fill("Chess day")
    phone.press("Create")
    assert page.url.endswith("/ladders/green-school-2026/tournaments/chess-day/run")
    phone.go("/")
    page.get_by_label("Name").fill("Green School, 2026")
    page.get_by_label("What do you play?").select_option("Doubles or teams")
    phone.press("Create")
    assert page.url.endswith("/ladders/green-school-2026-2/")
    page.get_by_role("link", name="How ratings are computed here").click()
    assert "weng-lin" in page.locator("main").inner_text()
