"""Questions about a ladder whose cost is known before they are answered: heavy ones take turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from podium.server.access.request_costs import STORED_PLAYERS, charge
from podium.server.http.bodies import MADE_IN_A_THREAD
from podium.server.http.heavy_work import charged
from podium.server.http.ladder_routes import service_of
from podium.server.http.question_costs import QuestionCost
from podium.server.ladders.live_ladder import LiveLadder

Made = TypeVar("Made")


async def ladder_in_memory(request: Request, slug: str) -> LiveLadder:
    """A ladder that there is, loaded if nobody has asked for it yet."""
    ladders = service_of(request).ladders
    found = ladders.find(slug)
    return await run_in_threadpool(ladders.load, slug) if found is None else found


async def answered_from_log(
    request: Request, ladder: str, entries: Callable[[LiveLadder], int], look: Callable[[], Made]
) -> Made:
    """What `look` makes of so many entries of a ladder's log; contests of thousands are heavy."""
    live = await ladder_in_memory(request, ladder)
    cost = entries(live) * live.players_of_event / STORED_PLAYERS
    return await charged(request, cost, look, is_stored=True)


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
