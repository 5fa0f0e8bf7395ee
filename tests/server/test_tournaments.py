"""Tournaments of a service: steps, keys, rights, and what their ladder is told."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from threading import Thread
from typing import Any, cast

import numpy as np
import pytest
from sqlalchemy import text

from podium.documents.tournament_documents import tournament_document
from podium.errors import InputError
from podium.server.access.rights import ADMIN, LOCAL, READ, REPORT
from podium.server.log.committer import Committer
from podium.server.tournaments.sent_steps import SentStep, sent_step
from podium.tournaments.happenings import Allowed, Forbade, InClub, Joined, Left, Paired, Reported
from podium.tournaments.tournament import Tournament
from server.callers import Caller, Plain, called_service, problem
from server.guarded_services import bearing, new_key
from server.recorded import executed
from server.service_processes import Nursery, Worker
from tournaments.test_random_tournaments import Story

BASE = "/api/v1/ladders/chess/tournaments"


def new(caller: Caller, slug: str = "cup", format: str = "knockout", **more: Any) -> Plain:
    """A new tournament."""
    answer = caller.client.post(BASE, json={"slug": slug, "format": format, **more})
    assert answer.status_code == 201, answer.text
    return cast(Plain, answer.json())


def sent(caller: Caller, slug: str = "cup", **step: Any) -> Any:
    """The answer to a step."""
    return caller.client.post(f"{BASE}/{slug}/steps", json=step)


def step(caller: Caller, slug: str = "cup", **step: Any) -> Plain:
    """What becomes of a step that is not refused."""
    answer = sent(caller, slug, **step)
    assert answer.status_code in (200, 201), answer.text
    return cast(Plain, answer.json())


def result(match: int | str, score: str | None, **more: Any) -> dict[str, Any]:
    """A result in the words of a step."""
    return {"match": match, "score": score, **more}


def correction() -> SentStep:
    """A step that corrects the first result."""
    return sent_step({"results": [result("ann", "1:2", correct=True)], "key": "correction"})


def test_a_cup_and_what_its_ladder_is_told(any_caller: Caller) -> None:
    caller = any_caller
    assert new(caller, name="Spring cup")["name"] == "Spring cup"
    step(caller, join=["ann", "bob", {"player": "cat", "rating": 1600.0}])
    told = step(caller, pair={})
    assert told["round"]["byes"] == ["cat"]
    step(caller, results=[result("ann", "2:1")], key="first")
    log = caller.log()
    assert [(entry["key"], entry["event"]["name"]) for entry in log] == [
        ("tournament:cup:1.1:3", "Spring cup, round 1")
    ]
    assert sent(caller, results=[result("ann", "1:2")]).status_code == 400
    step(caller, results=[result("ann", "1:2", correct=True)])
    assert len(caller.log()) == 2
    assert caller.get("rating", player="bob")["mu"] > 1500 > caller.get("rating", player="ann")["mu"]
    step(caller, undo=True)
    assert caller.get("rating", player="bob")["mu"] < 1500 < caller.get("rating", player="ann")["mu"]
    step(caller, undo=True)  # the ladder has no result now
    assert caller.get("leaderboard")["ranked"] == 0
    step(caller, results=[result("ann", "0:3")])
    step(caller, pair={})
    assert step(caller, results=[result("cat", "4:2")])["finished"]
    shown = caller.client.get(f"{BASE}/cup").json()
    assert [row["player"] for row in shown["standings"]] == ["cat", "bob", "ann"]
    assert (shown["head"], shown["reported"], shown["problem"]) == (9, 9, None)
    caller.verified()


def test_a_step_with_a_key_is_taken_once(any_caller: Caller) -> None:
    new(any_caller)
    first = step(any_caller, join=["ann", "bob"], key="join")
    again = sent(any_caller, join=["ann", "bob"], key="join")
    assert (first["status"], first["number"]) == ("recorded", 1)
    assert (again.status_code, again.json()["status"], again.json()["number"]) == (200, "known", 1)
    problem(sent(any_caller, join=["ann", "cat"], key="join"), 409, "key-conflict")
    again = any_caller.client.post(BASE, json={"slug": "cup", "format": "knockout"})
    assert again.status_code == 200
    assert [one["player"] for one in again.json()["entrants"]] == ["ann", "bob"]
    other = any_caller.client.post(BASE, json={"slug": "cup", "format": "swiss:3"})
    problem(other, 409, "tournament-exists")


def test_reports_at_the_end_and_never(caller: Caller) -> None:
    new(caller, "later", "evening", reports="at-end")
    new(caller, "fun", "evening", reports="never")
    for slug in ("later", "fun"):
        step(caller, slug, here=["ann", "bob", "cat", "dan"])
        step(caller, slug, pair={})
        step(caller, slug, results=[result(1, "1:0"), result(2, "1:0")])
    assert caller.log() == []
    step(caller, "later", close=True)
    step(caller, "fun", close=True)
    assert [entry["key"] for entry in caller.log()] == ["tournament:later:1.1:4", "tournament:later:1.2:4"]
    step(caller, "later", results=[result(1, "0:1", correct=True)])
    assert len(caller.log()) == 3
    step(caller, "later", results=[result(2, None, correct=True)])
    (void,) = caller.log()[3:]
    assert (void["entry"], void["target"]) == ("void", 2)
    caller.verified()


def test_doubles_are_reported_as_teams_and_who_is_here_changes(caller: Caller) -> None:
    new(caller, "night", "evening:2v2")
    step(caller, "night", here=["ann", "bob", "cat", "dan", "eve"])
    step(caller, "night", here=["ann", "bob", "cat", "fay"])
    told = step(caller, "night", pair={"places": 1})
    assert sorted(name for side in told["round"]["games"][0]["sides"] for name in side) == [
        "ann",
        "bob",
        "cat",
        "fay",
    ]
    step(caller, "night", results=[result(1, "21:15")])
    (entry,) = caller.log()
    assert [len(side["players"]) for side in entry["event"]["sides"]] == [2, 2]


def test_what_a_ladder_cannot_use_is_told_and_does_not_stop_the_tournament(caller: Caller) -> None:
    caller.client.post("/api/v1/ladders", json={"slug": "chess960", "system": "fide"})
    base = "/api/v1/ladders/chess960/tournaments"
    caller.client.post(base, json={"slug": "night", "format": "evening:2v2"})
    for one in ({"here": ["ann", "bob", "cat", "dan"]}, {"pair": {}}):
        assert caller.client.post(f"{base}/night/steps", json=one).status_code == 201
    answer = caller.client.post(f"{base}/night/steps", json={"results": [result(1, "2:1")]})
    assert answer.status_code == 201
    assert "team" in str(answer.json()["problem"])
    assert answer.json()["open"] == 0


@pytest.mark.parametrize(
    "bad, words",
    [
        ({}, "exactly one of"),
        ({"pair": {}, "undo": True}, "exactly one of"),
        ({"undo": False}, "undo is true"),
        ({"join": [""]}, "name"),
        ({"forbid": ["ann"]}, "the two entrants who must not meet"),
        ({"results": [{"match": 9, "score": "1:0"}]}, "no match 9"),
        ({"results": [{"match": 1, "score": "a"}]}, "not a score"),
        ({"leave": ["zoe"]}, "not an entrant"),
    ],
)
def test_steps_that_are_refused_change_nothing(caller: Caller, bad: dict[str, Any], words: str) -> None:
    new(caller)
    step(caller, join=["ann", "bob"])
    step(caller, pair={})
    before = caller.client.get(f"{BASE}/cup").json()
    answer = problem(sent(caller, **bad), 400, "input")
    assert words in answer["detail"] + str(answer["hint"])
    assert caller.client.get(f"{BASE}/cup").json() == before


def test_a_step_of_several_results_counts_whole_or_not_at_all(caller: Caller) -> None:
    new(caller, "round", "round-robin")
    step(caller, "round", join=["ann", "bob", "cat", "dan"])
    step(caller, "round", pair={})
    assert sent(caller, "round", results=[result(1, "1:0"), result(9, "1:0")]).status_code == 400
    assert [game["points"] for game in caller.client.get(f"{BASE}/round").json()["rounds"][0]["games"]] == [
        None,
        None,
    ]
    assert caller.log() == []


def test_rights(caller: Caller) -> None:
    new(caller, "open")
    new(caller, "hidden", private=True)
    admin, report, read = (bearing(new_key(caller, scope, ladder="chess")) for scope in (ADMIN, REPORT, READ))
    client = caller.client

    def status(method: str, path: str, who: Any, body: Any = None) -> int:
        return int(client.request(method, f"{BASE}{path}", json=body, headers=who).status_code)

    assert status("GET", "/open", {}) == 200
    assert status("GET", "/hidden", {}) == 404
    assert status("GET", "/hidden", read) == 200
    seen = client.get(BASE, headers={}).json()["tournaments"]
    assert [one["slug"] for one in seen] == ["open"]
    assert [one["slug"] for one in client.get(BASE, headers=read).json()["tournaments"]] == ["hidden", "open"]
    assert status("POST", "", report, {"slug": "mine", "format": "evening"}) == 403
    assert status("POST", "/open/steps", read, {"join": ["ann"]}) == 403
    assert status("POST", "/open/steps", report, {"join": ["ann", "bob"]}) == 201
    assert status("POST", "/open/steps", report, {"pair": {}}) == 201
    assert status("POST", "/open/steps", report, {"results": [result(1, "1:0")]}) == 201
    assert status("POST", "/open/steps", report, {"undo": True}) == 403  # it is over
    assert status("POST", "/open/steps", admin, {"undo": True}) == 201
    assert status("PATCH", "/open", report, {"private": True}) == 403
    assert status("PATCH", "/open", admin, {"private": True}) == 200
    assert status("GET", "/open", {}) == 404
    trail = client.get("/api/v1/audit", headers=bearing(new_key(caller, ADMIN))).json()["entries"]
    actions = [one["action"] for one in trail if "tournament" in one["action"]]
    assert actions == ["tournament changed", "tournament amended", "tournament created", "tournament created"]


def test_an_archived_ladder_has_no_more_steps(caller: Caller) -> None:
    new(caller)
    caller.client.patch("/api/v1/ladders/chess", json={"archived": True})
    problem(sent(caller, join=["ann"]), 409, "archived")


def test_chances_use_the_ladders_ratings(caller: Caller) -> None:
    caller.report({"adjustment": "set-rating", "player": "ann", "mu": 1900})
    new(caller)
    step(caller, join=["ann", "bob"])
    found = caller.client.get(f"{BASE}/cup/chances").json()
    assert found["simulations"] is None
    assert found["entrants"][0]["player"] == "ann"
    assert found["entrants"][0]["places"][0] == pytest.approx(1 / (1 + 10 ** (-400 / 400)))


def test_results_that_a_worker_did_not_report_are_reported_by_the_next(
    database_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after kill -9 between a step and its report: nothing is lost, and nothing counts twice."""
    with called_service(database_address) as caller:
        caller.create("chess")
        new(caller)
        step(caller, join=["ann", "bob"])
        step(caller, pair={})
        step(caller, results=[result("ann", "2:1")])
        with monkeypatch.context() as patch:

            def killed(*_: Any) -> Any:
                raise KeyboardInterrupt

            patch.setattr(Committer, "submit", killed)
            with pytest.raises(KeyboardInterrupt):
                caller.service.take_step("chess", "cup", correction(), LOCAL)
        assert len(caller.log()) == 1
    with called_service(database_address) as caller:
        assert [entry["key"] for entry in caller.log()] == ["tournament:cup:1.1:3", "tournament:cup:1.1:4"]
        assert caller.get("rating", player="bob")["mu"] > 1500
        with caller.service.database.writing() as connection:
            connection.execute(text("UPDATE tournament SET reported = 0"))
    with called_service(database_address) as caller:  # the same reports again
        assert len(caller.log()) == 2
        assert caller.client.get(f"{BASE}/cup").json()["reported"] == 4
        caller.verified()


