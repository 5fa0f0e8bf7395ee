"""Systems with deviations, and what they show of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from podium.arrays import Floats
from podium.parameters import parameter
from podium.systems.contract.system import RatingSystem


@dataclass(frozen=True, kw_only=True)
class UncertainSystem(RatingSystem):
    """A system with deviations, which can lower the displayed rating of uncertain players."""

    shown: ClassVar[frozenset[str]] = frozenset({"display_k"})

    display_k: float = parameter(
        0.0,
        "k of the displayed rating mu − k (σ − σ_limit): larger shows players with few results lower",
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
