"""Keys, scopes and private ladders: who gets in, how quickly that changes, and what is written down."""

from __future__ import annotations

import json
import socket
import threading
from hashlib import sha256
from typing import Any
from unittest.mock import AsyncMock

import pytest
from sqlalchemy import delete, select, update

from podium.server.access import access_control, own_reports
from podium.server.access.access_control import MOST_CALLERS, RequestLimits
from podium.server.access.key_rows import create_key
from podium.server.access.login_links import first_login_link
from podium.server.access.rights import LOCAL
from podium.server.access.tokens import KEY, new_token, read_token
from podium.server.http.app import SECURITY_HEADERS
from podium.server.http.http_server import ServedHosts
from podium.server.problems import TooManyRequestsError
from podium.server.settings import ServerSettings
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.migrating import migrate
from server.callers import Caller, called_service, problem
from server.guarded_services import HERE, bearing, form_token, log_in, new_key, new_link
from server.recorded import executed
from server.test_imports import exported, job, ordered, run_jobs

MATCH = {"ranks": {"ann": 1, "bob": 2}}
EVENTS = "/api/v1/ladders/chess/events"


# ---------------------------------------------------------------------- keys


def test_a_service_without_keys_is_open_and_with_one_it_is_not(any_caller: Caller) -> None:
    any_caller.report(MATCH)
    client = any_caller.client
    made = client.post("/api/v1/keys", json={"name": "ann", "scopes": ["admin"]}).json()
    problem(client.post(EVENTS, json=MATCH), 401, "key-needed")
    assert client.get(EVENTS).status_code == 200
    assert client.post(EVENTS, json=MATCH, headers=bearing(made["key"])).status_code == 201
    revoked = client.delete(f"/api/v1/keys/{made['id']}", headers=bearing(made["key"]))
    assert revoked.json()["revoked"] is not None
    problem(client.post(EVENTS, json=MATCH, headers=bearing(made["key"])), 401, "wrong-key")
    problem(client.post(EVENTS, json=MATCH), 401, "key-needed")  # it does not open again


@pytest.mark.parametrize("name", ["%00", "a%00b", "00000000", "%ED%A0%80"])
def test_a_key_or_link_of_an_odd_id_is_unknown(any_caller: Caller, name: str) -> None:
    """PostgreSQL takes no text with the character NUL."""
    problem(any_caller.client.delete(f"/api/v1/keys/{name}"), 404, "unknown-key")
    problem(any_caller.client.delete(f"/api/v1/links/{name}"), 404, "unknown-link")


def test_a_key_is_kept_as_a_digest(caller: Caller) -> None:
    key = new_key(caller, "report")
    secret = key.split("_", 2)[2]
    assert len(secret) == 43
    with caller.service.database.reading() as connection:
        (row,) = connection.execute(select(tables.api_key)).all()
    assert secret not in repr(row)
    assert row.digest == sha256(key.encode()).digest()
    listed = caller.client.get("/api/v1/keys", headers=bearing(new_key(caller, "admin")))
    assert secret not in listed.text
    assert len({new_token(KEY).text for _ in range(100)}) == 100
    assert read_token(key, KEY) is not None
    assert read_token(key.replace("pod_", "pol_"), KEY) is None


def test_a_key_revoked_by_another_worker_opens_nothing_a_second_later(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is the test's own: nothing here waits, and nothing depends on how long it takes."""
    now = 1000.0
    monkeypatch.setattr("podium.server.machine.monotonic", lambda: now)
    key = new_key(any_caller, "report")
    assert any_caller.client.post(EVENTS, json=MATCH, headers=bearing(key)).status_code == 201
    other = Database(any_caller.service.database.address)  # on SQLite as a command would, if it could
    with other.writing() as connection:
        connection.execute(update(tables.api_key).values(revoked=1))
    other.close()
    now += access_control.REMEMBERED_SECONDS + 0.001
    problem(any_caller.client.post(EVENTS, json=MATCH, headers=bearing(key)), 401, "wrong-key")


@pytest.mark.parametrize("header", ["Bearer", "Basic dXNlcjpwYXNz", "Bearer pod_1_2", "Bearer é", "pod_x"])
def test_what_is_no_key_is_refused_for_reading_too(caller: Caller, header: str) -> None:
    answer = caller.client.get(EVENTS, headers=[(b"Authorization", header.encode("latin-1"))])
    problem(answer, 401, "wrong-key")
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "sent",
    [
        {"name": "x", "scopes": []},
        {"name": "x", "scopes": ["root"]},
        {"name": "", "scopes": ["read"]},
        {"name": "x" * 101, "scopes": ["read"]},
        {"name": "a\nb", "scopes": ["read"]},
        {"name": "x", "scopes": ["read"], "expires": "soon"},
        {"name": "x", "scopes": ["read"], "expires": "99999999999999999w"},
        {"name": "x", "scopes": "read"},
        {"scopes": ["read"]},
    ],
)
def test_keys_that_mean_nothing(caller: Caller, sent: Any) -> None:
    answer = caller.client.post("/api/v1/keys", json=sent)
    assert answer.status_code == 400, answer.text
    assert caller.client.get("/api/v1/keys").json()["keys"] == []


