"""What a fit found: strengths, differences, chances, ranks and effects, each with how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import UnknownPlayerError, UnsupportedError
from podium.fitting.bootstrap import Bootstrap, bootstrap
from podium.fitting.fragility import Fragility, fragility
from podium.fitting.intervals import Estimate, chance_estimate, deviations, estimate
from podium.fitting.next_votes import Settled, next_votes, settled
from podium.fitting.pair_likelihood import PairLikelihood
from podium.fitting.pair_models import PAIR_MODELS
from podium.fitting.pair_table import misfit, pair_table
from podium.fitting.rank_sets import RankSets, best_chances, difference_errors, rank_sets, strength_draws
from podium.fitting.rankings import ranking_tallies
from podium.fitting.solving import Choices, Solution
from podium.fitting.suspects import suspects
from podium.fitting.time_check import Drift, drift
from podium.fitting.vote_effects import effects_frame, judges_frame
from podium.fitting.votes import Rankings, Votes
from podium.notebooks import frame_html, spans
from podium.text import counted, did_you_mean, listed

if TYPE_CHECKING:
    import polars as pl


EQUAL_POINTS = 1e-6
"""Strengths that differ by no more are equal: it is rounding."""
FEWEST_GROUPS = 10
"""With 3 groups of votes, 95% intervals held the truth in 73 to 87% of made-up arenas, with 10 in 93%."""


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """Strengths that do not change, fitted to votes.

    Attributes:
        votes: The votes or rankings.
        choices: How they were fitted.
        solution: The likelihood at its highest point.
        errors: How standard errors were computed: "model", "sandwich", "cluster" or "bootstrap".
        covariance: The covariance matrix of all parameters, in units of the model.
        level: The level of intervals and rank sets.
        seed: Seed of the draws for rank sets.

    >>> import podium
    >>> import polars as pl
    >>> columns = {"model_a": ["x", "x", "y"], "model_b": ["y", "y", "x"], "winner": ["model_a"] * 3}
    >>> podium.fit(pl.DataFrame(columns)).strengths.select("player", "wins", "losses").rows()
    [('x', 2.0, 1.0), ('y', 1.0, 2.0)]
    """

    votes: Votes | Rankings
    choices: Choices
    solution: Solution
    errors: str
    covariance: Floats
    level: float
    seed: int

    # ------------------------------------------------------------------ strengths

    @property
    def players(self) -> tuple[str, ...]:
        """The compared names, in order of first appearance."""
        return self.votes.players

    @property
    def points(self) -> Floats:
        """Each player's strength in points."""
        return self.scale @ self.solution.strengths * self.choices.points + self.origin

    @cached_property
    def points_covariance(self) -> Floats:
        """The covariance matrix of the strengths, in points²."""
        n = len(self.players)
        return self.scale @ self.covariance[:n, :n] @ self.scale.T * self.choices.points**2

    @cached_property
    def _single_anchors(self) -> dict[int, tuple[int, float]]:
        """The anchor of each component that has exactly one: component -> player, points."""
        component, found = self.solution.component, {}
        anchors = {self.number(name): value for name, value in self.choices.anchors.items()}
        for number in {int(component[player]) for player in anchors}:
            inside = [player for player in anchors if component[player] == number]
            if len(inside) == 1:
                found[number] = (inside[0], anchors[inside[0]])
        return found

    @cached_property
    def scale(self) -> Floats:
        """The matrix that shifts strengths to their anchor, where a component has one."""
        matrix = np.eye(len(self.players))
        for component, (anchor, _) in self._single_anchors.items():
            matrix[self.solution.component == component, anchor] -= 1.0
        return matrix

    @cached_property
    def origin(self) -> Floats:
        """The points of strength 0."""
        origin = np.full(len(self.players), self.choices.center)
        for component, (_, value) in self._single_anchors.items():
            origin[self.solution.component == component] = value
        return origin

    @cached_property
    def _draws(self) -> Floats:
        return strength_draws(self.points, self.points_covariance, self.seed)

    @cached_property
    def rank_sets(self) -> RankSets:
        """Ranks that hold for all players at once with the fit's level."""
        return rank_sets(
            self.points, self.points_covariance, self._draws, self.solution.component, self.level
        )

    @cached_property
    def best(self) -> Floats:
        """The probability of being the best, for each player."""
        return best_chances(self._draws, self.solution.component)

    @cached_property
    def order(self) -> Longs:
        """The numbers of the players, best first, component after component."""
        return np.lexsort((np.arange(len(self.players)), -self.points, self.solution.component))

    @cached_property
    def ranks(self) -> Longs:
        """Each player's rank inside its component, by strength alone; equals share it."""
        component, points = self.solution.component[self.order], self.points[self.order]
        first = np.r_[True, (component[1:] != component[:-1]) | (points[:-1] - points[1:] > EQUAL_POINTS)]
        place = np.maximum.accumulate(np.where(first, np.arange(len(component)), 0))
        ranks = np.empty(len(component), np.int64)
        ranks[self.order] = place - np.searchsorted(component, component) + 1
        return ranks

    @cached_property
    def tallies(self) -> Floats:
        """The weight of each player's wins, ties and losses, of shape (3, players)."""
        n = len(self.players)
        if isinstance(self.votes, Votes):
            first, second, counts = self._cells
            return np.array(
                [
                    np.bincount(first, counts[outcome], n) + np.bincount(second, counts[2 - outcome], n)
                    for outcome in range(3)
                ]
            )
        return ranking_tallies(self.votes)

    @property
    def _cells(self) -> tuple[Longs, Longs, Floats]:
        likelihood = self.pairs
        return likelihood.cells.first, likelihood.cells.second, likelihood.cells.counts

    @property
    def pairs(self) -> PairLikelihood:
        """The likelihood, if it is of votes between two."""
        if not isinstance(self.solution.likelihood, PairLikelihood):
            raise UnsupportedError("only votes between two have this, not rankings")
        return self.solution.likelihood

    @cached_property
    def strengths(self) -> pl.DataFrame:
        """A row for each player, best first.

        player, strength, error, low, high, rank, rank_low, rank_high, best, votes, wins, ties, losses,
        component. `rank_low` to `rank_high` hold for all players at once; `best` is the probability of being
        the best.
        """
        import polars as pl

        order, reach = self.order, deviations(self.level)
        error = np.sqrt(np.maximum(np.diagonal(self.points_covariance), 0.0))
        won, tied, lost = self.tallies[:, order]
        return pl.DataFrame(
            {
                "player": [self.players[i] for i in order.tolist()],
                "strength": self.points[order],
                "error": error[order],
                "low": (self.points - reach * error)[order],
                "high": (self.points + reach * error)[order],
                "rank": self.ranks[order],
                "rank_low": self.rank_sets.low[order],
                "rank_high": self.rank_sets.high[order],
                "best": self.best[order],
                "votes": won + tied + lost,
                "wins": won,
                "ties": tied,
                "losses": lost,
                "component": self.solution.component[order] + 1,
            }
        )

    # ------------------------------------------------------------------ one player, or two

    def number(self, name: str) -> int:
        """The number of a player."""
        try:
            return self.players.index(name)
        except ValueError:
            raise UnknownPlayerError(
                f"{name!r} is in no vote", hint=did_you_mean(name, self.players)
            ) from None

    def strength(self, name: str) -> Estimate:
        """A player's strength in points."""
        i = self.number(name)
        return estimate(float(self.points[i]), math.sqrt(max(self.points_covariance[i, i], 0.0)), self.level)

    def difference(self, a: str, b: str) -> Estimate:
        """How much stronger `a` is than `b`, in points."""
        i, j = self._comparable(a, b)
        error = float(difference_errors(self.points_covariance)[i, j])
        return estimate(float(self.points[i] - self.points[j]), error, self.level)

    def _comparable(self, a: str, b: str) -> tuple[int, int]:
        i, j = self.number(a), self.number(b)
        if self.solution.component[i] != self.solution.component[j]:
            raise UnsupportedError(
                f"{a!r} and {b!r} cannot be compared: no chain of votes links them",
                hint="ask for votes between their components",
            )
        return i, j

    def expected_score(self, a: str, b: str) -> Estimate:
        """The expected score of `a` against `b`: the chance of a win and half of that of a tie."""
        i, j = self._comparable(a, b)
        value, error = self.score_matrix
        x, se = float(value[i, j]), float(error[i, j])
        return chance_estimate(x, se, self.level)

    def outcomes(self, a: str, b: str) -> tuple[float, float, float]:
        """The chances that `a` wins, ties and loses against `b`, both shown without a position effect."""
        i, j = self._comparable(a, b)
        d = np.array([self.solution.strengths[i] - self.solution.strengths[j]])
        win, tie, loss = (float(x[0]) for x in self._chances(d)[0])
        return win, tie, loss

    def _chances(self, d: Floats) -> tuple[Floats, Floats, Floats]:
        """Chances of a win, a tie and a loss at differences; the score's derivatives by d and the tie."""
        likelihood = self.solution.likelihood
        if isinstance(likelihood, PairLikelihood):
            model, has_tie = likelihood.model, likelihood.has_tie
            tie = likelihood.tie(self.solution.parameters)
        else:  # for two, Davidson and Luce's model is Davidson's
            has_tie = bool(len(likelihood.tie_sizes) and likelihood.tie_sizes[0] == 2)
            model = PAIR_MODELS["davidson" if has_tie else "bradley-terry"]
            tie = float(self.solution.parameters[likelihood.players]) if has_tie else 0.0
        found = model.chances(d.ravel(), tie)
        chances = np.exp(found.log)
        if not has_tie:
            chances[1] = 0.0
        by_d = chances[0] * found.d[0] + 0.5 * chances[1] * found.d[1]
        by_tie = chances[0] * found.h[0] + 0.5 * chances[1] * found.h[1]
        return chances.reshape(3, *d.shape), by_d.reshape(d.shape), by_tie.reshape(d.shape)

    @cached_property
    def score_matrix(self) -> tuple[Floats, Floats]:
        """Expected scores of the row against the column, and their errors; NaN across components."""
        n, theta = len(self.players), self.solution.strengths
        chances, by_d, by_tie = self._chances(theta[:, None] - theta[None, :])
        score = chances[0] + 0.5 * chances[1]
        covariance = self.covariance
        variance = by_d**2 * difference_errors(covariance[:n, :n]) ** 2
        if np.any(by_tie):
            with_tie = covariance[:n, n]
            variance += 2.0 * by_d * by_tie * (with_tie[:, None] - with_tie[None, :])
            variance += by_tie**2 * covariance[n, n]
        apart = self.solution.component[:, None] != self.solution.component[None, :]
        score = np.where(apart, np.nan, score)
        return score, np.where(apart, np.nan, np.sqrt(np.maximum(variance, 0.0)))

    # ------------------------------------------------------------------ what else explains votes

    @cached_property
    def effects(self) -> pl.DataFrame:
        """What else explains votes: effect, points (of one unit), error, low, high, p."""
        return effects_frame(self)

    @cached_property
    def judges(self) -> pl.DataFrame:
        """Each judge: judge, votes, slope, slope_low, slope_high, bias, bias_low, bias_high.

        The slope is how much the judge sees of a difference (1 is usual, 0 is a coin). The bias is the
        advantage, in points, of the side shown first.
        """
        return judges_frame(self)

    def bootstrap(
        self, replicates: int = 1000, *, by: str | None = None, seed: int = 0, jobs: int | None = None
    ) -> Bootstrap:
        """Fit again and again with random weights, of votes or (by="cluster") of groups of votes.

        By default groups are resampled where there are any. `jobs` is the number of processes.
        """
        return bootstrap(self, replicates, by, seed, jobs)

    @cached_property
    def matches(self) -> pl.DataFrame:
        """A row for each pair with votes, the most surprising first.

        player, opponent, votes, wins, ties, losses, score, expected, low, high, z. `expected` has an
        interval, and z is how far `score` is from what the fit expects of these votes.
        """
        return pair_table(self)

    @property
    def misfit(self) -> str:
        """Whether pairs differ from the fit more than chance allows, as in cycles."""
        return misfit(self)

    # ------------------------------------------------------------------ whether to believe it, and what next

    @cached_property
    def vote_information(self) -> Floats:
        """How much one more vote of each pair tells about its difference, in units of the model."""
        theta = self.solution.strengths
        likelihood = self.pairs
        d = (theta[:, None] - theta[None, :]).ravel()
        found = likelihood.model.chances(d, likelihood.tie(self.solution.parameters))
        chances = np.exp(found.log)
        if not likelihood.has_tie:
            chances[1] = 0.0
        information: Floats = np.sum(chances * found.d**2, axis=0).reshape(len(theta), len(theta))
        return information

    def next_votes(self, pairs: int = 10, *, top: int | None = None, votes_each: int = 1) -> pl.DataFrame:
        """The pairs that tell most about the order of all, or about who the `top` are.

        first, second, votes, gain (of the largest gain). Each pair takes those before it as asked, and
        one that is chosen again gets more votes.
        """
        return next_votes(self, pairs, top, votes_each)

    def settled(self, top: int = 1) -> Settled:
        """Whether it is settled who the `top` are. You may ask after every vote and stop when it is."""
        return settled(self, top)

    @cached_property
    def drift(self) -> Drift:
        """Whether strengths change with time."""
        return drift(self)

    @cached_property
    def fragility(self) -> Fragility:
        """The fewest votes whose removal changes first place."""
        return fragility(self)

    def suspects(self, by: str | None = None) -> pl.DataFrame:
        """Voters whose votes look like noise or a campaign: voter, looks_like, votes, of, z, p.

        Voters are the judges where there are any, or those of `cluster` (by="cluster").
        """
        return suspects(self, by)

    # ------------------------------------------------------------------ in words

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the strengths should know, a sentence each."""
        said = list(self.votes.notes)
        solution, names = self.solution, self.players
        if solution.prior is not None and self.choices.prior == "auto":
            listed_names = listed([names[i] for i in solution.unbounded[:5].tolist()])
            more = len(solution.unbounded) - 5
            said.append(
                f"{listed_names}{f' and {more} more' if more > 0 else ''} won or lost everything against the "
                "rest. podium therefore pulls all strengths towards the middle, by a normal prior with a "
                f"standard deviation of {solution.prior:g} points."
            )
        groups = len(self.votes.clusters)
        if self.errors in ("cluster", "bootstrap") and 0 < groups < FEWEST_GROUPS:
            said.append(
                f"The votes are in {counted(groups, 'group')}, too few to see how much groups differ, so "
                f"errors are too small. {FEWEST_GROUPS} or more groups are needed."
            )
        parts = int(solution.component.max()) + 1
        if parts > 1:
            sizes = np.bincount(solution.component)
            said.append(
                f"No chain of votes links {counted(parts, 'component')} "
                f"(of {listed([str(s) for s in sizes[:6].tolist()])}{' …' if parts > 6 else ''} players). "
                "Their strengths cannot be compared."
            )
        return tuple(said)

    @property
    def summary(self) -> str:
        """The fit, in a line."""
        what = "vote" if isinstance(self.votes, Votes) else "ranking"
        label = (
            PAIR_MODELS[self.choices.model].label if self.choices.model in PAIR_MODELS else "Plackett–Luce"
        )
        sizes = f"{counted(len(self.votes), what)} of {counted(len(self.players), 'player')}"
        return f"{sizes}, {label}, {self.errors} errors"

    def __repr__(self) -> str:
        return f"<Fit: {self.summary}>"

    def _repr_html_(self) -> str:
        import polars as pl

        shown = self.strengths.select(
            "rank",
            "player",
            pl.col("strength", "low", "high").round(1),
            "rank_low",
            "rank_high",
            "best",
            "votes",
        )
        intervals = spans(self.strengths.select("low", "strength", "high").iter_rows())
        return frame_html(f"{self!r}", shown, interval=intervals)
