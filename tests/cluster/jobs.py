"""Jobs and metrics as worker processes import them."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np

from podium import Elo, History


def total(history: History, factor: int) -> int:
    """Something that takes every column's length and a name."""
    assert history.players[0] == "player 0"
    return factor * int(history.player.sum()) + len(history.players)


def address(history: History) -> tuple[int, bool, bool]:
    """Which process it is, and whether its columns are its own."""
    return os.getpid(), bool(history.player.flags.owndata), bool(history.player.flags.writeable)


def threads(history: History) -> int:
    """The most threads of Numba and of each library that has its own, such as BLAS."""
    import numba
    from threadpoolctl import threadpool_info

    return max(numba.get_num_threads(), *(pool["num_threads"] for pool in threadpool_info()))


def die_once(history: History, number: int, marker: str) -> int:
    """Number 3 kills its process the first time."""
    if number == 3 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die(history: History) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(history: History) -> None:
    raise ZeroDivisionError("a job of somebody's")


def sleep(history: History, marker: str) -> None:
    Path(f"{marker}-{os.getpid()}").touch()
    time.sleep(600)


def surprise(history: History, system: Elo, since: int = 0) -> float:
    """How far scores are from what was expected: a metric of one's own, of matches."""
    state = system.new_state(len(history.players))
    trace = system.update(state, history)
    mu = trace.mu_before.reshape(-1, 2)[since:]
    expected = 1.0 / (1.0 + 10.0 ** ((mu[:, 1] - mu[:, 0]) / system.scale))
    won = history.rank.reshape(-1, 2)[since:, 0] < history.rank.reshape(-1, 2)[since:, 1]
    return float(np.mean((won - expected) ** 2))


def slow_surprise(history: History, system: Elo, since: int = 0) -> float:
    """The same, at leisure, so that somebody can be killed meanwhile."""
    time.sleep(0.05)
    return surprise(history, system, since)


def picky(history: History, system: Elo) -> float:
    """Works for some parameters only."""
    if system.k > 40.0:
        raise ZeroDivisionError("k")
    return float("nan") if system.k < 10.0 else abs(system.k - 20.0)


def unusual(history: History, system: Elo) -> float:
    """Does not work for the default K."""
    if system.k == 32.0:
        raise ZeroDivisionError("the usual k")
    return system.k


def thread(number: int) -> int:
    """The thread that does it."""
    return threading.get_ident()


def inverse(number: int) -> float:
    """Fails for 0."""
    return 1 / number
