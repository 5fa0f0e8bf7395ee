"""Cheating on rating systems: what it does to a rating, and whether it pays.

An attack is a history altered: the same events, but for what a cheat did in them, rated again. `strategy`
says what a way to cheat is, `throwing`, `collusion` and `trading` are those there are, `defences` are what
organisers can do, `altered_histories` changes histories, `rating_walk` follows a rating through one and
`attack_run` rates one with and without; `worlds` are where it happens, `patterns` and `policy_search` search
for the best attack, `campaign` does all of it, and `attack_report`, `attack_verdicts` and `report_page` say
what came of it.
"""

from podium.studies.attacks.attack_documents import attack_document
from podium.studies.attacks.attack_report import AttackReport
from podium.studies.attacks.attack_run import AttackRun, attack_history, honest_curve
from podium.studies.attacks.campaign import Campaign, attack, plan, usual_systems
from podium.studies.attacks.catalogue import ATTACKS, make_attack
from podium.studies.attacks.collusion import Accomplices, Ring
from podium.studies.attacks.defences import (
    DEFENCES,
    CountStarts,
    Defence,
    Disqualify,
    MinEvents,
    RecentPlay,
    SigmaPenalty,
    make_defence,
)
from podium.studies.attacks.patterns import PatternSearch, search_patterns
from podium.studies.attacks.policy_search import PolicySearch, search_policy
from podium.studies.attacks.rating_walk import RatingCurve
from podium.studies.attacks.strategy import Phase, Strategy, Throwing, Trading
from podium.studies.attacks.throwing import (
    Alternating,
    Farming,
    Leaving,
    Resting,
    Sandbagging,
    Streak,
    Tanking,
)
from podium.studies.attacks.trading import BestAccount, FreshAccount, Smurf
from podium.studies.attacks.worlds import SimulatedContests, SimulatedMatches

__all__ = [
    "ATTACKS",
    "DEFENCES",
    "Accomplices",
    "Alternating",
    "AttackReport",
    "AttackRun",
    "BestAccount",
    "Campaign",
    "CountStarts",
    "Defence",
    "Disqualify",
    "Farming",
    "FreshAccount",
    "Leaving",
    "MinEvents",
    "PatternSearch",
    "Phase",
    "PolicySearch",
    "RatingCurve",
    "RecentPlay",
    "Resting",
    "Ring",
    "Sandbagging",
    "SigmaPenalty",
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
    "make_defence",
    "plan",
    "search_patterns",
    "search_policy",
    "usual_systems",
]
