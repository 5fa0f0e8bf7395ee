"""How each rating system works, in words that a player understands."""

from __future__ import annotations

from podium.presets import PRESETS
from podium.systems import RatingSystem
from podium.text import paragraphs

_SHOWN_CAREFULLY = """
The rating shown is lower than the system's best guess as long as it is unsure of a player: it rises as
certainty grows.
"""
_CALIBRATED = """
The chances that pages show are corrected by how earlier ones have turned out. Ratings are not changed by
that.
"""


def system_words(system: RatingSystem) -> list[str]:
    """How a system works, in paragraphs; its summary, if it explains no more.

    >>> from podium import Elo
    >>> len(system_words(Elo()))
    1
    """
    summary = system.summary[:1].upper() + system.summary[1:]
    words = paragraphs(system.explained or f"{summary.rstrip('.')}.")
    words += paragraphs(system.explained_choices)
    if getattr(system, "display_k", 0.0) > 0.0:
        words += paragraphs(_SHOWN_CAREFULLY)
    if system.preset is not None:
        words.append(f"The preset {system.preset} is {PRESETS[system.preset].meaning}.")
    return words + (paragraphs(_CALIBRATED) if system.is_calibrated else [])
