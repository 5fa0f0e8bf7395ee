"""The log: keys, order, bulk reports, adjustments, and that what is refused changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from server.callers import Caller, Plain, called_service, problem

WIN = {"ranks": {"ann": 1, "bob": 2}}
LOSS = {"ranks": {"ann": 2, "bob": 1}}


def displays(caller: Caller, ladder: str = "chess") -> dict[str, float]:
    found = caller.get("leaderboard", ladder=ladder, min_events=0)
    return {one["player"]: one["display"] for one in found["ratings"]}


def everything(caller: Caller) -> list[Plain]:
    """All that a reader can see of a ladder."""
    return [caller.get(""), caller.get("leaderboard", min_events=0), *caller.log()]


# ---------------------------------------------------------------------- keys


def test_the_same_key_has_the_same_outcome_for_ever(database_address: str) -> None:
    sent = {**WIN, "key": "game 1", "time": "2026-05-01"}
    with called_service(database_address) as caller:
        caller.create()
        first = caller.report(sent)
        assert caller.sent(sent).status_code == 200
        again = caller.report(sent)
        assert first.pop("status") == "recorded"
        assert again.pop("status") == "known"
        assert first == again
        caller.report({"key": "r", "adjustment": "rename", "player": "ann", "into": "annie"})
        known = caller.report(sent)
        assert (known["status"], known["number"]) == ("known", 1)
        assert [one["player"] for one in known["changes"]] == ["annie", "bob"]
        assert (
            caller.report({"key": "r", "adjustment": "rename", "player": "ann", "into": "annie"})["number"]
            == 2
        )
    with called_service(database_address) as caller:
        known = caller.report(sent)
        assert (known["status"], known["number"]) == ("known", 1)
        caller.client.post("/api/v1/ladders/chess/rebuild")
        assert caller.report(sent)["status"] == "known"
        assert caller.get("")["head"] == 2
        caller.verified()


def test_the_order_of_rows_and_the_form_of_numbers_are_no_other_content(caller: Caller) -> None:
    caller.report({"key": "a", "ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01T00:00:00Z", "weight": 1})
    same = {"key": "a", "ranks": {"bob": 2, "ann": 1}, "time": "2026-05-01", "weight": 1.0, "unrated": []}
    assert caller.report(same)["status"] == "known"
    caller.report({"key": "b", "scores": {"ann": 3, "bob": 2.0}})
    assert caller.report({"key": "b", "scores": {"bob": 2, "ann": 3.0}, "rated": True})["status"] == "known"
    shared = {"key": "s", "ranks": {"ann": 1, "bob": 2}, "share": 0.7}
    gains = {one["player"]: one["gain"] for one in caller.report(shared)["changes"]}
    assert gains["ann"] > 0 > gains["bob"]
    for same in (
        {**shared, "ranks": {"bob": 2, "ann": 1}},
        {"key": "s", "teams": [["bob"], ["ann"]], "ranks": [2, 1], "share": 0.3},
    ):
        assert caller.report(same)["status"] == "known"
    found = caller.refused({**shared, "ranks": {"bob": 1, "ann": 2}}, 409, "key-conflict")
    assert {one["field"] for one in found["differences"]} == {"sides", "share"}
    caller.refused({**shared, "share": 0.3}, 400, "input")
    caller.report({"key": "c", "adjustment": "set-rating", "player": "ann", "mu": 1800})
    again = {"key": "c", "adjustment": "set-rating", "player": "ann", "mu": 1800.0, "sigma": None}
    assert caller.report(again)["status"] == "known"


@pytest.mark.parametrize(
    "other, field",
    [
        (LOSS, "sides"),
        ({**WIN, "time": "2026-05-02"}, "time"),
        ({**WIN, "name": "final"}, "name"),
        ({**WIN, "weight": 2.0}, "weight"),
        ({**WIN, "home": "ann"}, "home"),
        ({**WIN, "share": 0.7}, "share"),
        ({**WIN, "unrated": ["bob"]}, "unrated"),
        ({**WIN, "disqualified": ["bob"]}, "disqualified"),
        ({**WIN, "rated": False}, "rated"),
        ({**WIN, "play": {"bob": 0.5}}, "play"),
        ({**WIN, "ceiling": 2000}, "ceiling"),
        ({"scores": {"ann": 2, "bob": 1}}, "sides"),
        ({"adjustment": "reset"}, "adjustment"),
    ],
    ids=str,
)
def test_the_same_key_with_other_content_is_a_conflict_that_says_what_differs(
    caller: Caller, other: Plain, field: str
) -> None:
    caller.report({**WIN, "key": "game 1"})
    before = everything(caller)
    found = caller.refused({**other, "key": "game 1"}, 409, "key-conflict")
    assert found["number"] == 1
    assert field in {one["field"] for one in found["differences"]}
    assert all(one["recorded"] != one["reported"] for one in found["differences"])
    assert everything(caller) == before


@pytest.mark.parametrize(
    "first, other, field",
    [
        ({"adjustment": "reset", "keep": 0.5}, {"adjustment": "reset", "keep": 0.4}, "keep"),
        (
            {"adjustment": "reset", "time": "2026-05-01"},
            {"adjustment": "reset", "time": "2026-05-02"},
            "time",
        ),
        ({"adjustment": "anchor", "player": "ann"}, {"adjustment": "anchor", "player": "bob"}, "player"),
        ({"adjustment": "anchor", "player": "ann"}, {"adjustment": "release", "player": "ann"}, "adjustment"),
        (
            {"adjustment": "rename", "player": "ann", "into": "annie"},
            {"adjustment": "rename", "player": "ann", "into": "anna"},
            "into",
        ),
        (
            {"adjustment": "merge", "player": "ann", "into": "bob"},
            {"adjustment": "merge", "player": "bob", "into": "ann"},
            "into",
        ),
    ],
    ids=str,
)
def test_adjustments_that_differ_are_conflicts_that_say_so(
    caller: Caller, first: Plain, other: Plain, field: str
) -> None:
    caller.report(WIN)
    caller.report({**first, "key": "a"})
    assert caller.report({**first, "key": "a"})["status"] == "known"
    found = caller.refused({**other, "key": "a"}, 409, "key-conflict")
    assert field in {one["field"] for one in found["differences"]}
    assert all(one["recorded"] != one["reported"] for one in found["differences"])


def test_what_is_refused_and_dry_runs_use_up_no_key_and_change_nothing(any_caller: Caller) -> None:
    any_caller.report(WIN)
    before = everything(any_caller)
    any_caller.refused({"key": "a", "adjustment": "release", "player": "who"}, 404, "unknown-player")
    any_caller.refused({"key": "a", "ranks": {"ann": 0, "bob": 2}}, 400, "input")
    any_caller.refused({"key": "a", "adjustment": "rename", "player": "ann", "into": "bob"}, 400, "input")
    preview = any_caller.report({"key": "a", **LOSS}, dry_run=True)
    assert (preview["status"], preview["number"]) == ("preview", None)
    assert everything(any_caller) == before
    recorded = any_caller.report({"key": "a", **LOSS})
    assert (recorded["status"], recorded["number"]) == ("recorded", 2)
    assert [one["display"] for one in recorded["changes"]] == [one["display"] for one in preview["changes"]]
    any_caller.verified()


def test_a_report_without_a_key_gets_one_by_which_it_is_found(caller: Caller) -> None:
    first, second = caller.report(WIN), caller.report(WIN)
    assert first["key"] != second["key"]
    assert caller.get("events", key=first["key"])["number"] == 1
    assert caller.report({**WIN, "key": second["key"]})["status"] == "known"


# ---------------------------------------------------------------------- bulk


def test_the_same_key_twice_in_one_request_is_recorded_once(any_caller: Caller) -> None:
    for place, atomic in enumerate((False, True)):
        sent = [{**WIN, "key": f"a{place}"}, {**LOSS, "key": f"b{place}"}, {**WIN, "key": f"a{place}"}]
        found = any_caller.bulk(sent, atomic=atomic)
        assert [one["status"] for one in found["outcomes"]] == ["recorded", "recorded", "known"]
        assert [one["number"] - 2 * place for one in found["outcomes"]] == [1, 2, 1]
        assert found["outcomes"][0]["changes"] == found["outcomes"][2]["changes"]
    sent = [{**WIN, "key": "c"}, {**LOSS, "key": "c"}]
    found = any_caller.bulk(sent)
    assert [one["status"] for one in found["outcomes"]] == ["recorded", "refused"]
    sent = [{**WIN, "key": "d"}, {**LOSS, "key": "d"}]
    problem(any_caller.sent_bulk(sent, atomic=True), 409, "refused")
    assert any_caller.get("")["head"] == 5
    any_caller.verified()


def test_item_by_item_records_what_can_be_and_says_why_the_rest_is_not(any_caller: Caller) -> None:
    sent: list[Any] = [
        {**WIN, "key": "a"},
        {"key": "b", "ranks": {"ann": 1}},
        {"key": "c", "adjustment": "release", "player": "nobody"},
        {**LOSS, "key": "a"},
        {**WIN, "key": "a"},
        17,
        {**LOSS, "key": "d"},
    ]
    found = any_caller.bulk(sent)
    statuses = [one["status"] for one in found["outcomes"]]
    assert statuses == ["recorded", "refused", "refused", "refused", "known", "refused", "recorded"]
    assert (found["recorded"], found["known"], found["refused"]) == (2, 1, 4)
    assert [one["number"] for one in found["outcomes"]] == [1, None, None, None, 1, None, 2]
    assert all((one["reason"] is None) == (one["status"] != "refused") for one in found["outcomes"])
    assert [entry["number"] for entry in any_caller.log()] == [1, 2]
    any_caller.verified()


def test_all_or_nothing_records_nothing_if_one_is_refused(any_caller: Caller) -> None:
    any_caller.report({**WIN, "key": "a"})
    before = everything(any_caller)
    for bad in ({"ranks": {"ann": 1}}, {"adjustment": "release", "player": "who"}, {**LOSS, "key": "a"}):
        sent = [{**WIN, "key": "b"}, bad, {"ranks": {"new": 1, "one": 2}, "key": "c"}]
        found = problem(any_caller.sent_bulk(sent, atomic=True), 409, "refused")
        assert found["detail"].startswith("report 2 of 3"), found["detail"]
        assert [one["status"] for one in found["outcomes"]] == ["refused"] * 3
        assert everything(any_caller) == before
    sent = [{**WIN, "key": "b"}, {**WIN, "key": "a"}, {**LOSS, "key": "c"}]
    found = any_caller.bulk(sent, atomic=True)
    assert [(one["status"], one["number"]) for one in found["outcomes"]] == [
        ("recorded", 2),
        ("known", 1),
        ("recorded", 3),
    ]
    any_caller.verified()


def test_of_reports_refused_together_the_culprit_is_told_with_its_own_reason(caller: Caller) -> None:
    named = {**WIN, "key": "a", "name": "final"}
    unknown = {"adjustment": "release", "player": "who"}
    ahead = {**WIN, "time": "2931-01-01"}
    twice = [{**WIN, "key": "b"}, {**LOSS, "key": "b"}]
    stories: list[tuple[list[Plain], int, str]] = [
        ([unknown, ahead], 1, "'who'"),  # the other one is refused too, and before anything is rated
        ([WIN, ahead, unknown], 2, "2931-01-01"),
        ([WIN, *twice], 3, "two different reports"),
        ([named, unknown, {"void": "name:final"}], 2, "'who'"),
        *(
            ([named, {"void": meant}, unknown], 2, "in the same atomic request")
            for meant in ("name:final", "key:a", 1)
        ),
    ]
    for sent, place, reason in stories:
        found = problem(caller.sent_bulk(sent, atomic=True), 409, "refused")
        assert found["detail"].startswith(f"report {place} of {len(sent)}: "), found["detail"]
        assert reason in found["detail"]
        others = {one["reason"] for number, one in enumerate(found["outcomes"], 1) if number != place}
        assert others == {"not recorded, because another report of the request was refused"}
    assert caller.get("")["head"] == 0
    for amending in ({"correct": 1}, {"late": True, "time": "2026-01-01"}):
        found = problem(caller.ask("preview", {**WIN, **amending}), 400, "amendment-preview")
        assert found["hint"] == "send each one separately to POST …/events?dry_run=true"


def test_the_history_tells_when_somebody_was_a_guest(caller: Caller) -> None:
    """The rating is then that of the event's time, absence included, and stays as it was."""
    caller.create("shy", "glicko", parameters={"display_k": 1.0})
    guest = {**WIN, "unrated": ["ann"], "time": "2026-01-01"}
    caller.bulk([{**WIN, "time": "2025-01-01"}, guest], ladder="shy")
    events = caller.get("history", ladder="shy", player="ann")["events"]
    assert [event["rated"] for event in events] == [False, True]
    for event, at in zip(events, ({"at": "2026-01-01"}, {}), strict=True):
        assert event["display"] == caller.get("rating", ladder="shy", player="ann", **at)["display"]


