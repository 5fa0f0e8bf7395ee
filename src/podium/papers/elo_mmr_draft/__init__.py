"""Elo-MMR, an earlier text with the proofs (Ebtekar and Liu, 2021)."""

from podium.papers.items import Item

ITEMS: tuple[Item, ...] = ()
