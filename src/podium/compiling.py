"""Compiling ahead: every kernel is run once, so that nobody waits for the compiler later.

The work is cut into parts, and helping processes do some of them. A helper only fills the folder of compiled
kernels. This process runs every part itself too, from that folder where a helper was quicker, and compiles
whatever is still missing: without helpers it all takes longer, and nothing else changes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import NO_TIME
from podium.cluster.processes import cores
from podium.history import History
from podium.history.columns import event_columns
from podium.numerics.compiler_choice import before_compiling
from podium.systems import RatingSystem, System, list_systems, system_meant
from podium.systems.contract.calibration import calibrate
from podium.systems.contract.calibration_kernels import fill_inexperience
from podium.systems.contract.newcomer_system import NewcomerSystem
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import EventSides
from podium.systems.elo_mmr.elo_mmr import EloMMR

if TYPE_CHECKING:
    from podium.matchmaking.graphs.matching import Effort

MATCHING = "matchmaking"
"""What is compiled for pairing players, as it is called beside the systems."""
EVALUATION = "evaluation"
"""And what for evaluating and smoothing."""
GUMBEL = "gumbel-min"
"""And what for Elo-MMR with these performances."""
LONGEST = ("elo-mmr", "luck", MATCHING)
"""What takes longest is compiled first, so that no process is alone with it in the end."""
MOST_HELPERS = 7
"""More find nothing to do: some parts take a tenth of the whole time."""


@dataclass(frozen=True)
class Part:
    """A call that runs some of the kernels of what is compiled under a name."""

    name: str
    step: str
    run: Callable[[], None]
    family: str
    """Parts of one family need some of the same kernels: of two at once, one would wait for the other."""
    known: bool
    """Whether a helper finds the same part by its name; it knows podium's own systems."""


def warmup(*systems: System) -> dict[str, float]:
    """Compile the code that these systems need now.

    The compiled code is kept on disk, for every process of this machine. Other processes help, one for each
    further core.

    Args:
        systems: Systems or names. "matchmaking" is the code of a `Matchmaker`, and "evaluation" that of
            `evaluate` and `smooth`. "gumbel-min" is the code of Elo-MMR for performances of that name.
            Default: all code of podium.

    Returns:
        Seconds of all processes together, by name.

    >>> list(warmup("elo"))
    ['elo']
    """
    seconds = dict(compiled_in_turn(*systems))
    return {name: seconds[name] for name in names_to_compile(*systems)}


def names_to_compile(*systems: System) -> list[str]:
    """What `warmup` would compile, by name and in order; refused where there is nothing of a name."""
    return list(dict.fromkeys(part.name for part in _parts(systems)))


def compiled_in_turn(*systems: System) -> Iterator[tuple[str, float]]:
    """Compile as `warmup` does; yields each name with its seconds as soon as all of it is compiled."""
    parts = sorted(_parts(systems), key=lambda part: part.name not in LONGEST)
    left = Counter(part.name for part in parts)
    seconds = dict.fromkeys(left, 0.0)
    for part, spent in _compiled(parts):
        left[part.name] -= 1
        seconds[part.name] += spent
        if not left[part.name]:
            yield part.name, seconds[part.name]


# ---------------------------------------------------------------------- parts


def _parts(systems: tuple[System, ...]) -> list[Part]:
    """What to run for these systems, or for everything."""
    others = {MATCHING: _pairing_parts, EVALUATION: _judging_parts, GUMBEL: _gumbel_parts}
    parts: dict[tuple[str, str], Part] = {}
    for given in systems or (*list_systems(), *others):
        if isinstance(given, str) and given in others:
            found = others[given]()
        else:
            system = system_meant(given)
            found = _system_parts(system.name, system)
        parts |= {(part.name, part.step): part for part in found}
    return list(parts.values())


def _system_parts(name: str, system: RatingSystem) -> Iterator[Part]:
    module = type(system).__module__.split(".")
    family, known = ".".join(module[:3]), module[0] == "podium"
    for step, run in {
        "recording": partial(_record, system, "off"),
        "explaining": partial(_explain, system),
        "calibrating": partial(_calibrate, system),
        "foretelling the top": partial(_predict_top, system),
        "predicting": partial(_predict, system),
        "recording calibrated": partial(_record, system, "learned"),  # last: it needs most of the others
    }.items():
        yield Part(name, step, run, family, known)


def _gumbel_parts() -> Iterator[Part]:
    return _system_parts(GUMBEL, EloMMR(performance=GUMBEL))


def _record(system: RatingSystem, calibration: str) -> None:
    """Run every kernel that rates and explains, and with calibration those that calibrate."""
    from podium.ladder.ladder import Ladder

    ladder = Ladder(system.changed(calibration=calibration))
    ladder.record_match("a", "b")
    ladder.rating("a")
    if system.supports.many:
        ladder.record(ranks={"a": 1, "b": 2, "c": 3})
        ladder.ranks_to_reach([0.0], ranks={"a": 1, "b": 2, "c": 3})
    if system.supports.teams:
        ladder.record(teams=[["a", "b"], ["c"]], ranks=[1, 2])
    ladder.explain("a")


