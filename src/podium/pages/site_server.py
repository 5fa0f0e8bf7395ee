"""A website's folder shown at a local address: files as they are, and a word about when to reload.

Only this machine reaches the address. The server gives out files of the folder and nothing else: no listing
of folders, nothing outside, and no method but GET and HEAD. Pages stay as they are on disk, but for an
attribute that tells their script where to ask whether there is a newer version.
"""

from __future__ import annotations

import os
import posixpath
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from podium.errors import InputError
from podium.pages.urls import HTML

HOST = "127.0.0.1"
TRIED_PORTS = 100
"""Ports from the first one on of which a free one is taken."""
VERSION_PATH = "/.podium/version"
SWITCH_SECONDS = 5.0
"""How long a request waits while a new site takes the place of the old one, at the most."""
LOCAL_NAMES = ("localhost", "127.0.0.1")
"""Names in an address that mean this machine; a page elsewhere whose own name points here is refused."""
CONTENT_TYPES = {
    HTML: "text/html; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".ndjson": "application/x-ndjson; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".gz": "application/gzip",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_BODY, _LIVE_BODY = b"<body", f'<body data-live="{VERSION_PATH}"'.encode()


class SiteServer(ThreadingHTTPServer):
    """Serves the files of a folder on this machine."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = Path(folder)
        self.version = 1
        """Counts the versions of the site that have been shown."""
        super().__init__((HOST, port), _Requests)

    @property
    def address(self) -> str:
        """Where a browser finds the site."""
        return f"http://{HOST}:{self.server_address[1]}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle of an answer is nothing to tell."""


@contextmanager
def serving(folder: Path, port: int | None, first_port: int) -> Iterator[SiteServer]:
    """A server in a thread for the time of the block: at this port, or without one at the first free one."""
    server = _bound(folder, port, first_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="podium serve", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _bound(folder: Path, port: int | None, first_port: int) -> SiteServer:
    if port is not None:
        try:
            return SiteServer(folder, port)
        except OSError as error:
            raise InputError(
                f"cannot serve on port {port}: {error.strerror or error}",
                hint="give another --port, or omit it and podium finds a free one",
            ) from error
    for free in range(first_port, first_port + TRIED_PORTS):
        with suppress(OSError):
            return SiteServer(folder, free)
    return SiteServer(folder, 0)  # whichever the system has


class _Requests(BaseHTTPRequestHandler):
    """Answers of a `SiteServer`."""

    server: SiteServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "podium", ""
    timeout = 60

    def do_GET(self) -> None:
        """A file, with its content."""
        self._answer(with_content=True)

    def do_HEAD(self) -> None:
        """The same without the content."""
        self._answer(with_content=False)

    def _answer(self, *, with_content: bool) -> None:
        name = (self.headers.get("Host") or "").rpartition(":")[0] or self.headers.get("Host")
        if name not in LOCAL_NAMES:
            self._send(HTTPStatus.FORBIDDEN, b"only this machine is served\n", ".txt", with_content)
            return
        path = unquote(urlsplit(self.path).path, errors="replace")
        if path == VERSION_PATH:
            self._send(HTTPStatus.OK, str(self.server.version).encode(), ".txt", with_content)
            return
        file = self._file(path)
        if file is None:
            self._send(HTTPStatus.NOT_FOUND, b"there is no such page\n", ".txt", with_content)
            return
        content = file.read_bytes()
        if file.suffix == HTML:
            content = content.replace(_BODY, _LIVE_BODY, 1)
        self._send(HTTPStatus.OK, content, file.suffix, with_content)

    def _file(self, path: str) -> Path | None:
        """The file of the site that an address means; None if there is none."""
        self._wait_for_switch()
        if "\0" in path or "\\" in path:
            return None
        if path.endswith("/"):
            path += f"index{HTML}"
        below = posixpath.normpath(f"/{path}").lstrip("/")
        file = self.server.folder / below
        inside = os.path.realpath(self.server.folder)
        if not os.path.realpath(file).startswith(f"{inside}{os.sep}") or not file.is_file():
            return None
        return file

    def _wait_for_switch(self) -> None:
        """Between the two renames that replace a site there is no folder."""
        end = time.monotonic() + SWITCH_SECONDS
        while not self.server.folder.is_dir() and time.monotonic() < end:
            time.sleep(0.01)

    def _send(self, status: HTTPStatus, content: bytes, suffix: str, with_content: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Type", CONTENT_TYPES.get(suffix, "text/plain; charset=utf-8"))
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        if with_content:
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads every request on a terminal."""
