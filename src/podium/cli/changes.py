"""`podium changes`: one contest as it is published, rated already or not yet."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from podium.cli.chosen_systems import ChosenName, chosen_name, earlier_default, load_ladder, system_from
from podium.cli.inputs import KnownPlayers, named_files, read_files, read_from, report_near_names, shown_name
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
from podium.cli.site_ladders import SiteTiers
from podium.cli.small_work import check_system, interpret_if_small
from podium.cli.terminal_tables import digits_of, show_table, wrapped
from podium.errors import RepeatError
from podium.text import counted, shorten

if TYPE_CHECKING:
    from podium.history import History
    from podium.ladder.contest_changes import ContestChanges

DROPPED_FIRST = ("performance", "expected", "note", "old")
"""Columns of the table in the order in which a narrow terminal goes without them."""
TEXTS = {"player", "team", "opponent", "result", "note"}
"""Columns of the table that hold no numbers."""
ORDER_HINT = "--preview shows a contest that comes after all rated events"
REPEAT_HINT = "to see the changes of a rated contest, give all results: podium changes RESULTS --event NAME"


@with_reading_options
def changes(
    files: Files,
    event: str | None = None,
    preview: Path | None = None,
    ladder: Path | None = None,
    sort: Literal["place", "gain"] = "place",
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"Number of players to show. Default: {PRINTED_PLAYERS} on a terminal, all in --json "
            "and --out.",
            min=0,
        ),
    ] = None,
    digits: Digits = None,
    tiers: SiteTiers = None,
    player_pages: Annotated[str | None, typer.Option(metavar="URL")] = None,
    out: Published = None,
    system: System = None,
    settings: Settings = [],  # noqa: B006
    allow_repeat: AllowRepeat = False,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Show the rating changes of one contest, or preview them.

    Options:
        event (NAME): The contest: its name or number, 'NAME, DATE', or a DATE alone. Default: the last
            contest.
        preview (FILE): Show how the contest in this file would change the ratings.
        ladder (FILE): Show how the results would change the ratings in this saved ladder. Its file stays the
            same.
        player_pages (URL): In an .html file, link each name to this URL. {player} is replaced by the name.
        sort: Order of the players: by place, or by gain (largest first).
    """
    if preview is not None and ladder is not None:
        raise typer.BadParameter(
            "with --ladder, the results already hold the contest", param_hint="--preview"
        )
    read = [*files, *(path for path in (preview, ladder) if path is not None)]
    check_outputs({"--out": out}, read_from(read, reading), published=["--out"])
    named, default, found = _changes(
        files, event, preview, ladder, system, settings, reading, allow_repeat=allow_repeat
    )

    from podium.arrays import NO_TIME
    from podium.documents import contest_document
    from podium.ladder.rating_tables import rounded

    written = top or None  # --top 0 prints nothing, and writes everybody
    shown = digits_of(found.frame["display"]) if digits is None else digits
    players = counted(found.frame["player"].n_unique(), "player")
    about = f"{players}, rated by {found.system.label}."
    if found.preview:
        about += " This is a preview: podium recorded nothing."
        if int(found.contest.time[0]) == NO_TIME:
            about += " The contest has no time, so the preview adds no drift before it."
    about += default
    write_published(
        out,
        title=found.title,
        about=f"{about} {found.expected_words}",
        table=found.table(sort, written, digits=shown),
        rows=rounded(found.sorted(sort, written), digits),
        kind="contest",
        document=lambda: contest_document(found, sort, written, digits=digits),
        web_page=lambda: _web_page(found, sort, written, shown, tiers, player_pages),
    )
    if json:
        print_document("contest", contest_document(found, sort, top, digits=digits))
        if default:
            typer.echo(wrapped(default.strip()), err=True)
        return
    if named is not None:
        named.say()
    typer.echo(wrapped(f"{found.title}: {about}"))
    most = PRINTED_PLAYERS if top is None else top
    if most:
        table = found.table(sort, most, digits=shown)
        names, right = ["player", "team", "opponent"], set(table.columns) - TEXTS
        show_table(table, names=names, right=right, dropped_first=DROPPED_FIRST)
    if top is None and found.frame.height > most:
        typer.echo(f"… and {found.frame.height - most:,} more")
    say_written(out)


def _web_page(
    found: ContestChanges,
    sort: Literal["place", "gain"],
    top: int | None,
    digits: int,
    tiers: str | None,
    player_pages: str | None,
) -> str:
    """The changes as a page for everybody who took part."""
    from podium.documents import contest_document
    from podium.pages.rendering import render_changes
    from podium.systems.tiers import preset_tiers

    return render_changes(
        contest_document(found, sort, top),
        expected=found.expected_words,
        digits=digits,
        tiers=() if tiers is None else preset_tiers(tiers, found.system),
        players=player_pages or "",
    )


def _changes(
    files: list[Path],
    event: str | None,
    preview: Path | None,
    saved: Path | None,
    system: str | None,
    settings: Sequence[str],
    reading: dict[str, Any],
    *,
    allow_repeat: bool,
) -> tuple[ChosenName | None, str, ContestChanges]:
    """The contest asked for, from files or beside a saved ladder, and which system was chosen for it.

    In the middle what is to say if the default was another one before.
    """
    named: ChosenName | None = None
    default = ""
    start = None if saved is None else load_ladder(saved, system, settings)
    if start is None:
        check_system(system, settings)
    history = read_files(files, reading)
    contest = history if preview is None else read_files([preview], reading)
    if start is None:
        named = chosen_name(system, history) if preview is None else chosen_name(system, history, contest)
        interpret_if_small("changes", [named.name], history.rows + (0 if preview is None else contest.rows))
        chosen = system_from(named.name, settings)
    else:
        chosen = start.system

    from podium.ladder.bulk import rate
    from podium.ladder.contest_changes import changes as contest_changes
    from podium.ladder.contest_changes import events_of_contest

    if named is not None:
        earlier = [history]
        if preview is None:
            numbers = events_of_contest(history, event)
            earlier = [history[:end] for end in (numbers[0], numbers[-1] + 1) if end]
        default = earlier_default(system, named, earlier)
    if start is not None:
        KnownPlayers(start.players, reading).report(history.players)
    if preview is not None:
        report_near_names([history, contest], reading)
        if not allow_repeat:
            _check_not_rated(history, contest, preview)
    with compiling([chosen.name]), progress(f"rating with {chosen.name}", history.rows) as advance:
        if preview is not None:
            start = rate(history, chosen, progress=advance, allow_repeat=allow_repeat).ladder
        rated_after = files if preview is None else [preview]
        hints = {"order_hint": ORDER_HINT, "repeat_hint": REPEAT_HINT}
        with nullcontext() if start is None else named_files(rated_after, **hints):
            return (
                named,
                default,
                contest_changes(
                    contest, chosen, event=event, ladder=start, progress=advance, allow_repeat=allow_repeat
                ),
            )


def _check_not_rated(history: History, contest: History, file: Path) -> None:
    """Refuse a contest that has the name of one in the results, if no time tells the two apart."""
    from podium.arrays import NO_TIME

    if contest.named is None:
        return
    for number in contest.named.nonzero()[0].tolist():
        name, time = contest.event_name(number), int(contest.time[number])
        if any(NO_TIME in (time, int(history.time[rated])) for rated in history.events_called(name)):
            raise RepeatError(
                f"{shown_name(file)}: the results already hold an event {shorten(name)!r}",
                hint="if this is a different event, give it a time or another name. To see the changes "
                "of the rated event: podium changes RESULTS --event NAME",
            )
