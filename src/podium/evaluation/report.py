"""A backtest as one HTML page: what to conclude, a table and a picture; all the rest behind folds.

Which metrics a table shows: of several columns with nearly the same numbers, one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from podium import charts
from podium.errors import InputError
from podium.evaluation.backtest_results import Backtest
from podium.evaluation.conclusions import find_conclusions
from podium.evaluation.event_predictions import MEAN_PAST_RESULT
from podium.evaluation.metrics import Metric, find_metrics
from podium.evaluation.metrics.accuracy import ACCURACY
from podium.evaluation.metrics.log_loss import LOG_LOSS
from podium.evaluation.metrics.pairs_right import PAIRS_RIGHT
from podium.evaluation.metrics.rank_deviation import RANK_DEVIATION
from podium.evaluation.metrics.three_way_log_loss import THREE_WAY_LOG_LOSS
from podium.evaluation.metrics.three_way_log_loss import THREE_WAY_LOG_LOSS as THREE_WAY
from podium.evaluation.scopes import Scope
from podium.evaluation.verdicts import NAMED_IN_HEADLINE, STANDING_WORDS, Verdict, find_verdict
from podium.files.atomic import replacing
from podium.parameters import plain
from podium.systems import RatingSystem
from podium.tables.given_frames import takes_any_frame
from podium.text import listed

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from podium.charts.picture_files import Section


MAY_BE_ALIKE = ((ACCURACY, PAIRS_RIGHT, RANK_DEVIATION), (LOG_LOSS, THREE_WAY_LOG_LOSS))
"""Metrics with one meaning where ratings alone decide, or nothing is drawn; numbers tell whether it is so."""
ALIKE_DIGITS = 5
"""Units of the last decimal shown by which the numbers of such metrics may differ: 0.05 points, or 0.0005."""


class ShownColumns(NamedTuple):
    """The metrics that tables show, and what they leave out."""

    metrics: list[Metric]
    left_out: dict[str, str]
    """Metrics that are not shown, by name, each with the one whose numbers are nearly the same."""

    @property
    def footnote(self) -> str:
        """What stands below tables that leave something out; else empty."""
        if not self.left_out:
            return ""
        alike: dict[str, list[str]] = {}
        for name, same in self.left_out.items():
            alike.setdefault(same, []).append(name)
        said = [f"{listed(names)} (nearly the same as {same})" for same, names in alike.items()]
        return f"Not shown: {listed(said)}."


def shown_columns(report: Backtest, deciding: Metric) -> ShownColumns:
    """The metrics with a value. Who names metrics sees all of them; else one of those that are alike."""
    summary, measured = report.summary, report.metrics
    known = [metric for metric in measured if summary[metric.column].null_count() < summary.height]
    if not {metric.name for metric in find_metrics(None)} <= {metric.name for metric in measured}:
        return ShownColumns(known, {})
    rows = [*summary.iter_rows(named=True), *report.baseline_summary.iter_rows(named=True)]
    left_out: dict[str, str] = {}
    kept: list[Metric] = []
    # The first of those that are alike is kept: the one that decides, and in matches the accuracy.
    for metric in sorted(known, key=lambda one: (one != deciding, report.two_sided and one != ACCURACY)):
        alike = [same for one in kept if (same := _alike(metric, one, rows)) is not None]
        if alike:
            left_out[metric.name] = alike[0]
        else:
            kept.append(metric)
    return ShownColumns([metric for metric in known if metric in kept], left_out)


def _alike(metric: Metric, other: Metric, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """How the other says the metric's numbers in all rows that have one: its name, or 100 minus it."""
    pairs = [(row[metric.column], row[other.column]) for row in rows if row[metric.column] is not None]
    if any(value is None for _, value in pairs):
        return None
    if all(metric.write(one) == other.write(value) for one, value in pairs):
        return other.name
    if not any(metric in group and other in group for group in MAY_BE_ALIKE):
        return None
    turned = metric.higher_is_better != other.higher_is_better
    room = ALIKE_DIGITS / 10**metric.decimals
    if all(abs(one - (100.0 - value if turned else value)) <= room for one, value in pairs):
        return f"100 − {other.name}" if turned else other.name
    return None


