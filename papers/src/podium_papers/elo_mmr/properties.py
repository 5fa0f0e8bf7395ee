"""Sections 1 and 5: massive, monotonic, robust; which system is which, as measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from podium import charts
from podium.arrays import NO_TIME, Floats
from podium.charts import Axis
from podium.history import History, Names
from podium.systems import RatingSystem
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium.systems.glicko.glicko import Glicko2
from podium_papers.elo_mmr.contest_data import remarked
from podium_papers.elo_mmr.published import (
    BELIEVED,
    BOUNDED,
    FAILS_ROBUSTNESS,
    LACKS_ROBUSTNESS,
    LINEAR,
    NO_INCENTIVE,
    ONLY_COMPATIBLE,
    ONLY_ROBUST,
    VIOLATED,
)
from podium_papers.elo_mmr.table_3_speed import DEFAULTS, QUICK_SIZES, SIZES, seconds_by_size, slopes
from podium_papers.items import Number, Result, Setting, seeds_named
from podium_papers.printed import Printed, held

if TYPE_CHECKING:
    import altair as alt

SYSTEMS: dict[str, RatingSystem] = {
    "Codeforces": DEFAULTS["Codeforces"],
    "Topcoder": DEFAULTS["Topcoder"],
    "TrueSkill": DEFAULTS["TrueSkill"],
    "Glicko-2": Glicko2(),
    "Elo-MMχ": DEFAULTS["Elo-MMχ"],
    "Elo-MMR(1)": EloMMR(),
    "Elo-MMR(0)": EloMMR(rho=0.0),
}
TIMED = {"Elo-MMR(1)": "Elo-MMR(ρ)"}
"""What a system is called where its time is measured."""


class Claimed(NamedTuple):
    """What the paper says about a property of a system."""

    printed: Printed
    holds: bool
    """Whether this means that the system has the property."""


CLAIMED: dict[str, tuple[Claimed | None, Claimed | None, Claimed | None]] = {
    "Codeforces": (
        Claimed(ONLY_COMPATIBLE, False),
        Claimed(ONLY_COMPATIBLE, True),
        Claimed(ONLY_COMPATIBLE, False),
    ),
    "Topcoder": (Claimed(ONLY_ROBUST, False), Claimed(ONLY_ROBUST, False), Claimed(ONLY_ROBUST, True)),
    "TrueSkill": (Claimed(BELIEVED, True), Claimed(BELIEVED, True), Claimed(FAILS_ROBUSTNESS, False)),
    "Glicko-2": (None, Claimed(VIOLATED, False), None),
    "Elo-MMχ": (Claimed(LINEAR, True), Claimed(NO_INCENTIVE, True), Claimed(LACKS_ROBUSTNESS, False)),
    "Elo-MMR(1)": (Claimed(LINEAR, True), Claimed(NO_INCENTIVE, True), Claimed(BOUNDED, True)),
    "Elo-MMR(0)": (None, Claimed(NO_INCENTIVE, True), None),
}
"""Massive, monotonic and robust. What the paper says about ρ = 0 and robustness concerns volatile players:
see momentum.
"""
FIELD_SIZE = 30
"""Number of opponents in the search; their ratings are fixed."""
CONTESTS = 12
"""Number of contests of each account in the search."""
TRIES, QUICK_TRIES = 5_000, 200
MATCHES = ("Glicko-2",)
"""Systems searched with one opponent at a time, because the paper's claims about them concern matches."""
SETTLING_CONTESTS = 40
"""Contests of the player before the great upset."""
DISTANCES = (100.0, 300.0, 1_000.0, 3_000.0, 10_000.0, 100_000.0)
LINEAR_POWER = 1.3
"""Growth with a smaller power is called linear; work other than the sums takes its share of the time."""


class Found(NamedTuple):
    """What was measured for one system."""

    changes: Floats
    """Gain by beating a field once, by the field's distance."""
    violations: int
    most: float
    """The most points gained by finishing lower."""
    later: int
    """Number of violations that appear only after further contests."""


