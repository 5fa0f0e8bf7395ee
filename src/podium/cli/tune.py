"""`podium tune`: parameters that predict best, as a file that other commands take."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from podium.cli.chosen_systems import chosen_name, pairs, system_from, written_value
from podium.cli.exit_codes import INTERRUPTED
from podium.cli.inputs import read_files, read_from
from podium.cli.options import Dask, Files, Jobs, Json, Settings, check_workers, with_reading_options
from podium.cli.outputs import check_outputs, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.small_work import check_system
from podium.cli.terminal_tables import show_table, wrapped
from podium.files.toml import is_toml_name
from podium.text import counted, write_number

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.metrics import Metric
    from podium.history import History
    from podium.systems import RatingSystem
    from podium.tuning.splits import RollingSplit, Split
    from podium.tuning.study_log import Trial
    from podium.tuning.tuning_result import Outcome, Tuning

EVERYTHING = "1.0"
"""The split that asks for nothing to be judged."""
SIGNED = ("difference", "95% low", "95% high")


@with_reading_options
def tune(
    files: Files,
    system: str | None = None,
    settings: Settings = [],  # noqa: B006
    metric: str | None = None,
    trials: Annotated[int, typer.Option(min=1)] = 100,
    since: str = "0.5",
    split: Annotated[str | None, typer.Option(hidden=True)] = None,
    scope: str = "everyone",
    search: list[str] = [],  # noqa: B006
    fix: list[str] = [],  # noqa: B006
    out: Path | None = None,
    table: Path | None = None,
    study: Path | None = None,
    jobs: Jobs = None,
    dask: Dask = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    batch: Annotated[int, typer.Option(min=1)] = 8,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Find the parameters (settings) with which a system predicts best (needs podium[lab]).

    Options:
        system (NAME): Rating system to tune, such as elo (podium systems lists all), or a .toml file.
            Default: a system that suits the results.
        metric (NAME): Measure to optimise: rank-deviation, pairs-right, log-loss, brier, accuracy,
            calibration-error or three-way-log-loss. Default: log-loss if every event has two sides, otherwise
            rank-deviation.
        trials (N): Number of parameter values to try.
        since (WHERE): Fit the parameters on the events before this point and measure them on the later
            events: a date, an event's number, or a fraction of the events (0.5). rolling:4 does this in 4
            steps, rolling:4:0.4 in 4 steps after the first 40% of the events. 1.0 fits on all events and
            measures on none.
        split: The name of --since before 0.2.
        scope (WHO): Players whose predictions count: everyone, experienced:10, top:100.
        search (NAME=LOW:HIGH): Search this parameter in this range. NAME=A,B tries these values. NAME alone
            searches its usual range. Repeatable. Default: all parameters that can matter.
        fix (NAME=VALUE): Keep this parameter at this value. NAME alone keeps the system's value. Repeatable.
        out (FILE.toml): Write the best system to this file, for --system FILE.toml of other commands.
        table (FILE): Write all trials to this table.
        study (FILE): Keep the trials in this file, and continue from those in it.
        seed (N): Random seed of the search.
        batch (N): Number of trials that run at the same time. Raise it if you have many cores.
    """
    from podium.evaluation.metrics import find_metric
    from podium.evaluation.scopes import Scope
    from podium.parameters import check_names
    from podium.tuning.study_log import count_kept, import_optuna
    from podium.tuning.tuning import tune as search_best

    check_outputs(
        {"--out": out, "--table": table, "--study": study},
        read_from(files, reading),
        any_name=["--out", "--study"],
    )
    if out is not None and not is_toml_name(out.name):
        raise typer.BadParameter(f"the name of {out.name!r} must end in .toml", param_hint="--out")
    check_workers(jobs, dask)
    import_optuna()
    check_system(system, settings)
    since = since if split is None else split
    where, _ = _split(since), Scope.of(scope)
    if metric is not None:
        find_metric(metric)
    wanted = {name: _range(text) for name, text in _optional_pairs(search, "--search").items()}
    if system is not None:
        given = system_from(system, settings)
        names = {**wanted, **_optional_pairs(fix, "--fix")}
        check_names({**given.declared(), **given.limits}, names, given.name)
    history = read_files(files, reading)
    named = chosen_name(system, history)
    chosen = system_from(named.name, settings)
    fixed = {
        name: getattr(chosen, name, None) if text is None else text
        for name, text in _optional_pairs(fix, "--fix").items()
    }
    if since != EVERYTHING and where.cut(history)[-1].cut == len(history):
        print(
            f"podium: no event comes after {since}, so the result cannot be measured on later events",
            file=sys.stderr,
        )
    if study is not None and (kept := count_kept(study)):
        print(f"continuing from {counted(kept, 'trial')} in {study}", file=sys.stderr)
    done: list[Trial] = []
    try:
        with compiling([chosen.name]), progress("trying", _total(where, trials), unit="trials") as advance:

            def note(trial: Trial) -> None:
                done.append(trial)
                advance(1, _best_note(_of_last_fold(done, trials), _metric(metric, history)))

            tuning = search_best(
                history,
                chosen,
                metric=metric,
                trials=trials,
                since=where,
                scope=scope,
                search=wanted,
                fixed=fixed,
                seed=seed,
                batch=batch,
                jobs=jobs,
                dask=dask,
                study=study,
                progress=note,
            )
    except KeyboardInterrupt:
        _stopped(done, study, trials, chosen.changed(**fixed), out, _metric(metric, history))
    if out is not None:
        tuning.save(out)
    write_table(tuning.trials, table)
    if json:
        from podium.documents import tuning_document

        print_document("tuning", tuning_document(tuning))
        return
    named.say()
    _print(tuning)
    say_written(out, table, study)


