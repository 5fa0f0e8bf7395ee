"""A backtest on a terminal: what to conclude, tables, and how to read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from podium.cli.terminal_tables import show_table, wrapped

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.backtest_results import Backtest
    from podium.evaluation.metrics import Metric
    from podium.systems import RatingSystem


def print_backtest(result: Backtest, deciding: Metric, systems: Mapping[str, RatingSystem]) -> None:
    """Print what to conclude, then a table for each scope, then the verdicts in full and what to know."""
    import polars as pl

    from podium.evaluation.conclusions import find_conclusions
    from podium.evaluation.report import LEVEL_MARK, about_draws, describe_scope, shown_columns, verdicts

    shown, level = shown_columns(result, deciding), False
    for words in find_conclusions(result, deciding).lines:
        typer.echo(wrapped(words))
    for scope in result.scopes:
        frame = result.summary.filter(pl.col("scope") == scope.name)
        if frame.height:
            typer.echo(wrapped(_counts(result, scope.name, frame, describe_scope(scope))))
            level |= _show_scope(result, scope.name, deciding, shown.metrics)
    if level:
        typer.echo(wrapped(f"{LEVEL_MARK}: not significantly worse than the best by {deciding.name}"))
    for name, why in result.refused.items():
        typer.echo(wrapped(f"{name} was left out: {why}"))
    for words in (*verdicts(result, deciding), *about_draws(result, deciding, systems), *result.notes):
        typer.echo(wrapped(words))
    if shown.footnote:
        typer.echo(wrapped(f"{shown.footnote} Use --json or --out to get them."))
    if named := [f"{m.heading}: {m.name}" for m in shown.metrics if m.heading.lower() != m.words]:
        typer.echo(wrapped(", ".join(named)))
    for word, names in (
        ("Higher", [m.heading for m in shown.metrics if m.higher_is_better]),
        ("Lower", [m.heading for m in shown.metrics if not m.higher_is_better]),
    ):
        if names:
            typer.echo(wrapped(f"{word} is better: {', '.join(names)}"))
    if percent := [m.heading for m in shown.metrics if m.percent]:
        typer.echo(wrapped(f"In percent: {', '.join(percent)}"))


def _counts(result: Backtest, scope: str, frame: pl.DataFrame, who: str) -> str:
    """How much was scored, and who was not."""
    from podium.evaluation.report import count_rows

    words, differs = count_rows(result, scope)
    left = int(frame["left_out"].max())  # type: ignore[arg-type]
    words = f"{scope}: {words} scored"
    if differs:
        return f"{words}, different for each system (scored: {who})"
    return words + (f", {left:,} left out (scored: {who})" if left else "")


def _show_scope(result: Backtest, scope: str, deciding: Metric, shown: list[Metric]) -> bool:
    """Print the table of one scope, best first; returns whether a system is level with the best."""
    import polars as pl

    from podium.evaluation.report import LEVEL_MARK, best_first
    from podium.evaluation.verdicts import find_verdict

    verdict = find_verdict(result, scope, deciding)
    level, frame = verdict.named("level"), best_first(result, verdict)
    metrics = [m for m in shown if frame[m.column].null_count() < frame.height]
    if not metrics:
        return False
    # In front, as long names lose their end in a narrow terminal.
    names = [f"{LEVEL_MARK} {name}" if name in level else name for name in frame["system"]]
    columns = [pl.Series("system", names)]
    if frame["rows"].n_unique() > 1:
        columns.append(frame["rows"])
    columns += [pl.Series(m.heading, [m.write(value) for value in frame[m.column]]) for m in metrics]
    show_table(pl.DataFrame(columns), names=["system"], whole=True)
    return bool(level)
