"""Imports of many rows, and beside others who report to, correct or rebuild the same ladder."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from pathlib import Path
from threading import Semaphore
from typing import Any
from unittest.mock import patch

import pytest

from podium.history import History
from podium.server.correcting.rerating import build_generation
from podium.server.jobs import history_import, import_runs, job_cleaning
from podium.server.jobs.imported_pieces import hold_ladder, save_ladder, store_imported, store_in_turn
from podium.server.jobs.job_cleaning import clean_jobs
from podium.server.ladders.numbered_ladder import ChangeColumns, NumberedLadder
from podium.server.log.checkpoints import BYTES_PER_ROW
from podium.server.log.log_entries import stored_row
from podium.systems import State
from server.callers import Caller
from server.test_imports import TEAMS, imported, job, ordered, rated, ratings, run_jobs


def rating_list(players: int) -> str:
    """A file of ratings, each of which becomes an adjustment."""
    return "name,elo\n" + "".join(f"p{n},{1000 + n % 900}\n" for n in range(players))


def test_a_list_of_ratings_takes_memory_and_transactions_by_its_length(any_caller: Caller) -> None:
    """Not by the square of it: four times the rows are at most five times the memory, and one transaction."""
    pieces = 0

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal pieces
        pieces += store_imported in args
        return function(any_caller.service, *args)

    peaks = []
    for rows in (10, 200, 800):  # the first one imports what an import needs
        slug = f"list-{rows}"
        any_caller.create(slug)
        number = ordered(any_caller, rating_list(rows), ladder=slug)
        tracemalloc.start()
        run_jobs(any_caller, write)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert job(any_caller, number)["status"] == "done"
        assert any_caller.get("", ladder=slug)["players"] == rows
    assert peaks[2] < 5 * peaks[1]
    assert pieces == len(peaks)
    any_caller.verified("list-200")


def test_a_large_ladder_is_saved_less_often_while_it_grows(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What all checkpoints of an import take together grows with its rows, not with their square."""
    monkeypatch.setattr(import_runs, "ROWS_PER_CHECKPOINT", 4)
    monkeypatch.setattr(import_runs, "ROWS_PER_PIECE", 20)
    saved: list[int] = []

    def write(function: Callable[..., Any], *args: Any) -> Any:
        if save_ladder in args:
            saved.append(len(args[-1][-1]))
        return function(any_caller.service, *args)

    number = ordered(any_caller, newcomers(600))
    run_jobs(any_caller, write)
    assert job(any_caller, number)["status"] == "done"
    assert len(saved) > 1
    assert sum(saved[:-2]) <= 1_200 * BYTES_PER_ROW  # after each of which as many rows have come
    any_caller.verified()