def which_is_which(setting: Setting) -> Result:
    """Measure each property of each system, next to the paper's claims."""
    tries = QUICK_TRIES if setting.quick else TRIES
    grows = slopes(seconds_by_size(setting.seed, QUICK_SIZES if setting.quick else SIZES))
    found = {
        name: Found(upset(system), *search(system, tries, setting.seed, 1 if name in MATCHES else FIELD_SIZE))
        for name, system in SYSTEMS.items()
    }
    numbers, rows = [], []
    for name, one in found.items():
        numbers += _numbers(name, one, grows.get(TIMED.get(name, name)), tries, setting)
        rows += [(name, distance, change) for distance, change in zip(DISTANCES, one.changes, strict=True)]
    frame = pl.DataFrame(rows, schema=["system", "distance", "change"], orient="row")
    table = frame.with_columns(pl.col("change").round(1), pl.col("distance").cast(pl.Int64)).pivot(
        "system", index="distance", values="change"
    )
    return Result(
        _words(tries),
        numbers=numbers,
        tables={"Points gained by winning once against a field so many points stronger": table},
        pictures={"properties": _picture(frame)},
    )


def upset(system: RatingSystem) -> Floats:
    """Gain of a settled player who wins once, against stronger and stronger fields."""
    changes = []
    for distance in DISTANCES:
        ranks = np.tile(np.arange(1.0, FIELD_SIZE + 2.0)[:, None], SETTLING_CONTESTS + 1).T
        ranks[:, 0] = FIELD_SIZE / 2 + 1.5  # in the middle, again and again
        ranks[-1, 0] = 0.5
        field = np.tile(np.linspace(1300.0, 1700.0, FIELD_SIZE)[::-1], (SETTLING_CONTESTS + 1, 1))
        field[-1] += distance
        ratings = _play(system, ranks[None], field)[0]
        changes.append(ratings[-1] - ratings[-2])
    return np.array(changes)


def search(system: RatingSystem, tries: int, seed: int, size: int = FIELD_SIZE) -> tuple[int, float, int]:
    """How often a better place in one contest lowers a rating then or later, and by how much at most."""
    chance = np.random.default_rng([seed, 52])
    field = 1500.0 + 300.0 * chance.standard_normal((CONTESTS, size))
    skill = 1500.0 + 400.0 * chance.standard_normal(tries)
    shown = skill[:, None] + 350.0 * chance.standard_normal((tries, CONTESTS))
    opponents = field + 200.0 * chance.standard_normal(field.shape)
    own = (opponents > shown[..., None]).sum(axis=2) + 0.5  # between two of them: no ties
    better = own.copy()
    when = chance.integers(0, CONTESTS, tries)
    which = np.arange(tries)
    better[which, when] = np.maximum(own[which, when] - 1 - chance.integers(0, size, tries), 0.5)
    order = 1.0 + np.argsort(np.argsort(-opponents, axis=1), axis=1).astype(np.float64)
    played = [_play(system, _ranks(places, order), field) for places in (own, better)]
    gained = played[0] - played[1]  # by the worse place
    most = gained.max(axis=1)
    at_once = gained[which, when] > 1e-6
    violated = most > 1e-6
    return int(violated.sum()), float(max(most.max(), 0.0)), int((violated & ~at_once).sum())


def _ranks(own: Floats, order: Floats) -> Floats:
    """Ranks of each account and of its field, in every contest."""
    field = np.broadcast_to(order, (len(own), *order.shape))
    return np.concatenate((own[..., None], field), axis=2)


