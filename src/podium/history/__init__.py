"""Histories of results: events in time order, by column."""

from podium.history.adjustments import Adjustment, Anchor, Merge, Placed, Release, Rename, Reset, Seed
from podium.history.core import EventColumns, History, Skipped, Summary
from podium.history.events import Event
from podium.history.names import Names

__all__ = [
    "Adjustment",
    "Anchor",
    "Event",
    "EventColumns",
    "History",
    "Merge",
    "Names",
    "Placed",
    "Release",
    "Rename",
    "Reset",
    "Seed",
    "Skipped",
    "Summary",
]
