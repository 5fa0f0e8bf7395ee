"""Kernels on disk: kept as long as what is compiled into them is the same, and no longer."""

from __future__ import annotations

import ast
import gc
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import codegen, event
from numba.core.registry import cpu_target

import podium
from podium.numerics import jit, kernel_cache, kernel_files
from podium.numerics.compiler_choice import before_compiling

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


@pytest.fixture(scope="module")
def compiled_trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernels of the unchanged package."""
    return tmp_path_factory.mktemp("unchanged")


@pytest.fixture
def compiled(trial: Trial, compiled_trial: Path) -> Trial:
    """The package with its kernels on disk, compiled once for all tests that ask for it."""
    own, trial.kept = trial.kept, compiled_trial
    trial.total()
    trial.kept = own
    shutil.copytree(compiled_trial, own, dirs_exist_ok=True)
    return trial


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


@pytest.mark.parametrize("change", CHANGES)
def test_kernels_go_with_any_part_of_their_content(change: str, compiled: Trial) -> None:
    """A change compiles anew and gives the right number; changing it back finds what was kept."""
    file, old, new, expected = CHANGES[change]
    compiled.change(file, old, new)
    assert compiled.total() == (expected, True)
    compiled.change(file, new, old)
    assert compiled.total() == (10.0, False)


def test_half_a_file_is_no_kernel(compiled: Trial) -> None:
    """A machine that stops while it writes leaves nothing that is believed."""
    for path in compiled.kept.iterdir():
        path.write_bytes(path.read_bytes()[:-100])
    assert compiled.total() == (10.0, True)
    assert compiled.total() == (10.0, False)


def test_a_folder_that_cannot_be_written(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be kept is compiled all the same."""

    def refuse(path: Path, payload: bytes) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(kernel_cache, "write_kernel", refuse)
    assert trial.total() == (10.0, True)


