"""What questions about events and free-for-alls cost, by how many players, sides and places they have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from podium.history import Event
from podium.ladder.predictions import MOST_PLACED
from podium.server.access.request_costs import NAMED_PLAYERS, PAIRED_SIDES, systems_of
from podium.server.log.reports import Report
from podium.systems import RatingSystem

QuestionCost = Callable[[Any, RatingSystem], float]
"""What a question costs, as it was sent, on a ladder of a system."""
Side = str | list[str]
FEW_PLAYERS = 25
"""Players of standings that may be rated again for each rank of each player: that is no heavy request."""


def cost_of_match(sent: Any, system: RatingSystem) -> float:
    """What the chances of two sides cost."""
    return _cost_of_players([sent["a"], sent["b"]], system)


def cost_of_field(sent: Any, system: RatingSystem) -> float:
    """What one number for each side of a free-for-all costs."""
    return _cost_of_players(sent["sides"], system)


def cost_of_places(sent: Any, system: RatingSystem) -> float:
    """What the chance of each place costs, for each side."""
    pairs = len(sent["sides"]) ** 2
    return cost_of_field(sent, system) + pairs * systems_of(system) / PAIRED_SIDES


def cost_of_first(sent: Any, system: RatingSystem) -> float:
    """What chances of the first places cost: those of the first one are limited by pairs of sides."""
    by_pairs = sent["k"] == 1 and len(sent["sides"]) <= MOST_PLACED
    return cost_of_places(sent, system) if by_pairs else cost_of_field(sent, system)


def cost_of_standings(sent: Any, system: RatingSystem) -> float:
    """What it costs to rate standings once."""
    return _cost_of_players(_standings(sent), system)


def is_rated_often(sent: Any) -> bool:
    """Whether standings have so many players that finding ranks in them may be heavy."""
    return _players(_standings(sent)) > FEW_PLAYERS


def cost_of_reports(reports: Sequence[Report], system: RatingSystem, players: int) -> float:
    """What it costs to try reports on a ladder of so many players, all of whom a new season moves."""
    rows = sum(_rows(report, players) for report in reports)
    return rows * systems_of(system) / NAMED_PLAYERS


def _rows(report: Report, players: int) -> int:
    content = report.content
    if isinstance(content, Event):
        return sum(map(len, content.sides))
    named = getattr(content, "players", ())
    return len(named) or players


def _standings(sent: Any) -> Iterable[Side]:
    return sent.get("teams") or sent.get("ranks") or sent.get("scores") or ()


def _cost_of_players(sides: Iterable[Side], system: RatingSystem) -> float:
    return _players(sides) * systems_of(system) / NAMED_PLAYERS


def _players(sides: Iterable[Side]) -> int:
    return sum(len(side) if isinstance(side, list) else 1 for side in sides)
