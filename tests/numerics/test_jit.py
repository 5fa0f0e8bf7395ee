"""Kernels on disk: kept as long as what is compiled into them is the same, and no longer."""

from __future__ import annotations

import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numba
import pytest
from numba.core.registry import cpu_target

import podium
from podium.numerics import jit, kernel_files
from podium.numerics.compiler_notice import before_compiling

pytestmark = pytest.mark.compiled

PACKAGE = Path(podium.__file__).parent

FILES = {
    "__init__.py": "",
    "constants.py": """
        import numpy as np
        SCALE = 2.0
        UNUSED = 1.0
        TABLE = np.array([1.0, 2.0])
        """,
    "innermost.py": """
        from podium.numerics.jit import formula, kernel
        from trial.constants import SCALE
        @formula
        def scaled(x):
            return x * SCALE
        @kernel
        def unrelated(x):
            return x - 1.0
        """,
    "middle.py": """
        from podium.numerics.jit import kernel
        from podium.numerics.compiler_hints import opaque
        from trial import innermost
        @kernel
        def shifted(x, by=1.0):
            return innermost.scaled(x) + by + opaque(0)
        """,
    "outer.py": '''
        from typing import NamedTuple
        from podium.numerics.jit import kernel
        from trial.constants import TABLE
        from trial.middle import shifted
        class Pair(NamedTuple):
            first: float
            second: float
        @kernel
        def total(pair):
            """What it does."""
            first, second = pair
            if first == 12345.0:
                return 0.0
            return shifted(first) * TABLE[1] - second
        ''',
}
"""A package of kernels that call each other across files; `total` of (3, 4) is (3 · 2 + 1) · 2 - 4 = 10."""


class Trial:
    """The package of `FILES` in a folder, to be changed and imported again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "trial"
        self.kept = folder / "kernels"
        self.folder.mkdir()
        self.kept.mkdir()
        for name, text in FILES.items():
            lines = text.removeprefix("\n").splitlines()
            (self.folder / name).write_text("".join(f"{line[8:]}\n" for line in lines))

    def change(self, file: str, old: str, new: str) -> None:
        text = (self.folder / file).read_text()
        assert old in text
        (self.folder / file).write_text(text.replace(old, new))

    def total(self) -> tuple[float, bool]:
        """What a new process would get from `total`, and whether it has to compile."""
        self.forget()
        outer: ModuleType = importlib.import_module("trial.outer")
        told: list[bool] = []
        with before_compiling(lambda: told.append(True)):
            result = outer.total(outer.Pair(3.0, 4.0))
        assert len(told) <= 1
        return result, bool(told)

    @staticmethod
    def forget() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == "trial"]:
            del sys.modules[name]
        importlib.invalidate_caches()


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trial]:
    made = Trial(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(kernel_files, "cache_folder", lambda: made.kept)
    before = list(jit.KERNELS)
    yield made
    made.forget()
    jit.KERNELS[:] = before


def test_kernels_stay_as_long_as_their_content(trial: Trial) -> None:
    assert trial.total() == (10.0, True)
    kept = {path.name: path.read_bytes() for path in trial.kept.iterdir()}
    assert len(kept) == 3
    assert trial.total() == (10.0, False)
    trial.change("outer.py", "def total(pair):", "def total(pair):  # a comment\n")  # lines move too
    trial.change("outer.py", '    """What it does."""\n', "")
    trial.change("middle.py", "    return", '    """It never had one."""\n    return')
    trial.change("innermost.py", "x - 1.0", "x - 2.0")
    trial.change("constants.py", "UNUSED = 1.0", "UNUSED = 2.0")
    (trial.folder / "another.py").write_text("SCALE = 7.0\n")
    assert trial.total() == (10.0, False)
    assert {path.name: path.read_bytes() for path in trial.kept.iterdir()} == kept


CHANGES: dict[str, tuple[str, str, str, float]] = {
    "its own code": ("outer.py", "- second", "+ second", 18.0),
    "a constant of its own": ("outer.py", "12345.0", "3.0", 0.0),
    "an array of another file": ("constants.py", "1.0, 2.0", "1.0, 3.0", 17.0),
    "a callee of another file": ("middle.py", "+ by", "- by", 6.0),
    "a callee's default": ("middle.py", "by=1.0", "by=2.0", 12.0),
    "a callee's callee, by its module": ("innermost.py", "x * SCALE", "x / SCALE", 1.0),
    "a constant of a callee's callee": ("constants.py", "SCALE = 2.0", "SCALE = 3.0", 16.0),
    "the options of a callee's callee": ("innermost.py", "@formula", "@kernel", 10.0),
    "the fields of what it takes apart": (
        "outer.py",
        "    first: float\n    second: float",
        "    second: float\n    first: float",
        10.0,
    ),
    "the kind of a constant": ("constants.py", "SCALE = 2.0", "SCALE = 2", 10.0),
}


@pytest.fixture(scope="module")
def compiled_trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernels of the unchanged package."""
    return tmp_path_factory.mktemp("unchanged")


