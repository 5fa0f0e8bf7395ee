"""A search for the best parameters: Optuna proposes, batch by batch, and what is done is kept in a file.

The sampler is made anew for every batch, of the seed and the number of the batch, and sees the trials of the
batches before. So what is proposed does not depend on how many work or who is done first; and a search that
was killed goes on by going through the same proposals again, taking from the file what was done already.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.errors import InputError, ParameterError, PodiumError
from podium.parameters import plain
from podium.systems import RatingSystem
from podium.tuning.spaces import Space

if TYPE_CHECKING:
    import optuna

RANDOM_TRIALS = 10
"""How many trials are drawn at random before what was found decides."""


@dataclass(frozen=True)
class Trial:
    """Some parameters, and what the metric says of them."""

    number: int
    parameters: Mapping[str, Any]
    """Those that are searched."""
    value: float | None
    """The metric on the events that parameters are fitted on; None where the trial failed."""
    seconds: float
    reason: str | None = None
    """Why it failed."""


Measure = Callable[[Sequence[RatingSystem]], Iterator[tuple[int, float | None, float, str | None]]]
"""Measures systems: the number of each as it is done, its value, the seconds it took, why it failed."""


def import_optuna() -> Any:
    """Optuna, or how to get it."""
    try:
        import optuna
    except ImportError:
        raise ParameterError("tuning needs the package optuna", hint="pip install 'podium[lab]'") from None
    return optuna


def best_of(trials: Sequence[Trial], higher_is_better: bool) -> Trial | None:
    """The best trial, the first of equals; None where all failed."""
    done = [trial for trial in trials if trial.value is not None]
    sign = -1.0 if higher_is_better else 1.0
    return min(done, key=lambda trial: (sign * (trial.value or 0.0), trial.number), default=None)


# ---------------------------------------------------------------------- searching


@dataclass(frozen=True)
class Search:
    """What is searched, and how."""

    space: Space
    starts: Sequence[RatingSystem]
    """What is tried first."""
    trials: int
    batch: int
    seed: int
    higher_is_better: bool

    def run(
        self,
        measure: Measure,
        log: StudyLog | None = None,
        report: Callable[[Trial], None] | None = None,
    ) -> list[Trial]:
        """All trials, in order; those in the log are not measured again."""
        optuna = import_optuna()
        known = {} if log is None else dict(log.trials)
        done: list[Trial] = []
        with _quiet(optuna):
            study = optuna.create_study(direction="maximize" if self.higher_is_better else "minimize")
            for first in range(0, self.trials, self.batch):
                study.sampler = self._sampler(optuna, first // self.batch)
                count = min(self.batch, self.trials - first)
                batch = [self._propose(study, first + place) for place in range(count)]
                done += self._measured(batch, known, measure, log, report)
                for proposal, trial in zip(batch, done[first:], strict=True):
                    self._tell(optuna, study, proposal, trial)
        return done

    def _sampler(self, optuna: Any, batch: int) -> Any:
        seed = int(np.random.SeedSequence([self.seed, batch]).generate_state(1)[0])
        return optuna.samplers.TPESampler(
            seed=seed, n_startup_trials=RANDOM_TRIALS, multivariate=True, group=True
        )

    def _propose(self, study: optuna.Study, number: int) -> _Proposal:
        if number < len(self.starts):
            start = self.starts[number]
            values = {d.name: getattr(start, d.name) for d in self.space.dimensions}
            return _Proposal(number, values, start)
        asked = study.ask()
        drawn = self.space.draw(asked)
        try:
            return _Proposal(number, drawn, self.space.system.changed(**drawn), asked)
        except PodiumError as error:
            return _Proposal(number, drawn, None, asked, error.reason)

    def _measured(
        self,
        batch: Sequence[_Proposal],
        known: Mapping[int, Trial],
        measure: Measure,
        log: StudyLog | None,
        report: Callable[[Trial], None] | None,
    ) -> list[Trial]:
        """The batch's trials in order; each is logged as soon as it is done."""
        found: dict[int, Trial] = {}

        def note(trial: Trial, *, is_new: bool = True) -> None:
            found[trial.number] = trial
            if log is not None and is_new:
                log.add(trial)
            if report is not None:
                report(trial)

        untried: list[tuple[_Proposal, RatingSystem]] = []
        for proposal in batch:
            earlier = known.get(proposal.number)
            if earlier is not None and earlier.parameters == _plain(proposal.values):
                note(replace(earlier, parameters=proposal.values), is_new=False)
            elif proposal.system is None:
                note(Trial(proposal.number, proposal.values, None, 0.0, proposal.reason))
            else:
                untried.append((proposal, proposal.system))
        for index, value, seconds, reason in measure([system for _, system in untried]):
            proposal = untried[index][0]
            note(Trial(proposal.number, proposal.values, value, seconds, reason))
        return [found[proposal.number] for proposal in batch]

    def _tell(self, optuna: Any, study: optuna.Study, proposal: _Proposal, trial: Trial) -> None:
        if proposal.asked is not None:
            state = None if trial.value is not None else optuna.trial.TrialState.FAIL
            study.tell(proposal.asked, trial.value, state)
            return
        assert proposal.system is not None
        placed = self.space.place(proposal.system)
        if placed is not None and trial.value is not None:
            raw, distributions = placed
            study.add_trial(
                optuna.trial.create_trial(params=raw, distributions=distributions, value=trial.value)
            )


