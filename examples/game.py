"""A game of bots with three queues in one folder. Kill it at any time and start it again: nothing is lost.

    python game.py FOLDER [BOTS] [SECONDS]

Every bot has a hidden skill. It joins a queue, accepts or declines the proposed match, plays it, and joins
again. The game has its own clock, so it does not wait for the seconds that it counts.
"""

from __future__ import annotations

import random
import sys

from podium import Conduct, Ladder, Match, Matchmaker, Policy

QUEUES = {"duel": "1v1", "teams": "2v2", "free": "ffa:4"}
POLICY = Policy(conduct=Conduct(answer_within=20, declining=(0, 60)))
JOINS, DECLINES, SILENT, ENDS = 0.2, 0.02, 0.01, 0.1
"""The chances, each second: to join, to decline a proposal, not to answer it, and that a match ends."""


class Game:
    """The bots, and the queues in which they wait."""

    def __init__(self, folder: str, ladder: Ladder, bots: int) -> None:
        self.ladder = ladder
        self.skill = {f"bot {i}": random.Random(i).gauss(1500, 300) for i in range(bots)}
        self.queues = {
            name: Matchmaker.open(folder, ladder, mode, POLICY, name=name, unknown="newcomer")
            for name, mode in QUEUES.items()
        }
        self.clock = max(0.0, *(maker.clock for maker in self.queues.values()))
        self.chance = random.Random(self.clock)

    def second(self) -> None:
        """One second of the game."""
        self.clock += 1.0
        for maker in self.queues.values():
            maker.tick(self.clock)
            for match in maker.proposed():
                self.answer(maker, match)
            for match in maker.running():
                if self.chance.random() < ENDS:
                    maker.result(match, scores=[self.points(side) for side in match.sides])
        running = [match for maker in self.queues.values() for match in maker.running()]
        busy = {bot for match in running for bot in match.players}
        for bot in self.skill:
            if bot not in busy and not any(bot in maker for maker in self.queues.values()):
                maker = self.queues[self.chance.choice(list(QUEUES))]
                if self.chance.random() < JOINS and not maker.cooldown(bot):
                    maker.join(bot)

    def answer(self, maker: Matchmaker, match: Match) -> None:
        """Let the players of a proposed match answer."""
        for bot in match.players:
            if bot in match.accepted or self.chance.random() < SILENT:
                continue
            if self.chance.random() < DECLINES:
                maker.decline(match, bot)
                return
            match = maker.accept(match, bot)

    def points(self, side: tuple[str, ...]) -> float:
        """How well a side plays today."""
        return sum(self.chance.gauss(self.skill[bot], 200) for bot in side)


def main(folder: str, bots: int = 300, seconds: int = 600) -> None:
    """Play for some seconds more, and print the leaderboard."""
    with Ladder.open(folder, system="elo") as ladder:
        game = Game(folder, ladder, bots)
        for _ in range(seconds):
            game.second()
        print(f"{ladder.n_events} matches after {game.clock:.0f} seconds")
        print(ladder.leaderboard(top=5))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
