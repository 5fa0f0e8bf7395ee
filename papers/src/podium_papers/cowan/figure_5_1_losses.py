"""Figure 5.1: log loss of Glicko-2 and of the system with β 0.8 and 0.9, by rating difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium import charts
from podium.arrays import Bools, Floats
from podium.charts import Axis
from podium.errors import InputError
from podium.evaluation.event_predictions import predict_events
from podium.history import History
from podium.systems import RatingSystem
from podium.systems.glicko.glicko import Glicko2
from podium.systems.luck.luck import Luck
from podium.tables import read_history
from podium_papers.cowan import published
from podium_papers.cowan.lucky_games import CLOSE_PAIRING, LOOSE_PAIRING, lucky_games, size_of
from podium_papers.items import Number, Result, Setting, seeds_named, spread_of
from podium_papers.printed import signed

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

KNOWN_BELOW_SIGMA = 70.0
"""A match counts if both deviations are below this number of points (section 5)."""
KERNEL_SIGMA = 5.0
"""Standard deviation of the kernel of the right picture, in points."""
TRUE_BETAS = (0.7, 0.8, 0.9, 1.0)
"""Values of β that the simulated games are drawn with."""
PICTURED, ALSO_COMPARED = (0.8, CLOSE_PAIRING), (0.9, LOOSE_PAIRING)
"""True β and pairing of the games in the pictures, and of the games compared a second time."""
MAX_DOTS = 500
"""Most dots of each system in the left picture."""


def systems() -> dict[str, RatingSystem]:
    """The three systems that the paper compares. Glicko-2 sees no time; each match is a rating period."""
    glicko2 = Glicko2(mu=1500.0, sigma=200.0, volatility=0.06, tau=0.5, periods_per_day=0.0)
    found = (glicko2, Luck.duelyst(), Luck(beta=0.9))
    return dict(zip(published.SYSTEMS, found, strict=True))


@dataclass(frozen=True, eq=False)
class Losses:
    """The predictions of one system on one history, one value per match."""

    loss: Floats
    gap: Floats
    """Absolute difference of the two ratings."""
    known: Bools
    """Whether both deviations are below the limit."""

    @property
    def mean(self) -> float:
        """Mean log loss over the matches of known players."""
        return float(self.loss[self.known].mean()) if self.known.any() else float("nan")


Found = dict[str, Losses]
"""The losses of each system."""
Runs = Mapping[tuple[float, float], Sequence[Found]]
"""Results by true β and pairing, one for each seed."""


def losses(history: History, system: RatingSystem) -> Losses:
    """−ln p of every result, before it is rated; for a draw the mean of both results, as in Eq. (1)."""
    found = predict_events(history, system, outcomes=False, order_by="mu")
    expected = found.expected[::2]
    score = 0.5 * (1.0 + np.sign(history.rank[1::2] - history.rank[::2]))
    loss = -score * np.log(expected) - (1.0 - score) * np.log1p(-expected)
    gap = np.abs(found.rating[::2] - found.rating[1::2])
    known = np.maximum(found.sigma[::2], found.sigma[1::2]) < KNOWN_BELOW_SIGMA
    return Losses(loss, gap, known)


def contribution(found: Losses, at: Floats) -> Floats:
    """The curve of the right picture: where the total log loss comes from; its integral is the mean loss.

    Matches are first put into bins of half a point, a tenth of the kernel's deviation.
    """
    cell = 0.5
    gap, loss = found.gap[found.known], found.loss[found.known]
    total = np.bincount((gap / cell).astype(np.int64), weights=loss)
    middle = cell * (np.arange(len(total)) + 0.5)
    kernel = np.exp(-0.5 * ((at[:, None] - middle) / KERNEL_SIGMA) ** 2)
    # ∫ K(x, t) dt over t > 0, up to a factor that falls out: next to 0 half of the kernel is missing
    inside = np.exp(
        -0.5 * ((at[:, None] - cell * (np.arange(8 * len(total)) + 0.5)) / KERNEL_SIGMA) ** 2
    ).sum(axis=1)
    curve = kernel @ total / inside
    area = float(np.sum(0.5 * (curve[1:] + curve[:-1]) * np.diff(at)))
    shown: Floats = curve * found.mean / area
    return shown


def figure_5_1(setting: Setting) -> Result:
    """Compute losses on simulated games with several true β, and on the given matches."""
    seeds = setting.seeds(1 if setting.quick else 2)
    cases = [(truth, CLOSE_PAIRING) for truth in TRUE_BETAS] + [
        (truth, LOOSE_PAIRING) for truth in TRUE_BETAS[1:3]
    ]
    if setting.quick:
        cases = [PICTURED, ALSO_COMPARED]
    runs = {
        (truth, off): [_all(lucky_games(*size_of(setting), truth, seed, off).history) for seed in seeds]
        for truth, off in cases
    }
    source, whole = seeds_named(seeds), not setting.quick
    numbers = _beside(
        runs[PICTURED], f"made-up games, β = {PICTURED[0]:g}, {source}", "paired by strength", whole
    )
    numbers += _beside(
        runs[ALSO_COMPARED], f"made-up games, β = {ALSO_COMPARED[0]:g}, {source}", "paired loosely", whole
    )
    pictures = _pictures("figure-5-1", "made-up games", runs[PICTURED][0], setting.seed)
    words = _words(runs, setting)
    if setting.matches is not None:
        name = setting.matches.name
        given = _all(read_history(setting.matches))
        check_known(given, name)
        numbers += _given(name, given)
        pictures |= _pictures("figure-5-1-given", name, given, setting.seed)
        words += _words_given(name, given)
    else:
        words += " Other matches can be given with --matches."
    table = {f"Mean log loss of made-up games, {source}": _table(runs)}
    return Result(words, numbers=numbers, tables=table, pictures=pictures)


def check_known(found: Found, source: str) -> None:
    """Raise an error if a system knows nobody well, so that there is nothing to draw."""
    nobody = [name for name, one in found.items() if not one.known.any()]
    if nobody:
        raise InputError(
            f"there is no match of two players who are known well to {', '.join(nobody)}",
            source=source,
            hint=f"both deviations have to be below {KNOWN_BELOW_SIGMA:.0f} points: more matches of the "
            "same players",
        )


def _words(runs: Runs, setting: Setting) -> str:
    own, common = (_lead(runs[ALSO_COMPARED], which) for which in ("own", "common"))
    among = [_lead(several, "common") for several in runs.values()]
    behind = [_lead(several, "common", "Glicko-2", "β = 0.8") for several in runs.values()]
    matches, players = size_of(setting)
    truths = ", ".join(f"{truth:g}" for truth in sorted({truth for truth, _ in runs}))
    printed = {name: float(loss.value) for name, loss in published.LOSSES.items()}
    lead = printed["β = 0.8"] - printed["β = 0.9"]
    return f"""
        The matches of Duelyst II are not public. In their place stand about {matches:,} made-up games for
        each truth and seed, of {players:,} players whose strengths do not change (normal, 122 points wide;
        see Figure 3.2), in which a coin decides with chance 1 − β, for β of {truths}. Who meets whom goes by
        strength, as a matchmaker sees it that is off by 174 points; or, paired loosely, by 695 points, so
        that nearly anybody meets anybody.

        The loose pairing was added after the first results had been seen; three variants of it were tried,
        and the one that gave the paper's order was kept. So that order in its own matches says little for the
        paper. The comparison over common matches is there for both pairings, and a file that is given knows
        nothing of either.

        Each system's mean is over the matches of which that system knows both players, as in the paper, so
        the three means are of different matches. Over the matches that all three know, β = 0.9 is ahead of
        0.8 by {signed(min(among), 4)} to {signed(max(among), 4)}, depending on truth and pairing. Over each
        system's own matches, paired loosely and with a truth of 0.9, it is ahead by {signed(own, 4)}, where
        the common matches say {signed(common, 4)}; the paper has {signed(lead, 4)} in own matches. (A
        minus stands where it is behind.) How much of the published difference comes of β, and how much of
        which matches are counted, cannot be told without the matches.

        Glicko-2 is behind β = 0.8 by {signed(min(behind), 4)} to {signed(max(behind), 4)} in common matches,
        where the paper has {signed(printed["Glicko-2"] - printed["β = 0.8"], 4)} in those of each. In
        Glicko-2 each match is a rating period here, in which its volatility of 0.06 adds ten points to a
        deviation, while the strengths stay as they are.
        """


def _words_given(source: str, given: Found) -> str:
    own_order, means = sorted(given, key=lambda name: given[name].mean), _common(given)
    common_order = sorted(means, key=lambda name: means[name])
    return f"""

        On {source}, from best to worst: {", ".join(own_order)} by the mean of each system's own matches;
        {", ".join(common_order)} over those that all three know.
        """


def _lead(several: Sequence[Found], which: str, behind: str = "β = 0.8", ahead: str = "β = 0.9") -> float:
    """By how much one system's mean loss is below another's, on its own matches or on common ones."""
    means = [_common(f) if which == "common" else {n: one.mean for n, one in f.items()} for f in several]
    return float(np.mean([one[behind] - one[ahead] for one in means]))


def _all(history: History) -> Found:
    return {name: losses(history, system) for name, system in systems().items()}


def _common(found: Found) -> dict[str, float]:
    """Mean losses over the matches in which every system knows both players."""
    known = np.logical_and.reduce([one.known for one in found.values()])
    return {name: float(one.loss[known].mean()) if known.any() else np.nan for name, one in found.items()}


def _beside(runs: Sequence[Found], source: str, how: str, whole: bool) -> list[Number]:
    """Mean losses next to the published ones; counts of matches only if there are enough to compare."""
    common = [_common(found) for found in runs]
    numbers = []
    for name in published.SYSTEMS:
        numbers.append(
            published.LOSSES[name].beside(
                f"mean log loss, {how}: {name}",
                spread_of([found[name].mean for found in runs], 4),
                source,
                f"over those that all three know {np.mean([one[name] for one in common]):.4f}",
            )
        )
    if not whole:
        return numbers
    total, all_matches = len(runs[0][published.SYSTEMS[0]].loss), published.MATCHES.value.replace(",", "")
    numbers.append(published.MATCHES.beside(f"matches rated, {how}, first seed", f"{total:,}", source))
    for name, printed in published.COUNTS.items():
        part = 100.0 * np.array([found[name].known.mean() for found in runs])
        said = 100.0 * int(printed.value) / int(all_matches)
        numbers.append(
            printed.beside(
                f"both deviations below {KNOWN_BELOW_SIGMA:.0f}, {how}: {name}",
                f"{runs[0][name].known.sum()}",
                source,
                f"{part.mean():.0f}% of ours, {said:.0f}% of the paper's",
            )
        )
    return numbers


def _table(runs: Runs) -> pl.DataFrame:
    import polars as pl

    rows = []
    for (truth, off), several in runs.items():
        common = [_common(found) for found in several]
        for name in published.SYSTEMS:
            rows.append(
                {
                    "true β": truth,
                    "pairing": "by strength" if off == CLOSE_PAIRING else "loose",
                    "system": name,
                    "own matches": spread_of([found[name].mean for found in several], 4),
                    "common matches": spread_of([one[name] for one in common], 4),
                    "known, %": round(100.0 * float(np.mean([f[name].known.mean() for f in several]))),
                }
            )
    return pl.DataFrame(rows)


def _given(source: str, found: Found) -> list[Number]:
    label = f"{source} in place of the author's matches"
    common = _common(found)
    return [
        Number(
            f"mean log loss on the matches given, {name}",
            f"{found[name].mean:.4f}",
            label,
            remark=f"{found[name].known.sum()} of {len(found[name].known)}; common {common[name]:.4f}",
        )
        for name in published.SYSTEMS
    ]


def _pictures(file: str, source: str, found: Found, seed: int) -> dict[str, alt.ChartType]:
    return {f"{file}-left": _left(source, found, seed), f"{file}-right": _right(source, found)}


def _left(source: str, found: Found, seed: int) -> alt.ChartType:
    import polars as pl

    chance = np.random.default_rng(seed)
    parts: list[pl.DataFrame] = []
    for name, one in found.items():
        rows = np.flatnonzero(one.known)
        rows = chance.permutation(rows)[:MAX_DOTS]
        parts.append(pl.DataFrame({"system": name, "gap": one.gap[rows], "loss": one.loss[rows]}))
    counts = [part.height for part in parts]
    drawn = f"{counts[0]} of each" if len(set(counts)) == 1 else ", ".join(map(str, counts))
    return charts.dots(
        pl.concat(parts),
        Axis("gap", "rating difference (points)"),
        Axis("loss", "log loss"),
        colour="system",
        size=10.0,
        opacity=0.5,
        title="Log loss of each match",
        subtitle=[
            f"{source}; both deviations below {KNOWN_BELOW_SIGMA:.0f}; drawn at random: {drawn}",
            "upper branch: the weaker wins; lower: the stronger wins; between: draws",
        ],
    )


def _right(source: str, found: Found) -> alt.ChartType:
    import polars as pl

    furthest = max(float(np.quantile(one.gap[one.known], 0.999)) for one in found.values())
    at = np.linspace(0.0, furthest, 400)
    frame = pl.concat(
        pl.DataFrame({"system": name, "gap": at, "part": contribution(one, at)})
        for name, one in found.items()
    )
    return charts.curves(
        frame,
        Axis("gap", "rating difference (points)"),
        Axis("part", "log loss a point of difference", zero=True, format="~g"),
        colour="system",
        title="Where the log loss comes from",
        subtitle=f"{source}; kernel of deviation 5 points; the area below a line is its mean log loss",
    )
