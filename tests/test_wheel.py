"""Wheels: with kernels for one Python, one Numba and one level of processors, or of Python alone."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[1]

USE_EVERYTHING = """
import podium
from test_kernels import use_everything
assert "site-packages" in podium.__file__, podium.__file__
podium.warmup()
use_everything()
assert [len(podium.sample(name)) for name in ("formula-1", "football")] == [1188, 49520]
"""


def run(*command: str | Path, **environment: str) -> str:
    surroundings = {**os.environ, "PYTHONPATH": "", **environment}
    answer = subprocess.run(command, capture_output=True, text=True, env=surroundings, cwd=REPOSITORY)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


@pytest.mark.long
@pytest.mark.compiled
def test_an_installed_wheel_compiles_nothing(tmp_path: Path) -> None:
    """Its packages are those of this environment; podium is what the wheel holds."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    kernels, cache = tmp_path / "kernels", tmp_path / "cache"
    run(
        *(sys.executable, "wheels/collect_kernels.py", kernels, "--cache", ".cache/level"),
        PYTHONPATH=str(REPOSITORY / "src"),
    )
    run(*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, ".", PODIUM_KERNELS=str(kernels))
    (wheel,) = tmp_path.glob("*.whl")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert wheel.stem.split("-")[2:] == [python, python, sysconfig.get_platform().replace("-", "_")]
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    installed = tmp_path / "venv" / "bin" / "python"
    run(*pip, "--python", installed, "install", "--no-deps", wheel)
    (packages,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))
    uses = [installed, "-c", USE_EVERYTHING]
    run(*uses, NUMBA_CACHE_DIR=str(cache), PYTHONPATH=str(REPOSITORY / "tests"))
    assert not list(cache.rglob("*.nbc"))
    rate = "import podium; podium.rate(podium.History.from_matches(['a'], ['b']), 'elo')"
    run(installed, "-c", rate, NUMBA_CACHE_DIR=str(cache), NUMBA_CPU_NAME="generic")
    assert list(cache.rglob("*.nbc")), "a processor that somebody chose has kernels of its own"


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The hook, without the builder that calls it: tests need not have Hatchling."""
    interface: Any = ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = object
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("build_hook", REPOSITORY / "wheels" / "build_hook.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.KernelHook()


def test_a_wheel_with_kernels_is_for_one_python(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODIUM_KERNELS", "build/kernels")
    built: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", built)
    assert built == {
        "pure_python": False,
        "infer_tag": True,
        "force_include": {"build/kernels": "podium/kernels"},
    }


@pytest.mark.parametrize("version, kernels", [("standard", ""), ("editable", "build/kernels")])
def test_any_other_wheel_is_pure_python(
    version: str, kernels: str, hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODIUM_KERNELS", kernels)
    built: dict[str, Any] = {"force_include": {}}
    hook.initialize(version, built)
    assert built == {"force_include": {}}
