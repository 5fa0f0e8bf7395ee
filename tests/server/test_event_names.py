"""Events as callers name them: by number, by key or by name, in every place where an event is meant."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

import podium
from podium.documents.explanation_documents import event_explanation_document
from server.callers import Caller, called_service, problem

ODD = 'a/b "c" 50%_é'
EVENTS: list[dict[str, Any]] = [
    {"ranks": {"ann": 1, "bob": 2, "cat": 3}, "name": "spring cup", "time": "2026-05-01"},
    {"ranks": {"bob": 1, "ann": 2}, "name": "1", "time": "2026-05-02"},
    {"scores": {"cat": 3, "ann": 2}, "name": ODD, "time": "2026-05-03"},
    {"ranks": {"ann": 1, "bob": 1, "dan": 3}, "time": "2026-05-04"},
]


def filled(caller: Caller) -> None:
    for number, sent in enumerate(EVENTS, start=1):
        caller.report({**sent, "key": f"game {number}"})


def looked_up(caller: Caller, text: str) -> Any:
    return caller.client.get(f"/api/v1/ladders/chess/events/{quote(text, safe='')}")


def test_an_event_is_found_by_number_key_and_name(any_caller: Caller) -> None:
    filled(any_caller)
    for text, number in {
        "2": 2,
        "key:game 2": 2,
        "name:1": 2,
        "1": 1,
        "spring cup": 1,
        "name:spring cup": 1,
        ODD: 3,
        f"name:{ODD}": 3,
    }.items():
        assert looked_up(any_caller, text).json()["number"] == number, text
        page = any_caller.client.get(f"/ladders/chess/events/{quote(text, safe='')}?format=json")
        assert (page.status_code, page.url.path) == (200, f"/ladders/chess/events/{number}"), text
    for text in ("key:spring cup", "name:SPRING CUP", "name:game 2", "name:", "key:\0", "nothing", "x" * 400):
        found = problem(looked_up(any_caller, text), 404, "unknown-event")
        assert "give a number, key: and the key of a report" in found["hint"]


def test_a_name_means_the_event_that_has_it_now(any_caller: Caller) -> None:
    filled(any_caller)
    any_caller.report({"correct": "spring cup", "ranks": {"bob": 1, "ann": 2}, "name": "summer cup"})
    assert looked_up(any_caller, "summer cup").json()["number"] == 1
    problem(looked_up(any_caller, "spring cup"), 404, "unknown-event")
    assert any_caller.get("explanation", player="ann", event="summer cup")["event"]["event"] == "summer cup"
    any_caller.report({"disqualify": ["ann"], "event": "key:game 4"})
    any_caller.report({"void": "name:1"})
    log = any_caller.log()
    assert [one["target"] for one in log] == [None, None, None, None, 1, 4, 2]
    assert looked_up(any_caller, "name:1").json()["status"] == "void"  # no other one has the name
    any_caller.report({"ranks": {"bob": 1, "cat": 2}, "name": "1", "time": "2026-05-05"})
    assert looked_up(any_caller, "name:1").json()["number"] == 8
    any_caller.report({"ranks": {"bob": 1, "cat": 2}, "name": "1", "time": "2026-05-06"})
    several = problem(looked_up(any_caller, "name:1"), 400, "input")
    assert several["detail"] == "several events are named '1'"
    assert several["hint"] == "give one event's number instead: 9, 8"
    any_caller.refused({"void": "name:1"}, 400, "input")


def test_the_same_amendment_by_name_counts_once(caller: Caller) -> None:
    filled(caller)
    void = {"void": "key:game 1", "key": "oops"}
    assert caller.report(void, dry_run=True)["moved"] == 4
    assert caller.report(void)["status"] == "recorded"
    assert caller.report(void)["status"] == "known"
    both = caller.bulk(
        [{"ranks": {"ann": 1, "bob": 2}, "name": "autumn cup", "key": "game 9"}, {"void": "name:1"}]
    )
    assert [one["status"] for one in both["outcomes"]] == ["recorded", "recorded"]
    assert caller.report({"void": "autumn cup"})["number"] == 8


@pytest.mark.parametrize("system", ["elo", "elo-mmr", "auto"])
def test_one_event_is_explained_as_the_library_does(sqlite_address: str, system: str) -> None:
    with called_service(sqlite_address) as caller:
        caller.create("chess", system)
        filled(caller)
        run = podium.rate(podium.History.from_events(EVENTS), podium.make_system(system), trace=True)
        for player, event, name in (
            ("bob", "key:game 1", "spring cup"),
            ("ann", "name:1", "1"),
            ("cat", ODD, ODD),
            ("dan", "4", "4"),
        ):
            told = caller.get("explanation", player=player, event=event)
            expected = event_explanation_document(run.explain(player, name))
            expected["opinions"] = []  # the service keeps none of earlier ones
            assert told["event"] == expected
            assert told["explanation"] == caller.get("explanation", player=player)["explanation"]


def test_what_cannot_be_explained_is_refused(caller: Caller) -> None:
    filled(caller)
    caller.report({"void": 1})
    caller.report({"adjustment": "rename", "player": "dan", "into": "daniel"})
    for player, event, status, name in (
        ("cat", "4", 400, "input"),
        ("bob", "1", 400, "input"),
        ("ann", "5", 404, "unknown-event"),
        ("daniel", "6", 404, "unknown-event"),
        ("eve", "2", 404, "unknown-player"),
        ("ann", "99", 404, "unknown-event"),
    ):
        asked = {"player": player, "event": event}
        answer = caller.client.get("/api/v1/ladders/chess/explanation", params=asked)
        problem(answer, status, name)
