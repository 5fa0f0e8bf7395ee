"""`podium match`: a table of players who wait in, who plays whom out."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.options import Column, Json, Settings
from podium.cli.shared import (
    SMALL,
    check_outputs,
    compiling,
    counted,
    pairs,
    plain_json,
    progress,
    show_table,
    system_from,
)
from podium.cli.warmup import MATCHING
from podium.errors import InputError
from podium.text import shorten

if TYPE_CHECKING:
    import polars as pl

    from podium.ladder.ladder import Ladder
    from podium.matchmaking.matchmaker import Matchmaker
    from podium.matchmaking.policy import Policy
    from podium.matchmaking.proposals import Proposals
    from podium.matchmaking.waiting_file import WaitingTable
    from podium.systems import RatingSystem

EVERYBODY = 10.0
"""More than any match costs by its chances."""
EVEN = (0.4, 0.6)
"""Chances that pass for even in the summary."""
ALIKE = 0.8
"""How much alike names of columns are of which one may be meant by the other."""
SHOWN = 20
EXACT = 500
"""Players of whom the best pairs are found exactly."""


def match(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Who waits: a table with a row a player.")],
    mode: Annotated[str, typer.Option(metavar="MODE", help="1v1, 2v2, 5v5, …, or ffa:8.")] = "1v1",
    policy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Who may meet whom at what cost, as TOML; its tolerance is 0.1 where it says none. "
            "Without one everybody plays who can.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all matches to this table.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides between equals.", min=0)] = 0,
    rating_column: Annotated[str, typer.Option(metavar="NAME", help="The column with ratings.")] = "mu",
    recent_column: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The column with last results, such as WLDWW, newest last; '' wants even chances.",
        ),
    ] = "recent",
    column: Column = [],  # noqa: B006
    system: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Whose ratings they are, or its FILE.toml: elo-mmr where there are deviations, else elo.",
        ),
    ] = None,
    settings: Settings = [],  # noqa: B006
    ladder: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take the ratings from this saved ladder.")
    ] = None,
    newcomers: Annotated[
        bool, typer.Option("--newcomers", help="Players whom the ladder does not know are newcomers.")
    ] = False,
    top: Annotated[int, typer.Option(metavar="N", help="How many matches to print.", min=0)] = SHOWN,
    json: Json = False,
) -> None:
    """Say who plays whom, of players who wait.

    Columns are player, mu, sigma, recent, party (the same text for those who stay together), waited
    (seconds), blocks and met (names with semicolons), latency_REGION (milliseconds), needs_ATTRIBUTE; a
    policy can look at all others.
    """
    check_outputs({"--out": out}, [path for path in (file, policy, ladder) if path is not None])
    named = {name: value or None for name, value in pairs(column, "--column").items()}
    columns = named | _unless("mu", rating_column) | _unless("recent", recent_column)
    table, rated = _read(file, columns, system, settings, ladder)
    chosen = _policy(policy, table)

    from podium.matchmaking.matchmaker import Matchmaker

    maker = Matchmaker(
        rated,
        mode,
        chosen,
        seed=seed,
        unknown="newcomer" if newcomers else "error",
        effort="near" if len(table) > EXACT else "exact",
    )
    with compiling([MATCHING]), progress(f"matching {len(table):,} players", by_rows=False):
        table.join(maker)
        tick = maker.tick(0.0)
    matches = _table(tick.matches, one_a_match=maker.mode.is_duel)
    alone = maker.waiting()["player"].to_list()
    if out is not None:
        from podium.tables.table_files import write_frames

        write_frames([_with_alone(matches, alone)], out)
    summary = _summary(tick.matches, len(table), len(alone))
    if json:
        described = {"mode": str(maker.mode), "policy": chosen.to_toml(), **maker.system.describe()}
        typer.echo(plain_json({**described, **summary, "matches": matches.to_dicts(), "alone": alone}))
        return
    _print(maker, summary, matches, alone, top)
    if out is not None:
        typer.echo(f"wrote {out}")


def _print(
    maker: Matchmaker, summary: dict[str, Any], matches: pl.DataFrame, alone: list[str], top: int
) -> None:
    """The summary, the first matches, and who is in none."""
    typer.echo(_sentence(maker, summary))
    if top and len(matches):
        show_table(_shown(matches, top), names=["player", "opponent"], digits=3)
        if summary["n_matches"] > top:
            typer.echo(f"… and {summary['n_matches'] - top:,} more")
    if alone:
        names = ", ".join(shorten(name, 30) for name in alone[:SHOWN])
        limit = maker.policy.tolerance
        within = f" at a cost of {limit:g} or less" if limit < EVERYBODY else ""
        typer.echo(f"nobody{within} for {names}{' …' if len(alone) > SHOWN else ''}")


def _unless(name: str, column: str) -> dict[str, str | None]:
    """A column named otherwise than podium calls it; no name leaves it out."""
    return {} if column == name else {name: column or None}


def _read(
    file: Path, columns: dict[str, str | None], system: str | None, settings: list[str], saved: Path | None
) -> tuple[WaitingTable, Ladder | RatingSystem]:
    """Who waits, and what their ratings mean."""
    from podium.ladder.ladder import Ladder
    from podium.matchmaking.waiting_file import read_waiting

    if saved is not None:
        if system is not None or settings:
            raise typer.BadParameter("a saved ladder has its system", param_hint="--system")
        ladder = Ladder.load(saved)
        return _noted(read_waiting(file, columns, rated=False)), ladder
    if system is not None:
        made = system_from(system, settings)
        return _noted(read_waiting(file, columns, deviations=made.has_sigma)), made
    table = _noted(read_waiting(file, columns))
    if table.mu is not None and abs(table.mu).max() < SMALL:
        raise InputError(
            f"ratings are all below {SMALL:.0f}: not those of Elo",
            source=str(file),
            hint="say whose they are: --system trueskill",
        )
    return table, system_from("elo" if table.sigma is None else "elo-mmr", settings)


def _noted(table: WaitingTable) -> WaitingTable:
    """The table, and a word on the side about columns that look like others."""
    from podium.matchmaking.waiting_file import COLUMNS

    for name in table.attributes:
        if close := get_close_matches(name.lower(), COLUMNS, n=1, cutoff=ALIKE):
            print(
                f"the column {name!r} is taken for an attribute; did you mean {close[0]!r}?", file=sys.stderr
            )
    return table


def _policy(path: Path | None, table: WaitingTable) -> Policy:
    """The policy of a file, or one that pairs everybody as well as can be."""
    from podium.matchmaking.policy import Policy
    from podium.matchmaking.targets import WinRateTarget
    from podium.matchmaking.terms import BlockList, Latency, Needs, NoRematch, WinProbabilityGap

    if path is None:
        more = [*([Latency()] if table.latency else []), *([NoRematch(1000)] if table.met else [])]
        policy = Policy((WinProbabilityGap(), Needs(), BlockList(), *more), tolerance=EVERYBODY)
    else:
        policy = Policy.from_file(path)
    if table.met and policy.term(BlockList.name) is None:
        policy = replace(policy, terms=(*policy.terms, BlockList()))
    if table.recent is not None and policy.target is None:
        policy = replace(policy, target=WinRateTarget())
    return policy


def _summary(matches: Proposals, players: int, alone: int) -> dict[str, Any]:
    """How good the matches are."""
    import numpy as np

    two = matches.chance[::2] if len(matches) and np.all(np.diff(matches.sides) == 2) else None
    even = None if two is None else float(np.mean((two >= EVEN[0]) & (two <= EVEN[1])))
    gap = matches.gap
    return {
        "players": players,
        "n_matches": len(matches),
        "n_alone": alone,
        "mean_gap": float(gap.mean()) if len(gap) else None,
        "worst_gap": float(gap.max()) if len(gap) else None,
        "even": even,
    }


def _sentence(maker: Matchmaker, summary: dict[str, Any]) -> str:
    """The summary, in words."""
    said = f"{maker.mode}, {maker.system.name}: {counted(summary['players'], 'player')}, "
    said += f"{summary['n_matches']:,} match{'' if summary['n_matches'] == 1 else 'es'}"
    if summary["n_alone"]:
        said += f", {summary['n_alone']:,} alone"
    if (needed := maker.mode.players) > summary["players"]:
        said += f"; a match needs {needed} players"
    if summary["mean_gap"] is not None:
        said += f"\nwin probabilities are {summary['mean_gap']:.3f} from the wanted ones in the mean, "
        said += f"{summary['worst_gap']:.3f} at worst"
    if summary["even"] is not None:
        said += f"; {math.floor(100 * summary['even'])}% are between {EVEN[0]:.0%} and {EVEN[1]:.0%}"
    return said


def _with_alone(matches: pl.DataFrame, alone: list[str]) -> pl.DataFrame:
    """The table of matches, and a row for everybody who is in none."""
    import polars as pl

    return pl.concat([matches, pl.DataFrame({"player": alone}, schema={"player": pl.String})], how="diagonal")


def _table(matches: Proposals, *, one_a_match: bool) -> pl.DataFrame:
    """A row a match where one plays one, else a row a player; matches are counted from 1."""
    import polars as pl

    rows = matches.to_frame().with_columns(pl.col("match") + 1)
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
