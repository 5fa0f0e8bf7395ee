"""`podium systems`, `warmup`, `demo`, `--help`, `--version`, and what starting costs."""

from __future__ import annotations

import gc
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import podium as library
from cli.command import Terminal, failed, podium, said_json, succeeded
from podium import Elo, Ladder, WengLin, list_systems
from podium.evaluation.order_accuracy import accuracy
from podium.numerics.kernel_files import cache_folder


def test_version() -> None:
    assert succeeded("--version", run=podium) == f"podium {library.__version__}\n"


def test_the_console_script_is_the_same_command() -> None:
    script = Path(sysconfig.get_path("scripts")) / "podium"
    if not script.exists():
        pytest.skip("podium is not installed here")
    answer = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert answer.stdout == succeeded("--version")


@pytest.mark.parametrize(
    "command", [[], ["rate"], ["explain"], ["chart"], ["match"], ["tune"], ["systems"], ["warmup"], ["demo"]]
)
def test_help(command: list[str]) -> None:
    said = succeeded(*command, "--help")
    assert said.startswith(f"Usage: podium {' '.join(command)}".rstrip())
    assert max(map(len, said.splitlines())) <= 80


def test_help_names_every_option_of_rate() -> None:
    said = succeeded("rate", "--help")
    for option in ("system", "set", "out", "trace", "top", "min-events", "json", "column", "lower-is-better"):
        assert f"--{option} " in said
    every = succeeded("rate", "--help-all")
    for option in ("unrated", "unfinished", "on-bad-row", "chunk-rows", "ladder", "save"):
        assert f"--{option} " in every


def test_no_arguments_is_a_question() -> None:
    answer = podium()
    assert answer.returncode == 2
    assert "Usage: podium" in answer.stdout + answer.stderr


def test_help_loads_little() -> None:
    code = (
        "import sys; sys.argv = ['podium', '--help']\ntry:\n    from podium.cli.program import main; main()\n"
    )
    code += "except SystemExit: pass\nheavy = ('numba', 'numpy', 'polars', 'rich')\n"
    code += "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stderr.strip() == "[]"


def test_garbage_is_looked_for_as_before_when_a_command_has_ended() -> None:
    before = gc.get_threshold()
    succeeded("systems", "elo")
    assert gc.get_threshold() == before


# ---------------------------------------------------------------------- systems


def test_systems_are_listed_with_what_they_are_for() -> None:
    said = succeeded("systems")
    for name, cls in list_systems().items():
        assert f"│ {name} " in said
        assert cls.summary.split()[0] in said
    assert "…" not in said
    assert "podium systems NAME" in said
    wide = succeeded("systems", columns=140)
    assert all(cls.summary in wide for cls in list_systems().values())


@pytest.mark.parametrize("columns", [40, 60, 120])
def test_the_list_wraps_and_names_stay_whole(columns: int) -> None:
    said = succeeded("systems", columns=columns)
    assert max(len(line) for line in said.splitlines() if line[0] in "│┃┏┡└") <= columns
    assert all(f"│ {name} " in said for name in list_systems())
    assert "…" not in said


def test_one_system_with_its_parameters() -> None:
    said = succeeded("systems", "elo")
    assert said.startswith("elo: one number per player")
    for name, parameter in Elo.declared().items():
        shown = re.search(rf"--set {name}=(.*)\n", said)
        assert shown is not None
        assert parameter.parse(shown[1], "elo") == parameter.default
        assert " ".join(parameter.meaning.split()) in " ".join(said.split())
    assert "one of logistic, fide, linear, normal" in said
    assert "can use: events of more than two sides, teams, ties" in said
    assert max(map(len, said.splitlines())) <= 80


def test_functions_are_shown_by_name() -> None:
    said = " ".join(succeeded("systems", "luck").split())
    assert "--set luck=logistic " in said
    assert "--set home_luck=none " in said
    assert "logistic, heaviside, fide, fair-coin, normal(width), margin(epsilon), laplace(num" in said


def test_systems_as_json() -> None:
    said = said_json("systems")["systems"]
    assert list(said) == list(list_systems())
    assert said["elo"]["supports"]["teams"] is True
    assert said["elo"]["parameters"]["k"]["default"] == 32
    assert said["elo"]["parameters"]["curve"]["choices"] == ["logistic", "fide", "linear", "normal"]
    assert said_json("systems", "glicko2")["systems"] == {"glicko2": said["glicko2"]}


def test_another_name_of_a_system(results: Path, tmp_path: Path) -> None:
    """bar is weng-lin wherever a name is given; what is written has the one name."""
    assert succeeded("systems", "bar") == succeeded("systems", "weng-lin")
    assert list(said_json("systems", "bar")["systems"]) == ["weng-lin"]
    saved = tmp_path / "saved.podium"
    succeeded("rate", str(results), "--system", "bar", "--set", "model=one-match", "--save", str(saved))
    assert Ladder.load(saved).system == WengLin(model="one-match")


def test_every_shown_parameter_can_be_set(results: Path) -> None:
    """What `podium systems NAME` prints can be pasted behind `podium rate`."""
    lines = [line.strip() for line in succeeded("systems", "glicko2").splitlines()]
    settings = [word for line in lines if line.startswith("--set ") for word in line.split(" ", 1)]
    said = said_json("rate", results, "--system", "glicko2", *settings, "--top", 1)
    assert said["ratings"] == said_json("rate", results, "--system", "glicko2", "--top", 1)["ratings"]


# ---------------------------------------------------------------------- warmup and demo