def _play(system: RatingSystem, ranks: Floats, field: Floats) -> Floats:
    """Ratings of accounts after each of their contests, against opponents whose ratings are fixed.

    `ranks` are by account, contest and participant, the account first; `field` is by contest and opponent.
    """
    accounts, contests, size = ranks.shape
    opponents = accounts + np.arange(contests * (size - 1)).reshape(contests, size - 1)
    player = np.empty(ranks.shape, np.int32)
    player[..., 0] = np.arange(accounts)[:, None]
    player[..., 1:] = opponents
    unrated = np.ones(ranks.shape, np.bool_)
    unrated[..., 0] = False
    places = np.argsort(np.argsort(ranks, axis=2), axis=2) + 1
    history = History(
        players=Names(str(number) for number in range(accounts + opponents.size)),
        offsets=size * np.arange(accounts * contests + 1),
        player=player.ravel(),
        rank=places.ravel().astype(np.int32),
        time=np.full(accounts * contests, NO_TIME),
        unrated=unrated.ravel(),
    )
    state = system.new_state(len(history.players))
    deviation = np.full(field.size, 100.0) if system.has_sigma else None
    system.set_belief(state, opponents.ravel(), field.ravel(), deviation)
    return system.update(state, history).mu[::size].reshape(accounts, contests)


def _numbers(name: str, found: Found, power: float | None, tries: int, setting: Setting) -> list[Number]:
    massive, monotonic, robust = CLAIMED[name]
    seed, numbers = seeds_named([setting.seed]), []
    if power is not None:
        linear = power < LINEAR_POWER
        said = _agrees(massive, linear)
        if linear and massive is not None and not massive.holds:
            said += ": podium has no sums over pairs"
        numbers.append(
            _beside(
                massive,
                f"{name}: massive (time grows with participants to the power)",
                f"{'yes' if linear else 'no'} ({power:.2f})",
                seed,
                remarked(setting, said),
            )
        )
    holds, place = found.violations == 0, "result in a match" if name in MATCHES else "place"
    later = f"; {found.later:,} of them only later" if found.later else ""
    numbers.append(
        _beside(
            monotonic,
            f"{name}: monotonic (a better {place} lowers a rating, of {tries:,} tries)",
            "none found" if holds else f"no: {found.violations:,}, by up to {found.most:.1f} points",
            seed,
            remarked(setting, f"{_agrees(monotonic, holds)}{later}"),
        )
    )
    before, last = found.changes[-2:]
    bounded = last < 1.05 * before
    numbers.append(
        _beside(
            robust,
            f"{name}: robust (points won by beating a field 10,000 and 100,000 stronger)",
            f"{'yes' if bounded else 'no'} ({before:,.0f}, {last:,.0f})",
            "exact",
            _agrees(robust, bounded),
        )
    )
    return numbers


def _agrees(claimed: Claimed | None, holds: bool) -> str:
    return "" if claimed is None else held(holds == claimed.holds)


def _beside(claimed: Claimed | None, what: str, ours: str, source: str, remark: str) -> Number:
    if claimed is None:
        return Number(what, ours, source)
    return claimed.printed.beside(what, ours, source, remark)


def _picture(frame: pl.DataFrame) -> alt.ChartType:
    return charts.curves(
        frame,
        Axis("distance", "how much stronger the field is (points)", log=True, format="~s"),
        Axis("change", "rating gained by one win (points)", log=True, format="~s"),
        colour="system",
        dots=True,
        title="What one unheard-of win is worth",
        subtitle="a settled player wins once against a stronger and stronger field · both axes logarithmic",
        legend_columns=4,
    )


def _words(tries: int) -> str:
    return f"""
    Robust: a player who finished in the middle of a field of {FIELD_SIZE} for {SETTLING_CONTESTS} contests
    wins once against one that is so many points stronger. Where the gain levels off, one contest can only do
    so much.

    Monotonic: {tries:,} accounts play {CONTESTS} contests against {FIELD_SIZE} opponents whose ratings stay;
    the same results are rated again with a better place in one contest. If the rating is lower then or after
    any later contest, the worse place has paid. Glicko-2 is tried with one opponent at a time: what the paper
    says of it is about matches. No violation found is no proof; for Elo-MMR and Elo-MMχ Theorem 5.5 is one.

    Massive: the power of the number of participants that time grows with, from Table 3's measurement, where
    the system is in it; up to {LINEAR_POWER} is called linear. It is a property of podium's program: the
    paper sums over all pairs for Codeforces and Topcoder.

    For Elo-MMR(0) Theorem 5.7 has no limit, as nothing is left in the normal factor; what holds the rating of
    a settled player are the performances remembered. Volatile ones are in the item momentum.
    """
