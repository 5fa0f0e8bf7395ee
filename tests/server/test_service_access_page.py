"""docs/service-access.md: requests run against a real service, and tables say what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from podium import Client
from podium.client.http_transport import KEY_VARIABLE, key_meant
from podium.errors import ServiceError
from podium.server.access import request_costs
from podium.server.access.link_rows import LOGIN_LINK_LIFE, SESSION_MICROS
from podium.server.access.requirements import MOST_FIELDS
from podium.server.access.rights import SCOPES
from podium.server.http.heavy_work import HEAVY_COST, MOST_WAITING, MOST_WAITING_WITHOUT_KEY
from podium.server.http.limited_connections import HEAD_BYTES, SHARES, STALLED_SECONDS
from podium.server.settings import ServerSettings
from server.test_service_page import DOCS, commands, curl, matches, rows, running

PAGE = (DOCS / "service-access.md").read_text(encoding="utf-8")


def test_requests_are_answered_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks marked `guarded` run in order with a key; a client takes it from the environment."""
    asked = 0
    with running(tmp_path) as server:
        address = f"http://{server}"
        with Client(address, ladder="chess", system="elo") as open_client:
            open_client.record_match("ann", "bob")
        sent = {"name": "ann", "scopes": ["admin"]}
        key = httpx2.post(f"{address}/api/v1/keys", json=sent).json()["key"]
        for argument, block in re.findall(r"^```console([^\n]*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
            for command, shown in commands(block) if "guarded" in argument else ():
                said, _ = curl(command.replace("KEY", key), tmp_path, server, "")
                assert matches(shown, said), f"{command}\n{said}"
                asked += 1
        monkeypatch.setenv(KEY_VARIABLE, key)
        with Client(address, ladder="chess") as client:
            assert client.ladder().private
            assert not client.change(private=False).private
            client.record_match("bob", "ann")
        monkeypatch.delenv(KEY_VARIABLE)
        with Client(address, ladder="chess") as client, pytest.raises(ServiceError) as refused:
            client.record_match("bob", "ann")
        assert (refused.value.status, refused.value.problem) == (401, "key-needed")
        with Client(address, ladder="chess", key=key) as client:
            assert len(client.record_match("bob", "ann")) == 2
    assert asked == 6


def test_a_given_key_counts_before_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "pod_of_environment")
    assert key_meant("pod_given") == "pod_given"
    assert key_meant(None) == "pod_of_environment"
    monkeypatch.setenv(KEY_VARIABLE, "")
    assert key_meant(None) is None


def test_tables_say_what_the_code_says() -> None:
    settings = ServerSettings()
    assert [name.strip("`") for name, _ in rows(PAGE, "Scopes")] == list(SCOPES)
    assert settings.requests_per_second_of_keys == 0
    assert dict(rows(PAGE, "Limits on requests")) == {
        "requests a second of one address without a key, in one worker": f"{settings.requests_per_second:g}",
        "requests a second of one key or session, in one worker": "no limit",
        "requests of one address without a key under way at once, in one worker": (
            f"{settings.requests_at_once}"
        ),
        "requests of one key or session under way at once, in one worker": (
            f"{settings.requests_at_once_of_keys}"
        ),
        "cost of one request without a key": f"{settings.request_cost:,.0f}",
        "cost of one request with a key or session": f"{settings.request_cost_of_keys:,.0f}",
        "heavy requests that a worker computes at once": f"{settings.heavy_at_once}",
        "heavy requests that may wait": f"{MOST_WAITING}",
        "heavy requests without a key that may wait": f"{MOST_WAITING_WITHOUT_KEY}",
        "address and headers of a request": f"{HEAD_BYTES // 1000} kB",
        "time for address and headers to arrive": f"{settings.head_seconds:g} s",
        "time in which a reader takes nothing of an answer": f"{STALLED_SECONDS:g} s",
        "connections of a worker": f"{settings.connections:,}",
        "connections of one IP address": {2: "half of these"}[SHARES],
        "fields of a form": f"{MOST_FIELDS:,}",
    }
    assert dict(rows(PAGE, "What a request costs")) == {
        "a body": f"{request_costs.BODY_BYTES:,} bytes",
        "a list (`limit`)": f"{request_costs.LISTED_ROWS} rows",
        "a preview, a dry run, chances, expected ranks": f"{request_costs.NAMED_PLAYERS} players",
        "rank probabilities, chances of the first place": f"{request_costs.PAIRED_SIDES:,} pairs of sides",
        "`rank-to-reach`, `ranks-to-reach`": f"{request_costs.RERATED_ROWS:,} rows that are rated again",
        "a tournament": f"{request_costs.TOURNAMENT_ROWS} entrants, again for each round",
        "its chances": (
            f"{request_costs.SIMULATED_MATCHES} matches for each simulation, and "
            f"{request_costs.PAIRED_ENTRANTS} pairs of entrants"
        ),
        "a page for people": f"{request_costs.PAGE:g} in all, in addition to the request",
        "a [fit](arena.md) that is not in memory": (
            f"{request_costs.FITTED_RESULTS} results, and {request_costs.FIT:g} more"
        ),
        "ratings of a [past date](service-api.md#past-dates) that are not in memory": (
            f"{request_costs.PAST_PLAYERS} players of the ladder, {request_costs.PAST_ENTRIES} entries from "
            f"the nearest saved state up to the date, and {request_costs.PAST_ROWS:,} results in them, and "
            f"{request_costs.PAST_DATE:g} more"
        ),
    }
    assert f"costs {HEAVY_COST:g} or more" in PAGE
    assert LOGIN_LINK_LIFE == "1d"
    assert SESSION_MICROS == 14 * 24 * 3600 * 1_000_000
