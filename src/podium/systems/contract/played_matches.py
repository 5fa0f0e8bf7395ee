"""A match of two sides as one of its players saw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from podium.text import chance_words, listed, shorten

MatchResult = Literal["win", "draw", "loss"]

_VERBS: dict[MatchResult, str] = {"win": "beat", "draw": "drew with", "loss": "lost to"}
_PLACES = {None: "", True: " at home", False: " away"}
MOST_NAMED = 2
"""Members of a team who are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """Who played against whom, how it ended, and what was to be expected.

    >>> print(PlayedMatch(("bob",), "win", 0.43, score=3, opponent_score=1, at_home=True))
    beat bob 3:1 at home, chance 43%
    """

    opponents: tuple[str, ...]
    result: MatchResult
    chance: float
    """The expected score before the match: the chance to win, and half of that to draw."""
    score: float | None = None
    """The score of the player's side, if scores are known; likewise `opponent_score`."""
    opponent_score: float | None = None
    at_home: bool | None = None
    """Whether the player was at home (True) or away (False); None if nobody was."""
    partners: tuple[str, ...] = ()
    """The other members of the player's team."""

    @property
    def words(self) -> str:
        """The result: opponents, score, home or away."""
        score = "" if self.score is None else f" {self.score:.10g}:{self.opponent_score:.10g}"
        beside = f" (with {_people(self.partners)})" if self.partners else ""
        return f"{_VERBS[self.result]} {_people(self.opponents)}{score}{_PLACES[self.at_home]}{beside}"

    def __str__(self) -> str:
        return f"{self.words}, chance {chance_words(self.chance)}"


def match_result(rank: int, other: int) -> MatchResult:
    """How a match ended for the side of this rank.

    >>> match_result(1, 2), match_result(1, 1)
    ('win', 'draw')
    """
    return "win" if rank < other else "loss" if rank > other else "draw"


def _people(names: Sequence[str]) -> str:
    """The members of a side in words.

    >>> _people(["ann"]), _people(["ann", "bob"]), _people(["ann", "bob", "cat", "dan"])
    ('ann', 'ann and bob', 'ann, bob and 2 more')
    """
    named = [shorten(name, 40) for name in names[:MOST_NAMED]]
    return listed(named + ([f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []))