def test_kill_9_loses_no_step_and_no_result(nursery: Nursery, sqlite_address: str) -> None:
    """A worker killed right after it answers, many times: every answered step and its report are there."""
    worker = nursery.worker(sqlite_address)
    worker.api("POST", "/ladders", {"slug": "chess", "system": "elo"})
    path = "/ladders/chess/tournaments"
    worker.api("POST", path, {"slug": "night", "format": "evening"})
    worker.api("POST", f"{path}/night/steps", {"here": ["ann", "bob", "cat", "dan"], "key": "here"})
    for number in range(1, 5):
        worker.api("POST", f"{path}/night/steps", {"pair": {}, "key": f"pair {number}"})
        told = worker.api(
            "POST",
            f"{path}/night/steps",
            {"results": [result(1, "1:0"), result(2, "0:1")], "key": f"results {number}"},
        )
        worker.kill()
        worker.start()
        shown = worker.api("GET", f"{path}/night")
        assert shown["head"] == shown["reported"] == told["number"]
        assert worker.api("GET", "/ladders/chess")["head"] == 2 * number
    worker.kill()


def sent_for(tournament: Tournament, before: int) -> dict[str, Any] | None:
    """The step that does what the last happening of a tournament did; None if several happened."""
    happenings = tournament.happenings
    if len(happenings) == before - 1:
        return {"undo": True}
    if len(happenings) != before + 1:
        return None
    match happenings[-1]:
        case Joined():
            return {"join": [sent_for_joined(happenings[-1])]}
        case Left(player):
            return {"leave": [player]}
        case Forbade(first, second):
            return {"forbid": [first, second]}
        case Allowed(first, second):
            return {"allow": [first, second]}
        case InClub(player, club):
            return {"clubs": {player: club}}
        case Paired(matches):
            more = {"places": len(matches)} if tournament.format.is_evening else {}
            met, is_swiss = tournament.field.met, tournament.format.kind == "swiss"
            again = is_swiss and any(met[frozenset((*a, *b))] > 1 for a, b in matches)
            return {"pair": {**more, "rematches": again}}
        case Reported(number, game, points, boards):
            score = (
                {"boards": [list(board) for board in boards]}
                if boards
                else {"score": points and list(points)}
            )
            return {"results": [{"match": game, "round": number, "correct": True, **score}]}
    return {"close": True}


