"""A real Dask cluster of several processes on this machine, of which one is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from cluster import jobs
from podium import History, ParameterError, tune
from podium.cluster.executors import LostWorkersError
from podium.cluster.spreading import Cluster, spread
from podium.tuning.study_log import Trial


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[int]]]:
    """The address of a scheduler, and the process numbers of its three workers."""
    folder = tmp_path_factory.mktemp("cluster")
    path = os.pathsep.join([str(Path(jobs.__file__).parent.parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "DASK_DISTRIBUTED__WORKER__DAEMON": "false"}

    def begin(*words: object) -> subprocess.Popen[bytes]:
        log = (folder / f"{len(begun)}.log").open("wb")
        with log:
            return subprocess.Popen(
                [sys.executable, "-m", *map(str, words)], env=environment, cwd=folder, stderr=log, stdout=log
            )

    begun: list[subprocess.Popen[bytes]] = []
    scheduler = folder / "scheduler.json"
    try:
        begun.append(
            begin(
                "distributed.cli.dask_scheduler",
                *("--scheduler-file", scheduler, "--port", 0, "--no-dashboard", "--host", "127.0.0.1"),
            )
        )
        for _ in range(3):
            begun.append(
                begin(
                    "distributed.cli.dask_worker",
                    *("--scheduler-file", scheduler, "--no-nanny", "--nthreads", 1, "--no-dashboard"),
                )
            )
        yield _ready(scheduler, 3), [worker.pid for worker in begun[1:]]
    finally:
        for process in reversed(begun):
            process.kill()
            process.wait()


def _ready(file: Path, workers: int) -> str:
    from distributed import Client

    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with Client(scheduler_file=str(file), set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=60)
        address: str = client.scheduler.address
        return address


@pytest.fixture(scope="module")
def history() -> History:
    chance = np.random.default_rng(5)
    a = chance.integers(0, 20, 200)
    b = (a + chance.integers(1, 20, 200)) % 20
    return History.from_matches(
        [f"player {i}" for i in np.argsort(a)[a]], [f"x {i}" for i in b], chance.random(200) < 0.7
    )


def test_a_cluster_finds_the_same_though_a_worker_is_killed(
    cluster: tuple[str, list[int]], history: History
) -> None:
    address, workers = cluster
    options: dict[str, Any] = {"metric": jobs.slow_surprise, "trials": 24, "batch": 12}

    def kill(trial: Trial) -> None:
        """After a few trials, while others are at work."""
        killed.append(trial.number)
        if len(killed) == 4:
            os.kill(workers[0], signal.SIGKILL)

    killed: list[int] = []
    found = tune(history, "elo", dask=address, progress=kill, **options)
    alone = tune(history, "elo", jobs=1, **{**options, "metric": jobs.surprise})
    assert sorted(killed) == list(range(24))
    assert found.trials.select(pl.exclude("seconds")).equals(alone.trials.select(pl.exclude("seconds")))
    assert found.system == alone.system


def test_jobs_are_done_by_the_workers(cluster: tuple[str, list[int]], history: History) -> None:
    address, _ = cluster
    with spread(history, dask=address) as workers:
        found = dict(workers.results(jobs.address, [()] * 12))
        assert set(dict(workers.results(jobs.threads, [()] * 3)).values()) == {1}
    processes = {process for process, _, _ in found.values()}
    assert os.getpid() not in processes
    assert len(processes) >= 2


def test_errors_of_jobs_come_through(cluster: tuple[str, list[int]], history: History) -> None:
    with spread(history, dask=cluster[0]) as workers, pytest.raises(ZeroDivisionError, match="somebody's"):
        list(workers.results(jobs.fail, [()]))


def test_a_scheduler_that_is_gone(history: History) -> None:
    """The client of a killed scheduler cancels what was running, and cannot send the history again."""
    from distributed.client import FutureCancelledError

    class Client:
        scheduler = SimpleNamespace(address="tcp://127.0.0.1:8786")
        sent = 0

        def nthreads(self) -> dict[str, int]:
            return {"worker": 2}

        def scatter(self, history: History, **_: Any) -> History:
            self.sent += 1
            if self.sent > 1:
                raise OSError("Timed out trying to connect to tcp://127.0.0.1:8786 after 10 s")
            return history

        def get_executor(self, pure: bool) -> Any:
            return self

        def submit(self, *_: Any) -> Future[None]:
            lost: Future[None] = Future()
            lost.set_exception(FutureCancelledError("job", "scheduler-connection-lost"))
            return lost

    with pytest.raises(
        LostWorkersError, match=r"scheduler at tcp://127\.0\.0\.1:8786 does not answer any more"
    ):
        list(Cluster(Client(), history).results(jobs.address, [()]))


def test_without_dask_the_way_to_it_is_said(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ParameterError, match=r"pip install 'podium\[dask\]'"),
        spread(history, dask="tcp://127.0.0.1:1"),
    ):
        pass
