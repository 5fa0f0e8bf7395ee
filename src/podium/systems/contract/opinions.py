"""What the experts say of a player, for systems that rate by several others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from podium.text import counted, percent

MAIN_OPINIONS = 5
"""Experts that are named one by one in a sentence."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one expert says of a player, and how much it counts."""

    expert: str
    share: float
    """Its share of all that counts; the shares of all experts add up to one."""
    rating: float
    """The rating it would give, in points of the public rating."""


def counting_words(opinions: Sequence[Opinion], title: str = "What counts") -> str:
    """The experts that count most, in a sentence; the first ones of `opinions`."""
    main, rest = opinions[:MAIN_OPINIONS], opinions[MAIN_OPINIONS:]
    told = [f"{percent(one.share)} {one.expert} (says {one.rating:.0f})" for one in main]
    if rest:
        told.append(f"{percent(sum(one.share for one in rest))} {counted(len(rest), 'other')}")
    return f"{title}: " + ", ".join(told)
