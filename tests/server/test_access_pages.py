"""Pages to log in and to make links: what they refuse, and what they are in a real browser."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import escape, unescape
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from sqlalchemy import update

from pages.test_browser import OUTSIDE, OVERLAPS, violations
from podium.server.access.access_pages import local_path
from podium.server.access.login_links import qr_picture
from podium.server.http.app import make_app
from podium.server.http.http_server import ServedHosts
from podium.server.settings import ServerSettings
from podium.server.storage import tables
from server.callers import Caller, called_service, problem
from server.guarded_services import HERE, bearing, form_token, log_in, new_key, new_link
from server.service_processes import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SCRIPT = "<script>document.title = 'taken'</script>"
HOSTILE = [
    *(SCRIPT, "'; DROP TABLE link; --", "../../etc/passwd"),
    *('"><img src=x onerror=alert(1)>', "{{ 7*7 }}"),
]


@pytest.fixture
def guarded(caller: Caller) -> Caller:
    """A service with a key, so that nobody may do everything."""
    new_key(caller, "admin")
    return caller


# ---------------------------------------------------------------------- logging in


def test_a_login_link_works_once(any_caller: Caller) -> None:
    new_key(any_caller, "read")
    link, client = new_link(any_caller, "admin", once=True), any_caller.client
    for _ in range(3):  # whoever looks at it does not use it up
        assert client.get("/login").status_code == 200
    answer = log_in(any_caller, f"http://127.0.0.1:8000/login#{link}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
    assert "Max-Age=1209" in cookie
    assert "Secure" not in cookie
    assert client.get("/api/v1/audit").status_code == 200
    assert "You are logged in" in client.get("/login").text
    again = log_in(any_caller, link, csrf=form_token(client.get("/login").text))
    assert again.status_code == 403
    assert "used already" in again.text


def test_of_two_who_open_a_login_link_one_comes_in(any_caller: Caller) -> None:
    from podium.server.access.link_rows import open_session
    from podium.server.problems import WrongLinkError

    link, database = new_link(any_caller, "admin", once=True), any_caller.service.database

    def enter(_: int) -> bool:
        try:
            with database.writing() as connection:
                open_session(connection, link)
        except WrongLinkError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(enter, range(8))) == 1


@pytest.mark.parametrize("wrong", ["", "x", "pol_00000000_" + "a" * 43, "changed", "revoked", "expired"])
def test_links_that_let_nobody_in(guarded: Caller, wrong: str) -> None:
    link = new_link(guarded, "read", ladder="chess")
    with guarded.service.database.writing() as connection:
        if wrong in ("revoked", "expired"):
            column = {"revoked": "revoked", "expired": "expires"}[wrong]
            connection.execute(update(tables.link).values({column: 1}))
    given = {"changed": link[:-1] + ("a" if link[-1] != "a" else "b"), "revoked": link, "expired": link}
    answer = log_in(guarded, given.get(wrong, wrong))
    assert answer.status_code == (400 if not wrong else 403)
    assert "set-cookie" not in answer.headers
    assert 'role="alert"' in answer.text
    assert link not in answer.text


def test_a_narrow_link_lets_people_do_one_thing_again_and_again(guarded: Caller) -> None:
    guarded.client.headers |= bearing(new_key(guarded, "admin"))
    for slug in ("club", "other"):
        guarded.create(slug, private=True)
    del guarded.client.headers["Authorization"]
    link = new_link(guarded, "read", "report", ladder="club")
    for _ in range(2):
        guarded.client.cookies.clear()
        assert guarded.client.get("/api/v1/ladders/club").status_code == 404
        assert log_in(guarded, link, next="/ladders/club/").headers["location"] == "/ladders/club/"
        assert guarded.client.get("/api/v1/ladders/club").status_code == 200
        assert guarded.client.get("/api/v1/ladders/other").status_code == 404
        token = form_token(guarded.client.get("/login").text)
        headers = {**HERE, "X-Podium-CSRF": token}
        sent = {"ranks": {"ann": 1, "bob": 2}}
        address = "/api/v1/ladders/club/events"
        assert guarded.client.post(address, json=sent, headers=headers).status_code == 201
        problem(guarded.client.post("/links", data={"csrf": token}, headers=HERE), 403, "forbidden")
    with guarded.service.database.writing() as connection:
        connection.execute(update(tables.link).values(revoked=1))
    guarded.service.access_control.forget()
    assert guarded.client.get("/api/v1/ladders/club").status_code == 404


def test_a_session_ends(guarded: Caller) -> None:
    """By logging out, and with time; its cookie opens nothing then."""
    client = guarded.client
    log_in(guarded, new_link(guarded, "admin", once=True))
    old = dict(client.cookies)
    token = form_token(client.get("/login").text)
    problem(client.post("/logout", headers=HERE), 403, "cross-site")
    assert client.get("/links").status_code == 200
    answer = client.post("/logout", data={"csrf": token}, headers=HERE, follow_redirects=False)
    assert answer.status_code == 303
    assert not dict(client.cookies)
    client.cookies.update(old)
    problem(client.get("/links"), 401, "key-needed")
    client.cookies.clear()
    log_in(guarded, new_link(guarded, "admin", once=True))
    assert client.get("/links").status_code == 200
    with guarded.service.database.writing() as connection:
        connection.execute(update(tables.session).values(expires=1))
    guarded.service.access_control.forget()
    problem(client.get("/links"), 401, "key-needed")


def test_nobody_chooses_the_session_of_another(guarded: Caller) -> None:
    """A cookie that was there before is not the one of the session, and the session it was of ends."""
    client = guarded.client
    log_in(guarded, new_link(guarded, "read", ladder="chess"))
    planted = dict(client.cookies)
    log_in(guarded, new_link(guarded, "admin", once=True), csrf=form_token(client.get("/login").text))
    assert dict(client.cookies) != planted
    assert client.get("/links").status_code == 200
    client.cookies.clear()
    client.cookies.update(planted)
    problem(client.get("/links"), 401, "key-needed")
    made_up = {"podium_session": "pos_00000000_" + "a" * 43}
    client.cookies.clear()
    client.cookies.update(made_up)
    answer = log_in(guarded, new_link(guarded, "admin", once=True))
    assert made_up["podium_session"] not in answer.headers["set-cookie"]


def test_other_sites_send_nothing_with_our_cookie(guarded: Caller) -> None:
    client = guarded.client
    log_in(guarded, new_link(guarded, "admin", once=True))
    token = form_token(client.get("/links").text)
    good = {"name": "x", "right": "read", "ladder": "chess", "csrf": token}
    for sent, headers in (
        ({**good, "csrf": ""}, HERE),
        ({**good, "csrf": "0" * 64}, HERE),
        ({**good, "csrf": "é"}, HERE),
        (good, {"Origin": "https://evil.example"}),
        (good, {"Origin": "null"}),
        (good, {"Origin": "http://testserver.evil.example"}),
        (good, {"Origin": "http://testserver:3000"}),
        (good, {"Origin": "https://testserver"}),
        (good, {}),
    ):
        problem(client.post("/links", data=sent, headers=headers), 403, "cross-site")
    body = {"name": "x", "scopes": ["admin"]}
    problem(client.post("/api/v1/keys", json=body, headers=HERE), 403, "cross-site")
    headers = {"Content-Type": "text/plain", **HERE}
    problem(client.post("/api/v1/keys", content=b"{}", headers=headers), 403, "cross-site")
    other = new_link(guarded, "read", ladder="chess")
    elsewhere = {"Origin": "https://evil.example"}
    answer = client.post("/login", data={"token": other, "csrf": token}, headers=elsewhere)
    assert answer.status_code == 403
    assert client.post("/links", data=good, headers=HERE).status_code == 200
    assert len(client.get("/api/v1/links").json()["links"]) == 3


def test_under_https_the_cookie_is_for_this_host_alone(sqlite_address: str) -> None:
    address = "https://ladder.example.org"
    with called_service(sqlite_address, public_address=address) as caller:
        link = new_link(caller, "admin", once=True)
        sent = {"token": link}
        cookie = caller.client.post(
            "/login", data=sent, headers={"Origin": address}, follow_redirects=False
        ).headers["set-cookie"]
        assert cookie.startswith("__Host-podium=")
        assert {"Secure", "HttpOnly", "Path=/"} <= set(cookie.split("; "))
        assert "Domain" not in cookie
        key = new_key(caller, "admin")
        made = caller.client.post(
            "/api/v1/links",
            json={"name": "x", "scopes": ["admin"], "once": True},
            headers=bearing(key),
        ).json()
        assert made["address"].startswith(f"{address}/login#pol_")
        assert made["qr"] == qr_picture(made["address"])


@pytest.mark.parametrize(
    "goal",
    [
        *(
            "//evil.example",
            "https://evil.example/",
            "/\\evil.example",
            "\\\\evil.example",
            "javascript:alert(1)",
        ),
        *(
            "///evil.example",
            "/\t/evil.example",
            "http:evil.example",
            "evil.example",
            " //evil.example",
            "/é",
        ),
    ],
)
def test_nobody_is_led_elsewhere(guarded: Caller, goal: str) -> None:
    assert local_path(goal) == ""
    answer = log_in(guarded, new_link(guarded, "read", ladder="chess"), next=goal)
    assert (answer.status_code, answer.headers["location"]) == (303, "/ladders/chess/")
    page = guarded.client.get("/login", params={"next": goal}).text
    assert 'name="next" value=""' in page


def test_somebody_without_a_session_is_asked_to_log_in(guarded: Caller) -> None:
    answer = guarded.client.get("/links", headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert 'name="next" value="/links"' in answer.text
    assert (
        log_in(guarded, new_link(guarded, "admin", once=True), next="/links").headers["location"] == "/links"
    )


# ---------------------------------------------------------------------- texts


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_texts(guarded: Caller, text: str) -> None:
    client = guarded.client
    log_in(guarded, new_link(guarded, "admin", once=True))
    token = form_token(client.get("/links").text)
    fields = {"name": text, "right": "read", "ladder": "chess", "expires": "7d"}
    for field in fields:
        page = client.post("/links", data={**fields, "csrf": token, field: text}, headers=HERE)
        assert page.status_code in (200, 400, 404), page.text
        assert SCRIPT not in page.text
        assert "<img" not in page.text
    client.post("/links/revoke", data={"csrf": token, "link": text}, headers=HERE)
    client.headers |= {**HERE, "X-Podium-CSRF": token}
    for body in (
        {"name": text, "scopes": ["read"]},
        {"name": "x", "scopes": [text]},
        {"name": "x", "scopes": ["read"], "ladder": text},
        {"name": "x", "scopes": ["read"], "expires": text},
    ):
        assert client.post("/api/v1/keys", json=body).status_code in (201, 400, 404)
        assert client.post("/api/v1/links", json=body).status_code in (400, 404)
    assert client.delete(f"/api/v1/keys/{text}").status_code in (404, 405)
    assert client.get("/api/v1/audit", params={"ladder": text}).status_code == 404
    assert client.get(f"/login/assets/{text}").status_code == 404
    names = [key["name"] for key in client.get("/api/v1/keys").json()["keys"]]
    assert text in names
    assert f"<b>{escape(text)}</b>" in client.get("/links").text.replace("&#34;", "&quot;").replace(
        "&#39;", "&#x27;"
    )


# ---------------------------------------------------------------------- in a browser


@pytest.fixture
def site(sqlite_address: str) -> Iterator[tuple[str, Any]]:
    """The address of a service as a browser reaches it, and the service."""
    port = free_port()
    settings = ServerSettings(database=sqlite_address, port=port)
    app = make_app(settings)
    config = uvicorn.Config(ServedHosts(app, settings), port=port, log_level="critical")
    server = uvicorn.Server(config)
    thread = Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    while not server.started:
        assert thread.is_alive()
    yield settings.address, app.state.service
    server.should_exit = True
    thread.join()


def test_people_log_in_and_make_a_link(browser: Browser, site: tuple[str, Any]) -> None:
    """With the keyboard alone; axe finds nothing, nothing overflows, and no policy of the pages is broken."""
    address, service = site
    caller = Caller(None, service)  # type: ignore[arg-type]
    with service.database.writing() as connection:
        from podium.server.storage.ladder_rows import create_ladder

        create_ladder(connection, {"slug": "chess", "system": "elo"})
    new_key(caller, "admin")
    link = new_link(caller, "admin", once=True, name=SCRIPT)
    context = browser.new_context(viewport={"width": 360, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))

    page.goto(f"{address}/login#{link}")
    assert page.url == f"{address}/login"  # the secret is not in the address any more
    check_look(page)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/")
    page.goto(f"{address}/login")
    assert "You are logged in" in page.inner_text("h1")
    check_look(page)
    page.click("text=Links")
    page.fill("#name", "club night")
    page.select_option("#ladder", "chess")
    page.press("#name", "Enter")
    page.wait_for_selector(".qr svg")
    check_look(page)
    assert page.title().startswith("Links")
    shown = page.inner_text("[data-address]")
    assert re.fullmatch(rf"{address}/login#pol_[0-9a-f]{{8}}_\S{{43}}", shown)

    other = browser.new_context().new_page()
    other.goto(shown)
    other.click("button:has-text('Log in')")
    other.wait_for_url(f"{address}/ladders/chess/")
    other.goto(f"{address}/login")
    assert "report results to chess" in other.inner_text(".lead")
    other.context.close()

    page.click("li:has-text('club night') button")
    page.wait_for_selector("li:has-text('club night') >> text=revoked")
    page.goto(f"{address}/login")
    page.click("button:has-text('Log out')")
    page.wait_for_selector("h1:has-text('Log in')")
    assert not context.cookies()
    context.close()
    assert said == []
    assert not any("pol_" in one for one in sent)


def check_look(page: Any) -> None:
    """Nothing overflows on a phone, and axe finds nothing in either theme."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate(OUTSIDE) == []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert violations(page) == []


