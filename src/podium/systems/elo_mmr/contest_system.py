"""What Elo-MMR, Elo-MMχ and Elo-R share as systems: performances in contests, and beliefs that drift."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import NO_TIME, Bools, Floats
from podium.errors import ParameterError
from podium.history import Adjustment, Anchor, Names
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.state import State
from podium.systems.contract.uncertain_system import UncertainSystem
from podium.systems.elo_mmr.drift import ContestBeliefs, Drift
from podium.systems.elo_mmr.newcomers import newcomer_belief, start_of_newcomers


@dataclass(frozen=True, kw_only=True)
class ContestSystem(UncertainSystem):
    """A system that estimates everybody's performance in a contest, and learns from it."""

    supports: ClassVar[Capabilities] = Capabilities(many=True, ties=True, weights=True, time=True)
    has_performance: ClassVar[bool] = True

    mu: float = parameter(1500.0, "rating of a newcomer", low=-1e9)
    sigma: float = parameter(350.0, "deviation of a newcomer", low=1e-3, high=1e6, search=(50.0, 500.0))
    drift_per_day: float = parameter(
        0.0, "variance that a day away adds to a belief", high=1e6, search=(0.0, 100.0), needs="time"
    )
    newcomer_weights: tuple[float, ...] = parameter(
        (), "weights of a newcomer's first contests, such as 0.4,0.7; later ones count 1", low=1e-3, high=1e3
    )
    ties: Literal["whole", "half"] = parameter(
        "whole", "a tie is a win plus a loss (as the model has it), or half of each"
    )
    newcomer_start: Literal["fixed", "adaptive"] = parameter(
        "fixed", "newcomers start at mu and sigma, or where this competition's earlier newcomers turned out"
    )

    # ------------------------------------------------------------------ what differs

    @property
    @abstractmethod
    def performance_variance(self) -> float:
        """β²: how performances scatter around skills."""

    @property
    @abstractmethod
    def contest_drift(self) -> float:
        """γ²: variance that a contest adds before it is rated."""

    # ------------------------------------------------------------------ limits

    @property
    def weight_limit(self) -> float:
        """w: about the part of the way to its performance that a settled rating goes in a contest."""
        drift = self.contest_drift + self.drift_per_day
        # β² = (1 + 1/w) σ_lim² + drift_per_day/w and γ² = w σ_lim², solved for w
        root = math.sqrt(drift * drift + 4.0 * self.performance_variance * self.contest_drift)
        return (drift + root) / (2.0 * self.performance_variance)

    @property
    def sigma_limit(self) -> float:
        """The deviation that beliefs about regular players approach."""
        return math.sqrt(self.contest_drift / self.weight_limit) if self.contest_drift > 0.0 else 0.0

    def drift(self) -> Drift:
        """How performances scatter and beliefs drift, as kernels take it."""
        return Drift(
            beta2=self.performance_variance,
            gamma2=self.contest_drift,
            limit2=self.contest_drift / self.weight_limit if self.contest_drift > 0.0 else 0.0,
            per_day=self.drift_per_day,
            adaptive=self.newcomer_start == "adaptive",
        )

    @staticmethod
    def beliefs(state: State) -> ContestBeliefs:
        """The columns all these systems have, as kernels take them."""
        return ContestBeliefs(*(state[name] for name in ContestBeliefs._fields))

    # ------------------------------------------------------------------ the contract

    def newcomer_columns(self) -> dict[str, np.generic]:
        """Columns all these systems have; `unknown` until anything says more than that somebody is new."""
        return {
            "mu": np.float64(self.mu),
            "variance": np.float64(self.sigma**2),
            "unknown": np.bool_(True),
        }

    def shared(self) -> dict[str, NDArray[np.float64]]:
        """What is known of newcomers."""
        return {"newcomers": start_of_newcomers(self.mu, self.sigma**2, self.performance_variance)}

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats]:
        """Mode and deviation; only time widens a belief before a contest begins."""
        mu, variance = state.column("mu")[players], state.column("variance")[players]
        if self.newcomer_start == "adaptive":
            unknown = state.column("unknown")[players]
            start = newcomer_belief(state.shared["newcomers"])
            mu, variance = np.where(unknown, start[0], mu), np.where(unknown, start[1], variance)
        if at != NO_TIME and self.drift_per_day > 0.0:
            variance = variance + self.drift_per_day * state.days_away(players, at)
        return mu.copy(), np.sqrt(variance)

    def unplayed(self, state: State) -> Bools:
        """Players of whom nothing is known yet but that they are new."""
        return state.column("unknown").copy()

    def adjust(self, state: State, adjustment: Adjustment, names: Names) -> None:
        """As for every system; whoever is anchored before their first contest stays where newcomers start."""
        super().adjust(state, adjustment, names)
        if isinstance(adjustment, Anchor):
            players = np.array([names.index_of[adjustment.player]])
            if state["unknown"][players[0]]:
                self.set_belief(state, players, *self.view(state, players, NO_TIME))

    def performance_deviation(self, sigma: ArrayLike) -> Floats:
        """δ: how a player of this deviation scatters in a contest of weight 1, its drift included."""
        scattered = np.square(sigma) + self.contest_drift + self.performance_variance
        deviation: Floats = np.sqrt(scattered)
        return deviation

    def _deviations(self, *sigmas: ArrayLike | None) -> list[Floats]:
        if any(sigma is None for sigma in sigmas):
            raise ParameterError(f"{self.name} needs deviations")
        return [self.performance_deviation(sigma) for sigma in sigmas if sigma is not None]
