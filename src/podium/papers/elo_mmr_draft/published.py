"""What the draft prints, and where, beside what the paper prints too.

Its Tables 1, 2 and 3 were compared with the paper's number by number: they are the same, so they stand in
`podium.papers.elo_mmr.published` only.
"""

from __future__ import annotations

from podium.papers.elo_mmr.published import Claim

VARIANCES = Claim("variance 300, 200 and 35", "Section 6.1, Synthetic data")
LEMMA = Claim("for all p", "Appendix, Lemma 3.1")
ZERO = Claim("unique", "Appendix, Theorem 3.2")
LOWER = Claim("order of σ²/β", "Section 5.2, last paragraph")
UPPER = Claim("order of β₀²/β", "Section 5.2, last paragraph")
INVERSE = Claim("as 1/ρ", "Section 5.2, last paragraph")
LIMIT = Claim("γ²", "Section 4.2, proof of Theorem 4.1, Zero uncertainty")
SAME = "the draft's number is the paper's"
