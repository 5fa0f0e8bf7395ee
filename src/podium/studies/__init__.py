"""Studies built on podium: attacks and a live game."""
