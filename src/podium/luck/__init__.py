"""Games of chance: luck functions, and the model of Cowan in full."""

from podium.luck.functions import (
    BRADLEY_TERRY,
    FAIR_COIN,
    FIDE,
    HEAVISIDE,
    LOGISTIC,
    MAJORITY,
    LaplaceMixture,
    LuckFunction,
    Sigmoid,
    coin_flip,
    laplace,
    margin,
    normal,
)
from podium.luck.measures import Belief, Measure, dirac, dirac_only, is_dirac_only, mixture
from podium.luck.model import Comparisons, Kernel, dirac_kernel, expected_score, grow, posterior

__all__ = [
    "BRADLEY_TERRY",
    "FAIR_COIN",
    "FIDE",
    "HEAVISIDE",
    "LOGISTIC",
    "MAJORITY",
    "Belief",
    "Comparisons",
    "Kernel",
    "LaplaceMixture",
    "LuckFunction",
    "Measure",
    "Sigmoid",
    "coin_flip",
    "dirac",
    "dirac_kernel",
    "dirac_only",
    "expected_score",
    "grow",
    "is_dirac_only",
    "laplace",
    "margin",
    "mixture",
    "normal",
    "posterior",
]
