"""Section 6, "Hyperparameter search": the best of a grid on the first tenth, judged on the other nine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from podium.arrays import Floats
from podium.evaluation.order_accuracy import Accuracy, Ties, accuracy
from podium.history import History
from podium.systems import RatingSystem
from podium.systems.codeforces.codeforces import Codeforces
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium.systems.elo_mmr.elo_mmx import EloMMX
from podium.systems.topcoder.topcoder import Topcoder
from podium.systems.trueskill.trueskill import TrueSkill
from podium_papers.elo_mmr.contest_data import MIN_CONTESTS_OF_PLAYER, contests_of_each, first_part
from podium_papers.elo_mmr.published import SYSTEMS

Who = Literal["everyone", "five in all", "five before"]
WHO: tuple[Who, ...] = ("five before", "five in all", "everyone")
"""Whom the metrics count: two readings of "competed in less than 5 total contests", and everybody."""

GRIDS: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "Codeforces": {"weight": (0.5, 1.0, 2.0, 4.0), "beta": (80.0, 125.0, 200.0, 315.0)},
    "Topcoder": {"weight": (0.5, 1.0, 2.0, 4.0), "sigma": (200.0, 350.0, 500.0)},
    "TrueSkill": {"beta": (50.0, 100.0, 200.0, 400.0), "tau": (9.0, 18.0, 35.0, 70.0, 140.0)},
    "Elo-MMχ": {"sigma_limit": (28.0, 40.0, 56.0, 80.0, 113.0, 160.0), "weight_limit": (0.1, 0.2, 0.4, 0.8)},
    "Elo-MMR(ρ)": {
        "sigma_limit": (28.0, 40.0, 56.0, 80.0, 113.0, 160.0),
        "weight_limit": (0.1, 0.2, 0.4, 0.8),
        "rho": (0.0, 1.0),
    },
}
"""Parameters that are tried. The others stay at their defaults, with newcomers at 1500 ± 350, except for
Topcoder, whose first deviation is searched for.
"""
QUICK_VALUES = 2
"""Number of values of each parameter in quick runs: the middle ones."""
_MAKE: Mapping[str, Callable[..., RatingSystem]] = {
    "Codeforces": Codeforces,
    "Topcoder": Topcoder,
    "TrueSkill": lambda **given: TrueSkill(mu=1500.0, sigma=350.0, **given),
    "Elo-MMχ": EloMMX.from_limits,
    "Elo-MMR(ρ)": EloMMR.from_limits,
}


class Scores(NamedTuple):
    """The metrics of one system on one history, each with the parameters chosen for it."""

    pairs_right: Mapping[tuple[Who, Ties], float]
    rank_deviation: Mapping[tuple[Who, Ties], float]
    chosen: tuple[RatingSystem, ...]


@cache
def grid(name: str, quick: bool = False) -> tuple[RatingSystem, ...]:
    """The systems of the grid, one per combination of parameters."""
    values = [_middle(tried) if quick else tried for tried in GRIDS[name].values()]
    return tuple(_MAKE[name](**dict(zip(GRIDS[name], given, strict=True))) for given in product(*values))


def ratings_before(system: RatingSystem, history: History) -> Floats:
    """The rating of each row before its event."""
    return system.update(system.new_state(len(history.players)), history).mu_before


def measure(history: History, rating: Floats, who: Who, ties: Ties = "fair") -> Accuracy:
    """The metrics over the contests after the first tenth."""
    cut = first_part(history)
    if who != "five in all":
        return accuracy(
            history,
            rating,
            min_events=MIN_CONTESTS_OF_PLAYER if who == "five before" else 0,
            ties=ties,
            first_event=cut,
        )
    later, start = history[cut:], int(history.offsets[cut])
    keep = (contests_of_each(history) >= MIN_CONTESTS_OF_PLAYER)[later.player]
    return accuracy(later.with_rows(keep), rating[start:][keep], ties=ties)


def tune_and_test(history: History, name: str, quick: bool = False) -> Scores:
    """Choose parameters on the first tenth and measure on the rest, for each of the two metrics."""
    first = history[: first_part(history)]
    tried = [(system, accuracy(first, ratings_before(system, first))) for system in grid(name, quick)]
    by_pairs = max(tried, key=lambda one: one[1].pairs_right)[0]
    by_ranks = min(tried, key=lambda one: one[1].rank_deviation)[0]
    rating = ratings_before(by_pairs, history)
    pairs = _measured(history, rating)
    ranks = pairs if by_ranks == by_pairs else _measured(history, ratings_before(by_ranks, history))
    return Scores(
        {key: found.pairs_right for key, found in pairs.items()},
        {key: found.rank_deviation for key, found in ranks.items()},
        (by_pairs, by_ranks),
    )


def _measured(history: History, rating: Floats) -> dict[tuple[Who, Ties], Accuracy]:
    ways: tuple[Ties, ...] = ("fair", "authors")
    return {(who, ties): measure(history, rating, who, ties) for who in WHO for ties in ways}


def true_scores(history: History, skill: Floats) -> Scores:
    """The metrics of the true skills, which can be beaten only by luck."""
    found = _measured(history, np.asarray(skill))
    return Scores(
        {key: one.pairs_right for key, one in found.items()},
        {key: one.rank_deviation for key, one in found.items()},
        (),
    )


def _middle(values: tuple[float, ...]) -> tuple[float, ...]:
    start = max(len(values) - QUICK_VALUES, 0) // 2
    return values[start : start + QUICK_VALUES]


def grid_in_words(quick: bool = False) -> str:
    """The grid as text."""
    parts = []
    for name in SYSTEMS:
        values = (
            f"{parameter} {', '.join(f'{v:g}' for v in (_middle(tried) if quick else tried))}"
            for parameter, tried in GRIDS[name].items()
        )
        parts.append(f"{name}: {'; '.join(values)}")
    return ". ".join(parts)
