"""Two callers at the same moment, on one worker or on two: each gets one truthful outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event
from typing import Any

import pytest

from server.callers import Caller, Plain, called_service

WIN = {"ranks": {"ann": 1, "bob": 2}}
Workers = tuple[Caller, Caller]


@pytest.fixture
def workers(postgresql_address: str) -> Iterator[Workers]:
    """Two workers of one database."""
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        yield one, other


@contextmanager
def at_once(*calls: Callable[[], Any]) -> Iterator[list[Any]]:
    """What calls return that begin at the same moment."""
    barrier = Barrier(len(calls))

    def begun(one: Callable[[], Any]) -> Any:
        barrier.wait()
        return one()

    with ThreadPoolExecutor(len(calls)) as threads:
        yield [one.result() for one in [threads.submit(begun, one) for one in calls]]


def numbers(caller: Caller) -> list[int]:
    return [entry["number"] for entry in caller.log()]


def test_the_same_key_at_once_is_recorded_once(workers: Workers) -> None:
    for place in range(8):
        sent = {**WIN, "key": f"game {place}"}
        calls = [lambda one=one, sent=sent: one.report(sent) for one in (*workers, *workers)]
        with at_once(*calls) as found:
            assert sorted(one["status"] for one in found) == ["known", "known", "known", "recorded"]
            assert {one["number"] for one in found} == {place + 1}
            assert all(one["changes"] == found[0]["changes"] for one in found)
    for worker in workers:
        worker.verified()
        assert numbers(worker) == list(range(1, 9))


def test_one_key_for_two_results_at_once_is_one_result_and_a_conflict(workers: Workers) -> None:
    for place in range(5):
        results: list[Plain] = [{"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 2, "bob": 1}}]
        calls = [
            lambda one=one, result=result, place=place: one.sent({**result, "key": f"game {place}"})
            for one, result in zip(workers, results, strict=True)
        ]
        with at_once(*calls) as found:
            assert sorted(one.status_code for one in found) == [201, 409]
            refused = next(one.json() for one in found if one.status_code == 409)
            assert refused["type"] == "urn:podium:problem:key-conflict"
            assert refused["number"] == place + 1
    workers[0].verified()


def test_a_rename_against_a_report_has_one_truthful_outcome(workers: Workers) -> None:
    one, other = workers
    one.report({"ranks": {"name 0": 1, "bob": 2}})
    events = {"name 0": 1}
    for place in range(8):
        old, new = f"name {place}", f"name {place + 1}"
        rename = {"adjustment": "rename", "player": old, "into": new}
        with at_once(
            lambda rename=rename: one.report(rename),
            lambda old=old: other.report({"ranks": {old: 1, "bob": 2}}),
        ) as (renamed, reported):
            events[new] = events.pop(old)
            if reported["number"] < renamed["number"]:  # then it was the same person
                events[new] += 1
            else:  # or somebody new has the freed name
                events[old] = 1
                one.report({"adjustment": "merge", "player": old, "into": "others"})
                del events[old]
        for worker in workers:
            assert worker.get("rating", player=new)["events"] == events[new]
    for worker in workers:
        worker.verified()


def test_a_ladder_created_twice_at_once_is_one_ladder(workers: Workers) -> None:
    for place in range(4):
        sent = {"slug": f"new-{place}", "system": "elo"}
        calls = [
            lambda one=one, sent=sent: one.client.post("/api/v1/ladders", json=sent)
            for one in (*workers, *workers)
        ]
        with at_once(*calls) as found:
            assert sorted(one.status_code for one in found) == [200, 200, 200, 201]
    other = {"slug": "last", "system": "glicko2"}
    with at_once(
        lambda: workers[0].client.post("/api/v1/ladders", json={"slug": "last", "system": "elo"}),
        lambda: workers[1].client.post("/api/v1/ladders", json=other),
    ) as found:
        assert sorted(one.status_code for one in found) == [201, 409]


def reporting_while(calls: list[Callable[[], Any]], reporters: list[Caller]) -> int:
    """Report from several threads while something else happens again and again; how many were recorded."""
    done = Event()

    def report(caller: Caller, place: int) -> int:
        number = 0
        while not done.is_set() or number < 5:
            caller.report({**WIN, "key": f"{place}-{number}"})
            number += 1
        return number

    with ThreadPoolExecutor(len(reporters)) as threads:
        told = [threads.submit(report, caller, place) for place, caller in enumerate(reporters)]
        try:
            for call in calls:
                call()
        finally:
            done.set()
        return sum(one.result() for one in told)


def test_reports_go_on_while_ladders_are_built_anew(database_address: str) -> None:
    with called_service(database_address) as one:
        one.create()

        def rebuild() -> None:
            answer = one.client.post("/api/v1/ladders/chess/rebuild")
            assert answer.status_code == 200, answer.text
            assert answer.json()["changed"] == 0

        recorded = reporting_while([rebuild] * 5, [one, one])
        found = one.verified()
        assert (found["head"], found["generation"]) == (recorded, 6)
        assert numbers(one) == list(range(1, recorded + 1))


def test_reports_on_two_workers_while_both_build_anew_and_read(workers: Workers) -> None:
    one, other = workers
    paths = [
        "leaderboard",
        "history?player=ann",
        "events",
        "explanation?player=ann",
        "head-to-head?a=ann&b=bob",
    ]

    def look(caller: Caller, path: str) -> None:
        answer = caller.client.get(f"/api/v1/ladders/chess/{path}")
        assert answer.status_code in (200, 404), answer.text

    def rebuild(caller: Caller) -> None:
        assert caller.client.post("/api/v1/ladders/chess/rebuild").status_code == 200

    calls: list[Callable[[], Any]] = []
    for caller in (one, other, one):
        calls += [lambda caller=caller, path=path: look(caller, path) for path in paths]
        calls += [lambda caller=caller: rebuild(caller)]
    recorded = reporting_while(calls, [one, other])
    for worker in workers:
        assert worker.verified()["head"] == recorded
        assert worker.get("")["generation"] == 4


def test_readers_see_names_of_one_moment(caller: Caller, restless: None) -> None:
    """Two players swap names again and again; in no answer do both have the same one."""
    caller.report({"ranks": {"a": 1, "b": 2}})
    swap = [("a", "x"), ("b", "a"), ("x", "b")]
    sent: list[Plain] = [{"adjustment": "rename", "player": one, "into": other} for one, other in swap]
    done = Event()

    def read() -> int:
        looks = 0
        while not done.is_set() or not looks:
            entry = caller.get("events/1")
            names = {change["player"] for change in entry["changes"]}
            assert names == {"a", "b"}
            assert {one["player"] for one in caller.get("leaderboard")["ratings"]} == {"a", "b"}
            looks += 1
        return looks

    with ThreadPoolExecutor(3) as threads:
        readers = [threads.submit(read) for _ in range(3)]
        try:
            for _ in range(12):
                assert caller.bulk(sent, atomic=True)["recorded"] == 3
        finally:
            done.set()
        assert all(one.result() for one in readers)
    caller.verified()


def test_settings_changed_at_once_are_those_that_are_stored(caller: Caller) -> None:
    for place in range(6):
        calls = [
            lambda title=title: caller.client.patch("/api/v1/ladders/chess", json={"title": title})
            for title in (f"a{place}", f"b{place}", f"c{place}")
        ]
        with at_once(*calls):
            seen = caller.get("")["title"]
            caller.service.ladders.drop("chess")
            assert caller.get("")["title"] == seen
