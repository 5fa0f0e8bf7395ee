"""What goes wrong: messages on stderr, statuses 1 and 2, and files that are whole or not there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cli.command import BAD_LINE, PODIUM, failed, podium, succeeded
from podium import Elo, Glicko2, Ladder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good file."""
    (tmp_path / "good.csv").write_text("winner,loser\nann,bob\n")
    return tmp_path


# ---------------------------------------------------------------------- bad usage

BAD_USAGE: list[tuple[list[str], str]] = [
    (["rate"], "Missing argument"),
    (["frobnicate"], "No such command 'frobnicate'"),
    (["rate", "good.csv", "--frobnicate"], "--frobnicate"),
    (
        ["rate", "good.csv", "--system", "elo2"],
        "there is no rating system 'elo2'\n  hint: did you mean 'elo'? there are elo-mmr, elo-mmx,",
    ),
    (["rate", "good.csv", "--system", "elo-mmr", "--set", "kay=24"], "elo-mmr has no parameter 'kay'"),
    (["rate", "good.csv", "--system", "elo-mmr", "--set", "bta=200"], "did you mean 'beta'?"),
    (["rate", "good.csv", "--system", "elo-mmr", "--set", "rho=fast"], "rho is a number, not 'fast'"),
    (["rate", "good.csv", "--system", "elo-mmr", "--set", "rho=-1"], "rho goes from 0"),
    (
        ["rate", "good.csv", "--system", "elo-mmr", "--set", "beta=9", "--set", "sigma_limit=80"],
        "or by its limits, not by both",
    ),
    (
        ["rate", "good.csv", "--system", "elo-mmr", "--set", "performance=flat"],
        "there is no distribution 'flat'",
    ),
    (
        ["rate", "good.csv", "--system", "elo-mmr", "--set", "newcomer_weights=0.5;1"],
        "numbers separated by commas",
    ),
    (
        ["rate", "good.csv", "--system", "elo-mmr", "--set", "newcomer_weights=0.5,,1"],
        "numbers separated by commas",
    ),
    (["rate", "good.csv", "--system", "elo-mmr", "--set", "ties=bent"], "ties is one of whole, half"),
    (["rate", "good.csv", "--system", "elo", "--set", "period=soon"], "'soon' is not a duration"),
    (
        ["rate", "good.csv", "--system", "luck", "--set", "luck=nonsense"],
        "podium: luck: luck: there is no LuckFunction 'nonsense'\n  hint: there are logistic, heaviside,",
    ),
    (
        ["rate", "good.csv", "--system", "luck", "--set", "luck=normal(1,2)"],
        "normal is written normal(width)",
    ),
    (["rate", "good.csv", "--system", "yuksel", "--set", "curve=logistic(2)"], "logistic takes no numbers"),
    (["--import", "gone.py", "rate", "good.csv"], "--import gone.py: there is no such file"),
    (["rate", "good.csv", "--set", "k"], "'k' must have the form name=value"),
    (["rate", "good.csv", "--set", "=3"], "'=3' must have the form name=value"),
    (["rate", "good.csv", "--set", "k=3", "--set", "k=4"], "'k' is given twice"),
    (["rate", "good.csv", "--top", "many"], "--top"),
    (["rate", "good.csv", "--top", "-1"], "--top"),
    (["rate", "good.csv", "--chunk-rows", "0"], "--chunk-rows"),
    (["rate", "good.csv", "good.csv", "--chunk-rows", "5"], "podium reads several files whole"),
    (["rate", "good.csv", "--column", "player"], "'player' must have the form name=value"),
    (["rate", "good.csv", "--column", "plyer=x"], "there is no column meaning 'plyer'"),
    (["rate", "good.csv", "--unrated", "maybe"], "unrated is one of opponent, drop"),
    (["rate", "good.csv", "--unfinished", "maybe"], "unfinished is one of last, drop"),
    (["rate", "good.csv", "--on-bad-row", "cry"], "on_bad_row is one of error, skip"),
    (["rate", "good.csv", "--out", "ratings.xlsx"], "podium cannot write 'ratings.xlsx'"),
    (["rate", "good.csv", "--out", "ratings"], "podium cannot write 'ratings'"),
    (["rate", "good.csv", "--out", "ratings.pgn"], "podium cannot write 'ratings.pgn'"),
    (["rate", "good.csv", "--out", "good.csv"], "good.csv would be overwritten"),
    (["rate", "good.csv", "--out", "./x.csv", "--trace", "x.csv"], "x.csv would be overwritten"),
    (["rate", "good.csv", "--ladder", "good.csv", "--set", "k=3"], "a saved ladder keeps its own parameters"),
    (["systems", "elo2"], "there is no rating system 'elo2'"),
    (["warmup", "elo2"], "there is no rating system 'elo2'"),
]


