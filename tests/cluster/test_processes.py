"""Jobs spread over processes: each is done once, whoever dies meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import fields
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cluster import jobs
from podium import History, ParameterError, SetRating
from podium.cluster import executors as module
from podium.cluster.executors import LostWorkersError
from podium.cluster.processes import cores
from podium.cluster.shared_histories import Handle, NotHereError, _mapped, shared
from podium.cluster.spreading import spread


@pytest.fixture(scope="module")
def history() -> History:
    chance = np.random.default_rng(1)
    a = chance.integers(0, 50, 300)
    b = (a + chance.integers(1, 50, 300)) % 50
    names = [f"player {i}" for i in range(50)]
    order = np.concatenate([np.arange(50), a])
    return History.from_matches(
        [names[i] for i in order], [names[(i + 1) % 50] for i in range(50)] + [names[i] for i in b]
    )


def test_a_mapped_history_is_the_same() -> None:
    events = [
        {"teams": [["a", "b"], ["ç"]], "ranks": [1, 2], "name": "first", "time": 5, "home": "a", "weight": 2},
        {"scores": {"a": 2.5, "ç": 1}, "name": "second", "time": 9, "unrated": ["a"]},
        SetRating(player="dan", mu=1700),
    ]
    history = History.from_events(events)
    with shared(history) as handle:
        mapped = _mapped(handle)
        assert len(mapped.players) == len(history.players)
        assert "_names" not in vars(mapped.players)
        for field in fields(History):
            ours, theirs = getattr(history, field.name), getattr(mapped, field.name)
            if isinstance(ours, np.ndarray):
                assert ours.dtype == theirs.dtype
                np.testing.assert_array_equal(ours, theirs)
            else:
                assert ours == theirs
        mapped.player[0] = 7  # nobody else's
        assert history.player[0] != 7
        assert _mapped(handle).player[0] != 7
    assert not Path(handle.path).exists()
    with pytest.raises(NotHereError):
        Handle("other", handle.path, handle.columns, handle.rest).load()


def test_what_a_killed_process_left_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, living, other = (tmp_path / f"podium-history-{of}" for of in (f"{ended.pid}-a", "1-a", "strange"))
    for file in (left, living, other):
        file.touch()
    with shared(History.from_matches(["a"], ["b"])) as handle:
        assert not left.exists()
        assert living.exists()
        assert other.exists()
        with shared(History.from_matches(["a"], ["c"])):
            assert Path(handle.path).exists()


def test_processes_share_the_memory(history: History) -> None:
    with spread(history, jobs=2) as workers:
        found = dict(workers.results(jobs.address, [()] * 12))
        assert dict(workers.results(jobs.total, [(i,) for i in range(5)])) == {
            i: jobs.total(history, i) for i in range(5)
        }
        assert set(dict(workers.results(jobs.threads, [()] * 4)).values()) == {max(1, cores() // 2)}
        processes = {process for process, _, _ in found.values()}
        with pytest.raises(ZeroDivisionError, match="somebody's"):  # errors of jobs come through
            list(workers.results(jobs.fail, [()]))
    assert len(found) == 12
    assert os.getpid() not in processes
    assert {(owned, writeable) for _, owned, writeable in found.values()} == {(False, True)}
    assert not any(_is_alive(process) for process in processes)


def test_a_killed_process_loses_nothing(history: History, tmp_path: Path) -> None:
    with spread(history, jobs=2) as workers:
        given = [(i, str(tmp_path / "died")) for i in range(10)]
        found = dict(workers.results(jobs.die_once, given))
        assert (tmp_path / "died").exists()
        assert found == {i: i * i for i in range(10)}


def test_a_job_that_always_kills_is_given_up(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RETRIES", 1)
    with (
        spread(history, jobs=2) as workers,
        pytest.raises(LostWorkersError, match="died 2 times with the same job"),
    ):
        list(workers.results(jobs.die, [()]))


class _Ends(Executor):
    """Job 1 ends with an error, whatever was done beside it."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        number = arguments[2][0]
        if number == 1:
            future.set_exception(self.error)
        else:
            future.set_result(number)
        return future


@pytest.mark.parametrize(
    "error, raised",
    [
        (BrokenProcessPool("a process died"), LostWorkersError),
        (ZeroDivisionError("a bug"), ZeroDivisionError),
    ],
)
def test_what_was_done_beside_a_failure_is_not_lost(error: Exception, raised: type[Exception]) -> None:
    workers = module.Spread(_Ends(error), 2, None, None)
    got: list[int] = []
    with pytest.raises(raised):
        got.extend(index for index, _ in workers.results(jobs.total, [(i,) for i in range(4)]))
    assert sorted(got) == [0, 2, 3]


