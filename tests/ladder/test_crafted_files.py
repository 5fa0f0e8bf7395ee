"""A ladder from somebody else: refused with what is wrong in it, or as good as one's own; never a crash."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ladder.crafted_files import WRONG, season
from podium import Ladder, SetRating, StateError
from podium.arrays import NO_TIME
from podium.files.checksummed import pack_names, read_container, write_container
from podium.systems import list_systems, make_system

PROGRAM = Path(__file__).with_name("crafted_files.py")
YEAR_10000 = 253_402_300_800_000_000


def try_crafted(seed: int, count: int) -> None:
    command = [sys.executable, "-W", "ignore", str(PROGRAM), str(seed), str(count), *list_systems()]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"{lines[-1:]} took the process with it: {done.stderr[-2000:]}"
    assert [line for line in lines if f"; {WRONG}" in line] == []
    tried = [line for line in lines if line.endswith(("; refused", "; used"))]
    assert len(tried) == len(lines) >= count * len(list_systems())


@pytest.mark.compiled
def test_crafted_files_are_refused_or_can_be_used() -> None:
    try_crafted(seed=20, count=40)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "count"), [(0, 0), (1, 2_000)], ids=["every change", "pairs of changes"])
def test_many_crafted_files(seed: int, count: int) -> None:
    try_crafted(seed, count)


# ---------------------------------------------------------------------- what the refusals say


def column(name: str, value: Any, row: Any = 0) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(_: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name][row] = value

    return change


def replaced(**arrays: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda _, saved: saved.update(arrays)


def said(**values: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda header, _: header.update(values)


def lengths_that_overflow(_: dict[str, Any], arrays: dict[str, Any]) -> None:
    """The lengths of four lists add up to the right number in 64 bits, where 4 · 2⁶² is nothing."""
    arrays["terms"] = arrays["terms"].astype(np.int64) + 2**62


CRAFTED: list[tuple[str, Callable[[Any, Any], None], str]] = [
    ("elo-mmr", column("column:events", -(2**31)), "column events has -2147483648, which is not from 0 to"),
    ("elo-mmx", column("column:events", -(2**31)), "column events has -2147483648"),
    ("elo-r", column("column:events", 2**31 - 1), "column events has 2147483647"),
    ("elo", column("column:mu", np.nan, 3), "column mu has nan"),
    ("elo", column("column:mu", -np.inf), "column mu has -inf"),
    ("elo", column("column:in_period", -1), "column in_period has -1"),
    ("elo", column("column:last_time", YEAR_10000), f"column last_time has {YEAR_10000}"),
    ("elo", column("column:last_time", NO_TIME + 1), "column last_time has"),
    ("glicko", column("column:variance", 0.0), "column variance has 0.0, which is not from 1e-50"),
    ("glicko2", column("column:volatility", -0.06), "column volatility has -0.06"),
    ("trueskill", column("column:variance", -1.0), "column variance has -1.0"),
    ("topcoder", column("column:volatility", 0.0), "column volatility has 0.0"),
    ("elo-mmr", column("term:tau", 0.0), "term tau has 0.0"),
    ("elo-mmr", column("term:w", -1.0), "term w has -1.0"),
    ("elo-mmr", column("term:time", np.inf), "term time has inf"),
    ("elo-mmr", column("shared:newcomers", -1.0, 4), "array newcomers has -1.0"),
    (
        "elo-mmr",
        replaced(**{"shared:newcomers": np.ones(2)}),
        "array newcomers holds float64 in the shape (2,)",
    ),
    ("elo-mmr", lengths_that_overflow, "terms do not fit together"),
    ("elo-mmr", column("terms", -1), "terms do not fit together"),
    ("luck", column("column:mass", -0.1), "column mass has -0.1"),
    ("luck", column("column:mass", 0.0), "the sum of a saved belief has 0.0"),
    ("yuksel", column("column:belief", 0.0, (0, 1)), "column belief has 0.0"),
    ("elo", replaced(**pack_names(["ann", "bob", "cat", "ann"])), "two players have the name 'ann'"),
    ("elo", replaced(**pack_names(["ann", "", "cat", "dan"])), "the name of a player is empty"),
    ("elo", column("name_bytes", 0xFF), "a saved name is not UTF-8"),
    ("elo", column("name_ends", 2**62), "the saved names have another length than the header gives"),
    ("elo", column("name_ends", -1), "the saved names have another length than the header gives"),
    ("elo", replaced(name_ends=np.array([3.0, 6.0, 9.0, 12.0])), "the ends of the saved names are"),
    ("elo", replaced(name_bytes=np.zeros(12)), "the bytes of the saved names are"),
    ("elo", replaced(rated_hashes=np.zeros((2, 2))), "the hashes of rated events are float64"),
    ("elo", said(format="1"), "'format' is '1', not of type int"),
    ("elo", said(n_events=True), "'n_events' is True, not of type int"),
    ("elo", said(n_events=-1), "the number of events is -1"),
    ("elo", said(last_time=YEAR_10000), "the time of the last event is"),
    ("elo", said(last_time=10**400), "the time of the last event is 1000"),
    ("elo", said(parameters=[]), "'parameters' is [], not of type dict"),
    ("elo", said(parameters={"name": "glicko"}), "elo has no parameter 'name'"),
    ("elo", said(parameters={"cls": 1}), "elo has no parameter 'cls'"),
    ("elo", said(system=["elo"]), "'system' is ['elo'], not of type str"),
]


@pytest.mark.parametrize(("name", "change", "reason"), CRAFTED)
def test_what_no_ladder_has_is_refused(
    name: str, change: Callable[[Any, Any], None], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "crafted.podium"
    season(make_system(name, **({"points": 101} if name == "luck" else {}))).save(path)
    header, arrays = read_container(path)
    change(header, arrays)
    write_container(path, header, arrays)
    with pytest.raises(StateError) as error:
        Ladder.load(path)
    assert str(path) in error.value.reason
    assert reason in error.value.reason


@pytest.mark.parametrize("name", list_systems())
def test_the_largest_numbers_that_can_be_set_are_loaded_again(name: str) -> None:
    """What is refused in a file is further away than anything an organiser or a result leads to."""
    ladder = Ladder(make_system(name))
    for player, mu, sigma in (("ann", 1e9, 1e9), ("bob", -1e9, 1e-9), ("cat", 0.0, 1e9), ("dan", 1e-9, 1e-9)):
        ladder.adjust(SetRating(player=player, mu=mu, sigma=sigma))
    for winner, loser in (("bob", "ann"), ("cat", "dan"), ("ann", "dan"), ("bob", "cat")):
        weight = 1e6 if ladder.system.supports.weights else 1.0
        ladder.record_match(winner, loser, weight=weight, time="9800-01-01")
    loaded = Ladder.from_bytes(ladder.to_bytes())
    assert loaded.state == ladder.state
