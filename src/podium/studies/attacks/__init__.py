"""Cheating on rating systems: what it does to a rating, and whether it pays.

An attack is a history altered: the same events, but for what a cheat did in them, rated again. `strategy`
says what a way to cheat is, `throwing` and `trading` are those there are, `altered_histories` changes
histories, `attack_run` rates one with and without; `worlds` are where it happens, `patterns` and
`policy_search` search for the best attack, `campaign` does all of it, and `attack_report`, `attack_verdicts`
and `report_page` say what came of it.
"""

from podium.studies.attacks.attack_documents import attack_document
from podium.studies.attacks.attack_report import AttackReport
from podium.studies.attacks.attack_run import AttackRun, RatingCurve, attack_history, honest_curve
from podium.studies.attacks.campaign import Campaign, attack, plan, usual_systems
from podium.studies.attacks.catalogue import ATTACKS, make_attack
from podium.studies.attacks.patterns import PatternSearch, search_patterns
from podium.studies.attacks.policy_search import PolicySearch, search_policy
from podium.studies.attacks.strategy import Phase, Strategy, Throwing, Trading
from podium.studies.attacks.throwing import Alternating, Farming, Resting, Sandbagging, Streak, Tanking
from podium.studies.attacks.trading import FreshAccount, Ring, Smurf
from podium.studies.attacks.worlds import SimulatedContests, SimulatedMatches

__all__ = [
    "ATTACKS",
    "Alternating",
    "AttackReport",
    "AttackRun",
    "Campaign",
    "Farming",
    "FreshAccount",
    "PatternSearch",
    "Phase",
    "PolicySearch",
    "RatingCurve",
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
    "attack_document",
    "attack_history",
    "honest_curve",
    "make_attack",
    "plan",
    "search_patterns",
    "search_policy",
    "usual_systems",
]
