"""Jobs about one history, spread over processes or machines; nothing is lost when one of them dies.

>>> import podium
>>> history = podium.History.from_matches(["ann", "bob"], ["bob", "cat"])
>>> def count(history, player):
...     return int((history.player == player).sum())
>>> with spread(history, jobs=1) as workers:
...     dict(workers.results(count, [(0,), (1,)]))
{0: 1, 1: 2}
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager

from podium.cluster.dask_cluster import Cluster, dask_client
from podium.cluster.executors import Spread, Workers
from podium.cluster.processes import Pool, cores, refuse_unguarded_script
from podium.cluster.shared_histories import shared
from podium.errors import ParameterError
from podium.history import History


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
