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
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Bools, EventColumns, Floats, Longs
from podium.errors import UnsupportedError
from podium.history import Adjustment, Anchor, History, Names, Reset, SetRating
from podium.history.columns import event_columns
from podium.numerics.draws import split_expected_score
from podium.numerics.win_chances import LN10, logistic_of
from podium.parameters import parameter
from podium.systems.auto.asked_ratings import Believed, learned_of, mixed, public_ratings
from podium.systems.auto.contest_ratings import contest_opinions
from podium.systems.auto.expert_lists import STANDARD, Expert, ExpertList
from podium.systems.auto.expert_ratings import rate_experts
from podium.systems.auto.mixing_kernels import mix_chances, mix_events
from podium.systems.auto.mixture_columns import Met, Public, Said, Scored, Told
from podium.systems.auto.mixture_state import (
    MIXTURE_RANGES,
    check_mixture,
    merge_accounts,
    nothing_known,
    reset_ratings,
    set_beliefs,
    set_rating,
)
from podium.systems.auto.public_ratings import (
    NO_DEVIATION,
    POINTS,
    REFERENCE_RATING,
    absence_of,
    points_between,
)
from podium.systems.auto.reference_meetings import against_reference
from podium.systems.contract.calibration import Calibration, inexperience, learned_draw_rate
from podium.systems.contract.capabilities import TWO, Capabilities, event_evidence
from podium.systems.contract.column_ranges import Range
from podium.systems.contract.explained_ratings import Opinion
from podium.systems.contract.opponent_ratings import logistic_gap
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import EventSides, field_scores
from podium.systems.contract.sides import Sides, team_belief
from podium.systems.contract.state import Row, State
from podium.systems.contract.state_adjustments import adjust_state, date_belief
from podium.systems.contract.system import RatingSystem
from podium.text import shorten

LEAST_COEFFICIENT = 1e-12
"""Coefficients of regressions count as this much at least, where their sizes are compared."""


def expert_shares(state: State) -> Floats:
    """How much each expert counts now: the weights of its predictions, and its part in the regressions.

    The weight of a regression is divided among experts by the size of their coefficients. The shares add up
    to one; an expert that has rated nothing while others have does not count.
    """
    rated = state.shared["rated"] > 0
    k, counts = len(rated), np.tile(rated if rated.any() else ~rated, 2)
    weights = np.exp(state.shared["log_weights"])
    sizes = np.maximum(np.abs(state.shared["coefficients"]), LEAST_COEFFICIENT) * counts
    in_regressions = weights[2 * k :] @ (sizes / sizes.sum(axis=1, keepdims=True))
    both = weights[: 2 * k] * counts + in_regressions
    by_expert = both[:k] + both[k:]
    shares: Floats = by_expert / by_expert.sum()
    return shares


def expert_opinions(experts: tuple[Expert, ...], state: State, player: int, at: int) -> tuple[Opinion, ...]:
    """The opinion of each expert about a player, those with most weight first."""
    if state["many"][player]:
        shares, ratings = contest_opinions(experts, state, player, at)
    else:
        shares, somebody = expert_shares(state), np.array([player])
        logits = [
            against_reference(expert, part, somebody, at)[0]
            for expert, part in zip(experts, state.parts, strict=True)
        ]
        ratings = REFERENCE_RATING + POINTS * np.concatenate(logits)
    found = [
        Opinion(expert.label, float(share), float(rating))
        for expert, share, rating in zip(experts, shares, ratings, strict=True)
        if share > 0.0
    ]
    return tuple(sorted(found, key=lambda one: -one.share))


_ABLE = "experts=standard has some for every kind of event"


