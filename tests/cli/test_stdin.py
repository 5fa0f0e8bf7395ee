"""Results from stdin: `-` in the place of a file."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest

from cli.command import PATIENCE, podium_here

CSV = b"winner,loser\nann,bob\nann,cat\nbob,cat\n"
SEMICOLONS = CSV.replace(b",", b";")


class Bytes(io.BytesIO):
    name = "<stdin>"


@contextmanager
def piped(content: bytes) -> Iterator[None]:
    with mock.patch.object(sys, "stdin", io.TextIOWrapper(Bytes(content))):
        yield


@pytest.mark.parametrize(
    "content", [CSV, SEMICOLONS, gzip.compress(CSV)], ids=["commas", "semicolons", "gzip"]
)
@pytest.mark.parametrize(
    "command",
    [
        "rate - --system elo",
        "explain - ann --system elo",
        "smooth - --system glicko",
        "rate - --chunk-rows 1",
    ],
)
def test_commands(content: bytes, command: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(CSV)
    expected = podium_here(*command.replace("-", str(tmp_path / "x.csv"), 1).split())
    with piped(content):
        answer = podium_here(*command.split())
    assert (answer.returncode, answer.stdout) == (0, expected.stdout), answer.stderr
    semicolons = "stdin: matches; winner, loser; semicolons between cells\n"
    assert answer.stderr == (semicolons if content == SEMICOLONS else "")


def test_ladders() -> None:
    with piped(b"club,winner,loser\na,ann,bob\nb,cat,dan\n"):
        answer = podium_here("rate", "-", "--by", "club", "--system", "elo", "--jobs", 1)
    assert answer.returncode == 0, answer.stderr
    assert "2 ladders" in answer.stdout


def test_errors_name_stdin() -> None:
    with piped(b"winner,loser\nann,\n"):
        answer = podium_here("rate", "-")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "podium: stdin, line 2: loser is empty" in answer.stderr
    with piped(b""):
        assert "stdin: there is nothing to read" in podium_here("rate", "-").stderr


def test_only_once() -> None:
    with piped(CSV):
        answer = podium_here("rate", "-", "-")
    assert answer.returncode == 2
    assert "stdin (-) can be read only once" in answer.stderr


def test_beside_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"winner,loser\ndan,ann\n")
    with piped(CSV):
        answer = podium_here(
            "rate", "-", tmp_path / "x.csv", "--system", "elo", "--report", tmp_path / "r.html"
        )
    assert "4 players, 4 events" in answer.stdout
    assert "Ratings of stdin" in (tmp_path / "r.html").read_text()


def test_a_large_file_sent_to_stdin(tmp_path: Path) -> None:
    """It is read in pieces, as a large file is: the order of time is kept, or refused."""
    (tmp_path / "x.csv").write_text("winner,loser,time\nann,bob,2026-05-02\nbob,ann,2026-05-01\n")
    code = "import podium.cli.rate as rate, podium.cli.program as program\n"
    code += "rate.IN_MEMORY_BYTES, rate.ROWS_PER_CHUNK = 5, 1\nprogram.main()"
    with (tmp_path / "x.csv").open("rb") as file:
        command = [sys.executable, "-c", code, "rate", "-", "--system", "elo"]
        answer = subprocess.run(command, stdin=file, capture_output=True, text=True, timeout=PATIENCE)
    assert answer.returncode == 1
    assert "podium: stdin, event '2': 2026-05-01 comes after 2026-05-02" in answer.stderr


def test_addresses() -> None:
    answer = podium_here("rate", "https://example.org/may.csv")
    assert answer.returncode == 1
    assert "https://example.org/may.csv: podium does not download files" in answer.stderr
    assert "curl -LO https://example.org/may.csv" in answer.stderr


def test_how_text_is_written() -> None:
    with piped("winner:loser\nŁukasz:Żaneta\n".encode("cp1250")):
        answer = podium_here("rate", "-", "--separator", ":", "--encoding", "cp1250", "--system", "elo")
    assert answer.returncode == 0, answer.stderr
    assert "Łukasz" in answer.stdout
    with piped(CSV):
        answer = podium_here("rate", "-", "--encoding", "klingon")
    assert answer.returncode == 2
    assert "there is no encoding 'klingon'" in answer.stderr
