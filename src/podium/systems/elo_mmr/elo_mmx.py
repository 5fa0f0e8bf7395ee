"""Elo-MMχ: Elo-MMR with normal performances, which needs no memory and resists no flukes.

Ebtekar and Liu, "Elo-MMR: a rating system for massive multiplayer competitions", WWW 2021. With a normal
prior, normal performances and normal drift a belief stays normal: two numbers a player. It is the exact
inference in the limit of large contests; what it lacks is robustness (Theorem 5.7): one result can move a
rating by any amount. The compiled parts are `normal_performances` and `normal_contests`.

>>> from podium import EloMMX, Ladder
>>> ladder = Ladder(EloMMX())
>>> [round(change.mu, 1) for change in ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})]
[1735.2, 1500.0, 1264.8]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, EventColumns, Floats
from podium.numerics.newcomers import MEAN
from podium.numerics.normal import normal_win_probability
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.opponent_ratings import normal_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import Opponent, Sides
from podium.systems.contract.state import State
from podium.systems.contract.team_beliefs import TEAM, team_belief
from podium.systems.elo_mmr.contest_walks import NormalContestWalk
from podium.systems.elo_mmr.large_contests import found_field, learn_in_parts, rate_in_order
from podium.systems.elo_mmr.limit_parameters import TwoNumberSystem
from podium.systems.elo_mmr.logistic_performances import HALF_TIES, WHOLE_TIES
from podium.systems.elo_mmr.normal_contests import learn_normal_performances, rate_normal_contests
from podium.systems.elo_mmr.normal_performances import NORMAL_SWEEP


@dataclass(frozen=True, kw_only=True)
class EloMMX(TwoNumberSystem):
    """Elo-MMχ: normal beliefs and normal performances, with teams."""

    name: ClassVar[str] = "elo-mmx"
    summary: ClassVar[str] = (
        "Elo-MMR with normal performances: two numbers a player, no protection from flukes"
    )

    supports: ClassVar[Capabilities] = replace(TwoNumberSystem.supports, teams=True)

    team: Literal["mean", "sum"] = parameter("mean", TEAM)

    def newcomer(self) -> dict[str, np.generic]:
        """A normal belief."""
        return self.newcomer_columns()

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate contests in order, in place, and fill the trace; large ones in threads."""
        ties = WHOLE_TIES if self.ties == "whole" else HALF_TIES

        def rate_run(run: EventColumns) -> None:
            rate_normal_contests(
                run,
                self.beliefs(state),
                self.drift(),
                ties,
                np.array(self.newcomer_weights, np.float64),
                state.shared["newcomers"],
                self.team == "mean",
                self.mu,
                trace.mu_before,
                trace.sigma_before,
                trace.performance,
                trace.mu,
                trace.sigma,
            )

        def rate_large(event: EventColumns) -> None:
            lo, hi = event.offsets.tolist()
            field, shown, own = found_field(self, state, event, trace), np.empty(hi - lo), np.ones(hi - lo)
            NORMAL_SWEEP.in_threads(field.prior, field.deviation, event.rank[lo:hi], ties, shown)
            if len(event.ceiling):
                np.minimum(shown, event.ceiling[0], out=shown)
            learn_in_parts(
                learn_normal_performances,
                self,
                state,
                hi - lo,
                event,
                0,
                self.beliefs(state),
                field,
                shown,
                own,
                float(state.shared["newcomers"][MEAN]),
                trace.mu_before,
                trace.sigma_before,
                trace.performance,
                trace.mu,
                trace.sigma,
            )

        rate_in_order(events, rate_run, rate_run if len(events.side) else rate_large)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set beliefs; without `sigma` the deviations stay."""
        if sigma is None:
            sigma = self.view(state, players, NO_TIME)[1]
        state.column("mu")[players] = mu
        state.column("variance")[players] = np.square(sigma)
        self.mark_set(state, players)

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The probability that the first of two normal performances is the higher: exact in this model."""
        return self.expected_between(Opponent(mu_a, sigma_a), Opponent(mu_b, sigma_b), home)

    def closed_gap(
        self, probability: Floats, sigma: ArrayLike | None, opponent_sigma: ArrayLike | None
    ) -> Floats | None:
        """The inverse of the normal curve of both performances."""
        return normal_gap(probability, np.hypot(*(self._spread(s, 1) for s in (sigma, opponent_sigma))))

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats | None]:
        """The skill of a team: the mean or the sum over its members, taken as independent."""
        return team_belief(mu, sigma, sides, self.team, self.mu)

    def expected_between(self, a: Opponent, b: Opponent, home: ArrayLike) -> Floats:
        """The probability that the first of two performances, of players or teams, is the higher."""
        spread = np.hypot(*(self._spread(side.sigma, side.members) for side in (a, b)))
        return normal_win_probability(np.subtract(a.mu, b.mu) + 0.0 * np.asarray(home), spread)

    @property
    def exact_places(self) -> bool:
        """`win_probability` is that of two normal performances."""
        return True

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Performances are normally distributed."""
        return "normal", self._spread(sigma, noise)

    def skill_walk(self) -> NormalContestWalk:
        """Skills drift with contests and days, and are observed through normal performances."""
        return NormalContestWalk(
            drift_per_day=self.drift_per_day,
            drift=self.drift(),
            newcomer_weights=self.newcomer_weights,
            ties=WHOLE_TIES if self.ties == "whole" else HALF_TIES,
            mean_of_team=self.team == "mean",
            newcomer=self.mu,
        )

    def _spread(self, sigma: ArrayLike | None, members: ArrayLike) -> Floats:
        return self.side_deviation(sigma, members, mean=self.team == "mean")
