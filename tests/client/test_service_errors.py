"""What a service refuses arrives as the exception that a ladder would raise."""

from __future__ import annotations

import httpx2
import pytest

import podium
from client.scripted_service import ADDRESS, Caller, Kind, ScriptedService, problem, told
from podium import Client

SAME = {
    "input": (400, podium.InputError),
    "parameter": (400, podium.ParameterError),
    "unsupported": (422, podium.UnsupportedError),
    "unknown-player": (404, podium.UnknownPlayerError),
    "order": (409, podium.OrderError),
    "repeat": (409, podium.RepeatError),
}


@pytest.mark.parametrize("name", SAME)
def test_the_errors_of_a_ladder(name: str, kind: Kind) -> None:
    status, expected = SAME[name]
    service = ScriptedService(problem(name, status, "the reason", "what to do"))
    with pytest.raises(expected) as caught:
        Caller(kind, service).call("rating", "ann")
    assert isinstance(caught.value, podium.PodiumError)
    assert (caught.value.reason, caught.value.hint) == ("the reason", "what to do")
    assert str(caught.value) == "the reason\n  hint: what to do"


def test_a_key_that_was_used_says_what_differs(kind: Kind) -> None:
    difference = {"field": "ranks", "recorded": "ann 1, bob 2", "reported": "ann 2, bob 1"}
    service = ScriptedService(problem("key-conflict", 409, differences=[difference], number=7))
    with pytest.raises(podium.KeyConflictError) as caught:
        Caller(kind, service).call("record_match", "ann", "bob", key="a")
    assert caught.value.number == 7
    assert caught.value.differences == (("ranks", "ann 1, bob 2", "ann 2, bob 1"),)


@pytest.mark.parametrize("name", ["unknown-ladder", "archived", "ladder-exists"])
def test_what_only_a_service_refuses(name: str, kind: Kind) -> None:
    with pytest.raises(podium.ServiceError) as caught:
        Caller(kind, ScriptedService(problem(name, 409))).call("rating", "ann")
    assert (caught.value.problem, caught.value.status) == (name, 409)


def test_something_else_answers(kind: Kind) -> None:
    for answer in (httpx2.Response(404, text="<h1>Not here</h1>"), httpx2.Response(200, text="<h1>Hi</h1>")):
        with pytest.raises(podium.ServiceError) as caught:
            Caller(kind, ScriptedService(answer)).call("rating", "ann")
        assert "URL of a podium service" in str(caught.value.hint)
        assert caught.value.problem is None
    with pytest.raises(podium.ServiceError, match=r"the service returned 500$"):
        Caller(kind, ScriptedService(httpx2.Response(500))).call("rating", "ann")


def test_a_service_that_is_too_new(kind: Kind) -> None:
    with pytest.raises(podium.ServiceError, match="version 2"):
        Caller(kind, ScriptedService(httpx2.Response(200, json={"podium": 2}))).call("rating", "ann")


def test_what_is_wrong_with_an_event_is_known_before_anything_is_sent(kind: Kind) -> None:
    service = ScriptedService()
    for ranks in ({"ann": 0, "bob": 1}, {"ann": 1}):
        with pytest.raises(podium.InputError) as here:
            Caller(kind, service).call("record", ranks=ranks)
        with pytest.raises(podium.InputError) as there:
            podium.Ladder("elo").record(ranks=ranks)
        assert str(here.value) == str(there.value)
    with pytest.raises(podium.InputError, match="'cat' is disqualified but is not in this event"):
        Caller(kind, service).call("record", ranks={"ann": 1, "bob": 2}, disqualified=["cat"])
    assert service.requests == []


def test_clients_that_cannot_be() -> None:
    with pytest.raises(podium.ParameterError, match="is not the URL of a service"):
        Client("localhost:8000")
    with pytest.raises(podium.ParameterError, match="is not a valid slug for a ladder"):
        Client(ADDRESS, ladder="Chess Club")
    with pytest.raises(podium.ParameterError, match="title can only be given when a ladder is created"):
        Client(ADDRESS, title="Chess")
    with pytest.raises(podium.ParameterError, match="retries must be 0 or more"):
        Client(ADDRESS, retries=-1)


def test_the_package_for_http_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx2", None)
    with pytest.raises(podium.ParameterError, match="httpx2") as caught:
        Client(ADDRESS)
    assert caught.value.hint == "pip install 'podium[client]'"


def test_the_key_is_sent_with_every_request(kind: Kind) -> None:
    service = ScriptedService(told("service", version="1", database="sqlite", ladders=0))
    Caller(kind, service, key="pod_1_secret").call("service")
    assert service.requests[0].headers["authorization"] == "Bearer pod_1_secret"
    service = ScriptedService(told("service", version="1", database="sqlite", ladders=0))
    Caller(kind, service).call("service")
    assert "authorization" not in service.requests[0].headers
