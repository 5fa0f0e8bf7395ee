"""Studies built on podium: the papers again, attacks, a live game, the exact model of luck."""
