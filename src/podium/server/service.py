"""A worker of the service: the database, the ladders in memory, the threads that append."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf

from sqlalchemy import Connection, func, select

from podium.errors import PodiumError
from podium.server import machine
from podium.server.access.access_control import AccessControl
from podium.server.access.rights import LOCAL, Access
from podium.server.http.followers import Followers
from podium.server.http.heavy_work import HeavyWork
from podium.server.jobs.job_keeper import JobKeeper
from podium.server.ladders.fitted_ladders import LadderFits
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.ladders.past_ladders import PastLadders
from podium.server.log.appending import Appender
from podium.server.log.checkpoints import CheckpointWriter
from podium.server.log.committer import Committer
from podium.server.log.server_clock import AheadLadder, ServerClock, ladders_ahead
from podium.server.operations.service_logs import LOGGER, brief
from podium.server.operations.service_metrics import ServiceMetrics
from podium.server.settings import COMPILING, LOADING_KERNELS, LOADING_LADDERS, ServerSettings, Told
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.ladder_rows import LadderRow, list_ladders, visible_to
from podium.server.tournaments.sent_steps import SentStep
from podium.server.tournaments.tournament_book import Stepped, TournamentBook

OBJECTS_PER_COLLECTION = 50_000
"""A bulk report makes tens of thousands of objects that go with it: looking for garbage among them every 700,
as Python does, takes a fifth of the time. What is there when the worker is ready is never looked at."""
COMMIT_THREADS = {"sqlite": 1, "postgresql": 2}
LOOK_AHEAD_SECONDS = 30.0
"""How often health checks look for ladders that are ahead of the clock, at most."""
LADDERS_LOADED_FIRST = 100
"""Ladders that are in memory before the first request."""


def _untold(what: str, done: int, total: int) -> None:
    """Nobody waits for the worker."""


def compile_kernels(told: Told = _untold) -> None:
    """Run every kernel that a ladder may need once: from disk, or compiled now if they are not there yet."""
    from podium.compiling import GUMBEL, compiled_in_turn, names_to_compile
    from podium.numerics.compiler_choice import before_compiling
    from podium.systems import list_systems

    used = [*list_systems(), GUMBEL]
    what, done, total = LOADING_KERNELS, 0, len(names_to_compile(*used))

    def compiles() -> None:
        nonlocal what
        what = COMPILING
        told(what, done, total)

    with before_compiling(compiles):
        told(what, done, total)
        for done, _ in enumerate(compiled_in_turn(*used), start=1):
            told(what, done, total)


class Service:
    """Everything that a worker holds. `open` it before use, and `close` it at the end."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.metrics = ServiceMetrics()
        self.database = Database(settings.database, connections=settings.database_connections)
        self.metrics.watch_connections(self.database.readers, self.database.writer)
        self.access_control = AccessControl(self.database, settings)
        self.ladders = LoadedLadders(self.database, counted=self.metrics.ladders.set)
        self.heavy = HeavyWork(settings.heavy_at_once)
        self.past = PastLadders(self.ladders)
        self.tournaments = TournamentBook(self.database, self.ladders)
        self.fits = LadderFits(self.ladders)
        self.ladders.forgetting += [self.past.forget, self.fits.forget]
        self.followers = Followers(self.database, self.ladders, settings.follow_seconds)
        self.appender = Appender(self.database, self.ladders, settings.clock_tolerance)
        self.checkpoints = CheckpointWriter(
            self.database, self.ladders, settings.checkpoint_rows, self.metrics.count_checkpoint
        )
        self.ready = machine.Event()
        self._committer: Committer | None = None
        self._jobs: JobKeeper | None = None
        self._ahead, self._looked_ahead = 0, -inf

    @property
    def committer(self) -> Committer:
        """The queue of what is to be appended."""
        assert self._committer is not None, "the service is not running"
        return self._committer

    def open(self, told: Told = _untold) -> None:
        """Bring the tables up to date, run every kernel once and load ladders; then the worker is ready."""
        from podium.server.storage.migrating import migrate  # which takes a third of a second to load

        gc.set_threshold(OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
        migrate(self.database)
        compile_kernels(told)
        self._committer = Committer(
            self.appender,
            threads=COMMIT_THREADS[self.database.kind],
            committed=self.committed,
            measured=self.metrics.count_commit,
        )
        self._load(told)
        self.tournaments.catch_up(self.committer)
        for ahead in self.ladders_ahead():
            LOGGER.warning("%s", ahead)
        gc.collect()
        gc.freeze()
        self.ready.set()

    def keep_jobs(self) -> None:
        """Have jobs done by a process beside this one, until the service closes."""
        if self.settings.job_process == "on":
            self._jobs = JobKeeper(self.settings, self.database, self)

    def close(self) -> None:
        """Append what is waiting, save ladders, and close the database."""
        self.ready.clear()
        if self._jobs is not None:
            self._jobs.close()
        self.followers.close()
        if self._committer is not None:
            self._committer.close()
        self.checkpoints.close()
        self.database.close()

    @contextmanager
    def looking(self, slug: str) -> Iterator[tuple[Connection, FollowedLadder]]:
        """A ladder alone, following its log, and a connection that sees the same state of it."""
        with self.ladders.looked_at(slug) as found:
            yield found

    def take_step(self, ladder: str, tournament: str, step: SentStep, access: Access) -> Stepped:
        """Take a step of a tournament, and report to the ladder what follows from it."""
        taken, kept = self.tournaments.step(ladder, tournament, step, access)
        problem = self.tournaments.tell_ladder(ladder, kept, self.committer, access.actor)
        return replace(taken, problem=problem)

    def clock(self) -> ServerClock:
        """The time now, and how far ahead of it that of a report may be."""
        return ServerClock(machine.now_micros(), self.settings.clock_tolerance)

    def ladders_ahead(self) -> list[AheadLadder]:
        """The ladders whose log is ahead of the clock."""
        with self.database.reading() as connection:
            return ladders_ahead(connection, self.clock())

    def ladders_ahead_lately(self) -> int:
        """How many ladders were ahead of the clock a short while ago, for those who ask again and again."""
        if machine.monotonic() - self._looked_ahead > LOOK_AHEAD_SECONDS:
            self._ahead, self._looked_ahead = len(self.ladders_ahead()), machine.monotonic()
        return self._ahead

    def ladder_count(self, access: Access = LOCAL) -> int:
        """How many ladders there are for somebody."""
        with self.database.reading() as connection:
            query = select(func.count()).select_from(tables.ladder).where(visible_to(access))
            return int(connection.execute(query).scalar_one())

    def _load(self, told: Told) -> None:
        with self.database.reading() as connection:
            rows = list_ladders(connection, limit=LADDERS_LOADED_FIRST, access=LOCAL)
        for done, row in enumerate(rows):
            told(LOADING_LADDERS, done, len(rows))
            try:
                with self.looking(row.slug) as (_, live):
                    live.standings(live.row.filter)
            except PodiumError as error:  # one damaged ladder does not keep the others from being served
                LOGGER.error("the ladder %r cannot be loaded: %s", row.slug, brief(error))

    def committed(self, row: LadderRow) -> None:
        """Something was appended to a ladder: whoever follows it is woken, and perhaps it is saved."""
        self.followers.wake(row.slug)
        self.checkpoints.consider(row.slug)
