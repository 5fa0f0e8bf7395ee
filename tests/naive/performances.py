"""Phase one: at which level did everybody in an event perform?

[MMR] Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions" (2021), section 3.1. By
Theorem 3.2 the performance of player i is the unique zero of

    Q_i(p) = sum over better j of l_j(p) + sum over tied j of d_j(p) + sum over worse j of v_j(p),

a decreasing function; i is tied with itself. A family of distributions is given by its functions l, d and v
at location 0 and scale 1; at location mu_j and scale s_j they are l((p - mu_j) / s_j) / s_j, and so on.

Where all players are far away, Q_i is the tiny difference of large numbers. So that nothing is lost there, l,
d and v are given as lists of summands whose exact sum is the value, and only `math.fsum` adds them up.
"""

import math
from collections.abc import Callable, Sequence

# ---------------------------------------------------------------------------------------------------------
# Zeros of decreasing functions


def split(holds: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """The two neighbouring floats between which a condition that holds at `low` ceases to hold, by halving.

    It is taken for granted, and not looked at, that the condition holds at `low` and does not at `high`.
    """
    while low < (middle := (low + high) / 2) < high:
        if holds(middle):
            low = middle
        else:
            high = middle
    return low, high


def zero(decreasing: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a decreasing function in [low, high]; if it is zero all along an interval, the midpoint.

    That is, (sup {f > 0} + inf {f < 0}) / 2.
    """
    last_positive, first_not_positive = split(lambda x: decreasing(x) > 0, low, high)
    if decreasing(first_not_positive) < 0:
        return (last_positive + first_not_positive) / 2
    _, first_negative = split(lambda x: decreasing(x) >= 0, first_not_positive, high)
    return (last_positive + first_negative) / 2


# ---------------------------------------------------------------------------------------------------------
# The logistic distribution


def logistic_tail(z: float) -> float:
    """The smaller of F(z) and 1 - F(z), to the last digits: e^-|z| / (1 + e^-|z|)."""
    return math.exp(-abs(z)) / (1 + math.exp(-abs(z)))


def tanh_half(z: float) -> list[float]:
    """Summands of tanh(z / 2) = 2 F(z) - 1."""
    if z >= 0:
        return [1.0, -2 * logistic_tail(z)]
    return [-1.0, 2 * logistic_tail(z)]


class Logistic:
    """F(z) = 1 / (1 + e^-z), where l = -F, v = 1 - F and d = l + v.

    A convention: a player more than 40 scales away is certain, F is exactly 0 or 1 there, because e^-40 is
    below the precision of a double. Two far clusters of players then balance exactly in the whole interval
    between them if their weights do, and the performance is the midpoint of that interval.
    """

    CERTAIN = 40.0

    @classmethod
    def tail(cls, z: float) -> float:
        return 0.0 if abs(z) > cls.CERTAIN else logistic_tail(z)

    @classmethod
    def loss(cls, z: float) -> list[float]:
        """l = -f / (1 - F) = -F"""
        return [-1.0, cls.tail(z)] if z >= 0 else [-cls.tail(z)]

    @classmethod
    def victory(cls, z: float) -> list[float]:
        """v = f / F = 1 - F"""
        return [cls.tail(z)] if z >= 0 else [1.0, -cls.tail(z)]

    @classmethod
    def draw(cls, z: float) -> list[float]:
        """d = f' / f = 1 - 2 F = l + v: a tie counts as the sum of a win and a loss."""
        return cls.loss(z) + cls.victory(z)


# ---------------------------------------------------------------------------------------------------------
# The Gaussian distribution


def mills(z: float) -> float:
    """The Mills ratio (1 - Phi(z)) / phi(z), to about 1e-15 of itself, for all z that do not overflow.

    Its definition loses about z^2 times the precision of a double; above 2.5 it is Laplace's continued
    fraction 1 / (z + 1 / (z + 2 / (z + 3 / (z + ...)))), of which 80 levels are more than enough there.
    """
    if z <= 2.5:
        return math.sqrt(math.pi / 2) * math.erfc(z / math.sqrt(2)) * math.exp(z**2 / 2)
    denominator = z
    for k in range(80, 0, -1):
        denominator = z + k / denominator
    return 1 / denominator


def hazard(z: float) -> float:
    """phi(z) / (1 - Phi(z)); below -2, where the Mills ratio soon overflows, by the density itself."""
    if z < -2:
        return math.sqrt(2 / math.pi) * math.exp(-(z**2) / 2) / math.erfc(z / math.sqrt(2))
    return 1 / mills(z)


class Gaussian:
    """The standard normal distribution; its d is not l + v."""

    @staticmethod
    def loss(z: float) -> list[float]:
        """l = -f / (1 - F)"""
        return [-hazard(z)]

    @staticmethod
    def victory(z: float) -> list[float]:
        """v = f / F"""
        return [hazard(-z)]

    @staticmethod
    def draw(z: float) -> list[float]:
        """d = f' / f"""
        return [-z]


# ---------------------------------------------------------------------------------------------------------
# The hyperbolic secant distribution


class HyperbolicSecant:
    """f(z) = sech(pi z / 2) / 2, of variance 1, with F(z) = (2 / pi) arctan(e^(pi z / 2)); d is not l + v."""

    @staticmethod
    def victory(z: float) -> list[float]:
        """v = f / F; for z < 0 both fall like e^(pi z / 2), which is divided out."""
        e = math.exp(-math.pi * abs(z) / 2)
        if z >= 0:
            return [e / (1 + e**2) / (1 - 2 / math.pi * math.atan(e))]
        return [1 / (1 + e**2) / (2 / math.pi * (math.atan(e) / e if e > 0 else 1.0))]

    @classmethod
    def loss(cls, z: float) -> list[float]:
        """l = -f / (1 - F), the mirror image of v"""
        return [-part for part in cls.victory(-z)]

    @staticmethod
    def draw(z: float) -> list[float]:
        """d = f' / f"""
        return [-math.pi / 2 * math.tanh(math.pi * z / 2)]


# ---------------------------------------------------------------------------------------------------------
# The Gumbel distribution of minima


class GumbelMin:
    """F(z) = 1 - exp(-x) with x = e^(a z - c), a = pi / sqrt(6) and Euler's c: mean 0, variance 1."""

    A = math.pi / math.sqrt(6)
    EULER = 0.57721566490153286

    @classmethod
    def x(cls, z: float) -> float:
        return math.exp(cls.A * z - cls.EULER)

    @classmethod
    def loss(cls, z: float) -> list[float]:
        """l = -f / (1 - F), where f = a x e^-x"""
        return [-cls.A * cls.x(z)]

    @classmethod
    def victory(cls, z: float) -> list[float]:
        """v = f / F = a x e^-x / (1 - e^-x)"""
        x = cls.x(z)
        return [cls.A * x * math.exp(-x) / -math.expm1(-x)]

    @classmethod
    def draw(cls, z: float) -> list[float]:
        """d = f' / f = a - a x"""
        return [cls.A, -cls.A * cls.x(z)]


Family = type[Logistic] | type[Gaussian] | type[HyperbolicSecant] | type[GumbelMin]

# ---------------------------------------------------------------------------------------------------------
# Performances


def tie(family: Family, z: float, ties: str, oneself: bool) -> list[float]:
    """A tie with another, or with oneself, which is the prior.

    "whole": d, as in Theorem 3.2. "half": half a win and half a loss, (l + v) / 2, also with oneself.
    "others half": the same, but the tie with oneself stays whole.
    """
    if ties == "whole" or (ties == "others half" and oneself):
        return family.draw(z)
    if ties in ("half", "others half"):
        return [summand / 2 for summand in family.loss(z) + family.victory(z)]
    raise ValueError(f"ties are 'whole', 'half' or 'others half', not {ties!r}")


def balance(
    i: int, p: float, family: Family, mus: Sequence[float], scales: Sequence[float], ranks, ties: str
) -> float:
    """Q_i(p) of Theorem 3.2."""
    summands = []
    for j, (mu, scale) in enumerate(zip(mus, scales, strict=True)):
        z = (p - mu) / scale
        if ranks[j] < ranks[i]:
            term = family.loss(z)
        elif ranks[j] > ranks[i]:
            term = family.victory(z)
        else:
            term = tie(family, z, ties, oneself=i == j)
        summands += [summand / scale for summand in term]
    return math.fsum(summands)


def performances(
    family: Family, mus: Sequence[float], scales: Sequence[float], ranks: Sequence[int], ties: str = "whole"
) -> list[float]:
    """The performance of everybody; player j's is believed to be of that family, at mus[j] and scales[j]."""
    found = []
    for i in range(len(mus)):

        def q(p: float, i: int = i) -> float:
            return balance(i, p, family, mus, scales, ranks, ties)

        # The tie with oneself makes Q positive far below and negative far above everybody.
        margin = max(scales)
        while not (q(min(mus) - margin) > 0 > q(max(mus) + margin)):
            margin *= 2
        found.append(zero(q, min(mus) - margin, max(mus) + margin))
    return found