@pytest.mark.parametrize(("arguments", "reason"), BAD_USAGE, ids=[" ".join(a) for a, _ in BAD_USAGE])
def test_bad_usage(arguments: list[str], reason: str, folder: Path) -> None:
    assert reason in failed(2, *arguments, cwd=folder)
    assert [path.name for path in folder.iterdir()] == ["good.csv"]


@pytest.mark.parametrize(("arguments", "reason"), BAD_USAGE[:5], ids=[" ".join(a) for a, _ in BAD_USAGE[:5]])
def test_bad_usage_for_real(arguments: list[str], reason: str, folder: Path) -> None:
    assert reason in failed(2, *arguments, cwd=folder, run=podium)


# ---------------------------------------------------------------------- bad input

BAD_FILES: list[tuple[str, bytes, str]] = [
    ("empty.csv", b"", "the file is empty"),
    ("odd.csv", b"a,b\n1,2\n", "odd.csv"),
    ("rank.csv", b"event,player,rank\n1,ann,1\n1,bob,0\n", "rank.csv, line 3"),
    ("twice.csv", b"event,player,rank\n1,ann,1\n1,ann,2\n", "'ann'"),
    ("bytes.csv", b"winner,loser\nzo\xc3\xab,bob\nann,b\xffb\n", "bytes.csv, line 3: the line is not UTF-8"),
    ("fake.parquet", b"winner,loser\nann,bob\n", "the name ends in a Parquet file"),
    ("results.docx", b"PK\x03\x04", "cannot tell what 'results.docx' is"),
    ("results.xlsx", b"PK\x03\x04", "results.xlsx: not a readable xlsx file"),
    ("time.csv", b"winner,loser,time\nann,bob,noon\n", "'noon' is not a time"),
]


