"""Tuning and judging, with what was found kept in a folder, so that a study can be stopped and go on."""

from __future__ import annotations

import hashlib
import json
import pickle
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets import EXPERIENCED, DataSet, Line

import podium
from podium.evaluation.backtest_results import Backtest
from podium.evaluation.order_accuracy import accuracy

DEFAULTS = " (defaults)"
DRAW_TRIALS = 24
Say = Callable[[str], None]


@dataclass(frozen=True)
class Found:
    """What tuning a line came to."""

    line: Line
    defaults: podium.RatingSystem
    tuned: podium.RatingSystem | None
    """None where nothing was tuned."""
    fitted: tuple[float, float]
    """The metric on the first part: of the defaults, and of what was found."""
    seconds: float

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that are not the system's defaults."""
        system = self.defaults if self.tuned is None else self.tuned
        usual = type(system)().parameters()
        return {name: value for name, value in system.parameters().items() if value != usual[name]}


@dataclass(frozen=True)
class Judged:
    """What a data set came to."""

    data_set: DataSet
    history: str
    """In words."""
    found: Mapping[str, Found]
    reports: Mapping[str, Backtest]
    """Each judged part: every line's system, and its defaults as the line's name with `DEFAULTS`."""
    baselines: Mapping[str, Mapping[str, Mapping[str, float]]]
    """Each judged part: each baseline's values."""
    refused: Mapping[str, str]


def study(data_set: DataSet, data: Path, folder: Path, say: Say) -> Judged:
    """Tune every line on the first part, and judge all of them."""
    file = data / data_set.file
    history = data_set.read(data)
    found, refused = {}, {}
    for line in data_set.lines:
        try:
            found[line.name] = tune_line(data_set, line, history, file, folder, say)
        except podium.UnsupportedError as error:
            refused[line.name] = error.reason
    reports, baselines = {}, {}
    for part, since in data_set.judged.items():
        reports[part] = judge(data_set, history, since, found, folder, say, with_defaults=not reports)
        baselines[part] = {
            name: _baseline(data_set, history, rating(file, history), since)
            for name, rating in data_set.baselines.items()
        }
    return Judged(data_set, str(history.summary()), found, reports, baselines, refused)


def tune_line(
    data_set: DataSet, line: Line, history: podium.History, file: Path, folder: Path, say: Say
) -> Found:
    """The line's parameters, chosen on the first part; what was found before is taken from the folder."""
    base = podium.make_system(line.system, **line.fixed)
    base.check(history[:1])
    asked = [file.name, file.stat().st_size, data_set.tuned_by, data_set.first, data_set.draws]
    asked += [line.system, {name: str(value) for name, value in line.fixed.items()}, line.trials]
    path = folder / f"{data_set.name}-{_digest(asked)}.json"
    if path.exists():
        kept = json.loads(path.read_text())
    else:
        start = time.perf_counter()
        kept = _tune(data_set, line, history, base, path)
        kept["seconds"] = time.perf_counter() - start
        path.write_text(json.dumps(kept, indent=1))
    tuned = None if kept["parameters"] is None else podium.make_system(line.system, **kept["parameters"])
    result = Found(line, base, tuned, tuple(kept["fitted"]), kept["seconds"])
    say(f"{data_set.name}: {line.name}: {data_set.tuned_by} {_change(result)} ({kept['seconds']:.0f} s)")
    return result


def _tune(
    data_set: DataSet, line: Line, history: podium.History, base: podium.RatingSystem, path: Path
) -> dict[str, Any]:
    if not line.trials:
        return {"parameters": None, "fitted": [float("nan")] * 2}
    tuning = podium.tune(
        history[: round(data_set.first * len(history))],
        base,
        metric=data_set.tuned_by,
        trials=line.trials,
        split=1.0,
        fixed=line.fixed,
        jobs=1,
        study=path.with_suffix(".study"),
    )
    system = tuning.system
    if data_set.draws and "draw_rate" in system.shown:
        system = podium.tune(
            history[: round(data_set.first * len(history))],
            system,
            metric="three-way-log-loss",
            trials=DRAW_TRIALS,
            split=1.0,
            fixed={name: value for name, value in system.parameters().items() if name != "draw_rate"},
            jobs=1,
        ).system
    parameters = system.describe()["parameters"]
    return {"parameters": parameters, "fitted": [tuning.fitted.defaults, tuning.fitted.best]}


def _change(found: Found) -> str:
    return f"{found.fitted[0]:.4f} → {found.fitted[1]:.4f} on the first part"


def judge(
    data_set: DataSet,
    history: podium.History,
    since: float,
    found: Mapping[str, Found],
    folder: Path,
    say: Say,
    *,
    with_defaults: bool,
) -> Backtest:
    """All systems side by side, tuned, and also with their defaults."""
    systems: dict[str, podium.RatingSystem] = {}
    for name, one in found.items():
        if with_defaults:
            systems[name + DEFAULTS] = one.defaults
        if one.tuned is not None:
            systems[name] = one.tuned
    asked = [data_set.file, len(history), history.rows, since, data_set.metrics, data_set.scopes]
    asked += [[name, str(system)] for name, system in systems.items()]
    path = folder / f"{data_set.name}-{_digest(asked)}.pickle"
    if path.exists():
        kept: Backtest = pickle.loads(path.read_bytes())
        return kept
    start = time.perf_counter()
    report = podium.evaluate(history, systems, metrics=data_set.metrics, scopes=data_set.scopes, since=since)
    say(f"{data_set.name}: {len(systems)} systems judged ({time.perf_counter() - start:.0f} s)")
    path.write_bytes(pickle.dumps(report))
    return report


def _baseline(data_set: DataSet, history: podium.History, rating: Any, since: float) -> dict[str, float]:
    values = {}
    first = round(since * len(history))
    for scope, suffix, least in (("everyone", "", 0), ("experienced", EXPERIENCED, 5)):
        if scope in data_set.scopes:
            reached = accuracy(history, rating, min_events=least, first_event=first)
            values[f"pairs-right{suffix}"] = reached.pairs_right
            values[f"rank-deviation{suffix}"] = reached.rank_deviation
    return values


def _digest(asked: Any) -> str:
    return hashlib.blake2b(json.dumps(asked, default=str).encode(), digest_size=8).hexdigest()
