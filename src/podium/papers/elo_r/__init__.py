"""Elo-R Competition Rating System (Ebtekar, 2015, revised 2020)."""

from podium.papers.items import Item

ITEMS: tuple[Item, ...] = ()
