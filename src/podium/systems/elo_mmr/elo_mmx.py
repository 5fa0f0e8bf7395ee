"""Elo-MMχ: Elo-MMR with normal performances, which needs no memory and resists no flukes.

Ebtekar and Liu, "Elo-MMR: a rating system for massive multiplayer competitions", WWW 2021. With a normal
prior, normal performances and normal drift a belief stays normal: two numbers a player. It is the exact
inference in the limit of large contests; what it lacks is robustness (Theorem 5.7): one result can move a
rating by any amount. The compiled part is `normal_contests`.

>>> from podium import EloMMX, Ladder
>>> ladder = Ladder(EloMMX())
>>> [round(change.mu, 1) for change in ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})]
[1735.2, 1500.0, 1264.8]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, EventColumns, Floats
from podium.numerics.newcomers import MEAN, learn_newcomers
from podium.numerics.normal import normal_win_probability
from podium.numerics.threads import even_parts, in_threads, worth_threads
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.explained_ratings import SURE
from podium.systems.contract.opponent_ratings import normal_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import TEAM, Opponent, Sides, team_belief
from podium.systems.contract.state import State
from podium.systems.elo_mmr.contest_system import ContestSystem, TwoNumberSystem
from podium.systems.elo_mmr.contest_walks import NormalContestWalk
from podium.systems.elo_mmr.drift import ContestField, find_beliefs
from podium.systems.elo_mmr.logistic_performances import HALF_TIES, WHOLE_TIES
from podium.systems.elo_mmr.normal_contests import (
    NORMAL_SWEEP,
    learn_normal_performances,
    rate_normal_contests,
)

THREADS_FROM = 8_000
"""Rows of a contest from which on threads pay."""
MOST_THREAD_PARTS, ROWS_OF_A_THREAD_PART = 8, 8192


def parts_of(rows: int) -> int:
    """Parts into which a contest with this number of rows is cut: two, or more if they are large."""
    return min(max(rows // ROWS_OF_A_THREAD_PART, 2), MOST_THREAD_PARTS)


def rate_in_order(
    events: EventColumns,
    rate_run: Callable[[EventColumns], None],
    rate_large: Callable[[EventColumns], None],
) -> None:
    """Rate events in order: large ones one by one, those between them in runs."""
    done, end = 0, len(events.offsets) - 1
    for large in np.flatnonzero(worth_threads(np.diff(events.offsets), THREADS_FROM)).tolist():
        if done < large:
            rate_run(events.part(done, large))
        rate_large(events.part(large, large + 1))
        done = large + 1
    if done < end:
        rate_run(events.part(done, end))


def found_field(system: ContestSystem, state: State, event: EventColumns, trace: Trace) -> ContestField:
    """What one event finds, as `find_beliefs` fills it."""
    lo, hi = event.offsets.tolist()
    field = ContestField(*(np.empty(hi - lo) for _ in ContestField._fields))
    given = (system.beliefs(state), system.drift_and_newcomers(state), field, trace.kernel_columns)
    parts = even_parts(hi - lo, parts_of(hi - lo))
    in_threads(find_beliefs, [(event, 0, *part, *given) for part in parts])
    return field


def learn_in_parts(
    learn: Callable[..., None], system: ContestSystem, state: State, rows: int, *given: Any
) -> None:
    """Call `learn` for each part: its first and last row, what is given, and where newcomers' sums go."""
    parts = even_parts(rows, parts_of(rows))
    sums = np.zeros((len(parts), 3))
    in_threads(learn, [(*part, *given, sums[i]) for i, part in enumerate(parts)])
    if system.adaptive_start:
        count, total, squares = sums.sum(axis=0).tolist()
        learn_newcomers(state.shared["newcomers"], int(count), total, squares)


@dataclass(frozen=True, kw_only=True)
class EloMMX(TwoNumberSystem):
    """Elo-MMχ: normal beliefs and normal performances, with teams.

    >>> import podium
    >>> ladder = podium.Ladder(podium.EloMMX())
    >>> _ = ladder.record(teams=[["ann", "bob"], ["cat", "dan"]], ranks=[1, 2])
    >>> round(ladder.rating("ann").mu), round(ladder.rating("cat").mu)
    (1610, 1390)
    """

    name: ClassVar[str] = "elo-mmx"
    summary: ClassVar[str] = "a simpler Elo-MMR, in which a single very good or bad day counts in full"
    explained: ClassVar[str] = f"""
        After every event the system finds the strength that explains your rank against these opponents, and
        moves your rating towards it. {SURE}
    """

    supports: ClassVar[Capabilities] = replace(TwoNumberSystem.supports, teams=True)

    team: Literal["mean", "sum"] = parameter("mean", TEAM)

    def newcomer(self) -> dict[str, np.generic]:
        """A normal belief."""
        return self.newcomer_columns()

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate contests in order, in place, and fill the trace. Large ones use threads."""
        ties = WHOLE_TIES if self.ties == "whole" else HALF_TIES
        before = self.drift_and_newcomers(state)

        def rate_run(run: EventColumns) -> None:
            rate_normal_contests(
                run, self.beliefs(state), before, ties, self.team == "mean", self.mu, trace.kernel_columns
            )

        def rate_large(event: EventColumns) -> None:
            lo, hi = event.offsets.tolist()
            field, shown, own = found_field(self, state, event, trace), np.empty(hi - lo), np.ones(hi - lo)
            NORMAL_SWEEP.in_threads(field.prior, field.deviation, event.rank[lo:hi], ties, shown)
            if len(event.ceiling):
                np.minimum(shown, event.ceiling[0], out=shown)
            known = float(before.newcomers[MEAN])
            given = (event, 0, self.beliefs(state), field, shown, own, known, trace.kernel_columns)
            learn_in_parts(learn_normal_performances, self, state, hi - lo, *given)

        rate_in_order(events, rate_run, rate_run if len(events.side) else rate_large)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set beliefs. Without `sigma` the deviations stay."""
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
