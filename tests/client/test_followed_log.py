"""Reading the log: entries come once each and in order, also if the connection breaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

import podium
from client.scripted_service import Broken, Caller, Kind, ScriptedService, problem, told
from podium.client import retrying
from podium.documents import event_document

EVENT = podium.Event.of(ranks={"ann": 1, "bob": 2}, time="2026-05-01")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE_SECONDS", 1e-4)


def bookmark(number: int) -> str:
    return f"{number}-{number:016x}"


def entry(number: int) -> dict[str, Any]:
    return {
        "number": number,
        "bookmark": bookmark(number),
        "entry": "event",
        "key": f"game {number}",
        "received": "2026-05-01T18:30:00Z",
        "rated": True,
        "rated_time": "2026-05-01",
        "event": event_document(EVENT),
        "disqualified": [],
        "adjustment": None,
        "place": None,
        "target": None,
        "status": "in force",
        "amended_by": [],
        "rated_event": None,
        "rated_disqualified": [],
        "generation": 1,
        "changes": [],
    }


def lines(*numbers: int) -> str:
    return "".join(json.dumps(entry(number)) + "\n" for number in numbers)


def live(*numbers: int) -> str:
    told = (f"id: {bookmark(n)}\nevent: logged-event\ndata: {json.dumps(entry(n))}\n\n" for n in numbers)
    return ": keep-alive\n\n" + "".join(told)


def numbers(entries: list[Any]) -> list[int]:
    return [one.number for one in entries]


def test_the_log_up_to_its_end(kind: Kind) -> None:
    service = ScriptedService(httpx2.Response(200, text=lines(8, 9)))
    found = Caller(kind, service).take(9, "events", since=7)
    assert numbers(found) == [8, 9]
    assert (found[0].event, found[0].key, found[0].changes.number) == (EVENT, "game 8", 8)
    assert found[0].received.isoformat() == "2026-05-01T18:30:00+00:00"
    assert service.asked == ["GET /ladders/main/events?since=7"]


def test_the_log_goes_on_after_a_break(kind: Kind) -> None:
    service = ScriptedService(
        httpx2.Response(200, stream=Broken(lines(1, 2))),
        httpx2.ConnectError("refused"),
        problem("busy", 503),
        httpx2.Response(200, text=lines(3)),
    )
    assert numbers(Caller(kind, service).take(9, "events")) == [1, 2, 3]
    assert service.asked[-1] == f"GET /ladders/main/events?since={bookmark(2)}"


def test_a_log_that_cannot_be_read(kind: Kind) -> None:
    with pytest.raises(podium.ServiceError, match="no such ladder"):
        Caller(kind, ScriptedService(problem("unknown-ladder", 404, "no such ladder"))).take(1, "events")
    service = ScriptedService(*(httpx2.ConnectError("refused") for _ in range(3)))
    with pytest.raises(podium.UnreachableError):
        Caller(kind, service, retries=2).take(1, "events")
    assert service.is_done


def test_a_stream_resumes_where_it_broke(kind: Kind) -> None:
    service = ScriptedService(
        httpx2.Response(200, stream=Broken(live(4, 5))),
        httpx2.Response(200, text=live(6)),
        httpx2.Response(200, text=live(7)),
    )
    assert numbers(Caller(kind, service).take(4, "stream", since=3)) == [4, 5, 6, 7]
    assert [one.headers["last-event-id"] for one in service.requests] == ["3", bookmark(5), bookmark(6)]
    assert service.requests[0].headers["accept"] == "text/event-stream"


def test_a_stream_from_now_on_leaves_nothing_out(kind: Kind) -> None:
    service = ScriptedService(
        told("log", entries=[entry(41)]), httpx2.ConnectError("refused"), httpx2.Response(200, text=live(42))
    )
    assert numbers(Caller(kind, service).take(1, "stream")) == [42]
    assert service.requests[-1].headers["last-event-id"] == bookmark(41)
    assert numbers(Caller(kind, empty_log()).take(1, "stream")) == [1]


def empty_log() -> ScriptedService:
    return ScriptedService(told("log", entries=[]), httpx2.Response(200, text=live(1)))


@pytest.mark.parametrize("call", ["events", "stream"])
def test_a_log_that_was_replaced_is_an_error(kind: Kind, call: str) -> None:
    """An older backup was restored while nobody was connected: to go on would leave entries out."""
    content = lines(4, 5) if call == "events" else live(4, 5)
    service = ScriptedService(
        httpx2.Response(200, stream=Broken(content)), problem("other-log", 410, "the log ends at 3")
    )
    with pytest.raises(podium.ServiceError, match="the log ends at 3") as refused:
        Caller(kind, service).take(3, call, since=3)
    assert refused.value.problem == "other-log"
    assert service.is_done


def test_a_log_of_an_older_service_goes_on_by_number(kind: Kind) -> None:
    old = {name: value for name, value in entry(4).items() if name not in ("bookmark", "reason", "link")}
    service = ScriptedService(
        httpx2.Response(200, stream=Broken(json.dumps(old) + "\n")), httpx2.Response(200, text=lines(5))
    )
    assert numbers(Caller(kind, service).take(2, "events", since=3)) == [4, 5]
    assert service.asked[-1] == "GET /ladders/main/events?since=4"


def test_a_stream_that_never_brings_anything_ends_in_an_error(kind: Kind) -> None:
    service = ScriptedService(*(httpx2.Response(200, text="") for _ in range(3)))
    with pytest.raises(podium.UnreachableError, match="closed the stream"):
        Caller(kind, service, retries=2).take(1, "stream", since=0)


def test_one_entry_by_number_or_by_key(kind: Kind) -> None:
    service = ScriptedService(told("logged-event", **entry(7)), told("logged-event", **entry(7)))
    caller = Caller(kind, service)
    assert caller.call("event", 7) == caller.call("event", key="game 7")
    assert service.asked == ["GET /ladders/main/events/7", "GET /ladders/main/events?key=game+7"]
    with pytest.raises(podium.ParameterError, match="number or its idempotency key"):
        caller.call("event")


def test_everybody_who_would_move_is_a_file(kind: Kind, tmp_path: Path) -> None:
    job = {"number": 3, "status": "done", "reason": None, "result": {"moved": 2}}
    file = httpx2.Response(200, text="player,display_before\nann,1500\n")
    service = ScriptedService(told("job", **job), file)
    found = Caller(kind, service).call("consequences", void=1, out=tmp_path / "moved.csv")
    assert found == {"moved": 2}
    assert (tmp_path / "moved.csv").read_text().startswith("player,")
    assert service.asked == [
        "POST /ladders/main/events?dry_run=true&everybody=true",
        "GET /jobs/3/output",
    ]
