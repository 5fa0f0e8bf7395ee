"""Section 6.2: four ways to add noise, and each of their properties measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium import charts
from podium.arrays import Floats
from podium.charts import Axis
from podium.systems.elo_mmr.elo_r import EloR
from podium_papers.elo_r import published
from podium_papers.elo_r.guarantees import worst_loss
from podium_papers.elo_r.sustained_deviation import HIGH, LOW, responses
from podium_papers.elo_r.told_beliefs import METHODS, Belief, Method, settled
from podium_papers.items import Number, Result, Setting, seeds_named, spread_of

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

PROPERTIES = (
    "human-interpretable formulas",
    "rating is a Markov state",
    "monotonic in past performances",
    "noising preserves MAP skill",
    "saved history length",
    "persistent outlier deweighting",
    "consistent change accelerates",
)
NO_DIFFERENCE_POINTS = 1e-6
"""Smaller differences, in points, count as none."""
TOLERATED_POINTS = 1.0
"""Points by which a rating may be off if a shorter history is kept."""
CONTESTS_AFTER_OUTLIER = 30
"""Contests after an outlier over which its weight is followed."""
AGREES = "agrees"
MAX_KEPT_PERFORMANCES = 60
"""Upper end of the search for the number of performances that must be kept."""


@dataclass(frozen=True)
class Measures:
    """The measurements of one method."""

    next_step: tuple[float, float]
    """Change by one more 3000 after six of them, and of somebody who was always at that rating."""
    worst: float
    """The most by which a rating fell in the search as a past performance rose; 0 if it never did."""
    falls: float
    """Share of random histories in which it fell."""
    moved: tuple[float, float]
    """How far noise alone moves the rating, after one 3000 and after six."""
    length: tuple[int, ...]
    """Number of past performances that have to be kept, for each seed."""
    fresh: float
    """Weight of an outlier in its own contest, relative to a usual performance."""
    later: float
    """The same after 30 more contests at 1000."""
    joined: float
    """The same after 30 more contests at 3000, when it is no longer an outlier."""
    acceleration: float
    """The largest step of the response, relative to the first."""
    arrived: int
    """Matches until 90% of the way to 3000."""


Found = dict[Method, Measures]


def measure(method: Method, seeds: range, trials: int) -> Measures:
    """Measure all properties of a method."""
    six = settled(method)
    six.perform(*[HIGH] * 6)
    steady = settled(method, level=six.mu)
    after, always = (_step(belief) for belief in (six.copy(), steady))
    one = settled(method)
    one.perform(HIGH)
    alone, among = (weights_by_age(method, level) for level in (LOW, HIGH))
    path = responses()[method]
    steps = np.diff(path)
    worst, falls = worst_loss(EloR(noise=method), trials, seeds[0])
    away = np.flatnonzero(path >= LOW + 0.9 * (HIGH - LOW))
    return Measures(
        next_step=(after, always),
        worst=worst,
        falls=falls,
        moved=(_moved(one), _moved(six)),
        length=tuple(_length(method, seed) for seed in seeds),
        fresh=float(alone[0]),
        later=float(alone[-1]),
        joined=float(among[-1]),
        acceleration=float(steps.max() / steps[0]),
        arrived=int(away[0]) if len(away) else 0,
    )


def _step(belief: Belief) -> float:
    before = belief.mu
    belief.perform(HIGH)
    return belief.mu - before


def _moved(belief: Belief) -> float:
    """How far the mode moves when noise is added and nobody plays."""
    later = belief.copy()
    later.noise()
    return later.mode() - belief.mu


def weights_by_age(method: Method, level: float) -> Floats:
    """Weight of one 3000 after many 1000s, in its own contest and in each later one at the given level.

    Weights are relative to a performance of the same age that was never an outlier. A normal belief keeps no
    performances: there the weight stays what it was when the belief was made.
    """
    belief = settled(method)
    belief.perform(HIGH)
    system = belief.system
    kept = _kept(system)
    weights = np.full(CONTESTS_AFTER_OUTLIER + 1, float(belief.weights[-1]) * system.beta**2)
    for age in range(1, CONTESTS_AFTER_OUTLIER + 1 if method != "normal" else 1):
        belief.perform(level)
        weights[age] = float(belief.weights[-1 - age]) * system.beta**2 / kept**age
    return weights


def _kept(system: EloR) -> float:
    """Share of the weight of past contests that one more contest leaves, once σ is at its limit."""
    return system.sigma_limit**2 / (system.sigma_limit**2 + system.contest_drift)


def _length(method: Method, seed: int) -> int:
    """Number of past performances that must be kept so that no rating is off by a point.

    For 150 performances as in the model, scattered around 1500 by a logistic distribution of scale γ/2.
    """
    system = EloR(noise=method)
    told = 1500.0 + np.random.default_rng(seed).logistic(0.0, system.beta / 2.0, 150)
    whole = _path(Belief(system), told)
    low, high = -1, MAX_KEPT_PERFORMANCES  # too few, enough
    while high - low > 1:
        middle = (low + high) // 2
        if np.abs(_path(Belief(system, most=middle), told) - whole).max() <= TOLERATED_POINTS:
            high = middle
        else:
            low = middle
    return high


def _path(belief: Belief, told: Floats) -> Floats:
    ratings = np.empty(len(told))
    for k, performance in enumerate(told):
        belief.perform(performance)
        ratings[k] = belief.mu
    return ratings


# ---------------------------------------------------------------------- beside the paper


def noising(setting: Setting) -> Result:
    """Compute the paper's four lists as a table of words and numbers."""
    seeds = setting.seeds(1 if setting.quick else 10)
    found = {method: measure(method, seeds, 100 if setting.quick else 20_000) for method in METHODS}
    numbers = [_number(method, k, found, seeds) for k in range(1, len(PROPERTIES)) for method in METHODS]
    fancy = found["fancy"]
    lengths = {method: float(np.mean(one.length)) for method, one in found.items()}
    return Result(
        f"""
        The paper gives each method a word and a face for seven properties. Six of them can be measured, and
        were; that formulas are human-interpretable is left as it is said.

        Markov: two players of the same rating and σ, one after six performances of 3000 on top of many of
        1000, one who always performed at that rating; both perform at 3000 next. If rating and σ were all
        that counts, both would gain the same. Monotonic: random histories of five contests in which one past
        performance is raised, and the worst of them made worse by small changes; the fancy method lowers the
        rating in {100 * fancy.falls:.0f}% of them. MAP: how far the rating moves by noise
        alone, with no contest. History: past performances that have to stay logistic so that no rating of
        150 contests is off by more than a point, where older ones join the normal factor as in Algorithm 4.
        Outlier: what a single 3000 among performances of 1000 weighs, in parts of a usual performance of the
        same age: at once, after 30 more at 1000, and after 30 more at 3000, when it has turned out to be
        right. Acceleration: the largest step of the response of section 6.3 in parts of the first.

        {_disagreements(numbers)} In the response of section 6.3 the largest step is
        {found["all"].acceleration:.1f} times the first with noise on all τ, and {fancy.acceleration:.1f}
        times with the fancy method, where the paper has "somewhat" for the one and "yes" for the other. A
        "high" history, of noise on the leading τ, is {lengths["leading"] / lengths["all"]:.1f} times as long
        as the "low" one of noise on all τ. A "full weight restored" takes as long as it takes to forget:
        after {CONTESTS_AFTER_OUTLIER} contests an outlier counts {found["all"].later:.0%} of a usual
        performance of its age, which by then counts {_kept(EloR()) ** CONTESTS_AFTER_OUTLIER:.1%} of what
        it did.
        """,
        numbers=numbers,
        tables={"What the paper says and what was measured": _table(found)},
        pictures={"noising": _picture()},
    )