@pytest.mark.parametrize("known", [True, False])
def test_a_kernel_from_disk_needs_only_the_runtime(
    known: bool, compiled: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba registers all that it can compile only in a version not known to run without it."""
    versions = {numba.version_info.short} if known else set()
    monkeypatch.setattr(kernel_cache, "RUNTIME_SUFFICES", versions)
    refreshed: list[None] = []
    monkeypatch.setattr(cpu_target.target_context, "refresh", lambda: refreshed.append(None))
    assert compiled.total() == (10.0, False)
    assert bool(refreshed) is not known


def test_no_garbage_is_collected_while_compiling(trial: Trial) -> None:
    """Nor does a kernel that cannot be compiled leave the collector off."""
    collecting: list[bool] = []

    class Passes(event.Listener):  # type: ignore[misc]
        def on_start(self, news: Any) -> None:
            collecting.append(gc.isenabled())

        def on_end(self, news: Any) -> None: ...

    with event.install_listener("numba:run_pass", Passes()):
        trial.total()
    assert collecting
    assert not any(collecting)
    assert gc.isenabled()
    with pytest.raises(numba.TypingError):
        importlib.import_module("trial.outer").total("no pair")
    assert gc.isenabled()


# ---------------------------------------------------------------------- kernels that kernels call

CALLING = """
import numpy as np
from podium.numerics.jit import kernel, shared_kernel

@kernel
def checked(x, limit):
    if x > limit:
        raise ValueError("above the limit", x, limit)
    return 2 * x

@shared_kernel
def halved(x):
    return x / 2.0

@kernel
def called(places):
    return checked(0, 9) + checked(1, 9) + checked(places[0], 9) + checked(len(places), 9) + halved(places[0])
"""


MAKING = """
import numpy as np
from podium.numerics.jit import kernel

@kernel
def made(n):
    return np.empty(n + 1, np.int16)

@kernel
def both(n):
    return len(np.empty(n + 1, np.int16)) + len(made(n))
"""


ADDING = """
from podium.numerics.jit import kernel, summing

@kernel
def raised(x):
    return x + 10.0

@summing
def added(values):
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total

@kernel
def called(values):
    return raised(added(values))
"""


def calling(trial: Trial) -> Any:
    """The kernels of `CALLING`, as a new process would have them."""
    trial.forget()
    (trial.folder / "calling.py").write_text(CALLING)
    return importlib.import_module("trial.calling")


def kept_names(trial: Trial) -> list[str]:
    return sorted(path.name.partition("-")[0].rpartition(".")[2] for path in trial.kept.iterdir())


def test_kernels_link_one_form_of_a_kernel_for_all_integers(trial: Trial) -> None:
    """Also for constants and for numbers of 32 bits; Python's form of it is compiled when Python calls it."""
    kernels = calling(trial)
    places = np.array([3, 4], np.int32)
    assert kernels.called(places) == 0 + 2 + 6 + 4 + 1.5
    assert kept_names(trial) == ["called", "checked", "halved"]
    assert not kernels.checked.signatures
    assert kernels.halved(3) == 1.5
    assert kernels.checked(4, 9) == 8
    assert kept_names(trial) == ["called", "checked", "checked", "halved"]


def test_errors_of_linked_kernels_say_what_they_said(trial: Trial) -> None:
    """Their words are Python objects of another kernel: compiled now, kept on disk, and linked from there."""
    for change in (None, None, ("9) + halved", "9) - halved")):
        kernels = calling(trial)
        if change is not None:
            trial.forget()
            trial.change("calling.py", *change)
            kernels = importlib.import_module("trial.calling")
        with pytest.raises(ValueError, match="above the limit") as error:
            kernels.called(np.array([10], np.int32))
        assert error.value.args == ("above the limit", 10, 9)


def test_both_forms_share_the_functions_of_numba(trial: Trial) -> None:
    """NumPy's `empty` is compiled once for what Python enters and what kernels link."""
    (trial.folder / "making.py").write_text(MAKING)
    compiled: list[str] = []

    class Names(event.Listener):
        def on_start(self, news: Any) -> None:
            compiled.append(news.data["dispatcher"].py_func.__qualname__)

        def on_end(self, news: Any) -> None:
            pass

    with event.install_listener("numba:compile", Names()):
        assert importlib.import_module("trial.making").both(3) == 8
    assert [name for name in compiled if name.startswith("ol_np_empty")] == ["ol_np_empty.<locals>.impl"]
    assert compiled[0] == "both"
    assert "made" in compiled


def test_passes_over_modules_run_where_all_is_linked(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """And alone for what may add in any order: so the order does not depend on where it is linked."""
    (trial.folder / "adding.py").write_text(ADDING)
    base: Any = codegen.CPUCodeLibrary
    passed: list[str] = []
    run_passes = base._optimize_final_module

    def noted_passes(library: Any) -> None:
        passed.append(library.name)
        run_passes(library)

    monkeypatch.setattr(base, "_optimize_final_module", noted_passes)
    assert importlib.import_module("trial.adding").called(np.array([1.0, 2.0])) == 13.0
    assert [name for name in passed if name in ("called", "raised", "added")] == ["added", "called"]


# ---------------------------------------------------------------------- a Numba that podium does not know

REFUSING = """
import builtins, json, sys, warnings

find = builtins.__import__

def without_private_names(name, scope=None, *rest):
    asks = (scope or {}).get("__name__", "").startswith("podium.")
    if asks and name.startswith("numba.core"):
        raise ImportError(f"no {name}")
    return find(name, scope, *rest)

builtins.__import__ = without_private_names
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import podium
    rated = podium.rate(podium.History.from_matches(["a", "b", "a"], ["b", "c", "c"]), "elo").ratings
assert "podium.numerics.linked_kernels" not in sys.modules
print(json.dumps([[str(one.message) for one in told], rated.select("player", "mu").rows()]))
"""


def test_without_private_names_of_numba_ratings_are_the_same(tmp_path: Path) -> None:
    """They are compiled by Numba alone, which is said once, and nothing is kept on disk."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": str(tmp_path)}
    answer = subprocess.run([sys.executable, "-c", REFUSING], capture_output=True, text=True, env=environment)
    assert answer.returncode == 0, answer.stderr
    told, rated = json.loads(answer.stdout)
    assert [text for text in told if jit.WITHOUT_FILES in text] == told
    assert len(told) == 1
    assert not list(tmp_path.rglob("*.nbc"))
    history = podium.History.from_matches(["a", "b", "a"], ["b", "c", "c"])
    assert rated == [list(row) for row in podium.rate(history, "elo").ratings.select("player", "mu").rows()]


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("codegen", "JITCodeLibrary"),
        ("codegen.JITCodeLibrary", "_optimize_final_module"),
        ("compiler.CompileResult", "_rebuild"),
        ("environment", "lookup_environment"),
        ("registry.CPUDispatcher", "get_overload"),
        ("options.DefaultOptions", "no_cfunc_wrapper"),
        ("serialize", "dumps"),
        ("extending", "_Intrinsic"),
        ("event", "Listener"),
    ],
)
def test_any_missing_name_is_noticed(module: str, name: str, trial: Trial) -> None:
    """When podium is loaded, and not in the middle of compiling."""
    script = f"""
from operator import attrgetter
import numba.core.{module.partition(".")[0]}, warnings

owner = attrgetter("{module}")(numba.core)
for one in getattr(owner, "__mro__", [owner]):
    if "{name}" in vars(one):
        delattr(one, "{name}")
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from podium.numerics import jit
    assert jit._maker() is jit._plain_kernel
assert len(told) == 1, told
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert answer.returncode == 0, answer.stderr


# ---------------------------------------------------------------------- several processes

HOLD = """
import fcntl, sys
with open(sys.argv[1], "r+b") as locks:
    fcntl.lockf(locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(sys.argv[2]))
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_by_another_process(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process says that it compiles the kernel of this file; an error if somebody else does."""
    locks = path.parent.with_name(f"{path.parent.name}.lock")
    locks.touch()
    command = [sys.executable, "-S", "-c", HOLD, str(locks), str(kernel_files._place(path))]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.communicate()


def kept_total(trial: Trial) -> Path:
    """The file of the outermost kernel."""
    (path,) = trial.kept.glob("trial.outer.total-*")
    return path


def test_a_kernel_that_another_process_compiles_is_waited_for(
    compiled: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = kept_total(compiled)
    aside = kept.rename(compiled.folder / "aside")
    with held_by_another_process(kept) as process:

        def finish(_: float) -> None:
            """Where this process would wait for a moment, the other one is done and ends."""
            if aside.exists():
                aside.rename(kept)
                process.kill()

        monkeypatch.setattr(kernel_files.time, "sleep", finish)
        assert compiled.total() == (10.0, True)  # who waits is told why
        monkeypatch.undo()
        assert not aside.exists()
    total: Any = importlib.import_module("trial.outer").total
    assert not total.stats.cache_misses
    with held_by_another_process(kept):
        pass  # this process holds it no longer


def test_nobody_waits_for_ever(compiled: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = kept_total(compiled)
    kept.unlink()
    monkeypatch.setattr(kernel_files, "PATIENCE_SECONDS", 0.05)
    with held_by_another_process(kept):
        assert compiled.total() == (10.0, True)


def test_a_kernel_that_cannot_be_compiled_is_given_up(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may try; it would wait for this one otherwise."""
    claimed: list[Path] = []

    def claim(path: Path) -> None:
        claimed.append(path)
        kernel_files.claim(path)

    monkeypatch.setattr(kernel_cache, "claim", claim)
    total: Any = importlib.import_module("trial.outer").total
    with pytest.raises(numba.TypingError):
        total("no pair")
    assert claimed
    with held_by_another_process(claimed[0]):
        pass


# ---------------------------------------------------------------------- kernels that came with podium


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that a wheel for this machine would fill."""
    monkeypatch.setattr(kernel_files, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr(kernel_files.llvm, "get_host_cpu_features", lambda: FEATURES)
    folder = tmp_path / "shipped" / kernel_files.folder_name()
    folder.mkdir(parents=True)
    kernel_files.shipped_folder.cache_clear()
    yield folder
    kernel_files.shipped_folder.cache_clear()


FEATURES = dict.fromkeys([*kernel_files.LEVEL_FEATURES, "avx512f"], True)


def test_kernels_come_with_podium(shipped: Path) -> None:
    assert kernel_files.shipped_folder() == shipped
    assert shipped.name == f"{sys.implementation.cache_tag}-numba-{numba.__version__}-x86-64-v3"


@pytest.mark.parametrize(
    "where, name, other",
    [
        (kernel_files.llvm, "get_host_cpu_features", lambda: FEATURES | {"avx2": False}),
        (kernel_files.llvm, "get_host_cpu_features", lambda: {"neon": True}),
        (numba, "__version__", "0.99.0"),
        (sys.implementation, "cache_tag", "cpython-399"),
        (numba.config, "CPU_NAME", "generic"),
        (numba.config, "CPU_FEATURES", "+avx512f"),
    ],
    ids=["no AVX2", "another kind", "another Numba", "another Python", "chosen", "chosen features"],
)
def test_kernels_for_something_else_are_not_used(
    where: Any, name: str, other: Any, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, name, other)
    assert kernel_files.shipped_folder() is None


def test_shipped_kernels_come_before_cached_ones(
    compiled: Trial, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the cache never decides which arithmetic runs; a damaged file is compiled for this machine."""
    monkeypatch.setattr(
        kernel_cache, "level_target", lambda: cpu_target.target_context.codegen().magic_tuple()
    )
    cached = kept_total(compiled)
    carried = shipped / cached.name
    shutil.copy(cached, carried)
    cached.write_bytes(b"not looked at")
    assert compiled.total() == (10.0, False)
    carried.write_bytes(carried.read_bytes()[:-100])
    assert compiled.total() == (10.0, True)
    assert cached.stat().st_size > 1000


def test_shipped_kernels_are_named_after_the_level(shipped: Path) -> None:
    """A kernel for this very processor is never taken for one of the level, nor the other way round."""
    kept = importlib.import_module("podium.numerics.normal").hazard._cache
    here, level = cpu_target.target_context.codegen().magic_tuple(), kernel_files.level_target()
    assert level == (here[0], "x86-64-v3", "")
    assert kept._name((numba.float64,), here) != kept._name((numba.float64,), level)


def test_what_cannot_be_told_is_refused(trial: Trial) -> None:
    """A kernel that uses an object podium cannot describe is not kept under a wrong name."""
    trial.change("innermost.py", "x * SCALE", "x * plain(SCALE)")
    trial.change("innermost.py", "@formula", "def plain(x):\n    return x\n@formula")
    with pytest.raises(TypeError, match="cannot detect whether it changes"):
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
    with pytest.raises(OSError, match="no folder for compiled kernels is writable"):
        find()


# ---------------------------------------------------------------------- podium's own kernels

FINGERPRINTS = """
import json
from importlib import import_module
from podium.numerics.jit import KERNELS
from podium.numerics.kernel_fingerprints import fingerprint
for module in (
    "systems.elo",
    "systems.weng_lin.weng_lin",
    "systems.glicko.glicko",
    "matchmaking.graphs.matching",
):
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


def test_kernels_of_one_factory_have_names_of_their_own() -> None:
    """Or a process that loads both from disk may run one in place of the other."""

    def times(factor: float) -> Any:
        @jit.kernel
        def multiplied(number: float) -> float:
            return factor * number

        return multiplied

    twice, thrice = times(2.0), times(3.0)
    assert (twice(1.0), thrice(1.0)) == (2.0, 3.0)
    assert twice.py_func.__qualname__ != thrice.py_func.__qualname__
