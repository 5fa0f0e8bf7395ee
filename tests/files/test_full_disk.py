"""A full disk: every way to write names the file and the reason, and leaves nothing half-written."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from podium import Elo, History, Ladder, rate, read_history, write_history
from podium.charts import picture_files
from podium.errors import InputError
from podium.files.atomic import writing
from podium.tables.written_tables import write_frames
from podium.tuning.study_log import StudyLog, Trial, open_storage

ROOM = 20_000
"""Bytes a file may have in these tests, instead of a disk that is full: the system refuses to write more."""


@contextmanager
def _room(size: int) -> Iterator[None]:
    """Limits files while a test runs, and not while pytest writes about it, perhaps to a file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


TOO_LARGE = os.strerror(errno.EFBIG)
FORMATS = ["x.csv", "x.tsv", "x.csv.gz", "x.csv.zst", "x.ndjson", "x.ndjson.gz", "x.parquet"]


@pytest.fixture(scope="module")
def matches() -> History:
    names = [os.urandom(8).hex() for _ in range(20_000)]
    return History.from_matches(names[::2], names[1::2], [1.0] * 10_000)


@_room(ROOM)
@pytest.mark.parametrize("name", FORMATS)
def test_histories(name: str, matches: History, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    with pytest.raises(InputError) as caught:
        write_history(matches, path)
    assert str(caught.value) == f"cannot write {path}: {TOO_LARGE}"
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@_room(ROOM)
@pytest.mark.parametrize("name", FORMATS)
def test_tables_in_pieces(name: str, matches: History, tmp_path: Path) -> None:
    frame = matches.to_frame()
    with pytest.raises(InputError, match=f"cannot write {tmp_path / name}: {TOO_LARGE}"):
        write_frames(frame.iter_slices(1000), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@_room(ROOM)
def test_traces_and_ladders(matches: History, tmp_path: Path) -> None:
    for name in ("trace.csv", "trace.parquet"):
        with pytest.raises(InputError, match=f"cannot write {tmp_path / name}: {TOO_LARGE}"):
            rate(matches, Elo(), trace=tmp_path / name)
    ladder = Ladder(Elo())
    ladder.record(ranks=dict.fromkeys(matches.players.to_list()[:5000], 1))
    with pytest.raises(InputError, match=f"cannot write {tmp_path / 'ladder'}: {TOO_LARGE}"):
        ladder.save(tmp_path / "ladder")
    assert list(tmp_path.iterdir()) == []


@_room(ROOM)
def test_charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: Any = None
    monkeypatch.setattr(picture_files, "_svg", lambda chart: "<svg/>" * ROOM)
    with pytest.raises(InputError, match=f"cannot write {tmp_path / 'x.svg'}: {TOO_LARGE}"):
        picture_files.save(drawn, tmp_path / "x.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lines, size", [(1000, 10), (100_000, ROOM)])
def test_copies_of_what_is_read(
    lines: int, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text in another encoding is read from a copy, which needs room as well."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "x.csv"
    path.write_bytes(b"winner,loser\n" + "Jürgen Müller,ann\n".encode("cp1252") * lines)
    problem = f"{path}: cannot copy it to .*: {TOO_LARGE}"
    with _room(size), pytest.raises(InputError, match=problem) as caught:
        read_history(path)
    assert "TMPDIR" in (caught.value.hint or "")
    assert list(tmp_path.iterdir()) == [path]


@_room(ROOM)
def test_studies(tmp_path: Path) -> None:
    path = tmp_path / "study.log"
    with open_storage(path) as storage:
        log = StudyLog(storage, "search", {"seed": 1}, str(path), higher_is_better=True)
        long = Trial(0, {}, None, 0.1, reason="no " * ROOM)
        with pytest.raises(InputError, match=f"cannot write {path}: {TOO_LARGE}"):
            log.add(long)


@pytest.mark.parametrize(
    "error, reason",
    [
        (OSError(errno.ENOSPC, "whatever"), "No space left on device"),
        (OSError("No space left on device (os error 28)"), "No space left on device"),
        (pl.exceptions.ComputeError("parquet: IO error: no room (os error 28)"), "No space left on device"),
        (OSError("something odd\nin two lines"), "something odd"),
    ],
)
def test_reasons(error: Exception, reason: str) -> None:
    with pytest.raises(InputError) as caught, writing("x.csv"):
        raise error
    assert str(caught.value) == f"cannot write x.csv: {reason}"


def test_other_errors_stay() -> None:
    mine = InputError("line 3 (os error 2)")
    for error in (ValueError("no"), pl.exceptions.ComputeError("no"), mine):
        with pytest.raises(type(error)) as caught, writing("x.csv"):
            raise error
        assert caught.value is error
