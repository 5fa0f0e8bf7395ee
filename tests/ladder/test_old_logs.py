"""Logs of podium 0.1 are read as they are, and converted when they are opened, whenever that is interrupted.

`old_log` was written by that version, and `old_log.json` says what it told of it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ladder.helpers import content
from podium import InputError, Ladder, StateError

HERE = Path(__file__).parent
TOLD: dict[str, Any] = json.loads((HERE / "old_log.json").read_text())


@pytest.fixture
def old(tmp_path: Path) -> Path:
    shutil.copytree(HERE / "old_log", tmp_path / "season")
    return tmp_path / "season"


def check(ladder: Ladder) -> None:
    """Whether a ladder is the one of which the old version told, to the last bit."""
    for player, mu, sigma, events in TOLD["ratings"]:
        rating = ladder.rating(player)
        assert (rating.mu, rating.sigma, rating.events) == (mu, sigma, events)
    assert len(ladder) == len(TOLD["ratings"])


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_an_old_log_is_read_and_stays(old: Path) -> None:
    before = names(old)
    check(Ladder.load(old))
    assert Ladder.load(old, at="2026-05-10").rating("ann").mu == TOLD["then"]
    assert names(old) == before


def test_an_old_log_is_converted_and_continued(old: Path) -> None:
    texts = {name: (old / name).read_bytes() for name in names(old)}
    with Ladder.open(old) as ladder:
        check(ladder)
        assert [one.number for one in ladder.numbered_events()] == TOLD["counted"]
        assert ladder.at("2026-05-10").rating("ann").mu == TOLD["then"]
        assert ladder.record_match("ann", "dan", time="2026-06-02").number == TOLD["next"]
        ladder.undo()
        check(ladder)
        ladder.void(1)  # before all checkpoints but the first
        ladder.record(ranks={"bob": 1, "ann": 2}, time="2026-05-01", late="insert")
        then = content(ladder)
    assert {name: (old / "converted" / name).read_bytes() for name in texts} == texts
    assert content(Ladder.load(old)) == then
    with Ladder.open(old) as again:
        assert content(again) == then


CONVERTING = """
import os, shutil, sys
from podium import Ladder

def ending(call):
    def count(*args, **words):
        global left
        left -= 1
        if left < 0:
            os._exit(9)
        return call(*args, **words)
    return count

for number in range(1000):
    copy = f"{sys.argv[1]} {number}"
    shutil.copytree(sys.argv[1], copy)
    child = os.fork()
    if not child:
        left = number
        for name in ("replace", "mkdir", "fsync", "open"):
            setattr(os, name, ending(getattr(os, name)))
        Ladder.open(copy)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
        break
"""


def test_killed_while_it_is_converted(old: Path) -> None:
    """A process ends before the first call to the system that changes the folder, the second, …"""
    subprocess.run([sys.executable, "-c", CONVERTING, str(old)], check=True)
    copies = sorted(old.parent.glob("season *"))
    assert len(copies) > 8
    for copy in copies:
        check(Ladder.load(copy))
        with Ladder.open(copy) as ladder:
            check(ladder)
        assert names(copy) >= {"ladder.db", "converted"}
        assert not [name for name in names(copy) if name.startswith(("events", "checkpoint"))]


def test_damage_in_an_old_log_is_an_error_that_says_where(old: Path) -> None:
    path = old / "events-000000000001.ndjson"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for place in range(0, len(whole), 17):
        line = whole[:place].count(b"\n") + 1
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(StateError, match=rf"{path.name}, line {line}: the record is damaged"):
            Ladder.open(old)
    assert "ladder.db" not in names(old)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    with pytest.raises(StateError, match="line 3: record 2 is missing"):
        Ladder.load(old)
    path.unlink()
    with pytest.raises(StateError, match=r"records 1 to \d+ are missing"):
        Ladder.load(old)


def test_a_torn_last_record_is_dropped(old: Path) -> None:
    path = max(old.glob("events-*"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    with Ladder.open(old) as ladder:
        ladder.record_match("ann", "robert", time="2026-06-01")
        check(ladder)


def test_an_old_log_is_not_begun_again(old: Path) -> None:
    with pytest.raises(InputError, match="already exists"):
        Ladder.open(old, start=Ladder("glicko2"))
    with pytest.raises(StateError, match="of glicko2, not of elo"):
        Ladder.open(old, system="elo")
    assert os.path.exists(old)
