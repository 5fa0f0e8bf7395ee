"""What Elo-MMR and Elo-R share: a rating is a robust average of remembered performances."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, EventColumns, Floats, Longs, TraceColumns
from podium.numerics.crews import in_crew
from podium.numerics.event_sides import days_between
from podium.numerics.exponential import exp
from podium.numerics.jit import interpreted_as, kernel
from podium.numerics.newcomers import MEAN
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
    RememberingColumns,
    rate_contests,
    rate_team_contests,
    rating_limits,
    runs,
)
from podium.systems.elo_mmr.contest_system import ContestSystem
from podium.systems.elo_mmr.contest_walks import LogisticContestWalk
from podium.systems.elo_mmr.drift import ContestField
from podium.systems.elo_mmr.logistic_performances import empty_logistic_field
from podium.systems.elo_mmr.moved_rows import prepare_moves, rate_moved

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
        """Rate contests in order. Other threads help with large ones."""
        self.reserve(state, events)
        rows = int((events.offsets[1:] - events.offsets[:-1]).max())
        given = (self.columns(state), self.drift_and_newcomers(state), self.rules(), trace.kernel_columns)
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
        """As in the base class. The table of the contest is made once, for all rows and places."""
        rows, rules = len(event.player), self.rules()
        field, standings = ContestField(*np.empty((4, rows))), empty_logistic_field(rows)
        before, found = self.drift_and_newcomers(state), TraceColumns(*np.empty((5, rows)))
        prepare_moves(event, self.beliefs(state), before, rules, field, standings, found)

        def rate(moved: Longs, better: Longs) -> tuple[Floats, Floats]:
            count, own = len(moved), state.take(event.player[moved])
            _terms(own).reserve(np.arange(count), events=1)
            rows = event._replace(
                offsets=np.array([0, count]),
                player=np.arange(count, dtype=np.int32),
                held=event.held[moved] if len(event.held) else event.held,
            )
            there = ContestField(*(column[moved] for column in field))
            trace = TraceColumns(*(column[moved] for column in found))
            known = float(before.newcomers[MEAN])
            rate_moved(rows, self.columns(own), rules, known, there, standings, moved, better, trace)
            return trace.mu, trace.sigma

        return rate

    @staticmethod
    def reserve(state: State, events: EventColumns) -> None:
        """Make room for one more term for each row."""
        _terms(state).reserve(events.player, events=len(events.offsets) - 1)

    def columns(self, state: State) -> RememberingColumns:
        """The state in the form kernels use."""
        terms = _terms(state)
        columns: Any = (terms[name] for name in self.terms)
        return RememberingColumns(
            self.beliefs(state),
            Normals(*(state[name] for name in Normals._fields)),
            RememberedPerformances(terms.start, terms.length, terms.room, *columns),
        )

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set normal beliefs, forgetting performances. Without `sigma` the deviations stay."""
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
        before = self.drift_and_newcomers(state)
        rise, fall, least, most = rating_limits(player, days, self.columns(state), before, self.rules())
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
            skewed=bool((p != rows["p"]).any()),
        )


def _terms(state: State) -> Terms:
    assert state.terms is not None
    return state.terms


class Trapezoid(NamedTuple):
    """A trapezoid rule for the logistic density, symmetric about 0; its error falls like e^(−2π²/step)."""

    step: float
    weights: Floats
    """Of the node at 0, and of those on one side of it."""

    @classmethod
    def of(cls, step: float, nodes: int) -> Trapezoid:
        """The rule with so many nodes on each side."""
        density = 1.0 / (4.0 * np.cosh(0.5 * step * np.arange(nodes + 1)) ** 2)
        return cls(step, density / (2.0 * density.sum() - density[0]))


EXACT, NEAR = Trapezoid.of(0.5, 76), Trapezoid.of(1.0, 17)
"""The rules for a chance to 1e-13, and for one to 1e-6."""
PAIRS_AT_ONCE = 64
"""Pairs that are integrated together, so that the processor divides several at a time."""


def _wins_by_arrays(
    difference: Floats, scale_a: Floats, scale_b: Floats, width: float, weights: Floats, out: Floats
) -> None:
    """What `_logistic_wins` computes, all pairs at once."""
    narrow, wide = np.minimum(scale_a, scale_b), np.maximum(scale_a, scale_b)
    a = np.exp(-np.minimum(np.abs(difference) / wide, 700.0))
    step = 2.0 * np.cosh(width * (narrow / wide))
    before, s = np.full_like(a, 2.0), step
    square = a * a
    lower = weights[0] * a / (1.0 + a)
    for weight in weights[1:].tolist():
        product = a * s
        lower += weight * (product + 2.0 * square) / (1.0 + product + square)
        s, before = step * s - before, s
    lower[difference == 0.0] = 0.5
    out[:] = np.where(difference < 0.0, lower, 1.0 - lower)


@interpreted_as(_wins_by_arrays)
@kernel
def _logistic_wins(
    difference: Floats, scale_a: Floats, scale_b: Floats, width: float, weights: Floats, out: Floats
) -> None:
    """The chance of the first of two logistic performances; that of the lower is ∫ σ'(u) σ(ratio·u − far) du.

    The unit is the scale of the wider one; the ratio is that of the narrower scale to it. For a = e^−far the
    nodes u and −u together give (a s + 2a²)/(1 + a s + a²), where s = 2 cosh(ratio·u) follows from those of
    the two nodes before: there is no exponential in the loop.
    """
    a, step, s, before, total = np.empty((5, PAIRS_AT_ONCE))
    for start in range(0, len(difference), PAIRS_AT_ONCE):
        size = min(PAIRS_AT_ONCE, len(difference) - start)
        for i in range(size):
            narrow = min(scale_a[start + i], scale_b[start + i])
            wide = max(scale_a[start + i], scale_b[start + i])
            a[i] = exp(-min(abs(difference[start + i]) / wide, 700.0))
            grown = exp(width * (narrow / wide))
            step[i] = grown + 1.0 / grown  # 2 cosh
            before[i], s[i] = 2.0, step[i]
            total[i] = weights[0] * a[i] / (1.0 + a[i])
        for node in range(1, len(weights)):
            weight = weights[node]
            for i in range(size):
                product = a[i] * s[i]
                square = a[i] * a[i]
                total[i] += weight * (product + 2.0 * square) / (1.0 + product + square)
                s[i], before[i] = step[i] * s[i] - before[i], s[i]
        for i in range(size):
            d = difference[start + i]
            out[start + i] = 0.5 if d == 0.0 else total[i] if d < 0.0 else 1.0 - total[i]


def logistic_win_probability(
    difference: ArrayLike, scale_a: ArrayLike, scale_b: ArrayLike, rule: Trapezoid = EXACT
) -> Floats:
    """The probability that the first of two logistic performances, `difference` apart, is the higher.

    Between equals it is a half to the last bit: whoever compares it with the other side's must find a tie.

    >>> logistic_win_probability(0.0, 120.0, 200.0).tolist()
    0.5
    """
    d, a, b = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (difference, scale_a, scale_b)))
    chance = np.empty(d.shape)
    d, a, b = (x.flatten() for x in (d, a, b))  # copies: NumPy warns if a kernel could write to the others
    _logistic_wins(d, a, b, rule.step, rule.weights, chance.ravel())
    return chance
