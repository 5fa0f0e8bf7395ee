"""What came of attacks: tables, verdicts, and a page of both with pictures."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from podium.history.core import Floats
from podium.lab.attacks.patterns import PatternSearch
from podium.lab.attacks.policies import PolicySearch
from podium.lab.attacks.running import AttackRun
from podium.lab.attacks.strategies import Strategy
from podium.lab.attacks.verdicts import FEWEST, LEVEL, Gains, points
from podium.systems.base import RatingSystem

if TYPE_CHECKING:
    import polars as pl

PATTERNS, POLICY = "patterns", "policy"
"""What searched attacks are called."""


class Run(NamedTuple):
    """A scripted attack: which system, which seed or player, and what came of it."""

    system: str
    case: str
    run: AttackRun


class Found(NamedTuple):
    """A searched attack, likewise."""

    system: str
    case: str
    search: PatternSearch | PolicySearch


@dataclass(frozen=True, eq=False)
class AttackReport:
    """Every system against every attack."""

    systems: Mapping[str, RatingSystem]
    refused: Mapping[str, str]
    """Systems that could not take part, and why."""
    strategies: tuple[Strategy, ...]
    runs: tuple[Run, ...]
    found: tuple[Found, ...]
    where: str
    """The world or the history, in words."""
    cases: str
    """What runs are of: seeds or players."""

    def called(self, strategy: Strategy) -> str:
        """What an attack is called here: by its name, or with parameters where others have the same."""
        several = sum(other.name == strategy.name for other in self.strategies) > 1
        return strategy.label if several else strategy.name

    def of(self, system: str, strategy: Strategy) -> list[AttackRun]:
        """The runs of one system and one attack, in order of the seeds."""
        return [one.run for one in self.runs if one.system == system and one.run.strategy == strategy]

    def gains(self, system: str, strategy: Strategy) -> Gains:
        """Displayed points above the honest rating in each run."""
        return Gains(np.array([run.gain for run in self.of(system, strategy)]), strategy.goal)

    def patterns(self, system: str) -> list[PatternSearch]:
        """Searches of all patterns, one a seed or player."""
        return [o.search for o in self.found if o.system == system and isinstance(o.search, PatternSearch)]

    def policy(self, system: str) -> PolicySearch | None:
        """The search for a policy, if there was one."""
        found = [o.search for o in self.found if o.system == system and isinstance(o.search, PolicySearch)]
        return found[0] if found else None

    @cached_property
    def summary(self) -> pl.DataFrame:
        """One row a system and attack: the gain with its interval and spread, and a verdict.

        system; attack; kind (scripted or searched); goal; runs; gain (displayed points above honest play, the
        mean), low, high (95%), spread (over runs), share (of runs in which it paid), pays (whether by more
        than chance; null where that is not shown); gain_mu; peak_gain (of the highest ratings ever),
        last_phase (points gained in it), lowest (most points below), events_above (with a higher rating than
        honest play), events_back (until nine tenths of the lowest are made good; the median), thrown,
        accounts; verdict.
        """
        import polars as pl

        rows = [self._scripted(system, strategy) for system in self.systems for strategy in self.strategies]
        for system in self.systems:
            rows += self._searched(system)
        kinds = dict.fromkeys(_TEXT, pl.String) | {"runs": pl.Int64, "pays": pl.Boolean}
        schema = {name: kinds.get(name, pl.Float64) for name in _COLUMNS}
        return pl.DataFrame(rows, schema=schema).fill_nan(None)

    def _scripted(self, system: str, strategy: Strategy) -> dict[str, Any]:
        runs, gains = self.of(system, strategy), self.gains(system, strategy)
        back = [run.events_back for run in runs]
        return {
            **_measured(system, self.called(strategy), "scripted", gains),
            "gain_mu": _mean([run.gain_mu for run in runs]),
            "peak_gain": _mean([run.peak_gain for run in runs]),
            "last_phase": _mean([run.last_phase_gain for run in runs]),
            "lowest": _mean([run.lowest for run in runs]),
            "events_above": _mean([float(run.events_above) for run in runs]),
            "events_back": math.nan if np.isnan(back).any() else float(np.median(back)),
            "thrown": _mean([float(run.thrown.sum()) for run in runs]),
            "accounts": float(strategy.accounts),
            "verdict": gains.verdict(self.cases),
        }

    def _searched(self, system: str) -> list[dict[str, Any]]:
        rows = []
        if patterns := self.patterns(system):
            gains = Gains(np.array([search.gain for search in patterns]))
            rows.append(
                {
                    **_measured(system, f"{PATTERNS} of {len(patterns[0].throwable)}", "searched", gains),
                    "thrown": _mean([float(search.best.sum()) for search in patterns]),
                    "verdict": _pattern_verdict(patterns, self.cases),
                }
            )
        if (policy := self.policy(system)) is not None:
            gains = Gains(policy.gains)
            thrown = _mean([float(run.thrown.sum()) for run in policy.runs])
            measured = _measured(system, POLICY, "searched", gains)
            rows.append({**measured, "thrown": thrown, "verdict": _policy_verdict(policy)})
        return rows

    @property
    def verdicts(self) -> dict[str, str]:
        """One paragraph a system: whether cheating for a higher rating pays, by what means."""
        return {system: " ".join(self._said(system)) for system in self.systems}

    def _said(self, system: str) -> list[str]:
        said = []
        wanted = [strategy for strategy in self.strategies if strategy.goal == "higher"]
        for means in dict.fromkeys(strategy.means for strategy in wanted):
            ways = [strategy for strategy in wanted if strategy.means == means]
            said.append(self._by(system, means, ways))
        if patterns := self.patterns(system):
            said.append(f"Searched: {_pattern_verdict(patterns, self.cases)}.")
        if (policy := self.policy(system)) is not None:
            said.append(f"The best policy found: {_policy_verdict(policy)}.")
        return said

    def _by(self, system: str, means: str, ways: Sequence[Strategy]) -> str:
        """Whether one of several attacks pays: with so many, each has to be surer."""
        level = 1.0 - (1.0 - LEVEL) / len(ways)
        found = {self.called(way): self.gains(system, way) for way in ways}
        best = max(found, key=lambda label: found[label].mean)
        verdicts = [gains.pays(level) for gains in found.values()]
        capital = means[0].upper() + means[1:]
        if any(verdicts):
            paying = [label for label, gains in found.items() if gains.pays(level)]
            top = max(paying, key=lambda label: found[label].mean)
            low, high = (points(end) for end in found[top].interval(level))
            runs = len(found[top].values)
            said = f"pays: {top} {points(found[top].mean)} points ({low} to {high} over {runs} {self.cases})"
            others = [label for label in paying if label != top]
            also = f"; so {'do' if len(others) > 1 else 'does'} {', '.join(others)}" if others else ""
            return f"{capital} {said}{also}."
        if all(verdict is False for verdict in verdicts):
            return f"{capital} does not pay: the best, {best}, is {points(found[best].mean)} points."
        runs = len(found[best].values)
        few = f" ({runs} of the {self.cases}: too few to tell from chance)" if runs < FEWEST else ""
        return f"{capital} is not shown to pay: the best, {best}, is {points(found[best].mean)} points{few}."

    @cached_property
    def curves(self) -> pl.DataFrame:
        """For pictures: both ratings by own event, the mean over runs and 80% of them, and how many threw.

        system, attack, number, phase, who (honest or cheating), mean, low, high, thrown (share of runs).
        """
        import polars as pl

        rows: list[dict[str, Any]] = []
        for system in self.systems:
            for strategy in self.strategies:
                rows += _curve_rows(system, self.called(strategy), self.of(system, strategy))
        return pl.DataFrame(rows, infer_schema_length=None)

    def write_report(self, path: str | os.PathLike[str], *, title: str = "Does cheating pay?") -> None:
        """Write it as one HTML page that loads nothing, whole or not at all."""
        from podium.lab.attacks.pages import write_page

        write_page(self, path, title)


_COLUMNS = ["system", "attack", "kind", "goal", "runs", "gain", "low", "high", "spread", "share", "pays"]
_COLUMNS += ["gain_mu", "peak_gain", "last_phase", "lowest", "events_above", "events_back"]
_COLUMNS += ["thrown", "accounts", "verdict"]
_TEXT = ("system", "attack", "kind", "goal", "verdict")


def _measured(system: str, attack: str, kind: str, gains: Gains) -> dict[str, Any]:
    low, high = gains.interval()
    return {
        "system": system,
        "attack": attack,
        "kind": kind,
        "goal": gains.goal,
        "runs": len(gains.values),
        "gain": gains.mean,
        "low": low,
        "high": high,
        "spread": gains.spread,
        "share": gains.share,
        "pays": gains.pays(),
    }


def _pattern_verdict(patterns: Sequence[PatternSearch], cases: str) -> str:
    """What trying all patterns showed."""
    events, tried = len(patterns[0].throwable), max(len(search.gains) for search in patterns)
    paying = [search for search in patterns if search.pays]
    if not paying:
        return f"none of up to {tried:,} patterns of {events} events pays, in any of {len(patterns)} {cases}"
    best = max(paying, key=lambda search: search.gain)
    return (
        f"a pattern of {events} events pays in {len(paying)} of {len(patterns)} {cases}, "
        f"by {points(_mean([search.gain for search in patterns]))} points on average and at most "
        f"{points(best.gain)} ({best.pattern})"
    )


def _policy_verdict(policy: PolicySearch) -> str:
    """What the best policy gains where it was not found; many systems have none that throws anything."""
    if not any(run.thrown.any() for run in policy.runs):
        return f"none of {policy.tried} tried that throws anything is better than honest play"
    return f"{Gains(policy.gains).verdict('seeds held out')}; where it was found {points(policy.trained)}"


def _curve_rows(system: str, attack: str, runs: Sequence[AttackRun]) -> list[dict[str, Any]]:
    phases = [phase.name for phase in runs[0].strategy.phases for _ in range(phase.events)]
    thrown = np.mean([run.thrown for run in runs], axis=0)
    rows = []
    for who, curve in (("honest", "honest"), ("cheating", "attacked")):
        display: Floats = np.array([getattr(run, curve).display for run in runs])
        for number, phase in enumerate(phases):
            here = display[:, number]
            if np.isnan(here).any():
                continue
            low, high = np.quantile(here, (0.1, 0.9)).tolist()
            rows.append(
                {
                    "system": system,
                    "attack": attack,
                    "number": number + 1,
                    "phase": phase,
                    "who": who,
                    "mean": float(here.mean()),
                    "low": low,
                    "high": high,
                    "thrown": float(thrown[number]) if who == "cheating" else 0.0,
                }
            )
    return rows


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan
