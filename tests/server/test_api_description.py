"""The OpenAPI document against the service: every answer to random requests is one that it describes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from podium.server.http.app import make_app
from podium.server.settings import ServerSettings
from server.callers import Caller, called_service, problem

DESCRIPTION = make_app(ServerSettings()).openapi()
SCHEMA = schemathesis.openapi.from_dict(DESCRIPTION)
OPERATIONS = {
    operation.definition.raw["operationId"]: operation
    for operation in (found.ok() for found in SCHEMA.get_all_operations())
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A service with a ladder that has a bit of everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.server.service.compile_kernels", lambda told: None)
        database = str(tmp_path_factory.mktemp("described") / "podium.db")
        with called_service(database) as caller:
            caller.create(system="glicko2")
            caller.bulk(
                [
                    {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01", "key": "first"},
                    {"scores": {"ann": 1, "bob": 2, "cat": 2}, "disqualified": ["cat"]},
                    {"adjustment": "rename", "player": "bob", "into": "bo"},
                ]
            )
            yield caller


def check_operation(described: Caller, name: str, data: st.DataObject) -> None:
    case = data.draw(OPERATIONS[name].as_strategy())
    if "ladder" in case.path_parameters and data.draw(st.booleans()):
        case.path_parameters["ladder"] = "chess"
    for word in ("player", "a", "b", "around"):
        if case.query and word in case.query and data.draw(st.booleans()):
            case.query[word] = data.draw(st.sampled_from(["ann", "bo", "cat"]))
    sent = case.as_transport_kwargs(base_url="http://testserver")
    sent.pop("cookies", None)
    if "data" in sent:
        body = sent.pop("data")
        sent["content"] = body.encode() if isinstance(body, str) else body
    answer = described.client.request(**sent)
    case.validate_response(answer, checks=CHECKS)


CALLED = sorted(OPERATIONS.keys() - {"stream"})  # a stream does not end


@pytest.mark.parametrize("name", CALLED)
def test_every_answer_is_one_that_is_described(described: Caller, name: str) -> None:
    @settings(max_examples=8, suppress_health_check=list(HealthCheck), deadline=None)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        check_operation(described, name, data)

    check()


@pytest.mark.long
@pytest.mark.parametrize("name", CALLED)
def test_every_answer_is_one_that_is_described_for_long(described: Caller, name: str) -> None:
    @settings(max_examples=400, suppress_health_check=list(HealthCheck), deadline=None)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        check_operation(described, name, data)

    check()


def examples() -> Iterator[Any]:
    for path, operations in DESCRIPTION["paths"].items():
        for method, operation in operations.items():
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                for name, example in content["examples"].items():
                    yield pytest.param(
                        method, path, kind, example["value"], id=f"{method} {path} {kind}: {name}"
                    )


@pytest.mark.parametrize("method, path, kind, value", list(examples()))
def test_every_example_works(caller: Caller, method: str, path: str, kind: str, value: Any) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2, "ann2": 3}, "name": "round 2"})
    tournaments = "/api/v1/ladders/chess/tournaments"
    caller.client.post(tournaments, json={"slug": "night", "format": "evening"})
    for step in ({"join": ["ann", "bob"]}, {"pair": {}}):
        caller.client.post(f"{tournaments}/night/steps", json=step)
    is_lines, is_file = kind == "application/x-ndjson", kind == "application/octet-stream"
    raw = "\n".join(json.dumps(one) for one in value) if is_lines else json.dumps(value)
    raw = value if is_file else raw
    where = path.replace("{ladder}", "chess").replace("{tournament}", "night")
    answer = caller.client.request(method, where, content=raw.encode(), headers={"Content-Type": kind})
    if method == "post" and path == "/api/v1/ladders" and value["slug"] == "chess":
        problem(answer, 409, "ladder-exists")
    else:
        assert answer.status_code in (200, 201, 202), answer.text


def refusals_of(path: str, operation: dict[str, Any]) -> set[str]:
    """The statuses by which an operation with such parameters and such a body can be refused."""
    where = {parameter["name"]: parameter["in"] for parameter in operation.get("parameters", ())}
    found = {"401", "403", "429", "503"}  # of access, and of a service that cannot answer now
    if "path" in where.values() or "ladder" in where:
        found |= {"404"}
    if "query" in where.values() or where.keys() & {"number", "key_id", "link_id"}:
        found |= {"400"}
    if "cursor" in where and "{ladder}" in path:
        found |= {"410"}  # the ladder was built anew since
    if "requestBody" in operation:
        found |= {"400", "408", "413", "415"}
    return found


def test_every_operation_says_how_it_is_refused() -> None:
    for path, operations in DESCRIPTION["paths"].items():
        for method, operation in operations.items():
            said = operation["responses"]
            assert refusals_of(path, operation) <= said.keys(), (method, path)
            assert any(int(status) < 400 for status in said), (method, path)
            assert operation["description"], (method, path)
            for status, answer in said.items():
                asked = (method, path, status)
                assert answer["description"], asked
                if int(status) >= 400:
                    (kind, content), *others = answer["content"].items()
                    assert (kind, others) == ("application/problem+json", []), asked
                    assert content["schema"] == {"$ref": "#/components/schemas/Problem"}, asked
                    assert content.get("example", {}).get("status", int(status)) == int(status), asked


def test_what_is_not_there_is_a_problem_too(caller: Caller) -> None:
    problem(caller.client.get("/nothing"), 404, "not-found")
    problem(caller.client.get("/api/v1/nothing"), 404, "not-found")
    found = caller.client.delete("/api/v1/ladders/chess")
    problem(found, 405, "method")
    assert "GET" in found.headers["allow"]
    assert caller.client.get("/healthz").json() == {"status": "ok"}
    assert caller.client.get("/readyz").json() == {"status": "ready"}
    assert caller.client.options("/api/v1/ladders").status_code == 405
    assert caller.client.head("/api/v1/ladders").status_code in (200, 405)