# ---------------------------------------------------------------------- what was asked


def _optional_pairs(items: list[str], option: str) -> dict[str, str | None]:
    """Options written name=value, or name alone."""
    named = pairs([item for item in items if "=" in item], option)
    alone = [item.strip() for item in items if "=" not in item]
    if twice := [name for name in alone if name in named or alone.count(name) > 1]:
        raise typer.BadParameter(f"{twice[0]!r} is given twice", param_hint=option)
    return {**named, **dict.fromkeys(alone)}


def _range(text: str | None) -> Any:
    """Where to search: low:high, choices with commas between, or as the system says."""
    if text is None:
        return None
    low, colon, high = text.partition(":")
    if not colon:
        return [item.strip() for item in text.split(",")]
    try:
        return float(low), float(high)
    except ValueError:
        raise typer.BadParameter(f"{text!r} must be a range of two numbers", param_hint="--search") from None


def _split(text: str) -> Split | RollingSplit:
    from podium.tuning.splits import RollingSplit, Split

    kind, *numbers = text.split(":")
    if kind != "rolling":
        return Split(text)
    try:
        folds = int(numbers[0]) if numbers else RollingSplit.folds
        first = float(numbers[1]) if len(numbers) > 1 else RollingSplit.first
    except ValueError:
        raise typer.BadParameter(f"{text!r} must have the form rolling:4:0.4", param_hint="--since") from None
    return RollingSplit(folds, first)


# ---------------------------------------------------------------------- what is said


def _total(split: Split | RollingSplit, trials: int) -> int:
    from podium.tuning.splits import RollingSplit

    return trials * (split.folds if isinstance(split, RollingSplit) else 1)


def _metric(name: str | None, history: History) -> Metric:
    """The metric with this name, or the default one for the history."""
    from podium.evaluation.metrics import find_metric
    from podium.evaluation.verdicts import is_two_sided, leading_metric

    return leading_metric(is_two_sided(history)) if name is None else find_metric(name)


