"""Paired Comparisons for Games of Chance (Cowan, 2023)."""

from podium.papers.items import Item

ITEMS: tuple[Item, ...] = ()
