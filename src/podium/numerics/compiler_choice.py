"""Whether kernels are compiled or run as the Python they are written in, once for a process.

Kernels are made when their modules are imported, so the choice comes before that. They are compiled unless
somebody chooses otherwise: `NUMBA_DISABLE_JIT=1`, or a command of the command line with little to do
(`podium.cli.small_work`). Importing this module loads no compiler, and neither do interpreted kernels.
"""

from __future__ import annotations

import os
import sys

_interpreted = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def is_interpreted() -> bool:
    """Whether kernels run as plain Python in this process."""
    return _interpreted


def are_kernels_loaded() -> bool:
    """Whether kernels may have been made in this process, so that there is nothing left to choose."""
    return "podium.numerics.jit" in sys.modules


def interpret_kernels() -> None:
    """Run kernels as plain Python from now on, unless this process has compiled ones already."""
    global _interpreted
    if not are_kernels_loaded():
        _interpreted = True