def test_a_page_of_another_site_shows_none_of_ours(browser: Browser, site: tuple[str, Any]) -> None:
    """A frame with our page in it stays empty."""
    address, _ = site
    context = browser.new_context()
    page = context.new_page()
    page.set_content(f'<iframe src="{address}/login"></iframe>')
    element = page.wait_for_selector("iframe")
    frame = None if element is None else element.content_frame()
    assert frame is not None
    frame.wait_for_load_state()
    assert "Log in" not in frame.content()
    context.close()


def test_members_are_invited_from_the_page_of_a_ladder(caller: Caller) -> None:
    """The first page of a ladder leads to a link for it, which is a poster in print."""
    caller.client.patch("/api/v1/ladders/chess", json={"title": "Chess & <b>Go</b>"})
    assert "No results yet" in caller.client.get("/ladders/chess/").text
    (invite,) = re.findall(r'href="(/links\?[^"]*)"', caller.client.get("/ladders/chess/").text)
    page = caller.client.get(unescape(invite)).text
    assert '<option value="chess" selected>Chess &amp; &lt;b&gt;Go&lt;/b&gt;</option>' in page
    token = re.findall(r'name="csrf" value="([^"]*)"', page)[0]
    fields = {"name": "hall", "right": "report", "ladder": "chess", "expires": "", "csrf": token}
    poster = caller.client.post("/links", data=fields, headers=HERE).text
    assert '<p class="poster">Chess &amp; &lt;b&gt;Go&lt;/b&gt;: report your results</p>' in poster
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    assert "No results yet" not in caller.client.get("/ladders/chess/").text


