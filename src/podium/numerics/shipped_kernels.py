"""Kernels that came with podium: a wheel may carry them, compiled for a whole level of processors.

They are used where Python, Numba and the processor are those they were compiled for, and nowhere else. This
depends on what is installed and on the machine, never on what a cache holds: one installation gives the same
bits today and tomorrow.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba

LEVEL = "x86-64-v3"
"""The level of processors that wheels are compiled for, by LLVM's name: x86 of 2013 and later, with AVX2."""
LEVEL_FEATURES = (
    *("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"),  # of x86-64-v2
    *("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"),
)
"""What a processor of that level can do, by LLVM's names."""
SHIPPED = Path(__file__).parents[1] / "kernels"
"""The folder of the package that a wheel fills; a source installation has none."""

_config: Any = numba.config


def folder_name() -> str:
    """What kernels of a wheel are compiled for: Python, Numba and the level of processors."""
    return f"{sys.implementation.cache_tag}-numba-{numba.__version__}-{LEVEL}"


def level_target() -> tuple[str, str, str]:
    """The system, the processor and its features as Numba names them when it compiles for the level."""
    return (llvm.get_process_triple(), LEVEL, "")


def is_of_level() -> bool:
    """Whether the processor of this machine has all that the level asks for."""
    features = llvm.get_host_cpu_features()
    return all(features.get(feature) for feature in LEVEL_FEATURES)


@cache
def shipped_folder() -> Path | None:
    """The kernels that came with podium and run here; None if there are none."""
    folder = SHIPPED / folder_name()
    if not folder.is_dir():
        return None
    chosen = _config.CPU_NAME is not None or _config.CPU_FEATURES is not None  # by whoever set NUMBA_CPU_NAME
    return folder if is_of_level() and not chosen else None
