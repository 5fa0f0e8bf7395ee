"""Hatchling's hook: a wheel holds compiled kernels if PODIUM_KERNELS names a folder of them."""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the kernels, and the tag of the Python and the system that they are compiled for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built; `version` says of which kind."""
        kernels = os.environ.get("PODIUM_KERNELS")
        if kernels and version == "standard":
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            build_data["force_include"][kernels] = "podium/kernels"
