"""Pages for people: log in, log out, make links. They look like the pages of a ladder."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from podium.errors import InputError, PodiumError
from podium.pages.page_words import sentence
from podium.pages.rendering import templates_beside
from podium.server import machine
from podium.server.access.access_control import Shown
from podium.server.access.link_rows import create_link, end_session, list_links, open_session, revoke_link
from podium.server.access.login_links import LOGIN_PATH, created_link
from podium.server.access.requirements import (
    PUBLIC,
    access_of,
    check_origin,
    needs,
    sent_form,
    session_cookie,
    shown_by,
)
from podium.server.access.rights import ADMIN, ANYBODY, READ, REPORT, Access, Scope
from podium.server.access.tokens import SESSION, read_token
from podium.server.http.ladder_routes import service_of
from podium.server.live_pages.club_look import shown_club
from podium.server.problems import UnknownPageError, for_people, problem_of
from podium.server.service import Service
from podium.server.storage.ladder_rows import every_ladder

if TYPE_CHECKING:
    from jinja2 import Environment

router = APIRouter(include_in_schema=False)

ASSETS = {
    "site.css": ("podium.pages", "text/css; charset=utf-8"),
    "site.js": ("podium.pages", "text/javascript; charset=utf-8"),
    "access.css": ("podium.server.access", "text/css; charset=utf-8"),
    "access.js": ("podium.server.access", "text/javascript; charset=utf-8"),
}
"""Files that the pages load: where each is, and what it is."""
RIGHTS: dict[str, tuple[str, tuple[Scope, ...], bool]] = {
    "report": ("report results and see the ladder", (READ, REPORT), False),
    "read": ("see the ladder, if it is private", (READ,), False),
    "login": ("log in once, as an admin", (ADMIN,), True),
}
"""What a link may allow, by the word in the form: what it says, the scopes, whether it works once."""
LIVES = {"12h": "12 hours", "7d": "7 days", "90d": "90 days", "": "unlimited, until revoked"}
LOGGED_IN = {"Cache-Control": "no-store"}


class PageLinks:
    """What the templates need of a site: where its files are."""

    def asset(self, name: str) -> str:
        """The address of a file that pages load."""
        return f"{LOGIN_PATH}/assets/{name}"


@cache
def _templates() -> Environment:
    return templates_beside("podium.server.access")


def _page(
    service: Service, name: str, page: Mapping[str, Any], access: Access, status: int = 200
) -> Response:
    club = shown_club(service.settings)
    site = {"title": service.settings.club, "ladder": "", "home": "", "link": PageLinks(), "club": club}
    shown = {"csrf": access.csrf or "", "admin": access.may(ADMIN, None), "reason": "", "hint": "", **page}
    text = _templates().get_template(f"{name}.html").render(site=site, page=shown)
    return Response(text.encode("utf-8", "replace"), status, LOGGED_IN, "text/html; charset=utf-8")


def _why(error: PodiumError) -> dict[str, str]:
    """Why something was refused, and what to do, as two sentences."""
    problem = for_people(problem_of(error))
    return {"reason": sentence(problem["detail"]), "hint": sentence(problem["hint"] or "")}


@router.get(LOGIN_PATH + "/assets/{name}", dependencies=[PUBLIC])
def asset(name: str) -> Response:
    """A style or a script of the pages."""
    if name not in ASSETS:
        raise UnknownPageError("there is no such file")
    package, media = ASSETS[name]
    content = files(package).joinpath("assets", name).read_bytes()
    headers = {"Cache-Control": "no-cache", "ETag": f'"{zlib.crc32(content):08x}"'}
    return Response(content, 200, headers, media)


# ---------------------------------------------------------------------- logging in


@router.get(LOGIN_PATH, dependencies=[needs(READ)])
def login_page(request: Request, next: str = "") -> Response:
    """The page on which a button uses up a link: whoever only looks at its address, as chats do, does not."""
    return login_answer(service_of(request), access_of(request), next)


def login_answer(
    service: Service, access: Access, goal: str, *, error: PodiumError | None = None, status: int = 200
) -> Response:
    """The page to log in; with an error, why that is needed, or did not work."""
    page: dict[str, Any] = {"actor": "", "scopes": frozenset(), "ladder": "", "next": local_path(goal)}
    if access is not ANYBODY:
        page |= {"actor": access.actor, "scopes": access.scopes}
        page["ladder"] = _slug(service, access)
    if error is not None:
        page |= _why(error)
    return _page(service, "login", page, access, status)


def _slug(service: Service, access: Access) -> str:
    """The name of the only ladder that somebody's scopes are for; empty if they are for all."""
    if access.ladder is None:
        return ""
    with service.database.reading() as connection:
        return next((row.slug for row in every_ladder(connection) if row.id == access.ladder), "")


