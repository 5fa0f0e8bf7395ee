"""A real service that is cut off or restarted: nothing is lost, and nothing counts twice."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

import podium
from client.real_service import running_service
from podium import Client, History, Ladder
from podium.client import retrying


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE_SECONDS", 1e-3)


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with running_service(tmp_path) as address:
        yield address


class CutOff(httpx2.HTTPTransport):
    """Every other answer to a report is lost on its way."""

    def __init__(self) -> None:
        super().__init__()
        self.reports = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = super().handle_request(request)
        if request.method != "POST" or "/events" not in request.url.path:
            return response
        self.reports += 1
        if self.reports % 2:
            response.read()
            response.close()
            raise httpx2.ReadError("the answer was lost")
        return response


def test_a_report_whose_answer_is_lost_counts_once(address: str) -> None:
    ladder, transport = Ladder("elo"), CutOff()
    http = httpx2.Client(transport=transport)
    with Client(address, system="elo", fill_times=False, http=http) as client:
        assert client.record_match("ann", "bob").number == 1
        client.adjust(podium.Rename(player="bob", into="rob"))
        assert client.record_match("ann", "rob") == _recorded(ladder)
        upload = client.update(History.from_matches(["ann", "cat"], ["cat", "rob"]), batch=1)
        assert (upload.recorded, upload.known) == (0, 2)
        assert transport.reports == 10
        assert [entry.number for entry in client.events()] == [1, 2, 3, 4, 5]
        assert client.n_events == 4


def _recorded(ladder: Ladder) -> list[podium.Change]:
    ladder.record_match("ann", "bob")
    ladder.adjust(podium.Rename(player="bob", into="rob"))
    return ladder.record_match("ann", "rob")


def test_a_stream_goes_on_after_a_restart(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    client = Client(f"http://127.0.0.1:{port}", system="elo")
    with running_service(tmp_path, port):
        client.record_match("ann", "bob")
        stream = client.stream(since=0)
        assert next(stream).number == 1
    with pytest.raises(podium.UnreachableError):
        Client(f"http://127.0.0.1:{port}", retries=1).record_match("ann", "bob")
    with running_service(tmp_path, port):
        client.record_match("bob", "ann")
        assert next(stream).number == 2
        stream.close()
        client.close()
