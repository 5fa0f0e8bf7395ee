"""`podium chart`: how the ratings of chosen players went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import chosen_name, system_from
from podium.cli.inputs import player_meant, read_files, read_from
from podium.cli.leaderboards import USUAL, ActiveSince, Board, MaxSigma, MinEvents, since_meant
from podium.cli.options import Json, Settings, System, with_reading_options
from podium.cli.outputs import check_outputs, check_picture, print_document, say_written
from podium.cli.progress import compiling, progress
from podium.cli.small_work import check_system, interpret_if_small
from podium.errors import InputError
from podium.text import joined_sentences, shorten

if TYPE_CHECKING:
    from podium.ladder.rating_tables import LeaderboardFilters

DRAWN_PLAYERS = 5
"""Number of the best players who are drawn if nobody is named."""


@with_reading_options
def chart(
    file: Path,
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PLAYER",
            help=f"Names of up to seven players. Default: the best {DRAWN_PLAYERS}.",
            show_default=False,
        ),
    ] = None,
    out: Path | None = None,
    since: str | None = None,
    system: System = None,
    settings: Settings = [],  # noqa: B006
    min_events: MinEvents = 1,
    active_since: ActiveSince = USUAL,
    max_sigma: MaxSigma = None,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Draw players' ratings over time.

    Options:
        file (FILE): Results, in any format that podium rate reads.
        out (FILE): Draw to this .png, .svg or .html file (needs podium[charts]).
        since (DATE): Draw only events at or after this date. Earlier events still count for the ratings.
    """
    from podium.files.checksummed import is_container

    if out is None and not json:
        raise typer.BadParameter("choose a picture file, for example --out ratings.svg", param_hint="--out")
    check_picture(out)
    check_outputs({"--out": out}, read_from([file], reading), pictures=["--out"])
    if is_container(file):
        raise typer.BadParameter(
            "a saved ladder holds no events: give the results instead", param_hint="FILE"
        )
    _check_date(since)
    filters: LeaderboardFilters = {
        "min_events": min_events,
        "active_since": since_meant(active_since),
        "max_sigma": max_sigma,
    }
    board = Board(filters, DRAWN_PLAYERS, None)
    named = list(dict.fromkeys(player_meant(name, reading) for name in players or ()))
    check_system(system, settings)
    history = read_files([file], reading)
    named_system = chosen_name(system, history)
    interpret_if_small("chart", [named_system.name], history.rows)
    chosen = system_from(named_system.name, settings)
    board.check(chosen)
    if out is not None and len(named) > (most := _most_players()):
        raise typer.BadParameter(f"a picture shows at most {most} players", param_hint="PLAYER")

    from podium.ladder.bulk import rate

    with compiling([chosen.name]), progress(f"rating with {chosen.name}", history.rows) as advance:
        run = rate(history, chosen, trace=True, progress=advance)
    names = named or board.best(run)["player"].to_list()
    if not names:
        from podium.ladder.rating_tables import nobody_words

        words = nobody_words(**board.settled(run.ladder).filters).rstrip(".")
        raise InputError(words, hint="name the players, or use a smaller number")
    if out is not None:
        from podium import charts

        charts.save(charts.rating_history(run, names, since=since), out)
    if json:
        from podium.documents import rating_histories_document

        document = rating_histories_document(run, names, since=since)
        print_document("rating-histories", document)
    else:
        named_system.say()
        typer.echo(f"{chosen.label}: {', '.join(map(shorten, names))}")
        say_written(out)


def _most_players() -> int:
    from podium.charts import PALETTE

    return len(PALETTE)


def _check_date(since: str | None) -> None:
    """Refuse a date that is none before any work begins."""
    from podium.history.times import to_micros

    try:
        to_micros(since)
    except InputError as error:
        raise typer.BadParameter(
            joined_sentences([error.reason, error.hint or ""]), param_hint="--since"
        ) from error
