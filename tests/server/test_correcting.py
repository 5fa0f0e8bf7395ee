"""Voids, corrections, late events, disqualifications: what is refused, what is answered, what readers see."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from typing import Any
from unittest import mock

import psycopg
import pytest

from podium import Ladder
from podium.server.correcting.amending import Amending
from podium.server.correcting.amendments import Amendments
from podium.server.correcting.generation_cleaning import clean_generations
from podium.server.correcting.generations import Generation, first_foreign
from podium.server.correcting.rerating import build_generation
from podium.server.jobs.job_process import JobRunner
from podium.server.service import Service
from podium.systems import make_system
from server.callers import Caller, Plain, called_service, problem
from server.corrected_model import CorrectedModel
from server.recorded import executed

DAYS = [f"2026-05-0{day}T12:00:00Z" for day in range(1, 7)]
NEAR = "podium.server.correcting.near_amendments.NEAR_ROWS"


def game(day: int, winner: str, loser: str, **more: Any) -> Plain:
    return {"ranks": {winner: 1, loser: 2}, "time": DAYS[day], **more}


SEASON = [
    game(0, "ann", "bob", name="first"),
    game(1, "bob", "cat"),
    game(2, "cat", "ann"),
    game(3, "ann", "dan"),
]


@pytest.fixture
def model(caller: Caller) -> CorrectedModel:
    """The judge of the ladder `chess`, on which a short season was played."""
    return begun(caller)


def begun(caller: Caller) -> CorrectedModel:
    model = CorrectedModel("elo")
    for sent in SEASON:
        caller.report(sent)
        model.add(sent)
    return model


def board(caller: Caller, ladder: str = "chess") -> list[Plain]:
    found: list[Plain] = caller.get("leaderboard", ladder=ladder, min_events=0)["ratings"]
    return found


def amend(caller: Caller, model: CorrectedModel, sent: Plain) -> Plain:
    """Report an amendment, after which the service and the judge say the same."""
    answer = caller.report(sent)
    assert not answer["provisional"]
    model.add(sent)
    assert board(caller) == model.ratings()
    caller.verified()
    return answer


def built(caller: Caller) -> None:
    """Do what a job does that computes ratings anew."""
    service = caller.service
    runner = JobRunner(service.database, lambda function, *args: function(service, *args), "test")
    assert runner.run_next()


@contextmanager
def far() -> Iterator[None]:
    """As if every amendment were far from the end of the log."""
    with mock.patch(NEAR, -1):
        yield


# ---------------------------------------------------------------------- what each does


def test_a_void_can_be_voided(any_caller: Caller) -> None:
    model = begun(any_caller)
    before = board(any_caller)
    amend(any_caller, model, {"void": 2})
    assert board(any_caller) != before
    assert any_caller.get("events/2")["status"] == "void"
    amend(any_caller, model, {"void": 5})
    assert board(any_caller) == before
    amend(any_caller, model, {"void": 6})
    entry = any_caller.get("events/2")
    assert (entry["status"], entry["amended_by"], entry["changes"]) == ("void", [5], [])
    assert any_caller.get("events/5")["amended_by"] == [6]


def test_a_player_whose_only_event_is_void_is_not_on_the_ladder(
    caller: Caller, model: CorrectedModel
) -> None:
    amend(caller, model, {"void": 4})
    assert "dan" not in {row["player"] for row in board(caller)}
    problem(caller.client.get("/api/v1/ladders/chess/rating?player=dan"), 404, "unknown-player")
    amend(caller, model, game(4, "dan", "bob"))
    assert caller.get("history", player="dan")["events"][0]["number"] == 6


def test_a_correction_keeps_its_place_and_may_bring_new_players(
    caller: Caller, model: CorrectedModel
) -> None:
    answer = amend(caller, model, {"correct": 2, "ranks": {"eve": 1, "cat": 2}, "key": "fix"})
    assert (answer["number"], answer["rated_time"]) == (5, DAYS[1])
    entry = caller.get("events/2")
    assert [side["players"] for side in entry["event"]["sides"]] == [["bob"], ["cat"]]
    assert [side["players"] for side in entry["rated_event"]["sides"]] == [["eve"], ["cat"]]
    assert [change["player"] for change in entry["changes"]] == ["eve", "cat"]
    assert caller.get("history", player="eve")["events"][0]["number"] == 2
    amend(caller, model, {"correct": 2, "ranks": {"cat": 1, "bob": 2}})
    assert "eve" not in {row["player"] for row in board(caller)}
    amend(caller, model, {"void": 6})
    assert "eve" in {row["player"] for row in board(caller)}


def test_a_late_event_goes_behind_everything_of_its_time_or_earlier(
    any_caller: Caller,
) -> None:
    model = begun(any_caller)
    first = amend(any_caller, model, game(1, "dan", "bob", late=True))
    second = amend(any_caller, model, game(1, "dan", "cat", late=True))
    earliest = amend(any_caller, model, {**game(0, "eve", "ann", late=True), "time": "2020-01-01T12:00:00Z"})
    entries = {number: any_caller.get(f"events/{number}") for number in (5, 6, 7)}
    assert [entries[n]["place"] for n in (5, 6, 7)] == [2, 2, 0]
    assert [first["number"], second["number"], earliest["number"]] == [5, 6, 7]
    assert any_caller.get("events/1")["changes"][0]["mu_before"] != 1500.0
    history = any_caller.get("history", player="dan")["events"]
    assert [one["number"] for one in history] == [4, 6, 5]
    assert [one["display_before"] for one in history[:2]] == [one["display"] for one in history[1:]]
    later = any_caller.report(game(5, "dan", "eve", late=True))
    assert (any_caller.get(f"events/{later['number']}")["place"], later["rated_time"]) == (None, DAYS[5])


@pytest.mark.parametrize("is_last", [False, True], ids=["an entry between", "the last entry"])
def test_a_late_event_has_its_place_also_among_entries_that_are_void_and_count_again(
    any_caller: Caller, is_last: bool
) -> None:
    first, restored, last = game(0, "ann", "bob"), game(2, "bob", "ann"), game(5, "ann", "cat")
    late = game(3, "ann", "bob", late=True) if not is_last else game(1, "ann", "bob", late=True)
    season = [first, restored] if is_last else [first, restored, last]
    model = CorrectedModel("elo")
    for sent in [*season, {"void": 2}, late]:
        any_caller.report(sent)
        model.add(sent)
    amend(any_caller, model, {"void": len(season) + 1})
    right = Ladder("elo")
    for sent in sorted([*season, late], key=lambda sent: str(sent["time"])):
        right.record(ranks=sent["ranks"], time=sent["time"])
    mine = {row["player"]: row["mu"] for row in board(any_caller)}
    assert mine == {player: right.rating(player).mu for player in mine}
    assert [any_caller.get(f"events/{number}")["rated_time"] for number in (2, len(season) + 2)] == [
        restored["time"],
        late["time"],
    ]


def test_a_late_event_goes_before_what_another_late_event_has_put_off(any_caller: Caller) -> None:
    """A game whose date was corrected keeps its place behind a late one, and is rated no earlier."""
    model = CorrectedModel("elo")
    season = [game(0, "ann", "bob"), game(4, "cat", "ann"), game(5, "bob", "cat")]
    for sent in [*season, game(3, "ann", "dan", late=True), {**game(1, "cat", "ann"), "correct": 2}]:
        any_caller.report(sent)
        model.add(sent)
    late = any_caller.report(game(2, "dan", "bob", late=True))
    model.add(game(2, "dan", "bob", late=True))
    assert (any_caller.get(f"events/{late['number']}")["place"], late["rated_time"]) == (1, DAYS[2])
    assert board(any_caller) == model.ratings()
    any_caller.verified()


@pytest.mark.parametrize(("void", "waits"), [((2, 3), False), ((2, 3), True), ((2,), True)])
def test_a_late_event_goes_before_a_later_late_event_whatever_follows_that(
    any_caller: Caller, void: tuple[int, ...], waits: bool
) -> None:
    """Entry 3, of an earlier day, is void, or gets its own day back from an amendment that waits."""
    model = CorrectedModel("elo")
    season = [game(0, "ann", "bob"), game(5, "cat", "ann"), game(1, "bob", "cat")]
    amended = [game(3, "ann", "dan", late=True), *({"void": number} for number in void)]
    with far() if waits else nullcontext():
        for sent in [*season, *amended, late := game(2, "dan", "bob", late=True)]:
            number = any_caller.report(sent)["number"]
            model.add(sent)
    if waits:
        built(any_caller)
    found = any_caller.get(f"events/{number}")
    assert (found["place"], found["rated_time"]) == (1, late["time"])
    assert board(any_caller) == model.ratings()
    assert any_caller.verified()["warnings"] == []


def test_verifying_tells_of_late_events_that_older_versions_have_put_behind_later_ones(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = [game(0, "ann", "bob"), game(5, "cat", "ann"), game(1, "bob", "cat")]
    for sent in [*season, game(3, "ann", "dan", late=True), {"void": 2}, {"void": 3}]:
        any_caller.report(sent)
    with monkeypatch.context() as patch:
        patch.setattr(Amendments, "late_behind_and_after", lambda *_: ())
        wrong = any_caller.report(game(2, "dan", "bob", late=True))["number"]
    (warning,) = any_caller.verified()["warnings"]
    assert f"entry {wrong} was reported late for {DAYS[2]}" in warning
    assert "behind entry 4" in warning
    any_caller.report({"void": wrong})
    any_caller.report(game(2, "dan", "bob", late=True))
    assert any_caller.verified()["warnings"] == []


def test_verifying_takes_no_later_amendment_for_a_wrong_place(any_caller: Caller) -> None:
    """An entry that counts again is later than the late event that stands behind it, as nobody could know."""
    season = [game(0, "ann", "bob"), game(5, "cat", "ann"), game(1, "bob", "cat"), game(4, "ann", "cat")]
    for sent in [*season, {"void": 2}, late := game(2, "ann", "dan", late=True), {"void": 5}]:
        any_caller.report(sent)
    found = any_caller.get("events/6")
    assert (found["place"], found["rated_time"] > late["time"]) == (3, True)
    assert any_caller.verified()["warnings"] == []


def test_a_late_event_has_its_place_among_times_that_a_void_of_the_same_request_gives_back(
    any_caller: Caller,
) -> None:
    season = [game(0, "ann", "bob"), game(5, "bob", "cat"), game(2, "bob", "ann")]  # the second is wrong
    late = game(3, "ann", "bob", late=True)
    assert any_caller.bulk([*season, game(1, "ann", "cat")])["refused"] == 0
    assert any_caller.bulk([{"void": 2}, game(3, "cat", "ann"), late], atomic=True)["refused"] == 0
    right = Ladder("elo")
    for sent in (season[0], season[2], game(2, "ann", "cat"), game(3, "cat", "ann"), late):
        right.record(ranks=sent["ranks"], time=sent["time"])
    assert {row["player"]: row["mu"] for row in board(any_caller)} == {
        player: right.rating(player).mu for player in ("ann", "bob", "cat")
    }
    assert any_caller.get("events/7")["place"] == 6
    any_caller.verified()


def test_pages_of_a_history_with_late_events_are_whole(caller: Caller, model: CorrectedModel) -> None:
    for day in (1, 0, 2):
        amend(caller, model, game(day, "ann", "bob", late=True))
    whole = caller.get("history", player="ann")["events"]
    pages, cursor = [], None
    while True:
        asked = {} if cursor is None else {"cursor": cursor}
        page = caller.get("history", player="ann", limit=2, **asked)
        pages += page["events"]
        if (cursor := page["next"]) is None:
            break
    assert pages == whole
    assert len(whole) == 6
    met = caller.get("head-to-head", a="ann", b="bob", limit=2)
    rest = caller.get("head-to-head", a="ann", b="bob", limit=9, cursor=met["next"])
    assert [one["number"] for one in (*met["meetings"], *rest["meetings"])] == [7, 5, 6, 1]
    assert (met["wins"], met["losses"]) == (4, 0)


def test_a_disqualification_lets_the_others_close_up(caller: Caller, model: CorrectedModel) -> None:
    race = {"ranks": {"ann": 1, "bob": 2, "cat": 3}, "time": DAYS[4]}
    caller.report(race)
    model.add(race)
    amend(caller, model, {"disqualify": ["ann"], "event": 5})
    entry = caller.get("events/5")
    assert [(one["player"], one["rank"]) for one in entry["changes"]] == [("bob", 1), ("cat", 2)]
    assert (entry["disqualified"], entry["rated_disqualified"]) == ([], ["ann"])
    caller.refused({"disqualify": ["ann"], "event": 5}, 409, "amendment")
    caller.refused({"disqualify": ["eve"], "event": 5}, 400, "input")
    amend(caller, model, {"void": 6})
    amend(caller, model, {"disqualify": ["bob", "cat"], "event": 5})
    assert caller.get("events/5")["changes"] == []


def test_adjustments_are_voided_like_events(caller: Caller, model: CorrectedModel) -> None:
    for sent in (
        {"adjustment": "set-rating", "player": "eve", "mu": 1900, "time": DAYS[4]},
        {"adjustment": "release", "player": "eve", "time": DAYS[4]},
        {"adjustment": "reset", "keep": 0.5, "time": DAYS[4]},
    ):
        caller.report(sent)
        model.add(sent)
    amend(caller, model, {"void": 5})  # of whom nothing is left to release
    assert "eve" not in {row["player"] for row in board(caller)}
    amend(caller, model, {"void": 7})


def test_a_renamed_player_is_meant_by_the_name_of_now(caller: Caller, model: CorrectedModel) -> None:
    caller.report({"adjustment": "rename", "player": "bob", "into": "rob", "time": DAYS[3]})
    caller.report({"correct": 1, "ranks": {"rob": 1, "ann": 2}})
    caller.report({"adjustment": "rename", "player": "rob", "into": "bobby", "time": DAYS[3]})
    judge = Ladder("elo")
    judge.record(ranks={"bobby": 1, "ann": 2})
    judge.record(ranks={"bobby": 1, "cat": 2})
    judge.record(ranks={"cat": 1, "ann": 2})
    judge.record(ranks={"ann": 1, "dan": 2})
    assert {row["player"]: row["mu"] for row in board(caller)} == {
        name: judge.rating(name).mu for name in ("ann", "bobby", "cat", "dan")
    }
    caller.service.ladders.drop("chess")
    assert {row["player"]: row["mu"] for row in board(caller)}["bobby"] == judge.rating("bobby").mu
    caller.verified()


def test_events_of_a_merged_account_can_still_be_corrected(caller: Caller, model: CorrectedModel) -> None:
    caller.report({"adjustment": "merge", "player": "dan", "into": "ann", "time": DAYS[3]})
    caller.report({"void": 4})
    judge = Ladder("elo")
    for sent in SEASON[:3]:
        judge.record(ranks=sent["ranks"])
    assert {row["player"]: row["mu"] for row in board(caller)} == {
        name: judge.rating(name).mu for name in ("ann", "bob", "cat")
    }
    caller.verified()


# ---------------------------------------------------------------------- what is refused


def test_what_cannot_be_amended_is_refused_and_changes_nothing(caller: Caller, model: CorrectedModel) -> None:
    caller.report({"adjustment": "rename", "player": "dan", "into": "don", "time": DAYS[3]})
    caller.report({"adjustment": "merge", "player": "don", "into": "cat", "time": DAYS[3]})
    caller.report({"void": 1, "key": "v"})
    before = [caller.get(""), board(caller), caller.log()]
    caller.refused({"void": 99}, 404, "unknown-event")
    caller.refused({"void": 0}, 404, "unknown-event")
    told = caller.refused({"void": 1}, 409, "amendment")
    assert "entry 7" in told["detail"]
    assert "take back 7" in told["hint"]
    caller.refused({"correct": 1, "ranks": {"ann": 2, "bob": 1}}, 409, "amendment")
    caller.refused({"void": 5}, 409, "amendment")
    caller.refused({"correct": 5, "ranks": {"ann": 2, "bob": 1}}, 409, "amendment")
    caller.refused({"correct": 2, "teams": [["bob", "ann"], ["cat"]], "ranks": [1, 0]}, 400, "input")
    caller.refused({"ranks": {"ann": 1, "bob": 2}, "late": True}, 400, "input")
    caller.refused({"disqualify": [], "event": 2}, 400, "input")
    caller.refused({"void": 1.5}, 400, "input")
    caller.refused({"void": 2, "ranks": {"ann": 1}}, 400, "input")
    assert [caller.get(""), board(caller), caller.log()] == before


def test_a_name_that_is_there_already_is_not_brought_back(caller: Caller, model: CorrectedModel) -> None:
    amend(caller, model, {"void": 1})
    again = game(0, "bob", "ann", name="first", late=True)
    amend(caller, model, again)  # as the first is void, it may be reported again
    caller.refused({"void": 5}, 409, "repeat")
    found = caller.refused({"correct": 6, "ranks": {"ann": 1, "bob": 2}, "time": DAYS[1]}, 409, "amendment")
    assert "late" in found["hint"]
    caller.refused(
        {"correct": 2, "ranks": {"cat": 1, "bob": 2}, "name": "first", "time": DAYS[0]}, 409, "repeat"
    )
    amend(caller, model, {"void": 6})
    amend(caller, model, {"void": 5})


def test_a_known_report_is_answered_with_what_counts_now(caller: Caller, model: CorrectedModel) -> None:
    amend(caller, model, game(3, "ann", "dan", key="last"))
    known = caller.report(game(3, "ann", "dan", key="last"))
    amend(caller, model, {"void": 1})
    later = caller.report(game(3, "ann", "dan", key="last"))
    assert later["changes"] == caller.get("events/5")["changes"] != known["changes"]
    assert later["rated"]
    amend(caller, model, {"disqualify": ["dan"], "event": 5})
    alone = caller.report(game(3, "ann", "dan", key="last"))
    assert (alone["status"], alone["rated"], alone["changes"]) == ("known", False, [])
    amend(caller, model, {"correct": 5, "ranks": {"dan": 1, "bob": 2}})
    other = caller.report(game(3, "ann", "dan", key="last"))
    assert (other["rated"], [one["player"] for one in other["changes"]]) == (True, ["dan", "bob"])
    amend(caller, model, {"void": 5})
    void = caller.report(game(3, "ann", "dan", key="last"))
    assert (void["status"], void["number"], void["rated"], void["changes"]) == ("known", 5, False, [])


def test_keys_of_amendments_are_those_of_reports(caller: Caller, model: CorrectedModel) -> None:
    sent: list[Plain] = [
        {"void": 2, "key": "a"},
        {"correct": 3, "ranks": {"ann": 1, "cat": 2}, "key": "b"},
        {"disqualify": ["ann"], "event": 4, "key": "c"},
        game(0, "dan", "cat", late=True, key="d"),
    ]
    first = [caller.report(one) for one in sent]
    again = [caller.report(one) for one in sent]
    assert [one["status"] for one in again] == ["known"] * 4
    assert [one["number"] for one in first] == [one["number"] for one in again]
    caller.refused({"void": 3, "key": "a"}, 409, "key-conflict")
    caller.refused({"correct": 3, "ranks": {"ann": 2, "cat": 1}, "key": "b"}, 409, "key-conflict")
    caller.refused({"disqualify": ["dan"], "event": 4, "key": "c"}, 409, "key-conflict")
    found = caller.refused(game(0, "dan", "cat", key="d"), 409, "key-conflict")
    assert {one["field"] for one in found["differences"]} == {"late"}
    for one in sent:
        model.add(one)
    assert board(caller) == model.ratings()
    caller.verified()


def test_a_chain_of_hundreds_of_voids_is_no_burden(caller: Caller, model: CorrectedModel) -> None:
    caller.bulk([{"void": 4}, *({"void": 5 + number} for number in range(400))])
    found = caller.get("")
    assert (found["head"], found["pending"]) == (405, 0)
    assert caller.get("events/4")["status"] == "void"  # 401 voids, each of the one before
    caller.report({"void": 405})
    assert caller.get("events/4")["status"] == "in force"
    caller.verified()


# ---------------------------------------------------------------------- far back


def test_far_back_ratings_are_computed_anew_by_a_job(any_caller: Caller) -> None:
    caller, model = any_caller, begun(any_caller)
    before = board(caller)
    with far():
        answer = caller.report({"void": 1})
    assert answer["provisional"]
    assert (board(caller), caller.get("")["pending"]) == (before, 1)
    assert caller.get("events/5")["status"] == "pending"
    assert caller.report(game(4, "dan", "ann"))["provisional"]
    with far():
        late = caller.report(game(1, "cat", "dan", late=True))
    assert (late["provisional"], late["changes"]) == (True, [])
    caller.verified()
    for sent in ({"void": 1}, game(4, "dan", "ann"), game(1, "cat", "dan", late=True)):
        model.add(sent)
    built(caller)
    assert (board(caller), caller.get("")["pending"]) == (model.ratings(), 0)
    assert caller.get("")["generation"] == 2
    caller.verified()
    (job,) = caller.client.get("/api/v1/jobs").json()["jobs"]
    assert (job["status"], job["result"]["generation"]) == ("done", 2)


def test_a_void_that_is_still_to_be_counted_turns_the_clock_back_when_it_counts(
    caller: Caller, model: CorrectedModel
) -> None:
    """What is reported meanwhile is rated at the time at which the ladder stands, until the switch."""
    with far():
        caller.report({"void": 4})
        model.settled = 4
        model.add({"void": 4})
        for sent in (game(2, "bob", "ann"), game(2, "cat", "bob", late=True)):
            caller.report(sent)
            model.add(sent)
    assert [entry["rated_time"] for entry in caller.log()[-2:]] == [DAYS[3], DAYS[2]]
    built(caller)
    assert [entry["rated_time"] for entry in caller.log()[-2:]] == [DAYS[2], DAYS[2]]
    assert (board(caller), caller.get("")["pending"]) == (model.ratings(), 0)
    caller.verified()


def test_what_corrections_need_is_begun_again_if_it_is_cancelled(
    caller: Caller, model: CorrectedModel
) -> None:
    with far():
        caller.report({"void": 1})
    model.add({"void": 1})
    (job,) = caller.client.get("/api/v1/jobs").json()["jobs"]
    cancelled = caller.client.delete(f"/api/v1/jobs/{job['number']}").json()
    assert cancelled["status"] == "cancelled"
    built(caller)
    assert (board(caller), caller.get("")["pending"]) == (model.ratings(), 0)
    statuses = [one["status"] for one in caller.client.get("/api/v1/jobs").json()["jobs"]]
    assert statuses == ["done", "cancelled"]


class KilledError(Exception):
    """Somebody was killed."""


def killed_at(service: Service, name: str) -> Callable[..., Any]:
    """What runs functions that write, and is killed after it has run one of this name."""

    def write(function: Any, *args: Any) -> Any:
        answer = function(service, *args)
        if function.__name__ == name:
            raise KilledError
        return answer

    return write


def test_nothing_is_left_of_what_several_have_half_built(any_caller: Caller) -> None:
    """The first began at the first event; the second, which begins later, was killed before it cleaned up."""
    caller, model = any_caller, begun(any_caller)
    service = caller.service
    for write, system in (
        (killed_at(service, "store_changes"), make_system("glicko2")),
        (killed_at(service, "begin_building"), None),
    ):
        with pytest.raises(KilledError):
            build_generation(write, service.database, "chess", system=system)
        if system is not None:
            assert caller.report({"void": 4})["provisional"]
            model.add({"void": 4})
    built(caller)
    assert board(caller) == model.ratings()
    caller.verified()


def test_a_half_built_generation_is_begun_again(any_caller: Caller) -> None:
    caller, model = any_caller, begun(any_caller)
    service = caller.service
    with far():
        caller.report({"void": 1})

    for name in ("begin_building", "store_changes", "store_checkpoint"):
        with pytest.raises(KilledError):
            build_generation(killed_at(service, name), service.database, "chess")
        caller.verified()
    caller.report({"void": 2})  # near, but somebody has begun to build
    for sent in ({"void": 1}, {"void": 2}):
        model.add(sent)
    built(caller)
    assert board(caller) == model.ratings()
    caller.verified()


def test_an_amendment_before_the_point_reached_restarts_the_building(any_caller: Caller) -> None:
    caller, model = any_caller, begun(any_caller)
    service, begins = caller.service, []
    with far():
        caller.report({"void": 3})

    def write(function: Any, *args: Any) -> Any:
        if function.__name__ == "begin_building":
            begins.append(args)
        answer = function(service, *args)
        if function.__name__ == "store_checkpoint" and len(begins) == 1:
            caller.report({"void": 1})
            caller.report(game(4, "dan", "bob"))
        return answer

    build_generation(write, service.database, "chess")
    assert len(begins) == 2
    for sent in ({"void": 3}, {"void": 1}, game(4, "dan", "bob")):
        model.add(sent)
    assert board(caller) == model.ratings()
    caller.verified()


def generation(number: int, engine: int | None, changed_from: int, amended_to: int) -> Generation:
    return Generation(
        number,
        "{}",
        engine,
        amended_to,
        changed_from,
        replaced=None,
        builder=None,
        own_times=True,
        has_adjustments=True,
        created=0,
    )


FIRST = generation(1, None, 0, 0)


@pytest.mark.parametrize(
    "generations, current, others, first",
    [
        ([FIRST], 1, [], None),
        ([FIRST], 1, [5, 6], 5),
        ([FIRST, generation(2, 1, 3, 10)], 2, [5], None),
        ([FIRST, generation(2, 1, 3, 10)], 2, [5, 12], 12),
        ([FIRST, generation(2, 1, 7, 10)], 2, [5], 5),
        ([FIRST, generation(2, 9, 4, 10)], 2, [], 4),
        ([FIRST, generation(2, 9, 4, 10)], 1, [], None),  # which is still being built
        ([FIRST, generation(2, 9, 4, 10), generation(3, 1, 2, 11)], 3, [], None),
        ([generation(4, None, 0, 0)], 4, [], 0),  # of an older podium
    ],
)
def test_it_is_known_who_computed_what(
    generations: list[Generation], current: int, others: list[int], first: int | None
) -> None:
    """The first number that another engine than 1, which is the one here, may have computed."""
    assert first_foreign(generations, current, 1, others) == first


# ---------------------------------------------------------------------- readers


def test_pages_are_of_one_generation_while_another_takes_over(any_caller: Caller) -> None:
    caller, model = any_caller, begun(any_caller)
    old = {
        "leaderboard": board(caller),
        "history": caller.get("history", player="ann")["events"],
        "head-to-head": caller.get("head-to-head", a="ann", b="cat")["meetings"],
    }
    begun_lists = {
        "leaderboard": caller.get("leaderboard", min_events=0, limit=1),
        "history": caller.get("history", player="ann", limit=1),
    }
    amend(caller, model, {"void": 2})
    amend(caller, model, {"void": 1})
    rest = caller.get("leaderboard", min_events=0, cursor=begun_lists["leaderboard"]["next"])
    assert [*begun_lists["leaderboard"]["ratings"], *rest["ratings"]] == old["leaderboard"]
    assert rest["generation"] == 1
    rest = caller.get("history", player="ann", cursor=begun_lists["history"]["next"])
    assert [*begun_lists["history"]["events"], *rest["events"]] == old["history"]
    assert rest["generation"] == 1


def test_what_was_replaced_goes_after_some_minutes(any_caller: Caller) -> None:
    caller, model = any_caller, begun(any_caller)
    cursor = caller.get("history", player="ann", limit=1)["next"]
    for sent in ({"void": 2}, {"void": 5}, {"void": 1}):
        amend(caller, model, sent)
    address = caller.service.database.address
    count = "SELECT count(*) FROM change"
    before = executed(address, count)[0]
    clean_generations(caller.service)
    assert executed(address, count)[0] == before  # somebody may still read
    executed(address, "UPDATE generation SET replaced = replaced - 3600000000")
    clean_generations(caller.service)
    assert executed(address, count)[0] == 6  # three events of two players
    assert executed(address, "SELECT count(*) FROM change WHERE rank = 0") == [0]
    gone = caller.client.get("/api/v1/ladders/chess/history", params={"player": "ann", "cursor": cursor})
    problem(gone, 410, "stale-cursor")
    assert board(caller) == model.ratings()
    caller.verified()
    amend(caller, model, {"void": 3})
    clean_generations(caller.service)


# ---------------------------------------------------------------------- races


def test_readers_do_not_wait_for_who_waits_for_the_row(postgresql_address: str) -> None:
    """Another worker may have the ladder's row for long; only reports of this one wait."""
    with called_service(postgresql_address) as caller, psycopg.connect(postgresql_address) as other:
        caller.create()
        before = begun(caller).ratings()
        other.execute("SELECT * FROM ladder FOR UPDATE")
        with ThreadPoolExecutor(1) as threads:
            report = threads.submit(caller.report, game(4, "bob", "ann"))
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            while not executed(postgresql_address, waiting)[0]:
                time.sleep(0.01)
            assert board(caller) == before
            assert len(caller.get("history", player="ann")["events"]) == 3
            assert not report.done()
            other.rollback()
            assert report.result()["number"] == 5


