"""Answers of a real service, one of each kind, from a ladder in a temporary database."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from starlette.testclient import TestClient

from podium.server.http.app import make_app
from podium.server.settings import ServerSettings

REPORTS: list[dict[str, Any]] = [
    {"key": "r1", "name": "round 1", "ranks": {"ann": 1, "bob": 2, "cat": 3}, "time": "2026-05-01T18:30:00Z"},
    {"key": "r2", "scores": {"ann": 3, "bob": 5}, "disqualified": ["ann"], "time": "2026-05-02"},
    {"key": "r3", "adjustment": "rename", "player": "ann", "into": "annie", "time": "2026-05-03"},
    {"key": "r4", "adjustment": "set-rating", "player": "eve", "mu": 1800, "time": "2026-05-03"},
    {"key": "r5", "ranks": {"annie": 1, "bob": 0}},
]
FIELD = {"sides": ["annie", "bob", "cat"]}


@contextmanager
def service() -> Iterator[TestClient]:
    """A service in this process, on a new database; kernels are compiled when they are used."""
    interval = sys.getswitchinterval()
    with tempfile.TemporaryDirectory() as folder, patch("podium.server.service.compile_kernels"):
        app = make_app(ServerSettings(database=str(Path(folder) / "podium.db")))
        try:
            with TestClient(app, base_url="http://127.0.0.1/api/v1") as client:
                yield client
        finally:
            sys.setswitchinterval(interval)


def service_answers() -> dict[str, Any]:
    """One document of each kind that only a service answers, without its stamp."""
    with service() as client:
        return _answers(client)


def _answers(client: TestClient) -> dict[str, Any]:
    made: dict[str, Any] = {}

    def take(answer: Any) -> None:
        assert answer.is_success, answer.text
        document = answer.json()
        assert document.pop("podium") == 1
        made[document.pop("kind")] = document

    def read(address: str, **words: str) -> None:
        take(client.get(address, params=words))

    def send(address: str, body: Any = None) -> None:
        take(client.post(address, json=body))

    ladder = "/ladders/rounds"
    send("/ladders", {"slug": "rounds", "system": "elo-mmr", "title": "Rounds", "max_sigma": 400.0})
    read("")
    read("/ladders")
    send(f"{ladder}/events/bulk", REPORTS)
    send(f"{ladder}/events", REPORTS[0])
    read(f"{ladder}/events", limit="2")
    read(f"{ladder}/events/1")
    read(f"{ladder}/rating", player="bob")
    read(f"{ladder}/leaderboard", limit="1")
    read(f"{ladder}/history", player="bob")
    read(f"{ladder}/head-to-head", a="annie", b="bob")
    take(client.get("http://127.0.0.1/ladders/rounds/search", params={"q": "an", "format": "json"}))
    take(client.get("http://127.0.0.1/ladders/rounds/seasons", params={"format": "json"}))
    send(f"{ladder}/expected-ranks", FIELD)
    send(f"{ladder}/top-chances", {**FIELD, "k": 1})
    send(f"{ladder}/rank-to-reach", {"player": "bob", "rating": 9000, "ranks": {"annie": 1, "bob": 2}})
    send(f"{ladder}/ranks-to-reach", {"ratings": [1500, 9000], "ranks": {"annie": 1, "bob": 2}})
    send(f"{ladder}/events?dry_run=true", {"void": 1})
    send(f"{ladder}/tournaments", {"slug": "cup", "format": "knockout"})
    send(f"{ladder}/tournaments/cup/steps", {"join": ["annie", "bob", {"player": "cat", "rating": 1600}]})
    send(f"{ladder}/tournaments/cup/steps", {"pair": {}})
    send(f"{ladder}/tournaments/cup/steps", {"results": [{"match": 1, "score": "2:1"}]})
    read(f"{ladder}/tournaments")
    read(f"{ladder}/tournaments/cup")
    read(f"{ladder}/tournaments/cup/explanation", player="bob")
    send(f"{ladder}/verify")
    made["verifications"] = {"verifications": [made["verification"]]}
    send(f"{ladder}/rebuild")
    send(f"{ladder}/exports", {"format": "csv"})
    read("/jobs")
    send("/links", {"name": "club night", "scopes": ["report"], "ladder": "rounds", "expires": "12h"})
    read("/links")
    take(client.delete(f"/links/{made['new-link']['id']}"))
    send("/keys", {"name": "ann", "scopes": ["admin"]})
    client.headers["Authorization"] = f"Bearer {made['new-key']['key']}"
    read("/keys")
    read("/audit")
    take(client.delete(f"/keys/{made['new-key']['id']}"))
    return made


def service_problems() -> list[Any]:
    """Problems with every key that a problem may have."""
    with service() as client:
        client.post("/ladders", json={"slug": "rounds"})
        client.post("/ladders/rounds/events", json=REPORTS[0])
        answers = [
            client.post("/ladders/rounds/events", json={**REPORTS[0], "ranks": {"ann": 2, "bob": 1}}),
            client.post("/ladders/rounds/events/bulk?atomic=true", json=REPORTS),
            client.get("/ladders/round"),
        ]
    assert all(answer.headers["content-type"] == "application/problem+json" for answer in answers)
    return [answer.json() for answer in answers]
