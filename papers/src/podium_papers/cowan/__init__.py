"""Paired Comparisons for Games of Chance (Cowan, 2023)."""

from podium_papers.cowan.choices import choices
from podium_papers.cowan.examples import examples
from podium_papers.cowan.figure_3_1_tails import figure_3_1
from podium_papers.cowan.figure_3_2_changes import figure_3_2
from podium_papers.cowan.figure_5_1_losses import figure_5_1
from podium_papers.items import Item

ITEMS = (
    Item("examples", "Examples 2.4 to 2.18, 4.1 and 4.2", "Sections 2 and 4.1", examples, cost=2.0),
    Item("figure-3-1", "Figure 3.1: what a win over 2000 does", "Section 3.1", figure_3_1, cost=5.0),
    Item(
        "figure-3-2",
        "Figure 3.2: the change in rating after each match",
        "Section 3.1",
        figure_3_2,
        cost=10.0,
        reads=("matches",),
    ),
    Item("choices", "The grid, the prior and speed", "Sections 1 and 3.2", choices, cost=9.0),
    Item(
        "figure-5-1",
        "Figure 5.1: log loss by rating difference",
        "Section 5",
        figure_5_1,
        cost=80.0,
        reads=("matches",),
    ),
)
