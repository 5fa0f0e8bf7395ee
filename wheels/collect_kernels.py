"""Compile every kernel for a level of processors, and collect those that a wheel carries.

    python wheels/collect_kernels.py build/kernels --cache build/kernel-cache

A wheel needs the kernels that Python calls: what they call is compiled into them. So everything is compiled
first, and then used once more by a process that finds all of it on disk and tells what it loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from podium.numerics.kernel_files import LEVEL, folder_name, is_of_level

TESTS = Path(__file__).parents[1] / "tests"

USE_EVERYTHING = """
import json
import podium
from test_kernels import KERNELS, use_everything
podium.warmup()
use_everything()
loaded = [kernel._cache.path(types, kernel.targetctx.codegen())
          for kernel in KERNELS for types in kernel.stats.cache_hits]
print(json.dumps({"loaded": list(map(str, loaded)),
                  "compiled": [kernel.__name__ for kernel in KERNELS if kernel.stats.cache_misses]}))
"""


def main() -> None:
    """Compile and collect."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where to put the kernels; must not exist")
    parser.add_argument("--cache", required=True, help="where compiled kernels are kept for the next time")
    arguments = parser.parse_args()
    if not is_of_level():
        raise SystemExit(f"kernels are run once, and this processor is older than {LEVEL}")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")])),
        "NUMBA_CACHE_DIR": arguments.cache,
        "NUMBA_CPU_NAME": LEVEL,
        "NUMBA_CPU_FEATURES": "",  # those of the level, none of this machine's
        "NUMBA_DISABLE_INTEL_SVML": "1",  # a library that other machines need not have
    }
    _run([sys.executable, "-m", "podium", "warmup"], environment)
    _run([sys.executable, "-c", USE_EVERYTHING], environment)
    found = json.loads(_run([sys.executable, "-c", USE_EVERYTHING], environment))
    if found["compiled"]:
        raise SystemExit(f"not kept on disk: {', '.join(found['compiled'])}")
    target = arguments.folder / folder_name()
    target.mkdir(parents=True)
    for path in found["loaded"]:
        shutil.copy(path, target)
    size = sum(path.stat().st_size for path in target.iterdir())
    print(f"{len(found['loaded'])} kernels, {size / 1e6:.1f} MB, in {target}")


def _run(command: list[str], environment: dict[str, str]) -> str:
    """What a process prints; if it fails, so does this one."""
    return subprocess.run(command, env=environment, check=True, text=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    main()
