"""The Elo-MMR program's contest JSON: the table it becomes, and every way a document can be wrong."""

from __future__ import annotations

import random
import re
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.errors import InputError
from podium.tables.sources.contest_json import CONTEST_SCHEMA, contest_table, is_contest

STANDINGS = [["ann", 0, 0], ["bob", 1, 2], ["cat", 1, 2], ["dan", 3, 3]]


def contest(**changes: Any) -> dict[str, Any]:
    return {"name": "Round 7", "time_seconds": 1_266_588_000, "standings": STANDINGS} | changes


def refusal(document: object) -> InputError:
    with pytest.raises(InputError) as caught:
        contest_table(document, "cache/7.json")
    assert caught.value.source == "cache/7.json"
    assert caught.value.hint
    return caught.value


# The table ----------------------------------------------------------------------------------------


def test_a_contest_becomes_a_row_for_each_entry() -> None:
    table = contest_table(contest(), "7.json")
    assert table.schema == CONTEST_SCHEMA
    assert table.columns == ["event", "time", "weight", "ceiling", "player", "rank", "position"]
    assert table.rows() == [
        ("Round 7", 1_266_588_000_000_000, 1.0, None, "ann", 1, 0),
        ("Round 7", 1_266_588_000_000_000, 1.0, None, "bob", 2, 1),
        ("Round 7", 1_266_588_000_000_000, 1.0, None, "cat", 2, 2),
        ("Round 7", 1_266_588_000_000_000, 1.0, None, "dan", 4, 3),
    ]


def test_weight_and_ceiling() -> None:
    table = contest_table(contest(weight=0.25, perf_ceiling=2400), "7.json")
    assert table["weight"].to_list() == [0.25] * 4
    assert table["ceiling"].to_list() == [2400.0] * 4
    assert table.schema == CONTEST_SCHEMA


def test_a_whole_number_is_a_weight() -> None:
    assert contest_table(contest(weight=2), "7.json")["weight"].to_list() == [2.0] * 4


@pytest.mark.parametrize("none", [1.7976931348623157e308, float("inf")])
def test_the_largest_number_is_no_ceiling(none: float) -> None:
    assert contest_table(contest(perf_ceiling=none), "7.json")["ceiling"].to_list() == [None] * 4


def test_other_keys_are_ignored() -> None:
    assert contest_table(contest(url=None, id=7, foo=[1]), "7.json").equals(
        contest_table(contest(), "7.json")
    )


def test_entries_come_in_any_order_and_stay_in_it() -> None:
    table = contest_table(contest(standings=STANDINGS[::-1]), "7.json")
    assert table["player"].to_list() == ["dan", "cat", "bob", "ann"]
    assert table["rank"].to_list() == [4, 2, 2, 1]
    assert table["position"].to_list() == [0, 1, 2, 3]


def test_everybody_may_tie_and_one_may_be_alone() -> None:
    assert contest_table(contest(standings=[["ann", 0, 1], ["bob", 0, 1]]), "7.json")["rank"].to_list() == [
        1,
        1,
    ]
    assert contest_table(contest(standings=[["ann", 0, 0]]), "7.json")["rank"].to_list() == [1]


def test_a_contest_before_1970() -> None:
    assert contest_table(contest(time_seconds=-1), "7.json")["time"].to_list() == [-1_000_000] * 4


def test_is_contest() -> None:
    assert is_contest(contest())
    assert is_contest({"standings": "faulty, but it means to be one"})
    assert not is_contest({"status": "OK", "result": {"contest": {}, "rows": []}})
    assert not is_contest([contest()])
    assert not is_contest(None)


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize("document", [[], "contest", None, 7])
def test_a_document_that_is_no_object(document: object) -> None:
    assert "a contest is a JSON object" in refusal(document).reason


