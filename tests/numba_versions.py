"""The numerics on the oldest and the newest Numba that podium allows, with several versions of Python.

    python tests/numba_versions.py "python3.11 python3.12" tests/numerics tests/systems

`make versions` runs it. Each pair has a virtual environment below `.venv-versions`. A Python is looked for on
the path and among those of pyenv; one that is not here is named and left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTING = ("pytest", "pytest-xdist", "hypothesis", "mpmath")
"""Packages of the extra `test` that the numerics need."""


def main(pythons: list[str], pytest: list[str]) -> int:
    """Run the tests with each pair; returns 1 if any fail, or if there is no Python to run them with."""
    results: dict[str, str] = {}
    for name in pythons:
        python = find_python(name)
        for numba, pin in pins().items():
            pair = f"{name}, {numba} Numba ({pin})"
            print(f"\n=== {pair}", flush=True)
            results[pair] = (
                "SKIPPED: no such Python here" if python is None else run(python, name, pin, pytest)
            )
            print(results[pair], flush=True)
    print("\n" + "\n".join(f"{pair}: {result}" for pair, result in results.items()))
    failed = [result for result in results.values() if result.startswith("FAILED")]
    return 1 if failed or "passed" not in results.values() else 0


def requirements() -> list[str]:
    """What podium needs, and what its tests need here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    tests = project["optional-dependencies"]["test"]
    return project["dependencies"] + [one for one in tests if re.split("[<>=;]", one)[0] in TESTING]


def pins() -> dict[str, str]:
    """The oldest and the newest Numba allowed, as pip takes them."""
    (allowed,) = (one for one in requirements() if one.startswith("numba"))
    (oldest,) = re.findall(r">=([\d.]+)", allowed)
    return {"oldest": f"numba=={oldest}.*", "newest": allowed}


def find_python(name: str) -> Path | None:
    """The interpreter of this name, such as python3.12, that runs."""
    pyenv = Path.home() / ".pyenv" / "versions"
    found = [Path(path)] if (path := shutil.which(name)) else []
    for python in [*found, *sorted(pyenv.glob(f"{name.removeprefix('python')}.*/bin/{name}"))]:
        if subprocess.run([python, "-c", ""], capture_output=True).returncode == 0:
            return python
    return None


def run(python: Path, name: str, pin: str, pytest: list[str]) -> str:
    """Install what is needed, and run the tests."""
    folder = ROOT / ".venv-versions" / f"{name}-{re.sub('[^0-9.]+', '-', pin).strip('-.')}"
    inside = folder / "bin" / "python"
    install = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    install += ["--only-binary", "numba,llvmlite", *requirements(), pin]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]),
        "NUMBA_CACHE_DIR": str(ROOT / ".cache"),
    }
    try:
        subprocess.run([python, "-m", "venv", folder], check=True)
        if subprocess.run(install).returncode:  # a new Python has no old Numba
            return "SKIPPED: pip cannot install this Numba there"
        subprocess.run([inside, "-m", "pytest", "--quiet", *pytest], check=True, cwd=ROOT, env=environment)
    except subprocess.CalledProcessError as error:
        return f"FAILED: exit status {error.returncode}"
    return "passed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].split(), sys.argv[2:]))
