"""Elo-MMR: A Rating System for Massive Multiplayer Competitions (Ebtekar and Liu, 2021)."""

from podium.papers.elo_mmr.losses import figure_1
from podium.papers.items import Item

ITEMS = (Item("figure-1", "Figure 1: L₂ versus L_R, normal versus logistic", "Section 3.1", figure_1),)
