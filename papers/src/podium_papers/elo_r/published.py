"""What the paper prints."""

from podium_papers.printed import Printed

FACTOR = Printed("≈ 1.1", "Section 3, fourth paragraph: √12/π")
ETA = Printed("43.64", "Section 5, after the fixpoint equation: η")
LIMIT = Printed("100", "Section 5, after the fixpoint equation: σ*")
PENALTIES = (
    Printed("208", "Section 5, last paragraph before 5.1: after the first contest"),
    Printed("120", "Section 5, last paragraph before 5.1: after the second contest"),
)
PENALTY_LIMIT = Printed("0", "Section 5, last paragraph before 5.1: what the penalty approaches")

ROBUST = "Section 6.3, second paragraph"
STREAK = "Section 6.3, third paragraph"
NORMAL = "Section 6.3, fifth paragraph"
FIRST_STEP = Printed("48", ROBUST)
LARGEST_STEP = Printed("48", f"{ROBUST}: the most that is possible as p → ∞")
MEMORYLESS = Printed("48 per match", STREAK)
SECOND_STEP = Printed("63", STREAK)
THIRD_STEP = Printed("over 100", f"{STREAK}: the third and following matches")
AFTER_SIX = Printed("1875", "Section 6.3, fourth paragraph")
UNCHANGED = Printed("σᵢ is unchanged!", "Section 6.3, fourth paragraph: after the six matches")
SEVENTH_STEP = Printed("566", "Section 6.3, fourth paragraph")
PART_OF_THE_WAY = Printed("about 16%", NORMAL)
FIRST_NORMAL_STEP = Printed("320", NORMAL)
OVERTAKES = Printed("overtakes", "Section 6.3, last paragraph")

MONOTONE = Printed("never", "Section 6, first point: a better past performance lowers a rating")
SWAPPED = Printed("the rating goes up", "Section 6, second point: if the better of two moves forward in time")
ORDERED = Printed("always", "Section 6, third point: who ranks higher performs higher")
TIED = Printed("also has (slightly) higher", "Section 6, third point: pᵢ of the higher rated of two who tie")

NOISING = {
    "normal": ("yes", "yes", "yes", "yes", "zero", "immediate freeze-in", "no, slow convergence"),
    "leading": ("yes", "no", "yes", "yes", "high", "no freeze-in", "yes"),
    "all": ("yes", "no", "yes", "no", "low", "full weight restored", "somewhat"),
    "fancy": ("yes", "no", "no", "yes", "low", "gradual freeze-in", "yes"),
}
"""Section 6.2.1 to 6.2.4: a method's words for the seven properties, in their order there."""
PLACES = {
    "normal": "Section 6.2.1",
    "leading": "Section 6.2.2",
    "all": "Section 6.2.3",
    "fancy": "Section 6.2.4",
}

_CHAMPION = "Section 6, after the three points: the best of Codeforces since 2011, from about 2700"
INFLATION = {
    "Elo-R": Printed("about 300 additional points", _CHAMPION),
    "Codeforces": Printed("almost 900", _CHAMPION),
}
HALF_AN_HOUR = Printed("within 30 minutes", "Section 1: all of Codeforces on a quad-core laptop")