def test_lines_are_a_bulk_report_too(caller: Caller) -> None:
    lines = b'{"key": "a", "ranks": {"ann": 1, "bob": 2}}\n\n{"key": "b", "ranks": {"ann": 1, "bob": 2}}\r\n'
    where, kind = "/api/v1/ladders/chess/events/bulk", {"Content-Type": "application/x-ndjson"}
    assert caller.client.post(where, content=lines, headers=kind).json()["recorded"] == 2
    found = problem(caller.client.post(where, content=lines + b"{", headers=kind), 400, "input")
    assert "line 4" in found["detail"]
    assert caller.bulk([])["outcomes"] == []


def test_a_dry_run_of_many_is_rated_one_after_another(caller: Caller) -> None:
    sent = [{**WIN, "key": str(number)} for number in range(5)]
    preview = caller.bulk(sent, dry_run=True)
    assert [one["status"] for one in preview["outcomes"]] == ["preview"] * 5
    assert caller.get("")["head"] == 0
    assert [one["changes"] for one in caller.bulk(sent)["outcomes"]] == [
        one["changes"] for one in preview["outcomes"]
    ]


# ---------------------------------------------------------------------- order


def test_late_reports_are_rated_at_the_last_rated_time(any_caller: Caller) -> None:
    times = ["2026-05-02", "2026-05-01", None, "2026-05-03", "2020-01-01"]
    sent = [{**WIN, "key": str(place), "time": time} for place, time in enumerate(times) if time]
    found = any_caller.bulk(sent)["outcomes"]
    expected = [
        "2026-05-02",
        "2026-05-02",
        "2026-05-03",
        "2026-05-03",
    ]
    assert [one["rated_time"] for one in found] == expected
    filled = any_caller.report({**WIN, "key": "now"})
    assert filled["rated_time"] > "2026-05-03"
    assert any_caller.report({**WIN, "key": "1", "time": "2026-05-01"})["status"] == "known"
    assert any_caller.report({**WIN, "key": "now"})["status"] == "known"
    any_caller.verified()


