"""Connections that send no whole request, or do not read their answer: closed, so that they cannot pile up.

uvicorn itself waits for a request's head without an end, and for a reader too. Its protocols are subclassed
here, and what one connection may take is a setting or a constant of this module.
"""

from __future__ import annotations

from asyncio import Protocol, TimerHandle
from collections import Counter
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from podium.server.access.request_costs import network_of
from podium.server.settings import ServerSettings

HEAD_BYTES = 64_000
"""The largest head of a request: its address and headers, but for the first piece that arrives."""
STALLED_SECONDS = 60.0
"""How long a reader may take nothing of an answer that waits for it."""
SHARES = 2
"""Shares of all connections; one address gets one of them, unless it is that of a proxy."""
_CLOSED = b"Connection: close\r\nContent-Length: 0\r\n\r\n"
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\n" + _CLOSED
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n" + _CLOSED
TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\n" + _CLOSED

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
else:
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:  # then uvicorn takes h11, which has a limit of its own for heads
        HttpToolsProtocol = None


def limited_protocol(settings: ServerSettings) -> type[Protocol]:
    """What uvicorn speaks HTTP with."""
    return _timed(H11Protocol if HttpToolsProtocol is None else _limited(HttpToolsProtocol), settings)


def _limited(base: Any) -> Any:
    class LimitedHttp(base):  # type: ignore[misc]
        """HTTP by httptools, which itself has no limit for the head of a request."""

        head_bytes, is_in_head = 0, False

        def on_message_begin(self) -> None:
            self.head_bytes, self.is_in_head = 0, True
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self.is_in_head = False
            super().on_headers_complete()

        def data_received(self, data: bytes) -> None:
            was_in_head = self.is_in_head
            super().data_received(data)
            if was_in_head and self.is_in_head:  # nothing of this was the body of a request before
                self.head_bytes += len(data)
            if self.head_bytes > HEAD_BYTES and not self.transport.is_closing():
                self.transport.write(TOO_LARGE)
                self.transport.close()

    return LimitedHttp


def _timed(base: Any, settings: ServerSettings) -> type[Protocol]:
    counts = Counter[str]()  # of each address its open connections

    class TimedHttp(base):  # type: ignore[misc]
        """HTTP whose heads must arrive, and whose answers must be read, within some time."""

        is_in_head = False
        has_begun = False
        """Whether something has arrived of a head that is waited for."""
        began = 0.0
        """When it began to wait for the head of a request that has not arrived."""
        head_timer: TimerHandle | None = None
        reading_timer: TimerHandle | None = None
        network = ""
        """The address, by which it is counted."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.network = network_of(self.client)
            counts[self.network] += 1
            self._expect_head()
            if len(self.connections) > settings.connections:
                _make_room(self, counts)
            elif counts[self.network] > settings.connections // SHARES and not is_proxy(self):
                _make_room(self, {self.network: counts[self.network]})

        def connection_lost(self, exc: Exception | None) -> None:
            self._head_arrived()
            self.resume_writing()
            counts[self.network] -= 1
            if not counts[self.network]:
                del counts[self.network]
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self.has_begun = self.is_idle
            if not self.has_begun:
                self._head_arrived()
            elif self.head_timer is None and not self.transport.is_closing():
                self._expect_head()

        @property
        def is_idle(self) -> bool:
            """Whether no request is under way: none has come, or not all of its head, or it is answered."""
            return self.is_in_head or self.cycle is None or self.cycle.response_complete

        def _expect_head(self) -> None:
            self.began = self.loop.time()
            self.head_timer = self.loop.call_later(settings.head_seconds, self._head_missed)

        def _head_arrived(self) -> None:
            if self.head_timer is not None:
                self.head_timer.cancel()
                self.head_timer = None

        def _head_missed(self) -> None:
            self.head_timer = None
            if self.has_begun and (self.cycle is None or self.cycle.response_complete):
                _refuse(self.transport, TOO_SLOW)
            else:  # nothing was asked, or another request is being answered
                self.transport.close()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._watch_reader(self.transport.get_write_buffer_size())

        def resume_writing(self) -> None:
            if self.reading_timer is not None:
                self.reading_timer.cancel()
                self.reading_timer = None
            super().resume_writing()

        def _watch_reader(self, waiting: int) -> None:
            self.reading_timer = self.loop.call_later(STALLED_SECONDS, self._look_at_reader, waiting)

        def _look_at_reader(self, waiting: int) -> None:
            """Give up a reader that has taken nothing of what waited for it."""
            left = self.transport.get_write_buffer_size()
            if left < waiting:
                self._watch_reader(left)
            else:
                self.transport.abort()

    return TimedHttp


def _make_room(newcomer: Any, counts: Mapping[str, int]) -> None:
    """Close a connection without a request, or the new one if all are in use.

    It is one of the address that has most by these counts, so that no address can close those of others, and
    of these the one that has waited longest.
    """
    idle = (one for one in newcomer.connections if one is not newcomer and one.is_idle)
    counted = (one for one in idle if one.network in counts and not one.transport.is_closing())
    first = min(counted, key=lambda one: (-counts[one.network], one.began), default=newcomer)
    _refuse(first.transport, TOO_MANY)


def is_proxy(connection: Any) -> bool:
    """Whether a connection is from a proxy that says for whom it asks, as uvicorn is told."""
    config, host = connection.config, "" if connection.client is None else connection.client[0]
    if not config.proxy_headers:
        return False
    given = config.forwarded_allow_ips
    known = given.split(",") if isinstance(given, str) else given
    return any(one.strip() == "*" or _is_in(host, one.strip()) for one in known)


def _is_in(host: str, network: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:  # the name of a socket
        return host == network


def _refuse(transport: Any, answer: bytes) -> None:
    if not transport.is_closing():
        transport.write(answer)
        transport.close()
