"""Small histories in which somebody called p0 may cheat."""

from __future__ import annotations

import numpy as np

from naive.events import Event
from podium import History
from podium.studies.attacks import Farming

SHORT = Farming(honest=3, farming=6, after=3)


def contests(seed: int, events: int = 16, players: int = 6, size: int = 5) -> tuple[History, list[Event]]:
    """Contests with ties, in which somebody called p0 is strong, sometimes absent and once unrated."""
    chance = np.random.default_rng(seed)
    plain = []
    for number in range(events):
        names = [f"p{i}" for i in chance.permutation(players)[:size]]
        level = [round(2 * chance.random() + (name == "p0")) for name in names]
        ranks = [1 + sum(other > mine for other in level) for mine in level]
        held = frozenset({"p0"}) if number == 4 else frozenset()
        plain.append(Event([[name] for name in names], ranks, held=held & set(names)))
    return as_history(plain), plain


def matches(seed: int, events: int = 26) -> tuple[History, list[Event]]:
    chance = np.random.default_rng(seed)
    plain = []
    for _ in range(events):
        names = [f"p{i}" for i in chance.permutation(3)[:2]]
        plain.append(Event([[name] for name in names], [[1, 2], [2, 1], [1, 1]][chance.integers(3)]))
    return as_history(plain), plain


def as_history(plain: list[Event]) -> History:
    return History.from_events(
        {
            "ranks": {side[0]: rank for side, rank in zip(event.sides, event.ranks, strict=True)},
            "unrated": event.held,
        }
        for event in plain
    )
