"""lichess's rating: Glicko-2 with `event_period="skipped"`, a least deviation and a largest volatility."""

from .glicko2 import expected, rate

__all__ = ["expected", "rate"]
