"""A study in a file: every trial is kept when it is done, and a search that was killed goes on from there.

The file is a journal of Optuna's, whose tools can read it. It belongs to one process at a time; a last line
that was being written when somebody pulled the plug is cut off.

One trial of a search: some parameters, and what the metric says of them.

Optuna, which is asked for only where something is tuned, and kept quiet.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from podium.errors import InputError, ParameterError
from podium.files.atomic import writing
from podium.parameters import plain


def import_optuna() -> Any:
    """The module optuna; if it is missing, an error that says how to install it."""
    try:
        import optuna
    except ImportError:
        raise ParameterError("tuning needs the package optuna", hint="pip install 'podium[lab]'") from None
    return optuna


@contextmanager
def quiet_optuna(optuna: Any) -> Iterator[None]:
    """Silence Optuna's log and its warnings about experiments during the block."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(before)


@dataclass(frozen=True)
class Trial:
    """One set of parameters and its value by the metric."""

    number: int
    parameters: Mapping[str, Any]
    """The parameters that are searched."""
    value: float | None
    """The metric on the events used for fitting; None if the trial failed."""
    seconds: float
    reason: str | None = None
    """Why it failed."""


def best_of(trials: Sequence[Trial], higher_is_better: bool) -> Trial | None:
    """The best trial, the first of equals; None if all failed."""
    done = [trial for trial in trials if trial.value is not None]
    sign = -1.0 if higher_is_better else 1.0
    return min(done, key=lambda trial: (sign * (trial.value or 0.0), trial.number), default=None)


def parameters_in_json(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as a study's file returns them: functions by name, tuples as lists."""
    held: dict[str, Any] = json.loads(json.dumps({name: plain(value) for name, value in parameters.items()}))
    return held


class StudyLog:
    """The trials of one search in a journal file that Optuna's tools can read.

    A file may hold several searches, such as those of a rolling split, by name.
    """

    def __init__(
        self, storage: Any, name: str, identity: Mapping[str, Any], source: str, *, higher_is_better: bool
    ) -> None:
        optuna = import_optuna()
        described = json.loads(json.dumps(identity))
        self._source = source
        with quiet_optuna(optuna), writing(source):
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
        """Write one trial as a line of the file, completely or not at all."""
        optuna = import_optuna()
        noted = {
            "number": trial.number,
            "parameters": parameters_in_json(trial.parameters),
            "seconds": trial.seconds,
            "reason": trial.reason,
        }
        failed = trial.value is None
        with quiet_optuna(optuna), undisturbed(), writing(self._source):
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
    """Open the journal in a file; no other process can use it until the block ends."""
    optuna = import_optuna()
    from optuna.storages.journal import JournalFileBackend, JournalStorage

    file = Path(path)
    _check_journal(file)
    with _owned(file), quiet_optuna(optuna):
        _mend(file)
        Path(f"{file}.lock").unlink(missing_ok=True)  # of a process that was killed while it wrote
        try:
            storage = JournalStorage(JournalFileBackend(str(file)))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"cannot be read as a study: {error}", source=str(file)) from error
        yield storage


def count_kept(path: str | os.PathLike[str]) -> int:
    """The number of trials in a study; 0 if there is no such file."""
    file = Path(path)
    if not file.is_file():
        return 0
    with file.open("rb") as lines:
        return sum(line.startswith(b'{"op_code":4,') for line in lines if line.endswith(b"\n"))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Delay Ctrl-C until the block ends: interrupted while writing, Optuna would leave its lock behind."""
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
        raise InputError("the file is not a study", source=str(file), hint="give the name of a new file")


def _mend(file: Path) -> None:
    """Remove an incomplete last line, left by a crash while writing."""
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
            raise InputError("another process is using this study", source=str(file)) from None
        yield
    finally:
        os.close(descriptor)


def _check_same(theirs: Any, ours: Mapping[str, Any], source: str) -> None:
    """Refuse a study of something else; the error names the first difference."""
    if not isinstance(theirs, dict):
        raise InputError("the study is not podium's", source=source, hint="give the name of a new file")
    for name, value in ours.items():
        if theirs.get(name) != value:
            said = "" if name == "history" else f": {_short(theirs.get(name))}, not {_short(value)}"
            raise InputError(
                f"the study belongs to another {name.replace('_', ' ')}{said}",
                source=source,
                hint="give the name of a new file, or use the settings that began the study",
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
