"""Lists of experts: the systems, with their parameters, that `auto` rates side by side.

A list goes by a name, under which it is saved, compared and given on the command line. The built-in ones were
chosen on the first parts of seven sets of real results (docs/auto.md).

>>> from podium import Auto, Elo, Glicko
>>> mine = ExpertList("mine", [Elo(k=20), Glicko(), "trueskill"])
>>> [expert.label for expert in mine.experts]
['elo k=20', 'glicko', 'trueskill']
>>> Auto(experts=mine).experts.name
'mine'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from podium.arrays import NO_TIME, Bools
from podium.errors import ParameterError
from podium.named import Named, build_in
from podium.parameters import plain
from podium.presets import PRESETS
from podium.systems import RatingSystem, make_system
from podium.systems.auto.public_ratings import POINTS
from podium.systems.contract.capabilities import KNOWN_BEFORE, TWO

Given = RatingSystem | str | tuple[str, Mapping[str, float | str]]
"""An expert: a system, the name of one, or a name with parameters."""

ASLEEP_IN_TEAMS = frozenset({"elo-mmr", "elo-r"})
"""Experts that sleep in events with teams: the lists were chosen when these could not rate them."""


@dataclass(frozen=True)
class OnlyContests:
    """An expert that sleeps in events of two sides: for systems that say little of matches, or slowly."""

    given: Given


REFERENCE_CERTAINTY = 3.0
"""The reference player's deviation is the newcomer's divided by this: that of somebody who has played."""
ALL_BUT_CERTAIN = 1e3
"""By which that deviation is divided once more for somebody of whom all is known."""
NARROWEST = 0.25
"""The least part of a gap that is left between such players; some systems have no noise but deviations."""
EVEN_ENOUGH = 0.6
"""A chance at which odds are compared to find how many points of an expert are one public point."""


@dataclass(frozen=True)
class Reference:
    """The player whom public ratings are about, as an expert sees it."""

    mu: float
    sigma: float | None
    points: float
    """Public points for each of the expert's, between players about as strong and certain as this one."""
    log_odds: float
    """Log odds for each of the expert's points, between players about as strong of whom all is known."""

    @classmethod
    def of(cls, system: RatingSystem) -> Reference:
        """The reference player: where newcomers start before anything is learned, and better known."""
        mu, sigma = system.view(system.new_state(1), np.zeros(1, np.int64), NO_TIME)
        certain = None if sigma is None else float(sigma[0]) / REFERENCE_CERTAINTY
        known = None if certain is None else certain / ALL_BUT_CERTAIN
        gap, narrow = (
            float(mu[0]) - float(system.opponent_rating(EVEN_ENOUGH, mu[0], one, one))
            for one in (certain, known)
        )
        odds = float(np.log(EVEN_ENOUGH / (1.0 - EVEN_ENOUGH)))
        return cls(float(mu[0]), certain, POINTS * odds / gap, odds / max(narrow, NARROWEST * gap))


@dataclass(frozen=True)
class Expert:
    """One of the systems that `auto` rates by."""

    system: RatingSystem
    reference: Reference
    unusable: frozenset[str]
    """Kinds of `event_evidence` that put it to sleep."""

    @property
    def label(self) -> str:
        """Its name, and the parameters that are not the default."""
        defaults = {name: declared.default for name, declared in self.system.declared().items()}
        changed = [
            f"{name}={value:g}" if isinstance(value, float) else f"{name}={plain(value)}"
            for name, value in self.system.parameters().items()
            if value != defaults[name]
        ]
        return " ".join([self.system.name, *changed])