def kill_at_random(nursery: Nursery, address: str, form: str, steps: int, kills: int) -> None:
    """Random steps, some of which meet a kill: sent again, each counts once, here and on the ladder."""
    chance = np.random.default_rng(kills)
    worker = nursery.worker(address)
    worker.api("POST", "/ladders", {"slug": "chess", "system": "elo"})
    path = "/ladders/chess/tournaments/night"
    story = Story(form, chance)
    while form == "evening" and story.with_rules:  # then the number of places says little about the round
        story = Story(form, chance)
    twin = story.tournament
    worker.api("POST", "/ladders/chess/tournaments", {"slug": "night", "format": form, "seed": twin.seed})
    joined = [sent_for_joined(one) for one in twin.happenings if isinstance(one, Joined)]
    for one in joined:
        worker.api("POST", f"{path}/steps", {"join": [one]})
    dying = {int(number) for number in chance.choice(steps, kills, replace=False)}
    number = 0
    for _ in range(40 * steps):
        before = len(twin.happenings)
        with suppress(InputError):
            story.step()
        step = sent_for(twin, before)
        if step is None:
            continue
        body = {**step, "key": f"step {number}"}
        if number in dying:
            thread = Thread(target=lambda body=body: _sent_to_die(worker, f"/api/v1{path}/steps", body))
            thread.start()
            time.sleep(float(chance.random()) * 0.03)
            worker.kill()
            thread.join()
            worker.start()
        worker.api("POST", f"{path}/steps", body)
        number += 1
        if number == steps:
            break
    assert number == steps
    shown = worker.api("GET", path)
    expected = json.loads(json.dumps(tournament_document(twin)))
    assert {key: shown[key] for key in expected if key != "name"} == {
        key: value for key, value in expected.items() if key != "name"
    }
    assert shown["head"] == steps + len(joined)
    assert shown["reported"] <= shown["head"]  # the last steps may have no results
    verified = worker.api("POST", "/ladders/chess/verify", {})
    assert verified["clean"], verified["findings"]
    worker.kill()