READING = """
Each system predicts every event from earlier results only, and rates the event afterwards. A system is good
if its predictions were good. No metric asks whether ratings look right.

An interval (in square brackets, or a bar in a picture) is a 95% confidence interval from resampled
histories: blocks of consecutive events, drawn again and again. podium compares two systems on the same
resampled events. If the interval of their difference contains 0, the data do not show which system is
better. The sign ≈ marks all systems that are not significantly worse than the best.

Unrated rows change no rating and no experience. podium predicts and scores them like all others, unless a
scope leaves them out. A newcomer's prediction comes from the system's starting value. To leave newcomers
out, use a scope of experienced players.
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
    Pictures and the verdict use `metric`; default: the leading metric of the backtest.
    """
    text = report_page(report, title=title, about=about, systems=systems, metric=metric)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@takes_any_frame
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
    scopes = _measured_scopes(report)
    found = {scope.name: find_verdict(report, scope.name, chosen) for scope in scopes}
    first = found[scopes[0].name]
    said = [one.headline() for one in found.values() if one.best is not None]
    in_full = [*verdicts(report, chosen), *about_draws(report, chosen, systems)]
    left_out = [f"Left out, with the reasons below: {', '.join(report.refused)}."] if report.refused else []
    concluded = find_conclusions(report, chosen).lines
    sections: list[Section] = [
        *([("Conclusion", "\n\n".join(concluded), None)] if concluded else []),
        ("The comparison", "\n\n".join([about, _scored(report), *left_out]), None),
        (
            "Verdict",
            "\n\n".join([*said, *report.notes, shown_columns(report, chosen).footnote]),
            _marked(first, verdict_frame(report, first)),
        ),
        *_compared(report, first),
    ]
    details: list[Section] = [("The verdict in full", "\n\n".join(in_full), None)]
    for scope in scopes:
        text = f"{scope.name}: {describe_scope(scope)}. Each metric comes with its 95% confidence interval."
        own = found[scope.name]
        table = _marked(own, summary_frame(report, own))
        details.append((f"Every metric, {scope.name}", text, table))
        details += _compared(report, own) if own != first else []
    if report.differences.height:
        details.append(("Differences to the best", "By every metric.", differences_frame(report)))
    details += _pictures(report, first)
    if report.refused:
        details.append(("Left out", "", refused_frame(report)))
    details.append(("How to read this", READING, _metric_frame(report)))
    shown = [name for name in systems if name not in report.refused]
    for number, name in enumerate(shown):
        heading = "" if number else "Parameters"
        details.append((heading, f"Parameters of {name}:", _parameters(systems[name])))
    return charts.page(title, sections, details)


def verdicts(report: Backtest, metric: Metric) -> list[str]:
    """For each scope: which system is best, and whether the next is worse by more than noise."""
    return [said for scope in _measured_scopes(report) if (said := report.verdict(scope.name, metric.name))]


def about_draws(report: Backtest, metric: Metric, systems: Mapping[str, RatingSystem]) -> list[str]:
    """Why some systems have no three-way log loss; empty if it is not shown, and not asked for either.

    Where nothing was drawn, that a system gives draws no chance is nothing to mend.
    """
    if THREE_WAY not in report.metrics or THREE_WAY not in (metric, *shown_columns(report, metric).metrics):
        return []
    if metric != THREE_WAY and not report.summary["undecided"].sum():
        return []
    measured = {
        name for scope in _measured_scopes(report) for name, _ in report.ranked(scope.name, THREE_WAY)
    }
    known = {*measured, *(report.tuned or ())}
    without = [result.name for result in report.results if result.name not in known]
    if len(without) > NAMED_IN_HEADLINE:
        return [f"{len(without)} systems have no {THREE_WAY.name}, because they give draws probability 0."]
    said = []
    for name in without:
        parameters = systems[name].parameters() if name in systems else {}
        zero = [draws for draws in ("draw_rate", "draw_margin") if parameters.get(draws) == 0.0]
        cure = f": --set {name}.{zero[0]}=… does" if zero and " " not in name else ""
        said.append(f"{name} has no {THREE_WAY.name}, because it gives draws probability 0{cure}.")
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
        words.append(f"players with {scope.min_events} or more earlier rated events")
    if scope.top is not None:
        words.append(f"the first {scope.top} of each event, including ties, chosen by outcome")
    if scope.max_sigma is not None:
        words.append(f"players with a sigma of at most {scope.max_sigma:g}")
    who = " and ".join(words) or "all players"
    if not scope.unrated:
        who += ", but for unrated rows"
    return who if who == "all players" else f"{who}, in events with two or more such sides"


# ---------------------------------------------------------------------- tables


def verdict_frame(report: Backtest, verdict: Verdict) -> pl.DataFrame:
    """One scope in short, best first: the verdict on each system, the deciding metric, then the others."""
    import polars as pl

    deciding, frame = verdict.metric, best_first(report, verdict)
    others = [one for one in shown_columns(report, deciding).metrics if one != deciding]
    rows = []
    for row in frame.iter_rows(named=True):
        shown = {"system": row["system"]}
        if len(verdict.standings) > 1:
            standing = verdict.standings.get(row["system"])
            without = "baseline" if row["system"] == MEAN_PAST_RESULT else "not measured"
            shown["verdict"] = without if standing is None else STANDING_WORDS[standing]
        for one in (deciding, *others):
            if frame[one.column].null_count() < frame.height:
                shown[one.words] = one.write(row[one.column])
        rows.append(shown)
    return pl.DataFrame(rows, infer_schema_length=None)


