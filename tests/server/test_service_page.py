"""docs/service.md and docs/service-api.md: requests run against a real service and are answered as shown, and
tables say what the code says."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import patch

import httpx2
import pytest
import uvicorn

from cli.command import podium_here
from documents.declared_types import check
from podium.documents import KINDS, SCHEMA_VERSION, ProblemDocument
from podium.server import problems
from podium.server.http import app as app_module
from podium.server.http import arriving_files
from podium.server.http.answers import MOST_EXPLAINED
from podium.server.http.app import make_app
from podium.server.http.bodies import DEEPEST_BRACKETS, MOST_VALUES
from podium.server.http.schemas import EXAMPLES
from podium.server.log.committer import MOST_WAITING
from podium.server.log.reports import LONGEST_NAME
from podium.server.log.verifying import MOST_FINDINGS
from podium.server.problems import ServedError
from podium.server.settings import MEGABYTE, ServerSettings
from podium.server.storage.ladder_rows import LONGEST_DESCRIPTION, LONGEST_TITLE
from podium.server.storage.tables import LONGEST_KEY, LONGEST_SLUG

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "service.md").read_text(encoding="utf-8")
API = (DOCS / "service-api.md").read_text(encoding="utf-8")
ADDRESS = "127.0.0.1:8000"
SECONDS = 30.0
"""How long a service may take to start, or an answer to come."""


# ---------------------------------------------------------------------- a service, and curl


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of a service in a thread of this process, on a new database."""
    interval = sys.getswitchinterval()
    with patch("podium.server.service.compile_kernels"):  # what is used is compiled when it is
        app = make_app(ServerSettings(database=str(folder / "podium.db")))
        config = uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = Thread(target=server.run)
        thread.start()
        try:
            deadline = time.monotonic() + SECONDS
            while not server.started:
                assert thread.is_alive(), "the service did not start"
                assert time.monotonic() < deadline, "the service did not start"
                time.sleep(0.02)
            yield f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
            sys.setswitchinterval(interval)


def options() -> ArgumentParser:
    """What the page uses of curl."""
    parser = ArgumentParser("curl", add_help=False)
    parser.add_argument("url")
    parser.add_argument("--json")
    parser.add_argument("--data-binary")
    parser.add_argument("-X", dest="method")
    parser.add_argument("-H", dest="headers", action="append", default=[])
    parser.add_argument("-i", dest="with_headers", action="store_true")
    parser.add_argument("-N", dest="follows", action="store_true")
    return parser


def curl(command: str, folder: Path, server: str, tag: str) -> tuple[str, str]:
    """What curl would print, and the ETag that it was sent."""
    asked = options().parse_args(shlex.split(command)[1:])
    headers = dict(header.replace("ETAG", tag).split(": ", 1) for header in asked.headers)
    body: bytes | None = None
    if asked.json is not None:
        body, headers["Content-Type"] = asked.json.encode(), "application/json"
    if asked.data_binary is not None:
        body = (folder / asked.data_binary.removeprefix("@")).read_bytes()
    method = asked.method or ("GET" if body is None else "POST")
    url = "http://" + asked.url.replace(ADDRESS, server)
    if since := re.search(r"(.*)/\w+\?since=(\d+)-\.\.\.$", url):
        url = url.replace(f"{since[2]}-...", bookmark(since[1], int(since[2])))
    with (
        httpx2.Client(timeout=SECONDS) as client,
        client.stream(method, url, headers=headers, content=body) as answer,
    ):
        if asked.follows:
            said = first_event(answer.iter_lines())
        else:
            answer.read()
            said = answer.text
        if asked.with_headers:
            lines = [f"{name}: {value}" for name, value in answer.headers.items()]
            status = f"HTTP/1.1 {answer.status_code} {HTTPStatus(answer.status_code).phrase}"
            said = "\n".join([status, *lines, "", said])
        return said, answer.headers.get("etag", tag)


def bookmark(ladder: str, number: int) -> str:
    """The bookmark of an entry, which the page shortens as it is another on each service."""
    entry = httpx2.get(f"{ladder}/events/{number}", timeout=SECONDS).json()
    assert entry["bookmark"].startswith(f"{number}-")
    return str(entry["bookmark"])


