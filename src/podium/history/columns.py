"""The columns of a history: those of a row and those of an event, and what it means if one is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from podium.arrays import NO_BOOLS, NO_FLOATS, NO_INTS, Bools, EventColumns, as_kernel_column

if TYPE_CHECKING:
    from podium.history.history import History

PER_ROW = ("player", "rank", "score", "share", "side", "team", "unrated", "play", "origin")
PER_EVENT = ("time", "weight", "home", "ceiling", "named")
ALWAYS_THERE = ("player", "rank", "time")

TYPES: dict[str, type[np.generic]] = dict.fromkeys(
    ("player", "rank", "side", "team", "home", "origin"), np.int32
)
TYPES |= dict.fromkeys(("score", "weight", "share", "ceiling", "play"), np.float64)
TYPES |= {"unrated": np.bool_, "named": np.bool_, "time": np.int64}
DEFAULTS = {"unrated": False, "weight": 1.0, "play": 1.0, "home": -1, "team": -1, "ceiling": np.inf}
DEFAULTS |= {"score": np.nan, "share": np.nan, "named": False, "origin": -1}
"""The value in every cell of a column that is None; without `side` everybody plays alone."""


def event_columns(history: History, held: Bools | None = None) -> EventColumns:
    """The columns that kernels read; rows marked in `held` count as opponents but do not change."""
    return EventColumns(
        offsets=as_kernel_column(history.offsets),
        player=as_kernel_column(history.player),
        rank=as_kernel_column(history.rank),
        side=NO_INTS if history.side is None else as_kernel_column(history.side),
        held=NO_BOOLS if held is None else as_kernel_column(held),
        time=as_kernel_column(history.time),
        weight=NO_FLOATS if history.weight is None else as_kernel_column(history.weight),
        home=NO_INTS if history.home is None else as_kernel_column(history.home),
        share=NO_FLOATS if history.share is None else as_kernel_column(history.share),
        ceiling=NO_FLOATS if history.ceiling is None else as_kernel_column(history.ceiling),
        play=NO_FLOATS if history.play is None else as_kernel_column(history.play),
        score=NO_FLOATS if history.score is None else as_kernel_column(history.score),
    )


def columns_at(history: History, rows: Any, events: Any) -> dict[str, Any]:
    """Every column at these rows and events, as keyword arguments for another history."""
    taken = dict.fromkeys(PER_ROW, rows) | dict.fromkeys(PER_EVENT, events)
    return {
        name: column[where] for name, where in taken.items() if (column := getattr(history, name)) is not None
    }
