"""Elo-MMR: A Rating System for Massive Multiplayer Competitions (Ebtekar and Liu, 2021)."""

from podium_papers.elo_mmr.fewer_opponents import fewer_opponents
from podium_papers.elo_mmr.figure_1_losses import figure_1
from podium_papers.elo_mmr.figure_2_farming import figure_2
from podium_papers.elo_mmr.glicko_farming import glicko_farmed
from podium_papers.elo_mmr.momentum import momentum_by_rho
from podium_papers.elo_mmr.participants_needed import participants_needed
from podium_papers.elo_mmr.properties import which_is_which
from podium_papers.elo_mmr.pseudodiffusion import theorem_4_1
from podium_papers.elo_mmr.rho import rho_alike
from podium_papers.elo_mmr.robust_average import equation_7
from podium_papers.elo_mmr.small_contests import trueskill_in_small_contests
from podium_papers.elo_mmr.split_ties import footnote_3
from podium_papers.elo_mmr.table_1_sizes import table_1
from podium_papers.elo_mmr.table_2_accuracies import table_2
from podium_papers.elo_mmr.table_3_speed import table_3
from podium_papers.elo_mmr.theorems import section_5
from podium_papers.items import Given, Item

READS_CONTESTS: tuple[Given, ...] = ("contests",)

ITEMS = (
    Item(
        "properties",
        "Massive, monotonic, robust: which system is which",
        "Section 1",
        which_is_which,
        "speed",
        55,
    ),
    Item(
        "participants",
        "How many participants it takes to know a performance",
        "Section 2",
        participants_needed,
        cost=10,
    ),
    Item("figure-1", "Figure 1: L₂ versus L_R, normal versus logistic", "Section 3.1", figure_1),
    Item("ties", "Footnote 3: ties as parts of a win and a loss", "Section 3.1", footnote_3, cost=5),
    Item("equation-7", "Equation (7): a rating as a robust average", "Section 3.2", equation_7),
    Item("theorem-4-1", "Theorem 4.1: the properties of the pseudodiffusion", "Section 4", theorem_4_1),
    Item("figure-2", "Figure 2: volatility farming", "Section 5.1", figure_2, cost=65, reads=READS_CONTESTS),
    Item("glicko-2", "Volatility farming on Glicko-2", "Sections 1 and 5.1", glicko_farmed, cost=5),
    Item("theorems", "The theorems of section 5, checked with numbers", "Section 5", section_5, cost=28),
    Item(
        "momentum",
        "1/ρ as momentum, and the limits of a change",
        "Sections 4.2 and 5.2",
        momentum_by_rho,
        cost=5,
    ),
    Item(
        "subsampling",
        "Some opponents only, and a memory of 500 performances",
        "Section 5.3",
        fewer_opponents,
        cost=25,
    ),
    Item("table-1", "Table 1: the data sets", "Section 6.1", table_1, reads=READS_CONTESTS),
    Item(
        "table-2",
        "Table 2: pairs right and rank deviation of each system",
        "Section 6.3",
        table_2,
        cost=160,
        reads=READS_CONTESTS,
    ),
    Item("rho", "Values of ρ between 0 and 1", "Section 6.3", rho_alike, cost=35, reads=READS_CONTESTS),
    Item(
        "trueskill-small",
        "TrueSkill and Elo-MMR by the size of contests",
        "Section 6.3",
        trueskill_in_small_contests,
        cost=13,
    ),
    Item(
        "table-3",
        "Table 3: how long rating takes",
        "Sections 5.3 and 6.3",
        table_3,
        "speed",
        55,
        READS_CONTESTS,
    ),
)
