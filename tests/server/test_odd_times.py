"""Events at the ends of the calendar, and before 1970: every page and every answer is as for any other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from server.callers import Caller, called_service
from server.test_access_table import ROUTES, Marked, named

FIRST, LAST = "0001-01-01", "9892-03-01"
"""The first day that there is, and nearly the last one that podium takes."""
SEASONS = {
    "first": [FIRST, "0001-01-01T00:00:00.000001Z", "0001-01-02"],
    "whole": [FIRST, "0999-12-31", "1969-12-31T23:59:59.5Z", "2020-01-01", LAST],
    "last": ["9892-01-01", LAST],
}
"""Times of the events of each ladder."""
ASKED = ["", "?player=ann", "?a=ann&b=bob", "?format=csv", "?format=json", "?player=0&player=1", "?since=0"]
ASKED += [f"?player=ann&at={at}" for at in (FIRST, "1969-01-01", LAST, "9999-12-31", "0000-01-01")]
ASKED += [f"?at={at}&active_since=30d" for at in (FIRST, LAST)] + ["?active_since=999999999d"]
WIN = {"ranks": {"ann": 1, "bob": 2}}


@pytest.fixture(scope="module")
def seasons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A ladder for each of them; older versions took times that are ahead of the clock."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.server.service.compile_kernels", lambda told: None)
        path = str(tmp_path_factory.mktemp("times") / "podium.db")
        with called_service(path, requests_per_second=0.0) as caller:
            caller.service.followers.closed = True  # streams end at once
            for slug, times in SEASONS.items():
                caller.create(slug, "glicko2", active_since="30d")
                with pytest.MonkeyPatch.context() as clock:
                    clock.setattr("podium.server.log.server_clock.ServerClock.check", lambda *_: None)
                    for time in times:
                        caller.report({**WIN, "time": time}, ladder=slug)
            yield caller


def sent_to(route: Marked) -> list[Any]:
    """Bodies for a route."""
    if route.method != "POST":
        return [{"active_since": "30d"}] if route.method == "PATCH" else [None]
    bodies: list[Any] = [None, {**WIN, "time": FIRST, "late": True}, {"correct": 1, **WIN, "time": FIRST}]
    for time in (FIRST, LAST):
        bodies += [{**WIN, "time": time}, {"a": "ann", "b": "bob", "at": time}]
        bodies += [{"sides": ["ann", "bob"], "at": time}, {**WIN, "ratings": [1500], "time": time}]
    return bodies


@pytest.mark.parametrize("route", [one for one in ROUTES if "{ladder}" in one.path], ids=named)
@pytest.mark.parametrize("season", SEASONS)
def test_every_route_answers(seasons: Caller, season: str, route: Marked) -> None:
    for body in sent_to(route):
        sent = {} if body is None else {"json": body}
        for asked in ASKED if route.method == "GET" else ("?dry_run=true", ""):
            if route.method == "POST" and not asked and "events" in route.path:
                continue  # which would record it
            answer = seasons.client.request(route.method, f"{route.address(season)}{asked}", **sent)
            assert answer.status_code < 500, (asked, body, answer.text)
