"""What the paper prints, and where: nothing here is computed."""

from __future__ import annotations

from typing import NamedTuple

SYSTEMS = ("Codeforces", "Topcoder", "TrueSkill", "Elo-MMχ", "Elo-MMR(ρ)")
"""The columns of Tables 2 and 3, in their order."""

TABLE_1 = {"Codeforces": (1087, 2999), "Topcoder": (2023, 403), "Reddit": (1000, 20), "Synthetic": (50, 2500)}
"""Contests, and participants a contest on average."""

PAIR_INVERSION = {
    "Codeforces": (78.3, 78.5, 61.7, 78.5, 78.6),
    "Topcoder": (72.6, 72.3, 68.7, 73.0, 73.1),
    "Reddit": (61.5, 61.4, 61.5, 61.6, 61.6),
    "Synthetic": (81.7, 81.7, 81.3, 81.7, 81.7),
}
"""Table 2, in percent."""
RANK_DEVIATION = {
    "Codeforces": (14.9, 15.1, 25.4, 14.8, 14.7),
    "Topcoder": (18.5, 18.7, 20.9, 18.3, 18.2),
    "Reddit": (27.3, 27.4, 27.2, 27.3, 27.3),
    "Synthetic": (12.9, 12.8, 13.1, 12.8, 12.8),
}
"""Table 2, in percent."""
METRICS = {"pair inversion": PAIR_INVERSION, "rank deviation": RANK_DEVIATION}

SECONDS = {
    "Codeforces": ("212.9", "72.5", "67.2", "31.4", "35.4"),
    "Topcoder": ("9.60", "4.25", "16.8", "7.00", "7.52"),
    "Reddit": ("1.19", "1.14", "0.44", "1.14", "1.42"),
    "Synthetic": ("3.26", "1.00", "2.93", "0.81", "0.85"),
}
"""Table 3, on 24 cores."""


class Claim(NamedTuple):
    """Something the paper says in words."""

    text: str
    place: str


DEVIATION = Claim("variance 350²", "Section 6.1, Synthetic data")
ROUNDS = Claim("10K players, in all rounds", "Section 6.1, Synthetic data")
EXCLUDED = Claim("competed in less than 5 total contests", "Section 6.3, second paragraph")
RHO = Claim("very similar", "Section 6.3, first paragraph")
SMALL = Claim("about equal", "Section 6.3, third paragraph")
QUADRATIC = Claim("quadratic", "Section 6.3, fourth paragraph")
LINEAR = Claim("linear", "Section 1, Our contributions")
FASTER = Claim("almost an order of magnitude", "Section 6.3, fourth paragraph")
MMX_FASTER = Claim("always faster", "Section 6.3, last paragraph")
FARMED = Claim("523", "Section 5.1, fourth paragraph")
LAST_PHASE = Claim("almost 1000", "Section 5.1, fourth paragraph")
PENALTY = Claim("decays exponentially", "Section 5.1, fourth paragraph")
MOMENTUM = Claim("stronger for small ρ", "Section 5.2, last paragraph")
NEGLIGIBLE = Claim("negligible", "Section 5.3, third paragraph")
SAME_OPPONENTS = Claim("none if all have the same", "Section 5.3, Adaptive subsampling")
PROPERTIES = "Section 1, Our contributions"