@dataclass(frozen=True, kw_only=True)
class Auto(RatingSystem):
    """Many systems at once, weighted by how well each has predicted so far.

    >>> import podium
    >>> ladder = podium.Ladder(podium.Auto(experts="few"))
    >>> _ = ladder.record_match("ann", "bob")
    >>> ladder.expected_score("ann", "bob") > 0.5
    True
    """

    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "many systems at once, each weighted by how well it has predicted so far"
    explained: ClassVar[str] = """
        Many rating systems rate all players side by side. Before every event, each system predicts the
        result. Those that were right so far count more. Your rating shows the chance that all systems
        together give you against an average player.

        In contests, the number of your contests and the time since the last one count too. Your rating never
        moves because other players played.

        When you play, all systems have also learned from the other players since your last event. So a win
        can lower your rating, and a loss can raise it.
    """
    supports: ClassVar[Capabilities] = Capabilities(
        many=True, teams=True, ties=True, shares=True, weights=True, time=True
    )
    two_numbers: ClassVar[bool] = False
    has_opinions: ClassVar[bool] = True
    ranges: ClassVar[Mapping[str, Range]] = MIXTURE_RANGES

    experts: ExpertList = parameter(
        STANDARD, "list of experts: standard, few for a fifth of the work, or one you register"
    )
    share: float = parameter(
        1e-4,
        "part of all weights that every event divides evenly, so that another expert can become the best",
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
        """The public rating, whether the player is new, and whether the player's past events are contests."""
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
        return nothing_known(self.experts.experts)

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
        check_mixture(state)
        for expert, part in zip(self.experts.experts, state.parts, strict=True):
            expert.system.check_state(part)

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
        ends = [*changes.tolist(), len(events.time)]
        start = 0
        while start < len(events.time):
            stop = next(end for end in ends if end > start)
            stop = start + self._until_late_newcomer(
                state, events.cut(start, stop), can[: len(self.experts), start]
            )
            if (start, stop) == (0, len(events.time)):
                self._rate_piece(state, events, met, can[:, 0], trace)
            else:
                piece = events.cut(start, stop)
                rows = trace.part(int(events.offsets[start]), int(events.offsets[stop]))
                self._rate_piece(state, piece, EventSides.of_columns(piece), can[:, start], rows)
            start = stop

    def _until_late_newcomer(self, state: State, events: EventColumns, awake: Bools) -> int:
        """The number of events before the next one with somebody whom an awake expert meets late.

        That expert slept when the player came, and expects of newcomers what it has learned until then: where
        scores of contests count, such an event begins a piece, or what it is told would be out of date.
        """
        last = len(events.time)
        if not state.shared["latest_many"][0] and bool((np.diff(events.offsets) == 2).all()):
            return last
        late = np.zeros(len(events.player), np.bool_)
        for part, is_awake in zip(state.parts, awake.tolist(), strict=True):
            if is_awake and "unknown" in part.columns:
                late |= part["unknown"][events.player]
        late &= ~state["unknown"][events.player]
        late[: events.offsets[1]] = False
        return int(np.searchsorted(events.offsets, np.argmax(late), "right")) - 1 if late.any() else last

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
        mix_events(learned_of(state), public, said, results, scored, events, self.share, told)
        if not direct and len(trace.draw):
            trace.expected[met.sides.players] = np.repeat(expected, met.sides.sizes)
            trace.draw[met.sides.players] = np.repeat(draw, met.sides.sizes)

    def _ask(
        self, state: State, events: EventColumns, met: EventSides, awake: Bools, predicting: Bools
    ) -> tuple[Said, Met, Scored]:
        """What each expert says of events while it rates them, what happened, and scores."""
        return rate_experts(self.experts.experts, state, events, met, awake, predicting)

    # ------------------------------------------------------------------ adjustments

    def adjust(self, state: State, adjustment: Adjustment, names: Names, time: int = NO_TIME) -> None:
        """Apply one adjustment to the public rating and, in its own points, to every expert."""
        experts = self.experts.experts
        if isinstance(adjustment, (SetRating, Anchor)):
            player = np.array([names.index_of[adjustment.player]])
            (mu,), (sigma,) = self.view(state, player, NO_TIME)
            set_rating(experts, state, adjustment, names, mu, sigma, time)
            if isinstance(adjustment, SetRating):
                date_belief(self, state, player[0], time, again=adjustment.sigma is not None)
        elif isinstance(adjustment, Reset):
            reset_ratings(experts, state, adjustment, names)
        else:
            adjust_state(self, state, adjustment, names, time)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set public ratings, and every expert's beliefs accordingly. Without `sigma` deviations stay."""
        set_beliefs(self.experts.experts, state, players, mu, sigma)

    def merge(self, state: State, source: int, into: int) -> None:
        """Merge both accounts for every expert, and rate the result in public."""
        merge_accounts(self.experts.experts, state, source, into)

    # ------------------------------------------------------------------ looking and predicting

    def expert_shares(self, state: State) -> Floats:
        """How much each expert counts now. The shares add up to one."""
        return expert_shares(state)

    def opinions(self, state: State, player: int, at: int) -> tuple[Opinion, ...]:
        """The opinion of each expert about a player, those with most weight first."""
        return expert_opinions(self.experts.experts, state, player, at)

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """Public ratings as they were when their players were last rated.

        Newcomers start at the experts' mean.

        Absence counts in contest scores.
        """
        mu, sigma = (state.column(name)[players].copy() for name in ("mu", "sigma"))
        mu += state.column("absence")[players] * absence_of(state.days_away(players, at))
        unknown = state.column("unknown")[players]
        if unknown.any():
            somebody = np.arange(state.size)[players][unknown][:1]
            believed = Believed.of(self.experts.experts, state, somebody, at)
            _, sigma[unknown] = mixed(self.experts.experts, state, believed)
            believed = believed._replace(many=state.shared["latest_many"])
            mu[unknown] = public_ratings(self.experts.experts, state, believed)
        return mu, sigma

    def current_belief(self, state: State, players: Longs, at: int) -> tuple[Floats, Floats]:
        """Public ratings as the mixture would have them now. `view` has those of players' last events."""
        return mixed(self.experts.experts, state, Believed.of(self.experts.experts, state, players, at))

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
        mix_chances(learned_of(state), awake, raw, calibrated, out)
        return out

    def expected_field(self, state: State, sides: Sides, at: int) -> Floats | None:
        """The same for an event of many sides. None if the mixture itself is calibrated, by its ratings."""
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
        mix_chances(learned_of(state), awake, raw, calibrated, out)
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
        """Probabilities of win, draw and loss. Draws are as frequent as they were, by Davidson's model."""
        if self.is_calibrated:
            return super().outcomes(state, a, b, home=home, at=at)
        expected = self.predict(state, a, b, home=home, at=at)
        return split_expected_score(expected, learned_draw_rate(state.shared["draws"]))

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """An approximation by the difference of public ratings. `predict` asks the experts."""
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
        """Gumbel performances, whose difference is logistic.

        Ladders move them to the experts' expectation.
        """
        return "gumbel", np.broadcast_to(points_between(sigma, sigma), len(noise)).copy()
