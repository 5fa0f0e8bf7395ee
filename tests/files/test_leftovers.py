"""Temporary files of killed processes: swept by the next one that writes the same file, and only those."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from podium import History, write_history
from podium.files import leftovers
from podium.files.atomic import replacing
from podium.files.leftovers import FOREIGN_AGE_SECONDS, PARTS, locked_temporary, sweep

KILLED = """
import os, signal, sys
import polars as pl
from podium.tables.written_tables import write_frames

def frames():
    yield pl.DataFrame({"player": ["ann"]})
    yield pl.DataFrame({"player": ["bob"]})
    os.kill(os.getpid(), signal.SIGKILL)

write_frames(frames(), sys.argv[1])
"""


def left_behind(target: Path) -> Path:
    """A temporary file, with parts, as a killed process leaves it: nobody holds its lock."""
    with locked_temporary(target) as temporary:
        name = temporary.name
    path = target.with_name(name)
    path.write_text("half")
    parts = Path(f"{path}{PARTS}")
    parts.mkdir()
    (parts / "000000.parquet").write_text("part")
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    killed = subprocess.run([sys.executable, "-c", KILLED, path])
    assert killed.returncode == -signal.SIGKILL
    left = names(tmp_path)
    assert len(left) == 2
    assert left[1] == f"{left[0]}{PARTS}"
    assert left[0].startswith(".x.parquet.")
    assert left[0].endswith(".tmp")
    write_history(History.from_matches(["ann"], ["bob"]), path)
    assert names(tmp_path) == ["x.parquet"]


def test_what_is_being_written_is_not_swept(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with replacing(path) as first:
        first.write_text("first")
        with replacing(path) as second:
            second.write_text("second")
        assert path.read_text() == "second"
        assert first.read_text() == "first"
    assert path.read_text() == "first"
    assert names(tmp_path) == ["x.csv"]


def test_only_its_own_are_swept(tmp_path: Path) -> None:
    others = [left_behind(tmp_path / name) for name in ("x.csv.gz", "y.csv", "x.cs")]
    others += [tmp_path / ".x.csv.tmp", tmp_path / ".x.csv.notes.tmp"]
    for path in others[-2:]:
        path.write_text("somebody's")
    own = left_behind(tmp_path / "x.csv")
    sweep(tmp_path / "x.csv")
    assert not own.exists()
    assert not Path(f"{own}{PARTS}").exists()
    assert all(path.exists() for path in others)


def test_those_of_other_machines_are_swept_when_they_are_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("socket.gethostname", lambda: "elsewhere")
        young, old = left_behind(tmp_path / "x.csv"), left_behind(tmp_path / "x.csv")
    long_ago = old.stat().st_mtime - FOREIGN_AGE_SECONDS - 60
    os.utime(old, (long_ago, long_ago))
    sweep(tmp_path / "x.csv")
    assert (young.exists(), old.exists()) == (True, False)


def test_a_file_swept_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "x.csv"
    lock, swept = fcntl.flock, []

    def flock(descriptor: int, operation: int) -> None:
        if operation & fcntl.LOCK_EX and not swept:
            swept.extend(tmp_path.iterdir())
            sweep(target)  # another process, at the worst moment
        lock(descriptor, operation)

    monkeypatch.setattr(leftovers.fcntl, "flock", flock)
    with locked_temporary(target) as temporary:
        assert len(swept) == 1
        assert temporary not in swept
        assert list(tmp_path.iterdir()) == [temporary]
        sweep(target)
        assert list(tmp_path.iterdir()) == [temporary]


def test_a_file_that_somebody_is_about_to_sweep_is_left_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, held = fcntl.flock, []

    def flock(descriptor: int, operation: int) -> None:
        if not held:
            held.append(os.open(next(tmp_path.iterdir()), os.O_RDONLY))
            lock(held[0], fcntl.LOCK_SH)  # another process has locked it and not yet removed it
        lock(descriptor, operation)

    monkeypatch.setattr(leftovers.fcntl, "flock", flock)
    with locked_temporary(tmp_path / "x.csv") as temporary:
        assert not os.path.samestat(temporary.stat(), os.fstat(held[0]))
    os.close(held[0])


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can tell the living from the dead there, so nothing is swept."""

    def refuse(*_: Any) -> None:
        raise OSError(95, "Operation not supported")

    left = left_behind(tmp_path / "x.csv")
    monkeypatch.setattr(leftovers.fcntl, "flock", refuse)
    with replacing(tmp_path / "x.csv") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "x.csv").read_text() == "new"
    assert left.exists()


def test_read_only_files_are_swept_too(tmp_path: Path) -> None:
    left = left_behind(tmp_path / "x.csv")
    left.chmod(0o400)
    sweep(tmp_path / "x.csv")
    assert names(tmp_path) == []
