"""Files that are whole or not there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from podium.errors import InputError
from podium.files.atomic import remove_unfinished, removed_at_end, replacing
from podium.tables.written_tables import write_frames

FORMATS = ["x.csv", "x.csv.gz", "x.ndjson.zst", "x.parquet"]


def test_new_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    for content in ("one", "two"):
        with replacing(path) as temporary:
            temporary.write_text(content)
            assert temporary.parent == tmp_path
        assert path.read_text() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_file_and_nothing_else(error: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")

    def fail(temporary: Path) -> None:
        temporary.write_text("half")
        raise error

    with pytest.raises(error), replacing(path) as temporary:
        fail(temporary)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_process_that_ends_before_its_blocks_leaves_nothing(tmp_path: Path) -> None:
    whole = tmp_path / "whole.txt"
    with replacing(whole) as temporary:
        temporary.write_text("whole")
    with replacing(tmp_path / "x.txt") as temporary, removed_at_end(tmp_path / "folder") as folder:
        temporary.write_text("half")
        folder.mkdir()
        (folder / "part").write_text("half")
        remove_unfinished()
        assert list(tmp_path.iterdir()) == [whole]
        temporary.write_text("whole")  # somebody goes on nevertheless


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_failing_source_of_frames_leaves_the_old_table(
    name: str, error: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")

    def frames() -> Iterator[pl.DataFrame]:
        yield pl.DataFrame({"player": ["ann"] * 1000})
        yield pl.DataFrame({"player": ["bob"] * 1000})
        raise error("in the middle")

    with pytest.raises(error):
        write_frames(frames(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", FORMATS)
def test_a_table_is_not_there_before_it_is_whole(name: str, tmp_path: Path) -> None:
    path = tmp_path / name

    def frames() -> Iterator[pl.DataFrame]:
        for _ in range(3):
            assert not path.exists()
            yield pl.DataFrame({"player": ["ann"]})

    write_frames(frames(), path)
    assert list(tmp_path.iterdir()) == [path]


def test_permissions(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    mask = os.umask(0o027)
    try:
        with replacing(path) as temporary:
            temporary.write_text("new")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o600)
    with replacing(path) as temporary:
        temporary.write_text("secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    real, link = tmp_path / "deep" / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_long_names(tmp_path: Path) -> None:
    path = tmp_path / ("🏆" * 50 + ".txt")
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"), replacing(tmp_path):
        pytest.fail("not reached")
    with (
        pytest.raises(InputError, match=r"cannot write .*gone/x.txt: No such file"),
        replacing(tmp_path / "gone" / "x.txt"),
    ):
        pytest.fail("not reached")


def test_a_full_disk_is_an_error_of_podium(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    with pytest.raises(InputError, match=r"cannot write .*x.txt: No space left"), replacing(path):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []
