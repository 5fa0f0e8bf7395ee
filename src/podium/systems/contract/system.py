"""The contract of a rating system.

A system is an immutable value: a frozen dataclass whose fields are its parameters. It never remembers
anything; the state it works on belongs to the caller. Writing one means declaring the columns of its state
and five functions (`rate_events`, `view`, `win_probability`, `set_belief`, `performance_spread`); everything
else here follows from those. The laws every system keeps are in `podium.checks`, and
`docs/adding-a-system.md` writes one from scratch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Bools, EventColumns, Floats, Longs
from podium.errors import ParameterError, StateError, UnsupportedError
from podium.history import Adjustment, History, Names
from podium.history.ragged import Progress
from podium.named import Named
from podium.parameters import Declared, Parameter, parameter, plain
from podium.presets import label, preset_name
from podium.systems.contract.calibration import (
    CALIBRATION_RANGES,
    Calibration,
    check_calibration,
    inexperience,
    nothing_learned,
)
from podium.systems.contract.capabilities import EVENT_KINDS, Capabilities, find_unusable, refuse
from podium.systems.contract.column_ranges import Range
from podium.systems.contract.distribution import Distribution
from podium.systems.contract.explained_ratings import Opinion, Shares
from podium.systems.contract.history_rating import rate_history
from podium.systems.contract.opponent_ratings import opponent_found
from podium.systems.contract.ratings import Ratings, Trace
from podium.systems.contract.sides import Opponent, Sides
from podium.systems.contract.skill_walks import SkillWalk
from podium.systems.contract.state import Row, State
from podium.systems.contract.state_adjustments import adjust_state, merge_beliefs
from podium.text import shorten

RatedAlone = Callable[[Longs, Longs], tuple[Floats, Floats | None]]
"""Called with rows of an event and, for each, the number of others ahead: `mu` and `sigma` afterwards if that
row alone stood there, tied with nobody, and the others as they are."""


@dataclass(frozen=True, kw_only=True)
class RatingSystem(Declared, ABC):
    """A rating system with its parameters.

    >>> import podium
    >>> system = podium.make_system("glicko2", tau=0.3)
    >>> isinstance(system, podium.RatingSystem), system.name, system.tau
    (True, 'glicko2', 0.3)
    """

    calibration: Literal["off", "learned"] = parameter(
        "off", "whether the results of earlier predictions correct later ones. Ratings do not change"
    )

    summary: ClassVar[str]
    """One sentence on what the system is for."""
    explained: ClassVar[str] = ""
    """How it works, for players, on the pages about ladders: paragraphs with blank lines between them."""
    supports: ClassVar[Capabilities]
    state_format: ClassVar[int] = 1
    """The version of its state's layout; raised when the layout changes."""
    has_sigma: ClassVar[bool] = True
    has_volatility: ClassVar[bool] = False
    """Whether it has a column `volatility` that an imported rating may set, as in Glicko-2."""
    has_performance: ClassVar[bool] = False
    two_numbers: ClassVar[bool] = True
    """Whether `mu` and `sigma` are the whole belief; where they are not, `win_probability` approximates, and
    `rate_events` says in ``trace.expected`` what was to be expected of matches."""
    has_opinions: ClassVar[bool] = False
    """Whether it rates by experts, whose `opinions` explain ratings."""
    terms: ClassVar[Sequence[str]] = ()
    """Names of the columns it remembers for each of a player's events."""
    ranges: ClassVar[Mapping[str, Range]] = {}
    """What the numbers of a column, a term or a shared array may be; any finite ones if it says nothing."""
    shown: ClassVar[frozenset[str]] = frozenset()
    """Parameters that change only how beliefs are displayed or predict, never the beliefs."""
    limits: ClassVar[Mapping[str, Parameter]] = {}
    """Alternative parameters that `from_parameters` accepts in place of some of its own."""
    limited: ClassVar[frozenset[str]] = frozenset()
    """Its own parameters that `limits` replace."""

    @property
    def explained_choices(self) -> str:
        """Further paragraphs like those of `explained`, about these parameters."""
        return ""

    @property
    def label(self) -> str:
        """What people read as its name: its own, a preset's, or one of these and what differs.

        >>> from podium import Elo, make_system
        >>> Elo().label, Elo(k=24).label, make_system("matches").label, make_system("matches", tau=1).label
        ('elo', 'elo with k=24', 'matches', 'matches with tau=1')
        """
        return label(self)

    @property
    def preset(self) -> str | None:
        """The name of the preset that this system equals. None if it equals none."""
        return preset_name(self)

    # ------------------------------------------------------------------ what a system writes

    @abstractmethod
    def newcomer(self) -> Mapping[str, Row]:
        """The columns of the state, with their values for a player who has never played."""

    @abstractmethod
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, in place, and fill the trace where it has room.

        Rows marked in ``events.held`` count as opponents and are not changed. A rated row adds one to
        ``state["events"]`` and sets ``state["last_time"]``.
        """

    @abstractmethod
    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats | None]:
        """`mu` and `sigma` of players as an event at time `at` would find them. `NO_TIME` is now."""

    @abstractmethod
    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """Expected score of `a` against `b`, for any ratings. `home` is 1 if a is at home, −1 if b is.

        It takes no state, and so it has no calibration: `predict` is corrected, this is not.
        """

    @abstractmethod
    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set the beliefs about players. Evidence of an open rating period is dropped."""

    @abstractmethod
    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """The distribution of performances of sides with these deviations: family and scales.

        `sigma` is that of each side from `side_belief`, `noise` the number of members whose noise counts: one
        for each, less for those who play only a part. The family is "gumbel", "normal" or "logistic".
        Predictions of free-for-alls use it.
        """

    # ------------------------------------------------------------------ rating

    @property
    def rewritten_terms(self) -> Sequence[str]:
        """Those of `terms` that rating an event may change in earlier ones. Only these are saved before it.

        A system that never changes some of its terms may leave them out, which makes bulk rating faster.
        """
        return self.terms

    def shared(self) -> Mapping[str, NDArray[Any]]:
        """The arrays of a state that belong to no single player, such as the learned start of newcomers."""
        return {}

    def remembered_terms(self) -> Sequence[str]:
        """The `terms` of a new state. Overridden if they depend on a parameter."""
        return self.terms

    def new_state(self, n_players: int = 0) -> State:
        """A state in which all players are newcomers."""
        learned = nothing_learned() if self.is_calibrated else {}
        return State(self.newcomer(), n_players, {**self.shared(), **learned}, self.remembered_terms())

    @property
    def is_calibrated(self) -> bool:
        """Whether predictions are corrected by earlier results."""
        return self.calibration == "learned"

    @property
    def traces_predictions(self) -> bool:
        """Whether a trace has expected scores and chances of draws, of all events."""
        return self.is_calibrated

    def update(
        self, state: State, history: History, *, trace: bool = True, progress: Progress | None = None
    ) -> Trace:
        """Rate a history, in place: one event or ten million.

        Returns the trace of all rows. Without `trace` its arrays are empty and rating is faster. `progress`
        is called several times a second, with the number of rows rated since the last call.
        """
        self.check(history)
        return rate_history(self, state, history, trace=trace, progress=progress)

    def rated_alone(self, state: State, event: EventColumns) -> RatedAlone | None:
        """A quick way to rate single rows of one event of players at other places, or None.

        The state is changed, and needed as long as the function that is returned.
        """
        return None

    def check(self, history: History) -> None:
        """Refuse a history with evidence that this system cannot use, naming it."""
        if (found := find_unusable(history, self.supports)) is not None:
            evidence, event = found
            raise refuse(self.name, evidence, f", as in event {shorten(history.event_name(event))!r}")

    @property
    def unusable_evidence(self) -> frozenset[str]:
        """The kinds of `event_evidence` that make an event one which this system cannot rate."""
        return frozenset(kind for kind in EVENT_KINDS if not getattr(self.supports, kind))

    # ------------------------------------------------------------------ adjustments

    def adjust(self, state: State, adjustment: Adjustment, names: Names, time: int = NO_TIME) -> None:
        """Apply one adjustment, made at a time, to the players it names."""
        adjust_state(self, state, adjustment, names, time)

    def start_absence(self, state: State, player: int, time: int) -> None:
        """Let a player's absence count from a time on, as if the last event had been then.

        Overridden if a state notes more about it than ``last_time``.
        """
        state["last_time"][player] = time

    def merge(self, state: State, source: int, into: int) -> None:
        """Combine the evidence of both accounts in `into`. If one has none, the other's stays as it is."""
        merge_beliefs(self, state, source, into)

    def start(self, state: State) -> tuple[Floats, Floats | None]:
        """The belief about a player who joins now."""
        return self.view(state.take(np.array([-1])), np.zeros(1, np.int64), NO_TIME)

    def unplayed(self, state: State) -> Bools:
        """For each player, whether nothing is known yet. False if the system makes no difference."""
        return np.zeros(state.size, np.bool_)

    # ------------------------------------------------------------------ looking and predicting

    def display(self, mu: Floats, sigma: Floats | None) -> Floats:
        """The number to display for a belief."""
        return mu

    def mu_displayed_as(self, display: Floats, sigma: Floats | None) -> Floats:
        """The mean that is displayed as this number: the inverse of `display`, overridden with it."""
        return display

    @property
    def sigma_limit(self) -> float:
        """The deviation that a regular player approaches. 0 if the system has no such limit."""
        return 0.0

    @property
    def moves_only_players(self) -> bool:
        """Whether an event moves no ratings but those of its players. Then leaderboards keep all others."""
        return False

    def ratings(self, state: State, at: int = NO_TIME) -> Ratings:
        """All players' ratings. With `at`, the ratings from which an event at that time would start."""
        mu, sigma = self.view(state, slice(0, state.size), at)
        return Ratings(mu, sigma, self.display(mu, sigma))

    def belief(self, state: State, player: int, at: int = NO_TIME) -> Distribution:
        """The whole belief about a player. It is normal unless a system has more than `mu` and `sigma`."""
        mu, sigma = self.view(state, np.array([player]), at)
        if sigma is None:
            raise UnsupportedError(
                f"{self.name} has no sigma, and so no distributions",
                hint="glicko, elo-mmr and others have a sigma",
            )
        return Distribution.normal(float(mu[0]), float(sigma[0]))

    def side_belief(self, state: State, sides: Sides, at: int) -> tuple[Floats, Floats | None]:
        """`mu` and `sigma` of each side as one opponent, as an event at time `at` would find it."""
        return self.joined(*self.view(state, sides.players, at), sides)

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats | None]:
        """`mu` and `sigma` of each side from those of its members in order. Overridden for teams."""
        if not sides.single:
            raise refuse(self.name, "teams")
        return mu, sigma

    def predict(
        self,
        state: State,
        a: Sides | ArrayLike,
        b: Sides | ArrayLike,
        *,
        home: ArrayLike = 0.0,
        at: int = NO_TIME,
    ) -> Floats:
        """Expected score of each side of `a` against the side of `b` at the same position."""
        ours, theirs = self._facing(a, b)
        expected = self.expected_scores(state, ours, theirs, home, at)
        if not self.is_calibrated:
            return expected
        return self._calibrated(state, ours, theirs, expected, home)

    def outcomes(
        self,
        state: State,
        a: Sides | ArrayLike,
        b: Sides | ArrayLike,
        *,
        home: ArrayLike = 0.0,
        at: int = NO_TIME,
    ) -> Floats:
        """Probabilities of win, draw, loss of each side of `a` against that of `b` at the same position."""
        ours, theirs = self._facing(a, b)
        if not self.is_calibrated and self.two_numbers:
            return self.outcomes_between(*self._opponents(state, ours, theirs, at), home)
        expected = self.expected_scores(state, ours, theirs, home, at)
        if not self.is_calibrated:
            return self.split_score(expected)
        calibrated = self._calibrated(state, ours, theirs, expected, home)
        return Calibration.of(state).split(calibrated)

    def _facing(self, a: Sides | ArrayLike, b: Sides | ArrayLike) -> tuple[Sides, Sides]:
        ours, theirs = Sides.of(a), Sides.of(b)
        if not self.supports.play and not (ours.play is None and theirs.play is None):
            raise refuse(self.name, "play")
        return ours, theirs

    def _calibrated(self, state: State, a: Sides, b: Sides, expected: Floats, home: ArrayLike) -> Floats:
        ours, theirs = (inexperience(state["events"][sides.players], sides) for sides in (a, b))
        return Calibration.of(state).applied(expected, home, ours - theirs)

    def expected_scores(self, state: State, a: Sides, b: Sides, home: ArrayLike, at: int) -> Floats:
        """`predict` before calibration. Overridden if a belief is more than two numbers."""
        return self.expected_between(*self._opponents(state, a, b, at), home)

    def expected_field(self, state: State, sides: Sides, at: int) -> Floats | None:
        """The mean score that each side of one event of many can expect against the others.

        None if `performance_spread` is enough.
        """
        return None

    def _opponents(self, state: State, a: Sides, b: Sides, at: int) -> tuple[Opponent, Opponent]:
        one, other = self.side_belief(state, a, at), self.side_belief(state, b, at)
        return Opponent(*one, a.sizes, self.noise_of(a)), Opponent(*other, b.sizes, self.noise_of(b))

    def noise_of(self, sides: Sides) -> Floats:
        """The number of members of each side whose noise counts in predictions."""
        return sides.noise

    def evidence(self, events: EventColumns) -> EventColumns:
        """The events in the form this system rates them."""
        return events

    def expected_between(self, a: Opponent, b: Opponent, home: ArrayLike) -> Floats:
        """Expected score of `a`. Overridden if it depends on the number of members."""
        return self.win_probability(a.mu, a.sigma, b.mu, b.sigma, home)

    def near_win_probability(
        self, mu_a: Floats, sigma_a: Floats | None, mu_b: Floats, sigma_b: Floats | None
    ) -> Floats:
        """`win_probability` for very many pairs, as pools compare them. A system may approximate here."""
        return self.win_probability(mu_a, sigma_a, mu_b, sigma_b)

    def opponent_rating(
        self,
        probability: ArrayLike,
        mu: ArrayLike,
        sigma: ArrayLike | None = None,
        opponent_sigma: ArrayLike | None = None,
    ) -> Floats:
        """The rating of an opponent beaten with this probability: inverse of `win_probability`.

        By default the opponent has the same `sigma`. The inverse is a formula if the curve has one, else it
        is found by root finding. If a curve ends before certainty, probabilities beyond its end give the
        rating at which it nearly ends.

        >>> from podium import Elo, EloMMR
        >>> float(Elo().opponent_rating(10 / 11, mu=1500).round(6))
        1100.0
        >>> [float(EloMMR().opponent_rating(0.75, 1500, sigma).round()) for sigma in (80, 350)]
        [1307.0, 1138.0]
        """
        p, own = np.broadcast_arrays(*(np.asarray(given, np.float64) for given in (probability, mu)))
        opponent_sigma = sigma if opponent_sigma is None else opponent_sigma
        if (gap := self.closed_gap(p, sigma, opponent_sigma)) is not None:
            rating: Floats = own - gap
            return rating
        return opponent_found(self.win_probability, p, own, sigma, opponent_sigma)

    def closed_gap(
        self, probability: Floats, sigma: ArrayLike | None, opponent_sigma: ArrayLike | None
    ) -> Floats | None:
        """The rating difference that gives this win probability. None if there is no formula."""
        return None

    def outcomes_between(self, a: Opponent, b: Opponent, home: ArrayLike) -> Floats:
        """Probabilities of win, draw and loss of `a`, as columns."""
        return self.split_score(self.expected_between(a, b, home))

    def split_score(self, expected: Floats) -> Floats:
        """Expected scores split into win, draw, loss. Without a model of draws, draws have probability 0."""
        return np.stack([expected, np.zeros_like(expected), 1.0 - expected], axis=-1)

    def current_belief(
        self, state: State, players: NDArray[np.int64], at: int
    ) -> tuple[Floats, Floats | None]:
        """What `win_probability` would have to know of players to come near to `predict`, as of now.

        The same as `view`, except in systems whose predictions use later learning than their ratings.
        """
        return self.view(state, players, at)

    @property
    def win_probability_error(self) -> float:
        """The largest error of `win_probability`, given `current_belief`. 0 if `two_numbers`."""
        return 0.0 if self.two_numbers else 0.05

    @property
    def rank_raises_display(self) -> bool:
        """Whether a better rank, with the others in the same order, never lowers the rating displayed after.

        `Ladder.rank_to_reach` then halves the ranks that are left. Otherwise it tries one after another.
        """
        return False

    @property
    def exact_places(self) -> bool:
        """Whether any two of the performances of `performance_spread` differ exactly by `win_probability`.

        Where they do so nearly, predictions of free-for-alls limit each chance to win by the least chance
        against one of the field. A system for which this is True needs no comparison of all pairs.
        """
        return False

    @property
    def coin(self) -> float:
        """The share of events that pure chance decides, regardless of ratings."""
        return 0.0

    def shares(self, state: State, player: int, at: int) -> Shares | None:
        """A player's rating split into parts. None if the system does not remember performances."""
        return None

    def opinions(self, state: State, player: int, at: int) -> tuple[Opinion, ...]:
        """The experts' ratings of a player, largest weight first. Empty if the system has no experts."""
        return ()

    def skill_walk(self) -> SkillWalk:
        """How skills change from event to event, for `podium.smooth`.

        It is refused if the system has no walk.

        Beliefs must be normal, and the size of steps fixed: a `SkillWalk` gives the variance that days and
        events add. A `NormalWalk` or `LogisticWalk` also gives the distribution of performances.
        """
        raise UnsupportedError(
            f"{self.name} cannot be smoothed: its skills are not random walks of known size",
            hint="elo-mmx, elo-mmr, elo-r, trueskill, weng-lin and glicko can",
        )

    # ------------------------------------------------------------------ saving

    def same_beliefs(self, other: RatingSystem) -> bool:
        """Whether it rates exactly as the other system, even if it displays ratings differently."""
        shown = {name: getattr(other, name) for name in self.shown if hasattr(other, name)}
        return type(self) is type(other) and replace(self, **shown) == other

    def describe(self) -> dict[str, Any]:
        """What identifies it in a file: name, parameters, version of the state's layout."""
        parameters = {name: plain(value) for name, value in self.parameters().items()}
        return {"system": self.name, "parameters": parameters, "state_format": self.state_format}

    def check_named(self) -> None:
        """Refuse parameters that are functions a file could not refer to by name."""
        for name, value in self.parameters().items():
            if isinstance(value, Named):
                try:
                    value.check_found()
                except ParameterError as error:
                    where = f"{self.name}: {name}"
                    raise ParameterError(f"{where}: {error.reason}", hint=error.hint) from None

    def restore_state(self, arrays: Mapping[str, NDArray[Any]], state_format: int) -> State:
        """A state from the arrays of `State.to_arrays`. Newer formats are refused and older ones are read.

        The arrays may come from an untrusted source: their shapes and all their numbers are checked.
        """
        if state_format > self.state_format:
            raise StateError(
                f"the state of {self.name} has format {state_format}, newer than {self.state_format}",
                hint="upgrade podium",
            )
        state = self.new_state()
        state.load(arrays)
        self.check_state(state)
        return state

    def check_state(self, state: State) -> None:
        """Refuse a state with numbers outside their ranges. Overridden if ranges are not enough."""
        state.check({**self.ranges, **CALIBRATION_RANGES})
        if self.is_calibrated:
            check_calibration(state)
