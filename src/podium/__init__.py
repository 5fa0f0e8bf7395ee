"""podium rates players and matches them.

>>> import podium
>>> history = podium.History.from_matches(["ann", "bob", "ann"], ["bob", "cat", "cat"])
>>> podium.rate(history, podium.Elo()).ratings["player"].to_list()
['ann', 'bob', 'cat']

Names are loaded when they are used: importing podium loads neither the compiler nor the table library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

_HOME = {
    "Adjustment": "podium.history",
    "Advice": "podium.evaluation.advice",
    "Anchor": "podium.history",
    "AsyncClient": "podium.client.service_client",
    "AttackReport": "podium.studies.attacks",
    "Auto": "podium.systems.auto.auto",
    "Backtest": "podium.evaluation.backtest_results",
    "Change": "podium.systems.contract.ratings",
    "Client": "podium.client.service_client",
    "Codeforces": "podium.systems.codeforces.codeforces",
    "Comparison": "podium.evaluation.verdicts",
    "ContestChanges": "podium.ladder.contest_changes",
    "Conduct": "podium.matchmaking.policies.conduct",
    "Contribution": "podium.systems.contract.explained_ratings",
    "CooldownError": "podium.errors",
    "Distribution": "podium.systems.contract.distribution",
    "Elo": "podium.systems.elo",
    "EloMMR": "podium.systems.elo_mmr.elo_mmr",
    "EloMMX": "podium.systems.elo_mmr.elo_mmx",
    "EloR": "podium.systems.elo_mmr.elo_r",
    "Event": "podium.history",
    "EventExplanation": "podium.ladder.event_explanations",
    "ExpertList": "podium.systems.auto.expert_lists",
    "Explanation": "podium.systems.contract.explained_ratings",
    "Fit": "podium.fitting.fit_result",
    "Glicko": "podium.systems.glicko.glicko",
    "Glicko2": "podium.systems.glicko.glicko",
    "History": "podium.history",
    "HistoryLike": "podium.history",
    "InputError": "podium.errors",
    "KeyConflictError": "podium.errors",
    "Ladder": "podium.ladder.ladder",
    "Ladders": "podium.ladder.many_ladders",
    "Luck": "podium.systems.luck.luck",
    "LuckFunction": "podium.systems.luck",
    "Match": "podium.matchmaking.pool.proposals",
    "Matchmaker": "podium.matchmaking.matchmaker",
    "Merge": "podium.history",
    "Metric": "podium.evaluation.metrics",
    "OrderError": "podium.errors",
    "Outcomes": "podium.systems.contract.ratings",
    "Pairing": "podium.matchmaking.pairing",
    "ParameterError": "podium.errors",
    "PastError": "podium.errors",
    "Performance": "podium.systems.contract.explained_ratings",
    "PerformanceExplanation": "podium.systems.contract.explained_ratings",
    "PodiumError": "podium.errors",
    "Policy": "podium.matchmaking.policies.policy",
    "RankProbabilities": "podium.systems.contract.ratings",
    "Rating": "podium.systems.contract.ratings",
    "RatingSystem": "podium.systems",
    "Reading": "podium.history",
    "ReadingWarning": "podium.history",
    "Release": "podium.history",
    "Rename": "podium.history",
    "RepeatError": "podium.errors",
    "Reset": "podium.history",
    "RollingSplit": "podium.tuning.splits",
    "Run": "podium.ladder.bulk",
    "Seed": "podium.history",
    "ServiceError": "podium.errors",
    "SetRating": "podium.history",
    "Skipped": "podium.history",
    "Smoothing": "podium.evaluation.smoothing.smoothing",
    "Split": "podium.tuning.splits",
    "StateError": "podium.errors",
    "System": "podium.systems",
    "Term": "podium.matchmaking.policies.term_contract",
    "Tick": "podium.matchmaking.pool.proposals",
    "Ticket": "podium.matchmaking.pool.tickets",
    "Tournament": "podium.tournaments.tournament",
    "Topcoder": "podium.systems.topcoder.topcoder",
    "Trace": "podium.systems.contract.ratings",
    "TrueSkill": "podium.systems.trueskill.trueskill",
    "Tuning": "podium.tuning.tuning_result",
    "UnknownPlayerError": "podium.errors",
    "UnreachableError": "podium.errors",
    "UnsupportedError": "podium.errors",
    "WengLin": "podium.systems.weng_lin.weng_lin",
    "WhatIf": "podium.ladder.rating_comparisons",
    "WinCurve": "podium.systems.yuksel.win_curves",
    "Yuksel": "podium.systems.yuksel.yuksel",
    "advise": "podium.evaluation.advice",
    "attack": "podium.studies.attacks",
    "changes": "podium.ladder.contest_changes",
    "document": "podium.documents",
    "evaluate": "podium.evaluation.backtest",
    "evaluate_tuned": "podium.tuning.tuned_comparison",
    "fide_performance": "podium.systems.elo",
    "fit": "podium.fitting.fit",
    "list_systems": "podium.systems",
    "load_system": "podium.systems.system_files",
    "make_system": "podium.systems",
    "predict": "podium.evaluation.row_predictions",
    "rate": "podium.ladder.bulk",
    "rate_match": "podium.ladder.plain_ratings",
    "rate_ladders": "podium.ladder.many_ladders",
    "read_chunks": "podium.tables",
    "read_history": "podium.tables",
    "register_system": "podium.systems",
    "sample": "podium.tables",
    "save_system": "podium.systems.system_files",
    "simple_system": "podium.systems",
    "simulate_bracket": "podium.tournaments.chances",
    "simulate_fixtures": "podium.tournaments.fixtures",
    "smooth": "podium.evaluation.smoothing.smoothing",
    "tune": "podium.tuning.tuning",
    "warmup": "podium.compiling",
    "what_if": "podium.ladder.rating_comparisons",
    "write_history": "podium.tables",
}

_ROOMS = ("charts", "checks")
"""Packages that can be used without being imported."""

__all__ = ["__version__", "checks", *_HOME]


if not TYPE_CHECKING:  # or every name would pass for one of podium

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return import_module(f"podium.{name}")
        if name not in _HOME:
            raise AttributeError(f"module 'podium' has no attribute {name!r}")
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from podium import charts as charts
    from podium import checks as checks
    from podium.client.service_client import AsyncClient as AsyncClient
    from podium.client.service_client import Client as Client
    from podium.compiling import warmup as warmup
    from podium.documents import document as document
    from podium.errors import CooldownError as CooldownError
    from podium.errors import InputError as InputError
    from podium.errors import KeyConflictError as KeyConflictError
    from podium.errors import OrderError as OrderError
    from podium.errors import ParameterError as ParameterError
    from podium.errors import PastError as PastError
    from podium.errors import PodiumError as PodiumError
    from podium.errors import RepeatError as RepeatError
    from podium.errors import ServiceError as ServiceError
    from podium.errors import StateError as StateError
    from podium.errors import UnknownPlayerError as UnknownPlayerError
    from podium.errors import UnreachableError as UnreachableError
    from podium.errors import UnsupportedError as UnsupportedError
    from podium.evaluation.advice import Advice as Advice
    from podium.evaluation.advice import advise as advise
    from podium.evaluation.backtest import evaluate as evaluate
    from podium.evaluation.backtest_results import Backtest as Backtest
    from podium.evaluation.metrics import Metric as Metric
    from podium.evaluation.row_predictions import predict as predict
    from podium.evaluation.smoothing.smoothing import Smoothing as Smoothing
    from podium.evaluation.smoothing.smoothing import smooth as smooth
    from podium.evaluation.verdicts import Comparison as Comparison
    from podium.fitting.fit import fit as fit
    from podium.fitting.fit_result import Fit as Fit
    from podium.history import Adjustment as Adjustment
    from podium.history import Anchor as Anchor
    from podium.history import Event as Event
    from podium.history import History as History
    from podium.history import HistoryLike as HistoryLike
    from podium.history import Merge as Merge
    from podium.history import Reading as Reading
    from podium.history import ReadingWarning as ReadingWarning
    from podium.history import Release as Release
    from podium.history import Rename as Rename
    from podium.history import Reset as Reset
    from podium.history import Seed as Seed
    from podium.history import SetRating as SetRating
    from podium.history import Skipped as Skipped
    from podium.ladder.bulk import Run as Run
    from podium.ladder.bulk import rate as rate
    from podium.ladder.contest_changes import ContestChanges as ContestChanges
    from podium.ladder.contest_changes import changes as changes
    from podium.ladder.event_explanations import EventExplanation as EventExplanation
    from podium.ladder.ladder import Ladder as Ladder
    from podium.ladder.many_ladders import Ladders as Ladders
    from podium.ladder.many_ladders import rate_ladders as rate_ladders
    from podium.ladder.plain_ratings import rate_match as rate_match
    from podium.ladder.rating_comparisons import WhatIf as WhatIf
    from podium.ladder.rating_comparisons import what_if as what_if
    from podium.matchmaking.matchmaker import Matchmaker as Matchmaker
    from podium.matchmaking.pairing import Pairing as Pairing
    from podium.matchmaking.policies.conduct import Conduct as Conduct
    from podium.matchmaking.policies.policy import Policy as Policy
    from podium.matchmaking.policies.term_contract import Term as Term
    from podium.matchmaking.pool.proposals import Match as Match
    from podium.matchmaking.pool.proposals import Tick as Tick
    from podium.matchmaking.pool.tickets import Ticket as Ticket
    from podium.studies.attacks import AttackReport as AttackReport
    from podium.studies.attacks import attack as attack
    from podium.systems import RatingSystem as RatingSystem
    from podium.systems import System as System
    from podium.systems import list_systems as list_systems
    from podium.systems import make_system as make_system
    from podium.systems import register_system as register_system
    from podium.systems import simple_system as simple_system
    from podium.systems.auto.auto import Auto as Auto
    from podium.systems.auto.expert_lists import ExpertList as ExpertList
    from podium.systems.codeforces.codeforces import Codeforces as Codeforces
    from podium.systems.contract.distribution import Distribution as Distribution
    from podium.systems.contract.explained_ratings import Contribution as Contribution
    from podium.systems.contract.explained_ratings import Explanation as Explanation
    from podium.systems.contract.explained_ratings import Performance as Performance
    from podium.systems.contract.explained_ratings import PerformanceExplanation as PerformanceExplanation
    from podium.systems.contract.ratings import Change as Change
    from podium.systems.contract.ratings import Outcomes as Outcomes
    from podium.systems.contract.ratings import RankProbabilities as RankProbabilities
    from podium.systems.contract.ratings import Rating as Rating
    from podium.systems.contract.ratings import Trace as Trace
    from podium.systems.elo import Elo as Elo
    from podium.systems.elo import fide_performance as fide_performance
    from podium.systems.elo_mmr.elo_mmr import EloMMR as EloMMR
    from podium.systems.elo_mmr.elo_mmx import EloMMX as EloMMX
    from podium.systems.elo_mmr.elo_r import EloR as EloR
    from podium.systems.glicko.glicko import Glicko as Glicko
    from podium.systems.glicko.glicko import Glicko2 as Glicko2
    from podium.systems.luck import LuckFunction as LuckFunction
    from podium.systems.luck.luck import Luck as Luck
    from podium.systems.system_files import load_system as load_system
    from podium.systems.system_files import save_system as save_system
    from podium.systems.topcoder.topcoder import Topcoder as Topcoder
    from podium.systems.trueskill.trueskill import TrueSkill as TrueSkill
    from podium.systems.weng_lin.weng_lin import WengLin as WengLin
    from podium.systems.yuksel.win_curves import WinCurve as WinCurve
    from podium.systems.yuksel.yuksel import Yuksel as Yuksel
    from podium.tables import read_chunks as read_chunks
    from podium.tables import read_history as read_history
    from podium.tables import sample as sample
    from podium.tables import write_history as write_history
    from podium.tournaments.chances import simulate_bracket as simulate_bracket
    from podium.tournaments.fixtures import simulate_fixtures as simulate_fixtures
    from podium.tournaments.tournament import Tournament as Tournament
    from podium.tuning.splits import RollingSplit as RollingSplit
    from podium.tuning.splits import Split as Split
    from podium.tuning.tuned_comparison import evaluate_tuned as evaluate_tuned
    from podium.tuning.tuning import tune as tune
    from podium.tuning.tuning_result import Tuning as Tuning
