"""At a terminal: bars, Ctrl-C, narrow windows, odd names; and pipes that close."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from cli.command import PODIUM, Terminal, podium, succeeded
from podium import EloMMR, rate, read_history

slow = pytest.mark.compiled


def busy(large: Path) -> list[object]:
    """A command that has work for many seconds, in small pieces."""
    return ["rate", large, "--chunk-rows", 2000, "--trace", "trace.parquet", "--out", "out.csv"]


def at_work(folder: Path) -> bool:
    """Whether pieces of the trace are being written."""
    return len(list(folder.glob(".trace*/*.parquet"))) > 3 or len(list(folder.glob("*/*.parquet"))) > 3


@slow
def test_ctrl_c_leaves_nothing_broken(large: Path, tmp_path: Path) -> None:
    """Typed at a real terminal while pieces of the trace are on the disk already."""
    (tmp_path / "out.csv").write_text("an older file")
    with Terminal(*busy(large), cwd=tmp_path) as terminal:
        terminal.wait_for(lambda: at_work(tmp_path))
        assert terminal.interrupt() == 130
    assert "podium: interrupted" in terminal.screen
    assert "Traceback" not in terminal.screen
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "an older file"


@slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_being_stopped_without_a_terminal(number: signal.Signals, large: Path, tmp_path: Path) -> None:
    command = [*PODIUM, *map(str, busy(large))]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while not at_work(tmp_path):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        process.send_signal(number)  # the impatient send it twice
        _, said = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


@slow
def test_a_bar_at_a_terminal(large: Path, tmp_path: Path) -> None:
    options = ["--system", "elo", "--chunk-rows", 300, "--top", 1]
    with Terminal("rate", large, *options, cwd=tmp_path) as terminal:
        terminal.wait_for(lambda: "rating with elo" in terminal.screen)
        assert re.search(r"rating with elo .*[\d,]+ rows", terminal.screen)
        assert terminal.finish() == 0
    assert "elo: 5,000 players, 1,000,000 events" in terminal.screen
    assert terminal.raw.count("\x1b[?25l") == terminal.raw.count("\x1b[?25h")  # the cursor is back


@slow
def test_no_bar_in_a_pipe(large: Path) -> None:
    """A second's work and more, and not a word about it."""
    assert (
        succeeded("rate", large, "--system", "elo", "--chunk-rows", 20_000, "--top", 0)
        == "elo: 5,000 players, 1,000,000 events\n"
    )


@pytest.mark.parametrize(
    "arguments", [["rate", "results", "--top", "20"], ["rate", "results", "--json"], ["systems"]]
)
def test_a_closed_pipe_is_quiet(arguments: list[str], results: Path) -> None:
    """As `| head` does: nobody reads any more."""
    command = [*PODIUM, *(str(results) if a == "results" else a for a in arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert said == ""
    assert process.returncode == 141


@pytest.mark.parametrize("closed", [1, 2])
def test_streams_that_were_never_open(closed: int, results: Path) -> None:
    """As daemons start programs: `>&-`, `2>&-`."""
    command = shlex.join([*PODIUM, "rate", str(results), "--system", "elo-mmr", "--top", "0"])
    done = subprocess.run(f"{command} {closed}>&-", shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("" if closed == 1 else "elo-mmr: 25 players, 40 events\n")


# ---------------------------------------------------------------------- names and widths

ODD_NAMES = ["[bold]x[/bold]", "[red]", "[/]", ":smile:", "🦊👩‍🚀", "a\\[b", "中文名字", "x" * 10_000]


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    rows = "".join(f'"{name}",loser {i}\n' for i, name in enumerate(ODD_NAMES))
    (tmp_path / "odd.csv").write_text("winner,loser\n" + rows, encoding="utf-8")
    return tmp_path


def test_names_print_literally(odd: Path) -> None:
    said = succeeded("rate", "odd.csv", cwd=odd)
    for name in ODD_NAMES[:-1]:
        assert f"│ {name} " in said
    assert re.search(r"│ x{30,60}… │", said)


def table_in(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith(tuple("┏┃┡│└"))]


@pytest.mark.parametrize("columns", [200, 80, 60, 40, 20])
def test_tables_fit_the_terminal(odd: Path, columns: int) -> None:
    said = succeeded("rate", "odd.csv", "--system", "elo-mmr", cwd=odd, columns=columns)
    table = table_in(said)
    assert max(cell_len(line) for line in table) <= columns
    assert len(table) == 4 + 16  # a line each, however long the name
    if columns >= 40:
        assert f"{rate(read_history(odd / 'odd.csv'), EloMMR()).ratings['mu'][0]:.1f}" in said


@pytest.mark.parametrize("columns", [90, 45])
def test_tables_fit_a_real_terminal(odd: Path, columns: int) -> None:
    with Terminal("rate", "odd.csv", cwd=odd, columns=columns) as terminal:
        assert terminal.finish() == 0
    shown = table_in(terminal.screen)
    assert len(shown) == 20
    assert max(cell_len(line) for line in shown) <= columns


@pytest.mark.parametrize(
    ("columns", "shown", "left_out"),
    [
        (80, ["place", "player", "sigma", "display", "events", "last_time"], ""),
        (60, ["place", "player", "sigma", "display", "events"], "last_time"),
        (40, ["place", "player", "display"], "sigma, events, last_time"),
        (20, ["player"], "place, sigma, display, events, last_time"),
    ],
)
def test_names_are_the_last_to_go(tmp_path: Path, columns: int, shown: list[str], left_out: str) -> None:
    """In a narrow terminal numbers make room for names; what is missing is said, and no number is cut."""
    names = ["Bartholomew Wellington-Smythe", "中文名字很长很长很长很长很长很长", "Ann"]
    rows = "".join(f"{name},loser {i},2026-05-0{i + 1}\n" for i, name in enumerate(names))
    (tmp_path / "games.csv").write_text("winner,loser,time\n" + rows, encoding="utf-8")
    said = succeeded("rate", "games.csv", "--system", "elo-mmr", cwd=tmp_path, columns=columns)
    table = table_in(said)
    assert max(map(cell_len, table)) <= columns
    assert table[1].strip("┃").replace(" ", "").split("┃") == shown
    for beginning in ("Bartholomew Wel", "中文名字很长很", "Ann"):
        assert any(f"│ {beginning}" in line for line in table)
    assert ("1629.4 │" in said) == ("display" in shown)
    words = " ".join(said.partition("└")[2].split()[1:])
    assert words == (f"columns left out because the terminal is narrow: {left_out}" if left_out else "")


def test_names_cannot_play_with_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "evil.csv").write_text('winner,loser\n"\x1b[31mred\x1b[0m\x07","new\nline"\n')
    said = succeeded("rate", "evil.csv", cwd=tmp_path)
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "[31mred" in said
    assert "new\N{REPLACEMENT CHARACTER}line" in said


def test_a_terminal_of_another_alphabet(odd: Path) -> None:
    answer = podium("rate", "odd.csv", "--json", cwd=odd, PYTHONIOENCODING="latin-1")
    assert answer.returncode == 0
    assert "\\U0001f98a" in answer.stdout
