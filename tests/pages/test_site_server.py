"""The server of a site's folder: files of it to this machine, and nothing else."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import pytest

from podium import InputError
from podium.pages.site_server import HOST, SiteServer, serving

FIRST_PORT = 18_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteServer]:
    folder = tmp_path_factory.mktemp("served")
    site = folder / "site"
    (site / "players").mkdir(parents=True)
    (site / "index.html").write_text("<html><body class='a'>front <body</html>")
    (site / "players" / "ann.html").write_text("<body>Zoë")
    (site / "ratings.csv").write_text("player\nann\n")
    (site / "site.js").write_text("1")
    (folder / "secret.txt").write_text("secret")
    (site / "out").symlink_to(folder / "secret.txt")
    with serving(site, None, FIRST_PORT) as running:
        yield running


class Answer(NamedTuple):
    status: int
    headers: Message
    content: bytes


def asked(server: SiteServer, path: str, method: str = "GET", host: str | None = None) -> Answer:
    port = int(server.server_address[1])
    with closing(HTTPConnection(HOST, port, timeout=10)) as connection:
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", f"{HOST}:{port}" if host is None else host)
        connection.endheaders()
        with connection.getresponse() as answer:
            return Answer(answer.status, answer.headers, answer.read())


def test_files_come_with_their_types(server: SiteServer) -> None:
    for path, kind in [
        ("/", "text/html; charset=utf-8"),
        ("/index.html?x=1", "text/html; charset=utf-8"),
        ("/ratings.csv", "text/csv; charset=utf-8"),
        ("/site.js", "text/javascript; charset=utf-8"),
    ]:
        answer = asked(server, path)
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    head = asked(server, "/ratings.csv", "HEAD")
    assert (head.status, head.headers["Content-Length"], head.content) == (200, "11", b"")


def test_a_page_is_told_where_to_ask_for_changes(server: SiteServer) -> None:
    expected = "<html><body data-live=\"/.podium/version\" class='a'>front <body</html>"
    answer = asked(server, "/")
    assert answer.content.decode() == expected
    assert asked(server, "/players/ann.html").content.decode().endswith(">Zoë")
    assert (server.folder / "index.html").read_text() == "<html><body class='a'>front <body</html>"
    before = asked(server, "/.podium/version").content
    server.version += 1
    assert asked(server, "/.podium/version").content != before


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/players/../../secret.txt",
        "//secret.txt",
        "/..%5csecret.txt",
        "/out",
        "/players",
        "/players/",
        "/%00",
        "/nothing.html",
    ],
)
def test_nothing_else_is_served(server: SiteServer, path: str) -> None:
    answer = asked(server, path)
    assert answer.status == 404
    assert answer.content == b"there is no such page\n"


def test_only_this_machine_and_only_reading(server: SiteServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert asked(server, "/", "POST").status == 501
    assert asked(server, "/", "DELETE").status == 501
    assert asked(server, "/", host="evil.example").status == 403
    assert asked(server, "/", host="localhost").status == 200


def test_a_busy_port_is_refused_or_passed_by(tmp_path: Path) -> None:
    with serving(tmp_path, None, FIRST_PORT) as one, serving(tmp_path, None, FIRST_PORT) as two:
        ports = [int(server.server_address[1]) for server in (one, two)]
        assert ports[0] != ports[1]
        assert min(ports) >= FIRST_PORT
        with (
            pytest.raises(InputError, match=f"cannot serve on port {ports[0]}"),
            serving(tmp_path, ports[0], FIRST_PORT),
        ):
            pass
    with pytest.raises(ConnectionRefusedError), socket.create_connection((HOST, ports[0]), timeout=1):
        pass
