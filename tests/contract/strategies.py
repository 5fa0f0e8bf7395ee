"""Random histories and variants of systems, for the laws."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from conftest import COMPILED
from podium.history import Adjustment, Anchor, Event, History, Merge, Release, Rename, Reset, Seed
from podium.systems import Capabilities, RatingSystem, list_systems

NAMES = ["ann", "bob", "cat", "dan", "eve", "finn"]
DAY = 86_400
START = 1_700_000_000


@st.composite
def events(
    draw: st.DrawFn, can: Capabilities, days: float, *, timed: bool = True, unrated: bool = True
) -> Event:
    """One event a system can use, so many days after the start."""
    names = draw(st.permutations(NAMES))
    n_sides = draw(st.integers(2, 4)) if can.many else 2
    sizes = [draw(st.integers(1, 2)) if can.teams else 1 for _ in range(n_sides)]
    while sum(sizes) > len(names):
        sizes[sizes.index(max(sizes))] -= 1
    sides = [[names.pop() for _ in range(size)] for size in sizes]
    if can.ties:
        ranks = draw(st.lists(st.integers(1, 4), min_size=n_sides, max_size=n_sides))
    else:
        ranks = draw(st.permutations(range(1, n_sides + 1)))
    members = [name for side in sides for name in side]
    share = None
    if can.shares and n_sides == 2 and draw(st.booleans()):
        share = draw(st.floats(0, 1))
    return Event.of(
        teams=sides,
        ranks=ranks,
        share=share,
        time=START + days * DAY if timed else None,
        weight=draw(st.sampled_from([1.0, 0.25, 3.0])) if can.weights else 1.0,
        home=draw(st.none() | st.sampled_from(members)) if can.home else None,
        unrated=draw(st.sets(st.sampled_from(members), max_size=1)) if unrated else (),
        play=draw(st.dictionaries(st.sampled_from(members), st.floats(0.1, 1.0), max_size=2))
        if can.play
        else None,
        ceiling=draw(st.none() | st.just(1700.0)),
    )


@st.composite
def adjustments(draw: st.DrawFn) -> Adjustment:
    """Any adjustment that cannot be refused."""
    player = draw(st.sampled_from(NAMES))
    other = draw(st.sampled_from([name for name in NAMES if name != player]))
    return draw(
        st.sampled_from(
            [
                Seed(
                    player=player, mu=draw(st.floats(500, 2500)), sigma=draw(st.none() | st.floats(10, 400))
                ),
                Anchor(player=player, mu=draw(st.none() | st.floats(500, 2500))),
                Release(player=player),
                Reset(keep=draw(st.floats(0, 1)), toward=draw(st.none() | st.just(1400.0))),
                Rename(player=player, into=f"{player} junior"),
                Merge(player=player, into=other),
            ]
        )
    )


@st.composite
def histories(
    draw: st.DrawFn,
    can: Capabilities,
    *,
    adjusted: bool = True,
    max_events: int = 12,
    timed: bool | None = None,
    unrated: bool = True,
) -> History:
    """A history a system can use, with everything it can use in it."""
    timed = draw(st.booleans()) if timed is None else timed
    items: list[Any] = []
    days = 0.0
    renamed: set[str] = set()
    for _ in range(draw(st.integers(1, max_events))):
        days += draw(st.sampled_from([0.0, 0.01, 0.5, 3.0, 8.0, 40.0, 400.0]))
        items.append(draw(events(can, days, timed=timed, unrated=unrated)))
        if adjusted and draw(st.integers(0, 3)) == 0:
            adjustment = draw(adjustments())
            if isinstance(adjustment, Rename) and adjustment.player in renamed:
                continue
            renamed.update({adjustment.player} if isinstance(adjustment, Rename) else ())
            items.append(adjustment)
    return History.from_events(items)


OTHER_PERFORMANCES = [
    ("hyperbolic-secant", 1.0, "whole"),
    ("hyperbolic-secant", 0.3, "half"),
    ("gumbel-min", 1.0, "whole"),
]


LUCK: list[dict[str, Any]] = [
    {"luck": "heaviside", "beta": 0.9, "draws": "outside"},
    {"luck": "laplace(0.8)", "growth_family": "laplace", "edge": "each", "home_advantage": 65.0},
    {"luck": "fide", "algorithm": "fft", "growth": (10.0, 60.0), "growth_shares": (0.7, 0.3)},
    {"growth_per_day": 5.0, "newcomer_growth": 3.0, "newcomer_events": 2, "adapt": 0.1, "draws": "outside"},
    {"luck": "normal", "algorithm": "naive", "edge": "each", "draw_rate": 0.4, "growth_per_day": 2.0},
    {"luck": "margin(0.3)", "growth": (), "home_advantage": 65.0, "beta": 0.95},
]
"""Choices of `luck`, which are too many to take one by one; on a coarse grid, as the twin is slow."""


def variants(cls: type[RatingSystem]) -> list[RatingSystem]:
    """A system with its defaults, and with each of its choices in turn."""
    chosen = [cls()]
    if cls.name == "luck":
        chosen = [cls() if COMPILED else cls(points=61)]
        return chosen + [cls(**{"points": 201 if COMPILED else 61, **choices}) for choices in LUCK]
    for parameter in cls.declared().values():
        chosen += [
            cls(**{parameter.name: choice}) for choice in parameter.choices if choice != parameter.default
        ]
        if parameter.name == "period":
            chosen.append(cls(period="7d"))
        if parameter.name == "home_advantage":
            chosen.append(cls(home_advantage=65.0))
        if parameter.name == "periods_per_day":
            chosen.append(cls(periods_per_day=0.3))
        if parameter.name == "newcomer_k":
            chosen.append(cls(newcomer_k=60.0, newcomer_events=3, period="7d"))
        if parameter.name == "drift_per_day":
            weights = {"newcomer_weights": (0.4, 0.7)} if "newcomer_weights" in cls.declared() else {}
            chosen.append(cls(drift_per_day=20.0, **weights))
        if parameter.name == "performance":
            chosen += [cls(performance=name, rho=rho, ties=t) for name, rho, t in OTHER_PERFORMANCES]
        if parameter.name == "rho":
            chosen += [cls(rho=0.0), cls(rho=math.inf)]
        if parameter.name == "weight":
            chosen.append(cls(weight=0.3))
        if parameter.name == "forgetting":
            chosen.append(cls(forgetting="stable", form="independent", sigma=250.0, deviation="information"))
        if parameter.name == "draw_rate":
            chosen.append(cls(draw_rate=0.4))
        if parameter.name == "temperature":
            chosen.append(cls(temperature=1.3))
    return chosen


SYSTEMS = [system for cls in list_systems().values() for system in variants(cls)]


def label(system: RatingSystem) -> str:
    """A short name for a variant: what differs from the defaults."""
    defaults = type(system)().parameters()
    changed = [f"{name}={value}" for name, value in system.parameters().items() if value != defaults[name]]
    return f"{system.name}({', '.join(changed)})"
