"""TrueSkill: what a ranking of players or teams says, by expectation propagation.

Herbrich, Minka and Graepel, "TrueSkill: a Bayesian skill rating system", NIPS 2006. Skills are normal,
performances scatter around them by β, a team performs as the sum of its members, and of two neighbours in the
ranking the better one was better by more than a margin, which follows from the share of draws. The belief
about the performances is found by passing messages along the ranking until they settle
(`propagation`); each member's skill is then conditioned on the team's performance, which is
exact. Moments are taken without losing digits anywhere (`podium.numerics.normal`), so that no upset and no
size of contest breaks it.

>>> from podium import Ladder, TrueSkill
>>> ladder = Ladder(TrueSkill(draw_rate=0.1))
>>> [round(change.mu, 3) for change in ladder.record_match("ann", "bob")]
[29.396, 20.604]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_TIME, EventColumns, Floats, Ints, Longs
from podium.errors import InputError
from podium.numerics.event_sides import (
    days_between,
    event_weight,
    find_sides,
    home_side,
    is_held,
    largest_event,
    played,
    side_of,
)
from podium.numerics.jit import kernel
from podium.numerics.newcomers import Newcomers, first_result, learn_first_results, newcomer_mean
from podium.numerics.ordering import order_sides
from podium.parameters import parameter
from podium.systems.contract.explained_ratings import SURE
from podium.systems.contract.normal_system import NormalSystem, margin_outcomes, margin_score
from podium.systems.contract.opponent_ratings import normal_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import Opponent
from podium.systems.contract.state import State
from podium.systems.trueskill.propagation import Ranked, learn_ranking, room_for_ranking


@dataclass(frozen=True, kw_only=True)
class TrueSkill(NormalSystem):
    """TrueSkill for matches of two, teams and contests of any size.

    >>> import podium
    >>> ladder = podium.Ladder(podium.TrueSkill(draw_rate=0.1))
    >>> _ = ladder.record(teams=[["ann", "bob"], ["cat", "dan"]], ranks=[1, 2])
    >>> round(ladder.rating("ann").mu, 1), round(ladder.rating("ann").sigma, 1)
    (28.1, 7.8)
    """

    name: ClassVar[str] = "trueskill"
    summary: ClassVar[str] = "members of teams of any size, with draws and partial play, and contests"
    explained: ClassVar[str] = f"""
        The system assumes that every player has a skill, and plays a little better or worse than that on
        the day. A team plays as well as its members together. After an event it shifts its beliefs to what
        makes the result most likely. {SURE}
    """

    draw_rate: float = parameter(
        0.0,
        "share of draws between equal sides, which sets the margin of a win. Use 0 for contests "
        "of many players",
        high=0.99,
        search=(0.0, 0.5),
        needs="ties",
    )

    @property
    def _margin(self) -> float:
        """The margin between two sides, over √members: ε = Φ⁻¹((p + 1)/2) √(n₁ + n₂) β."""
        return NormalDist().inv_cdf((self.draw_rate + 1.0) / 2.0) * self.beta

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, in place, and fill the trace."""
        _rate(
            events,
            state["mu"],
            state["variance"],
            state["events"],
            state["last_time"],
            self.newcomers(state),
            TrueSkillRules(
                beta2=self.beta**2,
                tau2=self.tau**2,
                per_day=self.drift_per_day,
                unit=self._margin**2,
                home_advantage=self.home_advantage,
            ),
            room_for_ranking(largest_event(events.offsets)),
            trace.mu_before,
            trace.sigma_before,
            trace.mu,
            trace.sigma,
        )

    def expected_score(self, difference: Floats, deviation: Floats, members: ArrayLike) -> Floats:
        """The probability of a win plus half that of a draw."""
        return margin_score(difference, self._margin * np.sqrt(members), deviation)

    def match_quality(self, teams: Sequence[Sequence[tuple[float, float]]]) -> float:
        """How likely a draw of all teams is, relative to equal teams of known skills: 0 to 1.

        `teams` are the (mu, sigma) of their members. It is the quality of Herbrich, Minka and Graepel (2006),
        section 4.2, for any number of teams. For neighbouring teams A, the differences of their performances
        are normal with mean Aᵀμ and covariance β²AᵀA + AᵀΣA. The density at 0 is compared with that of β²AᵀA
        alone.

        >>> round(TrueSkill().match_quality([[(25, 25 / 3)], [(25, 25 / 3)]]), 3)
        0.447
        """
        if len(teams) < 2 or not all(teams):
            raise InputError("the quality of a match needs two teams or more, none of them empty")
        beliefs = np.array([belief for team in teams for belief in team], np.float64)
        team = np.repeat(np.arange(len(teams)), [len(members) for members in teams])
        ahead = np.arange(len(teams) - 1)
        a = (team[:, None] == ahead).astype(float) - (team[:, None] == ahead + 1)
        noise = self.beta**2 * a.T @ a
        whole = noise + a.T @ (beliefs[:, 1:] ** 2 * a)
        lead = a.T @ beliefs[:, 0]
        narrow = np.linalg.slogdet(noise)[1] - np.linalg.slogdet(whole)[1]
        return float(np.exp(0.5 * (narrow - lead @ np.linalg.solve(whole, lead))))

    @property
    def rank_raises_display(self) -> bool:
        """The mean rises with the rank, but the deviation depends on the result too.

        Where draws have a margin, a first place before several who tie far away can be worth less than a
        place between them.
        """
        return self.display_k == 0.0 and self.draw_rate == 0.0

    @property
    def exact_places(self) -> bool:
        """Without draws, the expected score is that of two normal performances."""
        return self.draw_rate == 0.0

    def score_gap(self, probability: Floats, deviation: Floats) -> Floats | None:
        """The inverse of the normal curve. None if draws are expected."""
        return normal_gap(probability, deviation) if self._margin == 0.0 else None

    def outcomes_between(self, a: Opponent, b: Opponent, home: ArrayLike) -> Floats:
        """Probabilities of win, draw, loss: a difference of performances within the margin is a draw."""
        difference, deviation, members = self.difference(a, b, home)
        return margin_outcomes(difference, self._margin * np.sqrt(members), deviation)