def _explain(system: RatingSystem) -> None:
    """Run what explains a newcomer's rating: with Elo-MMR, kernels that rating needs too, but later."""
    system.shares(system.new_state(1), 0, NO_TIME)


def _calibrate(system: RatingSystem) -> None:
    """Run what calibrates, without what rates: one process can compile this, another that."""
    system = system.changed(calibration="learned")
    histories = [History.from_matches(["a"], ["b"])] + [_small_history()] * system.supports.many
    for history in histories:
        state = system.new_state(len(history.players))
        mu, sigma = system.view(state, slice(None), NO_TIME)
        trace = Trace.for_rows(
            history.rows, sigma=sigma is not None, performance=False, expected=True, draw=True
        )
        trace.mu_before[:], trace.expected[:] = mu[history.player], 0.5
        if sigma is not None:
            trace.sigma_before[:] = sigma[history.player]
        events, lacking = event_columns(history, None), np.empty(history.rows)
        fill_inexperience(events.player, events.held, state["events"], lacking)
        calibrate(system, state, events, EventSides.of(history), lacking, trace)


def _predict_top(system: RatingSystem) -> None:
    """Run every kernel for the chances to be among the best: half of all that predicts."""
    from podium.ladder.ladder import Ladder

    Ladder(system).top_chances(["a", "b", "c"], 1)


def _predict(system: RatingSystem) -> None:
    """Run every other kernel that predicts."""
    from podium.ladder.ladder import Ladder

    ladder = Ladder(system)
    ladder.expected_score("a", "b")
    ladder.rank_probabilities(["a", "b", "c"])
    ladder.expected_ranks(["a", "b", "c"])
    mu, sigma = system.view(ladder.state, slice(None), NO_TIME)
    system.near_win_probability(mu, sigma, mu, sigma)
    if isinstance(system, NewcomerSystem):
        adaptive = replace(system, newcomer_start="adaptive")
        adaptive.start(adaptive.new_state())


def _pairing_parts() -> Iterator[Part]:
    from podium.matchmaking.graphs.matching import EFFORTS

    for effort in EFFORTS:
        yield Part(MATCHING, effort, partial(_pair, "1v1", effort), "duels", True)
    for mode in ("2v2", "ffa:3", "8v8: lead, 7 follow"):
        yield Part(MATCHING, mode, partial(_pair, mode, None), "lobbies", True)
    for mode in ("1v1", "2v2"):
        yield Part(MATCHING, f"{mode} among few", partial(_pair_among_few, mode), "small fields", True)


def _pair(mode: str, effort: Effort | None) -> None:
    """Run the kernels of a pool once: for people who just came, and for people who waited too long."""
    from podium.matchmaking.matchmaker import Matchmaker
    from podium.systems.elo import Elo

    ratings = [1500.0 + 2.0 * number for number in range(400)]
    maker = Matchmaker(Elo(), mode, effort=effort)
    maker.join_many([f"new {number}" for number in range(400)], mu=ratings, time=0.0)
    maker.start(maker.tick(1.0))
    for count, now in ((400, 200.0), (100, 400.0)):  # many are served in another way than few
        names = [f"late {number} of {count}" for number in range(count)]
        maker.join_many(names, mu=ratings[:count], time=now - 199.0)
        maker.start(maker.tick(now))


def _pair_among_few(mode: str) -> None:
    """The same for people who may meet few others, who have to be looked for."""
    from podium.matchmaking.matchmaker import Matchmaker
    from podium.systems.elo import Elo

    maker = Matchmaker(Elo(), mode)
    for other in ("new 1", "new 2"):
        maker.block("new 0", other)
    names = [f"new {number}" for number in range(400)]
    # Two may meet most others, of whom no two may meet each other.
    hubs = ["new 0", "new 3"]
    needs = [None if own in hubs else [name, *hubs] for own, name in zip(names, reversed(names), strict=True)]
    ratings = [1500.0 + 2.0 * number for number in range(400)]
    maker.join_many(names, mu=ratings, time=0.0, attributes={"name": names}, needs={"name": needs})
    if mode == "2v2":
        maker.backfill([["a"], ["b", "c"]], mu=1500.0, time=200.0)
        maker.join_many([f"far {number}" for number in range(60)], mu=3000.0, time=200.0)
    maker.tick(200.0)
    maker.unblock("new 0", "new 1")
    maker.tick(201.0)


def _judging_parts() -> Iterator[Part]:
    """Every kernel of backtests, places and smoothing; those of a few systems are needed for that."""
    from podium.systems.elo_mmr.elo_mmx import EloMMX
    from podium.systems.trueskill.trueskill import TrueSkill

    smoothed = ((TrueSkill(), 1), (EloMMX(), 2), (EloMMR(), 2))
    evaluating = partial(_evaluate, [system for system, _ in smoothed])
    yield Part(EVALUATION, "evaluating", evaluating, EVALUATION, True)
    for system, rounds in smoothed:
        yield Part(EVALUATION, f"smoothing {system.name}", partial(_smooth, system, rounds), EVALUATION, True)