def first_event(lines: Iterator[str]) -> str:
    """A stream up to its first event."""
    found = []
    for line in lines:
        found.append(line)
        if line.startswith("data:"):
            break
    return "\n".join(found)


def blocks() -> list[tuple[str, str, str]]:
    """The page's blocks: what each is of, its arguments, its text."""
    return re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[tuple[str, str]]:
    """What is typed after each `$ `, and what is shown below it."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE)


def test_requests_are_answered_as_shown(tmp_path: Path) -> None:
    """Blocks marked `service` run in order. White space does not count, and `...` stands for anything."""
    tag, asked = "", 0
    variables: dict[str, str] = {}
    with running(tmp_path) as server:
        for kind, argument, block in blocks():
            if file := re.search(r"name=(\S+)", argument):
                (tmp_path / file[1]).write_text(block)
            if kind != "console" or "service" not in argument:
                continue
            for command, shown in commands(block):
                if assigned := re.fullmatch(r"([A-Z]+)=(\S+)", command):
                    variables[f"${assigned[1]}"] = assigned[2]
                    continue
                for name, value in variables.items():
                    command = command.replace(name, value)
                said, tag = curl(command, tmp_path, server, tag)
                assert matches(shown, said), f"{command}\n{said}"
                asked += 1
    assert asked > 20
    check_commands(tmp_path)


def check_commands(folder: Path) -> None:
    """The page's commands on the database of a service that has ended print what is shown."""
    with chdir(folder):
        for _, argument, block in blocks():
            if "stopped" in argument:
                for command, shown in commands(block):
                    said = podium_here(*shlex.split(command)[1:]).stdout
                    assert matches(shown, said), f"{command}\n{said}"


def matches(shown: str, said: str) -> bool:
    wanted, got = (re.sub(r"\s", "", text) for text in (shown, said))
    return doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS)


def test_examples_of_the_client_run(tmp_path: Path) -> None:
    examples = [text for kind, argument, text in blocks() if kind == "python" and "service" in argument]
    assert examples
    with running(tmp_path) as server:
        for example in examples:
            text = example.replace(ADDRESS, server)
            test = doctest.DocTestParser().get_doctest(text, {}, "service.md", None, 0)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
            runner.run(test)
            assert runner.failures == 0, example


# ---------------------------------------------------------------------- tables


def rows(text: str, heading: str) -> list[list[str]]:
    """The rows of the table below a heading."""
    section = re.split(r"^## ", text.partition(f"\n## {heading}\n")[2], flags=re.MULTILINE)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_limits_are_those_of_the_code() -> None:
    settings = ServerSettings()
    assert dict(rows(PAGE, "Limits")) == {
        "a body": f"{settings.body_bytes // MEGABYTE} MB",
        "values in a body": f"{MOST_VALUES:,}",
        "brackets inside brackets of a body": f"{DEEPEST_BRACKETS}",
        "a file to import": f"{settings.import_bytes // MEGABYTE:,} MB",
        "the size of an imported file after decompression": f"{settings.unpacked_bytes // MEGABYTE:,} MB",
        "a line of a table to import": f"{settings.line_bytes // MEGABYTE} MB",
        "files of a ladder's jobs together": f"{arriving_files.MOST_FILES} of the largest",
        "jobs of a ladder that wait": f"{arriving_files.MOST_WAITING:,}",
        "memory of a job": f"{settings.job_memory // MEGABYTE:,} MB",
        "time of a job": f"{settings.job_seconds:,.0f} s",
        "time for a body to arrive": f"{settings.body_seconds:g} s",
        "reports in one request": f"{settings.reports_at_once:,}",
        "reports that may wait": f"{MOST_WAITING:,}",
        "rows on a page": f"{settings.page_rows:,}",
        "characters of a key": f"{LONGEST_KEY}",
        "characters of a player's or an event's name": f"{LONGEST_NAME}",
        "characters of a ladder's `slug`": f"{LONGEST_SLUG}",
        "characters of a title": f"{LONGEST_TITLE}",
        "characters of a description": f"{LONGEST_DESCRIPTION:,}",
        "events that an explanation lists one by one": f"{MOST_EXPLAINED}",
        "findings that a verification lists": f"{MOST_FINDINGS}",
    }


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    """The OpenAPI document."""
    return make_app(ServerSettings(database="no-such-file.db")).openapi()


