"""`podium serve`: a site at a local address that follows its file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

from cli.command import PATIENCE, PODIUM, failed
from cli.test_site import CONTESTS, LATER
from podium.cli.watched_files import WatchedFiles
from podium.tournaments.tournament import Tournament


def content(address: str) -> str:
    with urlopen(address, timeout=10) as answer:
        return str(answer.read().decode())


def until_changed(address: str, before: str) -> str:
    deadline = time.monotonic() + PATIENCE
    while (now := content(address)) == before:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return now


def test_a_site_follows_its_file(tmp_path: Path) -> None:
    """A real process and a real socket: rated again when the file changes, kept when it is broken."""
    results = tmp_path / "contests.csv"
    results.write_text(CONTESTS)
    cup, cup_file = Tournament("knockout", name="day"), tmp_path / "cup.jsonl"
    for name in ("ann", "bob"):
        cup.join(name)
    cup.save(cup_file)
    command = [*PODIUM, "serve", str(results), "--system", "elo", "--tournament", str(cup_file)]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = [process.stdout.readline() for _ in range(3)]
        assert said[0] == "contests: elo, 4 players, 2 events\n"
        address = said[2].split()[1]
        assert address.startswith("http://127.0.0.1:")
        version = content(f"{address}.podium/version")
        assert 'data-live="/.podium/version"' in content(address)
        assert json.loads(content(f"{address}index.json"))["events"] == 2

        results.write_text(CONTESTS + LATER)
        version = until_changed(f"{address}.podium/version", version)
        assert json.loads(content(f"{address}index.json"))["events"] == 3
        assert "three" in content(f"{address}events/three_.html")

        results.write_text(CONTESTS + LATER + "four,2026-01-22,ann\n")  # half-written
        assert "line 10" in process.stderr.readline()
        assert "hint" in process.stderr.readline()
        assert process.stderr.readline() == "the website stays unchanged\n"
        assert json.loads(content(f"{address}index.json"))["events"] == 3
        assert content(f"{address}.podium/version") == version

        results.write_text(CONTESTS + LATER)
        version = until_changed(f"{address}.podium/version", version)
        assert "not started" in content(f"{address}tournaments/day_.html")
        cup.pair()
        cup.save(cup_file)
        until_changed(f"{address}.podium/version", version)
        assert "Round 1" in content(f"{address}tournaments/day_.html")

        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert process.stderr.read() == "podium: interrupted: no file is incomplete\n"
    assert list(temporary.iterdir()) == []


def test_what_cannot_be_watched_is_refused(tmp_path: Path) -> None:
    assert "podium serve needs a file" in failed(2, "serve", "-")
    assert "nothing.csv" in failed(1, "serve", tmp_path / "nothing.csv")


def test_files_are_taken_when_they_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, folder = tmp_path / "a.csv", tmp_path / "more"
    folder.mkdir()
    file.write_text("1")
    watched = WatchedFiles([file, folder, tmp_path / "later.csv"])
    steps: list[Callable[[], object]] = []
    monkeypatch.setattr("podium.cli.watched_files.time.sleep", lambda _: steps.pop(0)())

    def nothing() -> None:
        pass

    steps += [nothing, lambda: file.write_text("12"), lambda: file.write_text("123"), nothing, nothing]
    watched.wait_for_change()
    assert len(steps) == 1  # it changed twice, and then it did not
    steps[:] = [lambda: (folder / "b.csv").write_text("x"), nothing]
    watched.wait_for_change()
    steps[:] = [file.unlink, nothing]
    watched.wait_for_change()
    assert steps == []
