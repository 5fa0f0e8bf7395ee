"""Under which names a service answers, and which pages may make a browser send something to it."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from podium.server.access.requirements import READING_METHODS, is_own_origin
from podium.server.http.http_answers import problem_response
from podium.server.problems import plain_problem
from podium.server.settings import LOCAL_NAMES, ServerSettings


class ServedHosts:
    """Refuses what web pages of other sites make a browser send.

    Without keys, whoever can send a request may do everything; with a cookie, whatever its link allows. A
    page of another site could send one under a name of its own that leads here, which stands in `Host`, or
    under ours: then its site is in `Origin`, whose scheme, name and port are not those of the request. A
    service for this machine answers to its names alone; one that is reached from outside also to its public
    address, and to numbers, which no other site can take as its name.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._settings = app, settings
        self._public = urlsplit(settings.public_address or "").hostname

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "http" and (reason := self._foreign(scope)) is not None:
            title, hint = "Only this machine is served", "use an address of 127.0.0.1"
            if self._settings.is_reached_from_outside:
                title, hint = "Another name than this service's", "set public_address to the name people use"
            await problem_response(plain_problem("foreign", title, 403, reason, hint))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _foreign(self, scope: Scope) -> str | None:
        """Why a request is not meant for this service; None if it is."""
        for name, value in scope["headers"]:
            if name == b"host" and not self._is_own(value):
                return "the request was sent to another name than that of this service"
            is_sent = name == b"origin" and scope["method"] not in READING_METHODS
            if is_sent and not is_own_origin(value.decode("latin-1"), scope, self._settings):
                return "the request was sent by a page of another site"
        return None

    def _is_own(self, host: bytes) -> bool:
        try:
            name = urlsplit(f"//{host.decode('latin-1')}").hostname
        except ValueError:
            return False
        if name is None:
            return False
        if name in LOCAL_NAMES or name in (self._public, self._settings.host):
            return True
        return self._settings.is_reached_from_outside and _is_number(name)


def _is_number(name: str) -> bool:
    """Whether the name in an address is an IP address.

    >>> _is_number("192.168.1.5"), _is_number("ladder.example.org")
    (True, False)
    """
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
