"""Yuksel's system: a Newton step a game, and as much memory as the rating's own unrest allows.

Cem Yuksel, "Skill-Based Matchmaking for Competitive Two-Player Games" (2024), section 3. A player's rating is
where past results, the newer the heavier, are what the win curve expects; every game moves it by one Newton
step. How fast old games fade goes by φ, the deviation of the rating over those games: a rating at rest
remembers nearly everything, one that moves forgets quickly. The compiled updates are in
`podium.systems.yuksel.kernels`; `docs/yuksel.md` says when it is stable.

>>> from podium import Ladder, Yuksel
>>> ladder = Ladder(Yuksel())
>>> [round(change.mu) for change in ladder.record_match("ann", "bob")]
[1847, 1153]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Bools, EventColumns, Floats
from podium.errors import ParameterError
from podium.numerics.win_chances import LN10
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import FINITE, NOT_NEGATIVE, POSITIVE, Range, by_place
from podium.systems.contract.distribution import Distribution
from podium.systems.contract.duel_system import DuelSystem
from podium.systems.contract.explained_ratings import SURE
from podium.systems.contract.newcomer_system import NewcomerSystem, UncertainSystem
from podium.systems.contract.opponent_ratings import logistic_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.state import Row, State
from podium.systems.contract.term_lists import TermRows, Terms
from podium.systems.yuksel.kernels import (
    FORMS,
    INFORMATION,
    MATCHED_INFORMATION,
    MU,
    ROW_LENGTH,
    D,
    F,
    R,
    RememberedGames,
    V,
    W,
    YukselRules,
    rate_duels,
    view_beliefs,
)
from podium.systems.yuksel.win_curves import WinCurve

TERMS = ("rival", "score", "weight")
_NO_MEMORY = RememberedGames(np.zeros(0, np.int64), np.zeros(0, np.int32), *(np.zeros(0) for _ in TERMS))


@dataclass(frozen=True, kw_only=True)
class Yuksel(UncertainSystem, NewcomerSystem, DuelSystem):
    """Ratings by Newton's method. Past games fade faster while the rating moves.

    >>> import podium
    >>> ladder = podium.Ladder(podium.Yuksel())
    >>> _ = ladder.record_match("ann", "bob")
    >>> round(ladder.rating("ann").mu), round(ladder.rating("ann").sigma)
    (1847, 2)
    """

    name: ClassVar[str] = "yuksel"
    summary: ClassVar[str] = "finds and follows a player's level fast, in matches of similar players"
    explained: ClassVar[str] = f"""
        The difference of two ratings gives the chance to win. The more surprising a result, the more it
        moves a rating. After several surprises, ratings move faster. {SURE}
    """
    supports: ClassVar[Capabilities] = Capabilities(ties=True, shares=True, weights=True, home=True)
    shown: ClassVar[frozenset[str]] = UncertainSystem.shown | DuelSystem.shown
    ranges: ClassVar[Mapping[str, Range]] = {
        **DuelSystem.ranges,
        "belief": by_place(
            FINITE,  # MU
            POSITIVE,  # W
            FINITE,  # R
            NOT_NEGATIVE,  # V
            NOT_NEGATIVE,  # D
            FINITE,  # F
            NOT_NEGATIVE,  # INFORMATION
            FINITE,  # unused
        ),
        "score": Range(0.0, 1.0),
        "weight": NOT_NEGATIVE,
    }

    form: Literal["zero-sum", "independent", "zero-sum-exact", "batch", "zero-sum-at-limit"] = parameter(
        "zero-sum",
        "zero-sum: both ratings move by the same amount (Algorithm 2). independent: each by its "
        "own step (Algorithm 1). zero-sum-exact: keeps the sum F (Eq. 14). batch: solves all "
        "past games again after each game (Eq. 6). zero-sum-at-limit: corrects D only if the "
        "limit applies, as in Algorithm 1",
    )
    alpha: float = parameter(
        2.0,
        "how fast the system forgets past games while the rating moves. A larger value forgets faster",
        low=1.0,
        high=100.0,
        search=(1.0, 4.0),
    )
    limit: float = parameter(
        350.0, "largest change of a rating in one game, in points", low=1e-3, high=1e6, search=(50.0, 500.0)
    )
    step: float = parameter(
        1.0,
        "fraction of the Newton step. A smaller value moves ratings less",
        low=1e-3,
        high=1.0,
        search=(0.2, 1.0),
    )
    forgetting: Literal["published", "stable"] = parameter(
        "published",
        "published: past games fade by g(αφ), which diverges if games are uneven. stable: φ is "
        "weighted by the information in a player's games, which makes no difference between "
        "equals",
    )
    sigma: float | None = parameter(
        None,
        "deviation of a newcomer, in points, counted as a number of even games. none: no prior, "
        "so the first game moves a rating by 347 points",
        low=1e-3,
        high=1e6,
        search=(100.0, 500.0),
    )
    deviation: Literal["phi", "information"] = parameter(
        "phi",
        "meaning of sigma. phi: how much the rating moved lately (predictions ignore it). "
        "information: how well past games determine the rating (predictions use it)",
    )
    first_weight: float = parameter(
        1e-6, "weight of a newcomer's start in the running variance, in games", low=1e-12, high=1e3
    )
    first_mean: Literal["zero", "rating"] = parameter(
        "zero", "running mean before the first game: 0, as published, or the first rating"
    )
    curve: WinCurve = parameter("logistic", "win curve: logistic, normal, or your own (WinCurve)")

    # ------------------------------------------------------------------ rating

    def newcomer(self) -> dict[str, Row]:
        """One column: a row with the rating and its running sums."""
        return {"belief": self._belief(self.mu, self.sigma), **self.unknown_column()}

    def _belief(self, mu: float, sigma: float | None) -> Floats:
        """A rating without games; σ is turned into the number of even games that would tell as much.

        That is D = 1/(q σ²), the information of Glicko, at rest.
        """
        row = np.zeros(ROW_LENGTH)
        row[[MU, W, R]] = mu, self.first_weight, mu if self.first_mean == "rating" else 0.0
        if sigma is not None:
            row[[D, INFORMATION]] = 1.0 / (self._q * sigma**2)
            row[[W, R]] = row[D] / self._steepest, mu
        return row

    def remembered_terms(self) -> Sequence[str]:
        """Past games are remembered in the batch form only."""
        return TERMS if self.form == "batch" else ()

    def rate_pairs(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, in place, and fill the trace."""
        memory = _NO_MEMORY
        if (terms := state.terms) is not None:
            _reserve(terms, events)
            memory = RememberedGames(
                terms.start, terms.length, terms["rival"], terms["score"], terms["weight"]
            )
        rate_duels(
            events,
            state["belief"],
            memory,
            state["events"],
            state["last_time"],
            self.newcomers(state),
            self.curve.compiled,
            self._rules(),
            trace.mu_before,
            trace.sigma_before,
            trace.mu,
            trace.sigma,
        )

    def _rules(self) -> YukselRules:
        return YukselRules(
            form=FORMS[self.form],
            q=self._q,
            alpha=self.alpha,
            stable=self.forgetting == "stable",
            matched=MATCHED_INFORMATION * self._steepest,
            limit=self.limit,
            step=self.step,
            home_advantage=self.home_advantage,
            by_information=self.deviation == "information",
            unknown=self._unknown,
            mean_is_rating=self.sigma is not None or self.first_mean == "rating",
        )

    @property
    def _q(self) -> float:
        return LN10 / self.scale

    # ------------------------------------------------------------------ looking and predicting

    @property
    def _unknown(self) -> float:
        """The deviation of whom nothing is known: the most a rating is thought to be off."""
        return self.limit if self.sigma is None else self.sigma

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """The rating and its deviation. Time does not change them."""
        rows = np.ascontiguousarray(state.column("belief")[players])
        mu, sigma = np.empty(len(rows)), np.empty(len(rows))
        view_beliefs(rows, self._rules(), mu, sigma)
        return self.placed(state, players, mu, at), sigma

    def belief(self, state: State, player: int, at: int = NO_TIME) -> Distribution:
        """A normal distribution from the games' information: φ, small if little is known, does not fit."""
        mu, sigma = replace(self, deviation="information").view(state, np.array([player]), at)
        return Distribution.normal(float(mu[0]), float(sigma[0]))

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The win curve of the rating difference, widened by both deviations if they are information."""
        difference = np.subtract(mu_a, mu_b) + self.home_advantage * np.asarray(home)
        if self.deviation == "information":
            if sigma_a is None or sigma_b is None:
                raise ParameterError(f"{self.name} by information needs the deviations of both sides")
            difference = difference / self._widening(np.hypot(sigma_a, sigma_b))
        return self.curve(self._q * difference)

    def closed_gap(
        self, probability: Floats, sigma: ArrayLike | None, opponent_sigma: ArrayLike | None
    ) -> Floats | None:
        """The inverse of the logistic curve. None for another curve."""
        if self.curve.name != "logistic":
            return None
        gap = logistic_gap(probability, self.scale)
        if self.deviation == "information":
            if sigma is None or opponent_sigma is None:
                raise ParameterError(f"{self.name} by information needs the deviations of both sides")
            gap = gap * self._widening(np.hypot(sigma, opponent_sigma))
        return gap

    def _widening(self, sigma: Floats) -> Floats:
        """1/g of Eq. (4): the factor by which a deviation widens the curve."""
        return np.sqrt(1.0 + 3.0 * np.square(self._q * sigma / np.pi))

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Gumbel performances, whose difference is logistic with the curve's slope between equals."""
        scale = np.full(len(noise), 0.25 / self._steepest)
        if self.deviation == "information" and sigma is not None:
            scale *= self._widening(sigma)
        return "gumbel", scale

    @property
    def _steepest(self) -> float:
        """The slope of the curve between equals, a point."""
        return self._q * self.curve.steepest

    # ------------------------------------------------------------------ adjustments

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings. A new deviation counts as that much information, with the rating at rest."""
        index = np.arange(state.size)[players]
        shown = self.view(state, index, NO_TIME)[1]
        sigma = shown if sigma is None else np.broadcast_to(np.asarray(sigma, np.float64), shown.shape)
        mu = np.broadcast_to(np.asarray(mu, np.float64), shown.shape)
        self.mark_set(state, players)
        for player, rating, deviation, stays in zip(index, mu, sigma, sigma == shown, strict=True):
            if stays:
                self._shift(state, player, rating)
            else:
                self._start(state, player, rating, deviation)

    def _shift(self, state: State, player: int, mu: float) -> None:
        """Another rating, known as well as before: past games are seen from there."""
        row = state["belief"][player]
        by = mu - row[MU]
        if row[D] == 0.0:
            row[:] = self._belief(mu, None)
            return
        row[[MU, R]] += by
        row[MU] = mu
        if state.terms is not None:
            past = state.terms.rows(np.array([player]))
            past.columns["rival"] += by
            state.terms.put(np.array([player]), past)

    def _start(self, state: State, player: int, mu: float, sigma: float) -> None:
        known = sigma != self._unknown or self.sigma is not None
        state["belief"][player] = self._belief(mu, sigma if known else None)
        if state.terms is not None:
            state.terms.clear(player)

    def unplayed(self, state: State) -> Bools:
        """For each player, whether the row is still that of a newcomer."""
        if self.adaptive_start:
            return super().unplayed(state)
        same: Bools = np.all(state.column("belief") == self.newcomer()["belief"], axis=1)
        return same

    def merge(self, state: State, source: int, into: int) -> None:
        """Combine all games of both accounts: sums add up, and the rating is where their joint F is zero."""
        rows, merged = state["belief"], np.zeros(ROW_LENGTH)
        is_new = self.unplayed(state)
        if is_new[source] or (rows[source, D] == 0.0 and not is_new[into]):
            return
        if is_new[into] or rows[into, D] == 0.0:
            state.swap(source, into)
            return
        a, b = rows[source], rows[into]
        sums = [W, D, F, INFORMATION]
        merged[sums] = a[sums] + b[sums]
        merged[MU] = (a[D] * a[MU] + b[D] * b[MU]) / merged[D]
        merged[R] = (a[W] * a[R] + b[W] * b[R]) / merged[W]
        merged[V] = a[V] + b[V] + a[W] * b[W] / merged[W] * (a[R] - b[R]) ** 2
        if state.terms is not None:
            for player, row in ((source, a), (into, b)):
                _spell_out(state.terms, player, row)
            _join(state.terms, source, into)
        rows[into] = merged
        both = [source, into]
        state["events"][into] = state["events"][both].sum()
        state["last_time"][into] = state["last_time"][both].max()


def _reserve(terms: Terms, events: EventColumns) -> None:
    """Make room for one more game for each row, and one for what was known before the first."""
    player = events.player
    first = np.unique(player[terms.length[player] == 0])
    if len(first):
        terms.reserve(np.concatenate([player, first]), events=len(events.offsets))
    else:
        terms.reserve(player, events=len(events.offsets) - 1)


def _spell_out(terms: Terms, player: int, row: Floats) -> None:
    """What is known of a player without past games, as the game it counts as (`start_list`)."""
    if terms.length[player] == 0 and row[D] > 0.0:
        draws = dict(zip(TERMS, ([row[MU]], [0.5], [row[W]]), strict=True))
        columns = {name: np.array(column) for name, column in draws.items()}
        terms.put(np.array([player]), TermRows(np.ones(1, np.int32), columns))


def _join(terms: Terms, source: int, into: int) -> None:
    """Give one player the past games of both."""
    both = terms.rows(np.array([into, source]))
    terms.put(np.array([into]), TermRows(np.array([both.length.sum()], np.int32), both.columns))
