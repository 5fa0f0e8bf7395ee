"""The systems that the paper compares, and what they are called here."""

from __future__ import annotations

import math
from statistics import NormalDist

from podium.systems import RatingSystem
from podium.systems.elo import Elo
from podium.systems.glicko.glicko import Glicko
from podium.systems.trueskill.trueskill import TrueSkill
from podium.systems.yuksel.yuksel import Yuksel


def trueskill(times: float, **changes: float) -> TrueSkill:
    """TrueSkill's default 25 ± 8⅓ on a larger scale, with newcomers at 1500."""
    scaled = {"sigma": 25 / 3 * times, "beta": 25 / 6 * times, "tau": 25 / 300 * times}
    return TrueSkill(mu=1500.0).changed(**(scaled | changes))


ELO_CURVE = 400.0 / NormalDist().inv_cdf(10 / 11) / math.sqrt(2.0) / (25 / 6)
"""TrueSkill's scale on which 400 points are odds of ten to one, as for Elo: 50.8."""

OURS, SCALED = "Yuksel", "Yuksel, s = 0.95"
OTHERS: dict[str, RatingSystem] = {"Elo": Elo(k=24), "Glicko": Glicko(c=0.0), "TrueSkill": trueskill(60.0)}
"""K = 24; no time between games; default parameters, on the scale on which 25 is 1500."""
NEWCOMER: dict[str, RatingSystem] = {OURS: Yuksel(form="independent"), **OTHERS}
"""Section 5.2, where one player alone is rated: Algorithm 1."""
POPULATION: dict[str, RatingSystem] = {OURS: Yuksel(), SCALED: Yuksel(step=0.95), **OTHERS}
"""Sections 5.3 and 5.4: Algorithm 2."""
AT_LIMIT = Yuksel(form="zero-sum-at-limit")
"""Algorithm 2 with D corrected only where the limit has cut Δr, as Algorithm 1 does."""
