"""Luck, Cowan's system for games of chance: luck functions, beliefs on a grid, and the kernels.

The system is `podium.systems.luck.luck`; luck functions can be taken from here.
"""

from podium.systems.luck.luck_functions import (
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

__all__ = [
    "BRADLEY_TERRY",
    "FAIR_COIN",
    "FIDE",
    "HEAVISIDE",
    "LOGISTIC",
    "MAJORITY",
    "LaplaceMixture",
    "LuckFunction",
    "Sigmoid",
    "coin_flip",
    "laplace",
    "margin",
    "normal",
]
