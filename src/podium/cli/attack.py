"""`podium attack`: does cheating pay, under which system, and by how much?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import called, called_with, pairs_by_owner, system_with, written_value
from podium.cli.inputs import player_meant, read_files, read_from
from podium.cli.options import COMPARED, Chart, Jobs, Json, Report, listed_items, with_reading_options
from podium.cli.outputs import check_outputs, check_picture, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.terminal_tables import show_table, wrapped

if TYPE_CHECKING:
    from podium.studies.attacks import AttackReport, Campaign, Defence, Strategy
    from podium.studies.attacks.worlds import World
    from podium.systems import RatingSystem


def _list(wanted: bool) -> None:
    """Say which attacks and defences there are, and end."""
    if not wanted:
        return
    import polars as pl

    from podium.studies.attacks import ATTACKS, DEFENCES

    attacks = [
        {"attack": name, "wants": cls.goal, "does": _described(cls())} for name, cls in ATTACKS.items()
    ]
    show_table(pl.DataFrame(attacks), prose=["does"])
    defences = [{"defence": name, "rule": _described(cls())} for name, cls in DEFENCES.items()]
    show_table(pl.DataFrame(defences), prose=["rule"])
    raise typer.Exit


def _described(one: Strategy | Defence) -> str:
    """What it does, and its parameters."""
    parameters = ", ".join(f"{key}={written_value(value)}" for key, value in one.parameters().items())
    return f"{one.summary} ({parameters})" if parameters else one.summary


@with_reading_options
def attack(
    files: Annotated[list[Path], typer.Argument()] = [],  # noqa: B006
    systems: Annotated[list[str], typer.Option(*COMPARED)] = [],  # noqa: B006
    attacks: Annotated[list[str], typer.Option("--attack")] = [],  # noqa: B006
    defences: Annotated[list[str], typer.Option("--defence")] = [],  # noqa: B006
    settings: Annotated[list[str], typer.Option("--set")] = [],  # noqa: B006
    threshold: float | None = None,
    player: list[str] = [],  # noqa: B006
    best: Annotated[int | None, typer.Option(min=1)] = None,
    watch: str | None = None,
    held: Annotated[bool, typer.Option("--held")] = False,
    matches: Annotated[bool, typer.Option("--matches")] = False,
    players: Annotated[int | None, typer.Option(min=10)] = None,
    seeds: Annotated[int | None, typer.Option(min=1)] = None,
    seed: Annotated[int | None, typer.Option(min=0)] = None,
    search: Annotated[bool, typer.Option("--search")] = False,
    report: Report = None,
    chart: Chart = None,
    out: Path | None = None,
    json: Json = False,
    jobs: Jobs = None,
    reading: dict[str, Any] = {},  # noqa: B006
    list_attacks: Annotated[bool, typer.Option("--list", callback=_list, is_eager=True)] = False,
) -> None:
    """Test how much a cheating player can gain.

    Options:
        files (FILE): Real results, in which a player cheats. Default: simulated results.
        systems (NAME,…): Rating systems to test, for example elo,glicko2. Repeatable. Default: all.
        attacks (NAME): Way of cheating, such as farming (--list shows all). Repeatable. Default: all.
        defences (NAME): Also test with this defence (--list shows all). Repeatable.
        settings (WHAT.NAME=VALUE): Change a parameter (a setting) of an attack, a defence or a system, for
            example --set farming.after=30. Repeatable.
        threshold (RATING): With --attack farming: the rating above which the cheat loses on purpose. Default:
            the rating after the honest phase.
        player (NAME): The cheating player, by the name in the file. Repeatable. Default: the best player.
        best (N): Let each of the N best players cheat, one after another. Default: 1.
        watch (NAME): Rating system by which the cheat decides which events to lose. Default: the attacked
            system itself.
        held: Give the opponents the ratings they would have if the cheat had played honestly.
        matches: Simulate matches instead of contests.
        players (N): Number of simulated players.
        seeds (N): Number of simulated seasons. Default: 20.
        seed (N): Random seed of the first season. The next seasons use the next numbers. Default: 0.
        search: Also search for the best attack, in addition to the scripted ones.
        out (FILE): Write the gains of all attacks to this table.
        list_attacks: List all attacks and defences, and exit.
    """
    from podium.studies.attacks import plan
    from podium.studies.attacks.campaign import USUAL_SEEDS, usual_system

    if report is not None and report.suffix.lower() != ".html":
        raise typer.BadParameter(f"the name of {report.name!r} must end in .html", param_hint="--report")
    pictures = ["--report", "--chart"]
    outputs = {"--out": out, "--report": report, "--chart": chart}
    check_outputs(outputs, read_from(files, reading), pictures=pictures)
    check_picture(chart)
    made_up = {"--matches": matches or None, "--players": players, "--seeds": seeds, "--seed": seed}
    for option, given in made_up.items():
        if files and given is not None:
            raise typer.BadParameter(
                "this option is for simulated results, but a FILE is given", param_hint=option
            )
    if (player or best is not None) and not files:
        hint = "--player" if player else "--best"
        raise typer.BadParameter("simulated results choose the cheating player themselves", param_hint=hint)
    if player and best is not None:
        raise typer.BadParameter("give either --player or --best, not both", param_hint="--best")
    strategies, rules, chosen = _asked(attacks, defences, listed_items(systems), settings, threshold, held)
    history = read_files(files, reading) if files else None
    world = None if files else _world(strategies, matches, players)
    campaign = plan(
        chosen,
        strategies,
        history,
        [player_meant(name, reading) for name in player] or best,
        seeds=range(seed or 0, (seed or 0) + (USUAL_SEEDS if seeds is None else seeds)),
        world=world,
        watch=None if watch is None else system_with(watch, {}, usual_system),
        held=held,
        defences=rules,
        search=search,
    )
    result = _run(campaign, jobs)
    _write(result, out, chart, report)
    if json:
        from podium.studies.attacks.attack_documents import attack_document

        print_document("attack", attack_document(result))
        return
    _print(result)
    say_written(out, chart, report)


def _asked(
    attacks: list[str],
    defences: list[str],
    names: list[str],
    settings: list[str],
    threshold: float | None,
    held: bool,
) -> tuple[list[Strategy], list[Defence], dict[str, RatingSystem] | None]:
    """The attacks, defences and systems named on the command line, each with its own parameters."""
    from podium.studies.attacks import ATTACKS, Throwing, make_attack, make_defence, usual_systems
    from podium.studies.attacks.campaign import usual_system

    able = [name for name, cls in ATTACKS.items() if not held or issubclass(cls, Throwing)]
    wanted = attacks or able
    if len(set(wanted)) < len(wanted):
        raise typer.BadParameter("an attack is given twice", param_hint="--attack")
    if len(set(defences)) < len(defences):
        raise typer.BadParameter("a defence is given twice", param_hint="--defence")
    systems = {called(name): name for name in names}
    if len(systems) < len(names):
        raise typer.BadParameter("a system is given twice", param_hint="--systems")
    usual = {} if systems else usual_systems()
    owners = (*wanted, *defences, *(systems or usual))
    own = pairs_by_owner(settings, owners, "{setting!r} belongs to no attack, defence or system of this run")
    rules = [make_defence(name, **own[name]) for name in defences]
    strategies = [make_attack(name, **own[name]) for name in wanted]
    if threshold is not None:
        if "farming" not in wanted:
            raise typer.BadParameter("only the attack farming has a threshold", param_hint="--threshold")
        strategies = [s.changed(threshold=threshold) if s.name == "farming" else s for s in strategies]
    if systems:
        made = {
            called_with(file, own[name]): system_with(file, own[name], usual_system)
            for name, file in systems.items()
        }
        return strategies, rules, made
    if not any(own[name] for name in usual):
        return strategies, rules, None
    return (
        strategies,
        rules,
        {called_with(name, own[name]): one.changed(**own[name]) for name, one in usual.items()},
    )


def _world(strategies: list[Strategy], matches: bool, players: int | None) -> World:
    """The simulated world, large enough for the longest attack."""
    from podium.studies.attacks import SimulatedContests, SimulatedMatches

    events = max(strategy.events for strategy in strategies)
    sized = {} if players is None else {"players": players}
    return (
        SimulatedMatches(rounds=events, **sized) if matches else SimulatedContests(contests=events, **sized)
    )


def _run(campaign: Campaign, jobs: int | None) -> AttackReport:
    names = sorted({system.name for system in campaign.systems.values()})
    with compiling(names), progress("attacking", len(campaign.jobs), unit="runs") as step:
        return campaign.run(None if jobs is None else min(jobs, len(campaign.jobs)), step)


def _write(result: AttackReport, out: Path | None, chart: Path | None, report: Path | None) -> None:
    write_table(result.summary, out)
    if chart is not None:
        from podium import charts

        charts.save(charts.attack_curves(result.curves), chart)
    if report is not None:
        result.write_report(report)


def _print(result: AttackReport) -> None:
    import polars as pl

    typer.echo(wrapped(f"{result.where}; {result.over}"))
    attacks = result.summary["attack"].unique(maintain_order=True).to_list()
    columns = [pl.Series("system", list(result.systems))]
    for attack in attacks:
        rows = result.summary.filter(pl.col("attack") == attack).rows_by_key(
            "system", named=True, unique=True
        )
        cells = []
        for name in result.systems:
            row = rows.get(name)
            cells.append("–" if row is None else _cell(row))
        columns.append(pl.Series(attack, cells))
    show_table(pl.DataFrame(columns), names=["system"], right=attacks, whole=True)
    words = "Displayed points gained compared with honest play. * significant. ? not significant."
    if result.summary.filter(pl.col("kind") == "scripted")["gain"].null_count():
        words += " – the leaderboard displays no rating."
    if result.found:
        words += (
            " patterns: the best attack for a player who could foresee the luck. none: the search "
            "found no better attack."
        )
    typer.echo(wrapped(words))
    lower = [result.called(strategy) for strategy in result.strategies if strategy.goal == "lower"]
    if lower:
        typer.echo(wrapped(f"{' and '.join(lower)} aim for a lower rating."))
    for name, why in result.refused.items():
        typer.echo(wrapped(f"{name} was left out: {why}"))
    for name, words in result.verdicts.items():
        if words:
            typer.echo(wrapped(f"{name}: {words}"))


def _cell(row: dict[str, Any]) -> str:
    """A gain, marked if it is more than noise; none if a search found nothing better than honest play."""
    from podium.studies.attacks.attack_verdicts import HINDSIGHT, points

    if row["kind"] != "scripted" and row["found"] is None:
        return "none"
    if row["gain"] is None:
        return points(None)
    mark = "" if row["kind"] == HINDSIGHT else {True: "*", False: "", None: "?"}[row["pays"]]
    return f"{points(row['gain'])}{mark}"
