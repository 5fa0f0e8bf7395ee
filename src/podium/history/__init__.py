"""Histories of results: events in time order, by column."""

from podium.history.adjustments import (
    Adjustment,
    Anchor,
    Merge,
    Placed,
    Release,
    Rename,
    Reset,
    Seed,
    SetRating,
)
from podium.history.events import Event
from podium.history.history import History, HistoryLike, Skipped, history_meant
from podium.history.names import Names
from podium.history.readings import Reading, ReadingWarning
from podium.history.summary import Summary

__all__ = [
    "Adjustment",
    "Anchor",
    "Event",
    "History",
    "HistoryLike",
    "Merge",
    "Names",
    "Placed",
    "Reading",
    "ReadingWarning",
    "Release",
    "Rename",
    "Reset",
    "Seed",
    "SetRating",
    "Skipped",
    "Summary",
    "history_meant",
]