@pytest.mark.parametrize("key", ["name", "time_seconds", "standings"])
def test_a_missing_key(key: str) -> None:
    document = contest()
    del document[key]
    assert refusal(document).reason == f'"{key}" is missing'


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": 7}, '"name" is 7'),
        ({"name": "  "}, '"name" is "  "'),
        ({"time_seconds": "1266588000"}, '"time_seconds" is "1266588000"'),
        ({"time_seconds": 1266588000.5}, '"time_seconds" is 1266588000.5'),
        ({"time_seconds": True}, '"time_seconds" is true'),
        ({"time_seconds": 1_266_588_000_000}, '"time_seconds" is 1266588000000'),
        ({"weight": 0}, '"weight" is 0'),
        ({"weight": -1.5}, '"weight" is -1.5'),
        ({"weight": float("nan")}, '"weight" is NaN'),
        ({"weight": float("inf")}, '"weight" is Infinity'),
        ({"weight": "1"}, '"weight" is "1"'),
        ({"weight": None}, '"weight" is null'),
        ({"weight": True}, '"weight" is true'),
        ({"perf_ceiling": "2400"}, '"perf_ceiling" is "2400"'),
        ({"perf_ceiling": float("nan")}, '"perf_ceiling" is NaN'),
        ({"standings": {"ann": 1}}, '"standings" is an object'),
        ({"standings": None}, '"standings" is null'),
        ({"standings": []}, '"standings" is an empty list'),
    ],
)
def test_a_faulty_value(changes: dict[str, Any], reason: str) -> None:
    error = refusal(contest(**changes))
    assert error.reason == reason
    assert error.event == (None if "name" in changes else "Round 7")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("abc", 'the entry is "abc", not a list'),
        ({"player": "bob", "low": 1, "high": 2}, "the entry is an object, not a list"),
        (None, "the entry is null, not a list"),
        (["bob", 1], "the entry has 2 parts, not 3"),
        (["bob", 1, 2, 3], "the entry has 4 parts, not 3"),
        ([7, 1, 2], "the player is 7, not a string"),
        ([None, 1, 2], "the player is null, not a string"),
        (["bob", "1", 2], 'low is "1", not a whole number'),
        (["bob", 1, 2.0], "high is 2.0, not a whole number"),
        (["bob", True, 2], "low is true, not a whole number"),
        (["bob", -1, 2], "low is -1, below 0"),
        (["bob", 3, 2], "low is 3, above high, which is 2"),
        (["bob", 1, 4], "high is 4, but 4 entries have the positions 0 to 3"),
        (["bob", 10**30, 10**30], "high is 1000000000000000000000000000000, but 4 entries"),
    ],
)
def test_a_faulty_entry_is_named_by_its_position(entry: object, reason: str) -> None:
    error = refusal(contest(standings=[STANDINGS[0], entry, *STANDINGS[2:]]))
    assert error.reason.startswith(f"standings[1]: {reason}")
    assert error.event == "Round 7"
    assert "cache/7.json" in str(error)


def test_the_first_of_several_faults_is_named() -> None:
    assert refusal(contest(standings=[["ann", 0, 0], ["bob"], [3, 3, 3]])).reason.startswith("standings[1]")


def test_entries_that_are_all_too_short() -> None:
    assert refusal(contest(standings=[["ann", 1], ["bob", 2]])).reason.startswith(
        "standings[0]: the entry has 2"
    )


@pytest.mark.parametrize(
    ("ranges", "position", "reason"),
    [
        ([(0, 1), (0, 0)], 1, "the tie group 0 to 0 is 0 to 1 in standings[0]"),
        ([(0, 0), (1, 2), (3, 3), (3, 3)], 1, "the tie group 1 to 2 has 2 places but 1 entries"),
        ([(0, 0), (1, 1), (1, 1)], 1, "the tie group 1 to 1 has 1 places but 2 entries"),
        ([(1, 2), (1, 2), (2, 2)], 0, "the tie groups leave out position 0 before low = 1"),
        ([(0, 1), (0, 1), (3, 3), (3, 3)], 2, "the tie group 3 to 3 has 1 places but 2 entries"),
        ([(0, 0), (2, 3), (2, 3), (3, 3)], 1, "the tie groups leave out position 1 before low = 2"),
        ([(0, 1), (0, 1), (1, 1)], 2, "low is 1, a position that another tie group already covers"),
        ([(0, 0), (0, 0)], 0, "the tie group 0 to 0 has 1 places but 2 entries"),  # ranks, counted from 0
    ],
)
def test_tie_groups_that_contradict_each_other(
    ranges: list[tuple[int, int]], position: int, reason: str
) -> None:
    error = refusal(contest(standings=[[f"p{i}", low, high] for i, (low, high) in enumerate(ranges)]))
    assert error.reason.startswith(f"standings[{position}]: {reason}")
    assert error.hint is not None
    assert re.search("positions count from 0", error.hint)


# Laws ---------------------------------------------------------------------------------------------


def standings_of(sizes: list[int]) -> list[list[Any]]:
    """Sound standings whose tie groups have these sizes."""
    entries: list[list[Any]] = []
    for size in sizes:
        low = len(entries)
        entries += [[f"p{low + i}", low, low + size - 1] for i in range(size)]
    return entries


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_sound_standings_are_read_in_any_order(sizes: list[int], chance: random.Random) -> None:
    entries = standings_of(sizes)
    chance.shuffle(entries)
    table = contest_table(contest(standings=entries), "7.json")
    assert table["rank"].to_list() == [low + 1 for _, low, _ in entries]
    assert table["rank"].cast(pl.Float64).to_list() == table["rank"].rank("min").to_list()


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=6),
    st.data(),
    st.integers(-2, 12),
    st.sampled_from([1, 2]),
)
def test_any_changed_position_is_refused(
    sizes: list[int], data: st.DataObject, value: int, part: int
) -> None:
    entries = standings_of(sizes)
    entry = data.draw(st.sampled_from(entries))
    if entry[part] == value:
        return
    entry[part] = value
    # No change leaves standings sound: the sizes of the groups determine every low and high.
    assert refusal(contest(standings=entries)).reason.startswith("standings[")
