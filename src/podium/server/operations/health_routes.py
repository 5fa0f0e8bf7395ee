"""Routes for operators: is the service alive, is it ready, and its metrics for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from starlette.exceptions import HTTPException
from starlette.responses import Response

import podium
from podium.errors import StateError
from podium.server.access.requirements import PROBE, needs
from podium.server.access.rights import READ
from podium.server.http.http_answers import plain_response
from podium.server.problems import UnavailableError
from podium.server.service import Service
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.migrating import check_tables
from podium.text import counted

MOST_LADDERS = 50
"""Ladders that have numbers of their own: the public ones with the longest logs."""
JOB_STATUSES = ("waiting", "running", "done", "failed", "cancelled")


class DatabaseFigures(Collector):
    """Ladders, jobs and generations, counted by the database when `collect` is called."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def describe(self) -> list[Metric]:
        """Nothing that has to be known before it is collected: so nobody asks the database for it."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Ask the database."""
        info = GaugeMetricFamily(
            "podium_info",
            "Always 1. Its labels show the version and the database.",
            labels=["version", "database"],
        )
        info.add_metric([podium.__version__, self._database.kind], 1)
        yield info
        ladder, job = tables.ladder, tables.job
        with self._database.reading() as connection:
            public = (
                select(ladder.c.slug, ladder.c.head, ladder.c.events)
                .where(~ladder.c.private)
                .order_by(ladder.c.head.desc(), ladder.c.id)
                .limit(MOST_LADDERS)
            )
            ladders = connection.execute(public).all()
            sums = select(func.count(), func.coalesce(func.sum(ladder.c.generation - 1), 0))
            count, switches = connection.execute(sums.select_from(ladder)).one()
            statuses = select(job.c.status, func.count().label("number")).group_by(job.c.status)
            jobs: dict[str, int] = {one.status: one.number for one in connection.execute(statuses)}
        yield GaugeMetricFamily("podium_ladders", "Number of ladders.", value=count)
        heads = GaugeMetricFamily(
            "podium_ladder_head", "Number of the last entry in a ladder's log.", labels=["ladder"]
        )
        events = GaugeMetricFamily("podium_ladder_events", "Events that count.", labels=["ladder"])
        for one in ladders:
            heads.add_metric([one.slug], one.head)
            events.add_metric([one.slug], one.events)
        yield from (heads, events)
        yield CounterMetricFamily(
            "podium_generation_switches",
            "How often a ladder's ratings were replaced by recomputed ones.",
            value=int(switches),
        )
        family = GaugeMetricFamily("podium_jobs", "Jobs by status.", labels=["status"])
        for status in JOB_STATUSES:
            family.add_metric([status], jobs.get(status, 0))
        yield family


router = APIRouter(include_in_schema=False)


@router.get("/healthz", dependencies=[PROBE])
async def look_at_health() -> Response:
    """That the process lives."""
    return plain_response({"status": "ok"})


@router.get("/readyz", dependencies=[PROBE])
def look_at_readiness(request: Request) -> Response:
    """That the worker has loaded everything, is not ending, and its database answers with its tables."""
    service: Service = request.app.state.service
    if not service.ready.is_set():
        raise UnavailableError("the worker is starting or shutting down", hint="try again in a few seconds")
    try:
        check_tables(service.database)
    except StateError as error:
        raise UnavailableError(error.reason, hint=error.hint) from error
    if ahead := service.ladders_ahead_lately():
        # Without names, as everybody may ask.
        warning = f"the log of {counted(ahead, 'ladder')} is ahead of the clock (podium verify shows more)"
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