def sent_for_joined(one: Joined) -> dict[str, Any]:
    """An entrant of a step."""
    return {"player": one.player, "rating": one.mu, "club": one.club, "members": list(one.members)}


def _sent_to_die(worker: Worker, path: str, body: dict[str, Any]) -> None:
    with suppress(OSError, HTTPException, ValueError):
        worker.call("POST", path, body)


def test_a_kill_in_the_middle_of_a_random_tournament(nursery: Nursery, sqlite_address: str) -> None:
    kill_at_random(nursery, sqlite_address, "swiss:6", 25, 2)


@pytest.mark.long
@pytest.mark.parametrize(
    "form", ["evening", "swiss:6", "round-robin", "knockout", "knockout:double", "groups:2x2"]
)
def test_kills_in_random_tournaments(nursery: Nursery, sqlite_address: str, form: str) -> None:
    kill_at_random(nursery, sqlite_address, form, 150, 25)


def test_a_worker_shows_no_steps_that_a_restored_backup_has_not(postgresql_address: str) -> None:
    """Whether there are fewer steps, or others of the same number."""
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        new(one)
        step(one, join=["ann", "bob"])
        step(one, join=["lost"])
        executed(postgresql_address, "DELETE FROM tournament_step WHERE number > 1")
        executed(postgresql_address, "UPDATE tournament SET head = 1")
        path = f"{BASE}/cup"
        assert "lost" not in one.client.get(path).text
        step(one, join=["lost again"])
        executed(postgresql_address, "DELETE FROM tournament_step WHERE number > 1")
        executed(postgresql_address, "UPDATE tournament SET head = 1")
        step(other, join=["cat"])
        assert one.client.get(path).json() == other.client.get(path).json()
        assert "cat" in one.client.get(path).text


