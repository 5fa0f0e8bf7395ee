"""`podium --import`: code of one's own before the command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cli.command import failed, podium, said_json, succeeded

CURVES = """
import numpy as np
from podium import WinCurve

cauchy = WinCurve("cauchy", lambda d: 0.5 + np.arctan(d) / np.pi, lambda d: 1 / np.pi / (1 + d**2))
WinCurve.register(cauchy)
"""
SYSTEM = """
from dataclasses import dataclass
from typing import ClassVar

from podium import Elo
from podium.systems import register_system


@register_system
@dataclass(frozen=True, kw_only=True)
class Slow(Elo):
    name: ClassVar[str] = "slow-elo"
    summary: ClassVar[str] = "Elo by another name"
"""
RATE = ("rate", "good.csv", "--system", "yuksel", "--set", "curve=cauchy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with results, and code of one's own here and in a folder beside."""
    (tmp_path / "good.csv").write_text("winner,loser\nann,bob\n")
    (tmp_path / "own_curves.py").write_text(CURVES)
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "own-system.py").write_text("import own_helper\n" + SYSTEM)
    (tmp_path / "beside" / "own_helper.py").write_text("")
    return tmp_path


@pytest.mark.parametrize("module", ["own_curves", "./own_curves.py"])
def test_functions_of_ones_own(folder: Path, module: str) -> None:
    said = said_json("--import", module, *RATE, run=podium, cwd=folder)
    assert [rating["player"] for rating in said["ratings"]] == ["ann", "bob"]


def test_functions_of_ones_own_are_listed(folder: Path) -> None:
    shown = succeeded("--import", "own_curves", "systems", "yuksel", run=podium, cwd=folder)
    assert "logistic, normal(width), cauchy, or your own" in shown


def test_saved_with_one_and_loaded_with_it(folder: Path) -> None:
    ours = ("--import", "own_curves.py")
    succeeded(*ours, *RATE, "--save", "saved.podium", run=podium, cwd=folder)
    again = ("rate", "good.csv", "--ladder", "saved.podium", "--allow-repeat")
    assert said_json(*ours, *again, run=podium, cwd=folder)["ratings"]
    said = failed(1, *again, run=podium, cwd=folder)
    assert "there is no WinCurve 'cauchy'" in said
    assert "podium --import" in said


def test_systems_of_ones_own_several_and_twice(folder: Path) -> None:
    """A file may import its neighbours; one that is imported already is not run again."""
    imports = ("--import", "beside/own-system.py", "--import", "own_curves", "--import", "own_curves.py")
    said = said_json(*imports, "systems", run=podium, cwd=folder)
    assert said["systems"]["slow-elo"]["summary"] == "Elo by another name"
    assert "cauchy" in said["systems"]["yuksel"]["parameters"]["curve"]["choices"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("own_gone.py", None, "--import own_gone.py: there is no such file"),
        (
            "own_gone",
            None,
            "--import own_gone: ModuleNotFoundError: No module named 'own_gone'\n  hint: a mod",
        ),
        ("own_needs.py", "import own_gone", "No module named 'own_gone' (own_needs.py, line 1)\n"),
        ("own_typo.py", "def f(:", "--import own_typo.py: SyntaxError: invalid syntax (own_typo.py, line 1)"),
        (
            "own_error.py",
            "x = 1\nx['a']",
            "TypeError: 'int' object is not subscriptable (own_error.py, line 2)",
        ),
        ("own_exit.py", "raise SystemExit('tired')", "SystemExit: tired (own_exit.py, line 1)"),
        (
            "own_taken.py",
            CURVES.replace('"cauchy"', '"logistic"'),
            "'logistic' is a WinCurve that podium defines (own_taken.py, line 6)\n  hint: give yours",
        ),
        (
            "statistics.py",
            CURVES,
            "--import statistics.py: there is another module statistics\n  hint: rename",
        ),
    ],
)
def test_code_that_cannot_be_imported(
    tmp_path: Path, name: str, text: str | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    if text is not None:
        (tmp_path / name).write_text(text)
    assert reason in failed(2, "--import", name, "systems", cwd=tmp_path)
