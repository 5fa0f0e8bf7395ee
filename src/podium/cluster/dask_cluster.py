"""The workers of a Dask cluster, by the address of its scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from podium.cluster.executors import LostWorkersError, Spread
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
