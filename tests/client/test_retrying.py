"""What is sent again, and what is not: nothing counts twice, and nobody waits long."""

from __future__ import annotations

import re

import httpx2
import pytest

import podium
from client.scripted_service import Caller, Kind, ScriptedService, problem, told
from podium.client import retrying
from podium.client.effects import Lost, Reply, Request
from podium.client.retrying import LONGEST_ASKED_SECONDS, LONGEST_PAUSE_SECONDS, Retries

READ = Request("GET", "/rating")
ONCE = Request("POST", "/rebuild", repeatable=False)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE_SECONDS", 1e-4)


def outcome(number: int | None = 7) -> httpx2.Response:
    return told("report", status="recorded", number=number, key="a", changes=[])


def unavailable(retry_after: str = "0") -> httpx2.Response:
    refusal = problem("unavailable", 503, "the database is full")
    refusal.headers["retry-after"] = retry_after
    return refusal


def test_a_report_is_sent_again_with_the_same_key(kind: Kind) -> None:
    service = ScriptedService(
        httpx2.ConnectError("refused"),
        httpx2.ReadTimeout("slow"),
        unavailable(),
        httpx2.Response(502),
        outcome(),
    )
    changes = Caller(kind, service).call("record_match", "ann", "bob")
    assert changes.number == 7
    assert service.is_done
    (key,) = {body["key"] for body in service.bodies()}
    assert re.fullmatch("[0-9a-f]{32}", key)


def test_each_report_has_a_key_of_its_own_unless_one_is_given(kind: Kind) -> None:
    service = ScriptedService(outcome(), outcome(), outcome())
    caller = Caller(kind, service)
    caller.call("record_match", "ann", "bob")
    caller.call("record_match", "ann", "bob")
    caller.call("adjust", podium.Anchor(player="ann"), key="mine")
    keys = [body["key"] for body in service.bodies()]
    assert keys[0] != keys[1]
    assert keys[2] == "mine"


def test_after_some_tries_the_caller_is_told(kind: Kind) -> None:
    service = ScriptedService(*(httpx2.ConnectError("refused") for _ in range(3)))
    with pytest.raises(podium.UnreachableError, match="does not answer: refused") as caught:
        Caller(kind, service, retries=2).call("rating", "ann")
    assert service.is_done
    assert caught.value.status is None
    assert isinstance(caught.value, ConnectionError)

    service = ScriptedService(unavailable(), unavailable())
    with pytest.raises(podium.ServiceError, match="the database is full") as refused:
        Caller(kind, service, retries=1).call("rating", "ann")
    assert (refused.value.status, refused.value.problem) == (503, "unavailable")


def test_a_report_that_may_have_arrived_is_said_to(kind: Kind) -> None:
    service = ScriptedService(httpx2.ReadError("broke"))
    with pytest.raises(podium.UnreachableError) as caught:
        Caller(kind, service, retries=0).call("record_match", "ann", "bob")
    assert "same idempotency key" in str(caught.value.hint)


def test_a_refusal_is_not_sent_again(kind: Kind) -> None:
    service = ScriptedService(problem("input", 400, "rank is empty", "give it a rank"))
    with pytest.raises(podium.InputError, match="rank is empty") as caught:
        Caller(kind, service).call("rating", "ann")
    assert caught.value.hint == "give it a rank"


def test_what_cannot_be_repeated_is_sent_again_only_if_it_was_never_sent(kind: Kind) -> None:
    service = ScriptedService(httpx2.ConnectError("refused"), httpx2.ReadError("broke"))
    with pytest.raises(podium.UnreachableError, match="broke"):
        Caller(kind, service).call("rebuild")
    assert service.is_done


def test_pauses_double_and_end() -> None:
    retries = Retries(4)
    pauses = [retries.pause_after(attempt, READ, Lost("refused")) for attempt in range(4)]
    for attempt, seconds in enumerate(pauses):
        assert seconds is not None
        assert 0.5e-4 * 2**attempt <= seconds <= 1e-4 * 2**attempt
    assert retries.pause_after(4, READ, Lost("refused")) is None
    assert Retries(100).pause_after(99, READ, Lost("refused")) <= LONGEST_PAUSE_SECONDS  # type: ignore[operator]


def test_a_service_says_how_long_to_wait() -> None:
    def after(said: str) -> float | None:
        return Retries().pause_after(0, READ, Reply(503, {"retry-after": said}))

    assert 2.0 < after("2") < 2.1  # type: ignore[operator]
    assert after(str(int(LONGEST_ASKED_SECONDS) + 1)) is None
    assert after("Tue, 17 Nov 2026 03:00:00 GMT") is not None
    assert Retries().pause_after(0, ONCE, Reply(503)) is None
    assert Retries().pause_after(0, READ, Reply(500)) is None
