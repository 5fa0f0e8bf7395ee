"""`podium simulate`: what would come of it, on made-up players whose skill is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import simulate_seasons as seasons
from podium.cli.chosen_systems import called, called_with, pairs, system_from
from podium.cli.help_pages import HelpfulCommand, HelpfulGroup
from podium.cli.options import COMPARED, Chart, Json, Settings, listed_items
from podium.cli.outputs import check_outputs, check_picture, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.terminal_tables import show_table
from podium.inventory import DEFAULT_SYSTEM
from podium.text import counted

if TYPE_CHECKING:
    import polars as pl

    from podium.studies.live_game.comparison import GameComparison
    from podium.studies.live_game.game import Game
    from podium.systems import RatingSystem

app = typer.Typer(
    cls=HelpfulGroup,
    help="Simulate results of players with known skills.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

ALL_MATCHERS = ("paper", "optimal", "pool", "nearest", "random")


@app.callback()
def _simulate() -> None:
    """Simulate results of players with known skills."""


app.command("contests", cls=HelpfulCommand)(seasons.contests)
app.command("matches", cls=HelpfulCommand)(seasons.matches)
app.command("teams", cls=HelpfulCommand)(seasons.teams)


@app.command("game", cls=HelpfulCommand)
def game(
    system: Annotated[list[str], typer.Option(*COMPARED)] = [DEFAULT_SYSTEM],  # noqa: B006
    settings: Settings = [],  # noqa: B006
    matcher: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help=f"Method of pairing players: {', '.join(ALL_MATCHERS)}. Repeatable.",
        ),
    ] = list(ALL_MATCHERS),  # noqa: B006
    players: int = 2_000,
    days: float = 3.0,
    newcomers: float = 0.02,
    smurfs: float = 0.05,
    throwers: float = 0.02,
    setting: Annotated[list[str], typer.Option("--game")] = [],  # noqa: B006
    since: float | None = None,
    seed: Annotated[list[int], typer.Option(min=0)] = [0],  # noqa: B006
    jobs: Annotated[int | None, typer.Option(min=1)] = None,
    out: Path | None = None,
    chart: Chart = None,
    json: Json = False,
) -> None:
    """Simulate some days of an online game with each rating system and each pairing method.

    Options:
        system (NAME,…): Rating systems, by name or as FILE.toml. Repeatable.
        players (N): Number of players at the start.
        days (N): Length of the game in days.
        newcomers (PART): New accounts per day, as a fraction of --players.
        smurfs (PART): Fraction of new accounts that belong to strong players.
        throwers (PART): Fraction of accounts that sometimes lose on purpose.
        setting (NAME=VALUE): Set another parameter of the game, for example --game tolerance=0.2. Repeatable.
        since (DAY): Measure from this day on. Default: half of the days.
        seed (N): Random seed. Repeatable: with several, means and standard deviations are shown.
        jobs (N): Number of processes. Each plays one game at a time. Default: 1.
        out (FILE): Write all measures to this table.
    """
    check_picture(chart)
    check_outputs({"--out": out, "--chart": chart}, [], pictures=["--chart"])
    if len(set(matcher)) < len(matcher):
        raise typer.BadParameter("a matcher is given twice", param_hint="--matcher")
    if len(set(seed)) < len(seed):
        raise typer.BadParameter("a seed is given twice", param_hint="--seed")
    systems = _systems(listed_items(system), settings)
    shared = {
        "players": players,
        "days": days,
        "newcomers": newcomers,
        "smurfs": smurfs,
        "throwers": throwers,
    }
    played = _game(shared, setting)

    from podium.studies.live_game.comparison import compare_games

    total = len(systems) * len(matcher) * len(seed) * played.ticks
    with compiling([one.name for one in systems.values()]), progress("playing", total, unit="ticks") as step:
        compared = compare_games(systems, matcher, played, seeds=seed, since=since, jobs=jobs, progress=step)
    write_table(compared.summary if len(seed) == 1 else _with_deviations(compared), out)
    if chart is not None:
        from podium import charts

        charts.save(charts.live_game(compared), chart)
    if json:
        from podium.studies.live_game.game_documents import game_document

        print_document("game", game_document(compared, systems, played, seed))
    else:
        _print_tables(compared, played, len(seed))
        say_written(out, chart)


def _systems(names: list[str], settings: list[str]) -> dict[str, RatingSystem]:
    if len(names) > 1 and settings:
        raise typer.BadParameter("parameters belong to one system: give one --system", param_hint="--set")
    if len({called(name) for name in names}) < len(names):
        raise typer.BadParameter("a system is given twice", param_hint="--system")
    given = pairs(settings, "--set")
    return {called_with(name, given): system_from(name, settings) for name in names}


def _game(shared: dict[str, float], settings: list[str]) -> Game:
    """The game asked for; its parameters have one name in Python and here."""
    from podium.studies.live_game.game import Game

    given: dict[str, float | str] = {**shared, **pairs(settings, "--game")}
    return Game.from_parameters(**given)


def _with_deviations(compared: GameComparison) -> pl.DataFrame:
    """The means, each with the standard deviation over the seeds beside it."""
    return compared.summary.join(
        compared.deviations, on=["system", "matcher"], suffix="_deviation", maintain_order="left"
    )


def _print_tables(compared: GameComparison, game: Game, seeds: int) -> None:
    summary = compared.summary
    accounts = int(summary["accounts"][0])
    rated = "" if len(set(summary["system"])) > 1 else f", rated by {summary['system'][0]}"
    typer.echo(
        f"{counted(round(game.days * 24), 'hour')} of a game with {counted(accounts, 'account')}{rated}: "
        f"about {counted(round(summary['games'][0]), 'game')} measured"
    )
    _print_measures(summary, digits=0)
    if seeds > 1:
        typer.echo(f"These are means of {seeds} seeds. The standard deviations between seeds:")
        _print_measures(compared.deviations, digits=1)
    typer.echo("wait, 95%: seconds until a game: the mean, and the wait of one player in 20.")
    typer.echo("gap: difference of true and target win probabilities, in percentage points.")
    typer.echo("near ½: percentage of time with 4 to 6 wins in the last 10 games.")
    typer.echo("streaks: five losses or more in a row, as a percentage of those by coin flips.")
    typer.echo("gone: percentage of players who quit.")
    typer.echo("rmse: error of ratings in points, without the error common to all players.")


def _print_measures(measured: pl.DataFrame, digits: int) -> None:
    import polars as pl

    percent = {"true_gap": "gap", "near_half": "near ½", "long_lost": "streaks", "churned": "gone"}
    shown = measured.select(
        "system",
        "matcher",
        "wait",
        pl.col("wait_p95").alias("95%"),
        *((100 * pl.col(name)).alias(short) for name, short in percent.items()),
        "rmse",
    ).fill_nan(None)
    show_table(shown if len(set(measured["system"])) > 1 else shown.drop("system"), digits=digits)
