"""In which words two events or adjustments differ, whatever the order of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from podium.arrays import NO_TIME
from podium.history.adjustments import Adjustment
from podium.history.events import Event
from podium.history.times import to_iso

Difference = tuple[str, str, str]
"""A field, with its first and its second value."""


def event_words(event: Event) -> dict[str, Any]:
    """What an event says, by field: equal for events that mean the same.

    >>> event_words(Event.of(ranks={"bob": 2, "ann": 1}))["sides"]
    '1. ann; 2. bob'
    """
    return {
        "sides": _sides(event),
        "time": _time(event.time),
        "share": _share(event),
        "name": event.name,
        "weight": event.weight,
        "home": event.home,
        "ceiling": event.ceiling,
        "unrated": sorted(event.unrated),
        "play": sorted(event.play),
    }


def adjustment_words(adjustment: Adjustment, time: int) -> dict[str, Any]:
    """What an adjustment says, by field."""
    values = {field.name: getattr(adjustment, field.name) for field in fields(adjustment)}
    return {"adjustment": adjustment.kind, **values, "time": _time(time)}


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> tuple[Difference, ...]:
    """The fields whose values differ."""
    return tuple(
        (name, str(there.get(name)), str(here.get(name)))
        for name in {**there, **here}
        if there.get(name) != here.get(name)
    )


def _time(micros: int) -> str | None:
    return None if micros == NO_TIME else to_iso(micros)


def _sides(event: Event) -> str:
    """Who took part and how it ended."""
    scores = event.scores or [None] * len(event.sides)
    sides = sorted(
        (rank, ", ".join(sorted(side)), score)
        for side, rank, score in zip(event.sides, event.ranks, scores, strict=True)
    )
    return "; ".join(
        f"{rank}. {side}" + ("" if score is None else f" ({score!r})") for rank, side, score in sides
    )


def _share(event: Event) -> str | None:
    """How the sides divided the point."""
    if event.share is None:
        return None
    return "; ".join(
        sorted(f"{', '.join(sorted(side))} {event.share_of(n):.15g}" for n, side in enumerate(event.sides))
    )
