"""The house: who may import whom, what an import costs, that every kernel has one signature, and examples."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import podium

PACKAGE = Path(podium.__file__).parent
ROOT = Path(__file__).parent.parent

# An arrow reads "is used by"; a room may use those before it, and itself.
ORDER = [
    "arrays",
    "text",
    "errors",
    "named",
    "parameters",
    "history",
    "files",
    "tables",
    "numerics",
    "systems",
    "cluster",
]
ORDER += ["ladder", "charts", "matchmaking", "simulation", "evaluation", "tuning", "studies", "cli"]

DOORS = {("history.py", "tables")}
"""Methods of a value that open a later room when they are called: `History.from_frame`, `to_frame`."""


def modules() -> list[str]:
    return sorted(info.name for info in pkgutil.walk_packages([str(PACKAGE)], "podium."))


def imports_of(path: Path) -> set[str]:
    """podium modules a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.startswith("podium.")}


def room(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    here = path.relative_to(PACKAGE).with_suffix("").parts[0]
    if here in ("__init__", "__main__"):
        return
    for imported in imports_of(path):
        there = room(imported)
        if there == here or (path.name, there) in DOORS:
            continue
        assert ORDER.index(there) < ORDER.index(here), f"{path} imports {imported}"


def family(path: Path) -> str:
    """The family of systems a file of `systems/` belongs to: its folder, or the file itself."""
    return path.relative_to(PACKAGE / "systems").with_suffix("").parts[0]


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "systems").rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_no_family_imports_another(path: Path) -> None:
    if family(path) in ("__init__", "system_files"):  # they know all systems by name
        return
    for imported in imports_of(path):
        parts = imported.split(".")
        if parts[1] == "systems" and len(parts) > 2:
            assert parts[2] in ("contract", family(path)), f"{path} imports {imported}"


def test_importing_podium_is_light() -> None:
    code = (
        "import sys, podium; print([m for m in ('numba', 'polars', 'narwhals', 'typer') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_a_ladder_needs_no_tables() -> None:
    code = (
        "import sys, podium; ladder = podium.Ladder(podium.Elo()); ladder.record_match('a', 'b'); "
        "ladder.expected_score('a', 'b'); print('polars' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


def test_every_public_name_is_there() -> None:
    for name in podium.__all__:
        assert getattr(podium, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = podium.nonsense


@pytest.mark.parametrize("name", modules())
def test_docstring_examples(name: str) -> None:
    if name.endswith("__main__"):
        return
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", documents(), ids=lambda p: p.name)
def test_documents_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python and shell examples of a page run in order, in one folder; what they print is what the page says.

    A block ```python is run, and where it holds >>> its output is checked; a block ```console runs each line
    after `$ ` and compares the rest. A block with name=FILE, such as ```csv name=FILE, makes that file too.
    """
    text = path.read_text()
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)  # dataclasses look for it there
    monkeypatch.setattr("podium.systems._registered", {})
    monkeypatch.setattr(podium.Term, "known", dict(podium.Term.known))
    for family in (podium.LuckFunction, podium.WinCurve):
        monkeypatch.setattr(family, "_known", dict(family._known))
    monkeypatch.chdir(tmp_path)
    scope = module.__dict__
    for kind, argument, block in re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if "no-run" in argument:
            continue
        if match := re.search(r"name=(\S+)", argument):
            (tmp_path / match[1]).write_text(block)
        if kind == "python" and ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, scope, path.name, str(path), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            scope.update(test.globs)
            assert runner.failures == 0, block
        elif kind == "python":
            exec(compile(block, str(path), "exec"), scope)
        elif kind == "console":
            run_console(block)


def run_console(block: str) -> None:
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE):
        command = re.sub(r"^podium\b", f"{sys.executable} -m podium", command)
        answer = subprocess.run(
            command, shell=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "80"}
        )
        said = answer.stdout + answer.stderr
        checker = doctest.OutputChecker()
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        assert not shown.strip() or checker.check_output(shown, said, flags), f"{command}\n{said}"


def anchors_of(path: Path) -> set[str]:
    """What links may point to inside a document: its headings, as they are written in addresses."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "path", [*documents(), ROOT / "benchmarks" / "README.md"], ids=lambda p: f"{p.parent.name}/{p.name}"
)
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link
