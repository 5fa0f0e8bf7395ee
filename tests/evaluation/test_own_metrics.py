"""A metric of a user's own works wherever podium's do, with the same numbers where it measures the same."""

from __future__ import annotations

import pickle
import re
from copy import deepcopy
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import podium
from cli.command import failed, succeeded
from cli.command import podium as in_a_process
from evaluation.own_metrics import MY_ACCURACY, MY_LOSS, MY_RANKS, RMSE, TWINS
from podium import Elo, EloMMR, History, Metric, ParameterError, evaluate, tune
from podium.evaluation.backtest import score
from podium.evaluation.backtest_results import Backtest
from podium.evaluation.metrics import find_metric, find_metrics
from podium.evaluation.metrics.metric_sums import MetricSums
from podium.evaluation.report import report_page
from podium.simulation.populations import synthetic_contests

METRICS = {metric.name: metric for metric in find_metrics(None)}
SYSTEMS = {"elo": Elo(), "elo-mmr": EloMMR()}
FILE = """
import numpy as np
from podium import Metric

Metric.register(Metric("absolute-error", lambda scored: abs(scored.score - scored.expected), "|s − p|"))
"""


@pytest.fixture(scope="module")
def history() -> History:
    return synthetic_contests(players=80, contests=24, participants=20, seed=4).history


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Metric:
    """One that is known by its name, as long as the test lasts."""
    monkeypatch.setattr(Metric, "_known", deepcopy(Metric._known))
    Metric.register(MY_LOSS)
    return MY_LOSS


@pytest.fixture(scope="module")
def report(history: History) -> Backtest:
    return evaluate(history, SYSTEMS, metrics=[*TWINS, *TWINS.values()], resamples=200)


def renamed(frame: pl.DataFrame, ours: Metric, theirs: Metric) -> pl.DataFrame:
    """The columns of a twin, called as podium's."""
    own = {name: name for name in frame.columns if name == ours.column or name.startswith(f"{ours.column}_")}
    return frame.select(
        "system",
        "scope",
        *(pl.col(name).alias(name.replace(ours.column, theirs.column)) for name in own),
    )


@pytest.mark.parametrize("name", TWINS)
def test_every_table_has_the_same_numbers(report: Backtest, name: str) -> None:
    """Values, intervals, differences, periods, experience and rating bands, bit for bit."""
    ours, theirs = TWINS[name], METRICS[name]
    for frame in (report.summary, report.periods, report.experience, report.bands):
        mine = renamed(frame, ours, theirs)
        assert mine.equals(frame.select(mine.columns))
        assert (ours.column in frame.columns) == (theirs.column in frame.columns)
    apart = report.differences.drop("metric")
    assert apart.filter(report.differences["metric"] == ours.name).equals(
        apart.filter(report.differences["metric"] == theirs.name)
    )
    one, other = (report.compare("elo", "elo-mmr", metric=metric) for metric in (ours, theirs))
    assert (one.difference, one.low, one.high, one.better) == (
        other.difference,
        other.low,
        other.high,
        other.better,
    )
    assert one.winner == other.winner == "elo-mmr"
    assert report.verdict(metric=ours).split(". Next")[0] == report.verdict(metric=name).split(". Next")[
        0
    ].replace(name, ours.name)


def test_undecided_events_are_counted_for_whoever_looks_at_ratings(history: History) -> None:
    ties = History.from_events([{"ranks": {"a": 1, "b": 1}}, {"ranks": {"a": 1, "b": 2}}])
    for metric, undecided in ((MY_RANKS, 1), (MY_LOSS, 0)):
        assert evaluate(ties, Elo(), metrics=metric, scopes="everyone").summary["undecided"][0] == undecided


def test_a_formula_of_ones_own(history: History) -> None:
    """The root of a mean: not a mean itself, and with an interval like any other."""
    summary = evaluate(history, SYSTEMS, metrics=["brier", RMSE], resamples=200).summary
    np.testing.assert_allclose(summary["rmse"], np.sqrt(summary["brier"]), rtol=1e-14)
    for end in ("low", "high"):
        np.testing.assert_allclose(
            summary[f"rmse_{end}"], np.sqrt(summary[f"brier_{end}"]), rtol=1e-4
        )  # quantiles lie between two
    assert score(history, Elo(), RMSE) == pytest.approx(np.sqrt(score(history, Elo(), "brier")), rel=1e-14)


@pytest.mark.parametrize("name", TWINS)
def test_tuned_like_podiums_own(history: History, name: str) -> None:
    """The same trials, the same parameters, judged with the same interval."""
    mine, theirs = (
        tune(history, "elo", metric=metric, trials=5, jobs=1, scope="experienced:2")
        for metric in (TWINS[name], name)
    )
    assert mine.metric == TWINS[name].name
    assert mine.higher_is_better == theirs.higher_is_better
    assert mine.parameters == theirs.parameters
    assert mine.trials.drop("seconds").equals(theirs.trials.drop("seconds"))
    assert mine.folds.equals(theirs.folds)
    assert mine.judged is not None
    assert theirs.judged is not None
    assert (mine.judged.low, mine.judged.high) == (theirs.judged.low, theirs.judged.high)


def test_only_what_it_looks_at_is_searched(history: History) -> None:
    assert "display_k" in tune(history, "glicko", metric=MY_RANKS, trials=2, jobs=1).parameters
    assert "display_k" in tune(history, "glicko", metric=MY_LOSS, trials=2, jobs=1).space.left


