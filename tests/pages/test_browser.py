"""Pages in a real browser: nothing overflows or overlaps, everything works by keyboard, axe finds nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import pytest

import podium
from pages.page_histories import elo_run
from pages.small_sites import NAMES, SmallSite, match_history
from podium.documents import contest_document
from podium.pages.ladder_pages import ladder_pages
from podium.pages.rendering import render_changes
from podium.pages.site_writing import SiteLadder, write_site
from podium.systems.tiers import preset_tiers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

WIDTHS = (360, 768, 1440)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

OVERLAPS = """() => {
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest('.unseen, .skip, title, desc, option, noscript')) continue;
    if (!parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1) boxes.push([box, node.data.trim()]);
  }
  // The letters of a line are lower than its box, by a quarter at least.
  const shrunk = boxes.map(([box, text]) =>
    ({ left: box.left + 1, right: box.right - 1, text,
       top: box.top + box.height / 6, bottom: box.bottom - box.height / 6 }));
  shrunk.sort((a, b) => a.top - b.top);
  const found = [];
  shrunk.forEach((one, n) => {
    for (let m = n + 1; m < shrunk.length && shrunk[m].top < one.bottom; m++) {
      const other = shrunk[m];
      if (one.left < other.right && other.left < one.right) found.push(`${one.text} | ${other.text}`);
    }
  });
  return found;
}"""
"""Texts whose boxes overlap."""

OUTSIDE = """() => [...document.querySelectorAll('section, .numbers, main > .table')].flatMap((card) => {
  const edge = card.getBoundingClientRect();
  return [...card.querySelectorAll('table, p, li, dl, figure, svg.picture')].filter((one) => {
    const box = one.getBoundingClientRect();
    return one.checkVisibility() && (box.left < edge.left - 1 || box.right > edge.right + 1);
  }).map((one) => `${one.tagName} in ${card.innerText.slice(0, 40)}`);
})"""
"""What sticks out of the card it belongs to."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own; whatever the browser has to say about it is a failure."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    opened = context.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("requestfailed", lambda request: said.append(f"not found: {request.url}"))
    yield opened
    context.close()
    assert said == []


def go(page: Page, kind: str, file: Path) -> None:
    """Open a page; the comparison compares three players."""
    page.goto(file.as_uri() + ("#Ann&ANN&con" if kind == "compare" else ""))
    if kind == "compare":
        page.wait_for_selector("[data-compared] table")


