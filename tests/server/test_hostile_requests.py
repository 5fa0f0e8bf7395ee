"""Requests of people who mean no good, or whose programs are wrong: each is refused with a reason."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from server.callers import Caller, called_service, problem

HALF = "\ud800"
NASTY = ["\0", "a\0b", HALF, "é" * 400, "../..", "%00", "a/b", "'; DROP TABLE event; --", "\u2028", "🙂", ""]
ASKED = ["", "events", "rating?player=", "leaderboard?around=", "history?player=", "explanation?player="]
ASKED += ["distribution?player=", "head-to-head?b=bob&a="]


def wire(text: str) -> str:
    """Text as it may stand in an address; half a character as its bytes."""
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def test_no_name_of_a_ladder_breaks_anything(any_caller: Caller) -> None:
    for name in NASTY[:-1]:
        for path in ASKED:
            player = "ann" if path.endswith("=") else ""
            answer = any_caller.client.get(f"/api/v1/ladders/{wire(name)}/{path}{player}")
            problem(answer, 404, "not-found" if "/" in name else "unknown-ladder")
        answer = any_caller.client.post(
            f"/api/v1/ladders/{wire(name)}/events", json={"ranks": {"ann": 1, "bob": 2}}
        )
        assert answer.status_code in (404, 405), ascii(name)
        body = json.dumps({"slug": name}).encode()
        answer = any_caller.client.post("/api/v1/ladders", content=body, headers=JSON)
        assert answer.status_code == 400, ascii(name)
        assert answer.headers["content-type"] == "application/problem+json", ascii(name)


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("name", NASTY, ids=ascii)
def test_no_name_of_a_player_breaks_anything(any_caller: Caller, name: str) -> None:
    any_caller.report({"ranks": {"ann": 1, "bob": 2}})
    texts: list[tuple[str, Any]] = [
        ("events", {"ranks": {"ann": 1, name: 2}}),
        ("events", {"ranks": {"ann": 1, "bob": 2}, "name": name}),
        ("events", {"ranks": {"ann": 1, "bob": 2}, "key": name}),
        ("events", {"ranks": {"ann": 1, "bob": 2}, "home": name}),
        ("events", {"adjustment": "rename", "player": "ann", "into": name}),
        ("events", {"adjustment": name}),
        ("events", {name: 1}),
        ("events/bulk", [{"ranks": {"cat": 1, name: 2}}]),
        ("preview", {"ranks": {"ann": 1, name: 2}}),
        ("chances", {"a": "ann", "b": name}),
        ("chances", {"a": "ann", "b": "bob", "home": name}),
        ("rank-probabilities", {"sides": ["ann", name]}),
        ("expected-ranks", {"sides": ["ann", [name, "bob"]]}),
        ("top-chances", {"sides": ["ann", name], "k": 1}),
        ("rank-to-reach", {"player": name, "rating": 1600, "ranks": {"ann": 1, name: 2}}),
    ]
    for path, sent in texts:
        for raw in (
            json.dumps(sent).encode(),
            json.dumps(sent, ensure_ascii=False).encode("utf-8", "surrogatepass"),
        ):
            answer = any_caller.client.post(f"/api/v1/ladders/chess/{path}", content=raw, headers=JSON)
            assert answer.status_code < 500, (path, sent, answer.text)
            answer.json()
    for path in ASKED[2:]:
        answer = any_caller.client.get(f"/api/v1/ladders/chess/{path}{wire(name)}")
        assert answer.status_code in (200, 400, 404, 422), answer.text
    answer = any_caller.client.get(f"/api/v1/ladders/chess/events?key={wire(name)}")
    assert answer.status_code in (200, 404), answer.text
    any_caller.verified()


@pytest.mark.parametrize("name", ["\0", HALF, "\n", "\x1b[2J", "\u2029", "#7 (gone)", "x" * 301], ids=ascii)
def test_names_that_cannot_be_shown_are_refused(caller: Caller, name: str) -> None:
    problem(raw_report(caller, {"ranks": {"ann": 1, name: 2}}), 400, "input")
    problem(raw_report(caller, {"ranks": {"ann": 1, "bob": 2}, "key": name}), 400, "input")
    assert caller.get("")["head"] == 0


def raw_report(caller: Caller, sent: Any) -> Any:
    content = json.dumps(sent).encode()
    return caller.client.post("/api/v1/ladders/chess/events", content=content, headers=JSON)


NUMBERS = ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "-1", "0", "1e308", "1.5", "1e-320"]
NUMBERS += ["9223372036854775808", "2147483648"]
NUMBERS += ["true", "null", '"1"', "[]", "1" + "0" * 400, "1" + "0" * 5000]
PLACES = [
    ("events", '{{"ranks": {{"ann": {0}, "bob": 2}}}}'),
    ("events", '{{"scores": {{"ann": {0}, "bob": 2}}}}'),
    ("events", '{{"scores": {{"ann": {0}, "bob": 2}}, "lower_is_better": true}}'),
    ("events", '{{"ranks": {{"ann": 1, "bob": 2}}, "weight": {0}}}'),
    ("events", '{{"ranks": {{"ann": 1, "bob": 2}}, "time": {0}}}'),
    ("events", '{{"ranks": {{"ann": 1, "bob": 2}}, "ceiling": {0}}}'),
    ("events", '{{"ranks": {{"ann": 1, "bob": 2}}, "share": {0}}}'),
    ("events", '{{"ranks": {{"ann": 1, "bob": 2}}, "play": {{"ann": {0}}}}}'),
    ("events", '{{"adjustment": "set-rating", "player": "ann", "mu": {0}}}'),
    ("events", '{{"adjustment": "reset", "keep": {0}}}'),
    ("events", '{{"adjustment": "reset", "keep": 0.5, "toward": {0}}}'),
    ("events", '{{"adjustment": "reset", "keep": 0.5, "time": {0}}}'),
    ("top-chances", '{{"sides": ["ann", "bob"], "k": {0}}}'),
    ("rank-probabilities", '{{"sides": ["ann", "bob"], "at": {0}}}'),
    ("chances", '{{"a": "ann", "b": "bob", "play": {{"ann": {0}}}}}'),
    ("rank-to-reach", '{{"player": "ann", "rating": {0}, "ranks": {{"ann": 1, "bob": 2}}}}'),
]


@pytest.mark.parametrize(
    "kind, system", [("sqlite", "glicko2"), ("sqlite", "elo-mmr"), ("postgresql", "elo")]
)
def test_no_number_breaks_anything(request: pytest.FixtureRequest, kind: str, system: str) -> None:
    with called_service(request.getfixturevalue(f"{kind}_address")) as caller:
        caller.create(system=system)
        for path, pattern in PLACES:
            for number in NUMBERS:
                raw = pattern.format(number).encode()
                answer = caller.client.post(f"/api/v1/ladders/chess/{path}", content=raw, headers=JSON)
                assert answer.status_code < 500, (path, raw[:200], answer.text)
                answer.json()
        caller.get("leaderboard", min_events=0)
        caller.verified()


ASKED_NUMBERS = ["-1", "0", "1", "9" * 18, "9" * 19, "9" * 40, "9" * 5000, "nan", "inf", "1e5", "٣", ""]


def test_no_number_in_an_address_breaks_anything(any_caller: Caller) -> None:
    any_caller.report({"ranks": {"ann": 1, "bob": 2}})
    base = "/api/v1/ladders/chess"
    for number in ASKED_NUMBERS:
        for path in (
            f"{base}/events/{wire(number)}" if number else base,
            f"{base}/events?since={wire(number)}",
            f"{base}/events?limit={wire(number)}",
            f"{base}/events?cursor={wire(number)}",
            f"{base}/leaderboard?limit={wire(number)}",
            f"{base}/leaderboard?min_events={wire(number)}",
            f"{base}/leaderboard?max_sigma={wire(number)}",
            f"{base}/leaderboard?active_since={wire(number)}",
            f"{base}/rating?player=ann&at={wire(number)}",
            f"{base}/distribution?player=ann&at={wire(number)}",
            f"/api/v1/ladders?limit={wire(number)}",
        ):
            answer = any_caller.client.get(path)
            assert answer.status_code in (200, 400, 404, 410, 413, 422), (
                path[:100],
                answer.status_code,
                answer.text[:300],
            )
            if answer.status_code != 200:
                assert answer.headers["content-type"] == "application/problem+json"


def test_no_cursor_breaks_anything(any_caller: Caller) -> None:
    from podium.server.http.cursors import encoded

    for number in range(5):
        any_caller.report({"ranks": {f"p{number}": 1, "bob": 2}})
    values: list[Any] = [
        -1,
        0,
        2**31,
        2**62 - 1,
        2**63,
        -(2**62),
        10**30,
        1.5,
        -1e18,
        "after",
        "before",
        "\0",
        "x",
        None,
        True,
    ]
    lists = [[1, one] for one in values] + [
        [1, "after", one, two] for one in values for two in (0, 3, 2**61, -1)
    ]
    lists += [[one] for one in values]
    texts = [encoded(one) for one in lists] + ["", "x", "é", "=", "W10", "bnVsbA", "MQ"]
    for path in (
        "leaderboard",
        "events",
        "events?order=oldest",
        "history?player=bob",
        "head-to-head?a=p1&b=bob",
    ):
        for text in texts:
            joint = "&" if "?" in path else "?"
            answer = any_caller.client.get(f"/api/v1/ladders/chess/{path}{joint}cursor={wire(text)}")
            assert answer.status_code in (200, 400, 410), (path, text, answer.text)
    for text in texts:
        answer = any_caller.client.get(f"/api/v1/ladders?cursor={wire(text)}")
        assert answer.status_code in (200, 400), (text, answer.text)


@pytest.mark.parametrize("body", ['{"ranks": {"ann": 1, "bob": 2, "ann": 3}}', '{"key": "a", "key": "b"}'])
def test_what_stands_twice_in_a_body_is_not_dropped_silently(caller: Caller, body: str) -> None:
    answer = caller.client.post("/api/v1/ladders/chess/events", content=body, headers=JSON)
    assert "is a duplicate key" in problem(answer, 400, "input")["detail"]


def test_a_misspelt_word_in_an_address_records_nothing(caller: Caller) -> None:
    match = {"ranks": {"ann": 1, "bob": 2}}
    for word in ("dry-run", "dryrun", "DRY_RUN"):
        found = problem(
            caller.client.post(f"/api/v1/ladders/chess/events?{word}=true", json=match),
            400,
            "parameter",
        )
        assert "did you mean 'dry_run'?" in found["hint"]
    problem(caller.client.post("/api/v1/ladders?slog=x", json={"slug": "other"}), 400, "parameter")
    assert caller.get("")["head"] == 0
    assert caller.client.post("/api/v1/ladders/chess/events?dry_run=true", json=match).status_code == 200


def test_a_parameter_is_refused_that_means_nothing_or_stands_twice(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    ladder = "/api/v1/ladders/chess"
    found = problem(caller.client.get(f"{ladder}/leaderboard?min_event=3"), 400, "parameter")
    assert found["detail"] == "unknown parameter 'min_event' here"
    assert "did you mean 'min_events'?" in found["hint"]
    assert "there are limit, cursor, around, min_events" in found["hint"]
    assert (
        problem(caller.client.get(f"{ladder}?x"), 400, "parameter")["hint"]
        == "this endpoint takes no parameters"
    )
    twice = problem(caller.client.get(f"{ladder}/rating?player=ann&player=bob"), 400, "parameter")
    assert twice["detail"] == "the parameter 'player' is given twice"
    problem(caller.client.get(f"{ladder}/rating?player=ann&utm_source=mail"), 400, "parameter")


def test_pages_ignore_what_other_sites_add_to_links(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    shared = caller.client.get("/ladders/chess/?utm_source=mail&fbclid=1")
    assert shared.text == caller.client.get("/ladders/chess/").text
    refused = caller.client.get("/ladders/chess/?pge=2")
    assert (refused.status_code, refused.headers["content-type"]) == (400, "text/html; charset=utf-8")
    assert "Did you mean &#39;page&#39;?" in refused.text
    typed = caller.client.get("/ladders/chess?format=json&page=1")
    assert typed.json()["kind"] == "leaderboard-page"
    both = caller.client.get("/ladders/chess/compare?name=ann&name=bob")
    assert both.status_code == 200
