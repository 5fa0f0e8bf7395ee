"""The naive twins of `tests/naive/` as `podium.checks` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from naive.events import Event as PlainEvent
from naive.events import Outcome
from podium.arrays import DAY, NO_TIME
from podium.checks import Twin
from podium.history import Event


def twin_of(system: Any) -> Twin:
    """The twin of a system, with the same parameters."""
    twin = import_module(f"naive.{system.name.replace('-', '_')}")
    # Ratings do not depend on a calibration, and margins are about scores, which the laws' histories lack.
    shown = system.shown | {"margin", "calibration"}
    parameters = {n: v for n, v in system.describe()["parameters"].items() if n not in shown}
    if "period" in parameters and parameters["period"] != "event":
        parameters["period"] = float(parameters["period"].removesuffix("d"))
    if "periods_per_day" in parameters:
        parameters["periods_per_day"] = system.rules().periods_per_day

    def rate(events: Sequence[Event]) -> Outcome:
        found: Outcome = twin.rate([plain_event(event) for event in events], **parameters)
        return found

    return rate


def plain_event(event: Event) -> PlainEvent:
    """An event in the twins' own words."""
    home = None if event.home is None else next(i for i, s in enumerate(event.sides) if event.home in s)
    return PlainEvent(
        sides=[list(side) for side in event.sides],
        ranks=list(event.ranks),
        time=None if event.time == NO_TIME else event.time / DAY,
        weight=event.weight,
        home=home,
        share=event.share,
        held=event.unrated,
        play=dict(event.play),
        ceiling=event.ceiling,
        scores=None if event.scores is None else list(event.scores),
    )
