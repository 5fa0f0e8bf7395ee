"""Jobs in a process of their own, beside a service on each kind of database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from io import BytesIO
from zipfile import ZipFile

import pytest

from cli.command import PATIENCE
from server.callers import Caller, Plain, called_service


@pytest.fixture
def busy(database_address: str) -> Iterator[Caller]:
    """Somebody who calls a service that has jobs done."""
    with called_service(database_address) as found:
        found.create("chess")
        found.service.keep_jobs()
        yield found


def over(caller: Caller, number: int) -> Plain:
    """A job when it is over."""
    deadline = time.monotonic() + PATIENCE
    while (found := caller.client.get(f"/api/v1/jobs/{number}").json())["status"] in ("waiting", "running"):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return dict(found)


def test_an_export_is_made_beside_the_service(busy: Caller) -> None:
    busy.bulk([{"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"bob": 1, "cat": 2}}])
    ordered = busy.client.post("/api/v1/ladders/chess/exports", json={"format": "csv"})
    assert ordered.status_code == 202, ordered.text
    job = over(busy, ordered.json()["number"])
    assert job["status"] == "done", str(job)
    answer = busy.client.get(job["output"])
    assert answer.headers["content-disposition"] == 'attachment; filename="chess-2.zip"'
    with ZipFile(BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        assert {"ladder.json", "log.csv", "players.csv", "changes.csv", "ratings.csv"} == {
            *archive.namelist()
        }
        assert archive.read("players.csv").decode().split() == ["number,name", "0,ann", "1,bob", "2,cat"]


def test_an_import(busy: Caller) -> None:
    busy.report({"ranks": {"ann": 1, "zoe": 2}, "time": "2025-01-01"})
    lines = ["white,black,result,date,event"]
    for n in range(700):
        lines.append(
            f"p{n % 17},q{n % 13},{['1-0', '0-1', '1/2-1/2'][n % 3]},2026-01-{1 + n // 30:02},cup {n % 4}"
        )
    ordered = busy.client.post(
        "/api/v1/ladders/chess/imports?name=season.csv",
        content="\n".join(lines).encode(),
        headers={"content-type": "application/octet-stream"},
    )
    assert ordered.status_code == 202, ordered.text
    job = over(busy, ordered.json()["number"])
    assert job["status"] == "done", str(job)
    print(job)
    busy.verified()
