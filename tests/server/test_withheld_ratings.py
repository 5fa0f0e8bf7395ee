"""Who may report to a private ladder but not read it: no answer of any route tells one of its ratings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from podium.server.access.rights import REPORT
from podium.server.http.job_routes import UNREAD
from server.callers import Caller, called_service, problem
from server.guarded_services import HERE, bearing, form_token, log_in, new_key, new_link
from server.test_access_table import ROUTES, Marked, named
from server.test_imports import FILE, run_jobs

SECRET = {"ann": 1734.25, "bob": 1283.75}
"""Ratings that stand out in every text."""
TELLING = re.compile(r"1[27]\d\d(\.\d+)?\b")
"""What a rating of theirs looks like, exact or rounded, before or after a match."""
WIN = {"ranks": {"ann": 1, "bob": 2}}
API = "/api/v1/ladders/club"


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A private ladder, asked with a key that may only report to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.server.service.compile_kernels", lambda told: None)
        with called_service(str(tmp_path_factory.mktemp("club") / "podium.db")) as caller:
            caller.create("club", private=True)
            for name, mu in SECRET.items():
                seed = {"key": f"seed {name}", "adjustment": "set-rating", "player": name, "mu": mu}
                caller.report(seed, ladder="club")
            caller.report({"key": "game 1", **WIN}, ladder="club")
            board = caller.get("leaderboard", ladder="club")
            assert [bool(TELLING.search(str(one["display"]))) for one in board["ratings"]] == [True, True]
            caller.client.headers.update(bearing(new_key(caller, REPORT, ladder="club")))
            caller.service.followers.closed = True  # streams end at once
            yield caller


def told_nothing(answer: Any) -> Any:
    """The answer, which has no rating in it."""
    text = re.sub(r'"(request_id|received|rated_time|created|time)": ?"[^"]*"', "", answer.text)
    assert not TELLING.search(text), answer.text
    return answer


SENT: list[tuple[str, Any]] = [
    ("events", WIN),
    ("events?dry_run=true", WIN),
    ("events", {"key": "game 1", **WIN}),
    ("events", {"key": "game 1", "ranks": {"bob": 1, "ann": 2}}),
    ("events", {"key": "seed ann", **WIN}),
    ("events?dry_run=true", {"key": "seed ann", **WIN}),
    ("events", {**WIN, "play": {"ann": 0.5}}),
    ("events/bulk", [WIN, {"key": "game 1", **WIN}, {"key": "seed ann", **WIN}]),
    ("events/bulk?dry_run=true", [WIN, {"key": "seed ann", **WIN}]),
    ("events/bulk?atomic=true", [WIN, {"key": "seed ann", **WIN}]),
    ("events/bulk?atomic=true", [{"key": "game 1", **WIN}, {"key": "game 2", **WIN}]),
    ("preview", WIN),
    ("rank-to-reach", {"player": "ann", "rating": 1500, **WIN}),
    ("chances", {"a": "ann", "b": "bob"}),
]


@pytest.mark.parametrize(("path", "sent"), SENT)
def test_answers_to_reports_have_no_ratings(club: Caller, path: str, sent: Any) -> None:
    told_nothing(club.client.post(f"{API}/{path}", json=sent))


def test_reports_still_count_and_are_known_again(club: Caller) -> None:
    first = told_nothing(club.client.post(f"{API}/events", json={"key": "mine", **WIN}))
    assert (first.status_code, first.json()["status"], first.json()["changes"]) == (201, "recorded", [])
    again = told_nothing(club.client.post(f"{API}/events", json={"key": "mine", **WIN}))
    assert (again.status_code, again.json()["number"]) == (200, first.json()["number"])
    tried = told_nothing(club.client.post(f"{API}/events?dry_run=true", json=WIN))
    assert (tried.json()["status"], tried.json()["rated"], tried.json()["changes"]) == ("preview", True, [])
    other = told_nothing(club.client.post(f"{API}/events", json={"key": "seed ann", **WIN}))
    assert problem(other, 409, "key-conflict")["differences"] == []


@pytest.mark.parametrize("route", [one for one in ROUTES if "{ladder}" in one.path], ids=named)
def test_no_route_tells_a_rating(club: Caller, route: Marked) -> None:
    bodies: list[Any] = [None, {}, WIN] if route.method in ("POST", "PATCH") else [None]
    for body in bodies:
        sent = {} if body is None else {"json": body}
        for asked in ("", "?player=ann", "?a=ann&b=bob", "?format=csv", "?since=0"):
            told_nothing(club.client.request(route.method, f"{route.address('club')}{asked}", **sent))


def test_no_list_or_job_tells_a_rating(club: Caller) -> None:
    ordered = club.client.post(
        f"{API}/imports", content=b"winner,loser\nann,bob\nbob,ann\n", params={"name": "a.csv"}, headers=FILE
    )
    run_jobs(club)
    job = told_nothing(club.client.get(f"/api/v1/jobs/{ordered.json()['number']}")).json()
    assert job["status"] == "done"
    for path in ("/api/v1", "/api/v1/ladders", "/api/v1/jobs", "/"):
        told_nothing(club.client.get(path))
    assert "ann" not in club.client.get("/").text


def test_the_form_of_a_guest_tells_no_rating(club: Caller) -> None:
    """A link that may only report: the page says so, and recording still works."""
    key = club.client.headers.pop("Authorization")
    try:
        log_in(club, new_link(club, REPORT, ladder="club"))
        token = form_token(told_nothing(club.client.get("/ladders/club/admin")).text)
        form = {"what": "match", "a": "ann", "b": "bobb", "result": "win", "csrf": token}
        page = told_nothing(club.client.post("/ladders/club/admin", data=form, headers=HERE)).text
        assert "not see its ratings" in page
        assert "If you meant" not in page
        (held,) = re.findall(r'name="report" value="([^"]*)"', page)
        sent = {"report": unescape(held), "csrf": token}
        done = club.client.post("/ladders/club/admin/record", data=sent, headers=HERE, follow_redirects=False)
        assert (done.status_code, done.headers["location"].partition("?")[0]) == (303, "/ladders/club/admin")
        told_nothing(club.client.get("/"))
    finally:
        club.client.cookies.clear()
        club.client.headers["Authorization"] = key


def test_warnings_of_imports_name_no_player_of_the_ladder(club: Caller) -> None:
    text = "date,winner,loser\n2026-05-03,ANN,zed\n"
    sent = club.client.post(f"{API}/imports", content=text.encode(), params={"name": "x.csv"}, headers=FILE)
    run_jobs(club)
    found = club.client.get(f"/api/v1/jobs/{sent.json()['number']}").json()
    assert (found["status"], found["result"]["warnings"]) == ("done", [UNREAD])