@pytest.mark.parametrize(("name", "content", "reason"), BAD_FILES, ids=[name for name, *_ in BAD_FILES])
def test_bad_input(name: str, content: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    said = failed(
        1, "rate", name, "--out", "out.csv", "--trace", "trace.csv", "--save", "l.podium", cwd=tmp_path
    )
    assert said.startswith("podium: ")
    assert reason in said
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    said = failed(1, "rate", "nowhere.csv", cwd=tmp_path, run=podium)
    assert said.startswith("podium: nowhere.csv: ")
    assert failed(1, "rate", "nowhere.csv", "--chunk-rows", 5, cwd=tmp_path) == said


def test_outputs_that_cannot_be_are_refused_at_once(folder: Path) -> None:
    (folder / "sub").mkdir()
    for option, name in (("--out", "no/out.csv"), ("--trace", "no/t.parquet"), ("--save", "no/l.podium")):
        assert "there is no folder no" in failed(1, "rate", "good.csv", option, name, cwd=folder)
    for option in ("--out", "--trace", "--save"):
        assert "sub is a folder" in failed(1, "rate", "good.csv", option, "sub", cwd=folder)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_said_in_a_line(folder: Path) -> None:
    command = [*PODIUM, "rate", "good.csv"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder)
    assert done.returncode == 1
    assert done.stderr.endswith("podium: stdout: No space left on device\n")


def test_a_ladder_of_another_kind_is_refused(folder: Path) -> None:
    Ladder(Glicko2()).save(folder / "league.podium")
    going_on = ["rate", "good.csv", "--ladder", "league.podium"]
    assert "is of glicko2, not of elo" in failed(1, *going_on, "--system", "elo", cwd=folder)
    other = failed(1, *going_on, "--system", "glicko2", "--set", "tau=0.9", cwd=folder)
    assert "glicko2 with tau=0.5, not 0.9" in other
    damaged = bytearray((folder / "league.podium").read_bytes())
    damaged[100] ^= 1
    (folder / "league.podium").write_bytes(damaged)
    assert "is damaged" in failed(1, *going_on, cwd=folder)
    assert "is not a file saved by podium" in failed(
        1, "rate", "good.csv", "--ladder", "good.csv", cwd=folder
    )
    assert "cannot read none.podium" in failed(1, "rate", "good.csv", "--ladder", "none.podium", cwd=folder)


def test_results_before_the_ladders_last_are_refused(folder: Path) -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", time="2026-05-01")
    ladder.save(folder / "league.podium")
    before = (folder / "league.podium").read_bytes()
    (folder / "early.csv").write_text("winner,loser,time\nann,bob,2026-04-01\n")
    both = ["--ladder", "league.podium", "--save", "league.podium"]
    said = failed(1, "rate", "early.csv", *both, cwd=folder)
    event = "early.csv: the event '1' of 2026-04-01 is earlier than the ladder's last event of 2026-05-01"
    assert event in said
    assert "rate all files together from the start" in said
    assert (folder / "league.podium").read_bytes() == before


# ---------------------------------------------------------------------- nothing half-written


@pytest.mark.parametrize(("trace", "older"), [("trace.parquet", False), ("trace.csv.gz", True)])
def test_a_late_error_leaves_no_half_written_file(
    trace: str, older: bool, late_error: Path, tmp_path: Path
) -> None:
    names = ["out.csv", "league.podium", trace]
    if older:
        for name in names:
            (tmp_path / name).write_text(f"an older {name}")
    said = failed(
        1,
        "rate",
        late_error,
        "--chunk-rows",
        5_000,
        "--out",
        "out.csv",
        "--trace",
        trace,
        "--save",
        "league.podium",
        cwd=tmp_path,
        run=podium,
    )
    assert f"late.csv, line {BAD_LINE}" in said
    if older:
        assert all((tmp_path / name).read_text() == f"an older {name}" for name in names)
    assert sorted(path.name for path in tmp_path.iterdir()) == (sorted(names) if older else [])


def test_what_can_be_skipped_late_is_skipped(late_error: Path, tmp_path: Path) -> None:
    answer = podium("rate", late_error, "--chunk-rows", 25_000, "--on-bad-row", "skip", "--top", 0)
    assert answer.returncode == 0
    assert f"late.csv, line {BAD_LINE}" in answer.stderr
    assert answer.stderr.endswith("1 row skipped\n")


def test_python_shows_nothing_else(folder: Path) -> None:
    """No warnings, no chatter: what is printed is podium's."""
    said = succeeded(
        "rate", "good.csv", "--top", 0, "--system", "elo-mmr", cwd=folder, run=podium, PYTHONWARNINGS="error"
    )
    assert said == "elo-mmr: 2 players, 1 event\n"


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (["rate", "--set", "rho"], "'rho' must have the form name=value"),
        (["rate", "--by", "game", "--set", "rho=1", "--set", "rho=2"], "'rho' is given twice"),
        (["explain", "ann", "--set", "=1"], "'=1' must have the form name=value"),
        (["chart", "--json", "--set", "rho"], "'rho' must have the form name=value"),
        (["changes", "--set", "rho"], "'rho' must have the form name=value"),
        (["what-if", "--without", "1", "--set", "rho"], "'rho' must have the form name=value"),
        (["evaluate", "--systems", "elo,glicko", "--set", "elo-mmr.rho=1"], "no system here is called"),
        (["evaluate", "--systems", "elo,elo"], "a system is given twice"),
        (["evaluate", "--system", "elo", "--system", "elo"], "a system is given twice"),
        (["rate", "--system", "elo", "--set", "kk=1"], "elo has no parameter 'kk'\n  hint: did you mean 'k'"),
        (["rate", "--set", "voltility=1"], "has a parameter 'voltility'\n  hint: did you mean 'volatility'"),
        (["explain", "ann", "--system", "matches", "--set", "rho=1"], "glicko2 has no parameter 'rho'"),
        (["changes", "--system", "bar", "--set", "rho=1"], "weng-lin has no parameter 'rho'"),
        (["evaluate", "--set", "elo.rho=1"], "elo has no parameter 'rho'"),
        (["evaluate", "--systems", "elo,luck", "--set", "luck.rho=1"], "luck has no parameter 'rho'"),
        (["evaluate", "--metrics", "brier,log-los"], "did you mean 'log-loss'"),
        (["evaluate", "--scopes", "tops:3"], "there is no scope 'tops:3'"),
        (["evaluate", "--since", "soon"], "--since is 'soon'"),
        (["evaluate", "--every", "soon"], "'soon'"),
        (["tune", "--system", "elo", "--set", "k=fast"], "k is a number, not 'fast'"),
        (["tune", "--system", "elo", "--search", "rho"], "elo has no parameter 'rho'"),
        (["tune", "--system", "elo", "--fix", "rho=1"], "elo has no parameter 'rho'"),
    ],
)
def test_wrong_settings_are_told_before_reading(arguments: list[str], reason: str, tmp_path: Path) -> None:
    """Of the file, which is empty, nothing is said."""
    (file := tmp_path / "empty.csv").touch()
    assert reason in failed(2, arguments[0], file, *arguments[1:])
