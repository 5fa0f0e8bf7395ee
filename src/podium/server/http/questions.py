"""Questions about a ladder, and what each costs by its players and places: heavy ones take turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from podium.history import Event
from podium.ladder.predictions import MOST_PLACED
from podium.server.access.request_costs import (
    NAMED_PLAYERS,
    PAIRED_SIDES,
    SCANNED_ROWS,
    STORED_PLAYERS,
    charge,
    systems_of,
)
from podium.server.http.bodies import MADE_IN_A_THREAD
from podium.server.http.heavy_work import HEAVY_COST, charged
from podium.server.http.ladder_routes import service_of
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.log.log_reading import AboutToRead
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


Made = TypeVar("Made")


async def ladder_in_memory(request: Request, slug: str) -> FollowedLadder:
    """A ladder that there is, loaded if nobody has asked for it yet."""
    ladders = service_of(request).ladders
    found = ladders.find(slug)
    return await run_in_threadpool(ladders.load, slug) if found is None else found


async def answered_from_log(
    request: Request, ladder: str, entries: Callable[[FollowedLadder], int], look: Callable[[], Made]
) -> Made:
    """What `look` makes of so many entries of a ladder's log; contests of thousands are heavy."""
    live = await ladder_in_memory(request, ladder)
    cost = entries(live) * live.players_of_event / STORED_PLAYERS
    return await charged(request, cost, look, is_stored=True)


async def answered_from_meetings(
    request: Request,
    ladder: str,
    events: Callable[[FollowedLadder], Sequence[int]],
    look: Callable[[AboutToRead], Made],
) -> Made:
    """What `look` makes of the meetings of two players with so many events, of which all rows are read.

    How many entries are read whole is known only then: `look` charges for them before it reads them.
    """
    live = await ladder_in_memory(request, ladder)
    both, cost_of_entry = events(live), live.players_of_event / STORED_PLAYERS
    rows = sum(both) / SCANNED_ROWS
    may_be_heavy = rows + min(both, default=0) * cost_of_entry >= HEAVY_COST

    def about_to_read(entries: int) -> None:
        charge(request, entries * cost_of_entry, is_stored=True)

    return await charged(request, rows, lambda: look(about_to_read), heavy=may_be_heavy, is_stored=True)


async def answered_question(
    request: Request,
    ladder: str,
    body: bytes,
    read: Callable[[bytes], Any],
    cost: QuestionCost,
    answer: Callable[[Any], Response],
    *,
    may_be_heavy: Callable[[Any], bool] = lambda sent: False,
) -> Response:
    """The answer to what `read` finds in a body, on a ladder whose system counts for the cost.

    A large body is read and answered together, so that nothing but its bytes waits for its turn. A question
    that `may_be_heavy` takes turns with heavy ones, however little is known of its cost yet.
    """
    system = (await ladder_in_memory(request, ladder)).row.system

    def read_and_answer() -> Response:
        sent = read(body)
        charge(request, cost(sent, system))
        return answer(sent)

    if len(body) >= MADE_IN_A_THREAD:
        return await charged(request, 0.0, read_and_answer, heavy=True)
    sent = read(body)
    return await charged(request, cost(sent, system), lambda: answer(sent), heavy=may_be_heavy(sent))
