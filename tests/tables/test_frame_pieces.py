"""Files in pieces: the same rows, and one piece in memory at a time."""

from __future__ import annotations

import gzip
import io
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from conftest import tries
from podium import History, read_chunks
from podium.errors import InputError
from podium.tables.columns.shapes import ROW, ReadOptions
from podium.tables.reading_notes import ReadingNotes
from podium.tables.sources import frame_pieces
from podium.tables.sources.frame_pieces import FRAMES_AHEAD, line_blocks, read_ahead
from podium.tables.sources.given_files import readable
from podium.tables.sources.table_files import TableFile
from podium.tables.table_reader import TableReader

LINES = ["a,1", "b,", ",2", "", ",", "long name,3", "c"]


@settings(deadline=None, max_examples=tries(60))
@given(
    lines=st.lists(st.sampled_from(LINES), min_size=1, max_size=12),
    block=st.integers(1, 30),
    rows=st.integers(1, 5),
    end=st.sampled_from(["\n", "\r\n"]),
    ended=st.booleans(),
)
def test_blocks_are_the_whole(
    lines: list[str],
    block: int,
    rows: int,
    end: str,
    ended: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.getbasetemp() / "blocks.csv"
    path.write_bytes((end.join(["x,y", *lines]) + end * ended).encode())
    with readable(path, ReadOptions()) as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(frame_pieces, "_BLOCK_BYTES", block)
        wanted = {"name": "x", "score": "y"}
        table = TableFile(file, ReadOptions(), ReadingNotes(None), lambda names: True)
        whole = list(table.frames(wanted))
        pieces = list(table.frames(wanted, rows))
    assert [len(piece) for piece in pieces[:-1]] == [rows] * len(pieces[:-1])
    if whole:
        assert pl.concat(pieces).equals(whole[0], null_equal=True)
    else:
        assert not pieces


def test_blocks_begin_with_the_header() -> None:
    stream = io.BytesIO(b"a title\n\r\n\xef\xbb\xbfx,y\r\n1,2\r\n3,4\r\n5,6")
    assert list(line_blocks(stream, 1)) == [b"x,y\r\n1,2\r\n3,4\r\n", b"x,y\r\n5,6"]
    assert list(line_blocks(io.BytesIO(b"x,y\n"), 0)) == []


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_a_file_without_quotes_is_gone_through_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Polars is given one block after another and never the file, of which it reads far ahead."""
    text = b"winner,loser\n" + b"ann,bob\n" * 10
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    read = 0

    def counted(lazy: pl.LazyFrame, **options: Any) -> pl.DataFrame:
        nonlocal read
        frame = collect(lazy, **options)
        read += len(frame) if ROW in frame.columns else 0
        return frame

    collect = pl.LazyFrame.collect
    monkeypatch.setattr(pl.LazyFrame, "collect", counted)
    monkeypatch.delattr(pl.LazyFrame, "collect_batches")
    assert sum(len(piece) for piece in read_chunks(path, rows=4)) == 10
    assert read == 10


@pytest.mark.parametrize("rows", [2, 3])
def test_pieces_before_a_line_that_cannot_be_split_are_right(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("winner,loser\nann,bob\n\ncat,dan\nann,cat\ndan,bob\na,b,c\nbob,ann\n")
    monkeypatch.setattr(frame_pieces, "_BLOCK_BYTES", 8)
    pieces = read_chunks(path, rows=rows)
    assert next(iter(next(pieces))).sides == (("ann",), ("bob",))
    with pytest.raises(InputError, match="3 cells where the header has 2") as caught:
        list(pieces)
    assert caught.value.line == 7
    read = list(read_chunks(path, rows=rows, on_bad_row="skip"))
    assert [len(piece) for piece in read] == ([2, 2, 1] if rows == 2 else [3, 2])
    assert [skipped.where for piece in read for skipped in piece.skipped] == [f"{path}, line 7"]


@pytest.mark.parametrize("rows", [1, 100])
def test_the_broken_line_of_a_file_with_quotes_is_named(rows: int, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('winner,loser\n"an\nn",bob\ncat,dan\na,b,c\n')
    with pytest.raises(InputError, match="3 cells where the header has 2") as caught:
        list(read_chunks(path, rows=rows))
    assert caught.value.line == 5


def test_who_stops_reading_early_does_not_wait_for_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that an error left behind is garbage, collected also where nobody can wait for a thread."""
    made: list[int] = []

    def frames() -> Iterator[pl.DataFrame]:
        for number in range(100):
            made.append(number)
            yield pl.DataFrame({"number": [number]})

    def refuse(*_: object) -> None:
        raise AssertionError("a thread was waited for")

    reading = read_ahead(frames())
    assert next(reading)["number"].to_list() == [0]
    monkeypatch.setattr(threading.Thread, "join", refuse)
    reading.close()  # type: ignore[attr-defined]
    some = len(made)
    assert some <= 1 + FRAMES_AHEAD
    time.sleep(0.01)
    assert len(made) == some


# ------------------------------------------------------------------ one piece at a time


def test_a_piece_is_forgotten_before_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("event,player,rank\n" + "".join(f"e{i},ann,1\ne{i},bob,2\n" for i in range(4)))
    alive: list[weakref.ref[Any]] = []
    read = TableReader.read

    def watched(self: TableReader, frame: pl.DataFrame, *rest: Any) -> History:
        assert not [one for one in alive if one() is not None]
        history = read(self, frame, *rest)
        alive.extend((weakref.ref(frame), weakref.ref(history)))
        return history

    monkeypatch.setattr(TableReader, "read", watched)
    for piece in read_chunks(path, rows=2):
        del piece
    assert len(alive) > 4


def test_a_piece_is_forgotten_when_it_is_rated() -> None:
    alive: list[weakref.ref[History]] = []

    def pieces() -> Any:
        for day in range(3):
            history = History.from_matches(["ann"], ["bob"], time=[day])
            alive.append(weakref.ref(history))
            yield history
            del history
            assert [one() for one in alive] == [None] * len(alive)

    assert podium.rate(pieces(), podium.Elo()).ladder.n_events == 3
