"""What kind of match people wait for: how many sides, and how many players a side.

>>> Mode.parse("5v5")
Mode('5v5')
>>> Mode.parse("ffa:8").players
8
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from podium.errors import InputError, ParameterError

MOST_A_SIDE = 50
"""The largest team; sets of sums of party sizes fit into a word of 64 bits."""
MOST_SIDES = 200
"""The largest free-for-all: all of its pairs are looked at."""

_HINT = 'two sides of equal size, such as "1v1", "2v2" or "5v5", or a free-for-all such as "ffa:8"'


@dataclass(frozen=True)
class Mode:
    """Two teams of one size, or a free-for-all of singles."""

    sides: int
    size: int
    """Number of players on each side."""

    def __post_init__(self) -> None:
        for what, value in (("sides", self.sides), ("players a side", self.size)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise ParameterError(f"{value!r} {what}", hint="a whole number")
        if self.sides > 2 and self.size > 1:
            raise ParameterError(
                f"{self.sides} sides of {self.size}: more than two teams are not matched", hint=_HINT
            )
        if not 2 <= self.sides <= MOST_SIDES:
            raise ParameterError(
                f"a match of {self.sides} sides", hint=f"two teams, or a free-for-all of 3 to {MOST_SIDES}"
            )
        if not 1 <= self.size <= MOST_A_SIDE:
            raise ParameterError(f"teams of {self.size}", hint=f"a team has 1 to {MOST_A_SIDE} players")

    @classmethod
    def parse(cls, text: str | Mode) -> Mode:
        """The mode from its text, such as "5v5"; a mode is returned as it is."""
        if isinstance(text, Mode):
            return text
        if not isinstance(text, str):
            raise ParameterError(f"{text!r} is no mode", hint=_HINT)
        written = text.strip().lower()
        if match := re.fullmatch(r"(\d{1,4})v(\d{1,4})", written):
            ours, theirs = int(match[1]), int(match[2])
            if ours != theirs:
                raise ParameterError(f"{text!r}: both teams have the same number of players", hint=_HINT)
            return cls(2, ours)
        if match := re.fullmatch(r"ffa:(\d{1,4})", written):
            if int(match[1]) < 3:
                raise ParameterError(
                    f"{text!r}: a free-for-all is of three or more", hint='two players are "1v1"'
                )
            return cls(int(match[1]), 1)
        raise ParameterError(f"{text!r} is no mode", hint=_HINT)

    @property
    def players(self) -> int:
        """The number of players of a match."""
        return self.sides * self.size

    @property
    def is_duel(self) -> bool:
        """Whether one player meets one other."""
        return self.players == 2

    @property
    def has_teams(self) -> bool:
        """Whether sides have more than one member."""
        return self.size > 1

    def check_party(self, members: int) -> None:
        """Refuse a party that is larger than a side."""
        if members > self.size:
            side = "team" if self.sides == 2 else "side"
            raise InputError(
                f"a party of {members} is larger than a {side} of {self}",
                hint=f"at most {self.size}; members may join one by one",
            )

    def __str__(self) -> str:
        return f"{self.size}v{self.size}" if self.sides == 2 else f"ffa:{self.sides}"

    def __repr__(self) -> str:
        return f"Mode({str(self)!r})"