@pytest.mark.parametrize("change", CHANGES)
def test_kernels_go_with_any_part_of_their_content(change: str, trial: Trial, compiled_trial: Path) -> None:
    """A change compiles anew and gives the right number; changing it back finds what was kept."""
    trial.kept = compiled_trial
    file, old, new, expected = CHANGES[change]
    trial.total()
    trial.change(file, old, new)
    assert trial.total() == (expected, True)
    trial.change(file, new, old)
    assert trial.total() == (10.0, False)


def test_half_a_file_is_no_kernel(trial: Trial) -> None:
    """A machine that stops while it writes leaves nothing that is believed."""
    trial.total()
    for path in trial.kept.iterdir():
        path.write_bytes(path.read_bytes()[:-100])
    assert trial.total() == (10.0, True)
    assert trial.total() == (10.0, False)


def test_a_folder_that_cannot_be_written(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be kept is compiled all the same."""

    def refuse(path: Path, payload: bytes) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(kernel_files, "_write", refuse)
    assert trial.total() == (10.0, True)


@pytest.mark.parametrize("known", [True, False])
def test_a_kernel_from_disk_needs_only_the_runtime(
    known: bool, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba registers all that it can compile only in a version not known to run without it."""
    trial.total()
    versions = {numba.version_info.short} if known else set()
    monkeypatch.setattr(kernel_files, "RUNTIME_SUFFICES", versions)
    refreshed: list[None] = []
    monkeypatch.setattr(cpu_target.target_context, "refresh", lambda: refreshed.append(None))
    assert trial.total() == (10.0, False)
    assert bool(refreshed) is not known


def test_what_cannot_be_told_is_refused(trial: Trial) -> None:
    """A kernel that uses an object podium cannot describe is not kept under a wrong name."""
    trial.change("innermost.py", "x * SCALE", "x * plain(SCALE)")
    trial.change("innermost.py", "@formula", "def plain(x):\n    return x\n@formula")
    with pytest.raises(TypeError, match="cannot tell whether that changes"):
        trial.total()


def test_where_kernels_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In NUMBA_CACHE_DIR, else the user's cache, else where temporary files are: the first that works."""
    find: Callable[[], Path] = kernel_files.cache_folder.__wrapped__
    (tmp_path / "file").write_text("no folder can be made below a file")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    assert find() == tmp_path / "mine" / "podium" / "kernels"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(kernel_files, "_user_cache", lambda: str(tmp_path / "home"))
    assert find() == tmp_path / "home" / "podium" / "kernels"
    monkeypatch.setattr(kernel_files, "_user_cache", lambda: str(tmp_path / "file"))
    monkeypatch.setattr(kernel_files.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    assert find() == tmp_path / "temporary" / "podium" / "kernels"
    monkeypatch.setattr(kernel_files.tempfile, "gettempdir", lambda: str(tmp_path / "file"))
    with pytest.raises(OSError, match="no folder can be written to keep compiled kernels in"):
        find()


# ---------------------------------------------------------------------- podium's own kernels

FINGERPRINTS = """
import json
from importlib import import_module
from podium.numerics.jit import KERNELS
from podium.numerics.kernel_fingerprints import fingerprint
for module in ("systems.elo", "systems.weng_lin", "systems.glicko.glicko", "matchmaking.graphs.matching"):
    import_module(f"podium.{module}")
print(json.dumps({f"{kernel.__module__}.{kernel.__name__}": fingerprint(kernel) for kernel in KERNELS}))
"""


def fingerprints(path: Path, hash_seed: str) -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONHASHSEED": hash_seed}
    answer = subprocess.run(
        [sys.executable, "-c", FINGERPRINTS], capture_output=True, text=True, check=True, env=environment
    )
    found: dict[str, str] = json.loads(answer.stdout)
    return found


def without_docstrings(source: str) -> str:
    """The same program without comments and docstrings, every line elsewhere."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def test_only_kernels_that_read_a_constant_change_with_it(tmp_path: Path) -> None:
    """In a copy of podium without comments and docstrings, where a constant of `arrays.py` is another."""
    copy = tmp_path / "podium"
    above = (
        "cli",
        "studies",
        "tables",
        "charts",
        "tuning",
        "evaluation",
        "simulation",
        "documents",
        "checks",
    )
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", *above))
    for path in copy.rglob("*.py"):
        path.write_text(without_docstrings(path.read_text()))
    arrays = copy / "arrays.py"
    assert "NO_TIME = -2 ** 63\n" in arrays.read_text()
    arrays.write_text(arrays.read_text().replace("NO_TIME = -2 ** 63\n", "NO_TIME = -2 ** 62\n"))
    before, after = fingerprints(PACKAGE.parent, "1"), fingerprints(tmp_path, "2")
    assert before.keys() == after.keys()
    changed = {name for name in before if before[name] != after[name]}
    assert {"podium.systems.elo._rate", "podium.systems.elo._rate_duels"} <= changed
    assert not [name for name in changed if name.startswith(("podium.numerics.normal", "podium.matchmaking"))]
    assert len(changed) < len(before) / 4
