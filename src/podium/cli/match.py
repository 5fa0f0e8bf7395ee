"""`podium match`: a table of players who wait in, who plays whom out."""

from __future__ import annotations

import sys
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.chosen_systems import ChosenName, pairs, system_from
from podium.cli.match_replay import EVERY, print_replay
from podium.cli.options import Aliases, Json, Settings
from podium.cli.outputs import check_outputs, print_document, say_written, write_table
from podium.cli.progress import compiling, progress
from podium.cli.small_work import check_system, interpret_if_small
from podium.cli.terminal_tables import SMALL_RATINGS_BELOW, show_table
from podium.errors import InputError, UnknownPlayerError
from podium.text import counted, did_you_mean, percent, shorten

if TYPE_CHECKING:
    import polars as pl

    from podium.documents import MatchingDocument
    from podium.ladder.ladder import Ladder
    from podium.matchmaking.matchmaker import Matchmaker
    from podium.matchmaking.policies.policy import Policy
    from podium.matchmaking.pool.proposals import Proposals
    from podium.matchmaking.waiting_file import WaitingTable
    from podium.systems import RatingSystem

MOST_GAMES_MET = 1_000
"""Last games that rematches are looked for in: all that a term counts."""
ANY_COST = 10.0
"""More than any match costs by its chances: a tolerance at which everybody may meet."""
ALIKE_FROM = 0.8
"""Similarity of two names of columns from which on one may be meant by the other."""
MOST_SHOWN = 20
EXACT_UP_TO = 500
"""Players of whom the best pairs are found exactly."""


def match(
    file: Path,
    mode: str = "1v1",
    policy: Path | None = None,
    out: Path | None = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    rating_column: str = "mu",
    recent_column: str = "recent",
    column: list[str] = [],  # noqa: B006
    system: str | None = None,
    settings: Settings = [],  # noqa: B006
    ladder: Path | None = None,
    newcomers: Annotated[bool, typer.Option("--newcomers")] = False,
    aliases: Aliases = None,
    top: Annotated[int, typer.Option(min=0)] = MOST_SHOWN,
    why: str | None = None,
    replay: Annotated[bool, typer.Option("--replay")] = False,
    every: Annotated[float, typer.Option(min=0.001)] = EVERY,
    json: Json = False,
) -> None:
    """Match the players who are waiting.

    The table needs the columns player and mu (the rating). mu is not needed with --ladder. Two more columns
    help: party (the same text for players who stay together) and waited (in seconds).

    Options:
        file (FILE): Players who are waiting: a table with one row per player.
        mode (MODE): Sides of a match: 1v1, 5v5, 2v2v2v2, 1v4, ..., ffa:8 for eight players who all play
            against each other, or teams with roles: '5v5: tank, healer, 3 damage'.
        policy (FILE): Rules (.toml): which players may meet, and which matches are better. Default: match as
            many players as possible.
        out (FILE): Write all matches to this table.
        seed (N): Random seed, to choose between equally good matches.
        rating_column (NAME): Column with the ratings.
        recent_column (NAME): Column with each player's last results, such as WLDWW, newest last. Players on a
            losing streak get easier matches. '' ignores the column.
        column (NAME=COLUMN): Name the table's own column, for example --column player=handle if players are
            in the column handle. --column party= ignores the column party. Repeatable.
        system (NAME): Rating system that made the ratings, such as elo. Default: elo if the table has no
            column sigma, otherwise podium's default for this mode.
        ladder (FILE): Take the ratings from this file, which podium rate --save wrote.
        newcomers: With --ladder: accept players without a rating as newcomers.
        top (N): Number of matches to print.
        why (NAME): Also list the opponents nearest to this player, and those that a rule excludes, with
            reasons.
        replay: FILE is a record (.ndjson) of players who joined and left, and of their matches. Match them
            again by --policy, and compare waiting times and matches.
        every (SECONDS): With --replay, the time between two ticks.
    """
    if replay:
        print_replay(file, mode, policy, out, seed, system, settings, every, as_json=json)
        return
    check_outputs({"--out": out}, [path for path in (file, policy, ladder, aliases) if path is not None])
    named = {name: value or None for name, value in pairs(column, "--column").items()}
    columns = named | _unless("mu", rating_column) | _unless("recent", recent_column)
    chosen, table, rated = _read(file, columns, system, settings, ladder, aliases, mode)
    if why is not None and why not in table.players:
        raise InputError(
            f"{shorten(why)!r} is not in the list of waiting players",
            source=str(file),
            hint=did_you_mean(why, table.players),
        )
    terms = _policy(policy, table)

    from podium.compiling import MATCHING
    from podium.matchmaking.matchmaker import Matchmaker

    maker = Matchmaker(
        rated,
        mode,
        terms,
        seed=seed,
        unknown="newcomer" if newcomers else "error",
        effort="near" if len(table) > EXACT_UP_TO else "exact",
    )
    with compiling([MATCHING]), progress(f"matching {len(table):,} players", by_rows=False):
        try:
            table.join(maker)
        except UnknownPlayerError as error:
            raise UnknownPlayerError(error.reason, hint="--newcomers rates them as new players") from error
        reasons = None if why is None else maker.why(why, 0.0)
        tick = maker.tick(0.0)
        if reasons is not None:
            reasons = replace(reasons, match=maker.ticket(reasons.players[0]).match)
    from podium.documents import matching_document

    shown = None if json else 0  # a table has its own rows
    document = matching_document(maker, tick, top=shown, why=reasons)
    matches = _table(tick.matches, one_a_match=maker.mode.is_duel)
    write_table(_with_alone(matches, document["alone"]), out)
    if json:
        print_document("matching", document)
        return
    if chosen is not None:
        chosen.say()
    _print(maker, document, matches, top)
    if reasons is not None:
        typer.echo(replace(reasons, match=None))
        if reasons.match is not None:
            typer.echo(f"They play in match {reasons.match + 1}.")
    say_written(out)


