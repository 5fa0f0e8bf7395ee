"""What is known of a rating, in full: how likely it is to be where.

>>> belief = Distribution.normal(1500, 100)
>>> print(belief)
1500 ± 100: between 1304 and 1696 with a chance of 95%
>>> round(belief.chance_above(1600), 3)
0.159
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats
from podium.errors import ParameterError
from podium.notebooks import line, text_html
from podium.text import brief_repr, shorten

if TYPE_CHECKING:
    import polars as pl

NORMAL_REACH, NORMAL_STEPS = 8.0, 64
"""A normal distribution is tabulated up to this number of deviations on either side, in this number of steps
for each: probabilities are then right to 1e-5, mean and deviation nearly to the last digit."""


SHOWN_SIZE = 300, 60
"""Width and height of the curve in a notebook."""
SMALL_SCALE_BELOW = 20.0
"""Ratings with a deviation below this are on a small scale."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Distribution:
    """The probability distribution of a rating, on a grid of points, as the system believes it.

    Between points the probability is interpolated: that of each point is spread evenly from half-way to its
    left neighbour to half-way to its right one.

    Attributes:
        points: Ratings, ascending.
        probability: The probability of each point. They sum to one.
        player: The player's name. None for a newcomer.

    >>> import podium
    >>> ladder = podium.Ladder("glicko2")
    >>> _ = ladder.record_match("ann", "bob")
    >>> found = ladder.distribution("ann")
    >>> round(found.mean), round(found.quantile(0.05))
    (1662, 1185)
    """

    __repr__ = brief_repr

    points: Floats
    probability: Floats
    player: str | None = None

    def __post_init__(self) -> None:
        points, mass = (np.array(values, np.float64) for values in (self.points, self.probability))
        if points.ndim != 1 or points.shape != mass.shape or not len(points):
            raise ParameterError("a distribution needs a probability for each of its points")
        if not (np.isfinite(points).all() and (np.diff(points) > 0).all()):
            raise ParameterError("the points of a distribution are numbers that rise")
        if not ((mass >= 0).all() and np.isfinite(mass).all() and mass.any()):
            raise ParameterError("probabilities are 0 or more, and not all of them 0")
        mass /= mass.max()  # so that the sum has an inverse, however small all of them are
        mass /= mass.sum()
        for name, values in (("points", points), ("probability", mass)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @classmethod
    def normal(cls, mu: float, sigma: float, player: str | None = None) -> Distribution:
        """A normal distribution on a fine grid, or a single point if `sigma` is 0."""
        if not (np.isfinite(mu) and 0.0 <= sigma < np.inf):
            raise ParameterError(f"no normal distribution has mean {mu:g} and deviation {sigma:g}")
        steps = int(NORMAL_REACH * NORMAL_STEPS)
        z = np.arange(-steps, steps + 1) / NORMAL_STEPS
        points = mu + sigma * z
        if not (np.diff(points) > 0).all():  # so narrow that floats cannot tell the points apart
            return cls(np.array([mu]), np.ones(1), player)
        return cls(points, np.exp(-0.5 * z * z), player)

    @property
    def mean(self) -> float:
        """The mean rating."""
        return float(self.probability @ self.points)

    @property
    def deviation(self) -> float:
        """The standard deviation of the rating."""
        gap = self.points - self.mean
        largest = float(np.abs(gap).max()) or 1.0  # squares of what is scaled by it cannot overflow
        return largest * float(np.sqrt(self.probability @ (gap / largest) ** 2))

    @property
    def digits(self) -> int:
        """Number of meaningful decimals: none for usual ratings, two on TrueSkill's scale."""
        return 2 if 0.0 < self.deviation < SMALL_SCALE_BELOW else 0

    @property
    def edges(self) -> Floats:
        """The boundaries between the points' intervals, one more than there are points."""
        middle = 0.5 * (self.points[1:] + self.points[:-1])
        if not len(middle):
            return np.repeat(self.points, 2)
        # The first and last point reach as far outwards as inwards.
        first, last = 2 * self.points[0] - middle[0], 2 * self.points[-1] - middle[-1]
        return np.concatenate(([first], middle, [last]))

    @property
    def density(self) -> Floats:
        """Probability per point of rating, at each of the points. Infinite for a single point."""
        with np.errstate(divide="ignore"):
            density: Floats = self.probability / np.diff(self.edges)
        return density

    def quantile(self, p: float) -> float:
        """The rating below which the true rating lies with probability `p`. ½ gives the median."""
        if not 0.0 <= p <= 1.0:
            raise ParameterError(f"a chance is from 0 to 1, not {p:g}")
        below, edges = self._below(), self.edges
        # The first part that reaches p; parts without probability, at the ends, have no quantiles.
        held = np.flatnonzero(self.probability)
        part = int(np.clip(np.searchsorted(below[1:], p), held[0], held[-1]))
        inside = min(max((p - below[part]) / self.probability[part], 0.0), 1.0)
        return float(edges[part] + inside * (edges[part + 1] - edges[part]))

    def interval(self, share: float = 0.95) -> tuple[float, float]:
        """The interval that contains the true rating with probability `share`, equal tails outside."""
        if not 0.0 <= share <= 1.0:
            raise ParameterError(f"a share is from 0 to 1, not {share:g}")
        return self.quantile(0.5 - share / 2), self.quantile(0.5 + share / 2)

    def chance_above(self, rating: float) -> float:
        """The probability that the true rating is above this one."""
        if len(self.points) == 1:
            return 0.5 * (1.0 + float(np.sign(self.points[0] - rating)))
        return 1.0 - float(np.interp(rating, self.edges, self._below()))

    def _below(self) -> Floats:
        """The chance to be below each edge."""
        below = np.concatenate(([0.0], np.cumsum(self.probability)))
        total: Floats = below / below[-1]
        return total

    def to_frame(self) -> pl.DataFrame:
        """A table with a row for each point: player if known, rating, probability, density, chance_below."""
        import polars as pl

        below = self._below()
        columns = {
            "rating": self.points,
            "probability": self.probability,
            "density": self.density,
            "chance_below": 0.5 * (below[1:] + below[:-1]),
        }
        frame = pl.DataFrame({name: pl.Series(values) for name, values in columns.items()})
        return frame if self.player is None else frame.select(pl.lit(self.player).alias("player"), pl.all())

    def _repr_html_(self) -> str:
        return text_html(self, line(self.density.tolist(), *SHOWN_SIZE))

    def __str__(self) -> str:
        low, high = self.interval()
        who = "" if self.player is None else f"{shorten(self.player)}: "
        digits = f".{self.digits}f"
        sure = f"between {low:{digits}} and {high:{digits}} with a chance of 95%"
        return f"{who}{self.mean:{digits}} ± {self.deviation:{digits}}: {sure}"
