"""What players owe each other: a timely answer to a proposal, and staying in the matches that they started.

>>> conduct = Conduct(answer_within=20, declining=(0, 60, 300))
>>> [conduct.cooldown("declines", times) for times in (1, 2, 3, 4)]
[0.0, 60.0, 300.0, 300.0]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from podium.errors import ParameterError
from podium.parameters import Declared, parameter

Offence = Literal["declines", "abandons"]
"""What is counted of each player."""


Abandoned = Literal["rated", "leavers"]
"""Who loses a match that players abandoned."""


@dataclass(frozen=True, kw_only=True)
class Conduct(Declared):
    """The time for an answer to a proposal, and the cooldowns of players who decline or leave matches.

    A cooldown is the time in which a player may not join. Each list has the seconds after the first, the
    second, … time. Its last number is for all later times.

    >>> import podium
    >>> policy = podium.Policy(conduct=Conduct(answer_within=20, declining=(0, 60)))
    >>> policy.conduct.answer_within
    20.0
    """

    name: ClassVar[str] = "conduct"

    answer_within: float | None = parameter(
        None,
        "seconds in which all players must accept a proposed match. After that, those who have not answered "
        "have declined. None sets no deadline",
        low=1e-3,
        hint="seconds above 0, such as 20, or None",
    )
    declining: tuple[float, ...] = parameter(
        (), "cooldown in seconds after a player's first, second, … declined match"
    )
    leaving: tuple[float, ...] = parameter(
        (), "cooldown in seconds after a player's first, second, … abandoned match"
    )
    abandoned: Abandoned = parameter(
        "rated",
        'what `Matchmaker.result` rates if players abandoned a match that their side lost: "rated" is the '
        'match with all its players. "leavers" rates these players and the other sides, but not their mates',
    )
    forgotten_after: float = parameter(
        86_400.0, "seconds without declining or leaving after which a player's count starts again"
    )

    def cooldown(self, offence: Offence, times: int) -> float:
        """The seconds in which a player may not join who has done this for the n-th time."""
        listed = self.declining if offence == "declines" else self.leaving
        return listed[min(times, len(listed)) - 1] if listed else 0.0


def check_conduct(conduct: object) -> None:
    """Refuse what is not a `Conduct`."""
    if not isinstance(conduct, Conduct):
        raise ParameterError(f"the conduct is {conduct!r}", hint="Conduct(answer_within=20), say")
