"""Yuksel's system: a Newton step a game, and as much memory as the rating's own unrest allows.

Cem Yuksel, "Skill-Based Matchmaking for Competitive Two-Player Games" (2024), section 3. A player's rating is
where past results, the newer the heavier, are what the win curve expects; every game moves it by one Newton
step. How fast old games fade goes by φ, the deviation of the rating over those games: a rating at rest
remembers nearly everything, one that moves forgets quickly. The compiled updates are in
`podium.numerics.yuksel`; `docs/yuksel.md` says when it is stable.

>>> from podium import Ladder, Yuksel
>>> ladder = Ladder(Yuksel())
>>> [round(change.mu) for change in ladder.record_match("ann", "bob")]
[1847, 1153]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.history import EventColumns
from podium.history.core import Bools, Floats, Longs
from podium.history.times import NO_TIME
from podium.numerics.curves import LN10
from podium.numerics.yuksel import FORMS, MU, ROW, SMALLEST, D, F, Memory, R, Rules, V, W, rate_duels
from podium.ratings import Trace
from podium.systems.base import UncertainSystem
from podium.systems.capabilities import Capabilities
from podium.systems.duels import DuelSystem
from podium.systems.parameters import parameter
from podium.systems.state import Row, State
from podium.systems.terms import TermRows, Terms
from podium.systems.wincurves import WinCurve

TERMS = ("rival", "score", "weight")
_NO_MEMORY = Memory(np.zeros(0, np.int64), np.zeros(0, np.int32), *(np.zeros(0) for _ in TERMS))


@dataclass(frozen=True, kw_only=True)
class Yuksel(UncertainSystem, DuelSystem):
    """Ratings by Newton's method, with games that fade as fast as the rating moves."""

    name: ClassVar[str] = "yuksel"
    summary: ClassVar[str] = "fast to converge and to follow a change, for matches between equals"
    supports: ClassVar[Capabilities] = Capabilities(ties=True, shares=True, weights=True, home=True)
    shown: ClassVar[frozenset[str]] = UncertainSystem.shown | DuelSystem.shown

    form: Literal["zero-sum", "independent", "zero-sum-exact", "batch", "zero-sum-at-limit"] = parameter(
        "zero-sum",
        "zero-sum: both move by the same (Algorithm 2); independent: each by their own step (Algorithm 1); "
        "zero-sum-exact: with the sum F kept (Eq. 14); batch: all past games solved anew after each (Eq. 6); "
        "zero-sum-at-limit: D corrected where the limit cuts only, as in Algorithm 1",
    )
    alpha: float = parameter(
        2.0, "how fast a rating that moves forgets", low=1.0, high=100.0, search=(1.0, 4.0)
    )
    limit: float = parameter(
        350.0, "points a rating moves in a game at most", low=1e-3, high=1e6, search=(50.0, 500.0)
    )
    step: float = parameter(
        1.0, "part of the Newton step that is taken", low=1e-3, high=1.0, search=(0.2, 1.0)
    )
    first_weight: float = parameter(
        1e-6, "what a newcomer's start weighs in the running variance, in games", low=1e-12, high=1e3
    )
    first_mean: Literal["zero", "rating"] = parameter(
        "zero", "the running mean before the first game: 0, as printed, or the first rating"
    )
    curve: WinCurve = parameter("logistic", "win curve: logistic, normal, or one of your own (WinCurve)")

    # ------------------------------------------------------------------ rating

    def newcomer(self) -> dict[str, Row]:
        """One row: the rating and its running sums."""
        row = np.zeros(ROW)
        row[[MU, W, R]] = self.mu, self.first_weight, self._first_mean(self.mu)
        return {"belief": row}

    def _first_mean(self, mu: float) -> float:
        return mu if self.first_mean == "rating" else 0.0

    def new_state(self, n_players: int = 0) -> State:
        """A state of newcomers; past games are remembered in the batch form only."""
        return State(self.newcomer(), n_players, terms=TERMS if self.form == "batch" else ())

    def rate_pairs(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order."""
        memory = _NO_MEMORY
        if (terms := state.terms) is not None:
            terms.reserve(events.player, events=len(events.offsets) - 1)
            memory = Memory(terms.start, terms.length, terms["rival"], terms["score"], terms["weight"])
        rate_duels(
            events,
            state["belief"],
            memory,
            state["events"],
            state["last_time"],
            self.curve.compiled,
            self._rules(),
            trace.mu_before,
            trace.sigma_before,
            trace.mu,
            trace.sigma,
        )

    def _rules(self) -> Rules:
        return Rules(
            form=FORMS[self.form],
            q=self._q,
            alpha=self.alpha,
            limit=self.limit,
            step=self.step,
            home_advantage=self.home_advantage,
        )

    @property
    def _q(self) -> float:
        return LN10 / self.scale

    # ------------------------------------------------------------------ looking and predicting

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """The rating and φ of Eq. (12); time does not change them.

        Of whom no game has told anything yet, φ says nothing (it is 0): the limit is shown.
        """
        rows = state["belief"][players]
        deviation = np.maximum(np.sqrt(rows[:, V] / rows[:, W]), SMALLEST)
        return rows[:, MU].copy(), np.where(rows[:, D] == 0.0, self.limit, deviation)

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The win curve of the difference; deviations play no part in it."""
        difference = np.subtract(mu_a, mu_b) + self.home_advantage * np.asarray(home)
        return self.curve(self._q * difference)

    def performance_spread(self, sigma: Floats | None, sizes: Longs) -> tuple[str, Floats]:
        """Gumbel performances, which differ by a logistic of the curve's slope between equals."""
        return "gumbel", np.full(len(sizes), 0.25 / self._steepest)

    @property
    def _steepest(self) -> float:
        """The slope of the curve between equals, a point."""
        return self._q * float(self.curve.slope(0.0))

    # ------------------------------------------------------------------ adjustments

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set ratings; a deviation σ that is new counts as so many even games as tell a rating that well.

        That is D = 1/(q σ²), the information of Glicko; the limit means that nothing is known.
        """
        index = np.arange(state.size)[players]
        shown = self.view(state, index, NO_TIME)[1]
        sigma = shown if sigma is None else np.broadcast_to(np.asarray(sigma, np.float64), shown.shape)
        mu = np.broadcast_to(np.asarray(mu, np.float64), shown.shape)
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
            row[R] = self._first_mean(mu)
        else:
            row[R] += by
        row[MU] = mu
        if state.terms is not None:
            rows = state.terms.rows(np.array([player]))
            rows.columns["rival"] += by
            state.terms.put(np.array([player]), rows)

    def _start(self, state: State, player: int, mu: float, sigma: float) -> None:
        row = state["belief"][player]
        row[:] = self.newcomer()["belief"]
        row[MU], row[R] = mu, self._first_mean(mu)
        known = sigma != self.limit
        if known:
            row[D] = 1.0 / (self._q * sigma**2)
            row[W] = row[D] / self._steepest
            row[R], row[V] = mu, row[W] * sigma**2
        if state.terms is not None:
            draws = np.array([[mu, 0.5, row[W]]] if known else np.zeros((0, 3)))
            columns = {name: draws[:, i].copy() for i, name in enumerate(TERMS)}
            state.terms.put(np.array([player]), TermRows(np.array([len(draws)], np.int32), columns))

    def unplayed(self, state: State) -> Bools:
        """Players whose games have told nothing yet."""
        unknown: Bools = state.column("belief")[:, D] == 0.0
        return unknown

    def merge(self, state: State, source: int, into: int) -> None:
        """All games of both accounts: sums add up, and the rating is where both F vanish together."""
        rows, merged = state["belief"], np.zeros(ROW)
        if rows[source, D] == 0.0:
            return
        if rows[into, D] == 0.0:
            state.swap(source, into)
            return
        a, b = rows[source], rows[into]
        merged[[W, D, F]] = a[[W, D, F]] + b[[W, D, F]]
        merged[MU] = (a[D] * a[MU] + b[D] * b[MU]) / merged[D]
        merged[R] = (a[W] * a[R] + b[W] * b[R]) / merged[W]
        merged[V] = a[V] + b[V] + a[W] * b[W] / merged[W] * (a[R] - b[R]) ** 2
        rows[into] = merged
        if state.terms is not None:
            _join(state.terms, source, into)
        both = [source, into]
        state["events"][into] = state["events"][both].sum()
        state["last_time"][into] = state["last_time"][both].max()


def _join(terms: Terms, source: int, into: int) -> None:
    """Give one player the past games of both."""
    both = terms.rows(np.array([into, source]))
    terms.put(np.array([into]), TermRows(np.array([both.length.sum()], np.int32), both.columns))