@router.post(LOGIN_PATH, dependencies=[needs(READ)])
async def log_in(request: Request) -> Response:
    """Let a browser in by a link: a new session, whatever cookie it had before."""
    service, access, form = service_of(request), access_of(request), await sent_form(request)
    settings = service.settings
    goal, former = form.get("next", ""), read_token(shown_by(request).cookie or "", SESSION)

    def enter() -> tuple[str, int]:
        with service.database.writing() as connection:
            session, ends = open_session(connection, form["token"].rpartition("#")[2].strip())
            if former is not None:
                end_session(connection, former, access)
            return session.text, ends

    try:
        if not form.get("token"):
            raise InputError("the login link is missing", hint="Paste the whole link.")
        check_origin(request)
        token, ends = await run_in_threadpool(enter)
    except PodiumError as error:
        refused = partial(login_answer, error=error, status=problem_of(error)["status"])
        return await run_in_threadpool(refused, service, access, goal)
    service.access_control.forget()
    landing = local_path(goal) or await run_in_threadpool(_landing, service, token)
    answer = RedirectResponse(landing, 303, LOGGED_IN)
    answer.set_cookie(
        session_cookie(settings),
        token,
        max_age=(ends - machine.now_micros()) // 1_000_000,
        path="/",
        secure=settings.is_encrypted,
        httponly=True,
        samesite="lax",
    )
    return answer


def _landing(service: Service, cookie: str) -> str:
    """Where a session begins: at the only ladder that it is for, or at all of them."""
    slug = _slug(service, service.access_control.identified(Shown(None, cookie)))
    return f"/ladders/{slug}/" if slug else "/"


@router.post("/logout", dependencies=[needs(READ)])
async def log_out(request: Request) -> Response:
    """End the session of a browser."""
    service, access = service_of(request), access_of(request)
    former = read_token(shown_by(request).cookie or "", SESSION)

    def leave() -> None:
        if former is not None:
            with service.database.writing() as connection:
                end_session(connection, former, access)

    await run_in_threadpool(leave)
    service.access_control.forget()
    answer = RedirectResponse(LOGIN_PATH, 303, LOGGED_IN)
    answer.delete_cookie(
        session_cookie(service.settings), secure=service.settings.is_encrypted, httponly=True, samesite="lax"
    )
    return answer


def local_path(goal: str) -> str:
    """A path of this service, to go to after logging in; empty if the text would lead elsewhere.

    >>> local_path("/ladders/chess/"), local_path("//evil.example"), local_path("https://evil.example/")
    ('/ladders/chess/', '', '')
    """
    try:
        parts = urlsplit(goal)
    except ValueError:
        return ""
    is_plain = goal.isascii() and goal.isprintable() and "\\" not in goal
    is_local = not parts.scheme and not parts.netloc and goal.startswith("/") and not goal.startswith("//")
    return goal if is_plain and is_local else ""


# ---------------------------------------------------------------------- links


@router.get("/links", dependencies=[needs(ADMIN)])
def links_page(request: Request, ladder: str = "") -> Response:
    """All links, and a form to make another, for a ladder if one is named."""
    return _links(service_of(request), access_of(request), chosen=ladder)


@router.post("/links", dependencies=[needs(ADMIN)])
async def make_link_by_form(request: Request) -> Response:
    """Make a link, and show it once."""
    service, access, form = service_of(request), access_of(request), await sent_form(request)
    _, scopes, once = RIGHTS.get(form.get("right", ""), RIGHTS["read"])
    sent: dict[str, Any] = {
        "name": form.get("name", ""),
        "scopes": list(scopes),
        "ladder": form.get("ladder") or None,
        "expires": form.get("expires") or None,
        "once": once,
    }

    def make() -> Response:
        try:
            with service.database.writing() as connection:
                made, token = create_link(connection, sent, access)
        except PodiumError as error:
            return _links(service, access, error=error)
        return _links(service, access, made=created_link(made, token, service.settings))

    return await run_in_threadpool(make)


@router.post("/links/revoke", dependencies=[needs(ADMIN)])
async def revoke_link_by_form(request: Request) -> Response:
    """Revoke a link."""
    service, access, form = service_of(request), access_of(request), await sent_form(request)

    def revoke() -> None:
        with service.database.writing() as connection:
            revoke_link(connection, form.get("link", ""), access)

    await run_in_threadpool(revoke)
    service.access_control.forget()
    return RedirectResponse("/links", 303, LOGGED_IN)


def _links(
    service: Service,
    access: Access,
    *,
    made: Any = None,
    error: PodiumError | None = None,
    chosen: str = "",
) -> Response:
    with service.database.reading() as connection:
        links = list_links(connection)
        ladders = [(row.slug, row.settings["title"] or row.slug) for row in every_ladder(connection)]
    page: dict[str, Any] = {
        "links": links,
        "ladders": ladders,
        "rights": [(key, words) for key, (words, _, _) in RIGHTS.items()],
        "lives": list(LIVES.items()),
        "made": made,
        "chosen": chosen,
    }
    if error is not None:
        page |= _why(error)
    return _page(service, "links", page, access, 200 if error is None else problem_of(error)["status"])
