"""Work shared inside kernels: every chunk is done once, and nobody waits for somebody who never comes."""

from __future__ import annotations

import threading
import time

import pytest

from podium.numerics.shared_work import (
    close,
    finish,
    new_board,
    post,
    take,
    wait_for_helpers,
    wait_for_work,
)


def test_every_chunk_is_taken_once() -> None:
    board = new_board(members=4, shared_from=1)
    for chunks in (0, 1, 2000):
        taken: list[int] = []

        def work(taken: list[int] = taken) -> None:
            while (chunk := take(board)) >= 0:
                taken.append(chunk)
                finish(board)

        post(board, chunks)
        helpers = [threading.Thread(target=work) for _ in range(3)]
        for helper in helpers:
            helper.start()
        work()
        wait_for_helpers(board, chunks)
        for helper in helpers:
            helper.join()
        assert sorted(taken) == list(range(chunks))


def test_a_helper_leaves_when_no_work_comes_or_none_will() -> None:
    board = new_board(members=2, shared_from=1)
    assert wait_for_work(board) == -1  # the leader was interrupted before it posted anything
    post(board, 2)
    assert [wait_for_work(board), wait_for_work(board)] == [0, 1]
    close(board)
    assert wait_for_work(board) == take(board) == -1


@pytest.mark.compiled
def test_a_leader_waits_for_chunks_that_others_have_taken() -> None:
    board = new_board(members=2, shared_from=1)
    post(board, 1)
    assert take(board) == 0
    ends: list[float] = []

    def work() -> None:
        time.sleep(0.02)
        ends.append(time.perf_counter())
        finish(board)

    helper = threading.Thread(target=work)
    helper.start()
    wait_for_helpers(board, 1)
    assert ends
    assert time.perf_counter() >= ends[0]
    helper.join()
