"""Addresses of tournaments: create, list, look, take steps, chances."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from sqlalchemy.exc import IntegrityError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from podium.documents.request_documents import (
    NewTournamentDocument,
    TournamentChangeDocument,
    TournamentStepRequestDocument,
)
from podium.documents.tournament_documents import (
    ServiceTournamentDocument,
    ServiceTournamentsDocument,
    TournamentChancesDocument,
    TournamentExplanationDocument,
    TournamentStepDocument,
    chances_document,
    round_document,
    tournament_explanation_document,
)
from podium.server.access.audit_trail import note
from podium.server.access.request_costs import (
    PAIRED_ENTRANTS,
    SIMULATED_MATCHES,
    TOURNAMENT_ROWS,
    charge,
    may_cost,
    rows_listed,
    systems_of,
)
from podium.server.access.requirements import access_of, needs
from podium.server.access.rights import ADMIN, READ, REPORT
from podium.server.http.bodies import sent_json
from podium.server.http.heavy_work import charged
from podium.server.http.http_answers import document_response
from podium.server.http.ladder_routes import Limit, service_of
from podium.server.http.questions import ladder_in_memory
from podium.server.http.schemas import answers, body
from podium.server.storage.ladder_rows import find_ladder
from podium.server.tournaments.sent_steps import sent_step
from podium.server.tournaments.tournament_book import Looked, Stepped
from podium.server.tournaments.tournament_rows import (
    TournamentRow,
    change_tournament,
    create_tournament,
    find_tournament,
    list_tournaments,
)

router = APIRouter(prefix="/ladders/{ladder}/tournaments")

TournamentName = Annotated[str, Path(description="The tournament's `slug`: its name in URLs.")]
MOST_SIMULATIONS, USUAL_SIMULATIONS = 1_000, 200
STEP = 5.0
"""What a step costs beyond a plain request: a round may be paired by it."""
NEW = {
    "a club night": {"slug": "tuesday", "format": "evening:2v2", "name": "Tuesday night"},
    "a cup": {"slug": "cup", "format": "knockout", "reports": "at-end", "private": True},
}
STEPS = {
    "entrants": {"key": "join-1", "join": ["cat", {"player": "dan", "rating": 1650, "club": "north"}]},
    "players who are present": {"here": ["ann", "bob", "cat"]},
    "the next round": {"key": "round-1", "pair": {}},
    "a result": {"key": "r1-m1", "results": [{"match": 1, "score": "2:1"}]},
    "a correction": {"results": [{"match": "ann", "score": [1, 2], "round": 1, "correct": True}]},
    "taking back": {"undo": True},
}


@router.get(
    "",
    responses=answers("service-tournaments", ServiceTournamentsDocument, refusals=[400, 404]),
    operation_id="tournaments",
    dependencies=[needs(READ, cost=rows_listed(100))],
)
def look_at_tournaments(
    request: Request,
    ladder: str,
    limit: Limit = 100,
    before: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="`next` from the previous answer.")
    ] = None,
) -> Response:
    """List the ladder's tournaments, latest first."""
    service, access = service_of(request), access_of(request)
    limit = min(limit, service.settings.page_rows)
    with service.database.reading() as connection:
        row = find_ladder(connection, ladder, access=access)
        rows = list_tournaments(connection, row, access, before=before, limit=limit + 1)
    document: ServiceTournamentsDocument = {
        "tournaments": [one.listed() for one in rows[:limit]],
        "next": rows[limit - 1].id if len(rows) > limit else None,
    }
    return document_response("service-tournaments", document)


@router.post(
    "",
    status_code=201,
    responses=answers(
        "service-tournament",
        ServiceTournamentDocument,
        status=201,
        also=[200],
        refusals=[400, 404, 408, 409, 413, 415, 503],
    ),
    openapi_extra=body(NewTournamentDocument, NEW),
    operation_id="create_tournament",
    dependencies=[needs(ADMIN)],
)
async def make_tournament(request: Request, ladder: str) -> Response:
    """Create a tournament. Sending the same request again has no effect and returns 200."""
    service, access = service_of(request), access_of(request)
    sent = await sent_json(request, service.settings)

    def create() -> tuple[TournamentRow, bool]:
        for _ in range(2):  # if two create the same at once, the second finds what the first has made
            try:
                with service.database.writing() as connection:
                    found = find_ladder(connection, ladder, access=access)
                    row, created = create_tournament(connection, found, sent)
                    if created:
                        note(connection, access, "tournament created", found.id, {"tournament": row.slug})
                    return row, created
            except IntegrityError:
                continue
        raise AssertionError("an existing tournament cannot be found")

    def answer() -> Response:
        made, created = create()
        document = service.tournaments.look(ladder, made.slug, access).document()
        return document_response("service-tournament", document, status=201 if created else 200)

    return await run_in_threadpool(answer)


@router.get(
    "/{tournament}",
    responses=answers("service-tournament", ServiceTournamentDocument, refusals=[404]),
    operation_id="tournament",
    dependencies=[needs(READ, cost=rows_listed(100))],
)
def look_at_tournament(request: Request, ladder: str, tournament: TournamentName) -> Response:
    """One tournament: entrants, rounds and standings."""
    return document_response("service-tournament", looked_at(request, ladder, tournament).document())


