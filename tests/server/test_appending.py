"""What becomes of reports when the database fails or a ladder was built anew: nothing is lost or stuck."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from podium.server.log.rebuilding import rebuild
from podium.server.storage.database import Database
from server.callers import Caller, called_service, problem

WIN = {"ranks": {"ann": 1, "bob": 2}}


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Words for the next commits to fail with, in order; when there are none left, they succeed."""
    words: list[str] = []
    usual = Database.writing

    @contextmanager
    def writing(self: Database) -> Iterator[Connection]:
        with usual(self) as connection:
            yield connection
            if words:
                raise OperationalError("COMMIT", {}, Exception(words.pop(0)))

    monkeypatch.setattr(Database, "writing", writing)
    return words


def test_a_first_commit_that_fails_does_not_stop_the_next(caller: Caller, failing: list[str]) -> None:
    failing += ["database or disk is full"]
    found = caller.refused(WIN, 503, "unavailable")
    assert "full" in found["detail"]
    assert caller.report(WIN)["number"] == 1
    caller.verified()


def test_what_is_uncertain_is_tried_again_and_settled_by_keys(caller: Caller, failing: list[str]) -> None:
    failing += ["server closed the connection unexpectedly"]
    assert caller.report({**WIN, "key": "game 1"})["number"] == 1
    assert caller.report({**WIN, "key": "game 1"})["status"] == "known"
    assert caller.get("")["head"] == 1
    caller.verified()


def test_a_database_that_stays_away_is_said_to_be_away(caller: Caller, failing: list[str]) -> None:
    failing += ["server closed the connection unexpectedly"] * 2
    answer = caller.sent({**WIN, "key": "game 1"})
    found = problem(answer, 503, "unavailable")
    assert "may or may not be recorded" in found["detail"]
    assert "same idempotency key" in found["hint"]
    assert answer.headers["retry-after"]
    assert caller.report({**WIN, "key": "game 1"})["status"] == "recorded"


def test_reports_go_on_after_another_worker_has_built_the_ladder_anew(postgresql_address: str) -> None:
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        one.report(WIN)
        answer = other.client.post("/api/v1/ladders/chess/rebuild")
        assert answer.json()["generation"] == 2
        assert one.report(WIN)["number"] == 2
        one.verified()


def test_reports_go_on_after_a_command_has_built_the_ladder_anew(caller: Caller) -> None:
    caller.report(WIN)
    rebuild(caller.service.database, None, "chess")
    assert caller.report(WIN)["number"] == 2
    assert caller.get("")["generation"] == 2


def test_a_known_key_is_answered_also_when_the_ladder_is_archived(caller: Caller) -> None:
    first = caller.report({**WIN, "key": "game 1"})
    caller.client.patch("/api/v1/ladders/chess", json={"archived": True})
    again = caller.report({**WIN, "key": "game 1"})
    assert (again["status"], again["number"]) == ("known", first["number"])
    caller.refused({**WIN, "key": "game 2"}, 409, "archived")
    mixed: dict[str, Any] = caller.bulk([{**WIN, "key": "game 1"}, {**WIN, "key": "game 2"}, WIN])
    assert [one["status"] for one in mixed["outcomes"]] == ["known", "refused", "refused"]
    problem(caller.sent_bulk([{**WIN, "key": "game 2"}], atomic=True), 409, "refused")
    caller.client.patch("/api/v1/ladders/chess", json={"archived": False})
    assert caller.report({**WIN, "key": "game 2"})["number"] == 2