def _disagreements(numbers: Sequence[Number]) -> str:
    against = [number.what for number in numbers if number.remark != AGREES]
    if not against:
        return f"All {len(numbers)} words of the paper agree with what was measured."
    return f"Words that do not agree with what was measured, of {len(numbers)}: {'; '.join(against)}."


def _number(method: Method, which: int, found: Found, seeds: range) -> Number:
    said = published.NOISING[method][which]
    written, agrees = _RULES[which](found, method)
    return Number(
        f"{PROPERTIES[which]}: {method}",
        written,
        {2: seeds_named(seeds[:1]), 4: seeds_named(seeds)}.get(which, "exact"),
        published=said,
        place=published.PLACES[method],
        remark=AGREES if agrees else "does not agree",
    )


Rule = Callable[[Found, Method], tuple[str, bool]]
"""The measurement in words, and whether it is what the paper says."""


def _markov(found: Found, method: Method) -> tuple[str, bool]:
    after, steady = found[method].next_step
    same = abs(after - steady) < NO_DIFFERENCE_POINTS
    return f"gains {after:.1f} and {steady:.1f}", same == _says_yes(method, 1)


def _monotonic(found: Found, method: Method) -> tuple[str, bool]:
    worst = found[method].worst
    written = "never falls" if worst == 0.0 else f"falls by up to {worst:.1f}"
    return written, (worst == 0.0) == _says_yes(method, 2)


