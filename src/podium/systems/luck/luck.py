"""Luck: whole beliefs about strengths, for games in which the better player may well lose.

Alex Cowan, "Paired comparisons for games of chance" (2023). A belief is not a mean and a deviation but a mass
on every point of a grid, so that nothing has to be approximated: after a match it is multiplied by what a
luck function Λ says of the result, over all the opponent might be, and then spread out a little, as people
change. With a chance of 1 − β a coin decides, which caps what a fluke can do to a rating.

>>> from podium import Ladder, Luck
>>> ladder = Ladder(Luck())
>>> [round(change.gain) for change in ladder.record_match("ann", "bob")]
[28, -28]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, EventColumns, Floats
from podium.errors import ParameterError
from podium.numerics.win_chances import LN10, performance_scale
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities, refuse
from podium.systems.contract.column_ranges import NOT_NEGATIVE, Range
from podium.systems.contract.distribution import Distribution
from podium.systems.contract.duel_system import DuelSystem
from podium.systems.contract.newcomer_system import UncertainSystem
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import Sides
from podium.systems.contract.state import Row, State
from podium.systems.luck.chebyshev_sums import PANEL_NODES
from podium.systems.luck.grid_beliefs import (
    are_inside,
    chance_table,
    curve_range,
    curve_variance,
    discretised,
    mean_over_normals,
    merged_evidence,
)
from podium.systems.luck.growth import line_length, taps_length
from podium.systems.luck.kernels import (
    Grid,
    LuckColumns,
    Shown,
    Work,
    expect_scores,
    find_belief,
    rate_matches,
    view_beliefs,
)
from podium.systems.luck.luck_functions import LOGISTIC, LuckFunction, Sigmoid
from podium.systems.luck.prepared_tables import LuckGame, Prepared, check_luck, prepare
from podium.systems.luck.single_matches import (
    Algorithm,
    Fourier,
    Laplace,
    Naive,
    Panels,
    Steps,
    expect_singly,
    rate_singly,
)

ALGORITHMS: dict[str, type[Algorithm]] = {
    "naive": Naive,
    "fft": Fourier,
    "laplace": Laplace,
    "panels": Panels,
    "steps": Steps,
}

NATURAL_UNIT = 400.0 / LN10
"""Points of a natural unit of strength, odds of e to one, on the usual scale (Eq. 3)."""
MASS_TOLERANCE = 1e-6
"""By how much the masses of a saved belief may miss one; those that were rated miss it by rounding alone."""


@dataclass(frozen=True, kw_only=True)
class Luck(UncertainSystem, DuelSystem):
    """Cowan's system on a grid, with any luck function, growth and venue.

    Beware of `adapt`. If growth depends on the player, as in Glicko-2, predictions may be better, but losing
    on purpose pays (Remark 2.19). A game thrown against a much weaker player costs little, as it must have
    been a fluke. It makes the wins that follow count for more.

    >>> import podium
    >>> ladder = podium.Ladder(podium.Luck(beta=0.9))
    >>> _ = ladder.record_match("ann", "bob")
    >>> round(ladder.rating("ann").mu), round(ladder.expected_score("ann", "bob"), 2)
    (1532, 0.57)
    """

    name: ClassVar[str] = "luck"
    summary: ClassVar[str] = "for games with much luck: how likely each rating of a player is"
    explained: ClassVar[str] = """
        In this game luck decides a part of the results, and the system takes this into account. A win by a
        weaker player is sometimes just luck, and moves the ratings little. For every player it stores
        the probability of each possible rating. Every result makes some of them more probable and others less
        so.
    """
    supports: ClassVar[Capabilities] = Capabilities(
        ties=True, shares=True, weights=True, time=True, home=True
    )
    two_numbers: ClassVar[bool] = False
    shown: ClassVar[frozenset[str]] = UncertainSystem.shown | DuelSystem.shown
    ranges: ClassVar[dict[str, Range]] = {"mass": Range(0.0, 1.0 + MASS_TOLERANCE), "surprise": NOT_NEGATIVE}

    luck: LuckFunction = parameter(
        LOGISTIC,
        "luck function: expected score as a function of the difference of strengths. Some take numbers, in "
        "units of scale / ln 10 points: margin(0.1), normal(1.7), laplace(1)",
    )
    beta: float = parameter(0.8, "probability that strength decides, not a coin", high=1.0, search=(0.5, 1.0))
    sigma: float = parameter(
        0.7 * NATURAL_UNIT,
        "deviation of a newcomer, in points. With a larger value, first matches move ratings more",
        low=1e-3,
        high=1e6,
        search=(50.0, 250.0),
    )
    points: int = parameter(1001, "number of points of the grid", low=3, high=100_001)
    reach: float = parameter(
        7.0 * NATURAL_UNIT,
        "how far the grid goes above and below mu, in points",
        low=1e-2,
        high=1e6,
    )
    growth: tuple[float, ...] = parameter(
        (0.03 * NATURAL_UNIT,),
        "deviation of the change of strength from match to match, in points. A larger value "
        "follows changes faster. Several numbers make a mixture",
        high=1e6,
    )
    growth_shares: tuple[float, ...] = parameter((1.0,), "share of each part of the mixture", high=1.0)
    growth_family: Literal["normal", "laplace"] = parameter("normal", "family of densities in the mixture")
    growth_per_day: float = parameter(
        0.0,
        "deviation added per day away, in points. Variances add up",
        high=1e6,
        search=(0.0, 10.0),
        needs="time",
    )
    newcomer_growth: float | None = parameter(
        None, "factor on growth during a player's first events. none means 1", high=1e3, search=(1.0, 5.0)
    )
    newcomer_events: int = parameter(
        30,
        "number of events in which a player counts as a newcomer",
        search=(5, 50),
        beside="newcomer_growth",
    )
    adapt: float = parameter(
        0.0,
        "how fast a player's growth adapts to surprising results. Above 0, losing on purpose can pay",
        high=1.0,
        search=(0.0, 0.2),
    )
    edge: Literal["once", "each"] = parameter(
        "once",
        "growth at the edge of the grid: normalise the whole belief once, or the growth of each point",
    )
    draws: Literal["inside", "outside"] = parameter(
        "inside", "draws and shares: powers of Λ are taken inside the mean over the opponent, or of that mean"
    )
    home_luck: LuckFunction | None = parameter(
        None, "luck function for the home side, not necessarily symmetric. none uses home_advantage"
    )
    algorithm: Literal["auto", "naive", "fft", "laplace", "panels"] = parameter(
        "auto", "how sums over the grid are computed. auto chooses the fastest for the luck function"
    )

    @classmethod
    def duelyst(cls) -> Self:
        """The system of Duelyst II, exactly as in section 3.4 of the paper."""
        return cls(
            mu=1500.0,
            scale=400.0,
            luck=LOGISTIC,
            beta=0.8,
            sigma=0.7 * NATURAL_UNIT,
            points=1001,
            reach=7.0 * NATURAL_UNIT,
            growth=(0.03 * NATURAL_UNIT,),
            growth_shares=(1.0,),
            growth_family="normal",
            growth_per_day=0.0,
            newcomer_growth=None,
            adapt=0.0,
            edge="once",
            draws="inside",
            home_luck=None,
            home_advantage=0.0,
            margin=None,
            algorithm="auto",
        )

    def __post_init__(self) -> None:
        if isinstance(self.growth, (int, float)):
            object.__setattr__(self, "growth", (self.growth,))
        super().__post_init__()
        if self.growth and len(self.growth) != len(self.growth_shares):
            raise ParameterError(
                f"{self.name}: growth has {len(self.growth)} parts, growth_shares {len(self.growth_shares)}",
                hint="give each deviation its share",
            )
        if self.growth and not math.isclose(sum(self.growth_shares), 1.0, rel_tol=0.0, abs_tol=1e-9):
            raise ParameterError(f"{self.name}: growth_shares add up to one, not {sum(self.growth_shares):g}")
        if self.home_luck is not None and self.home_advantage != 0.0:
            raise ParameterError(
                f"{self.name}: home_luck and home_advantage both set the effect of playing at home. Give "
                "only one",
                hint="leave one of them out",
            )
        if self.sigma < self._cell:
            raise ParameterError(
                f"{self.name}: a sigma of {self.sigma:g} is less than a cell of the grid, {self._cell:.4g}",
                hint="more points, or less reach",
            )
        if self.reach < 2.0 * self.sigma:
            raise ParameterError(
                f"{self.name}: a reach of {self.reach:g} leaves no room for a sigma of {self.sigma:g}",
                hint="the grid goes at least two deviations of a newcomer up and down",
            )
        check_luck("luck", self.luck, self._game.reach, True, self.name)
        if self.home_luck is not None:
            check_luck("home_luck", self.home_luck, self._game.reach, False, self.name)
        if self.algorithm != "auto":
            self._prepared()  # refuses what does not fit

    # ------------------------------------------------------------------ the grid

    @property
    def _game(self) -> LuckGame:
        unit = LN10 / self.scale
        return LuckGame(
            self.luck,
            self.beta,
            self.points,
            self.reach * unit,
            self.home_luck,
            self.home_advantage * unit,
        )

    def _prepared(self) -> Prepared:
        # Functions are equal where their names are; tables of one are not to be taken for those of another.
        return _prepare(self._game, self.algorithm, (id(self.luck), id(self.home_luck)))

    @property
    def _cell(self) -> float:
        return 2.0 * self.reach / (self.points - 1)

    @property
    def _ratings(self) -> Floats:
        """The points of the grid on the display scale."""
        return _points(self.mu, self.reach, self.points)

    def _grid(self) -> Grid:
        return Grid(
            points=self.points,
            middle=self.mu,
            cell=self._cell,
            prior=_prior(self.mu, self.sigma, self.reach, self.points),
            growth_shares=np.array(self.growth_shares if self.growth else (1.0,)),
            growth=np.array(self.growth or (0.0,)) / self._cell,
            each=self.edge == "each",
            direct=self.algorithm == "naive",
            per_day=self.growth_per_day / self._cell,
            newcomer_growth=1.0 if self.newcomer_growth is None else self.newcomer_growth,
            newcomer_events=0 if self.newcomer_growth is None else self.newcomer_events,
            adapt=self.adapt,
        )

    def _work(self, prepared: Prepared) -> Work:
        return Work(
            belief=np.zeros((2, prepared.width)),
            likelihood=np.empty((2, prepared.width)),
            posterior=np.empty((2, self.points)),
            nodes=np.empty((4, prepared.panels * PANEL_NODES)),
            kernel=np.empty(prepared.tables.shape[2]),
            line=np.zeros(line_length(self.points)),
            taps=np.empty(taps_length(self.points)),
        )

    def _algorithm(self, prepared: Prepared, grid: Grid) -> Algorithm:
        laplace = self.growth_family == "laplace"
        kind = ALGORITHMS[prepared.algorithm]
        return kind(self._game, prepared, grid, outside=self.draws == "outside", laplace=laplace)

    # ------------------------------------------------------------------ the contract

    def newcomer(self) -> dict[str, Row]:
        """A mass on each point of the grid. The rows of newcomers are empty and take no memory."""
        return {
            "mass": np.zeros(self.points),
            "unknown": np.bool_(True),
            "surprise": np.float64(1.0),
        }

    def rate_pairs(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate matches in order, in place, and fill the trace."""
        prepared, grid, columns = self._prepared(), self._grid(), _columns(state)
        work = self._work(prepared)
        shown = Shown(trace.mu_before, trace.sigma_before, trace.mu, trace.sigma, trace.expected)
        if prepared.algorithm == "panels" and self.growth_family == "normal":
            outside = self.draws == "outside"
            rate_matches(events, columns, grid, prepared.tables, prepared.half, outside, work, shown)
        else:
            rate_singly(events, columns, grid, self._algorithm(prepared, grid), work, shown)

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """Mean and deviation of the belief, widened by the days away until `at`."""
        chosen = np.arange(state.size)[players] if isinstance(players, slice) else players
        mu, sigma = np.empty(len(chosen)), np.empty(len(chosen))
        line, taps = self._room()
        view_beliefs(
            np.ascontiguousarray(chosen, np.int64), at, _columns(state), self._grid(), line, taps, mu, sigma
        )
        return mu, sigma

    def _room(self) -> tuple[Floats, Floats]:
        return np.zeros(line_length(self.points)), np.empty(taps_length(self.points))

    def belief(self, state: State, player: int, at: int = NO_TIME) -> Distribution:
        """The whole belief about a player, on the grid."""
        mass = np.zeros(self.points)
        find_belief(player, at, _columns(state), self._grid(), *self._room(), mass)
        return Distribution(self._ratings, mass)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set normal beliefs, as closely as the grid allows. Without `sigma` the deviations stay.

        A mean beyond the grid becomes its edge, as no player can be rated outside. If it were refused, one
        rating set far away would make a history unusable.
        """
        chosen = np.arange(state.size)[players] if isinstance(players, slice) else players
        if sigma is None:
            sigma = self.view(state, chosen, NO_TIME)[1]
        means, deviations = np.broadcast_to(mu, len(chosen)), np.broadcast_to(sigma, len(chosen))
        for player, mean, deviation in zip(chosen.tolist(), means, deviations, strict=True):
            state["mass"][player] = discretised(self._ratings, float(mean), float(deviation))
            state["unknown"][player] = False

    def merge(self, state: State, source: int, into: int) -> None:
        """Multiply the evidence of both accounts. If that is impossible, merge as normal beliefs.

        A belief is the newcomer's times its evidence, so the newcomer's is divided out once.
        """
        if state["unknown"][source] or state["unknown"][into]:
            if not state["unknown"][source]:
                state.swap(source, into)
            return
        both = np.array([source, into])
        merged = merged_evidence(self._ratings - self.mu, self.sigma, state["mass"][both])
        if merged is None:
            super().merge(state, source, into)
            return
        state["mass"][into] = merged
        state["surprise"][into] = state["surprise"][both].mean()
        state["events"][into] = state["events"][both].sum()
        state["last_time"][into] = state["last_time"][both].max()

    def check_state(self, state: State) -> None:
        """Refuse masses that do not add up to one, except those of newcomers, which are not looked at."""
        super().check_state(state)
        totals = np.where(state.column("unknown"), 1.0, state.column("mass").sum(axis=1))
        Range(1.0 - MASS_TOLERANCE, 1.0 + MASS_TOLERANCE).check("the sum of a saved belief", totals)

    # ------------------------------------------------------------------ predicting

    def expected_scores(self, state: State, a: Sides, b: Sides, home: ArrayLike, at: int) -> Floats:
        """Expected score of each player of `a` against the one of `b`: the mean of Λ over both beliefs."""
        if np.any(a.sizes != 1) or np.any(b.sizes != 1):
            raise refuse(self.name, "teams")
        prepared, grid, columns = self._prepared(), self._grid(), _columns(state)
        work = self._work(prepared)
        pairs = np.stack(np.broadcast_arrays(a.players, b.players), axis=1).astype(np.int64)
        sign = np.broadcast_to(np.asarray(home, np.float64), len(pairs))
        venue = np.where(sign > 0, 1, np.where(sign < 0, 2, 0)).astype(np.int64)
        if prepared.algorithm != "panels":
            return expect_singly(pairs, venue, at, columns, grid, self._algorithm(prepared, grid), work)
        out = np.empty(len(pairs))
        expect_scores(pairs, venue, at, columns, grid, prepared.tables, prepared.half, work, out)
        return out

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """The mean of Λ over two normal beliefs, an approximation (`predict` uses the whole beliefs)."""
        if sigma_a is None or sigma_b is None:
            raise ParameterError(f"{self.name} needs the deviations of both sides")
        unit = LN10 / self.scale
        return mean_over_normals(
            self._game,
            unit * np.subtract(mu_a, self.mu),
            unit * np.asarray(sigma_a, np.float64),
            unit * np.subtract(mu_b, self.mu),
            unit * np.asarray(sigma_b, np.float64),
            np.asarray(home, np.float64),
        )

    def near_win_probability(
        self, mu_a: Floats, sigma_a: Floats | None, mu_b: Floats, sigma_b: Floats | None
    ) -> Floats:
        """From a table, to `TABLE_ERROR`, where the luck function is smooth.

        The value is exact where no table reaches.
        """
        table = chance_table(self._game, (id(self.luck), id(self.home_luck)))
        if table is None or sigma_a is None or sigma_b is None:
            return self.win_probability(mu_a, sigma_a, mu_b, sigma_b)
        unit = LN10 / self.scale
        difference = unit * (mu_a - mu_b)
        variance = unit * unit * (np.square(sigma_a) + np.square(sigma_b))
        inside = are_inside(difference, variance)
        if inside.all():
            return table.read(difference, variance)
        chance, beyond = np.empty(len(inside)), ~inside
        chance[inside] = table.read(difference[inside], variance[inside])
        chance[beyond] = self.win_probability(mu_a[beyond], sigma_a[beyond], mu_b[beyond], sigma_b[beyond])
        return chance

    @property
    def win_probability_error(self) -> float:
        """A bound with room: of 4,500 random pairs each, the worst missed by 0.03 where the luck function is
        smooth, by 0.08 with a kink, by 0.10 with a line that ends and by 0.17 with a step.
        """
        functions = [self.luck] if self.home_luck is None else [self.luck, self.home_luck]
        smooth = all(isinstance(one, Sigmoid) and not one.breaks for one in functions)
        return 0.05 if smooth else 0.25

    @property
    def coin(self) -> float:
        """1 − β, plus what the luck function lacks if it does not range from 0 to 1, such as FIDE's."""
        return 1.0 - self.beta * curve_range(self._game)

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Performances whose difference follows the luck function, widened by the deviation.

        An approximation, for free-for-alls of more than two, by normal beliefs. On the logistic curve
        performances are Gumbel. Otherwise they are normal, with the variance of the curve.
        """
        deviation = np.zeros(len(noise)) if sigma is None else sigma
        if self.luck == LOGISTIC:
            return "gumbel", performance_scale(deviation, self.scale)
        scatter = curve_variance(self._game) * (self.scale / LN10) ** 2
        return "normal", np.sqrt(np.square(deviation) + 0.5 * scatter)


@lru_cache(maxsize=4)  # tables of functions that are not of the difference take a hundred megabytes
def _prepare(game: LuckGame, algorithm: str, functions: tuple[int, int]) -> Prepared:
    return prepare(game, algorithm, Luck.name)


def _points(mu: float, reach: float, points: int) -> Floats:
    return mu - reach + 2.0 * reach / (points - 1) * np.arange(points, dtype=np.float64)


@lru_cache(maxsize=16)
def _prior(mu: float, sigma: float, reach: float, points: int) -> Floats:
    return discretised(_points(mu, reach, points), mu, sigma)


def _columns(state: State) -> LuckColumns:
    return LuckColumns(
        state["mass"], state["unknown"], state["surprise"], state["events"], state["last_time"]
    )
