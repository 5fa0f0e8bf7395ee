"""Skill-Based Matchmaking for Competitive Two-Player Games (Yuksel, 2024)."""

from podium_papers.items import Item
from podium_papers.yuksel.figures_1_to_3_newcomers import figure_1, figure_2, figure_3
from podium_papers.yuksel.figures_4_and_5_populations import figure_4, figure_5
from podium_papers.yuksel.figures_6_and_7_unmatched import figure_6, figure_7
from podium_papers.yuksel.glicko_sums import glicko_sums

ITEMS = (
    Item(
        "glicko-sum", "Whether Glicko's two win probabilities sum to less than 1", "Section 2.2", glicko_sums
    ),
    Item("figure-1", "Figure 1: a new player of fixed rating", "Section 5.2", figure_1, cost=20.0),
    Item("figure-2", "Figure 2: a new player who gets better", "Section 5.2", figure_2, cost=20.0),
    Item("figure-3", "Figure 3: a sudden increase, and thrown games", "Section 5.2", figure_3, cost=20.0),
    Item(
        "figure-4",
        "Figure 4: a population after rounds of games",
        "Section 5.3",
        figure_4,
        group="matched",
        cost=150.0,
    ),
    Item(
        "figure-5",
        "Figure 5: errors round by round, with matchmaking",
        "Section 5.3",
        figure_5,
        group="matched",
        cost=150.0,
    ),
    Item("figure-6", "Figure 6: win rates", "Section 5.3", figure_6, cost=8.0),
    Item("figure-7", "Figure 7: errors with random pairing", "Section 5.4", figure_7, cost=70.0),
)
