"""What Elo-MMR and Elo-R share: a rating is a robust average of remembered performances."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.history import EventColumns
from podium.history.core import Floats
from podium.history.times import NO_TIME
from podium.numerics.contests import Memory, Normals, Rules, rate_contests, rating_limits
from podium.numerics.curves import logistic_win_probability
from podium.numerics.drift import Beliefs
from podium.numerics.pairwise import days_between
from podium.ratings import Trace
from podium.systems.base import Shares
from podium.systems.contests import ContestSystem
from podium.systems.state import State
from podium.systems.terms import Terms


@dataclass(frozen=True, kw_only=True)
class RememberingSystem(ContestSystem):
    """A contest system with logistic performances, of which beliefs remember as many as matter."""

    terms: ClassVar[tuple[str, ...]] = ("p", "w", "tau", "number", "time")
    scale_in_deviations: ClassVar[float]
    """The scale of a logistic distribution, in its deviation as the paper counts it."""

    @abstractmethod
    def rules(self) -> Rules:
        """The parameters as kernels take them."""

    def newcomer(self) -> dict[str, np.generic]:
        """A normal belief that remembers nothing."""
        weight = np.float64(self.sigma**-2)
        return self.newcomer_columns() | {
            "p0": np.float64(self.mu),
            "w0": weight,
            "origin": np.float64(self.mu),
            "origin_weight": weight,
        }

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate contests in order."""
        self.reserve(state, events)
        rate_contests(
            events,
            *self.columns(state),
            self.drift(),
            self.rules(),
            np.array(self.newcomer_weights, np.float64),
            state.shared["newcomers"],
            trace.mu_before,
            trace.sigma_before,
            trace.performance,
            trace.mu,
            trace.sigma,
        )

    @staticmethod
    def reserve(state: State, events: EventColumns) -> None:
        """Make room for one more term a row."""
        _terms(state).reserve(events.player, events=len(events.offsets) - 1)

    def columns(self, state: State) -> tuple[Beliefs, Normals, Memory]:
        """The state as kernels take it."""
        terms = _terms(state)
        columns: Any = (terms[name] for name in self.terms)
        return (
            self.beliefs(state),
            Normals(*(state[name] for name in Normals._fields)),
            Memory(terms.start, terms.length, terms.room, *columns),
        )

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """A normal belief, and nothing remembered; a deviation that is not given stays."""
        if sigma is None:
            sigma = self.view(state, players, NO_TIME)[1]
        variance = np.square(sigma)
        for name in ("mu", "p0", "origin"):
            state.column(name)[players] = mu
        for name in ("w0", "origin_weight"):
            state.column(name)[players] = 1.0 / variance
        state.column("variance")[players] = variance
        state.column("unknown")[players] = False
        _terms(state).clear(np.arange(state.size)[players])

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The chance of the higher of two performances, each logistic as phase one takes it to be."""
        a, b = (self.scale_in_deviations * d for d in self._deviations(sigma_a, sigma_b))
        return logistic_win_probability(np.subtract(mu_a, mu_b) + 0.0 * np.asarray(home), a, b)

    def performance_spread(self, sigma: Floats | None, n: int) -> tuple[str, Floats]:
        """Logistic performances, as phase one takes them to be."""
        return "logistic", self.scale_in_deviations * self._deviations(sigma)[0]

    def pulls(self, mu: float | Floats, p: Floats, w: Floats, tau: Floats) -> Floats:
        """What each remembered factor adds to L'."""
        pulled: Floats = self.rules().pull * w * tau * np.tanh((mu - p) / tau)
        return pulled

    def limits_of(self, state: State, player: int, days: float) -> tuple[float, float, tuple[float, float]]:
        """Δ₊ and Δ₋ of Theorem 5.7, and its bounds of both, for an event of weight 1 after so many days."""
        weights = np.array(self.newcomer_weights, np.float64)
        rise, fall, least, most = rating_limits(
            player, days, *self.columns(state), self.drift(), self.rules(), weights
        )
        return rise, fall, (least, most)

    def shares(self, state: State, player: int, at: int) -> Shares:
        """The rating taken apart by Eq. (7): what each factor weighs is its pull over its distance."""
        if state["unknown"][player]:  # a newcomer, wherever newcomers start now
            state, player = state.take(np.array([player])), 0
            self.set_belief(state, np.zeros(1, np.int64), *self.view(state, np.zeros(1, np.int64), NO_TIME))
        mu = float(state["mu"][player])
        rows = _terms(state).rows(np.array([player])).columns
        p, w, tau = rows["p"], rows["w"], rows["tau"]
        # Right at the rating the quotient is the derivative there, taken from a point beside it.
        beside = np.where(np.abs(mu - p) < 1e-6 * tau, p + 1e-6 * tau, mu)
        weight = self.pulls(beside, p, w, tau) / (beside - p)
        p0, w0, origin, kept = (float(state[n][player]) for n in ("p0", "w0", "origin", "origin_weight"))
        total = w0 + float(weight.sum())
        rise, fall, bounds = self.limits_of(state, player, days_between(int(state["last_time"][player]), at))
        return Shares(
            origin=origin,
            origin_share=kept / total,
            older=(w0 * p0 - kept * origin) / (w0 - kept) if w0 > kept else origin,
            older_share=max(w0 - kept, 0.0) / total,
            performance=p,
            share=weight / total,
            number=rows["number"].astype(np.int64),
            time=np.where(np.isnan(rows["time"]), NO_TIME, np.nan_to_num(rows["time"])).astype(np.int64),
            rise=rise,
            fall=fall,
            bounds=bounds,
        )


def _terms(state: State) -> Terms:
    assert state.terms is not None
    return state.terms
