"""What the draft prints, and where, beside what the paper prints too.

Its Tables 1, 2 and 3 were compared with the paper's number by number: they are the same, so they stand in
`podium_papers.elo_mmr.published` only.
"""

from __future__ import annotations

from podium_papers.printed import Printed

VARIANCES = Printed("variance 300 … variance 200 … variance 35", "Section 6.1, Synthetic data")
LEMMA = Printed("lᵢ(p) < dᵢ(p) < vᵢ(p) for all p", "Lemma 3.1")
UNIQUE_ZERO = Printed("the unique zero", "Theorem 3.2")
LOWER_BOUND = Printed("on the order of σₜ²/βₜ", "Section 5.2, last paragraph")
UPPER_BOUND = Printed("on the order of β₀²/βₜ", "Section 5.2, last paragraph")
INVERSE_TO_MOMENTUM = Printed(
    "in inverse proportion to the desired strength of momentum", "Section 5.2, last paragraph"
)
LIMIT = Printed(
    "The total weight decays from 1/σ²ₜ₋₁ to γ²", "Section 4.2, proof of Theorem 4.1, Zero uncertainty"
)
SAME_AS_PAPER = "the draft's number is the paper's"