def test_every_operation_is_in_the_table(description: dict[str, Any]) -> None:
    listed = [address.strip("`") for address, _, _ in rows(API, "Operations")]
    described = [
        f"{method.upper()} {path}" for path, found in description["paths"].items() for method in found
    ]
    assert sorted(listed) == sorted(described)


def kinds_of(operation: dict[str, Any]) -> set[str]:
    """The kinds of documents that an operation answers with."""
    schemas = [
        content["schema"]
        for answer in operation["responses"].values()
        for media, content in answer["content"].items()
        if media == "application/json"
    ]
    alternatives = [one for schema in schemas for one in schema.get("anyOf", [schema])]
    return {schema["properties"]["kind"]["const"] for schema in alternatives}


def test_every_answer_is_a_document(description: dict[str, Any]) -> None:
    table = rows(API, "Operations")
    listed = {address.strip("`"): set(re.findall(r"`([\w-]+)`", kinds)) for address, _, kinds in table}
    for path, found in description["paths"].items():
        for method, operation in found.items():
            kinds = kinds_of(operation)
            if operation["operationId"] == "stream":
                kinds = {"logged-event"}  # a stream has no schema of its own
            assert listed[f"{method.upper()} {path}"] == kinds
            assert kinds <= KINDS.keys()


def test_examples_are_as_declared() -> None:
    """Those of answers; `explanation` has two forms, of which the example is one."""
    examples = dict(EXAMPLES)
    check(examples.pop("problem"), ProblemDocument)
    for kind, example in examples.items():
        document = dict(example)
        assert (document.pop("podium"), document.pop("kind")) == (SCHEMA_VERSION, kind)
        check(document, KINDS[kind], kind)


REFUSAL = EXAMPLES["problem"]


def test_everything_is_described_with_an_example(description: dict[str, Any]) -> None:
    for path, found in description["paths"].items():
        for method, operation in found.items():
            answers = operation["responses"].items()
            # The one example of a problem has one status: of another refusal it would be a wrong example.
            told = [one for status, one in answers if int(status) < 400 or status == str(REFUSAL["status"])]
            told.append(operation.get("requestBody", {"content": {}}))
            for content in (content for one in told for content in one["content"].values()):
                assert "example" in content or content["examples"], f"{method} {path}"
            for parameter in operation.get("parameters", []):
                assert parameter["description"], f"{method} {path}: {parameter['name']}"
                is_ladder = parameter["description"] == app_module.LADDER
                assert is_ladder == (parameter["name"] == "ladder"), f"{path}: {parameter['name']}"


def all_errors(kind: type[ServedError]) -> set[type[ServedError]]:
    """The errors below one."""
    return {kind}.union(*(all_errors(below) for below in kind.__subclasses__())) - {ServedError}


def test_every_problem_is_in_the_table() -> None:
    listed = {(name.strip("`"), int(status)) for name, status, _ in rows(API, "Problems")}
    known = {(name, status) for _, name, _, status in problems._KNOWN}
    served = {(error.name, error.status) for error in all_errors(ServedError)}
    plain = {(name, status) for status, (name, _, _) in app_module._PROBLEMS.items()}
    assert listed == known | served | plain


def test_every_key_of_an_answer_is_described(description: dict[str, Any]) -> None:
    schemas = description["components"]["schemas"]
    assert schemas["PlacedRating"]["properties"]["mu"]["description"] == (
        "mean of the belief about the player's skill"
    )
    for name, schema in schemas.items():
        for key, property_ in schema["properties"].items():
            assert property_["description"], f"{name}.{key}"
            assert "](" not in property_["description"], f"{name}.{key}"
