"""Hatchling's hook: podium-papers needs podium of its own version, with what draws pictures."""

from __future__ import annotations

from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SamePodium(MetadataHookInterface):
    """Makes the requirement from the version, which Hatchling has read from podium by then."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the requirement."""
        metadata["dependencies"] = [f"podium[charts]=={metadata['version']}"]