def test_what_is_not_rated_does_not_move_the_ladders_time(caller: Caller) -> None:
    caller.report({**WIN, "time": "2026-05-01"})
    caller.report({**WIN, "time": "2026-05-03", "rated": False})
    assert caller.get("")["last_time"] == "2026-05-01"
    assert caller.report({**WIN, "time": "2026-05-02"})["rated_time"] == "2026-05-02"
    caller.verified()


def test_new_names_do_not_move_the_ladders_time(caller: Caller) -> None:
    """A rename or a merge of today does not make results of last year ones of today."""
    caller.create()
    caller.report({"ranks": {"ann": 1, "bob": 2}, "time": "2024-05-01"})
    caller.report({"adjustment": "rename", "player": "ann", "into": "annie"})
    caller.report({"adjustment": "merge", "player": "bob", "into": "rob"})
    assert (
        caller.report({"ranks": {"annie": 1, "rob": 2}, "time": "2024-05-02"})["rated_time"] == "2024-05-02"
    )
    caller.verified()


def test_without_fill_times_an_event_may_have_no_time(caller: Caller) -> None:
    caller.create("timeless", fill_times=False)
    assert caller.report(WIN, ladder="timeless")["rated_time"] is None
    assert caller.report({**WIN, "time": "2026-05-01"}, ladder="timeless")["rated_time"] is not None
    assert caller.report(WIN, ladder="timeless")["rated_time"] is None
    caller.verified("timeless")