def test_adjustments_need_more_than_reports(caller: Caller) -> None:
    caller.report(MATCH)
    report, admin = new_key(caller, "report", ladder="chess"), new_key(caller, "admin", ladder="chess")
    rename = {"adjustment": "rename", "player": "ann", "into": "annie"}
    for path, sent in ((EVENTS, rename), (f"{EVENTS}/bulk", [MATCH, rename])):
        problem(caller.client.post(path, json=sent, headers=bearing(report)), 403, "forbidden")
    assert caller.client.post(EVENTS, json=MATCH, headers=bearing(report)).status_code == 201
    assert caller.client.post(EVENTS, json=rename, headers=bearing(admin)).status_code == 201


def test_keys_that_podium_gives_itself_need_more_than_reports(caller: Caller) -> None:
    """What an import or a tournament reports under such a key later would be known already."""
    key, admin = new_key(caller, "report"), new_key(caller, "admin")
    for made in ("import-0123456789abcdef-00000003", "import-0123456789abcdef-7-1", "tournament:cup:1.12:3"):
        sent = {**MATCH, "key": made}
        for path, body in ((EVENTS, sent), (f"{EVENTS}/bulk", [MATCH, sent])):
            told = problem(caller.client.post(path, json=body, headers=bearing(key)), 403, "forbidden")
            assert made in told["detail"]
        assert caller.client.post(EVENTS, json=sent, headers=bearing(admin)).status_code == 201
    for own in ("import-1", "tournament:7", "import-final", "tournament:cup:round 1"):
        sent = {**MATCH, "key": own}
        assert caller.client.post(EVENTS, json=sent, headers=bearing(key)).status_code == 201


def test_a_form_has_no_keys_that_podium_gives_itself(caller: Caller) -> None:
    log_in(caller, new_link(caller, "report", ladder="chess"))
    page = caller.client.get("/ladders/chess/admin").text
    report = json.dumps({**MATCH, "key": "import-0123456789abcdef-00000003"})
    sent = {"csrf": form_token(page), "report": report}
    answer = caller.client.post("/ladders/chess/admin/record", data=sent, headers=HERE)
    assert answer.status_code == 403
    assert caller.get("")["head"] == 0


def test_an_import_of_more_than_results_needs_more_than_a_report(caller: Caller) -> None:
    """An export would bring a system and settings of its own."""
    caller.report(MATCH)
    content = exported(caller, "chess", "csv")
    caller.create("darts", system="glicko2")
    report, admin = new_key(caller, "report", ladder="darts"), new_key(caller, "admin", ladder="darts")
    told = []
    for key in (report, admin):
        caller.client.headers |= bearing(key)
        number = ordered(caller, content, ladder="darts", name="chess.zip")
        run_jobs(caller)
        told.append(job(caller, number))
    assert [one["status"] for one in told] == ["failed", "done"]
    assert "an export brings" in told[0]["reason"]
    shown = caller.client.get("/api/v1/ladders/darts").json()
    assert (shown["system"], shown["head"]) == ("elo", 1)


def test_the_log_says_who_reported(any_caller: Caller) -> None:
    any_caller.report(MATCH)
    one, other = new_key(any_caller, "report"), new_key(any_caller, "report")
    client, path = any_caller.client, any_caller.service.database.address
    client.post(EVENTS, json=MATCH, headers=bearing(one))
    client.post(f"{EVENTS}/bulk", json=[MATCH, MATCH], headers=bearing(other))
    client.post(f"{EVENTS}/bulk", params={"atomic": True}, json=[MATCH], headers=bearing(one))
    ids = [f"key {key.split('_')[1]}" for key in (one, other, other, one)]
    assert executed(path, "SELECT actor FROM event ORDER BY seq") == ["local", *ids]
    client.headers |= bearing(new_key(any_caller, "admin"))
    any_caller.verified()


