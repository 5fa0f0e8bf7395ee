"""Callers of the service: its HTTP API in the tests' own words, in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from starlette.testclient import TestClient

from podium.server.http.app import make_app
from podium.server.service import Service
from podium.server.settings import ServerSettings
from podium.server.storage.database import Database
from podium.server.storage.migrating import migrate

Plain = dict[str, Any]


class Caller:
    """Calls a service; what is asked for by a name such as `rating` must be answered with 200."""

    def __init__(self, client: TestClient, service: Service) -> None:
        self.client, self.service = client, service

    def create(self, slug: str = "chess", system: str = "elo", **more: Any) -> Plain:
        """Create a ladder."""
        answer = self.client.post("/api/v1/ladders", json={"slug": slug, "system": system, **more})
        assert answer.status_code in (200, 201), answer.text
        return cast(Plain, answer.json())

    def sent(self, sent: Any, *, ladder: str = "chess", **asked: Any) -> Any:
        """The answer to one report."""
        return self.client.post(f"/api/v1/ladders/{ladder}/events", json=sent, params=asked)

    def report(self, sent: Any, *, ladder: str = "chess", **asked: Any) -> Plain:
        """The outcome of one report, which must not be refused."""
        answer = self.sent(sent, ladder=ladder, **asked)
        assert answer.status_code in (200, 201), answer.text
        return cast(Plain, answer.json())

    def refused(self, sent: Any, status: int, name: str, *, ladder: str = "chess", **asked: Any) -> Plain:
        """The problem with which a report is refused."""
        return problem(self.sent(sent, ladder=ladder, **asked), status, name)

    def sent_bulk(self, sent: list[Any], *, ladder: str = "chess", **asked: Any) -> Any:
        """The answer to many reports."""
        return self.client.post(f"/api/v1/ladders/{ladder}/events/bulk", json=sent, params=asked)

    def bulk(self, sent: list[Any], *, ladder: str = "chess", **asked: Any) -> Plain:
        """The outcomes of many reports."""
        answer = self.sent_bulk(sent, ladder=ladder, **asked)
        assert answer.status_code == 200, answer.text
        return cast(Plain, answer.json())

    def get(self, path: str, *, ladder: str = "chess", **asked: Any) -> Plain:
        """What a ladder says, such as `rating` or `leaderboard`."""
        where = f"/api/v1/ladders/{ladder}/{path}".rstrip("/")
        answer = self.client.get(where, params=asked)
        assert answer.status_code == 200, answer.text
        return cast(Plain, answer.json())

    def ask(self, path: str, sent: Any, *, ladder: str = "chess") -> Any:
        """The answer to a question that is a body, such as `chances`."""
        return self.client.post(f"/api/v1/ladders/{ladder}/{path}", json=sent)

    def verified(self, ladder: str = "chess") -> Plain:
        """What `verify` says, which must be clean."""
        answer = self.client.post(f"/api/v1/ladders/{ladder}/verify")
        assert answer.status_code == 200, answer.text
        found = cast(Plain, answer.json())
        assert found["clean"], found["findings"]
        assert not found["drifted"], found["findings"]
        return found

    def log(self, ladder: str = "chess") -> list[Plain]:
        """All entries of the log, oldest first."""
        answer = self.client.get(f"/api/v1/ladders/{ladder}/events", params={"since": 0})
        assert answer.status_code == 200, answer.text
        return [cast(Plain, json.loads(line)) for line in answer.text.splitlines()]


def problem(answer: Any, status: int, name: str) -> Plain:
    """The problem document of an answer, which must be of this kind."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found = cast(Plain, answer.json())
    assert found["type"] == f"urn:podium:problem:{name}", found
    assert found["status"] == status
    assert found["detail"]
    return found


@cache
def migrated_file() -> bytes:
    """A file of SQLite with podium's tables and nothing in them: making it once saves each test to do so."""
    with TemporaryDirectory() as folder:
        database = Database(f"{folder}/podium.db")
        migrate(database)
        database.close()
        return Path(folder, "podium.db").read_bytes()


@contextmanager
def called_service(database: str, **settings: Any) -> Iterator[Caller]:
    """A service in this process, and somebody who calls it."""
    if "://" not in database and not Path(database).exists():
        Path(database).write_bytes(migrated_file())
    app = make_app(ServerSettings(database=database, **settings))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Caller(client, app.state.service)