def test_of_two_voids_at_once_one_counts(postgresql_address: str) -> None:
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        model = begun(one)
        for number in range(1, 5):
            with ThreadPoolExecutor(2) as threads:
                sent = {"void": number}
                answers = list(threads.map(lambda caller, sent=sent: caller.sent(sent), (one, other)))
            assert sorted(answer.status_code for answer in answers) == [201, 409], [a.text for a in answers]
            model.add({"void": number})
        assert board(one) == board(other) == model.ratings()
        assert one.verified()["head"] == 8


def test_a_void_and_a_correction_at_once_have_one_outcome(postgresql_address: str) -> None:
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        model = begun(one)
        for number in range(1, 5):
            fixed = {"correct": number, "ranks": {"eve": 1, "fay": 2}}
            with ThreadPoolExecutor(2) as threads:
                corrected = threads.submit(other.sent, fixed)
                voided = one.sent({"void": number})
            sent = {voided: {"void": number}, corrected.result(): fixed}
            assert voided.status_code == 201
            good = [answer for answer in sent if answer.status_code == 201]
            for answer in sorted(good, key=lambda answer: answer.json()["number"]):
                model.add(sent[answer])
        assert board(one) == board(other) == model.ratings()
        one.verified()


def test_generations_take_over_while_others_report_and_read(postgresql_address: str) -> None:
    """Every acknowledged report is there once, and every page is of one generation."""
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        begun(one)
        end = time.monotonic() + 1.5

        def report(caller: Caller) -> int:
            done = 0
            while time.monotonic() < end:
                done += caller.sent({"ranks": {"ann": 1, "bob": 2}}).status_code == 201
            return done

        def amend_far_and_near() -> int:
            done = 0
            while time.monotonic() < end:
                with far():
                    assert one.sent({"void": 1 if done % 2 == 0 else head}).status_code == 201
                head = one.get("")["head"]
                head = next(n for n in range(head, 0, -1) if one.get(f"events/{n}")["entry"] == "void")
                built(one)
                assert other.sent({"disqualify": ["ann"], "event": 2}).status_code == 400
                done += 1
            return done

        def read() -> int:
            done = 0
            while time.monotonic() < end:
                page = other.get("history", player="ann", limit=3)
                by_number = sorted(page["events"], key=lambda event: event["number"])
                for before, after in pairwise(by_number):
                    assert after["mu_before"] == before["mu"]
                done += 1
            return done

        with ThreadPoolExecutor(4) as threads:
            reports = [threads.submit(report, caller) for caller in (one, other)]
            amended, looks = threads.submit(amend_far_and_near), threads.submit(read)
            recorded = sum(future.result() for future in reports)
            assert amended.result()
            assert looks.result()
        head = one.verified()["head"]
        assert head == 4 + recorded + amended.result()
        assert board(one) == board(other)


