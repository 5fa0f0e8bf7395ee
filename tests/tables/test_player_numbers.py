"""Players numbered from piece to piece by the hashes of their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from podium import read_chunks, read_history
from podium.history import Names
from podium.tables.names.player_numbers import PlayerNumbers


def column(*cells: Any) -> pl.Series:
    return pl.Series(cells, dtype=pl.String)


def test_names_have_the_number_of_their_first_row() -> None:
    names = Names()
    numbers = PlayerNumbers(names)
    first = numbers.of([column("ann", "bob"), column("bob", "Zoë of the long name")])
    assert first is not None
    assert first.tolist() == [0, 1, 1, 2]
    second = numbers.of([column("Zoë of the long name", "dan"), column("cat", "ann")])
    assert second is not None
    assert second.tolist() == [2, 3, 4, 0]
    assert list(names) == ["ann", "bob", "Zoë of the long name", "cat", "dan"]


@pytest.mark.parametrize(
    "odd", [None, "", " ", "\u3000", "\x85", " ann", "ann\u00a0", "Zoe\u0308", "BYE", "-"]
)
def test_what_is_not_just_a_name_is_left_to_others(odd: str | None) -> None:
    assert PlayerNumbers(Names()).of([column("ann", odd)]) is None


def test_numbers_and_categories_are_left_to_others() -> None:
    assert PlayerNumbers(Names()).of([pl.Series([1, 2])]) is None
    assert PlayerNumbers(Names()).of([column("ann", "bob").cast(pl.Categorical)]) is None


def test_names_that_somebody_else_has_added_end_it() -> None:
    numbers = PlayerNumbers(names := Names())
    names.add("zoe")
    assert numbers.of([column("ann")]) is None


def test_equal_hashes_are_no_equal_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def constant(self: pl.Series, **seeds: int) -> pl.Series:
        if seeds:  # of names that are near to each other
            return real(self, **seeds)
        return pl.Series([7], dtype=pl.UInt64).new_from_index(0, len(self))

    path = tmp_path / "x.csv"
    path.write_text("winner,loser\nann,bob\ncat,ann\n")
    real = pl.Series.hash
    monkeypatch.setattr(pl.Series, "hash", constant)
    assert PlayerNumbers(Names()).of([column("ann", "bob")]) is None
    history = read_history(path)
    assert (list(history.players), history.player.tolist()) == (["ann", "bob", "cat"], [0, 1, 2, 0])


def test_known_names_are_not_looked_up_again(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("winner,loser\n" + "ann,bob\nbob,cat\ncat,ann\n" * 3)
    pieces = list(read_chunks(path, rows=3))
    assert [piece.player.tolist() for piece in pieces] == [[0, 1, 1, 2, 2, 0]] * 3
    assert pieces[-1].players._index is None  # nobody needed the dictionary of all names


ODD_ROWS = {
    "BYE": "dan,BYE",
    "blanks": " dan ,ann",
    "itself": "dan,dan",
    "empty": "dan,",
}


@pytest.mark.parametrize("shape", ["matches", "results"])
@pytest.mark.parametrize("odd", ODD_ROWS)
def test_odd_rows_in_a_later_piece(odd: str, shape: str, tmp_path: Path) -> None:
    """Who stands in a row that is left out alone is no player, and others keep their numbers."""
    rows = ["ann,bob", "bob,cat", ODD_ROWS[odd], "eve,ann", "cat,dan", "bob,eve"]
    text = "winner,loser\n" + "\n".join(rows)
    if shape == "results":
        cells = [row.split(",") for row in rows]
        text = "event,player,rank\n" + "".join(f"e{i},{a},1\ne{i},{b},2\n" for i, (a, b) in enumerate(cells))
    path = tmp_path / "x.csv"
    path.write_text(text)
    whole = read_history(path, on_bad_row="skip")
    pieces = list(read_chunks(path, rows=2, on_bad_row="skip"))
    assert list(pieces[-1].players) == list(whole.players)
    assert list(whole.players) == (
        ["ann", "bob", "cat", "dan", "eve"] if odd == "blanks" else ["ann", "bob", "cat", "eve", "dan"]
    )
    assert [number for piece in pieces for number in piece.player.tolist()] == whole.player.tolist()
