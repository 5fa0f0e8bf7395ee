"""podium's own waiting pool as one of the matchers of a simulated game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from podium.lab.waiting import Matcher, Rules, Waiting
from podium.matchmaking.matchmaker import Matchmaker
from podium.matchmaking.pairing import Pairing
from podium.matchmaking.policy import Policy
from podium.matchmaking.proposals import Match
from podium.matchmaking.targets import WinRateTarget
from podium.matchmaking.terms import NoRematch, Term, WaitingTime, WinProbabilityGap

FOREVER = 1e9
"""Seconds that nobody waits."""


@dataclass(frozen=True)
class PoolMatcher(Matcher):
    """`podium.Matchmaker`, which knows the rules of the game and proposes only what they accept."""

    name: ClassVar[str] = "pool"
    summary: ClassVar[str] = "as many good pairs as there are, by the waiting pool of podium.Matchmaker"

    rematch_games: int = 0
    """For how many games the same two do not meet again."""

    def begin(self, rules: Rules) -> Matcher:
        """An empty pool."""
        patience = min(rules.patience, FOREVER)
        terms: list[Term] = [WinProbabilityGap(), WaitingTime(per_minute=rules.widening, patience=patience)]
        if self.rematch_games:
            terms.append(NoRematch(games=self.rematch_games))
        policy = Policy(terms=tuple(terms), tolerance=rules.tolerance, target=rules.target)
        return _Pool(Matchmaker(rules.target.system, policy=policy), rules.target.games)

    def pair(self, waiting: Waiting, target: WinRateTarget, chance: np.random.Generator) -> Pairing:
        """The pairs of a pool into which everybody has come just now."""
        return self.begin(Rules(target)).pair(waiting, target, chance)


@dataclass(frozen=True)
class _Pool(Matcher):
    """A pool that holds whoever waits in the game."""

    name: ClassVar[str] = PoolMatcher.name
    summary: ClassVar[str] = PoolMatcher.summary

    maker: Matchmaker
    games: int
    """How many of a player's last ones count."""
    proposed: list[Match] = field(default_factory=list)
    inside: set[str] = field(default_factory=set)

    def pair(self, waiting: Waiting, target: WinRateTarget, chance: np.random.Generator) -> Pairing:
        """Tell the pool what has happened since, and take what it proposes."""
        place = {str(player): where for where, player in enumerate(waiting.player.tolist())}
        self._settle(place)
        for name in self.inside - place.keys():
            self.maker.leave(name)
        self._join(waiting, [name for name in place if name not in self.inside], place)
        self.inside.clear()
        self.inside.update(place)
        self.proposed[:] = self.maker.tick(time=waiting.now).matches
        sides = [[place[match.sides[side][0]] for match in self.proposed] for side in (0, 1)]
        first, second = (np.array(side, np.int64) for side in sides)
        out = np.setdiff1d(np.arange(len(place)), np.concatenate((first, second)))
        return Pairing(first, second, out)

    def _settle(self, place: dict[str, int]) -> None:
        """What was proposed the last time has begun, unless both still wait."""
        for match in self.proposed:
            if match.players[0] in place:
                self.maker.cancel(match)
            else:
                self.maker.start(match)
                self.inside.difference_update(match.players)

    def _join(self, waiting: Waiting, names: list[str], place: dict[str, int]) -> None:
        """Who has come since; of their last games only the sum of scores matters, not the order."""
        if not names:
            return
        rows = np.array([place[name] for name in names], np.int64)
        counted = np.minimum(waiting.played[rows], self.games).tolist()
        wins = waiting.wins[rows].tolist()
        self.maker.join_many(
            names,
            time=waiting.now - waiting.waited[rows],
            mu=waiting.mu[rows],
            sigma=None if waiting.sigma is None else waiting.sigma[rows],
            recent=[[won / games] * games if games else [] for won, games in zip(wins, counted, strict=True)],
        )
