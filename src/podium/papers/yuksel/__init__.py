"""Skill-Based Matchmaking for Competitive Two-Player Games (Yuksel, 2024)."""

from podium.papers.items import Item

ITEMS: tuple[Item, ...] = ()
