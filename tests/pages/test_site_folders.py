"""The folder of a site: replaced as a whole or not at all, whatever ends the process that writes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from podium import InputError
from podium.pages.site_folders import MANIFEST, Manifest, linked_or_copied, replaced_site


def write(out: Path, text: str) -> None:
    with replaced_site(out) as (fresh, _):
        (fresh / "index.html").write_text(text)
        (fresh / "index.json").write_text("{}")
        Manifest({"index": text}).write(fresh / MANIFEST)


def around(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir())


def test_a_site_is_replaced_as_a_whole(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "public"
    write(out, "one")
    with replaced_site(out) as (fresh, manifest):
        assert manifest == Manifest({"index": "one"})
        assert (out / "index.html").read_text() == "one"
        assert fresh.parent == out.parent  # a rename is one step only inside a file system
    (out / ".DS_Store").touch()  # as a Mac leaves it
    write(out, "two")
    assert (out / "index.html").read_text() == "two"
    assert around(out) == ["public"]


def test_an_error_leaves_the_site_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "public"
    write(out, "one")

    def interrupted() -> None:
        with replaced_site(out) as (fresh, _):
            (fresh / "index.html").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (out / "index.html").read_text() == "one"
    assert around(out) == ["public"]


def test_what_is_no_site_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "public"
    out.mkdir()
    write(out, "into an empty folder")
    (out / "CNAME").write_text("mine")
    with pytest.raises(InputError, match="contains CNAME, which podium did not write"):
        write(out, "two")
    assert (out / "CNAME").read_text() == "mine"
    (out / "CNAME").unlink()
    (out / "notes").mkdir()
    (out / "notes" / "a.txt").touch()
    with pytest.raises(InputError, match=r"contains notes/a\.txt, which podium did not write"):
        write(out, "two")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").touch()
    with pytest.raises(InputError, match="not a podium website"):
        write(mine, "two")
    (mine / MANIFEST).write_text('{"kind": "site-manifest"}')
    with pytest.raises(InputError, match="not a podium website"):
        write(mine, "two")
    with pytest.raises(InputError, match="is a file"):
        write(mine / "thesis.txt", "two")
    assert around(out) == ["mine", "public"]


def test_a_link_to_the_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "public").symlink_to("real")
    write(tmp_path / "public", "one")
    assert (tmp_path / "public").is_symlink()
    assert (tmp_path / "real" / "index.html").read_text() == "one"


KILLED = """
import os, sys
from pathlib import Path
from podium.pages import site_folders
from podium.pages.site_folders import MANIFEST, Manifest

def wait():
    print("now", flush=True)
    sys.stdin.read()

rename, renames = os.rename, []
def slow_rename(source, target):
    if sys.argv[2] == "between" and renames:
        wait()
    renames.append(source)
    rename(source, target)

site_folders.os.rename = slow_rename
with site_folders.replaced_site(Path(sys.argv[1])) as (fresh, _):
    (fresh / "index.html").write_text("half")
    if sys.argv[2] == "before":
        wait()
"""


@pytest.mark.parametrize("when", ["before", "between"])
def test_a_killed_process_leaves_the_site_whole(tmp_path: Path, when: str) -> None:
    """Killed while it writes, or between the two renames: the next run finds the site and tidies up."""
    out = tmp_path / "public"
    write(out, "one")
    command = [sys.executable, "-c", KILLED, str(out), when]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        with pytest.raises(InputError, match="another process is writing"):
            write(out, "two at once")
        os.kill(process.pid, signal.SIGKILL)
    assert len(around(out)) > 1
    if when == "before":
        assert (out / "index.html").read_text() == "one"
    with replaced_site(out) as (_, manifest):
        assert manifest == Manifest({"index": "one"})
        assert (out / "index.html").read_text() == "one"
    assert around(out) == ["public"]


def test_files_are_linked_or_else_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = tmp_path / "one"
    one.write_text("text")
    linked_or_copied(one, tmp_path / "two")
    assert (tmp_path / "two").samefile(one)
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(1, "not here")))
    linked_or_copied(one, tmp_path / "three")
    assert (tmp_path / "three").read_text() == "text"
    assert not (tmp_path / "three").samefile(one)
