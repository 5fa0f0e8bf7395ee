"""Files of results the tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cli.command import BAD_LINE
from conftest import COMPILED
from podium import Elo, EloMMR, Glicko2, Ladder


@pytest.fixture(scope="session", autouse=True)
def warm() -> None:
    """Kernels are compiled before anybody waits for a command."""
    for system in (EloMMR(), Elo(), Glicko2()):
        ladder = Ladder(system)
        ladder.record_match("a", "b")
        ladder.expected_score("a", "b")
        ladder.rank_probabilities(["a", "b", "c"])


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty contests of eight, with times and a tie here and there."""
    chance = np.random.default_rng(11)
    rows = []
    for event in range(40):
        who = chance.permutation(25)[:8]
        for player, rank in zip(who, np.sort(chance.integers(1, 9, 8)), strict=True):
            day = f"2026-{1 + event // 28:02}-{1 + event % 28:02}"
            rows.append({"event": f"round {event}", "time": day, "player": f"player {player}", "rank": rank})
    path = tmp_path_factory.mktemp("results") / "results.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


def _matches(n: int) -> pl.DataFrame:
    chance = np.random.default_rng(3)
    a = chance.integers(0, 5000, n)
    b = (a + chance.integers(1, 5000, n)) % 5000
    return pl.DataFrame({"winner": a, "loser": b}).with_columns(
        pl.format("p{}", pl.col("winner")).alias("winner"), pl.format("p{}", pl.col("loser")).alias("loser")
    )


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough matches to be busy with for seconds, read in small pieces."""
    path = tmp_path_factory.mktemp("large") / "large.csv"
    _matches(1_000_000 if COMPILED else 20_000).write_csv(path)
    return path


@pytest.fixture(scope="session")
def late_error(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Matches that are fine for a long time: somebody plays against nobody near the end."""
    path = tmp_path_factory.mktemp("late") / "late.csv"
    frame = _matches(BAD_LINE - 2)
    bad = pl.DataFrame({"winner": ["p1"], "loser": [""]})
    pl.concat([frame, bad, frame.head(1000)]).write_csv(path)
    return path
