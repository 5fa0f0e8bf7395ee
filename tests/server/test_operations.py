"""What whoever runs a service relies on: settings, logs, request ids, metrics, health, how it ends."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from podium.errors import ParameterError, PodiumError
from podium.server.http import http_server
from podium.server.http.followers import LAST_WORD
from podium.server.http.http_server import HttpServer
from podium.server.log.appending import Appender
from podium.server.operations.health_routes import MOST_LADDERS
from podium.server.operations.service_logs import LOGGER, brief, logging_to_stderr
from podium.server.service import Service
from podium.server.settings import ServerSettings, environment_name, gathered_settings, parsed_setting
from server.callers import Caller, called_service, problem
from server.processes import until
from server.service_processes import Nursery, is_running
from server.test_service_page import rows

PAGE = (Path(__file__).parents[2] / "docs" / "service-operations.md").read_text(encoding="utf-8")
WIN = {"ranks": {"ann-the-secret": 1, "bob-the-secret": 2}, "key": "key-of-a-secret"}


# ---------------------------------------------------------------------- settings


def test_the_command_line_counts_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    config = tmp_path / "podium.toml"
    config.write_text('port = 1001\npage_rows = 11\nlog_format = "json"\ndrain_seconds = 2\n')
    environment = {"PODIUM_PORT": "1002", "PODIUM_PAGE_ROWS": "12", "PODIUM_WORKERS": "", "PODIUM_OTHER": "x"}
    found = gathered_settings({"port": 1003}, environment, str(config))
    expected = ServerSettings(port=1003, page_rows=12, log_format="json", drain_seconds=2.0)
    assert found == expected
    assert gathered_settings({}, {"PODIUM_CONFIG": str(config)}).port == 1001
    assert gathered_settings({}, {}) == ServerSettings()


@pytest.mark.parametrize(
    ("written", "reason", "hint"),
    [
        ("prot = 1", "podium.toml: 'prot' is not a setting of the service", "did you mean 'port'?"),
        ("port = 70000", "podium.toml: port goes from 1 to 65,535, not 70000", None),
        ('port = "8000"', "podium.toml: port is a number, not '8000'", None),
        ("port = true", "podium.toml: port is a number, not True", None),
        ("port = 80.5", "podium.toml: port is a whole number, not 80.5", None),
        ("host = 4", "podium.toml: host is text, not 4", None),
        ("[server]\nport = 1", "podium.toml: 'server' is not a setting of the service", None),
        ('log_format = "jsn"', "podium.toml: log_format is one of text, json", "did you mean 'json'?"),
        ("port =", "podium.toml: Invalid value", None),
    ],
)
def test_a_setting_that_is_wrong_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, reason: str, hint: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("podium.toml").write_text(written)
    with pytest.raises(ParameterError) as caught:
        gathered_settings({}, {}, "podium.toml")
    assert reason in caught.value.reason
    assert hint is None or hint in (caught.value.hint or "")


def test_a_variable_or_an_option_that_is_wrong_is_named() -> None:
    with pytest.raises(ParameterError, match="the environment variable PODIUM_PORT: port is a number"):
        gathered_settings({}, {"PODIUM_PORT": "many"})
    with pytest.raises(ParameterError, match="the command line: 'ports' is not a setting"):
        gathered_settings(dict([parsed_setting("ports=3")]), {})
    with pytest.raises(ParameterError, match="--set takes NAME=VALUE"):
        parsed_setting("port")
    with pytest.raises(PodiumError, match="there is no such file"):
        gathered_settings({}, {}, "nowhere.toml")


def test_the_page_lists_every_setting_as_it_is() -> None:
    def shown(default: Any) -> str:
        if default is None:
            return "–"
        return f"`{default}`" if isinstance(default, str) else f"{default:,}".removesuffix(".0")

    declared = ServerSettings.declared()
    assert list(declared) == list(ServerSettings().parameters())  # each field is declared, with its limits
    assert rows(PAGE, "Settings") == [
        [f"`{name}`", f"`{environment_name(name)}`", shown(one.default), one.meaning]
        for name, one in declared.items()
    ]


# ---------------------------------------------------------------------- logs and request ids


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Callable[[], list[dict[str, Any]]]:
    """What has been logged as JSON since the last call."""
    return lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_each_request_is_a_line_without_what_was_sent(
    caller: Caller, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    with logging_to_stderr(ServerSettings(log_format="json", log_level="info")):
        caller.report(WIN)
        headers = {"Authorization": "Bearer pod_secret", "Cookie": "session=secret"}
        caller.client.get("/api/v1/ladders/chess/rating?player=ann-the-secret", headers=headers)
        caller.client.get("/api/v1/ladders/the%20secret/rating?player=x")
        caller.client.get("/secret/path")
        caller.client.request("SECRET", "/api/v1/ladders")
    logged = lines()
    assert "secret" not in str(logged).lower()
    assert [(one["method"], one["route"], one["status"], one["ladder"]) for one in logged] == [
        ("POST", "/api/v1/ladders/{ladder}/events", 201, "chess"),
        ("GET", "/api/v1/ladders/{ladder}/rating", 401, "chess"),
        ("GET", "/api/v1/ladders/{ladder}/rating", 404, None),
        ("GET", "none", 404, None),
        ("other", "/api/v1/ladders", 405, None),
    ]
    assert logged[0]["actor"] == "local"
    for one in logged:
        assert one["level"] == "info"
        assert one["milliseconds"] > 0
        assert one["bytes"] > 0
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", one["time"])


@pytest.mark.parametrize(
    ("given", "taken"),
    [("deploy-7.a_b", True), ("x" * 65, False), ('"}\n{"', False), ("ä", False), ("", False)],
)
def test_a_request_has_an_id(
    caller: Caller, lines: Callable[[], list[dict[str, Any]]], given: str, taken: bool
) -> None:
    with logging_to_stderr(ServerSettings(log_format="json", log_level="info")):
        headers = {"X-Request-ID": given.encode("latin-1")}
        found = problem(
            answer := caller.client.get("/api/v1/ladders/none", headers=headers), 404, "unknown-ladder"
        )
        good = caller.client.get("/api/v1/ladders/chess", headers=headers)
    first, second = lines()
    assert found["request_id"] == answer.headers["x-request-id"] == first["request_id"]
    assert good.headers["x-request-id"] == second["request_id"]
    assert (found["request_id"] == given) == taken
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", found["request_id"])


def test_an_unforeseen_error_is_answered_and_logged_with_where_it_happened(
    caller: Caller, lines: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ArithmeticError("about ann-the-secret")

    monkeypatch.setattr(Appender, "append", fail)
    with logging_to_stderr(ServerSettings(log_format="json")):
        found = problem(caller.sent(WIN), 500, "failure")
    (logged,) = lines()
    assert (logged["level"], logged["status"], logged["ladder"]) == ("error", None, "chess")
    assert logged["request_id"] == found["request_id"]
    assert re.search(r"test_operations\.py:\d+ in fail\nArithmeticError$", logged["traceback"])
    assert "secret" not in str(logged)
    with logging_to_stderr(ServerSettings(log_format="json", log_level="debug")):
        problem(caller.sent(WIN), 500, "failure")
    assert "ArithmeticError: about ann-the-secret" in lines()[0]["traceback"]


def test_text_is_quiet_and_names_nobody(caller: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to_stderr(ServerSettings()):
        caller.report(WIN)
        assert capsys.readouterr().err == ""
        logging.getLogger("sqlalchemy.pool").error("a connection is lost")
        with caller.service.database.writing() as connection:
            try:
                connection.execute(text("INSERT INTO nowhere VALUES (:name)"), {"name": "secret"})
            except Exception as error:
                LOGGER.warning("no checkpoint of %r: %s", "chess", brief(error), exc_info=error)
    said = capsys.readouterr().err
    assert said.startswith("podium: a connection is lost\npodium: no checkpoint of 'chess': no such table")
    assert "secret" not in said


# ---------------------------------------------------------------------- metrics


def numbers_of(exposition: str) -> dict[tuple[str, ...], float]:
    """The samples by name and values of labels, as Prometheus' own parser reads them."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(exposition)
        for sample in family.samples
    }


