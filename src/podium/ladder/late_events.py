"""Events earlier than the last one: what a ladder does with them, here and on a service."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Literal

from podium.arrays import NO_TIME
from podium.errors import ParameterError
from podium.history import Event
from podium.text import shorten

Late = Literal["refuse", "insert", "last"]
"""For an event earlier than the last one: refuse it, insert it at its own time and rate all later events
again, or rate it at the time of the last event."""


def check_late(late: str, allowed: Collection[str] = ("refuse", "insert", "last")) -> None:
    """Refuse what is none of these words."""
    if late not in allowed:
        words = " or ".join(f'"{word}"' for word in allowed)
        raise ParameterError(f"late must be {words}, not {shorten(repr(late))}")


def as_rated(event: Event, late: Late, last_time: int) -> Event:
    """The event with the time at which it is rated after an event of the last time."""
    if late == "last" and NO_TIME != event.time < last_time:
        return replace(event, time=last_time)
    return event
