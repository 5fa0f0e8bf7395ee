"""Connections that wait: for the head of a request, or for a reader who reads nothing. Real sockets."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from podium.server.http import limited_connections
from podium.server.http.limited_connections import limited_protocol
from podium.server.settings import ServerSettings

PATIENCE = 60
BEGUN = b"GET / HTTP/1.1\r\nHost: x\r\n"
WHOLE = BEGUN + b"\r\n"
SLOW = b"HTTP/1.1 408 "
LARGE = 50_000_000


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer with a few bytes, or with many."""
    while (await receive()).get("more_body"):
        pass
    body = b"x" * (LARGE if scope["path"] == "/large" else 4)
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def served(**settings: Any) -> Iterator[Callable[..., socket.socket]]:
    """A server with these settings; yields what connects to it."""
    protocol = limited_protocol(ServerSettings(**settings))
    config = uvicorn.Config(
        app,
        port=0,
        http=protocol,
        lifespan="off",
        log_level="critical",
        proxy_headers="public_address" in settings,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        port = server.servers[0].sockets[0].getsockname()[1]

        def connect(source: str = "127.0.0.1") -> socket.socket:
            return socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))

        yield connect
    finally:
        server.should_exit = True
        thread.join()


def rest(connection: socket.socket) -> bytes:
    """What comes until the other side closes."""
    found = b""
    while part := connection.recv(1 << 16):
        found += part
    return found


def asked(connection: socket.socket) -> bytes:
    """The answer to a whole request."""
    connection.sendall(WHOLE)
    found = b""
    while not found.endswith(b"xxxx"):
        part = connection.recv(1 << 16)
        assert part
        found += part
    return found


def begin_body(connection: socket.socket) -> None:
    """Send a head, and no body; the request is under way then."""
    connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
    assert connection.recv(1 << 16).startswith(b"HTTP/1.1 100 ")


def keep_sending(connection: socket.socket) -> None:
    """Send something now and then, until the other side has given up and answers with a reset."""
    while True:
        connection.sendall(b"x")
        time.sleep(0.05)


@pytest.fixture(params=["httptools", "h11"])
def _each_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "h11":
        monkeypatch.setattr(limited_connections, "HttpToolsProtocol", None)
        assert issubclass(limited_protocol(ServerSettings()), H11Protocol)


@pytest.mark.usefixtures("_each_parser")
def test_half_a_head_is_not_waited_for() -> None:
    with served(head_seconds=0.3) as connect, ExitStack() as stack:
        for sent, said in ((b"", b""), (b"\r\n", b"HTTP/1.1 4"), (b"GET / HT", SLOW), (BEGUN, SLOW)):
            connection = stack.enter_context(connect())
            connection.sendall(sent)
            assert rest(connection)[: len(SLOW)].startswith(said), sent
        connection = stack.enter_context(connect())
        assert asked(connection).startswith(b"HTTP/1.1 200 ")  # which stays open
        connection.sendall(BEGUN)
        assert rest(connection).startswith(SLOW)


@pytest.mark.usefixtures("_each_parser")
def test_a_slow_body_and_an_idle_connection_are_no_slow_head() -> None:
    with served(head_seconds=0.3) as connect, connect() as idle, connect() as slow:
        assert asked(idle).startswith(b"HTTP/1.1 200 ")
        slow.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo")
        with connect() as half:
            assert rest(half) == b""  # so long have the others waited by now
        slow.sendall(b"dy")
        assert slow.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        assert asked(idle).startswith(b"HTTP/1.1 200 ")


def test_the_longest_waiting_connection_makes_room() -> None:
    with served(connections=10) as connect, ExitStack() as stack:
        half = [stack.enter_context(connect(f"127.0.0.{1 + place // 5}")) for place in range(10)]
        for connection in half:
            connection.sendall(BEGUN)
        newcomer = stack.enter_context(connect())
        assert asked(newcomer).startswith(b"HTTP/1.1 200 ")
        with suppress(ConnectionResetError):  # if what it has sent was not even read
            assert rest(half[0]).startswith(b"HTTP/1.1 503 ")
        for connection in half[1:]:
            connection.sendall(b"\r\n")
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def test_one_address_cannot_close_the_connections_of_another() -> None:
    with served(connections=10) as connect, ExitStack() as stack:
        other = stack.enter_context(connect("127.0.0.2"))
        assert asked(other).startswith(b"HTTP/1.1 200 ")
        flood = [stack.enter_context(connect()) for _ in range(20)]
        assert asked(flood[-1]).startswith(b"HTTP/1.1 200 ")
        assert asked(other).startswith(b"HTTP/1.1 200 ")


def test_one_address_has_a_share_of_the_connections() -> None:
    """Also with requests whose bodies never come, which are under way."""
    with served(connections=10) as connect, ExitStack() as stack:
        posts = [stack.enter_context(connect()) for _ in range(5)]
        for connection in posts:
            begin_body(connection)
        for _ in range(9):
            with connect() as more:
                assert rest(more).startswith(b"HTTP/1.1 503 ")
        others = [stack.enter_context(connect("127.0.0.2")) for _ in range(5)]
        for connection in others:
            assert asked(connection).startswith(b"HTTP/1.1 200 ")
        for connection in posts:
            connection.sendall(b"body")
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        again = stack.enter_context(connect())  # in place of one that is answered
        assert asked(again).startswith(b"HTTP/1.1 200 ")


def test_connections_that_are_closed_are_no_part_of_a_share() -> None:
    with served(connections=10) as connect:
        for _ in range(30):
            with connect() as connection:
                assert asked(connection).startswith(b"HTTP/1.1 200 ")


def test_a_proxy_may_have_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "/run/proxy, 127.0.0.0/30")
    proxied = served(connections=10, public_address="https://ladder.example.org")
    with proxied as connect, ExitStack() as stack:
        posts = [stack.enter_context(connect()) for _ in range(9)]
        for connection in posts:
            begin_body(connection)
        assert asked(stack.enter_context(connect())).startswith(b"HTTP/1.1 200 ")
        for connection in posts:
            connection.sendall(b"body")
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def test_a_reader_who_reads_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_connections, "STALLED_SECONDS", 0.3)
    with served() as connect, connect() as stalled:
        stalled.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        with pytest.raises(ConnectionError):
            keep_sending(stalled)
