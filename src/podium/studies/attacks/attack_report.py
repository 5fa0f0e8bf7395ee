"""What came of attacks: tables, verdicts, and a page of both with pictures."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from podium.arrays import Floats
from podium.notebooks import frame_html, spans
from podium.studies.attacks.attack_run import AttackRun
from podium.studies.attacks.attack_verdicts import FEWEST_RUNS, HINDSIGHT, Gains, level_of, points
from podium.studies.attacks.defences import Defence
from podium.studies.attacks.patterns import FixedPattern, PatternSearch, fix_pattern
from podium.studies.attacks.policy_search import PolicySearch
from podium.studies.attacks.report_page import write_page
from podium.studies.attacks.strategy import Strategy
from podium.systems.contract.system import RatingSystem
from podium.text import brief_repr, shorten

if TYPE_CHECKING:
    import polars as pl

PATTERN_SEARCH, FIXED_PATTERN, POLICY_SEARCH = "patterns", "fixed pattern", "policy"
"""What searched attacks are called."""
NOTHING_FOUND = "nothing better than honest play was found"


class ScriptedAttack(NamedTuple):
    """A scripted attack: which system, which seed or player, and what came of it."""

    system: str
    case: str
    run: AttackRun


class SearchedAttack(NamedTuple):
    """A searched attack: which system, which seed or player, and what was found."""

    system: str
    case: str
    search: PatternSearch | PolicySearch


class Defended(NamedTuple):
    """A system under a rule of the organisers."""

    system: str
    """What the system alone is called."""
    defence: Defence


@dataclass(frozen=True, eq=False, repr=False)
class AttackReport:
    """Every system against every attack.

    Attributes:
        systems: The systems, alone and under each defence, by name.
        defended: Those of `systems` that are under a defence.
        refused: Systems that could not take part, each with the reason.
        strategies: The ways of cheating that were tried.
        runs: Each scripted attack with its gain.
        found: Each attack found by search with its gain.
        where: A description of the simulated world or the history.
        cases: The cases of the runs: seeds or players.
        named: The seeds or players, by name.

    >>> import podium
    >>> from podium.studies.attacks import Farming, SimulatedContests
    >>> world = SimulatedContests(20, 15)
    >>> report = podium.attack("elo-mmr", [Farming(6, 6, 3)], seeds=2, world=world, jobs=1)
    >>> report.cases, report.summary["system"].to_list()
    ('seeds', ['elo-mmr'])
    """

    __repr__ = brief_repr

    def _repr_html_(self) -> str:
        shown = self.summary.select("system", "attack", "runs", "gain", "pays", "verdict")
        gains = self.summary.select("low", "gain", "high").fill_null(math.nan)
        return frame_html(repr(self), shown, **{"gain, 95%": spans(gains.iter_rows())})

    systems: Mapping[str, RatingSystem]
    defended: Mapping[str, Defended]
    refused: Mapping[str, str]
    strategies: tuple[Strategy, ...]
    runs: tuple[ScriptedAttack, ...]
    found: tuple[SearchedAttack, ...]
    where: str
    cases: str
    named: tuple[str, ...]

    @property
    def over(self) -> str:
        """Which seeds or players, in words."""
        return name_cases(self.cases, self.named)

    @property
    def level(self) -> float:
        """How sure the interval of each attack is, so that those of one system hold together with 95%."""
        kinds = {
            POLICY_SEARCH if isinstance(one.search, PolicySearch) else FIXED_PATTERN for one in self.found
        }
        return level_of(len(self.strategies) + len(kinds))

    def called(self, strategy: Strategy) -> str:
        """The attack's name in tables, with parameters where others have the same name."""
        several = sum(other.name == strategy.name for other in self.strategies) > 1
        return strategy.label if several else strategy.name

    def of(self, system: str, strategy: Strategy) -> list[AttackRun]:
        """The runs of one system and one attack, in order of the seeds."""
        return [one.run for one in self.runs if one.system == system and one.run.strategy == strategy]

    def gains(self, system: str, strategy: Strategy) -> Gains:
        """Displayed points above the honest rating in each run in which a rating is displayed."""
        values = np.array([run.gain for run in self.of(system, strategy)])
        return Gains(values[~np.isnan(values)], strategy.goal, self.level)

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

        system; attack; kind (scripted, searched, or hindsight: searched with the luck known, and not tested);
        goal; runs (in which the cheat has a displayed rating); gain (displayed points above honest play, the
        mean), low, high, level (of that interval, so that all of a system hold together with 95%), spread
        (over runs), share (of runs in which it paid), pays (whether by more than chance; null where that is
        not shown); gain_mu; peak_gain (of the highest ratings ever), last_phase (points gained in it), lowest
        (most points below), events_above (with a higher rating than honest play), events_back (until nine
        tenths of the lowest are made good; the median), thrown, missed (events stayed away from, or left),
        accounts; found (what a search found: a pattern or a policy with its parameters; null where nothing is
        better than honest play); verdict.
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
        shown = [run for run in runs if not math.isnan(run.gain)]
        back = [run.events_back for run in shown]
        return {
            **_measured(system, self.called(strategy), "scripted", gains),
            "gain_mu": _mean([run.gain_mu for run in shown]),
            "peak_gain": _mean([run.peak_gain for run in shown]),
            "last_phase": _mean([run.last_phase_gain for run in shown]),
            "lowest": _mean([run.lowest for run in shown]),
            "events_above": _mean([float(run.events_above) for run in shown]),
            "events_back": float(np.median(back)) if back and not np.isnan(back).any() else math.nan,
            "thrown": _mean([float(run.thrown.sum()) for run in runs]),
            "missed": _mean([float(run.missed.sum()) for run in runs]),
            "accounts": float(strategy.accounts),
            "verdict": gains.verdict(self.cases),
        }

    def _searched(self, system: str) -> list[dict[str, Any]]:
        rows = []
        if patterns := self.patterns(system):
            gains = Gains(np.array([search.gain for search in patterns]))
            best = max(patterns, key=lambda search: search.gain)
            tested = {"low": math.nan, "high": math.nan, "level": math.nan, "pays": None}
            rows.append(
                {
                    **_measured(system, f"{PATTERN_SEARCH} of {len(best.throwable)}", HINDSIGHT, gains),
                    **tested,
                    "thrown": _mean([float(search.best.sum()) for search in patterns]),
                    "found": best.pattern if best.pays else None,
                    "verdict": _pattern_verdict(patterns, self.cases),
                }
            )
        if (fixed := fix_pattern(patterns)) is not None:
            row = _measured(
                system, FIXED_PATTERN, "searched", self._found_gains(fixed.gains, fixed.number > 0)
            )
            found = fixed.pattern if fixed.number else None
            rows.append({**row, "found": found, "verdict": self._fixed_verdict(fixed)})
        if (policy := self.policy(system)) is not None:
            thrown = _mean([float(run.thrown.sum()) for run in policy.runs])
            row = _measured(
                system, POLICY_SEARCH, "searched", self._found_gains(policy.gains, bool(policy.policy))
            )
            found = None if policy.policy is None else policy.policy.written
            rows.append({**row, "thrown": thrown, "found": found, "verdict": self._policy_verdict(policy)})
        return rows

    def _found_gains(self, gains: Floats, found: bool = True) -> Gains:
        """What a search is judged by; nothing where it found honest play."""
        return Gains(gains if found else np.zeros(0), level=self.level)

    def _fixed_verdict(self, fixed: FixedPattern) -> str:
        """What one pattern for all gains where it was not chosen."""
        chosen = name_cases(self.cases, self.named[: fixed.chosen_on])
        if not fixed.number:
            return f"{NOTHING_FOUND} on {chosen}"
        said = self._found_gains(fixed.gains).verdict(f"{self.cases} held out")
        return f"{said}; where it was chosen, {chosen}, {points(fixed.trained)}"

    def _policy_verdict(self, policy: PolicySearch) -> str:
        """What the best policy gains where it was not found."""
        chosen = name_cases("seeds", [str(seed) for seed in policy.seeds])
        if policy.policy is None:
            return f"{NOTHING_FOUND} among {policy.tried} policies on {chosen}"
        held_out = name_cases("seeds", [str(seed) for seed in policy.held_out])
        said = self._found_gains(policy.gains).verdict(f"seeds held out, {held_out.split(' ', 1)[1]}")
        return f"{said}; where it was found, {chosen}, {points(policy.trained)}"

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
            said.append(f"Had they known the luck: {_pattern_verdict(patterns, self.cases)}.")
        if (fixed := fix_pattern(patterns)) is not None:
            called = (
                f"The same pattern for all, {fixed.pattern}" if fixed.number else "The same pattern for all"
            )
            said.append(f"{called}: {self._fixed_verdict(fixed)}.")
        if (policy := self.policy(system)) is not None:
            called = (
                "A policy" if policy.policy is None else f"The best policy found, {policy.policy.written}"
            )
            said.append(f"{called}: {self._policy_verdict(policy)}.")
        return said

    def _by(self, system: str, means: str, ways: Sequence[Strategy]) -> str:
        """Whether one of several attacks pays, by the same intervals as in the table."""
        capital = means[0].upper() + means[1:]
        found = {self.called(way): gains for way in ways if len((gains := self.gains(system, way)).values)}
        if not found:
            return f"{capital} is not shown to pay: the leaderboard displays no rating."
        best = max(found, key=lambda label: found[label].mean)
        verdicts = [gains.pays for gains in found.values()]
        if any(verdicts):
            paying = [label for label, gains in found.items() if gains.pays]
            top = max(paying, key=lambda label: found[label].mean)
            runs, ends = len(found[top].values), found[top].ends
            said = f"pays: {top} {points(found[top].mean)} points ({ends} over {runs} {self.cases})"
            others = [label for label in paying if label != top]
            also = f"; so {'do' if len(others) > 1 else 'does'} {', '.join(others)}" if others else ""
            return f"{capital} {said}{also}."
        if all(verdict is False for verdict in verdicts):
            return f"{capital} does not pay: the best, {best}, is {points(found[best].mean)} points."
        runs = len(found[best].values)
        few = f" ({runs} of the {self.cases}: too few to tell from chance)" if runs < FEWEST_RUNS else ""
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
        write_page(self, path, title)