def test_an_import_goes_on_while_a_checkpoint_is_saved(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And each event is rated once: what a system refuses is known without rating it."""
    monkeypatch.setattr(import_runs, "ROWS_PER_PIECE", 100)
    monkeypatch.setattr(import_runs, "ROWS_PER_CHECKPOINT", 100)
    rate_columns, rated_events, has_gone_on = NumberedLadder.rate_columns, list[int](), list[bool]()
    rated_more = Semaphore(0)

    def counted(ladder: NumberedLadder, history: History, first: int) -> ChangeColumns:
        rated_events.append(len(history))
        rated_more.release()
        return rate_columns(ladder, history, first)

    def write(function: Callable[..., Any], *args: Any) -> Any:
        if save_ladder in args and not has_gone_on:
            has_gone_on.append(rated_more.acquire(timeout=10) and rated_more.acquire(timeout=10))
        return function(any_caller.service, *args)

    monkeypatch.setattr(NumberedLadder, "rate_columns", counted)
    number = ordered(any_caller, newcomers(150))
    run_jobs(any_caller, write)
    assert job(any_caller, number)["status"] == "done"
    assert has_gone_on == [True]
    assert rated_events == [50, 50, 50]
    any_caller.verified()


def test_reported_adjustments_leave_no_states_behind(caller: Caller) -> None:
    """What a ladder remembers of an adjustment is the rows of its players, not all of them before it."""
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    gc.collect()
    before = sum(isinstance(one, State) for one in gc.get_objects())
    for display in range(1500, 1520):
        caller.report({"adjustment": "set-rating", "player": "ann", "display": display})
    gc.collect()
    assert sum(isinstance(one, State) for one in gc.get_objects()) <= before + 2


GUESTS = """event,time,player,rank,rated
1,2026-01-01,ann,1,yes
1,2026-01-01,bob,2,no
1,2026-01-01,cat,3,yes
2,2026-01-02,bob,1,yes
2,2026-01-02,ann,2,yes
"""


@pytest.mark.parametrize(
    ("system", "text", "singly"), [("elo-mmr", GUESTS, 0), ("weng-lin", TEAMS, 2)], ids=["guests", "teams"]
)
def test_an_import_looks_at_no_single_event_where_columns_tell_all(
    any_caller: Caller, tmp_path: Path, system: str, text: str, singly: int
) -> None:
    """Guests in a contest are a column; teams are written one event at a time, but not also rehearsed so."""
    any_caller.create("new", system)
    with patch.object(history_import, "stored_row", wraps=stored_row) as one_by_one:
        imported(any_caller, text, ladder="new")
    assert one_by_one.call_count == singly
    assert ratings(any_caller, "new") == rated(system, tmp_path / "season.csv", text)
    any_caller.verified("new")


# ---------------------------------------------------------------------- beside others


def newcomers(matches: int) -> str:
    """A file of matches, each between two players whom nobody has met before."""
    return "winner,loser\n" + "".join(f"w{n},l{n}\n" for n in range(matches))


def imported_beside(
    caller: Caller, disturb: Callable[[int], None], when: set[int], *, turns: int
) -> list[str]:
    """Import a file in five pieces, of which some are disturbed; the keys of the log then."""
    pieces = 0

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal pieces
        if store_imported in args or store_in_turn in args:
            pieces += 1
            if pieces in when:
                disturb(pieces)
        return function(caller.service, *args)

    number = ordered(caller, newcomers(50))
    sizes = dict.fromkeys(["ROWS_PER_PIECE", "ROWS_BESIDE_OTHERS", "ROWS_IN_TURN"], 20)
    with patch.multiple(import_runs, **sizes, HELD_SECONDS=0.05, TURNS_BESIDE_OTHERS=turns):
        run_jobs(caller, write)
    found = job(caller, number)
    assert found["status"] == "done", found
    caller.verified()
    return [entry["key"] for entry in caller.log()]


@pytest.mark.parametrize(("when", "turns"), [({2, 3}, 1), ({2, 3, 5}, 20)], ids=["twice", "again and again"])
@pytest.mark.parametrize("how", ["report", "correction", "rebuild"])
def test_an_import_goes_on_beside_reports_corrections_and_rebuilds(
    any_caller: Caller, how: str, when: set[int], turns: int
) -> None:
    """Each makes a piece that is rated already useless. Names that went with it are met again by their names,
    not by the numbers they had."""
    any_caller.report({"ranks": {"ann": 1, "bob": 2}, "key": "first"})

    def disturb(piece: int) -> None:
        service = any_caller.service
        if how == "report":
            any_caller.report({"ranks": {f"new {piece}": 1, "bob": 2}, "key": f"report {piece}"})
        elif how == "correction":
            any_caller.report({"correct": 1, "ranks": {"ann": 2, "bob": 1}, "weight": piece})
        else:
            build_generation(
                lambda function, *args: function(service, *args), service.database, "chess", anew=True
            )

    keys = imported_beside(any_caller, disturb, when, turns=turns)
    mine = [key for key in keys if key.startswith("import-")]
    assert len(mine) == len(set(mine)) == 50
    assert mine == sorted(mine)
    assert len(keys) == 51 + (0 if how == "rebuild" else len(when))


def test_an_import_beside_many_reports_takes_few_transactions(any_caller: Caller) -> None:
    """A report before each of its pieces does not make them small: they take turns."""
    pieces = 0

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal pieces
        if hold_ladder in args or store_in_turn in args:
            any_caller.report({"ranks": {"ann": 1, "bob": 2}})
        if store_imported in args or store_in_turn in args:
            pieces += 1
            if pieces == 1:
                any_caller.report({"ranks": {"ann": 1, "bob": 2}})
        return function(any_caller.service, *args)

    number = ordered(any_caller, newcomers(1500))
    run_jobs(any_caller, write)
    assert job(any_caller, number)["status"] == "done"
    assert pieces == 2
    assert any_caller.get("")["head"] == 1502


def test_reports_wait_for_whoever_holds_a_ladder_and_not_for_ever(caller: Caller) -> None:
    committer = caller.service.committer
    caller.create("other")
    with ThreadPoolExecutor(1) as thread:
        committer.hold("chess", 60)
        waiting = thread.submit(caller.report, {"ranks": {"ann": 1, "bob": 2}})
        with pytest.raises(FutureTimeoutError):
            waiting.result(0.1)
        committer.release("chess")
        assert waiting.result(30)["number"] == 1
        committer.hold("chess", 0.05)
        assert thread.submit(caller.report, {"ranks": {"ann": 1, "bob": 2}}).result(30)["number"] == 2
        committer.release("chess")  # too late, and of no effect
        assert caller.report({"ranks": {"ann": 1, "bob": 2}}, ladder="other")["number"] == 1


def test_verify_warns_of_a_file_of_which_a_part_is_recorded(any_caller: Caller) -> None:
    pieces = 0

    def write(function: Callable[..., Any], *args: Any) -> Any:
        nonlocal pieces
        if store_imported in args:
            pieces += 1
            if pieces == 3:
                any_caller.client.delete(f"/api/v1/jobs/{number}")
        return function(any_caller.service, *args)

    number = ordered(any_caller, newcomers(50))
    with patch.object(import_runs, "ROWS_PER_PIECE", 20):
        run_jobs(any_caller, write)
    head = any_caller.get("")["head"]
    assert 0 < head < 50
    (warning,) = any_caller.verified()["warnings"]
    assert f"job {number} recorded only {head} of 50 entries of season.csv" in warning
    with patch.object(job_cleaning, "JOBS_KEPT_DAYS", 0):
        clean_jobs(any_caller.service)
    assert any_caller.verified()["warnings"] == [warning]
    imported(any_caller, newcomers(50))
    assert any_caller.verified()["warnings"] == []
