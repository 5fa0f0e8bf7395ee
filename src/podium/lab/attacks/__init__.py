"""Cheating on rating systems: what it does to a rating, and whether it pays."""

from podium.lab.attacks.campaign import Campaign, attack, plan, usual_systems
from podium.lab.attacks.catalogue import ATTACKS, make_attack
from podium.lab.attacks.patterns import PatternSearch, search_patterns
from podium.lab.attacks.policies import PolicySearch, search_policy
from podium.lab.attacks.report import AttackReport
from podium.lab.attacks.running import AttackRun, Curve, attack_history, honest_curve
from podium.lab.attacks.strategies import Phase, Strategy, Throwing, Trading
from podium.lab.attacks.throwing import Alternating, Farming, Resting, Sandbagging, Streak, Tanking
from podium.lab.attacks.trading import FreshAccount, Ring, Smurf
from podium.lab.attacks.worlds import SimulatedContests, SimulatedMatches

__all__ = [
    "ATTACKS",
    "Alternating",
    "AttackReport",
    "AttackRun",
    "Campaign",
    "Curve",
    "Farming",
    "FreshAccount",
    "PatternSearch",
    "Phase",
    "PolicySearch",
    "Resting",
    "Ring",
    "Sandbagging",
    "SimulatedContests",
    "SimulatedMatches",
    "Smurf",
    "Strategy",
    "Streak",
    "Tanking",
    "Throwing",
    "Trading",
    "attack",
    "attack_history",
    "honest_curve",
    "make_attack",
    "plan",
    "search_patterns",
    "search_policy",
    "usual_systems",
]