@dataclass(frozen=True)
class _Proposal:
    """What is to be tried."""

    number: int
    values: dict[str, Any]
    system: RatingSystem | None
    asked: optuna.Trial | None = None
    reason: str | None = None


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Optuna says nothing meanwhile."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(before)


# ---------------------------------------------------------------------- the file


class StudyLog:
    """The trials of one search in a journal file of Optuna's, whose tools can read it.

    A file may hold several searches, such as those of a rolling split, by name.
    """

    def __init__(
        self, storage: Any, name: str, identity: Mapping[str, Any], source: str, *, higher_is_better: bool
    ) -> None:
        optuna = import_optuna()
        described = json.loads(json.dumps(identity))
        with _quiet(optuna):
            self._study = optuna.create_study(
                study_name=name,
                storage=storage,
                direction="maximize" if higher_is_better else "minimize",
                load_if_exists=True,
            )
            if "podium" not in self._study.user_attrs and not self._study.trials:
                self._study.set_user_attr("podium", described)
            _check_same(self._study.user_attrs.get("podium"), described, source)
            self.trials = {trial.number: trial for trial in map(_read_trial, self._study.trials)}

    def add(self, trial: Trial) -> None:
        """Write one down; a line of the file, there as a whole or not at all."""
        optuna = import_optuna()
        noted = {
            "number": trial.number,
            "parameters": _plain(trial.parameters),
            "seconds": trial.seconds,
            "reason": trial.reason,
        }
        failed = trial.value is None
        with _quiet(optuna), undisturbed():
            self._study.add_trial(
                optuna.trial.create_trial(
                    state=optuna.trial.TrialState.FAIL if failed else optuna.trial.TrialState.COMPLETE,
                    value=trial.value,
                    user_attrs=noted,
                )
            )
        self.trials[trial.number] = trial


@contextmanager
def open_storage(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The journal in a file, which belongs to this process as long as the block lasts."""
    optuna = import_optuna()
    from optuna.storages.journal import JournalFileBackend, JournalStorage

    file = Path(path)
    _check_journal(file)
    with _owned(file), _quiet(optuna):
        _mend(file)
        Path(f"{file}.lock").unlink(missing_ok=True)  # of a process that was killed while it wrote
        try:
            storage = JournalStorage(JournalFileBackend(str(file)))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"cannot be read as a study: {error}", source=str(file)) from error
        yield storage


def count_kept(path: str | os.PathLike[str]) -> int:
    """How many trials a study holds; none where there is no such file."""
    file = Path(path)
    if not file.is_file():
        return 0
    with file.open("rb") as lines:
        return sum(line.startswith(b'{"op_code":4,') for line in lines if line.endswith(b"\n"))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C waits until the block is over: in the middle of writing, Optuna would trip over its own lock."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[tuple[int, FrameType | None]] = []
    stopping = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in stopping}
    for number in stopping:
        if callable(before[number]):
            signal.signal(number, lambda number, frame: caught.append((number, frame)))
    try:
        yield
    finally:
        for number in stopping:
            if callable(before[number]):
                signal.signal(number, before[number])
        for first, frame in caught[:1]:
            handler = before[signal.Signals(first)]
            assert callable(handler)
            handler(first, frame)


def _check_journal(file: Path) -> None:
    """Refuse to write into a file that is something else."""
    if file.is_dir():
        raise InputError(f"{file} is a folder", hint="give the name of a file")
    if not file.resolve().parent.is_dir():
        raise InputError(f"there is no folder {file.parent}")
    if not file.exists() or not file.stat().st_size:
        return
    with file.open("rb") as content:
        first = content.readline(1 << 16)
    try:
        fine = "op_code" in json.loads(first)
    except (ValueError, TypeError):
        fine = not first.endswith(b"\n") and first.startswith(b'{"op_code"')  # killed at the very beginning
    if not fine:
        raise InputError("the file is no study", source=str(file), hint="give the name of a new file")


def _mend(file: Path) -> None:
    """Cut off a last line that was being written when somebody pulled the plug."""
    with file.open("ab+") as content:
        content.seek(0)
        text = content.read()
        if text and not text.endswith(b"\n"):
            content.truncate(text.rfind(b"\n") + 1)


@contextmanager
def _owned(file: Path) -> Iterator[None]:
    """Two searches in one file at once would each take the other's trials for its own."""
    try:
        import fcntl
    except ImportError:  # not on this system
        yield
        return
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"cannot write {file}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("another process is at work on this study", source=str(file)) from None
        yield
    finally:
        os.close(descriptor)


def _check_same(theirs: Any, ours: Mapping[str, Any], source: str) -> None:
    """Refuse a study of something else, by what differs first."""
    if not isinstance(theirs, dict):
        raise InputError("the study is not podium's", source=source, hint="give the name of a new file")
    for name, value in ours.items():
        if theirs.get(name) != value:
            said = "" if name == "history" else f": {_short(theirs.get(name))}, not {_short(value)}"
            raise InputError(
                f"the study is of another {name.replace('_', ' ')}{said}",
                source=source,
                hint="give the name of a new file, or tune as it was begun",
            )


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:199]}…"


def _read_trial(frozen: Any) -> Trial:
    noted = frozen.user_attrs
    return Trial(
        number=noted.get("number", -1),
        parameters=noted.get("parameters", {}),
        value=frozen.value,
        seconds=noted.get("seconds", 0.0),
        reason=noted.get("reason"),
    )


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON holds them."""
    held: dict[str, Any] = json.loads(json.dumps({name: plain(value) for name, value in parameters.items()}))
    return held