def looked_at(request: Request, ladder: str, tournament: str) -> Looked:
    """A tournament, for which its reader is charged by its size."""
    found = service_of(request).tournaments.look(ladder, tournament, access_of(request))
    field = found.value.field
    charge(request, len(field.entrants) * (1 + len(field.rounds)) / TOURNAMENT_ROWS, is_stored=True)
    return found


@router.patch(
    "/{tournament}",
    responses=answers(
        "service-tournament", ServiceTournamentDocument, refusals=[400, 404, 408, 413, 415, 503]
    ),
    openapi_extra=body(TournamentChangeDocument, {"hide": {"private": True}}),
    operation_id="change_tournament",
    dependencies=[needs(ADMIN)],
)
async def patch_tournament(request: Request, ladder: str, tournament: TournamentName) -> Response:
    """Show a tournament to all who see its ladder, or only to callers with a scope on it."""
    service, access = service_of(request), access_of(request)
    sent: Any = await sent_json(request, service.settings)

    def change() -> Response:
        with service.database.writing() as connection:
            found = find_ladder(connection, ladder, access=access)
            row = find_tournament(connection, found, tournament, access, lock=True)
            changed = change_tournament(connection, row, sent)
            details = {"tournament": row.slug, "private": changed.private}
            note(connection, access, "tournament changed", found.id, details)
        return document_response(
            "service-tournament", service.tournaments.look(ladder, tournament, access).document()
        )

    return await run_in_threadpool(change)


@router.post(
    "/{tournament}/steps",
    status_code=201,
    responses=answers(
        "tournament-step",
        TournamentStepDocument,
        status=201,
        also=[200],
        refusals=[400, 404, 408, 409, 413, 415, 503],
    ),
    openapi_extra=body(TournamentStepRequestDocument, STEPS),
    operation_id="tournament_step",
    dependencies=[needs(REPORT)],
)
async def take_step(request: Request, ladder: str, tournament: TournamentName) -> Response:
    """Take one step: entrants join or leave, a round is paired, results come in, the last step is undone.

    With a `key`, a step can be sent again: 200 means that it was known, 201 that it is recorded now. Results
    go to the ladder as the tournament's `reports` says. After the end, only an admin corrects and undoes.
    """
    service, access = service_of(request), access_of(request)
    step = sent_step(await sent_json(request, service.settings))
    taken = await charged(request, STEP, lambda: service.take_step(ladder, tournament, step, access))
    return document_response("tournament-step", _step_document(taken), status=200 if taken.is_known else 201)


def _step_document(taken: Stepped) -> TournamentStepDocument:
    field = taken.tournament.field
    return {
        "status": "known" if taken.is_known else "recorded",
        "number": taken.step.number,
        "key": taken.step.key,
        "finished": taken.tournament.finished,
        "open": len(field.unfinished),
        "round": round_document(field.rounds[-1]) if field.rounds else None,
        "problem": taken.problem,
    }


@router.get(
    "/{tournament}/chances",
    responses=answers("chances", TournamentChancesDocument, refusals=[400, 404]),
    operation_id="tournament_chances",
    dependencies=[needs(READ)],
)
async def look_at_chances(
    request: Request,
    ladder: str,
    tournament: TournamentName,
    simulations: Annotated[
        int | None,
        Query(
            ge=1,
            le=MOST_SIMULATIONS,
            description="Simulations of the remaining rounds. By default 200, or as many as one request may "
            "cost. Knockouts are exact.",
        ),
    ] = None,
) -> Response:
    """Each entrant's chance of every final place. An evening has no last round, so it has no chances."""
    service = service_of(request)
    system = (await ladder_in_memory(request, ladder)).row.system
    value = (await run_in_threadpool(looked_at, request, ladder, tournament)).value
    entrants = len(value.field.entrants)
    fixed = entrants**2 / 2 * systems_of(system) / PAIRED_ENTRANTS
    each = value.format.matches(entrants) / SIMULATED_MATCHES
    if simulations is None:
        affordable = (may_cost(request) - fixed) / max(each, 1.0)
        simulations = max(1, min(USUAL_SIMULATIONS, int(affordable)))

    def answer() -> Response:
        return document_response(
            "chances", chances_document(service.tournaments.chances(ladder, value, simulations))
        )

    return await charged(request, fixed + simulations * each, answer)


@router.get(
    "/{tournament}/explanation",
    responses=answers("tournament-explanation", TournamentExplanationDocument, refusals=[400, 404]),
    operation_id="tournament_explanation",
    dependencies=[needs(READ, cost=rows_listed(100))],
)
def look_at_explanation(
    request: Request,
    ladder: str,
    tournament: TournamentName,
    player: Annotated[str, Query(description="Name of the entrant.")],
    round: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="Number of the round. Default: the last one.")
    ] = None,
) -> Response:
    """Why an entrant plays their opponent, and where their numbers in the standings come from."""
    document = tournament_explanation_document(looked_at(request, ladder, tournament).value, player, round)
    return document_response("tournament-explanation", document)
