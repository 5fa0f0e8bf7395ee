"""Jobs about one history, spread over processes or machines; nothing is lost when one of them dies.

>>> import podium
>>> history = podium.History.from_matches(["ann", "bob"], ["bob", "cat"])
>>> def count(history, player):
...     return int((history.player == player).sum())
>>> with spread(history, jobs=1) as workers:
...     dict(workers.results(count, [(0,), (1,)]))
{0: 1, 1: 2}

The workers of a Dask cluster, by the address of its scheduler.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from podium.cluster.executors import LostWorkersError, Spread, Workers
from podium.cluster.processes import Pool, cores, refuse_unguarded_script
from podium.cluster.shared_histories import shared
from podium.errors import ParameterError
from podium.history import History

CLUSTER_TIMEOUT_SECONDS = 10.0
"""Seconds to wait for a cluster to answer."""


class Cluster(Spread):
    """The workers of a Dask cluster; the history is sent to each of them once."""

    def __init__(self, client: Any, history: History | None) -> None:
        self.client = client
        with _answering(client):
            count = sum(client.nthreads().values())
        if not count:
            raise ParameterError("the Dask cluster has no workers", hint="dask worker ADDRESS starts one")
        super().__init__(client.get_executor(pure=False), count, self._sent(history), history)
        self.threads = 1

    def _sent(self, history: History | None) -> Any:
        if history is None:
            return None
        with _answering(self.client):
            return self.client.scatter(history, broadcast=True, hash=False)

    def is_loss(self, error: Exception) -> bool:
        """Whether the error means that workers died, repeatedly or with the only copy of the history."""
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker

        return isinstance(error, (KilledWorker, FutureCancelledError))

    def restart(self) -> None:
        """Send the history again to the workers that are left."""
        self.source = self._sent(self.history)


@contextmanager
def _answering(client: Any) -> Iterator[None]:
    """Where the scheduler is gone, say so; whoever keeps results has those that were done before."""
    try:
        yield
    except OSError as error:  # closed connections and timeouts are OSErrors too
        raise LostWorkersError(
            f"the Dask scheduler at {client.scheduler.address} does not answer any more: {error}",
            hint="start the scheduler and its workers again",
        ) from error


@contextmanager
def dask_client(address: str) -> Iterator[Any]:
    """Connect to the Dask cluster whose scheduler has this address; closed at the end of the block."""
    try:
        from distributed import Client
    except ImportError:
        raise ParameterError(
            "a Dask cluster needs the package distributed", hint="pip install 'podium[dask]'"
        ) from None
    connect: Any = Client
    try:
        client = connect(address, timeout=CLUSTER_TIMEOUT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ParameterError(
            f"there is no Dask cluster at {address}: {error}", hint="the scheduler's address: tcp://host:8786"
        ) from None
    try:
        yield client
    finally:
        with suppress(Exception):  # a scheduler that is gone cannot be left any more
            client.close(timeout=CLUSTER_TIMEOUT_SECONDS)


@contextmanager
def spread(
    history: History | None = None,
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    takes_part: bool = False,
) -> Iterator[Workers]:
    """Workers for jobs about a history, as long as the block lasts.

    By default there is one process for each core, and they map the history without copying it; `jobs` is
    their number, and 1 uses none. An `executor` is used as it is and stays open; `dask` is the address of a
    cluster's scheduler. With `takes_part` this process does jobs too while it waits for others: it is one of
    the `jobs`. However the block ends, even by Ctrl-C, none of its processes remains.
    """
    if sum(given is not None for given in (jobs, executor, dask)) > 1:
        raise ParameterError("jobs, executor and dask are three ways to spread work", hint="give one of them")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise ParameterError(f"jobs is {jobs!r}", hint="a number of processes, from 1")
    with ExitStack() as stack:
        if dask is not None:
            yield Cluster(stack.enter_context(dask_client(dask)), history)
            return
        count = cores() if jobs is None else jobs
        if executor is None and count == 1:
            yield Workers(history)
            return
        handle = None if history is None else stack.enter_context(shared(history))
        if executor is not None:
            workers = getattr(executor, "_max_workers", None) or cores()
            yield Spread(executor, workers, handle, history, takes_part=takes_part)
            return
        refuse_unguarded_script()
        pool = Pool(count - takes_part, handle, history, takes_part=takes_part)
        stack.callback(pool.stop)
        yield pool
