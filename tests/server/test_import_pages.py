"""Importing a file on pages: how it is read and the board it would give come before anything is recorded."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from pages.test_browser import OUTSIDE, OVERLAPS, violations
from podium.server.http.file_forms import LONGEST_FIELD
from podium.server.jobs.job_parts import part_size
from server.callers import Caller
from server.guarded_services import HERE, bearing, form_token, log_in, new_key, new_link
from server.test_access_pages import site  # noqa: F401 - a fixture
from server.test_imports import EVERYTHING, exported, ratings, run_jobs

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

PAGE = "/ladders/chess/admin/imports"
CLUB = (
    "Datum;Heim;Gast;Ergebnis;Bemerkung\n"
    "01.05.2026;Müller, Hans;Anna Berg;3:1;\n"
    "01.05.2026;Carl Dorn;spielfrei;3:0;\n"
    "08.05.2026;Hans Mueller;Carl Dorn;3:2;\n"
    "08.05.2026;Anna Berg;Emil Fuchs;3:0;kampflos\n"
    "15.05.2026;Emil Fuchs;Müller, Hans;1:3;\n"
)
UNCLEAR = "Date,Player 1,Player 2,Score\n03/04/2026,Ann,Bob,3-1\n04/04/2026,Cid,Bob,3-1\n"


def sent(caller: Caller, content: str | bytes, name: str = "club.csv", **fields: str) -> str:
    """The address to which a file leads."""
    answer = caller.client.post(
        PAGE, files={"file": (name, content)}, data=fields, follow_redirects=False, headers=HERE
    )
    assert answer.status_code == 303, answer.text
    run_jobs(caller)
    return str(answer.headers["location"])


def went_on(caller: Caller, page: str, what: str = "look", **fields: str) -> str:
    """The address to which the form of a look leads."""
    answer = caller.client.post(page, data={"what": what, **fields}, follow_redirects=False, headers=HERE)
    assert answer.status_code == 303, answer.text
    run_jobs(caller)
    return str(answer.headers["location"])


def text_of(caller: Caller, page: str) -> str:
    """The text of a page."""
    answer = caller.client.get(page)
    assert answer.status_code == 200
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2])))


def test_a_file_is_shown_before_it_counts(caller: Caller) -> None:
    page = sent(caller, CLUB)
    text = text_of(caller, page)
    for said in (
        *(
            "3 events of 5 players",
            "Nothing is recorded before you import it",
            "Ergebnis result of both",
            "Heim first player",
        ),
        *("line 3 'spielfrei' is not a player", "line 5 kampflos: not played"),
        *("Müller, Hans is Hans Mueller", "The leaderboard after the import", "Dates are day.month.year"),
    ):
        assert said in text, (said, text)
    assert caller.get("")["events"] == 0
    merged = went_on(caller, page, **{"name-0": "1"})
    board = text_of(caller, merged).partition("The leaderboard")[2].partition("Columns")[0]
    assert ("Müller" not in board, "Hans Mueller" in board) == (True, True)
    assert "checked" in caller.client.get(merged).text
    done = went_on(caller, merged, "import", **{"name-0": "1"})
    assert "3 events recorded" in text_of(caller, done)
    ratings = caller.get("leaderboard", everybody=True)["ratings"]
    assert sorted(row["player"] for row in ratings) == [
        "Anna Berg",
        "Carl Dorn",
        "Emil Fuchs",
        "Hans Mueller",
    ]
    shown = re.findall(r" (\d+|–) ([A-Z][\w ]+?) (\d+) (\d+)(?= )", board.partition("Events")[2])
    assert [(name, rating) for _, name, rating, _ in shown] == [
        (row["player"], f"{row['display']:.0f}") for row in ratings
    ]
    again = went_on(caller, merged, "import", **{"name-0": "1"})  # pressed twice, it counts once
    assert "already been imported" in text_of(caller, again)
    assert caller.get("")["events"] == 3


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_an_export_is_shown_before_it_counts(caller: Caller, form: str) -> None:
    """The look recorded it."""
    caller.create("old", "weng-lin")
    for report in EVERYTHING:
        caller.report(report, ladder="old")
    caller.report({"void": 1, "key": "oops"}, ladder="old")
    page = sent(caller, exported(caller, "old", form), "old.zip")
    text = text_of(caller, page)
    for said in (
        "7 events of 6 players",
        "Nothing is recorded before you import it",
        "The voids, corrections",
        "weng-lin",
    ):
        assert said in text, (said, text)
    told = caller.get("")
    assert (told["head"], told["system"]) == (0, "elo")
    done = went_on(caller, page, "import")
    assert "recorded" in text_of(caller, done)
    assert caller.get("")["head"] == len(EVERYTHING) + 1
    assert ratings(caller) == ratings(caller, "old")
    assert "an empty ladder" in text_of(caller, went_on(caller, page))


def test_a_file_may_have_a_long_name(caller: Caller) -> None:
    for name in ("😀" * 100 + ".csv", "é" * 200 + ".csv"):
        assert "3 events of 5 players" in text_of(caller, sent(caller, CLUB, name))


def test_the_page_warns_of_undated_matches_that_may_be_repeats(caller: Caller) -> None:
    sheet = "winner,loser\nann,bob\ncid,ann\n"
    went_on(caller, sent(caller, sheet), "import")
    look = sent(caller, sheet + "bob,cid\n")
    for page in (look, went_on(caller, look, "import")):
        text = text_of(caller, page)
        assert "2 events of the file without a time had been recorded, with the same players" in text


def test_what_cannot_be_read_says_which_setting_helps(caller: Caller) -> None:
    page = sent(caller, UNCLEAR)
    text = text_of(caller, page)
    assert "may be 3 April or 4 March 2026" in text
    assert "the setting “Dates”: day/month/year or the setting “Dates”: month/day/year." in text
    assert "--" not in text
    page = went_on(caller, page, time_format="%d/%m/%Y")
    assert "2 events of 3 players" in text_of(caller, page)
    assert 'value="%d/%m/%Y" selected' in caller.client.get(page).text
    refused = caller.client.post(page, data={"what": "look", "columns": "who=Player 1"}, headers=HERE)
    assert refused.status_code == 400
    assert "does not set a column" in refused.text
    assert "who=Player 1" in refused.text


def test_files_arrive_whole_whatever_they_hold(caller: Caller) -> None:
    """The file is found between the parts of the form, also if it looks like their ends."""
    rows = "".join(f"Ann --b{n},--b\r\n\r\n" for n in range(100_000))
    page = sent(caller, "winner,loser\r\n" + rows, "big.csv", note="a field")
    assert "100,000 events" in text_of(caller, page)
    page = sent(caller, b"", "empty.csv")
    assert "empty" in text_of(caller, page)
    with caller.service.database.reading() as connection:
        assert part_size(connection, 1, "input") == len("winner,loser\r\n" + rows)


@pytest.mark.parametrize(
    ("content", "kind", "reason"),
    [
        (b"--b--\r\n", "multipart/form-data; boundary=b", "no file was chosen"),
        (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nx',
            None,
            "completely",
        ),
        (b"--b\r\nContent-Dis", None, "did not arrive completely"),
        (b"x", "multipart/form-data", "boundary"),
        (b"a=1", "application/x-www-form-urlencoded", "no file"),
        (
            b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n' + b"x" * (LONGEST_FIELD + 70_000),
            None,
            "too long",
        ),
    ],
)
def test_broken_forms_are_refused(caller: Caller, content: bytes, kind: str | None, reason: str) -> None:
    headers = {"Content-Type": kind or "multipart/form-data; boundary=b", **HERE}
    answer = caller.client.post(PAGE, content=content, headers=headers)
    assert answer.status_code in (400, 413)
    assert reason.lower() in answer.text.lower()
    assert caller.get("")["events"] == 0


def test_a_file_of_another_site_is_refused(any_caller: Caller) -> None:
    """With a session, the form has to hold its token, which stands before the file."""
    key = new_key(any_caller, "admin")
    client = any_caller.client
    log_in(any_caller, new_link(any_caller, "report", once=True))
    token = form_token(client.get(PAGE).text)
    for origin, csrf, status in (
        ("http://testserver", token, 303),
        ("http://testserver", "x" * 43, 403),
        ("http://elsewhere.example", token, 403),
    ):
        files = {"csrf": (None, csrf), "file": ("club.csv", CLUB)}
        answer = client.post(PAGE, files=files, headers={"Origin": origin}, follow_redirects=False)
        assert answer.status_code == status, answer.text
    run_jobs(any_caller)
    jobs = client.get("/api/v1/jobs", headers=bearing(key)).json()["jobs"]
    assert len(jobs) == 1
    others = client.get(f"/ladders/timed/admin/imports/{jobs[0]['number']}")
    assert others.status_code in (403, 404)


@pytest.mark.parametrize("script", [True, False], ids=["with a script", "without"])
def test_a_club_imports_its_file_in_a_browser(
    browser: Browser,
    site: tuple[str, Any],  # noqa: F811
    tmp_path: Path,
    *,
    script: bool,
) -> None:
    """On a phone: upload, settings, names, board, and the button that records it."""
    address, service = site
    with httpx2.Client(base_url=address) as client:
        caller = Caller(client, service)  # type: ignore[arg-type]
        client.post("/api/v1/ladders", json={"slug": "club"})
        content = re.sub(r"(\d\d)\.05\.2026", lambda day: f"0{int(day[1]) // 7 + 3}/04/2026", CLUB)
        (tmp_path / "club.csv").write_text(content, encoding="utf-8")
        context = browser.new_context(
            java_script_enabled=script, viewport={"width": 390, "height": 800}, reduced_motion="reduce"
        )
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(f"{address}/ladders/club/admin")
        page.locator("text=Import a file of results").click()
        checked(page, script=script)
        page.locator("#file").set_input_files(tmp_path / "club.csv")
        page.locator("button.main").click()
        assert "podium is reading the file" in page.locator(".lead").inner_text()
        run_jobs(caller)
        page.wait_for_selector("[name=time_format]")
        assert "may be 3 April or 4 March" in page.locator("[role=alert]").inner_text()
        checked(page, script=script)
        page.locator("[name=time_format]").select_option("day/month/year")
        page.locator("text=Read again").click()
        run_jobs(caller)
        page.wait_for_selector("[name=name-0]")
        assert "Nothing is recorded before you import it" in page.locator(".lead").inner_text()
        checked(page, script=script)
        page.locator("[name=name-0]").check()
        page.locator("text=Read again").click()
        run_jobs(caller)
        page.wait_for_selector("[name=name-0]:checked")
        board = page.locator("section", has=page.locator("text=after the import")).locator("tbody tr")
        shown = [row.split("\t") for row in board.all_inner_texts()]
        assert [row[1] for row in shown].count("Hans Mueller") == 1
        page.locator("button", has_text="Import").click()
        run_jobs(caller)
        page.wait_for_selector("text=3 events recorded")
        checked(page, script=script)
        page.locator(".lead a").click()
        rows = page.locator("tbody tr").all_inner_texts()
        assert len(rows) == len(shown) == 4
        assert all(name in row for (_, name, _, _), row in zip(shown, rows, strict=True))
        assert said == []
        context.close()


def checked(page: Page, *, script: bool) -> None:
    """The page fits a phone, and axe finds no fault, which needs a script."""
    if script:
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.evaluate(OVERLAPS) == []
        assert page.evaluate(OUTSIDE) == []
        assert violations(page) == []


def test_who_may_only_report_sees_no_ratings(caller: Caller) -> None:
    client, key = caller.client, new_key(caller, "admin")
    made = client.post("/api/v1/ladders", json={"slug": "secret", "private": True}, headers=bearing(key))
    assert made.status_code == 201, made.text
    log_in(caller, new_link(caller, "report", once=True))
    page = "/ladders/secret/admin/imports"
    files = {"csrf": (None, form_token(client.get(page).text)), "file": ("club.csv", CLUB)}
    answer = client.post(page, files=files, headers=HERE, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    run_jobs(caller)
    text = text_of(caller, str(answer.headers["location"]))
    assert "you cannot see its ratings" in text
    assert "Names that may be one player" not in text
    assert "3 events of 5 players" in text


def test_an_import_is_taken_back_whole(caller: Caller) -> None:
    caller.report({"key": "own", "ranks": {"Anna Berg": 1, "Gil": 2}, "time": "2026-04-01"})
    before = ratings(caller)
    page = went_on(caller, sent(caller, CLUB), "import")
    assert "Take all of it back" in caller.client.get(page).text
    assert caller.get("")["head"] == 4
    undone = caller.client.post(f"{page}/undo", headers=HERE, follow_redirects=False)
    assert undone.headers["location"] == "/ladders/chess/events"
    run_jobs(caller)
    assert ratings(caller) == before
    assert [caller.get(f"events/{number}")["status"] for number in range(1, 5)] == ["in force"] + ["void"] * 3
    again = caller.client.post(f"{page}/undo", headers=HERE)
    assert again.status_code == 400
    assert "No event of this import counts now" in unescape(again.text)
    caller.verified()
    new_key(caller, "admin")
    caller.client.cookies.clear()
    log_in(caller, new_link(caller, "read", "report", ladder="chess"))
    token = form_token(caller.client.get(PAGE).text)
    answer = caller.client.post(f"{page}/undo", data={"csrf": token}, headers=HERE)
    assert answer.status_code == 403
