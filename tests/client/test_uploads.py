"""Uploads: many events in few requests, each with a key that stays the same when it is sent again."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

import podium
from client.scripted_service import Caller, Kind, ScriptedService, problem, told
from podium import History
from podium.client import retrying, uploads
from podium.client.uploads import content_digest, cut, entries_of

MATCHES = History.from_matches(["ann", "bob", "cat"], ["bob", "cat", "ann"], time=[1e9, 2e9, 3e9])


def all_recorded(request: httpx2.Request) -> httpx2.Response:
    count = len(request.content.splitlines())
    outcome = {"status": "recorded", "reason": None, "hint": None}
    return told("reports", recorded=count, known=0, refused=0, generation=1, outcomes=[outcome] * count)


def sent(service: ScriptedService) -> list[list[dict[str, Any]]]:
    return [[json.loads(line) for line in one.content.splitlines()] for one in service.requests]


def test_a_history_goes_in_requests_of_some_events(kind: Kind) -> None:
    service, rows = ScriptedService(all_recorded, all_recorded), []
    upload = Caller(kind, service).call("update", MATCHES, batch=2, progress=rows.append)
    assert (upload.recorded, upload.known, upload.refused) == (3, 0, ())
    assert str(upload) == "3 events recorded"
    assert rows == [4, 2]
    assert service.asked == ["POST /ladders/main/events/bulk?atomic=true&changes=false"] * 2
    assert service.requests[0].headers["content-type"] == "application/x-ndjson"
    reports = [report for request in sent(service) for report in request]
    name = content_digest(MATCHES)
    assert [report["key"] for report in reports] == [f"{name}:{place}" for place in (1, 2, 3)]
    assert reports[0]["ranks"] == {"ann": 1, "bob": 2}
    assert "name" not in reports[0]


def test_keys_are_the_same_when_the_same_is_sent_again(kind: Kind) -> None:
    service = ScriptedService(all_recorded, httpx2.ReadError("broke"), all_recorded, all_recorded)
    caller = Caller(kind, service, retries=0)
    with pytest.raises(podium.UnreachableError):
        caller.call("update", MATCHES, batch=2)
    caller.call("update", History.concat([MATCHES]), batch=2)
    first, broken, again, last = sent(service)
    assert (first, broken) == (again, last)


def test_a_request_without_an_answer_is_sent_again(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE_SECONDS", 1e-4)
    service = ScriptedService(httpx2.ReadError("broke"), all_recorded)
    assert Caller(kind, service).call("update", MATCHES).recorded == 3
    assert sent(service)[0] == sent(service)[1]


def test_keys_of_ones_own(kind: Kind) -> None:
    service = ScriptedService(all_recorded, all_recorded)
    caller = Caller(kind, service)
    caller.call("update", MATCHES, key="season 1")
    caller.call("update", MATCHES, key=lambda event, place: f"{place} {event.sides[0][0]}")
    named, made = sent(service)
    assert [one["key"] for one in named] == ["season 1:1", "season 1:2", "season 1:3"]
    assert [one["key"] for one in made] == ["1 ann", "2 bob", "3 cat"]


def test_a_list_of_events_with_adjustments_between_them(kind: Kind) -> None:
    service = ScriptedService(all_recorded)
    events = [
        podium.SetRating(player="ann", mu=1800.0),
        {"ranks": {"ann": 1, "bob": 2}, "name": "final"},
        podium.Rename(player="ann", into="anne"),
    ]
    assert Caller(kind, service).call("update", events).recorded == 3
    (reports,) = sent(service)
    assert [report.get("adjustment") for report in reports] == ["set-rating", None, "rename"]
    assert reports[0]["mu"] == 1800.0
    assert reports[1]["name"] == "final"
    assert "allow_repeat" not in reports[1]


def test_a_name_that_events_share_is_no_reason_to_refuse_them(kind: Kind) -> None:
    service = ScriptedService(all_recorded)
    cup = [{"ranks": {"ann": 1, "bob": 2}, "name": "cup"}] * 2
    Caller(kind, service).call("update", cup)
    (reports,) = sent(service)
    assert all(report["name"] == "cup" and report["allow_repeat"] for report in reports)


REFUSED = {"status": "refused", "reason": "elo cannot use ties", "hint": "these can: glicko"}
GOOD = {"status": "recorded", "reason": None, "hint": None}


def test_a_refused_event_ends_the_upload(kind: Kind) -> None:
    beside = {"status": "refused", "reason": "not recorded, as another report was refused", "hint": None}
    refusal = problem("refused", 409, "report 2 of 2: elo cannot use ties", outcomes=[beside, REFUSED])
    service = ScriptedService(all_recorded, refusal)
    with pytest.raises(podium.InputError, match="event '3': elo cannot use ties") as caught:
        Caller(kind, service).call("update", [MATCHES.event(0), *MATCHES], batch=2)
    assert "2 events before this request are recorded" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("unsupported", podium.UnsupportedError),
        ("input", podium.InputError),
        ("key-conflict", podium.KeyConflictError),
    ],
)
def test_a_refused_event_is_the_error_of_a_ladder(name: str, expected: type[Exception], kind: Kind) -> None:
    service = ScriptedService(
        problem("refused", 409, "elo cannot use ties", outcomes=[{**REFUSED, "problem": name}])
    )
    with pytest.raises(expected, match="event '1': elo cannot use ties\n  hint: nothing was recorded"):
        Caller(kind, service).call("update", MATCHES)


def test_refused_events_can_be_skipped(kind: Kind) -> None:
    answer = told("reports", recorded=1, known=1, refused=1, generation=1, outcomes=[GOOD, REFUSED, GOOD])
    service = ScriptedService(answer)
    upload = Caller(kind, service).call("update", MATCHES, on_refused="skip")
    assert service.asked == ["POST /ladders/main/events/bulk?atomic=false&changes=false"]
    assert str(upload) == "1 event recorded, 1 known already, 1 refused"
    (refused,) = upload.refused
    assert (refused.place, refused.what, refused.reason) == (2, "2", "elo cannot use ties")


def test_together_or_not_at_all(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    service = ScriptedService(all_recorded)
    assert Caller(kind, service).call("update", MATCHES, atomic=True, batch=1).recorded == 3
    assert len(service.requests) == 1
    monkeypatch.setattr(uploads, "MOST_ITEMS", 2)
    with pytest.raises(podium.ParameterError, match="3 events cannot be recorded together"):
        Caller(kind, ScriptedService()).call("update", MATCHES, atomic=True, batch=1)


def test_large_events_go_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "ROWS_A_REQUEST", 5)
    sizes = (2, 2, 2, 9, 2)
    history = History.from_events(
        [{"ranks": {f"p{n}": n + 1 for n in range(size)}} for size in sizes],
    )
    batches = [
        [entry.rows for entry in one.entries] for one in cut(entries_of(history, "a", allow_repeat=False), 9)
    ]
    assert batches == [[2, 2], [2], [9], [2]]


def test_what_cannot_be_sent(kind: Kind) -> None:
    caller = Caller(kind, ScriptedService())
    with pytest.raises(podium.ParameterError, match="a batch may have 1 to 10,000 events, not 0"):
        caller.call("update", MATCHES, batch=0)
    with pytest.raises(podium.ParameterError, match="on_refused must be 'error' or 'skip'"):
        caller.call("update", MATCHES, on_refused="stop")
    with pytest.raises(podium.ParameterError, match="events must be a list, not int"):
        caller.call("update", 7)
