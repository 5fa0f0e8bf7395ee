"""What conftest.py promises of every run of the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parent / "conftest.py"
TESTS = """
import pytest

def test_runs(): pass

def test_is_skipped(): pytest.skip("something is missing here")

@pytest.mark.compiled
def test_is_compiled(): raise AssertionError("which it is not")
"""

WITHOUT_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
"""The packages that the tests use bring plugins, whose imports take each process seconds."""


@pytest.mark.parametrize(("ci", "status", "processes"), [("1", 1, "2"), ("", 0, "0")])
def test_a_skipped_test_fails_in_continuous_integration(
    ci: str, status: int, processes: str, tmp_path: Path
) -> None:
    """And a test marked `compiled` is none where the compiler is off."""
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = compiled\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "xdist.plugin", "-n", processes],
        env={**os.environ, **WITHOUT_PLUGINS, "CI": ci, "NUMBA_DISABLE_JIT": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "1 passed, 1 skipped" in done.stdout
    assert done.returncode == status
    assert ("CI: 1 skipped tests count as failures" in done.stdout) == bool(ci)
