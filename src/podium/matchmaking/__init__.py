"""Who plays whom: the opponent a player should meet next, and pairings of everybody who waits.

The names that a game uses are here, with the terms of policies and the `Meetings` that terms of your own look
at. They are loaded when they are used.

>>> from podium.matchmaking import NoRematch, Policy, WinProbabilityGap
>>> Policy(terms=(WinProbabilityGap(), NoRematch(2))).rematch_games
2
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_TERMS = (
    *(
        "BlockList",
        "Latency",
        "Needs",
        "NoRematch",
        "PremadeGap",
        "RatingGap",
        "SameAttribute",
        "WaitingTime",
    ),
    "WinProbabilityGap",
)
_HOME = {
    **dict.fromkeys(_TERMS, "policies.terms"),
    **dict.fromkeys(("Meetings", "Tickets"), "policies.meetings"),
    "Term": "policies.term_contract",
    "Conduct": "policies.conduct",
    "Policy": "policies.policy",
    "WinRateTarget": "policies.targets",
    "Matchmaker": "matchmaker",
    "Mode": "lobbies.modes",
    "Ticket": "pool.tickets",
    **dict.fromkeys(("Match", "Tick"), "pool.proposals"),
}

__all__ = [
    *(
        "BlockList",
        "Conduct",
        "Latency",
        "Match",
        "Matchmaker",
        "Meetings",
        "Mode",
        "Needs",
        "NoRematch",
        "Policy",
    ),
    *("PremadeGap", "RatingGap", "SameAttribute", "Term", "Tick", "Ticket", "Tickets", "WaitingTime"),
    *("WinProbabilityGap", "WinRateTarget"),
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


if TYPE_CHECKING:
    from podium.matchmaking.lobbies.modes import Mode as Mode
    from podium.matchmaking.matchmaker import Matchmaker as Matchmaker
    from podium.matchmaking.policies.conduct import Conduct as Conduct
    from podium.matchmaking.policies.meetings import Meetings as Meetings
    from podium.matchmaking.policies.meetings import Tickets as Tickets
    from podium.matchmaking.policies.policy import Policy as Policy
    from podium.matchmaking.policies.targets import WinRateTarget as WinRateTarget
    from podium.matchmaking.policies.term_contract import Term as Term
    from podium.matchmaking.policies.terms import BlockList as BlockList
    from podium.matchmaking.policies.terms import Latency as Latency
    from podium.matchmaking.policies.terms import Needs as Needs
    from podium.matchmaking.policies.terms import NoRematch as NoRematch
    from podium.matchmaking.policies.terms import PremadeGap as PremadeGap
    from podium.matchmaking.policies.terms import RatingGap as RatingGap
    from podium.matchmaking.policies.terms import SameAttribute as SameAttribute
    from podium.matchmaking.policies.terms import WaitingTime as WaitingTime
    from podium.matchmaking.policies.terms import WinProbabilityGap as WinProbabilityGap
    from podium.matchmaking.pool.proposals import Match as Match
    from podium.matchmaking.pool.proposals import Tick as Tick
    from podium.matchmaking.pool.tickets import Ticket as Ticket
