"""Requests whose head does not end: refused, so that nobody fills the memory with headers."""

from __future__ import annotations

from asyncio import Protocol
from typing import TYPE_CHECKING, Any

HEAD_BYTES = 64_000
"""The largest head of a request: its address and headers, but for the first piece that arrives."""
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
else:
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:  # then uvicorn takes h11, which has a limit of its own
        HttpToolsProtocol = None


def limited_protocol() -> type[Protocol] | str:
    """What uvicorn speaks HTTP with."""
    return "h11" if HttpToolsProtocol is None else _limited(HttpToolsProtocol)


def _limited(base: Any) -> type[Protocol]:
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
