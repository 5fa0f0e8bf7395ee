"""Names and their indices."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from podium.history import Names
from podium.history.names import player_name


def test_indices_follow_first_appearance() -> None:
    names = Names()
    assert [names.add(name) for name in ("bob", "ann", "bob", "cat")] == [0, 1, 0, 2]
    assert names.to_list() == ["bob", "ann", "cat"]
    assert names.find("cat") == 2
    assert names.find("dan") is None
    assert (len(names), names[1], names[-1], names[1:]) == (3, "ann", "cat", ["ann", "cat"])


def test_membership_and_equality() -> None:
    names = Names(["ann", "bob"])
    assert "ann" in names
    assert "cat" not in names
    assert names == Names(["ann", "bob"])
    assert names != Names(["bob", "ann"])
    assert names != ["ann", "bob"]


def test_add_all_gives_an_index_for_each() -> None:
    names = Names(["ann"])
    index = names.add_all(["bob", "ann", "bob"])
    assert index.tolist() == [1, 0, 1]
    assert index.dtype == np.int32
    assert names.to_list() == ["ann", "bob"]


def test_empty_names_take_over_others_without_sharing_them() -> None:
    others, names = Names(["ann", "bob"]), Names()
    assert names.find("ann") is None  # so that an index exists
    assert names.add_all(others).tolist() == [0, 1]
    assert names.find("bob") == 1
    names.add("cat")
    assert others.to_list() == ["ann", "bob"]


def test_truncate_forgets_the_latest() -> None:
    names = Names(["ann"])
    names.add("bob")
    names.add("cat")
    names.truncate(1)
    assert names.to_list() == ["ann"]
    assert names.find("bob") is None
    assert names.add("cat") == 1


def test_truncate_before_the_index_exists() -> None:
    names = Names(["ann", "bob"])
    names.truncate(1)
    assert names.find("bob") is None
    assert names.find("ann") == 0


def test_a_player_is_a_string_or_an_int() -> None:
    assert player_name("007") == "007"
    assert player_name(7) == "7"
    assert player_name(np.int32(-7)) == "-7"


@pytest.mark.parametrize("name", [1.0, True, None, b"ann", ("ann",)])
def test_nothing_else_names_a_player(name: object) -> None:
    with pytest.raises(TypeError, match="string or an int"):
        player_name(name)


def test_joining_names_are_looked_up_once() -> None:
    names, others = Names(["zoe"]), Names(["ann", "bob"])
    index = names.join(others)
    assert index is not None
    assert index.tolist() == [1, 2]
    assert names.join(others) is index
    others.add("zoe")
    others.add("cat")
    index = names.join(others)
    assert index is not None
    assert index.tolist() == [1, 2, 0, 3]
    assert names.to_list() == ["zoe", "ann", "bob", "cat"]


def test_joining_empty_names_changes_no_index() -> None:
    names, others = Names(), Names(["ann", "bob"])
    assert names.join(others) is None
    others.add("cat")
    assert names.join(others) is None
    assert names == others
    names.truncate(0)
    names.add("bob")
    index = names.join(others)
    assert index is not None
    assert index.tolist() == [1, 0, 2]


def test_a_pickle_holds_the_names_alone() -> None:
    names, others = Names(["zoe"]), Names(["ann"])
    names.join(others)
    again = pickle.loads(pickle.dumps(names))
    assert again == names
    assert again.find("ann") == 1
    assert len(pickle.dumps(names)) == len(pickle.dumps(Names(["zoe", "ann"])))


def test_names_known_to_be_new_are_appended() -> None:
    names = Names(["ann"])
    assert names.find("bob") is None  # which makes the dictionary
    names.append_all(["bob", "cat"])
    assert (names.find("cat"), names.add("dan"), names.to_list()) == (2, 3, ["ann", "bob", "cat", "dan"])
    names.append_all(["eve", "fay"])
    names.truncate(5)
    assert (names.find("eve"), names.find("fay"), len(names)) == (4, None, 5)


def test_names_of_names_are_themselves() -> None:
    names = Names(["ann"])
    assert Names.of(names) is names
    assert Names.of(["ann"]) == names
