"""What Elo-MMR and Elo-R share: a rating is a robust average of remembered performances."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, EventColumns, Floats, Longs
from podium.numerics.crews import in_crew
from podium.numerics.event_sides import days_between
from podium.numerics.threads import worth_threads
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import COUNT, NOT_NEGATIVE, POSITIVE, TIME_OR_NAN, Range
from podium.systems.contract.explained_ratings import Shares
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import Opponent, Sides, team_belief
from podium.systems.contract.state import State
from podium.systems.contract.system import RatedAlone
from podium.systems.contract.term_lists import Terms
from podium.systems.elo_mmr.contest_kernels import (
    ROWS_LEARNT_AT_ONCE,
    EloMMRRules,
    Normals,
    RememberedPerformances,
    rate_contests,
    rating_limits,
)
from podium.systems.elo_mmr.contest_system import ContestSystem
from podium.systems.elo_mmr.contest_walks import LogisticContestWalk
from podium.systems.elo_mmr.drift import ContestBeliefs, ContestField
from podium.systems.elo_mmr.logistic_duels import NEAR, logistic_win_probability
from podium.systems.elo_mmr.logistic_performances import empty_logistic_field
from podium.systems.elo_mmr.moved_rows import prepare_moves, rate_moved
from podium.systems.elo_mmr.team_contests import rate_team_contests, runs

HELPED_FROM = 1_000
"""Rows of a contest from which on helpers are worth their waking."""


@dataclass(frozen=True, kw_only=True)
class RememberingSystem(ContestSystem):
    """A contest system with logistic performances; beliefs remember as many of them as matter."""

    supports: ClassVar[Capabilities] = replace(ContestSystem.supports, teams=True)
    terms: ClassVar[tuple[str, ...]] = ("p", "w", "tau", "number", "time")
    ranges: ClassVar[dict[str, Range]] = {
        **ContestSystem.ranges,
        "w0": NOT_NEGATIVE,
        "origin_weight": NOT_NEGATIVE,
        "w": NOT_NEGATIVE,
        "tau": POSITIVE,
        "number": COUNT,
        "time": TIME_OR_NAN,
    }
    scale_in_deviations: ClassVar[float]
    """The scale of a logistic distribution, as a multiple of its deviation in the paper."""

    @abstractmethod
    def rules(self) -> EloMMRRules:
        """The parameters in the form kernels use."""

    def newcomer(self) -> dict[str, np.generic]:
        """A normal belief without remembered performances."""
        weight = np.float64(self.sigma**-2)
        return self.newcomer_columns() | {
            "p0": np.float64(self.mu),
            "w0": weight,
            "origin": np.float64(self.mu),
            "origin_weight": weight,
        }

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate contests in order; other threads help with large ones."""
        self.reserve(state, events)
        rows = int((events.offsets[1:] - events.offsets[:-1]).max())
        given = (
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
        standings = empty_logistic_field(rows)
        for run, with_teams in runs(events):
            if with_teams:
                rate_team_contests(run, *given, standings)
                continue
            found = np.empty((len(ContestField._fields) + 1, rows))
            sums = np.empty((rows // ROWS_LEARNT_AT_ONCE + 1, 3))
            rate = partial(rate_contests, run, *given, found, standings, sums)
            in_crew(rate, helped=bool(worth_threads(rows, HELPED_FROM)))

    def rated_alone(self, state: State, event: EventColumns) -> RatedAlone | None:
        """As in the base class; the table of the contest is made once, for all rows and places."""
        rows, rules = len(event.player), self.rules()
        field, standings = ContestField(*np.empty((4, rows))), empty_logistic_field(rows)
        newcomers, weights = state.shared["newcomers"], np.array(self.newcomer_weights, np.float64)
        mu_before, sigma_before = np.empty((2, rows))
        prepare_moves(
            event,
            self.beliefs(state),
            self.drift(),
            weights,
            newcomers,
            rules,
            field,
            standings,
            mu_before,
            sigma_before,
        )

        def rate(moved: Longs, better: Longs) -> tuple[Floats, Floats]:
            own = state.take(event.player[moved])
            _terms(own).reserve(np.arange(len(moved)), events=1)
            mu, sigma = mu_before[moved], sigma_before[moved]
            rate_moved(
                event,
                *self.columns(own),
                rules,
                newcomers,
                ContestField(*(column[moved] for column in field)),
                standings,
                moved,
                better,
                mu,
                sigma,
            )
            return mu, sigma

        return rate

    @staticmethod
    def reserve(state: State, events: EventColumns) -> None:
        """Make room for one more term for each row."""
        _terms(state).reserve(events.player, events=len(events.offsets) - 1)

    def columns(self, state: State) -> tuple[ContestBeliefs, Normals, RememberedPerformances]:
        """The state in the form kernels use."""
        terms = _terms(state)
        columns: Any = (terms[name] for name in self.terms)
        return (
            self.beliefs(state),
            Normals(*(state[name] for name in Normals._fields)),
            RememberedPerformances(terms.start, terms.length, terms.room, *columns),
        )

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set normal beliefs, forgetting performances; without `sigma` the deviations stay."""
        if sigma is None:
            sigma = self.view(state, players, NO_TIME)[1]
        variance = np.square(sigma)
        for name in ("mu", "p0", "origin"):
            state.column(name)[players] = mu
        for name in ("w0", "origin_weight"):
            state.column(name)[players] = 1.0 / variance
        state.column("variance")[players] = variance
        self.mark_set(state, players)
        _terms(state).clear(np.arange(state.size)[players])

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The probability that the first of two logistic performances is the higher."""
        return self.expected_between(Opponent(mu_a, sigma_a), Opponent(mu_b, sigma_b), home)

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats | None]:
        """The skill of a team: the mean of its members', taken as independent."""
        return team_belief(mu, sigma, sides, "mean", self.mu)

    def expected_between(self, a: Opponent, b: Opponent, home: ArrayLike) -> Floats:
        """The probability that the first of two performances, of players or teams, is the higher."""
        difference = np.asarray(np.subtract(a.mu, b.mu) + 0.0 * np.asarray(home))
        return self.chance(difference, *(self.side_deviation(side.sigma, side.members) for side in (a, b)))

    def chance(self, difference: Floats, deviation_a: Floats, deviation_b: Floats) -> Floats:
        """The probability that the first of two performances with these deviations is the higher."""
        scale = self.scale_in_deviations
        return logistic_win_probability(difference, scale * deviation_a, scale * deviation_b)

    def near_win_probability(
        self, mu_a: Floats, sigma_a: Floats | None, mu_b: Floats, sigma_b: Floats | None
    ) -> Floats:
        """The same within 1e-6, by a coarser rule."""
        a, b = (self.scale_in_deviations * d for d in self._deviations(sigma_a, sigma_b))
        return logistic_win_probability(mu_a - mu_b, a, b, NEAR)

    @property
    def exact_places(self) -> bool:
        """`win_probability` is that of two logistic performances."""
        return True

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Performances are logistic, as modelled in phase one."""
        return "logistic", self.scale_in_deviations * self.side_deviation(sigma, noise)

    def skill_walk(self) -> LogisticContestWalk:
        """Skills drift with contests and days, and are observed through logistic performances."""
        rules = self.rules()
        return LogisticContestWalk(
            drift_per_day=self.drift_per_day,
            pull=rules.pull,
            tau=rules.tau,
            drift=self.drift(),
            newcomer_weights=self.newcomer_weights,
            ties=rules.ties,
            scale=rules.scale,
        )

    def pulls(self, mu: float | Floats, p: Floats, w: Floats, tau: Floats) -> Floats:
        """The term of L' from each remembered factor."""
        pulled: Floats = self.rules().pull * w * tau * np.tanh((mu - p) / tau)
        return pulled

    def at_rest(self, p: Floats, tau: Floats) -> Floats:
        """The rating at which each remembered performance does not pull: itself if f is symmetric."""
        return p

    def limits_of(self, state: State, player: int, days: float) -> tuple[float, float, tuple[float, float]]:
        """Δ₊ and Δ₋ of Theorem 5.7 and its bounds, for an event of weight 1 after `days` days."""
        weights = np.array(self.newcomer_weights, np.float64)
        rise, fall, least, most = rating_limits(
            player, days, *self.columns(state), self.drift(), self.rules(), weights
        )
        return rise, fall, (least, most)

    def shares(self, state: State, player: int, at: int) -> Shares:
        """The rating split by Eq. (7): the weight of a factor is its pull divided by its distance."""
        if state["unknown"][player]:  # a newcomer, wherever newcomers start now
            state, player = state.take(np.array([player])), 0
            self.set_belief(state, np.zeros(1, np.int64), *self.view(state, np.zeros(1, np.int64), NO_TIME))
        mu = float(state["mu"][player])
        rows = _terms(state).of_one(player)
        w, tau = rows["w"], rows["tau"]
        timed = ~np.isnan(rows["time"])
        time = np.full(len(timed), NO_TIME)
        time[timed] = rows["time"][timed]
        p = self.at_rest(rows["p"], tau)
        # Right at the rating the quotient is the derivative there, taken from a point beside it.
        beside = np.where(np.abs(mu - p) < 1e-6 * tau, p + 1e-6 * tau, mu)
        weight = self.pulls(beside, rows["p"], w, tau) / (beside - p)
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
            time=time,
            rise=rise,
            fall=fall,
            bounds=bounds,
        )


def _terms(state: State) -> Terms:
    assert state.terms is not None
    return state.terms
