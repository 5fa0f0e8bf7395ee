"""What must happen for an entrant to reach a place: their chance after each result of the open matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium.errors import InputError
from podium.text import percent
from podium.tournaments.chances import courses

if TYPE_CHECKING:
    from podium.tournaments.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Condition:
    """An open match, and an entrant's chance after each of its results.

    Attributes:
        sides: The two entrants of the match.
        after: The chance after a win of the first, a draw, and a win of the second. None where no simulation
            had that result.
    """

    sides: tuple[str, str]
    after: tuple[float | None, float | None, float | None]

    @property
    def must(self) -> str | None:
        """What has to happen in this match; None if several results leave a chance."""
        first, second = self.sides
        possible = [chance is not None and chance > 0 for chance in self.after]
        if possible == [True, False, False]:
            return f"{first} must beat {second}"
        if possible == [False, False, True]:
            return f"{second} must beat {first}"
        if possible == [True, True, False] and self.after[2] is not None:
            return f"{first} must not lose to {second}"
        if possible == [False, True, True] and self.after[0] is not None:
            return f"{second} must not lose to {first}"
        return None

    def __str__(self) -> str:
        first, second = self.sides
        words = (f"if {first} wins", "after a draw", f"if {second} wins")
        known = [f"{percent(a, 1)} {w}" for a, w in zip(self.after, words, strict=True) if a is not None]
        return f"{first} – {second}: {', '.join(known)}"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What an entrant needs from the open matches.

    Attributes:
        player: Name of the entrant.
        place: The place to reach, or a better one.
        chance: The chance of it as things are.
        matches: The open matches, the one that matters most first.
        simulations: How often the rest was played.
    """

    player: str
    place: int
    chance: float
    matches: list[Condition]
    simulations: int

    @property
    def must(self) -> list[str]:
        """What has to happen; in no simulation the entrant got there without it."""
        return [match.must for match in self.matches if match.must is not None] if self.chance else []

    def __str__(self) -> str:
        goal = "the title" if self.place == 1 else f"place {self.place} or better"
        head = f"{self.player}: {percent(self.chance, 1)} for {goal}, {self.simulations:,} simulations"
        return "\n".join([head, *self.must, *map(str, self.matches)])


def conditions(tournament: Tournament, player: str, place: int, simulations: int, seed: int) -> Conditions:
    """An entrant's chance of a place, as things are and after each result of the open matches."""
    open_ = tournament.field.unfinished
    if not open_:
        raise InputError("no match is open", hint="pair the next round first")
    reached, results = np.zeros(simulations, np.bool_), np.zeros((simulations, len(open_)), np.int64)
    for number, (field, rows) in enumerate(courses(tournament, simulations, seed)):
        reached[number] = next(row.place for row in rows if row.player == player) <= place
        for column, game in enumerate(open_):
            points = field.game(game.round, game.number).points or (0.0, 0.0)
            results[number, column] = 1 - int(np.sign(points[0] - points[1]))
    found = []
    for column, game in enumerate(open_):
        (first,), (second,) = game.sides
        chosen = [results[:, column] == result for result in range(3)]
        after = [float(reached[rows].mean()) if rows.any() else None for rows in chosen]
        found.append(Condition((first, second), (after[0], after[1], after[2])))
    found.sort(key=_spread, reverse=True)
    return Conditions(player, place, float(reached.mean()), found, simulations)


def _spread(match: Condition) -> float:
    known = [chance for chance in match.after if chance is not None]
    return max(known) - min(known)