def test_a_study_knows_the_metric_by_its_code(history: History, tmp_path: Path) -> None:
    study = tmp_path / "study.log"
    first = Metric("far", lambda scored: abs(scored.score - scored.expected))
    again = Metric("far", lambda scored: abs(scored.score - scored.expected))
    other = Metric("far", lambda scored: abs(scored.score - scored.expected) ** 3)
    made = tune(history, "elo", metric=first, trials=2, jobs=1, study=study)
    assert tune(history, "elo", metric=again, trials=2, jobs=1, study=study).trials.equals(made.trials)
    with pytest.raises(podium.InputError, match="another code of the metric"):
        tune(history, "elo", metric=other, trials=2, jobs=1, study=study)


def test_in_other_processes(history: History) -> None:
    alone = evaluate(history, SYSTEMS, metrics=[MY_LOSS, "brier"], scopes="everyone")
    spread = evaluate(history, SYSTEMS, metrics=[MY_LOSS, "brier"], scopes="everyone", jobs=2)
    assert alone.summary.drop("seconds").equals(spread.summary.drop("seconds"))
    typed = Metric("typed", lambda scored: scored.score)
    with pytest.raises(ParameterError, match="the metric typed cannot be sent to another process"):
        evaluate(history, SYSTEMS, metrics=typed, jobs=2)
    with pytest.raises(ParameterError, match="the metric typed cannot be sent to another process"):
        tune(history, "elo", metric=typed, trials=2, jobs=2)
    for metric in (MY_LOSS, *METRICS.values()):
        again = pickle.loads(pickle.dumps(metric))
        assert (again, again.measure, again.needs) == (metric, metric.measure, metric.needs)


def test_the_page_has_it(report: Backtest) -> None:
    page = report_page(report, metric=MY_ACCURACY, systems=SYSTEMS)
    assert "elo-mmr is best by my-accuracy" in page
    assert "pairs foretold" in page
    assert "my ranks" in page


def test_by_name(registered: Metric, history: History) -> None:
    assert find_metric("my-loss") is registered
    assert [metric.name for metric in find_metrics(["my-loss", "brier", "my-loss"])] == ["brier", "my-loss"]
    assert "my-loss" not in [metric.name for metric in find_metrics(None)]
    assert score(history, Elo(), "my-loss") == score(history, Elo(), "log-loss")
    with pytest.raises(ParameterError, match="already"):
        Metric.register(Metric("my-loss", RMSE.measure))


def test_how_it_is_written() -> None:
    assert (MY_LOSS.write(0.51234), MY_RANKS.write(-1.5, sign=True)) == ("0.5123", "−1.50")
    assert Metric("x", MY_LOSS.measure, digits=1).write(0.25, 1) == "0.25"
    assert (MY_LOSS.heading, Metric("x", MY_LOSS.measure, short="ex").heading) == ("my loss", "ex")
    assert repr(MY_LOSS) == "<Metric my-loss>"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"measure": 3}, "the metric 'x' is computed by 3"),
        ({"needs": ("expectations",)}, "needs 'expectations'"),
        ({"name": "brier"}, "'brier' is a Metric that podium defines"),
    ],
)
def test_what_is_no_metric(options: dict[str, object], why: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(why)):
        Metric(**{"name": "x", "measure": MY_LOSS.measure, **options})  # type: ignore[arg-type]


def test_what_measures_nothing(history: History) -> None:
    def measured(metric: Metric) -> MetricSums:
        evaluate(history, Elo(), metrics=metric)
        raise AssertionError

    with pytest.raises(ParameterError, match=r"an array of shape \(3,\) for 480 sides"):
        measured(Metric("short", lambda scored: np.zeros(3)))
    with pytest.raises(ParameterError, match=r"an array of shape \(480,\) for 24 events"):
        measured(Metric("long", lambda scored: scored.sums(scored.score, scored.score)))
    with pytest.raises(ParameterError, match="uses 'expected' without declaring it") as error:
        measured(Metric("silent", lambda scored: scored.expected, needs=("ratings",)))
    assert 'needs=("expected",)' in str(error.value)
    with pytest.raises(ParameterError, match="two metrics are called 'x'"):
        evaluate(history, Elo(), metrics=[Metric("x", MY_LOSS.measure), Metric("x", RMSE.measure)])


def test_on_the_command_line(history: History, tmp_path: Path) -> None:
    podium.write_history(history, tmp_path / "results.csv")
    (tmp_path / "own.py").write_text(FILE)
    ours = ("--import", "own.py")
    options = ("results.csv", "--systems", "elo", "--metrics", "absolute-error,brier", "--scopes", "everyone")
    shown = succeeded(*ours, "evaluate", *options, "--out", "all.csv", run=in_a_process, cwd=tmp_path)
    assert "elo has an absolute-error of" in shown
    assert pl.read_csv(tmp_path / "all.csv")["absolute_error"][0] > 0.0
    tuned = ("results.csv", "--system", "elo", "--metric", "absolute-error", "--trials", "2", "--jobs", "1")
    assert "absolute-error (lower is better)" in succeeded(
        *ours, "tune", *tuned, run=in_a_process, cwd=tmp_path
    )
    assert "there is no metric 'absolute-error'" in failed(2, "tune", *tuned, cwd=tmp_path)
