"""No name leaves in CSV as a formula, and reading gives every name back."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import History, Ladder, read_history, write_history
from podium.tables.sources import table_files
from podium.tables.written_tables import marked, marked_frame, unmarked_frame, write_frames

HARMFUL = ["=cmd|' /C calc'!A0", "@SUM(1+1)*cmd", "+1+1", "-1+cmd", "＝1+1"]
NAMES = [*HARMFUL, "'=cmd", "''@x", "'quoted", "-5", "+3", "-", "ann"]


def cells(path: Path) -> list[str]:
    """The cells of a file without quotes around them."""
    separator = "\t" if path.suffix == ".tsv" else ","
    frame = pl.read_csv(path, separator=separator, infer_schema=False)
    return [cell for row in frame.iter_rows() for cell in row if cell is not None]


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
def test_histories_and_ratings_keep_every_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, large: bool
) -> None:
    if large:
        monkeypatch.setattr(table_files, "LARGE_BYTES", 0)
    path = tmp_path / name
    pairs = list(permutations(NAMES, 2))
    history = History.from_matches([one for one, _ in pairs], [other for _, other in pairs])
    write_history(history, path, "matches")
    assert not set(HARMFUL) & set(cells(path))
    again = read_history(path)
    assert list(again.players) == list(history.players)
    assert (again.player == history.player).all()
    ladder = Ladder("elo")
    ladder.update(history)
    write_frames([ladder.ratings()], path)
    assert not set(HARMFUL) & set(cells(path))
    table = pl.read_csv(path, separator="\t" if name.endswith("tsv") else ",")
    assert table["mu"].dtype == pl.Float64


@given(st.lists(st.text(st.sampled_from("=+-@'\t\r\n.,e5%ax＝"), max_size=5) | st.none(), min_size=1))
def test_every_text_is_read_back(texts: list[str | None]) -> None:
    frame = pl.DataFrame({"text": texts, "number": [-1.5] * len(texts)}, {"text": pl.String, "number": float})
    written = marked_frame(frame)
    assert written["text"].to_list() == [None if text is None else marked(text) for text in texts]
    assert unmarked_frame(written).equals(frame)
    assert written["number"].equals(frame["number"])
