"""What the paper prints."""

from podium_papers.printed import Printed

# Figure 3.1
LIMIT = Printed("σ² log 10 / 400", "Section 3.1, below Equation (4): where m' − m goes as m → −∞")
CHANGES_MUCH_MORE = Printed(
    "much more", "Section 3.1: β from 1 to 0.99 changes the model more than from 0.99 to 0.8"
)

# Figure 3.2
P_MATCHES = Printed("2162", "Section 3.1, last paragraph but one: matches of P")
Q_MATCHES = Printed("2142", "Section 3.1, last paragraph but one: matches of Q")
P_PLACE = Printed("the 95th and 99.95th percentiles", "Section 3.1, last paragraph but one: rank of P")
Q_PLACE = Printed("the 95th and 99.95th percentiles", "Section 3.1, last paragraph but one: rank of Q")
P_DEVIATION = Printed(
    "almost always between 48² and 52²", "Section 3.1, last paragraph: Var(ν_P) for the plotted matches"
)
Q_DEVIATION = Printed(
    "between about 52² and 62²", "Section 3.1, last paragraph: Var(ν_Q) for the plotted matches"
)
DRAWN = Printed("10", "Section 3.1, last paragraph but one: draws in Figure 3.2")

# Figure 5.1
SYSTEMS = ("Glicko-2", "β = 0.8", "β = 0.9")
LOSSES = {
    name: Printed(value, "Section 5, second paragraph: average log loss")
    for name, value in zip(SYSTEMS, ("0.6625", "0.6613", "0.6559"), strict=True)
}
COUNTS = {
    name: Printed(value, "Section 5, below Figure 5.1: matches plotted")
    for name, value in zip(SYSTEMS, ("557973", "566213", "653660"), strict=True)
}
MATCHES = Printed("1,126,592", "Section 5, first paragraph: ranked matches")

# Choices
SPEED = Printed("roughly 170", "Section 1: matches per second per vCPU in Duelyst II")
FINER_GRID = Printed(
    "did not meaningfully", "Section 3.2, last paragraph: whether doubling n changed the output"
)
MASS_AT_EDGE = Printed(
    "no player", "Section 3.2, last paragraph: who had non-negligible mass outside [−M, M]"
)
WIDER_PRIOR = Printed(
    "a small but non-negligible chance",
    "Section 3.2, last paragraph but one: of a player ranked inappropriately highly with σ₀² = 1",
)

# Examples
BETTER_WINS = Printed("1, 1/2, 0", "Definition 2.2, with Example 2.4: H for x > 0, x = 0, x < 0")
CHANCE = Printed("1/2", "Example 2.4: Λ for all x and y")
BRADLEY_TERRY = Printed("x/(x + y)", "Example 2.5: Λ")
LINEAR = {
    "Gumbel": Printed("the Bradley–Terry model", "Example 2.6: with Gumbel distributions of scale 1"),
    "normal": Printed("the Thurstone–Mosteller model", "Example 2.6: with normal distributions"),
}
MARGIN = Printed("1, 1/2, 0", "Example 2.7: Λ for x − y above ε, within ε, below −ε")
FIDE = Printed("10/11 and 1/11", "Example 2.8: Λ for x − y > 400 and < −400")
COIN = Printed(
    "(1 + β)/2", "Example 2.9: the chance to win of the champion, and of the author against a rock"
)
NOBODY = Printed("0", "Example 2.10: L(A, B) = L(B, C) = L(C, A)")
BETA = Printed("a beta distribution", "Example 2.14: what inference about p yields")
BELOW = Printed("probability 0", "Example 2.14: δ_x with x < y after A > B")
ELSEWHERE = Printed("probability 0", "Example 2.14: δ_x with x ≠ y after A > B and B > A")
UNDEFINED = Printed("undefined", "Example 2.14: the behaviour after A > B, B > A and A > C")
PROPORTION = Printed(
    "the proportion p(1 − p)² of cases", "Example 2.14: in which A > B, B > A and A > C do occur"
)
DISCRETE = Printed("α̂ᵢ ∝ αᵢ Σ β p q Λ", "Example 2.15, last formula, its indices left out here")
STAYS = Printed("ν̃ = ν", "Example 2.17")
NORMAL = Printed("again normal", "Example 2.18: ν̃ where ν and κ are normal")
_MATCH = "Example 4.1"
UNNORMALISED = {
    2: Printed("719/7150", _MATCH),
    5: Printed("43/704", _MATCH),
    13: Printed("208/825", _MATCH),
}
AFTER_A = {
    2: Printed("69024/284005", _MATCH),
    5: Printed("41925/284005", _MATCH),
    13: Printed("173056/284005", _MATCH),
}
AFTER_B = {
    3: Printed("74724/284005", _MATCH),
    7: Printed("105456/284005", _MATCH),
    11: Printed("103825/284005", _MATCH),
}
GROWN = Printed("1/28", "Example 4.2: ρ̃_A on U")
U = Printed(
    "1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 24, 25, 26, 35, 36, 37, "
    "48, 49, 50, 63, 64, 65, 80, 81, 82, 99, 100",
    "Example 4.2: U, where ρ̃_A is 1/28",
)
