"""Tuning by several processes: the same as by one, also after all of them were killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cluster import jobs
from podium import History, ParameterError, read_history, write_history
from podium.tuning.tuning import tune
from podium.tuning.tuning_result import Tuning

SAME = pl.exclude("seconds")


@pytest.fixture(scope="module")
def matches() -> History:
    chance = np.random.default_rng(5)
    a = chance.integers(0, 20, 200)
    b = (a + chance.integers(1, 20, 200)) % 20
    return History.from_matches(a.tolist(), b.tolist(), (chance.random(200) < 0.7).astype(float))


def tuned(history: History, **options: Any) -> Tuning:
    return tune(history, "elo", **{"metric": jobs.surprise, "trials": 12, "jobs": 1, **options})


def _script(tmp_path: Path, study: Path) -> subprocess.Popen[str]:
    """A process of its own that tunes with two others, slowly."""
    code = (
        "import sys, podium\nfrom cluster import jobs\nfrom podium.tuning.tuning import tune\n"
        "if __name__ == '__main__':\n"
        "    history = podium.read_history(sys.argv[1])\n"
        "    tune(history, 'elo', metric=jobs.slow_surprise, trials=24, study=sys.argv[2], jobs=2)\n"
    )
    (tmp_path / "script.py").write_text(code)
    path = os.pathsep.join([str(Path(jobs.__file__).parent.parent), *sys.path])
    return subprocess.Popen(
        [sys.executable, tmp_path / "script.py", tmp_path / "matches.parquet", study],
        env={**os.environ, "PYTHONPATH": path},
        text=True,
    )


def test_a_killed_search_ends_as_if_it_had_not_been(matches: History, tmp_path: Path) -> None:
    """Killed as nothing can be caught, with two processes at work."""
    write_history(matches, tmp_path / "matches.parquet")
    history = read_history(tmp_path / "matches.parquet")
    study = tmp_path / "study.log"
    process = _script(tmp_path, study)
    kept = _until(lambda: _lines(study), 11, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    resumed = tuned(history, metric=jobs.slow_surprise, trials=24, study=study)
    assert 11 <= kept < 24
    assert resumed.trials.select(SAME).equals(tuned(history, trials=24).trials.select(SAME))


def _lines(study: Path) -> int:
    """Trials in a study."""
    return study.read_text().count('"number"') if study.exists() else 0


def _until(count: Any, enough: int, process: subprocess.Popen[str]) -> int:
    deadline = time.monotonic() + 120
    while (there := count()) < enough:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return int(there)


def test_processes_find_the_same(matches: History) -> None:
    alone, together = tuned(matches), tuned(matches, jobs=2)
    assert together.trials.select(SAME).equals(alone.trials.select(SAME))
    assert together.judged == alone.judged
    with pytest.raises(ParameterError, match=r"the metric .*<lambda> cannot be sent to another process"):
        tuned(matches, jobs=2, metric=lambda history, system: 0.0)


def test_a_script_without_a_guard_is_told_once(tmp_path: Path) -> None:
    """As `tune` and all others spread their work; each process that is started runs the script again."""
    (tmp_path / "script.py").write_text(
        "from podium.cluster.spreading import spread\n"
        "with spread(jobs=2) as workers:\n    list(workers.results(abs, [(-1,)]))\n"
    )
    ended = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.count("Traceback") == 1, ended.stderr
    assert ended.stderr.count('below: if __name__ == "__main__":') == 1


def test_what_was_typed_in_cannot_be_sent() -> None:
    code = (
        "from podium.cluster.spreading import spread\ndef f():\n    pass\n"
        "with spread(jobs=2) as workers:\n    list(workers.results(f, [()]))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "cannot be sent to another process: it was typed in" in ended.stderr
    assert ended.stderr.count("Traceback") == 1
