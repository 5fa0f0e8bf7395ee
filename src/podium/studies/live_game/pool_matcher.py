"""podium's own waiting pool as one of the matchers of a simulated game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from podium.arrays import Bools
from podium.matchmaking.matchmaker import Matchmaker
from podium.matchmaking.pairing import Pairing
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.term_contract import Term
from podium.matchmaking.policies.terms import NoRematch, WaitingTime, WinProbabilityGap
from podium.matchmaking.pool.proposals import Match
from podium.parameters import parameter
from podium.studies.live_game.waiting_players import GameRules, Matcher, WaitingPlayers

LONGER_THAN_ANYBODY_WAITS = 1e9
"""Seconds that nobody waits."""
SAME_TIME_WITHIN = 1e-6
"""Seconds by which two times that are the same may differ after being computed."""


@dataclass(frozen=True)
class PoolMatcher(Matcher):
    """`podium.Matchmaker`, which knows the rules of the game and proposes only what they accept."""

    name: ClassVar[str] = "pool"
    summary: ClassVar[str] = "as many good pairs as there are, by the waiting pool of podium.Matchmaker"

    rematch_games: int = parameter(0, "for how many games the same two do not meet again", high=1000)

    def begin(self, rules: GameRules) -> Matcher:
        """A matcher with an empty pool whose policy follows the game's rules."""
        patience = min(rules.patience, LONGER_THAN_ANYBODY_WAITS)
        terms: list[Term] = [WinProbabilityGap(), WaitingTime(per_minute=rules.widening, patience=patience)]
        if self.rematch_games:
            terms.append(NoRematch(games=self.rematch_games))
        policy = Policy(terms=tuple(terms), tolerance=rules.tolerance, target=rules.target)
        return _Pool(Matchmaker(rules.target.system, policy=policy), rules.target.games)

    def pair(self, waiting: WaitingPlayers, target: WinRateTarget, chance: np.random.Generator) -> Pairing:
        """The pairs of a pool into which everybody has come just now."""
        return self.begin(GameRules(target)).pair(waiting, target, chance)


@dataclass(frozen=True)
class _Pool(Matcher):
    """A pool that holds whoever waits in the game."""

    name: ClassVar[str] = PoolMatcher.name
    summary: ClassVar[str] = PoolMatcher.summary

    maker: Matchmaker
    games: int
    """How many of a player's last ones count."""
    proposed: list[Match] = field(default_factory=list)
    inside: dict[str, float] = field(default_factory=dict)
    """Who waited the last time, and since when."""

    def pair(self, waiting: WaitingPlayers, target: WinRateTarget, chance: np.random.Generator) -> Pairing:
        """Tell the pool what has happened since, and take what it proposes."""
        names = list(map(str, waiting.player.tolist()))
        since = (waiting.now - waiting.waited).tolist()
        still = {name for name, joined in zip(names, since, strict=True) if self._waits(name, joined)}
        self._settle(still)
        for name in [name for name in self.inside if name not in still]:
            self.maker.leave(name)
        self._join(waiting, names, np.array([name not in still for name in names], np.bool_))
        self.inside.clear()
        self.inside.update(zip(names, since, strict=True))
        self.proposed[:] = self.maker.tick(time=waiting.now).matches
        place = {name: where for where, name in enumerate(names)}
        sides = [[place[match.sides[side][0]] for match in self.proposed] for side in (0, 1)]
        first, second = (np.array(side, np.int64) for side in sides)
        return Pairing(first, second, np.setdiff1d(np.arange(len(names)), np.concatenate((first, second))))

    def _waits(self, name: str, joined: float) -> bool:
        """Whether somebody has waited ever since the last time, and not come again."""
        return name in self.inside and abs(self.inside[name] - joined) < SAME_TIME_WITHIN

    def _settle(self, still: set[str]) -> None:
        """What was proposed the last time has begun, unless both still wait."""
        for match in self.proposed:
            if match.players[0] in still:
                self.maker.cancel(match)
            else:
                self.maker.start(match)
                for name in match.players:
                    del self.inside[name]

    def _join(self, waiting: WaitingPlayers, names: list[str], new: Bools) -> None:
        """Who has come since; of their last games only the sum of scores matters, not the order."""
        if not new.any():
            return
        wins, played = waiting.wins[new].tolist(), np.minimum(waiting.played[new], self.games).tolist()
        self.maker.join_many(
            [names[row] for row in np.flatnonzero(new).tolist()],
            time=(waiting.now - waiting.waited)[new],
            mu=waiting.mu[new],
            sigma=None if waiting.sigma is None else waiting.sigma[new],
            recent=[[won / games] * games if games else [] for won, games in zip(wins, played, strict=True)],
            playing=True,  # the game knows who is in a match, and the pool is not told how it ends
        )