REDS, BLUES = ({"player": "Reds", "members": ["ann", "bob"]}, {"player": "Blues", "members": ["cat", "dan"]})


def test_each_board_of_a_team_match_is_an_event_of_the_ladder(any_caller: Caller) -> None:
    caller = any_caller
    new(caller, "league", "round-robin:double", name="League")
    step(caller, "league", join=[REDS, BLUES])
    assert caller.client.get(f"{BASE}/league").json()["entrants"][0]["members"] == ["ann", "bob"]
    told = step(caller, "league", pair={})
    assert told["round"]["games"][0]["sides"] == [["Reds"], ["Blues"]]
    step(caller, "league", results=[{"match": "Reds", "boards": ["1:0", "½:½"]}])
    log = caller.log()
    assert [entry["key"] for entry in log] == ["tournament:league:1.1.1:3", "tournament:league:1.1.2:3"]
    assert [[side["players"] for side in entry["event"]["sides"]] for entry in log] == [
        [["ann"], ["cat"]],
        [["bob"], ["dan"]],
    ]
    assert caller.get("rating", player="ann")["mu"] > 1500 == caller.get("rating", player="bob")["mu"]
    step(caller, "league", results=[{"match": "Reds", "boards": ["1:0", "0:1"], "correct": True}])
    assert len(caller.log()) == 3
    assert caller.log()[2]["key"] == "tournament:league:1.1.2:4"
    assert caller.get("rating", player="dan")["mu"] > 1500
    step(caller, "league", results=[{"match": "Reds", "score": "2:1", "correct": True}])
    assert caller.get("leaderboard")["ranked"] == 0  # without boards nobody knows who played whom
    step(caller, "league", undo=True)
    assert caller.get("leaderboard")["ranked"] == 4
    shown = caller.client.get(f"{BASE}/league").json()
    assert shown["rounds"][0]["games"][0]["boards"] == [[1.0, 0.0], [0.0, 1.0]]
    caller.verified()


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"match": "Reds"}, "exactly one of score and boards"),
        ({"match": "Reds", "score": "1:0", "boards": ["1:0"]}, "exactly one of score and boards"),
        ({"match": "Reds", "boards": ["1:0", "1:0", "1:0"]}, "3 boards"),
        ({"match": "Reds", "boards": []}, "0 boards"),
        ({"match": "Reds", "boards": [[1, "0"]]}, "boards[0]"),
    ],
)
def test_boards_that_are_refused(caller: Caller, bad: dict[str, Any], words: str) -> None:
    new(caller, "league", "round-robin")
    step(caller, "league", join=[REDS, BLUES])
    step(caller, "league", pair={})
    answer = problem(sent(caller, "league", results=[bad]), 400, "input")
    assert words in answer["detail"] + str(answer["hint"])
    bad_member = {"player": "Golds", "members": ["eve", ""]}
    assert sent(caller, "league", join=[bad_member]).status_code == 400


