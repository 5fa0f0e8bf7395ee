"""`podium rate`: a file of results in, ratings out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.chosen_systems import chosen_name, load_ladder, system_from
from podium.cli.inputs import (
    KnownPlayers,
    named_files,
    opened,
    possible_repeats,
    quiet_readings,
    read_by_size,
    read_from,
    read_whole,
    report_aliases,
    report_proposals,
    report_readings,
    report_skipped,
    shown_name,
    warn_of_future_time,
    warn_of_possible_repeats,
)
from podium.cli.leaderboards import (
    USUAL,
    ActiveSince,
    At,
    Board,
    MaxSigma,
    MinEvents,
    Provisional,
    Top,
    since_meant,
)
from podium.cli.options import (
    AllowRepeat,
    Dask,
    Digits,
    Files,
    Jobs,
    Json,
    Report,
    Settings,
    System,
    with_reading_options,
)
from podium.cli.outputs import check_outputs, check_report, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.rate_by import rate_many
from podium.cli.small_work import check_system, interpret_if_small, most_rows
from podium.files.database_addresses import path_or_database
from podium.files.kinds import IN_MEMORY_BYTES
from podium.text import counted

if TYPE_CHECKING:
    from podium.history import History, Skipped
    from podium.ladder.bulk import Run
    from podium.ladder.ladder import Ladder

ROWS_PER_CHUNK = 2_000_000

_ORDER_HINT = (
    "leave out the events that the ladder has already rated, or rate all files together from "
    "the start, without --ladder"
)


@with_reading_options
def rate(
    files: Files,
    system: System = None,
    settings: Settings = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option(parser=path_or_database)] = None,
    trace: Annotated[Path | None, typer.Option(parser=path_or_database)] = None,
    top: Top = None,
    min_events: MinEvents = 1,
    active_since: ActiveSince = USUAL,
    max_sigma: MaxSigma = None,
    at: At = None,
    provisional: Provisional = False,
    digits: Digits = None,
    json: Json = False,
    reading: dict[str, Any] = {},  # noqa: B006
    chunk_rows: Annotated[int | None, typer.Option(min=1)] = None,
    ladder: Path | None = None,
    save: Path | None = None,
    report: Report = None,
    by: str | None = None,
    allow_repeat: AllowRepeat = False,
    jobs: Jobs = None,
    dask: Dask = None,
) -> None:
    """Rate a file of results.

    Options:
        out (FILE): Write the leaderboard to this table (.csv, .parquet, ...) or into a database
            (sqlite:///season.db).
        trace (FILE): Write all ratings before and after each event to this table.
        chunk_rows (N): Read the file in pieces of N rows, to save memory. Default: only large files.
        ladder (FILE): Add the results to the ratings in this file, which --save wrote.
        save (FILE): Save the system and all ratings to this file, called a ladder, to add results later.
        by (COLUMN): Make a separate leaderboard for each value of this column, for example division.
    """
    board = Board(
        {"min_events": min_events, "active_since": since_meant(active_since), "max_sigma": max_sigma},
        top,
        digits,
        provisional,
        at,
    )
    if by is not None:
        single: dict[str, object] = {
            "--trace": trace,
            "--chunk-rows": chunk_rows,
            "--ladder": ladder,
            "--save": save,
        }
        single |= {"--report": report, "--allow-repeat": allow_repeat or None, "--at": at}
        for option, given in single.items():
            if given is not None:
                raise typer.BadParameter(
                    "this option works on one ladder, and --by makes several", param_hint=option
                )
        rate_many(
            files,
            by,
            system,
            settings,
            reading,
            jobs,
            dask,
            out,
            board,
            json,
        )
        return
    if jobs is not None or dask is not None:
        option = "--jobs" if jobs is not None else "--dask"
        raise typer.BadParameter(
            "one process rates one ladder: --jobs needs --by, which makes several ladders", param_hint=option
        )
    if chunk_rows is not None and len(files) > 1:
        raise typer.BadParameter("podium reads several files whole: give one file", param_hint="--chunk-rows")
    check_report(report)
    outputs = {"--out": out, "--trace": trace, "--save": save, "--report": report}
    check_outputs(outputs, read_from(files, reading), any_name=["--save"], pictures=["--report"])
    chosen, start = None, None
    if ladder is None:
        check_system(system, settings)
    else:
        start = load_ladder(ladder, system, settings)
    skipped: list[Skipped] = []
    history, total = _read(files, reading, chunk_rows, skipped, start)
    unknown = 0
    if start is not None and not allow_repeat and not isinstance(history, Iterator):
        unknown = possible_repeats(history, start)
    if start is None:
        with (
            progress(f"reading {', '.join(map(shown_name, files))}", by_rows=False),
            named_files(files, order_hint=_ORDER_HINT),
        ):
            history, first = _begun(history)
            chosen = chosen_name(system, first)
            if first is not history and chosen.note is not None:
                chosen = chosen._replace(note=f"{chosen.note}, judged by the first {first.rows:,} rows")
            del first  # or the first piece stays in memory while all others are rated
            history, rows = _counted(history, most_rows("rate", [chosen.name]))
        if save is None:
            interpret_if_small("rate", [chosen.name], rows)

        from podium.ladder.ladder import Ladder

        start = Ladder(system_from(chosen.name, settings))
    board.check(start.system)

    from podium.ladder.bulk import rate as rate_history

    with (
        compiling([start.system.name]),
        progress(f"rating with {start.system.label}", total) as advance,
        named_files(files, order_hint=_ORDER_HINT),
    ):
        run = rate_history(
            board.cut(history),
            start.system,
            trace=report is not None or trace or False,
            ladder=start,
            progress=advance,
            allow_repeat=allow_repeat,
        )
    board = board.settled(run.ladder)
    if report is not None:
        write_table(
            run.trace, trace, "trace"
        )  # without a report it was written while rating, in constant memory
        _write_report(run, report, files, ladder, board)
    if out is not None:
        write_table(board.table(run), out, "ratings")
    if save is not None:
        run.ladder.save(save)
    report_skipped(skipped)
    warn_of_possible_repeats(unknown)
    warn_of_future_time(run.ladder.last_time)

    from podium.documents import leaderboard_document

    document = leaderboard_document(
        run.ladder, board.best(run, in_json=json), skipped_rows=len(skipped), at=at
    )
    if json:
        print_document("leaderboard", document)
    else:
        if chosen is not None:
            chosen.say()
        players, events = counted(document["players"], "player"), counted(document["events"], "event")
        when = "" if document["at"] is None else f" at {document['at']}"
        typer.echo(f"{run.ladder.system.label}{when}: {players}, {events}")
        board.show(document)
        say_written(trace, out, save, report)


def _write_report(run: Run, path: Path, files: list[Path], saved: Path | None, board: Board) -> None:
    from podium.charts.season_page import write_season

    after = "" if saved is None else f", after {saved.name}"
    about = f"{', '.join(map(shown_name, files))}{after}: {counted(len(run.ladder), 'player')}, "
    about += f"{counted(run.ladder.n_events, 'event')}{' in all' if after else ''}."
    write_season(run, path, title=f"Ratings of {shown_name(files[0])}", about=about, **board.filters)


def _begun(history: History | Iterator[History]) -> tuple[History | Iterator[History], History]:
    """The same history, and the first piece of it, or all if it is whole."""
    from podium.history import History

    if isinstance(history, History):
        return history, history
    first = next(history)  # a file without any piece is refused
    return chain([first], history), first


def _counted(history: History | Iterator[History], most: int) -> tuple[History | Iterator[History], int]:
    """The same history and its rows; those of pieces are counted until there are more than `most`."""
    from podium.history import History

    if isinstance(history, History):
        return history, history.rows
    read: list[History] = []
    rows = 0
    for piece in history:
        read.append(piece)
        rows += piece.rows
        if rows > most:
            break
    return chain(read, history), rows


def _read(
    files: list[Path],
    options: dict[str, Any],
    chunk_rows: int | None,
    skipped: list[Skipped],
    continued: Ladder | None,
) -> tuple[History | Iterator[History], int | None]:
    """The history, whole with its number of rows or in pieces; its names are compared with the ladder's."""
    from podium.history import History
    from podium.tables import read_chunks

    known = None if continued is None else KnownPlayers(continued.players, options)
    found: History | Iterator[History]
    if chunk_rows is not None:
        found = read_chunks(opened(files[0]), rows=chunk_rows, **options)
    elif len(files) == 1:
        found = read_by_size(files[0], ROWS_PER_CHUNK, IN_MEMORY_BYTES, options)
    else:
        found = read_whole(files, options, repeats=True)
    if isinstance(found, History):
        skipped.extend(found.skipped)
        report_proposals(found, options)
        if known is not None:
            known.report(found.players)
        return found, found.rows
    read = found

    def pieces() -> Iterator[History]:
        with quiet_readings():
            for piece in read:
                skipped.extend(piece.skipped)
                report_readings(piece.readings)
                if known is not None:
                    known.report(piece.players)
                yield piece
                del piece  # or two pieces are in memory while the next one is read
        report_aliases(options)

    return pieces(), None