def _of_last_fold(done: list[Trial], trials: int) -> list[Trial]:
    """The trials of the current fold: each fold has `trials` of them, on its own events."""
    return done[(len(done) - 1) // trials * trials :] if done else []


def _best_note(done: list[Trial], metric: Metric) -> str:
    """The best value so far, as a note beside the progress bar."""
    from podium.tuning.study_log import best_of

    best = best_of(done, metric.higher_is_better)
    return "" if best is None else f"best {metric.name} {best.value:.5g}"


def _stopped(
    done: list[Trial], study: Path | None, trials: int, base: RatingSystem, out: Path | None, metric: Metric
) -> NoReturn:
    """After Ctrl-C: print the best trial so far, which was not judged, and where the study is kept."""
    from podium.systems.system_files import save_system
    from podium.tuning.study_log import best_of, count_kept

    if study is None:
        kept = f"after {counted(len(done), 'trial')} (to keep trials and continue later, use --study FILE)"
    else:
        number = counted(count_kept(study), "trial")
        kept = f"{number} kept in {study}: the same command continues from there"
    print(f"podium: interrupted: {kept}", file=sys.stderr)
    best = best_of(_of_last_fold(done, trials), metric.higher_is_better)
    if best is not None:
        found = ", ".join(f"{name}={written_value(value, 5)}" for name, value in best.parameters.items())
        said = f"best so far, not measured on later events: {metric.name} {best.value:.5g} with {found}"
        print(said, file=sys.stderr)
        if out is not None:
            save_system(base.changed(**best.parameters), out, comment=f"interrupted; {said}")
            print(f"wrote {out}", file=sys.stderr)
    sys.exit(INTERRUPTED)


def _print(tuning: Tuning) -> None:
    import polars as pl

    from podium.tuning.tuning_result import DEFAULTS

    failed = tuning.trials["value"].null_count()
    typer.echo(
        f"{tuning.system.name}: {counted(len(tuning.trials), 'trial')}"
        + (f", {failed:,} of which failed" if failed else "")
        + f"; {tuning.metric} ({'higher' if tuning.higher_is_better else 'lower'} is better), {tuning.scope}"
    )
    given = "defaults" if tuning.fitted.given == DEFAULTS else tuning.fitted.given
    parts = {"fitted": tuning.fitted} | ({} if tuning.judged is None else {"judged": tuning.judged})
    rows = [_row(part, outcome, given) for part, outcome in parts.items()]
    _show_values(pl.DataFrame(rows, infer_schema_length=None))
    for part, outcome in parts.items():
        if outcome.lack is not None:
            typer.echo(f"– {part}: {outcome.lack}")
    if len(tuning.folds) > 1:
        _show_values(pl.DataFrame([_fold_row(fold, given) for fold in tuning.folds.iter_rows(named=True)]))
    found = [
        {
            "parameter": name,
            "given": written_value(getattr(tuning.defaults, name), 5),
            "best": written_value(value, 5),
        }
        for name, value in tuning.parameters.items()
    ]
    show_table(pl.DataFrame(found))
    for scope, outcome in tuning.judged_others.items():
        values = [write_number(value, ".4f") for value in (outcome.defaults, outcome.best)]
        said = (
            f"on later events, {scope}: {values[0]} with {outcome.given}, {values[1]} with the best "
            "parameters"
        )
        typer.echo(wrapped(f"{said}: {outcome.verdict(tuning.higher_is_better)}"))
    typer.echo(tuning.verdict)


def _row(part: str, outcome: Outcome, given: str) -> dict[str, Any]:
    row: dict[str, Any] = {"part": part, "events": outcome.events}
    row |= {given: outcome.defaults, "best": outcome.best, "difference": outcome.difference}
    return row | {"95% low": outcome.low, "95% high": outcome.high}


def _fold_row(fold: Mapping[str, Any], given: str) -> dict[str, Any]:
    """A fold as a short table row: its numbers of events, and the values judged."""
    row = {"fold": fold["fold"], "fitted": fold["fitted_events"], "judged": fold["judged_events"]}
    row |= {given: fold["judged_defaults"], "best": fold["judged_best"]}
    return row | {"95% low": fold["judged_low"], "95% high": fold["judged_high"]}


def _show_values(frame: pl.DataFrame) -> None:
    """Print a table of values of a metric, without the columns that are empty."""
    import polars as pl

    known = [name for name in frame.columns if frame[name].null_count() < len(frame)]
    values = [name for name in known if frame[name].dtype == pl.Float64]
    texts = [
        pl.Series(name, [write_number(value, "+.4f" if name in SIGNED else ".4f") for value in frame[name]])
        for name in values
    ]
    show_table(frame.select(known).with_columns(texts), right=values)