def test_an_explanation_for_each_entrant(caller: Caller) -> None:
    new(caller, "swiss", "swiss:3")
    ratings, clubs = {"ann": 1700, "bob": 1600, "cat": 1500, "dan": 1400}, {"ann": "north", "bob": "north"}
    joining = [{"player": name, "rating": mu, "club": clubs.get(name)} for name, mu in ratings.items()]
    step(caller, "swiss", join=joining)
    path = f"{BASE}/swiss/explanation"
    assert caller.client.get(path, params={"player": "ann"}).json()["pairing"] is None
    step(caller, "swiss", pair={})
    step(caller, "swiss", results=[result("ann", "2:1"), result("bob", "1:1")])
    told = caller.client.get(path, params={"player": "bob"}).json()
    assert told["pairing"]["sides"] == [["bob"], ["dan"]]
    assert {"player": "ann", "reason": "of the same club"} in told["pairing"]["others"]
    assert told["points"] == [{"what": "against dan", "value": 0.5}]
    problem(caller.client.get(path, params={"player": "zoe"}), 400, "input")
    problem(caller.client.get(path, params={"player": "ann", "round": 2}), 400, "input")


def test_a_player_with_another_name_has_it_in_tournaments(any_caller: Caller) -> None:
    """The former name is in no step any more; results, corrections and undo go to the same player."""
    caller = any_caller
    caller.report({"adjustment": "set-rating", "player": "ann", "mu": 1900})
    new(caller, "swiss", "swiss:3")
    new(caller, "league", "round-robin")
    joining = ["ann", "bob", "cat", {"player": "dan", "club": "ann"}]
    step(caller, "swiss", join=joining, key="join")
    step(caller, "swiss", forbid=["ann", "bob"])
    step(caller, "swiss", pair={})
    step(caller, "swiss", results=[result("ann", "2:1")])
    step(caller, "league", join=[{"player": "Reds", "members": ["ann", "bob"]}, "eve"])
    before = caller.log()
    caller.report({"adjustment": "rename", "player": "ann", "into": "Ann Lee"})
    shown = caller.client.get(f"{BASE}/swiss").json()
    assert [one["player"] for one in shown["entrants"]] == ["Ann Lee", "bob", "cat", "dan"]
    assert shown["entrants"][3]["club"] == "ann"
    assert caller.client.get(f"{BASE}/league").json()["entrants"][0]["members"] == ["Ann Lee", "bob"]
    address = caller.service.settings.database
    steps = executed(address, "SELECT payload FROM tournament_step")
    assert sum('"ann"' in payload.replace('"club": "ann"', "") for payload in steps) == 0
    assert step(caller, "swiss", join=joining, key="join")["status"] == "known"
    step(caller, "swiss", results=[result("Ann Lee", "1:2", correct=True)])
    problem(sent(caller, "swiss", leave=["ann"]), 400, "input")
    log = caller.log()
    assert log[-1]["target"] == before[-1]["number"]
    problem(
        caller.client.get("/api/v1/ladders/chess/rating", params={"player": "ann"}), 404, "unknown-player"
    )
    step(caller, "swiss", undo=True)
    assert caller.get("rating", player="Ann Lee")["mu"] > 1900
    caller.verified()


def test_rules_that_are_lifted_and_clubs_that_change(caller: Caller) -> None:
    new(caller, "cup", "swiss:3")
    step(caller, join=["ann", "bob", {"player": "cat", "club": "north"}, "dan"])
    step(caller, forbid=["ann", "bob"])
    step(caller, clubs={"ann": "north", "cat": None})
    step(caller, allow=["bob", "ann"])
    for bad in (
        {"allow": ["ann"]},
        {"allow": ["ann", "bob"]},
        {"clubs": {"zoe": "north"}},
    ):
        problem(sent(caller, "cup", **bad), 400, "input")
    caller.report({"adjustment": "set-rating", "player": "ann", "mu": 1600})
    caller.report({"adjustment": "rename", "player": "ann", "into": "Ann Lee"})
    shown = caller.client.get(f"{BASE}/cup").json()
    assert {one["player"]: one["club"] for one in shown["entrants"]} == {
        "Ann Lee": "north", "bob": None, "cat": None, "dan": None,
    }  # fmt: skip


