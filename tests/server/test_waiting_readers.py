"""What others notice of a correction: readers nothing, and reports only a bounded piece of work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Event as Flag
from typing import Any
from unittest import mock

import pytest

from podium.server.correcting import near_amendments
from podium.server.correcting.generation_cleaning import clean_generations
from podium.server.correcting.generations import find_generation
from podium.server.correcting.rerating import differing
from podium.server.http import event_routes
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.log import appending, checkpoints
from podium.server.log.checkpoints import insert_checkpoint
from podium.server.log.logged_rows import pieces_of_rows, rows_behind
from podium.server.storage.ladder_rows import find_ladder
from server.callers import Caller, Plain, called_service
from server.recorded import executed
from server.test_correcting import begun, board, built, game

PATIENCE_SECONDS = 60.0
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
NEAR = "podium.server.correcting.near_amendments.NEAR_ROWS"


def contest(number: int, players: int) -> Plain:
    """A contest in which everybody has another rank each time."""
    ranks = {f"player {one}": 1 + (one * 7 + number) % players for one in range(players)}
    return {"ranks": ranks, "time": f"2026-05-{number + 1:02}T12:00:00Z"}


# ---------------------------------------------------------------------- what is near


def test_what_is_near_is_counted_in_rows_and_not_in_entries(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NEAR, 100, raising=False)
    monkeypatch.setattr("podium.server.ladders.followed_ladder.ROWS_REMEMBERED_APART", 1, raising=False)
    for number in range(4):
        any_caller.report(contest(number, 40))
    assert not any_caller.report({"void": 4})["provisional"]  # the last contest alone
    assert any_caller.report({"void": 1})["provisional"]  # 160 rows, in four entries
    built(any_caller)
    assert any_caller.get("")["pending"] == 0
    any_caller.verified()


def season(caller: Caller, games: int) -> None:
    """Games of two, the times of which do not matter."""
    caller.bulk([{"ranks": {f"player {n % 7}": 1, f"player {(n + 1) % 7}": 2}} for n in range(games)])


def test_behind_a_ladder_rated_anew_what_is_near_is_near_again(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is saved a little before its end too, so that it need not be rated from far back."""
    season(any_caller, 100)
    monkeypatch.setattr("podium.server.correcting.rerating.TAIL_ROWS", 20)
    monkeypatch.setattr(NEAR, -1)
    assert any_caller.report({"void": 1})["provisional"]
    built(any_caller)
    monkeypatch.setattr(NEAR, 60)
    assert not any_caller.report({"void": 96})["provisional"]
    assert any_caller.report({"void": 40})["provisional"]
    built(any_caller)
    any_caller.verified()


