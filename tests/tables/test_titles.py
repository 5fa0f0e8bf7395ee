"""Lines above the header of a text file."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import InputError, read_history
from tables.messy import guesses
from tables.sheet_bytes import xlsx

MATCHES = b"Date,Winner,Loser\n2026-01-13,Ann,Bob\n2026-01-14,Bob,Cat\n"


@pytest.mark.parametrize(
    "content, said",
    [
        (b"Season 2026 results,,\n" + MATCHES, ["1 line above the header"]),
        (b"Club ladder 2026\r\n\r\n" + MATCHES.replace(b"\n", b"\r\n"), ["1 line above the header"]),
        (b"# exported by bot v1.2\n# 2026, January\n" + MATCHES, ["2 lines above the header"]),
        (
            b"\xef\xbb\xbfLiga, Saison 2026\n" + MATCHES.replace(b",", b";"),
            ["1 line above the header", "semicolons between cells"],
        ),
        (b"sep=;\nLiga\n" + MATCHES.replace(b",", b";"), ["1 line above the header"]),
        (b'"Club\nladder"\n' + MATCHES, ["2 lines above the header"]),
        (b"\n\n" + MATCHES, []),
    ],
)
def test_lines_above_the_header(content: bytes, said: list[str], tmp_path: Path) -> None:
    path = tmp_path / "club.csv"
    path.write_bytes(content)
    history = read_history(path)
    assert list(history.players) == ["Ann", "Bob", "Cat"]
    assert [guess for guess in guesses(history) if "header" in guess or "cells" in guess] == said


def test_errors_name_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "club.csv"
    for bad in (b"2026-01-15,Cat,\n", b"2026-01-15,Cat,Ann,x\n"):
        path.write_bytes(b"Club ladder\n\n" + MATCHES + bad)
        with pytest.raises(InputError) as caught:
            read_history(path)
        assert caught.value.line == 6


def test_a_file_without_a_header_says_so_of_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "club.csv"
    path.write_bytes(b"one,two\nthree,four\n")
    with pytest.raises(InputError, match=r"the columns \(one, two\) fit no kind of table that podium reads"):
        read_history(path)


def test_a_header_is_not_looked_for_below_the_first_lines(tmp_path: Path) -> None:
    path = tmp_path / "club.csv"
    path.write_bytes(b"title\n" * 20 + MATCHES)
    with pytest.raises(InputError, match="fit no kind of table"):
        read_history(path)


def test_a_title_does_not_hide_the_columns_of_a_table_that_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "club.csv"
    path.write_bytes(b"Minigolf\nFirst;Lane 1;All\nAda;2;6\nBen;4;8\n")
    with pytest.raises(InputError, match=r"the columns \(First, Lane 1, All\) fit no kind of table"):
        read_history(path)
    with pytest.raises(InputError) as caught:
        read_history(path, columns={"player": "First"})
    assert "no column" not in str(caught.value)
    assert "First as player" in (caught.value.hint or "")


def test_a_title_in_merged_cells_does_not_hide_the_columns_of_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "club.xlsx"
    path.write_bytes(xlsx({"Laps": [["Minigolf", None, None], ["First", "Lane", "All"], ["Ada", 2.0, 6.0]]}))
    with pytest.raises(InputError, match=r"the columns \(First, Lane, All\) fit no kind of table"):
        read_history(path)
