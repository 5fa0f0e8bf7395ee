"""What the paper prints, and where: numbers and words as they stand there ("…" where some are left out).

Nothing here is computed.
"""

from __future__ import annotations

import polars as pl

from podium_papers.printed import Printed

SYSTEMS = ("Codeforces", "Topcoder", "TrueSkill", "Elo-MMχ", "Elo-MMR(ρ)")
"""The columns of Tables 2 and 3, in their order."""

TABLE_1 = {"Codeforces": (1087, 2999), "Topcoder": (2023, 403), "Reddit": (1000, 20), "Synthetic": (50, 2500)}
"""Number of contests, and mean number of participants."""

PAIRS_RIGHT = {
    "Codeforces": (78.3, 78.5, 61.7, 78.5, 78.6),
    "Topcoder": (72.6, 72.3, 68.7, 73.0, 73.1),
    "Reddit": (61.5, 61.4, 61.5, 61.6, 61.6),
    "Synthetic": (81.7, 81.7, 81.3, 81.7, 81.7),
}
"""Table 2, in percent; the paper calls it pair inversion."""
RANK_DEVIATION = {
    "Codeforces": (14.9, 15.1, 25.4, 14.8, 14.7),
    "Topcoder": (18.5, 18.7, 20.9, 18.3, 18.2),
    "Reddit": (27.3, 27.4, 27.2, 27.3, 27.3),
    "Synthetic": (12.9, 12.8, 13.1, 12.8, 12.8),
}
"""Table 2, in percent."""
METRICS = {"pairs right": PAIRS_RIGHT, "rank deviation": RANK_DEVIATION}

SECONDS = {
    "Codeforces": ("212.9", "72.5", "67.2", "31.4", "35.4"),
    "Topcoder": ("9.60", "4.25", "16.8", "7.00", "7.52"),
    "Reddit": ("1.19", "1.14", "0.44", "1.14", "1.42"),
    "Synthetic": ("3.26", "1.00", "2.93", "0.81", "0.85"),
}
"""Table 3, on a machine of 24 cores."""
SEQUENTIAL = Printed(
    "The inherent sequentiality of its message-passing procedure prevented us from parallelizing it",
    "Section 6, second paragraph",
)

EXTREMITIES = Printed("linearly at the extremities", "Section 3.2, after Equation (6)")
DEVIATION = Printed("variance 350²", "Section 6.1, Synthetic data")
ALL_IN_ALL_ROUNDS = Printed("10K players … compete in all rounds", "Section 6.1, Synthetic data")
EXCLUDED = Printed("competed in less than 5 total contests", "Section 6.3, second paragraph")
NEWCOMERS = Printed(
    "this reduced the performance of our method relative to the others", "Section 6.3, second paragraph"
)
SIMILAR_FOR_ALL_RHO = Printed("very similar results", "Section 6.3, first paragraph")
SIMILARLY = Printed("all algorithms perform similarly", "Section 6.3, third paragraph")
EQUAL_IN_SMALL_CONTESTS = Printed("score about equally", "Section 6.3, third paragraph")
QUADRATIC = Printed("a quadratic time dependency", "Section 6.3, fourth paragraph")
LINEAR = Printed("a runtime that scales linearly", "Section 1, Our contributions")
FASTER = Printed("almost an order of magnitude", "Section 6.3, fourth paragraph")
MMX_FASTER = Printed("always faster", "Section 6.3, last paragraph")
FARMED = Printed("523 rating points ahead", "Section 5.1, fourth paragraph")
LAST_PHASE = Printed("almost 1000 rating points gained", "Section 5.1, fourth paragraph")
PENALTY = Printed(
    "a rating loss that decays exponentially once honest play resumes", "Section 5.1, fourth paragraph"
)
IMMUNE = Printed("immune to such volatility-farming attacks", "Section 5.1, fourth paragraph")
THRESHOLD = Printed("whenever his Topcoder rating is above 2975", "Section 5.1, third paragraph")
INFLATED = Printed("several hundred points above its natural value", "Section 1, third paragraph")
EXPLOITED = Printed(
    "a rating that exceeds what would have been obtained via honest play", "Section 5.1, second paragraph"
)
MOMENTUM = Printed("the momentum effect is more pronounced when ρ is small", "Section 5.2, last paragraph")
STEADY_STATE = Printed(
    "In the extended version … an asymptotic steady state for the weights", "Section 5.2, last paragraph"
)
CAP_FOR_CONSISTENT = Printed(
    "the cap is smaller for consistent performers", "Section 5.2, before its last paragraph"
)
LIMITS = Printed("≤ Δ± ≤", "Theorem 5.7")
NEGLIGIBLE = Printed("negligible loss of precision", "Section 5.3, third paragraph")
OLD_PERFORMANCES = Printed(
    "the contributions of all but the most recent O(log 1/ε) terms are negligible",
    "Section 5.3, History compression",
)
SAME_OPPONENTS = Printed(
    "one must avoid choosing different opponents for each player", "Section 5.3, Adaptive subsampling"
)
TERMS_MOVE_ZERO = Printed("always increases its zero … always decreases it", "Lemma 5.1")
HIGHER_PERFORMS_HIGHER = Printed("player i and j's performance estimates satisfy pᵢ > pⱼ", "Theorem 5.2")
PERFORMANCE = Printed("a monotonic function of player i's prior rating and of player i's rank", "Lemma 5.3")
MONOTONIC_IN_PAST = Printed("monotonic in each of their past performance scores", "Lemma 5.4")
COMPATIBLE = Printed("monotonic in each of their past rankings", "Theorem 5.5")
MEMORYLESS = Printed("If i ≻ j in round t, then μᵢ,ₜ > μⱼ,ₜ", "Theorem 5.6")
MEMORYLESS_CHANGE = Printed("If j ≻ i in round t, then μⱼ,ₜ − μⱼ,ₜ₋₁ > μᵢ,ₜ − μᵢ,ₜ₋₁", "Theorem 5.6")
MEMORYLESS_SIGMA = Printed("σᵢ,ₜ = σⱼ,ₜ", "Theorem 5.6")