def test_names_that_are_swapped_merged_or_taken(caller: Caller) -> None:
    for name in ("ann", "bob", "cat"):
        caller.report({"adjustment": "set-rating", "player": name, "mu": 1600})
    new(caller, "cup", "knockout")
    step(caller, join=["ann", "bob", "dan"])
    for old, into in (("ann", "x"), ("bob", "ann"), ("x", "bob")):
        caller.report({"adjustment": "rename", "player": old, "into": into})
    entrants = [one["player"] for one in caller.client.get(f"{BASE}/cup").json()["entrants"]]
    assert entrants == ["bob", "ann", "dan"]
    caller.report({"adjustment": "merge", "player": "ann", "into": "cat"})
    entrants = [one["player"] for one in caller.client.get(f"{BASE}/cup").json()["entrants"]]
    assert entrants == ["bob", "cat", "dan"]
    caller.report({"adjustment": "merge", "player": "bob", "into": "cat"})  # both are entrants
    entrants = [one["player"] for one in caller.client.get(f"{BASE}/cup").json()["entrants"]]
    assert entrants == ["bob", "cat", "dan"]


def test_readers_share_a_tournament_until_its_next_step(caller: Caller) -> None:
    """A large draw that keeps clubs apart is made once, not for every reader."""
    new(caller, "cup", "knockout")
    step(caller, join=[{"player": name, "club": "north"} for name in ("ann", "bob", "cat")])
    book = caller.service.tournaments
    first = book.look("chess", "cup", LOCAL)
    assert book.look("chess", "cup", LOCAL).shown.document is first.shown.document
    caller.client.get(f"{BASE}/cup/chances")
    assert first.value.ladder is None
    step(caller, join=["dan"])
    again = book.look("chess", "cup", LOCAL)
    assert (len(first.document()["entrants"]), len(again.document()["entrants"])) == (3, 4)
    step(caller, undo=True)
    assert book.look("chess", "cup", LOCAL).document()["entrants"] == first.document()["entrants"]


def entrants_of(caller: Caller, slug: str) -> list[str]:
    """The names of a tournament's entrants."""
    return [one["player"] for one in caller.client.get(f"{BASE}/{slug}").json()["entrants"]]


def test_a_void_merge_gives_entrants_their_names_back(any_caller: Caller) -> None:
    caller = any_caller
    for name in ("ann", "anna", "bob", "cat"):
        caller.report({"adjustment": "set-rating", "player": name, "mu": 1600})
    new(caller, "alone", "swiss:3")
    new(caller, "both", "knockout")
    new(caller, "never", "knockout")
    step(caller, "alone", join=["anna", "bob"])
    step(caller, "both", join=["anna", "ann"])
    step(caller, "never", join=["ann", "bob"])
    caller.report({"adjustment": "merge", "player": "anna", "into": "ann"})
    merge = caller.log()[-1]["number"]
    assert (entrants_of(caller, "alone"), entrants_of(caller, "both")) == (["ann", "bob"], ["anna", "ann"])
    step(caller, "alone", pair={})
    step(caller, "alone", results=[result("ann", "2:1")])
    caller.report({"adjustment": "merge", "player": "ann", "into": "cat"})
    last = caller.log()[-1]["number"]
    assert (entrants_of(caller, "alone"), entrants_of(caller, "never")) == (["cat", "bob"], ["cat", "bob"])
    caller.report({"void": last})
    assert (entrants_of(caller, "alone"), entrants_of(caller, "never")) == (["ann", "bob"], ["ann", "bob"])
    caller.report({"void": merge})
    assert [entrants_of(caller, slug) for slug in ("alone", "both", "never")] == [
        ["anna", "bob"],
        ["anna", "ann"],
        ["ann", "bob"],
    ]
    (warning,) = caller.verified()["warnings"]
    assert (
        "entry 6, ann – bob (2.0, 1.0) on the ladder and anna – bob (2.0, 1.0) in the tournament" in warning
    )
    step(caller, "alone", results=[result("anna", "1:2", correct=True)])
    assert caller.log()[-1]["target"] == 6
    assert caller.verified()["warnings"] == []