_COLUMNS = ["system", "attack", "kind", "goal", "runs", "gain", "low", "high", "level"]
_COLUMNS += [
    "spread",
    "share",
    "pays",
    "gain_mu",
    "peak_gain",
    "last_phase",
    "lowest",
    "events_above",
    "events_back",
]
_COLUMNS += ["thrown", "missed", "accounts", "found", "verdict"]
_TEXT = ("system", "attack", "kind", "goal", "found", "verdict")
PLAYERS_NAMED = 8
"""So many players are named in a line."""


def _measured(system: str, attack: str, kind: str, gains: Gains) -> dict[str, Any]:
    runs, (low, high) = len(gains.values), gains.interval
    return {
        "system": system,
        "attack": attack,
        "kind": kind,
        "goal": gains.goal,
        "runs": runs,
        "gain": gains.mean,
        "low": low,
        "high": high,
        "level": gains.level,
        "spread": gains.spread,
        "share": gains.share if runs else math.nan,
        "pays": gains.pays if runs else None,
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


def name_cases(what: str, names: Sequence[str]) -> str:
    """Seeds or players in words; many players are shortened, seeds that follow each other said by their ends.

    >>> name_cases("seeds", ["0", "1", "2"]), name_cases("seeds", ["7"]), name_cases("players", ["ann", "al"])
    ('seeds 0 to 2', 'seed 7', 'players ann, al')
    """
    if len(names) == 1:
        return f"{what[:-1]} {shorten(names[0])}"
    if what == "seeds" and all(int(b) == int(a) + 1 for a, b in pairwise(names)):
        return f"seeds {names[0]} to {names[-1]}"
    more = f" and {len(names) - PLAYERS_NAMED} more" if len(names) > PLAYERS_NAMED else ""
    return f"{what} {', '.join(shorten(name) for name in names[:PLAYERS_NAMED])}{more}"


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
