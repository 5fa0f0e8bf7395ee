"""Tables of ten thousand columns: read or refused at once.

There is no clock in these tests: what was quadratic took minutes, in which somebody would look why.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import read_chunks, read_history
from podium.errors import InputError

COLUMNS = 10_000
EXTRA = [f"column {i}" for i in range(COLUMNS)]


def wide(folder: Path, *, known: bool = True, more: str = "") -> Path:
    """Three players in a table of many columns, a blank line and a line of empty cells."""
    head = ["event", "player", "rank"] if known else []
    lines = [[*head, *EXTRA]]
    lines += [["e", f"p{i}", str(i)][: len(head)] + ["x"] * COLUMNS for i in (1, 2, 3)]
    text = "\n".join(",".join(line) for line in lines)
    (folder / "x.csv").write_text(f"{text}\n\n{',' * (len(lines[0]) - 1)}\n{more}")
    return folder / "x.csv"


def test_read(tmp_path: Path) -> None:
    history = read_history(wide(tmp_path))
    assert history.players.to_list() == ["p1", "p2", "p3"]
    assert len(history.readings[0].unused) == COLUMNS
    assert len(history.readings[0].description) < 1000
    assert [piece.rows for piece in read_chunks(tmp_path / "x.csv", rows=2)] == [3]


def test_unknown_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="fit no kind of table") as caught:
        read_history(wide(tmp_path, known=False))
    assert len(str(caught.value)) < 1000


def test_a_broken_line(tmp_path: Path) -> None:
    path = wide(tmp_path, more="e,p4,4" + ",x" * (COLUMNS + 5) + "\n")
    with pytest.raises(InputError, match="line 7: 10008 cells where the header has 10003"):
        read_history(path)
    history = read_history(path, on_bad_row="skip")
    assert history.players.to_list() == ["p1", "p2", "p3"]
    assert len(history.skipped) == 1
