"""Every route of the application for everybody who should not get in: no route can be forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from fastapi.routing import iter_route_contexts
from sqlalchemy import event, update

from podium.server.access.key_rows import create_key, revoke_key
from podium.server.access.requirements import Needs
from podium.server.access.rights import ADMIN, LOCAL, MATCH, READ, REPORT, Scope
from podium.server.access.tokens import KEY, new_token
from podium.server.http.app import make_app
from podium.server.settings import ServerSettings
from podium.server.storage import tables
from server.callers import Caller, called_service

TOO_LITTLE: dict[Scope, list[Scope]] = {
    READ: [MATCH],
    REPORT: [READ, MATCH],
    MATCH: [READ, REPORT],
    ADMIN: [READ, REPORT, MATCH],
}
"""Scopes that are not enough for another."""
PUBLIC_LADDER, PRIVATE_LADDER, MISSING_LADDER = "chess", "secluded-a", "absent-one"


class Marked(NamedTuple):
    """A route with what it is marked with."""

    method: str
    path: str
    marks: list[Scope | None]
    of_service: bool

    @property
    def scope(self) -> Scope | None:
        """What it needs."""
        return self.marks[0]

    @property
    def has_ladder(self) -> bool:
        """Whether its address names a ladder."""
        return "{ladder}" in self.path

    def address(self, ladder: str) -> str:
        """An address of the route."""
        return re.sub(r"\{\w+(:\w+)?\}", "1", self.path.replace("{ladder}", ladder))


def marked_routes() -> Iterator[Marked]:
    """All routes of the application, each for each of its methods."""
    app = make_app(ServerSettings(database="no-such-file.db"))
    for route in iter_route_contexts(app.routes):
        given = [one.dependency for one in getattr(route, "dependencies", None) or ()]
        marks = [one.scope for one in given if isinstance(one, Needs)]
        for method in sorted(set(route.methods or ["GET"]) - {"HEAD"}):
            of_service = any(one.of_service for one in given if isinstance(one, Needs))
            yield Marked(method, str(route.path), marks, of_service)


ROUTES = list(marked_routes())
GUARDED = [route for route in ROUTES if route.marks and route.scope is not None]


def named(route: Marked) -> str:
    return f"{route.method} {route.path}"


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_every_route_is_marked_once(route: Marked) -> None:
    """A route that is not marked answers everybody: give it dependencies=[needs(…)], or [PUBLIC]."""
    assert len(route.marks) == 1, f"{named(route)} has the marks {route.marks}"


def test_the_table_has_the_routes_there_are() -> None:
    assert {route.scope for route in ROUTES} >= {READ, REPORT, ADMIN, None}
    assert len(GUARDED) > 30
    public = {route.path for route in ROUTES if route.scope is None}
    assets = {"/login/assets/{name}", "/assets/{digest}/{name}"}
    assert public <= {"/healthz", "/readyz", "/metrics", "/api/v1/openapi.json"} | assets


class Everybody(NamedTuple):
    """A service with a public and a private ladder, and keys of all kinds."""

    caller: Caller
    wrong: dict[str, str]
    """Keys that are not valid, by what is wrong with them."""
    of_other: str
    """A key that may do everything, on another ladder."""
    of_private: dict[Scope, str]
    """Keys of the private ladder, by their only scope."""
    of_public: dict[Scope, str]
    of_all: dict[Scope, str]

    def ask(self, route: Marked, ladder: str, key: str | None) -> Any:
        """What a route answers."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return self.caller.client.request(route.method, route.address(ladder), headers=headers)


@pytest.fixture(scope="module")
def everybody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Everybody]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.server.service.compile_kernels", lambda told: None)
        path = str(tmp_path_factory.mktemp("access") / "podium.db")
        with called_service(path, requests_per_second=0.0) as caller:
            for slug, private in ((PUBLIC_LADDER, False), (PRIVATE_LADDER, True), ("darts", True)):
                caller.create(slug, private=private)
                caller.report({"ranks": {"ann": 1, "bob": 2}}, ladder=slug)
            yield _everybody(caller)


def _everybody(caller: Caller) -> Everybody:
    database = caller.service.database

    def key(scope: Scope, ladder: str | None = None) -> str:
        with database.writing() as connection:
            sent = {"name": scope, "scopes": [scope], "ladder": ladder}
            return create_key(connection, sent, LOCAL)[1].text

    revoked, expired = key(ADMIN), key(ADMIN)
    with database.writing() as connection:
        revoke_key(connection, revoked.split("_")[1], LOCAL)
        rows = tables.api_key
        connection.execute(update(rows).where(rows.c.id == expired.split("_")[1]).values(expires=1))
    guessed = key(ADMIN)[:-1] + "!"
    made_up = new_token(KEY).text
    wrong = {"revoked": revoked, "expired": expired, "guessed": guessed, "made up": made_up, "nonsense": "x"}
    each: tuple[Scope, ...] = (READ, REPORT, MATCH, ADMIN)
    of_private = {scope: key(scope, PRIVATE_LADDER) for scope in each}
    of_public = {scope: key(scope, PUBLIC_LADDER) for scope in each}
    found = Everybody(
        caller, wrong, key(ADMIN, "darts"), of_private, of_public, {scope: key(scope) for scope in each}
    )
    caller.service.access_control.forget()
    caller.service.followers.closed = True  # streams end at once
    return found


