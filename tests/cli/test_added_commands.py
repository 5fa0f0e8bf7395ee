"""Commands of other packages, as entry points: listed, run, and harmless where they fail."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoints, requires, version
from pathlib import Path
from unittest import mock

import pytest

from cli.command import failed, podium_here, succeeded
from podium.cli.main import commands

PAGE = (Path(__file__).parents[2] / "docs" / "adding-a-command.md").read_text(encoding="utf-8")
METADATA = "Metadata-Version: 2.1\nName: our-league\nVersion: 1.0\nSummary: Our league.\n"
LISTED = "\n  best  Our league.\n"
TEAMS = "def teams(seed: int = 0) -> None:\n    print('ann')\n"
ANN = "def best() -> None:\n    print('ann')\n"
GROUP = """
import typer

app = typer.Typer()
app.command("best")(lambda: print("ann"))
app.command("worst")(lambda: print("bob"))
"""

Install = Callable[[str, str], None]


@pytest.fixture
def _commands_anew() -> Iterator[None]:
    """Packages are looked for again, now and afterwards."""
    commands.cache_clear()
    yield
    commands.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _commands_anew: None) -> Iterator[Install]:
    """Installs the package our-league: the entry point of a command, and the text of its module."""
    monkeypatch.syspath_prepend(tmp_path)

    def installed(entry: str, code: str) -> None:
        folder = tmp_path / "our_league-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(METADATA)
        (folder / "entry_points.txt").write_text(f"[podium.commands]\n{entry}\n")
        (tmp_path / "our_league.py").write_text(code)

    yield installed
    sys.modules.pop("our_league", None)


def test_the_page_runs_as_printed(install: Install, tmp_path: Path) -> None:
    """The package of docs/adding-a-command.md, installed."""
    named = dict(re.findall(r"^```\w+ name=(\S+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
    project = tomllib.loads(named["pyproject.toml"])["project"]
    ((name, value),) = project["entry-points"]["podium.commands"].items()
    install(f"{name} = {value}", named["our_league.py"])
    (tmp_path / "spring.csv").write_text(named["spring.csv"])
    (console,) = re.findall(r"^```console no-run\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    shown = re.findall(r"^\$ podium (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE)
    assert len(shown) == 2
    for typed, said in shown:
        answer = podium_here(*shlex.split(typed), cwd=tmp_path)
        assert answer.stdout + answer.stderr == said
        assert answer.returncode == (2 if said.startswith("podium: ") else 0)
    assert project["description"] in succeeded("best", "--help")


def test_added_commands_are_listed_last_and_imported_when_used(install: Install) -> None:
    install("best = our_league:best", ANN)
    page = succeeded("--help")
    assert page.index("\n  simulate ") < page.index(LISTED)
    assert "Did you mean 'best'?" in failed(2, "bets")
    assert "elo-mmr" in succeeded("systems")
    assert "our_league" not in sys.modules
    assert succeeded("best") == "ann\n"


def test_a_group_of_commands(install: Install) -> None:
    install("league = our_league:app", GROUP)
    assert succeeded("league", "worst") == "bob\n"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("\nimport missing\n", "ModuleNotFoundError: No module named 'missing' (our_league.py, line 2)"),
        ("raise SystemExit(3)\n", "SystemExit: 3 (our_league.py, line 1)"),
        ("", "AttributeError: module 'our_league' has no attribute 'best'"),
        ("best = 5\n", "TypeError: "),
    ],
)
def test_a_package_that_fails_is_named_and_disturbs_nothing(install: Install, code: str, reason: str) -> None:
    install("best = our_league:best", code)
    assert LISTED in succeeded("--help")
    assert "elo-mmr" in succeeded("systems")
    told = f"podium: best from our-league 1.0 cannot be loaded (our_league:best): {reason}"
    for typed in (["best"], ["best", "--help"], ["best", "--top", "3"]):
        said = failed(2, *typed)
        assert said.startswith(told)
        assert said.endswith("\n  hint: update or uninstall our-league 1.0\n")


def test_no_example_is_that_of_another_command(install: Install) -> None:
    install("teams = our_league:teams", TEAMS)
    assert "Example: podium simulate teams" in succeeded("simulate", "teams", "--help")
    assert "Example: " not in succeeded("teams", "--help")


def test_podiums_own_commands_are_not_replaced(install: Install) -> None:
    install("systems = our_league:best", ANN)
    assert "Our league." not in succeeded("--help")
    assert "elo-mmr" in succeeded("systems")


@pytest.mark.usefixtures("_commands_anew")
def test_without_podium_papers_reproduce_says_how_to_install_it() -> None:
    with mock.patch("podium.cli.added_commands.entry_points", return_value=EntryPoints(())):
        for typed in (["reproduce"], ["reproduce", "--help"], ["reproduce", "elo-mmr", "--quick"]):
            assert failed(2, *typed) == (
                "podium: podium reproduce needs podium-papers, which is not installed\n"
                "  hint: pip install podium-papers, or in a clone of podium: pip install . ./papers\n"
            )
        assert "reproduce" not in succeeded("--help")


def test_podium_papers_is_of_podiums_version() -> None:
    assert version("podium-papers") == version("podium")
    assert requires("podium-papers") == [f"podium[charts]=={version('podium')}"]
