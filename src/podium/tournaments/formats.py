"""Formats of tournaments, as people write them: `evening`, `swiss:5`, `round-robin:double` or `knockout`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from podium.errors import ParameterError

Kind = Literal[
    "evening", "doubles", "tables", "swiss", "round-robin", "knockout", "double-knockout", "groups"
]

MOST_ROUNDS = 999
SMALLEST_TABLE, LARGEST_TABLE = 3, 6
"""Entrants at a table of an evening of board games."""

GROUPS = re.compile(r"([2-9]|[1-5][0-9]|6[0-4])x([1-8])")
"""Two to 64 groups, of which up to eight each go on."""
HINT = (
    "one of: evening, evening:2v2, evening:tables, swiss:ROUNDS such as swiss:5, round-robin, "
    "round-robin:double, knockout, knockout:double, groups:NUMBERxBEST such as groups:4x2"
)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of a tournament.

    Attributes:
        kind: How rounds are paired.
        rounds: Rounds that are announced; None if the number follows from the entrants, or is open.
        laps: How often all play each other in a round robin.
        groups: Number of groups, of `groups:4x2`.
        qualify: How many of each group play in the knockout.

    >>> Format.parse("swiss:5")
    Format(kind='swiss', rounds=5, laps=1, groups=1, qualify=1)
    """

    kind: Kind
    rounds: int | None = None
    laps: int = 1
    groups: int = 1
    qualify: int = 1

    @classmethod
    def parse(cls, text: str) -> Format:
        """The format that a text names."""
        written = re.sub(r"\s+", "", text.lower()).replace("_", "-")
        match written.partition(":"):
            case ("evening", _, "" | "1v1"):
                return cls("evening")
            case ("evening", _, "2v2" | "doubles"):
                return cls("doubles")
            case ("evening", _, "tables"):
                return cls("tables")
            case ("swiss", _, rounds) if rounds.isdecimal() and 1 <= int(rounds) <= MOST_ROUNDS:
                return cls("swiss", int(rounds))
            case ("round-robin" | "roundrobin", _, "" | "double" as laps):
                return cls("round-robin", laps=2 if laps else 1)
            case ("knockout", _, "" | "double" as lives):
                return cls("double-knockout" if lives else "knockout")
            case ("groups", _, numbers) if (found := GROUPS.fullmatch(numbers)) is not None:
                return cls("groups", groups=int(found[1]), qualify=int(found[2]))
        raise ParameterError(f"unknown tournament format {text!r}", hint=HINT)

    def __str__(self) -> str:
        match self.kind:
            case "doubles":
                return "evening:2v2"
            case "tables":
                return "evening:tables"
            case "swiss":
                return f"swiss:{self.rounds}"
            case "round-robin":
                return "round-robin:double" if self.laps == 2 else "round-robin"
            case "double-knockout":
                return "knockout:double"
            case "groups":
                return f"groups:{self.groups}x{self.qualify}"
            case kind:
                return kind

    @property
    def is_evening(self) -> bool:
        """Whether every round is made of the entrants who are here, without an end that is announced."""
        return self.kind in ("evening", "doubles", "tables")

    @property
    def needs_winners(self) -> bool:
        """Whether matches decide who is in the next round, so that there are no draws."""
        return self.kind in ("knockout", "double-knockout")

    def matches(self, entrants: int) -> int:
        """About how many matches a tournament of so many entrants has; 0 if its end is open.

        >>> Format.parse("round-robin").matches(6), Format.parse("swiss:5").matches(6)
        (15, 15)
        """
        all_pairs = entrants * (entrants - 1) // 2
        match self.kind:
            case "swiss":
                return (self.rounds or 1) * entrants // 2
            case "round-robin":
                return self.laps * all_pairs
            case "groups":
                return all_pairs // self.groups + self.groups * self.qualify
            case "knockout" | "double-knockout":
                return 2 * entrants
            case _:
                return 0

    @property
    def admits_late(self) -> bool:
        """Whether entrants can join after the first round."""
        return self.is_evening or self.kind == "swiss"
