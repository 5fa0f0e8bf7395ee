"""What the paper says in numbers: section 5 shows one run of each experiment."""

from podium_papers.printed import Printed

# Conversions of rating differences to win probabilities
RANGE = Printed("20% to 80%", "Section 5.2, third paragraph: expected win rates against ± 250 points")
AT_1500 = Printed("over 95%", "Section 5.2, sixth paragraph: win chance of 2000 against 1500")
LIMIT = Printed("about 88%", "Section 3.1: win probability change of Δr_max = 350")
SCALE = Printed("about 91%", "Section 2.1: win probability of 400 points more")
ERRORS = (
    (200, Printed("up to about 25%", "Section 5.2, seventh paragraph")),
    (200, Printed("less than 25%", "Section 5.3, fifth paragraph")),
    (125, Printed("17%", "Section 5.3, fourth paragraph")),
    (79, Printed("10%", "Section 5.3, fourth paragraph")),
    (54, Printed("8%", "Section 5.3, third paragraph")),
    (46, Printed("7%", "Section 5.3, third paragraph")),
    (20, Printed("less than 3%", "Section 5.3, third paragraph")),
    (7, Printed("less than 1%", "Section 5.3, fifth paragraph")),
)
"""Errors of ratings, in points, as errors of win probabilities."""

GLICKO_SUM = Printed("f_G(a, b) + f_G(b, a) < 1", "Section 2.2, after Equation (4)")
GLICKO_UNLESS = Printed("unless φ_a = φ_b = 0", "Section 2.2, after Equation (4)")

# Figures 1 and 2
EVEN_WIN_RATES = Printed(
    "close to 50%", "Section 5.2, second paragraph: win rate of the last 10 games, most of the time"
)
STREAKS = Printed("up to 10", "Section 5.2, third paragraph: long win and loss streaks of Figure 1b")
SAME = Printed(
    "the same", "Section 5.2, third paragraph: game outcomes that all methods observe in Figure 1b"
)
NOISIER = Printed("increases", "Section 5.2, third paragraph: the variance, from Figure 1a to 1b")
RISING = Printed("a clear increase", "Section 5.2, fourth paragraph: Glicko's win rate")
FOLLOWS = Printed(
    "relatively closely", "Section 5.2, fourth paragraph: how TrueSkill and ours track the rating"
)
CONVERGE = Printed(
    "begin to converge", "Section 5.2, fourth paragraph: TrueSkill and ours when the rating becomes fixed"
)

# Figure 3
JUMP = Printed("over 200", "Section 5.2, fifth paragraph: TrueSkill's games until the new rating")
BELOW = {
    "Elo": Printed("26", "Section 5.2, sixth paragraph: games lost until Elo is below 1500"),
    "TrueSkill": Printed("43", "Section 5.2, sixth paragraph: games lost until TrueSkill is below 1500"),
    "Yuksel": Printed("over 60", "Section 5.2, sixth paragraph: games lost until ours is below 1500"),
    "Glicko": Printed("barely reacts", "Section 5.2, sixth paragraph"),
}
BACK = {
    "Yuksel": Printed("12", "Section 5.2, seventh paragraph: games until ours is at the actual rating"),
    "Elo": Printed("266", "Section 5.2, seventh paragraph: games until Elo is at the actual rating"),
    "TrueSkill": Printed("longer than Elo", "Section 5.2, seventh paragraph"),
}
SHORT_OF_2000 = Printed(
    "200", "Section 5.2, seventh paragraph: how far TrueSkill is short by the time Elo recovers"
)

# Figures 4 and 5: root mean square errors by rounds
FIGURE_5 = {
    ("Yuksel", 10): Printed("below 200", "Section 5.3, fifth paragraph"),
    ("Yuksel", 1_000): Printed("20", "Section 5.3, third paragraph"),
    ("Yuksel", 10_000): Printed("7", "Section 5.3, fifth paragraph"),
    ("Elo", 1_000): Printed("54", "Section 5.3, third paragraph"),
    ("Elo", 2_000): Printed("79", "Section 5.3, fourth paragraph"),
    ("TrueSkill", 1_000): Printed("46", "Section 5.3, third paragraph"),
    ("TrueSkill", 2_000): Printed("125", "Section 5.3, fourth paragraph"),
}
RANGE_AFTER_100 = {
    name: Printed("fail to match the range", "Section 5.3, second paragraph: after 100 rounds")
    for name in ("Elo", "Glicko", "TrueSkill")
}
RANGE_AFTER_100["Yuksel"] = Printed("reasonable", "Section 5.3, second paragraph: ours after 100 rounds")
LOWEST = Printed("around 1,000 rounds", "Section 5.3, fourth paragraph: where Elo and TrueSkill are best")
NO_DIVERGENCE = Printed("does not exhibit this divergent behavior", "Section 5.3, fourth paragraph: Glicko")
NARROW = Printed(
    "underestimates", "Section 5.3, third paragraph: Glicko and rating differences after 1,000 rounds"
)
LARGER = Printed(
    "virtually identical", "Section 5.3, seventh paragraph: larger populations, up to one million"
)
STABLE = Printed("remains stable", "Section 5.4, third paragraph: pairing within 30% of the list")
SLOWER = Printed(
    "not by a significant amount", "Section 5.4, last paragraph: what s = 0.95 costs in Figure 5"
)

# Figure 6
MOST_WIN_RATES = Printed(
    "close to a 50% win rate", "Section 5.3, sixth paragraph: of a vast majority of players"
)

# Figure 7
FIGURE_7 = {
    ("Elo", 1_000): Printed(
        "around an RMSE of 50", "Section 5.4, second paragraph: Elo becomes stable after 1,000 rounds"
    ),
    ("Elo", 10_000): Printed("around an RMSE of 50", "Section 5.4, second paragraph: Elo becomes stable"),
}
BETTER = Printed("better", "Section 5.4, second paragraph: all methods except ours, without matchmaking")
ELO_SLOWER = Printed(
    "slower than the other methods", "Section 5.4, second paragraph: how Elo's error decreases until then"
)
UNSTABLE = Printed("for about 100 rounds", "Section 5.4, third paragraph: how long ours gets better")
WORSE = Printed("relatively high", "Section 5.4, third paragraph: where ours remains")
OUTPERFORMS = Printed(
    "becomes stable … outperforming all other methods", "Section 5.4, fourth paragraph: ours with s = 0.95"
)