# ---------------------------------------------------------------------- facts of events


def test_unrated_and_disqualified_rows_are_facts_of_the_event(any_caller: Caller) -> None:
    three = {"ranks": {"ann": 1, "bob": 2, "cat": 3}}
    out = any_caller.report({**three, "disqualified": ["ann"]})
    assert [(one["player"], one["rank"]) for one in out["changes"]] == [("bob", 1), ("cat", 2)]
    entry = any_caller.get("events/1")
    assert entry["disqualified"] == ["ann"]
    problem(any_caller.client.get("/api/v1/ladders/chess/rating?player=ann"), 404, "unknown-player")
    out = any_caller.report({**three, "unrated": ["bob"]})
    assert {one["player"]: one["gain"] for one in out["changes"]}["bob"] == 0
    out = any_caller.report({**three, "rated": False})
    assert (out["rated"], out["changes"], out["number"]) == (False, [], 3)
    out = any_caller.report({**three, "disqualified": ["ann", "bob"]})
    assert (out["rated"], out["changes"]) == (False, [])
    any_caller.refused({**three, "disqualified": ["dan"]}, 400, "input")
    assert any_caller.get("")["events"] == 2
    any_caller.verified()


def test_a_home_side_stays_at_home_when_the_one_who_was_named_is_disqualified(caller: Caller) -> None:
    parameters = {"home_advantage": 100.0}
    teams = {"teams": [["ann", "bob"], ["cat", "dan"]], "ranks": [1, 2]}
    caller.create("one", parameters=parameters)
    caller.create("two", parameters=parameters)
    caller.report({**teams, "home": "ann", "disqualified": ["ann"]}, ladder="one")
    caller.report({"teams": [["bob"], ["cat", "dan"]], "ranks": [1, 2], "home": "bob"}, ladder="two")
    assert displays(caller, "one") == displays(caller, "two")


