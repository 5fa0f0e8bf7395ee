"""Cheating on rating systems: what it does to a rating, and whether it pays."""

from podium.lab.attacks.running import AttackRun, Curve, attack_history, honest_curve
from podium.lab.attacks.strategies import Farming, Strategy

__all__ = ["AttackRun", "Curve", "Farming", "Strategy", "attack_history", "honest_curve"]