def _evaluate(systems: list[RatingSystem]) -> None:
    from podium.evaluation.backtest import evaluate
    from podium.ladder.place_history import places_after

    history = _small_history()
    evaluate(history, systems, scopes=["everyone", "top:2"], resamples=2)
    rated, display = np.ones(history.rows, np.bool_), np.zeros(history.rows)
    places_after(history.offsets, history.player, display, rated, len(history.players))


def _smooth(system: RatingSystem, rounds: int) -> None:
    from podium.evaluation.smoothing.smoothing import smooth

    smooth(_small_history(), system, rounds=rounds)


def _small_history() -> History:
    places = [{"a": 1, "b": 2, "c": 3}, {"a": 2, "b": 1, "c": 3}]
    return History.from_events([{"ranks": ranks} for ranks in places])


# ---------------------------------------------------------------------- helpers


def _compiled(parts: list[Part]) -> Iterator[tuple[Part, float]]:
    """Run all parts, with helpers as soon as the compiler is needed; yields seconds of whoever was first."""
    helpers = Helpers(part for part in parts if part.known)
    unknown = (part for part in parts if not part.known)
    try:
        while (part := helpers.begin_part() or next(unknown, None)) is not None:
            with before_compiling(helpers.start):
                seconds = _timed(part)
            helpers.end_part(part)
            yield part, seconds
            yield from helpers.finished()
        helpers.wait()
        yield from helpers.finished()
    finally:
        helpers.stop()


def _timed(part: Part) -> float:
    start = time.perf_counter()
    part.run()
    return time.perf_counter() - start


class Helpers:
    """Processes that take parts from those waiting; each has a thread here that tells it which."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self.waiting = list(parts)
        self.families: Counter[str] = Counter()  # of the parts that run now
        self.lock = Lock()
        self.done: deque[tuple[Part, float]] = deque()
        self.threads: list[Thread] = []
        self.processes: list[subprocess.Popen[str]] = []

    def begin_part(self) -> Part | None:
        """Take the next part that nobody has begun, of a family that nobody is at if there is one."""
        with self.lock:
            if not self.waiting:
                return None
            apart = (part for part in self.waiting if not self.families[part.family])
            part = next(apart, self.waiting[0])
            self.waiting.remove(part)
            self.families[part.family] += 1
            return part

    def end_part(self, part: Part) -> None:
        """Say that nobody is at this part any more."""
        with self.lock:
            self.families[part.family] -= 1

    def start(self) -> None:
        """Start processes for the parts that wait, once."""
        if self.threads or not Path(sys.executable or "").stem.startswith("python"):
            return  # Python may be a part of another program, which must not be started again
        for _ in range(min(cores() - 1, len(self.waiting), MOST_HELPERS)):
            self.threads.append(Thread(target=self._direct))
            self.threads[-1].start()

    def finished(self) -> Iterator[tuple[Part, float]]:
        """Run what helpers have done, from disk; yields their seconds."""
        while self.done:
            part, seconds = self.done.popleft()
            yield part, seconds + _timed(part)

    def wait(self) -> None:
        """Wait until helpers have done what they began."""
        for thread in self.threads:
            thread.join()

    def stop(self) -> None:
        """End all processes now."""
        self.waiting.clear()
        for process in self.processes:
            process.kill()
        self.wait()

    def _direct(self) -> None:
        """Start a process and give it one part after another; one that dies leaves its part undone."""
        program = (
            "import gc, os; gc.disable(); from podium.compiling import help_compiling; help_compiling(); "
            "os._exit(0)"  # all that is compiled is on disk; taking everything down takes more than a second
        )
        searched = [folder for folder in sys.path if isinstance(folder, str) and folder]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(searched)}
        command = [sys.executable, "-P", "-c", program]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        with (
            suppress(OSError),
            subprocess.Popen(
                command, env=environment, text=True, stdin=pipe, stdout=pipe, stderr=nowhere
            ) as process,
        ):
            self.processes.append(process)
            assert process.stdin is not None
            assert process.stdout is not None
            while (part := self.begin_part()) is not None:
                seconds = 0.0
                try:
                    print(json.dumps([part.name, part.step]), file=process.stdin, flush=True)
                    seconds = json.loads(process.stdout.readline())
                except (OSError, ValueError):
                    return
                finally:
                    self.end_part(part)
                    self.done.append((part, seconds))


def help_compiling() -> None:
    """What a helping process does: run the parts that it reads, and print the seconds of each."""
    for line in sys.stdin:
        name, step = json.loads(line)
        print(next(_timed(part) for part in _parts((name,)) if part.step == step), flush=True)
