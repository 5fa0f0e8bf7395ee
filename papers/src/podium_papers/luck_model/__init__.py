"""Cowan's model of games of chance in full, for discrete beliefs: measures, posteriors, growth."""

from podium_papers.luck_model.measures import Belief, Measure, dirac, dirac_only, is_dirac_only, mixture
from podium_papers.luck_model.model import Comparisons, Kernel, dirac_kernel, expected_score, grow, posterior

__all__ = [
    "Belief",
    "Comparisons",
    "Kernel",
    "Measure",
    "dirac",
    "dirac_kernel",
    "dirac_only",
    "expected_score",
    "grow",
    "is_dirac_only",
    "mixture",
    "posterior",
]