def test_an_event_of_the_same_name_and_time_is_a_repeat(any_caller: Caller) -> None:
    cup = {**WIN, "name": "cup", "time": "2026-05-01"}
    any_caller.report(cup)
    before = everything(any_caller)
    any_caller.refused(cup, 409, "repeat")
    problem(any_caller.sent_bulk([WIN, cup], atomic=True), 409, "refused")
    assert everything(any_caller) == before
    any_caller.report({**cup, "time": "2026-05-02"})
    any_caller.report({**cup, "allow_repeat": True})
    any_caller.service.ladders.drop("chess")
    any_caller.refused({**cup, "time": "2026-05-02"}, 409, "repeat")
    any_caller.verified()


# ---------------------------------------------------------------------- adjustments


def test_adjustments_move_ratings_and_names(any_caller: Caller) -> None:
    report = any_caller.report
    report(WIN)
    report({"adjustment": "set-rating", "player": "eve", "mu": 1800})
    assert displays(any_caller)["eve"] == 1800
    report({"adjustment": "anchor", "player": "eve"})
    report({"ranks": {"ann": 1, "eve": 2}})
    assert displays(any_caller)["eve"] == 1800
    report({"adjustment": "release", "player": "eve"})
    report({"ranks": {"ann": 1, "eve": 2}})
    assert displays(any_caller)["eve"] < 1800
    before = displays(any_caller)
    report({"adjustment": "rename", "player": "eve", "into": "eva"})
    assert displays(any_caller)["eva"] == before["eve"]
    report({"ranks": {"eve": 1, "bob": 2}})  # somebody new may use the freed name
    assert displays(any_caller)["eva"] == before["eve"]
    assert any_caller.get("history", player="eve")["events"][0]["display_before"] == 1500
    report({"adjustment": "merge", "player": "eve", "into": "eva"})
    assert "eve" not in displays(any_caller)
    report({"ranks": {"eve": 2, "bob": 1}})
    assert any_caller.get("rating", player="eve")["events"] == 1
    report({"adjustment": "reset", "keep": 0})
    assert set(displays(any_caller).values()) == {1500.0}
    any_caller.verified()
    names = [one["player"] for one in any_caller.get("leaderboard")["ratings"]]
    any_caller.service.ladders.drop("chess")
    assert [one["player"] for one in any_caller.get("leaderboard")["ratings"]] == names
    any_caller.verified()