def _print(maker: Matchmaker, document: MatchingDocument, matches: pl.DataFrame, top: int) -> None:
    """The summary, the first matches, and who is in none."""
    typer.echo(_sentence(maker, document))
    alone = document["alone"]
    if top and len(matches):
        show_table(_shown(matches, top), names=["player", "opponent"], digits=3)
        if document["n_matches"] > top:
            typer.echo(f"… and {document['n_matches'] - top:,} more")
    if alone:
        names = ", ".join(shorten(name, 30) for name in alone[:MOST_SHOWN])
        limit = maker.policy.tolerance
        within = f" at a cost of at most {limit:g}" if limit < ANY_COST else ""
        typer.echo(f"no match{within} for {names}{' …' if len(alone) > MOST_SHOWN else ''}")


def _unless(name: str, column: str) -> dict[str, str | None]:
    """A column named otherwise than podium calls it; no name leaves it out."""
    return {} if column == name else {name: column or None}


def _read(
    file: Path,
    columns: dict[str, str | None],
    system: str | None,
    settings: list[str],
    saved: Path | None,
    aliases: Path | None,
    mode: str,
) -> tuple[ChosenName | None, WaitingTable, Ladder | RatingSystem]:
    """The waiting players, the ladder or system their ratings belong to, and which system podium chose."""
    from podium.matchmaking.waiting_file import read_waiting

    if saved is not None and (system is not None or settings):
        raise typer.BadParameter("a saved ladder keeps its own system", param_hint="--system")
    if system is not None:
        check_system(system, settings)
    made: RatingSystem | None = None

    def deviations(players: int) -> bool | None:
        """Whether the system has deviations; it is loaded when the players are counted."""
        nonlocal made
        interpret_if_small("match", [] if system is None else [system], players)
        if system is None:
            return None
        made = system_from(system, settings)
        return made.has_sigma

    table = _noted(read_waiting(file, columns, rated=saved is None, deviations=deviations, aliases=aliases))
    if saved is not None:
        from podium.ladder.ladder import Ladder

        return None, table, Ladder.load(saved)
    if made is not None:
        return None, table, made
    if table.mu is not None and abs(table.mu).max() < SMALL_RATINGS_BELOW:
        raise InputError(
            f"all ratings are below {SMALL_RATINGS_BELOW:.0f}, so they are not Elo ratings",
            source=str(file),
            hint="name their system, for example --system trueskill",
        )
    chosen = ChosenName("elo") if table.sigma is None else _chosen_for(mode)
    return chosen, table, system_from(chosen.name, settings)


