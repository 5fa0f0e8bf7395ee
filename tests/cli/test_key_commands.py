"""`podium keys`, `podium login-link` and `podium audit`, beside a running server and without one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

from cli.command import failed, podium_here, said_json, succeeded
from podium.server.storage.database_locks import lock_file
from server.processes import ServiceProcess


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Answers are wanted as they are."""


def cookie_of(service: ServiceProcess, link: str) -> str:
    """The cookie of a browser that logs in."""
    form = urlencode({"token": link}).encode()
    request = Request(f"{service.address}/login", form, {"Origin": service.address})
    with pytest.raises(HTTPError) as caught:
        build_opener(_NoRedirects).open(request, timeout=60)
    with caught.value as answer:
        assert answer.code == 303
        return str(answer.headers["Set-Cookie"]).partition(";")[0]


def secret_of(*arguments: object) -> str:
    """The only line that a command prints to stdout, where a script takes it from."""
    answer = podium_here(*arguments)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.count("\n") == 1
    return answer.stdout.strip()


def test_keys_without_a_server(tmp_path: Path) -> None:
    """They can be made before the first start, which a server for others needs."""
    path = tmp_path / "league.db"
    assert "there is no database" in failed(1, "keys", "list", "--database", path)
    made = podium_here("keys", "create", "--name", "ann", "--scopes", "admin", "--database", path)
    assert re.fullmatch(r"pod_[0-9a-f]{8}_[\w-]{43}\n", made.stdout)
    assert "It is not shown again" in made.stderr
    name = made.stdout.split("_")[1]
    listed = succeeded("keys", "list", "--database", path)
    assert listed == f"{name}  ann: admin on all ladders; never used\n"
    wanted = ["--scopes", "read,report", "--expires", "90d", "--database", path]
    document = said_json("keys", "create", "--name", "bot", *wanted)
    assert (document["kind"], document["scopes"]) == ("new-key", ["read", "report"])
    assert document["expires"] is not None
    assert succeeded("keys", "revoke", name, "--database", path) == f"{name} ann: revoked\n"
    assert f"{name}  ann: admin on all ladders; revoked " in succeeded("keys", "list", "--database", path)
    assert "there is no API key 'x'" in failed(1, "keys", "revoke", "x", "--database", path)
    assert "'root' is not a scope" in failed(
        2, "keys", "create", "--name", "x", "--scopes", "root", "--database", path
    )
    address = ["--address", "https://ladder.example.org"]
    link = secret_of("login-link", *address, "--database", path)
    assert re.fullmatch(r"https://ladder\.example\.org/login#pol_[0-9a-f]{8}_[\w-]{43}", link)
    lines = succeeded("audit", "--database", path).splitlines()
    actions = [line.split(": ")[1].split(" (")[0] for line in lines]
    assert actions == ["link created", "key revoked", "key created", "key created"]
    assert "there is no ladder" in failed(1, "audit", "chess", "--database", path)
    assert not lock_file(path).exists()


def test_a_server_takes_orders_and_tells_no_secrets(tmp_path: Path) -> None:
    """A real process: commands work through it, and nothing is a secret of what it logs, which is all."""
    path = tmp_path / "league.db"
    with ServiceProcess(path, "--log-level", "debug", "--log-format", "json") as service:
        service.create("chess")
        database = ("--database", path)
        wanted = ("--scopes", "report", "--ladder", "chess")
        key = secret_of("keys", "create", "--name", "bot", *wanted, *database)
        lock = json.loads(lock_file(path).read_text())["secret"]
        bearer = {"Authorization": f"Bearer {key}"}
        address = "/api/v1/ladders/chess/events"
        match = {"ranks": {"ann": 1, "bob": 2}}
        assert service.post(address, match)[0] == 401
        assert service.post(address, match, **bearer)[0] == 201
        assert said_json("rebuild", "chess", *database)["changed"] == 0
        link = secret_of("login-link", *database)
        assert link.startswith(f"{service.address}/login#pol_")
        cookie = cookie_of(service, link)
        headers = {"Cookie": cookie, **bearer}
        assert service.post("/api/v1/keys", {"name": key}, **headers)[0] == 403
        assert service.post(address, {"ranks": key, key: key}, **headers)[0] == 400
        assert service.post(f"/{key}/{cookie}", **headers)[0] == 404
        assert service.post(address, match, Authorization=f"Bearer {key}x")[0] == 401
        assert "revoked" in succeeded("keys", "revoke", key.split("_")[1], *database)
        assert service.post(address, match, **bearer)[0] == 401
        assert (
            json.loads(succeeded("audit", "chess", "--json", *database))["entries"][0]["action"]
            == "key revoked"
        )
        assert service.end() == 0
        printed = service.said + service.complained
        first = re.findall(r"pol_[0-9a-f]{8}_[\w-]{43}", printed)
        assert len(first) == 1  # the link of the first start, which is printed on purpose
        for secret in (key, link.partition("#")[2], cookie.partition("=")[2], lock):
            assert secret not in printed
            assert secret.split("_", 2)[-1] not in printed
        assert "/api/v1/ladders/{ladder}/events" in service.complained  # requests are logged, by their routes
    assert not lock_file(path).exists()
