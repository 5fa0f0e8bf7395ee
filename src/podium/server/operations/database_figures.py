"""What the database says of the whole service, whoever wrote it: asked when somebody reads the metrics."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import func, select

import podium
from podium.server.storage import tables
from podium.server.storage.database import Database

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
            "podium_info", "Always 1; its labels say what runs.", labels=["version", "database"]
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
        yield GaugeMetricFamily("podium_ladders", "Ladders there are.", value=count)
        heads = GaugeMetricFamily(
            "podium_ladder_head", "Number of the last entry of a log.", labels=["ladder"]
        )
        events = GaugeMetricFamily("podium_ladder_events", "Events that count.", labels=["ladder"])
        for one in ladders:
            heads.add_metric([one.slug], one.head)
            events.add_metric([one.slug], one.events)
        yield from (heads, events)
        yield CounterMetricFamily(
            "podium_generation_switches",
            "How often the ratings of a ladder were replaced by newly computed ones.",
            value=int(switches),
        )
        family = GaugeMetricFamily("podium_jobs", "Jobs by status.", labels=["status"])
        for status in JOB_STATUSES:
            family.add_metric([status], jobs.get(status, 0))
        yield family