def name_of(answer: Any) -> str:
    """The name of a problem; empty if the answer is none."""
    if "problem+json" not in answer.headers.get("content-type", ""):
        return ""
    return str(answer.json()["type"]).rpartition(":")[2]


def refused(answer: Any, status: int, name: str) -> None:
    assert answer.status_code == status, answer.text
    assert name_of(answer) in (name, ""), answer.text
    assert ("www-authenticate" in answer.headers) == (status == 401)


def let_in(answer: Any) -> None:
    assert answer.status_code not in (401, 403), answer.text
    assert name_of(answer) != "unknown-ladder", answer.text


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_no_route_ignores_a_parameter(everybody: Everybody, route: Marked) -> None:
    for asked in ("evnt=200", "limit=3&evnt=200") if "/api/" in route.path else ("evnt=200",):
        address = f"{route.address(PUBLIC_LADDER)}?{asked}"
        answer = everybody.caller.client.request(route.method, address, follow_redirects=False)
        assert answer.status_code == 400, answer.text
        assert "unknown parameter " in answer.text.lower()


@pytest.mark.parametrize("route", GUARDED, ids=named)
def test_a_key_that_is_not_valid_opens_nothing(everybody: Everybody, route: Marked) -> None:
    for ladder in (PUBLIC_LADDER, PRIVATE_LADDER) if route.has_ladder else (PUBLIC_LADDER,):
        for key in everybody.wrong.values():
            refused(everybody.ask(route, ladder, key), 401, "wrong-key")


@pytest.mark.parametrize("route", [route for route in GUARDED if route.has_ladder], ids=named)
def test_a_private_ladder_is_not_there_for_others(everybody: Everybody, route: Marked) -> None:
    """The answer and the queries of one that is missing; no name of a private ladder is in it."""
    for key in (None, everybody.of_other, everybody.of_public[ADMIN]):
        told = []
        everybody.ask(route, PUBLIC_LADDER, key)  # the first use of a key is written down
        for ladder in (PRIVATE_LADDER, MISSING_LADDER):
            everybody.caller.service.access_control.forget()
            with queries(everybody) as asked:
                answer = everybody.ask(route, ladder, key)
            refused(answer, 404, "unknown-ladder")
            headers = {name: text for name, text in answer.headers.items() if "request-id" not in name}
            body = re.sub(r'"request_id": ?"[^"]*"', "", answer.text).replace(ladder, "…")
            told.append((answer.status_code, body, headers, asked))
        assert told[0] == told[1]
        assert told[0][3]
        assert "secluded" not in told[0][1]


@contextmanager
def queries(everybody: Everybody) -> Iterator[list[str]]:
    """What the database is asked in a block."""
    asked: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    engines = {everybody.caller.service.database.readers, everybody.caller.service.database.writer}
    for engine in engines:
        event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", note)


@pytest.mark.parametrize("route", [route for route in GUARDED if route.has_ladder], ids=named)
def test_scopes_of_a_ladder(everybody: Everybody, route: Marked) -> None:
    assert route.scope is not None
    for scope in TOO_LITTLE[route.scope]:
        refused(everybody.ask(route, PRIVATE_LADDER, everybody.of_private[scope]), 403, "forbidden")
    for enough in (route.scope, ADMIN):
        let_in(everybody.ask(route, PRIVATE_LADDER, everybody.of_private[enough]))
        let_in(everybody.ask(route, PRIVATE_LADDER, everybody.of_all[enough]))
    if route.scope == READ:
        for key in (None, everybody.of_other, everybody.of_public[MATCH]):
            let_in(everybody.ask(route, PUBLIC_LADDER, key))
    else:
        refused(everybody.ask(route, PUBLIC_LADDER, None), 401, "key-needed")
        refused(everybody.ask(route, PUBLIC_LADDER, everybody.of_other), 403, "forbidden")
        for scope in TOO_LITTLE[route.scope]:
            refused(everybody.ask(route, PUBLIC_LADDER, everybody.of_public[scope]), 403, "forbidden")


@pytest.mark.parametrize("route", [route for route in GUARDED if not route.has_ladder], ids=named)
def test_scopes_of_the_service(everybody: Everybody, route: Marked) -> None:
    assert route.scope is not None
    let_in(everybody.ask(route, "", everybody.of_all[ADMIN]))
    if route.scope == READ and not route.of_service:
        for key in (None, everybody.of_other):
            answer = everybody.ask(route, "", key)
            let_in(answer)
            assert "secluded" not in answer.text
        return
    refused(everybody.ask(route, "", None), 401, "key-needed")
    for key in (everybody.of_other, *(everybody.of_all[scope] for scope in TOO_LITTLE[route.scope])):
        refused(everybody.ask(route, "", key), 403, "forbidden")
