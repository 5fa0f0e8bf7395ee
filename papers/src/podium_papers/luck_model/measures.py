"""Discrete probability measures on any space, and beliefs about players as measures on those.

A player is a `Measure` on the space of strengths: how strongly they perform, and how often (Model 2.1). What
is known of a player is a measure on such players, a *belief* (Model 2.11), which is in P(P(S)). A `Measure`
can be a point of another one, so both are of one class. Weights that are fractions stay fractions.

>>> sharers = Measure({"Alice": 1, "Abi": 3})
>>> sharers
Measure({'Alice': 1/4, 'Abi': 3/4})
>>> print(mixture(Measure({sharers: 1, dirac("Abi"): 1})))
Measure({'Alice': 1/8, 'Abi': 7/8})
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Generic, TypeAlias, TypeVar

from podium.errors import ParameterError

S = TypeVar("S", bound=Hashable)
Number: TypeAlias = Fraction | float

MOST_SHOWN = 8
"""Points of a measure that are written out."""


class Measure(Generic[S]):
    """A probability measure on finitely many points, which may be anything hashable.

    Weights are normalised. Where all of them are integers or fractions, so is everything computed from them;
    otherwise they are floats. Points without mass are left out, so two measures are equal where they give the
    same mass to everything.
    """

    __slots__ = ("_hash", "_mass")

    def __init__(self, weights: Mapping[S, Any] | Iterable[tuple[S, Any]]) -> None:
        total: dict[S, Any] = {}
        for pair in weights.items() if isinstance(weights, (Mapping, Measure)) else weights:
            try:
                point, weight = pair
                hash(point)
            except (TypeError, ValueError):
                raise ParameterError(
                    f"{pair!r} is not a point with its weight",
                    hint="a mapping, or pairs; a point of several numbers is a tuple, not a list",
                ) from None
            number = _number(weight, point)
            total[point] = total[point] + number if point in total else number
        self._mass = _normalised(total)
        self._hash: int | None = None

    @classmethod
    def uniform(cls, points: Iterable[S]) -> Measure[S]:
        """The same mass at each point; more of it at one that is named more than once."""
        return cls((point, 1) for point in points)

    @classmethod
    def of_density(cls, density: Callable[[S], Any], points: Iterable[S]) -> Measure[S]:
        """Mass in proportion to `density` at each of these points, as in Eq. (5)."""
        return cls((point, density(point)) for point in points)

    @property
    def points(self) -> tuple[S, ...]:
        """Where there is mass, in the order the points were given."""
        return tuple(self._mass)

    def items(self) -> Iterable[tuple[S, Number]]:
        """Each point with its mass."""
        return self._mass.items()

    def __getitem__(self, point: S) -> Number:
        """The mass of a point: 0 where there is none."""
        return self._mass.get(point, 0)

    def __iter__(self) -> Iterator[S]:
        return iter(self._mass)

    def __len__(self) -> int:
        return len(self._mass)

    def __contains__(self, point: object) -> bool:
        return point in self._mass

    def chance(self, event: Callable[[S], bool]) -> Number:
        """The mass of the points of which `event` is true.

        >>> Measure.uniform(range(1, 7)).chance(lambda pips: pips > 4)
        Fraction(1, 3)
        """
        found: Number = _sum(mass for point, mass in self.items() if event(point))
        return found

    def integral(self, function: Callable[[S], Any]) -> Any:
        """The mean of a function of the points."""
        return _sum(mass * function(point) for point, mass in self.items())

    @property
    def mean(self) -> Any:
        """The mean of the points, where they are numbers."""
        self._need_numbers()
        return self.integral(lambda point: point)

    @property
    def variance(self) -> Any:
        """The mean square of how far points are from their mean."""
        mean = self.mean
        return self.integral(lambda point: (point - mean) ** 2)

    def _need_numbers(self) -> None:
        for point in self._mass:
            if not isinstance(point, Real):
                raise ParameterError(
                    f"no mean: {point!r} is not a number",
                    hint="a belief has a mixture, which may have one" if isinstance(point, Measure) else None,
                )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._mass == other._mass

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._mass.items()))
        return self._hash

    def __repr__(self) -> str:
        shown = [f"{point!r}: {_written(mass)}" for point, mass in self.items()]
        if len(shown) > MOST_SHOWN:
            shown[MOST_SHOWN - 1 :] = [f"… {len(shown) - MOST_SHOWN + 1} more"]
        return f"Measure({{{', '.join(shown)}}})"


Belief: TypeAlias = Measure[Measure[S]]
"""What is known of a player: a measure on the players there could be."""


def dirac(point: S) -> Measure[S]:
    """δ_x: all mass at one point (Definition 2.3). As a kernel, κ_μ = δ_μ: nobody changes (Example 2.17)."""
    return Measure([(point, 1)])


def dirac_only(strengths: Measure[S]) -> Belief[S]:
    """The belief that a player always performs alike, at a strength of which `strengths` is known.

    Definition 2.12: a Dirac-only belief is as good as a measure on S; `mixture` takes the way back.

    >>> dirac_only(Measure({2: 9, 5: 11}))
    Measure({Measure({2: 1}): 9/20, Measure({5: 1}): 11/20})
    """
    return Measure((dirac(point), mass) for point, mass in strengths.items())


def is_dirac_only(belief: Belief[S]) -> bool:
    """Whether the player is believed to perform alike in every match (Definition 2.12)."""
    return all(len(player) == 1 for player in check_belief(belief))


def mixture(belief: Belief[S]) -> Measure[S]:
    """How strongly the player may perform in the next match: the mean ∫ μ ν(dμ) of all they could be.

    For a Dirac-only belief this is the same belief, seen as a measure on S.
    """
    return Measure(
        (point, mass * share)
        for player, mass in check_belief(belief).items()
        for point, share in player.items()
    )


def check_belief(belief: Belief[S]) -> Belief[S]:
    """The belief, refused where it is none."""
    if not isinstance(belief, Measure) or not all(isinstance(point, Measure) for point in belief):
        raise ParameterError(
            f"a belief is a measure on measures, not {belief!r}",
            hint="dirac_only(measure) is the belief that a player always performs alike",
        )
    return belief


def _number(weight: Any, point: object) -> Number:
    """A weight as an exact fraction where it is one, and as a float where it is not."""
    try:
        exact = isinstance(weight, Rational)  # numerators as Python's integers, which cannot overflow
        number: Number = Fraction(int(weight.numerator), int(weight.denominator)) if exact else float(weight)
    except (TypeError, ValueError):
        raise ParameterError(f"the weight of {point!r} is not a number: {weight!r}") from None
    if not (math.isfinite(number) and number >= 0):
        raise ParameterError(f"the weight of {point!r} is {weight}", hint="weights are 0 or more, and finite")
    return number


def _normalised(weights: dict[S, Any]) -> dict[S, Number]:
    """Weights that sum to one; exact where all of them are."""
    largest = max(weights.values(), default=0)
    if largest == 0:
        raise ParameterError("no mass at all", hint="a measure needs a point whose weight is above 0")
    if all(isinstance(weight, Fraction) for weight in weights.values()):
        total: Number = sum(weights.values())
    else:
        # Divided by the largest first, as the sum of very large or very small floats has no inverse.
        weights = {point: float(weight) / float(largest) for point, weight in weights.items()}
        total = math.fsum(weights.values())
    return {point: weight / total for point, weight in weights.items() if weight > 0}


def _sum(terms: Iterable[Any]) -> Any:
    """The sum, without loss: fractions exactly, floats rounded once."""
    terms = list(terms)
    return math.fsum(terms) if any(isinstance(term, float) for term in terms) else sum(terms, Fraction(0))


def _written(mass: Number) -> str:
    return str(mass) if isinstance(mass, Fraction) else f"{mass:.6g}"
