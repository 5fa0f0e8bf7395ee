"""Databases written straight from columns: what SQLite reads in them, and that it finds nothing wrong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from podium.server.storage import inserting
from podium.server.storage.sqlite_pages import number_image
from server.callers import Caller
from server.test_imports import imported, ratings

KINDS = {"i4": np.int32, "i8": np.int64, "f8": np.float64, "b1": np.bool_}
ROUNDS = "event,time,player,rank\n" + "".join(
    f"r{event},2026-01-{1 + event:02},p{(7 * event + place) % 40},{1 + place}\n"
    for event in range(9)
    for place in range(30)
)


def read(image: bytes) -> list[tuple[Any, ...]]:
    """What SQLite reads in a database, in which it finds nothing wrong."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(image)
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return database.execute("SELECT * FROM rows ORDER BY rowid").fetchall()


def inserted(columns: dict[str, NDArray[Any]]) -> list[tuple[Any, ...]]:
    """The naive way: one row after another."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE rows ({', '.join(columns)})")
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        database.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(columns))})", rows)
        return database.execute("SELECT * FROM rows ORDER BY rowid").fetchall()


@given(
    st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=17),
    st.sampled_from([0, 1, 2, 200, 500, 5_000]),
    st.integers(0, 99),
)
def test_an_image_holds_what_single_rows_hold(kinds: list[str], rows: int, seed: int) -> None:
    dice = np.random.default_rng(seed)
    columns: dict[str, NDArray[Any]] = {}
    for number, kind in enumerate(kinds):
        if kind == "f8":
            column = dice.choice([0.0, -0.0, np.nan, np.inf, 1e308, 0.1, -1500.0], rows)
        elif kind == "b1":
            column = dice.integers(0, 2, rows) > 0
        else:
            bounds = np.iinfo(KINDS[kind])
            column = dice.integers(bounds.min, bounds.max, rows, dtype=KINDS[kind], endpoint=True)
        columns[f"c{number}"] = column
    assert read(number_image("rows", columns)) == inserted(columns)


def test_as_many_rows_as_one_image_may_hold() -> None:
    rows = inserting.MOST_ROWS
    columns = {f"c{n}": np.arange(rows) * n for n in range(15)}
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(number_image("rows", columns))
        found = database.execute("SELECT count(*), sum(c14), max(rowid) - min(rowid) FROM rows").fetchone()
    assert found == (rows, 14 * rows * (rows - 1) // 2, rows - 1)


@pytest.mark.parametrize("system", ["elo-mmr", "elo", "glicko2"])
def test_an_import_by_images_is_that_by_single_rows(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    """In pieces of any size; where Elo has no deviation, and a newcomer no performance."""
    changes = []
    for slug, most in (("whole", 1_000_000), ("pieces", 7)):
        monkeypatch.setattr(inserting, "MOST_ROWS", most)
        caller.create(slug, system)
        imported(caller, ROUNDS, ladder=slug)
        caller.verified(slug)
        history = caller.get("history", ladder=slug, player="p3")
        changes.append((ratings(caller, slug), history))
    assert changes[0] == changes[1]
