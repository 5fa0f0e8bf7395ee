"""Section 5.3: what fewer opponents and a shorter memory cost, in accuracy, in time and in incentives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from podium import charts
from podium.arrays import Floats
from podium.charts import Axis
from podium.evaluation.order_accuracy import accuracy
from podium.simulation.populations import Population, synthetic_contests
from podium.systems.elo_mmr.beliefs import DRIFT_TRANSFER, drifted, folded, mode, room_for
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium_papers.cpu_time import cpu_timed
from podium_papers.elo_mmr.contest_data import remarked
from podium_papers.elo_mmr.momentum import perform
from podium_papers.elo_mmr.opponent_samples import WAYS, Course, Throws, better_places, follow
from podium_papers.elo_mmr.published import COMPATIBLE, NEGLIGIBLE, OLD_PERFORMANCES, SAME_OPPONENTS
from podium_papers.elo_mmr.table_3_speed import seconds
from podium_papers.items import Number, Result, Setting, seeds_named
from podium_papers.printed import held, signed

if TYPE_CHECKING:
    import altair as alt

PLAYERS, CONTESTS, OPPONENTS, TRIES = 1_500, 12, (20, 100, 500), 600
QUICK_PLAYERS, QUICK_OPPONENTS, QUICK_TRIES = 120, (10, 40), 60
"""Everybody plays in all contests. TRIES players finish higher in one contest, to see whether they end up
lower.
"""
EXACT = "all opponents"
LONG_HISTORY, KEPT_PERFORMANCES = 700, (500, 50, 10)
"""Contests of a player with a long history, and numbers of its performances that are kept."""


class Cost(NamedTuple):
    """What one way of choosing opponents costs."""

    way: str
    opponents: int
    off: float
    """RMS error of the last ratings in points, after removing the common shift."""
    farthest: float
    shift: float
    """Mean error of the last ratings, in points."""
    pairs: float
    ranks: float
    overtaken: float
    """Percent of pairs in which the one lower in the standings performed better (Theorem 5.2)."""
    ahead: float
    """The most by which such a player performed better, in points."""
    throws: Throws
    seconds: float
    """CPU seconds per contest."""


def fewer_opponents(setting: Setting) -> Result:
    """Compare ways to choose opponents, with several numbers of them; then limited memories."""
    players, opponents, tries = (
        (QUICK_PLAYERS, QUICK_OPPONENTS, QUICK_TRIES) if setting.quick else (PLAYERS, OPPONENTS, TRIES)
    )
    population = synthetic_contests(players, CONTESTS, players, seed=setting.seed)
    system = EloMMR()
    exact = _cost(system, population, EXACT, players - 1, setting.seed, tries, None)
    costs = [exact[0]]
    for way in WAYS:
        for number in opponents:
            costs.append(_cost(system, population, way, number, setting.seed, tries, exact[1])[0])
    frame = pl.DataFrame([_row(cost, tries) for cost in costs])
    memory = _memory_table(setting)
    source = seeds_named([setting.seed])
    return Result(
        _words(players, tries, memory),
        numbers=[
            *_numbers(costs, opponents[-1], tries, source, setting),
            _speed(population, costs, opponents[-1], source),
            *_memory_numbers(memory, setting),
        ],
        tables={
            f"Opponents chosen, in {CONTESTS} contests of {players:,}": frame,
            f"A memory of few performances, in {LONG_HISTORY} contests of one player": memory,
        },
        pictures={"subsampling": _picture(costs)},
    )


def _cost(
    system: EloMMR,
    population: Population,
    way: str,
    number: int,
    seed: int,
    tries: int,
    exact: Course | None,
) -> tuple[Cost, Course]:
    history = population.history
    players = len(history.players)
    order = np.argsort(history.player.reshape(-1, players), axis=1)
    ranks = np.take_along_axis(history.rank.reshape(-1, players), order, axis=1).astype(np.float64)
    course, spent = cpu_timed(follow, system, ranks, way, number, seed)
    before = np.vstack((np.full(players, system.mu), course.rating[:-1]))
    who = history.player.reshape(-1, players).astype(np.int64)
    found = accuracy(history, np.take_along_axis(before, who, axis=1).ravel(), first_event=len(ranks) // 2)
    in_order = accuracy(history, np.take_along_axis(course.performance, who, axis=1).ravel())
    off = course.rating[-1] - (course if exact is None else exact).rating[-1]
    shift = float(off.mean())
    cost = Cost(
        way,
        number,
        float(off.std()),
        float(np.abs(off - shift).max()),
        shift,
        found.pairs_right,
        found.rank_deviation,
        100.0 - in_order.pairs_right,
        _most_ahead(ranks, course.performance),
        better_places(system, course, ranks, way, number, seed, tries),
        spent / len(ranks),
    )
    return cost, course


def _most_ahead(ranks: Floats, performance: Floats) -> float:
    """The most by which somebody performed better than a player who finished before them."""
    shown = np.take_along_axis(performance, np.argsort(ranks, axis=1), axis=1)
    return float(max((shown - np.minimum.accumulate(shown, axis=1)).max(), 0.0))


def _row(cost: Cost, tries: int) -> dict[str, str | int | float]:
    return {
        "way": cost.way,
        "opponents": cost.opponents,
        "points off": round(cost.off, 2),
        "at most": round(cost.farthest, 1),
        "all of them": round(cost.shift, 1),
        "pairs right %": round(cost.pairs, 3),
        "rank deviation %": round(cost.ranks, 3),
        "overtaken %": round(cost.overtaken, 2),
        "by at most": round(cost.ahead, 1),
        f"gained by finishing lower, of {tries}": cost.throws.gained,
        "points gained at most": round(cost.throws.most, 3),
        "seconds a contest": round(cost.seconds, 4),
    }


def _numbers(costs: list[Cost], most: int, tries: int, source: str, setting: Setting) -> list[Number]:
    numbers = []
    exact = costs[0]
    for cost in costs:
        if cost.opponents not in (exact.opponents, most):
            continue
        label = cost.way if cost.way == EXACT else f"{cost.way}, {cost.opponents} opponents"
        if cost.way != EXACT:
            numbers.append(
                Number(
                    f"{label}: points off the exact ratings (deviation, most)",
                    f"{cost.off:.1f}, {cost.farthest:.1f}",
                    source,
                    *NEGLIGIBLE,
                    remarked(
                        setting,
                        f"pairs right {signed(round(cost.pairs - exact.pairs, 2) + 0.0, 2)} points",
                    ),
                )
            )
        numbers.append(
            Number(
                f"{label}: who gains by finishing lower in one contest, of {tries}; most",
                f"{cost.throws.gained}; {max(cost.throws.most, 0.0):.2f}",
                source,
                *(COMPATIBLE if cost.way == EXACT else SAME_OPPONENTS),
                remarked(setting, f"pairs overtaken (Theorem 5.2): {cost.overtaken:.2f}%"),
            )
        )
    return numbers


def _speed(population: Population, costs: list[Cost], most: int, source: str) -> Number:
    exact = seconds(population.history, EloMMR(), 3) / CONTESTS
    sampled = ", ".join(f"{cost.way} {cost.seconds:.3f}" for cost in costs if cost.opponents == most)
    return Number(
        "processor seconds a contest, all opponents (podium, compiled)",
        f"{exact:.4f}",
        source,
        remark=f"{most} opponents, summed one by one in NumPy: {sampled}",
    )


# ------------------------------------------------------------------ memory


def capped(system: EloMMR, performances: Floats, cap: int, way: str) -> Floats:
    """Ratings after each contest of a player of whom at most `cap` performances are remembered.

    The oldest performance becomes part of the normal factor: with `"matched"` by its own mean and variance,
    as section 5.3 recommends; with `"pull"` so that the rating stays, as podium does with performances too
    old to matter.
    """
    rules = system.rules()
    tau = rules.tau * system.beta
    p, w, scale = np.empty(0), np.empty(0), np.empty(0)
    mu, p0, w0 = system.mu, system.mu, system.sigma**-2
    variance, space, ratings = system.sigma**2, room_for(cap + 1), []
    for performance in performances.tolist():
        p0, w0, _ = drifted(
            variance, system.gamma**2, system.rho, DRIFT_TRANSFER, mu, p0, w0, 0, len(p), p, w, scale
        )
        p, w, scale = np.append(p, performance), np.append(w, system.beta**-2), np.append(scale, tau)
        variance = 1.0 / (1.0 / (variance + system.gamma**2) + system.beta**-2)
        mu = mode(mu, 0.0, p0, w0, 0, len(p), p, w, scale, rules.pull, space)
        if len(p) > cap:
            if way == "pull":
                pulled = rules.pull * w[0] * tau * float(np.tanh((mu - p[0]) / tau))
                p0, w0 = folded(mu, p0, w0, w[0], pulled)
            else:
                p0, w0 = (w0 * p0 + w[0] * p[0]) / (w0 + w[0]), w0 + w[0]
            p, w, scale = p[1:].copy(), w[1:].copy(), scale[1:].copy()
        ratings.append(mu)
    return np.array(ratings)


def _memory_table(setting: Setting) -> pl.DataFrame:
    chance = np.random.default_rng([setting.seed, 500])
    skill = 1500.0 + np.cumsum(35.0 * chance.standard_normal(LONG_HISTORY))
    shown = skill + 200.0 * chance.standard_t(3, LONG_HISTORY)
    systems = {
        "the default, ρ = 1": EloMMR(),
        "the default, ρ = 0": EloMMR(rho=0.0),
        "a contest weighs 0.005, ρ = 0": EloMMR.from_limits(20.0, 0.005, rho=0.0),
    }
    rows = []
    for name, system in systems.items():
        _, exact = perform(system, shown)
        for cap in KEPT_PERFORMANCES[1:] if setting.quick else KEPT_PERFORMANCES:
            off = {way: np.abs(capped(system, shown, cap, way) - exact).max() for way in ("matched", "pull")}
            rows.append(
                {
                    "system": name,
                    "performances kept": cap,
                    "points off at most, moments matched": float(f"{off['matched']:.2g}"),
                    "pull kept": float(f"{off['pull']:.2g}"),
                    "oldest weighs": f"{_oldest(system, cap):.0e}",
                }
            )
    return pl.DataFrame(rows)


def _oldest(system: EloMMR, cap: int) -> float:
    """Weight of the oldest performance that is kept, relative to a new one."""
    kappa = 1.0 - system.sigma_limit**2 / system.beta**2
    return float(kappa ** ((1.0 + system.rho) * cap))


def _most_lost(way: str, setting: Setting) -> float:
    """The most by which one better performance lowers a later rating, in random histories."""
    chance = np.random.default_rng([setting.seed, 501])
    worst = 0.0
    for _ in range(_histories(setting)):
        system = EloMMR(rho=chance.choice([0.0, 0.5, 1.0]))
        shown = 1500.0 + 600.0 * chance.standard_t(2, 12)
        better = shown.copy()
        better[chance.integers(0, 10)] += 300.0 * chance.exponential()
        worst = max(worst, float((capped(system, shown, 3, way) - capped(system, better, 3, way)).max()))
    return worst if worst > 1e-6 else 0.0


def _histories(setting: Setting) -> int:
    return 20 if setting.quick else 300


def _memory_numbers(memory: pl.DataFrame, setting: Setting) -> list[Number]:
    source, tried = seeds_named([setting.seed]), _histories(setting)
    return [
        Number(
            f"{row['system']}, {row['performances kept']} performances kept: points off at most",
            f"{row['points off at most, moments matched']:.2g}",
            source,
            *OLD_PERFORMANCES,
            f"the oldest has {row['oldest weighs']} of its weight left",
        )
        for row in memory.filter(pl.col("performances kept") == memory["performances kept"].max()).to_dicts()
    ] + [
        Number(
            f"3 performances kept, {words}: points a better result costs at most, of {tried} tries",
            f"{lost:.2g}",
            source,
            *COMPATIBLE,
            held(lost == 0.0),
        )
        for way, words in (("matched", "moments matched"), ("pull", "pull kept"))
        for lost in [_most_lost(way, setting)]
    ]


def _picture(costs: list[Cost]) -> alt.ChartType:
    rows: list[dict[str, Any]] = [
        {"way": cost.way, "opponents": cost.opponents, "panel": panel, "points": value}
        for cost in costs[1:]
        for panel, value in (
            ("(a) off the exact rating (deviation)", cost.off),
            ("(b) gained by finishing lower, at most", max(cost.throws.most, 0.0)),
        )
    ]
    nothing = [way for way in WAYS if not any(cost.throws.gained for cost in costs if cost.way == way)]
    return charts.curves(
        pl.DataFrame(rows),
        Axis("opponents", "opponents that are looked at", log=True, format="~f"),
        Axis("points", "points", domain=(0.0, 20.0 * math.ceil(max(row["points"] for row in rows) / 20.0))),
        colour="way",
        panel="panel",
        dots=True,
        title="What fewer opponents cost",
        subtitle=f"with all opponents both are 0; on 0 throughout (b): {', '.join(nothing) or 'none'}",
        legend_columns=4,
    )


def _words(players: int, tries: int, memory: pl.DataFrame) -> str:
    most = memory.filter(pl.col("performances kept") == memory["performances kept"].max())
    off = "; ".join(
        f"{row['points off at most, moments matched']:.2g} points for {row['system']}"
        for row in most.to_dicts()
    )
    return f"""
    podium looks at all opponents in linear time and has no use for sampling them, so the ways of section 5.3
    are built here on top of it: performances are the zeros of Q over the chosen opponents and oneself, and
    the second phase is podium's own. "random" draws opponents for each player, "same for all" once for
    everybody, "nearest" takes the nearest ratings, "buckets" all players of the nearest buckets of 25 points,
    each taken for the middle of its bucket. Everybody plays in all {CONTESTS} contests of {players:,}.

    Incentives are searched for violations: {tries} times a player finishes higher in one contest, everybody
    else's ratings and order stay as they were, and the later ratings are compared. With all opponents nobody
    may lose by that (Theorem 5.5). Where opponents are drawn without regard to ratings, for each or for all,
    the proof still holds, as Lemma 5.3 needs no more than that one's opponents do not depend on one's rating;
    so the paper's advice to choose the same for everybody is stricter than that theorem asks. What different
    opponents do break is Theorem 5.2, that who finishes higher has performed higher: see the pairs who are
    overtaken. (With the same for all these are pairs that no chosen opponent finished between.) Nearest
    opponents and buckets change with one's own rating, so a better result can bring worse opponents later,
    and neither theorem need hold.

    Points off are counted after what all ratings are off together, which changes no prediction.

    A memory of {most["performances kept"][0]} performances is off by at most {off}. Moments matched, as the
    paper recommends, every performance stays where it was and Theorem 5.5 holds. podium keeps the rating
    where it is when it forgets a performance, by keeping its pull; as the pull depends on the rating, that
    need not be monotone when much is forgotten. podium forgets below 1e-14 of the weight.
    """