def _chosen_for(mode: str) -> ChosenName:
    """The preset that rates the results of such matches."""
    from podium.matchmaking.lobbies.modes import Mode
    from podium.presets import PRESETS, PresetChoice

    sizes = Mode.parse(mode).sizes
    kind = "teams" if max(sizes) > 1 else "matches" if len(sizes) == 2 else "races"
    return ChosenName.of(PresetChoice(PRESETS[kind], {}))


def _noted(table: WaitingTable) -> WaitingTable:
    """The table; columns whose names look like others are reported on stderr."""
    from podium.matchmaking.waiting_file import COLUMNS

    for name in table.attributes:
        if close := get_close_matches(name.lower(), COLUMNS, n=1, cutoff=ALIKE_FROM):
            print(
                f"podium reads the column {name!r} as an attribute. Did you mean {close[0]!r}?",
                file=sys.stderr,
            )
    return table


def _policy(path: Path | None, table: WaitingTable) -> Policy:
    """The policy of a file, or one that pairs everybody as well as can be."""
    from podium.matchmaking.policies.policy import Policy
    from podium.matchmaking.policies.targets import WinRateTarget
    from podium.matchmaking.policies.terms import BlockList, Latency, Needs, NoRematch, WinProbabilityGap

    if path is None:
        games = min(table.games_met, MOST_GAMES_MET)
        more = [*([Latency()] if table.latency else []), *([NoRematch(games)] if games else [])]
        policy = Policy((WinProbabilityGap(), Needs(), BlockList(), *more), tolerance=ANY_COST)
    else:
        policy = Policy.from_file(path)
    if table.recent is not None and policy.target is None:
        policy = replace(policy, target=WinRateTarget())
    return policy


def _sentence(maker: Matchmaker, summary: MatchingDocument) -> str:
    """The summary of the matching as a sentence."""
    from podium.documents.match_documents import EVEN_CHANCES

    said = f"{maker.mode}, {maker.system.label}: {counted(summary['players'], 'player')}, "
    said += f"{summary['n_matches']:,} match{'' if summary['n_matches'] == 1 else 'es'}"
    if summary["n_alone"]:
        said += f", {summary['n_alone']:,} without a match"
    if (needed := maker.mode.players) > summary["players"]:
        said += f". A match needs {needed} players"
    if summary["mean_gap"] is not None:
        said += f"\nwin probabilities: {summary['mean_gap']:.3f} from the wanted ones on average, "
        said += f"{summary['worst_gap']:.3f} in the worst match"
    if summary["even"] is not None:
        low, high = EVEN_CHANCES
        said += f", between {low:.0%} and {high:.0%} in {percent(summary['even'])} of the matches"
    return said


def _with_alone(matches: pl.DataFrame, alone: list[str]) -> pl.DataFrame:
    """The table of matches, and a row for everybody who is in none."""
    import polars as pl

    return pl.concat([matches, pl.DataFrame({"player": alone}, schema={"player": pl.String})], how="diagonal")


def _table(matches: Proposals, *, one_a_match: bool) -> pl.DataFrame:
    """A table with a row for each match if `one_a_match`, else for each player; matches count from 1."""
    import polars as pl

    rows = matches.to_frame().with_columns(pl.col("match", "side") + 1)
    if not one_a_match:
        return rows
    first, second = (rows.filter(pl.col("side") == side) for side in (1, 2))
    return first.select(
        "match",
        "player",
        second["player"].alias("opponent"),
        "chance",
        "wanted",
        second["wanted"].alias("opponent_wanted"),
        "cost",
        "waited",
        second["waited"].alias("opponent_waited"),
        "region",
    )


def _shown(matches: pl.DataFrame, top: int) -> pl.DataFrame:
    """The first matches for the terminal, without columns that a file has room for."""
    import polars as pl

    idle = ["waited", "opponent_wanted", "opponent_waited"]
    idle += ["region"] if matches["region"].null_count() == len(matches) else []
    return matches.drop(idle, strict=False).filter(pl.col("match") <= top)
