"""Addresses for whoever runs a service: does it live, is it ready, and its numbers for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.exceptions import HTTPException
from starlette.responses import Response

from podium.errors import StateError
from podium.server.access.requirements import PUBLIC, needs
from podium.server.access.rights import READ
from podium.server.http.http_answers import plain_response
from podium.server.operations.database_figures import DatabaseFigures
from podium.server.problems import UnavailableError
from podium.server.service import Service
from podium.server.storage.migrating import check_tables
from podium.text import counted

router = APIRouter(include_in_schema=False)


@router.get("/healthz", dependencies=[PUBLIC])
async def look_at_health() -> Response:
    """That the process lives."""
    return plain_response({"status": "ok"})


@router.get("/readyz", dependencies=[PUBLIC])
def look_at_readiness(request: Request) -> Response:
    """That the worker has loaded everything, is not ending, and its database answers with its tables."""
    service: Service = request.app.state.service
    if not service.ready.is_set():
        raise UnavailableError("the worker is not ready yet, or it is ending", hint="ask again soon")
    try:
        check_tables(service.database)
    except StateError as error:
        raise UnavailableError(error.reason, hint=error.hint) from error
    if ahead := service.ladders_ahead_lately():
        # Without names, as everybody may ask.
        warning = f"the log of {counted(ahead, 'ladder')} is ahead of the clock: podium verify tells more"
        return plain_response({"status": "ready", "warnings": [warning]})
    return plain_response({"status": "ready"})


@router.get("/metrics", dependencies=[needs(READ, of_service=True)])
def look_at_metrics(request: Request) -> Response:
    """All numbers of all workers, as Prometheus reads them."""
    service: Service = request.app.state.service
    if service.settings.metrics == "off":
        raise HTTPException(404)
    content = service.metrics.exposition(DatabaseFigures(service.database))
    return Response(content, media_type=CONTENT_TYPE_PLAIN_0_0_4)
