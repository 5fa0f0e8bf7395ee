"""Panics of Polars and fastexcel, which are no `Exception`: podium's errors, or another way to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import polars as pl
import pytest

from cli.command import failed
from podium import History, read_chunks, read_history, write_history
from podium.errors import InputError

HISTORY = History.from_matches(["ann", "bob"], ["bob", "cat"])


def panic(*_: Any, **__: Any) -> NoReturn:
    raise pl.exceptions.PanicException("assertion `left == right` failed\n  left: 0\n right: 200")


@pytest.mark.parametrize("where", ["collect", "collect_schema", "collect_batches"])
def test_damaged_parquet(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.parquet"
    write_history(HISTORY, path)
    monkeypatch.setattr(pl.LazyFrame, where, panic)
    reason = "not a readable parquet file: assertion `left == right` failed"
    with pytest.raises(InputError) as caught:
        list(read_chunks(path, rows=1)) if where == "collect_batches" else read_history(path)
    assert (caught.value.source, caught.value.reason) == (str(path), reason)
    if where != "collect_batches":
        assert failed(1, "rate", path) == f"podium: {path}: {reason}\n"


def test_a_panic_in_the_middle_of_the_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.parquet"
    write_history(HISTORY, path)

    def batches(*_: Any, **__: Any) -> Any:
        yield pl.read_parquet(path).with_row_index("podium:row")
        panic()

    monkeypatch.setattr(pl.LazyFrame, "collect_batches", batches)
    with pytest.raises(InputError, match="not a readable parquet file: assertion"):
        list(read_chunks(path, rows=1))


@pytest.mark.parametrize("name", ["x.csv", "x.ndjson"])
def test_text_is_read_line_by_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    write_history(HISTORY, path)
    collect = pl.LazyFrame.collect
    panics = []

    def panic_once(frame: pl.LazyFrame, **options: Any) -> Any:
        if not panics:
            panics.append(frame)
            panic()
        return collect(frame, **options)

    monkeypatch.setattr(pl.LazyFrame, "collect", panic_once)
    assert len(read_history(path)) == 2
    assert panics


def test_damaged_sheets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fastexcel

    class PanicException(BaseException):
        """fastexcel's own, of the same name as that of Polars."""

    def give_up(_: bytes) -> NoReturn:
        raise PanicException("index out of bounds")

    monkeypatch.setattr(fastexcel, "read_excel", give_up)
    (tmp_path / "x.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="not a readable xlsx file: index out of bounds"):
        read_history(tmp_path / "x.xlsx")


@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
def test_a_panic_while_writing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    for method in ("write_parquet", "write_csv"):
        monkeypatch.setattr(pl.DataFrame, method, panic)
    with pytest.raises(InputError, match=f"cannot write {path}: assertion"):
        write_history(HISTORY, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_with_parquet_output_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(*_: Any, **__: Any) -> NoReturn:
        raise pl.exceptions.PanicException("called `Result::unwrap()` on an `Err`: No space (os error 28)")

    (tmp_path / "x.csv").write_text("winner,loser\nann,bob\n")
    monkeypatch.setattr(pl.DataFrame, "write_parquet", fill)
    said = failed(1, "rate", "x.csv", "--system", "elo", "--out", "out.parquet", cwd=tmp_path)
    assert said == "podium: cannot write out.parquet: No space left on device\n"
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_interrupts_are_no_panics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> NoReturn:
        raise KeyboardInterrupt

    path = tmp_path / "x.parquet"
    write_history(HISTORY, path)
    monkeypatch.setattr(pl.LazyFrame, "collect", interrupt)
    with pytest.raises(KeyboardInterrupt):
        read_history(path)
