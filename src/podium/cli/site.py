"""`podium site`: files of results in, a website out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from podium.cli.inputs import opened, shown_name
from podium.cli.leaderboards import USUAL, ActiveSince, MaxSigma
from podium.cli.options import Jobs, Settings, System, with_reading_options
from podium.cli.progress import progress
from podium.cli.site_ladders import (
    SITE_FILES,
    SiteMinEvents,
    SiteSources,
    SiteTiers,
    Title,
    Tournaments,
    say_site,
    site_board,
)


@with_reading_options
def site(
    files: Annotated[list[Path], SITE_FILES],
    out: Path = Path("public"),
    system: System = None,
    settings: Settings = [],  # noqa: B006
    title: Title = None,
    tiers: SiteTiers = None,
    min_events: SiteMinEvents = None,
    active_since: ActiveSince = USUAL,
    max_sigma: MaxSigma = None,
    arena: Annotated[bool, typer.Option("--arena")] = False,
    tournaments: Tournaments = [],  # noqa: B006
    reading: dict[str, Any] = {},  # noqa: B006
    jobs: Jobs = None,
) -> None:
    """Write a website with a leaderboard and a page for each player and event (needs podium[site]).

    Options:
        out (FOLDER): Write the website to this folder, which is new, empty, or holds an earlier website by
            podium.
        arena: The file contains votes, as podium arena reads them.
    """
    if arena:
        if len(files) != 1:
            raise typer.BadParameter("an arena is one file of votes", param_hint="FILE")
        if any((system, settings, min_events, active_since != USUAL, max_sigma)):
            raise typer.BadParameter("a fit has no rating system", param_hint="--arena")
        _write_arena(files[0], out, title)
        return
    board = site_board(min_events, active_since, max_sigma)
    sources = SiteSources(files, system, settings, reading, board, title, jobs, tournaments, tiers)
    sources.check(out)
    written = sources.write(out)
    say_site(written)
    typer.echo(f"open {written.index}")


def _write_arena(file: Path, out: Path, title: str | None) -> None:
    from podium.fitting.fit import fit
    from podium.pages.arena_site import write_arena_site

    with progress(f"reading {shown_name(file)}", by_rows=False):
        found = fit(opened(file))
    written = write_arena_site(out, found, title or file.stem)
    say_site(written)
    typer.echo(f"open {written.index}")