def test_metrics_count_what_has_happened(any_caller: Caller) -> None:
    caller = any_caller
    caller.create("secret")
    with caller.service.database.writing() as connection:
        connection.execute(text("UPDATE ladder SET private = (slug = 'secret')"))
    caller.report(WIN)
    caller.report(WIN)
    caller.refused({**WIN, "ranks": {"ann": 1, "bob": 2}}, 409, "key-conflict")
    caller.client.post("/api/v1/ladders/chess/rebuild")
    caller.bulk([{"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 1}, "teams": [["ann"], ["bob"]]}] * 3)
    caller.client.get("/api/v1/ladders/chess/rating?player=nobody")
    caller.client.get("/some/where")
    answer = caller.client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "secret" not in answer.text
    assert "_created" not in answer.text
    found = numbers_of(answer.text)
    events = "/api/v1/ladders/{ladder}/events"
    expected = {
        ("podium_requests_total", "POST", events, "201"): 1,
        ("podium_requests_total", "POST", events, "200"): 1,
        ("podium_requests_total", "POST", f"{events}/bulk", "200"): 1,
        ("podium_requests_total", "GET", "/api/v1/ladders/{ladder}/rating", "404"): 1,
        ("podium_requests_total", "GET", "none", "404"): 1,
        ("podium_request_seconds_count", events): 3,
        ("podium_reports_total", "recorded"): 4,
        ("podium_reports_total", "known"): 1,
        ("podium_reports_total", "refused"): 1,
        ("podium_commit_seconds_count",): 4,
        ("podium_commit_reports_sum",): 6,
        ("podium_ladders",): 2,
        ("podium_ladder_head", "chess"): 4,
        ("podium_ladder_events", "chess"): 4,
        ("podium_generation_switches_total",): 1,
        ("podium_jobs", "failed"): 0,
        ("podium_open_streams",): 0,
        ("podium_database_connections_in_use",): 0,
    }
    assert {name: found.get(name) for name in expected} == expected
    assert found["podium_ladders_in_memory",] >= 1


def test_the_page_lists_every_metric(caller: Caller) -> None:
    caller.report(WIN)
    caller.service.metrics.count_checkpoint("written")
    until = monotonic() + 30.0
    while "podium_reports_total{" not in (told := caller.client.get("/metrics").text):
        assert monotonic() < until  # a report is counted right after it was answered
    families = text_string_to_metric_families(told)
    served = {}
    for family in families:
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        served[f"`{name}`"] = {f"`{label}`" for label in labels}
    listed = {name: set(labels.split(", ")) - {"–"} for name, labels, _ in rows(PAGE, "Metrics")}
    assert listed == served
    assert f"of those the {MOST_LADDERS} with the longest logs" in PAGE


def test_metrics_can_be_turned_off(sqlite_address: str) -> None:
    with called_service(sqlite_address, metrics="off") as caller:
        problem(caller.client.get("/metrics"), 404, "not-found")


# ---------------------------------------------------------------------- health, HEAD


def test_a_worker_is_ready_while_its_tables_are_those_of_its_version(any_caller: Caller) -> None:
    client, service = any_caller.client, any_caller.service
    assert client.get("/readyz").json() == {"status": "ready"}
    with service.database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    problem(client.get("/readyz"), 503, "unavailable")
    with service.database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    problem(client.get("/readyz"), 503, "unavailable")
    assert client.get("/healthz").json() == {"status": "ok"}


def test_head_is_answered_wherever_get_is(caller: Caller) -> None:
    """With the status and the headers of GET, and no body; also for a stream, which would never end."""
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    description = caller.client.get("/api/v1/openapi.json").json()
    operations = {path: found["get"] for path, found in description["paths"].items() if "get" in found}
    given = {"player": "ann", "a": "ann", "b": "bob"}
    assert len(operations) > 8
    for path in (*operations, "/healthz", "/readyz", "/api/v1/openapi.json", "/nowhere"):
        address = path.replace("{ladder}", "chess").replace("{number}", "1").replace("{event}", "1")
        known = [one["name"] for one in operations.get(path, {}).get("parameters", ())]
        asked = {name: given[name] for name in known if name in given}
        head = caller.client.head(address, params=asked)
        assert head.content == b""
        if path.endswith("/stream"):
            assert head.headers["content-type"].startswith("text/event-stream")
            continue
        got = caller.client.get(address, params=asked)
        assert head.status_code == got.status_code, path
        own = {"x-request-id"} | ({"content-length"} if got.status_code == 404 else set())
        assert {*head.headers.items()} - {*got.headers.items()} <= {
            (name, head.headers[name]) for name in own if name in head.headers
        }
    assert caller.client.head("/api/v1/ladders/chess/preview").status_code == 405


# ---------------------------------------------------------------------- how it ends


def test_a_service_that_drains_goes_on_until_it_is_told_again(nursery: Nursery, sqlite_address: str) -> None:
    """A real process: after SIGTERM it is not ready, but answers and records; another one ends it at once."""
    worker = nursery.worker(sqlite_address, drain_seconds=3600)
    worker.api("POST", "/ladders", {"slug": "chess", "system": "elo"})
    stream = HTTPConnection("127.0.0.1", worker.port, timeout=60)
    stream.request("GET", "/api/v1/ladders/chess/stream")
    heard = stream.getresponse()
    assert heard.readline() == b": podium\n"
    os.kill(worker.process, signal.SIGTERM)
    until(lambda: worker.call("GET", "/readyz")[0] == 503)
    assert worker.call("GET", "/healthz")[0] == 200
    assert worker.api("POST", "/ladders/chess/events", {"ranks": {"ann": 1, "bob": 2}})["number"] == 1
    assert heard.readline() == b"\n"
    assert heard.readline().startswith(b"id: 1-")
    os.kill(worker.process, signal.SIGTERM)
    until(lambda: not is_running(worker.process))
    stream.close()
    again = nursery.worker(sqlite_address)
    assert again.api("GET", "/ladders/chess")["head"] == 1
    again.kill()


def test_streams_hear_a_last_word_when_a_service_ends(nursery: Nursery, postgresql_address: str) -> None:
    worker = nursery.worker(postgresql_address, grace_seconds=30)
    worker.api("POST", "/ladders", {"slug": "chess", "system": "elo"})
    connection = HTTPConnection("127.0.0.1", worker.port, timeout=60)
    connection.request("GET", "/api/v1/ladders/chess/stream")
    answer = connection.getresponse()
    assert answer.readline() == b": podium\n"
    os.kill(worker.process, signal.SIGTERM)
    assert answer.read().endswith(LAST_WORD)
    connection.close()
    until(lambda: not is_running(worker.process))


@pytest.mark.parametrize(("is_kept", "ended"), [(True, []), (False, [128 + signal.SIGTERM])])
def test_a_kept_worker_hears_of_its_end_twice(
    sqlite_address: str, monkeypatch: pytest.MonkeyPatch, is_kept: bool, ended: list[int]
) -> None:
    """As systemd tells all processes of a service, and then their keeper tells them."""
    found: list[int] = []
    monkeypatch.setattr(http_server.os, "_exit", found.append)
    service = Service(ServerSettings(database=sqlite_address))
    server = HttpServer(service, lambda: None, is_kept=is_kept)
    for number in (signal.SIGHUP, signal.SIGHUP, signal.SIGTERM):
        server.handle_exit(number, None)
    assert found == ended
    service.close()
