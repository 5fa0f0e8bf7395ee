"""`podium tournament`: rounds of a tournament paired, results entered, standings and chances shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.help_pages import HelpfulCommand, HelpfulGroup
from podium.cli.options import Json
from podium.cli.outputs import print_document
from podium.cli.progress import progress
from podium.errors import InputError
from podium.files.locks import file_lock
from podium.numerics.compiler_choice import interpret_kernels
from podium.text import counted, percent

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder
    from podium.tournaments.chances import Chances
    from podium.tournaments.happenings import Game, Round
    from podium.tournaments.tournament import Tournament

INTERPRETED_UP_TO = 300
"""Entrants up to whom pairing a round takes less than half a second without the compiler."""

WAIT_SECONDS = 20.0
"""How long a command waits for another one that changes the same tournament."""

app = typer.Typer(
    cls=HelpfulGroup,
    help="Run a tournament or a club evening: pairings, results, standings, chances.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

TournamentFile = Annotated[Path, typer.Argument(metavar="FILE", help="The tournament's file.")]
LadderFile = Annotated[
    Path | None,
    typer.Option(
        "--ladder", metavar="FILE", help="Take ratings from this file, which podium rate --save wrote."
    ),
]


@app.command("new", cls=HelpfulCommand)
def new(
    file: TournamentFile,
    form: Annotated[str, typer.Option("--format")] = "evening",
    name: str | None = None,
    ladder: LadderFile = None,
    of: Path | None = None,
    best: Annotated[int, typer.Option(min=2)] = 8,
    seed: Annotated[int, typer.Option(min=0)] = 0,
) -> None:
    """Start a tournament: a file that holds the entrants, rounds and results.

    Options:
        form (FORMAT): evening, evening:2v2, evening:tables, swiss:5 (5 rounds), round-robin,
            round-robin:double, knockout, knockout:double or groups:4x2 (four groups, then a knockout of the
            best 2 of each).
        name (TEXT): Name of the tournament. Default: the file's name.
        of (FILE): Let the best of the tournament in this file join. Its winner is seed 1.
        best (N): How many of the best join, with --of.
        seed (N): Number for the draw. The same number draws the same way, another number differently.
    """
    if file.exists():
        raise InputError("the file exists already", source=str(file), hint="choose another name")
    interpret_kernels()
    from podium.tournaments.tournament import Tournament

    made = Tournament(form, name=name or file.stem, ladder=_ladder(ladder), seed=seed)
    if of is not None:
        made.join_best(_opened(of), best)
    made.save(file)
    then = f"join {file} NAME …" if of is None else f"pair {file}"
    typer.echo(f"{made.name}: {made.format}. Next: podium tournament {then}")


@app.command("join", cls=HelpfulCommand)
def join(
    file: TournamentFile,
    names: list[str],
    rating: float | None = None,
    club: str | None = None,
    members: str | None = None,
    ladder: LadderFile = None,
) -> None:
    """Add entrants, before the first round or between two rounds. An entrant who left comes back.

    Options:
        names (NAME): Names of entrants.
        rating (R): Their rating. Default: from --ladder, or that of a newcomer.
        club (CLUB): Their club. Members of a club do not play each other.
        members (NAMES): Members of a team, in the order of boards: --members ann,bob.
    """
    boards = [] if members is None else [name.strip() for name in members.split(",")]
    if boards and len(names) > 1:
        raise InputError("--members belong to one team", hint="join each team by its own command")
    with _changed(file, ladder) as tournament:
        for name in names:
            tournament.join(name, rating, club=club, members=boards)
    here = len(tournament.field.here)
    typer.echo(f"{counted(here, 'entrant')} in the next round")


@app.command("leave", cls=HelpfulCommand)
def leave(
    file: TournamentFile,
    name: str,
) -> None:
    """Leave an entrant out of the next rounds. Earlier results still count.

    Options:
        name (NAME): The entrant who leaves.
    """
    with _changed(file) as tournament:
        tournament.leave(name)
    typer.echo(f"{counted(len(tournament.field.here), 'entrant')} in the next round")


@app.command("forbid", cls=HelpfulCommand)
def forbid(
    file: TournamentFile,
    first: str,
    second: str,
) -> None:
    """Never pair these two entrants.

    Options:
        first (NAME): An entrant.
        second (OTHER): Another entrant.
    """
    with _changed(file) as tournament:
        tournament.forbid(first, second)
    typer.echo(f"{first} and {second} will not play each other")


@app.command("allow", cls=HelpfulCommand)
def allow(
    file: TournamentFile,
    first: str,
    second: str,
) -> None:
    """Let two entrants play each other again after `forbid`.

    Options:
        first (NAME): An entrant.
        second (OTHER): The entrant they may play.
    """
    with _changed(file) as tournament:
        tournament.allow(first, second)
    typer.echo(f"{first} and {second} may play each other")


@app.command("club", cls=HelpfulCommand)
def club(
    file: TournamentFile,
    name: str,
    players: list[str],
) -> None:
    """Change the club of entrants. Members of one club do not play each other.

    Options:
        name (CLUB): The club. Empty for none: ''.
        players (NAME): Entrants.
    """
    with _changed(file) as tournament:
        for player in players:
            tournament.set_club(player, name)
    typer.echo(f"{counted(len(players), 'entrant')} in {name or 'no club'}")


@app.command("pair", cls=HelpfulCommand)
def pair(
    file: TournamentFile,
    places: Annotated[int | None, typer.Option(min=1)] = None,
    rematches: Annotated[bool, typer.Option("--rematches")] = False,
    clubmates: Annotated[bool, typer.Option("--clubmates")] = False,
    as_json: Json = False,
) -> None:
    """Pair the next round and print it.

    Options:
        places (N): Number of courts or tables at a club evening. Default: as many as needed.
        rematches: Pair opponents who have met already, if nothing else is possible.
        clubmates: Pair members of one club, as few as possible, if nothing else is possible.
    """
    with _changed(file) as tournament:
        paired = tournament.pair(places=places, rematches=rematches, clubmates=clubmates)
    if as_json:
        _print(tournament)
    else:
        _say_round(paired)


@app.command("result", cls=HelpfulCommand)
def result(
    file: TournamentFile,
    match: str,
    score: str,
    number: Annotated[int | None, typer.Option("--round")] = None,
    correct: Annotated[bool, typer.Option("--correct")] = False,
) -> None:
    """Enter the result of a match. The higher number wins, equal numbers are a draw.

    Options:
        match (MATCH): Number of the match in its round, or an entrant's name.
        score (SCORE): Score, such as 3:1. If MATCH is a name, that entrant's points come first. For a team
            match, give a score for each board: '1:0 0:1'.
        number (N): Number of the round. Default: the last one.
        correct: Replace a result that was wrong.
    """
    with _changed(file) as tournament:
        known = match.isdecimal() and match not in tournament.field.entrants
        meant = int(match) if known else match
        if len(score.split()) > 1:
            tournament.team_result(meant, score.split(), round=number, correct=correct)
        else:
            tournament.result(meant, score, round=number, correct=correct)
    open_ = len(tournament.field.unfinished)
    typer.echo(f"{counted(open_, 'match')} without a result" if open_ else "all results are in")


@app.command("rounds", cls=HelpfulCommand)
def rounds(file: TournamentFile, as_json: Json = False) -> None:
    """Print every round with its results."""
    tournament = _opened(file)
    if as_json:
        _print(tournament)
        return
    for each in tournament.field.rounds:
        _say_round(each)


@app.command("standings", cls=HelpfulCommand)
def standings(file: TournamentFile, as_json: Json = False) -> None:
    """Print the standings with tie-breaks."""
    tournament = _opened(file)
    if as_json:
        _print(tournament)
        return
    import polars as pl

    from podium.cli.terminal_tables import show_table
    from podium.tournaments.final_places import TIE_BREAKS

    shown = ["place", "player", "points", "played", "wins", "draws", "losses"]
    shown += (name for name in TIE_BREAKS[tournament.format.kind] if name not in shown)
    rows = [{name: getattr(row, name) for name in shown} for row in tournament.standings()]
    show_table(pl.DataFrame(rows, schema=shown, infer_schema_length=None), names=["player"], digits=2)
    if tournament.field.rounds:
        done = "finished" if tournament.finished else f"after round {len(tournament.field.rounds)}"
        typer.echo(f"{tournament.name}, {tournament.format}: {done}")


@app.command("explain", cls=HelpfulCommand)
def explain(
    file: TournamentFile,
    match: str,
    number: Annotated[int | None, typer.Option("--round")] = None,
    standing: Annotated[bool, typer.Option("--standing")] = False,
    as_json: Json = False,
) -> None:
    """Explain why two entrants play, why other pairs were not possible, or how a standing came about.

    Options:
        match (MATCH): Number of the match in its round, or an entrant's name.
        number (N): Number of the round. Default: the last one.
        standing: Explain the entrant's numbers in the standings.
    """
    tournament = _opened(file)
    if standing and not as_json:
        typer.echo(str(tournament.explain_standing(match)))
        return
    known = match.isdecimal() and match not in tournament.field.entrants
    if not as_json:
        typer.echo(str(tournament.explain(int(match) if known else match, round=number)))
        return
    from podium.documents.tournament_documents import tournament_explanation_document

    player = tournament.match(int(match), number).players[0] if known else match
    print_document("tournament-explanation", tournament_explanation_document(tournament, player, number))


@app.command("close", cls=HelpfulCommand)
def close(file: TournamentFile) -> None:
    """End a club evening, or end a tournament early."""
    with _changed(file) as tournament:
        tournament.close()
    typer.echo(f"{tournament.name} has ended")


@app.command("undo", cls=HelpfulCommand)
def undo(file: TournamentFile) -> None:
    """Take back the last step: an entrant, a round or a result."""
    from podium.tournaments.happenings import step_words

    with _changed(file) as tournament:
        taken = tournament.undo()
    typer.echo(f"taken back: {step_words([taken])}")


@app.command("chances", cls=HelpfulCommand)
def chances(
    file: Path,
    simulations: Annotated[int, typer.Option(min=1)] = 1_000,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    ladder: LadderFile = None,
    points: str = "1:0.5:0",
    player: Annotated[str | None, typer.Option("--for")] = None,
    as_json: Json = False,
) -> None:
    """Print each entrant's chances of winning, and of a place among the first 2, 3, 4 and 8.

    Options:
        file (FILE): The tournament's file, or a .csv file. That file has one player per row, in the order of
            a knockout draw (an empty row for a bye). Or it has matches: the columns a, b and score.
        simulations (N): How often podium plays out the remaining rounds by chance. A knockout needs none.
        seed (N): Random seed of the simulations.
        points (W:D:L): Points of a win, a draw and a loss, for a .csv file of matches.
        player (NAME): Print what must happen for this entrant to win the title.
    """
    if player is not None:
        tournament = _opened(file, ladder, simulated=True)
        typer.echo(str(tournament.conditions(player, simulations=simulations, seed=seed)))
        return
    if file.suffix.lower() == ".csv":
        named, found = file.stem, _file_chances(file, ladder, points, simulations, seed)
    else:
        tournament = _opened(file, ladder, simulated=True)
        named = f"{tournament.name}, {tournament.format}"
        with progress(f"playing {tournament.name}", by_rows=False):
            found = tournament.chances(simulations=simulations, seed=seed)
    if as_json:
        from podium.documents.tournament_documents import chances_document

        print_document("chances", chances_document(found))
        return
    import polars as pl

    from podium.cli.terminal_tables import show_table

    steps = [place for place in (1, 2, 3, 4, 8) if place < len(found.players)]
    names = ["player", *("title" if place == 1 else f"top {place}" for place in steps)]
    columns = [found.within(place) for place in steps]
    rows = [[player, *(percent(share[player], 1) for share in columns)] for player in found.players]
    show_table(pl.DataFrame(rows, schema=names, orient="row"), names=["player"], right=names[1:])
    typer.echo(f"{named}: {found.how}")


def _file_chances(file: Path, ladder: Path | None, points: str, simulations: int, seed: int) -> Chances:
    """The chances of a draw or of a list of matches."""
    given = _ladder(ladder)
    if given is None:
        raise InputError(
            "chances need ratings, which this file does not have", source=str(file), hint="add --ladder FILE"
        )
    from podium.tournaments.chances import simulate_bracket
    from podium.tournaments.fixtures import Fixture, read_fixtures, simulate_fixtures

    try:
        win, draw, loss = (float(part) for part in points.split(":"))
    except ValueError:
        raise InputError(f"{points!r} are not three numbers", hint="--points 3:1:0") from None
    rows = read_fixtures(file)
    matches = [row for row in rows if isinstance(row, Fixture)]
    if matches:
        return simulate_fixtures(given, matches, points=(win, draw, loss), simulations=simulations, seed=seed)
    return simulate_bracket(given, [row for row in rows if not isinstance(row, Fixture)])


def _ladder(path: Path | None) -> Ladder | None:
    if path is None:
        return None
    from podium.ladder.ladder import Ladder

    return Ladder.load(path)


@contextmanager
def _changed(file: Path, ladder: Path | None = None) -> Iterator[Tournament]:
    """The tournament of a file, which is saved at the end of the block. Other commands wait meanwhile."""
    busy = InputError("another command is changing it", source=str(file), hint="try again in a moment")
    with file_lock(file.with_name(f"{file.name}.lock"), busy, seconds=WAIT_SECONDS):
        tournament = _opened(file, ladder)
        yield tournament
        tournament.save(file)


def _opened(file: Path, ladder: Path | None = None, *, simulated: bool = False) -> Tournament:
    """The tournament of a file; a small one is paired without the compiler."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        hint = "create it with podium tournament new"
        raise InputError("there is no such file", source=str(file), hint=hint) from None
    except OSError as error:
        raise InputError(f"cannot read it: {error.strerror or error}", source=str(file)) from None
    except UnicodeDecodeError:
        raise InputError("is not a tournament's file", source=str(file)) from None
    if text.count('"joined"') <= INTERPRETED_UP_TO and not (simulated and '"swiss' in text):
        interpret_kernels()
    from podium.tournaments.tournament import Tournament

    return Tournament.load(file, ladder=_ladder(ladder))


def _print(tournament: Tournament) -> None:
    from podium.documents.tournament_documents import tournament_document

    print_document("tournament", tournament_document(tournament))


def _say_round(each: Round) -> None:
    typer.echo(f"Round {each.number}")
    for game in each.games:
        typer.echo(f"{game.number:>4}  {_said(game)}")
    for title, names in (("bye", each.byes), ("sits out", each.resting)):
        if names:
            typer.echo(f"      {title}: {', '.join(names)}")
    for note in each.notes:
        typer.echo(f"      {note}")


def _said(game: Game) -> str:
    sides = " – ".join(" + ".join(side) for side in game.sides)
    return sides if game.points is None else f"{sides}  {':'.join(f'{each:g}' for each in game.points)}"
