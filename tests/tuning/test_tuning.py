"""Tuning: what is searched, that it ends the same however it is done, and what comes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cluster import jobs
from podium import (
    Elo,
    History,
    InputError,
    ParameterError,
    UnsupportedError,
    evaluate,
    load_system,
    make_system,
)
from podium.evaluation.backtest import score
from podium.simulation.populations import synthetic_contests
from podium.tuning.fingerprints import of_code
from podium.tuning.optuna_search import Search
from podium.tuning.spaces import make_space
from podium.tuning.splits import RollingSplit
from podium.tuning.study_log import Trial, best_of, undisturbed
from podium.tuning.tuning import tune
from podium.tuning.tuning_result import Outcome, Tuning

SAME = pl.exclude("seconds")
FIXED = {"home_advantage": 0, "newcomer_k": None, "newcomer_events": 30}


@pytest.fixture(scope="module")
def matches() -> History:
    """Two hundred matches of players who differ, in which K matters."""
    chance = np.random.default_rng(5)
    skill = chance.normal(0.0, 400.0, 20)
    a = chance.integers(0, 20, 200)
    b = (a + chance.integers(1, 20, 200)) % 20
    won = chance.random(200) < 1.0 / (1.0 + 10.0 ** ((skill[b] - skill[a]) / 400.0))
    days = [f"2026-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(200)]
    return History.from_matches(a.tolist(), b.tolist(), won.astype(float), time=days, home="a")


def tuned(history: History, system: str | Elo = "elo", **options: Any) -> Tuning:
    return tune(history, system, **{"metric": jobs.surprise, "trials": 12, "jobs": 1, **options})


def test_the_best_is_found_and_judged(matches: History) -> None:
    tuning = tuned(matches, trials=24, since=0.6)
    trials = tuning.trials
    assert trials.columns[:5] == ["fold", "trial", "value", "seconds", "reason"]
    assert trials["trial"].to_list() == list(range(24))
    assert (trials["k"][0], trials["home_advantage"][0]) == (32.0, 0.0)
    assert tuning.defaults == Elo()
    best = trials.row(by_predicate=pl.col("value") == trials["value"].min(), named=True)
    tried = {name: best[name] for name in tuning.parameters if best[name] is not None}  # else not searched
    assert {name: tuning.parameters[name] for name in tried} == tried
    assert tuning.fitted.best == trials["value"].min() == jobs.surprise(matches[:120], tuning.system)
    assert tuning.fitted.defaults == trials["value"][0] == jobs.surprise(matches[:120], Elo())
    assert tuning.judged is not None
    assert tuning.judged.best == jobs.surprise(matches, tuning.system, since=120)
    assert tuning.judged.defaults == jobs.surprise(matches, Elo(), since=120)
    assert (tuning.fitted.events, tuning.judged.events) == (120, 80)
    assert tuning.fitted.best < tuning.fitted.defaults


def test_what_was_found_is_saved(matches: History, tmp_path: Path) -> None:
    tuning = tuned(matches)
    tuning.save(tmp_path / "best.toml")
    assert load_system(tmp_path / "best.toml") == tuning.system
    assert (tmp_path / "best.toml").read_text().startswith("# tuned by podium")
    assert "measured on later events: surprise" in str(tuning)
    assert str(tuning).endswith(" (too few events for an interval)")
    assert repr(tuning) == f"<Tuning: elo, 12 trials of surprise; {tuning.verdict}>"


def test_metrics_by_name_see_what_they_look_at() -> None:
    history, _ = synthetic_contests(players=40, contests=20, participants=15, seed=2)
    assert "display_k" in tune(history, "glicko", metric="rank-deviation", trials=2, jobs=1).parameters
    tuning = tune(history, "glicko", metric="log-loss", trials=3, jobs=1, scope="experienced:2")
    assert "display_k" not in tuning.parameters
    assert tuning.space.left["display_k"] == "the metric does not use displayed ratings"
    assert tuning.fitted.best == score(history, tuning.system, "log-loss", scope="experienced:2", until=10)
    accuracy = tune(history, "glicko", metric="accuracy", trials=4, jobs=1)
    assert accuracy.higher_is_better
    assert accuracy.fitted.best == accuracy.trials["value"].max()


def test_a_given_system_is_tried_too(matches: History) -> None:
    tuning = tuned(matches, Elo(k=7, scale=350), trials=3)
    assert tuning.trials["k"].to_list()[:2] == [7.0, 32.0]
    assert tuning.defaults == Elo(k=7, scale=350)
    assert tuning.fitted.defaults == tuning.trials["value"][0]
    assert tuning.system.scale == 350  # type: ignore[attr-defined]
    fixed = tuned(matches, Elo(k=7), fixed={"home_advantage": 30}, trials=4)
    assert "home_advantage" not in fixed.parameters
    assert fixed.system.home_advantage == fixed.defaults.home_advantage == 30  # type: ignore[attr-defined]


def test_it_is_compared_with_the_system_as_given(matches: History) -> None:
    """Texts name it: a preset, or what differs from the defaults."""
    for given, fixed, name, said in (
        ("elo", {}, "the defaults", "the defaults are"),
        ("matches", {}, "matches", "matches is"),
        ("elo", {"k": 256}, "elo with k=256", "elo with k=256 is"),
        (Elo(k=20.0), {}, "elo with k=20", "elo with k=20 is"),
    ):
        tuning = tune(matches, given, fixed=fixed, trials=1, jobs=1)
        system = make_system(given) if isinstance(given, str) else given
        assert tuning.defaults == tuning.system == system.changed(**fixed)
        assert tuning.judged is not None
        assert tuning.judged.defaults == pytest.approx(score(matches, tuning.defaults, "log-loss", since=100))
        assert tuning.verdict == f"no gain: {said} the best parameters"
        assert str(tuning.judged).count(f" with {name} (") == 1
        (shown,) = {outcome.given for outcome in (tuning.fitted, *tuning.judged_others.values())}
        assert (
            replace(tuning.judged, low=-1.0, high=1.0).verdict(False)
            == f"no significant gain: {name} may do as well"
        )
        assert shown == name


def test_failures_count_as_such(matches: History) -> None:
    tuning = tuned(matches, metric=jobs.picky, trials=16)
    failed = tuning.trials.filter(pl.col("value").is_null())
    assert 0 < len(failed) < 16
    assert set(failed["reason"]) == {"k", "the metric is nan"}
    assert 10 <= tuning.parameters["k"] <= 40
    with pytest.raises(InputError, match="every trial failed, the first because: k"):
        tuned(matches, metric=jobs.picky, fixed={"k": 50}, trials=2)


def test_combinations_that_are_refused_count_as_failures() -> None:
    history, _ = synthetic_contests(players=20, contests=8, participants=10, seed=2)
    search = {"sigma_limit": (20, 300), "beta": (50, 1000)}
    space = make_space(make_system("elo-r"), history, search=search)
    trials = Search(space, [space.system], 40, 8, 0, higher_is_better=False).run(counted([]))
    refused = [trial for trial in trials if trial.value is None]
    assert refused
    assert all("must be below beta" in str(trial.reason) for trial in refused)
    assert best_of(trials, higher_is_better=False) is not None


def counted(seen: list[Any]) -> Any:
    """A measure without rating anything, which notes what it is asked."""

    def measure(systems: Any) -> Any:
        for index, system in reversed(list(enumerate(systems))):
            seen.append(system)
            yield index, float(system.beta if hasattr(system, "beta") else system.k), 0.0, None

    return measure


def test_the_result_does_not_depend_on_who_is_done_first(matches: History) -> None:
    space = make_space(Elo(), matches)
    hunt = Search(space, [Elo()], 20, 8, 3, higher_is_better=True)
    backwards = hunt.run(counted([]))

    def forwards(systems: Any) -> Any:
        return ((i, float(system.k), 0.0, None) for i, system in enumerate(systems))

    assert hunt.run(forwards) == backwards
    assert [trial.number for trial in backwards] == list(range(20))
    other = Search(space, [Elo()], 20, 8, 4, higher_is_better=True).run(forwards)
    assert [trial.parameters for trial in other] != [trial.parameters for trial in backwards]
    assert best_of([Trial(0, {}, None, 0.0), Trial(1, {}, 2.0, 0.0), Trial(2, {}, 2.0, 0.0)], True) == Trial(
        1, {}, 2.0, 0.0
    )


def test_rolling_splits(matches: History) -> None:
    tuning = tuned(matches, since=RollingSplit(folds=3, first=0.4), trials=6)
    assert tuning.folds["fitted_events"].to_list() == [80, 120, 160]
    assert tuning.folds["judged_events"].to_list() == [40, 40, 40]
    assert tuning.trials["fold"].to_list() == sorted([1, 2, 3] * 6)
    searched = [dimension.name for dimension in tuning.space.dimensions]
    for row in tuning.folds.iter_rows(named=True):
        first, last = row["fitted_events"], row["fitted_events"] + row["judged_events"]
        best = Elo(**{name: row[name] for name in searched if row.get(name) is not None})
        assert row["judged_best"] == jobs.surprise(matches[:last], best, since=first)
        assert row["judged_defaults"] == jobs.surprise(matches[:last], Elo(), since=first)
    assert tuning.judged is not None
    assert tuning.judged.best == pytest.approx(tuning.folds["judged_best"].mean())
    assert tuning.judged.events == 120
    assert tuned(matches, split=1.0, trials=2).judged is None


def test_how_sure_the_judgement_is(matches: History) -> None:
    """As a backtest of the two says; of several folds, as one of all their events."""
    tuning = tune(matches, "elo", trials=4, jobs=1, since=0.6)
    systems = {"best": tuning.system, "defaults": tuning.defaults}
    report = evaluate(matches, systems, metrics=["log-loss"], scopes=["everyone"], since=120)
    said, judged = report.compare("best", "defaults"), tuning.judged
    assert judged is not None
    assert (judged.best, judged.defaults, judged.low, judged.high) == pytest.approx(
        (*said.values, said.low, said.high), rel=1e-12
    )
    assert judged.low is not None
    assert judged.low < judged.difference < judged.high  # type: ignore[operator]
    assert "95% from" in str(tuning)
    rolling = tune(
        matches, "elo", trials=2, jobs=1, since=RollingSplit(2, 0.5), search={"k": [32.0]}, fixed=FIXED
    )
    whole = score(matches, rolling.defaults, "log-loss", since=100)
    assert rolling.judged is not None
    assert (rolling.judged.best, rolling.judged.defaults) == pytest.approx((whole, whole), rel=1e-12)
    assert (rolling.judged.low, rolling.judged.high) == (0.0, 0.0)
    error = tune(matches, "elo", metric="calibration-error", trials=2, jobs=1)
    assert error.judged is not None
    assert error.judged.best == pytest.approx(score(matches, error.system, "calibration-error", since=100))


def test_a_verdict(matches: History) -> None:
    def outcome(*values: float, reason: str | None = None) -> Outcome:
        named = dict(zip(("defaults", "best", "low", "high"), values, strict=False))
        return Outcome("log-loss", 10, **named, reason=reason)  # type: ignore[arg-type]

    for said, higher, told in (
        ("too few events for an interval", False, replace(outcome(0.7, 0.6), too_few=True)),
        ("better on later events", False, outcome(0.7, 0.6, -0.15, -0.05)),
        ("worse on later events than the defaults", True, outcome(0.7, 0.6, -0.15, -0.05)),
        ("no significant gain: the defaults may do as well", False, outcome(0.7, 0.6, -0.25, 0.05)),
        ("no significant gain: the defaults may do as well", True, outcome(0.7, 0.7)),
        ("better on later events (too few events for an interval)", True, outcome(0.6, 0.7)),
        ("not judged: the defaults and the best parameters have no log-loss", True, outcome(np.nan, np.nan)),
        (
            "not judged: the defaults have no log-loss: no times",
            False,
            outcome(np.nan, 0.7, reason="no times"),
        ),
    ):
        assert told.verdict(higher) == said
    assert str(told) == (
        "log-loss 0.7 with the best parameters, – with the defaults "
        "(–; 10 events; the defaults have no log-loss: no times)"
    )
    assert tuned(matches, since=1.0, trials=1).verdict == "not measured: there are no later events"
    same = tuned(matches, trials=1)
    assert same.verdict == "no gain: the defaults are the best parameters"
    assert "newcomer_events" not in same.parameters  # it is about newcomer_k, which is none
    failed = tuned(matches, metric=jobs.unusual, trials=2)
    assert np.isnan(failed.fitted.defaults)
    assert failed.fitted.reason == "the usual k"
    assert failed.verdict == "not judged: the defaults have no unusual: the usual k"


@pytest.mark.parametrize("n", [4, 8])
def test_few_matches_show_no_gain(n: int) -> None:
    few = History.from_matches(["ann"] * n, ["bob"] * n, home="a")
    tuning = tune(few, "elo", trials=3, jobs=1)
    assert tuning.verdict == "too few events for an interval"
    assert {outcome.verdict(False) for outcome in tuning.judged_others.values()} <= {tuning.verdict}


def test_only_what_has_no_value_is_said_to_have_none(matches: History) -> None:
    """The defaults give draws no chance, and the best parameters do: theirs was measured."""
    chance = np.random.default_rng(1)
    scores = np.where(chance.random(200) < 0.3, 0.5, 1.0)
    drawn = History.from_matches(matches.player[::2].tolist(), matches.player[1::2].tolist(), scores)
    tuning = tune(drawn, "glicko2", metric="three-way-log-loss", trials=3, jobs=1)
    assert np.isfinite(tuning.fitted.best)
    assert tuning.fitted.lack == (
        "the defaults have no three-way-log-loss: nothing was measured: no event from 0 to 100 has a "
        "three-way-log-loss within 'everyone' if draws have probability 0"
    )
    assert tuning.verdict == "not judged: the defaults have no three-way-log-loss"


def test_events_are_those_that_a_scope_scores() -> None:
    """As many as a backtest counts, on both parts, in each scope and of each fold."""
    chance = np.random.default_rng(3)
    a = chance.integers(0, 40, 200)
    b = (a + chance.integers(1, 40, 200)) % 40
    history = History.from_matches(a.tolist(), b.tolist())

    def counted_within(scope: str, since: int, until: int) -> int:
        found = evaluate(
            history, "elo", scopes=scope, metrics=["log-loss"], since=since, until=until, resamples=2
        )
        return int(found.summary["events"][0])

    tuning = tune(history, "elo", trials=1, jobs=1, scope="experienced", since=RollingSplit(2, 0.5))
    fitted = [counted_within("experienced", 0, cut) for cut in (100, 150)]
    judged = [counted_within("experienced", cut, cut + 50) for cut in (100, 150)]
    assert judged[0] < 50
    assert tuning.folds["fitted_events"].to_list() == fitted
    assert tuning.folds["judged_events"].to_list() == judged
    assert tuning.fitted.events == fitted[-1]
    assert tuning.judged is not None
    assert tuning.judged.events == sum(judged)
    assert tuning.judged_others["everyone"].events == 100


# ---------------------------------------------------------------------- studies


def test_a_study_goes_on(matches: History, tmp_path: Path) -> None:
    whole = tuned(matches, trials=20)
    study = tmp_path / "study.log"
    first = tuned(matches, trials=7, study=study)
    assert first.trials.select(SAME).equals(whole.trials[:7].select(SAME))
    seen: list[Trial] = []
    again = tuned(matches, trials=20, study=study, progress=seen.append)
    assert again.trials.select(SAME).equals(whole.trials.select(SAME))
    assert sorted(trial.number for trial in seen) == list(range(20))
    assert again.trials["seconds"][:7].to_list() == first.trials["seconds"].to_list()
    with study.open("ab") as file:  # the plug was pulled while a line was written
        file.write(b'{"op_code": 4, "work')
    torn = tuned(matches, trials=20, study=study)
    assert torn.trials.equals(again.trials)


def test_a_study_of_something_else_is_refused(matches: History, tmp_path: Path) -> None:
    study = tmp_path / "study.log"
    tuned(matches, trials=2, study=study)
    for what, options in {
        "another history": {"split": 0.4},
        "another metric: surprise, not picky": {"metric": jobs.picky},
        "another space": {"search": {"mu": (1000, 2000)}},
        "another seed: 0, not 1": {"seed": 1},
        "another batch": {"batch": 4},
        "another set of parameters": {"fixed": {"scale": 300}},
    }.items():
        with pytest.raises(InputError, match=f"the study belongs to {what}"):
            tuned(matches, **{"trials": 2, "study": study, **options})
    with pytest.raises(InputError, match="another system: elo, not glicko"):
        tune(matches, "glicko", metric=jobs.surprise, trials=2, study=study, jobs=1)
    (tmp_path / "results.csv").write_text("winner,loser\nann,bob\n")
    with pytest.raises(InputError, match="the file is not a study"):
        tuned(matches, study=tmp_path / "results.csv")
    assert (tmp_path / "results.csv").read_text() == "winner,loser\nann,bob\n"
    with pytest.raises(InputError, match="is a folder"):
        tuned(matches, study=tmp_path)


def test_a_study_of_another_function_is_refused(matches: History, tmp_path: Path) -> None:
    """Also where both have the same name, as all lambdas have."""
    study = tmp_path / "study.log"
    first = tuned(matches, metric=lambda history, system: system.k, trials=2, study=study)
    again = tuned(matches, metric=lambda history, system: system.k, trials=2, study=study)
    assert again.trials.equals(first.trials)
    with pytest.raises(InputError, match="the study belongs to another code of the metric"):
        tuned(matches, metric=lambda history, system: -system.k, trials=2, study=study)
    with pytest.raises(InputError, match="another direction: lower is better, not higher is better"):
        tuned(
            matches,
            metric=lambda history, system: system.k,
            trials=2,
            study=study,
            higher_is_better=True,
        )


def _times(factor: float) -> Any:
    return lambda history, system: factor * system.k


class _Weighed:
    def __init__(self, weight: float) -> None:
        self.weight = weight

    def __call__(self, history: History, system: Elo) -> float:
        return self.weight * system.k


def test_code_is_told_apart_by_what_it_does() -> None:
    same = [_times(2.0), _times(2.0)]
    assert of_code(same[0]) == of_code(same[1])
    different = [
        *(_times(2.0), _times(3.0), _Weighed(1.0), _Weighed(2.0), partial(jobs.surprise, since=1)),
        *(partial(jobs.surprise, since=2), jobs.surprise, jobs.picky, _Weighed(1.0).__call__, float),
    ]
    assert len({of_code(one) for one in different}) == len(different)
    program = (
        "from podium.tuning.fingerprints import of_code\nprint(of_code(lambda h, s: s.k in {'a', 'b', 'c'}))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_ctrl_c_waits_for_a_line_to_be_written() -> None:
    written = []

    def write() -> None:
        with undisturbed():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            written.append(True)

    with pytest.raises(KeyboardInterrupt):
        write()
    assert written
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_two_cannot_write_one_study(matches: History, tmp_path: Path) -> None:
    study = tmp_path / "study.log"

    def another(_: Trial) -> None:
        with pytest.raises(InputError, match="another process is using this study"):
            tuned(matches, study=study)

    tuned(matches, trials=1, study=study, progress=another)


# ---------------------------------------------------------------------- what is refused


def test_what_makes_no_sense_is_refused(matches: History) -> None:
    for options, reason in (
        ({"trials": 0}, "trials is 0"),
        ({"batch": True}, "batch is True"),
        ({"metric": 3}, "a metric is a name or a function"),
        ({"metric": "log-los"}, "there is no metric 'log-los'"),
        ({"metric": "brier", "higher_is_better": True}, "already defines which direction"),
        ({"split": 1.5}, "a split is 1.5, not a fraction of the events"),
        ({"scope": "experienced"}, "chooses its players itself"),
        ({"seed": -1}, "seed is -1"),
        ({"search": {"kk": (1, 2)}}, "elo has no parameter 'kk'"),
        ({"search": {"k": (1, 2)}, "fixed": {"k": 3}}, "both searched and fixed"),
    ):
        with pytest.raises(ParameterError, match=reason):
            tuned(matches, **options)
    with pytest.raises(ParameterError, match=r"the metric .*<lambda> is 'ten' with Elo\(.*k=32"):
        tuned(matches, metric=lambda history, system: "ten")
    assert len(tuned(matches, trials=np.int64(2), seed=np.uint8(1)).trials) == 2
    with pytest.raises(InputError, match="cannot be split after 1"):
        tuned(matches, since=0.005)
    with pytest.raises(ParameterError, match="each trial would choose different rows"):
        tune(matches, "glicko", scope="sigma:70")
    with pytest.raises(ParameterError, match="tune takes a history, not int"):
        tune(7, "elo")  # type: ignore[arg-type]
    teams = History.from_events([{"teams": [["a", "b"], ["c"]], "ranks": [1, 2]}] * 9)
    with pytest.raises(UnsupportedError, match="codeforces cannot use teams"):
        tune(teams, "codeforces", trials=1, jobs=1)


def test_without_optuna_the_way_to_it_is_said(matches: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ParameterError, match=r"pip install 'podium\[lab\]'"):
        tuned(matches)
