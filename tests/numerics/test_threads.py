"""Work in threads: an error or Ctrl-C ends it soon, and not only when everything is done."""

from __future__ import annotations

import threading
import time

import pytest

from podium.numerics import threads
from podium.numerics.threads import in_threads


def test_jobs_that_have_not_begun_are_left_out_after_an_error() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        if number == 0:
            raise KeyboardInterrupt
        time.sleep(0.01)
        done.append(number)

    with pytest.raises(KeyboardInterrupt):
        in_threads(work, [(number,) for number in range(200)])
    assert len(done) < 100
    before = len(done)
    time.sleep(0.03)
    assert len(done) == before  # nobody is still at work


def test_the_calling_thread_works_too_and_errors_of_the_others_reach_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "threads", lambda: 2)
    here, both_at_work = threading.get_ident(), threading.Barrier(2, timeout=10)
    workers: set[int] = set()

    def work(fails_elsewhere: bool) -> None:
        both_at_work.wait()
        workers.add(threading.get_ident())
        if fails_elsewhere and threading.get_ident() != here:
            raise ValueError("in another thread")

    in_threads(work, [(False,), (False,)])
    assert here in workers
    assert len(workers) == 2
    with pytest.raises(ValueError, match="in another thread"):
        in_threads(work, [(True,), (True,)])