def test_who_takes_part_does_jobs_from_the_end() -> None:
    with ThreadPoolExecutor(1) as threads, spread(executor=threads, takes_part=True) as workers:
        by = dict(workers.results(jobs.thread, [(i,) for i in range(6)]))
        assert sorted(by) == list(range(6))
        assert by[5] == threading.get_ident()
        assert by[0] != threading.get_ident()
        with pytest.raises(ZeroDivisionError):
            list(workers.results(jobs.inverse, [(i,) for i in (1, 1, 1, 0)]))
    with spread(jobs=2, takes_part=True) as workers:
        assert workers.count == 1  # and this process


def test_any_executor(history: History) -> None:
    expected = {i: jobs.total(history, i) for i in range(4)}
    given = [(i,) for i in range(4)]
    with ThreadPoolExecutor(2) as threads, spread(history, executor=threads) as workers:
        assert dict(workers.results(jobs.total, given)) == expected
    with spread(history, jobs=1) as workers:
        assert dict(workers.results(jobs.total, given)) == expected
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        with spread(history, executor=pool) as workers:
            handle = workers.source  # type: ignore[attr-defined]
            Path(handle.path).rename(f"{handle.path}-elsewhere")  # as if on another machine
            assert dict(workers.results(jobs.total, given)) == expected
            Path(f"{handle.path}-elsewhere").unlink()
        with (
            spread(history, executor=pool) as workers,
            pytest.raises(LostWorkersError, match="executor broke"),
        ):
            list(workers.results(jobs.die, [()]))


def test_what_makes_no_sense_is_refused(history: History) -> None:
    with pytest.raises(ParameterError, match="three ways"), spread(history, jobs=2, dask="tcp://x:1"):
        pass
    with pytest.raises(ParameterError, match="jobs is 0"), spread(history, jobs=0):
        pass
    with (
        pytest.raises(ParameterError, match="there is no Dask cluster at nonsense"),
        spread(history, dask="nonsense"),
    ):
        pass


INTERRUPTED = """
import sys
from cluster import jobs
from podium import History
from podium.cluster.spreading import spread

if __name__ == "__main__":
    history = History.from_matches(["player 0"], ["b"])
    with spread(history, jobs=2) as workers:
        list(workers.results(jobs.sleep, [(sys.argv[1],)] * 4))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left(number: signal.Signals, tmp_path: Path) -> None:
    """Neither after Ctrl-C, which a terminal sends to all of them, nor after the first one is killed."""
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED)
    path = os.pathsep.join([str(Path(jobs.__file__).parent.parent), *sys.path])
    begun = subprocess.Popen(
        [sys.executable, script, tmp_path / "at-work"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    workers = _waited(lambda: [int(p.name.rpartition("-")[2]) for p in tmp_path.glob("at-work-*")], 2)
    if number == signal.SIGINT:
        os.killpg(begun.pid, number)
    else:
        begun.send_signal(number)
    _, said = begun.communicate(timeout=60)
    assert said.count("KeyboardInterrupt") == (1 if number == signal.SIGINT else 0), said
    _waited(lambda: [process for process in workers if not _is_alive(process)], 2)


EARLY = """
import os, signal, threading, time
from multiprocessing import util
from podium.cluster.spreading import spread

def spawn(path, words, files):
    process = begin(path, words, files)
    if "--multiprocessing-fork" not in words:
        return process  # no worker
    os.kill(os.getpid(), getattr(signal, os.environ["PODIUM_TEST_SIGNAL"]))
    time.sleep(0.1)  # the new process waits to be told what to do
    return process

def exit(number, frame):
    raise SystemExit(128 + number)

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, exit)
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()  # it gets what the main one blocks
    begin, util.spawnv_passfds = util.spawnv_passfds, spawn
    with spread(jobs=2) as workers:
        list(workers.results(len, [((),)] * 4))
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_while_a_process_begins(name: str, tmp_path: Path) -> None:
    """The new process is told everything before it is ended, and so it says nothing."""
    (script := tmp_path / "script.py").write_text(EARLY)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PODIUM_TEST_SIGNAL": name}
    run = subprocess.run(
        [sys.executable, script], stderr=subprocess.PIPE, text=True, timeout=60, env=environment
    )
    assert run.returncode == (-signal.SIGINT if name == "SIGINT" else 128 + signal.SIGTERM), run.stderr
    assert run.stderr.count("Traceback") == (name == "SIGINT"), run.stderr
    assert "EOFError" not in run.stderr


def _waited(look: object, count: int) -> list[int]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found: list[int] = look()  # type: ignore[operator]
        if len(found) >= count:
            return found
        time.sleep(0.02)
    raise AssertionError("it never happened")


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
