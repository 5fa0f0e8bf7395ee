"""Tournaments: who plays whom in the next round, standings, and the chances of every place."""