def violations(page: Page, context: str | None = None, **options: object) -> list[tuple[str, list[str]]]:
    """What axe finds: the name of the rule, and the elements."""
    from axe_playwright_python.sync_playwright import Axe

    # With `preload`, axe would ask for the stylesheet a second time, which a folder on disk refuses.
    usual = {"preload": False, "resultTypes": ["violations"], "selectors": False}
    found = Axe().run(page, context=context, options={**usual, **options}).response["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


def test_pages_fit_every_screen_in_both_themes(page: Page, small_site: SmallSite) -> None:
    for kind, file in small_site.kinds().items():
        go(page, kind, file)
        for theme, width in product(THEMES, WIDTHS):
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            where = f"{kind} at {width}, {theme}"
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, where
            assert page.evaluate(OVERLAPS) == [], where
            assert page.evaluate(OUTSIDE) == [], where


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing(page: Page, small_site: SmallSite, theme: Literal["light", "dark"]) -> None:
    """Of the dark theme only contrasts: nothing else depends on it."""
    page.emulate_media(color_scheme=theme)
    for kind, file in small_site.kinds().items():
        go(page, kind, file)
        assert violations(page, **({"runOnly": ["color-contrast"]} if theme == "dark" else {})) == [], kind


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_of_changes_fits_and_is_searched(page: Page, tmp_path: Path, width: int) -> None:
    """With the longest names, and one that is written from right to left."""
    event = podium.Event.of(ranks={name: place for place, name in enumerate(NAMES, 1)}, name="W" * 60)
    found = podium.changes(podium.History.from_events([event]), "elo-mmr")
    file = tmp_path / "changes.html"
    tiers = preset_tiers("ten", found.system)
    text = render_changes(contest_document(found), expected=found.expected_words, digits=0, tiers=tiers)
    file.write_text(text, encoding="utf-8", errors="replace")
    page.set_viewport_size({"width": width, "height": 900})
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.evaluate(OVERLAPS) == []
        assert page.evaluate(OUTSIDE) == []
        assert violations(page) == []
    page.fill("#find", NAMES[0].upper())
    assert page.locator("tbody tr:visible").count() >= 1
    assert page.locator("tbody tr:visible").count() < len(NAMES)
    page.emulate_media(media="print")
    assert not page.locator("#find").is_visible()


def test_both_themes_are_told_apart(page: Page, small_site: SmallSite) -> None:
    """The switch works by keyboard, wins against the system, and is remembered."""
    page.goto((small_site.pages() / "index.html").as_uri())
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(colour)
    assert light != dark
    switch = page.locator("[data-theme-switch]")
    switch.focus()
    page.keyboard.press("Enter")
    assert switch.inner_text() == "Theme: light"
    assert page.evaluate(colour) == light
    page.goto(small_site.player("Ann").as_uri())
    assert page.evaluate(colour) == light
    switch.focus()
    page.keyboard.press("Space")
    page.emulate_media(color_scheme="light")
    assert switch.inner_text() == "Theme: dark"
    assert page.evaluate(colour) == dark
    page.emulate_media(media="print")  # paper is white, whatever the theme, and has no buttons
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert not switch.is_visible()


@pytest.mark.parametrize("ladder", ["contests", "matches"])
def test_everybody_is_found_by_search(page: Page, small_site: SmallSite, ladder: str) -> None:
    """Whatever the name, in an index of one shard and of several."""
    page.goto((small_site.pages(ladder) / "index.html").as_uri())
    search, options = page.locator("#search"), page.locator("#search-found [role=option] bdi")
    rated = {"contests": small_site.contests, "matches": small_site.matches}[ladder]
    for name in rated.ratings["player"]:
        search.fill(name)
        page.wait_for_function(
            "name => [...document.querySelectorAll('.found bdi')].some(one => one.textContent === name)",
            arg=name,
        )
    search.fill("RAIKK" if ladder == "contests" else "an")
    wanted = ["Kimi Räikkönen"] if ladder == "contests" else ["Ann"]
    page.wait_for_function(f"document.querySelectorAll('#search-found bdi').length === {len(wanted)}")
    assert sorted(options.all_inner_texts()) == wanted
    if ladder == "contests":
        search.fill("ikkö")  # any part of a name, where there are few
        page.wait_for_function("document.querySelectorAll('#search-found bdi').length === 1")
    search.fill("nobody at all")
    page.wait_for_selector("text=No player found")


def test_axe_finds_nothing_in_an_open_list(page: Page, small_site: SmallSite) -> None:
    page.goto((small_site.pages() / "about.html").as_uri())
    page.locator("#search").fill("a")
    page.wait_for_selector("#search-found [role=option]")
    page.keyboard.press("ArrowDown")
    assert violations(page, context=".top") == []


def test_search_goes_to_a_player_by_keyboard(page: Page, small_site: SmallSite) -> None:
    page.goto(small_site.kinds()["event"].as_uri())
    page.locator("#search").focus()
    page.keyboard.type("ann")
    page.wait_for_selector("#search-found [role=option]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    chosen = page.locator("#search-found [aria-selected=true] bdi").inner_text()
    assert page.locator("#search").get_attribute("aria-activedescendant") == "search-found-1"
    page.keyboard.press("Escape")
    assert not page.locator("#search-found").is_visible()
    page.locator("#search").fill(chosen)
    page.wait_for_selector("#search-found [role=option]")
    page.keyboard.press("ArrowDown")
    chosen = page.locator("#search-found [aria-selected=true] bdi").inner_text()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.locator("h1").inner_text() == chosen


def test_tables_are_sorted_and_filtered_by_keyboard(page: Page, small_site: SmallSite) -> None:
    page.goto((small_site.pages() / "index.html").as_uri())
    events = page.locator("#board-rows th[data-sort]", has_text="Events")
    assert events.get_attribute("aria-sort") is None

    def column(header: str, group: str = "ranked") -> list[str]:
        number = page.locator("#board-rows thead th").all_inner_texts()
        place = next(n for n, text in enumerate(number) if text.startswith(header))
        return page.locator(
            f"tbody[data-group={group}] tr:not(.heading) > :nth-child({place + 1})"
        ).all_inner_texts()

    places = column("Place")
    assert places == [str(place + 1) for place in range(len(places))]
    rating = page.locator("#board-rows th[data-sort]", has_text="Rating")
    rating.locator("button").focus()
    page.keyboard.press("Enter")
    assert (rating.get_attribute("aria-sort"), column("Place")) == ("descending", places)
    page.keyboard.press("Enter")
    assert (rating.get_attribute("aria-sort"), column("Place")) == ("ascending", places[::-1])
    events.locator("button").focus()
    page.keyboard.press("Space")
    assert rating.get_attribute("aria-sort") is None
    counts = [int(count) for count in column("Events")]
    assert counts == sorted(counts, reverse=True)
    changes = page.locator("#board-rows th[data-sort]", has_text="Last event")
    changes.locator("button").press("Enter")
    numbers = [int(text.replace("−", "-")) for text in column("Last event") if text != "–"]
    assert numbers == sorted(numbers, reverse=True)
    assert min(numbers) < 0  # a minus sign is a minus sign

    assert page.locator("tbody[data-group=provisional] tr:visible").count() == 2  # its heading, and "once"
    box = page.locator("input[value=provisional]")
    box.focus()
    page.keyboard.press("Space")
    assert page.locator("tbody[data-group=provisional] tr:visible").count() == 0
    page.locator("select[name=tier]").select_option("Silver & co")
    shown = page.locator("#board-rows tbody tr:not(.heading):visible")
    assert set(shown.evaluate_all("rows => rows.map(row => row.dataset.tier)")) == {"Silver & co"}


def test_pictures_say_what_one_points_at(page: Page, small_site: SmallSite) -> None:
    page.goto(small_site.player("Kimi Räikkönen").as_uri())
    targets = page.locator("#rating ~ figure .target")
    assert targets.count() == 8
    target = targets.nth(3)
    words = target.locator("title").text_content()
    assert words is not None
    assert words.startswith("round 3 <b>&amp;</b> · 12 Jul 2024 · rank ")
    target.locator("rect").hover()
    assert page.locator(".tip").inner_text() == words
    assert target.locator("title").count() == 0  # the browser would show it a second time
    page.keyboard.press("Escape")
    assert not page.locator(".tip").is_visible()


def test_players_are_compared(page: Page, small_site: SmallSite) -> None:
    ladder = small_site.matches.ladder
    page.goto((small_site.pages("matches") / "compare.html").as_uri() + "#Ann")
    page.wait_for_selector("text=Add another player to compare.")
    page.locator("#chosen").focus()
    page.keyboard.type("🏎️")
    page.wait_for_selector("#chosen-found [role=option]")
    page.keyboard.press("Enter")
    page.wait_for_selector("h2:has-text('Against each other')")
    cells = page.locator("[data-compared] section").last.locator("tbody tr > *").all_inner_texts()
    chance = ladder.expected_score("Ann", "🏎️💨")
    assert cells[0] == "Ann – 🏎️💨"
    assert cells[1] == f"{100 * chance:.0f}% – {100 * (1 - chance):.0f}%"
    met = {"ahead": 0, "even": 0, "behind": 0}
    history = match_history()
    for event in map(history.event, range(len(history))):
        ranks = {side[0]: rank for side, rank in zip(event.sides, event.ranks, strict=True)}
        if {"Ann", "🏎️💨"} == set(ranks):
            lead = ranks["🏎️💨"] - ranks["Ann"]
            met["ahead" if lead > 0 else "behind" if lead < 0 else "even"] += 1
    assert sum(met.values()) > 0
    assert cells[2] == f"{met['ahead']} – {met['even']} – {met['behind']}"
    assert page.locator("[data-compared] svg path.line").count() == 2
    page.locator(".chips button").first.press("Enter")
    page.wait_for_function("document.querySelectorAll('.chips li').length === 1")
    assert re.fullmatch(r".*#[^&]+", page.url)
    page.goto((small_site.pages("matches") / "compare.html").as_uri() + "#nobody&%zz")
    page.wait_for_function("document.querySelectorAll('[data-compared] .notice').length === 2")


def test_merged_accounts_and_adjustments_are_compared(page: Page, tmp_path: Path) -> None:
    """ann lost against cat as annie; eve's rating was set, and she has not played."""
    run = elo_run(
        {"ranks": {"ann": 1, "bob": 2}},
        {"ranks": {"cat": 1, "annie": 2}},
        podium.SetRating(player="eve", mu=1700),
        podium.Merge(player="annie", into="ann"),
    )
    write_site(tmp_path, [SiteLadder("club", ladder_pages(run))], "Club")
    page.goto((tmp_path / "compare.html").as_uri() + "#ann&cat&eve")
    page.wait_for_selector("h2:has-text('Against each other')")
    cells = page.locator("[data-compared] section").last.locator("tbody td:last-child").all_inner_texts()
    assert cells == ["0 – 0 – 1", "never met", "never met"]
    line = page.locator("[data-compared] svg path.line").first.get_attribute("d")
    assert line is not None
    assert len(line.split()) == 2 * 2  # a result and the merge


def test_a_served_page_is_loaded_again_when_there_is_a_newer_one(page: Page, small_site: SmallSite) -> None:
    version, loads = ["1"], [0]

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path == "/version":
            route.fulfill(body=version[0])
        elif path.endswith(".html"):
            loads[0] += 1
            text = (small_site.folder / path[1:]).read_text(encoding="utf-8")
            route.fulfill(body=text.replace("<body", '<body data-live="/version"'), content_type="text/html")
        else:
            route.fulfill(path=small_site.folder / path[1:])

    page.route("http://site.test/**", answer)
    page.clock.install()
    page.goto(f"http://site.test/{small_site.pages().name}/about.html")
    for _ in range(2):
        with page.expect_response("**/version"):
            page.clock.run_for(1000)
    assert loads == [1]
    version[0] = "2"
    with page.expect_navigation():
        page.clock.run_for(1000)
    assert loads == [2]


def test_javascript_adds_no_content(browser: Browser, page: Page, small_site: SmallSite) -> None:
    """Without it, every page but the comparison says the same; what only it can do is hidden."""
    context = browser.new_context(java_script_enabled=False, viewport=page.viewport_size)
    bare = context.new_page()
    for kind, file in small_site.kinds().items():
        if kind == "compare":
            continue
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('.filters').forEach((one) => one.remove())")
        bare.goto(file.as_uri())
        with_script, without = page.locator("main"), bare.locator("main")
        assert without.inner_text() == with_script.inner_text(), kind
        assert without.locator("svg").count() == with_script.locator("svg").count(), kind
        scripted = bare.locator("[data-search], [data-theme-switch], [data-filters]")
        assert scripted.locator("visible=true").count() == 0, kind
    context.close()


def test_all_content_is_there_without_javascript(browser: Browser, small_site: SmallSite) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((small_site.pages() / "index.html").as_uri())
    board = page.locator("#board-rows").inner_text()
    assert [name for name in NAMES if name not in board] == []
    page.goto(small_site.player("Kimi Räikkönen").as_uri())
    headings = page.locator("h2").all_inner_texts()
    assert headings[:2] == ["Rating over time", "Why this rating"]
    assert page.locator("#results ~ .table tbody tr").count() == 8
    assert page.locator("svg.picture[role=img][aria-label]").count() >= 3
    page.goto((small_site.pages() / "compare.html").as_uri())
    assert page.locator("noscript .notice").is_visible()
    assert not page.locator("[data-compare]").is_visible()
    pair = page.locator("#suggested ~ ul li").first.locator("a")
    with page.expect_navigation():
        pair.first.click()
    assert page.locator("h1").inner_text() in NAMES
    context.close()
