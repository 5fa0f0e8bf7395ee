"""What a careful expert would have chosen: a system with its parameters for each shape of history.

Whoever names no system gets one of these. They were chosen on the first parts of seven sets of real results
and judged on the rest (docs/real-data.md). A preset says what constructors leave out: where newcomers start,
how they are shown, and that predictions are calibrated while results come in. Constructors keep the published
parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podium.history import History

SIDES_OF_A_LARGE_EVENT = 100
"""Mean number of sides from which on events of many are contests, and below it races."""


@dataclass(frozen=True)
class Preset:
    """A system with parameters, under the name of what it is for."""

    name: str
    system: str
    parameters: Mapping[str, float | str]
    suits: str
    """The histories it is for, in a few words."""

    @property
    def sentence(self) -> str:
        """What a command says that chose it."""
        return f"{self.system}, for {self.suits}"


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "matches",
            "glicko2",
            {"sigma": 200.0, "newcomer_start": "adaptive", "calibration": "learned"},
            "matches of two",
        ),
        Preset(
            "teams",
            "weng-lin",
            # the proportions of the paper on the usual scale; a member adds mu = 3 sigma to a side's strength
            {"mu": 1500.0, "sigma": 500.0, "beta": 250.0, "tau": 15.0, "calibration": "learned"},
            "matches of teams",
        ),
        Preset(
            "contests",
            "elo-mmr",
            {
                "beta": 100.0,
                "gamma": 10.0,
                "drift_per_day": 10.0,
                "newcomer_start": "adaptive",
                "display_k": 1.0,
                "calibration": "learned",
            },
            "large contests",
        ),
        Preset(
            "races",
            "elo-mmr",
            {
                "beta": 200.0,
                "gamma": 35.0,
                "drift_per_day": 10.0,
                "performance": "gumbel-min",
                "newcomer_start": "adaptive",
                "display_k": 2.0,
                "calibration": "learned",
            },
            "small contests",
        ),
    )
}


def preset_for(history: History) -> Preset:
    """The preset for histories of this shape: it can use whatever evidence they hold.

    >>> from podium import History
    >>> preset_for(History.from_matches(["ann", "ann"], ["bob", "cat"])).sentence
    'glicko2, for matches of two'
    """
    return PRESETS[_shape(history)]


def _shape(history: History) -> str:
    """The name of the preset, by the sides of the events and by evidence that only some systems can use."""
    import numpy as np

    if history.share is not None and not np.isnan(history.share).all():
        return "matches"  # of the four only Glicko-2 can use parts of a point, and teams and contests too
    if history.play is not None or (
        history.side is not None and np.any(history.sides_per_event < history.sizes)
    ):
        return "teams"
    sides = history.sides_per_event
    if not len(sides) or sides.mean() <= 2.0:
        return "matches"
    return "contests" if sides.mean() >= SIDES_OF_A_LARGE_EVENT else "races"
