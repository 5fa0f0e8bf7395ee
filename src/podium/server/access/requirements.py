"""What a route needs: each is marked with exactly one scope, or as public.

    @router.get("/ladders/{ladder}/rating", dependencies=[needs(READ)])

Where the address has a `{ladder}`, the scope is needed on that ladder, and anybody may read a public one. A
private ladder does not exist for those who have no scope on it: they get the answer of a missing one, after
the same queries. `request.state.access` is who asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from podium.errors import InputError, PodiumError
from podium.server.access.access_control import AccessControl, Shown
from podium.server.access.request_costs import Cost, charge, count_under_way
from podium.server.access.rights import ANYBODY, READ, Access, Scope
from podium.server.http.bodies import made_of, media_type, read_body
from podium.server.http.file_forms import MULTIPART, upload_of
from podium.server.problems import CrossSiteError, ForbiddenError, KeyNeededError, WrongKeyError
from podium.server.settings import ServerSettings

FORM = "application/x-www-form-urlencoded"
MOST_FIELDS = 2_000
"""Fields of a form: one for each player who is here."""


async def sent_form(request: Request) -> dict[str, str]:
    """The fields of a form, of one with a file those before it; nothing if the body is something else.

    It may be asked for again.
    """
    if media_type(request) == MULTIPART:
        return (await upload_of(request)).fields
    if media_type(request) != FORM:
        return {}
    found: dict[str, str] | None = getattr(request.state, "form", None)
    if found is None:
        body = await read_body(request, request.app.state.service.settings)
        found = request.state.form = await made_of(body, _fields)
    return found


def _fields(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise InputError("the form is not valid UTF-8") from error
    return dict(pairs)


CSRF_HEADER = "x-podium-csrf"
CSRF_FIELD = "csrf"
READING_METHODS = ("GET", "HEAD", "OPTIONS")
USUAL_PORTS = {"http": 80, "https": 443}


class Needs:
    """A dependency of a route: lets those in who may use it."""

    def __init__(
        self, scope: Scope | None, *, of_service: bool = False, cost: Cost = lambda request: 0.0
    ) -> None:
        self.scope = scope
        """What is needed; None if the route is public and not even asks who it is."""
        self.of_service = of_service
        """Whether it is needed for all ladders, also if it is to read."""
        self.cost = cost
        """What the address and its parameters cost beyond a plain request."""

    async def __call__(self, request: Request) -> None:
        """Find out who asks, and refuse them if they may not."""
        request.state.access = ANYBODY  # who shows a wrong key pays too
        if self.scope is None:
            count_under_way(request)
            charge(request, 1.0 + self.cost(request))
            return
        try:
            access = request.state.access = await identified(request)
        except WrongKeyError:
            charge(request, 1.0)
            raise
        count_under_way(request)
        charge(request, 1.0 + self.cost(request))
        if access.csrf is not None and request.method not in READING_METHODS:
            await check_form(request, access)
        await self.check(request, access)

    async def check(self, request: Request, access: Access) -> None:
        """Refuse somebody who may not use the route on the ladder of the address."""
        assert self.scope is not None
        control = access_control_of(request)
        slug: str | None = request.path_params.get("ladder")
        if slug is None:
            if self.scope != READ or self.of_service:
                check_may(access, self.scope, None)
            return
        known = control.known_ladder(slug)
        found = known[0] if known is not None else await run_in_threadpool(control.ladder, slug)
        if found is None or not access.sees(found.id, private=found.private):
            raise await run_in_threadpool(control.no_such_ladder, slug, access)
        request.state.reads = access.reads(found.id, private=found.private)
        if self.scope != READ or found.private:
            check_may(access, self.scope, found.id)


def needs(scope: Scope, *, of_service: bool = False, cost: Cost = lambda request: 0.0) -> Any:
    """The dependency of a route that needs a scope; with `of_service` for all ladders, also to read.

    `cost` estimates what a request costs by its address, beyond a plain one.
    """
    return Depends(Needs(scope, of_service=of_service, cost=cost))


PUBLIC: Any = Depends(Needs(None))
"""The mark of a route that tells nothing of ladders: anybody may use it."""
PROBE: Any = Depends(Needs(None, cost=lambda request: -1.0))
"""The mark of a public route that costs nothing: a service that is busy must not look like a broken one."""


def access_of(request: Request) -> Access:
    """Who asks, in a route that needs a scope."""
    access: Access = request.state.access
    return access


def reads_ratings(request: Request) -> bool:
    """Whether an answer about the ladder of the address may tell ratings to whoever asks.

    Who may report to a private ladder need not be allowed to read it.
    """
    reads: bool = request.state.reads
    return reads


def access_control_of(request: Request) -> AccessControl:
    """The access control of the worker that answers."""
    control: AccessControl = request.app.state.service.access_control
    return control


async def identified(request: Request) -> Access:
    """Who asks."""
    control, shown = access_control_of(request), shown_by(request)
    known = control.known(shown)
    return await run_in_threadpool(control.identified, shown) if known is None else known


async def is_still_allowed(request: Request, scope: Scope) -> bool:
    """Whether an answer that goes on and on may go on: keys are revoked, ladders become private."""
    try:
        await Needs(scope).check(request, await identified(request))
    except PodiumError:
        return False
    return True


def check_may(access: Access, scope: Scope, ladder: int | None) -> None:
    """Refuse somebody who has not a scope on a ladder, or with None on the whole service."""
    if access.may(scope, ladder):
        return
    if access is ANYBODY:
        raise KeyNeededError(
            f"this needs an API key with the scope {scope}",
            hint="send it in the header Authorization: Bearer pod_… (podium keys create makes a key)",
        )
    where = "all ladders" if ladder is None else "this ladder"
    raise ForbiddenError(
        f"your key or link lacks the scope {scope} for {where}", hint="ask the admin for another key or link"
    )


def session_cookie(settings: ServerSettings) -> str:
    """The name of the cookie; where all is encrypted, one that no other server of the domain can set."""
    return "__Host-podium" if settings.is_encrypted else "podium_session"


def shown_by(request: Request) -> Shown:
    """What a request shows of who sends it."""
    given = request.headers.get("authorization")
    bearer = None
    if given is not None:
        kind, _, rest = given.partition(" ")
        bearer = rest.strip() if kind.lower() == "bearer" else given
    cookie = request.cookies.get(session_cookie(request.app.state.service.settings))
    return Shown(bearer, cookie)


async def check_form(request: Request, access: Access) -> None:
    """Refuse what another site makes a browser send with our cookie."""
    check_origin(request)
    given = request.headers.get(CSRF_HEADER)
    if given is None:
        given = (await sent_form(request)).get(CSRF_FIELD, "")
    if access.csrf is None or not compare_digest(given.encode(), access.csrf.encode()):
        raise CrossSiteError(
            "the form has expired", hint="reload the page (programs should send API keys, not cookies)"
        )


def check_origin(request: Request) -> None:
    """Refuse a request that a page of another site has sent."""
    origin = request.headers.get("origin")
    if origin is None:
        raise CrossSiteError("the request has no Origin header")
    if not is_own_origin(origin, request.scope, request.app.state.service.settings):
        raise CrossSiteError("the request was sent from another website")


def is_own_origin(origin: str, scope: Mapping[str, Any], settings: ServerSettings) -> bool:
    """Whether an origin is that of the public address, or the one to which a request was sent.

    Scheme, name and port count: another port of the same machine is another site.
    """
    host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
    own = [_origin(f"{scope['scheme']}://{host}"), _origin(settings.public_address or "")]
    found = _origin(origin)
    return found is not None and found in own


def _origin(address: str) -> tuple[str, str, int] | None:
    """The scheme, name and port of an address; None if it is not one of the web.

    >>> _origin("https://Ladder.example.org"), _origin("null")
    (('https', 'ladder.example.org', 443), None)
    """
    try:
        parts = urlsplit(address)
        port = parts.port or USUAL_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return None if parts.hostname is None or port is None else (parts.scheme, parts.hostname, port)
