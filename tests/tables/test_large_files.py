"""Large files: whole, in pieces, and as one event."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from podium import read_chunks, read_history
from podium.history import History

MILLION = 1_000_000


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A million events of two, as results."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 100_000, MILLION)
    player = np.column_stack((first, (first + 1 + rng.integers(0, 99_000, MILLION)) % 100_000)).ravel()
    frame = pl.DataFrame(
        {
            "event": np.repeat(np.arange(MILLION), 2),
            "time": np.repeat(np.arange(MILLION) * 60, 2),
            "player": player,
            "rank": np.tile([1, 2], MILLION),
        }
    )
    path = tmp_path_factory.mktemp("large") / "x.csv"
    frame.write_csv(path)
    return path


def test_a_million_events_of_two(matches: Path) -> None:
    history = read_history(matches)
    assert (len(history), history.rows) == (MILLION, 2 * MILLION)
    assert history.event(MILLION - 1).name == str(MILLION - 1)
    assert history.summary().tied_rows == 0


def test_a_million_events_in_pieces(matches: Path) -> None:
    pieces = [(len(piece), piece.rows) for piece in read_chunks(matches, rows=300_000)]
    assert len(pieces) == 7
    assert (sum(n for n, _ in pieces), sum(n for _, n in pieces)) == (MILLION, 2 * MILLION)


def test_one_event_of_a_million(tmp_path: Path) -> None:
    order = np.random.default_rng(0).permutation(MILLION)
    frame = pl.DataFrame({"event": ["e"] * MILLION, "player": order, "score": order // 2})
    frame.write_csv(tmp_path / "x.csv")
    history = read_history(tmp_path / "x.csv")
    assert len(history) == 1
    assert history.players[:3] == [str(p) for p in order[:3]]
    expected = MILLION - 1 - 2 * (order // 2)
    assert np.array_equal(history.rank, expected)
    assert history.tied.all()


def test_a_million_matches_from_arrays() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 100_000, MILLION)
    b = (a + 1 + rng.integers(0, 99_000, MILLION)) % 100_000
    history = History.from_matches(a, b, rng.choice([0.0, 0.5, 1.0], MILLION), time=np.arange(MILLION))
    summary = history.summary()
    assert (summary.events, summary.largest_event) == (MILLION, 2)
    names = np.array(history.players.to_list()).astype(np.int64)
    assert np.array_equal(names[history.player], np.column_stack((a, b)).ravel())
