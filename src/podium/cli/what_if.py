"""`podium what-if`: who moves if results are corrected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import chosen_name, system_from
from podium.cli.inputs import player_meant, read_files, read_from, report_near_names
from podium.cli.leaderboards import PRINTED_PLAYERS
from podium.cli.options import (
    AllowRepeat,
    Digits,
    Files,
    Json,
    Published,
    Settings,
    System,
    with_reading_options,
)
from podium.cli.outputs import check_outputs, print_document, say_written, write_published
from podium.cli.progress import compiling, progress
from podium.cli.small_work import check_system, interpret_if_small
from podium.cli.terminal_tables import digits_of, show_table, wrapped
from podium.errors import InputError

if TYPE_CHECKING:
    from podium.history import History

DROPPED_FIRST = ("old place", "old", "new place")
"""Columns of the table in the order in which a narrow terminal goes without them."""


@with_reading_options
def what_if(
    files: Files,
    without: list[str] = [],  # noqa: B006
    disqualify: list[str] = [],  # noqa: B006
    replace: list[Path] = [],  # noqa: B006
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"Number of players to show, largest change first. Default: {PRINTED_PLAYERS} on a "
            "terminal, all in --json and --out.",
            min=0,
        ),
    ] = None,
    digits: Digits = None,
    out: Published = None,
    corrected: Path | None = None,
    save: Path | None = None,
    system: System = None,
    settings: Settings = [],  # noqa: B006
    allow_repeat: AllowRepeat = False,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Show how the ratings would change if results were corrected.

    Options:
        without (EVENT): Leave out an event: its name or number, 'NAME, DATE', or a DATE. Repeatable.
        disqualify (PLAYER@EVENT): Remove a player's result from an event. Repeatable.
        replace (FILE): Replace each event that has the same name as an event in this file. Repeatable.
        corrected (FILE): Write the corrected results to this table.
        save (FILE): Save the corrected ratings to this file, called a ladder.
    """
    if not without and not disqualify and not replace:
        raise typer.BadParameter(
            "choose a correction: --without EVENT, --disqualify PLAYER@EVENT or --replace FILE"
        )
    outputs = {"--out": out, "--corrected": corrected, "--save": save}
    check_outputs(outputs, read_from([*files, *replace], reading), any_name=["--save"], published=["--out"])
    check_system(system, settings)
    history = read_files(files, reading)
    named = chosen_name(system, history)
    others = [read_files([path], reading) for path in replace]
    most_rows = history.rows + sum(other.rows for other in others)
    if save is None:
        interpret_if_small("what-if", [named.name], most_rows)
    chosen = system_from(named.name, settings)

    from podium.documents import what_if_document
    from podium.ladder.rating_comparisons import what_if as compare
    from podium.ladder.rating_tables import rounded
    from podium.tables import write_history

    if others:
        report_near_names([history, *others], reading)
    disqualified = [_player_and_event(text, history, reading) for text in disqualify]
    with (
        compiling([chosen.name]),
        progress(f"rating with {chosen.name}", history.rows + most_rows) as advance,
    ):
        found = compare(
            history,
            chosen if system is not None or settings else None,
            without=without,
            disqualified=disqualified,
            replaced=others,
            progress=advance,
            allow_repeat=allow_repeat,
        )
    written = top or None  # --top 0 prints nothing, and writes everybody
    shown = digits_of(found.frame["display"]) if digits is None else digits
    summary = found.summary_with(digits=shown)
    if (default := chosen_name(system, found.history).name) != named.name:
        summary += f". To keep one system, name it: --system {named.name}"
        if settings:
            summary += f" (the default for the corrected results is {default})"
    write_published(
        out,
        title=f"Ratings {found.title}",
        about=f"{summary}. Rated by {found.after.ladder.system.label}.",
        table=found.table(written, digits=shown),
        rows=rounded(found.frame if written is None else found.moved.head(written), digits),
        kind="what-if",
        document=lambda: what_if_document(found, written, digits=digits),
    )
    if corrected is not None:
        write_history(found.history, corrected)
    if save is not None:
        found.after.ladder.save(save)
    if json:
        print_document("what-if", what_if_document(found, top, digits=digits))
        if default != named.name:
            typer.echo(wrapped(summary), err=True)
        return
    named.say()
    typer.echo(wrapped(f"{found.title}: {summary}"))
    most = PRINTED_PLAYERS if top is None else top
    if most and found.moved.height:
        table = found.table(most, digits=shown)
        right = set(table.columns) - {"player"}
        show_table(table, names=["player"], right=right, dropped_first=DROPPED_FIRST)
    if top is None and found.moved.height > most:
        typer.echo(f"… and {found.moved.height - most:,} more")
    say_written(out, corrected, save)


def _player_and_event(text: str, history: History, reading: dict[str, Any]) -> tuple[str, str]:
    """The two parts of PLAYER@EVENT. Both may hold an @; it is the last one that an event's name follows."""
    from podium.history.event_lookup import events_found, events_meant

    parts = text.split("@")
    if len(parts) < 2:
        raise typer.BadParameter(f"{text!r} is not PLAYER@EVENT", param_hint="--disqualify")
    ways = [("@".join(parts[:cut]), "@".join(parts[cut:])) for cut in range(len(parts) - 1, 0, -1)]
    for player, event in ways:
        if player and events_found(history, event):
            return player_meant(player, reading), event
    events_meant(history, ways[0][1])
    raise InputError(f"{text!r} must name a player before the @")
