"""Pipes, devices and links to them: written through, and never replaced."""

from __future__ import annotations

import gzip
import os
import socket
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pytest

from cli.command import failed, succeeded
from podium import Elo, History, Ladder, rate, read_history, write_history
from podium.errors import InputError
from podium.files.atomic import replacing
from podium.systems.system_files import save_system
from podium.tables.written_tables import write_frames

HISTORY = History.from_matches(["ann", "bob"], ["bob", "cat"])


@pytest.fixture(autouse=True)
def guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The devices of this machine stay what they are, even where a test fails."""
    replace = os.replace

    def guarded_replace(source: Path, target: Path) -> None:
        assert not os.path.exists(target) or os.path.isfile(target), f"{target} would be replaced"
        replace(source, target)

    monkeypatch.setattr(os, "replace", guarded_replace)


@contextmanager
def pipe(path: Path) -> Iterator[Callable[[], bytes]]:
    """A named pipe with a reader; what is yielded waits for its content."""
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as reader:
        content = reader.submit(path.read_bytes)
        try:
            yield lambda: content.result(10)
        finally:
            if not content.done():  # nobody wrote: let the reader go
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))


def saved_ladder(path: Path) -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    ladder.save(path)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "ladder": saved_ladder,
    "x.csv": lambda path: write_history(HISTORY, path),
    "x.csv.gz": lambda path: write_history(HISTORY, path),
    "x.parquet": lambda path: write_history(HISTORY, path),
    "pieces.parquet": lambda path: write_frames(HISTORY.to_frame().iter_slices(2), path),
    "trace.csv": lambda path: rate(HISTORY, Elo(), trace=path),
    "elo.toml": lambda path: save_system(Elo(), path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_pipe_gets_what_a_file_gets(name: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    WRITERS[name](tmp_path / "there" / name)
    path = tmp_path / name
    with pipe(path) as content:
        WRITERS[name](path)
        assert content() == (tmp_path / "there" / name).read_bytes()
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert sorted(tmp_path.iterdir()) == sorted([path, tmp_path / "there"])


@pytest.mark.parametrize("name", WRITERS)
def test_a_link_to_a_device_stays_one(name: str, tmp_path: Path) -> None:
    link = tmp_path / name
    link.symlink_to(os.devnull)
    WRITERS[name](link)
    assert stat.S_ISCHR(link.stat().st_mode)
    assert list(tmp_path.iterdir()) == [link]


def test_a_device_stays_one() -> None:
    saved_ladder(Path(os.devnull))
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_all_outputs_of_a_command_may_be_devices(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("winner,loser\nann,bob\n")
    for name in ("out.csv", "trace.parquet"):
        (tmp_path / name).symlink_to(os.devnull)
    words = ("--out", "out.csv", "--trace", "trace.parquet", "--save", os.devnull)
    said = succeeded("rate", "x.csv", "--system", "elo", *words, cwd=tmp_path)
    assert said.splitlines()[-1] == f"wrote trace.parquet, out.csv, {os.devnull}"
    assert all(stat.S_ISCHR((tmp_path / name).stat().st_mode) for name in ("out.csv", "trace.parquet"))


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "nameless"])
def test_a_pipe_is_read_once(name: str, tmp_path: Path) -> None:
    content = b"winner,loser\nann,bob\n"
    os.mkfifo(tmp_path / name)
    for read in (
        lambda: succeeded("rate", name, "--system", "elo", cwd=tmp_path),
        lambda: read_history(tmp_path / name),
    ):
        with ThreadPoolExecutor(1) as writer:
            packed = gzip.compress(content) if name.endswith(".gz") else content
            written = writer.submit((tmp_path / name).write_bytes, packed)
            assert read()
            assert written.result(10) == len(packed)


def test_a_failure_writes_nothing_through_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    with pipe(path) as content:
        with pytest.raises(TypeError), replacing(path) as temporary:
            temporary.write_text(None)  # type: ignore[arg-type]
        os.close(os.open(path, os.O_WRONLY))
        assert content() == b""


def test_a_full_device_is_said(tmp_path: Path) -> None:
    link = tmp_path / "x.parquet"
    link.symlink_to("/dev/full")
    with pytest.raises(InputError, match=f"cannot write {link}: No space left on device"):
        write_history(HISTORY, link)


def test_open_files_of_this_process_go_on_where_they_are(tmp_path: Path) -> None:
    """As with `podium … --save /dev/stdout > file`: the file is not replaced, and nothing in it is lost."""
    with (tmp_path / "x.txt").open("wb", buffering=0) as file:
        file.write(b"before\n")
        number = (tmp_path / "x.txt").stat().st_ino
        for name in (f"/dev/fd/{file.fileno()}", f"/proc/self/fd/{file.fileno()}"):
            with replacing(name) as temporary:
                temporary.write_text("content\n")
        file.write(b"after\n")
    assert (tmp_path / "x.txt").read_text() == "before\ncontent\ncontent\nafter\n"
    assert (tmp_path / "x.txt").stat().st_ino == number


def test_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    with replacing("/dev/stdout") as temporary:
        temporary.write_text("content\n")
    assert capfd.readouterr().out == "content\n"


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listening, pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        listening.bind("socket")
        for name, reason in (("folder", "folder is a folder"), ("socket", "socket is a socket")):
            with pytest.raises(InputError, match=reason):
                saved_ladder(Path(name))
        Path("x.csv").write_text("winner,loser\nann,bob\n")
        assert "socket is a socket" in failed(1, "rate", "x.csv", "--save", "socket")
    disk = os.stat_result((stat.S_IFBLK | 0o660, *[0] * 9))
    with mock.patch("os.stat", return_value=disk), pytest.raises(InputError, match="x is a disk"):
        saved_ladder(Path("x"))


def test_links_to_files_are_followed(tmp_path: Path) -> None:
    """A link to a regular file, and one to where nothing is yet, stay links; the file behind is replaced."""
    for name in ("there", "not yet"):
        link = tmp_path / f"to {name}.csv.gz"
        link.symlink_to(tmp_path / f"{name}.csv.gz")
        write_history(HISTORY, link)
        assert link.is_symlink()
        assert b"ann" in gzip.decompress((tmp_path / f"{name}.csv.gz").read_bytes())
        assert len(read_history(link)) == 2
        assert pl.read_csv(link).height == 4