def test_verifying_tells_of_amendments_that_older_versions_took(
    caller: Caller, model: CorrectedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.report({"void": 1})
    assert caller.verified()["warnings"] == []
    with monkeypatch.context() as patch:  # as if it came in one request with the first
        patch.setattr(Amending, "_check_in_force", lambda *_: None)
        again = caller.report({"void": 1})["number"]
    (warning,) = caller.verified()["warnings"]
    assert f"entry {again} amends entry 1, which was already void" in warning


# ---------------------------------------------------------------------- consequences, and another system


def moves(before: list[Plain], after: list[Plain]) -> dict[str, tuple[Any, ...]]:
    """Who moves from one board to another: displays and places of both."""
    old, new = ({row["player"]: (row["display"], row["place"]) for row in rows} for rows in (before, after))
    everybody = old.keys() | new.keys()
    found = {one: (*old.get(one, (None, None)), *new.get(one, (None, None))) for one in everybody}
    return {one: pair for one, pair in found.items() if pair[0] != pair[2]}


@pytest.mark.parametrize(
    "sent, again",
    [
        ({"void": 2}, 2),
        ({"correct": 1, "ranks": {"eve": 1, "bob": 2}}, 4),
        ({"disqualify": ["dan"], "event": 4}, 1),
        (game(1, "dan", "cat", late=True), 3),
        (game(5, "dan", "cat", late=True), 1),
    ],
    ids=["void", "correction", "disqualification", "late", "not late at all"],
)
def test_consequences_are_what_becomes_of_it(
    caller: Caller, model: CorrectedModel, sent: Plain, again: int
) -> None:
    before, ladder = board(caller), caller.get("")
    told = caller.report({**sent, "key": "a"}, dry_run=True)
    assert told["kind"] == "consequences"
    assert (told["rated_again"], told["head"]) == (again, 4)
    assert (board(caller), caller.get("")) == (before, ladder)
    amend(caller, model, {**sent, "key": "a"})
    found = {
        one["player"]: (one["display_before"], one["place_before"], one["display"], one["place"])
        for one in told["players"]
    }
    assert found == moves(before, board(caller))
    assert told["moved"] == len(found)
    gains = [abs(one["gain"]) for one in told["players"] if one["gain"] is not None]
    assert (told["largest"], gains) == (max(gains, default=0.0), sorted(gains, reverse=True))


def test_a_late_event_that_stands_before_is_not_rated_again(caller: Caller, model: CorrectedModel) -> None:
    """Entry 5 came late, behind entry 2: what amends entry 4, the last one, leaves it alone."""
    amend(caller, model, game(1, "dan", "cat", late=True))
    again = {
        word: caller.report({**sent, "key": word}, dry_run=True)["rated_again"]
        for word, sent in {
            "void": {"void": 4},
            "correct": {"correct": 4, "ranks": {"eve": 1, "bob": 2}},
            "late": {"correct": 5, "ranks": {"dan": 2, "cat": 1}},
            "later": game(2, "dan", "cat", late=True),
        }.items()
    }
    assert again == {"void": 0, "correct": 1, "late": 3, "later": 2}
    amend(caller, model, game(5, "eve", "cat"))
    last = caller.report({**game(4, "dan", "cat", late=True), "key": "last"}, dry_run=True)
    assert last["rated_again"] == 2  # itself, and the game after it


def test_consequences_far_back_are_told_by_a_job(caller: Caller, model: CorrectedModel) -> None:
    near = caller.report({"void": 1}, dry_run=True)
    with far():
        answer = caller.sent({"void": 1}, dry_run=True)
        assert answer.status_code == 202
        built(caller)
    job = caller.client.get(f"/api/v1/jobs/{answer.json()['number']}").json()
    assert (job["status"], job["task"]) == ("done", "consequences")
    assert {"podium": 1, "kind": "consequences", **job["result"]} == near
    assert caller.get("")["head"] == 4
    caller.refused({"void": 9}, 404, "unknown-event", dry_run=True)


@pytest.mark.parametrize(
    "amendment",
    [
        {"void": 1},
        {"correct": 1, "ranks": {"bob": 1, "ann": 2}},
        {"disqualify": ["ann"], "event": 1},
        game(0, "cat", "bob", late=True),
    ],
)
def test_a_bulk_dry_run_takes_no_amendment(caller: Caller, model: CorrectedModel, amendment: Plain) -> None:
    before, plain = board(caller), game(4, "ann", "bob")
    for sent in ([amendment], [amendment, plain], [plain, amendment], [amendment, {"ranks": 1}]):
        for atomic in (False, True):
            answer = caller.sent_bulk(sent, dry_run=True, atomic=atomic)
            found = problem(answer, 400, "amendment-preview")
            assert "one at a time" in found["detail"]
            assert "dry_run=true" in found["hint"]
    assert (board(caller), caller.get("")["head"]) == (before, 4)
    recorded = caller.bulk([amendment, plain])["outcomes"]
    assert [one["status"] for one in recorded] == ["recorded"] * 2


RENAMED = {"adjustment": "rename", "player": "ann", "into": "annie"}
CUP = {"ranks": {"ann": 1, "bob": 2}, "name": "cup", "time": DAYS[1]}


@pytest.mark.parametrize(
    ("sent", "statuses", "is_independent"),
    [
        ([{"disqualify": ["ann"], "event": 1}] * 2, ["recorded", "refused"], False),
        ([RENAMED, {"disqualify": ["ann"], "event": 1}], ["recorded", "refused"], False),
        (
            [{"correct": 1, "ranks": {"new": 1, "bob": 2}}, {**RENAMED, "player": "new"}],
            ["recorded"] * 2,
            False,
        ),
        ([{"void": 1}, {"void": 3}, {"void": 5}], ["recorded"] * 3, False),
        ([{"correct": 1, **CUP}, {**CUP, "late": True}], ["recorded", "refused"], False),
        ([{"correct": 3, **CUP}, game(2, "ann", "cat", late=True)], ["recorded"] * 2, False),
        ([{"void": 3}, game(2, "ann", "cat", name="first", late=True)], ["recorded"] * 2, True),
    ],
)
def test_amendments_of_a_bulk_see_each_other(
    caller: Caller, sent: list[Plain], statuses: list[str], is_independent: bool
) -> None:
    """Whatever is in one request, all answers and ratings are those of one request for each."""
    sent = [{**one, "key": f"amends {number}"} for number, one in enumerate(sent)]
    for slug in ("alone", "atomic"):
        caller.create(slug)
    for slug in ("chess", "alone", "atomic"):
        caller.bulk(SEASON, ladder=slug)
    alone = [caller.sent(one, ladder="alone") for one in sent]
    assert ["recorded" if one.status_code == 201 else "refused" for one in alone] == statuses
    assert [one["status"] for one in caller.bulk(sent)["outcomes"]] == statuses
    assert board(caller) == board(caller, "alone")
    caller.verified()
    together = caller.sent_bulk(sent, ladder="atomic", atomic=True)
    if is_independent:
        assert together.status_code == 200
        assert board(caller, "atomic") == board(caller, "alone")
    else:
        problem(together, 409, "refused")
        assert caller.get("", ladder="atomic")["head"] == len(SEASON)


def test_a_ladder_is_rated_by_another_system(any_caller: Caller) -> None:
    caller, model = any_caller, begun(any_caller)
    amend(caller, model, {"void": 2})
    model.system = "glicko2"
    chosen = {"system": "glicko2"}
    before = board(caller)
    assert caller.ask("system?dry_run=true", chosen).status_code == 202
    built(caller)
    result = caller.client.get("/api/v1/jobs").json()["jobs"][0]["result"]
    assert (result["old"]["system"], result["new"]["system"]) == ("elo", "glicko2")
    assert board(caller) == before
    told = {one["player"]: one["display"] for one in result["players"]}
    assert told == {row["player"]: row["display"] for row in model.ratings()}
    assert caller.ask("system", chosen).status_code == 202
    problem(caller.ask("system", {"system": "trueskill"}), 409, "superseded")
    caller.report(game(4, "bob", "cat"))
    model.add(game(4, "bob", "cat"))
    built(caller)
    found = caller.get("")
    assert (found["system"], found["generation"]) == ("glicko2", 3)
    assert board(caller) == model.ratings()
    caller.verified()
    amend(caller, model, {"void": 1})
    problem(caller.ask("system", chosen), 400, "parameter")


def test_a_system_that_cannot_use_the_log_changes_nothing(caller: Caller, model: CorrectedModel) -> None:
    teams = {"teams": [["ann", "bob"], ["cat"]], "ranks": [1, 2], "time": DAYS[4]}
    caller.report(teams)
    before = board(caller)
    job = caller.ask("system", {"system": "codeforces"}).json()
    built(caller)
    failed = caller.client.get(f"/api/v1/jobs/{job['number']}").json()
    assert failed["status"] == "failed"
    assert "teams" in failed["reason"]
    assert (board(caller), caller.get("")["system"]) == (before, "elo")
    caller.report({"void": 5})  # which finds what was left of it, and asks for a job
    built(caller)
    model.log.append({"void": 0})  # in place of the teams, of which the judge knows nothing
    assert board(caller) == model.ratings()
    caller.verified()
    problem(caller.ask("system", {"system": "no such"}), 400, "parameter")
    before = board(caller)
    caller.client.patch("/api/v1/ladders/chess", json={"archived": True})
    problem(caller.ask("system", {"system": "glicko2"}), 409, "archived")
    assert board(caller) == before
