"""Work in pieces of a moment each: everything is done once, and pieces follow the clock."""

from __future__ import annotations

import numpy as np
import pytest

from podium.history import ragged
from podium.history.ragged import FIRST_ROWS, MOST_GROWTH, PIECE_SECONDS, Pace


class Clock:
    """A clock that work moves forward, at so many seconds a row."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(ragged, "perf_counter", lambda: self.now)

    def work(self, pace: Pace, sizes: list[int], seconds_a_row: float) -> list[slice]:
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        done = []
        for piece in pace.pieces(offsets, 0, len(sizes)):
            self.now += seconds_a_row * sum(sizes[piece])
            done.append(piece)
        return done


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.parametrize("seconds_a_row", [0.0, 1e-6, 1e-3, 10.0])
def test_every_item_is_in_one_piece(seconds_a_row: float, clock: Clock) -> None:
    sizes = np.random.default_rng(1).integers(1, 900, 300).tolist()
    pieces = clock.work(Pace(), sizes, seconds_a_row)
    assert [number for piece in pieces for number in range(piece.start, piece.stop)] == list(range(300))


def test_work_of_few_rows_is_one_piece(clock: Clock) -> None:
    assert clock.work(Pace(), [2] * (FIRST_ROWS // 2), 1.0) == [slice(0, FIRST_ROWS // 2)]
    assert clock.work(Pace(), [], 1.0) == []


def test_an_event_is_never_cut(clock: Clock) -> None:
    sizes = [10 * FIRST_ROWS, 10 * FIRST_ROWS]
    assert clock.work(Pace(), sizes, 0.1) == [slice(0, 1), slice(1, 2)]


def test_pieces_take_a_moment_each(clock: Clock) -> None:
    """At 1024 rows a second, a piece of a quarter of a second has 256 rows."""
    rows = [piece.stop - piece.start for piece in clock.work(Pace(), [1] * 20_000, 1 / 1024)]
    assert rows[:2] == [FIRST_ROWS, FIRST_ROWS // MOST_GROWTH]
    assert set(rows[2:-1]) == {1024 * PIECE_SECONDS}


def test_pieces_of_fast_work_grow(clock: Clock) -> None:
    pace = Pace()
    rows = [piece.stop - piece.start for piece in clock.work(pace, [1] * 200_000, 1e-9)]
    assert rows[:3] == [FIRST_ROWS, FIRST_ROWS * MOST_GROWTH, FIRST_ROWS * MOST_GROWTH**2]
    clock.work(pace, [1] * 10_000, 1e-9)
    assert pace.rows > FIRST_ROWS  # what was learned stays