# ---------------------------------------------------------------------- private ladders


def test_a_private_ladder_is_in_no_list(any_caller: Caller) -> None:
    any_caller.create("secret-club", private=True)
    read = new_key(any_caller, "read", ladder="secret-club")
    everything = new_key(any_caller, "read")
    client = any_caller.client

    def slugs(**headers: str) -> list[str]:
        found = client.get("/api/v1/ladders", headers=headers).json()["ladders"]
        assert client.get("/api/v1", headers=headers).json()["ladders"] == len(found)
        return [one["slug"] for one in found]

    assert slugs() == ["chess"]
    assert slugs(**bearing(new_key(any_caller, "admin", ladder="chess"))) == ["chess"]
    assert slugs(**bearing(read)) == slugs(**bearing(everything)) == ["chess", "secret-club"]
    assert "secret-club" not in client.get("/api/v1/ladders/secret-clu").text
    assert "secret-club" in client.get("/api/v1/ladders/secret-clu", headers=bearing(read)).text
    shown = client.get("/api/v1/ladders/secret-club", headers=bearing(read))
    assert (shown.json()["private"], shown.headers["cache-control"]) == (True, "private, no-cache")


def test_a_ladder_is_hidden_and_shown(caller: Caller) -> None:
    admin = bearing(new_key(caller, "admin"))
    client, address = caller.client, "/api/v1/ladders/chess"
    tag = client.get(address).headers["etag"]
    for private, status in ((True, 404), (False, 200), (True, 404)):
        assert client.patch(address, json={"private": private}, headers=admin).json()["private"] is private
        assert client.get(address).status_code == status
        assert client.get(f"{address}/rating", params={"player": "ann"}).status_code == 404
    answer = client.get(address, headers={**admin, "If-None-Match": tag})
    assert answer.status_code == 200
    assert client.patch(address, json={"private": "yes"}, headers=admin).status_code == 400


