"""Vectors of peers' own test suites: numbers with their source, and how podium finds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import podium
from podium.history import Event, SetRating

Beliefs = list[tuple[float, ...]]
Team = Sequence[tuple[float, ...]]


@dataclass(frozen=True)
class Vector:
    """One line of a peer's tests."""

    what: str
    found: Callable[[], object]
    wanted: object
    digits: float
    """By how much the peer's test lets numbers differ."""


@dataclass
class Suite:
    """A peer's tests."""

    peer: str
    source: str
    """The file of the peer, or the document, that has the numbers."""
    vectors: list[Vector] = field(default_factory=list)
    differs: dict[str, str] = field(default_factory=dict)
    """Vectors that podium answers otherwise, and why."""

    @property
    def row(self) -> str:
        """The suite's line in the page's table."""
        equal = len(self.vectors) - len(self.differs)
        found = list(self.differs.values())
        why = ". ".join(f"{found.count(reason)}: {reason}" for reason in dict.fromkeys(found))
        return f"| {self.peer} | `{self.source}` | {len(self.vectors)} | {equal} | {why} |"

    def add(self, what: str, found: Callable[[], object], wanted: object, digits: float = 1e-3) -> None:
        """One more vector."""
        self.vectors.append(Vector(what, found, wanted, digits))


def rated(
    system: podium.RatingSystem,
    teams: Sequence[Team],
    ranks: Sequence[int] | None = None,
    play: dict[tuple[int, int], float] | None = None,
    scores: Sequence[float] | None = None,
) -> Beliefs:
    """What everybody is believed to be after one event; beliefs are (mu, sigma, volatility)."""
    names = [[f"{side} {member}" for member in range(len(team))] for side, team in enumerate(teams)]
    given = []
    for side, members in zip(teams, names, strict=True):
        for (mu, *more), name in zip(side, members, strict=True):
            sigma, volatility = (*more, None, None)[:2]
            given.append(SetRating(player=name, mu=mu, sigma=sigma, volatility=volatility))
    placed = list(range(1, len(teams) + 1)) if ranks is None else [rank + 1 for rank in ranks]
    results = {"ranks": placed} if scores is None else {"scores": scores}
    partly = {names[side][member]: part for (side, member), part in (play or {}).items()}
    event = Event.of(teams=names, play=partly or None, **results)  # type: ignore[arg-type]
    ladder = podium.Ladder(system)
    ladder.update(podium.History.from_events([*given, event]))
    seen = [ladder.rating(name) for members in names for name in members]
    return [(one.mu,) if one.sigma is None else (one.mu, one.sigma) for one in seen]