def test_an_amendment_begins_where_the_one_before_it_did(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each would rate again what is between the nearest saved state and the end."""
    rated: list[int] = []

    def noting(*args: Any, after: int, **named: Any) -> Any:
        rated.append(after)
        return differing(*args, after=after, **named)

    season(any_caller, 100)
    monkeypatch.setattr(near_amendments, "differing", noting)
    monkeypatch.setattr(near_amendments, "ROWS_REMEMBERED_APART", 10)
    any_caller.service.ladders.drop("chess")  # as after a restart
    for number in (90, 95, 91):
        assert not any_caller.report({"void": number})["provisional"]
    any_caller.verified()
    assert rated[0] == 0
    assert min(rated[1:]) >= 89


def test_a_ladder_is_large_by_its_bytes(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is saved while its reports wait: some systems keep old results of few players."""
    saved = mock.Mock(wraps=insert_checkpoint)
    monkeypatch.setattr(near_amendments, "insert_checkpoint", saved)
    sizes = []
    for system in ("elo", "elo-mmr"):
        caller.create(system, system=system)
        caller.bulk([contest(number, 30) for number in range(20)], ladder=system)
        sizes.append(caller.service.ladders.load(system).ladder.state.nbytes)
    assert 4 * sizes[0] < sizes[1]
    monkeypatch.setattr(near_amendments, "SAVED_AT_ONCE_BYTES", 2 * sizes[0])
    caller.report({"void": 20}, ladder="elo-mmr")
    assert not saved.called
    caller.report({"void": 20}, ladder="elo")
    assert saved.called


def test_what_moves_everybody_or_may_count_again_is_work_too(any_caller: Caller) -> None:
    any_caller.bulk([contest(0, 40), {"adjustment": "reset", "keep": 0.5}, game(5, "ann", "bob")])
    database = any_caller.service.database

    def rows(behind: int, most: int = 1_000) -> int:
        with database.reading() as connection:
            return rows_behind(connection, find_ladder(connection, "chess"), behind, most)

    assert 2 <= rows(2) < 10
    assert rows(1) == 42
    assert 80 <= rows(0) < 90
    assert rows(0, 50) == 51
    any_caller.report({"void": 1})
    executed(database.address, "UPDATE generation SET replaced = replaced - 3600000000")
    clean_generations(any_caller.service)
    assert executed(database.address, "SELECT count(*) FROM change WHERE seq = 1") == [0]
    assert rows(0) >= 40


def test_what_is_deleted_at_once_is_counted_in_rows(any_caller: Caller) -> None:
    any_caller.bulk([*(contest(number, size) for number, size in enumerate((2, 2, 30, 2, 2, 2)))])
    with any_caller.service.database.reading() as connection:
        ladder = find_ladder(connection, "chess").id
        assert list(pieces_of_rows(connection, ladder, 1, 6, 4)) == [(1, 2), (3, 3), (4, 5), (6, 6)]
        assert list(pieces_of_rows(connection, ladder, 4, 90, 100)) == [(4, 90)]
        assert list(pieces_of_rows(connection, ladder, 7, 6, 4)) == []


# ---------------------------------------------------------------------- what others notice


class Barrier:
    """Stops whoever comes to a function, until it is opened."""

    def __init__(self) -> None:
        self.reached, self.opened = Flag(), Flag()

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def stopped(*args: Any, **named: Any) -> Any:
            self.reached.set()
            assert self.opened.wait(PATIENCE_SECONDS)
            return function(*args, **named)

        return stopped


@contextmanager
def stopped_at(
    owner: Any, name: str, doing: Callable[[], Any]
) -> Iterator[tuple[ThreadPoolExecutor, Future[Any], Barrier]]:
    """Somebody who does something in another thread, and has come to a function where they are stopped."""
    barrier = Barrier()
    with (
        ThreadPoolExecutor(2) as threads,
        mock.patch.object(owner, name, barrier.before(getattr(owner, name))),
    ):
        try:
            under_way = threads.submit(doing)
            assert barrier.reached.wait(PATIENCE_SECONDS)
            yield threads, under_way, barrier
        finally:
            barrier.opened.set()


def test_nobody_waits_for_a_correction_to_read(any_caller: Caller) -> None:
    caller, model = any_caller, begun(any_caller)
    before = board(caller)
    with stopped_at(appending, "rerate_near", lambda: caller.report({"void": 2})) as (threads, void, barrier):
        assert threads.submit(board, caller).result(PATIENCE_SECONDS / 4) == before
        assert len(caller.get("history", player="bob")["events"]) == 2
        assert caller.report({"void": 1}, dry_run=True)["moved"] == 4
        assert caller.get("")["pending"] == 0
        assert not void.done()
        barrier.opened.set()
        assert not void.result(PATIENCE_SECONDS)["provisional"]
    model.add({"void": 2})
    assert board(caller) == model.ratings()
    caller.verified()


def test_nobody_waits_for_a_preview_of_a_correction_to_read(any_caller: Caller) -> None:
    begun(any_caller)
    before = board(any_caller)

    def preview() -> Plain:
        return any_caller.report({"void": 2}, dry_run=True)

    with stopped_at(event_routes, "tried", preview) as (threads, told, barrier):
        assert threads.submit(board, any_caller).result(PATIENCE_SECONDS / 4) == before
        assert not told.done()
        barrier.opened.set()
        assert told.result(PATIENCE_SECONDS)["moved"] == 4


@pytest.mark.parametrize("dry_run", [False, True])
def test_nobody_waits_for_the_copy_of_a_ladder_to_read(any_caller: Caller, dry_run: bool) -> None:
    """A correction, or its preview, works on a copy, which takes long for a million players."""
    caller = any_caller
    begun(caller)
    before = board(caller)
    for number, of, name in ((2, FollowedLadder, "twin"), (1, NumberedLadder, "nameless")):
        correct = partial(caller.report, {"void": number}, dry_run=dry_run)
        with stopped_at(of, name, correct) as (threads, done, barrier):
            assert threads.submit(board, caller).result(PATIENCE_SECONDS / 4) == before
            assert threads.submit(caller.get, "rating", player="bob").result(PATIENCE_SECONDS / 4)
            assert not done.done()
            barrier.opened.set()
            done.result(PATIENCE_SECONDS)
        before = board(caller)
    caller.verified()


def test_nobody_waits_for_a_ladder_that_is_saved_to_read(any_caller: Caller) -> None:
    begun(any_caller)
    before, saver = board(any_caller), any_caller.service.checkpoints
    with stopped_at(NumberedLadder, "nameless", lambda: saver.write("chess")) as (threads, done, _):
        assert threads.submit(board, any_caller).result(PATIENCE_SECONDS / 4) == before
        assert not done.done()
    any_caller.service.ladders.drop("chess")
    assert board(any_caller) == before


def test_two_processes_may_save_a_ladder_at_the_same_moment(postgresql_address: str) -> None:
    """As two workers or an import do; a job would have failed."""
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        season(one, 20)
        before = board(one)
        saving = stopped_at(checkpoints, "remove_checkpoints", lambda: one.service.checkpoints.write("chess"))
        with saving as (threads, done, barrier):  # the checkpoint is not committed yet
            also = threads.submit(other.service.checkpoints.write, "chess")
            while not executed(postgresql_address, WAITING)[0] and not also.done():
                pass
            barrier.opened.set()
            done.result(PATIENCE_SECONDS)
            also.result(PATIENCE_SECONDS)
        assert executed(postgresql_address, "SELECT count(*) FROM checkpoint") == [1]
        one.service.ladders.drop("chess")
        assert board(one) == before


def test_a_copy_of_a_ladder_that_changed_meanwhile_is_made_again(any_caller: Caller) -> None:
    """Whether the half changed one could be copied or not; the second time nobody can report."""
    begun(any_caller)
    ladders = any_caller.service.ladders
    copies = 0

    def copy(live: FollowedLadder) -> FollowedLadder:
        nonlocal copies
        copies += 1
        twin = live.twin()
        if copies in (1, 3):
            any_caller.report({"ranks": {"ann": 1, f"guest {copies}": 2}})
        if copies == 3:
            raise IndexError
        return twin

    for _ in range(2):
        with ladders.copied("chess", copy) as (connection, twin):
            row = find_ladder(connection, "chess")
            assert twin.head == row.head
            everybody = any_caller.get("leaderboard", everybody=True)["ratings"]
            shown = {one["player"]: one["mu"] for one in everybody}
            assert {name: twin.ladder.rating(name).mu for name in twin.ladder.players} == shown
    assert copies == 4
    with pytest.raises(ZeroDivisionError), ladders.copied("chess", lambda live: 1 / 0):
        pass
    any_caller.verified()


def test_who_sees_a_correction_first_has_what_it_made_without_loading_it(any_caller: Caller) -> None:
    """The transaction is committed, and whoever appended it has not gone on yet."""
    caller, model = any_caller, begun(any_caller)
    model.add({"void": 2})
    appender = caller.service.appender
    with (
        stopped_at(appender, "_notice", lambda: caller.report({"void": 2})) as (threads, void, barrier),
        mock.patch("podium.server.ladders.loaded_ladders.load_ladder", side_effect=AssertionError),
    ):
        assert threads.submit(board, caller).result(PATIENCE_SECONDS / 4) == model.ratings()
        assert not void.done()
        barrier.opened.set()
        void.result(PATIENCE_SECONDS)
        assert board(caller) == model.ratings()
    caller.verified()


class LostError(Exception):
    """Nobody knows whether a commit succeeded."""


def test_a_correction_that_another_worker_made_is_not_taken_for_this_workers(postgresql_address: str) -> None:
    """Both have the same number, and only one of them was committed."""
    with called_service(postgresql_address) as one, called_service(postgresql_address) as other:
        one.create()
        model = begun(one)
        ladders = one.service.ladders
        live = ladders.find("chess")
        assert live is not None
        other.report({"void": 2})
        model.add({"void": 2})
        with one.service.database.reading() as connection:
            theirs = find_generation(connection, live.row.id, 2)
        assert theirs is not None
        with suppress(LostError), ladders.switching(live.twin(), replace(theirs, created=0)):
            assert board(one) == model.ratings()
            raise LostError
        assert board(one) == board(other) == model.ratings()
