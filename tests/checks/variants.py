"""Variants of every registered system, for the laws and whatever else holds for all of them."""

from __future__ import annotations

import math
from typing import Any

from conftest import COMPILED
from podium.errors import ParameterError
from podium.systems import RatingSystem, list_systems

Choices = dict[str, Any]

OTHER_PERFORMANCES = [
    ("hyperbolic-secant", 1.0, "whole"),
    ("hyperbolic-secant", 0.3, "half"),
    ("gumbel-min", 1.0, "whole"),
]


LUCK: list[Choices] = [
    {"luck": "heaviside", "beta": 0.9, "draws": "outside", "calibration": "learned"},
    {"luck": "laplace(0.8)", "growth_family": "laplace", "edge": "each", "home_advantage": 65.0},
    {"luck": "fide", "algorithm": "fft", "growth": (10.0, 60.0), "growth_shares": (0.7, 0.3)},
    {"growth_per_day": 5.0, "newcomer_growth": 3.0, "newcomer_events": 2, "adapt": 0.1, "draws": "outside"},
    {"luck": "normal", "algorithm": "naive", "edge": "each", "draw_rate": 0.4, "growth_per_day": 2.0},
    {"luck": "margin(0.3)", "growth": (), "home_advantage": 65.0, "beta": 0.95},
]
"""Choices of `luck`, which are too many to take one by one; on a coarse grid, as the twin is slow."""


def each_choice(cls: type[RatingSystem]) -> list[Choices]:
    """Each of a system's choices in turn, and numbers that switch something on."""
    if cls.name == "luck":
        return [{"points": 201 if COMPILED else 61, **choices} for choices in LUCK]
    chosen: list[Choices] = []
    for parameter in cls.declared().values():
        name = parameter.name
        if name == "calibration":  # which replaces the draws of draw_rate: not in one variant with them
            chosen.append({name: "learned"} | ({"draw_rate": 0.0} if "draw_rate" in cls.declared() else {}))
            continue
        if cls.name == "auto":
            chosen[0] |= {"experts": "few", "share": 0.05}
            continue
        chosen += [{name: choice} for choice in parameter.choices if choice != parameter.default]
        if name == "period":
            whole = {"event_period": "counted"} if "event_period" in cls.declared() else {}
            chosen.append({"period": "7d", **whole})
        if name == "sigma_min":
            chosen.append({"sigma_min": 100.0})
        if name == "volatility_max":
            chosen.append({"volatility_max": 0.06})
        if name == "home_advantage":
            chosen.append({"home_advantage": 65.0})
        if name == "periods_per_day":
            chosen.append({"periods_per_day": 0.3})
        if name == "newcomer_k":
            chosen.append({"newcomer_k": 60.0, "newcomer_events": 3, "period": "7d"})
        if name == "drift_per_day":
            weights = {"newcomer_weights": (0.4, 0.7)} if "newcomer_weights" in cls.declared() else {}
            chosen.append({"drift_per_day": 20.0, **weights})
        if name == "performance":
            chosen += [{"performance": p, "rho": rho, "ties": t} for p, rho, t in OTHER_PERFORMANCES]
        if name == "rho":
            chosen += [{"rho": 0.0}, {"rho": math.inf}]
        if name == "weight":
            chosen.append({"weight": 0.3})
        if name == "forgetting":
            chosen.append(
                {"forgetting": "stable", "form": "independent", "sigma": 250.0, "deviation": "information"}
            )
        if name == "draw_rate":
            chosen.append({"draw_rate": 0.4})
        if name == "temperature":
            chosen.append({"temperature": 1.3})
    return chosen


def default(cls: type[RatingSystem]) -> RatingSystem:
    """A system as it comes; with a coarse grid or few experts where the default would be too slow."""
    if cls.name == "auto":
        return cls(experts="few")
    return cls(points=61) if cls.name == "luck" and not COMPILED else cls()


def packed(cls: type[RatingSystem]) -> list[RatingSystem]:
    """Few variants that have every choice in one of them: each takes all that contradict nothing in it."""
    chosen: list[Choices] = []
    for choice in each_choice(cls):
        for others in chosen:
            if all(others.get(name, value) == value for name, value in choice.items()):
                try:
                    cls(**others, **{name: choice[name] for name in choice.keys() - others.keys()})
                except ParameterError:
                    continue
                others.update(choice)
                break
        else:
            chosen.append(dict(choice))
    return [cls(**choices) for choices in chosen]


CLASSES = list(list_systems().values())
DEFAULTS = [default(cls) for cls in CLASSES]
VARIANTS = [default(cls) for cls in CLASSES] + [system for cls in CLASSES for system in packed(cls)]
"""Each system as it comes, and in as few variants as have all choices in them."""
SINGLE_CHOICES = [cls(**choice) for cls in CLASSES for choice in each_choice(cls)]
"""Each system with one choice at a time."""


def label(system: RatingSystem) -> str:
    """A short name for a variant: what differs from the defaults."""
    defaults = type(system)().parameters()
    changed = [f"{name}={value}" for name, value in system.parameters().items() if value != defaults[name]]
    return f"{system.name}({', '.join(changed)})"
