"""`podium systems`: what each system is for, and its parameters."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.chosen_systems import written_value
from podium.cli.options import Json
from podium.cli.outputs import check_outputs, check_picture, print_document, say_written
from podium.cli.progress import compiling, progress
from podium.cli.terminal_tables import indented, show_table
from podium.files.toml import is_toml_name
from podium.numerics.compiler_choice import interpret_kernels

if TYPE_CHECKING:
    from podium.systems import RatingSystem


def systems(
    name: Annotated[str | None, typer.Argument()] = None,
    chart: Path | None = None,
    json: Json = False,
) -> None:
    """List the rating systems, or the parameters (settings) of one.

    Options:
        name (NAME): Show the parameters of this system, by name or as a .toml file. Default: list all
            systems.
        chart (FILE): Draw a picture of how wins and losses change the rating to this .png, .svg or .html
            file (needs podium[charts]).
    """
    check_picture(chart)
    check_outputs({"--chart": chart}, [], pictures=["--chart"])
    if chart is None:
        interpret_kernels()  # none is called

    from podium.presets import PRESETS
    from podium.systems import find_preset, list_systems, make_system
    from podium.systems.system_files import load_system

    chosen = list_systems()
    made: RatingSystem | None = None
    if name is not None:
        if is_toml_name(name):
            made = load_system(name)
        elif name in PRESETS and name not in chosen:
            made = make_system(name)
        one = find_preset(name)[0] if made is None else type(made)
        chosen = {(made.preset if made is not None else None) or one.name: one}
    if json:
        from podium.documents import systems_document

        print_document("systems", systems_document(chosen, made))
    elif name is None:
        _print_all(chosen)
    else:
        if name in PRESETS and name not in list_systems():
            typer.echo(f"{name}: {PRESETS[name].meaning}")
        _print_one(one, made)
    if chart is not None:
        _draw(chart, list(chosen), made)
        if not json:
            say_written(chart)


def _draw(path: Path, names: list[str], made: RatingSystem | None) -> None:
    from podium import charts
    from podium.simulation.responses import all_systems, responses_to_opponents

    usual = all_systems()
    drawn = {name: usual[name] if made is None else made for name in names}
    with compiling(names), progress("drawing", by_rows=False):
        charts.save(charts.responses_to_opponents(responses_to_opponents(drawn)), path)


def _print_all(chosen: dict[str, type[RatingSystem]]) -> None:
    import polars as pl

    from podium.presets import PRESETS

    rows = [{"system": name, "use": cls.summary} for name, cls in chosen.items()]
    show_table(pl.DataFrame(rows), prose=["use"])
    suits = [{"preset": p.name, "system": p.system, "use": p.suits} for p in PRESETS.values()]
    show_table(pl.DataFrame(suits), prose=["use"])
    typer.echo(
        "podium systems NAME shows the parameters of one. If no system is named, results get a preset."
    )


def _print_one(cls: type[RatingSystem], made: RatingSystem | None) -> None:
    from podium.systems.contract.capabilities import EVIDENCE

    def say(text: str, indent: str = "") -> None:
        typer.echo(indented(text, indent))

    say(f"{cls.name}: {cls.summary}")
    say(
        "can use: " + ", ".join(EVIDENCE.get(what, what) for what, can in asdict(cls.supports).items() if can)
    )
    for p in {**cls.declared(), **cls.limits}.values():
        value = p.default if made is None else getattr(made, p.name)
        usual = "" if value == p.default else f"  (usually {written_value(p.default)})"
        typer.echo(f"\n  --set {p.name}={written_value(value)}{usual}")
        say(p.meaning, indent=" " * 6)
        if p.is_function:
            say(f"{', '.join(p.kind.forms())}, or your own", indent=" " * 6)
        elif p.choices:
            say(f"one of {', '.join(p.choices)}", indent=" " * 6)