def test_a_stream_ends_when_its_ladder_is_hidden(caller: Caller) -> None:
    """Whoever follows a ladder that becomes private gets nothing of what happens then."""
    caller.report(MATCH)
    key = new_key(caller, "admin")
    lines: list[str] = []

    def follow() -> None:
        lines.append(caller.client.get("/api/v1/ladders/chess/stream", params={"since": 0}).text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.server.http.followers.KEEP_ALIVE_SECONDS", 0.05)
        follower = threading.Thread(target=follow)
        follower.start()
        while not caller.service.followers._feeds:
            assert follower.is_alive()
        caller.client.patch("/api/v1/ladders/chess", json={"private": True}, headers=bearing(key))
        caller.client.post(EVENTS, json={"ranks": {"cat": 1, "dan": 2}}, headers=bearing(key))
        follower.join(60)
    assert not follower.is_alive()
    assert "cat" not in lines[0]


def test_a_long_list_ends_when_its_ladder_is_hidden(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is sent as fast as its caller may have it, which can take minutes."""
    monkeypatch.setattr("podium.server.http.log_routes.paced", AsyncMock())
    answers = iter([True, False])
    monkeypatch.setattr(
        "podium.server.http.log_routes.is_still_allowed", AsyncMock(side_effect=lambda *_: next(answers))
    )
    monkeypatch.setattr("podium.server.log.log_reading.PAYLOAD_AT_ONCE", 1)
    caller.bulk([MATCH] * 6)
    assert len(caller.log()) == 1


# ---------------------------------------------------------------------- limits


def test_too_many_requests_are_refused(sqlite_address: str) -> None:
    """One request without a key in a quarter of an hour, and three with one."""
    limits = {"requests_per_second": 0.001, "requests_per_second_of_keys": 1.5}
    with called_service(sqlite_address, **limits) as caller:
        caller.create("chess")
        client, key, other = caller.client, new_key(caller, "read"), new_key(caller, "read")
        caller.service.access_control.limits = RequestLimits(clock=lambda: 0.0)
        assert client.get("/api/v1").status_code == 200
        answer = client.get("/api/v1")
        problem(answer, 429, "too-many-requests")
        assert answer.headers["retry-after"] == "1000"
        for _ in range(2):  # also if it is known to be wrong
            problem(client.get("/api/v1", headers=bearing("pod_x")), 429, "too-many-requests")
        problem(client.get("/api/v1/openapi.json"), 429, "too-many-requests")
        assert client.get("/healthz").status_code == 200
        asked = [client.get("/api/v1", headers=bearing(key)).status_code for _ in range(4)]
        assert asked == [200, 200, 200, 429]
        assert client.get("/api/v1", headers=bearing(other)).status_code == 200


def test_buckets_fill_again_and_do_not_fill_the_memory() -> None:
    now = 0.0
    limits = RequestLimits(clock=lambda: now)
    for _ in range(20):
        limits.take("ann", 10.0, "rate")
    with pytest.raises(TooManyRequestsError) as refused:
        limits.take("ann", 10.0, "rate")
    assert refused.value.seconds == 1
    limits.take("bob", 10.0, "rate")
    now = 0.1
    limits.take("ann", 10.0, "rate")
    with pytest.raises(TooManyRequestsError):
        limits.take("ann", 10.0, "rate")
    for number in range(MOST_CALLERS + 10):
        limits.take(f"address {number}", 10.0, "rate")
    assert len(limits._full_at) <= MOST_CALLERS


def test_brackets_without_end_are_refused(caller: Caller) -> None:
    for text in ("[" * 200_000, '{"a":' * 100_000, "[" * 900 + "]" * 900):
        headers = {"Content-Type": "application/json"}
        answer = caller.client.post("/api/v1/ladders", content=text.encode(), headers=headers)
        problem(answer, 400, "input")


def test_a_head_without_end_is_refused(tmp_path: Any) -> None:
    import asyncio

    import uvicorn

    from podium.server.http.limited_connections import limited_protocol

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"fine"})

    server = uvicorn.Server(
        uvicorn.Config(
            app, port=0, http=limited_protocol(ServerSettings()), lifespan="off", log_level="critical"
        )
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    while not server.started:
        assert thread.is_alive()
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as endless:
            endless.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
            with pytest.raises(ConnectionError):
                endless.sendall((b"X: " + b"a" * 10_000 + b"\r\n") * 5_000)
        with socket.create_connection(("127.0.0.1", port), timeout=60) as large:
            for _ in range(2):  # a large body is no head, also not of the request behind it
                body = b"b" * 1_000_000
                large.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + body)
                said = b""
                while not said.endswith(b"0\r\n\r\n"):
                    said += large.recv(1000)
                assert said.startswith(b"HTTP/1.1 200")
    finally:
        server.should_exit = True
        thread.join()


# ---------------------------------------------------------------------- from outside


@pytest.mark.parametrize("outside", [{"host": "0.0.0.0"}, {"public_address": "https://ladder.example.org"}])
def test_a_service_for_others_starts_with_a_login_link(sqlite_address: str, outside: dict[str, str]) -> None:
    with called_service(sqlite_address, **outside) as caller:
        link = first_login_link(caller.service.database, caller.service.settings)
        assert link is not None
        assert link.startswith(("http://127.", "http://1", "https://ladder.example.org/"))
        assert "0.0.0.0" not in link
        assert first_login_link(caller.service.database, caller.service.settings) is None
        problem(caller.client.post("/api/v1/ladders", json={"slug": "x"}), 401, "key-needed")


def test_nobody_is_local_from_outside(sqlite_address: str) -> None:
    with called_service(sqlite_address, host="0.0.0.0") as caller:
        problem(caller.client.post("/api/v1/ladders", json={"slug": "x"}), 401, "key-needed")
        problem(
            caller.client.post("/api/v1/keys", json={"name": "x", "scopes": ["admin"]}), 401, "key-needed"
        )


@pytest.mark.parametrize(
    ("settings", "own", "foreign"),
    [
        ({}, ["127.0.0.1", "localhost"], ["ladder.example.org", "192.168.1.5", "evil.example"]),
        ({"host": "0.0.0.0"}, ["192.168.1.5", "localhost", "[::1]"], ["ladder.example.org"]),
        (
            {"public_address": "https://ladder.example.org"},
            ["ladder.example.org", "ladder.example.org:443", "127.0.0.1"],
            ["evil.example", "ladder.example.org.evil.example", "[x", ""],
        ),
    ],
)
def test_names_under_which_it_answers(settings: Any, own: list[str], foreign: list[str]) -> None:
    from starlette.testclient import TestClient

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    client = TestClient(ServedHosts(app, ServerSettings(**settings)))
    for host in own:
        assert client.get("/", headers={"Host": host}).status_code == 200, host
        scheme = "https" if host.startswith("ladder") else "http"
        origin = {"Host": host, "Origin": f"{scheme}://{host}"}
        assert client.post("/", headers=origin).status_code == 200, host
        other = {"Host": host, "Origin": f"{scheme}://{host.removesuffix(':443')}:3000"}
        assert client.post("/", headers=other).status_code == 403, host
    for host in foreign:
        answer = client.get("/", headers={"Host": host})
        assert answer.status_code == 403, host
        assert answer.json()["type"] == "urn:podium:problem:foreign"
        origin = {"Host": own[0], "Origin": f"https://{host}"}
        assert client.post("/", headers=origin).status_code == 403, host


def test_every_answer_protects_browsers(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("on purpose")

    addresses = [
        "/healthz",
        "/api/v1",
        "/nothing",
        "/login",
        "/api/v1/ladders/nothing",
        "/login/assets/site.css",
    ]
    for address in addresses:
        assert SECURITY_HEADERS.items() <= _cased(caller.client.get(address).headers).items(), address
    monkeypatch.setattr("podium.server.http.ladder_routes.list_ladders", broken)
    answer = caller.client.get("/api/v1/ladders")
    assert answer.status_code == 500
    assert SECURITY_HEADERS.items() <= _cased(answer.headers).items()
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def _cased(headers: Any) -> dict[str, str]:
    return {name.title(): value for name, value in headers.items()}


# ---------------------------------------------------------------------- jobs


def test_a_job_is_there_for_its_key_and_for_admins(any_caller: Caller) -> None:
    """Another key of the same ladder neither sees it, nor cancels it, nor fetches its file."""
    any_caller.create("darts")
    keys = {
        "admin": new_key(any_caller, "admin"),
        "admin of chess": new_key(any_caller, "admin", ladder="chess"),
        "reporter": new_key(any_caller, "report"),
        "reporter of chess": new_key(any_caller, "read", "report", ladder="chess"),
        "other reporter": new_key(any_caller, "report", ladder="chess"),
        "reader": new_key(any_caller, "read"),
        "admin of darts": new_key(any_caller, "admin", ladder="darts"),
    }
    client, jobs = any_caller.client, "/api/v1/jobs"
    made = {
        "admin": client.post("/api/v1/ladders/chess/exports", json={}, headers=bearing(keys["admin"])),
        **{
            name: client.post(
                "/api/v1/ladders/chess/imports?name=a.csv",
                content=f"winner,loser\nann,{name}\n".encode(),
                headers=bearing(keys[name]) | {"Content-Type": "application/octet-stream"},
            )
            for name in ("reporter", "reporter of chess", "other reporter")
        },
    }
    own = {name: answer.json()["number"] for name, answer in made.items()}
    all_jobs = set(own.values())
    seen = {name: {own[name]} if name in own else set[int]() for name in keys}
    seen |= {"admin": all_jobs, "admin of chess": all_jobs}
    unseen = [(name, number) for name in keys for number in all_jobs - seen[name]]
    for name, key in keys.items():
        listed = client.get(jobs, headers=bearing(key)).json()["jobs"]
        assert {one["number"] for one in listed} == seen[name], name
        assert {
            number for number in all_jobs if client.get(f"{jobs}/{number}", headers=bearing(key)).is_success
        } == seen[name]
    for name, number in unseen:
        problem(client.delete(f"{jobs}/{number}", headers=bearing(keys[name])), 404, "unknown-job")
        problem(client.get(f"{jobs}/{number}/output", headers=bearing(keys[name])), 404, "unknown-job")
    assert {client.get(f"{jobs}/{n}", headers=bearing(keys["admin"])).json()["status"] for n in all_jobs} == {
        "waiting"
    }
    for name, number in (("reporter", own["reporter"]), *[("admin of chess", own["admin"])] * 2):
        cancelled = client.delete(f"{jobs}/{number}", headers=bearing(keys[name])).json()
        assert cancelled["status"] == "cancelled"
    trail = client.get("/api/v1/audit", headers=bearing(keys["admin"])).json()["entries"][:3]
    actors = {name: f"key {key.split('_')[1]}" for name, key in keys.items()}
    assert [(one["actor"], one["action"], one["details"]) for one in trail[:2]] == [
        (actors["admin of chess"], "export cancelled", {"job": own["admin"]}),  # once: it was over then
        (actors["reporter"], "import cancelled", {"job": own["reporter"]}),
    ]
    assert "ordered" in trail[2]["action"]


# ---------------------------------------------------------------------- the audit trail


def test_the_trail_says_who_did_what(any_caller: Caller) -> None:
    any_caller.report(MATCH)
    client = any_caller.client
    key = new_key(any_caller, "admin")
    headers = bearing(key)
    client.patch("/api/v1/ladders/chess", json={"title": "Chess"}, headers=headers)
    rename = {"adjustment": "rename", "player": "ann", "into": "annie"}
    client.post(EVENTS, json=rename, headers=headers)
    client.post(EVENTS, json=rename | {"player": "nobody"}, headers=headers)  # refused: nothing was done
    client.post("/api/v1/ladders/chess/rebuild", headers=headers)
    sent = {"name": "look", "scopes": ["read"], "ladder": "chess"}
    link = client.post("/api/v1/links", json=sent, headers=headers).json()
    client.delete(f"/api/v1/links/{link['id']}", headers=headers)
    client.delete(f"/api/v1/links/{link['id']}", headers=headers)  # once more changes nothing
    actor = f"key {key.split('_')[1]}"
    found = client.get("/api/v1/audit", headers=headers)
    told = [(entry["actor"], entry["action"], entry["ladder"]) for entry in found.json()["entries"]]
    assert told == [
        (actor, "link revoked", "chess"),
        (actor, "link created", "chess"),
        (actor, "rebuilt", "chess"),
        (actor, "rename", "chess"),
        (actor, "ladder changed", "chess"),
        ("local", "key created", None),
        ("local", "ladder created", "chess"),
    ]
    renamed = found.json()["entries"][3]["details"]
    assert renamed == {"number": 2, "player": 0}
    assert "ann" not in json.dumps(found.json()).replace("annotated", "")
    assert key not in found.text
    first = client.get("/api/v1/audit", params={"limit": 4, "ladder": "chess"}, headers=headers).json()
    asked = {"limit": 4, "ladder": "chess", "cursor": first["next"]}
    rest = client.get("/api/v1/audit", params=asked, headers=headers).json()
    both = [entry["action"] for entry in first["entries"] + rest["entries"]]
    assert both == [action for _, action, ladder in told if ladder]
    assert rest["next"] is None


def test_the_first_start_prints_a_login_link_once(database_address: str) -> None:
    """Not for a database in which somebody has a key or a link already."""
    settings = ServerSettings(database=database_address, public_address="https://ladder.example.org/")
    database = Database(database_address)
    migrate(database)
    address = first_login_link(database, settings)
    assert address is not None
    assert address.startswith("https://ladder.example.org/login#pol_")
    assert first_login_link(database, settings) is None
    with database.writing() as connection:
        connection.execute(delete(tables.link))
        create_key(connection, {"name": "ann", "scopes": ["admin"]}, LOCAL)
    assert first_login_link(database, settings) is None
    database.close()


def test_local_is_who_works_on_the_machine(caller: Caller) -> None:
    """The secret beside the database lets commands in; nothing else of its form does."""
    caller.service.access_control.local_secret = "s" * 43
    new_key(caller, "read")
    assert caller.client.get("/api/v1/audit", headers=bearing("s" * 43)).status_code == 200
    problem(caller.client.get("/api/v1/audit", headers=bearing("s" * 42)), 401, "wrong-key")
    assert LOCAL.may("admin", None)


def test_a_key_takes_back_its_own_results_for_a_day(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = any_caller
    caller.create("chess")
    caller.report({"key": "theirs", "ranks": {"ann": 1, "bob": 2}})
    first, second = (new_key(caller, "report", ladder="chess") for _ in range(2))
    events = "/api/v1/ladders/chess/events"
    for key in ("mine", "later"):
        report = {"key": key, "ranks": {"ann": 1, "bob": 2}}
        assert caller.client.post(events, json=report, headers=bearing(first)).status_code == 201
    problem(caller.client.post(events, json={"void": 2}, headers=bearing(second)), 403, "forbidden")
    problem(caller.client.post(events, json={"void": 1}, headers=bearing(first)), 403, "forbidden")
    both = [{"void": 2}, {"void": 1}]
    problem(caller.client.post(f"{events}/bulk", json=both, headers=bearing(first)), 403, "forbidden")
    problem(
        caller.client.post(events, json={"disqualify": ["ann"], "event": 2}, headers=bearing(first)),
        403,
        "forbidden",
    )
    sent = {"void": "key:mine", "key": "undo"}
    for status in (201, 200):  # the same again counts once
        assert caller.client.post(events, json=sent, headers=bearing(first)).status_code == status
    monkeypatch.setattr(own_reports, "DAY_MICROS", 0)
    problem(caller.client.post(events, json={"void": 3}, headers=bearing(first)), 403, "forbidden")