class ExpertList(Named, kind="list of experts"):
    """Experts of `auto` under a name.

    Whether an expert's own predictions are calibrated does not matter: `auto` takes each one both ways.
    ``ExpertList.register(list)`` lets files and the command line find it.

    Args:
        name: The name.
        systems: Systems or names.

    >>> import podium
    >>> experts = podium.ExpertList("two", [podium.Elo(), podium.Glicko2()])
    >>> podium.Ladder(podium.Auto(experts=experts)).system.experts.name
    'two'
    """

    def __init__(self, name: str, systems: Sequence[Given | OnlyContests]) -> None:
        self.name, self.given = name, tuple(systems)
        if not self.given:
            raise ParameterError(f"the list {name!r} has no experts", hint="give it at least one system")

    @cached_property
    def experts(self) -> tuple[Expert, ...]:
        """The experts, in their order."""
        found = tuple(_expert(given) for given in self.given)
        if any(expert.system.name == "auto" for expert in found):
            raise ParameterError(f"auto cannot be an expert of auto, as in the list {self.name!r}")
        return found

    @cached_property
    def asleep(self) -> Mapping[str, Bools]:
        """By kind of `event_evidence`, the experts that cannot rate events with it."""
        kinds = frozenset().union(*(expert.unusable for expert in self.experts))
        return {kind: np.array([kind in expert.unusable for expert in self.experts]) for kind in kinds}

    def can(self, evidence: Mapping[str, Bools], events: int) -> tuple[Bools, Bools]:
        """For each expert and event, whether the one can rate the other, and whether it can predict it.

        A prediction must not know the result, nor what only comes with it: ties, shares of a point, scores.
        """
        rate = np.ones((len(self), events), np.bool_)
        predict = rate.copy()
        for kind in self.asleep.keys() & evidence.keys():
            unusable = self.asleep[kind][:, None] & evidence[kind]
            rate[unusable] = False
            if kind in KNOWN_BEFORE:
                predict[unusable] = False
        return rate, predict

    def __len__(self) -> int:
        return len(self.given)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


def _expert(given: Given | OnlyContests) -> Expert:
    asleep = frozenset[str]()
    if isinstance(given, OnlyContests):
        asleep, given = frozenset({TWO}), given.given
    system = replace(_system(given), calibration="off")
    if system.name in ASLEEP_IN_TEAMS:
        asleep |= {"teams"}
    return Expert(system, Reference.of(system), system.unusable_evidence | asleep)


def _system(given: Given) -> RatingSystem:
    if isinstance(given, RatingSystem):
        return given
    name, parameters = (given, {}) if isinstance(given, str) else given
    return make_system(name, **parameters)


_ADAPTIVE: dict[str, float | str] = {"newcomer_start": "adaptive"}
_ON_USUAL_SCALE: dict[str, float | str] = {"mu": 1500.0, "beta": 250.0}

STANDARD = ExpertList(
    "standard",
    [
        ("elo", {"k": 20.0, **_ADAPTIVE}),
        ("elo", {"k": 80.0, **_ADAPTIVE}),
        ("glicko", {"sigma": 120.0, "c": 4.0, **_ADAPTIVE}),
        ("glicko", {"sigma": 200.0, "c": 15.0, **_ADAPTIVE}),
        ("glicko", {"sigma": 350.0, "c": 50.0, **_ADAPTIVE}),
        ("glicko", {"sigma": 200.0, "c": 15.0, "team": "sum"}),
        (PRESETS["matches"].system, PRESETS["matches"].parameters),
        ("glicko2", {"sigma": 350.0, **_ADAPTIVE}),
        ("glicko2", {"sigma": 200.0, "volatility": 0.15, **_ADAPTIVE}),
        ("glicko2", {"sigma": 200.0, "margin": 2.0, **_ADAPTIVE}),
        ("glicko2", {"sigma": 200.0, "margin": 6.0, **_ADAPTIVE}),
        (PRESETS["teams"].system, PRESETS["teams"].parameters),
        ("weng-lin", {"sigma": 500.0, "tau": 50.0, **_ON_USUAL_SCALE}),
        ("weng-lin", {"sigma": 1000.0, "tau": 50.0, **_ON_USUAL_SCALE}),
        ("trueskill", {"sigma": 500.0, "tau": 15.0, **_ON_USUAL_SCALE}),
        ("trueskill", {"sigma": 250.0, "tau": 15.0, **_ON_USUAL_SCALE}),
        (PRESETS["contests"].system, PRESETS["contests"].parameters),
        OnlyContests((PRESETS["races"].system, PRESETS["races"].parameters)),
        OnlyContests(("elo-mmr", {**PRESETS["contests"].parameters, "sigma": 700.0})),
        OnlyContests(("elo-mmx", PRESETS["contests"].parameters)),
    ],
)
"""The default: what does well at matches, in teams and in contests, with short memories and long ones."""

FEW = ExpertList(
    "few",
    [
        ("elo", {"k": 24.0}),
        ("glicko", {"sigma": 200.0, "c": 15.0}),
        ("weng-lin", {"sigma": 500.0, "tau": 15.0, **_ON_USUAL_SCALE}),
        ("elo-mmr", {}),
    ],
)
"""Four that differ much: a fifth of the work."""

build_in(ExpertList, STANDARD, FEW)
