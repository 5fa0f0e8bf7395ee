"""What a worker counts and measures, for Prometheus.

One process keeps its numbers in memory. Of several workers each writes its own into files of a folder that
their keeper makes, as prometheus-client does if the environment names one, and whichever worker is asked adds
them up. Routes are labels by their templates, never by what somebody typed into an address.
"""

from __future__ import annotations

import os
from collections import Counter as Counted
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from sqlalchemy import Engine, event

from podium.server.log.submissions import Submission

METRICS_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The variable of the environment that names the folder in which several workers keep their numbers."""
REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
COMMIT_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
COMMIT_REPORTS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 10_000)
NO_ROUTE = "none"
"""The label of requests to addresses that are none."""

# The times at which counters began would be as many lines again.
disable_created_metrics()  # type: ignore[no-untyped-call]


class ServiceMetrics:
    """The numbers of one worker."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "podium_requests",
            "Requests by method, route and status.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self.request_seconds = Histogram(
            "podium_request_seconds",
            "Seconds per request, up to the last byte of the answer. Streams are excluded.",
            ["route"],
            buckets=REQUEST_SECONDS,
            registry=self.registry,
        )
        self.reports = Counter(
            "podium_reports",
            "Reports by outcome: recorded, known by their idempotency key, or refused.",
            ["outcome"],
            registry=self.registry,
        )
        self.commit_seconds = Histogram(
            "podium_commit_seconds",
            "Seconds per transaction that appends to a log.",
            buckets=COMMIT_SECONDS,
            registry=self.registry,
        )
        self.commit_reports = Histogram(
            "podium_commit_reports",
            "Reports in one transaction.",
            buckets=COMMIT_REPORTS,
            registry=self.registry,
        )
        self.checkpoints = Counter(
            "podium_checkpoints",
            "Saved ladder states by outcome: written or failed.",
            ["outcome"],
            registry=self.registry,
        )
        self.ladders = self._gauge("podium_ladders_in_memory", "Ladders in memory, summed over all workers.")
        self.streams = self._gauge("podium_open_streams", "Clients that follow a ladder.")
        self.connections = self._gauge("podium_database_connections_in_use", "Database connections in use.")

    def count_commit(self, seconds: float, submissions: Sequence[Submission]) -> None:
        """Note a transaction that has appended what these report."""
        self.commit_seconds.observe(seconds)
        self.commit_reports.observe(sum(len(submission.reports) for submission in submissions))
        outcomes = Counted(outcome.status for submission in submissions for outcome in submission.outcomes)
        for status, number in outcomes.items():
            self.reports.labels(status).inc(number)

    def count_checkpoint(self, outcome: str) -> None:
        """Note that a ladder's state was `written`, or that this has `failed`."""
        self.checkpoints.labels(outcome).inc()

    @contextmanager
    def open_stream(self) -> Iterator[None]:
        """Count somebody who listens, as long as the block lasts."""
        self.streams.inc()
        try:
            yield
        finally:
            self.streams.dec()

    def watch_connections(self, *engines: Engine) -> None:
        """Count the connections of a database that are in use."""
        for engine in {id(engine): engine for engine in engines}.values():
            event.listen(engine, "checkout", lambda *_: self.connections.inc())
            event.listen(engine, "checkin", lambda *_: self.connections.dec())

    def exposition(self, *collectors: Collector) -> bytes:
        """All numbers in the format of Prometheus, of all workers together; those of `collectors` too."""
        if os.environ.get(METRICS_FOLDER_VARIABLE):
            together = CollectorRegistry()
            MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        else:
            together = self.registry
        asked = CollectorRegistry()
        for collector in collectors:
            asked.register(collector)
        return generate_latest(together) + generate_latest(asked)

    def _gauge(self, name: str, meaning: str) -> Gauge:
        """A number that goes up and down; that of a worker that has ended does not count."""
        return Gauge(name, meaning, multiprocess_mode="livesum", registry=self.registry)
