"""Work in threads: an error or Ctrl-C ends it soon, and not only when everything is done."""

from __future__ import annotations

import time

import pytest

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
