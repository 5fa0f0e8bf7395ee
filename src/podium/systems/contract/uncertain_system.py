"""Systems with deviations, and what they show of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from podium.arrays import Floats
from podium.parameters import parameter
from podium.systems.contract.system import RatingSystem


@dataclass(frozen=True, kw_only=True)
class UncertainSystem(RatingSystem):
    """A system that says how sure it is, and may show that in one number."""

    shown: ClassVar[frozenset[str]] = frozenset({"display_k"})

    display_k: float = parameter(
        0.0,
        "show mu − k (σ − σ_limit): who has played little is shown lower by k times the excess",
        high=100.0,
        search=(0.0, 3.0),
        needs="display",
    )

    @property
    def sigma_limit(self) -> float:
        """The deviation of a player known as well as can be; 0 where a system has no such limit."""
        return 0.0

    def display(self, mu: Floats, sigma: Floats | None) -> Floats:
        """The number to show for a belief: what is lacking in certainty comes off `display_k` times."""
        if self.display_k == 0.0 or sigma is None:
            return mu
        return mu - self.display_k * (sigma - self.sigma_limit)