def _preserves(found: Found, method: Method) -> tuple[str, bool]:
    one, six = found[method].moved
    stays = max(abs(one), abs(six)) < NO_DIFFERENCE_POINTS
    return "moves by 0" if stays else f"moves by {one:.1f} and {six:.1f}", stays == _says_yes(method, 3)


def _history(found: Found, method: Method) -> tuple[str, bool]:
    lengths = {name: float(np.mean(one.length)) for name, one in found.items()}
    middle = (max(lengths["all"], lengths["fancy"]) + lengths["leading"]) / 2.0
    said = published.NOISING[method][4]
    is_so = {"zero": lengths[method] == 0.0, "low": 0.0 < lengths[method] < middle}
    return f"{spread_of(found[method].length, 0)} performances", is_so.get(said, lengths[method] > middle)


def _outlier(found: Found, method: Method) -> tuple[str, bool]:
    one = found[method]
    written = f"{one.fresh:.2f}, later {one.later:.2f}, if right {one.joined:.2f}"
    stays, comes_back = one.later < 2.0 * one.fresh, one.joined > 0.99
    is_so = {
        "immediate freeze-in": stays and one.joined < 2.0 * one.fresh,
        "no freeze-in": stays and comes_back,
        "full weight restored": one.later > 0.8 and comes_back,
        "gradual freeze-in": stays and 2.0 * one.fresh < one.joined < 0.99,
    }
    return written, is_so[published.NOISING[method][5]]


def _accelerates(found: Found, method: Method) -> tuple[str, bool]:
    one = found[method]
    written = f"{one.acceleration:.1f} times; " + (
        f"90% of the way after {one.arrived} matches" if one.arrived else "not there in 30 matches"
    )
    said = {name: published.NOISING[name][6] for name in METHODS}
    least = min(found[name].acceleration for name in METHODS if said[name] == "yes")
    is_so = {"yes": one.acceleration > 1.01, "somewhat": 1.01 < one.acceleration < least}
    return written, is_so.get(said[method], one.acceleration < 1.01)


_RULES: dict[int, Rule] = {
    1: _markov,
    2: _monotonic,
    3: _preserves,
    4: _history,
    5: _outlier,
    6: _accelerates,
}


def _says_yes(method: Method, which: int) -> bool:
    return published.NOISING[method][which] == "yes"


def _table(found: Found) -> pl.DataFrame:
    import polars as pl

    columns: dict[str, list[str]] = {"property": []}
    for which, name in enumerate(PROPERTIES):
        columns["property"] += [name, ""]
        for method in METHODS:
            measured = _RULES[which](found, method)[0] if which in _RULES else "not measured"
            columns.setdefault(method, []).extend([published.NOISING[method][which], measured])
    return pl.DataFrame(columns)


def _picture() -> alt.ChartType:
    """Draw the weight of an outlier over time, relative to a usual performance of the same age."""
    import polars as pl

    parts = []
    for level, panel in ((LOW, "then 1000 again"), (HIGH, "then 3000 every time")):
        for method in METHODS:
            weights = weights_by_age(method, level)
            columns = {
                "panel": panel,
                "method": method,
                "age": np.arange(CONTESTS_AFTER_OUTLIER + 1),
                "weight": weights,
            }
            parts.append(pl.DataFrame(columns))
    return charts.curves(
        pl.concat(parts),
        Axis("age", "contests since the outlier", format="d"),
        Axis("weight", "weight (1: a usual performance of its age)", domain=(0.0, 1.05)),
        colour="method",
        panel="panel",
        legend_columns=4,
        title="What becomes of an outlier's weight",
        subtitle="a single 3000 after many performances of 1000",
    )
