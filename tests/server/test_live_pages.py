"""Pages served live: they show what a website of the same history shows, on both kinds of database."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from threading import Thread
from typing import Any, cast

import html5lib
import pytest
from fastapi.routing import APIRoute

import podium
from pages.small_sites import contest_history, match_history
from podium.pages.event_pages import EVENTS_PER_PAGE
from podium.pages.ladder_pages import ladder_pages
from podium.server.live_pages import admin_routes, import_pages, ladder_forms, name_search, page_routes
from podium.server.live_pages.live_links import ASSET_NAMES, asset_address
from server.callers import Caller, called_service
from server.page_ladders import fill_ladders, plain_events, website
from server.test_service_page import commands, curl, matches, running

DOCS = (Path(__file__).parents[2] / "docs" / "service-pages.md").read_text(encoding="utf-8")
LADDER_PAGES = ["", "events", "matches", "about", "compare", "search?q=an", "events/3", "players/2"]
LINKS_OF_A_KIND = 2
HISTORICAL = {"place", "marks", "best_place", "ranked", "computed", "rows"}
"""What a service does not know, or knows otherwise: places after earlier events, how many rows there are."""


@pytest.fixture
def shown(database_address: str) -> Iterator[Caller]:
    """Somebody who calls a service with two ladders of hostile names."""
    with called_service(database_address) as found:
        fill_ladders(found)
        yield found


def page(caller: Caller, path: str, status: int = 200) -> str:
    """A page, which must be HTML without a fault."""
    answer = caller.client.get(path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    html5lib.HTMLParser(strict=True).parse(answer.text)
    return cast(str, answer.text)


def twin(caller: Caller, path: str) -> dict[str, Any]:
    """The JSON document of a page."""
    answer = caller.client.get(path + ("&" if "?" in path else "?") + "format=json")
    assert answer.status_code == 200, answer.text
    found = cast(dict[str, Any], answer.json())
    del found["podium"], found["kind"]
    return found


def differences(live: Any, site: Any, where: str = "") -> list[str]:
    """Where a document of the service differs from that of a website."""
    if isinstance(site, dict):
        if live.keys() != site.keys():
            return [f"{where}: {sorted(live.keys() ^ site.keys())}"]
        keys = site.keys() - HISTORICAL
        return [one for key in keys for one in differences(live[key], site[key], f"{where}/{key}")]
    if isinstance(site, list):
        if len(live) != len(site):
            return [f"{where}: {len(live)} and {len(site)}"]
        pairs = enumerate(zip(live, site, strict=True))
        return [one for n, (a, b) in pairs for one in differences(a, b, f"{where}/{n}")]
    same = live == (pytest.approx(site, abs=1e-9) if isinstance(site, float) else site)
    return [] if same else [f"{where}: {live!r} and {site!r}"]


def number_of(caller: Caller, slug: str, name: str) -> int:
    """The number of a player."""
    rows = caller.client.get(f"/ladders/{slug}/search", params={"q": name, "format": "json"}).json()["rows"]
    return int(next(row["number"] for row in rows if row["player"] == name))


# ---------------------------------------------------------------------- what pages show


@pytest.mark.parametrize("slug", ["contests", "matches"])
def test_pages_show_what_a_website_shows(shown: Caller, slug: str) -> None:
    site, base = website(slug), f"/ladders/{slug}"
    board, rows = twin(shown, f"{base}/"), site.leaderboard()["rows"]
    assert differences(board, site.leaderboard()) == []
    assert [row["place"] for row in board["rows"]] == [row["place"] for row in rows]
    assert differences(twin(shown, f"{base}/events"), site.events()) == []
    for number in (1, 5, len(site.event_names)):
        assert differences(twin(shown, f"{base}/events/{number}"), site.event(number)) == []
    missing = {row["player"]: row["missing"] for row in rows}
    for player, name in enumerate(site.names):
        found = twin(shown, f"{base}/players/{number_of(shown, slug, name)}")
        # A website says on the leaderboard alone who was away for too long.
        assert differences(found, {**site.player(player), "missing": missing[name]}) == [], name
        assert (found["place"] is not None) == (name in {row["player"] for row in rows if row["place"]})
    assert differences(twin(shown, f"{base}/about"), site.about()) == []
    compared = site.compare()
    chances = {"chances": compared["chances"]}  # of differences between ratings, which a website rounds
    assert differences({**twin(shown, f"{base}/compare"), **chances}, compared) == []
    if (matches := site.matches()) is not None:
        assert differences(twin(shown, f"{base}/matches"), matches) == []


@pytest.mark.parametrize(
    ("system", "parameters", "history"),
    [
        ("elo-mmr", {"calibration": "learned"}, contest_history()),
        ("glicko2", {"calibration": "learned"}, match_history()),
        ("trueskill", {"draw_rate": 0.1}, match_history()),
    ],
    ids=["corrected contests", "learned draws", "own draws"],
)
def test_predictions_on_pages_are_those_of_a_website(
    caller: Caller, system: str, parameters: dict[str, Any], history: podium.History
) -> None:
    """What was expected, corrected by how earlier predictions turned out, and chances of a draw."""
    caller.create("told", system, parameters=parameters)
    assert caller.bulk(plain_events(history), ladder="told")["refused"] == 0
    run = podium.rate(history, podium.make_system(system, **parameters), trace=True)
    site, base = ladder_pages(run), "/ladders/told"
    for number in (1, len(history) - 1, len(history)):
        assert differences(twin(caller, f"{base}/events/{number}"), site.event(number)) == []
    name = history.players[0]
    found = twin(caller, f"{base}/players/{number_of(caller, 'told', name)}")
    assert differences(found["results"], site.player(0)["results"]) == []
    assert differences(twin(caller, f"{base}/about")["quality"], site.about()["quality"]) == []
    if (matches := site.matches()) is not None:
        assert differences(twin(caller, f"{base}/matches"), matches) == []


def test_an_unknown_number_among_compared_players_is_refused(shown: Caller) -> None:
    answer = shown.client.get("/ladders/chess/compare?player=0&player=1&player=9999")
    assert answer.status_code == 404, answer.text


def test_two_players_are_compared_as_the_ladder_does(shown: Caller) -> None:
    ladder = podium.rate(match_history(), "elo").ladder
    ann, car = (number_of(shown, "matches", name) for name in ("Ann", "🏎️💨"))
    pair = twin(shown, f"/ladders/matches/compare?player={ann}&player={car}")["pair"]
    assert pair["expected_score"] == pytest.approx(ladder.expected_score("Ann", "🏎️💨"))
    meetings = [event for event in plain_events(match_history()) if {"Ann", "🏎️💨"} == event["scores"].keys()]
    leads = [event["scores"]["Ann"] - event["scores"]["🏎️💨"] for event in meetings]
    met = (sum(lead > 0 for lead in leads), leads.count(0), sum(lead < 0 for lead in leads))
    assert (pair["wins"], pair["draws"], pair["losses"]) == met
    assert sum(met) > 0
    by_name = shown.client.get(
        "/ladders/matches/compare", params={"name": ["Ann", "🏎️💨"], "format": "json"}
    ).json()
    assert by_name["pair"] == pair


# ---------------------------------------------------------------------- every page


def test_every_page_is_sound_and_every_link_leads_somewhere(caller: Caller) -> None:
    """Links from the front page on are followed: of each kind of address, some of each ladder."""
    fill_ladders(caller)
    pending, seen, kinds = ["/"], set[str](), set[str]()
    shapes: Counter[str] = Counter()
    while pending:
        path = pending.pop()
        shape = re.sub(r"\d+", "1", path)
        if path in seen or shapes[shape] == LINKS_OF_A_KIND:
            continue
        seen.add(path)
        shapes[shape] += 1
        answer = caller.client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        kinds.add(answer.headers["content-type"].partition(";")[0])
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        if shapes[shape] == 1:
            html5lib.HTMLParser(strict=True).parse(answer.text)
        pending += [unescape(link) for link in re.findall(r'(?:href|src)="(/[^"#]*)', answer.text)]
    assert kinds == {"text/html", "application/json", "text/csv", "text/css", "text/javascript"}
    templates = [route.path_format for route in page_routes.router.routes if isinstance(route, APIRoute)]
    for template in templates:  # nobody links to what is for scripts, and to what was typed
        pattern = re.sub(r"\{\w+\}", "[^/?]+", template)
        if "/data/" not in template and template not in ("/ladders/{ladder}", "/ladders/{ladder}/search"):
            assert any(re.fullmatch(pattern, path.partition("?")[0]) for path in seen), template


def test_names_are_only_text(caller: Caller) -> None:
    """No name becomes markup, an address or a part of a query."""
    fill_ladders(caller)
    for slug in ("contests", "matches"):
        for path in LADDER_PAGES:
            text = page(caller, f"/ladders/{slug}/{path}")
            tree = html5lib.parse(text, namespaceHTMLElements=False)
            assert [script.text for script in tree.iter("script")] == [None]
            assert "alert(1)" not in re.sub(r">[^<]*<|(?:title|content)=\"[^\"]*\"", "", text).replace(
                "&lt;", ""
            )
            assert not tree.findall(".//main//i")
            for element in tree.iter():
                assert not [name for name in element.attrib if name.startswith("on") or name == "style"]
    for query in ("' OR 1=1 --", "../../etc", "%", "_", "<b>", "\\", "a" * 300):
        found = caller.client.get("/ladders/matches/search", params={"q": query, "format": "json"}).json()
        assert all(query.lower() in row["player"].lower() for row in found["rows"]), query
        page(
            caller,
            str(caller.client.build_request("GET", "/ladders/matches/search", params={"q": query}).url),
        )


def test_a_reader_who_has_the_page_is_told_so(caller: Caller) -> None:
    fill_ladders(caller)
    tags = {path: caller.client.get(f"/ladders/contests/{path}").headers["etag"] for path in LADDER_PAGES}
    for path, tag in tags.items():
        again = caller.client.get(f"/ladders/contests/{path}", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
    caller.report({"ranks": {"Ann": 1, "ANN": 2}}, ladder="contests")
    for path, tag in tags.items():
        assert (
            caller.client.get(f"/ladders/contests/{path}", headers={"If-None-Match": tag}).status_code == 200
        )


@pytest.mark.parametrize(
    "times", [["0001-01-01"], ["0001-01-01", "0001-01-02"], ["0001-01-01", "2020-01-01"]]
)
def test_events_of_the_first_day_of_the_calendar_are_shown(caller: Caller, times: list[str]) -> None:
    for time in times:
        caller.report({"ranks": {"ann": 1, "bob": 2}, "time": time})
    for path in ("", "events", "matches", "about", "compare", "events/1", "players/0", "players/1"):
        page(caller, f"/ladders/chess/{path}")
        twin(caller, f"/ladders/chess/{path}")


def test_tables_are_there_as_csv(caller: Caller) -> None:
    fill_ladders(caller)
    for path, key in (("", "rows"), ("events", "rows"), ("events/3", "standings"), ("players/2", "results")):
        rows = twin(caller, f"/ladders/contests/{path}")[key]
        answer = caller.client.get(f"/ladders/contests/{path}", params={"format": "csv"})
        table = list(csv.DictReader(io.StringIO(answer.text, newline="")))
        assert len(table) == len(rows) > 0
        column = "player" if "player" in rows[0] else "name"
        assert [row[column] for row in table] == [row[column] for row in rows]
    assert caller.client.get("/ladders/contests/?format=pdf").status_code == 404


def test_names_in_csv_are_no_formulas(caller: Caller) -> None:
    caller.report({"ranks": {"=cmd|x": 1, "@SUM(1)": 2}})
    for path in ("", "events/1"):
        answer = caller.client.get(f"/ladders/chess/{path}", params={"format": "csv"})
        assert answer.status_code == 200, path
        rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
        assert "'=cmd|x" in [row["player"] for row in rows], path
        assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "@"))]
    (lost,) = [row["change"] for row in twin(caller, "/ladders/chess/events/1")["standings"][1:]]
    assert str(lost) in caller.client.get("/ladders/chess/events/1", params={"format": "csv"}).text


def test_what_is_not_there_is_refused_with_a_page(caller: Caller) -> None:
    fill_ladders(caller)
    caller.client.headers["Accept"] = "text/html"
    for path in (
        *("/ladders/nowhere/", "/ladders/%3Cscript%3E/", "/ladders/contests/players/99"),
        *("/ladders/contests/events/99", "/ladders/contests/?page=2", "/ladders/contests/events?page=2"),
        *("/ladders/contests/events/3?page=2", "/ladders/contests/compare?player=1&player=99"),
        *("/ladders/contests/compare?name=nobody&name=Ann", "/assets/0/site.py", "/assets/0/..%2Fpage.py"),
        *("/nothing", "/ladders/contests/nothing"),
    ):
        text = page(caller, path, 404)
        assert "<script>alert" not in text
    page(caller, "/ladders/contests/players/x", 400)
    page(caller, "/ladders/contests/events?page=0", 400)


def test_assets_stay_for_ever_under_their_digest(caller: Caller) -> None:
    for name in ASSET_NAMES:
        answer = caller.client.get(asset_address(name))
        assert "immutable" in answer.headers["cache-control"]
        assert "immutable" not in caller.client.get(f"/assets/0/{name}").headers["cache-control"]


def test_pages_load_nothing_from_elsewhere(caller: Caller) -> None:
    fill_ladders(caller)
    for path in ("/", "/ladders/contests/", "/ladders/nowhere/"):
        policy = caller.client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        text = caller.client.get(path).text
        assert not re.findall(r'(?:href|src|action)="(?!/|#|data:image/svg)', text)


# ---------------------------------------------------------------------- much of something


def test_long_lists_go_on_page_after_page(caller: Caller) -> None:
    events = [{"ranks": {"ann": 1 + n % 2, f"p{n}": 2 - n % 2}, "name": f"e{n}"} for n in range(230)]
    caller.bulk(events)
    history = podium.History.from_events(events)
    site = ladder_pages(podium.rate(history, "elo", trace=True), min_events=1)
    whole = site.player(site.names.index("ann"))["history"]["display"]
    path, seen = f"/ladders/chess/players/{number_of(caller, 'chess', 'ann')}", list[float]()
    for older in (130, 30, 0):
        text, found = page(caller, path), twin(caller, path)
        assert found["older_results"] == older
        if older == 130:
            assert found["why"]["words"][0].endswith(" after 230 events.")
            assert " in the latest 100 changes: " in found["why"]["words"][1]
        else:  # pages of earlier results do not know what came after them
            assert (found["why"], found["streaks"]) == (None, [])
        seen = found["history"]["display"] + seen
        if older:
            (path,) = re.findall(r'href="([^"]+\?before=\d+)"', text)
    assert seen == pytest.approx(whole, abs=1e-9)
    boards = [twin(caller, f"/ladders/chess/?page={number}")["rows"] for number in (1, 2, 3)]
    assert [row["player"] for rows in boards for row in rows] == [
        row["player"] for number in (1, 2, 3) for row in site.leaderboard(number)["rows"]
    ]
    lists = [twin(caller, f"/ladders/chess/events?page={number}")["rows"] for number in (1, 2, 3)]
    assert [row["name"] for rows in lists for row in rows] == [f"e{n}" for n in range(229, -1, -1)]
    assert len(events) > EVENTS_PER_PAGE


def test_a_contest_of_many_is_cut_and_told_from_its_row(any_caller: Caller) -> None:
    ranks = {f"p{n}": n + 1 for n in range(160)}
    events = [
        {"ranks": ranks, "name": "large", "time": "2026-05-01"},
        {"ranks": {"p0": 2, "p1": 1}, "name": "small", "time": "2026-05-02"},
    ]
    any_caller.bulk(events)
    site = ladder_pages(podium.rate(podium.History.from_events(events), "elo", trace=True), min_events=1)
    for number in (1, 2):
        found = twin(any_caller, f"/ladders/chess/events/1?page={number}")
        assert differences(found, site.event(1, number)) == []
    for _ in range(2):  # read from the tables, then remembered
        assert differences(twin(any_caller, "/ladders/chess/events"), site.events()) == []
        found = twin(any_caller, "/ladders/chess/players/0")
        wanted = site.player(0)
        assert found["history"]["display"] == pytest.approx(wanted["history"]["display"], abs=1e-9)
        assert [one["words"] for one in found["results"]] == [one["words"] for one in wanted["results"]]
        assert [one["expected_rank"] is None for one in found["results"]] == [False, True]


def test_entries_that_rate_nobody_have_pages(any_caller: Caller) -> None:
    any_caller.bulk(
        [
            {"ranks": {"ann": 1, "bob": 2}},
            {"adjustment": "rename", "player": "ann", "into": "<i>annie"},
            {"ranks": {"<i>annie": 1, "bob": 2}, "rated": False, "name": "friendly"},
            {"adjustment": "merge", "player": "bob", "into": "<i>annie"},
        ]
    )
    rows = twin(any_caller, "/ladders/chess/events")["rows"]
    assert [row["note"] for row in rows] == ["adjustment", "not rated", "adjustment", None]
    assert "4 reports, latest first." in page(any_caller, "/ladders/chess/events")
    for number in (2, 3, 4):
        text = page(any_caller, f"/ladders/chess/events/{number}")
        assert "&lt;i&gt;annie" in text
    assert "(gone)" not in page(any_caller, "/ladders/chess/events/1")  # both were one person
    for number in (0, 1):  # the page of the merged account is that of who stays
        assert twin(any_caller, f"/ladders/chess/players/{number}")["player"] == "<i>annie"


def test_a_ladder_ends_with_its_last_event(any_caller: Caller) -> None:
    """Not with what was adjusted since, nor with an event that is void."""
    days = ["2026-01-01", "2026-04-01", "2026-05-01"]
    said: list[dict[str, Any]] = [{"ranks": {"ann": 1, "bob": 2}, "time": day} for day in days]
    said += [{"adjustment": "reset", "keep": 0.5, "time": "2026-06-01"}, {"void": 3}]
    assert any_caller.bulk(said)["refused"] == 0
    for path in ("", "about"):
        assert twin(any_caller, f"/ladders/chess/{path}")["now"] == "2026-04-01"


def test_the_list_counts_the_players_whom_an_adjustment_changed(any_caller: Caller) -> None:
    said: list[dict[str, Any]] = [{"ranks": {"ann": 1, "bob": 2, "cat": 3}}]
    said += [{"adjustment": "reset", "keep": 0.5}, {"adjustment": "set-rating", "player": "ann", "mu": 1600}]
    assert any_caller.bulk([*said, {"void": 3}])["refused"] == 0
    rows = twin(any_caller, "/ladders/chess/events")["rows"]
    moved = len(any_caller.get("events/2")["changes"])
    assert [(row["players"], row["note"]) for row in rows] == [
        (0, "takes back no. 3"),
        (0, "taken back"),
        (moved, "adjustment"),
        (3, None),
    ]
    assert moved > 1


def test_an_event_of_which_nothing_is_left_says_who_amended_it(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    caller.report({"disqualify": ["ann"], "event": 1})
    text = page(caller, "/ladders/chess/events/1")
    assert "This event changed no rating. " in text
    assert 'Changed by <a href="/ladders/chess/events/2">no. 2</a>. No player is rated' in text


def test_a_rare_word_finds_whom_a_common_one_would_not(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(name_search, "MOST_CANDIDATES", 3)
    caller.report({"ranks": {f"player {number}": number for number in range(1, 30)}})
    assert twin(caller, "/ladders/chess/search?q=player+27+")["rows"][0]["player"] == "player 27"
    assert len(twin(caller, "/ladders/chess/search?q=player")["rows"]) == 3


def test_players_are_found_by_any_part_of_a_name(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_search, "NAMES_IN_A_TEXT", 3)

    def found(query: str) -> list[str]:
        rows = twin(caller, f"/ladders/chess/search?q={query}")["rows"]
        return [row["player"] for row in rows]

    names = ["Kimi Räikkönen", "ann", "Ann Lee", "lee", "Øystein", "羽生", "☃", "Zoë"]
    caller.report({"ranks": {name: place + 1 for place, name in enumerate(names)}})
    assert found("RAIKK") == ["Kimi Räikkönen"]
    assert found("lee ann") == ["Ann Lee"]
    assert found("ann") == ["ann", "Ann Lee"]  # the very name first
    assert found("lee") == ["lee", "Ann Lee"]
    assert (found("羽"), found("☃"), found("zoe"), found("nobody"), found("")) == (
        ["羽生"],
        ["☃"],
        ["Zoë"],
        [],
        [],
    )
    caller.report({"ranks": {"late": 1, "ann": 2}})
    assert found("late") == ["late"]
    caller.report({"adjustment": "rename", "player": "late", "into": "later on"})
    assert (found("later"), found("late")) == (["later on"], ["later on"])


def test_a_page_is_of_one_state_of_the_ladder(any_caller: Caller) -> None:
    """Elo takes what it gives: whatever is reported meanwhile, the ratings of a page have the same sum."""
    players = [f"p{n}" for n in range(20)]
    any_caller.report({"ranks": dict.fromkeys(players, 1)})

    def report() -> None:
        for n in range(30):
            any_caller.report({"ranks": {players[n % 20]: 1, players[(7 * n + 3) % 20]: 2}})

    reporting = Thread(target=report)
    reporting.start()
    looks = 0
    while reporting.is_alive() or looks < 2:
        board = twin(any_caller, "/ladders/chess/")
        assert sum(row["display"] for row in board["rows"]) == pytest.approx(20 * 1500, abs=0.2)
        assert sum(row["events"] for row in board["rows"]) == 20 + 2 * (board["events"] - 1)
        one = twin(any_caller, "/ladders/chess/players/3")
        assert one["display"] == pytest.approx(one["history"]["display"][-1], abs=1e-9)
        assert one["events"] == len(one["history"]["event"])
        looks += 1
    reporting.join()


def test_amended_events_are_shown_as_they_count(any_caller: Caller) -> None:
    """Pages of a corrected log show what a website of the corrected history shows."""
    days = [f"2026-05-{day:02d}" for day in range(1, 8)]
    said = [{"ranks": {"ann": 1, "bob": 2}, "time": day, "name": f"e{n}"} for n, day in enumerate(days)]
    said.append({"ranks": {"ann": 1, "bob": 2, "cat": 3}, "time": "2026-05-08", "name": "cup"})
    any_caller.bulk(said)
    any_caller.report({"void": 2})
    any_caller.report({"correct": 3, "ranks": {"bob": 1, "ann": 2}, "name": "e2", "time": days[2]})
    any_caller.report({"disqualify": ["cat"], "event": 8})
    any_caller.report(
        {"ranks": {"dan": 1, "ann": 2}, "time": "2026-05-04T12:00:00Z", "name": "late", "late": True}
    )
    meant = [said[0], {**said[2], "ranks": {"bob": 1, "ann": 2}}, said[3]]
    meant.append({"ranks": {"dan": 1, "ann": 2}, "time": "2026-05-04T12:00:00Z", "name": "late"})
    meant += [*said[4:7], {**said[7], "ranks": {"ann": 1, "bob": 2}}]
    site = ladder_pages(podium.rate(podium.History.from_events(meant), "elo", trace=True), min_events=1)
    board, wanted = twin(any_caller, "/ladders/chess/"), site.leaderboard()["rows"]
    live = [row for row in board["rows"] if row["player"] != "cat"]
    assert [(row["player"], row["last_change"], row["spark"]) for row in live] == [
        (row["player"], pytest.approx(row["last_change"]), pytest.approx(row["spark"])) for row in wanted
    ]
    for name in ("ann", "bob", "dan"):
        found = twin(any_caller, f"/ladders/chess/players/{number_of(any_caller, 'chess', name)}")
        own = site.player(site.names.index(name))
        assert found["history"]["name"] == own["history"]["name"]
        assert found["history"]["display"] == pytest.approx(own["history"]["display"])
        assert [one["words"] for one in found["results"]] == [one["words"] for one in own["results"]]
    rows = twin(any_caller, "/ladders/chess/events")["rows"]
    assert [row["time"] for row in rows[1:4]] == [None] * 3  # or a correction is called by its event's time
    notes = [row["note"] for row in rows]
    assert notes == [
        *(None, "disqualifies players in no. 8", "corrects no. 3", "takes back no. 2"),
        *("changed by no. 11", None, None, None, None, "changed by no. 10", "taken back", None),
    ]
    for number, words in {
        2: "This was taken back",
        3: "Changed by",
        9: "takes back",
        10: "corrects",
        12: "reported late",
    }.items():
        assert words in page(any_caller, f"/ladders/chess/events/{number}"), number


def test_the_page_of_an_entry_tells_all_that_was_reported(caller: Caller) -> None:
    match = {"scores": {"ann": 3, "bob": 2}, "home": "bob", "weight": 0.5, "name": "final"}
    caller.report(match)
    caller.report({"correct": 1, **match, "scores": {"ann": 4, "bob": 6}})
    caller.report({"adjustment": "rename", "player": "ann", "into": "anna"})
    caller.report({"void": 1})
    for number, scores in {1: (3, 2), 2: (6, 4)}.items():
        text = page(caller, f"/ladders/chess/events/{number}")
        told = [
            re.sub(r"<[^>]*>", " ", one) for one in re.findall(r"<dl class=.facts.*?</dl>", text, re.DOTALL)
        ]
        for rank, score in enumerate(scores, start=1):
            assert f"rank {rank}, score {score}" in told[0]
        assert re.search(r"At home\s+bob\s+Weight\s+0.5", told[0])
    renamed = page(caller, "/ladders/chess/events/3")
    assert "The new name" in renamed
    assert "not stored" in renamed


# ---------------------------------------------------------------------- the documentation


def test_every_address_is_in_the_documentation() -> None:
    routers = (page_routes.router, admin_routes.router, import_pages.router, ladder_forms.router)
    routes = [route for router in routers for route in router.routes]
    served = {route.path_format for route in routes if isinstance(route, APIRoute)}
    first = re.findall(r"^\| (`/.*?) \| ", DOCS, re.MULTILINE)
    assert {path for cell in first for path in re.findall(r"`([^`]+)`", cell)} == served


def test_requests_of_the_documentation_are_answered_as_shown(tmp_path: Path) -> None:
    block = re.search(r"^```console no-run service\n(.*?)^```", DOCS, re.MULTILINE | re.DOTALL)
    assert block is not None
    with running(tmp_path) as server:
        for command, told in commands(block[1]):
            said, _ = curl(command, tmp_path, server, "")
            assert matches(told, said), f"{command}\n{said}"


def test_who_was_disqualified_is_on_the_page_of_the_event(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2, "cat": 3}, "name": "cup"})
    caller.report({"disqualify": ["ann"], "event": 1})
    found = twin(caller, "/ladders/chess/events/1")
    assert [row["player"] for row in found["standings"]] == ["bob", "cat"]
    assert found["disqualified"] == ["ann"]
    text = page(caller, "/ladders/chess/events/1")
    assert "2 players and 1 disqualified" in text
    assert "ann" in text.split("<s>")[1].split("</s>")[0]
    assert "Ranks without disqualified players" in text
    assert "Chances before the match" not in text
    answer = caller.client.get("/api/v1/ladders/chess/explanation", params={"player": "bob", "event": "cup"})
    assert answer.status_code == 200
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    answer = caller.client.get("/api/v1/ladders/chess/explanation", params={"player": "ann", "event": "cup"})
    assert "'ann' was disqualified" in answer.text


def test_a_player_without_a_counting_event_is_found_nowhere(caller: Caller) -> None:
    """As the rating and the history of such a player say, too."""
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    caller.report({"ranks": {"zed": 1, "bob": 2}})
    number = number_of(caller, "chess", "zed")
    caller.report({"void": 2})
    assert caller.client.get("/api/v1/ladders/chess/rating", params={"player": "zed"}).status_code == 404
    assert twin(caller, "/ladders/chess/search?q=zed")["rows"] == []
    assert twin(caller, "/ladders/chess/search?q=z")["rows"] == []
    assert caller.client.get(f"/ladders/chess/players/{number}").status_code == 404
    assert {row["player"] for row in twin(caller, "/ladders/chess/")["rows"]} == {"ann", "bob"}
