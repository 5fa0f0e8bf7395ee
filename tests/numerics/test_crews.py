"""Crews: every part of a loop is done once, whoever helps, and whoever does not."""

from __future__ import annotations

import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from podium.arrays import Longs
from podium.numerics import crews, threads
from podium.numerics.crews import Board, await_parts, end_part, in_crew, next_part, open_loop, subject_of
from podium.numerics.jit import kernel
from podium.numerics.threads import in_threads

LOOPS, PARTS = 2000, 7


@kernel
def count_parts(done: Longs, helped: Longs, unfinished: Longs, board: Board, helping: bool) -> None:
    """Loops whose parts leave a mark; the leader also looks whether a loop was left before its end."""
    for loop in range(1 if helping else len(done)):
        if not helping:
            open_loop(board, loop, done.shape[1])
        part = next_part(board, helping)
        while part >= 0:
            now = subject_of(board)
            for _ in range(200):  # long enough for others to come
                done[now, part] += 1
            helped[now, part] = helping
            end_part(board)
            part = next_part(board, helping)
        if not helping:
            await_parts(board)
            for part in range(done.shape[1]):
                unfinished[0] += done[loop, part] != 200


def set_pool(monkeypatch: pytest.MonkeyPatch, number: int, helpers: ThreadPoolExecutor) -> None:
    for module in (crews, threads):
        monkeypatch.setattr(module, "threads", lambda: number)
    monkeypatch.setattr(threads, "_pool", lambda number: helpers)


@pytest.fixture
def four_threads(monkeypatch: pytest.MonkeyPatch) -> ThreadPoolExecutor:
    """As if there were four threads, with helpers of their own; these have to be free again in the end."""
    helpers = ThreadPoolExecutor(3)
    set_pool(monkeypatch, 4, helpers)
    return helpers


def all_are_free(helpers: ThreadPoolExecutor) -> bool:
    """Whether as many as there are can meet."""
    meeting = threading.Barrier(3, timeout=30)
    return sorted(helper.result() for helper in [helpers.submit(meeting.wait) for _ in range(3)]) == [0, 1, 2]


@pytest.mark.parametrize("helped", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_every_part_is_done_once_before_the_next_loop_opens(
    four_threads: ThreadPoolExecutor, helped: bool
) -> None:
    done, helpers, unfinished = (np.zeros(size, np.int64) for size in ((LOOPS, PARTS), (LOOPS, PARTS), 1))
    in_crew(partial(count_parts, done, helpers, unfinished), helped)
    assert np.array_equal(done, np.full((LOOPS, PARTS), 200))
    assert not unfinished[0]
    assert helped or not helpers.any()
    assert all_are_free(four_threads)


@pytest.mark.compiled
def test_helpers_can_do_all_parts(four_threads: ThreadPoolExecutor) -> None:
    done, helpers, unfinished = (np.zeros(size, np.int64) for size in ((1, PARTS), (1, PARTS), 1))

    def call(board: Board, helping: bool) -> None:
        if helping:
            count_parts(done, helpers, unfinished, board, helping)
        else:
            open_loop(board, 0, PARTS)
            await_parts(board)

    in_crew(call, helped=True)
    assert np.array_equal(done, np.full((1, PARTS), 200))
    assert helpers.all()
    assert all_are_free(four_threads)


@pytest.mark.compiled
def test_a_leader_whose_helpers_are_busy_does_everything(four_threads: ThreadPoolExecutor) -> None:
    held = threading.Event()
    for _ in range(3):
        four_threads.submit(held.wait)
    done, helpers, unfinished = (np.zeros(size, np.int64) for size in ((5, PARTS), (5, PARTS), 1))
    in_crew(partial(count_parts, done, helpers, unfinished), helped=True)
    held.set()
    assert np.array_equal(done, np.full((5, PARTS), 200))
    assert not helpers.any()
    assert all_are_free(four_threads)


@pytest.mark.compiled
def test_an_error_of_a_helper_reaches_the_leader(four_threads: ThreadPoolExecutor) -> None:
    def call(board: Board, helping: bool) -> None:
        if helping:
            assert next_part(board, helping) >= 0
            raise MemoryError
        open_loop(board, 0, PARTS)
        await_parts(board)

    with pytest.raises(MemoryError):
        in_crew(call, helped=True)
    assert all_are_free(four_threads)


@pytest.mark.compiled
def test_an_error_of_the_leader_sends_helpers_home(four_threads: ThreadPoolExecutor) -> None:
    done = np.zeros((0, PARTS), np.int64)

    def call(board: Board, helping: bool) -> None:
        if not helping:
            raise KeyboardInterrupt
        count_parts(done, done, done[:0, 0], board, helping)

    with pytest.raises(KeyboardInterrupt):
        in_crew(call, helped=True)
    assert all_are_free(four_threads)


def test_a_leader_for_whom_no_thread_can_start_does_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    set_pool(monkeypatch, 2, ended)
    led = []
    in_crew(lambda board, helping: led.append(helping), helped=True)
    assert led == [False]
    done: list[int] = []
    in_threads(done.append, [(1,), (2,)])
    assert done == [1, 2]


def test_helpers_that_never_came_keep_nothing(four_threads: ThreadPoolExecutor) -> None:
    held = threading.Event()
    for _ in range(3):
        four_threads.submit(held.wait)

    class Call:
        def __call__(self, board: Board, helping: bool) -> None:
            assert not helping

    call = Call()
    gone = weakref.ref(call)
    in_crew(call, helped=True)
    del call
    assert gone() is None
    held.set()
    assert all_are_free(four_threads)


def test_an_interrupt_of_the_leader_comes_before_an_error_of_a_helper(
    four_threads: ThreadPoolExecutor,
) -> None:
    failed = threading.Event()

    def call(board: Board, helping: bool) -> None:
        if helping:
            failed.set()
            raise MemoryError
        assert failed.wait(30)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        in_crew(call, helped=True)
    assert all_are_free(four_threads)