def findings(caller: Caller) -> list[str]:
    """What verify finds."""
    found = caller.client.post("/api/v1/ladders/chess/verify").json()
    return [f"{one['what']}: {one['stored']}, {one['rebuilt']}" for one in found["findings"]]


def test_verify_takes_the_steps_again_and_compares_the_results(any_caller: Caller) -> None:
    caller = any_caller
    address = caller.service.settings.database
    new(caller, "cup", "knockout")
    step(caller, join=["ann", "bob", "cat", "dan"])
    step(caller, pair={})
    step(caller, results=[result(1, "2:1"), result(2, "0:1")])
    step(caller, results=[result(1, "2:0", correct=True)])
    step(caller, results=[result(2, None, correct=True)])
    step(caller, undo=True)
    new(caller, "late", "evening", reports="at-end")
    step(caller, "late", join=["ann", "eve"])
    caller.verified()
    query = "SELECT payload FROM tournament_step WHERE tournament = 1 ORDER BY number"
    payloads = dict(enumerate(executed(address, query), 1))

    def damaged(number: int, old: str, new: str) -> list[str]:
        statement = "UPDATE tournament_step SET payload = :text WHERE tournament = 1 AND number = :number"
        executed(address, statement, number=number, text=payloads[number].replace(old, new))
        found = findings(caller)
        executed(address, statement, number=number, text=payloads[number])
        return found

    (told,) = damaged(3, "[2.0, 1.0]", "[3.0, 1.0]")
    assert told.startswith("the result 'tournament:cup:1.1:3' of a tournament: entry 1, ")
    assert "(2.0, 1.0)" in told
    assert told.endswith("(3.0, 1.0)")
    assert "step 2 of the tournament 'cup'" in damaged(1, '"dan"', '"zoe"')[0]
    assert "step 6 of the tournament 'cup'" in damaged(6, '"match": 2', '"match": 1')[0]
    executed(address, "UPDATE tournament SET head = 7 WHERE id = 1")
    assert findings(caller) == ["the number of steps of the tournament 'cup': 7, 6"]
    executed(address, "UPDATE tournament SET head = 6 WHERE id = 1")
    caller.verified()


RENAMED = {"adjustment": "rename", "player": "ann", "into": "Ann Lee"}


def started(caller: Caller) -> None:
    """A tournament whose first round is paired, of players whom the ladder has."""
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    new(caller)
    step(caller, join=["ann", "bob"])
    step(caller, pair={})


def check_renamed(caller: Caller) -> None:
    """The result is of the entrant under the new name, and nobody has the old one."""
    events = {row["player"]: row["events"] for row in caller.get("leaderboard", everybody=True)["ratings"]}
    assert events == {"Ann Lee": 2, "bob": 2}
    assert caller.client.get(f"{BASE}/cup").json()["problem"] is None
    caller.verified()


@pytest.mark.parametrize("corrected", [False, True])
def test_a_result_is_of_the_entrant_who_is_renamed_before_it_arrives(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch, corrected: bool
) -> None:
    """It made a newcomer of the old name."""
    caller, committer = any_caller, any_caller.service.committer
    submit = committer.submit
    started(caller)
    if corrected:
        step(caller, results=[result(1, "0:1")])

    def renamed(*sent: Any) -> Any:
        monkeypatch.undo()
        caller.report(RENAMED)
        return submit(*sent)

    monkeypatch.setattr(committer, "submit", renamed)
    step(caller, results=[result(1, "1:0", correct=corrected)])
    check_renamed(caller)


def test_a_result_is_of_the_entrant_who_is_renamed_in_the_same_transaction(any_caller: Caller) -> None:
    caller, committer = any_caller, any_caller.service.committer
    started(caller)
    committer.hold("chess", 60.0)
    with ThreadPoolExecutor(2) as threads:
        threads.submit(caller.report, RENAMED)
        while not committer._queues.get("chess"):
            time.sleep(0.01)
        threads.submit(step, caller, results=[result(1, "1:0")])
        while len(committer._queues["chess"]) < 2:
            time.sleep(0.01)
        committer.release("chess")
    check_renamed(caller)
