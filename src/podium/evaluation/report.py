"""A backtest as one HTML page: what was measured and how, tables, pictures, and how to read them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from podium import charts
from podium.errors import InputError
from podium.evaluation.backtest_results import Backtest
from podium.evaluation.metrics import Metric
from podium.evaluation.metrics.three_way_log_loss import THREE_WAY_LOG_LOSS as THREE_WAY
from podium.evaluation.scopes import Scope
from podium.evaluation.verdicts import level_with_best
from podium.files.atomic import replacing
from podium.parameters import plain
from podium.systems import RatingSystem

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from podium.charts.picture_files import Section

READING = """
Every event is predicted from what was known before it, and only then rated. A system is good where its
predictions were: no metric asks whether ratings look right.

An interval (in square brackets, or a bar in a picture) holds 95% of what resampled histories say: blocks of
consecutive events, drawn again and again. Two systems are compared on the same resampled events. Where the
interval of their difference contains 0, the data do not show which one is better, and neither does this page;
≈ stands beside all systems that are not shown to be worse than the best.

Rows that are unrated change no rating and no experience. They are predicted and scored like all others,
unless a scope says that it leaves them out. Newcomers are predicted from where their system starts them: who
wants them left out looks at a scope of experienced players.
"""
LEVEL_MARK = "≈"
"""Stands beside systems that are not shown to be worse than the best."""


def write_report(
    report: Backtest,
    path: str | os.PathLike[str],
    *,
    title: str = "How well systems predict",
    about: str = "",
    systems: Mapping[str, RatingSystem] = {},
    metric: Metric | str | None = None,
) -> None:
    """Write a backtest as one HTML page that loads nothing else, atomically.

    `about` is a text on what was measured; `systems` are those of the backtest, to show their parameters.
    Pictures and the verdict use `metric`; default: the log loss if it was measured.
    """
    text = report_page(report, title=title, about=about, systems=systems, metric=metric)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def report_page(
    report: Backtest,
    *,
    title: str = "How well systems predict",
    about: str = "",
    systems: Mapping[str, RatingSystem] = {},
    metric: Metric | str | None = None,
) -> str:
    """The HTML page of a backtest as text."""
    chosen = report.leading if metric is None else report.measured_metric(metric)
    sections: list[Section] = [("What was measured", f"{about}\n\n{_scored(report)}", None)]
    if report.refused:
        sections.append(("", "Left out were:", refused_frame(report)))
    said = [*verdicts(report, chosen), *about_draws(report, chosen, systems), *report.notes]
    sections.append(("Verdict", "\n\n".join(said), None))
    for scope in _measured_scopes(report):
        where = f"{scope.name}: {describe_scope(scope)}"
        table = summary_frame(report, scope.name, chosen)
        sections.append((f"Summary, {scope.name}", f"{where}.", table))
        sections += _drawn(
            "",
            "",
            charts.systems_compared,
            report.summary,
            report.differences,
            chosen.name,
            higher_is_better=chosen.higher_is_better,
            digits=chosen.decimals,
            scope=scope.name,
        )
    sections.append(("Differences to the best", "By every metric.", differences_frame(report)))
    sections += _pictures(report, chosen)
    sections.append(("How to read this", READING, _metric_frame(report)))
    for name, system in systems.items():
        if name not in report.refused:
            sections.append((f"Parameters of {name}", "", _parameters(system)))
    return charts.page(title, sections)


def verdicts(report: Backtest, metric: Metric) -> list[str]:
    """A sentence for each scope: which system is best, and whether the next is worse by more than noise."""
    return [said for scope in _measured_scopes(report) if (said := report.verdict(scope.name, metric.name))]


def about_draws(report: Backtest, metric: Metric, systems: Mapping[str, RatingSystem]) -> list[str]:
    """Why some systems have no three-way log loss; empty if it is not needed."""
    if THREE_WAY not in report.metrics:
        return []
    measured = {
        name for scope in _measured_scopes(report) for name, _ in report.ranked(scope.name, THREE_WAY)
    }
    if not measured and metric != THREE_WAY:
        return []
    said = []
    for name in (result.name for result in report.results if result.name not in measured):
        parameters = systems[name].parameters() if name in systems else {}
        zero = [draws for draws in ("draw_rate", "draw_margin") if parameters.get(draws) == 0.0]
        cure = f": --set {name}.{zero[0]}=… does" if zero else ""
        said.append(f"{name} has no {THREE_WAY.name}, as it gives draws no chance{cure}.")
    return said


def count_rows(report: Backtest, scope: str) -> tuple[str, bool]:
    """How many rows and events are scored, as text, and whether that depends on the system."""
    import polars as pl

    frame = report.summary.filter(pl.col("scope") == scope)
    words = []
    for column, what in (("rows", "row"), ("events", "event")):
        low, high = int(frame[column].min()), int(frame[column].max())  # type: ignore[arg-type]
        number = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        words.append(f"{number} {what}{'' if high == 1 else 's'}")
    return " of ".join(words), frame["rows"].n_unique() > 1


def describe_scope(scope: Scope) -> str:
    """A sentence about which sides the scope scores."""
    words = []
    if scope.min_events:
        words.append(f"those with {scope.min_events} or more earlier rated events")
    if scope.top is not None:
        words.append(f"the first {scope.top} of each event and who tied with them, chosen by outcome")
    if scope.max_sigma is not None:
        words.append(f"those with a deviation of at most {scope.max_sigma:g}")
    who = " and ".join(words) or "everybody"
    return f"{who}{'' if scope.unrated else ', but for unrated rows'}"


# ---------------------------------------------------------------------- tables


def summary_frame(report: Backtest, scope: str, metric: Metric | None = None) -> pl.DataFrame:
    """One scope as text: each metric with its interval; systems level with the best are marked."""
    import polars as pl

    level = set() if metric is None else level_with_best(report, scope, metric)
    frame = report.summary.filter(pl.col("scope") == scope)
    rows = []
    for row in frame.iter_rows(named=True):
        name = f"{row['system']} {LEVEL_MARK}" if row["system"] in level else row["system"]
        shown = {"system": name, "events": row["events"], "rows": row["rows"]}
        for one in report.metrics:
            if frame[one.column].null_count() < frame.height:
                shown[one.words] = _with_interval(one, row)
        rows.append({**shown, "seconds": round(row["seconds"], 2)})
    return pl.DataFrame(rows, infer_schema_length=None)


def differences_frame(report: Backtest) -> pl.DataFrame:
    """Each system compared with the best, as text."""
    import polars as pl

    rows = []
    for row in report.differences.iter_rows(named=True):
        metric = report.measured_metric(row["metric"])
        ends = " to ".join(metric.write(row[name], 1, sign=True) for name in ("low", "high"))
        rows.append(
            {
                "metric": row["metric"],
                "scope": row["scope"],
                "best": row["best"],
                "system": row["system"],
                "difference": metric.write(row["difference"], 1, sign=True),
                "95%": "–" if row["low"] is None else ends,
                "shown": "worse" if row["shown"] else "no difference shown",
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def refused_frame(report: Backtest) -> pl.DataFrame:
    """What was left out, with the reason."""
    import polars as pl

    return pl.DataFrame([{"system": what, "why": why} for what, why in report.refused.items()])


def _metric_frame(report: Backtest) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        [
            {
                "metric": metric.name,
                "better": "higher" if metric.higher_is_better else "lower",
                "is": metric.summary,
            }
            for metric in report.metrics
        ]
    )


def _parameters(system: RatingSystem) -> pl.DataFrame:
    import polars as pl

    values = {name: plain(value) for name, value in system.parameters().items()}
    declared = type(system).declared()
    return pl.DataFrame(
        [
            {"parameter": name, "value": str(value), "is": declared[name].meaning}
            for name, value in values.items()
        ]
    )


# ---------------------------------------------------------------------- pictures


def _pictures(report: Backtest, metric: Metric) -> list[Section]:
    """Calibration, and the metric by groups; what was not measured has no picture."""
    sections = _drawn(
        "Calibration",
        "Of all predictions of about 70%, did 70% come true? Dots above the line were better than expected.",
        charts.calibration,
        report.calibration,
        home=_only_home(report),
    )
    ranked = report.ranked(_measured_scopes(report)[0].name, metric)
    best = ranked[0][0] if len(ranked) > 1 else None
    yearly = "" if best is None else f"How far systems are from {best}, the best over all: "
    for heading, frame, text, against in (
        ("By period", report.periods, f"{yearly}whether an advantage holds, or was one good year.", best),
        ("By experience", report.experience, "By earlier rated events of whoever is predicted.", None),
        ("By rating", report.bands, "By the rating before the event; each system has its own scale.", None),
    ):
        if metric.column in frame.columns:
            options = {"higher_is_better": metric.higher_is_better, "digits": metric.decimals}
            sections += _drawn(
                heading, text, charts.metric_by_group, frame, metric.name, against=against, **options
            )
    return sections


def _only_home(report: Backtest) -> bool:
    """Whether of two sides only the one at home is in the calibration curve."""
    first = report.results[0].scopes[:1]
    return any(scope.bins is not None and scope.bins[..., 0].sum() < scope.rows for scope in first)


def _drawn(
    heading: str, text: str, draw: Callable[..., alt.ChartType], *given: Any, **more: Any
) -> list[Section]:
    """A section of one picture; none where nothing of the kind was measured."""
    try:
        return [(heading, text, draw(*given, **more))]
    except InputError:
        return []


# ---------------------------------------------------------------------- words


def _scored(report: Backtest) -> str:
    """Which rows were scored, as text."""
    lines = []
    for scope in _measured_scopes(report):
        counted, differs = count_rows(report, scope.name)
        each = ", which of them depends on the system" if differs else ""
        lines.append(f"{scope.name} ({describe_scope(scope)}): {counted} are scored{each}.")
    return "\n\n".join(lines)


def _measured_scopes(report: Backtest) -> list[Scope]:
    known = set(report.summary["scope"])
    return [scope for scope in report.scopes if scope.name in known]


def _with_interval(metric: Metric, row: Mapping[str, float | None]) -> str:
    value, low, high = (row[f"{metric.column}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return "–"
    if low is None or high is None:
        return metric.write(value)
    # A line may break before the bracket, and not within.
    return f"{metric.write(value)} [{metric.write(low)},\u00a0{metric.write(high)}]"
