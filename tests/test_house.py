"""The house: the rooms there are, who may import whom, and what an import costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import podium
import podium_papers

PACKAGE = Path(podium.__file__).parent
PAPERS = Path(podium_papers.__file__).parent
ROOT = Path(__file__).parent.parent

DOORS = {("history.py", "tables")}
"""Methods of a value that open a later room when they are called: `History.from_frame`, `to_frame`."""


def module_name(path: Path) -> str:
    home = PAPERS.parent if path.is_relative_to(PAPERS) else PACKAGE.parent
    return ".".join(path.relative_to(home).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for package in (PACKAGE, PAPERS) for path in package.rglob("*.py")}


def imports_of(path: Path, *, types: bool = True) -> set[str]:
    """podium modules a file imports, wherever in the file; with or without those for type checkers alone."""
    running, typing = imports_by_use(path)
    return running | typing if types else running


@cache
def imports_by_use(path: Path) -> tuple[set[str], set[str]]:
    """Modules of podium and of the papers a file imports when it runs, and for type checkers."""
    found: tuple[set[str], set[str]] = (set(), set())
    for statement in ast.parse(path.read_text()).body:
        for node in ast.walk(statement):
            names = set()
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                names = {name if name in MODULES else node.module for name in whole}
            ours = {name for name in names if name.startswith(("podium.", "podium_papers"))}
            found[is_for_types(statement)].update(ours)
    return found


def is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def room(module: str) -> str:
    """The room of a module of podium; the papers are one, as they are a package of their own."""
    package, _, inside = module.partition(".")
    return inside.partition(".")[0] if package == "podium" else package


def drawing() -> list[list[str]]:
    """The rooms as CONTRIBUTING draws them, row after row: a room may use those of the rows above."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = text.partition("### Who may import whom")[2].split("```")[1]
    return [names for line in block.splitlines() if (names := re.findall(r"[a-z_]+", line))]


ROWS = drawing()


def may_use(here: str) -> set[str]:
    """The rooms that a room may use, beside itself; those of the first row stand in order."""
    number = next(number for number, row in enumerate(ROWS) if here in row)
    above = {name for row in ROWS[:number] for name in row}
    if number == 0:
        return set(ROWS[0][: ROWS[0].index(here)])
    if here == "checks":
        above.add("ladder")
    return above - {"checks"}


def test_imports_point_one_way() -> None:
    wrong = [
        f"{path} imports {imported}"
        for path in MODULES.values()
        for imported in imports_of(path)
        if not is_allowed(path, room(imported))
    ]
    assert not wrong


def is_allowed(path: Path, there: str) -> bool:
    """Whether a file may import from a room."""
    here = room(module_name(path))
    if here in ("", "__main__", there) or (path.name, there) in DOORS:
        return True
    if (there == "studies" and here not in ("cli", "podium_papers")) or (
        there == "cli" and path != PAPERS / "command.py"
    ):
        return False
    return there in may_use(here)


def test_no_import_in_a_function_hides_a_cycle() -> None:
    """Whatever a module imports anywhere it could import at its top, but for types and `DOORS`."""
    uses = {
        name: {other for other in imports_of(path, types=False) if (path.name, room(other)) not in DOORS}
        for name, path in MODULES.items()
    }
    while free := [name for name, used in uses.items() if not used & uses.keys()]:
        for name in free:
            del uses[name]
    in_cycles = {name: used & uses.keys() for name, used in uses.items()}
    assert not in_cycles


def family(path: Path) -> str:
    """The family of systems a file of `systems/` belongs to: its folder, or the file itself."""
    return path.relative_to(PACKAGE / "systems").with_suffix("").parts[0]


def test_no_family_imports_another() -> None:
    wrong = []
    for path in (PACKAGE / "systems").rglob("*.py"):
        if family(path) in ("__init__", "system_files"):  # they know all systems by name
            continue
        for imported in imports_of(path):
            parts = imported.split(".")
            if parts[1] == "systems" and len(parts) > 2 and parts[2] not in ("contract", family(path)):
                wrong.append(f"{path} imports {imported}")
    assert not wrong


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
    blocks = [node for node in tree.body if is_for_types(node)]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: node.module for node in imports for alias in node.names}
    assert typed == {**podium._HOME, **dict.fromkeys(podium._ROOMS, "podium")}


def drawn_rooms() -> list[str]:
    """The entries of the package that CONTRIBUTING draws, in its order."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = text.partition("src/podium/\n")[2].partition("\npapers/")[0]
    return re.findall(r"^  (\w+)(?:\.py|/) ", tree, re.MULTILINE)


def test_contributing_draws_the_tree_on_disk() -> None:
    on_disk = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith(("_", "py.typed"))}
    assert set(drawn_rooms()) == on_disk == {name for row in ROWS for name in row} - {PAPERS.name}


def drawn_folders(tree: str) -> set[tuple[str, str]]:
    """The folders inside rooms that a tree names, as words that end with a slash."""
    entries = re.split(r"^  (\w+)(?:\.py|/) ", tree, flags=re.MULTILINE)[1:]
    rooms = zip(entries[::2], entries[1::2], strict=True)
    return {(room, folder) for room, text in rooms for folder in re.findall(r"(\w+)/", text)}


def test_contributing_names_every_folder_of_a_room() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = text.partition("src/podium/\n")[2].partition("\npapers/")[0]
    on_disk = {(path.parent.parent.name, path.parent.name) for path in PACKAGE.glob("*/*/__init__.py")}
    assert drawn_folders(tree) == on_disk


def test_a_module_name_means_one_thing() -> None:
    """The same name may stand in two folders only where it is the same thing for each of them."""
    alike = {"kernels", "published"}  # a family's compiled part; what a paper prints
    names = [path.stem for path in MODULES.values() if not path.stem.startswith("_")]
    assert {name for name in names if names.count(name) > 1} <= alike