MEETS_ALL = Printed("meets all of the properties listed in Section 4.1", "Theorem 4.1")
RATING_PRESERVATION = Printed("the rating of a player should not change", "Section 4.1, Rating preservation")
CORRECT_MAGNITUDE = Printed(
    "must increase the skill uncertainty, as measured by Equation (8), by γ²",
    "Section 4.1, Correct magnitude",
)
COMPOSABILITY = Printed(
    "must have the same effect as a single pseudodiffusion with parameter γ₁² + γ₂²",
    "Section 4.1, Composability",
)
ZERO_DIFFUSION = Printed("the effect of pseudodiffusion must vanish", "Section 4.1, Zero diffusion")
ZERO_UNCERTAINTY = Printed(
    "our belief on Sₜ must become Gaussian with mean μₜ₋₁ and variance γ²", "Section 4.1, Zero uncertainty"
)
FAILS_ZERO_DIFFUSION = Printed("fails the zero diffusion property", "Section 4.1, last paragraph: ρ = ∞")
FAILS_ZERO_UNCERTAINTY = Printed("fails the zero uncertainty property", "Section 4.1, last paragraph: ρ = 0")
ROBUST_AVERAGE = Printed(
    "a robust average of the historical performances", "Section 3.2, before Equation (7)"
)
NEAR_WEIGHT = Printed("up to π²/6 times more as |μₜ − pₖ| → 0", "Section 3.2, after Equation (7)")
TYPICAL_WEIGHT = Printed("close to 1/βₖ² for typical performances", "Section 3.2, after Equation (7)")
VANISHING_WEIGHT = Printed("vanish as |μₜ − pₖ| → ∞", "Section 3.2, after Equation (7)")
SPLIT_TIES = Printed(
    "Lemma 3.1 still holds if … for some wₗ, wₒ ∈ [0, 1] with |wₗ − wₒ| < 1", "Section 3.1, footnote 3"
)
SECTION_5_STAYS = Printed(
    "The results in Section 5 won't be altered by this change", "Section 3.1, footnote 3"
)
TIES_REPLACED = Printed(
    "replacing a tie term by a win term, always increases its zero … replacing a tie term by a loss term, "
    "always decreases it",
    "Lemma 5.1",
)
PARTICIPANTS = Printed(
    "O(1/ε² log 1/δ) participants", "Section 2, Finally, a word on the rate of convergence"
)
PARTICIPANTS_IN_DRAFT = Printed("O(1/ε² √(log 1/δ)) participants", "the same place of the earlier draft")
TYPICAL_ERROR = Printed(
    "O(1/ε²) opponents are needed to get the typical error below ε", "Section 5.3, Adaptive subsampling"
)

ONLY_COMPATIBLE = Printed("Codeforces only satisfies incentive-compatibility", "Section 1, Our contributions")
ONLY_ROBUST = Printed("Topcoder only satisfies robustness", "Section 1, Our contributions")
BELIEVED = Printed(
    "TrueSkill is believed to satisfy the first two properties", "Section 1, Our contributions"
)
FAILS_ROBUSTNESS = Printed("fails robustness", "Section 1, Our contributions")
VIOLATED = Printed(
    "violating this property in the Topcoder and Glicko-2 rating systems", "Section 5.1, first paragraph"
)
NO_INCENTIVE = Printed(
    "no strategic incentive for purposely losing exists in any version of Elo-MMR",
    "Section 5.1, fifth paragraph",
)
LACKS_ROBUSTNESS = Printed("lacks the R for robustness", "Section 4, Gaussian performance model")
BOUNDED = Printed("rating changes are bounded", "Section 1, Our contributions")
VANISHES = Printed(
    "a sufficiently volatile player would be subject to correspondingly large rating updates",
    "Section 5.2, last paragraph",
)

TABLES = {
    "Table 1": pl.DataFrame(
        [(name, *row) for name, row in TABLE_1.items()],
        schema=["set", "contests", "participants a contest"],
        orient="row",
    ),
    "Table 2": pl.DataFrame(
        [
            {"set": name, "metric": metric}
            | {system: f"{value}%" for system, value in zip(SYSTEMS, rows[name], strict=True)}
            for name in PAIRS_RIGHT
            for metric, rows in METRICS.items()
        ]
    ),
    "Table 3": pl.DataFrame(
        [
            {"set": name} | {system: f"{value} s" for system, value in zip(SYSTEMS, row, strict=True)}
            for name, row in SECONDS.items()
        ]
    ),
}
"""The three tables with all of their rows, as they are printed."""
