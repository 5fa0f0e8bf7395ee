"""A player's rows under all names."""

from __future__ import annotations

from typing import Any

import pytest

from podium import History, Merge, Rename, UnknownPlayerError
from podium.history.adjustments import rows_under_all_names


def match(winner: str, loser: str) -> dict[str, Any]:
    return {"ranks": {winner: 1, loser: 2}}


HISTORY = History.from_events(
    [
        match("ann", "bob"),
        Rename(player="ann", into="anna"),
        match("anna", "bob"),
        match("ann", "bob"),  # somebody new
        Rename(player="anna", into="anne"),
        match("anne", "rob"),
        Merge(player="rob", into="bob"),
        match("anne", "bob"),
    ]
)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("anne", [0, 2, 6, 8]),
        ("ann", [4]),
        ("anna", [2]),  # nobody is called so any more
        ("bob", [1, 3, 5, 9]),
        ("rob", [7]),
    ],
)
def test_rows_under_all_names(name: str, rows: list[int]) -> None:
    assert rows_under_all_names(HISTORY, name).tolist() == rows


def test_strangers() -> None:
    with pytest.raises(UnknownPlayerError, match="'annne' is in no event\n  hint: did you mean 'ann"):
        rows_under_all_names(HISTORY, "annne")
