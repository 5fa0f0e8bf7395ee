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

from podium.cli.options import Json
from podium.cli.shared import check_outputs, pairs, plain_json, progress, show_table

if TYPE_CHECKING:
    import polars as pl

    from podium.history.summary import Summary
    from podium.simulation import Simulation
    from podium.simulation.season import Season

SHOWN = 10
"""Rows that are shown where nothing is written."""
PRINTED = 100_000
"""Rows that are printed at a time: a reader of a pipe waits for the first of them."""

# Matches and teams have the same usual people.
Players = Annotated[int | None, typer.Option(metavar="N", help="Who is there from the start; 1000.")]
Drift = Annotated[
    float | None, typer.Option(metavar="POINTS", help="The step of skills between two rounds; 5.")
]
Rounding = Annotated[
    float | None, typer.Option(metavar="POINTS", help="Results come in such steps, and tie.")
]
Skills = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="How they differ: normal, student(3), laplace, uniform, two-groups(4), …"
    ),
]
Deviation = Annotated[
    float | None,
    typer.Option(
        "--skill-deviation", metavar="POINTS", help="Of true skills, all learned, around 1500; 350."
    ),
]
Growth = Annotated[
    float | None, typer.Option(metavar="POINTS", help="By how much people get better with practice.")
]
Churn = Annotated[
    float | None, typer.Option(metavar="PART", help="Who stops for good after an event; others come.")
]
Activity = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="How unevenly people play: 0 all alike, 2 very.")
]
Setting = Annotated[
    list[str],
    typer.Option("--set", metavar="NAME=VALUE", help="Any other parameter: --set growth_events=100."),
]
Seed = Annotated[int, typer.Option(metavar="N", help="For chance: the same gives the same.", min=0)]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write all results to this table; - prints CSV.")
]
Truth = Annotated[
    bool, typer.Option("--truth", help="With columns of the true skill, which podium does not read.")
]


def contests(
    ctx: typer.Context,
    contests: Annotated[int | None, typer.Option(metavar="N", help="How many; 50.")] = None,
    participants: Annotated[int | None, typer.Option(metavar="N", help="In each of them; 2500.")] = None,
    players: Annotated[
        int | None, typer.Option(metavar="N", help="Who is there from the start; 10000.")
    ] = None,
    performances: Annotated[
        str | None, typer.Option(metavar="NAME", help="How they scatter: normal, gumbel, student(3), …")
    ] = None,
    performance_deviation: Annotated[
        float | None, typer.Option(metavar="POINTS", help="Of performances around skills; 200.")
    ] = None,
    rounding: Rounding = None,
    skills: Skills = None,
    skill_deviation: Deviation = None,
    drift: Annotated[
        float | None, typer.Option(metavar="POINTS", help="The step of skills between two rounds; 35.")
    ] = None,
    growth: Growth = None,
    churn: Churn = None,
    activity: Activity = None,
    setting: Setting = [],  # noqa: B006
    seed: Seed = 0,
    out: Out = None,
    truth: Truth = False,
    json: Json = False,
) -> None:
    """Simulate contests of many; without options, the set of the Elo-MMR paper."""
    from podium.simulation import Contests

    _simulate(Contests, ctx.params, setting, seed, out, truth, json)


def matches(
    ctx: typer.Context,
    matches: Annotated[int | None, typer.Option(metavar="N", help="How many; 50000.")] = None,
    players: Players = None,
    luck: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who wins: logistic, normal(width), fide, heaviside, …; a width of 1 is 173.7 points.",
        ),
    ] = None,
    beta: Annotated[
        float | None, typer.Option(metavar="PART", help="Decided by that; a coin decides the others.")
    ] = None,
    draw_rate: Annotated[
        float | None, typer.Option(metavar="PART", help="Drawn matches, between equals.")
    ] = None,
    home_advantage: Annotated[
        float | None, typer.Option(metavar="POINTS", help="Of the first of the two.")
    ] = None,
    pairing: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who meets: random, near, round-robin.")
    ] = None,
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
    """Simulate matches of two, with luck, draws and a home side."""
    from podium.simulation import Matches

    _simulate(Matches, ctx.params, setting, seed, out, truth, json)


def teams(
    ctx: typer.Context,
    matches: Annotated[int | None, typer.Option(metavar="N", help="How many; 10000.")] = None,
    teams: Annotated[int | None, typer.Option(metavar="N", help="In each of them; 2.")] = None,
    size: Annotated[int | None, typer.Option(metavar="N", help="Players of a team; 5.")] = None,
    players: Players = None,
    lineups: Annotated[
        str | None, typer.Option(metavar="NAME", help="Teams are random, balanced or fixed.")
    ] = None,
    strength: Annotated[
        str | None, typer.Option(metavar="NAME", help="A team is the sum or the mean of its members.")
    ] = None,
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
    """Simulate matches of teams."""
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
        raise typer.BadParameter("it prints results, and --json prints a summary", param_hint="--out -")
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
                    first = simulation.frame_of(piece, truth=truth).head(SHOWN)
            summary = tally.summary()
    if json:
        _print_json(simulation, summary)
        return
    typer.echo(str(summary))
    if out is not None:
        typer.echo(f"wrote {out}")
    elif first is not None:
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
    from podium.tables.table_files import with_text_times

    for number, frame in enumerate(simulation.frames(PRINTED, truth=truth)):
        sys.stdout.write(with_text_times(frame).write_csv(include_header=number == 0))
    sys.stdout.flush()


def _print_rows(frame: pl.DataFrame) -> None:
    import polars as pl

    from podium.tables.table_files import with_text_times

    frame = with_text_times(frame).with_columns(pl.col(pl.Boolean).cast(pl.String))
    players = [name for name in frame.columns if name.startswith("player")]
    show_table(frame, names=players, digits=2, whole=True)
    typer.echo("These are the first rows; --out FILE writes all of them.")


def _print_json(simulation: Simulation, summary: Summary) -> None:
    from dataclasses import asdict

    from podium.history.times import to_iso

    season = simulation.season
    document = {
        "people": simulation.people.plain_parameters(),
        season.name: season.plain_parameters(),
        "seed": simulation.seed,
        "summary": asdict(summary) | {"start": to_iso(summary.start), "end": to_iso(summary.end)},
    }
    typer.echo(plain_json(document))
