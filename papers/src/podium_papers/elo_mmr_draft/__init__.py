"""Elo-MMR, the earlier text with the proofs (Ebtekar and Liu, 2021)."""

from podium_papers.elo_mmr.figure_1_losses import figure_1
from podium_papers.elo_mmr_draft.bounds import bounds_by_rho
from podium_papers.elo_mmr_draft.draft_tables import table_1, table_2, table_3
from podium_papers.elo_mmr_draft.lemmas import lemmas
from podium_papers.items import Item

ITEMS = (
    Item("figure-1", "Figure 1: L₂ versus L_R, normal versus logistic", "Section 3.1", figure_1),
    Item("lemmas", "Lemma 3.1, Theorem 3.2, and a misprint", "Section 3.1 and appendix", lemmas, cost=3),
    Item("bounds", "ρ and the bounds of Theorem 5.7", "Section 5.2", bounds_by_rho),
    Item("table-1", "Table 1: the data sets", "Section 6.1", table_1),
    Item("table-2", "Table 2: pairs right and rank deviation", "Section 6.3", table_2, "synthetic", 50),
    Item("table-3", "Table 3: how long rating takes", "Section 6.3", table_3, "synthetic", 50),
)