def test_names_may_go_round_in_one_request(any_caller: Caller) -> None:
    any_caller.report(WIN)
    before = displays(any_caller)
    steps = [("ann", "x"), ("bob", "ann"), ("x", "bob")]
    sent: list[Plain] = [{"adjustment": "rename", "player": one, "into": other} for one, other in steps]
    assert any_caller.bulk(sent, atomic=True)["recorded"] == 3
    assert displays(any_caller) == {"ann": before["bob"], "bob": before["ann"]}
    sent = [{"adjustment": "merge", "player": "ann", "into": "bob"}, {"ranks": {"ann": 1, "cat": 2}}]
    any_caller.bulk([*sent, {"adjustment": "rename", "player": "ann", "into": "anna"}], atomic=True)
    any_caller.service.ladders.drop("chess")
    assert set(displays(any_caller)) == {"bob", "cat", "anna"}
    any_caller.verified()


# ---------------------------------------------------------------------- ladders


def test_an_archived_ladder_is_read_and_not_reported_to(any_caller: Caller) -> None:
    any_caller.report(WIN)
    assert any_caller.client.patch("/api/v1/ladders/chess", json={"archived": True}).json()["archived"]
    any_caller.refused(WIN, 409, "archived")
    assert any_caller.get("rating", player="ann")["events"] == 1
    slugs = [one["slug"] for one in any_caller.client.get("/api/v1/ladders").json()["ladders"]]
    assert slugs == []
    found = any_caller.client.get("/api/v1/ladders?archived=true").json()
    assert [one["slug"] for one in found["ladders"]] == ["chess"]
    any_caller.client.patch("/api/v1/ladders/chess", json={"archived": False})
    assert any_caller.report(WIN)["number"] == 2


def test_ladders_are_created_once_and_listed_by_name(any_caller: Caller) -> None:
    client = any_caller.client
    again = client.post("/api/v1/ladders", json={"slug": "chess", "system": "elo"})
    assert again.status_code == 200
    other = client.post("/api/v1/ladders", json={"slug": "chess", "system": "glicko2"})
    problem(other, 409, "ladder-exists")
    for slug in ("b", "a", "c"):
        any_caller.create(slug)
    found, seen, cursor = client.get("/api/v1/ladders?limit=2").json(), [], True
    while cursor:
        seen += [one["slug"] for one in found["ladders"]]
        if cursor := found["next"]:
            found = client.get(f"/api/v1/ladders?limit=2&cursor={cursor}").json()
    assert seen == ["a", "b", "c", "chess"]
    problem(client.post("/api/v1/ladders", json={"slug": "x", "system": "elo", "k": 3}), 400, "input")
    problem(client.post("/api/v1/ladders", json={"slug": "x", "parameters": {"no": 3}}), 400, "parameter")
    problem(client.patch("/api/v1/ladders/chess", json={"max_sigma": 3}), 400, "parameter")
    problem(client.patch("/api/v1/ladders/chess", json={"slug": "x"}), 400, "input")
    problem(client.patch("/api/v1/ladders/none", json={"title": "x"}), 404, "unknown-ladder")


def test_blanks_around_a_name_make_no_other_player(any_caller: Caller) -> None:
    """ "Ann " was another player than "Ann", in silence."""
    any_caller.report({"ranks": {"Ann": 1, "Bob": 2}})
    any_caller.report({"ranks": {"Ann ": 1, "Bob": 2, "Cid": 3}, "disqualified": ["Cid "], "key": "second"})
    any_caller.report({"adjustment": "set-rating", "player": "Bob\u00a0", "mu": 1600.0})
    ratings = any_caller.get("leaderboard", everybody=True)["ratings"]
    assert {row["player"]: row["events"] for row in ratings} == {"Ann": 2, "Bob": 2}
    again = any_caller.report(
        {"ranks": {"Ann": 1, "Bob": 2, "Cid": 3}, "disqualified": ["Cid"], "key": "second"}
    )
    assert again["status"] == "known"
    any_caller.verified()
    sent = {"ranks": {"Ann": 1, "Ann ": 2}}
    assert "'Ann' takes part twice" in any_caller.refused(sent, 400, "input")["detail"]
