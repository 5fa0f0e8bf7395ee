"""The page of the highest ratings ever of a service is that of a website of the same history."""

from __future__ import annotations

from typing import Any

import pytest

import podium
from podium.pages.ladder_pages import ladder_pages
from server.callers import Caller

MATCHES = [
    {"ranks": {winner: 1, loser: 2}, "time": f"2026-05-{day:02}", "name": f"evening {day}"}
    for day, (winner, loser) in enumerate(
        (*[("ann", "bob")] * 6, *[("bob", "ann")] * 5, *[("cat", "ann")] * 4, *[("bob", "cat")] * 6), start=1
    )
]


def shown(caller: Caller) -> Any:
    answer = caller.client.get("/ladders/chess/all-time", params={"format": "json"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_list_is_that_of_a_website(any_caller: Caller) -> None:
    caller = any_caller
    caller.bulk(MATCHES)
    site = ladder_pages(podium.rate(podium.History.from_events(MATCHES), "elo", trace=True), min_events=1)
    wanted = site.all_time()
    assert wanted is not None
    page = shown(caller)
    assert (page["min_events"], page["players"]) == (wanted["min_events"], wanted["players"])
    for peak, other in zip(page["peaks"], wanted["peaks"], strict=True):
        assert {**peak, "display": 0} == {**other, "display": 0}
        assert peak["display"] == pytest.approx(other["display"], abs=1e-6)
    text = caller.client.get("/ladders/chess/").text
    assert "/ladders/chess/all-time" in text
    assert "6 May 2026" in caller.client.get("/ladders/chess/all-time").text


def test_what_was_taken_back_is_no_record(caller: Caller) -> None:
    caller.bulk(MATCHES[:8])
    first = shown(caller)["peaks"][0]
    assert (first["player"], first["event"]) == ("ann", "evening 6")
    caller.report({"void": 6})
    first = shown(caller)["peaks"][0]
    assert (first["player"], first["event"]) == ("ann", "evening 5")
    assert first["events"] == 7


def test_events_played_elsewhere_and_by_merged_accounts_count(caller: Caller) -> None:
    """A player who came with 40 events was not listed, and one with two accounts had the events of one."""
    given = {"adjustment": "set-rating", "player": "ann", "display": 1700, "events": 40, "time": "2026-04-01"}
    caller.bulk([given, *MATCHES, {"ranks": {"cat2": 1, "bob": 2}, "time": "2026-06-01"}])
    caller.report({"adjustment": "merge", "player": "cat2", "into": "cat"})
    items: list[Any] = [podium.SetRating(player="ann", display=1700, events=40), *MATCHES]
    items += [{"ranks": {"cat2": 1, "bob": 2}, "time": "2026-06-01"}, podium.Merge(player="cat2", into="cat")]
    run = podium.rate(podium.History.from_events(items), "elo", trace=True)
    wanted = ladder_pages(run, min_events=1).all_time()
    assert wanted is not None
    page = shown(caller)
    assert page["min_events"] == wanted["min_events"]
    listed = [[(one["player"], one["events"]) for one in document["peaks"]] for document in (page, wanted)]
    assert listed[0] == listed[1]
    assert listed[0][0] == ("ann", 55)
