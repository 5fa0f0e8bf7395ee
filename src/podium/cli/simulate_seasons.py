"""`podium simulate contests`, `matches` and `teams`: results of people whose skill is known, as a file.

Options have the names of the parameters they set, which are looked up by these names; one that is not given
leaves the parameter as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import pairs
from podium.cli.options import Json
from podium.cli.outputs import check_outputs, print_document, say_written
from podium.cli.progress import progress
from podium.cli.terminal_tables import show_table

if TYPE_CHECKING:
    import polars as pl

    from podium.simulation import Simulation
    from podium.simulation.season import Season

ROWS_SHOWN = 10
"""Rows that are shown where nothing is written."""
ROWS_PRINTED_AT_ONCE = 100_000
"""Rows that are printed at a time: a reader of a pipe waits for the first of them."""

# Matches and teams have the same usual people.
Players = Annotated[
    int | None, typer.Option(metavar="N", help="Number of players at the start. Default: 1000.")
]
Drift = Annotated[
    float | None,
    typer.Option(
        metavar="POINTS", help="Standard deviation of the change of skill between two rounds. Default: 5."
    ),
]
Rounding = Annotated[
    float | None,
    typer.Option(
        metavar="POINTS",
        help="Round performances to multiples of this, so that ties occur. Default: no rounding.",
    ),
]
Skills = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Distribution of skills: normal, student(3), laplace, uniform, two-groups(4), ...",
    ),
]
Deviation = Annotated[
    float | None,
    typer.Option(
        "--skill-deviation",
        metavar="POINTS",
        help="Standard deviation of skills around 1500, for fully experienced players. Default: 350.",
    ),
]
Growth = Annotated[
    float | None,
    typer.Option(
        metavar="POINTS",
        help="Points of skill that a player gains through practice in the long run. Default: 0.",
    ),
]
Churn = Annotated[
    float | None,
    typer.Option(
        metavar="PART",
        help="Probability that a player quits after an event. A new player replaces each one. Default: 0.",
    ),
]
Activity = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER", help="How unevenly players take part: 0 for all equally often, 2 for very unevenly."
    ),
]
Setting = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set any other parameter, for example --set growth_events=100. Repeatable.",
    ),
]
Seed = Annotated[
    int, typer.Option(metavar="N", help="Random seed: the same number gives the same results again.", min=0)
]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write all results to this table. - prints them as CSV.")
]
Truth = Annotated[
    bool, typer.Option("--truth", help="Include columns with the true skill, which podium rate ignores.")
]


def contests(
    ctx: typer.Context,
    contests: int | None = None,
    participants: int | None = None,
    players: int | None = None,
    performances: str | None = None,
    performance_deviation: float | None = None,
    rounding: Rounding = None,
    skills: Skills = None,
    skill_deviation: Deviation = None,
    drift: float | None = None,
    growth: Growth = None,
    churn: Churn = None,
    activity: Activity = None,
    setting: Setting = [],  # noqa: B006
    seed: Seed = 0,
    out: Out = None,
    truth: Truth = False,
    json: Json = False,
) -> None:
    """Simulate contests of many players. The defaults come from the Elo-MMR paper.

    Options:
        contests (N): Number of contests. Default: 50.
        participants (N): Participants of each contest. Default: 2500.
        players (N): Number of players at the start. Default: 10000.
        performances (NAME): Distribution of performances around skills: normal, gumbel, student(3), ...
        performance_deviation (POINTS): Standard deviation of performances around skills. Default: 200.
        drift (POINTS): Standard deviation of the change of skill between two rounds. Default: 35.
    """
    from podium.simulation import Contests

    _simulate(Contests, ctx.params, setting, seed, out, truth, json)


def matches(
    ctx: typer.Context,
    matches: int | None = None,
    players: Players = None,
    luck: str | None = None,
    beta: float | None = None,
    draw_rate: float | None = None,
    home_advantage: float | None = None,
    pairing: str | None = None,
    skills: Skills = None,
    skill_deviation: Deviation = None,
    drift: Drift = None,
    growth: Growth = None,
    churn: Churn = None,
    activity: Activity = None,
    setting: Setting = [],  # noqa: B006
    seed: Seed = 0,
    out: Out = None,
    truth: Truth = False,
    json: Json = False,
) -> None:
    """Simulate matches of two players, with luck, draws and a home side.

    Options:
        matches (N): Number of matches. Default: 50000.
        luck (NAME): Function from skill difference to win probability: logistic, normal(width), fide,
            heaviside, ... A width of 1 is 173.7 points.
        beta (PART): Fraction of matches decided by skill. A coin flip decides the others. Default: 1.
        draw_rate (PART): Fraction of draws between equally strong players. Default: 0.
        home_advantage (POINTS): Advantage of the first player, in points. Default: 0.
        pairing (NAME): Pairing: random, near (players of similar skill) or round-robin.
    """
    from podium.simulation import Matches

    _simulate(Matches, ctx.params, setting, seed, out, truth, json)


def teams(
    ctx: typer.Context,
    matches: int | None = None,
    teams: int | None = None,
    size: int | None = None,
    players: Players = None,
    lineups: str | None = None,
    strength: str | None = None,
    rounding: Rounding = None,
    skills: Skills = None,
    skill_deviation: Deviation = None,
    drift: Drift = None,
    growth: Growth = None,
    churn: Churn = None,
    activity: Activity = None,
    setting: Setting = [],  # noqa: B006
    seed: Seed = 0,
    out: Out = None,
    truth: Truth = False,
    json: Json = False,
) -> None:
    """Simulate matches of teams.

    Options:
        matches (N): Number of matches. Default: 10000.
        teams (N): Teams in each match. Default: 2.
        size (N): Players in each team. Default: 5.
        lineups (NAME): How teams are formed: random, balanced or fixed.
        strength (NAME): Strength of a team: the sum or the mean of its members.
    """
    from podium.simulation import Teams

    _simulate(Teams, ctx.params, setting, seed, out, truth, json)


def _simulate(
    kind: type[Season],
    options: Mapping[str, Any],
    setting: list[str],
    seed: int,
    out: Path | None,
    truth: bool,
    json: bool,
) -> None:
    """Play a season of this kind; the names of its parameters are those of the options."""
    printed = out is not None and str(out) == "-"
    if printed and json:
        raise typer.BadParameter(
            "--out - prints results, and --json prints a summary: choose one", param_hint="--out -"
        )
    check_outputs({"--out": None if printed else out}, [])
    simulation = _simulation(kind, options, pairs(setting, "--set"), seed)

    if printed:
        _print_csv(simulation, truth)
        return

    from podium.simulation.simulation import Tally

    tally = Tally()
    first: pl.DataFrame | None = None
    with progress("simulating", simulation.season.total, unit="events") as advance:
        if out is not None:
            summary = simulation.write(out, truth=truth, progress=advance)
        else:
            for piece in tally.watching(simulation.pieces(progress=advance)):
                if first is None:
                    first = simulation.frame_of(piece, truth=truth).head(ROWS_SHOWN)
            summary = tally.summary()
    if json:
        from podium.documents import season_document

        print_document("season", season_document(simulation, summary))
        return
    typer.echo(str(summary))
    say_written(out)
    if out is None and first is not None:
        _print_rows(first)


def _simulation(
    kind: type[Season], options: Mapping[str, Any], settings: dict[str, str], seed: int
) -> Simulation:
    from podium.parameters import check_names
    from podium.simulation import People, Simulation

    of_people, of_season = People.declared(), kind.declared()
    check_names([*of_people, *of_season], settings, f"a simulation of {kind.name}")
    given = dict(settings)
    for name in (*of_people, *of_season):
        if (value := options.get(name)) is None:
            continue
        if name in settings:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint="--set")
        given[name] = value
    people = kind.usual_people.changed(**{name: given[name] for name in given if name in of_people})
    season = kind.from_parameters(**{name: given[name] for name in given if name in of_season})
    return Simulation(people, season, seed)


def _print_csv(simulation: Simulation, truth: bool) -> None:
    from podium.tables.written_tables import with_text_times

    for number, frame in enumerate(simulation.frames(ROWS_PRINTED_AT_ONCE, truth=truth)):
        sys.stdout.write(with_text_times(frame).write_csv(include_header=number == 0))
    sys.stdout.flush()


def _print_rows(frame: pl.DataFrame) -> None:
    import polars as pl

    from podium.tables.written_tables import with_text_times

    frame = with_text_times(frame).with_columns(pl.col(pl.Boolean).cast(pl.String))
    players = [name for name in frame.columns if name.startswith("player")]
    show_table(frame, names=players, digits=2, whole=True)
    typer.echo("These are the first rows. --out FILE writes all rows.")
