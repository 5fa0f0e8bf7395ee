"""The house: the rooms there are, who may import whom, and what an import costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import podium

PACKAGE = Path(podium.__file__).parent
ROOT = Path(__file__).parent.parent

# An arrow reads "is used by"; a room may use those before it, and itself.
ORDER = ["arrays", "text", "errors", "named", "parameters", "history", "files", "tables", "numerics"]
ORDER += ["systems", "cluster", "ladder", "charts", "matchmaking", "simulation", "evaluation", "tuning"]
ORDER += ["documents", "studies", "cli", "checks"]
LAST_ROOM = {"checks": "ladder"}
"""Rooms that use fewer than those before them: the last one they use."""
SIDE_BY_SIDE = [{"files", "numerics"}, {"tables", "numerics"}, {"charts", "matchmaking", "simulation"}]
"""Rooms of which none uses another."""

DOORS = {("history.py", "tables")}
"""Methods of a value that open a later room when they are called: `History.from_frame`, `to_frame`."""


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
        last = LAST_ROOM.get(here, here)
        assert ORDER.index(there) <= ORDER.index(last), f"{path} imports {imported}"
        assert not any({here, there} <= rooms for rooms in SIDE_BY_SIDE), f"{path} imports {imported}"


def test_tests_stand_in_the_same_rooms() -> None:
    """Each folder of tests is one of the package; `naive` has the twins, which know nothing of it."""
    tests = ROOT / "tests"
    folders = {path.relative_to(tests).parts[0] for path in tests.glob("*/**/*.py")}
    assert {name for name in folders if not (PACKAGE / name).is_dir()} == {"naive"}


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


def test_public_names_are_typed_where_they_are_found() -> None:
    """What a type checker sees of `podium` is what Python loads: the same names from the same modules."""
    tree = ast.parse(Path(podium.__file__).read_text())
    blocks = [
        node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: node.module for node in imports for alias in node.names}
    assert typed == {**podium._HOME, "checks": "podium"}


def drawn_rooms() -> list[str]:
    """The entries of the package that CONTRIBUTING draws, in its order."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = text.partition("src/podium/\n")[2].partition("\ntests/")[0]
    return re.findall(r"^  (\w+)(?:\.py|/) ", tree, re.MULTILINE)


def test_contributing_draws_the_tree_on_disk() -> None:
    on_disk = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith(("_", "py.typed"))}
    assert set(drawn_rooms()) == on_disk == set(ORDER)


def test_a_module_name_means_one_thing() -> None:
    """The same name may stand in two folders only where it is the same thing for each of them."""
    alike = {"kernels", "published"}  # a family's compiled part; what a paper prints
    names = [path.stem for path in PACKAGE.rglob("*.py") if not path.stem.startswith("_")]
    assert {name for name in names if names.count(name) > 1} <= alike
