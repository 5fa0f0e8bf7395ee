"""Systems whose newcomers start at a fixed belief or where earlier ones turned out to be, and deviations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Bools, Floats
from podium.history import Adjustment, Anchor, Names
from podium.numerics.newcomers import (
    FIXED_START,
    NEWCOMERS_AVERAGED,
    Newcomers,
    newcomer_mean_at,
    start_of_mean,
)
from podium.parameters import parameter
from podium.systems.contract.column_ranges import FINITE, NOT_NEGATIVE, POSITIVE, Range, by_place
from podium.systems.contract.state import Row, State
from podium.systems.contract.system import RatingSystem


@dataclass(frozen=True, kw_only=True)
class UncertainSystem(RatingSystem):
    """A system with deviations, which can lower the displayed rating of uncertain players."""

    shown: ClassVar[frozenset[str]] = frozenset({"display_k"})

    display_k: float = parameter(
        0.0,
        "the displayed rating is mu − k (σ − σ_limit), so a larger k shows players with few results lower",
        high=100.0,
        search=(0.0, 3.0),
        needs="display",
    )

    def display(self, mu: Floats, sigma: Floats | None) -> Floats:
        """The number to display: `mu` minus `display_k` times the excess of `sigma` over its limit."""
        if self.display_k == 0.0 or sigma is None:
            return mu
        return mu - self.display_k * (sigma - self.sigma_limit)

    def mu_displayed_as(self, display: Floats, sigma: Floats | None) -> Floats:
        """The inverse of `display`."""
        if self.display_k == 0.0 or sigma is None:
            return display
        return display + self.display_k * (sigma - self.sigma_limit)


_SEEN = Range(0.0, NEWCOMERS_AVERAGED)
NEWCOMER_RANGE = by_place(FINITE, NOT_NEGATIVE, _SEEN, FINITE, POSITIVE, NOT_NEGATIVE)
"""What the numbers of `podium.numerics.newcomers` may be, where mean and variance are learned."""
MEAN_RANGE = by_place(
    FINITE, NOT_NEGATIVE, _SEEN, FINITE, NOT_NEGATIVE, NOT_NEGATIVE, FINITE, NOT_NEGATIVE, FINITE
)
"""The same where only the mean is learned."""


@dataclass(frozen=True, kw_only=True)
class NewcomerSystem(RatingSystem):
    """A system whose newcomers start at `mu`, or where earlier ones turned out to be.

    If the start is adaptive, the state has the column `unknown` and the shared array `newcomers`. Here the
    mean is learned and the deviation stays; a system may learn both (`podium.numerics.newcomers`).
    """

    ranges: ClassVar[Mapping[str, Range]] = {"newcomers": MEAN_RANGE}

    mu: float = parameter(1500.0, "rating of a newcomer", low=-1e9)
    newcomer_start: Literal["fixed", "adaptive"] = parameter(
        "fixed",
        "newcomers start at mu (fixed), or at the level of earlier newcomers of the history (adaptive)",
    )

    @property
    def adaptive_start(self) -> bool:
        """Whether newcomers start where earlier newcomers turned out to be."""
        return self.newcomer_start == "adaptive"

    @property
    def moves_only_players(self) -> bool:
        """As in the base class."""
        return not self.adaptive_start

    def unknown_column(self) -> dict[str, Row]:
        """For `newcomer`: the column of players without evidence, if the start is adaptive."""
        return {"unknown": np.bool_(True)} if self.adaptive_start else {}

    def shared(self) -> Mapping[str, NDArray[Any]]:
        """What past events taught about the skills of newcomers."""
        return {"newcomers": start_of_mean(self.mu)} if self.adaptive_start else {}

    def newcomers(self, state: State) -> Newcomers:
        """What kernels need of newcomers."""
        if not self.adaptive_start:
            return FIXED_START
        return Newcomers(state["unknown"], state.shared["newcomers"])

    def placed(
        self, state: State, players: NDArray[np.int64] | slice, mu: Floats, at: int, length: int = 0
    ) -> Floats:
        """`mu` of players at a time. New players get the learned start.

        `length` is that of rating periods, 0 if each event is one.
        """
        if not self.adaptive_start:
            return mu
        start = newcomer_mean_at(state.shared["newcomers"].copy(), at, length)
        return np.where(state.column("unknown")[players], start, mu)

    def mark_set(self, state: State, players: NDArray[np.int64] | slice) -> None:
        """For `set_belief`: something is known of these players now."""
        if "unknown" in state.columns:
            state.column("unknown")[players] = False

    def unplayed(self, state: State) -> Bools:
        """For each player, whether nothing is known yet except that the player is new."""
        return state.column("unknown").copy() if "unknown" in state.columns else super().unplayed(state)

    def adjust(self, state: State, adjustment: Adjustment, names: Names, time: int = NO_TIME) -> None:
        """As in the base class. A player anchored before the first event stays at the newcomer's rating."""
        super().adjust(state, adjustment, names, time)
        if isinstance(adjustment, Anchor) and "unknown" in state.columns:
            players = np.array([names.index_of[adjustment.player]])
            if state["unknown"][players[0]]:
                self.set_belief(state, players, *self.view(state, players, NO_TIME))