def test_settings_of_a_ladder_are_a_form(caller: Caller) -> None:
    page = caller.client.get("/ladders/chess/admin").text
    assert '<a href="/ladders/chess/settings">Settings</a>' in page
    form = caller.client.get("/ladders/chess/settings").text
    (token,) = re.findall(r'name="csrf" value="([^"]*)"', form)
    fields = {"title": "<i>Chess", "description": "A & B", "min_events": "3", "ranked": "all", "csrf": token}
    answer = caller.client.post(
        "/ladders/chess/settings", data={**fields, "tiers": "three"}, headers=HERE, follow_redirects=False
    )
    assert (answer.status_code, answer.headers["location"]) == (303, "/ladders/chess/")
    found = caller.get("")
    assert (found["title"], found["min_events"], found["active_since"]) == ("<i>Chess", 3, None)
    assert [tier["name"] for tier in found["tiers"]] == ["Bronze", "Silver", "Gold"]
    caller.client.post("/ladders/chess/settings", data={**fields, "archived": "1"}, headers=HERE)
    again = caller.get("")
    assert (again["archived"], len(again["tiers"])) == (True, 3)  # tiers stay, and the box is ticked
    form = caller.client.get("/ladders/chess/settings").text
    assert 'value="&lt;i&gt;Chess"' in form
    assert '<option value="all" selected>' in form
    for wrong in ({"min_events": "many"}, {"ranked": "never"}, {"tiers": "six"}):
        refused = caller.client.post("/ladders/chess/settings", data={**fields, **wrong}, headers=HERE)
        assert refused.status_code == 400
        assert 'role="alert"' in refused.text
    assert caller.get("")["archived"]


def test_settings_are_for_admins(guarded: Caller) -> None:
    log_in(guarded, new_link(guarded, "read", "report", ladder="chess"))
    token = form_token(guarded.client.get("/ladders/chess/admin").text)
    assert guarded.client.get("/ladders/chess/settings").status_code == 403
    sent = {"title": "mine", "csrf": token}
    assert guarded.client.post("/ladders/chess/settings", data=sent, headers=HERE).status_code == 403
    assert guarded.get("")["title"] == ""
