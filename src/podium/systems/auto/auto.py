"""Auto: many systems at once, weighted by how well each has predicted so far.

Nobody has to know which system predicts their game. A list of experts, systems with parameters, is rated side
by side. Each predicts raw and calibrated, regressions on their log odds are three more, and the prediction
is the mixture of all, with weights that every result multiplies by the chance given to it (the aggregating
algorithm, with a fixed share so that the best may change). The mixture loses hardly more than the best expert
in hindsight: docs/auto.md has the theorem.

>>> from podium import Auto, Ladder
>>> ladder = Ladder(Auto(experts="few"))
>>> [round(change.gain) for change in ladder.record_match("ann", "bob")]
[58, -58]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Bools, EventColumns, Floats, Longs
from podium.errors import StateError, UnsupportedError
from podium.history import Adjustment, Anchor, History, Names, Reset, SetRating
from podium.history.adjustments import LARGEST_RATING, SMALLEST_SIGMA
from podium.history.columns import event_columns
from podium.numerics.draws import split_expected_score
from podium.numerics.win_chances import LN10, logistic_of
from podium.parameters import parameter
from podium.systems.auto.absence import absence_of
from podium.systems.auto.contest_ratings import (
    CONTESTS,
    check_contests,
    contest_opinions,
    contest_start,
    ratings_by_score,
)
from podium.systems.auto.contest_scores import ABSENCE
from podium.systems.auto.contest_scores import nothing_learned as no_contests
from podium.systems.auto.expert_lists import STANDARD, Expert, ExpertList
from podium.systems.auto.expert_ratings import rate_experts
from podium.systems.auto.mixing_kernels import mix_chances, mix_events
from podium.systems.auto.mixture_columns import Learned, Met, Public, Said, Scored, Told
from podium.systems.auto.odds_regressions import LARGEST_COEFFICIENT, REGRESSION_VARIANCES
from podium.systems.auto.public_ratings import (
    NO_DEVIATION,
    POINTS,
    REFERENCE_RATING,
    points_between,
    rate_publicly,
)
from podium.systems.auto.reference_meetings import against_reference
from podium.systems.contract.calibration import (
    CALIBRATION,
    CALIBRATION_RANGES,
    Calibration,
    check_covariance,
    inexperience,
    nothing_learned,
)
from podium.systems.contract.calibration_kernels import EXPERIENCED_EVENTS
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import COUNT, POSITIVE, Range
from podium.systems.contract.event_evidence import TWO, event_evidence
from podium.systems.contract.opinions import Opinion
from podium.systems.contract.opponent_ratings import logistic_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import EventSides, field_scores
from podium.systems.contract.sides import Sides
from podium.systems.contract.state import Row, State
from podium.systems.contract.state_adjustments import adjust_state
from podium.systems.contract.system import RatingSystem
from podium.systems.contract.team_beliefs import team_belief
from podium.text import shorten

_ROUNDING = 1e-6
LEAST_COEFFICIENT = 1e-12
"""Coefficients of regressions count as this much at least, where their sizes are compared."""
_ABLE = "experts=standard has some for every kind of event"
_CALIBRATION_RANGE = CALIBRATION_RANGES[CALIBRATION]


@dataclass(frozen=True, kw_only=True)
class Auto(RatingSystem):
    """Many systems at once, weighted by how well each has predicted so far."""

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "many systems at once, each weighted by how well it has predicted so far"
    supports: ClassVar[Capabilities] = Capabilities(
        many=True, teams=True, ties=True, shares=True, weights=True, time=True
    )
    two_numbers: ClassVar[bool] = False
    has_opinions: ClassVar[bool] = True
    ranges: ClassVar[Mapping[str, Range]] = {
        "sigma": POSITIVE,
        "log_weights": Range(-1e3, _ROUNDING),
        "coefficients": Range(-LARGEST_COEFFICIENT, LARGEST_COEFFICIENT),
        "covariance": Range(-max(REGRESSION_VARIANCES), max(REGRESSION_VARIANCES)),
        "calibrations": _CALIBRATION_RANGE,
        "rated": COUNT,
        "draws": Range(np.asarray(_CALIBRATION_RANGE.low)[4, :2], np.asarray(_CALIBRATION_RANGE.high)[4, :2]),
    }

    experts: ExpertList = parameter(
        STANDARD, "list of experts: standard, few for a fifth of the work, or one you register"
    )
    share: float = parameter(
        1e-4,
        "part of all weights that every event shares out evenly, so that the best expert may change",
        low=1e-9,
        high=0.5,
        search=(1e-5, 1e-2),
    )

    @property
    def traces_predictions(self) -> bool:
        """Always: predictions come from the experts, and not from what ratings say."""
        return True

    # ------------------------------------------------------------------ the state

    def newcomer(self) -> dict[str, Row]:
        """The public rating, whether nothing is known of a player, and whether contests are what is known."""
        return {
            "mu": np.float64(REFERENCE_RATING),
            "sigma": np.float64(NO_DEVIATION),
            "unknown": np.bool_(True),
            "many": np.bool_(False),
            "absence": np.float64(0.0),
            "pause": np.float64(0.0),
        }

    def shared(self) -> Mapping[str, NDArray[Any]]:
        """Weights and regression of the mixture, the calibration of each expert, draws, contest scores."""
        k = len(self.experts)
        start = nothing_learned()[CALIBRATION]
        n = 2 * k + len(REGRESSION_VARIANCES)
        return {
            "log_weights": np.full(n, -np.log(n)),
            "coefficients": np.full((len(REGRESSION_VARIANCES), 2 * k), 0.5 / k),
            "covariance": np.stack([0.5 * variance / k * np.eye(2 * k) for variance in REGRESSION_VARIANCES]),
            "calibrations": np.tile(start, (k, 1, 1)),
            "rated": np.zeros(k, np.int64),
            "draws": start[4, :2].copy(),
            "latest_many": np.zeros(1, np.bool_),
            CONTESTS: no_contests(contest_start(self.experts.experts)),
        }

    def new_state(self, n_players: int = 0) -> State:
        """A state in which all players are newcomers, to every expert too."""
        state = super().new_state(n_players)
        state.parts = tuple(expert.system.new_state(n_players) for expert in self.experts.experts)
        return state

    @property
    def rewritten_terms(self) -> tuple[str, ...]:
        """Those of all experts."""
        return tuple({name for one in self.experts.experts for name in one.system.rewritten_terms})

    def check_state(self, state: State) -> None:
        """Refuse numbers outside their ranges, weights that do not add up to one, and parts likewise."""
        super().check_state(state)
        total = float(np.exp(state.shared["log_weights"]).sum())
        if abs(total - 1.0) > _ROUNDING:
            raise StateError(f"the saved weights of experts add up to {total:g}, not to one")
        for covariance in state.shared["covariance"]:
            check_covariance("covariance", covariance)
        check_contests(state)
        for calibration in state.shared["calibrations"]:
            check_covariance("calibrations", calibration[1:4])
        for expert, part in zip(self.experts.experts, state.parts, strict=True):
            expert.system.check_state(part)

    def _learned(self, state: State) -> Learned:
        return Learned(*(state.shared[name] for name in Learned._fields))

    # ------------------------------------------------------------------ rating

    def check(self, history: History) -> None:
        """Refuse players who took part in less than an event, and events that none of the experts can use."""
        super().check(history)
        if not len(history):
            return
        if any(expert.unusable <= {"play"} for expert in self.experts.experts):
            return
        usable, _ = self._usable(event_columns(history), EventSides.of(history))
        if not (rated := usable.any(axis=0)).all():
            where = shorten(history.event_name(int(np.argmin(rated))))
            raise UnsupportedError(
                f"none of the experts {self.experts.name!r} of {self.name} can use event {where!r}",
                hint=_ABLE,
            )

    def _usable(self, events: EventColumns, met: EventSides) -> tuple[Bools, Bools]:
        """For each expert and event, whether the one can rate the other, and whether it can predict it."""
        return self.experts.can(event_evidence(events, met), len(events.time))

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events by all experts, and in public by their mixture."""
        met = EventSides.of_columns(events)
        can = np.concatenate(self._usable(events, met))
        changes = np.flatnonzero(np.any(can[:, 1:] != can[:, :-1], axis=0)) + 1
        if not len(changes):
            self._rate_piece(state, events, met, can[:, 0], trace)
            return
        for start, stop in pairwise([0, *changes.tolist(), len(events.time)]):
            piece = events.cut(start, stop)
            rows = trace.part(int(events.offsets[start]), int(events.offsets[stop]))
            self._rate_piece(state, piece, EventSides.of_columns(piece), can[:, start], rows)

    def _rate_piece(
        self, state: State, events: EventColumns, met: EventSides, can: Bools, trace: Trace
    ) -> None:
        """Rate events that the same experts can use; `can` has who rates them, and then who predicts."""
        awake, predicting = can.reshape(2, -1).copy()
        said, results, scored = self._ask(state, events, met, awake, predicting)
        sides, direct = len(met.sides.offsets) - 1, met.rows_are_sides and len(trace.draw) > 0
        expected = trace.expected if direct else np.empty(sides)
        draw = trace.draw if direct else np.empty(sides)
        told = Told(expected, draw, trace.mu_before, trace.sigma_before, trace.mu, trace.sigma)
        public = Public(*(state[name] for name in Public._fields))
        mix_events(self._learned(state), public, said, results, scored, events, self.share, told)
        if not direct and len(trace.draw):
            trace.expected[met.sides.players] = np.repeat(expected, met.sides.sizes)
            trace.draw[met.sides.players] = np.repeat(draw, met.sides.sizes)

    def _ask(
        self, state: State, events: EventColumns, met: EventSides, awake: Bools, predicting: Bools
    ) -> tuple[Said, Met, Scored]:
        """What each expert says of events while it rates them, what happened, and scores."""
        return rate_experts(self.experts.experts, state, events, met, awake, predicting)

    # ------------------------------------------------------------------ adjustments

    def adjust(self, state: State, adjustment: Adjustment, names: Names) -> None:
        """Apply one adjustment to the public rating and, in its own points, to every expert."""
        if isinstance(adjustment, (SetRating, Anchor)):
            self._set(state, adjustment, names)
        elif isinstance(adjustment, Reset):
            for expert, part in zip(self.experts.experts, state.parts, strict=True):
                toward = None if adjustment.toward is None else float(_own_points(expert, adjustment.toward))
                expert.system.adjust(part, replace(adjustment, toward=toward), names)
            movable = state.column("known") & ~state.column("anchored") & ~state.column("unknown")
            if adjustment.keep != 1.0:
                self._rate_again(state, np.flatnonzero(movable))
        else:
            adjust_state(self, state, adjustment, names)

    def _set(self, state: State, given: SetRating | Anchor, names: Names) -> None:
        """Set a rating, or fix it."""
        player = names.index_of[given.player]
        (mu,), sigma = self.view(state, np.array([player]), NO_TIME)
        for expert, part in zip(self.experts.experts, state.parts, strict=True):
            own: dict[str, Any] = {}
            if given.mu is not None:
                own["mu"] = float(_own_points(expert, given.mu))
            if given.sigma is not None:
                own["sigma"] = float(_own_deviation(expert, given.sigma))
            expert.system.adjust(part, replace(given, **own), names)
        state["known"][player], state["unknown"][player] = True, False
        state["mu"][player], state["absence"][player] = mu if given.mu is None else given.mu, 0.0
        state["sigma"][player] = sigma[0] if given.sigma is None else given.sigma
        if isinstance(given, Anchor):
            state.anchor(player, True)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set public ratings, and every expert's beliefs accordingly; without `sigma` deviations stay."""
        state.column("mu")[players], state.column("absence")[players] = mu, 0.0
        state.column("unknown")[players] = False
        if sigma is not None:
            state.column("sigma")[players] = sigma
        for expert, part in zip(self.experts.experts, state.parts, strict=True):
            deviations = None
            if sigma is not None and expert.system.has_sigma:
                deviations = _own_deviation(expert, sigma)
            expert.system.set_belief(part, players, _own_points(expert, mu), deviations)

    def merge(self, state: State, source: int, into: int) -> None:
        """Merge both accounts for every expert, and rate the result in public."""
        for expert, part in zip(self.experts.experts, state.parts, strict=True):
            expert.system.merge(part, source, into)
        if state["unknown"][source]:
            return
        if state["unknown"][into]:
            for name in Public._fields:
                state[name][into] = state[name][source]
            return
        both = np.array([source, into])
        state["events"][into] = state["events"][both].sum()
        latest = both[np.argmax(state["last_time"][both])]
        for name in ("many", "pause"):
            state[name][into] = state[name][latest]
        state["last_time"][into] = state["last_time"][both].max()
        self._rate_again(state, both[1:])

    def _rate_again(self, state: State, players: Longs) -> None:
        """Rate players in public by what experts believe now."""
        state["mu"][players], state["sigma"][players] = self._rated_publicly(state, players, NO_TIME)
        by_score = players[state["many"][players]]
        state["mu"][by_score] = ratings_by_score(self.experts.experts, state, by_score, NO_TIME)
        state["absence"][by_score] = POINTS * state.shared[CONTESTS][0, ABSENCE]

    def _rated_publicly(self, state: State, players: Longs, at: int) -> tuple[Floats, Floats]:
        """The public ratings of players by the mixture of what experts believe now, at a time."""
        k = len(self.experts)
        logit, deviation = np.empty((k, len(players))), np.empty((k, len(players)))
        for number, expert in enumerate(self.experts.experts):
            logit[number], deviation[number] = against_reference(expert, state.parts[number], players, at)
        terms = np.ascontiguousarray(state.shared["calibrations"][:, 0])
        lack = 1.0 / (1.0 + state["events"][players] / EXPERIENCED_EVENTS)
        mu, sigma = np.empty(len(players)), np.empty(len(players))
        rate_publicly(self._learned(state), terms, lack, logit, deviation, mu, sigma)
        return mu, sigma

    # ------------------------------------------------------------------ what experts say

    def expert_shares(self, state: State) -> Floats:
        """How much each expert counts now: the weights of its predictions, and its part in the regressions.

        The weight of a regression is divided among experts by the size of their coefficients. The shares add
        up to one; an expert that has rated nothing while others have does not count.
        """
        k, rated = len(self.experts), state.shared["rated"] > 0
        counts = np.tile(rated if rated.any() else ~rated, 2)
        weights = np.exp(state.shared["log_weights"])
        sizes = np.maximum(np.abs(state.shared["coefficients"]), LEAST_COEFFICIENT) * counts
        in_regressions = weights[2 * k :] @ (sizes / sizes.sum(axis=1, keepdims=True))
        both = weights[: 2 * k] * counts + in_regressions
        by_expert = both[:k] + both[k:]
        shares: Floats = by_expert / by_expert.sum()
        return shares

    def opinions(self, state: State, player: int, at: int) -> tuple[Opinion, ...]:
        """What each expert says of a player, those that count most first."""
        if state["many"][player]:
            shares, ratings = contest_opinions(self.experts.experts, state, player, at)
        else:
            shares, somebody = self.expert_shares(state), np.array([player])
            logits = [
                against_reference(expert, part, somebody, at)[0]
                for expert, part in zip(self.experts.experts, state.parts, strict=True)
            ]
            ratings = REFERENCE_RATING + POINTS * np.concatenate(logits)
        found = [
            Opinion(expert.label, float(share), float(rating))
            for expert, share, rating in zip(self.experts.experts, shares, ratings, strict=True)
            if share > 0.0
        ]
        return tuple(sorted(found, key=lambda one: -one.share))

    # ------------------------------------------------------------------ looking and predicting

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """Public ratings as they were when their players were last rated; newcomers start as experts say.

        Absence counts in contest scores.
        """
        mu, sigma = (state.column(name)[players].copy() for name in ("mu", "sigma"))
        mu += state.column("absence")[players] * absence_of(state.days_away(players, at))
        unknown = state.column("unknown")[players]
        if unknown.any():
            somebody = np.arange(state.size)[players][unknown][:1]
            mu[unknown], sigma[unknown] = self._rated_publicly(state, somebody, at)
            if state.shared["latest_many"][0]:
                mu[unknown] = ratings_by_score(self.experts.experts, state, somebody, at)
        return mu, sigma

    def current_belief(self, state: State, players: Longs, at: int) -> tuple[Floats, Floats]:
        """Public ratings as the mixture would have them now; `view` has those of players' last events."""
        return self._rated_publicly(state, players, at)

    def unplayed(self, state: State) -> Bools:
        """For each player, whether nothing is known yet."""
        return state.column("unknown").copy()

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats | None]:
        """The public rating of a team: the mean of its members."""
        return team_belief(mu, sigma, sides, "mean", REFERENCE_RATING)

    def expected_scores(self, state: State, a: Sides, b: Sides, home: ArrayLike, at: int) -> Floats:
        """The mixture of what experts say, raw and calibrated."""
        pairs = len(a.offsets) - 1
        sign = np.broadcast_to(np.asarray(home, np.float64), pairs)
        lack = inexperience(state["events"][a.players], a) - inexperience(state["events"][b.players], b)
        awake = self._awake({TWO}, a, b)
        raw = np.full((len(awake), pairs), 0.5)
        calibrated = raw.copy()
        for number, expert in enumerate(self.experts.experts):
            if awake[number]:
                raw[number] = expert.system.expected_scores(state.parts[number], a, b, sign, at)
                learned = Calibration.of_learned(state.shared["calibrations"][number])
                calibrated[number] = learned.applied(raw[number], sign, lack)
        out = np.empty(pairs)
        mix_chances(self._learned(state), awake, raw, calibrated, out)
        return out

    def expected_field(self, state: State, sides: Sides, at: int) -> Floats | None:
        """The same for an event of many sides; None if the mixture itself is calibrated, by its ratings."""
        if self.is_calibrated:
            return None
        n = len(sides.offsets) - 1
        awake = self._awake({"many"}, sides)
        met = EventSides(np.array([0, n]), sides, np.zeros(1), rows_are_sides=False)
        raw = np.full((len(awake), n), 0.5)
        calibrated = raw.copy()
        for number, expert in enumerate(self.experts.experts):
            if awake[number]:
                belief = expert.system.side_belief(state.parts[number], sides, at)
                slope = float(state.shared["calibrations"][number, 0, 0])
                everywhere = np.ones(1, np.bool_)
                field_scores(expert.system, met, belief, everywhere, raw[number])
                field_scores(expert.system, met, belief, everywhere, calibrated[number], slope)
        out = np.empty(n)
        mix_chances(self._learned(state), awake, raw, calibrated, out)
        return out

    def _awake(self, evidence: set[str], *sides: Sides) -> Bools:
        """The experts that can use events with this evidence, of such sides."""
        teams = any(np.any(some.sizes != 1) for some in sides)
        evidence = evidence | {"teams"} if teams else evidence
        awake = np.array([not expert.unusable & evidence for expert in self.experts.experts])
        if not awake.any():
            what = ("matches" if TWO in evidence else "contests") + (" of teams" if teams else "")
            raise UnsupportedError(
                f"none of the experts {self.experts.name!r} of {self.name} can predict {what}", hint=_ABLE
            )
        return awake

    def outcomes(
        self,
        state: State,
        a: Sides | ArrayLike,
        b: Sides | ArrayLike,
        *,
        home: ArrayLike = 0.0,
        at: int = NO_TIME,
    ) -> Floats:
        """Probabilities of win, draw and loss; draws are as frequent as they were, by Davidson's model."""
        if self.is_calibrated:
            return super().outcomes(state, a, b, home=home, at=at)
        draws, room = state.shared["draws"].tolist()
        expected = self.predict(state, a, b, home=home, at=at)
        return split_expected_score(expected, draws / (2.0 * room + draws))

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """What the difference of public ratings says, an approximation: `predict` asks the experts."""
        return logistic_of(np.subtract(mu_a, mu_b) / points_between(sigma_a, sigma_b))

    @property
    def win_probability_error(self) -> float:
        """Of ratings computed now: the worst of any two players in six sets of real results missed by 0.30.

        Ratings that were kept since their players last played miss by more, and there is no bound for these:
        they do not know what experts learned since. docs/auto.md has the numbers.
        """
        return 0.4

    def closed_gap(
        self, probability: Floats, sigma: ArrayLike | None, opponent_sigma: ArrayLike | None
    ) -> Floats | None:
        """The inverse of `win_probability`."""
        return logistic_gap(probability, LN10 * points_between(sigma, opponent_sigma))

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Gumbel performances, whose difference is logistic; for free-for-alls, by public ratings."""
        return "gumbel", np.broadcast_to(points_between(sigma, sigma), len(noise)).copy()


def _own_points(expert: Expert, rating: ArrayLike) -> Floats:
    """A public rating in an expert's own points."""
    above = (np.asarray(rating, np.float64) - REFERENCE_RATING) / expert.reference.points
    return np.clip(expert.reference.mu + above, -LARGEST_RATING, LARGEST_RATING)


def _own_deviation(expert: Expert, deviation: ArrayLike) -> Floats:
    """A deviation of public ratings in an expert's own points."""
    return np.clip(np.asarray(deviation) / expert.reference.points, SMALLEST_SIGMA, LARGEST_RATING)
