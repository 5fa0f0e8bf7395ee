"""`podium arena`: who is best by votes, how sure that is, and what to ask next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.chosen_systems import pairs
from podium.cli.inputs import opened, shown_name
from podium.cli.options import Chart, Column, Json, Report
from podium.cli.outputs import (
    check_outputs,
    check_picture,
    check_report,
    print_document,
    say_written,
    write_table,
)
from podium.cli.progress import progress
from podium.cli.terminal_tables import show_table, wrapped

if TYPE_CHECKING:
    from podium.fitting.fit_result import Fit


def arena(
    file: Path,
    model: str | None = None,
    position: Annotated[bool, typer.Option("--position")] = False,
    covariate: list[str] = [],  # noqa: B006
    judges: str | None = None,
    cluster: str | None = None,
    anchor: list[str] = [],  # noqa: B006
    prior: str = "auto",
    ridge: float | None = None,
    errors: str | None = None,
    level: float = 0.95,
    settled: Annotated[int, typer.Option(min=1)] = 1,
    ask: Annotated[int, typer.Option(min=0)] = 5,
    top: Annotated[int, typer.Option(min=0)] = 20,
    out: Path | None = None,
    chart: Chart = None,
    report: Report = None,
    site: Path | None = None,
    json: Json = False,
    column: Column = [],  # noqa: B006
) -> None:
    """Rank AI models, players or things from votes: which of two is better?

    Options:
        file (FILE): Votes: a table (.csv, .xlsx, .parquet, .ndjson) with columns such as model_a, model_b and
            winner, or - to read what another program prints.
        model (NAME): Model of the chance to win: bradley-terry or thurstone (without ties), davidson or
            rao-kupper (with ties). Default: davidson if there are ties, otherwise bradley-terry.
        position: Estimate how much it helps to be shown first.
        covariate (NAME): A column of numbers that may influence votes, such as the length of an answer, or
            the pair NAME_a and NAME_b. Repeatable.
        judges (COLUMN): Column of the judges. For each judge, estimate how reliably the stronger side gets
            the vote (the slope) and how much the side shown first is favoured (the bias).
        cluster (COLUMN): A column such as voter or prompt: votes with the same value may depend on each
            other.
        anchor (NAME=POINTS): Give this one a fixed number of points, such as gpt-4=1000. Repeatable.
        prior (POINTS): Pull all strengths towards the middle. A smaller number pulls more: it is the standard
            deviation of a normal prior. none: no pull. auto: 400 if a player won or lost every vote,
            otherwise none.
        ridge (POINTS): The same pull for the effects of --position and --covariate. Default: none.
        errors (KIND): How to compute the uncertainty: model (trusts the model), sandwich (does not), cluster
            (for dependent votes, see --cluster) or bootstrap (resamples the votes). Default: cluster with
            --cluster, otherwise sandwich.
        level (P): Confidence level of intervals and ranks.
        settled (K): Show whether the votes suffice to name the best K.
        ask (N): Suggest N pairs on which more votes would help most.
        top (N): Number of rows to print.
        out (FILE): Write all strengths to this table.
        site (FOLDER): Write a website with a page for each player. Needs podium[site].
    """
    check_picture(chart)
    check_report(report)
    outputs = {"--out": out, "--chart": chart, "--report": report}
    check_outputs(outputs, [file], pictures=["--chart", "--report"])

    from podium.fitting.fit import fit as fit_votes

    with progress(f"reading {shown_name(file)}", by_rows=False):
        fit = fit_votes(
            opened(file),
            model,
            position=position,
            covariates=covariate,
            judges=judges,
            cluster=cluster,
            anchors={name: _number(value, "--anchor") for name, value in pairs(anchor, "--anchor").items()},
            prior="auto" if prior == "auto" else None if prior == "none" else _number(prior, "--prior"),
            ridge=ridge,
            errors=errors,
            level=level,
            columns={name: value or None for name, value in pairs(column, "--column").items()},
        )
    write_table(fit.strengths, out)
    if chart is not None:
        from podium import charts

        charts.save(charts.arena_strengths(fit.strengths), chart)
    if report is not None:
        from podium.pages.arena_page import write_arena

        write_arena(fit, report, title=shown_name(file))
    if site is not None:
        from podium.pages.arena_site import write_arena_site

        write_arena_site(site, fit, file.stem)
    if json:
        from podium.documents.arena_documents import arena_document

        print_document("arena", arena_document(fit, best=settled, ask=ask))
        return
    _print(fit, top, settled, ask)
    say_written(out, chart, report, site)


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number of points", param_hint=option) from None


def _print(fit: Fit, top: int, best: int, ask: int) -> None:
    from podium.fitting.votes import Votes
    from podium.pages.arena_page import shown_strengths

    for note in fit.notes:
        typer.echo(wrapped(note))
    typer.echo(wrapped(f"{fit.summary}."))
    if top:
        shown = shown_strengths(fit).head(top)
        names = {"low": f"{fit.level:.0%} low", "high": f"{fit.level:.0%} high"}
        show_table(shown.rename(names), names=["player"], digits=1)
        typer.echo(
            f"ranks: hold for all players at once ({fit.level:.0%}). best: probability of being the best."
        )
    if fit.effects.height:
        show_table(fit.effects, names=["effect"], digits=3)
    if len(fit.players) > best:
        typer.echo(wrapped(str(fit.settled(best))))
    if ask and len(fit.players) > 1 and isinstance(fit.votes, Votes):
        asked = [
            f"{first} or {second}{f' ({votes} votes)' if votes > 1 else ''}"
            for first, second, votes in fit.next_votes(ask).select("first", "second", "votes").rows()
        ]
        typer.echo(wrapped(f"Ask next: {', '.join(asked)}."))