@pytest.mark.long
@pytest.mark.compiled
def test_warmup_compiles_ahead(results: Path, tmp_path: Path) -> None:
    """On a machine that has compiled nothing of Elo; who waits at a terminal is told what for."""
    compiled = cache_folder()
    copied = tmp_path / compiled.relative_to(os.environ["NUMBA_CACHE_DIR"])
    if compiled.is_dir():
        shutil.copytree(compiled, copied, ignore=shutil.ignore_patterns("podium.systems.elo.*"))
    others = set(tmp_path.rglob("*.nbc"))
    options = ["--system", "elo", "--top", 1, "--save", tmp_path / "saved.podium"]
    with Terminal("rate", results, *options, cwd=tmp_path, NUMBA_CACHE_DIR=str(tmp_path)) as terminal:
        terminal.wait_for(lambda: "compiling elo for this machine, once" in terminal.screen)
    said = succeeded("warmup", "elo", run=podium, NUMBA_CACHE_DIR=str(tmp_path))
    first, _, where = said.splitlines()
    assert first.startswith("elo: ")
    assert where.startswith(f"kept in {tmp_path}")
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert any("elo._rate" in path.name for path in set(tmp_path.rglob("*.nbc")) - others)
    (tmp_path / "games.csv").write_text("winner,loser\nann,bob\n")
    again = ["rate", tmp_path / "games.csv", "--system", "elo", "--save", tmp_path / "again.podium"]
    succeeded(*again, run=podium, NUMBA_CACHE_DIR=str(tmp_path))
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == kept


def test_warmup_of_matchmaking_and_evaluation() -> None:
    assert succeeded("warmup", "matchmaking").startswith("matchmaking: ")
    said = succeeded("warmup", "evaluation")
    assert re.match(r"evaluation: \d+\.\d s\ntotal: \d+\.\d s", said)
    assert "there is no rating system 'matchmakin'" in failed(2, "warmup", "matchmakin")


def test_warmup_says_where_kernels_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "came with podium" not in succeeded("warmup", "elo-r")
    monkeypatch.setattr("podium.numerics.kernel_files.shipped_folder", lambda: tmp_path)
    assert "kernels for x86-64-v3 processors came with podium\nkept in" in succeeded("warmup", "elo-r")


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What the demo says, in a process of its own where nothing is compiled, and the website's front page.

    It is called as its help says.
    """
    folder = tmp_path_factory.mktemp("demo")
    (example,) = re.findall(r"Example: podium (.*)", succeeded("demo", "--help"))
    assert example == "demo --out pages"
    return succeeded(*example.split(), run=podium, cwd=folder), (folder / "pages/index.html").read_text()


def test_demo_reads_well(demonstration: tuple[str, str]) -> None:
    said, page = demonstration
    lines = said.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 56
    for word in ("best driver of all time", "ladder.rank_probabilities", "draw", "Matchmaker", "sample:"):
        assert word in said
    assert not any(mark in said for mark in ("nan", "None", "inf"))
    assert "2,002 pages. Open pages/index.html" in said
    assert "Lewis Hamilton" in page


def test_demo_is_honest_about_drivers(demonstration: tuple[str, str]) -> None:
    """The highest rating, its reasons and how well ratings predicted, each computed another way."""
    said, _ = demonstration
    races = library.sample("formula-1")
    run = library.rate(races, "elo", trace=True)
    seen = accuracy(races, run.trace["mu_before"].to_numpy(), min_events=5)
    assert f"ahead in {seen.pairs_right:.1f}% of cases" in said
    best = run.trace.row(int(run.trace["display"].arg_max() or 0), named=True)
    row = next(line for line in said.splitlines() if line.startswith("│"))
    assert [cell.strip() for cell in row.split("│")[1:4]] == [
        best["player"],
        f"{best['display']:.1f}",
        best["event"],
    ]
    until_then = races[: races.find_event(best["event"]) + 1]
    reasons = str(library.rate(until_then, "elo", trace=True).explain(best["player"])).splitlines()
    assert "\n".join([*reasons[:3], "  …", *reasons[-4:]]) in said


def test_demo_is_honest_about_teams(demonstration: tuple[str, str]) -> None:
    said, _ = demonstration
    ladder = library.rate(library.sample("football").between("2022-01-01")).ladder
    for home in ("England", None):
        chances = ladder.outcomes("England", "Germany", home=home)
        win, draw, loss = (f"{100 * chance:.0f}%" for chance in (chances.win, chances.draw, chances.loss))
        assert f"England wins {win}, draw {draw}, Germany wins {loss}" in said


@pytest.mark.long
def test_demo_fits_a_narrow_terminal(tmp_path: Path) -> None:
    with Terminal("demo", cwd=tmp_path, columns=50) as terminal:
        assert terminal.finish() == 0
    assert "Traceback" not in terminal.screen


def test_json_is_json_for_every_command_that_has_it(results: Path) -> None:
    for arguments in (["systems"], ["systems", "elo"], ["rate", str(results)]):
        assert isinstance(json.loads(succeeded(*arguments, "--json")), dict)


def test_what_a_match_changes_as_a_picture(tmp_path: Path) -> None:
    said = succeeded("systems", "elo", "--chart", tmp_path / "elo.svg")
    assert said.rstrip().endswith(f"wrote {tmp_path / 'elo.svg'}")
    assert "opponent stronger by (Elo points)" in (tmp_path / "elo.svg").read_text()
    said = failed(2, "systems", "elo", "--chart", tmp_path / "elo.csv")
    assert "podium cannot write a picture as .csv" in said
