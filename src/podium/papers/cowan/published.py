"""What the paper prints."""

from podium.papers.printed import Printed

# Figure 3.1
LIMIT = Printed("σ² ln 10 / 400", "Section 3.1, below Equation (4): m' − m as m → −∞")
MORE = Printed("much more", "Section 3.1: β from 1 to 0.99 changes the model more than from 0.99 to 0.8")

# Figure 3.2
P_MATCHES = Printed("2162", "Section 3.1, matches of P")
Q_MATCHES = Printed("2142", "Section 3.1, matches of Q")
P_PLACE = Printed("95th percentile", "Section 3.1")
Q_PLACE = Printed("99.95th percentile", "Section 3.1")
P_DEVIATION = Printed("48 to 52", "Section 3.1, last paragraph, √Var(ν_P), almost always")
Q_DEVIATION = Printed("52 to 62", "Section 3.1, last paragraph, √Var(ν_Q)")
DRAWN = Printed("10", "Section 3.1, draws in Figure 3.2")

# Figure 5.1
SYSTEMS = ("Glicko-2", "β = 0.8", "β = 0.9")
LOSSES = {
    name: Printed(value, "Section 5, second paragraph: average log loss")
    for name, value in zip(SYSTEMS, ("0.6625", "0.6613", "0.6559"), strict=True)
}
COUNTS = {
    name: Printed(f"{value} of 1126592 matches", "Section 5, below Figure 5.1: matches plotted")
    for name, value in zip(SYSTEMS, (557973, 566213, 653660), strict=True)
}
PARTS = dict(zip(SYSTEMS, (557973 / 1126592, 566213 / 1126592, 653660 / 1126592), strict=True))

# Choices
SPEED = Printed("roughly 170", "Section 1: matches per second per vCPU in Duelyst II")
FINER = Printed("not meaningfully", "Section 3.2, last paragraph: whether n = 2000 changes the output")
EDGE = Printed("negligible", "Section 3.2, last paragraph: mass outside [−M, M]")
WIDER = Printed("small but non-negligible", "Section 3.2: chance to be ranked too high with σ₀² = 1")

# Examples
EXAMPLE_4_1 = "Example 4.1"
UNNORMALISED = {2: "719/7150", 5: "43/704", 13: "208/825"}
AFTER_A = {2: "69024/284005", 5: "41925/284005", 13: "173056/284005"}
AFTER_B = {3: "74724/284005", 7: "105456/284005", 11: "103825/284005"}
U: tuple[int, ...] = (1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 24, 25, 26, 35, 36, 37)
U = (*U, 48, 49, 50, 63, 64, 65, 80, 81, 82, 99, 100)
"""Example 4.2: where ρ̃ is 1/28."""
