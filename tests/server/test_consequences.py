"""What an amendment would change, said before it is recorded; and why it was made, kept with it."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select, update

import podium
from podium.pages.ladder_data import shown_digits
from podium.server.log.log_entries import checksum_of
from podium.server.storage import tables
from server.callers import Caller, Plain
from server.guarded_services import HERE
from server.recorded import executed
from server.test_imports import failed, imported, run_jobs

DIGITS = shown_digits(podium.Glicko2())
WHY = {"reason": "two accounts of one person", "link": "https://example.org/decisions/7?a=b&c=d"}
RESULT = ("player", "rank", "display_before", "display")


@pytest.fixture
def season(caller: Caller) -> Caller:
    """A ladder with matches of a few players in two groups that rarely meet, a late one among them."""
    caller.create("season", "glicko2")
    chance = random.Random(3)
    groups = ["ann", "bob", "cat", "dan"], ["eve", "fay", "gus", "=hal()"]
    for number in range(30):
        a, b = chance.sample(groups[number % 2] if number != 20 else ["dan", "eve"], 2)
        day = f"2026-05-{number + 1:02}"
        caller.report({"ranks": {a: 1, b: 2}, "time": day, "name": f"game {number}"}, ladder="season")
    late = {"ranks": {"ann": 1, "eve": 2}, "time": "2026-05-11", "late": True}
    caller.report(late, ladder="season")
    return caller


def shown(caller: Caller) -> dict[int, list[tuple[Any, ...]]]:
    """What each published event shows, which is rounded."""
    return {
        entry["number"]: [
            (change["player"], change["rank"], *(round(change[name], DIGITS) for name in RESULT[2:]))
            for change in entry["changes"]
        ]
        for entry in caller.log("season")
    }


@pytest.mark.parametrize(
    "sent",
    [
        {"void": 3},
        {"void": 31},
        {"disqualify": ["dan"], "event": "name:game 20"},
        {"correct": 29, "ranks": {"ann": 1, "bob": 1}},
        {"ranks": {"cat": 1, "fay": 2}, "time": "2026-05-25", "late": True},
    ],
)
def test_events_that_change_are_those_that_show_something_else_then(season: Caller, sent: Plain) -> None:
    before, names = shown(season), {number: f"game {number - 1}" for number in range(1, 31)} | {31: "31"}
    told = season.report({**sent, "key": "a"}, ladder="season", dry_run=True)
    assert shown(season) == before
    season.report({**sent, "key": "a"}, ladder="season")
    after = shown(season)
    changed = [number for number in before if sorted(before[number]) != sorted(after[number])]
    assert 0 < len(changed) < len(before)
    assert told["events"] == len(changed)
    assert [(one["number"], one["name"]) for one in told["changed_events"]] == [
        (n, names[n]) for n in changed
    ]
    counts = [len({*before[n]} ^ {*after[n]}) for n in changed]
    assert all(one["players"] <= count for one, count in zip(told["changed_events"], counts, strict=True))


def test_moves_that_nobody_sees_are_told_apart(season: Caller) -> None:
    told = season.report({"void": 3}, ladder="season", dry_run=True)
    assert told["moved"] == len(told["players"])
    seen = [
        one
        for one in told["players"]
        if one["gain"] is None or round(one["display_before"], DIGITS) != round(one["display"], DIGITS)
    ]
    assert 0 < told["visible"] == len(seen) < told["moved"]


def test_all_who_move_are_a_file(season: Caller) -> None:
    told = season.report({"void": 2}, ladder="season", dry_run=True)
    ordered = season.sent({"void": 2}, ladder="season", dry_run=True, everybody=True)
    assert ordered.status_code == 202
    run_jobs(season)
    job = season.client.get(f"/api/v1/jobs/{ordered.json()['number']}").json()
    assert {**job["result"], "kind": "consequences", "podium": 1} == told
    answer = season.client.get(job["output"])
    assert answer.headers["content-type"].startswith("text/csv")
    assert 'filename="consequences-' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [row["player"].removeprefix("'") for row in rows] == [one["player"] for one in told["players"]]
    assert "'=hal()" in [row["player"] for row in rows]
    assert [float(row["gain"]) for row in rows] == [one["gain"] for one in told["players"]]


def test_the_page_says_what_changes_visibly_and_has_the_file(season: Caller) -> None:
    form = {"what": "void", "number": "3", **WHY}
    page = season.client.post("/ladders/season/admin", data=form, headers=HERE).text
    told = season.report({"void": 3}, ladder="season", dry_run=True)
    assert f"{told['visible']} of them by enough to show after rounding" in page
    assert f"{told['events']} published events would show different ranks or ratings" in page
    assert '/ladders/season/events/3">' in page
    held = {
        name: unescape(re.findall(f'name="{name}" value="([^"]*)"', page)[0]) for name in ("report", "form")
    }
    assert WHY.items() <= json.loads(held["report"]).items()
    waiting = season.client.post("/ladders/season/admin/everybody", data=held, headers=HERE)
    assert "This page reloads until they are known." in waiting.text
    run_jobs(season)
    done = season.client.get(waiting.url.path).text
    (link,) = re.findall(r'href="([^"]*)" download', done)
    assert season.client.get(link).text.startswith("player,display_before,")


# ---------------------------------------------------------------------- why


@pytest.mark.parametrize(
    "sent",
    [{"void": 1}, {"correct": 1, "ranks": {"bob": 1, "ann": 2}}, {"disqualify": ["ann"], "event": 1}],
)
def test_why_the_log_is_amended_is_kept(any_caller: Caller, sent: Plain) -> None:
    any_caller.report({"ranks": {"ann": 1, "bob": 2}})
    report = {**sent, **WHY, "key": "a"}
    assert any_caller.report(report)["status"] == "recorded"
    assert any_caller.report(report)["status"] == "known"
    entry = any_caller.get("events/2")
    assert {name: entry[name] for name in WHY} == WHY
    first = any_caller.get("events/1")
    assert (first["reason"], first["link"]) == (None, None)
    audit = any_caller.client.get("/api/v1/audit").json()["entries"][0]
    assert audit["details"] == {"number": 2, **WHY}
    page = any_caller.client.get("/ladders/chess/events/2").text
    assert WHY["reason"] in page
    assert '<a href="https://example.org/decisions/7?a=b&amp;c=d" rel="nofollow' in page
    told = any_caller.refused({**report, "reason": "another"}, 409, "key-conflict")
    assert [one["field"] for one in told["differences"]] == ["reason"]
    any_caller.verified()


@pytest.mark.parametrize(
    "why",
    [
        {"link": "javascript:alert(1)"},
        {"link": "ftp://example.org/"},
        {"link": "https://"},
        {"link": "/decisions/7"},
        {"link": "https://example.org/a b"},
        {"link": "https://[::1"},
        {"link": "https://example.org/" + "x" * 2000},
        {"reason": "x" * 1001},
        {"reason": "two\nlines"},
        {"reason": 7},
    ],
)
def test_what_no_page_could_show_is_refused(caller: Caller, why: Plain) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    caller.refused({"void": 1, **why}, 400, "input")
    assert caller.get("")["head"] == 1


def test_entries_without_a_reason_are_written_as_ever(caller: Caller, sqlite_address: str) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    caller.report({"void": 1})
    caller.report({"void": 2, "reason": None})
    assert executed(sqlite_address, "SELECT payload FROM event WHERE seq > 1") == ["{}", "{}"]


def exported(caller: Caller) -> bytes:
    """An export of the ladder."""
    ordered = caller.client.post("/api/v1/ladders/chess/exports", json={"format": "csv"}).json()["number"]
    run_jobs(caller)
    return bytes(caller.client.get(f"/api/v1/jobs/{ordered}/output").content)


def test_an_export_keeps_why_and_brings_no_other_link(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    caller.report({"void": 1, **WHY})
    for slug in ("copy", "evil"):
        caller.create(slug)
    imported(caller, exported(caller), ladder="copy", name="copy.zip")
    assert {name: caller.get("events/2", ladder="copy")[name] for name in WHY} == WHY
    with caller.service.database.writing() as connection:
        mine = (tables.event.c.ladder == 1, tables.event.c.seq == 2)
        row = SimpleNamespace(**connection.execute(select(tables.event).where(*mine)).one()._mapping)
        row.payload = '{"link":"javascript:alert(1)"}'
        values = {"payload": row.payload, "checksum": checksum_of(row)}
        connection.execute(update(tables.event).where(*mine).values(values))
    assert "is not a web link" in failed(caller, exported(caller), ladder="evil", name="evil.zip")
