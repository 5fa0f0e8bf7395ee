"""What a study found as tables, written between the marks of a page."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from datasets import EXPERIENCED, DataSet
from runs import DEFAULTS, Judged

from podium.evaluation.backtest_results import Backtest
from podium.evaluation.metrics import find_metric


def write_blocks(path: Path, judged: Sequence[Judged]) -> None:
    """Put each data set's tables between ``<!-- study: NAME -->`` and ``<!-- end -->``."""
    page = path.read_text() if path.exists() else ""
    blocks = {one.data_set.name: block(one) for one in judged}
    if len(judged) > 1:
        columns = ["data", "of", "level", "met by", "best of them", "", "chosen on the first part", ""]
        blocks["levels"] = table(columns, [row for one in judged for row in level_rows(one)])
        blocks["winners"] = table(
            ["data", "by", "best on the judged part", "", "shown to be better than"],
            [row for one in judged for row in winner_rows(one)],
        )
    for name, text in blocks.items():
        marks = re.compile(rf"(<!-- study: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not marks.search(page):
            page += f"\n<!-- study: {name} -->\n<!-- end -->\n"
        page = marks.sub(lambda found, text=text: found[1] + text + "\n" + found[2], page)
    path.write_text(page)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; columns after the first hold numbers."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def block(judged: Judged) -> str:
    """All tables of a data set."""
    data_set = judged.data_set
    parts = [f"{judged.history}."]
    for part, report in judged.reports.items():
        parts.append(_results(judged, part, report))
    if data_set.others:
        parts.append(_others(data_set))
    parts.append(_parameters(judged))
    return "\n\n".join(parts)


# ------------------------------------------------------------------ what systems reached


def values_of(report: Backtest, system: str) -> dict[str, float]:
    """A system's values by metric, those of experienced players marked so."""
    values = {}
    for row in report.summary.filter(pl.col("system") == system).iter_rows(named=True):
        suffix = EXPERIENCED if row["scope"] == "experienced" else ""
        for metric in report.metrics:
            if row[metric.column] is not None:
                values[metric.name + suffix] = row[metric.column]
    return values


def ranked(judged: Judged, report: Backtest, suffix: str = "") -> list[str]:
    """Tuned systems, the best first by what they were tuned by."""
    key = judged.data_set.tuned_by + suffix
    names = [name for name, one in judged.found.items() if one.tuned is not None]
    return sorted(names, key=lambda name: values_of(report, name)[key])


def shown(metric: str, value: float | None) -> str:
    """A value as tables show it."""
    if value is None or math.isnan(value):
        return "–"
    known = find_metric(metric.removesuffix(EXPERIENCED))
    return f"{value:.2f}" if known.percent else f"{value:.4f}"


def pair(values: Mapping[str, float], suffix: str = "") -> str:
    """Pairs right and rank deviation, or a dash where they were not measured."""
    if "pairs-right" + suffix not in values:
        return "–"
    return " / ".join(shown(m, values.get(m + suffix)) for m in ("pairs-right", "rank-deviation"))


def _results(judged: Judged, part: str, report: Backtest) -> str:
    data_set = judged.data_set
    rows = report.summary.filter(pl.col("system").is_in(list(judged.found)))
    counts = {
        row["scope"]: f"{row['rows']:,} sides of {row['events']:,} events"
        for row in rows.iter_rows(named=True)
    }
    scored = ", and ".join(f"{scope}: {count}" for scope, count in counts.items())
    fitted = f"the first {100 * data_set.first:g}% of the events, by the {data_set.tuned_by} over all players"
    words = f"**Judged on {part}** ({scored}). Parameters were chosen on {fitted}. Intervals are of 95%."
    contests = data_set.tuned_by == "rank-deviation"
    make = _contest_rows if contests else _chance_rows
    columns, lines = make(judged, part, report)
    return words + "\n\n" + table(columns, lines)


def _contest_rows(judged: Judged, part: str, report: Backtest) -> tuple[list[str], list[list[str]]]:
    columns = ["pairs in order / ranks off, %"]
    for scope in judged.data_set.scopes:
        columns += [f"{scope}, defaults", f"{scope}, tuned", "ranks off: 95%", "to the best"]
    orders = [ranked(judged, report, suffix) for suffix in ("", EXPERIENCED)]
    untuned = [name for name, one in judged.found.items() if one.tuned is None]
    lines = []
    for name in (*orders[0], *untuned):
        usual, best = values_of(report, name + DEFAULTS), values_of(report, name)
        cells = [name]
        for scope, suffix, order in zip(judged.data_set.scopes, ("", EXPERIENCED), orders, strict=True):
            cells += [pair(usual, suffix), _bold(pair(best, suffix), name == order[0])]
            cells.append(interval(report, name, "rank-deviation", scope) if best else "")
            cells.append(_behind(report, name, order[0], "rank-deviation", scope) if best else "")
        lines.append(cells)
    for name, values in judged.baselines[part].items():
        lines.append([f"*{name}*", "", pair(values), "", "", "", pair(values, EXPERIENCED), "", ""])
    return _without_nothing(columns, lines)


def _without_nothing(columns: list[str], lines: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Without columns and lines in which nothing was measured."""
    lines = [line for line in lines if any(cell not in ("", "–") for cell in line[1:])]
    kept = [i for i in range(len(columns)) if any(line[i] not in ("", "–") for line in lines)]
    return [columns[i] for i in kept], [[line[i] for i in kept] for line in lines]


def _chance_rows(judged: Judged, part: str, report: Backtest) -> tuple[list[str], list[list[str]]]:
    columns = [
        "log loss",
        "defaults",
        "tuned",
        "95%",
        "to the best",
        "Brier",
        "accuracy %",
        "calibration error",
    ]
    three_way = "three-way-log-loss" in judged.data_set.metrics
    columns += ["three-way log loss"] if three_way else []
    order = ranked(judged, report)
    untuned = [name for name, one in judged.found.items() if one.tuned is None]
    lines = []
    for name in (*order, *untuned):
        usual, best = (
            values_of(report, name + DEFAULTS),
            values_of(report, name if name in order else name + DEFAULTS),
        )
        cells = [name, shown("log-loss", usual["log-loss"])]
        cells.append(_bold(shown("log-loss", best["log-loss"]), name == order[0]) if name in order else "–")
        cells.append(interval(report, name, "log-loss") if name in order else "")
        cells.append(_behind(report, name, order[0], "log-loss") if name in order else "")
        cells += [shown(metric, best.get(metric)) for metric in ("brier", "accuracy", "calibration-error")]
        if three_way:
            gives = judged.found[name].tuned is not None and _gives_draws(judged.found[name].tuned)
            cells.append(shown("three-way-log-loss", best.get("three-way-log-loss")) if gives else "–")
        lines.append(cells)
    return columns, lines


def _gives_draws(system: Any) -> bool:
    return bool(system.parameters().get("draw_rate")) or "thurstone" in str(system.parameters().get("model"))


def interval(report: Backtest, system: str, metric: str, scope: str = "everyone") -> str:
    """From where to where, in 95% of resamples."""
    row = report.summary.filter((pl.col("system") == system) & (pl.col("scope") == scope)).row(0, named=True)
    column = find_metric(metric).column
    return f"{shown(metric, row[column + '_low'])}–{shown(metric, row[column + '_high'])}"


def _behind(report: Backtest, system: str, best: str, metric: str, scope: str = "everyone") -> str:
    if system == best:
        return ""
    apart = report.compare(system, best, metric=metric, scope=scope)
    digits = 2 if find_metric(metric).percent else 4
    return (
        f"{apart.difference:+.{digits}f}"
        if apart.shown
        else f"{apart.difference:+.{digits}f}, no difference shown"
    )


def _bold(text: str, really: bool) -> str:
    return f"**{text}**" if really else text


# ------------------------------------------------------------------ beside others


def _others(data_set: DataSet) -> str:
    contests = data_set.tuned_by == "rank-deviation"
    columns = ["other programs", "everyone", "experienced"] if contests else ["other programs", "log loss"]
    rows = []
    for other in data_set.others:
        values = other.values
        cells = (
            [pair(values), pair(values, EXPERIENCED)] if contests else [shown("log-loss", values["log-loss"])]
        )
        rows.append([other.name, *cells])
    return table(columns, rows)


def chosen(judged: Judged) -> str:
    """The line that the first part speaks for; nothing later has a say in it."""
    names = [name for name, one in judged.found.items() if one.tuned is not None]
    return min(names, key=lambda name: judged.found[name].fitted[1])


def level_rows(judged: Judged) -> list[list[str]]:
    """Each level: how many lines meet it, the best of them, and the one chosen on the first part."""
    data_set = judged.data_set
    report = next(iter(judged.reports.values()))
    rows = []
    for suffix in ("", EXPERIENCED):
        levels = {n: level for n, level in data_set.levels.items() if n.endswith(EXPERIENCED) == bool(suffix)}
        if not levels:
            continue
        order = ranked(judged, report, suffix)
        met = [name for name in order if _meets(values_of(report, name), levels)]
        cells = [
            data_set.title,
            suffix.strip() or "everyone",
            " / ".join(shown(*one) for one in levels.items()),
        ]
        cells.append(f"{len(met)} of {len(order)} lines" if met else "**no line**")
        for name in (met or order)[0], chosen(judged):
            reached = " / ".join(shown(n, values_of(report, name)[n]) for n in levels)
            cells += [name, reached if name in met else f"{reached}, not met"]
        rows.append(cells)
    return rows


def _meets(values: Mapping[str, float], levels: Mapping[str, float]) -> bool:
    return all(
        find_metric(name.removesuffix(EXPERIENCED)).better(values[name], level)
        for name, level in levels.items()
    )


def winner_rows(judged: Judged) -> list[list[str]]:
    """Who is best by which metric, and from whom on that is more than noise."""
    rows = []
    for part, report in judged.reports.items():
        scopes = (
            {"": "everyone", EXPERIENCED: "experienced"}
            if len(judged.data_set.scopes) > 1
            else {"": "everyone"}
        )
        for suffix, scope in scopes.items():
            order = ranked(judged, report, suffix)
            metric = judged.data_set.tuned_by
            worse = [n for n in order[1:] if report.compare(n, order[0], metric=metric, scope=scope).shown]
            level = [n for n in order[1:] if n not in worse]
            best = shown(metric, values_of(report, order[0])[metric + suffix])
            words = (
                "all others"
                if not level
                else f"{len(worse)} of {len(order) - 1}, but not {' and '.join(level)}"
            )
            rows.append([f"{judged.data_set.title}, {part}", f"{metric}, {scope}", order[0], best, words])
    return rows


# ------------------------------------------------------------------ parameters


def _parameters(judged: Judged) -> str:
    rows = []
    for name, one in judged.found.items():
        changed = ", ".join(f"{key} {_written(value)}" for key, value in one.changed.items())
        trials = str(one.line.trials) if one.tuned is not None else "not tuned"
        rows.append([name, trials, *(_fit(judged, value) for value in one.fitted), changed or "the defaults"])
    rows += [[name, "", "", "", why] for name, why in judged.refused.items()]
    columns = ["parameters", "trials", "first part, defaults", "tuned", "what differs from the defaults"]
    return "<details><summary>Parameters</summary>\n\n" + table(columns, rows) + "\n\n</details>"


def _fit(judged: Judged, value: float) -> str:
    return shown(judged.data_set.tuned_by, value)


def _written(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