class TrueSkillRules(NamedTuple):
    """The parameters of TrueSkill in the form kernels use."""

    beta2: float
    tau2: float
    per_day: float
    unit: float
    """The squared margin of two sides, divided by the number of their members."""
    home_advantage: float


@kernel
def _rate(
    ev: EventColumns,
    mu: Floats,
    variance: Floats,
    events: Ints,
    last_time: Longs,
    newcomers: Newcomers,
    rules: TrueSkillRules,
    ranked: Ranked,
    mu_before: Floats,
    sigma_before: Floats,
    mu_after: Floats,
    sigma_after: Floats,
) -> None:
    """Rate events in order, in place."""
    offsets, player, rank, side, held, time, weight, home, _, _, play, _ = ev
    mean, spread, unit, starts, precision, pull, _, _, _ = ranked
    room = largest_event(offsets)
    first, size = np.empty(room, np.int32), np.empty(room, np.int32)
    grown, apart = np.empty(room), np.empty(room)
    strength, scatter, behind = np.empty(room), np.empty(room), np.empty(room)
    order, place = np.empty(room, np.int64), np.empty(room, np.int64)
    unknown, learned = newcomers
    tracing, learning = len(mu_before) > 0, len(learned) > 0
    start = 0.0
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        if learning:
            start = newcomer_mean(learned)
        new, first_weight, first_change = 0, 0.0, 0.0
        beta2 = rules.beta2 / event_weight(weight, e)
        sides = find_sides(side, lo, hi, first, size)
        at_home = home_side(home, player, side, e, lo, hi)
        for i in range(sides):
            strength[i] = rules.home_advantage if i == at_home else 0.0
            scatter[i], behind[i] = 0.0, 0.0
        for r in range(lo, hi):
            j, i = player[r], side_of(side, r, lo)
            found = variance[j] + rules.per_day * days_between(last_time[j], time[e])
            here = mu[j]
            if learning and unknown[j]:
                here, new = start, new + 1
                if not is_held(held, r):
                    mu[j] = start
            if tracing:
                mu_before[r], sigma_before[r] = here, np.sqrt(found)
            grown[r - lo] = found + rules.tau2
            part = played(play, r)
            strength[i] += part * here
            apart[r - lo] = scatter[i] + part * part * beta2
            scatter[i] += part * part * (grown[r - lo] + beta2)
        for r in range(hi - 1, lo - 1, -1):
            # What in the side's performance is not this player's skill: a sum, as a skill may be nearly all.
            i, part = side_of(side, r, lo), played(play, r)
            apart[r - lo] += behind[i]
            behind[i] += part * part * (grown[r - lo] + beta2)
        ties = order_sides(rank, first, sides, order, starts)
        for k in range(sides):
            i = order[k]
            place[i] = k
            mean[k], spread[k], unit[k] = strength[i], scatter[i], rules.unit / rules.beta2 * beta2 * size[i]
        learn_ranking(ranked, sides, ties)
        for r in range(lo, hi):
            j, k = player[r], place[side_of(side, r, lo)]
            if is_held(held, r):
                if tracing:
                    mu_after[r], sigma_after[r] = mu_before[r], sigma_before[r]
                continue
            # Skill and the side's performance are jointly normal with covariance `shared`: condition on it.
            shared = played(play, r) * grown[r - lo]
            told = 1.0 + spread[k] * precision[k]
            change = shared * pull[k] / told
            mu[j] += change
            variance[j] = grown[r - lo] * (1.0 + apart[r - lo] * precision[k]) / told
            if learning and unknown[j]:
                unknown[j] = False
                says = first_result(change, grown[r - lo], variance[j])
                first_weight, first_change = first_weight + says[0], first_change + says[1]
            events[j] += 1
            if time[e] != NO_TIME:
                last_time[j] = time[e]
            if tracing:
                mu_after[r], sigma_after[r] = mu[j], np.sqrt(variance[j])
        if first_weight > 0.0:
            learn_first_results(learned, hi - lo, new, first_weight, first_change, True)