def summary_frame(report: Backtest, verdict: Verdict) -> pl.DataFrame:
    """One scope in full, best first: each metric with its interval; a mark stands beside who is level."""
    import polars as pl

    level, frame = verdict.named("level"), best_first(report, verdict)
    rows = []
    for row in frame.iter_rows(named=True):
        name = f"{row['system']} {LEVEL_MARK}" if row["system"] in level else row["system"]
        shown = {"system": name, "events": row["events"], "rows": row["rows"]}
        for one in report.metrics:
            if frame[one.column].null_count() < frame.height:
                shown[one.words] = _with_interval(one, row)
        rows.append({**shown, "seconds": round(row["seconds"], 2)})
    return pl.DataFrame(rows, infer_schema_length=None)


def best_first(report: Backtest, verdict: Verdict) -> pl.DataFrame:
    """The summary of one scope, best first; then who has no such metric; last the mean of past results."""
    import polars as pl

    metric = verdict.metric
    frame = report.summary.filter(pl.col("scope") == verdict.scope)
    frame = frame.sort(
        metric.column, descending=metric.higher_is_better, nulls_last=True, maintain_order=True
    )
    if report.baseline_summary.is_empty():
        return frame
    baseline = report.baseline_summary.filter(pl.col("scope") == verdict.scope)
    return pl.concat([frame, baseline], how="diagonal_relaxed")


def _marked(verdict: Verdict, table: pl.DataFrame) -> charts.MarkedTable:
    """A table of systems, best first, with colours for the best and who is level; one alone has none."""
    several = len(verdict.standings) > 1
    marks = [one if several and one in ("best", "level") else None for one in verdict.standings.values()]
    return charts.MarkedTable(table, [*marks, *[None] * (table.height - len(marks))])


def differences_frame(report: Backtest) -> pl.DataFrame:
    """Each system compared with the best, as text; by metric and scope, and the best first in each."""
    import polars as pl

    parts = report.differences.partition_by("metric", "scope", maintain_order=True)
    rows = []
    for row in (row for part in parts for row in part.sort(pl.col("difference").abs()).to_dicts()):
        metric = report.measured_metric(row["metric"])
        rows.append(
            {
                "metric": row["metric"],
                "scope": row["scope"],
                "best": row["best"],
                "system": row["system"],
                "difference [95%]": _apart(metric, row),
                "shown": "worse" if row["shown"] else "no significant difference",
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


def _compared(report: Backtest, verdict: Verdict) -> list[Section]:
    """The picture of all systems within a scope."""
    return _drawn(
        "",
        "",
        charts.systems_compared,
        report.summary,
        report.differences,
        verdict.metric.name,
        higher_is_better=verdict.metric.higher_is_better,
        digits=verdict.metric.decimals,
        scope=verdict.scope,
    )


def _pictures(report: Backtest, verdict: Verdict) -> list[Section]:
    """Calibration, and the metric by groups; what was not measured has no picture."""
    metric, several = verdict.metric, len(verdict.standings) > 1
    standings = {
        name: STANDING_WORDS[standing] if several and standing in ("best", "level") else ""
        for name, standing in verdict.standings.items()
    }
    sections = _drawn(
        "Calibration",
        "Did 70% of all predictions of about 70% come true? Dots above the line did better than expected.",
        charts.calibration,
        report.calibration,
        scope=verdict.scope,
        home=_only_home(report),
        standings=standings,
    )
    best = verdict.best if several else None
    yearly = "" if best is None else f"Difference to {best}, the best overall: "
    for heading, frame, text, against in (
        ("By period", report.periods, f"{yearly}whether an advantage lasts, or was one good year.", best),
        (
            "By experience",
            report.experience,
            "By the number of the predicted player's earlier rated events.",
            None,
        ),
        ("By rating", report.bands, "By the rating before the event. Each system has its own scale.", None),
    ):
        if metric.column in frame.columns:
            sections += _drawn(
                heading,
                text,
                charts.metric_by_group,
                frame,
                metric.name,
                higher_is_better=metric.higher_is_better,
                digits=metric.decimals,
                scope=verdict.scope,
                against=against,
                standings=standings,
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
        each = ", different for each system" if differs else ""
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


def _apart(metric: Metric, row: Mapping[str, Any]) -> str:
    """A difference to the best, with its interval if there is one."""
    difference = metric.write(row["difference"], 1, sign=True)
    if row["low"] is None:
        return difference
    low, high = (metric.write(row[end], 1, sign=True) for end in ("low", "high"))
    return f"{difference} [{low},\u00a0{high}]"
