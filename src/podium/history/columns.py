"""The columns of a history: those of a row and those of an event, and what it means if one is missing."""

from __future__ import annotations

import numpy as np

PER_ROW = ("player", "rank", "score", "share", "side", "team", "unrated", "play")
PER_EVENT = ("time", "weight", "home", "ceiling", "named")
ALWAYS_THERE = ("player", "rank", "time")

TYPES: dict[str, type[np.generic]] = dict.fromkeys(("player", "rank", "side", "team", "home"), np.int32)
TYPES |= dict.fromkeys(("score", "weight", "share", "ceiling", "play"), np.float64)
TYPES |= {"unrated": np.bool_, "named": np.bool_, "time": np.int64}
DEFAULTS = {"unrated": False, "weight": 1.0, "play": 1.0, "home": -1, "team": -1, "ceiling": np.inf}
DEFAULTS |= {"score": np.nan, "share": np.nan, "named": False}
"""The value in every cell of a column that is None; without `side` everybody plays alone."""
